"""Systems compared on the same examples: differences of every measure with intervals, paired tests and slices."""

import dataclasses
from collections.abc import Mapping

from .scores import Scores


@dataclasses.dataclass(frozen=True)
class Difference:
    """A measure of two systems on the same examples.

    Attributes:
        measure: its name.
        first, second: the systems; the difference is that of the second minus the first.
        n: how many examples both values rest on.
        left_out: examples that the measure applies to with only one of the systems.
        values: of the first and of the second system, over these n examples.
        intervals: of the values.
        difference: second minus first.
        interval: of the difference, by a bootstrap of pairs.
        p_value: of the test, two-sided, before the correction for several tests.
        p_adjusted: after it.
        test: how p was found: "permutation", "exact permutation", "bootstrap", "t", "wilcoxon", "mcnemar".
        wins, ties, losses: examples in which the second system is better, equal and worse; None where a single example
            has no value of its own (such as macro-F1 of sets of classes).
        effect_size: the difference in standard deviations of the difference of one example (Cohen's d of pairs); None
            where the difference has no spread.
        n_needed: how many examples a test of this level needs to find a difference of that size in 4 of 5 cases; None
            without a difference.
        is_rate: it has a scale, 0..1 or 0..100; counts and thresholds have none.
        lower_is_better: as for an error rate.
    """

    measure: str
    first: str
    second: str
    n: int
    left_out: int
    values: tuple[float, float]
    intervals: tuple[tuple[float, float], tuple[float, float]]
    difference: float
    interval: tuple[float, float]
    p_value: float
    p_adjusted: float
    test: str
    wins: int | None
    ties: int | None
    losses: int | None
    effect_size: float | None
    n_needed: int | None
    is_rate: bool = True
    lower_is_better: bool = False


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What `compare` returns.

    Attributes:
        systems: name -> Scores of the examples that all systems have, in one order.
        differences: one per pair of systems and measure, over all these examples.
        slices: slice -> label -> differences.
        unmatched: system -> its examples that another system lacks; left out.
        remarks: what else a reader must know, in words.
        level, test, correction, n_resamples, n_permutations, seed: as they were asked for.
    """

    systems: Mapping[str, Scores]
    differences: list[Difference]
    slices: dict[str, dict[str, list[Difference]]]
    unmatched: dict[str, int]
    remarks: list[str]
    level: float
    test: str
    correction: str
    n_resamples: int
    n_permutations: int
    seed: int
