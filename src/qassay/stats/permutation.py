"""Paired permutation tests: the difference after examples or groups are swapped at random between the systems."""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from ..core.bootstrap import CELLS_AT_ONCE, Members, rows_at_once
from ..core.measures import Measure, Rows, TermMeasure
from ..core.rounding import ROUNDING, ROUNDING_OF_SUMS
from .paired_tests import PairedOutcome, as_extreme
from .pairs import Pairs, without_rounding

_ROWS_AT_ONCE = 1 << 18  # counts of rows per block, small enough for the processor's cache


def permutation_tests(pairs: Pairs, names: Sequence[str], n_permutations: int, seed: int) -> dict[str, PairedOutcome]:
    """Paired permutation tests (Fisher, 1935): the statistics of each example are randomly swapped between the systems.

    Examples of one group are swapped together. The test is valid for means and other measures (micro and macro F1,
    ratios, curves). If there are at most `n_permutations` distinct swaps, the test makes all of them, and p is exact
    (at least 2.2e-308). p does not depend on the order of examples or systems.
    """
    swaps = _Swaps.of(pairs)
    sums: dict[str, TermMeasure] = {}
    others: dict[bytes, dict[str, Measure]] = {}
    for name in names:
        measure = pairs.measures[name]
        if isinstance(measure, TermMeasure):
            sums[name] = measure
        else:
            others.setdefault(measure.applies(pairs.rows).tobytes(), {})[name] = measure
    statistics: list[_SwappedSums | _SwappedTimes] = [_SwappedSums(swaps, {name: of}) for name, of in sums.items()]
    statistics += [_SwappedTimes(swaps, measures) for measures in others.values()]
    outcomes: dict[str, PairedOutcome] = {}
    drawn: list[_SwappedSums | _SwappedTimes] = []
    for statistic in statistics:
        every = statistic.every(n_permutations)
        if every is None:
            drawn.append(statistic)
            continue
        for name, extreme in statistic.extreme(every[0]).items():
            outcomes[name] = PairedOutcome(exact_p(extreme, every[1]), "exact permutation")
    if len(of_sums := {name: of for name, of in sums.items() if name not in outcomes}) > 1:  # one product for all
        drawn = [_SwappedSums(swaps, of_sums), *(one for one in drawn if isinstance(one, _SwappedTimes))]
    hits = dict.fromkeys((name for statistic in drawn for name in statistic.observed), 0)
    for block in swap_counts(swaps.units, n_permutations, seed) if drawn else ():
        for statistic in drawn:
            for name, extreme in statistic.extreme(statistic.drawn(block)).items():
                hits[name] += int(extreme.sum())
    outcomes |= {name: PairedOutcome((hit + 1) / (n_permutations + 1), "permutation") for name, hit in hits.items()}
    return {name: outcomes[name] for name in names}


def exact_p(extreme: np.ndarray, shares: np.ndarray) -> float:
    """The probability of the extreme ones among all distinct swaps; `shares` has the probability of each."""
    return 1.0 if extreme.all() else max(min(1.0, math.fsum(shares[extreme])), sys.float_info.min)


class _Swaps(NamedTuple):
    """Pairs of different rows, which a permutation swaps.

    A pair counts as swapped if the first system has the higher row. A unit is a pair or a group of pairs, defined up to
    its sign, so the order of systems does not matter.

    Attributes:
        kinds: the lower and the higher row of each kind of pair.
        counts: the number of examples of each kind.
        same: the number of examples with each row in both systems.
        units: the number of units of each kind.
        swapped: the number of swapped units of each kind.
        members: how many more pairs are swapped if a group is swapped; None if a unit is a pair.
        base: the number of swapped pairs of each kind if no unit is swapped.
    """

    rows: Rows
    kinds: tuple[np.ndarray, np.ndarray]
    counts: np.ndarray
    same: np.ndarray
    units: np.ndarray
    swapped: np.ndarray
    members: Members | None
    base: np.ndarray

    @classmethod
    def of(cls, pairs: Pairs) -> "_Swaps":
        low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
        size, differ = len(pairs.rows.weights), low != high
        keys, codes, counts = np.unique((low * size + high)[differ], return_inverse=True, return_counts=True)
        swapped = (pairs.first > pairs.second)[differ]
        same = np.bincount(low[~differ], minlength=size)
        kinds, n_kinds = (keys // size, keys % size), len(keys)
        if pairs.groups is None:
            found = np.bincount(codes, swapped, n_kinds).astype(np.float64)  # without groups, bincount returns integers
            return cls(pairs.rows, kinds, counts, same, counts, found, None, np.zeros(n_kinds))
        # Unswapped minus swapped pairs of each kind in each group; a total of 0 is not a change.
        group_kinds, codes = np.unique(pairs.groups.codes[differ] * n_kinds + codes, return_inverse=True)
        more = np.bincount(codes, np.where(swapped, -1.0, 1.0), len(group_kinds))
        group, kind, more = (part[more != 0] for part in (group_kinds // n_kinds, group_kinds % n_kinds, more))
        _, first, unit = np.unique(group, return_index=True, return_inverse=True)
        is_swapped = more[first] < 0
        more = np.where(is_swapped[unit], -more, more)
        base = (counts - np.bincount(kind, more, n_kinds)) / 2
        members = Members(unit, kind, more, len(first), n_kinds)
        ones = np.ones(len(first), np.int64)
        return cls(pairs.rows, kinds, counts, same, ones, is_swapped.astype(np.float64), members, base)


_Values: TypeAlias = dict[str, tuple[np.ndarray, np.ndarray]]  # measure -> the values of both systems, (b,) each


class _Swapped:
    """The effect of swaps on some measures: their observed differences, and the tolerance for rounding of each.

    `drawn` has the values if so many units of each kind are swapped, (b, units); `every` those of all distinct swaps, with
    their probabilities, and None if there are more than `most`.
    """

    observed: dict[str, float]
    slack: dict[str, float]

    def extreme(self, values: _Values) -> dict[str, np.ndarray]:
        """Whether the difference is at least as far from 0 as the observed one, (b,) bools."""
        return {
            name: as_extreme(second - first, self.observed[name], self.slack[name])
            for name, (first, second) in values.items()
        }


class _SwappedSums(_Swapped):
    """Measures of sums: swapping a unit moves the difference of its sums from one system to the other."""

    def __init__(self, swaps: _Swaps, measures: Mapping[str, TermMeasure]):
        low, high = swaps.kinds
        steps, self.middles, sizes = [], [], []
        for measure in measures.values():
            terms, applies = np.column_stack(measure.terms(swaps.rows)), measure.applies(swaps.rows)
            both = (applies[low] & applies[high])[:, None]
            steps.append(np.where(both, terms[high] - terms[low], 0.0))
            middle = np.where(both, terms[high] + terms[low], 0.0).T @ swaps.counts / 2
            self.middles.append((middle + np.where(applies[:, None], terms, 0.0).T @ swaps.same)[:, None])
            sizes.append(np.where(both, abs(terms[high]) + abs(terms[low]), 0.0).T @ swaps.counts[:, None] / 2)
        of_kinds = np.column_stack(steps)
        self.measures, self.units = measures, swaps.units
        self.steps = of_kinds if swaps.members is None else swaps.members.sums(of_kinds)
        self.start = (swaps.base - swaps.counts / 2) @ of_kinds
        self.ends = np.cumsum([step.shape[1] for step in steps])[:-1]
        self.observed = {name: float(b[0] - a[0]) for name, (a, b) in self.drawn(swaps.swapped[None]).items()}
        self.slack = {}
        for (name, measure), middle, size in zip(measures.items(), self.middles, sizes, strict=True):
            # The rounding error of the difference is below this share of the summed absolute values.
            of_middle, of_size = (float(np.nan_to_num(abs(measure.value_of(of)))[0]) for of in (middle, size))
            self.slack[name] = ROUNDING * of_middle + ROUNDING_OF_SUMS * of_size

    def drawn(self, swapped: np.ndarray) -> _Values:
        return self._values(swapped @ self.steps + self.start)

    def every(self, most: int) -> tuple[_Values, np.ndarray] | None:
        found = every_signed_sum(without_rounding(self.steps, 11, axis=0), self.units, most)
        return found and (self._values(found[0] / 2), found[1])

    def _values(self, moved: np.ndarray) -> _Values:
        parts = np.split(moved.T, self.ends)
        return {
            name: (np.nan_to_num(measure.value_of(middle + sums)), np.nan_to_num(measure.value_of(middle - sums)))
            for (name, measure), middle, sums in zip(self.measures.items(), self.middles, parts, strict=True)
        }


class _SwappedTimes(_Swapped):
    """Other measures on the same examples: recomputed from the count of each row."""

    def __init__(self, swaps: _Swaps, measures: Mapping[str, Measure]):
        from scipy.sparse import csr_matrix

        applies = next(iter(measures.values())).applies(swaps.rows)
        low, high = swaps.kinds
        applied, size = applies[low] & applies[high], len(swaps.rows.weights)
        counts, base = np.where(applied, swaps.counts, 0), np.where(applied, swaps.base, 0)
        self.rows, self.measures = swaps.rows, measures
        # How often each row counts in the first system if no unit is swapped, and in both systems.
        self.unswapped = np.where(applies, swaps.same, 0.0) + np.bincount(low, counts - base, size)
        self.unswapped += np.bincount(high, base, size)
        self.both = 2.0 * np.where(applies, swaps.same, 0) + np.bincount(low, counts, size)
        self.both += np.bincount(high, counts, size)
        # A swap takes the lower row out of the first system and brings the higher one in.
        kind = np.flatnonzero(applied)
        self.used, unit, times = kind, np.arange(len(kind)), np.ones(len(kind))
        if swaps.members is not None:
            unit, kind, times = (part[applied[swaps.members.row]] for part in swaps.members[:3])
            self.used, unit = np.unique(unit, return_inverse=True)
        entries = np.concatenate([times, -times]), (np.concatenate([high[kind], low[kind]]), np.tile(unit, 2))
        self.moves = csr_matrix(entries, (size, len(self.used)))
        self.units = swaps.units[self.used]
        observed = self.drawn(swaps.swapped[None])
        self.observed = {name: float(b[0] - a[0]) for name, (a, b) in observed.items()}
        self.slack = {name: ROUNDING * float(max(abs(a[0]), abs(b[0]))) for name, (a, b) in observed.items()}

    def drawn(self, swapped: np.ndarray) -> _Values:
        return self._values(swapped if len(self.used) == swapped.shape[1] else swapped[:, self.used])

    def every(self, most: int) -> tuple[_Values, np.ndarray] | None:
        found = every_swap(self.units, most)
        return found and (self._values(found[0]), found[1])

    def _values(self, swapped: np.ndarray) -> _Values:
        """In blocks: there may be many more rows than pairs that differ."""
        values = {name: (np.empty(len(swapped)), np.empty(len(swapped))) for name in self.measures}
        step = rows_at_once(_ROWS_AT_ONCE, len(self.both), self.measures.values())
        for start in range(0, len(swapped), step):
            block = slice(start, start + step)
            first = self.unswapped + np.ascontiguousarray((self.moves @ swapped[block].T).T)
            for system, times in enumerate((first, self.both - first)):
                for name, measure in self.measures.items():
                    values[name][system][block] = np.nan_to_num(measure.value(self.rows, times))
        return values


def swap_counts(
    counts: np.ndarray, n_permutations: int, seed: int, dtype: type[np.floating] = np.float64
) -> Iterable[np.ndarray]:
    """The number of swapped pairs among `counts` (g,) pairs of each kind, each swapped with probability 1/2.

    Returns:
        Blocks of (b, g) floats, n_permutations rows in all.
    """
    rng = np.random.default_rng(seed)
    m = int(counts.sum())
    few = 8 * len(counts) <= m  # then one binomial draw per kind is cheaper than one bit per pair
    starts = np.append(0, np.cumsum(counts)[:-1])
    step = max(1, CELLS_AT_ONCE // max(1, len(counts) if few else m))
    for start in range(0, n_permutations, step):
        size = min(step, n_permutations - start)
        if m == 0:
            yield np.zeros((size, len(counts)), dtype)
        elif few:
            yield rng.binomial(counts, 0.5, size=(size, len(counts))).astype(dtype)
        else:
            width = 4 * -(-m // 32)  # whole words of the generator, so results do not depend on blocks
            drawn = np.frombuffer(rng.bytes(size * width), np.uint8).reshape(size, width)
            bits = np.unpackbits(drawn, axis=1, count=m)
            if len(counts) < m:
                bits = np.add.reduceat(bits, starts, axis=1, dtype=dtype)
            yield bits.astype(dtype, copy=False)


def every_swap(counts: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray] | None:
    """All possible results of `swap_counts`, (b, g), with probabilities, (b,); None if there are more than `most`.

    Example:
        >>> swaps, shares = every_swap(np.array([2]), most=10)
        >>> swaps.tolist(), shares.round(6).tolist()
        ([[0.0], [1.0], [2.0]], [0.25, 0.5, 0.25])
    """
    if sum(math.log(count + 1) for count in counts.tolist()) > math.log(most) + ROUNDING:
        return None
    swaps, shares = np.zeros((1, 0)), np.ones(1)
    for count in counts.tolist():
        logs = [math.lgamma(count + 1) - math.lgamma(x + 1) - math.lgamma(count - x + 1) for x in range(count + 1)]
        of_kind = np.exp(np.array(logs) - count * math.log(2))
        swaps = np.column_stack([np.repeat(swaps, count + 1, axis=0), np.tile(np.arange(count + 1.0), len(swaps))])
        shares = np.repeat(shares, count + 1) * np.tile(of_kind, len(shares))
    return swaps, shares


def every_signed_sum(steps: np.ndarray, counts: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray] | None:
    """All distinct sums of steps (units, t) with random signs, (b, t), with probabilities, (b,); None if more than `most`.

    Units with the same step, up to its sign, are one kind.

    Args:
        counts: how often each step is there, (units,).
    """
    used = steps.any(axis=1)
    steps, counts = steps[used], counts[used]
    lead = steps[np.arange(len(steps)), np.argmax(steps != 0, axis=1)]
    kinds, group = np.unique(steps * np.sign(lead)[:, None], axis=0, return_inverse=True)
    counts = np.bincount(group.reshape(-1), counts, len(kinds)).astype(np.int64)
    every = every_swap(counts, most)
    return every and ((2 * every[0] - counts) @ kinds, every[1])
