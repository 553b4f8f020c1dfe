"""The difference of a measure between two systems: interval, test, effect size, and the number of examples needed."""

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np

from ..core.interval_settings import Intervals, check_count
from ..core.intervals import Interval, RunSpread, percentile_interval
from ..core.measures import Measure
from ..core.options import check_choice
from ..core.rounding import ROUNDING, TINY
from ..core.scores import Scores
from .cautions import cautions_of, least_signs
from .corrections import CORRECTIONS, corrected_p_values
from .paired_tests import (
    PAIRED_TESTS,
    PairedOutcome,
    bootstrap_test,
    mcnemar_test,
    spread_t_test,
    student_t_test,
    wilcoxon_test,
)
from .pairs import Pairs, changes_of
from .permutation import permutation_tests
from .run_measures import resampled_over_runs
from .spreads import (
    DifferenceSpread,
    DifferenceWithout,
    difference_interval,
    difference_spread,
    differences_without,
    p_over_runs,
)

POWER = 0.8  # share of cases in which `n_needed` examples suffice


@dataclasses.dataclass(frozen=True)
class Difference:
    """A measure of two systems on the same examples.

    Where no example with a weight is behind a measure, its values, intervals, difference and p-values are None.

    Attributes:
        first, second: the systems; the difference is the second minus the first.
        n: the number of examples behind both values.
        left_out: the number of examples that the measure applies to in only one system.
        values: the values of the first and the second system over these n examples.
        interval: of the difference, a pair of floats with its `method`; see `qassay.compare`.
        p_value: two-sided p-value of the test, before correction for several tests.
        p_adjusted: the corrected p-value.
        ranked: whether p_adjusted is the p of the ranking of three or more systems, as in reports by their main measure.
        test: the test behind p: "permutation", "exact permutation", "bootstrap", "t", "wilcoxon", "mcnemar"; or "t over
            runs", for systems with several runs: a t-test over other examples and other runs, used if its p is larger
            than p of the requested test.
        wins, ties, losses: the numbers of examples on which the second system is better, equal and worse; None if
            single examples have no value (as for macro-F1 of sets of classes).
        effect_size: the mean difference divided by the standard deviation of per-example differences (Cohen's d of
            pairs), or with groups by the contribution of an example to the variance; None if the difference does not
            vary.
        n_needed: the number of examples with which one uncorrected test at this level detects a difference of this size
            in 4 of 5 cases, in groups of the same size; None without a difference.
        is_rate: whether it has a scale, 0..1 or 0..100, unlike counts and thresholds.
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
    values: tuple[Any, Any]  # floats, or None, as all numbers up to p_adjusted
    intervals: tuple[Interval, Interval]
    difference: Any
    interval: Interval
    p_value: Any
    p_adjusted: Any
    test: str
    wins: int | None
    ties: int | None
    losses: int | None
    effect_size: float | None
    n_needed: int | None
    is_rate: bool = True
    lower_is_better: bool = False
    n_groups: int | None = None
    groups_needed: int | None = None
    cautions: tuple[str, ...] = ()
    ranked: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The attributes as plain numbers, strings and tuples, with `interval_method`; NaN ends are None."""
        plain = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        plain |= {"interval": _plain_ends(self.interval), "intervals": tuple(map(_plain_ends, self.intervals))}
        return {**plain, "interval_method": self.interval.method}

    def turned(self) -> "Difference":
        """The same difference with the systems swapped: the first minus the second."""
        if self.p_value is None:
            return dataclasses.replace(self, first=self.second, second=self.first)
        own = self.interval
        return dataclasses.replace(
            self,
            first=self.second,
            second=self.first,
            values=self.values[::-1],
            intervals=self.intervals[::-1],
            difference=-self.difference,
            interval=Interval(-own.high, -own.low, own.method, own.effective, own.degrees, own.rarest),
            wins=self.losses,
            losses=self.wins,
            effect_size=None if self.effect_size is None else -self.effect_size,
        )

    @property
    def better(self) -> str | None:
        """The system with the better value; None if values are equal or absent. Only p tells whether this could be
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
        return self.p_adjusted is not None and self.p_adjusted < round(1 - confidence, 12)


def _plain_ends(interval: Interval) -> tuple[float | None, float | None]:
    low, high = (None if end is None or not math.isfinite(end) else end for end in interval)
    return low, high


def p_text(p: float | None, at_most: bool = False) -> str:
    """A p-value with its meaningful digits.

    Args:
        at_most: p is the smallest value that the test can return; see `Difference.is_least`.

    Example:
        >>> p_text(0.0312), p_text(1e-7), p_text(1.0), p_text(1 / 10_001, at_most=True)
        ('0.0312', '<0.0001', '1.0000', '<= 0.0001')
        >>> p_text(11 / 32), p_text(0.3437499999999)  # the same, found in two ways
        ('0.3438', '0.3438')
    """
    if p is None or math.isnan(p):  # for a measure that applies to no example
        return "–"
    if p < 0.00005:
        return "<0.0001"
    return f"{'<= ' if at_most and p < 1 else ''}{float(f'{p:.10g}'):.4f}"


@dataclasses.dataclass(frozen=True)
class ComparisonSettings:
    """The settings of a comparison, with the names and meanings of the arguments of `qassay.compare`."""

    test: str = "permutation"
    correction: str = "holm"
    intervals: Intervals = Intervals()
    n_permutations: int = 10_000
    baseline: str | None = None

    def __post_init__(self) -> None:
        check_choice("test", self.test, PAIRED_TESTS)
        check_choice("correction", self.correction, CORRECTIONS)
        object.__setattr__(self, "n_permutations", check_count("n_permutations", self.n_permutations))


class ComparedExamples:
    """The systems on the examples of a slice, or on all examples, and the measures to compare.

    `name` and `label` of the slice are None for all.
    """

    def __init__(self, name: str | None, label: str | None, systems: Mapping[str, Scores], measures: list[str]):
        self.name, self.label, self.systems, self.measures = name, label, systems, measures
        self._intervals: dict[str, dict[str, Interval]] = {}
        self._of_runs: dict[str, Mapping[str, RunSpread]] = {}

    def intervals(self, system: str, settings: ComparisonSettings) -> dict[str, Interval]:
        """The intervals of a system, computed once for all its pairs."""
        if system not in self._intervals:
            self._intervals[system] = self.systems[system].intervals_by(settings.intervals, self.measures)
        return self._intervals[system]

    def of_runs(self, system: str, settings: ComparisonSettings) -> Mapping[str, RunSpread]:
        """The variation of measures between the runs of a system with several runs, computed once."""
        if system not in self._of_runs:
            scores = self.systems[system]
            measures = {name: scores.measures[name] for name in self.measures}
            self._of_runs[system] = scores.spread_of_runs(measures, settings.intervals)
        return self._of_runs[system]


def pair_differences(
    part: ComparedExamples, pair: tuple[str, str], settings: ComparisonSettings, binary: Collection[str] = ()
) -> list[Difference]:
    """The differences of two systems, with uncorrected p-values.

    Args:
        binary: the right-or-wrong measures, to which McNemar's test applies.
    """
    both, names = [part.systems[name] for name in pair], part.measures
    sources = {
        name: measure
        for name, measure in both[0].measures.items()
        if measure.has_interval and both[1].measures.get(name) == measure
    }
    unlike = [name for name in names if name not in sources]
    if unlike:
        raise ValueError(f"{unlike[0]} of {pair[0]} and of {pair[1]} are not the same measure; compare them apart")
    pairs = Pairs(both[0].rows, both[1].rows, sources, both[0].groups)
    found = {
        difference.measure: difference
        for grouped, own in pairs.by_grouping(names)
        for difference in _differences(own, part, pair, grouped, settings, binary)
    }
    return [found[name] for name in names]


def _differences(
    names: Sequence[str],
    part: ComparedExamples,
    pair: tuple[str, str],
    pairs: Pairs,
    settings: ComparisonSettings,
    binary: Collection[str],
) -> list[Difference]:
    """The differences of measures that use the same pairs."""
    sources = pairs.measures
    fitting = [name for name in names if settings.test != "mcnemar" or name in binary]
    tested = {name: _plain_test(pairs, sources[name], settings.test) if name in fitting else None for name in names}
    by_spread = [name for name in fitting if settings.test == "t" and _is_of_groups(pairs, sources[name])]
    others = [name for name in names if tested[name] is None and name not in by_spread]
    permuted = others if settings.test != "bootstrap" else []
    tested |= permutation_tests(pairs, permuted, settings.n_permutations, settings.intervals.seed)
    without = differences_without(pairs, names)
    is_drawn = settings.test == "bootstrap" or settings.intervals.method == "percentile"
    drawn = [name for name in names if is_drawn or without[name].without is None]
    draws = max(settings.intervals.n_resamples, settings.n_permutations if settings.test == "bootstrap" else 0)
    values = pairs.bootstrap_differences(drawn, draws, settings.intervals.seed) if drawn else {}
    none = np.zeros(0)
    return [
        _difference(name, part, pair, pairs, without[name], values.get(name, none), tested[name], settings)
        for name in names
    ]


def _difference(
    name: str,
    part: ComparedExamples,
    pair: tuple[str, str],
    pairs: Pairs,
    without: DifferenceWithout,
    drawn: np.ndarray,
    tested: PairedOutcome | None,
    settings: ComparisonSettings,
) -> Difference:
    """One difference.

    Args:
        drawn: differences of resamples; none if not needed.
        tested: None: the test uses the drawn differences (bootstrap) or the spread (t with groups).
    """
    measure = pairs.measures[name]
    both = [part.systems[system] for system in pair]
    first_sizes, second_sizes = (measure.sizes(scores.rows) for scores in both)
    applies_to_both = (first_sizes > 0) & (second_sizes > 0)
    n = int(np.minimum(first_sizes, second_sizes).sum())
    left_out = int((first_sizes + second_sizes)[~applies_to_both].sum())
    if left_out:
        both = [scores.take(np.flatnonzero(applies_to_both)) for scores in both]
    in_groups = part.systems[pair[0]].groups is not None
    if any(measure.is_empty(scores.rows) for scores in both):
        test = settings.test if tested is None else tested.test
        return _of_nothing(measure, (name, *pair), n, left_out, test, in_groups)
    intervals: Any = tuple(part.intervals(system, settings)[name] for system in pair)
    if left_out:
        intervals = tuple(scores.intervals_by(settings.intervals, [name])[name] for scores in both)
    first, second = (float(scores.measures[name].value_once(scores.rows)) for scores in both)
    slack = TINY * max(abs(first), abs(second))
    difference = 0.0 if abs(second - first) <= slack else second - first  # otherwise it is rounding
    resampled = drawn[: settings.intervals.n_resamples]
    spread = difference_spread(pairs, name, without, (first, second), resampled)
    of_runs = [found[name] for system in pair if name in (found := part.of_runs(system, settings))]
    examples = pairs.by_example(measure)
    confidence = settings.intervals.confidence
    if settings.intervals.method == "percentile":
        over_all = _drawn_with_runs(part, pair, pairs, measure, settings)
        interval = percentile_interval(resampled if over_all is None else over_all, confidence)
    else:
        interval = difference_interval(measure, difference, spread, confidence, of_runs)
    if tested is None and settings.test == "bootstrap":
        tested = bootstrap_test(drawn, difference, spread.n_changed, slack)
    elif tested is None:
        tested = spread_t_test(difference, spread.spread, n_equal=spread.n_units if spread.n_changed else 0)
    has_units = pairs.groups is not None or in_groups and both[0].are_buckets  # then buckets contain whole groups
    cautions = cautions_of(tested, confidence, spread, has_units, examples)
    over_runs = p_over_runs(difference, spread.spread, of_runs)
    if over_runs is not None and over_runs.p_value > tested.p_value:
        tested, cautions = over_runs, (*cautions, "over_runs")
    plain = examples if measure.is_mean and pairs.count_alike and pairs.groups is None else None
    effect = _effect_size(plain, difference, spread, n)
    n_needed, groups_needed = _n_needed(effect, confidence, n, spread.n_units if has_units else n)
    return Difference(
        name,
        *pair,
        n,
        left_out,
        (first, second),
        intervals,
        difference,
        interval,
        tested.p_value,
        tested.p_value,
        tested.test,
        *_wins(examples, measure.lower_is_better),
        effect,
        n_needed,
        measure.is_rate,
        measure.lower_is_better,
        spread.n_units if in_groups else None,
        groups_needed if in_groups else None,
        cautions,
    )


def _of_nothing(
    measure: Measure, names: tuple[str, str, str], n: int, left_out: int, test: str, in_groups: bool
) -> Difference:
    """The difference of a measure that no example with a weight is behind."""
    none = Interval(None, None, "none")
    return Difference(
        *names, n, left_out, (None, None), (none, none), None, none, None, None, test, 0, 0, 0, None, None,
        measure.is_rate, measure.lower_is_better, 0 if in_groups else None,
    )  # fmt: skip


def _drawn_with_runs(
    part: ComparedExamples, pair: tuple[str, str], pairs: Pairs, measure: Measure, settings: ComparisonSettings
) -> np.ndarray | None:
    """Differences with resampled examples of both systems and resampled runs of each; None if no system has several
    runs.
    """
    runs = [part.systems[system].n_runs for system in pair]
    if max(runs) == 1:
        return None
    first, second = (
        resampled_over_runs({"": measure}, n_runs, units, settings.intervals, place)[""]
        for place, (n_runs, units) in enumerate(zip(runs, pairs.units(measure), strict=True))
    )
    differences: np.ndarray = second - first
    return differences


def _plain_test(pairs: Pairs, measure: Measure, test: str) -> PairedOutcome | None:
    """The test of the values of examples; None if it does not fit the measure, with groups, or for other tests."""
    tests = {"t": student_t_test, "wilcoxon": wilcoxon_test, "mcnemar": mcnemar_test}
    if test not in tests or pairs.groups is not None or not measure.is_mean or not pairs.count_alike:
        return None
    examples: Any = pairs.by_example(measure)
    return tests[test](*examples)


def _is_of_groups(pairs: Pairs, measure: Measure) -> bool:
    """Whether a measure is a mean over equally weighted examples in groups."""
    return pairs.groups is not None and measure.is_mean and pairs.count_alike


def _wins(
    examples: tuple[np.ndarray, np.ndarray] | None, lower_is_better: bool
) -> tuple[int | None, int | None, int | None]:
    """The numbers of examples on which the second system is better, equal and worse."""
    if examples is None:
        return None, None, None
    changes = changes_of(*(examples[::-1] if lower_is_better else examples))
    return int((changes > 0).sum()), int((changes == 0).sum()), int((changes < 0).sum())


def _effect_size(
    examples: tuple[np.ndarray, np.ndarray] | None, difference: float, found: DifferenceSpread, n: int
) -> float | None:
    """The mean difference divided by the standard deviation of per-example differences.

    Args:
        examples: the values of each example in both systems, whose means are compared; None: use the spread.
    """
    if examples is not None:
        changes = changes_of(*examples)
        spread = float(np.std(changes, ddof=1)) if len(changes) > 1 else 0.0
    else:
        spread = math.sqrt((found.spread.variance or 0.0) * n)
    return difference / spread if spread > TINY else None


def _n_needed(effect: float | None, confidence: float, n: int, n_units: int) -> tuple[int | None, int | None]:
    """The numbers of examples and units with which a two-sided test detects an effect in 4 of 5 cases.

    Uses the normal approximation, with at least as many units as a sign test needs to reach p below 1 - confidence. A unit
    is a group or an example.
    """
    if not effect:
        return None, None
    normal, size = NormalDist(), n / n_units
    wanted = ((normal.inv_cdf((1 + confidence) / 2) + normal.inv_cdf(POWER)) / effect) ** 2 / size
    units = max(least_signs(confidence), math.ceil(wanted))
    return math.ceil(units * size), units


def corrected(differences: Sequence[Difference], correction: str) -> list[Difference]:
    """The differences with p-values corrected for the number of tests; measures without examples are not tested."""
    known = [difference.p_value for difference in differences if difference.p_value is not None]
    p_values = iter(corrected_p_values(known, correction))
    return [
        difference if difference.p_value is None else dataclasses.replace(difference, p_adjusted=next(p_values))
        for difference in differences
    ]


def corrected_groups(groups: Mapping[str, Sequence[Difference]], correction: str) -> dict[str, list[Difference]]:
    """Label -> differences, with p-values corrected for the tests of all groups together."""
    flat = iter(corrected([difference for group in groups.values() for difference in group], correction))
    return {label: [next(flat) for _ in group] for label, group in groups.items()}
