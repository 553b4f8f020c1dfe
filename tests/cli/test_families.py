"""What holds of `qassay score` for every family: formats, per cent, help."""

import csv
import dataclasses
import html
import inspect
import re
from pathlib import Path

import pytest

import qassay
from qassay.catalog import describe_metric, one_line
from qassay.cli import main
from qassay.registry import get_family

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
FORMATS = ("table", "markdown", "latex", "csv", "json", "html")
# One file and system of each kind.
FILES = [
    ("answer_match", "answers/gold.json", "answers/small_model.json"),
    ("factoid_accuracy", "factoid/gold.json", "factoid/careful.json"),
    ("retrieval_ranking", "rankings/qrels.txt", "rankings/bm25.run"),
    ("retriever_reader", "pipeline/gold.json", "pipeline/dense.json"),
    ("label_metrics", "labels/desk.csv", "labels/desk_rules.csv"),
    ("average_precision", "labels/pages.jsonl", "labels/pages_found.jsonl"),
]


@pytest.mark.parametrize(("metric", "gold", "system"), FILES)
def test_every_format_has_every_number(capsys, metric, gold, system):
    outputs = {}
    for form in FORMATS:
        files = [str(SAMPLES / name) for name in (gold, system)]
        assert main(["score", *files, "--metric", metric, "--resamples", "20", "--format", form]) == 0
        outputs[form] = capsys.readouterr().out
    plain = re.sub(r"<[^>]+>", "", outputs["html"].partition("<main")[2])
    outputs["html"] = html.unescape(plain).replace("−", "-").replace(",", "")
    rows = [row for row in csv.DictReader(outputs["csv"].splitlines()) if row["value"]]
    assert rows
    for form, out in outputs.items():
        for row in rows:
            exact = form in ("csv", "json") or row["value"].isdecimal()
            assert (row["value"] if exact else f"{float(row['value']):.4f}") in out, row
            name = row["measure"].replace("_", r"\_") if form == "latex" else row["measure"]
            assert name in out, form


@pytest.mark.parametrize(("metric", "gold", "system"), FILES[:3])
def test_per_cent_is_a_hundred_times_as_much(tree, metric, gold, system):
    arguments = ("score", SAMPLES / gold, SAMPLES / system, "--metric", metric, "--no-intervals")
    one, hundred = tree(*arguments), tree(*arguments, "--percent")
    ((plain, scaled),) = zip(one["systems"].values(), hundred["systems"].values(), strict=True)
    for name, value in plain["values"].items():
        other = scaled["values"][name]
        assert other == pytest.approx(value if isinstance(value, int) else 100 * value, rel=1e-12), name


@pytest.mark.parametrize("metric", qassay.list_metrics())
def test_list_and_explain(run, metric):
    assert [metric, one_line(metric)] in [line.split(maxsplit=1) for line in run("list").splitlines()]
    text, description = run("explain", metric), describe_metric(metric)
    family = get_family(metric)
    function, options = family.load()
    assert {entry.name for entry in description.options} == {f.name for f in dataclasses.fields(options) if f.init}
    assert {entry.name for entry in description.columns} == inspect.signature(function).parameters.keys() - {"options"}
    words = " ".join(text.split())
    assert all(name in words for name, meaning in family.measures() if meaning)
    assert all(f" {entry.name} " in words for entry in description.options)
