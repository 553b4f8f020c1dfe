"""Paired permutation tests: the difference after examples or groups are swapped at random between the systems."""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..core.bootstrap import CELLS_AT_ONCE, Members, rows_at_once
from ..core.measures import Measure, Rows, TermMeasure
from ..core.rounding import ROUNDING, ROUNDING_OF_SUMS
from .paired_tests import PairedOutcome, as_extreme
from .pairs import ROWS_AT_ONCE, Pairs, SumsByOwner, without_rounding


def permutation_tests(pairs: Pairs, names: Sequence[str], n_permutations: int, seed: int) -> dict[str, PairedOutcome]:
    """Paired permutation tests (Fisher, 1935): the statistics of each example are randomly swapped between the systems.

    Examples of one group are swapped together. The test is valid for means and other measures (micro and macro F1,
    ratios, curves). If there are at most `n_permutations` distinct swaps, the test makes all of them, and p is exact
    (at least 2.2e-308). p does not depend on the order of examples or systems.
    """
    swaps = _Swaps.of(pairs)
    outcomes: dict[str, PairedOutcome] = {}
    drawn: list[_SwappedSums | _SwappedTimes] = []
    for statistic in _swapped(pairs, swaps, names):
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
    steps = np.column_stack([statistic.steps for statistic in sums]) if sums else np.zeros((len(swaps.units), 0))
    for block in swap_counts(swaps.units, n_permutations, seed) if drawn else ():
        moved = iter(
            np.split(block @ steps, np.cumsum([summed.steps.shape[1] for summed in sums])[:-1], axis=1) if sums else []
        )
        for statistic in drawn:
            differences = (
                statistic.moved(next(moved)) if isinstance(statistic, _SwappedSums) else statistic.differences(block)
            )
            for name, extreme in statistic.extreme(differences).items():
                hits[name] += int(extreme.sum())
    outcomes |= {name: PairedOutcome((hit + 1) / (n_permutations + 1), "permutation") for name, hit in hits.items()}
    return {name: outcomes[name] for name in names}


def _swapped(pairs: Pairs, swaps: "_Swaps", names: Sequence[str]) -> "list[_SwappedSums | _SwappedTimes]":
    """The effect of swaps on each measure of sums, and jointly on other measures that apply to the same examples."""
    sums: list[_SwappedSums | _SwappedTimes] = []
    others: dict[bytes, dict[str, Measure]] = {}
    for name in names:
        measure = pairs.measures[name]
        if isinstance(measure, TermMeasure):
            sums.append(_SwappedSums(swaps, name, measure))
        else:
            others.setdefault(pairs.applies(measure).tobytes(), {})[name] = measure
    return sums + [_SwappedTimes(swaps, measures) for measures in others.values()]


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

    def steps(self, steps: np.ndarray) -> np.ndarray:
        """Steps of kinds of pairs (kinds, t) as steps of units, (units, t)."""
        return steps if self.members is None else self.members.sums(steps)


class _SwappedSums:
    """A measure of sums: swapping a unit moves the difference of its sums from one system to the other."""

    def __init__(self, swaps: _Swaps, name: str, measure: TermMeasure):
        terms, applies = np.column_stack(measure.terms(swaps.rows)), measure.applies(swaps.rows)
        low, high = swaps.kinds
        both = (applies[low] & applies[high])[:, None]
        self.name, self.measure, self.counts = name, measure, swaps.units
        steps = np.where(both, terms[high] - terms[low], 0.0)
        self.steps = swaps.steps(steps)
        middle = np.where(both, terms[high] + terms[low], 0.0).T @ swaps.counts / 2
        self.middle = (middle + np.where(applies[:, None], terms, 0.0).T @ swaps.same)[:, None]
        self.start = (swaps.base - swaps.counts / 2) @ steps
        self.observed = {name: float(self.moved(swaps.swapped[None] @ self.steps)[name][0])}
        # The rounding error of the difference is below this share of the summed absolute values.
        size = measure.value_of(np.where(both, abs(terms[high]) + abs(terms[low]), 0.0).T @ swaps.counts[:, None] / 2)
        middle = float(np.nan_to_num(abs(measure.value_of(self.middle)))[0])
        self.slack = ROUNDING * middle + ROUNDING_OF_SUMS * float(np.nan_to_num(abs(size))[0])

    def moved(self, sums: np.ndarray) -> dict[str, np.ndarray]:
        """Second minus first, (b,), after moving these amounts between the sums of the systems, (b, sums)."""
        return {self.name: self._moved((sums + self.start).T)}

    def every_difference(self, most: int) -> tuple[dict[str, np.ndarray], np.ndarray] | None:
        """The differences of all swaps with their probabilities; None if there are more than `most`.

        Units with the same step, up to its sign, are one kind: swapping one equals not swapping the other.
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
        return {self.name: as_extreme(differences[self.name], self.observed[self.name], self.slack)}

    def _moved(self, sums: np.ndarray) -> np.ndarray:
        first, second = (self.measure.value_of(self.middle + side * sums) for side in (1, -1))
        moved: np.ndarray = np.nan_to_num(second) - np.nan_to_num(first)
        return moved


class _SwappedTimes:
    """Other measures on the same examples, like `_SwappedSums`: recomputed from the count of each row."""

    def __init__(self, swaps: _Swaps, measures: Mapping[str, Measure]):
        applies = next(iter(measures.values())).applies(swaps.rows)
        low, high = swaps.kinds
        applied = applies[low] & applies[high]
        used, counts, size = np.flatnonzero(applied), np.where(applied, swaps.counts, 0), len(swaps.rows.weights)
        self.rows, self.measures = swaps.rows, measures
        # How often each row counts in the first system if no unit is swapped, and in both systems.
        base = np.where(applied, swaps.base, 0)
        self.unswapped = np.where(applies, swaps.same, 0.0) + np.bincount(low, counts - base, size)
        self.unswapped += np.bincount(high, base, size)
        self.both = 2.0 * np.where(applies, swaps.same, 0) + np.bincount(low, counts, size)
        self.both += np.bincount(high, counts, size)
        # A swap takes the lower row out of the first system and brings the higher one in.
        if swaps.members is None:
            self.used, self.moves = used, SumsByOwner(high[used], size, low[used])
        else:
            unit, kind, times = (part[applied[swaps.members.row]] for part in swaps.members[:3])
            self.used, unit = np.unique(unit, return_inverse=True)
            self.moves = SumsByOwner(high[kind], size, low[kind], unit, times)
        self.counts = swaps.units[self.used]
        values = self._values(swaps.swapped[None, self.used])
        self.observed = {name: float(second[0] - first[0]) for name, (first, second) in values.items()}
        self.slack = {name: ROUNDING * float(max(abs(a[0]), abs(b[0]))) for name, (a, b) in values.items()}

    def differences(self, swapped: np.ndarray) -> dict[str, np.ndarray]:
        return {name: second - first for name, (first, second) in self._values(swapped[:, self.used]).items()}

    def every_difference(self, most: int) -> tuple[dict[str, np.ndarray], np.ndarray] | None:
        swaps = every_swap(self.counts, most)
        if swaps is None:
            return None
        return {name: second - first for name, (first, second) in self._values(swaps[0]).items()}, swaps[1]

    def extreme(self, differences: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        return {name: as_extreme(values, self.observed[name], self.slack[name]) for name, values in differences.items()}

    def _values(self, swapped: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """The values of both systems, (b,) each, in blocks: there may be many more rows than pairs that differ."""
        values = {name: (np.empty(len(swapped)), np.empty(len(swapped))) for name in self.measures}
        step = rows_at_once(ROWS_AT_ONCE, len(self.both), self.measures.values())
        for start in range(0, len(swapped), step):
            block = slice(start, start + step)
            first = self.unswapped + self.moves.of(swapped[block])
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
