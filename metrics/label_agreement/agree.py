"""How well each measure of answers agrees with the labels that people gave these answers."""

import dataclasses
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.bootstrap import check_confidence, check_draws, resampled_values, units_of
from ..core.columns import counted, is_real
from ..core.file_columns import Gold
from ..core.groups import Groups
from ..core.hints import Hint, Message
from ..core.intervals import FEW_UNITS, Interval, intervals_of
from ..core.measures import Mean, Measure, Rows, exact_sum
from ..core.options import did_you_mean, keyword_names
from ..core.presenting import presenter
from ..core.scores import Scores
from ..core.shown import shown
from ..registry import FAMILIES, Family, get_family
from .measures import FOLD, HALF, LABEL, RIGHT, VERDICT, Auc, BestCut, CalibrationError, Correlation, HeldOutAccuracy
from .read_labelled import Labelled, read_labelled

FIGURES = ("auc", "accuracy", "best_accuracy", "best_threshold", "pearson", "ece")
_FOLDS = 5
_SCORE, _AGREED = "score", "agreed"
_FEW_OF_KIND = 20  # right or wrong answers


@dataclasses.dataclass(frozen=True)
class MeasureAgreement:
    """How well one measure agrees with the labels; a figure is None where it is not defined.

    Attributes:
        measure: its name.
        metric: the metric that has it.
        signature: of the scores.
        n: the number of answers, all that the measure has a value for.
        auc: the probability that a right answer has a higher value than a wrong one; equal values count half.
        accuracy: the share of answers on which people and the measure agree, which accepts from 0.5 on.
        best_accuracy: the same from the best threshold on, which is chosen without the answers that it judges.
        best_threshold: the threshold that agrees best on all answers.
        pearson: the correlation with the labels.
        ece: the mean distance between the value and the verdict of people, in ten bins of the value.
        intervals: figure -> its interval; without the best threshold where nearly all resamples have the same.
        same_order: of `pairs` pairs of systems, how many the measure puts in the same order as people; None without systems.
        largest_difference: between the mean of the measure and of people, of any system; None without systems.
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
        people: the mean verdict.
        interval: of the mean verdict.
        means: measure -> its mean; without measures that have no value for any of its answers.
    """

    system: str
    n: int
    people: float
    interval: Interval
    means: Mapping[str, float]


@dataclasses.dataclass(frozen=True)
class LabelAgreement:
    """The result of `qassay.agreement`.

    Attributes:
        n: the number of labelled answers.
        right: the share that people call right: the accuracy of accepting every answer.
        right_from: the label from which on an answer is right.
        level: of the intervals.
        group_name: the column whose equal values make the groups that intervals draw; n_groups: how many there are.
        measures: one entry per measure.
        systems: one entry per system, by the mean verdict, best first; [] without a column of systems.
        remarks: what else a reader must know, in sentences.
    """

    n: int
    right: float
    right_from: float
    level: float
    group_name: str
    n_groups: int
    measures: tuple[MeasureAgreement, ...]
    systems: tuple[SystemMeans, ...]
    remarks: tuple[str, ...]

    def __getitem__(self, measure: str) -> MeasureAgreement:
        """The agreement of one measure.

        Raises:
            KeyError: it was not scored (the message lists those that were).
        """
        for one in self.measures:
            if one.measure == measure:
                return one
        raise KeyError(f"no measure {measure!r}; there are: {', '.join(one.measure for one in self.measures)}")

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain values: intervals as pairs, and beside them their methods."""
        values = dataclasses.asdict(self)
        for one, measure in zip(values["measures"], self.measures, strict=True):
            one["intervals"] = {name: list(ends) for name, ends in measure.intervals.items()}
            one["interval_methods"] = {name: ends.method for name, ends in measure.intervals.items()}
        for one, system in zip(values["systems"], self.systems, strict=True):
            one |= {"interval": list(system.interval), "interval_method": system.interval.method}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def __str__(self) -> str:
        """The tables as plain text."""
        return str(presenter().agreement_text(self))

    def _repr_html_(self) -> str:
        """The same as notebooks show it."""
        return str(presenter().agreement_html(self))


def label_agreement(
    data: Any,
    metrics: Sequence[str] | str | None = None,
    *,
    measures: Sequence[str] | str | None = None,
    model: Any = "lite",
    columns: Mapping[str, Any] | None = None,
    right_from: float | None = None,
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
) -> LabelAgreement:
    """For arguments and errors see `qassay.agreement`."""
    level = check_confidence(level)
    seed, n_resamples = check_draws(seed, n_resamples=n_resamples)
    families = families_of(metrics)
    of_family = _options_of(families, model, options or {})
    labelled = read_labelled(data, columns)
    sides = _Sides.of(labelled.labels, right_from)
    scored = [_scores_of(family, labelled, of_family[family.name]) for family in families]
    asked = _chosen([(scores, _values_of(scores, len(labelled.answers))) for scores in scored], measures)
    found = [
        _measure_agreement(name, scores, values, sides, labelled.groups, (level, n_resamples, seed))
        for name, (scores, values) in asked.items()
    ]
    means = {name: values for name, (_, values) in asked.items()}
    systems = _systems(labelled, sides, means, (level, n_resamples, seed))
    if labelled.systems is not None:
        found = [_with_order(one, means[one.measure], sides.labels.verdicts, labelled.systems) for one in found]
    absent = sum(answer is None for answer in labelled.answers)
    remarks = [*_remarks(labelled, sides), *_remarks_of_systems(labelled)]
    if absent and any(one.n == len(labelled.answers) for one in found):
        remarks.append(f"{counted(absent, 'answers without a text')}: scored 0")
    remarks += _remarks_of_measures(found, len(labelled.answers))
    return LabelAgreement(
        len(labelled.answers),
        float(sides.labels.right.mean()),
        sides.right_from,
        level,
        labelled.group_name,
        len(labelled.groups.labels),
        tuple(found),
        tuple(systems),
        tuple(remarks),
    )


def families_of(names: Sequence[str] | str | None) -> list[Family]:
    """The metrics that score the text of an answer against texts; those of some names.

    Raises:
        ValueError: no such metric, or one of other things than texts.
    """
    fitting = {
        name: family
        for name, family in FAMILIES.items()
        if family.scores_outputs and family.telling.answers_are == ("texts",)
    }
    wanted = list(fitting) if names is None else [names] if isinstance(names, str) else list(dict.fromkeys(names))
    if not wanted:
        raise ValueError(f"no metric is named; there are: {', '.join(fitting)}")
    for name in wanted:
        get_family(name)
        if name not in fitting:
            raise ValueError(f"{name} does not score answers as texts; these metrics do: {', '.join(fitting)}")
    return [fitting[name] for name in wanted]


class Labels(NamedTuple):
    """What people say of n answers, float64 (n,) each.

    Attributes:
        labels: as they were given.
        right: 1.0 or 0.0.
        verdicts: the labels where they are shares from 0 to 1, else `right`.
    """

    labels: np.ndarray
    right: np.ndarray
    verdicts: np.ndarray

    def take(self, places: np.ndarray) -> "Labels":
        """Those of some answers."""
        return Labels(*(column[places] for column in self))


class _Sides(NamedTuple):
    """The labels, and from which on an answer is right."""

    labels: Labels
    right_from: float

    @classmethod
    def of(cls, labels: np.ndarray, right_from: Any) -> "_Sides":
        low, high = float(labels.min()), float(labels.max())
        are_shares = 0 <= low and high <= 1
        if right_from is None:
            if not are_shares:
                flag = Hint("flag", "right-from")
                told = f"labels are from {low:g} to {high:g}; say from which label on an answer is right: "
                raise ValueError(Message(told, flag, f" {high:g}"))
            right_from = HALF
        elif isinstance(right_from, bool) or not is_real(right_from) or not math.isfinite(right_from):
            raise ValueError(f"right_from must be a finite number; got {shown(right_from)}")
        right = (labels >= right_from).astype(np.float64)
        if np.ptp(right) == 0:
            which = "right" if right[0] else "wrong"
            by = "" if np.isin(labels, (0, 1)).all() else f" (right is a label from {right_from:g} on)"
            raise ValueError(
                f"all {len(labels)} labels say {which}{by}; agreement needs right and wrong answers, label more"
            )
        return cls(Labels(labels, right, labels if are_shares else right), float(right_from))


def _options_of(families: Iterable[Family], model: Any, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Metric -> its options: each option goes to the metrics that have it, the model to those that load one."""
    fields = {family.name: keyword_names(family.load()[1]) for family in families}
    offered = sorted({name for names in fields.values() for name in names})
    for name in given:
        if name not in offered:
            raise TypeError(f"no metric here has the option {name!r}{did_you_mean(name, offered)}")
    every = {"model": model, **given}
    return {metric: {name: every[name] for name in every if name in names} for metric, names in fields.items()}


def _scores_of(family: Family, labelled: Labelled, options: Mapping[str, Any]) -> Scores:
    """The scores of the answers, with the questions where the metric reads them."""
    details = {} if labelled.questions is None else {"question": labelled.questions}
    gold = Gold("", "table", {"references": labelled.golds}, {}, None, details, metric=family.name)
    columns = {**family.reading.own_gold(gold).columns, "ids": range(len(labelled.answers))}
    return family.score(predictions=labelled.answers, **columns, **options)


def _values_of(scores: Scores, n_answers: int) -> dict[str, np.ndarray]:
    """Measure -> its value of each of n answers, NaN where an option leaves the answer out.

    The measures are means of a value from 0 to 1. Where several read one column, the first counts.
    """
    first: dict[tuple[str, ...], str] = {}
    for name, measure in scores.measures.items():
        if measure.is_mean and measure.subset is None and measure.bounds == (0.0, 1.0):
            first.setdefault(measure.reads, name)
    by_name = {name: scores.measures[name].by_example(scores.rows) for name in first.values()}
    return {name: _placed(values, scores.ids, n_answers) for name, values in by_name.items() if values is not None}


def _placed(values: np.ndarray, places: Sequence[Any], n_answers: int) -> np.ndarray:
    """Values at their places among n answers, NaN at the others."""
    placed = np.full(n_answers, np.nan)
    placed[np.asarray(places, np.int64)] = values
    return placed


def _chosen(
    scored: Sequence[tuple[Scores, Mapping[str, np.ndarray]]], names: Sequence[str] | str | None
) -> dict[str, tuple[Scores, np.ndarray]]:
    """Measure -> the scores that have it and its values, of the measures with these names; None: of all.

    Raises:
        ValueError: no such measure, or one that two metrics have.
    """
    there: dict[str, list[tuple[Scores, np.ndarray]]] = {}
    for scores, values in scored:
        for name, own in values.items():
            there.setdefault(name, []).append((scores, own))
    names = list(there) if names is None else [names] if isinstance(names, str) else list(dict.fromkeys(names))
    for name in names:
        if name not in there:
            raise ValueError(f"no measure {name!r}{did_you_mean(name, list(there))}; there are: {', '.join(there)}")
        if len(there[name]) > 1:
            having = " and ".join(scores.options.family for scores, _ in there[name])
            raise ValueError(f"{having} have a measure {name} each; give one of these metrics")
    return {name: there[name][0] for name in names}


# --- one measure ------------------------------------------------------------------------------------------------------


def _measure_agreement(
    name: str, scores: Scores, values: np.ndarray, sides: _Sides, groups: Groups, draws: tuple[float, int, int]
) -> MeasureAgreement:
    known = np.flatnonzero(~np.isnan(values))
    figures, intervals = figures_of(values[known], sides.labels.take(known), groups.take(known), *draws)
    of_figure: dict[str, Any] = {figure: figures.get(figure) for figure in FIGURES}
    return MeasureAgreement(
        name, scores.options.family, scores.signature(), len(known), intervals=intervals, **of_figure
    )


def figures_of(
    scores: np.ndarray, labels: Labels, groups: Groups, level: float, n_resamples: int, seed: int
) -> tuple[dict[str, float], dict[str, Interval]]:
    """The figures that are defined, and their intervals.

    Args:
        scores: from 0 to 1, float64 (n,).
        groups: what rows are drawn together and in one fold.
    """
    if len(scores) == 0 or np.ptp(labels.right) == 0:
        return {}, {}
    columns = {
        _SCORE: scores,
        LABEL: labels.labels,
        RIGHT: labels.right,
        VERDICT: labels.verdicts,
        FOLD: folds_of(groups, seed),
        _AGREED: ((scores >= HALF) == labels.right).astype(np.float64),
    }
    rows = Rows(columns, {}, np.ones(len(scores)))
    centers = (exact_sum(scores) / len(scores), exact_sum(labels.labels) / len(scores))
    measures: dict[str, Measure] = {
        "auc": Auc(_SCORE),
        "accuracy": Mean(_AGREED),
        "best_accuracy": HeldOutAccuracy(_SCORE),
        "best_threshold": BestCut(_SCORE),
        "pearson": Correlation(_SCORE, centers),
        "ece": CalibrationError(_SCORE),
    }
    if np.ptp(scores) == 0 or np.ptp(labels.labels) == 0:
        del measures["pearson"]
    cut = {"best_threshold": measures["best_threshold"]}
    rest = {figure: measure for figure, measure in measures.items() if figure not in cut}
    intervals = {
        **intervals_of(rest, rest, rows, groups, level, n_resamples, seed, "auto"),
        **intervals_of(cut, cut, rows, groups, level, n_resamples, seed, "percentile"),
    }
    figures = {figure: float(measure.value_once(rows)) for figure, measure in measures.items()}
    bias = _bias(measures["ece"], figures["ece"], rows, groups, n_resamples, seed)
    intervals["ece"] = _without_bias(intervals["ece"], figures["ece"], bias)
    if (
        intervals["best_threshold"].low == intervals["best_threshold"].high
    ):  # few answers, of which all resamples are alike
        del intervals["best_threshold"]
    return figures, {figure: intervals[figure] for figure in measures if figure in intervals}


def folds_of(groups: Groups, seed: int) -> np.ndarray:
    """The fold of each answer, 0.0 to 4.0, (n,): whole groups, by chance."""
    order = np.random.default_rng(seed).permutation(len(groups.labels))
    return np.asarray((order % _FOLDS)[groups.codes], np.float64)


def _bias(measure: Measure, value: float, rows: Rows, groups: Groups, n_resamples: int, seed: int) -> float:
    """By how much chance raises a value, as resampling raises it once more."""
    drawn = resampled_values({"": measure}, units_of(rows, groups, [measure]), n_resamples, seed)[""]
    return max(0.0, float(np.nanmean(drawn)) - value)


def _without_bias(interval: Interval, value: float, bias: float) -> Interval:
    """The interval of a calibration error, moved down by its bias; docs/agreement.md has the simulated coverage.

    The lower end moves twice as far, because resampling shows too small a bias for a measure that is well calibrated.
    """
    if interval.method == "none":
        return interval
    low, high = max(0.0, interval.low - 2 * bias), max(value, interval.high - bias)
    return Interval(low, high, "shifted wilson", interval.effective, interval.degrees)


# --- systems ----------------------------------------------------------------------------------------------------------


def _systems(
    labelled: Labelled, sides: _Sides, values: Mapping[str, np.ndarray], draws: tuple[float, int, int]
) -> list[SystemMeans]:
    """The systems by the mean verdict, best first."""
    if labelled.systems is None:
        return []
    names = np.array(labelled.systems)
    found = []
    mean: dict[str, Measure] = {VERDICT: Mean(VERDICT)}
    for name in dict.fromkeys(labelled.systems):
        place = np.flatnonzero(names == name)
        rows = Rows({VERDICT: sides.labels.verdicts[place]}, {}, np.ones(len(place)))
        interval = intervals_of(mean, mean, rows, labelled.groups.take(place), *draws, "auto")[VERDICT]
        known = {measure: column[place][~np.isnan(column[place])] for measure, column in values.items()}
        means = {measure: exact_sum(column) / len(column) for measure, column in known.items() if len(column)}
        found.append(SystemMeans(name, len(place), float(mean[VERDICT].value_once(rows)), interval, means))
    return sorted(found, key=lambda one: (-one.people, one.system))


def ranks(values: Sequence[float]) -> list[int]:
    """The rank of each value, 1 for the largest; equal values share the better rank.

    Example:
        >>> ranks([0.5, 0.9, 0.5])
        [2, 1, 2]
    """
    return [1 + sum(other > value for other in values) for value in values]


def _with_order(
    one: MeasureAgreement, values: np.ndarray, verdicts: np.ndarray, systems: Sequence[str]
) -> MeasureAgreement:
    """The agreement with the order of the systems, each by the answers that the measure has a value for."""
    known = ~np.isnan(values)
    names = np.array(systems)[known]
    both = []
    for name in np.unique(names):
        place = np.flatnonzero(names == name)
        both.append(tuple(exact_sum(column[known][place]) / len(place) for column in (verdicts, values)))
    if len(both) < 2:
        return one
    pairs = list(itertools.combinations(both, 2))
    same = sum(np.sign(a[0] - b[0]) == np.sign(a[1] - b[1]) for a, b in pairs)
    largest = max(abs(people - mean) for people, mean in both)
    return dataclasses.replace(one, same_order=int(same), pairs=len(pairs), largest_difference=largest)


def _remarks(labelled: Labelled, sides: _Sides) -> list[str]:
    lines = []
    given, right, verdicts = sides.labels
    if labelled.unlabelled:
        lines.append(f"{counted(labelled.unlabelled, 'rows without a label')}: left out")
    if not np.isin(given, (0, 1)).all():
        beyond = "" if verdicts is given else "; means of people and the calibration error count right answers"
        lines.append(f"labels are graded: right is a label from {sides.right_from:g} on{beyond}")
    if not labelled.groups.are_single:
        lines.append(
            f"intervals draw {len(labelled.groups.labels):,} groups of equal {labelled.group_name}, not single answers"
        )
    if len(labelled.groups.labels) < FEW_UNITS:
        lines.append(f"fewer than {FEW_UNITS} groups of equal {labelled.group_name}: take the intervals as rough")
    rarer = int(min(right.sum(), (1 - right).sum()))
    if rarer < _FEW_OF_KIND:
        which = "right" if right.mean() < HALF else "wrong"
        lines.append(f"only {rarer} of the answers are {which}: take the figures as rough")
    if labelled.questions is None:
        lines.append("there are no questions: measures that read them do without")
    return lines


def _remarks_of_systems(labelled: Labelled) -> list[str]:
    """That systems answered different questions, if they did."""
    if labelled.systems is None:
        return []
    of_system: dict[str, set[str]] = {}
    for system, question in zip(labelled.systems, labelled.questions or map(repr, labelled.golds), strict=True):
        of_system.setdefault(system, set()).add(question)
    every, shared = set.union(*of_system.values()), set.intersection(*of_system.values())
    if every == shared:
        return []
    what = "gold answers" if labelled.questions is None else "questions"
    return [
        f"systems have different {what}, and only {len(shared):,} of {len(every):,} are shared by all: their means and "
        "order depend on the questions too"
    ]


def _remarks_of_measures(found: Iterable[MeasureAgreement], n_answers: int) -> list[str]:
    lines = []
    for one in found:
        if one.n < n_answers:
            lines.append(f"{one.measure}: {counted(n_answers - one.n, 'answers without a value')}: left out")
        if one.best_threshold is not None and one.best_threshold > 1:
            lines.append(f"{one.measure}: no threshold agrees better than rejecting every answer")
    return lines
