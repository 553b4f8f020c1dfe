"""Rows and dicts by id as columns in one order."""

import numpy as np
import pytest

from qassay.core.rows import align_sides, dicts_as_rows, pair_sides, reorder_side, rows_to_score


def test_one_dict_by_id_stays_a_dict():
    columns = {"predictions": {"a": 1}, "references": [2]}
    assert dicts_as_rows(columns, {"predictions": "x", "references": "y"}) == columns


def test_a_column_of_ids_belongs_to_both_sides():
    predicted, gold = {"values": [1, 2]}, {"values": [3, 4]}
    pair_sides(predicted, gold, ["a", "b"])
    assert predicted["ids"] == gold["ids"] == ["a", "b"]
    with pytest.raises(ValueError, match="predictions bring ids of their own") as caught:
        pair_sides({"values": [1], "ids": ["x"]}, {"values": [3]}, ["a"])
    assert caught.value.column == "predictions"


def test_rows_without_ids_lose_the_duplicates_of_the_other_side():
    predicted, gold = {"values": [1, 2, 3], "ids": ["a", "b", "a"]}, {"values": [4, 5, 6]}
    rows, counts = align_sides(predicted, gold, "last")
    assert rows is None and counts == {"unmatched": 0, "duplicates": 1}
    assert (predicted["values"], gold["values"]) == ([2, 3], [5, 6])


def test_rows_in_one_order_stay_what_they_are():
    values = [1, 2]
    predicted, gold = {"values": values, "ids": ["a", "b"]}, {"values": [3, 4], "ids": ["a", "b"]}
    assert align_sides(predicted, gold, "error")[0] is None and predicted["values"] is values


def test_missing_rows_are_none_and_0():
    side = {"values": ["x", "y"], "probabilities": np.array([0.5, 0.25])}
    reorder_side(side, np.array([1, -1]))
    assert side["values"] == ["y", None] and side["probabilities"].tolist() == [0.25, 0.0]


def test_policies_for_missing_predictions():
    given = np.array([True, False, True])
    assert rows_to_score(given, "zero", "abc", "") is None
    assert rows_to_score(given, "skip", "abc", "").tolist() == [0, 2]
    with pytest.raises(
        ValueError, match=r"references\[1\] \(id 'b'\) has no prediction \(1 in all\); predict it, or use"
    ):
        rows_to_score(given, "error", "abc", "predict it")
