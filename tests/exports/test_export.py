"""Records of one system; tests/contract has what holds for every family."""

import datetime
import json
from pathlib import Path

import pytest

import qassay

ABOUT = {"model": "org/m", "dataset": "lights", "date": "2026-01-15", "organization": "us", "relationship": "other"}
GOLDS, ANSWERS = {"q1": ["Rome", "Roma"], "q2": [], "q3": ["Paris"]}, {"q1": "Rome", "q2": "", "q3": "in Paris"}


@pytest.fixture
def scores():
    return qassay.score("answer_match", ANSWERS, GOLDS)


def test_the_record_says_of_which_model_and_data(scores, tmp_path):
    about = {**ABOUT, "model": "org/m:1/x", "dataset": "org/lights", "split": "test", "revision": "abc"}
    about |= {"source_url": "https://example.org/", "notes": "no-tools", "organization": "\ud800"}
    path = qassay.export(scores, tmp_path, about)
    record = json.loads(Path(path).read_text())
    assert Path(path).parent == tmp_path / "data" / "org_lights" / "org" / "m_1_x"
    of_model = {"deployment_type": "unknown", "model_availability": "unknown"}
    assert record["model_info"] == {
        "name": "org/m:1/x", "id": "org/m:1/x", "developer": "org", "additional_details": of_model,
    }  # fmt: skip
    assert record["source_metadata"] == {
        "source_type": "evaluation_run",
        "source_organization_name": "\ud800",
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


def test_the_same_result_replaces_its_file_and_another_does_not(scores, tmp_path):
    other = qassay.score("answer_match", {**ANSWERS, "q1": "Oslo"}, GOLDS)
    first = qassay.export(scores, tmp_path, ABOUT)
    assert qassay.export(scores, tmp_path, {**ABOUT, "date": datetime.date(2026, 1, 15)}) == first
    assert qassay.export(other, tmp_path, ABOUT) != first
    assert qassay.export(scores, tmp_path, {**ABOUT, "date": "2026-01-16"}) != first
    assert len(list(tmp_path.rglob("*.json"))) == 3


def test_several_runs(tmp_path):
    runs = qassay.runs([qassay.score("answer_match", {**ANSWERS, "q1": city}, GOLDS) for city in ("Rome", "Oslo")])
    record = json.loads(Path(qassay.export(runs, tmp_path, ABOUT, measures="f1")).read_text())
    (result,) = record["evaluation_results"]
    assert result["score_details"]["details"] == {"examples": "3", "runs": "2"}


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


def test_only_scores_of_one_system_with_values_are_exported(scores, tmp_path):
    with pytest.raises(TypeError, match="dict"):
        qassay.export({"a": scores}, tmp_path, ABOUT)
    with pytest.raises(ValueError, match="folder.*yaml"):
        qassay.export(scores, tmp_path / "r.json", ABOUT)
    unanswerable = qassay.score("answer_match", [""], [[]])
    for place in (tmp_path, tmp_path / "r.yaml"):
        with pytest.raises(ValueError, match="value"):
            qassay.export(unanswerable, place, {**ABOUT, "task_id": "t"}, measures="has_answer_f1")


def test_a_full_disk_leaves_no_part_of_a_file(scores, tmp_path, full_disk):
    with full_disk(100), pytest.raises(OSError, match="cannot write"):
        qassay.export(scores, tmp_path, ABOUT)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


# --- the Hub ----------------------------------------------------------------------------------------------------------


def test_an_entry_has_one_value_with_interval_and_signature(scores, tmp_path):
    url = "https://example.org/"
    about = {"dataset": "org/lights", "task_id": "t", "source_url": url, "notes": "x: y"}
    more = {"revision": "abc", "date": "2026-01-15"}
    path = qassay.export(scores, tmp_path / "r.yml", {**about, **more}, measures="f1", percent=True)
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
    path = qassay.export(scores, tmp_path / "r.yml", about, confidence=None)
    assert f"x: y; exact_match of 3 examples; {scores.signature()}" in Path(path).read_text()


def test_an_entry_of_several_measures_or_without_a_task_is_refused(scores, tmp_path):
    with pytest.raises(ValueError, match="exact_match, f1"):
        qassay.export(scores, tmp_path / "r.yaml", {**ABOUT, "task_id": "t"}, measures=["exact_match", "f1"])
    with pytest.raises(ValueError, match="task_id"):
        qassay.export(scores, tmp_path / "r.yaml", ABOUT)
    assert list(tmp_path.iterdir()) == []
