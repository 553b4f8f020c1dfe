"""Every format of `qassay score` has every number."""

import csv
import html
import re
from pathlib import Path

import pytest

from qassay.cli import main

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
FORMATS = ("table", "markdown", "latex", "csv", "json", "html")
# One file and system of each kind.
FILES = [
    ("answer_match", "answers/gold.json", "answers/small_model.json"),
    ("retrieval_ranking", "rankings/qrels.txt", "rankings/bm25.run"),
    ("label_metrics", "labels/desk.csv", "labels/desk_rules.csv"),
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


def test_a_file_of_no_metric_is_refused_with_all_metrics_too(tmp_path, capsys):
    path = tmp_path / "x.csv"
    path.write_text("x,y\n1,2\n")
    assert main(["score", str(path), "--metric", "all"]) == 2
    assert 'columns={"references": "NAME"}' in capsys.readouterr().err
