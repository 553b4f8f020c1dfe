"""Differences of means in all slices at once: sums by group, and one set of sign flips for all slices and measures.

The numbers are those of `difference.pair_differences` for each slice; a p-value that is drawn has other draws.
"""

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..core.group_means import GroupMeans, group_intervals, is_summed_by_group
from ..core.measures import Measure
from ..core.rounding import ROUNDING, ROUNDING_OF_SUMS, TINY
from ..core.scores import Scores
from .cautions import cautions_of
from .difference import ComparisonSettings, Difference, _n_needed
from .paired_tests import PairedOutcome
from .pairs import Pairs, changes_of
from .permutation import every_swap
from .spreads import DifferenceSpread, difference_interval

_CELLS_AT_ONCE = 1 << 23  # sign flips per block
_TIE = 1e-4  # slack of drawn sums in their standard deviations, above the rounding of single precision


def are_summed(systems: Mapping[str, Scores], measures: Sequence[str], settings: ComparisonSettings) -> bool:
    """Whether `slice_differences` computes these differences."""
    return (
        settings.test == "permutation"
        and settings.intervals.method == "auto"
        and all(is_summed_by_group(scores, scores.measures[name]) for scores in systems.values() for name in measures)
    )


class _Slicing(NamedTuple):
    """A slicing: its labels in order, and the group of each example."""

    labels: Sequence[str]
    codes: np.ndarray


class _Change(NamedTuple):
    """The values of a measure in two systems by example, and their difference rounded; NaN where one has none."""

    name: str
    measure: Measure
    first: np.ndarray
    second: np.ndarray
    change: np.ndarray


def slice_differences(
    systems: Mapping[str, Scores],
    slices: Mapping[str, tuple[Sequence[str], np.ndarray]],
    pairs: Sequence[tuple[str, str]],
    measures: Sequence[str],
    settings: ComparisonSettings,
) -> dict[tuple[str, str], list[Difference]]:
    """(Slicing, label) -> uncorrected differences of measures for which `are_summed`, where there is an example.

    Args:
        systems: with the same examples.
        slices: slicing -> labels in order, and the place of the label of each example.
    """
    found: dict[tuple[str, str], list[Difference]] = {
        (name, label): [] for name, (labels, _) in slices.items() for label in labels
    }
    for pair in pairs:
        both = [systems[name] for name in pair]
        unlike = [name for name in measures if both[0].measures[name] != both[1].measures.get(name)]
        if unlike:
            raise ValueError(f"{unlike[0]} of {pair[0]} and of {pair[1]} are not the same measure; compare them apart")
        changes = [_change_of(both[0], both[1], name) for name in measures]
        slicings = {name: _Slicing(*of) for name, of in slices.items()}
        tests = _Tests(both[0], both[1], changes, slicings, settings)
        for name, slicing in slicings.items():
            for place, change in enumerate(changes):
                for label, one in zip(
                    slicing.labels,
                    _differences(change, slicing, pair, tests.outcomes[name, place], settings),
                    strict=True,
                ):
                    if one is not None:
                        found[name, label].append(one)
    return found


def _change_of(first: Scores, second: Scores, name: str) -> _Change:
    measure = first.measures[name]
    a, b = (np.asarray(measure.by_example(scores.rows)) for scores in (first, second))
    both = ~(np.isnan(a) | np.isnan(b))
    change = np.full(len(a), np.nan)
    change[both] = changes_of(a[both], b[both])
    return _Change(name, measure, a, b, change)


def _differences(
    of: _Change,
    slicing: _Slicing,
    pair: tuple[str, str],
    outcomes: Sequence[PairedOutcome],
    settings: ComparisonSettings,
) -> list[Difference | None]:
    """The difference of a measure in each label; None where no example has both values."""
    n_groups, codes, level = len(slicing.labels), slicing.codes, settings.intervals.confidence
    both = ~np.isnan(of.change)
    group = np.where(both, codes, -1)
    one_only = np.isnan(of.first) != np.isnan(of.second)
    left_out = np.bincount(codes[one_only], minlength=n_groups).tolist()
    cells = [group_intervals(of.measure, values, group, n_groups, level) for values in (of.first, of.second)]
    own, change = codes[both], of.change[both]
    exact = GroupMeans.of(of.second[both] - of.first[both], own, n_groups)
    deviations = of.second[both] - of.first[both] - exact.means[own]
    peaks = [max(abs(a[0] or 0.0), abs(b[0] or 0.0)) for a, b in zip(*cells, strict=True)]
    slack = ROUNDING_OF_SUMS * np.array(peaks)
    deviations[abs(deviations) <= slack[own]] = 0.0
    spreads = GroupMeans.of(deviations, own, n_groups).spreads
    seconds, thirds = (np.bincount(own, deviations**power, n_groups) for power in (2, 3))
    changed, wins, losses = (
        np.bincount(own[marked], minlength=n_groups).tolist() for marked in (change != 0, change > 0, change < 0)
    )
    deviation = _deviations(change, own, n_groups)
    found: list[Difference | None] = []
    for place, (a, b) in enumerate(zip(*cells, strict=True)):
        n = a[1]
        if not n or a[0] is None or b[0] is None:
            found.append(None)
            continue
        difference = 0.0 if abs(b[0] - a[0]) <= TINY * peaks[place] else b[0] - a[0]
        second, third = seconds[place] / n, thirds[place] / n
        skew = None if n < 2 or not second > 0 else abs(third) / second**1.5 / math.sqrt(n)
        n_changed = max(changed[place], int(difference != 0))
        spread = DifferenceSpread(spreads[place], n, n_changed, skew)
        tested = outcomes[place]
        effect = difference / deviation[place] if deviation[place] > TINY else None
        n_needed, _ = _n_needed(effect, level, n, n)
        gains, falls = (wins, losses) if not of.measure.lower_is_better else (losses, wins)
        found.append(
            Difference(
                of.name,
                *pair,
                n,
                left_out[place],
                (a[0], b[0]),
                (a[2], b[2]),
                difference,
                difference_interval(of.measure, difference, spread, level),
                tested.p_value,
                tested.p_value,
                tested.test,
                gains[place],
                n - gains[place] - falls[place],
                falls[place],
                effect,
                n_needed,
                of.measure.is_rate,
                of.measure.lower_is_better,
                None,
                None,
                cautions_of(tested, level, spread, False, None),
            )
        )
    return found


def _deviations(change: np.ndarray, codes: np.ndarray, n_groups: int) -> list[float]:
    """The standard deviation of the changes in each group, 0 for fewer than two."""
    n = np.bincount(codes, minlength=n_groups)
    means = np.bincount(codes, change, n_groups) / np.maximum(n, 1)
    squares = np.bincount(codes, (change - means[codes]) ** 2, n_groups)
    deviations: list[float] = np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), 0.0).tolist()
    return deviations


class _Tests:
    """Permutation tests of all slices and measures of two systems.

    A slice with few distinct swaps has an exact p. The others share the draws: a draw flips the sign of the change of each
    example that differs. Examples are in an order that depends only on their values and labels, and a change is from the
    lower to the higher row, so that p does not depend on the order of examples or systems.
    """

    def __init__(
        self,
        first: Scores,
        second: Scores,
        changes: Sequence[_Change],
        slicings: Mapping[str, _Slicing],
        settings: ComparisonSettings,
    ):
        self.settings = settings
        self.outcomes: dict[tuple[str, int], list[PairedOutcome]] = {}
        drawn: list[tuple[str, int, int, np.ndarray]] = []
        for name, slicing in slicings.items():
            for place, change in enumerate(changes):
                outcomes = []
                for number, rows in enumerate(_rows_by_group(slicing, change.change)):
                    p = self._exact(change.change[rows])
                    outcomes.append(
                        PairedOutcome(1.0 if p is None else p, "permutation" if p is None else "exact permutation")
                    )
                    if p is None:
                        drawn.append((name, place, number, rows))
                self.outcomes[name, place] = outcomes
        if drawn:
            self._draw(first, second, changes, slicings, drawn)

    def _exact(self, change: np.ndarray) -> float | None:
        """The exact p-value; None if there are too many distinct swaps."""
        if len(change) > self.settings.n_permutations:  # too many even if all changes are equal
            return None
        steps, counts = np.unique(abs(change), return_counts=True)
        every = every_swap(counts, self.settings.n_permutations)
        if every is None:
            return None
        swaps, shares = every
        sums, total = (2 * swaps - counts) @ steps, float(abs(change).sum())
        observed = abs(float(change.sum()))
        extreme = abs(sums) >= observed - ROUNDING * observed - ROUNDING_OF_SUMS * total
        p = 1.0 if extreme.all() else min(1.0, math.fsum(shares[extreme]))
        return max(p, sys.float_info.min)

    def _draw(
        self,
        first: Scores,
        second: Scores,
        changes: Sequence[_Change],
        slicings: Mapping[str, _Slicing],
        drawn: Sequence[tuple[str, int, int, np.ndarray]],
    ) -> None:
        measures = {name: measure for name, measure in first.measures.items() if second.measures.get(name) == measure}
        measures = {name: measure for name, measure in measures.items() if measure.has_interval}
        pairs = Pairs(first.rows, second.rows, measures)
        low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
        differ = np.flatnonzero(low != high)
        key = (low * len(pairs.rows.weights) + high)[differ]
        sign = np.where(pairs.first <= pairs.second, 1.0, -1.0)
        spot = {}  # slicing -> the place of each example among the drawn signs
        for name in dict.fromkeys(name for name, *_ in drawn):
            order = np.lexsort((slicings[name].codes[differ], key))
            spot[name] = np.empty(len(first), np.int64)
            spot[name][differ[order]] = np.arange(len(differ))
        steps = np.zeros((len(differ), len(drawn)), np.float32)
        least = np.empty(len(drawn))
        for column, (name, place, _, rows) in enumerate(drawn):
            change = changes[place].change[rows]
            steps[spot[name][rows], column] = sign[rows] * change
            least[column] = abs(float(change.sum())) - _TIE * math.sqrt(float(change @ change))
        totals, hits = steps.sum(axis=0, dtype=np.float64), np.zeros(len(drawn), np.int64)
        for bits in _bits(len(differ), self.settings.n_permutations, self.settings.intervals.seed):
            hits += (abs(totals - 2.0 * (bits @ steps)) >= least).sum(axis=0)
        for (name, place, number, _), hit in zip(drawn, hits.tolist(), strict=True):
            p = (hit + 1) / (self.settings.n_permutations + 1)
            self.outcomes[name, place][number] = PairedOutcome(p, "permutation")


def _rows_by_group(slicing: _Slicing, change: np.ndarray) -> list[np.ndarray]:
    """The examples of each label whose value differs between the systems."""
    rows = np.flatnonzero(~np.isnan(change) & (change != 0))
    codes = slicing.codes[rows]
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(slicing.labels)))[:-1]
    return np.split(rows[order], ends)


def _bits(n: int, n_permutations: int, seed: int) -> Iterator[np.ndarray]:
    """Blocks of (b, n) zeros and ones in single precision, n_permutations rows in all."""
    rng = np.random.default_rng(seed)
    step, width = max(1, _CELLS_AT_ONCE // max(1, n)), 4 * -(-n // 32)  # whole words, so that blocks do not matter
    for start in range(0, n_permutations, step):
        size = min(step, n_permutations - start)
        drawn = np.frombuffer(rng.bytes(size * width), np.uint8).reshape(size, width)
        yield np.unpackbits(drawn, axis=1, count=n).astype(np.float32)
