"""The difference of a measure between two systems: interval, test, effect size, and the number of examples needed."""

import dataclasses
import functools
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.interval_settings import Intervals, check_count
from ..core.intervals import FEW_UNITS, Interval, RunSpread, percentile_interval, with_runs
from ..core.measures import Measure
from ..core.options import check_choice
from ..core.rounding import ROUNDING, TINY
from ..core.scores import Scores
from .cautions import OF_FEW, cautions_of
from .paired_tests import (
    CORRECTIONS,
    PAIRED_TESTS,
    PairedOutcome,
    bootstrap_test,
    corrected_p_values,
    larger_p,
    mcnemar_test,
    spread_t_test,
    student_t_test,
    wilcoxon_test,
)
from .pairs import Pairs, changes_of
from .permutation import permutation_tests
from .sample_size import n_needed_for
from .spreads import (
    DifferenceSpread,
    DifferenceWithout,
    difference_interval,
    difference_spread,
    differences_without,
    n_without_tail,
    small_sample_test,
)

_TESTS_OF_VALUES = {"t": student_t_test, "wilcoxon": wilcoxon_test, "mcnemar": mcnemar_test}  # of values of examples
NO_INTERVAL = Interval(None, None, "none")


@dataclasses.dataclass(frozen=True)
class Difference:
    """A measure of two systems on the same examples.

    If no example with a weight above 0 is behind a measure, its values, intervals, difference and p-values are None.

    Attributes:
        first, second: the systems; the difference is the second minus the first.
        n: the number of examples behind both values.
        left_out: the number of examples that the measure applies to in only one system.
        values: the values of the first and the second system over these n examples.
        interval: the interval of the difference, a pair of floats with a `method`; see `qassay.compare`.
        p_value: two-sided p-value of the test, before correction for several tests.
        p_corrected: the corrected p-value.
        ranked: whether p_corrected is the p of the ranking of three or more systems, as in reports by their main measure.
        test: the test behind p: "permutation", "exact permutation", "bootstrap", "t", "wilcoxon", "mcnemar"; or "t over
            runs", for systems with several runs: a t-test over other examples and other runs, used if its p is larger
            than p of the requested test; likewise "t of skewed", for few and skewed differences, and
            "rule of three", for a sample that lacks a tail.
        better, equal, worse: the numbers of examples on which the second system is better, equal and worse; None if
            single examples have no value (as for macro-F1 of sets of classes).
        effect_size: the mean difference divided by the standard deviation of per-example differences (Cohen's d of
            pairs), or with groups by the contribution of an example to the variance; None if the difference does not
            vary.
        n_needed: the number of examples with which one uncorrected test at this level detects a difference of this size
            in 4 of 5 cases, in groups of the same size; None without a difference.
        is_rate: whether the measure has a scale, 0..1 or 0..100, unlike counts and thresholds.
        lower_is_better: whether lower values are better, as for an error rate.
        n_groups: the number of groups of these examples; None without groups.
        groups_needed: as `n_needed`, in groups; None without groups.
        cautions: why the test or the interval may mislead: codes of `qassay.stats.cautions.CAUTIONS`.
    """

    measure: str
    first: str
    second: str
    n: int
    left_out: int
    test: str
    values: tuple[Any, Any] = (None, None)  # floats or None, like all numbers up to p_corrected
    intervals: tuple[Interval, Interval] = (NO_INTERVAL, NO_INTERVAL)
    difference: Any = None
    interval: Interval = NO_INTERVAL
    p_value: Any = None
    p_corrected: Any = None
    better: int | None = 0
    equal: int | None = 0
    worse: int | None = 0
    effect_size: float | None = None
    n_needed: int | None = None
    is_rate: bool = True
    lower_is_better: bool = False
    n_groups: int | None = None
    groups_needed: int | None = None
    cautions: tuple[str, ...] = ()
    ranked: bool = False

    @classmethod
    def unmeasured(
        cls,
        name: str,
        measure: Measure,
        pair: tuple[str, str],
        n: int,
        left_out: int,
        test: str,
        in_groups: bool = False,
    ) -> "Difference":
        """A difference without values, as of systems without a common example."""
        return cls(
            measure=name,
            first=pair[0],
            second=pair[1],
            n=n,
            left_out=left_out,
            test=test,
            is_rate=measure.is_rate,
            lower_is_better=measure.lower_is_better,
            n_groups=0 if in_groups else None,
        )

    @property
    def is_few(self) -> bool:
        """Whether there are few examples or groups, or few of them vary; see `cautions.FEW_MEANS`."""
        in_few_groups = self.n_groups is not None and self.n_groups < FEW_UNITS
        return self.n < FEW_UNITS or in_few_groups or any(code in OF_FEW for code in self.cautions)

    @property
    def winner(self) -> str | None:
        """The system with the better value; None if values are equal or absent. Only p shows whether this could be
        chance.
        """
        if not self.difference or math.isnan(self.difference):
            return None
        return self.second if (self.difference > 0) != self.lower_is_better else self.first

    def is_least(self, n_permutations: int, n_resamples: int | None = None) -> bool:
        """Whether no round of a random test reached the difference, so p is only an upper bound."""
        rounds = max(n_permutations, n_resamples or 0) if self.test == "bootstrap" else n_permutations
        known = self.p_value is not None
        return known and self.test in ("permutation", "bootstrap") and self.p_value * (rounds + 1) < 1 + ROUNDING

    def is_significant(self, confidence: float) -> bool:
        """Whether the corrected p is below 1 - confidence."""
        return self.p_corrected is not None and self.p_corrected < round(1 - confidence, 12)


@dataclasses.dataclass(frozen=True)
class ComparisonSettings:
    """The settings of a comparison or a leaderboard, with the names and meanings of the arguments of `qassay.compare`.

    A leaderboard has its own test and correction; it uses the intervals and the number of permutations.
    """

    test: str = "permutation"
    correction: str = "holm"
    intervals: Intervals = Intervals()
    n_permutations: int = 10_000
    baseline: str | None = None

    def __post_init__(self) -> None:
        check_choice("test", self.test, PAIRED_TESTS)
        check_choice("correction", self.correction, CORRECTIONS)
        object.__setattr__(self, "n_permutations", check_count("n_permutations", self.n_permutations))

    @property
    def alpha(self) -> float:
        """The level of tests: systems differ if p is below it."""
        return round(1 - self.intervals.confidence, 12)


def differences_of_pairs(
    systems: Mapping[str, Scores],
    pairs: Sequence[tuple[str, str]],
    measures: Sequence[str],
    settings: ComparisonSettings,
    binary: Collection[str] = (),
) -> list[Difference]:
    """The differences of pairs of systems on the same examples, with uncorrected p-values.

    Args:
        binary: the right-or-wrong measures, to which McNemar's test applies.
    """
    of_systems = {}
    for name, scores in systems.items():
        of_runs = scores.spread_of_runs({of: scores.measures[of] for of in measures}, settings.intervals)
        of_systems[name] = _OfSystem(scores, scores.intervals_by(settings.intervals, measures), of_runs)
    found = []
    for pair in pairs:
        both = [of_systems[name] for name in pair]
        first, second = (of.scores for of in both)
        pairs_of = Pairs(first.rows, second.rows, shared_by(first, second), first.groups)
        by_measure: dict[str, Difference] = {}
        for part, names in pairs_of.by_grouping(measures):
            tested = _tested(part, names, settings, binary)
            without = differences_without(part, names)
            drawn = _drawn(part, without, settings)
            for name in names:
                by_measure[name] = _difference(
                    name, pair, both, part, without[name], drawn.get(name), tested.get(name), settings
                )
        found += [by_measure[name] for name in measures]
    return found


def shared_by(first: Scores, second: Scores) -> dict[str, Measure]:
    """The measures with an interval that both systems have."""
    return {
        name: measure
        for name, measure in first.measures.items()
        if measure.has_interval and second.measures.get(name) == measure
    }


class _OfSystem(NamedTuple):
    """The scores of a system, with the interval of each measure and its variation between runs, if there are several."""

    scores: Scores
    intervals: Mapping[str, Interval]
    of_runs: Mapping[str, RunSpread]


def _tested(
    pairs: Pairs, names: Sequence[str], settings: ComparisonSettings, binary: Collection[str]
) -> dict[str, PairedOutcome]:
    """The tests that do not follow from drawn differences (bootstrap) or from the spread (t with groups)."""
    test = settings.test
    tested: dict[str, PairedOutcome] = {}
    permuted: list[str] = []
    for name in names:
        measure = pairs.measures[name]
        fits = measure.is_mean and pairs.count_alike and (test != "mcnemar" or name in binary)
        if test in _TESTS_OF_VALUES and fits and pairs.groups is None:
            tested[name] = _TESTS_OF_VALUES[test](*pairs.by_example(measure))  # type: ignore[misc]
        elif test != "bootstrap" and not (test == "t" and fits):
            permuted.append(name)
    return tested | permutation_tests(pairs, permuted, settings.n_permutations, settings.intervals.seed)


def _drawn(
    pairs: Pairs, without: Mapping[str, DifferenceWithout], settings: ComparisonSettings
) -> dict[str, np.ndarray]:
    """The differences of resamples, for the measures and the settings that need them."""
    intervals, is_bootstrap = settings.intervals, settings.test == "bootstrap"
    of_all = is_bootstrap or intervals.method == "percentile"
    needed = [name for name, of in without.items() if of_all or of.without is None]
    draws = max(intervals.n_resamples, settings.n_permutations if is_bootstrap else 0)
    return pairs.bootstrap_differences(needed, draws, intervals.seed) if needed else {}


def _difference(
    name: str,
    pair: tuple[str, str],
    both: Sequence[_OfSystem],
    pairs: Pairs,
    without: DifferenceWithout,
    drawn: np.ndarray | None,
    tested: PairedOutcome | None,
    settings: ComparisonSettings,
) -> Difference:
    """One difference, from what `_tested`, `differences_without` and `_drawn` found."""
    measure, systems, in_groups = pairs.measures[name], [of.scores for of in both], both[0].scores.groups is not None
    sizes = np.stack([measure.sizes(scores.rows) for scores in systems])
    in_both = (sizes > 0).all(axis=0)
    n, left_out = int(sizes.min(axis=0).sum()), int(sizes[:, ~in_both].sum())
    test = settings.test if tested is None else tested.test
    found = Difference.unmeasured(name, measure, pair, n, left_out, test, in_groups)
    intervals = [of.intervals[name] for of in both]
    if left_out:
        systems = [scores.take(np.flatnonzero(in_both)) for scores in systems]
    if any(measure.is_empty(scores.rows) for scores in systems):
        return found
    if left_out:
        intervals = [scores.intervals_by(settings.intervals, [name])[name] for scores in systems]
    first, second = (float(scores.measures[name].value_once(scores.rows)) for scores in systems)
    drawn = np.zeros(0) if drawn is None else drawn
    resampled, examples = drawn[: settings.intervals.n_resamples], pairs.by_example(measure)
    spread = difference_spread(pairs, name, without, (first, second), resampled)
    if tested is None and settings.test == "bootstrap":
        difference, slack = rounded_difference(first, second)
        tested = bootstrap_test(drawn, difference, spread.n_changed, slack)
    found = concluded(
        found,
        measure,
        (first, second),
        (intervals[0], intervals[1]),
        spread,
        None if examples is None else changes_of(*examples),
        tested,
        settings,
        has_units=pairs.groups is not None or in_groups and systems[0].are_buckets,  # buckets contain whole groups
        of_runs=[of.of_runs[name] for of in both if name in of.of_runs],
    )
    if settings.intervals.method != "percentile":
        return found
    return dataclasses.replace(found, interval=percentile_interval(resampled, settings.intervals.confidence))


def rounded_difference(first: float, second: float) -> tuple[float, float]:
    """The second value minus the first, 0 if it is only rounding, and the tolerance for rounding."""
    slack = TINY * max(abs(first), abs(second))
    return 0.0 if abs(second - first) <= slack else second - first, slack


def concluded(
    found: Difference,
    measure: Measure,
    values: tuple[float, float],
    intervals: tuple[Interval, Interval],
    spread: DifferenceSpread,
    changes: np.ndarray | None,
    tested: PairedOutcome | None,
    settings: ComparisonSettings,
    *,
    has_units: bool = False,
    of_runs: Sequence[RunSpread] = (),
) -> Difference:
    """The difference with its interval, test and cautions, from its spread and the result of the requested test.

    Args:
        found: the difference without values.
        changes: the rounded change of each example; None if single examples have no value.
        tested: None: a t-test that follows from the spread.
        has_units: whether the units of the spread are groups.
    """
    level, n, in_groups = settings.intervals.confidence, found.n, found.n_groups is not None
    difference, _ = rounded_difference(*values)
    if tested is None:
        tested = spread_t_test(difference, spread.spread, n_equal=spread.n_units if spread.n_changed else 0)
    tested = small_sample_test(tested, measure, difference, spread)
    cautions = cautions_of(tested, level, spread, has_units)
    if any(of.observed for of in of_runs):
        over_all = functools.reduce(with_runs, of_runs, spread.spread)
        tested = larger_p(tested, spread_t_test(difference, over_all, "t over runs"))
        cautions = (*cautions, "over_runs") if tested.test == "t over runs" else cautions
    better = equal = worse = None
    if changes is not None:
        gained = -changes if measure.lower_is_better else changes
        better, equal, worse = (int(np.count_nonzero(are)) for are in (gained > 0, gained == 0, gained < 0))
    if changes is not None and spread.changes is not None and not has_units:
        apart = changes - changes.sum() / max(1, len(changes))  # as np.std, which takes longer in many small slices
        deviation = math.sqrt((apart * apart).sum() / max(1, len(changes) - 1))
    else:
        deviation = math.sqrt((spread.spread.variance or 0.0) * n)
    effect = difference / deviation if deviation > TINY else None
    n_needed, groups_needed = n_needed_for(effect, level, n, spread.n_units if has_units else n)
    if n_needed is not None and tested.test == "rule of three":  # enough to show the tail
        n_needed = max(n_needed, n_without_tail(1 - tested.p_value ** (1 / spread.n_units), level))
    return dataclasses.replace(
        found,
        test=tested.test,
        values=values,
        intervals=intervals,
        difference=difference,
        interval=difference_interval(measure, difference, spread, level, of_runs),
        p_value=tested.p_value,
        p_corrected=tested.p_value,
        better=better,
        equal=equal,
        worse=worse,
        effect_size=effect,
        n_needed=n_needed,
        n_groups=spread.n_units if in_groups else None,
        groups_needed=groups_needed if in_groups else None,
        cautions=cautions,
    )


def corrected(differences: Sequence[Difference], correction: str) -> list[Difference]:
    """The differences with p-values corrected for the number of tests; measures without examples are not tested."""
    known = [difference.p_value for difference in differences if difference.p_value is not None]
    p_values = iter(corrected_p_values(known, correction))
    return [
        difference if difference.p_value is None else dataclasses.replace(difference, p_corrected=next(p_values))
        for difference in differences
    ]


def corrected_groups(groups: Mapping[Any, Sequence[Difference]], correction: str) -> dict[Any, list[Difference]]:
    """Group -> differences, with p-values corrected for the tests of all groups together."""
    flat = iter(corrected([difference for group in groups.values() for difference in group], correction))
    return {label: [next(flat) for _ in group] for label, group in groups.items()}
