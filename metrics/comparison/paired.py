"""Paired statistics of two systems on the same examples: what chance alone does to the difference of a measure."""

import math
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np

from ..core.bootstrap import CELLS_AT_ONCE, resampling_weights, row_codes
from ..core.measures import Measure, Rows, TermMeasure
from ..core.ragged import join_rows

PAIRED_TESTS = ("permutation", "bootstrap", "t", "wilcoxon", "mcnemar")
CORRECTIONS = ("holm", "bonferroni", "benjamini-hochberg", "none")
_ROWS_AT_ONCE = 1 << 18  # counts of rows held at a time, few enough for the processor's cache
_LIKE = 1e-9  # differences this much apart, of the size of the values, are rounding


class PairedOutcome(NamedTuple):
    """The result of a test: p, two-sided, and how it was found."""

    p_value: float
    test: str


class Pairs:
    """The statistics of two systems on the same examples, each distinct row of statistics held once.

    Attributes:
        rows: the distinct rows of both systems, in an order that the values alone decide.
        first, second: int64 (n,), the row in `rows` of each example, in the first and in the second system.
        measures: those that the pairs are made for; all of them read only `rows`.
    """

    def __init__(self, first: Rows, second: Rows, measures: Mapping[str, Measure]):
        self.measures = measures
        n = len(first.weights)
        stacked = _stacked(first, second, measures)
        _, places, codes = np.unique(row_codes(stacked.arrays, 2 * n), return_index=True, return_inverse=True)
        self.rows = stacked.take(places)
        self.first, self.second = codes[:n], codes[n:]

    def applies(self, measure: Measure) -> np.ndarray:
        """Which rows a measure applies to, (distinct rows,) bools."""
        return measure.applies(self.rows)

    @property
    def count_alike(self) -> bool:
        """Whether all examples have the same weight."""
        weights = self.rows.weights
        return bool(len(weights)) and bool(weights[0] > 0) and bool((weights == weights[0]).all())

    def count_changed(self, measure: Measure) -> int:
        """How many of the examples that a measure applies to in both systems have other statistics in the second."""
        applies = self.applies(measure)
        return int((applies[self.first] & applies[self.second] & (self.first != self.second)).sum())

    def by_example(self, measure: Measure) -> tuple[np.ndarray, np.ndarray] | None:
        """The value of each example by itself in both systems, of the examples that the measure applies to in both.

        They are in an order that the values alone decide.
        """
        values = measure.by_example(self.rows)
        if values is None:
            return None
        applies = self.applies(measure) & ~np.isnan(values)
        both = applies[self.first] & applies[self.second]
        first, second = values[self.first[both]], values[self.second[both]]
        order = np.lexsort((second, first))
        return first[order], second[order]

    def permutation_tests(self, names: Sequence[str], n_permutations: int, seed: int) -> dict[str, PairedOutcome]:
        """Paired permutation tests (Fisher, 1935): the statistics of each example are swapped between the systems, or not.

        Means are tested in this way, and so are measures that are not means (micro and macro F1, ratios, curves). Where
        all swaps that make a difference come to at most `n_permutations`, all are made, and p is exact (2.2e-308 stands
        for less). The order of examples, and which system comes first, change nothing.
        """
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        kinds, counts = _counted(low, high, len(self.rows.weights), low != high)
        swapped = _counted(low, high, len(self.rows.weights), self.first > self.second, kinds)[1]
        same = np.bincount(low[low == high], minlength=len(self.rows.weights))
        swaps = _Swaps(self.rows, kinds, counts, swapped, same)
        outcomes: dict[str, PairedOutcome] = {}
        drawn: list[_SwappedSums | _SwappedTimes] = []
        for statistic in self._swapped(swaps, names):
            every = statistic.every_difference(n_permutations)
            if every is None:
                drawn.append(statistic)
                continue
            differences, shares = every
            for name, extreme in statistic.extreme(differences).items():
                p = 1.0 if extreme.all() else min(1.0, math.fsum(shares[extreme]))
                outcomes[name] = PairedOutcome(max(p, sys.float_info.min), "exact permutation")
        hits = {name: 0 for statistic in drawn for name in statistic.observed}
        sums = [statistic for statistic in drawn if isinstance(statistic, _SwappedSums)]
        steps = np.column_stack([statistic.steps for statistic in sums]) if sums else np.zeros((len(counts), 0))
        for block in swap_counts(counts, n_permutations, seed) if drawn else ():
            moved = iter(
                np.split(block @ steps, np.cumsum([summed.steps.shape[1] for summed in sums])[:-1], axis=1)
                if sums
                else []
            )
            for statistic in drawn:
                differences = (
                    statistic.moved(next(moved))
                    if isinstance(statistic, _SwappedSums)
                    else statistic.differences(block)
                )
                for name, extreme in statistic.extreme(differences).items():
                    hits[name] += int(extreme.sum())
        outcomes |= {name: PairedOutcome((hit + 1) / (n_permutations + 1), "permutation") for name, hit in hits.items()}
        return {name: outcomes[name] for name in names}

    def _swapped(self, swaps: "_Swaps", names: Sequence[str]) -> "list[_SwappedSums | _SwappedTimes]":
        """What swapping does to each measure of sums, and to others together where they apply to the same examples."""
        sums: list[_SwappedSums | _SwappedTimes] = []
        others: dict[bytes, dict[str, Measure]] = {}
        for name in names:
            measure = self.measures[name]
            if isinstance(measure, TermMeasure):
                sums.append(_SwappedSums(swaps, name, measure))
            else:
                others.setdefault(self.applies(measure).tobytes(), {})[name] = measure
        return sums + [_SwappedTimes(swaps, measures) for measures in others.values()]

    def bootstrap_differences(self, names: Sequence[str], n_resamples: int, seed: int) -> dict[str, np.ndarray]:
        """The differences, second minus first, when the examples are drawn again with replacement, (n_resamples,) each.

        Both systems always have the same examples. NaN where a measure applies to none of them.
        """
        size = len(self.rows.weights)
        kinds, counts = _counted(self.first, self.second, size, np.ones(len(self.first), bool))
        first, second = kinds
        differences = {name: np.empty(n_resamples) for name in names}
        terms = {name: self._both_terms(self.measures[name], first, second) for name in names}
        sums = [_SumsByOwner(rows, size) for rows in kinds]
        step = max(1, _ROWS_AT_ONCE // max(1, size))
        others: dict[bytes, list[str]] = {}
        for name in names:
            if terms[name] is None:
                others.setdefault(self.applies(self.measures[name]).tobytes(), []).append(name)
        done = 0
        for replicate_counts in resampling_weights(counts, n_resamples, seed):
            block = slice(done, done + len(replicate_counts))
            for name, both in terms.items():
                if both is not None:
                    measure = cast(TermMeasure, self.measures[name])
                    a, b = (measure.value_of((replicate_counts @ matrix).T) for matrix in both)
                    differences[name][block] = b - a
            for group in others.values():  # measures share what they compute of the same array, one array at a time
                applies = self.applies(self.measures[group[0]])
                in_both = applies[first] & applies[second]
                for start in range(0, len(replicate_counts), step):
                    counts = replicate_counts[start : start + step] * in_both
                    values = [
                        [self.measures[name].value(self.rows, counted) for name in group]
                        for counted in (side.of(counts) for side in sums)
                    ]
                    for name, a, b in zip(group, *values, strict=True):
                        differences[name][done + start : done + start + len(a)] = b - a
            done += len(replicate_counts)
        return differences

    def _both_terms(
        self, measure: Measure, first: np.ndarray, second: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        if not isinstance(measure, TermMeasure):
            return None
        terms, applies = np.column_stack(measure.terms(self.rows)), self.applies(measure)
        both = (applies[first] & applies[second])[:, None]
        return np.where(both, terms[first], 0.0), np.where(both, terms[second], 0.0)


def without_rounding(values: np.ndarray, digits: int = 12, axis: int | None = None) -> np.ndarray:
    """Values to so many digits of the largest: what only rounding parts is equal.

    2/3 computed in two ways may differ in the last bit; a test that ranks differences would take that for one.

    Args:
        axis: values along it have a largest of their own.

    Example:
        >>> without_rounding(np.array([0.1 + 0.2, 0.3, 1 - 0.7])).tolist()
        [0.3, 0.3, 0.3]
    """
    peaks = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=axis, initial=0.0, keepdims=axis is not None)
    scale = 10.0 ** (digits - np.ceil(np.log10(np.maximum(peaks, 1e-100))))
    rounded: np.ndarray = np.round(values * scale) / scale
    return rounded


def changes_of(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Second minus first of each example, (n,), to 11 digits of the largest value, so that equal changes are equal.

    Example:
        >>> changes_of(np.array([0.0, 0.1, 0.2]), np.array([0.1, 0.2, 0.1 + 0.2])).tolist()
        [0.1, 0.1, 0.1]
    """
    n = len(first)
    return without_rounding(np.concatenate([second - first, first, second]), 11)[:n]


def are_right_or_wrong(values: np.ndarray) -> bool:
    """Whether all values but NaN are 0 or the largest of a measure, 1 or 100."""
    known = values[~np.isnan(values)]
    return any(((known == 0) | (known == largest)).all() for largest in (1, 100))


class _Swaps(NamedTuple):
    """Pairs of different rows: what a permutation swaps.

    `kinds` are the lower and the higher row of each kind of pair, `counts` how many examples are of that kind,
    `swapped` in how many of them the first system has the higher row, `same` how many examples have each row in both.
    """

    rows: Rows
    kinds: tuple[np.ndarray, np.ndarray]
    counts: np.ndarray
    swapped: np.ndarray
    same: np.ndarray


class _SwappedSums:
    """A measure of sums: swapping an example moves its difference from one system's sums to the other's."""

    def __init__(self, swaps: _Swaps, name: str, measure: TermMeasure):
        terms, applies = np.column_stack(measure.terms(swaps.rows)), measure.applies(swaps.rows)
        low, high = swaps.kinds
        both = (applies[low] & applies[high])[:, None]
        self.name, self.measure, self.counts = name, measure, swaps.counts
        self.steps = np.where(both, terms[high] - terms[low], 0.0)
        middle = np.where(both, terms[high] + terms[low], 0.0).T @ swaps.counts / 2
        self.middle = (middle + np.where(applies[:, None], terms, 0.0).T @ swaps.same)[:, None]
        self.half = (swaps.counts / 2) @ self.steps
        self.observed = {name: float(self.differences(swaps.swapped[None].astype(np.float64))[name][0])}
        # What rounding may do to the difference: less than this much of the size of what is summed.
        size = measure.value_of(np.where(both, abs(terms[high]) + abs(terms[low]), 0.0).T @ swaps.counts[:, None] / 2)
        middle = float(np.nan_to_num(abs(measure.value_of(self.middle)))[0])
        self.slack = _LIKE * middle + 1e-11 * float(np.nan_to_num(abs(size))[0])

    def differences(self, swapped: np.ndarray) -> dict[str, np.ndarray]:
        """Second minus first, (b,), where `swapped` (b, kinds) of each kind of pair are swapped."""
        return self.moved(swapped @ self.steps)

    def moved(self, sums: np.ndarray) -> dict[str, np.ndarray]:
        """Second minus first, (b,), where so much has moved from one system's sums to the other's, (b, sums)."""
        return {self.name: self._moved((sums - self.half).T)}

    def every_difference(self, most: int) -> tuple[dict[str, np.ndarray], np.ndarray] | None:
        """The differences of all swaps, and how probable each is; None where there are more than `most`.

        Kinds of pairs with the same step, up to its sign, are one: swapping one is not swapping the other.
        """
        steps = without_rounding(self.steps, 11, axis=0)
        used = steps.any(axis=1)
        steps = steps[used]
        lead = steps[np.arange(len(steps)), np.argmax(steps != 0, axis=1)]
        steps, group = np.unique(steps * np.sign(lead)[:, None], axis=0, return_inverse=True)
        counts = np.bincount(group.reshape(-1), self.counts[used], len(steps)).astype(np.int64)
        swaps = every_swap(counts, most)
        return swaps and ({self.name: self._moved(((swaps[0] - counts / 2) @ steps).T)}, swaps[1])

    def extreme(self, differences: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Which differences are as far from 0 as the observed one, (b,) bools."""
        return {self.name: _as_extreme(differences[self.name], self.observed[self.name], self.slack)}

    def _moved(self, sums: np.ndarray) -> np.ndarray:
        first, second = (self.measure.value_of(self.middle + side * sums) for side in (1, -1))
        moved: np.ndarray = np.nan_to_num(second) - np.nan_to_num(first)
        return moved


class _SwappedTimes:
    """Other measures, of the same examples, as `_SwappedSums`: they are asked again for how often each row counts."""

    def __init__(self, swaps: _Swaps, measures: Mapping[str, Measure]):
        applies = next(iter(measures.values())).applies(swaps.rows)
        low, high = swaps.kinds
        self.used = np.flatnonzero(applies[low] & applies[high])
        low, high, self.counts = low[self.used], high[self.used], swaps.counts[self.used]
        size = len(swaps.rows.weights)
        self.rows, self.measures = swaps.rows, measures
        # How often each row counts in the first system where nothing is swapped, and in both systems.
        self.unswapped = np.where(applies, swaps.same, 0.0) + np.bincount(low, self.counts, size)
        self.both = 2.0 * np.where(applies, swaps.same, 0) + np.bincount(low, self.counts, size)
        self.both += np.bincount(high, self.counts, size)
        # A swap takes the lower row out of the first system and brings the higher one in.
        self.moves = _SumsByOwner(high, size, low)
        values = self._values(swaps.swapped[None, self.used].astype(np.float64))
        self.observed = {name: float(second[0] - first[0]) for name, (first, second) in values.items()}
        self.slack = {name: _LIKE * float(max(abs(a[0]), abs(b[0]))) for name, (a, b) in values.items()}

    def differences(self, swapped: np.ndarray) -> dict[str, np.ndarray]:
        return {name: second - first for name, (first, second) in self._values(swapped[:, self.used]).items()}

    def every_difference(self, most: int) -> tuple[dict[str, np.ndarray], np.ndarray] | None:
        swaps = every_swap(self.counts, most)
        if swaps is None:
            return None
        return {name: second - first for name, (first, second) in self._values(swaps[0]).items()}, swaps[1]

    def extreme(self, differences: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {
            name: _as_extreme(values, self.observed[name], self.slack[name]) for name, values in differences.items()
        }

    def _values(self, swapped: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """The values of both systems, (b,) each, in blocks: there may be many more rows than pairs that differ."""
        values = {name: (np.empty(len(swapped)), np.empty(len(swapped))) for name in self.measures}
        step = max(1, _ROWS_AT_ONCE // max(1, len(self.both)))
        for start in range(0, len(swapped), step):
            block = slice(start, start + step)
            first = self.unswapped + self.moves.of(swapped[block])
            for name, measure in self.measures.items():
                sides = measure.values_of_sides(self.rows, first, self.both)
                for kept, side in zip(values[name], sides, strict=True):
                    kept[block] = np.nan_to_num(side)
        return values


def swap_counts(counts: np.ndarray, n_permutations: int, seed: int) -> Iterable[np.ndarray]:
    """Of `counts` (g,) pairs of each kind how many are swapped, when each is with probability 1/2.

    Returns:
        Blocks of (b, g) floats, n_permutations rows in all.
    """
    rng = np.random.default_rng(seed)
    m = int(counts.sum())
    few = 8 * len(counts) <= m  # one binomial draw per kind is then cheaper than one bit per pair
    starts = np.append(0, np.cumsum(counts)[:-1])
    step = max(1, CELLS_AT_ONCE // max(1, len(counts) if few else m))
    for start in range(0, n_permutations, step):
        size = min(step, n_permutations - start)
        if m == 0:
            yield np.zeros((size, len(counts)))
        elif few:
            yield rng.binomial(counts, 0.5, size=(size, len(counts))).astype(np.float64)
        else:
            width = 4 * -(-m // 32)  # whole words of the generator, so that the blocks do not matter
            bits = np.unpackbits(np.frombuffer(rng.bytes(size * width), np.uint8).reshape(size, width), axis=1)[:, :m]
            if len(counts) < m:
                bits = np.add.reduceat(bits, starts, axis=1, dtype=np.float64)
            yield bits.astype(np.float64, copy=False)


def every_swap(counts: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray] | None:
    """All that `swap_counts` may give, (b, g), and how probable each is, (b,); None where they are more than `most`.

    Example:
        >>> swaps, shares = every_swap(np.array([2]), most=10)
        >>> swaps.tolist(), shares.round(6).tolist()
        ([[0.0], [1.0], [2.0]], [0.25, 0.5, 0.25])
    """
    if sum(math.log(count + 1) for count in counts.tolist()) > math.log(most) + 1e-9:
        return None
    swaps, shares = np.zeros((1, 0)), np.ones(1)
    for count in counts.tolist():
        logs = [math.lgamma(count + 1) - math.lgamma(x + 1) - math.lgamma(count - x + 1) for x in range(count + 1)]
        own = np.exp(np.array(logs) - count * math.log(2))
        swaps = np.column_stack([np.repeat(swaps, count + 1, axis=0), np.tile(np.arange(count + 1.0), len(swaps))])
        shares = np.repeat(shares, count + 1) * np.tile(own, len(shares))
    return swaps, shares


def bootstrap_test(differences: np.ndarray, observed: float, changed: int, slack: float = 0.0) -> PairedOutcome:
    """The paired bootstrap test: how often a resampled difference is as far from the observed one as that is from 0.

    Few examples drawn again say too little of others: p is at least what a test of signs of `changed` examples can give.

    Args:
        differences: of resamples, NaN where there was none; see `Pairs.bootstrap_differences`.
        changed: how many examples differ between the systems.
        slack: what may be rounding of a difference.

    Source: Efron and Tibshirani (1993), 16.4; in use since Koehn (2004).
    """
    differences = differences[~np.isnan(differences)]
    hits = int(_as_extreme(differences - observed, observed, slack).sum())
    return PairedOutcome(max((hits + 1) / (len(differences) + 1), min(1.0, 2.0 ** (1 - changed))), "bootstrap")


def student_t_test(first: np.ndarray, second: np.ndarray) -> PairedOutcome:
    """Student's t-test of pairs; p is 1 with fewer than two examples or without any difference.

    Example:
        >>> student_t_test(np.array([0.0, 0.5, 0.2]), np.array([0.5, 0.9, 1.0])).p_value.__round__(4)
        0.0422
    """
    if len(first) < 2 or not changes_of(first, second).any():
        return PairedOutcome(1.0, "t")
    from scipy.stats import ttest_rel

    with warnings.catch_warnings(), np.errstate(divide="ignore", invalid="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)  # a constant difference: t is infinite or nearly so, p is 0
        return PairedOutcome(float(ttest_rel(second, first).pvalue), "t")


def wilcoxon_test(first: np.ndarray, second: np.ndarray) -> PairedOutcome:
    """Wilcoxon's signed-rank test, without the examples that are equal in both, as scipy does it."""
    changes = changes_of(first, second)
    if not changes.any():
        return PairedOutcome(1.0, "wilcoxon")
    from scipy.stats import wilcoxon

    return PairedOutcome(float(wilcoxon(changes).pvalue), "wilcoxon")


def mcnemar_test(first: np.ndarray, second: np.ndarray) -> PairedOutcome:
    """McNemar's test for measures of right and wrong: the exact binomial test of the examples that only one has right."""
    changes = changes_of(first, second)
    better, worse = int((changes > 0).sum()), int((changes < 0).sum())
    if better + worse == 0:
        return PairedOutcome(1.0, "mcnemar")
    from scipy.stats import binomtest

    return PairedOutcome(float(binomtest(better, better + worse).pvalue), "mcnemar")


def corrected_p_values(p_values: Sequence[float], correction: str) -> list[float]:
    """p-values of several tests, corrected so that the share of false findings stays that of one test.

    Args:
        correction: "holm" or "bonferroni" (the chance of any false finding), "benjamini-hochberg" (the share of false
            ones among the findings), or "none".

    Example:
        >>> corrected_p_values([0.01, 0.04, 0.03], "holm")
        [0.03, 0.06, 0.06]
    """
    given = np.asarray(p_values, np.float64)
    size = len(given)
    if correction == "none" or size == 0:
        return list(given.tolist())
    if correction == "bonferroni":
        return list(np.minimum(1.0, size * given).tolist())
    if correction == "benjamini-hochberg":
        from scipy.stats import false_discovery_control

        return list(false_discovery_control(given, method="bh").tolist())
    order = np.argsort(given, kind="stable")
    stepped = np.maximum.accumulate(given[order] * np.arange(size, 0, -1))
    corrected = np.empty(size)
    corrected[order] = np.minimum(1.0, stepped)
    return list(corrected.tolist())


def _stacked(first: Rows, second: Rows, measures: Mapping[str, Measure]) -> Rows:
    """The rows of both systems, one below the other, with what the measures read."""
    columns = dict.fromkeys(name for measure in measures.values() for name in measure.reads)
    subsets = dict.fromkeys(measure.subset for measure in measures.values() if measure.subset)
    return Rows(
        {name: join_rows([first.columns[name], second.columns[name]]) for name in columns},
        {name: np.concatenate([first.subsets[name], second.subsets[name]]) for name in subsets},
        np.concatenate([first.weights, second.weights]),
    )


def _counted(
    first: np.ndarray, second: np.ndarray, size: int, which: np.ndarray, kinds: tuple[Any, ...] | None = None
) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """The distinct pairs of two numbers below `size` among some, and how often each stands there (or each of `kinds`)."""
    keys = (first * size + second)[which]
    if kinds is None:
        kind_keys, counts = np.unique(keys, return_counts=True)
        return (kind_keys // size, kind_keys % size), counts
    kind_keys = kinds[0] * size + kinds[1]
    return kinds, np.bincount(np.searchsorted(kind_keys, keys), minlength=len(kind_keys))


class _SumsByOwner:
    """Adds up columns by owner.

    Args:
        owners: (m,) of the columns, each below `size`.
        other_owners: the columns are taken off these.
    """

    def __init__(self, owners: np.ndarray, size: int, other_owners: np.ndarray | None = None):
        self.columns, self.signs = np.arange(len(owners)), None
        if other_owners is not None:
            self.columns = np.tile(self.columns, 2)
            self.signs = np.repeat([1.0, -1.0], len(owners))
            owners = np.concatenate((owners, other_owners))
        order = np.argsort(owners, kind="stable")
        self.columns, self.signs = self.columns[order], None if self.signs is None else self.signs[order]
        self.starts = np.flatnonzero(np.diff(owners[order], prepend=-1))
        self.owners, self.size = owners[order[self.starts]], size

    def of(self, columns: np.ndarray) -> np.ndarray:
        """The columns of (b, m) of each owner added up, (b, size)."""
        columns = columns.take(self.columns, axis=1)
        if self.signs is not None:
            columns *= self.signs
        if len(self.starts) < len(self.columns):
            columns = np.add.reduceat(columns, self.starts, axis=1)
        if len(self.owners) == self.size:
            return columns
        sums = np.zeros((len(columns), self.size))
        sums[:, self.owners] = columns
        return sums


def _as_extreme(differences: np.ndarray, observed: float, slack: float) -> np.ndarray:
    """Which differences are at least as far from 0 as the observed one, where `slack` may be rounding."""
    return abs(differences) >= abs(observed) - max(slack, _LIKE * abs(observed))
