"""The result of `qassay.agreement`: the agreement of each measure, and the systems."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from ..core.intervals import Interval
from ..core.presenting import presenter


@dataclasses.dataclass(frozen=True)
class MeasureAgreement:
    """How well one measure agrees with the labels; a figure is None if it is not defined.

    Attributes:
        measure: its name.
        metric: the metric that has it.
        signature: of the scores.
        n: the number of answers, all that the measure has a value for.
        auc: the probability that a right answer has a higher value than a wrong one; equal values count half.
        accuracy: the share of answers on which people and the measure agree, which accepts from 0.5 on.
        best_accuracy: the same from the best threshold on, which is chosen without the answers that it judges.
        best_threshold: the threshold that agrees best on all answers; 0.0 accepts and 1.01 rejects every answer.
        pearson: the correlation with the labels.
        ece: the mean distance between the value and the verdict of people, in ten bins of the value.
        intervals: figure -> its interval; without the best threshold where nearly all resamples have the same.
        same_order: of `pairs` pairs of systems, how many the measure puts in the same order as people, by the answers that
            it has a value for; None if fewer than two systems have such answers.
        largest_difference: between the mean of the measure and of people over these answers, of any system; None likewise.
    """

    measure: str
    metric: str
    signature: str
    n: int
    auc: float | None
    accuracy: float | None
    best_accuracy: float | None
    best_threshold: float | None
    pearson: float | None
    ece: float | None
    intervals: Mapping[str, Interval]
    same_order: int | None = None
    pairs: int | None = None
    largest_difference: float | None = None


@dataclasses.dataclass(frozen=True)
class SystemMeans:
    """One system by people and by the measures.

    Attributes:
        n: the number of its answers.
        people: the mean verdict on all of them.
        interval: of the mean verdict.
        means: measure -> its mean over the answers that it has a value for; without measures that have no value for any.
        counts: measure -> the number of these answers.
    """

    system: str
    n: int
    people: float
    interval: Interval
    means: Mapping[str, float]
    counts: Mapping[str, int]


@dataclasses.dataclass(frozen=True)
class LabelAgreement:
    """The result of `qassay.agreement`.

    Attributes:
        n: the number of labelled answers.
        right: the share that people call right: the accuracy of accepting every answer; 1 - right: of rejecting every answer.
        right_from: the label from which on an answer is right.
        confidence: of the intervals.
        group_name: the column whose equal values make the groups that intervals draw; n_groups: how many there are.
        measures: one entry per measure.
        systems: one entry per system, by the mean verdict, best first; [] without a column of systems.
        remarks: warnings, in sentences.
    """

    n: int
    right: float
    right_from: float
    confidence: float
    group_name: str
    n_groups: int
    measures: tuple[MeasureAgreement, ...]
    systems: tuple[SystemMeans, ...]
    remarks: tuple[str, ...]

    def __getitem__(self, measure: str) -> MeasureAgreement:
        """The agreement of one measure.

        Raises:
            KeyError: it was not scored (the message lists the measures that were).
        """
        for one in self.measures:
            if one.measure == measure:
                return one
        raise KeyError(f"no measure {measure!r}; available: {', '.join(one.measure for one in self.measures)}")

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain values, systems by name: intervals as pairs, and beside them their methods."""
        values = dataclasses.asdict(self)
        for one, measure in zip(values["measures"], self.measures, strict=True):
            one["intervals"] = {name: list(ends) for name, ends in measure.intervals.items()}
            one["interval_methods"] = {name: ends.method for name, ends in measure.intervals.items()}
        for one, system in zip(values["systems"], self.systems, strict=True):
            one |= {"interval": list(system.interval), "interval_method": system.interval.method}
        values["systems"] = {one.pop("system"): one for one in values["systems"]}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def __str__(self) -> str:
        """The tables as plain text."""
        return str(presenter("notebooks").agreement_text(self))

    def _repr_html_(self) -> str:
        """The same as notebooks show it."""
        return str(presenter("notebooks").agreement_html(self))
