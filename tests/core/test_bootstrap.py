"""Resampling: kinds of rows, how often each is drawn, and how many of each kind are swapped."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.comparison.permutation import every_swap, swap_counts
from qassay.core import bootstrap as statistics
from qassay.core.bootstrap import (
    resampled_values,
    resampling_weights,
    row_codes,
    units_of,
)
from qassay.core.measures import Rows
from qassay.core.ragged import Ragged
from qassay.factoid_accuracy.measures import LabelF1

FAST = settings(max_examples=100, deadline=None)


def test_blocks_draw_on(monkeypatch):
    counts = np.array([3, 1, 2])
    whole = np.concatenate(list(resampling_weights(counts, 40, seed=3)))
    monkeypatch.setattr(statistics, "CELLS_AT_ONCE", 30)
    blocks = list(resampling_weights(counts, 40, seed=3))
    assert len(blocks) == 4
    assert (np.concatenate(blocks) == whole).all()
    assert any((blocks[0] != block).any() for block in blocks[1:])


@pytest.mark.parametrize("counts", [[3, 1, 2], [1000, 500, 3]])
def test_resampling_weights_draw_as_many_examples_as_there_are(counts):
    blocks = np.concatenate(list(resampling_weights(np.array(counts), 4000, seed=3)))
    assert blocks.shape == (4000, 3)
    assert (blocks.sum(axis=1) == sum(counts)).all()
    assert blocks.mean(axis=0) == pytest.approx(counts, rel=0.06)


VALUES = st.sampled_from([-0.0, 0.0, 0.5, 1.0, math.nan])


@FAST
@given(st.lists(st.tuples(VALUES, st.booleans(), st.lists(st.integers(0, 2), max_size=2)), max_size=12), st.randoms())
def test_row_codes_are_equal_exactly_for_equal_rows_in_any_order(rows, random):
    def codes_of(rows):
        numbers, flags, lists = ([row[place] for row in rows] for place in range(3))
        return row_codes([np.array(numbers, float), np.array(flags, bool), Ragged.of(lists)], len(rows)).tolist()

    codes = codes_of(rows)
    keys = [(str(number + 0.0), flag, tuple(numbers)) for number, flag, numbers in rows]
    assert len(set(zip(keys, codes, strict=True))) == len(set(keys)) == len(set(codes))
    order = list(range(len(rows)))
    random.shuffle(order)
    assert codes_of([rows[place] for place in order]) == [codes[place] for place in order]


@pytest.mark.parametrize("counts", [[3, 1, 2], [40, 9, 2]])
def test_swap_counts_are_binomial(counts):
    """Chi-square against the exact shares of `every_swap`; fails for 1 of 10,000 seeds."""
    from scipy import stats

    counts = np.array(counts)
    drawn = np.concatenate(list(swap_counts(counts, 6000, seed=2)))
    assert drawn.shape == (6000, len(counts))
    assert ((drawn >= 0) & (drawn <= counts) & (drawn == np.trunc(drawn))).all()
    for kind, count in enumerate(counts):
        shares = stats.binom.pmf(np.arange(count + 1), count, 0.5)
        seen = np.bincount(drawn[:, kind].astype(int), minlength=count + 1)
        usual = shares * 6000 >= 5
        observed, expected = np.append(seen[usual], seen[~usual].sum()), np.append(shares[usual], shares[~usual].sum())
        observed, expected = observed[expected > 0], expected[expected > 0]
        assert stats.chisquare(observed, expected * 6000).pvalue > 1e-4
    apart = np.corrcoef(drawn, rowvar=False) - np.eye(len(counts))
    assert abs(apart).max() < 4.5 / math.sqrt(6000)


@pytest.mark.parametrize("counts", [[], [1], [2], [1, 1, 1], [3, 1, 2]])
def test_every_swap_is_what_all_signs_come_to(counts):
    owners = [kind for kind, count in enumerate(counts) for _ in range(count)]
    expected = Counter(
        tuple(
            sum(sign for sign, owner in zip(signs, owners, strict=True) if owner == kind) for kind in range(len(counts))
        )
        for signs in itertools.product((0, 1), repeat=len(owners))
    )
    swaps, shares = every_swap(np.array(counts, np.int64), most=100)
    found = dict(zip(map(tuple, swaps.astype(int).tolist()), shares.tolist(), strict=True))
    assert found == pytest.approx({swap: times / 2 ** len(owners) for swap, times in expected.items()}, rel=1e-12)


def test_every_swap_keeps_to_the_limit():
    assert every_swap(np.array([1, 1, 1]), most=7) is None
    assert len(every_swap(np.array([1, 1, 1]), most=8)[0]) == 8
    assert len(every_swap(np.array([9999]), most=10_000)[0]) == 10_000
    assert every_swap(np.array([10_000]), most=10_000) is None
    assert every_swap(np.ones(100_000, np.int64), most=10_000) is None


def test_measures_of_the_same_sums_take_their_terms_once(monkeypatch):
    taken = []
    terms = LabelF1.terms
    monkeypatch.setattr(LabelF1, "terms", lambda self, rows: [taken.append(self), terms(self, rows)][1])
    monkeypatch.setattr(LabelF1, "sums_key", "the answers")
    rows = Rows({"yesno_correct": np.array([1.0, 0, 1, 1]), "gold_yes": np.array([1.0, 1, 0, 1])}, {}, np.ones(4))
    measures = {"yes": LabelF1("yes"), "no": LabelF1("no"), "both": LabelF1()}
    units = units_of(rows, None, measures.values())
    together = resampled_values(measures, units, 200, 0)
    assert len(taken) == 1
    for name, measure in measures.items():
        assert np.array_equal(together[name], resampled_values({name: measure}, units, 200, 0)[name], equal_nan=True)
