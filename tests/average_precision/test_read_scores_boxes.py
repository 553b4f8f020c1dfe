"""Tables of scores and rows of boxes in every layout."""

import pytest

from qassay.files import read_gold, read_predictions

CURVES = "average_precision"


def columns_of(gold, system=None, metric=CURVES, **options):
    """Both columns of one or two files, as `qassay score` reads them."""
    gold = read_gold(gold, metric=metric).with_options(options)
    found = read_predictions(system or gold.path, gold)
    columns = {**gold.columns, **found.columns}
    assert len(columns) == len(gold.columns) + len(found.columns)
    return columns["predictions"], columns["references"], gold


@pytest.mark.parametrize(
    "cells, options, truth",
    [
        (["0", "1"], {}, [0, 1]),
        (["True", "false"], {}, [True, False]),
        (["ham", "spam"], {"pos_label": "spam"}, ["ham", "spam"]),
        (["1", "2"], {"pos_label": "2"}, ["1", "2"]),
    ],
)
def test_scores_of_one_class(save_table, cells, options, truth):
    text = "score,label\n" + "".join(f"{number},{cell}\n" for number, cell in zip((0.25, 1e-3), cells, strict=True))
    assert columns_of(save_table(text), **options)[:2] == ([0.25, 0.001], truth)


def test_scores_of_json_and_of_classes(save_table):
    rows = [{"score": 0.5, "target": 2, "prediction": 1}, {"score": 1, "target": 1, "prediction": 1}]
    assert columns_of(save_table(rows, "a.jsonl"), pos_label="2")[:2] == ([0.5, 1], ["2", "1"])
    rows = [{"label": 1, "scores": {"0": 0.5, "1": 0.25}}]
    assert columns_of(save_table(rows, "a.jsonl"))[:2] == ([{0: 0.5, 1: 0.25}], [1])
    text = 'scores,label\n"{""a"": 0.5, ""b"": 0.1}",a\n'
    assert columns_of(save_table(text))[:2] == ([{"a": 0.5, "b": 0.1}], ["a"])
    assert columns_of(save_table('scores,label\n"[0.5, 0.1]",1\n'))[:2] == ([[0.5, 0.1]], [1])


def test_boxes(save_table):
    gold = save_table(
        [{"id": "a", "boxes": [[0, 0, 4, 4]], "labels": ["x"], "room": 3}, {"id": "b", "boxes": []}], "a.jsonl"
    )
    found = save_table(
        [{"id": "b", "boxes": []}, {"id": "a", "boxes": [[0, 0, 4, 4]], "scores": [0.5], "labels": ["x"]}]
    )
    for metric in (None, CURVES):
        predictions, references, read = columns_of(gold, found, metric=metric)
        assert predictions == [{"boxes": [[0, 0, 4, 4]], "scores": [0.5], "labels": ["x"]}, {"boxes": []}]
        assert references == [{"boxes": [[0, 0, 4, 4]], "labels": ["x"]}, {"boxes": []}]
        assert (read.metric, read.options, read.details) == (CURVES, {"task": "boxes"}, {"room": [3, None]})
    cells = {"references": [[0.0, 0.0, 4.0, 4.0]], "predictions": [[0.0, 0.0, 2.0, 4.0]]}
    assert columns_of(save_table(cells, "b.parquet"), task="boxes")[:2] == tuple(reversed(cells.values()))
