"""Sparse rows of labels: every layout, and every file that is wrong."""

import gzip

import numpy as np
import pytest
from scipy import sparse

import qassay
from qassay.files import read_gold, read_predictions

LABELS = "label_metrics"


def columns_of(gold, system, names=None):
    """Both columns of two files, as `qassay score` reads them."""
    gold = read_gold(gold, names, metric=LABELS)
    found = read_predictions(system, gold, names)
    columns = {**gold.columns, **found.columns}
    assert len(columns) == len(gold.columns) + len(found.columns)
    return columns["predictions"], columns["references"], gold


TRUTH = "4 20\n3:1 7:1\n\n12:1\n0:1 19:1 5:1\n"
SAME = {
    "pairs": TRUTH,
    "bare": "4 20\n3 7\n\n12\n0 19 5\n",
    "blanks": "4  20 \r\n3:1   7:1 \r\n\r\n 12:1.0\r\n0:1\t19:1 5:1",
    "blank lines at the end": TRUTH + "\n\n",
    "old": "4 3 20\n3,7 0:0.5 2:1e-3\n 1:0.25\n12\n0,19,5\t1:1\n",
    "old, without a blank": "4 3 20\n3,7 0:0.5\n1:0.25\n12 0:1\n0,19,5 1:1\n",
}


@pytest.mark.parametrize("form", SAME)
def test_sparse_truth(save_table, form):
    expected = np.zeros((4, 20))
    expected[[0, 0, 2, 3, 3, 3], [3, 7, 12, 0, 19, 5]] = 1
    gold = read_gold(save_table(SAME[form]))
    assert (gold.metric, gold.kind, gold.ids) == (LABELS, "xmc", None)
    assert np.array_equal(gold.columns["references"].toarray(), expected)


def test_a_long_first_row(save_table):
    row = " ".join(f"{feature}:0.5" for feature in range(20_000))
    matrix = read_gold(save_table(f"1 20000 9\n3,4 {row}\n")).columns["references"]
    assert matrix.indices.tolist() == [3, 4]


def test_sparse_scores(save_table, tmp_path):
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
    predictions, references, gold = columns_of(save_table(text), path)
    assert np.array_equal(predictions.toarray(), table) and predictions.has_sorted_indices
    mine = qassay.score(LABELS, predictions, references, **gold.options).summary()
    assert mine == qassay.score(LABELS, sparse.csr_matrix(table), sparse.csr_matrix(truth), task="ranked").summary()


def test_sparse_rows_with_a_table_on_the_other_side(save_table):
    lists = [{"label": row, "prediction": row} for row in ([3, 7], [], [12], [0, 19, 5])]
    table, path = save_table(lists, "a.jsonl"), save_table(TRUTH)
    assert columns_of(table, path)[1] == [row["label"] for row in lists]
    assert columns_of(path, table)[0] == [row["label"] for row in lists]
    text = "prediction,label\n3 7,3 7\n,\n12,12\n0 19 5,0 19 5\n"
    found, truth, gold = columns_of(path, save_table(text, "a.csv"), names={"separator": " "})
    assert found == [row["label"] for row in lists]
    assert qassay.score(LABELS, found, truth, **gold.options).summary(["p@1"]) == {"p@1": 0.75}


def test_broken_sparse_rows(save_table, refused):
    for text, words in (
        ("2 20\n3:1\n7:x\n", "line 3: '7:x'"),
        ("2 20\n3:1\n7\n", "line 3: '7'"),
        ("3 20\n3:1\n\n7:1:2\n", "line 4: '7:1:2'"),
        ("2 20\n3:1\n20:1\n", "line 3: there is no label 20"),
        ("2 20\n3:1\n-1:1\n", "line 3: '-1:1'"),
        ("1 20\n3:1\n4:1\n", "line 1 says 1 row, but 2 lines"),
        ("2 9 20\n3,4 0:1\n5,x 0:1\n", "line 3: 'x'"),
    ):
        refused(words, read_gold, save_table(text))
    gold = read_gold(save_table(TRUTH, "gold"))
    for text, words in (
        ("4 20\n3\n\n12\n0\n", "label:score"),
        ("4 20\n3:1 5:2\n\n12:1\n0:1 7:3 0:2\n", "line 5 has twice the label 0"),
        ("4 20\n3:1\n3:1\n3:nan\n0:1\n", "line 4 has a score that is not finite"),
    ):
        refused(words, read_predictions, save_table(text), gold)
