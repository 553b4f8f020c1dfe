"""Differences of means in all slices at once: sums by group, and one set of sign flips for all slices and measures.

The numbers equal those of `difference.pair_differences` for each slice, except that random p-values have other draws.
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
from .difference import ComparisonSettings, Difference
from .paired_tests import PairedOutcome
from .pairs import Pairs, changes_of
from .permutation import every_swap, random_bits
from .sample_size import n_needed_for
from .spreads import Changes, DifferenceSpread, difference_interval, n_with_tail, small_sample_test

_CELLS_AT_ONCE = 1 << 23  # sign flips per block
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
    slices: Mapping[str, Slicing],
    pairs: Sequence[tuple[str, str]],
    measures: Sequence[str],
    settings: ComparisonSettings,
) -> dict[tuple[str, str], list[Difference]]:
    """(Slicing, label) -> the uncorrected differences by measures for which `are_summed` holds, if there is an example.

    Args:
        systems: Scores of the same examples.
    """
    found: dict[tuple[str, str], list[Difference]] = {
        (name, label): [] for name, (labels, _) in slices.items() for label in labels
    }
    for pair in pairs:
        first, second = (systems[name] for name in pair)
        changes = {name: _Change.of(first, second, name) for name in measures}
        outcomes = _outcomes(first, second, changes, slices, settings)
        for name, slicing in slices.items():
            for measure, change in changes.items():
                differences = _differences(measure, change, slicing, pair, outcomes[name, measure], settings)
                for label, one in zip(slicing[0], differences, strict=True):
                    if one is not None:
                        found[name, label].append(one)
    return found


def _differences(
    name: str,
    of: _Change,
    slicing: Slicing,
    pair: tuple[str, str],
    outcomes: Sequence[PairedOutcome],
    settings: ComparisonSettings,
) -> list[Difference | None]:
    """The difference of a measure in each label; None where no example has both values."""
    n_groups, codes, level = len(slicing[0]), slicing[1], settings.intervals.confidence
    both = ~np.isnan(of.change)
    group = np.where(both, codes, -1)
    one_only = np.isnan(of.first) != np.isnan(of.second)
    left_out = np.bincount(codes[one_only], minlength=n_groups).tolist()
    cells = [group_intervals(of.measure, values, group, n_groups, level) for values in (of.first, of.second)]
    known, change = codes[both], of.change[both]
    raw = of.second[both] - of.first[both]
    deviations = raw - GroupMeans.of(raw, known, n_groups).means[known]
    peaks = [max(abs(a[0] or 0.0), abs(b[0] or 0.0)) for a, b in zip(*cells, strict=True)]
    slack = ROUNDING_OF_SUMS * np.array(peaks)
    deviations[abs(deviations) <= slack[known]] = 0.0
    spreads = GroupMeans.of(deviations, known, n_groups).spreads
    seconds, thirds = (np.bincount(known, deviations**power, n_groups) for power in (2, 3))
    gained = -change if of.measure.lower_is_better else change
    changed, better, worse = (
        np.bincount(known[marked], minlength=n_groups).tolist() for marked in (change != 0, gained > 0, gained < 0)
    )
    deviation = _deviations(change, known, n_groups)
    order, ends = np.argsort(known, kind="stable"), np.cumsum(np.bincount(known, minlength=n_groups))[:-1]
    parts, firsts, lasts = (np.split(one[order], ends) for one in (change, of.first[both], of.second[both]))
    found: list[Difference | None] = []
    for index, (a, b) in enumerate(zip(*cells, strict=True)):
        n = a[1]
        if not n or a[0] is None or b[0] is None:
            found.append(None)
            continue
        difference = 0.0 if abs(b[0] - a[0]) <= TINY * peaks[index] else b[0] - a[0]
        second, third = seconds[index] / n, thirds[index] / n
        skew = third / second**1.5 / math.sqrt(n) if n > 1 and second > 0 else 0.0
        n_changed, of_examples = (
            max(changed[index], int(difference != 0)),
            Changes.of(parts[index], firsts[index], lasts[index], of.measure),
        )
        spread = DifferenceSpread(spreads[index], n, n_changed, skew, of_examples)
        tested = small_sample_test(outcomes[index], of.measure, difference, spread)
        effect = difference / deviation[index] if deviation[index] > TINY else None
        found.append(
            Difference(
                measure=name,
                first=pair[0],
                second=pair[1],
                n=n,
                left_out=left_out[index],
                test=tested.test,
                values=(a[0], b[0]),
                intervals=(a[2], b[2]),
                difference=difference,
                interval=difference_interval(of.measure, difference, spread, level),
                p_value=tested.p_value,
                p_corrected=tested.p_value,
                better=better[index],
                equal=n - better[index] - worse[index],
                worse=worse[index],
                effect_size=effect,
                n_needed=n_with_tail(n_needed_for(effect, level, n, n)[0], tested, n, level),
                is_rate=of.measure.is_rate,
                lower_is_better=of.measure.lower_is_better,
                cautions=cautions_of(tested, level, spread, False, None),
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
            for rows in _rows_by_group(slicing, of.change):
                p = _exact_p(of.change[rows], settings.n_permutations)
                if p is None:
                    drawn.append(_Drawn(outcomes, len(outcomes), name, rows, of.change[rows]))
                outcomes.append(PairedOutcome(1.0 if p is None else p, "exact permutation"))
    if drawn:
        _draw(Pairs(first.rows, second.rows, _shared(first, second)), slices, drawn, settings)
    return found


class _Drawn(NamedTuple):
    """A test to draw: the outcomes of its slicing, the index of its label there, and the examples that differ."""

    outcomes: list[PairedOutcome]
    label: int
    slicing: str
    rows: np.ndarray
    change: np.ndarray


def _shared(first: Scores, second: Scores) -> dict[str, Measure]:
    """The measures with an interval that both systems have."""
    return {
        name: measure
        for name, measure in first.measures.items()
        if measure.has_interval and second.measures.get(name) == measure
    }


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
    for bits in _bits(len(differ), settings.n_permutations, settings.intervals.seed):
        hits += (abs(totals - 2.0 * (bits @ steps)) >= least).sum(axis=0)
    for test, hit in zip(drawn, hits.tolist(), strict=True):
        test.outcomes[test.label] = PairedOutcome((hit + 1) / (settings.n_permutations + 1), "permutation")


def _rows_by_group(slicing: Slicing, change: np.ndarray) -> list[np.ndarray]:
    """The examples of each label whose value differs between the systems."""
    rows = np.flatnonzero(~np.isnan(change) & (change != 0))
    codes = slicing[1][rows]
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(slicing[0])))[:-1]
    return np.split(rows[order], ends)


def _bits(n: int, n_permutations: int, seed: int) -> Iterator[np.ndarray]:
    """Blocks of (b, n) zeros and ones in single precision, n_permutations rows in all."""
    rng = np.random.default_rng(seed)
    step = max(1, _CELLS_AT_ONCE // max(1, n))
    for start in range(0, n_permutations, step):
        yield random_bits(rng, min(step, n_permutations - start), n).astype(np.float32)
