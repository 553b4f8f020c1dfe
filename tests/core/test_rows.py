"""Rows and dicts by id as columns in one order."""

import numpy as np
import pytest

from qassay.core import rows
from qassay.core.rows import (
    ColumnRows,
    align_sides,
    dicts_as_lists,
    field_of,
    pair_sides,
    reorder_side,
    rows_of_dicts,
    rows_to_score,
)


def test_a_column_of_ids_belongs_to_both_sides():
    predicted, gold = {"values": [1, 2]}, {"values": [3, 4]}
    pair_sides(predicted, gold, ["a", "b"])
    assert predicted["ids"] == gold["ids"] == ["a", "b"]
    with pytest.raises(ValueError, match="predictions have their own ids") as caught:
        pair_sides({"values": [1], "ids": ["x"]}, {"values": [3]}, ["a"])
    assert caught.value.column == "predictions"


def test_rows_without_ids_lose_the_duplicates_of_the_other_side():
    predicted, gold = {"values": [1, 2, 3], "ids": ["a", "b", "a"]}, {"values": [4, 5, 6]}
    rows, counts = align_sides(predicted, gold, "last")
    assert rows is None and counts == {"unmatched": 0, "duplicates": 1}
    assert (predicted["values"], gold["values"]) == ([2, 3], [5, 6])


def test_rows_in_one_order_are_unchanged():
    values = [1, 2]
    predicted, gold = {"values": values, "ids": ["a", "b"]}, {"values": [3, 4], "ids": ["a", "b"]}
    assert align_sides(predicted, gold, "error")[0] is None and predicted["values"] is values


def test_policies_for_missing_predictions():
    given = np.array([True, False, True])
    assert rows_to_score(given, "zero", "abc", "") is None
    assert rows_to_score(given, "skip", "abc", "").tolist() == [0, 2]
    with pytest.raises(
        ValueError, match=r"references\[1\] \(id 'b'\) has no prediction \(1 in all\); predict it, or use"
    ):
        rows_to_score(given, "error", "abc", "predict it")


def test_columns_of_a_file_are_rows_where_somebody_looks_at_one():
    table = ColumnRows(id=["q1", "q2"], answers=[["a"], []])
    listed = [{"id": "q1", "answers": ["a"]}, {"id": "q2", "answers": []}]
    assert table == listed == list(table) and (table[1], len(table), table[1:]) == (listed[1], 2, listed[1:])
    assert rows_of_dicts(table, "references") and not rows_of_dicts(ColumnRows(id=[]), "references")
    assert field_of(table, "answers", "references") is table.columns["answers"]
    assert field_of(table, "weight", "references") is None
    with pytest.raises(
        ValueError, match=r"references\[0\] has no 'weight' \(its keys: id, answers\); give it in every row"
    ):
        field_of(table, "weight", "references", required=True)
    with pytest.raises(ValueError, match="different lengths: id 1, answers 2"):
        ColumnRows(id=["q1"], answers=[[], []])


def test_dicts_by_id_are_lists_in_the_order_of_the_references():
    columns = {"predictions": {"b": 1, "a": 2}, "references": {"a": 2, "b": 2}}
    assert dicts_as_lists(columns) == {"predictions": [2, 1], "references": [2, 2], "ids": ["a", "b"]}


def test_duplicates_are_found_whatever_their_hashes():
    assert rows.all_distinct([-1, -2]) and hash(-1) == hash(-2)
    assert not rows.all_distinct(["a", "b", "a"])


def test_missing_rows_are_none_and_0():
    side = {"values": ["x", "y"], "probabilities": np.array([0.5, 0.25])}
    reorder_side(side, np.array([1, -1]))
    assert side["values"] == ["y", None] and side["probabilities"].tolist() == [0.25, 0.0]
