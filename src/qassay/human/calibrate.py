"""Human verdicts on a few examples correct the value of a measure over all of them."""

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.align import align_scores, require_comparable
from ..core.columns import is_real
from ..core.interval_settings import check_confidence
from ..core.intervals import FEW_UNITS, Interval
from ..core.options import check_choice
from ..core.presenting import presenter
from ..core.rows import match_ids
from ..core.scores import Scores
from ..core.shown import describe, shown
from ..files.verdicts import require_enough
from ..registry import family_of
from . import LABEL_INTERVALS, METHODS
from .choosing import at_random
from .estimates import Estimate, PpiPlan, RoganGladenPlan, ppi, rates, rogan_gladen
from .labels import HumanVerdicts
from .samples import Sample, Side, count_groups, sides_of

_ENOUGH = {"ppi": 20, "rogan_gladen": 50}  # labels: in simulations the intervals cover from so many on


@dataclasses.dataclass(frozen=True)
class Agreement:
    """How well the measure agrees with the labels, on the labelled examples.

    Attributes:
        accuracy: the share of examples whose label equals the measure.
        sensitivity: the share of right answers that the measure accepts; None if no label says right.
        specificity: the share of wrong answers that the measure refuses; None if no label says wrong. These three are
            also None if the measure or a label is neither 1 nor 0.
        correlation: Pearson's; None if the measure or the labels are constant.
    """

    accuracy: float | None
    sensitivity: float | None
    specificity: float | None
    correlation: float | None


@dataclasses.dataclass(frozen=True)
class Calibration:
    """The result of `qassay.calibrate` for one measure.

    Attributes:
        measure: the name of the measure.
        system: the name of the system; None of scores without a name, and of a difference.
        first, second: of a difference the names of the systems, second minus first; None of one system.
        method: "ppi" or "rogan_gladen".
        confidence: of the intervals, such as 0.95.
        lam: the lambda of PPI++, the weight of the measure: 0 for the labels alone; None for Rogan-Gladen.
        n: the number of examples that the measure applies to.
        n_labelled: the number of these examples that have a label.
        n_groups: the number of groups of these examples; None without groups.
        n_labelled_groups: the number of groups that have a label; None without groups.
        measured: the value of the measure by itself, on the scale 0..1.
        labelled: the mean of the labels.
        labelled_interval: the interval of this mean, from the labels alone.
        value: the calibrated value, an estimate of the mean verdict of people over all examples.
        interval: the interval of the calibrated value, a pair whose `method` names how it was made.
        standard_error: the standard error of the calibrated value, as the method was published.
        agreement: how well the measure agrees with the labels.
        remarks: what else a reader must know, in sentences.
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
    remarks: tuple[str, ...]
    _plan: PpiPlan | RoganGladenPlan = dataclasses.field(repr=False, compare=False)
    _plan_alone: PpiPlan | RoganGladenPlan = dataclasses.field(repr=False, compare=False)
    _unlabelled: Sequence[Any] = dataclasses.field(repr=False, compare=False)

    @property
    def saved(self) -> float:
        """How much narrower the calibrated interval is than the interval of the labels alone: 0.2 for a fifth.

        It is below 0 where the calibrated interval is wider. Widths are taken before the intervals are cut at 0 and 1.
        """
        return 1 - self._plan.half / self._plan_alone.half if self._plan_alone.half else 0.0

    @property
    def worth(self) -> int:
        """About how many labels alone would give an interval as narrow as the calibrated one."""
        half = self._plan.half
        return round(self.n_labelled * (self._plan_alone.half / half) ** 2) if half else self.n_labelled

    def labels_needed(self, width: float) -> int | None:
        """About how many labels an interval of that width needs, from its lower to its upper end.

        The number follows from the spread of the labels so far, and ends are cut at 0 and 1. It is rounded up to two digits, because more are not sure.

        Returns:
            The number of labels, including the labels so far; None if labels of all n examples are not enough.

        Raises:
            ValueError, TypeError: the width is not a number above 0, or above 1, of a difference above 2.
        """
        ends = self._plan.ends
        most = ends.high - ends.low
        if isinstance(width, bool) or not is_real(width) or not 0 < width <= most:
            raise ValueError(f"width must be a number above 0 and at most {most:g}, such as 0.05; got {shown(width)}")

        def is_enough(n: int) -> bool:
            return ends.width(self._plan.half_width(n)) <= width

        low, high = self.n_labelled, self.n
        if is_enough(low):
            return low
        if not is_enough(high) and not is_enough(high - 2):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_enough(middle) else (middle, high)
        step = 10 ** max(0, math.floor(math.log10(high)) - 1)
        return min(self.n, math.ceil(high / step) * step)

    def to_next(self, k: int, seed: int = 0) -> list[Any]:
        """The ids of k random examples to label next, among the examples without a label; all where there are fewer.

        The same ids and seed give the same choice in any order of the examples, and the next call continues the choice.

        Raises:
            TypeError, ValueError: k is not an integer of at least 1, or seed not one of at least 0.
        """
        return at_random(self._unlabelled, k, seed)

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain Python numbers, lists and dicts, with `saved`, `worth` and `interval_method`."""
        names = [field.name for field in dataclasses.fields(self) if not field.name.startswith("_")]
        values = {name: getattr(self, name) for name in names}
        values["interval_method"] = self.interval.method
        lists = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
        return {
            **values,
            **lists,
            "agreement": dataclasses.asdict(self.agreement),
            "saved": self.saved,
            "worth": self.worth,
        }

    def __str__(self) -> str:
        """A small plain table, then the numbers of examples, groups and labels, and the remarks."""
        return str(presenter("notebooks").calibration_text(self))

    def _repr_html_(self) -> str:
        """The same as notebooks show it."""
        return str(presenter("notebooks").calibration_html(self))


@dataclasses.dataclass(frozen=True)
class CalibrationSettings:
    """The settings of a calibration, with the names and meanings of the arguments of `qassay.calibrate`."""

    method: str = "ppi"
    lam: float | None = None
    interval_method: str = "auto"
    confidence: float = 0.95

    def __post_init__(self) -> None:
        check_choice("method", self.method, METHODS)
        check_choice("interval_method", self.interval_method, LABEL_INTERVALS)
        object.__setattr__(self, "lam", _checked_lam(self.lam, self.method))
        object.__setattr__(self, "confidence", check_confidence(self.confidence))

    @property
    def is_padded(self) -> bool:
        """Whether the interval is made for few labels, with labels added in the corners."""
        return self.interval_method == "auto"


def calibrate_scores(
    scores: Scores | Mapping[str, Scores],
    labels: Any,
    measure: str | Sequence[str] | None,
    settings: CalibrationSettings,
    *,
    groups: Any = None,
    columns: Mapping[str, str] | None = None,
) -> dict[str, Calibration]:
    """Measure -> its calibration by human verdicts; for arguments see `qassay.calibrate`; labels may be `HumanVerdicts` too.

    Raises:
        TypeError, ValueError: as `qassay.calibrate`.
    """
    pair = scores if isinstance(scores, Mapping) else {"": scores}
    for one in pair.values():
        if not isinstance(one, Scores):
            raise TypeError(f"scores must be a Scores, as qassay.score returns it; got {describe(one)}")
        if one.are_buckets:
            raise ValueError("the rows of these scores are buckets of examples; give scores with one row per example")
    require_one_run(pair.values())
    if groups is not None:
        pair = {name: one.with_groups(groups) for name, one in pair.items()}
    cases: dict[str, Callable[[], _Case]]
    if isinstance(scores, Mapping):
        cases = _cases_of_pair(pair, labels, measure, settings, columns)
    else:
        cases = _cases_of_one(pair[""], HumanVerdicts.of(labels, pair[""].ids, columns).values, measure)
    by_measure, faults = {}, []
    for name, case in cases.items():
        try:
            by_measure[name] = _calibration(case(), settings)
        except ValueError as error:
            faults.append(error)
    if faults and (not by_measure or not _is_all(measure)):
        raise faults[0]
    return by_measure


def require_one_run(systems: Iterable[Scores]) -> None:
    """Refuse scores of several runs: people judge the answers of one."""
    for scores in systems:
        if scores.n_runs > 1:
            told = f"these scores have {scores.n_runs} runs, and labels judge the answers of one run; "
            raise ValueError(f"{told}calibrate one run of scores.each_run(), or the file of one run without run_id")


def calibrate_systems(
    systems: Mapping[str, Scores],
    labels: Mapping[str, Any],
    measure: str | Sequence[str] | None,
    settings: CalibrationSettings,
    *,
    columns: Mapping[str, Mapping[str, str]] | None = None,
) -> list[Calibration]:
    """Each measure of one system; or of two systems each measure of either, then each difference.

    Args:
        labels: system -> labels of its answers.
        columns: system -> role -> the name of the column in its labels.

    Raises:
        TypeError, ValueError: as `calibrate_scores`.
    """
    verdicts = {
        name: HumanVerdicts.of(labels[name], scores.ids, (columns or {}).get(name)) for name, scores in systems.items()
    }
    found: list[Calibration] = []
    for name, scores in systems.items():
        of_system = calibrate_scores(scores, verdicts[name], measure, settings).values()
        found += [dataclasses.replace(one, system=name) for one in of_system]
    if len(systems) > 1:
        found += calibrate_scores(systems, verdicts, measure, settings).values()
    return found


def measures_to_calibrate(scores: Scores) -> list[str]:
    """The measures that are a mean of one value per example, main measures first."""
    there = [
        name
        for name, measure in scores.measures.items()
        if measure.has_interval and measure.is_mean and _values(scores, name) is not None
    ]
    main = [name for name in family_of(scores).telling.main_measures(scores) if name in there]
    return list(dict.fromkeys([*main, *there]))


def _checked_lam(lam: Any, method: str) -> float | None:
    if lam is None:
        return None
    if isinstance(lam, bool) or not is_real(lam) or not math.isfinite(lam):
        required = "lam must be a finite number, 0 for the labels alone, 1 for plain PPI, or None"
        raise ValueError(f"{required}; got {shown(lam)}")
    if method != "ppi":
        raise ValueError("lam is for the method ppi; omit it")
    return float(lam)


class _Case(NamedTuple):
    """A measure to calibrate, of one system or the difference between two, with a row per example.

    Attributes:
        measured: the value of the measure by itself.
        remarks: what else a reader must know.
        pair: the names of the systems of a difference, from -1 to 1, which is second minus first; None of one system.
    """

    measure: str
    predictions: np.ndarray
    verdicts: np.ndarray
    scores: Scores
    measured: float
    remarks: tuple[str, ...] = ()
    pair: tuple[str, str] | None = None


def _cases_of_one(scores: Scores, verdicts: np.ndarray, asked: Any) -> dict[str, Callable[[], _Case]]:
    def case(name: str) -> _Case:
        measured = scores.measures[name].value_once(scores.rows) / _scale(scores.measures[name])
        return _Case(name, _values(scores, name), verdicts, scores, measured)  # type: ignore[arg-type]

    return {name: functools.partial(case, name) for name in _measures_of(scores, asked)}


def _cases_of_pair(
    systems: Mapping[str, Scores],
    labels: Any,
    asked: Any,
    settings: CalibrationSettings,
    columns: Mapping[str, str] | None,
) -> dict[str, Callable[[], _Case]]:
    if len(systems) != 2:
        required = "calibrate takes the Scores of one system, or a dict of two systems for their difference"
        raise ValueError(f"{required}; got a dict of {len(systems)}")
    require_comparable(systems)
    if settings.method != "ppi":
        raise ValueError("the method rogan_gladen is for one system; use ppi for the difference of two")
    if not isinstance(labels, Mapping) or labels.keys() != systems.keys():
        wanted = f"{{{', '.join(f'{name!r}: ...' for name in systems)}}}"
        raise ValueError(f"labels must be a dict with the labels of each system, {wanted}; got {describe(labels)}")
    verdicts = []
    aligned, unmatched = align_scores(systems)
    common = next(iter(aligned.values()))
    for name, scores in systems.items():
        of_all = HumanVerdicts.of(labels[name], scores.ids, columns).values
        verdicts.append(of_all if len(scores) == len(common) and list(scores.ids) == list(common.ids) else
                        of_all[match_ids(list(common.ids), list(scores.ids))])  # fmt: skip
    remarks = [
        f"{count} examples of {name} are omitted: the other system does not have them"
        for name, count in unmatched.items()
        if count
    ]
    alone = int(np.sum(np.isnan(verdicts[0]) != np.isnan(verdicts[1])))
    if alone:
        remarks.append(f"examples with a label of one system only: {alone}; they count as unlabelled")
    (first_name, first), (second_name, second) = aligned.items()

    def case(name: str) -> _Case:
        values: Any = [_values(scores, name) for scores in (first, second)]
        change = values[1] - values[0]
        weights = np.where(np.isnan(change), 0.0, first.rows.weights)
        measured = float(np.sum(weights * np.nan_to_num(change)) / max(np.sum(weights), 1e-300))
        both = (first_name, second_name)
        return _Case(name, change, verdicts[1] - verdicts[0], first, measured, tuple(remarks), both)

    names = [name for name in _measures_of(first, asked) if second.measures.get(name) == first.measures[name]]
    return {name: functools.partial(case, name) for name in names}


def _measures_of(scores: Scores, asked: str | Sequence[str] | None) -> list[str]:
    """The measures asked for; by default the first main measure that can be calibrated."""
    there = measures_to_calibrate(scores)
    if asked is None or _is_all(asked):
        if not there:
            raise ValueError(
                "no measure of these scores is a mean of values per example, so that none can be calibrated"
            )
        return there[:1] if asked is None else [name for name in scores.measures if name in there]
    names = scores.measure_names(asked)
    for name in names:
        if name not in there:
            can = f"choose one that is: {', '.join(there)}" if there else "no measure of these scores is one"
            raise ValueError(f"{name} is not a mean of values per example; {can}")
    if not names:
        raise ValueError("measure is empty; name one, or omit it")
    return names


def _is_all(asked: Any) -> bool:
    """Whether the caller asks for all measures that can be calibrated."""
    return asked == "all" if isinstance(asked, str) else "all" in asked


def _values(scores: Scores, name: str) -> np.ndarray | None:
    """The value of each example; a measure of 0..100 is brought to 0..1."""
    measure = scores.measures[name]
    values = measure.by_example(scores.rows)
    return None if values is None else values / _scale(measure)


def _scale(measure: Any) -> float:
    return float(getattr(measure, "scale", getattr(measure, "factor", 1.0)))


def _calibration(case: _Case, settings: CalibrationSettings) -> Calibration:
    """The calibration of one measure, or of one difference."""
    sample, rows = _sample_of(case)
    left_out = int((~np.isnan(np.delete(case.verdicts, rows))).sum())
    _check_sample(sample, case.measure, settings.method, left_out)
    labelled, others = sides_of(sample)
    is_padded, has_groups, confidence = settings.is_padded, sample.groups is not None, settings.confidence
    if settings.method == "ppi":
        estimate = ppi(sample, settings.lam, confidence, is_padded)
    else:
        estimate = rogan_gladen(sample, confidence, is_padded)
    alone = ppi(sample, 0.0, confidence, is_padded)
    first, second = case.pair or (None, None)
    return Calibration(
        measure=case.measure,
        system=None,
        first=first,
        second=second,
        method=settings.method,
        confidence=confidence,
        lam=estimate.lam,
        n=len(rows),
        n_labelled=len(labelled),
        n_groups=None if sample.groups is None else count_groups(sample.groups),
        n_labelled_groups=labelled.n_groups if has_groups else None,
        measured=case.measured,
        labelled=alone.value,
        labelled_interval=Interval(*alone.interval, _interval_words("ppi", is_padded, has_groups)),
        value=estimate.value,
        interval=Interval(*estimate.interval, _interval_words(settings.method, is_padded, has_groups)),
        standard_error=estimate.standard_error,
        agreement=_agreement(labelled, case.pair is not None),
        remarks=(*case.remarks, *_remarks(labelled, others, estimate, alone, has_groups, left_out, settings)),
        _plan=estimate.plan,
        _plan_alone=alone.plan,
        _unlabelled=[case.scores.ids[row] for row in rows[~sample.is_labelled].tolist()],
    )


def _sample_of(case: _Case) -> tuple[Sample, np.ndarray]:
    """The examples that the measure applies to, and their rows; groups of one example each are omitted."""
    weights, groups = case.scores.rows.weights, case.scores.groups
    applies = ~np.isnan(case.predictions) & (weights > 0)
    codes = None if groups is None or groups.are_single_in(applies) else groups.codes[applies]
    bounds = (0.0, 1.0) if case.pair is None else (-1.0, 1.0)
    return Sample(case.predictions[applies], case.verdicts[applies], weights[applies], codes, bounds), np.flatnonzero(
        applies
    )


def _check_sample(sample: Sample, name: str, method: str, left_out: int) -> None:
    """Refuse labels from which no estimate follows."""
    labelled, _ = sides_of(sample)
    others = f"; {left_out} labels belong to examples that {name} does not apply to" if left_out else ""
    require_enough(len(labelled), f" of {name}{others}")
    if not np.isfinite(sample.predictions).all():
        raise ValueError(f"{name} is not a finite number for every example; choose another measure")
    if labelled.n_groups < 2:
        raise ValueError(
            "all labels belong to one group, so the spread between groups is unknown; label examples of more groups"
        )
    if method == "ppi":
        return
    if not _is_verdict(sample.predictions):
        raise ValueError(
            f"{name} has values between 0 and 1; the method rogan_gladen is for right-or-wrong measures, use ppi"
        )
    if not _is_verdict(labelled.verdicts):
        raise ValueError(
            "there are labels between 0 and 1; the method rogan_gladen is for right-or-wrong labels, use ppi"
        )
    if np.ptp(labelled.verdicts) == 0:
        which = "right" if labelled.verdicts[0] else "wrong"
        raise ValueError(
            f"all {len(labelled)} labels say {which}; the method rogan_gladen needs right and wrong ones for sensitivity "
            "and specificity; label more, or use ppi"
        )


def _is_verdict(values: np.ndarray) -> bool:
    return bool(np.isin(values, (0.0, 1.0)).all())


def _interval_words(method: str, is_padded: bool, has_groups: bool) -> str:
    by_groups = " by groups" if has_groups else ""
    if not is_padded:
        return f"{'t' if has_groups else 'normal'}{by_groups}"
    return f"{'adjusted t' if method == 'ppi' else 'Lang-Reiczigel'}{by_groups}"


def _agreement(labelled: Side, of_pair: bool) -> Agreement:
    accuracy = sensitivity = specificity = correlation = None
    if not of_pair and _is_verdict(labelled.predictions) and _is_verdict(labelled.verdicts):
        accuracy = labelled.mean(labelled.predictions == labelled.verdicts)
        sensitivity, specificity = (None if math.isnan(rate) else rate for rate in rates(labelled))
    if np.ptp(labelled.predictions) > 0 and np.ptp(labelled.verdicts) > 0:
        moments = np.cov(labelled.predictions, labelled.verdicts, aweights=labelled.weights, ddof=0)
        correlation = float(moments[0, 1] / math.sqrt(moments[0, 0] * moments[1, 1]))
    return Agreement(accuracy, sensitivity, specificity, correlation)


def _remarks(
    labelled: Side,
    others: Side,
    estimate: Estimate,
    alone: Estimate,
    has_groups: bool,
    left_out: int,
    settings: CalibrationSettings,
) -> list[str]:
    lines = []
    if left_out:
        lines.append(f"{left_out} labels are omitted: the measure does not apply to their examples")
    enough = _ENOUGH["rogan_gladen" if estimate.lam is None else "ppi"]
    if len(labelled) < enough:
        lines.append(f"fewer than {enough} labels: the interval is rough")
    if has_groups and labelled.like_groups < FEW_UNITS:
        unequal = " (or very unequal groups)" if labelled.n_groups >= FEW_UNITS else ""
        lines.append(f"labels of fewer than {FEW_UNITS} groups{unequal}: the interval is rough")
    if not len(others):
        lines.append("every example has a label: the calibrated value is the mean of the labels")
    elif np.ptp(labelled.verdicts) == 0 and not settings.is_padded:
        lines.append("all labels are equal: the normal interval has no width; use auto")
    elif others.are_too_few and settings.method == "ppi":
        what = "one group has examples" if len(others) > 1 else "one example is"
        lines.append(
            f"only {what} without a label, so that lambda is 0: the calibrated value is the mean of the labels"
        )
    elif estimate.lam == 0 and settings.lam is None:
        lines.append("the measure does not help: the calibrated value is the mean of the labels")
    elif estimate.lam is not None and estimate.lam < 0:
        lines.append(
            "the measure is lower where people accept more: lambda is below 0, so that a lower measure raises the value"
        )
    if settings.method == "ppi" and estimate.plan.half > 1.005 * alone.plan.half:
        lines.append("the interval is wider than the interval of the labels alone: the measure does not help here")
    return lines
