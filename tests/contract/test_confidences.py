"""Confidences of every family: measures of selective answering, files of confidences, the chart."""

import json

import pytest

import qassay
from qassay.core.selective import selective_measures
from qassay.registry import FAMILIES, usual_measures

NAMES = ["aurc(exact_match)", "selective(exact_match)@0.8", "coverage(exact_match)@0.9"]
ROWS = [("q1", "a", "a", 0.9), ("q2", "b", "x", 0.2), ("q3", "c", "c", 0.5), ("q4", "d", "e", 0.7)]
VALUES = dict(zip(NAMES, [(0 + 1 / 2 + 1 / 3 + 1 / 2) / 4, 0.5, 0.25], strict=True))


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "system.jsonl"
    rows = [dict(zip(("id", "prediction", "reference", "confidence"), row, strict=True)) for row in ROWS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_every_family_with_a_mean_has_a_curve():
    for name, family in FAMILIES.items():
        columns, options = family.smallest[0]
        scores = family.score(**columns, **options)
        if name == "average_precision":
            with pytest.raises(ValueError, match="no mean over all examples"):
                scores.with_confidences(range(len(scores)))
            continue
        sure = scores.with_confidences(range(len(scores)))
        added = selective_measures(sure)
        assert [of.partition("(")[0] for of in added] == ["aurc", "selective", "coverage"], name
        assert sure.signature() == scores.signature()
        assert usual_measures(sure)[-3:] == added


@pytest.mark.parametrize("kind", ["same table", "json", "csv", "null"])
def test_files_of_confidences(table, tmp_path, kind):
    path = tmp_path / ("c.csv" if kind == "csv" else "c.json")
    if kind == "csv":
        path.write_text("qid,confidence\n" + "".join(f"{row[0]},{row[3]}\n" for row in ROWS), "utf-8")
    else:
        path.write_text(
            json.dumps({row[0]: row[3] for row in ROWS} | ({"q2": None} if kind == "null" else {})), "utf-8"
        )
    files = [table] if kind == "same table" else [path]
    if kind == "null":
        with pytest.raises(ValueError, match=r"c.json: confidences has no number for the id 'q2'"):
            qassay.score_files(table, confidences=files)
        return
    scores = qassay.score_files(table, confidences=files)["system"]
    assert scores.summary(NAMES) == pytest.approx(VALUES, abs=1e-12)
    assert qassay.score_files(table, confidences={"system": files[0]})["system"].summary(NAMES) == scores.summary(NAMES)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"q1": "high"}', "c.json: no confidences here"),
        ("id,score\nq1,1\n", "c.csv: no confidences here.* columns: id, score"),
        ("id,confidence\nq1,high\n", "row 0: .*'high'"),
        ("id,confidence\nq1,1\nq1,2\n", "the id 'q1'"),
        ("id,confidence\nq1,nan\n", "the id 'q1'"),
    ],
)
def test_files_that_are_refused(table, tmp_path, text, told):
    path = tmp_path / ("c.json" if text.startswith("{") else "c.csv")
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=told):
        qassay.score_files(table, confidences=[path])


def test_the_chart(table):
    assert "exact_match" in qassay.score_files(table, confidences=[table])["system"].plot("risk_coverage").svg
    with pytest.raises(ValueError, match="risk_coverage"):
        qassay.score_files(table)["system"].plot("risk_coverage")
