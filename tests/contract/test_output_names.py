"""What holds for the names in the CSV and JSON of all commands: one name means one thing."""

import csv
import io
import json
from pathlib import Path

import pytest

from qassay.calibration import METHODS
from qassay.cli import main
from qassay.comparison.cautions import CAUTIONS
from qassay.core.intervals import INTERVAL_METHODS, INTERVAL_WORDS
from qassay.label_agreement.figures import FIGURES

SAMPLES = Path(__file__).parents[2] / "samples" / "answers"
GOLD, SMALL, LARGE = (SAMPLES / f"{name}.json" for name in ("gold", "small_model", "large_model"))
LABELS = SAMPLES / "large_model_labels.csv"
COMMANDS = {
    "score": ("score", GOLD, SMALL, "--by", "language"),
    "score, percentiles": ("score", GOLD, SMALL, "--interval-method", "percentile"),
    "compare": ("compare", GOLD, SMALL, LARGE, "--by", "language", "--permutations", "20"),
    "calibrate": ("calibrate", GOLD, LARGE, "--labels", LABELS),
    "agreement": ("agreement", SAMPLES / "labelled_answers.csv", "--metric", "answer_match"),
}


def is_count(value):
    return value is None or isinstance(value, int) and not isinstance(value, bool)


MEANINGS = {
    "interval_method": lambda value: value in INTERVAL_WORDS,
    "interval_methods": lambda value: set(value.values()) <= {*INTERVAL_WORDS},
    "requested_method": lambda value: value in INTERVAL_METHODS,
    "method": lambda value: value in METHODS,
    "n_groups": is_count,
    "n_labelled_groups": is_count,
    "groups_needed": is_count,
    "group_counts": lambda value: all(map(is_count, value.values())),
    "group_name": lambda value: value in (None, "article", "question"),
    "few": lambda value: isinstance(value, list),
    "cautions": lambda value: {*value} <= {*CAUTIONS},
}
# The CSV of `agreement` has several intervals in a row.
ENDS = ("", *(f"{figure}_" for figure in (*FIGURES, "people")))
MEANINGS |= {f"{ends}interval_method": MEANINGS["interval_method"] for ends in ENDS}


def named(tree):
    """All names of a JSON tree with their values."""
    if isinstance(tree, dict):
        yield from tree.items()
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from named(part)


def printed(capsys, command, groups, form):
    more = ("--columns", "groups=question") if command == "agreement" else ("--groups", "article")
    more = more if groups else ()
    assert main([*map(str, COMMANDS[command]), *more, "--format", form]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("groups", [False, True])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_name_means_the_same_in_every_output(command, groups, capsys):
    found = list(named(json.loads(printed(capsys, command, groups, "json"))))
    in_csv = list(csv.DictReader(io.StringIO(printed(capsys, command, groups, "csv"))))
    names = {name for name, _ in found} | {*in_csv[0]}
    assert not names & {"groups", "methods"}
    assert {name for name in names if "method" in name or "group" in name} <= MEANINGS.keys()
    assert [(name, value) for name, value in found if name in MEANINGS and not MEANINGS[name](value)] == []
    read = {"n_groups": lambda text: int(text) if text else None, "cautions": str.split, "few": str.split}
    read |= {name: read["n_groups"] for name in ("n_labelled_groups", "groups_needed")}
    for row in in_csv:
        for name in row.keys() & MEANINGS.keys():
            assert row[name] == "" or MEANINGS[name](read.get(name, str)(row[name])), name
        assert bool(row["n_groups"]) == bool(row.get("group_name", groups)) == (groups or command == "agreement"), row
        intervals = [ends for ends in ENDS if f"{ends}low" in row]
        assert intervals
        for ends in intervals:
            assert row[f"{ends}interval_method"] or row["measure"] == "total" or not row[f"{ends}low"]
