"""Reports from Python: texts that are given, slices, hostile names, refused input."""

import json
import pickle

import pandas as pd
import pytest

import qassay

ATTACK = 'a"><script>alert(1)</script>&'
GOLD = {f"q{i}": [f"answer {i}"] for i in range(12)}
SMALL = {key: golds[0] if place % 2 else "wrong" for place, (key, golds) in enumerate(GOLD.items())}
LARGE = {key: golds[0] if place % 4 else ATTACK for place, (key, golds) in enumerate(GOLD.items())}


@pytest.fixture(scope="module")
def systems():
    return {ATTACK: qassay.score("answer_match", SMALL, GOLD), "large": qassay.score("answer_match", LARGE, GOLD)}


@pytest.fixture(scope="module")
def comparison(systems):
    return qassay.compare(systems, n_resamples=50)


def read(path):
    return path.read_text("utf-8")


def test_hostile_names_are_escaped(systems, comparison, tmp_path):
    qassay.report(systems, tmp_path / "v.html", n_resamples=20)
    texts = {ATTACK: SMALL, "large": LARGE}
    comparison.report(tmp_path / "c.html", predictions=texts, references=GOLD, questions=dict.fromkeys(GOLD, ATTACK))
    shown = [read(tmp_path / "v.html"), read(tmp_path / "c.html"), comparison._repr_html_()]
    shown += [comparison.plot()._repr_svg_()]
    assert all(ATTACK not in page and "<script>alert" not in page for page in shown)


def test_a_comparison_with_texts_shows_examples_and_without_says_so(comparison, tmp_path):
    """Rows in another order than the scores are found by their ids."""
    references = [{"id": key, "answers": {"text": golds}} for key, golds in reversed(GOLD.items())]
    predictions = {
        system: [{"id": key, "prediction_text": text} for key, text in given.items()]
        for system, given in ((ATTACK, SMALL), ("large", LARGE))
    }
    comparison.report(tmp_path / "with.json", predictions=predictions, references=references)
    found = json.loads(read(tmp_path / "with.json"))
    examples = found["parts"][0]["examples"]
    assert not any("omitted" in remark["text"] for remark in found["remarks"])
    assert examples["gold"][2] == ["answer 2"] and examples["systems"]["large"]["answers"][2] == ["answer 2"]
    comparison.report(tmp_path / "without.json")
    found = json.loads(read(tmp_path / "without.json"))
    assert "examples to read are omitted" in found["remarks"][0]["text"]
    assert found["parts"][0]["examples"]["gold"] is None


def test_slices_of_a_report(systems, tmp_path):
    scores = systems["large"]
    labels = ["first"] * 4 + ["last"] * 8
    for by in ({"half": labels}, {"half": dict(zip(GOLD, labels, strict=True))}):
        scores.report(tmp_path / "s.md", by=by, measures="em", confidence=None)
        assert "| first | exact_match | 4\\* | 0.7500 |" in read(tmp_path / "s.md")
    scores.report(tmp_path / "s.md", by="error_kind", confidence=None)
    assert "| correct | exact_match | 9" in read(tmp_path / "s.md")
    for by, message in (
        ("answer_type", "'answer_type'"),
        ({"half": labels[1:]}, "'half' has 11 labels for the 12"),
        ({"half": {"q0": "x"}}, "'half'.*'q1'"),
    ):
        with pytest.raises(ValueError, match=message):
            scores.report(tmp_path / "s.md", by=by)
    other = qassay.score("answer_match", {"z": "a"}, {"z": ["a"]})
    with pytest.raises(ValueError, match="'b'"):
        qassay.report({"a": scores, "b": other}, tmp_path / "s.md", by={"half": labels})


def test_what_a_report_refuses(systems, comparison, tmp_path):
    texts, file = {ATTACK: SMALL, "large": LARGE}, tmp_path / "x.md"
    with pytest.raises(ValueError, match=r"x.pdf.*\.html, \.htm, \.md"):
        systems["large"].report("x.pdf")
    for wrong in ([systems["large"]], comparison):
        with pytest.raises(TypeError, match="Scores|comparison.report"):
            qassay.report(wrong, "x.html")
    for error, words, given in (
        (ValueError, "examples to read need both", {"predictions": texts}),
        (TypeError, "every system", {"predictions": {"large": LARGE}, "references": GOLD}),
        (ValueError, "references has 1 rows for the 12", {"predictions": texts, "references": [["a"]]}),
        (ValueError, "need both", {"questions": ["a"]}),
    ):
        with pytest.raises(error, match=words):
            comparison.report(file, **given)
    assert list(tmp_path.iterdir()) == []


def test_texts_that_were_not_scored_are_refused(comparison, tmp_path):
    texts = {ATTACK: SMALL, "large": LARGE}
    fewer = {key: text for key, text in SMALL.items() if key != "q3"}
    other = GOLD | {"q5": ["another"]}
    ids, rows = list(GOLD), [{"id": key, "prediction_text": text} for key, text in fewer.items()]
    refused = [
        ({ATTACK: fewer, "large": LARGE}, GOLD, "predictions of a.*'q3', which was scored"),
        ({ATTACK: rows, "large": LARGE}, GOLD, "predictions of a.*'q3'"),
        (texts, {key: GOLD[key] for key in ids[1:]}, "references.*'q0'"),
        (texts, other, "references.*'q5'"),
        (texts, list(other.values()), "'q5'"),
        ({ATTACK: [None, *[*SMALL.values()][1:]], "large": LARGE}, GOLD, "'q0'"),
        ({ATTACK: LARGE, "large": SMALL}, GOLD, r"predictions of a.*'q\d+' has \w+ \d\S*, but it was"),
        ({ATTACK: SMALL, "large": {**LARGE, "q9": "z"}}, GOLD, "predictions of large: .*'q9'"),
        ({ATTACK: [*SMALL.values()][1:], "large": LARGE}, GOLD, "11 rows for the 12"),
    ]
    for predictions, references, words in refused:
        with pytest.raises(ValueError, match=words):
            comparison.report(tmp_path / "x.md", predictions=predictions, references=references)
    assert list(tmp_path.iterdir()) == []


def test_what_a_system_did_not_answer_may_lack(tmp_path):
    gold = {7: ["a"], 8: ["b"], 9: ["c"]}
    given = {"one": {7: "a", 8: "x"}, "two": {"7": "z", "8": "b", "9": "c"}}  # 7 and "7" are one id
    comparison = qassay.compare({name: qassay.score("answer_match", texts, gold) for name, texts in given.items()})
    comparison.report(tmp_path / "x.json", predictions=given, references=gold)
    examples = json.loads(read(tmp_path / "x.json"))["parts"][0]["examples"]
    answers = examples["systems"]["two"]["answers"][examples["ids"].index(7)]
    assert answers == ["z"]
    given["one"] = ["a", "x", "c"]
    with pytest.raises(ValueError, match="predictions of one: with them the example 9 has missing"):
        comparison.report(tmp_path / "x.md", predictions=given, references=gold)


def test_one_column_of_labels_makes_slices_of_reports_and_of_a_table(tmp_path):
    scores = qassay.score("answer_match", list(SMALL.values()), list(GOLD.values()))
    labels = pd.Series(["law", "art"] * 6, name="topic", index=range(20, 32))
    qassay.report(scores, tmp_path / "r.md", by=labels, n_resamples=20)
    parts = scores.by(labels)
    assert "| topic | measure |" in read(tmp_path / "r.md")
    assert list(parts) == ["art", "law"] and parts["art"]["exact_match"] == 1.0
    assert [line.split()[:2] for line in str(parts).splitlines() if line.startswith(("art", "law"))] == [
        ["art", "exact_match"],
        ["law", "exact_match"],
    ]
    assert "<th" in parts._repr_html_() and list(pickle.loads(pickle.dumps(parts))) == ["art", "law"]


def test_the_name_of_a_column_as_slice_is_refused_with_what_to_give(systems, tmp_path):
    scores = systems["large"]
    with pytest.raises(ValueError, match=r"slices must be a column; got .*; give by\(table\['topic'\]\)"):
        scores.by("topic")
    for call in (
        lambda: qassay.compare(systems, by="topic"),
        lambda: qassay.report(scores, tmp_path / "r.md", by="topic"),
    ):
        with pytest.raises(ValueError, match=r"or give labels: (by=)?table\['topic'\]"):
            call()
