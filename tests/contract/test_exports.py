"""What holds for the exported records of every family: values, intervals and bounds."""

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


@few_cases
def test_a_record_has_the_values_and_the_intervals_of_scores(case, tmp_path):
    scores = case.score(wrong=[0])
    record = json.loads(open(qassay.export(scores, tmp_path, ABOUT), "rb").read(), parse_constant=pytest.fail)
    found = {result["metric_config"]["metric_name"]: result for result in record["evaluation_results"]}
    usual = [
        name
        for name in family_of(scores).about.usual_measures(scores)
        if not scores.measures[name].is_empty(scores.rows)
    ]
    assert list(found) == usual
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


@pytest.mark.parametrize("name", ["answers", "rankings", "labels", "boxes"])
def test_an_entry_of_the_hub_is_read_back_by_its_library(name, tmp_path):
    hub, yaml = (
        pytest.importorskip("huggingface_hub", reason='needs huggingface_hub: pip install -e ".[test-all]"'),
        pytest.importorskip("yaml", reason='needs yaml: pip install -e ".[test-all]"'),
    )
    scores = CASES[name].score()
    main = next(iter(family_of(scores).about.main_measures(scores)))
    path = qassay.export(scores, tmp_path / "r.yaml", ABOUT)
    (entry,) = hub.parse_eval_result_entries(yaml.safe_load(open(path, encoding="utf-8")))
    assert entry.value == scores[main] and (entry.dataset_id, entry.task_id) == ("org/data", "default")
    assert entry.notes.startswith(f"{main} of ") and entry.notes.endswith(f"; {scores.signature()}")
