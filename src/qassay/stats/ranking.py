"""Ranks systems by a measure: ranks with intervals, indistinguishable systems, and how often each is the best."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.interval_settings import Intervals
from ..core.intervals import FEW_DEGREES, FEW_OF_CLASS, FEW_UNITS, Interval, RunSpread, effective_units, unit_sizes
from ..core.rounding import TINY
from ..core.scores import Scores
from .cautions import CAUTIONS, SKEWED
from .difference import ComparisonSettings, Difference
from .joint_sample import JointSample
from .joint_tests import CorrectedPairs, JointOutcome, joint_test
from .letters import compact_letters, letters_of
from .paired_tests import CORRECTIONS, PAIRED_TESTS
from .pairs import without_rounding
from .sample_size import least_signs

MOST_SYSTEMS = 100  # largest number of systems in a ranking
FEWEST_RANKED = 3  # largest number of systems whose ranks are shown with a comparison


@dataclasses.dataclass(frozen=True)
class RankedSystem:
    """A system in a ranking.

    Attributes:
        value: the value of the measure, with its interval, over the common examples. If there are none, the value,
            p-values and best_share are NaN.
        rank: 1 for the best; systems with equal values share a rank, and the following ranks are skipped.
        rank_interval: the first and the last plausible rank; for each system, it contains the true rank with a
            probability of about `confidence`. If systems are equally good, it contains all ranks that they share.
        letters: systems that share a letter are indistinguishable.
        best_share: the share of resamples in which it is the best; ties share a resample. It is not the probability
            that the system is the best, which would require a prior, and one of several equally good systems often has
            a high share by chance. It is not a test.
    """

    system: str
    value: float
    interval: Interval
    rank: int
    rank_interval: tuple[int, int]
    letters: str
    best_share: float


@dataclasses.dataclass(frozen=True, eq=False)
class Ranking:
    """The systems by a measure, best first; ties are sorted by name.

    Attributes:
        n: the number of examples; n_groups: the number of their groups, None without groups.
        p_values: the two-sided p-value of each pair of systems in this order, (k, k), corrected for all pairs; NaN on
            the diagonal.
        confidence: the confidence of the intervals; 1 minus it is the level of the tests.
        is_rate, lower_is_better: as in `Difference`.
        left_out: the number of examples that the measure applies to in only some systems; they are omitted.
        test: the test behind p: "sign flips" (of the contribution of each example or group to the difference), "exact
            sign flips" (all of them) or "bootstrap" (for measures that are not functions of sums).
        cautions: why tests and intervals may mislead: codes of `qassay.stats.cautions.CAUTIONS`.
    """

    measure: str
    systems: tuple[RankedSystem, ...]
    p_values: np.ndarray
    n: int
    confidence: float
    n_groups: int | None = None
    is_rate: bool = True
    lower_is_better: bool = False
    left_out: int = 0
    test: str = "sign flips"
    cautions: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The systems, best first."""
        return [ranked.system for ranked in self.systems]

    @property
    def tied_with_best(self) -> list[RankedSystem]:
        """The first system and the systems that are indistinguishable from it; none if no system has a value."""
        known = [system for system in self.systems if np.isfinite(system.value)]
        best = letters_of(known[0].letters) if known else frozenset()
        return [system for system in known if letters_of(system.letters) & best]

    def decided(self, difference: Difference) -> Difference:
        """A difference of two of these systems by this measure, with the p of this ranking as its corrected p."""
        first, second = map(self.names.index, (difference.first, difference.second))
        return dataclasses.replace(difference, p_corrected=float(self.p_values[first, second]), ranked=True)


def decided_by(
    rankings: Sequence[Ranking], differences: Sequence[Difference], settings: ComparisonSettings
) -> list[Difference]:
    """The differences, with the p of the ranking for measures that have one; unchanged if another test or correction was
    chosen.
    """
    if (settings.test, settings.correction) != (PAIRED_TESTS[0], CORRECTIONS[0]):
        return list(differences)
    ranked = {ranking.measure: ranking for ranking in rankings}
    return [ranked[one.measure].decided(one) if one.measure in ranked else one for one in differences]


def require_number(n_systems: int, *, most_only: bool = False) -> None:
    """Refuse a number of systems that cannot be ranked; `most_only`: check only the maximum, if not all are known yet.

    Raises:
        ValueError: fewer than two, or too many.
    """
    if n_systems > MOST_SYSTEMS:
        raise ValueError(
            f"a leaderboard ranks up to {MOST_SYSTEMS} systems; got {n_systems}; choose the systems to rank"
        )
    if n_systems < 2 and not most_only:
        raise ValueError(
            f"a leaderboard ranks two or more systems; got {n_systems}; give a file of predictions for each, or a folder of them"
        )


def rank_systems(
    systems: Mapping[str, Scores], measures: Sequence[str], settings: ComparisonSettings = ComparisonSettings()
) -> dict[str, Ranking]:
    """Measure -> ranking, for systems with the same examples in the same order, and the same class numbers.

    The p-value of each pair says how often the difference would be as large if the systems were equally good. The
    contribution of each example (or group) to the difference randomly changes its sign, in all systems together; for a
    mean and two systems this is the permutation test of `qassay.compare`. The contribution of an example to a macro
    average or a ratio is only approximate: p is then at least the p-value of Student's t, with the variance and the
    degrees of freedom of intervals. Measures that are not functions of sums are resampled. All pairs are corrected
    together with step-down maxima of studentised differences (Westfall and Young, 1993; Romano and Wolf, 2005), so the
    chance of any false finding is about 1 - confidence. Letters follow from these p-values (Piepho, 2004).

    The interval of a rank goes from 1 plus the number of better systems to the number of systems that are not worse, by
    the same tests, corrected for the pairs of this one system (Mogstad, Romano, Shaikh and Wilhelm, 2024, "Inference for
    Ranks with Applications to Mobility across Neighborhoods and Academic Achievement across Countries"). If letters
    distinguish two systems, so do their intervals; intervals of single ranks may distinguish more than letters, which
    hold for all pairs at once.
    """
    names = sorted(systems, key=str)
    ordered = {name: systems[name] for name in names}
    intervals = {name: of.intervals_by(settings.intervals, measures) for name, of in ordered.items()}
    found = {}
    for alike in _read_alike(ordered, measures):
        sample, ends = JointSample.of(ordered, alike), intervals
        if sample.left_out:
            ends = {name: of.intervals_by(settings.intervals, alike) for name, of in sample.systems.items()}
        drawn = sample.drawn(settings.intervals) if sample.n_units else {}
        for name in alike:
            of_measure = {system: of[name] for system, of in ends.items()}
            found[name] = _ranking(sample, name, settings, of_measure, drawn.get(name))
    return {name: found[name] for name in measures}


def _read_alike(systems: Mapping[str, Scores], measures: Sequence[str]) -> list[list[str]]:
    """Group measures that read the same columns of the same examples."""
    first = next(iter(systems.values()))
    found: dict[Any, list[str]] = {}
    for name in measures:
        measure = first.measures[name]
        sizes = [scores.measures[name].sizes(scores.rows).tobytes() for scores in systems.values()]
        found.setdefault((measure.reads, measure.subset, tuple(map(hash, sizes))), []).append(name)
    return list(found.values())


def drawn_values(
    systems: Mapping[str, Scores], name: str, intervals: Intervals
) -> tuple[np.ndarray | None, np.ndarray]:
    """How good each system is by a measure, higher for better, (systems,), and in each resample, (n_resamples, systems).

    None and nothing if the measure applies to no example.
    """
    sample = JointSample.of(systems, [name])
    sign = -1.0 if sample.measures[name].lower_is_better else 1.0
    if not sample.n_units:
        return None, np.zeros((0, len(systems)))
    values = [scores.measures[name].value_once(scores.rows) for scores in sample.systems.values()]
    return sign * without_rounding(np.array(values, np.float64)), sign * sample.drawn(intervals)[name]


def _ranking(
    sample: JointSample,
    name: str,
    settings: ComparisonSettings,
    intervals: Mapping[str, Interval],
    drawn: np.ndarray | None,
) -> Ranking:
    """The ranking by a measure; `drawn`: the values in resamples, None if the measure applies to no example."""
    measure, names, systems = sample.measures[name], list(sample.systems), list(sample.systems.values())
    numbers = [scores.measures[name].known_value(scores.rows) for scores in systems]
    values = np.array(numbers, np.float64)  # NaN for None
    is_empty, k = bool(np.isnan(values).any()), len(values)
    goodness = np.where(
        np.isnan(values), -np.inf, (-1.0 if measure.lower_is_better else 1.0) * without_rounding(values)
    )
    order = np.argsort(-goodness, kind="stable")
    if is_empty or drawn is None:
        none, zeros = np.full((k, k), np.nan), np.zeros((k, k))
        tested = JointOutcome(CorrectedPairs(none, none), "exact sign flips", zeros, zeros)
        shares, intervals = np.full(k, np.nan), dict.fromkeys(names, Interval(math.nan, math.nan, "none"))
    else:
        seed = settings.intervals.seed
        of_runs = [of.spread_of_runs({name: measure}, settings.intervals).get(name) for of in systems]
        tested = joint_test(sample, name, values, drawn, of_runs, settings.n_permutations, seed)
        shares = _best_shares(-drawn if measure.lower_is_better else drawn, of_runs, seed)
    letters = compact_letters((tested.p_values.of_all < settings.alpha)[np.ix_(order, order)])
    ranks = _ranks_of(goodness, tested.p_values.of_each < settings.alpha)
    return Ranking(
        measure=name,
        systems=tuple(
            RankedSystem(
                system=names[row],
                value=float(values[row]),
                interval=intervals[names[row]],
                rank=ranks[row][0],
                rank_interval=ranks[row][1],
                letters=of_system,
                best_share=float(shares[row]),
            )
            for row, of_system in zip(order.tolist(), letters, strict=True)
        ),
        p_values=tested.p_values.of_all[np.ix_(order, order)],
        n=int(measure.sizes(systems[0].rows).sum()),
        confidence=settings.intervals.confidence,
        n_groups=None if sample.groups is None else len(sample.groups.labels),
        is_rate=measure.is_rate,
        lower_is_better=measure.lower_is_better,
        left_out=sample.left_out,
        test=tested.test,
        cautions=() if is_empty else _cautions(sample, name, tested, settings),
    )


def _ranks_of(goodness: np.ndarray, differ: np.ndarray) -> list[tuple[int, tuple[int, int]]]:
    """The rank of each system with its interval.

    Args:
        differ: which systems differ from the system of the row, (systems, systems).
    """
    better = goodness[:, None] > goodness  # whether the system of the row is better than the system of the column
    ranks = 1 + better.sum(axis=0)
    firsts, lasts = 1 + (differ & better.T).sum(axis=1), len(goodness) - (differ & better).sum(axis=1)
    return [
        (rank, (low, high)) for rank, low, high in zip(ranks.tolist(), firsts.tolist(), lasts.tolist(), strict=True)
    ]


def _best_shares(goodness: np.ndarray, of_runs: Sequence[RunSpread | None], seed: int) -> np.ndarray:
    """The share of resamples (b, systems) in which each system is the best; systems that tie share a resample.

    The variation between runs adds a normal deviation to the values of a system.
    """
    deviations = np.sqrt([0.0 if of is None else of.variance for of in of_runs])
    if deviations.any():
        goodness = goodness + deviations * np.random.default_rng([seed, 2]).standard_normal(goodness.shape)
    goodness = np.where(np.isnan(goodness), -np.inf, goodness)
    most = goodness.max(axis=1, keepdims=True)
    best = goodness >= most - TINY * np.where(np.isfinite(most), abs(most), 0.0)
    shares: np.ndarray = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares


def _cautions(sample: JointSample, name: str, tested: JointOutcome, settings: ComparisonSettings) -> tuple[str, ...]:
    """The codes of `CAUTIONS` that apply to a ranking; codes of pairs only if a pair that differs has them."""
    least = least_signs(settings.intervals.confidence)
    measure, units, in_groups = sample.measures[name], sample.units(0), sample.members is not None
    effective = effective_units(unit_sizes(measure, units), units.counts)
    too_few_groups, apart = in_groups and sample.n_units < least, tested.p_values.of_all < settings.alpha
    few_differ = not measure.is_mean and apart.any() and sample.n_changed()[apart].min() < least
    rarest = measure.rarest(units.rows, units.row_counts)
    few_of_class = rarest is not None and rarest < FEW_OF_CLASS
    holds = {
        "too_few_groups": too_few_groups,
        "few_groups": in_groups and not too_few_groups and effective < FEW_UNITS,
        "few_differ": few_differ and not too_few_groups,
        "skewed": bool((abs(tested.skews[apart]) >= SKEWED).any()),
        "lacks_tail": tested.lacks_tail,
        "few_carry": bool(apart.any() and (few_of_class or (tested.degrees[apart] < FEW_DEGREES).any())),
    }
    return tuple(code for code in CAUTIONS if holds.get(code))
