"""Tables of labels, of scores and of boxes: every layout, and every file that is wrong."""

import pyarrow as pa
import pytest

import qassay
from qassay.files import FileError, read_gold, read_predictions

LABELS, CURVES = "label_metrics", "average_precision"


def columns_of(gold, system=None, names=None, metric=LABELS, **options):
    """Both columns of one or two files, as `qassay score` reads them."""
    gold = read_gold(gold, names, metric=metric).with_options(options)
    found = read_predictions(system or gold.path, gold, names)
    columns = {**gold.columns, **found.columns}
    assert len(columns) == len(gold.columns) + len(found.columns)
    return columns["predictions"], columns["references"], gold


def test_systems_by_id_in_any_order_and_by_row_where_they_have_no_ids(save_table):
    gold = save_table("id,label\n1,cat\n2,dog\n3,cat\n", "gold.csv")
    found, truth, read = columns_of(gold, save_table({"id": [3, 1, 2], "prediction": ["c", "a", "b"]}, "file.parquet"))
    assert (found, truth, list(read.ids)) == (["a", "b", "c"], ["cat", "dog", "cat"], ["1", "2", "3"])
    assert columns_of(gold, save_table("label\nx\ny\nz\n"))[0] == ["x", "y", "z"]


@pytest.mark.parametrize(
    "truth, predictions, found",
    [
        (["1", "10"], ["1", "2"], ([1, 2], [1, 10])),
        (["1", "10"], ["1", "n/a"], (["1", "n/a"], ["1", "10"])),
        ([1, 10], ["1", "2"], ([1, 2], [1, 10])),
        ([True, False], ["True", "false"], ([True, False], [True, False])),
        (["x", "y"], [True, False], (["True", "False"], ["x", "y"])),
    ],
)
def test_labels_are_numbers_only_where_both_sides_are(save_table, truth, predictions, found):
    def table(name, column):
        if isinstance(column[0], str):
            return save_table("\n".join([name, *column]) + "\n", f"{name}.csv")
        return save_table([{name: cell} for cell in column], f"{name}.jsonl")

    both = columns_of(table("label", truth), table("prediction", predictions))[:2]
    assert both == found
    assert [list(map(type, column)) for column in both] == [list(map(type, column)) for column in found]


SETS = [["a", "b"], [], ["b"]]


@pytest.mark.parametrize(
    "cells, names",
    [
        (['"[""a"", ""b""]"', "[]", '"[""b""]"'], {}),
        (["\"['a', 'b']\"", "", "['b']"], {}),
        (["a; b", "", "b"], {"separator": ";"}),
    ],
)
def test_lists_in_cells_of_text(save_table, cells, names):
    text = "prediction,label\n" + "".join(f"{cell},{cell}\n" for cell in cells)
    assert columns_of(save_table(text), names=names, task="multi")[:2] == (SETS, SETS)


def test_scored_labels(save_table):
    rows = [{"label": 0, "prediction": {"0": 0.9, "12": 0.1}}, {"label": 12, "prediction": {"0": 0.3}}]
    found, truth, _ = columns_of(save_table(rows, "a.jsonl"))
    assert (found, truth) == ([{0: 0.9, 12: 0.1}, {0: 0.3}], [[0], [12]])
    rows = [{"label": ["x"], "prediction": {"x": 0.9, "1": 0.1}}]
    assert columns_of(save_table(rows, "b.jsonl"))[0] == [{"x": 0.9, "1": 0.1}]
    text = 'prediction,label\n"{""a"": 0.5}",a\n'
    assert columns_of(save_table(text))[:2] == ([{"a": 0.5}], [["a"]])


def test_scored_labels_of_parquet(save_table):
    rows = [{"a": 0.5}, {"b": 0.25, "a": 0.125}]
    data = {"label": ["a", "b"], "prediction": pa.array(rows)}
    assert columns_of(save_table(data, "a.parquet"))[:2] == (rows, [["a"], ["b"]])
    data["prediction"] = pa.array([list(row.items()) for row in rows], pa.map_(pa.string(), pa.float64()))
    assert columns_of(save_table(data, "b.parquet"))[:2] == (rows, [["a"], ["b"]])
    data["prediction"] = pa.array(["b", "a"]).dictionary_encode()
    assert columns_of(save_table(data, "c.parquet"))[:2] == (["b", "a"], ["a", "b"])


# --- scores and boxes --------------------------------------------------------------------------------------------------


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
    assert columns_of(save_table(text), metric=CURVES, **options)[:2] == ([0.25, 0.001], truth)


def test_scores_of_json_and_of_classes(save_table):
    rows = [{"score": 0.5, "target": 2, "prediction": 1}, {"score": 1, "target": 1, "prediction": 1}]
    assert columns_of(save_table(rows, "a.jsonl"), metric=CURVES, pos_label="2")[:2] == ([0.5, 1], ["2", "1"])
    rows = [{"label": 1, "scores": {"0": 0.5, "1": 0.25}}]
    assert columns_of(save_table(rows, "a.jsonl"), metric=CURVES)[:2] == ([{0: 0.5, 1: 0.25}], [1])
    text = 'scores,label\n"{""a"": 0.5, ""b"": 0.1}",a\n'
    assert columns_of(save_table(text), metric=CURVES)[:2] == ([{"a": 0.5, "b": 0.1}], ["a"])
    assert columns_of(save_table('scores,label\n"[0.5, 0.1]",1\n'), metric=CURVES)[:2] == ([[0.5, 0.1]], [1])


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
    assert columns_of(save_table(cells, "b.parquet"), metric=CURVES, task="boxes")[:2] == tuple(
        reversed(cells.values())
    )


# --- wrong files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "table, names, metric, options, words",
    [
        ("text,my\na,b\n", {}, LABELS, {}, "columns={"),
        ("label,prediction\na,b\n", {"references": "labl"}, LABELS, {}, "no column 'labl' (did you mean 'label'?)"),
        ("id,label\n1,a\n1,b\n", {}, LABELS, {}, "column id[1] repeats the id '1' of row 0"),
        ({"data": [{"paragraphs": []}]}, {}, LABELS, {}, "not gold data of label_metrics"),
        ("label,prediction\na;b,a\n", {}, LABELS, {"task": "multi"}, "is not a list of labels"),
        ("label,score\n1,high\n", {}, CURVES, {}, "row 0: 'high' in the column score is not a number"),
    ],
)
def test_wrong_tables(save_table, table, names, metric, options, words):
    with pytest.raises(FileError) as caught:
        columns_of(save_table(table), None, names, metric, **options)
    assert words in str(caught.value)


@pytest.mark.parametrize("column", ["y_score", "y_pred"])
@pytest.mark.parametrize("are_named", [True, False])
def test_labels_are_not_scored_as_answers(save_table, column, are_named):
    names = {"references": "y_true", "predictions": column} if are_named else {}
    with pytest.raises(FileError, match="looks like labels or scores; give metric=label_metrics or metric=average_"):
        qassay.score_files(save_table(f"y_true,{column}\n1,0.5\n"), columns=names)


@pytest.mark.parametrize(
    "system, words",
    [
        ("id,prediction\n1,a\n", "no value for the id '2'"),
        ("id,prediction\n1,a\n2,a\n3,b\n", "has the id '3'"),
        ("id,prediction\n1,a\n1,a\n", "column id[1] repeats the id '1' of row 0"),
        ("id,prediction\n1,a\n2,\n", "row 1 has no label; give one in every row"),
    ],
)
def test_wrong_predictions(save_table, system, words):
    gold = read_gold(save_table("id,label\n1,a\n2,b\n", "gold.csv"), metric=LABELS)
    with pytest.raises(FileError) as caught:
        read_predictions(save_table(system), gold)
    assert words in str(caught.value)
