"""Differences of means in all slices at once: sums by group, and one set of sign flips for all slices and measures.

The numbers equal those of `difference.differences_of_pairs` for each slice, except that random p-values have other draws.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ..core.group_means import group_intervals, is_summed_by_group, mean_spread
from ..core.measures import Measure
from ..core.rounding import ROUNDING, ROUNDING_OF_SUMS, TINY
from ..core.scores import Scores
from ..core.slices import in_order
from .difference import ComparisonSettings, Difference, concluded, shared_by
from .paired_tests import PairedOutcome
from .pairs import Pairs, changes_of
from .permutation import every_signed_sum, exact_p, swap_counts
from .spreads import Changes, DifferenceSpread

_TIE = 1e-4  # tolerance of drawn sums, in standard deviations; larger than the rounding error of single precision


def are_summed(systems: Mapping[str, Scores], measures: Sequence[str], settings: ComparisonSettings) -> bool:
    """Whether `slice_differences` computes these differences."""
    return (
        settings.test == "permutation"
        and settings.intervals.method == "auto"
        and all(is_summed_by_group(scores, scores.measures[name]) for scores in systems.values() for name in measures)
    )


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
    slicings = {name: _Slicing.of(texts) for name, texts in labels.items()}
    found: dict[tuple[str, str], list[Difference]] = {
        (name, label): [] for name, slicing in slicings.items() for label in slicing.labels
    }
    for pair in pairs:
        first, second = (systems[name] for name in pair)
        changes = {name: _Change.of(first, second, name) for name in measures}
        outcomes = _outcomes(first, second, changes, slicings, settings)
        for name, slicing in slicings.items():
            for measure, change in changes.items():
                tested = [outcomes[name, measure, index] for index in range(len(slicing.labels))]
                for label, one in _differences(measure, change, slicing, pair, tested, settings):
                    found[name, label].append(one)
    return found


class _Slicing(NamedTuple):
    """The labels in order, and the index of the label of each example."""

    labels: Sequence[str]
    codes: np.ndarray

    @classmethod
    def of(cls, texts: Sequence[str]) -> "_Slicing":
        labels = in_order(set(texts))
        index = {label: number for number, label in enumerate(labels)}
        return cls(labels, np.fromiter(map(index.__getitem__, texts), np.int64, len(texts)))

    def rows_by_label(self, which: np.ndarray) -> list[np.ndarray]:
        """The examples of each label among some, (n,) bools."""
        rows = np.flatnonzero(which)
        codes = self.codes[rows]
        order = np.argsort(codes, kind="stable")
        return np.split(rows[order], np.cumsum(np.bincount(codes, minlength=len(self.labels)))[:-1])


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


def _differences(
    name: str,
    of: _Change,
    slicing: _Slicing,
    pair: tuple[str, str],
    outcomes: Sequence[PairedOutcome],
    settings: ComparisonSettings,
) -> Iterator[tuple[str, Difference]]:
    """Each label with an example that has both values, and the difference of a measure in it."""
    measure, n_groups, level = of.measure, len(slicing.labels), settings.intervals.confidence
    both = ~np.isnan(of.change)
    group = np.where(both, slicing.codes, -1)
    in_one = np.isnan(of.first) != np.isnan(of.second)
    left_out = np.bincount(slicing.codes[in_one], minlength=n_groups).tolist()
    cells = [group_intervals(measure, values, group, n_groups, level) for values in (of.first, of.second)]
    rows = slicing.rows_by_label(both)
    for index, (label, a, b) in enumerate(zip(slicing.labels, *cells, strict=True)):
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
        of_examples = Changes.of(change, first, second, measure)
        spread = DifferenceSpread(mean_spread(n, squares, fourths), n, n_changed, skew, of_examples)
        found = Difference.unmeasured(name, measure, pair, n, left_out[index], settings.test)
        values, intervals = (a[0], b[0]), (a[2], b[2])
        yield label, concluded(found, measure, values, intervals, spread, change, outcomes[index], settings)


# --- permutation tests ------------------------------------------------------------------------------------------------

_Test: TypeAlias = tuple[str, str, int]  # slicing, measure and index of the label


def _outcomes(
    first: Scores,
    second: Scores,
    changes: Mapping[str, _Change],
    slicings: Mapping[str, _Slicing],
    settings: ComparisonSettings,
) -> dict[_Test, PairedOutcome]:
    """The permutation tests. A slice with few distinct swaps has an exact p; all other slices share the draws."""
    found: dict[_Test, PairedOutcome] = {}
    drawn: dict[_Test, np.ndarray] = {}
    for name, slicing in slicings.items():
        for measure, of in changes.items():
            for index, rows in enumerate(slicing.rows_by_label(~np.isnan(of.change) & (of.change != 0))):
                p = _exact_p(of.change[rows], settings.n_permutations)
                if p is None:
                    drawn[name, measure, index] = rows
                else:
                    found[name, measure, index] = PairedOutcome(p, "exact permutation")
    if drawn:
        pairs = Pairs(first.rows, second.rows, shared_by(first, second))
        found |= _drawn(pairs, changes, slicings, drawn, settings)
    return found


def _exact_p(change: np.ndarray, n_permutations: int) -> float | None:
    """The exact p-value; None if there are too many distinct swaps."""
    every = every_signed_sum(change[:, None], np.ones(len(change), np.int64), n_permutations)
    if every is None:
        return None
    observed, total = abs(float(change.sum())), float(abs(change).sum())
    return exact_p(abs(every[0][:, 0]) >= observed - ROUNDING * observed - ROUNDING_OF_SUMS * total, every[1])


def _drawn(
    pairs: Pairs,
    changes: Mapping[str, _Change],
    slicings: Mapping[str, _Slicing],
    rows_of: Mapping[_Test, np.ndarray],
    settings: ComparisonSettings,
) -> dict[_Test, PairedOutcome]:
    """Random tests: a draw flips the sign of the change of each example that differs.

    Examples are in an order that depends only on their values and labels, and a change is from the lower to the higher
    row, so p does not depend on the order of examples or systems.

    Args:
        rows_of: the examples that differ in each test.
    """
    low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
    differ = np.flatnonzero(low != high)
    key = (low * len(pairs.rows.weights) + high)[differ]
    sign = np.where(pairs.first <= pairs.second, 1.0, -1.0)
    spot = {}  # slicing -> the index of each example among the drawn signs
    for name in dict.fromkeys(name for name, *_ in rows_of):
        order = np.lexsort((slicings[name].codes[differ], key))
        spot[name] = np.empty(len(low), np.int64)
        spot[name][differ[order]] = np.arange(len(differ))
    steps, least = np.zeros((len(differ), len(rows_of)), np.float32), np.empty(len(rows_of))
    for column, ((name, measure, _), rows) in enumerate(rows_of.items()):
        change = changes[measure].change[rows]
        steps[spot[name][rows], column] = sign[rows] * change
        least[column] = abs(float(change.sum())) - _TIE * math.sqrt(float(change @ change))
    totals, hits = steps.sum(axis=0, dtype=np.float64), np.zeros(len(rows_of), np.int64)
    ones = np.ones(len(differ), np.int64)
    for bits in swap_counts(ones, settings.n_permutations, settings.intervals.seed, np.float32):
        hits += (abs(totals - 2.0 * (bits @ steps)) >= least).sum(axis=0)
    p_values = ((hits + 1) / (settings.n_permutations + 1)).tolist()
    return {test: PairedOutcome(p, "permutation") for test, p in zip(rows_of, p_values, strict=True)}
