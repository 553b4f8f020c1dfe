"""What holds for the names in the CSV and JSON of all commands: one name means one thing."""

import csv
import io
import json
from pathlib import Path

import pytest

from qassay.cli import main
from qassay.core.intervals import INTERVAL_WORDS
from qassay.stats.cautions import CAUTIONS

SAMPLES = Path(__file__).parents[2] / "samples" / "answers"
GOLD, SMALL, LARGE = (SAMPLES / f"{name}.json" for name in ("gold", "small_model", "large_model"))
LABELS = SAMPLES / "large_model_labels.csv"
COMMANDS = {
    "score": ("score", GOLD, SMALL, "--by", "language"),
    "score, percentiles": ("score", GOLD, SMALL, "--interval-method", "percentile"),
    "compare": ("compare", GOLD, SMALL, LARGE, "--by", "language", "--permutations", "20"),
    "calibrate": ("calibrate", GOLD, LARGE, "--labels", LABELS),
    "calibrate, two systems": ("calibrate", GOLD, SMALL, LARGE, "--labels", LABELS, "--labels", LABELS),
    "agreement": ("agreement", SAMPLES / "labelled_answers.csv", "--metric", "answer_match"),
}


OWN_NAMES = {
    "methods", "interval_method", "requested_method", "method", "n_groups", "n_labelled_groups", "groups_needed",
    "group_name", "few", "cautions", "effective_groups",
}  # fmt: skip


def named(tree):
    """All names in a JSON tree with their values."""
    if isinstance(tree, dict):
        yield from tree.items()
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from named(part)


def printed(capsys, command, groups, form):
    more = ("--columns", "groups=question") if command == "agreement" else ("--groups", "article")
    more = more if groups else ()
    assert main([*map(str, COMMANDS[command]), *more, "--format", form]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_names_of_groups_and_methods_are_the_same_in_every_output(command, capsys):
    groups = command in ("score", "compare", "agreement")
    found = list(named(json.loads(printed(capsys, command, groups, "json"))))
    in_csv = list(csv.DictReader(io.StringIO(printed(capsys, command, groups, "csv"))))
    names = {name for name, _ in found} | {*in_csv[0]}
    told = {name for name in names if "method" in name or "group" in name}
    assert {name for name in told if not name.endswith("_method")} <= OWN_NAMES  # of several intervals in a row
    assert {value for name, value in found if name == "interval_method"} <= {*INTERVAL_WORDS}
    for row in in_csv:
        assert bool(row["n_groups"]) == bool(row.get("group_name", groups)) == groups, row
        assert {*row.get("cautions", "").split()} <= {*CAUTIONS}
