"""Scores logged to wandb, offline, and to trackio; MLflow is in test_mlflow.py."""

import json
import sqlite3

import pytest

from .harness import need, run_section

need("wandb", "trackio", "pandas")


def test_the_recipe_is_true(tmp_path, monkeypatch):
    monkeypatch.setenv("WANDB_SILENT", "true")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "trackio"))  # it is read at the import
    names = run_section("Trackers")
    (file,) = tmp_path.glob("wandb/offline-run-*/files/media/table/examples_*.table.json")
    table = json.loads(file.read_text())
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]
    assert [(row["id"], row["answer"]) for row in rows] == [("q1", "in Rome"), ("q2", "Paris"), ("q3", "Oslo")]
    assert [row["f1"] for row in rows] == pytest.approx(names["scores"].columns["f1"].tolist())
    with sqlite3.connect(tmp_path / "trackio" / "answers.db") as stored:
        ((step, found),) = stored.execute("SELECT step, metrics FROM metrics")
    assert step == 1 and json.loads(found)["f1"] == names["scores"]["f1"]
    assert names["logged"]["f1_high"] == names["scores"].interval(names=["f1"])["f1"].high
