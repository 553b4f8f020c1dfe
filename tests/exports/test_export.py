"""Records of one system; tests/contract has what holds for every family."""

import datetime
import json
from pathlib import Path

import pytest

import qassay

ABOUT = {"model": "org/m", "dataset": "lights", "date": "2026-01-15", "organization": "us", "relationship": "other"}
GOLDS, ANSWERS = {"q1": ["Rome", "Roma"], "q2": [], "q3": ["Paris"]}, {"q1": "Rome", "q2": "", "q3": "in Paris"}
QUESTIONS = {"q1": "Capital of Italy?", "q2": "Capital of the sea?", "q3": "Capital of France?"}


@pytest.fixture
def scores():
    return qassay.score("answer_match", ANSWERS, GOLDS)


def rows_of(path):
    return [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]


def test_the_examples_have_question_gold_answer_and_score(scores, tmp_path):
    samples, record = qassay.export(
        scores, tmp_path, ABOUT, predictions=ANSWERS, references=GOLDS, questions=QUESTIONS, measures="f1"
    )
    first, second, third = rows_of(samples)
    assert first == {
        "schema_version": "0.3.0",
        "evaluation_id": json.loads(Path(record).read_text())["evaluation_id"],
        "model_id": "org/m",
        "evaluation_name": "lights",
        "evaluation_result_id": "answer_match/f1",
        "sample_id": "q1",
        "interaction_type": "single_turn",
        "input": {"raw": "Capital of Italy?", "reference": ["Rome", "Roma"]},
        "output": {"raw": ["Rome"]},
        "answer_attribution": [
            {"turn_idx": 0, "source": "output.raw", "extracted_value": "Rome", "extraction_method": "none", "is_terminal": True}
        ],
        "evaluation": {"score": 1.0, "is_correct": True},
    }  # fmt: skip
    assert second["input"]["reference"] == [] and second["evaluation"] == {"score": 1.0, "is_correct": True}
    assert third["evaluation"] == {"score": 2 / 3, "is_correct": False}


def test_answers_that_have_other_values_than_the_scores_are_refused(scores, tmp_path):
    with pytest.raises(ValueError, match="predictions of scores: .*'q3' has exact_match 1, but it was scored 0"):
        qassay.export(scores, tmp_path, ABOUT, predictions={**ANSWERS, "q3": "Paris"}, references=GOLDS)
    assert not list(tmp_path.iterdir())


def test_answers_that_cannot_be_scored_again_are_exported(tmp_path):
    def judge(question, golds, answer):
        calls.append(answer)
        return 1.0

    calls = []
    questions, answers, gold = ["Capital?"], ["in Paris"], [["Paris"]]
    judged = qassay.score("answer_equivalence", answers, gold, questions=questions, model=judge)
    with_questions = qassay.score("answer_equivalence", answers, gold, questions=questions)
    withheld = qassay.score("answer_match", answers, gold, no_answer_probabilities=[0.9], no_answer_threshold=0.5)
    for scores, shown in ((judged, answers), (with_questions, answers), (withheld, [])):
        (row, *_) = rows_of(qassay.export(scores, tmp_path, ABOUT, predictions=answers, references=gold)[0])
        assert row["output"]["raw"] == shown
    assert calls == answers  # once: a judge costs money


def test_extracted_answers_are_reported_beside_the_full_text(tmp_path):
    written, gold = ["It is <answer>Rome</answer>."], [["Rome"]]
    scores = qassay.score("answer_match", written, gold, extract="answer_tag")
    samples, _ = qassay.export(scores, tmp_path, ABOUT, predictions=written, references=gold, measures="f1")
    (row,) = rows_of(samples)
    (attributed,) = row["answer_attribution"]
    assert row["output"]["raw"] == written
    assert (attributed["extracted_value"], attributed["extraction_method"]) == ("Rome", "answer_tag")


def test_the_record_says_of_which_model_and_data(scores, tmp_path):
    about = {**ABOUT, "model": "org/m:1/x", "dataset": "org/lights", "split": "test", "revision": "abc"}
    about |= {"source_url": "https://example.org/", "notes": "no-tools"}
    (path,) = qassay.export(scores, tmp_path, about)
    record = json.loads(Path(path).read_text())
    assert Path(path).parent == tmp_path / "data" / "org_lights" / "org" / "m_1_x"
    of_model = {"deployment_type": "unknown", "model_availability": "unknown"}
    assert record["model_info"] == {
        "name": "org/m:1/x",
        "id": "org/m:1/x",
        "developer": "org",
        "additional_details": of_model,
    }
    assert record["source_metadata"] == {
        "source_type": "evaluation_run",
        "source_organization_name": "us",
        "evaluator_relationship": "other",
        "additional_details": {"source_url": "https://example.org/", "notes": "no-tools"},
    }
    assert record["evaluation_timestamp"] == "2026-01-15T00:00:00+00:00"
    assert record["evaluation_id"].startswith("org/lights/org/m:1/x/1768435200-")
    (data,) = {json.dumps(result["source_data"]) for result in record["evaluation_results"]}
    assert json.loads(data) == {
        "dataset_name": "org/lights",
        "source_type": "hf_dataset",
        "hf_repo": "org/lights",
        "hf_split": "test",
        "samples_number": 3,
        "additional_details": {"revision": "abc"},
    }


def test_the_same_result_replaces_its_files_and_another_does_not(scores, tmp_path):
    other = qassay.score("answer_match", {**ANSWERS, "q1": "Oslo"}, GOLDS)
    first = qassay.export(scores, tmp_path, ABOUT)
    assert qassay.export(scores, tmp_path, ABOUT) == first
    assert qassay.export(other, tmp_path, ABOUT) != first
    assert qassay.export(scores, tmp_path, {**ABOUT, "date": "2026-01-16"}) != first
    assert len(list(tmp_path.rglob("*.json"))) == 3


def test_systems_with_equal_values_have_records_of_their_own(tmp_path):
    gold = {"q1": ["Rome"], "q2": ["Paris"]}
    answers = [{"q1": "Rome", "q2": "x"}, {"q1": "x", "q2": "Paris"}, {"q2": "y", "q1": "Rome"}]
    scored = [qassay.score("answer_match", own, gold) for own in answers]
    names = [qassay.export(own, tmp_path, ABOUT)[0] for own in scored]
    assert names[0] != names[1] and names[0] == names[2]  # the third is right on the same examples
    texts = [{"predictions": own, "references": gold} for own in answers]
    with_texts = [qassay.export(own, tmp_path, ABOUT, **text) for own, text in zip(scored, texts, strict=True)]
    assert len({name for names in with_texts for name in names}) == 6


def test_several_runs_have_values_but_no_examples(tmp_path):
    runs = qassay.runs([qassay.score("answer_match", {**ANSWERS, "q1": city}, GOLDS) for city in ("Rome", "Oslo")])
    (path,) = qassay.export(runs, tmp_path, ABOUT, measures="f1")
    (result,) = json.loads(Path(path).read_text())["evaluation_results"]
    assert result["score_details"]["details"] == {"examples": "3", "runs": "2"}
    with pytest.raises(ValueError, match="several runs"):
        qassay.export(runs, tmp_path, ABOUT, predictions=ANSWERS, references=GOLDS)


def test_texts_that_json_can_hold_only_escaped(tmp_path):
    """And ends of lines of Unicode, which do not end a line of the examples."""
    texts, golds = ["\ud800 \u2028\x00", "Rome\u2028Roma", "Oslo\x85"], [["é"], ["Rome"], ["Oslo"]]
    scores, about = qassay.score("answer_match", texts, golds), {**ABOUT, "organization": "\ud800"}
    samples, _ = qassay.export(scores, tmp_path, about, predictions=texts, references=golds, measures="f1")
    lines = Path(samples).read_bytes().split(b"\n")
    assert [json.loads(line)["output"]["raw"][0] for line in lines[:-1]] == texts and lines[-1] == b""


@pytest.mark.parametrize("lacking", ABOUT)
def test_missing_facts_are_refused(scores, tmp_path, lacking):
    with pytest.raises(ValueError, match=lacking):
        qassay.export(scores, tmp_path, {name: value for name, value in ABOUT.items() if name != lacking})


@pytest.mark.parametrize(
    ("about", "message"),
    [
        *(({"model": name}, "model") for name in ("m", "/m", "org/a//b", "../m")),
        *(({"dataset": name}, "dataset") for name in ("data", "what?", "ends.")),
        ({"modle": "a/b"}, "'model'"),
        ({"revision": 1234567}, "revision"),
        ({"relationship": "third-party"}, "third-party.*'third_party'"),
        ({"date": "15.1.2026"}, "date '15.1.2026'"),
    ],
)
def test_wrong_facts_are_refused(scores, tmp_path, about, message):
    with pytest.raises((TypeError, ValueError), match=message):
        qassay.export(scores, tmp_path, {**ABOUT, **about})
    assert list(tmp_path.iterdir()) == []


def test_a_date_may_be_a_date_and_a_record_is_a_folder(scores, tmp_path):
    dated = {**ABOUT, "date": datetime.date(2026, 1, 15)}
    assert qassay.export(scores, tmp_path, dated) == qassay.export(scores, tmp_path, ABOUT)
    with pytest.raises(ValueError, match="folder.*yaml"):
        qassay.export(scores, tmp_path / "r.json", ABOUT)


def test_only_scores_of_one_system_with_values_are_exported(scores, tmp_path):
    with pytest.raises(TypeError, match="dict"):
        qassay.export({"a": scores}, tmp_path, ABOUT)
    unanswerable = qassay.score("answer_match", [""], [[]])
    for place in (tmp_path, tmp_path / "r.yaml"):
        with pytest.raises(ValueError, match="value"):
            qassay.export(unanswerable, place, {**ABOUT, "task_id": "t"}, measures="has_answer_f1")


def test_a_full_disk_leaves_no_part_of_a_file(scores, tmp_path, full_disk):
    texts = {"predictions": ANSWERS, "references": GOLDS}
    with full_disk(100), pytest.raises(OSError, match="cannot write"):
        qassay.export(scores, tmp_path, ABOUT, **texts)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


# --- the Hub ----------------------------------------------------------------------------------------------------------


def test_an_entry_has_one_value_with_interval_and_signature(scores, tmp_path):
    url = "https://example.org/"
    about = {"dataset": "org/lights", "task_id": "t", "source_url": url, "notes": "x: y"}
    more = {"revision": "abc", "date": "2026-01-15"}
    (path,) = qassay.export(scores, tmp_path / "r.yml", {**about, **more}, measures="f1", percent=True)
    yaml = pytest.importorskip("yaml", reason='needs yaml: pip install -e ".[test-all]"')
    (entry,) = yaml.safe_load(Path(path).read_text("utf-8"))
    low, high = (100 * end for end in scores.interval(names=["f1"])["f1"])
    notes = entry.pop("notes")
    assert notes.startswith("x: y; f1 of 3 examples") and f"{low:.2f} to {high:.2f}" in notes
    assert notes.endswith(scores.signature()) and entry.pop("value") == pytest.approx(100 * scores["f1"])
    assert entry == {
        "dataset": {"id": "org/lights", "task_id": "t", "revision": "abc"},
        "date": "2026-01-15",
        "source": {"url": url},
    }
    (path,) = qassay.export(scores, tmp_path / "r.yml", about, confidence=None)
    assert f"x: y; exact_match of 3 examples; {scores.signature()}" in Path(path).read_text()


def test_an_entry_of_several_measures_or_without_a_task_is_refused(scores, tmp_path):
    with pytest.raises(ValueError, match="exact_match, f1"):
        qassay.export(scores, tmp_path / "r.yaml", {**ABOUT, "task_id": "t"}, measures=["exact_match", "f1"])
    with pytest.raises(ValueError, match="task_id"):
        qassay.export(scores, tmp_path / "r.yaml", ABOUT)
    assert list(tmp_path.iterdir()) == []
