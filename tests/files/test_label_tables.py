"""Tables of labels, scores and boxes, and sparse rows of labels: every layout, and every file that is wrong."""

import gzip
import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import sparse

import qassay
from qassay.files import FileError, read_gold, read_predictions
from qassay.label_metrics import read_xmc as module

LABELS, CURVES = "label_metrics", "average_precision"


@pytest.fixture
def save(tmp_path):
    def write(data, name="file"):
        path = tmp_path / name
        if name.endswith(".parquet"):
            parquet.write_table(pa.table(data), path)
        elif name.endswith(".jsonl"):
            path.write_text("".join(json.dumps(row) + "\n" for row in data), "utf-8")
        elif isinstance(data, (list, dict)):
            path.write_text(json.dumps(data), "utf-8")
        else:
            path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        return path

    return write


def columns_of(gold, system=None, names=None, metric=LABELS, **options):
    """Both columns of one or two files, as `qassay score` reads them."""
    gold = read_gold(gold, names, metric=metric).with_options(options)
    found = read_predictions(system or gold.path, gold, names, metric=metric)
    columns = {**gold.columns, **found.columns}
    assert len(columns) == len(gold.columns) + len(found.columns)
    return columns["predictions"], columns["references"], gold


TABLES = {
    "file.csv": "id,label,prediction\n1,cat,cat\n2,dog,cat\n",
    "file.tsv": "id\tlabel\tprediction\n1\tcat\tcat\n2\tdog\tcat\n",
    "file.jsonl": [{"id": 1, "label": "cat", "prediction": "cat"}, {"id": 2, "label": "dog", "prediction": "cat"}],
    "file.json": [{"id": 1, "label": "cat", "prediction": "cat"}, {"id": 2, "label": "dog", "prediction": "cat"}],
    "columns.json": {"label": ["cat", "dog"], "prediction": ["cat", "cat"]},
    "data.json": {"data": [{"label": "cat", "prediction": "cat"}, {"label": "dog", "prediction": "cat"}]},
    "file.parquet": {"id": [1, 2], "label": ["cat", "dog"], "prediction": ["cat", "cat"]},
}


@pytest.mark.parametrize("name", TABLES)
def test_one_table_in_every_format(save, name):
    assert columns_of(save(TABLES[name], name))[:2] == (["cat", "cat"], ["cat", "dog"])


@pytest.mark.parametrize("name", ["file.csv", "file.parquet", "file.jsonl"])
def test_systems_by_id_in_any_order(save, name):
    gold = save("id,label\n1,cat\n2,dog\n3,cat\n", "gold.csv")
    rows = {"id": [3, 1, 2], "prediction": ["c", "a", "b"]}
    data = {
        "file.csv": "id,prediction\n3,c\n1,a\n2,b\n",
        "file.parquet": rows,
        "file.jsonl": [{"id": i, "prediction": p} for i, p in zip(*rows.values(), strict=True)],
    }
    found, truth, read = columns_of(gold, save(data[name], name))
    assert (found, truth, list(read.ids)) == (["a", "b", "c"], ["cat", "dog", "cat"], ["1", "2", "3"])


def test_systems_by_row_where_they_have_no_ids(save):
    gold = save("id,label\n1,cat\n2,dog\n", "gold.csv")
    assert columns_of(gold, save("label\nx\ny\n"))[0] == ["x", "y"]


@pytest.mark.parametrize(
    "truth, predictions, found",
    [
        (["1", "10"], ["1", "2"], ([1, 2], [1, 10])),
        (["1", "10"], ["1.0", "2.0"], ([1, 2], [1, 10])),
        (["1", "10"], ["1", "n/a"], (["1", "n/a"], ["1", "10"])),
        (["01", "10"], ["1", "2"], (["1", "2"], ["01", "10"])),
        ([1, 10], ["1", "2"], ([1, 2], [1, 10])),
        (["1", "10"], [1, 2], ([1, 2], [1, 10])),
        ([1, 10], ["one", "2"], (["one", "2"], ["1", "10"])),
        ([True, False], ["True", "false"], ([True, False], [True, False])),
        (["x", "y"], [True, False], (["True", "False"], ["x", "y"])),
    ],
)
def test_labels_are_numbers_only_where_both_sides_are(save, truth, predictions, found):
    def table(name, column):
        if isinstance(column[0], str):
            return save("\n".join([name, *column]) + "\n", f"{name}.csv")
        return save([{name: cell} for cell in column], f"{name}.jsonl")

    both = columns_of(table("label", truth), table("prediction", predictions))[:2]
    assert both == found
    assert [list(map(type, column)) for column in both] == [list(map(type, column)) for column in found]


def test_types_of_json_stay(save):
    rows = [{"label": 1, "prediction": "a"}, {"label": 2, "prediction": "2"}]
    found, truth, _ = columns_of(save(rows, "a.jsonl"))
    assert (found, truth) == (["a", "2"], [1, 2])
    with pytest.raises(TypeError, match="mixed type"):
        qassay.score(LABELS, found, truth)
    texts = [{"label": "1", "prediction": "2"}]
    assert columns_of(save(texts, "b.jsonl"))[:2] == (["2"], ["1"])
    numbers = [{"label": 1, "prediction": 2}]
    assert columns_of(save(numbers, "c.jsonl"), labels=("1", "2"))[:2] == (["2"], ["1"])


SETS = [["a", "b"], [], ["b"]]


@pytest.mark.parametrize(
    "cells, names",
    [
        (['"[""a"", ""b""]"', "[]", '"[""b""]"'], {}),
        (["\"['a', 'b']\"", "", "['b']"], {}),
        (["a; b", "", "b"], {"separator": ";"}),
        (["a|b", "", "b|"], {"separator": "|"}),
    ],
)
def test_lists_in_cells_of_text(save, cells, names):
    text = "prediction,label\n" + "".join(f"{cell},{cell}\n" for cell in cells)
    assert columns_of(save(text), names=names, task="multi")[:2] == (SETS, SETS)


def test_lists_of_whole_numbers(save):
    text = 'prediction,label\n"[1, 2]","[10]"\n[],[2]\n'
    assert columns_of(save(text), task="multi")[:2] == ([[1, 2], []], [[10], [2]])
    assert columns_of(save("prediction,label\n1 2,10\n,2\n"), names={"separator": " "})[0] == [[1, 2], []]


def test_scored_labels(save):
    rows = [{"label": 0, "prediction": {"0": 0.9, "12": 0.1}}, {"label": 12, "prediction": {"0": 0.3}}]
    found, truth, _ = columns_of(save(rows, "a.jsonl"))
    assert (found, truth) == ([{0: 0.9, 12: 0.1}, {0: 0.3}], [[0], [12]])
    rows = [{"label": ["x"], "prediction": {"x": 0.9, "1": 0.1}}]
    assert columns_of(save(rows, "b.jsonl"))[0] == [{"x": 0.9, "1": 0.1}]
    rows = [{"label": [3], "prediction": {"indices": [3, 1], "scores": [0.5, 0.4]}}]
    assert columns_of(save(rows, "c.jsonl"))[:2] == ([rows[0]["prediction"]], [[3]])
    text = 'prediction,label\n"{""a"": 0.5}",a\n'
    assert columns_of(save(text))[:2] == ([{"a": 0.5}], [["a"]])


def test_scored_labels_of_parquet(save):
    rows = [{"a": 0.5}, {"b": 0.25, "a": 0.125}]
    data = {"label": ["a", "b"], "prediction": pa.array(rows)}
    assert columns_of(save(data, "a.parquet"))[:2] == (rows, [["a"], ["b"]])
    data["prediction"] = pa.array([list(row.items()) for row in rows], pa.map_(pa.string(), pa.float64()))
    assert columns_of(save(data, "b.parquet"))[:2] == (rows, [["a"], ["b"]])
    data["prediction"] = pa.array(["b", "a"]).dictionary_encode()
    assert columns_of(save(data, "c.parquet"))[:2] == (["b", "a"], ["a", "b"])


def test_rankings_with_one_true_label_each(save):
    rows = [{"label": "a", "prediction": ["b", "a"]}]
    for options in ({"task": "ranked"}, {"k": (1,)}):
        assert columns_of(save(rows, "a.jsonl"), **options)[:2] == ([["b", "a"]], [["a"]])


def test_weights_and_details(save):
    gold = read_gold(save("id,weight,label,language,prediction\n7,2,a,en,b\n8,0.5,b,fr,b\n"), metric=LABELS)
    assert gold.columns == {"ids": ["7", "8"], "weights": [2.0, 0.5]}
    assert gold.details == {"language": ["en", "fr"]}
    assert gold.may_hold_predictions


# --- scores and boxes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cells, options, truth",
    [
        (["0", "1"], {}, [0, 1]),
        (["True", "false"], {}, [True, False]),
        (["ham", "spam"], {"pos_label": "spam"}, ["ham", "spam"]),
        (["1", "2"], {"pos_label": "2"}, ["1", "2"]),
    ],
)
def test_scores_of_one_class(save, cells, options, truth):
    text = "score,label\n" + "".join(f"{number},{cell}\n" for number, cell in zip((0.25, 1e-3), cells, strict=True))
    assert columns_of(save(text), metric=CURVES, **options)[:2] == ([0.25, 0.001], truth)


def test_scores_of_json(save):
    rows = [{"score": 0.5, "target": 2, "prediction": 1}, {"score": 1, "target": 1, "prediction": 1}]
    path = save(rows, "a.jsonl")
    assert columns_of(path, metric=CURVES)[:2] == ([0.5, 1], [2, 1])
    assert columns_of(path, metric=CURVES, pos_label="2")[1] == ["2", "1"]


def test_scores_of_classes(save):
    rows = [{"label": 1, "scores": {"0": 0.5, "1": 0.25}}]
    assert columns_of(save(rows, "a.jsonl"), metric=CURVES)[:2] == ([{0: 0.5, 1: 0.25}], [1])
    text = 'scores,label\n"{""a"": 0.5, ""b"": 0.1}",a\n'
    assert columns_of(save(text), metric=CURVES)[:2] == ([{"a": 0.5, "b": 0.1}], ["a"])
    assert columns_of(save('scores,label\n"[0.5, 0.1]",1\n'), metric=CURVES)[:2] == ([[0.5, 0.1]], [1])


def test_boxes(save):
    gold = save([{"id": "a", "boxes": [[0, 0, 4, 4]], "labels": ["x"], "room": 3}, {"id": "b", "boxes": []}], "a.jsonl")
    found = save([{"id": "b", "boxes": []}, {"id": "a", "boxes": [[0, 0, 4, 4]], "scores": [0.5], "labels": ["x"]}])
    for metric in (None, CURVES):
        predictions, references, read = columns_of(gold, found, metric=metric)
        assert predictions == [{"boxes": [[0, 0, 4, 4]], "scores": [0.5], "labels": ["x"]}, {"boxes": []}]
        assert references == [{"boxes": [[0, 0, 4, 4]], "labels": ["x"]}, {"boxes": []}]
        assert (read.metric, read.options, read.details) == (CURVES, {"task": "boxes"}, {"room": [3, None]})
    cells = {"references": [[0.0, 0.0, 4.0, 4.0]], "predictions": [[0.0, 0.0, 2.0, 4.0]]}
    assert columns_of(save(cells, "b.parquet"), metric=CURVES, task="boxes")[:2] == tuple(reversed(cells.values()))


# --- sparse rows ------------------------------------------------------------------------------------------------------

TRUTH = "4 20\n3:1 7:1\n\n12:1\n0:1 19:1 5:1\n"
SAME = {
    "pairs": TRUTH,
    "bare": "4 20\n3 7\n\n12\n0 19 5\n",
    "blanks": "4  20 \r\n3:1   7:1 \r\n\r\n 12:1.0\r\n0:1\t19:1 5:1",
    "blank lines at the end": TRUTH + "\n\n",
    "old": "4 3 20\n3,7 0:0.5 2:1e-3\n 1:0.25\n12\n0,19,5\t1:1\n",
    "old, without a blank": "4 3 20\n3,7 0:0.5\n1:0.25\n12 0:1\n0,19,5 1:1\n",
}


@pytest.mark.parametrize("size", [1, 10, 1 << 24])
@pytest.mark.parametrize("form", SAME)
def test_sparse_truth(save, monkeypatch, form, size):
    monkeypatch.setattr(module, "_BLOCK", size)
    gold = read_gold(save(SAME[form]))
    matrix = gold.columns["references"]
    expected = np.zeros((4, 20))
    expected[[0, 0, 2, 3, 3, 3], [3, 7, 12, 0, 19, 5]] = 1
    assert (gold.metric, gold.kind, gold.ids) == (LABELS, "xmc", None)
    assert np.array_equal(matrix.toarray(), expected)


def test_a_long_first_row(save):
    row = " ".join(f"{feature}:0.5" for feature in range(20_000))
    matrix = read_gold(save(f"1 20000 9\n3,4 {row}\n")).columns["references"]
    assert matrix.indices.tolist() == [3, 4]


def test_three_columns_of_numbers_are_no_sparse_rows(save):
    with pytest.raises(FileError, match="looks like plain text beginning with '1 20 1'"):
        read_gold(save("1 20 1\n1 21 0\n"))


def test_sparse_scores(save, tmp_path):
    rng = np.random.default_rng(3)
    table = np.where(rng.random((300, 50)) < 0.3, rng.normal(size=(300, 50)), 0)
    truth = rng.random((300, 50)) < 0.1
    rows = [
        " ".join(f"{label}:{float(row[label])!r}" for label in rng.permutation(np.flatnonzero(row))) for row in table
    ]
    text = "\n".join(["300 50", *rows]) + "\n"
    path = tmp_path / "scores.gz"
    path.write_bytes(gzip.compress(text.encode()))
    text = "\n".join(["300 50", *(" ".join(f"{label}:1" for label in np.flatnonzero(row)) for row in truth)]) + "\n"
    predictions, references, gold = columns_of(save(text), path)
    assert np.array_equal(predictions.toarray(), table) and predictions.has_sorted_indices
    mine = qassay.score(LABELS, predictions, references, **gold.options).summary()
    assert mine == qassay.score(LABELS, sparse.csr_matrix(table), sparse.csr_matrix(truth), task="ranked").summary()


def test_sparse_rows_with_a_table_on_the_other_side(save):
    lists = [{"label": row, "prediction": row} for row in ([3, 7], [], [12], [0, 19, 5])]
    table, path = save(lists, "a.jsonl"), save(TRUTH)
    assert columns_of(table, path)[1] == [row["label"] for row in lists]
    assert columns_of(path, table)[0] == [row["label"] for row in lists]
    text = "prediction,label\n3 7,3 7\n,\n12,12\n0 19 5,0 19 5\n"
    words = save([{"label": ["a"]}, {"label": []}, {"label": ["b"]}, {"label": ["c"]}], "b.jsonl")
    found, truth, gold = columns_of(words, path)
    with pytest.raises(TypeError, match="predictions are numbers of labels; say which by the option labels"):
        qassay.score(LABELS, found, truth, task="ranked")
    found, truth, gold = columns_of(path, save(text, "a.csv"), names={"separator": " "})
    assert found == [row["label"] for row in lists]
    assert qassay.score(LABELS, found, truth, **gold.options).summary(["p@1"]) == {"p@1": 0.75}


@pytest.mark.parametrize(
    "text, words",
    [
        ("2 20\n3:1\n7:x\n", "line 3: '7:x' is not label:score"),
        ("2 20\n3:1\n7\n", "line 3: '7' is not label:score"),
        ("2 20\n3:1\n7:\n", "line 3: '7:' is not label:score"),
        ("3 20\n3:1\n\n7:1:2\n", "line 4: '7:1:2' is not label:score"),
        ("2 20\n3 7:1\n5:1\n", "line 2: '3' is not label:score"),
        ("2 20\n3:1\n20:1\n", "line 3: there is no label 20; line 1 says 20 labels, 0 to 19"),
        ("2 20\n3:1\n99999999999:1\n", "line 3: there is no label 99999999999"),
        ("2 20\n3:1\n-1:1\n", "line 3: '-1:1' is not label:score"),
        ("2 20\n3:1\n", "line 1 says 2 rows, but 1 line follow"),
        ("1 20\n3:1\n4:1\n", "line 1 says 1 row, but 2 lines follow"),
        ("2 9 20\n3,4 0:1\n5,x 0:1\n", "line 3: 'x' is not a label"),
        ("2 9 20\n3,4 0:1\n5 7\n", "line 3: '7' is not feature:value"),
    ],
)
@pytest.mark.parametrize("size", [1, 1 << 24])
def test_broken_sparse_rows(save, monkeypatch, text, words, size):
    monkeypatch.setattr(module, "_BLOCK", size)
    with pytest.raises(FileError) as caught:
        read_gold(save(text))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "text, words",
    [
        ("4 20\n3\n\n12\n0\n", "these labels have no scores to rank them by; give label:score"),
        ("4 20\n3:1 5:2\n\n12:1\n0:1 7:3 0:2\n", "line 5 has twice the label 0"),
        ("4 20\n3:1\n3:1\n3:nan\n0:1\n", "line 4 has a score that is not finite for the label 3"),
    ],
)
def test_broken_sparse_scores(save, text, words):
    gold = read_gold(save(TRUTH, "gold"))
    with pytest.raises(FileError) as caught:
        read_predictions(save(text), gold)
    assert words in str(caught.value)


# --- wrong files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "gold, names, words",
    [
        ("text,my\na,b\n", {}, "no column is known to hold the references; it has: text, my; say which with --columns"),
        ("label,target\na,b\n", {}, "the references could be target or label; say which"),
        ("label,prediction\na,b\n", {"references": "labl"}, "no column 'labl' (did you mean 'label'?)"),
        ("id,label\n1,a\n1,b\n", {}, "row 1: duplicate id '1'"),
        ("id,label\n1,a\n,b\n", {}, "row 1: the column id has no id"),
        ("weight,label\nx,a\n", {}, "row 0: 'x' in the column weight is not a number"),
        (
            {"data": [{"paragraphs": []}]},
            {},
            "looks like a SQuAD gold file, which label_metrics does not score; give a",
        ),
        ("301 0 d1 1\n", {}, "looks like TREC qrels, which label_metrics does not score; give a table with columns"),
        ({"q": "a"}, {}, "looks like predictions ({id: text}), which label_metrics does not score"),
        ("2 9\n3:1\n4:1\n", {"references": "x"}, "sparse rows of labels (XMC), which has no columns to name"),
    ],
)
def test_wrong_gold(save, gold, names, words):
    with pytest.raises(FileError) as caught:
        read_gold(save(gold), names, metric=LABELS)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "system, words",
    [
        ("id,prediction\n1,a\n", "there is no prediction for the id '2' of"),
        ("id,prediction\n1,a\n2,a\n3,b\n", "has no id '3' (1 in all); give predictions for its rows only"),
        ("id,prediction\n1,a\n1,a\n", "row 1: duplicate id '1'"),
        ("id,prediction\n1,a\n2,\n", "row 1 has no label; give one in every row"),
        ("id,prediction,pred\n1,a,b\n2,a,b\n", "the predictions could be prediction or pred"),
        ("id,text\n1,a\n2,a\n", "no column is known to hold the predictions; it has: id, text"),
        ("q1 Q0 d1 1 0.5 run\n", "looks like a TREC run, which does not go with"),
    ],
)
def test_wrong_predictions(save, system, words):
    gold = read_gold(save("id,label\n1,a\n2,b\n", "gold.csv"), metric=LABELS)
    with pytest.raises(FileError) as caught:
        read_predictions(save(system), gold)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "metric, options, text, words",
    [
        (LABELS, {}, "label,other\na,b\n", "--columns predictions=NAME, or give a file of predictions too"),
        (LABELS, {"task": "multi"}, "label,prediction\na;b,a\n", "is not a list of labels; write it as"),
        (LABELS, {}, 'label,prediction\na,"[b, c"\n', "is not a list of labels"),
        (CURVES, {}, "label,score\n1,high\n", "row 0: 'high' in the column score is not a number"),
        (CURVES, {}, "label,text\n1,high\n", "no column is known to hold the predictions; it has: label, text"),
    ],
)
def test_wrong_tables(save, metric, options, text, words):
    with pytest.raises(FileError) as caught:
        columns_of(save(text), metric=metric, **options)
    assert words in str(caught.value)


def test_ids_on_one_side_only(save):
    gold = read_gold(save("label\na\n", "gold.csv"), metric=LABELS)
    with pytest.raises(FileError, match=r"predictions have ids \(in the column id\), but .* has none"):
        read_predictions(save("id,prediction\n1,a\n"), gold)


@pytest.mark.parametrize("metric", ["answer_match", "retrieval_ranking"])
def test_a_separator_is_for_labels(save, metric):
    with pytest.raises(FileError, match="leave out --columns separator"):
        read_gold(save("id,label\n1,a\n"), {"separator": ";"}, metric=metric)
