"""Selective answering: how good the most confident answers of a system are.

The curve of risk (1 - the mean value of the given answers) by coverage (the share of answered examples) takes the
examples by decreasing confidence. Examples with equal confidence have no order: every number except the coverage is the
mean over all their orders.
"""

import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from .columns import LARGEST, check_lengths, finite_numbers
from .ids import values_by_id
from .intake import Cells
from .measures import Measure, Rows
from .options import did_you_mean
from .shown import shown

CONFIDENCE, CONFIDENCES = "confidence", "confidences"  # the column of scores, the argument
_NO_ANSWER_COLUMN = "no_answer_probability"
_LEAST_CONFIDENCE = -float(np.finfo(np.float64).max)  # the confidence of a missing answer
_LARGEST_TABLE = 1 << 20  # size of the table of harmonic numbers; larger ones come from scipy
_SHARE_SLACK = 1e-12  # tolerance for shares, so that rounding does not decide


class RiskCoverageCurve(NamedTuple):
    """The risk as a function of coverage.

    Attributes:
        coverages: float64 (k,), increasing to 1: the (weighted) share of examples with at least that confidence.
        risks: float64 (k,), 1 - their mean value.
        thresholds: float64 (k,), the k distinct confidences, decreasing.
    """

    coverages: np.ndarray
    risks: np.ndarray
    thresholds: np.ndarray


class _Steps(NamedTuple):
    """Examples grouped by confidence, highest first, (b, k) each: weights and sums of values of groups, and of all before."""

    sizes: np.ndarray
    values: np.ndarray
    before: np.ndarray
    values_before: np.ndarray

    @property
    def total(self) -> Any:
        """The weight of all examples, (b,)."""
        return self.sizes.sum(axis=1)


def _area(steps: _Steps, share: float) -> Any:
    """AURC: the mean of the risks of the first 1, 2, ... n examples (Geifman, Uziel and El-Yaniv, 2019).

    An example of weight 2 counts as two examples with the same confidence.
    In a group of m examples with total loss g that follows s examples with total loss l, the j-th has the expected risk
    (l + j g / m) / (s + j), and these sum to g + (l - s g / m) (H(s + m) - H(s)), H the harmonic numbers.
    """
    losses, ends = steps.sizes - steps.values, steps.before + steps.sizes
    losses_before = steps.before - steps.values_before
    largest = ends.max(initial=0.0)
    if largest <= _LARGEST_TABLE and (ends == np.trunc(ends)).all():
        table = np.append(0.0, np.cumsum(1.0 / np.arange(1, int(largest) + 1)))
        grown = table[ends.astype(np.int64)] - table[steps.before.astype(np.int64)]
    else:
        from scipy.special import digamma  # only here, since its import takes longer than many scores

        grown = digamma(ends + 1) - digamma(steps.before + 1)
    sums = np.where(
        steps.sizes == 1,  # needs no harmonic numbers, so it is exact
        (losses_before + losses) / np.maximum(ends, 1.0),
        losses + (losses_before - steps.before * _mean_of_group(losses, steps.sizes)) * grown,
    )
    total = steps.total
    return sums.sum(axis=1) / np.where(total > 0, total, 1.0)


def _value_at_coverage(steps: _Steps, share: float) -> Any:
    """The mean value of the most confident examples, at least this share of all."""
    needed = share * steps.total
    if (steps.sizes == np.trunc(steps.sizes)).all():
        needed = np.ceil(needed * (1 - _SHARE_SLACK))
    ends = steps.before + steps.sizes
    last = np.argmax(ends >= (needed * (1 - _SHARE_SLACK))[:, None], axis=1)[:, None]
    size, value, before, values_before = (np.take_along_axis(part, last, axis=1)[:, 0] for part in steps)
    return (values_before + (needed - before) * _mean_of_group(value, size)) / np.maximum(needed, _SHARE_SLACK)


def _coverage_at_value(steps: _Steps, share: float) -> Any:
    """The largest share of examples that a threshold of the confidence can answer with at least this mean value."""
    ends = steps.before + steps.sizes
    reached = (steps.values_before + steps.values >= (share - _SHARE_SLACK) * ends) & (ends > 0)
    return np.where(reached, ends, 0.0).max(axis=1, initial=0.0) / np.maximum(steps.total, _SHARE_SLACK)


_FORMULAS = {"aurc": _area, "selective": _value_at_coverage, "coverage": _coverage_at_value}


@dataclasses.dataclass(frozen=True)
class SelectiveMeasure(Measure):
    """A number of the risk-coverage curve.

    Attributes:
        kind: of `_FORMULAS`.
        values: the column of the values of examples, 0 to 1.
        share: the coverage or the mean value of the formula.
    """

    kind: str
    values: str
    share: float = 1.0

    @property
    def lower_is_better(self) -> bool:  # type: ignore[override]
        return self.kind == "aurc"

    @property
    def reads(self) -> tuple[str, ...]:
        return (self.values, CONFIDENCE)

    def value(self, rows: Rows, replicate_counts: np.ndarray) -> np.ndarray:
        found = _FORMULAS[self.kind](_steps_of(self, rows, replicate_counts), self.share)
        return np.where((self.applies(rows) * rows.weights * replicate_counts).sum(axis=1) > 0, found, np.nan)


def _steps_of(measure: SelectiveMeasure, rows: Rows, replicate_counts: np.ndarray) -> _Steps:
    """The examples to which a measure applies, by falling confidence."""
    values, order, starts = _falling_order(measure, rows)
    weights = (replicate_counts * rows.weights)[:, order]
    if not len(order):
        return _Steps(*np.zeros((4, len(weights), 1)))
    sizes = np.add.reduceat(weights, starts, axis=1)
    sums = np.add.reduceat(weights * values, starts, axis=1)
    return _Steps(sizes, sums, np.cumsum(sizes, axis=1) - sizes, np.cumsum(sums, axis=1) - sums)


def _falling_order(measure: SelectiveMeasure, rows: Rows) -> Any:
    """Sorted values, the order of rows, and the starts of groups of equal confidence; cached for the next counts."""
    key = ("selective", measure.reads)
    if key not in rows.cache:
        applied = np.flatnonzero(measure.applies(rows))
        values, confidences = rows.columns[measure.values][applied], rows.columns[CONFIDENCE][applied]
        order = np.lexsort((values, -confidences))  # also by value: rounding must not depend on the order of tied rows
        starts = np.flatnonzero(np.append(True, np.diff(confidences[order]) != 0)[: len(order)])
        rows.cache[key] = (values[order], applied[order], starts)
    return rows.cache[key]


def _mean_of_group(values: np.ndarray, sizes: np.ndarray) -> Any:
    return np.divide(values, sizes, out=np.zeros_like(values), where=sizes > 0)


def with_confidences(
    scores: Any,
    confidences: Any,
    measure: str | None,
    coverages: Iterable[float],
    accuracies: Iterable[float],
) -> Any:
    """Implements `Scores.with_confidences`."""
    if scores.n_runs > 1:
        raise ValueError("these scores have several runs; give each run its confidences before they are put together")
    name = _risky_measure(scores, measure)
    low, high = scores.measures[name].bounds
    column = (scores.measures[name].by_example(scores.rows) - low) / (high - low)
    given = _given_confidences(scores, confidences)
    if CONFIDENCE in scores.columns and not np.array_equal(scores.columns[CONFIDENCE], given):
        raise ValueError("these scores have other confidences already; add them to the scores without confidences")
    values = f"{name}_value"
    measures = {f"aurc({name})": SelectiveMeasure("aurc", values)}
    for kind, shares, argument in (("selective", coverages, "coverages"), ("coverage", accuracies, "accuracies")):
        for share in shares:
            if not isinstance(share, (int, float)) or isinstance(share, bool) or not 0 < share <= 1:
                raise ValueError(f"{argument} are shares above 0 and up to 1, got {shown(share)}")
            measures[f"{kind}({name})@{share:g}"] = SelectiveMeasure(kind, values, share)
    return dataclasses.replace(
        scores,
        columns={**scores.columns, values: column, CONFIDENCE: given},
        measures={**scores.measures, **measures},
    )


def risk_coverage_curve(scores: Any, measure: str | None = None) -> RiskCoverageCurve:
    """The risk-coverage curve of scores with confidences.

    Args:
        measure: the measure for the risk, such as "exact_match"; None: the first that has a curve.

    Raises:
        ValueError: no confidences, or an unknown measure.

    Example:
        >>> import qassay
        >>> scores = qassay.score("answer_match", ["a", "b", "c"], [["a"], ["x"], ["c"]])
        >>> curve = risk_coverage_curve(scores.with_confidences([0.9, 0.2, 0.5]))
        >>> curve.coverages.round(2).tolist(), curve.risks.round(2).tolist(), curve.thresholds.tolist()
        ([0.33, 0.67, 1.0], [0.0, 0.0, 0.33], [0.9, 0.5, 0.2])
    """
    there = curved_measures(scores)
    if not there:
        raise ValueError("these scores have no confidences; add them by scores.with_confidences(...)")
    if measure is not None and measure not in there:
        raise ValueError(f"no risk-coverage curve of {shown(measure)}; available: {', '.join(there)}")
    area = scores.measures[f"aurc({measure or there[0]})"]
    steps = _steps_of(area, scores.rows, np.ones((1, len(scores))))
    _, order, starts = _falling_order(area, scores.rows)
    ends = (steps.before + steps.sizes)[0]
    counted = np.diff(ends, prepend=0.0) > 0
    risks = 1.0 - _mean_of_group(steps.values_before + steps.values, steps.before + steps.sizes)[0]
    thresholds = scores.columns[CONFIDENCE][order[starts]]
    return RiskCoverageCurve(ends[counted] / ends[-1], risks[counted], thresholds[counted])


def curved_measures(scores: Any) -> list[str]:
    """The measures that have a risk-coverage curve; none without confidences."""
    return [
        name.removeprefix("aurc(").removesuffix(")")
        for name, measure in scores.measures.items()
        if isinstance(measure, SelectiveMeasure) and measure.kind == "aurc"
    ]


def selective_measures(scores: Any) -> list[str]:
    """The measures that confidences added, also as means over runs."""
    return [
        name
        for name, measure in scores.measures.items()
        if isinstance(getattr(measure, "measure", measure), SelectiveMeasure)
    ]


def _risky_measure(scores: Any, name: str | None) -> str:
    """The measure whose values are the accuracy: a mean from 0 to a highest value, over all examples; None: the first."""
    there = [
        of
        for of, measure in scores.measures.items()
        if measure.is_mean and measure.subset is None and not measure.lower_is_better
        and measure.bounds is not None and all(map(math.isfinite, measure.bounds))
    ]  # fmt: skip
    if not there:
        raise ValueError("these scores have no mean over all examples to compute a risk from; use other scores")
    if name is not None and name not in there:
        near = did_you_mean(name, there)
        raise ValueError(f"no accuracy {shown(name)}{near}; it is a mean over all examples: {', '.join(there)}")
    return str(name or there[0])


def _given_confidences(scores: Any, given: Any) -> np.ndarray:
    """A number per example; the lowest possible if the system has no answer and no confidence."""
    if isinstance(given, str) and given == _NO_ANSWER_COLUMN:
        if _NO_ANSWER_COLUMN not in scores.columns:
            raise ValueError("these scores have no no-answer probabilities; score with no_answer_probabilities")
        given = (-scores.columns[_NO_ANSWER_COLUMN]).tolist()
    if isinstance(given, Mapping):
        given = {**dict.fromkeys(scores.ids), **given}
    listed = values_by_id(given, scores.ids, CONFIDENCES)
    check_lengths(examples=scores.ids, confidences=listed)
    missing = scores.subsets.get("missing", np.zeros(len(scores), bool)).tolist()
    absent = [number is None or isinstance(number, float) and math.isnan(number) for number in listed]
    for row, (lacks, is_missing) in enumerate(zip(absent, missing, strict=True)):
        if lacks and not is_missing:
            raise ValueError(
                f"confidences has no number for the id {shown(scores.ids[row])}; give one for every answer (only "
                "missing predictions need none)"
            )
    there = [0 if lacks else number for number, lacks in zip(listed, absent, strict=True)]
    numbers = finite_numbers(there, Cells(there, CONFIDENCES, scores.ids).where, LARGEST)
    return np.where(absent, _LEAST_CONFIDENCE, numbers)
