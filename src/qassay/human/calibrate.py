"""Calibration: corrects the value of a measure with human verdicts on a random sample of the examples."""

import dataclasses
import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.align import align_scores, require_comparable
from ..core.columns import is_real
from ..core.ids import rows_of_ids
from ..core.interval_settings import check_confidence, check_seed
from ..core.intervals import FEW_UNITS, Interval
from ..core.options import check_choice, check_whole
from ..core.presenting import Shown
from ..core.remarks import public
from ..core.scores import Scores
from ..core.shown import describe, shown
from ..registry import family_of
from . import METHODS, as_plain
from .estimates import Estimate, Sample, count_groups, ppi, rates, rogan_gladen
from .labels import require_enough, verdicts_of

_INTERVALS = {"ppi": "adjusted t", "rogan_gladen": "Lang-Reiczigel"}
_ENOUGH = {"ppi": 20, "rogan_gladen": 50}  # labels from which intervals cover in simulations


@dataclasses.dataclass(frozen=True)
class Agreement:
    """How well the measure agrees with the labels, on the labelled examples.

    Attributes:
        accuracy: the share of examples whose label equals the measure.
        sensitivity: the share of right answers that the measure accepts; None without right answers.
        specificity: the share of wrong answers that the measure rejects; None without wrong answers. These three are
            also None if the measure or a label is neither 1 nor 0.
        correlation: Pearson's correlation; None if the measure or the labels are constant.
    """

    accuracy: float | None
    sensitivity: float | None
    specificity: float | None
    correlation: float | None


@dataclasses.dataclass(frozen=True)
class Calibration(Shown):
    """The result of `qassay.calibrate` for one measure; prints as a table.

    Attributes:
        measure: the name of the measure.
        system: the name of the system; None for scores without a name, and for a difference.
        first, second: the names of the two systems of a difference, second minus first; None for one system.
        method: "ppi" or "rogan_gladen".
        confidence: the level of the intervals, such as 0.95.
        lam: the lambda of PPI++, the weight of the measure (0: the labels alone); None for Rogan-Gladen.
        n: the number of examples that the measure applies to.
        n_labelled: the number of these examples that have a label.
        n_groups: the number of groups of these examples; None without groups.
        n_labelled_groups: the number of groups that have a label; None without groups.
        measured: the value of the measure without labels, on the scale 0..1.
        labelled: the mean of the labels.
        labelled_interval: the interval of this mean, from the labels alone.
        value: the calibrated value, an estimate of the mean human verdict over all examples.
        interval: the interval of the calibrated value; its attribute `method` is the method.
        standard_error: the standard error of the calibrated value, as published.
        agreement: how well the measure agrees with the labels.
        saved: how much narrower the calibrated interval is than the interval of the labels alone, such as 0.2; negative if it
            is wider. Widths are taken before the intervals are cut at 0 and 1.
        worth: how many labels alone would give an interval as narrow as the calibrated one, approximately.
        remarks: warnings, one sentence each.
    """

    measure: str
    system: str | None
    first: str | None
    second: str | None
    method: str
    confidence: float
    lam: float | None
    n: int
    n_labelled: int
    n_groups: int | None
    n_labelled_groups: int | None
    measured: float
    labelled: float
    labelled_interval: Interval
    value: float
    interval: Interval
    standard_error: float
    agreement: Agreement
    saved: float
    worth: int
    remarks: tuple[str, ...]
    _unlabelled: Sequence[Any] = dataclasses.field(repr=False, compare=False)

    def to_next(self, k: int, seed: int = 0) -> list[Any]:
        """The ids of k random examples to label next, among those without a label; fewer if fewer are left.

        The same ids and seed give the same choice in any order of the examples, and the next call continues it.

        Raises:
            ValueError: k is not an integer of at least 1, or seed is not an integer of at least 0.
        """
        return at_random(self._unlabelled, k, seed)

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain Python numbers, lists and dicts."""
        return {**as_plain(self), "method": self.method, "interval_method": self.interval.method}


@public
def calibrate(
    scores: Scores | Mapping[str, Scores],
    labels: Any,
    measure: str | Sequence[str] | None = None,
    *,
    method: str = "ppi",
    lam: float | None = None,
    confidence: float = 0.95,
    groups: Any = None,
    columns: Mapping[str, Any] | None = None,
) -> Calibration | dict[str, Calibration]:
    """Correct a measure with human verdicts on a random sample: estimate the mean human verdict over all examples.

    The default method is PPI++ (Angelopoulos, Duchi, Zrnic 2023, arXiv 2311.01453): lambda times the measure over the
    examples without a label, plus the mean difference between labels and lambda times the measure on the labelled
    examples. It is valid for any measure, even a bad one; the better the measure predicts human verdicts, the narrower
    the interval. Rogan-Gladen (1978) corrects the verdicts of a judge by its sensitivity and specificity
    (arXiv 2511.21140); it is also valid if the labels were drawn by verdict instead of at random.

    Args:
        scores: Scores of one system with a row per example; or name -> Scores of one or two systems. For two systems, the
            difference (second minus first) on their common examples is calibrated, and estimates are in -1..1.
        labels: human verdicts on the answers of the system, 0 to 1 or bools: id -> verdict as a dict or a pandas
            series (NaN: no verdict); a list with one verdict per example (None: no verdict); a data frame, or the
            path of a CSV, JSON or JSONL file, with a column of ids and a column of labels. The labelled examples must
            be a random sample, such as `to_next` draws. For systems by name: name -> labels.
        measure: a measure that is a mean of one value per example, such as "f1"; several; or "all" for all that can
            be calibrated. None: the first main measure of the metric.
        method: "ppi", or "rogan_gladen" for measures and labels of 0 and 1.
        lam: the lambda of "ppi". None: the lambda with the smallest variance; 1: plain PPI; 0: the labels alone.
        confidence: as in `Scores.interval`.
        groups: one group per example, or id -> group, if examples are not independent, such as questions about one
            document; intervals then resample groups. None: the groups of the scores, if they have any.
        columns: role -> column of the file or data frame of labels, such as {"ids": "qid", "labels": "right"}.

    Returns:
        Calibration: `.value` and `.interval`, `.measured`, `.labelled`, `.agreement`, `.to_next(k)`. For several measures, a dict measure -> Calibration. Estimates are about such examples in
            general, not only about these, and are in 0..1.

    Raises:
        ValueError: fewer than 10 labels, labels of unknown ids, a verdict outside 0..1, different verdicts on
            one example, a measure that is not a mean of values per example, such as F1 of a class; only one group;
            for Rogan-Gladen, labels that are all equal, or a judge that agrees no better than chance. TypeError:
            something other than Scores, labels or numbers.

    Example:
        >>> import qassay
        >>> answers = ["Rome", "in Rome", "Paris", "Oslo"] * 5
        >>> scores = qassay.score("answer_match", answers, [["Rome"], ["Rome"], ["Rome"], ["Oslo"]] * 5)
        >>> found = calibrate(scores, [1, 1, 0, 1] * 3 + [None] * 8, "exact_match")
        >>> found.measured, found.labelled, round(found.value, 4)
        (0.5, 0.75, 0.75)
        >>> found.agreement.sensitivity.__round__(3), found.n_labelled, len(found.to_next(3))
        (0.667, 12, 3)
    """
    check_choice("method", method, METHODS)
    if lam is not None and (isinstance(lam, bool) or not is_real(lam) or not math.isfinite(lam)):
        raise ValueError(f"lam must be a finite number, such as 0 (labels alone) or 1 (plain PPI); got {shown(lam)}")
    if lam is not None and method != "ppi":
        raise ValueError("lam is only for the method ppi; omit it")
    lam = None if lam is None else float(lam)
    systems, of_systems = (scores, labels) if isinstance(scores, Mapping) else ({"": scores}, {"": labels})
    for one in systems.values():
        _check_scores(one)
    if len(systems) not in (1, 2):
        raise ValueError(
            "calibrate takes the Scores of one system, or a dict of two systems for their difference; got a dict of "
            f"{len(systems)}"
        )
    if not isinstance(of_systems, Mapping) or of_systems.keys() != systems.keys():
        required = ", ".join(f"{name!r}: ..." for name in systems)
        raise ValueError(
            f"labels must be a dict with the labels of each system, {{{required}}}; got {describe(of_systems)}"
        )
    systems = {name: one if groups is None else one.with_groups(groups) for name, one in systems.items()}
    verdicts = [verdicts_of(of_systems[name], one.ids, columns) for name, one in systems.items()]
    remarks: list[str] = []
    if len(systems) > 1:
        if method != "ppi":
            raise ValueError("the method rogan_gladen is for one system; use ppi for the difference between two")
        systems, verdicts, remarks = _aligned(systems, verdicts)
    requested = [measure] if isinstance(measure, str) else measure if measure is None else list(measure)
    level = check_confidence(confidence)
    found, errors = {}, []
    for name in _measures_of(list(systems.values()), requested):
        try:
            found[name] = _calibration(name, systems, verdicts, remarks, method, lam, level)
        except ValueError as error:
            errors.append(error)
    if errors and (not found or "all" not in (requested or ())):
        raise errors[0]
    is_one = measure is None or isinstance(measure, str) and measure != "all"
    return next(iter(found.values())) if is_one else found


def _check_scores(scores: Any) -> None:
    """Refuse what is not the Scores of one run with a row per example."""
    if not isinstance(scores, Scores):
        raise TypeError(f"scores must be Scores, such as qassay.score returns; got {describe(scores)}")
    if scores.are_buckets:
        raise ValueError("the rows of these scores are buckets of examples; give scores with one row per example")
    if scores.n_runs > 1:
        raise ValueError(
            f"these scores have {scores.n_runs} runs, and labels judge the answers of one run; calibrate one run of "
            "scores.each_run(), or the file of one run without run_id"
        )


def at_random(ids: Iterable[Any], k: int, seed: int = 0) -> list[Any]:
    """k of the ids at random; all if there are fewer.

    Ids are sorted by a hash of seed and id. The result depends neither on the order of the ids nor on other ids: the
    k ids after the labelled ones continue the last choice, and all choices together are a random sample.

    Raises:
        ValueError: k is not an integer of at least 1, or seed is not an integer of at least 0.

    Example:
        >>> first = at_random(range(100), 3)
        >>> first == at_random(reversed(range(100)), 3), first == at_random(range(100), 5)[:3]
        (True, True)
    """
    k, seed = check_whole("k", k, kind=""), check_seed(seed)

    def hash_of(identifier: Any) -> bytes:
        text = f"{seed}:{identifier}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(text, digest_size=16).digest()

    return sorted(ids, key=hash_of)[:k]


def _aligned(
    systems: Mapping[str, Scores], verdicts: Sequence[np.ndarray]
) -> tuple[dict[str, Scores], list[np.ndarray], list[str]]:
    """The common examples of two systems, their verdicts, and remarks on them."""
    require_comparable(systems)
    aligned, unmatched = align_scores(systems)
    ids = list(next(iter(aligned.values())).ids)
    found = [of[rows_of_ids(ids, list(one.ids))] for one, of in zip(systems.values(), verdicts, strict=True)]
    remarks = [
        f"{count} examples of {name} are omitted: the other system does not have them"
        for name, count in unmatched.items()
        if count
    ]
    if alone := int(np.sum(np.isnan(found[0]) != np.isnan(found[1]))):
        remarks.append(f"examples with a label of one system only: {alone}; they count as unlabelled")
    return aligned, found, remarks


def _measures_of(systems: Sequence[Scores], requested: Sequence[str] | None) -> list[str]:
    """The requested measures that all systems have; by default the first main measure that is a mean of values per example."""
    first = systems[0]
    available = [
        name
        for name, measure in first.measures.items()
        if measure.has_interval and measure.is_mean and measure.by_example(first.rows) is not None
    ]
    if requested is None:
        main = [name for name in family_of(first).about.main_measures(first) if name in available]
        names = (main or available)[:1]
    else:
        names = available if "all" in requested else first.measure_names(requested)
    there = ", ".join(available) or "none, as none is a mean of values per example"
    if other := next((name for name in names if name not in available), None):
        raise ValueError(f"{other} is not a mean of values per example; available: {there}")
    names = [name for name in names if all(one.measures.get(name) == first.measures[name] for one in systems)]
    if not names:
        raise ValueError(f"no measure to calibrate; available: {there}")
    return names


def _calibration(
    name: str,
    systems: Mapping[str, Scores],
    verdicts: Sequence[np.ndarray],
    remarks: Sequence[str],
    method: str,
    lam: float | None,
    confidence: float,
) -> Calibration:
    """The calibration of one measure, of one system or of the difference between two."""
    scores, is_pair = next(iter(systems.values())), len(systems) > 1
    measure, weights = scores.measures[name], scores.rows.weights
    scale = float(getattr(measure, "scale", 1.0))
    values = [np.asarray(one.measures[name].by_example(one.rows)) / scale for one in systems.values()]
    predictions, labels = (pair[1] - pair[0] if is_pair else pair[0] for pair in (values, verdicts))
    applies = ~np.isnan(predictions) & (weights > 0)
    if is_pair:
        counted = np.where(np.isnan(predictions), 0.0, weights)
        measured = float(np.sum(counted * np.nan_to_num(predictions)) / max(np.sum(counted), 1e-300))
    else:
        measured = measure.value_once(scores.rows) / scale
    groups = scores.groups
    codes = None if groups is None or groups.are_single_in(applies) else groups.codes[applies]
    bounds = (-1.0, 1.0) if is_pair else (0.0, 1.0)
    sample = Sample(predictions[applies], labels[applies], weights[applies], codes, bounds)
    excluded = int((~np.isnan(labels[~applies])).sum())
    _check_sample(sample, name, excluded, method)
    alone = ppi(sample, 0.0, confidence)
    estimate = ppi(sample, lam, confidence) if method == "ppi" else rogan_gladen(sample, confidence)
    found = _remarks(sample, estimate, alone, excluded, method, lam)
    first, second = systems if is_pair else (None, None)
    by_groups = " by groups" * (codes is not None)
    return Calibration(
        measure=name,
        system=None if is_pair else next(iter(systems)) or None,
        first=first,
        second=second,
        method=method,
        confidence=confidence,
        lam=estimate.lam,
        n=len(sample.predictions),
        n_labelled=len(sample.labelled),
        n_groups=None if codes is None else count_groups(codes),
        n_labelled_groups=None if codes is None else sample.labelled.n_groups,
        measured=measured,
        labelled=alone.value,
        labelled_interval=Interval(*alone.interval, f"{_INTERVALS['ppi']}{by_groups}"),
        value=estimate.value,
        interval=Interval(*estimate.interval, f"{_INTERVALS[method]}{by_groups}"),
        standard_error=estimate.standard_error,
        agreement=_agreement(sample, is_pair),
        saved=1 - estimate.half / alone.half if alone.half else 0.0,
        worth=round(len(sample.labelled) * (alone.half / estimate.half) ** 2)
        if estimate.half
        else len(sample.labelled),
        remarks=(*remarks, *found),
        _unlabelled=[scores.ids[row] for row in np.flatnonzero(applies)[~sample.is_labelled].tolist()],
    )


def _check_sample(sample: Sample, name: str, excluded: int, method: str) -> None:
    """Refuse labels that allow no estimate."""
    labelled = sample.labelled
    others = f"; {excluded} labels belong to examples that {name} does not apply to" if excluded else ""
    require_enough(len(labelled), f" of {name}{others}")
    if not np.isfinite(sample.predictions).all():
        raise ValueError(f"{name} is not a finite number for every example; choose another measure")
    if labelled.n_groups < 2:
        raise ValueError(
            "all labels belong to one group, so the spread between groups is unknown; label examples of more groups"
        )
    are_verdicts = _is_verdict(sample.predictions) and _is_verdict(labelled.verdicts)
    if method == "rogan_gladen" and not (are_verdicts and np.ptp(labelled.verdicts)):
        raise ValueError(
            f"the method rogan_gladen needs 0 or 1 as every value of {name} and as every label, and labels of both kinds; use ppi"
        )


def _is_verdict(values: np.ndarray) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())


def _agreement(sample: Sample, is_pair: bool) -> Agreement:
    accuracy = sensitivity = specificity = correlation = None
    labelled = sample.labelled
    if not is_pair and _is_verdict(labelled.predictions) and _is_verdict(labelled.verdicts):
        accuracy = labelled.mean(labelled.predictions == labelled.verdicts)
        sensitivity, specificity = (None if math.isnan(rate) else rate for rate in rates(labelled))
    if np.ptp(labelled.predictions) > 0 and np.ptp(labelled.verdicts) > 0:
        moments = np.cov(labelled.predictions, labelled.verdicts, aweights=labelled.weights, ddof=0)
        correlation = float(moments[0, 1] / math.sqrt(moments[0, 0] * moments[1, 1]))
    return Agreement(accuracy, sensitivity, specificity, correlation)


def _remarks(
    sample: Sample, estimate: Estimate, alone: Estimate, excluded: int, method: str, lam: float | None
) -> list[str]:
    lines, labelled, others = [], sample.labelled, sample.others
    if excluded:
        lines.append(f"{excluded} labels are omitted: the measure does not apply to their examples")
    enough = _ENOUGH[method]
    if len(labelled) < enough:
        lines.append(f"fewer than {enough} labels: the interval is rough")
    if sample.groups is not None and labelled.effective_groups < FEW_UNITS:
        few = f"fewer than {FEW_UNITS}" if labelled.n_groups < FEW_UNITS else "very unequal"
        lines.append(f"labels of {few} groups: the interval is rough")
    if not len(others) or estimate.lam == 0 and (lam is None or others.are_too_few):
        why = "the measure does not help" if not others.are_too_few else "too few examples are without a label"
        why = why if len(others) else "every example has a label"
        lines.append(f"{why}: the calibrated value is the mean of the labels")
    elif (estimate.lam or 0) < 0:
        lines.append(
            "the measure is lower for answers that people accept: lambda is below 0, and a lower measure raises the value"
        )
    if method == "ppi" and estimate.half > 1.005 * alone.half:
        lines.append("the interval is wider than the interval of the labels alone: the measure does not help here")
    return lines
