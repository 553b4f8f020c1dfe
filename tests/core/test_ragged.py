"""Columns of lists: rows, order, equality, and Scores that hold them."""

import dataclasses
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.core.measures import Measure, Rows
from qassay.core.options import Options
from qassay.core.ragged import Ragged
from qassay.core.scores import Scores

FAST = settings(max_examples=100, deadline=None)
LISTS = st.lists(st.lists(st.integers(-2, 3), max_size=4), max_size=8)


@FAST
@given(LISTS, st.randoms())
def test_rows(lists, random):
    column = Ragged.of(lists)
    assert column.tolist() == lists and len(column) == len(lists)
    assert column.lengths.tolist() == list(map(len, lists))
    assert column.rows.tolist() == [row for row, values in enumerate(lists) for _ in values]
    order = [random.randrange(len(lists)) for _ in range(5)] if lists else []
    assert column.take(np.array(order, int)).tolist() == [lists[row] for row in order]
    cut = random.randint(0, len(lists))
    assert Ragged.concat([Ragged.of(lists[:cut]), Ragged.of(lists[cut:])]) == column
    assert column.to_arrow().to_pylist() == lists


@FAST
@given(LISTS, st.randoms())
def test_codes_are_equal_for_equal_lists_and_do_not_depend_on_the_order(lists, random):
    codes = Ragged.of(lists).codes().tolist()
    assert all((codes[a] == codes[b]) == (lists[a] == lists[b]) for a in range(len(lists)) for b in range(len(lists)))
    order = list(range(len(lists)))
    random.shuffle(order)
    assert Ragged.of([lists[row] for row in order]).codes().tolist() == [codes[row] for row in order]


def test_codes_of_both_zeros_and_offsets_that_do_not_rise():
    codes = Ragged.of([[0.0], [-0.0], [1.0], [0.0, -0.0]], float).codes().tolist()
    assert codes[0] == codes[1] and len(set(codes)) == 3
    for offsets in ([0, 2, 1, 3], [1, 3], [0, 2]):
        with pytest.raises(ValueError, match="offsets"):
            Ragged(np.array(offsets), np.arange(3))


@dataclasses.dataclass(frozen=True)
class Toy(Options):
    family: ClassVar[str] = "toy"


@dataclasses.dataclass(frozen=True)
class Values(Measure):
    """The weighted number of values."""

    reads = ("lists",)

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        return replicate_counts @ (rows.weights * rows.columns["lists"].lengths)


def test_scores_of_lists():
    column = Ragged.of([[1, 2], [], [3], [3]])
    scores = Scores(list("abcd"), {"lists": column}, {}, {"values": Values()}, Toy(), {}, np.array([1.0, 1, 2, 2]))
    assert scores.summary() == {"values": 6.0} and scores.counts() == {"values": 4}
    parts = [scores.subset(np.array([True, True, False, False])), scores.subset(np.array([False, False, True, True]))]
    assert Scores.concat(parts) == scores and parts[0] != scores
    assert scores.result(per_example=True)["per_example"]["lists"] == [[1, 2], [], [3], [3]]
    assert scores.to_arrow().column("lists").to_pylist() == [[1, 2], [], [3], [3]]
    assert scores.to_pandas()["lists"].tolist() == [[1, 2], [], [3], [3]]
    low, high = scores.interval(n_resamples=200)["values"]
    assert low < 6 < high
    backwards = Scores(
        list("dcba"),
        {"lists": column.take([3, 2, 1, 0])},
        {},
        {"values": Values()},
        Toy(),
        {},
        np.array([2.0, 2, 1, 1]),
    )
    assert backwards == scores and backwards.interval(n_resamples=200)["values"] == (low, high)


def test_numbers_that_stand_for_something():
    columns = {"lists": Ragged.of([[1, 0], []]), "one": np.array([1, 0]), "plain": np.array([0.5, 1.0])}
    coded = {"lists": ["cat", "dog"], "one": ["cat", "dog"]}
    scores = Scores(["a", "b"], columns, {}, {"values": Values()}, Toy(), coded=coded)
    table = scores.per_example()
    assert (table["lists"], table["one"], table["plain"].tolist()) == ([["dog", "cat"], []], ["dog", "cat"], [0.5, 1.0])
    assert scores.result(per_example=True)["per_example"]["one"] == ["dog", "cat"]
    assert scores.to_arrow().column("lists").to_pylist() == [["dog", "cat"], []]
    assert scores.to_pandas()["one"].tolist() == ["dog", "cat"]
    parts = Scores.concat([scores.subset(np.array([True, False])), scores.subset(np.array([False, True]))])
    assert parts == scores and parts.per_example()["one"] == ["dog", "cat"]
