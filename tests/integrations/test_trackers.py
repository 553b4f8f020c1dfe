"""Scores logged to wandb, offline, and to trackio; MLflow is in test_mlflow.py."""

import json
import sqlite3

import pytest

import qassay
from qassay.integrations import trackers
from qassay.registry import FAMILIES

from .harness import need, run_section

need("wandb", "trackio", "pandas")


class Tracker:
    """A run of wandb to look at, with its Table."""

    def __init__(self):
        self.logged = []

    def log(self, numbers, step=None):
        self.logged.append((numbers, step))


Tracker.__module__ = "wandb.sdk"


def test_the_page_is_true(tmp_path, monkeypatch):
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "trackio"))  # it is read at the import
    names = run_section("Trackers")
    (file,) = tmp_path.glob("wandb/offline-run-*/files/media/table/examples_*.table.json")
    table = json.loads(file.read_text())
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    assert [(row["id"], row["answer"], row["error_kind"]) for row in rows] == [
        ("q1", "in Rome", "too long"),
        ("q2", "Paris", "correct"),
        ("q3", "Oslo", "no shared word"),
    ]
    assert [row["f1"] for row in rows] == pytest.approx(names["scores"].columns["f1"].tolist())
    with sqlite3.connect(tmp_path / "trackio" / "answers.db") as stored:
        ((step, found),) = stored.execute("SELECT step, metrics FROM metrics")
    assert step == 1 and json.loads(found)["f1"] == names["scores"]["f1"]
    assert names["logged"]["f1_high"] == names["scores"].interval(names=["f1"])["f1"].high


def test_names_are_safe_and_have_a_prefix():
    scores, run = qassay.score("retrieval_ranking", {"q": ["a", "b"]}, {"q": {"b": 1}}, measures=["ndcg@10"]), Tracker()
    trackers.log(run, scores, step=3, prefix="dev/", examples=False)
    ((numbers, step),) = run.logged
    assert step == 3 and {"dev/ndcg_at_10", "dev/ndcg_at_10_low", "dev/ndcg_at_10_high"} <= numbers.keys()
    assert not any("@" in name for name in numbers)


@pytest.mark.parametrize("metric", [name for name in FAMILIES if name != "average_precision"])
def test_tables_of_every_family_are_tables_of_the_tracker(metric):
    family, run = FAMILIES[metric], Tracker()
    columns, options = family.smallest[0]
    scores = family.score(**columns, **options)
    trackers.log(run, scores)
    ((numbers, _),) = run.logged
    assert len(numbers["examples"].data) == len(scores) and "id" in numbers["examples"].columns
