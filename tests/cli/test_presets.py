"""Presets on the command line: --preset, and qassay list --presets."""

import csv

import pytest

from qassay.cli import main
from qassay.core.presets import listed_presets
from qassay.registry import all_presets

GOLD = {"a": ["Paris"], "b": ["ham"], "c": ["Rome"]}
WRITTEN = {"a": "so <answer>the Paris</answer>", "b": "<answer>Hamburg</answer>", "c": "Rome"}


def test_list_of_presets(run):
    """Presets that differ only by language share a line."""
    out = " ".join(run("list", "--presets").split())
    presets = all_presets()
    assert all(metric in out for metric, _ in presets.values())
    for preset in listed_presets(preset for _, preset in presets.values()):
        assert f" {preset.name} {preset.line} source: {preset.source}" in out
    assert out.count(" mkqa:") == 1


def test_a_preset_sets_options_and_columns(run, put, tmp_path):
    gold, system = put("gold.json", GOLD), put("system.json", WRITTEN)
    table = tmp_path / "rows.csv"
    out = run("score", gold, system, "--preset", "search_r1", "--per-example", table)
    assert "contains      3   0.6667" in out and "\nf1" not in out
    assert "answer_match|preset:search_r1|norm:" in out
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["extracted"] for row in rows] == ["the Paris", "Hamburg", ""]
    assert [row["prediction"] for row in rows] == list(WRITTEN.values())
    assert "changed:unextracted" in run("score", gold, system, "--preset", "search_r1", "--option", "unextracted=whole")
    assert "preset:search_r1" in run("score", gold, system, "--signature", "answer_match|preset:search_r1|v:0.1.0")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--preset", "serch_r1"],
            "no preset 'serch_r1' (did you mean 'search_r1'?)",
        ),
        (
            ["--preset", "nlpcc", "--metric", "answer_match"],
            "retrieval_ranking",
        ),
        (["--preset", "musique", "--option", "task=drop"], "preset='musique' has its own task"),
    ],
)
def test_refused(put, capsys, arguments, message):
    code = main(["score", str(put("gold.json", GOLD)), str(put("system.json", WRITTEN)), *arguments])
    assert code != 0 and message in capsys.readouterr().err
