"""Groups of examples by name: columns of the gold file, slices, and what families name."""

import json

import numpy as np
import pytest

import qassay
from qassay.files import FileError
from qassay.files.gold_and_predictions import read_golds
from qassay.files.slicing import slice_labels, with_groups


def written(folder, name, content):
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return str(path)


@pytest.fixture
def squad(tmp_path):
    """Three articles with two paragraphs of two questions each; paths of the gold file and of a system."""
    data, answers = [], {}
    for article in ("Rome", "Oslo", "Bern"):
        paragraphs = []
        for number in (1, 2):
            names = [f"{article}{number}{letter}" for letter in "ab"]
            answers |= dict.fromkeys(names, "right")
            found = [{"text": "right", "answer_start": 0}]
            questions = [{"id": name, "question": "Who?", "answers": found} for name in names]
            paragraphs.append({"context": f"right {article} {number}", "qas": questions})
        data.append({"title": article, "paragraphs": paragraphs})
    return written(tmp_path, "gold.json", {"version": "1.1", "data": data}), written(tmp_path, "model.json", answers)


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,prediction,gold,topic,blank,same\n1,a,a,x,u,s\n2,b,c d,y,,s\n3,a,a,x,v,s\n", encoding="utf-8")
    return str(path)


def test_squad_names_articles_and_paragraphs(squad):
    alone = qassay.score_files(*squad)["model"]
    cities = ("Bern", "Oslo", "Rome")
    paragraphs = tuple(f"right {name} {number}" for name in cities for number in (1, 2))
    for name, labels in (("article", cities), ("title", cities), ("paragraph", paragraphs)):
        scores = qassay.score_files(*squad, groups=name)["model"]
        assert scores.groups.labels == labels and scores.summary() == alone.summary()
        assert scores.groups.listed()[0] == labels[-1 if name != "paragraph" else 4]  # the first question is of Rome
    own = {identifier: identifier[-1] for identifier in alone.ids}
    assert qassay.score_files(*squad, groups=own)["model"].groups.labels == ("a", "b")


def test_groups_are_columns_and_slices_and_others_are_refused(rows):
    assert qassay.score_files(rows, groups="topic")["rows"].groups.listed() == ["x", "y", "x"]
    assert qassay.score_files(rows, groups="answer_length")["rows"].groups.listed() == ["0", "2", "0"]
    for name, told in (
        ("topik", r"rows.csv: .*'topik'.*'topic'"),
        ("article", "rows.csv: .*'article'"),
        ("blank", r"rows.csv: blank\[1\] \(id '?2'?\)"),
        ("same", r"rows.csv: .*'s'"),
        ("error_kind", "error_kind"),
    ):
        with pytest.raises(ValueError, match=told) as error:
            qassay.score_files(rows, groups=name)
        assert str(error.value).count("rows.csv: ") == 1


def test_slices_and_groups_by_a_name_have_the_same_labels(tmp_path):
    """A column with the same name and labels is the same slicing; with other labels it is refused by both."""
    path, name = tmp_path / "rows.jsonl", "answer_length"

    def both(column):
        rows = [{"id": n, "prediction": "a", "answers": [["a"], ["b c"]][n % 2] if n < 4 else []} for n in range(6)]
        rows = [{**row, name: label} for row, label in zip(rows, column, strict=True)] if column else rows
        path.write_text("\n".join(map(json.dumps, rows)))
        (scores,) = qassay.score_files(path).values()
        gold = read_golds(None, str(path), {})["answer_match"]
        return slice_labels(gold, scores, name), with_groups(gold, scores, name).groups.listed()

    slices, groups = both(None)
    assert slices == groups and len(set(slices)) > 1
    assert both([f"it is {label}" for label in slices]) == (slices, groups)
    with pytest.raises(FileError, match=f"rows.jsonl: {name} "):
        both([f"{n % 3}" for n in range(6)])
    with pytest.raises(FileError, match=f"{name} "):
        qassay.score_files(path, groups=name)
    path.write_text('{"prediction": "a", "answers": ["a"]}\n{"prediction": "", "answers": []}\n')
    subset = qassay.score_files(path, groups="has_answer")["rows"]
    assert subset.groups.listed() == ["yes", "no"]


def test_bioasq_groups_questions_that_share_documents(tmp_path):
    documents = [["d1"], ["d2"], ["d1", "d2"], ["d3"], None, []]
    questions = [{"id": f"q{place}", "type": "yesno", "exact_answer": "yes"} for place in range(6)]
    system = written(tmp_path, "s.json", {"questions": [{**one, "exact_answer": "no"} for one in questions]})
    bare = written(tmp_path, "none.json", {"questions": questions})
    with pytest.raises(FileError, match="'documents'"):
        qassay.score_files(bare, system, groups="documents")
    for question, of in zip(questions, documents, strict=True):
        question.update({} if of is None else {"documents": of})
    gold = written(tmp_path, "gold.json", {"questions": questions})
    scores = qassay.score_files(gold, system, groups="documents")["s"]
    assert scores.groups.listed() == ["q0", "q0", "q0", "q3", "q4", "q5"]


@pytest.mark.thorough
def test_squad_dev_has_the_errors_of_the_specification(squad2):
    """Standard errors by article and by paragraph compared with independent questions."""
    files = [squad2 / name for name in ("dev-v2.0.json", "predictions_bert.json")]
    gold = read_golds(None, str(files[0]), {})["answer_match"]
    scores = qassay.score_files(*files)["predictions_bert"]
    ratios = {}
    for name, n_groups in (("article", 35), ("paragraph", 1204)):
        grouped = with_groups(gold, scores, name)
        assert len(grouped.groups.labels) == n_groups
        for measure in ("exact_match", "f1"):
            deviations = grouped.columns[measure] - grouped[measure]
            sums = np.bincount(grouped.groups.codes, deviations)  # the variance of a mean, Miller 2024
            ratios[name, measure] = np.sqrt(np.square(sums).sum() / np.square(deviations).sum())
            widths = [np.diff(of.interval(names=[measure])[measure])[0] for of in (grouped, scores)]
            assert widths[0] / widths[1] == pytest.approx(ratios[name, measure], rel=0.08)
        if name == "article":
            low, high = grouped.interval(names=["f1"], method="percentile")["f1"]
            assert (low, high) == pytest.approx((0.7943, 0.8396), abs=0.002)
    assert {key: round(ratio, 2) for key, ratio in ratios.items()} == {
        ("article", "exact_match"): 3.16,
        ("article", "f1"): 3.38,
        ("paragraph", "exact_match"): 1.17,
        ("paragraph", "f1"): 1.20,
    }
