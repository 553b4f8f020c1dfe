"""Differences of means in all slices at once: sums by group, and one set of sign flips for all slices and measures.

The numbers equal those of `difference.differences_of_pairs` for each slice, except that random p-values have other draws.
"""

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..core.group_means import group_intervals, is_summed_by_group, mean_spread
from ..core.measures import Measure
from ..core.rounding import ROUNDING, ROUNDING_OF_SUMS, TINY
from ..core.scores import Scores
from ..core.slices import in_order
from .difference import ComparisonSettings, Difference, concluded, shared_by
from .paired_tests import PairedOutcome
from .pairs import Pairs, changes_of
from .permutation import every_swap, swap_counts
from .spreads import Changes, DifferenceSpread

_TIE = 1e-4  # tolerance of drawn sums, in standard deviations; larger than the rounding error of single precision
Slicing = tuple[Sequence[str], np.ndarray]  # labels in order, and the index of the label of each example


def are_summed(systems: Mapping[str, Scores], measures: Sequence[str], settings: ComparisonSettings) -> bool:
    """Whether `slice_differences` computes these differences."""
    return (
        settings.test == "permutation"
        and settings.intervals.method == "auto"
        and all(is_summed_by_group(scores, scores.measures[name]) for scores in systems.values() for name in measures)
    )


class _Change(NamedTuple):
    """The values of a measure in two systems by example, and their rounded difference; NaN where a system has no value."""

    measure: Measure
    first: np.ndarray
    second: np.ndarray
    change: np.ndarray

    @classmethod
    def of(cls, first: Scores, second: Scores, name: str) -> "_Change":
        """The changes of a measure from one system to another."""
        measure = first.measures[name]
        a, b = (np.asarray(measure.by_example(scores.rows)) for scores in (first, second))
        both = ~(np.isnan(a) | np.isnan(b))
        change = np.full(len(a), np.nan)
        change[both] = changes_of(a[both], b[both])
        return cls(measure, a, b, change)


def slice_differences(
    systems: Mapping[str, Scores],
    labels: Mapping[str, Sequence[str]],
    pairs: Sequence[tuple[str, str]],
    measures: Sequence[str],
    settings: ComparisonSettings,
) -> dict[tuple[str, str], list[Difference]]:
    """(Slicing, label) -> the uncorrected differences by measures for which `are_summed` holds, if there is an example.

    Args:
        systems: Scores of the same examples.
        labels: slicing -> the label of each example.
    """
    slices = {name: _coded(texts) for name, texts in labels.items()}
    found: dict[tuple[str, str], list[Difference]] = {
        (name, label): [] for name, (order, _) in slices.items() for label in order
    }
    for pair in pairs:
        first, second = (systems[name] for name in pair)
        changes = {name: _Change.of(first, second, name) for name in measures}
        outcomes = _outcomes(first, second, changes, slices, settings)
        for name, slicing in slices.items():
            for measure, change in changes.items():
                for label, one in _differences(measure, change, slicing, pair, outcomes[name, measure], settings):
                    found[name, label].append(one)
    return found


def _coded(texts: Sequence[str]) -> Slicing:
    order = in_order(set(texts))
    index = {label: number for number, label in enumerate(order)}
    return order, np.fromiter(map(index.__getitem__, texts), np.int64, len(texts))


def _differences(
    name: str,
    of: _Change,
    slicing: Slicing,
    pair: tuple[str, str],
    outcomes: Sequence[PairedOutcome],
    settings: ComparisonSettings,
) -> Iterator[tuple[str, Difference]]:
    """Each label with an example that has both values, and the difference of a measure in it."""
    (labels, codes), n_groups = slicing, len(slicing[0])
    both = ~np.isnan(of.change)
    group = np.where(both, codes, -1)
    left_out = np.bincount(codes[np.isnan(of.first) != np.isnan(of.second)], minlength=n_groups).tolist()
    level = settings.intervals.confidence
    cells = [group_intervals(of.measure, values, group, n_groups, level) for values in (of.first, of.second)]
    rows = _rows_by_group(slicing, both)
    for index, (label, a, b) in enumerate(zip(labels, *cells, strict=True)):
        n = a[1]
        if not n or a[0] is None or b[0] is None:
            continue
        first, second, change = (column[rows[index]] for column in (of.first, of.second, of.change))
        deviations = second - first
        deviations -= deviations.sum() / n
        deviations[abs(deviations) <= ROUNDING_OF_SUMS * max(abs(a[0]), abs(b[0]))] = 0.0
        squares, cubes, fourths = (float((deviations**power).sum()) for power in (2, 3, 4))
        skew = cubes / n / (squares / n) ** 1.5 / math.sqrt(n) if n > 1 and squares > 0 else 0.0
        n_changed = max(int(np.count_nonzero(change)), int(abs(b[0] - a[0]) > TINY * max(abs(a[0]), abs(b[0]))))
        of_examples = Changes.of(change, first, second, of.measure)
        spread = DifferenceSpread(mean_spread(n, squares, fourths), n, n_changed, skew, of_examples)
        values, intervals = (a[0], b[0]), (a[2], b[2])
        yield (
            label,
            concluded(
                name, of.measure, pair, n, left_out[index], values, intervals, spread, change, outcomes[index], settings
            ),
        )


# --- permutation tests ------------------------------------------------------------------------------------------------


def _outcomes(
    first: Scores,
    second: Scores,
    changes: Mapping[str, _Change],
    slices: Mapping[str, Slicing],
    settings: ComparisonSettings,
) -> dict[tuple[str, str], list[PairedOutcome]]:
    """(Slicing, measure) -> the permutation test of each label.

    A slice with few distinct swaps has an exact p. All other slices share the draws.
    """
    found: dict[tuple[str, str], list[PairedOutcome]] = {}
    drawn: list[_Drawn] = []
    for name, slicing in slices.items():
        for measure, of in changes.items():
            outcomes = found[name, measure] = []
            for rows in _rows_by_group(slicing, ~np.isnan(of.change) & (of.change != 0)):
                p = _exact_p(of.change[rows], settings.n_permutations)
                if p is None:
                    drawn.append(_Drawn(outcomes, len(outcomes), name, rows, of.change[rows]))
                outcomes.append(PairedOutcome(1.0 if p is None else p, "exact permutation"))
    if drawn:
        _draw(Pairs(first.rows, second.rows, shared_by(first, second)), slices, drawn, settings)
    return found


class _Drawn(NamedTuple):
    """A test to draw: the outcomes of its slicing, the index of its label there, and the examples that differ."""

    outcomes: list[PairedOutcome]
    label: int
    slicing: str
    rows: np.ndarray
    change: np.ndarray


def _exact_p(change: np.ndarray, n_permutations: int) -> float | None:
    """The exact p-value; None if there are too many distinct swaps."""
    if len(change) > n_permutations:  # too many even if all changes are equal
        return None
    steps, counts = np.unique(abs(change), return_counts=True)
    every = every_swap(counts, n_permutations)
    if every is None:
        return None
    swaps, shares = every
    sums, total = (2 * swaps - counts) @ steps, float(abs(change).sum())
    observed = abs(float(change.sum()))
    extreme = abs(sums) >= observed - ROUNDING * observed - ROUNDING_OF_SUMS * total
    p = 1.0 if extreme.all() else min(1.0, math.fsum(shares[extreme]))
    return max(p, sys.float_info.min)


def _draw(pairs: Pairs, slices: Mapping[str, Slicing], drawn: Sequence[_Drawn], settings: ComparisonSettings) -> None:
    """Set the outcomes of random tests: a draw flips the sign of the change of each example that differs.

    Examples are in an order that depends only on their values and labels, and a change is from the lower to the higher
    row, so p does not depend on the order of examples or systems.
    """
    low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
    differ = np.flatnonzero(low != high)
    key = (low * len(pairs.rows.weights) + high)[differ]
    sign = np.where(pairs.first <= pairs.second, 1.0, -1.0)
    spot = {}  # slicing -> the index of each example among the drawn signs
    for name in dict.fromkeys(test.slicing for test in drawn):
        order = np.lexsort((slices[name][1][differ], key))
        spot[name] = np.empty(len(low), np.int64)
        spot[name][differ[order]] = np.arange(len(differ))
    steps = np.zeros((len(differ), len(drawn)), np.float32)
    least = np.empty(len(drawn))
    for column, test in enumerate(drawn):
        steps[spot[test.slicing][test.rows], column] = sign[test.rows] * test.change
        least[column] = abs(float(test.change.sum())) - _TIE * math.sqrt(float(test.change @ test.change))
    totals, hits = steps.sum(axis=0, dtype=np.float64), np.zeros(len(drawn), np.int64)
    ones = np.ones(len(differ), np.int64)
    for bits in swap_counts(ones, settings.n_permutations, settings.intervals.seed, np.float32):
        hits += (abs(totals - 2.0 * (bits @ steps)) >= least).sum(axis=0)
    for test, hit in zip(drawn, hits.tolist(), strict=True):
        test.outcomes[test.label] = PairedOutcome((hit + 1) / (settings.n_permutations + 1), "permutation")


def _rows_by_group(slicing: Slicing, which: np.ndarray) -> list[np.ndarray]:
    """The examples of each label among some, (n,) bools."""
    rows = np.flatnonzero(which)
    codes = slicing[1][rows]
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(slicing[0])))[:-1]
    return np.split(rows[order], ends)
