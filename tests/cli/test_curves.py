"""`qassay score` with average_precision: classes that systems find, and those that options name."""

import json

import pytest

import qassay

CURVES = ("--metric", "average_precision")
BOX = [0, 0, 10, 10]
PAGES = [{"id": name, "boxes": [BOX], "labels": ["cat"]} for name in ("p1", "p2")]
FOUND = [{**page, "scores": [score]} for page, score in zip(PAGES, (0.9, 0.8), strict=True)]
OTHER = [FOUND[0], {**FOUND[1], "labels": ["dog"]}]


@pytest.fixture
def written(tmp_path):
    """Rows as the path of a file of JSON lines."""

    def write(name, rows):
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return path

    return write


def scores_of(names, rows):
    return [{"id": str(i), "score": dict(zip(names, row, strict=True))} for i, row in enumerate(rows)]


def test_systems_that_find_other_classes_of_boxes(run, written, values):
    files = written("pages", PAGES), written("right", FOUND), written("astray", OTHER)
    values = values(*files)
    for name, rows in (("right", FOUND), ("astray", OTHER)):
        found, gold = ([{k: v for k, v in row.items() if k != "id"} for row in side] for side in (rows, PAGES))
        expected = qassay.score("average_precision", found, gold, task="boxes")
        assert values[name] == expected.summary(expected.measures)
    assert values["right"]["map"] == 1.0 > values["astray"]["map"]
    assert "astray: 1 found but not in any gold box" in run("score", *files, "--no-intervals")


def test_systems_that_score_other_classes(fail, written, tree):
    gold = written("gold", [{"id": "0", "label": "x"}, {"id": "1", "label": "y"}])
    two = written("two", scores_of("xy", [(0.9, 0.1), (0.3, 0.8)]))
    three = written("three", scores_of("xyz", [(0.9, 0.1, 0.2), (0.3, 0.8, 0.2)]))
    message = fail("score", gold, two, three, *CURVES)
    assert message.endswith("; give all of them the same option labels\n")
    assert "option classes" not in message
    found = tree("score", gold, two, two, *CURVES, "--option", "labels=x,y", "per_class=yes", "--no-intervals")
    assert found["systems"]["two"]["values"]["average_precision[x]"] == 1.0
    given = qassay.score("average_precision", [{"x": 0.9, "y": 0.1}], ["x"], labels=["x", "y"])
    assert found["signature"] == given.signature()


@pytest.mark.parametrize("labels", ["0,1", "2"])
def test_numbers_of_classes(written, labels, tree):
    gold = written("gold", [{"id": "a", "label": 0}, {"id": "b", "label": 1}])
    table = [[0.9, 0.4], [0.3, 0.8]]
    found = written("found", [{"id": name, "score": row} for name, row in zip("ab", table, strict=True)])
    found = tree("score", gold, found, *CURVES, "--option", f"labels={labels}", "--no-intervals")
    expected = qassay.score("average_precision", table, [0, 1], labels=[0, 1])
    assert found["systems"]["found"]["values"] == expected.summary(expected.measures)
    assert found["signature"] == expected.signature()
