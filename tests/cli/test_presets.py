"""Presets on the command line."""

import csv

import pytest

from qassay.cli import main

GOLD = {"a": ["Paris"], "b": ["ham"], "c": ["Rome"]}
WRITTEN = {"a": "so <answer>the Paris</answer>", "b": "<answer>Hamburg</answer>", "c": "Rome"}


def test_a_preset_sets_options_and_columns(run, put, tmp_path):
    gold, system = put("gold.json", GOLD), put("system.json", WRITTEN)
    table = tmp_path / "rows.csv"
    assert "answer_match|preset:search_r1|" in run(
        "score", gold, system, "--preset", "search_r1", "--per-example", table
    )
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["extracted"] for row in rows] == ["the Paris", "Hamburg", ""]
    assert [row["prediction"] for row in rows] == list(WRITTEN.values())
    assert "changed:unextracted" in run("score", gold, system, "--preset", "search_r1", "--option", "unextracted=whole")
    assert "preset:search_r1" in run("score", gold, system, "--signature", "answer_match|preset:search_r1|v:0.1.0")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--preset", "serch_r1"], "'search_r1'"),
        (["--preset", "nlpcc", "--metric", "answer_match"], "retrieval_ranking"),
        (["--preset", "musique", "--option", "preset=drop"], "preset is given twice, as musique and as drop"),
        (["--option", "normalizer=squad", "normalizer=french"], "normalizer is given twice, as squad and as french"),
        (["--option", "task=drop"], "answer_match has no option 'task': write preset="),
    ],
)
def test_refused(put, capsys, arguments, message):
    code = main(["score", str(put("gold.json", GOLD)), str(put("system.json", WRITTEN)), *arguments])
    assert code != 0 and message in capsys.readouterr().err
