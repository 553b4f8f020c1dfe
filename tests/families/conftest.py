"""Files scored as `qassay score` does it, for tests of what families show of examples."""

import json
from pathlib import Path

import pytest

import qassay
from qassay.families import get_family
from qassay.files import read_predictions
from qassay.scoring import read_gold_for


@pytest.fixture
def examples_of(tmp_path):
    """A function of two files (a path, text, or a JSON value; None for one file with both) -> kinds of errors, texts."""

    def put(given, name):
        if isinstance(given, Path):
            return str(given)
        text = given if isinstance(given, str) else json.dumps(given)
        suffix = "csv" if isinstance(given, str) and "," in given.split("\n")[0] and given[0] != "{" else "json"
        suffix = "jsonl" if isinstance(given, str) and given.startswith("{") else suffix
        (tmp_path / f"{name}.{suffix}").write_text(text, "utf-8")
        return str(tmp_path / f"{name}.{suffix}")

    def call(gold, system=None, metric=None, rows=None, **options):
        path = put(gold, "gold")
        ((name, read),) = read_gold_for(metric, path, {}).items()
        family = get_family(name)
        read = read.with_options(options)
        read = read.with_options(family.measure_options(None, ["error_kind"], read, "table"))
        columns = read_predictions(path if system is None else put(system, "system"), read, metric=family.reads).columns
        columns = family.own_predictions(columns)
        scores = qassay.score(name, **read.columns, **columns, **read.options)
        rows = range(len(scores)) if rows is None else rows
        texts = family.example_texts(read, columns, scores, rows)
        kinds = family.error_kinds(scores)
        assert kinds is None or set(kinds) <= set(family.error_kind_order)
        offered = family.slices(read, scores)
        assert (kinds is None) == ("error_kind" not in offered)
        assert kinds is None or list(offered["error_kind"]()) == kinds
        return kinds, texts

    return call
