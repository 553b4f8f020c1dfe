"""What holds for the exported records of every family: values, intervals, bounds, texts and files that fit together."""

import hashlib
import json
import math

import pytest

import qassay
from qassay.registry import family_of

from .families import CASES, few_cases

ABOUT = {
    "model": "org/model",
    "dataset": "org/data",
    "date": "2026-01-15",
    "organization": "us",
    "relationship": "other",
    "task_id": "default",
}


def read(paths):
    """The record, and the rows of its file of examples."""
    *samples, record = paths
    rows = [json.loads(line) for path in samples for line in open(path, "rb")]
    return json.loads(open(record, "rb").read(), parse_constant=pytest.fail), rows


@few_cases
def test_a_record_has_the_values_and_the_intervals_of_scores(case, tmp_path):
    scores = case.score(wrong=[0])
    record, rows = read(qassay.export(scores, tmp_path, ABOUT))
    found = {result["metric_config"]["metric_name"]: result for result in record["evaluation_results"]}
    usual = [
        name
        for name in family_of(scores).about.usual_measures(scores)
        if not scores.measures[name].is_empty(scores.rows)
    ]
    assert list(found) == usual and rows == [] and "detailed_evaluation_results" not in record
    values, intervals = scores.summary(usual), scores.interval(names=usual)
    for name, result in found.items():
        metric, details = result["metric_config"], result["score_details"]
        assert details["score"] == values[name]
        assert float(metric["min_score"]) <= details["score"] <= float(metric["max_score"])
        assert metric["lower_is_better"] == scores.measures[name].lower_is_better
        assert metric["metric_parameters"]["signature"] == scores.signature()
        ends = intervals.get(name, (math.nan,))
        told = details["uncertainty"].get("confidence_interval")
        assert (told is None) == (not math.isfinite(ends[0]))
        assert told is None or (told["lower"], told["upper"], told["confidence_level"]) == (*ends, 0.95)
        assert details["uncertainty"]["num_samples"] == int(details["details"]["examples"]) == scores.counts()[name]


@pytest.mark.parametrize("name", CASES)
def test_the_examples_of_a_record_match_the_scores(name, tmp_path):
    scores = CASES[name].score(wrong=[0])
    paths = qassay.export(scores, tmp_path, ABOUT, **CASES[name].columns(wrong=[0]))
    record, rows = read(paths)
    found = {}
    for row in rows:
        assert row["evaluation_id"] == record["evaluation_id"] and row["model_id"] == "org/model"
        assert all(isinstance(text, str) for text in (*row["input"]["reference"], *row["output"]["raw"]))
        found.setdefault(row["evaluation_result_id"], {})[row["sample_id"]] = row["evaluation"]["score"]
    results = {result["evaluation_result_id"]: result for result in record["evaluation_results"]}
    measures = {name: scores.measures[name.partition("/")[2]] for name in results}
    by_example = {name for name, measure in measures.items() if measure.is_mean}  # the examples add up to no other
    assert found.keys() == by_example
    assert ("detailed_evaluation_results" in record) == bool(by_example)
    for name, by_id in found.items():
        column = dict(zip(map(str, scores.ids), measures[name].by_example(scores.rows).tolist(), strict=True))
        assert by_id == {identifier: score for identifier, score in column.items() if math.isfinite(score)}
    if by_example:
        link = record["detailed_evaluation_results"]
        content = open(paths[0], "rb").read()
        assert paths[0].endswith(link["file_path"]) and link["total_rows"] == len(rows)
        assert link["checksum"] == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("name", ["answers", "rankings", "labels", "boxes"])
def test_an_entry_of_the_hub_is_read_back_by_its_library(name, tmp_path):
    hub, yaml = (
        pytest.importorskip("huggingface_hub", reason='needs huggingface_hub: pip install -e ".[test-all]"'),
        pytest.importorskip("yaml", reason='needs yaml: pip install -e ".[test-all]"'),
    )
    scores = CASES[name].score()
    main = next(iter(family_of(scores).about.main_measures(scores)))
    (path,) = qassay.export(scores, tmp_path / "r.yaml", ABOUT)
    (entry,) = hub.parse_eval_result_entries(yaml.safe_load(open(path, encoding="utf-8")))
    assert entry.value == scores[main] and (entry.dataset_id, entry.task_id) == ("org/data", "default")
    assert entry.notes.startswith(f"{main} of ") and entry.notes.endswith(f"; {scores.signature()}")
