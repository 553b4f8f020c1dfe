"""Agreement of measures with human labels of answers."""

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.bootstrap import resampled_values, units_of
from ..core.columns import counted, is_real
from ..core.file_columns import Gold
from ..core.groups import Groups
from ..core.interval_settings import Intervals, check_confidence
from ..core.intervals import FEW_UNITS, Interval, intervals_of
from ..core.measures import Mean, Measure, Rows, exact_sum
from ..core.options import did_you_mean
from ..core.presenting import Shown
from ..core.remarks import public
from ..core.scores import Scores
from ..core.shown import shown
from ..registry import Family, sorted_options, text_families, text_family
from ..stats.rank_agreement import rank_agreement
from . import as_plain
from .agreement_measures import (
    ACCEPTED_FROM,
    FOLD,
    LABEL,
    RIGHT,
    VERDICT,
    Auc,
    BestCut,
    CalibrationError,
    Correlation,
    HeldOutAccuracy,
    Kappas,
)
from .read_labelled import Labelled, read_labelled

FIGURES = ("auc", "accuracy", "kappa", "best_accuracy", "best_threshold", "pearson", "ece")
_BUILT_IN = "lite"  # default model
_FEW_OF_KIND = 20  # right answers, or wrong answers
_FOLDS = 5
_RIGHT_FROM = 0.5  # default for labels from 0 to 1
_SCORE, _AGREED, _ACCEPTED = "score", "agreed", "accepted"


@dataclasses.dataclass(frozen=True)
class MeasureAgreement:
    """How well one measure agrees with the labels; a figure is None if it is undefined.

    Attributes:
        measure: the name of the measure.
        metric: its metric.
        signature: of the scores.
        n: the number of answers that the measure has a value for.
        auc: the probability that a right answer has a higher value than a wrong one; ties count half.
        accuracy: the share of answers on which people and the measure agree, if the measure accepts from 0.5.
        kappa: Cohen's kappa of these verdicts.
        best_accuracy: the accuracy at the best threshold, which is chosen on other answers (cross-fitted).
        best_threshold: the threshold that agrees best on all answers; 0.0 accepts and 1.01 rejects every answer.
        pearson: the correlation with the labels.
        ece: the calibration error: the mean distance between value and human verdict, in ten bins of the value.
        intervals: figure, "tau" or "tau_ap" -> interval; absent for a threshold that is equal in nearly all resamples.
        same_order: the number of pairs of systems that the measure and people put in the same order; pairs: of all
            pairs. Systems are compared on the answers that the measure has a value for. None with fewer than two systems.
        largest_difference: the largest difference, over systems, between the means of the measure and of people.
        tau: Kendall's tau-b of these means.
        tau_ap: the AP correlation of the measure's order with people's order. Systems with equal means of the measure
            count as the average over their orders; a pair with equal means of people counts half.
    """

    measure: str
    metric: str
    signature: str
    n: int
    auc: float | None
    accuracy: float | None
    kappa: float | None
    best_accuracy: float | None
    best_threshold: float | None
    pearson: float | None
    ece: float | None
    intervals: Mapping[str, Interval]
    same_order: int | None = None
    pairs: int | None = None
    largest_difference: float | None = None
    tau: float | None = None
    tau_ap: float | None = None


@dataclasses.dataclass(frozen=True)
class SystemMeans:
    """The mean human verdict on one system, and its mean by each measure.

    Attributes:
        n: the number of its answers.
        people: the mean verdict on all of them.
        interval: of the mean verdict.
        means: measure -> mean over the answers that it has a value for; absent if there are none.
        counts: measure -> the number of these answers.
    """

    system: str
    n: int
    people: float
    interval: Interval
    means: Mapping[str, float]
    counts: Mapping[str, int]


@dataclasses.dataclass(frozen=True)
class LabelAgreement(Shown):
    """The result of `qassay.agreement`; prints as tables.

    Attributes:
        n: the number of labelled answers.
        right: the share of right answers, by people.
        right_from: the lowest label of a right answer.
        confidence: the level of the intervals.
        group_name: the column of groups, which intervals draw whole; n_groups: the number of groups.
        measures: one entry per measure.
        systems: one entry per system, sorted by the mean verdict, best first; empty without a column of systems.
        remarks: warnings, one sentence each.
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
            KeyError: the measure was not scored; the message lists the available ones.
        """
        by_name = {one.measure: one for one in self.measures}
        if measure not in by_name:
            raise KeyError(f"no measure {measure!r}; available: {', '.join(by_name)}")
        return by_name[measure]

    def to_dict(self) -> dict[str, Any]:
        """All attributes as plain values: systems by name, intervals as pairs, with their methods."""
        values = as_plain(self)
        for one, measure in zip(values["measures"], self.measures, strict=True):
            one["methods"] = {name: ends.method for name, ends in measure.intervals.items()}
        return {**values, "systems": {one.pop("system"): one for one in values["systems"]}}


@public
def agreement(
    labelled: Any,
    metrics: Sequence[str] | str | None = None,
    *,
    measures: Sequence[str] | str | None = None,
    columns: Mapping[str, Any] | None = None,
    right_from: float | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    **options: Any,
) -> LabelAgreement:
    """Measure how well each measure agrees with human labels, to see which one you can trust on such data.

    Args:
        labelled: the path of a table (CSV, TSV, JSON, JSONL, Parquet, Arrow), a data frame, a list of rows or a dict of
            columns, with a row per answer: gold answers, answer and label, and optionally question, system, groups and
            ids. A label is 1 or 0, yes or no, correct or incorrect, or a number that is higher for better answers;
            rows with None or NaN are omitted.
        metrics: the metrics to compare; None: all that score texts.
        measures: the measures to compare; None: all with a value from 0 to 1 for every answer.
        columns: role -> column, with the roles labels, references (one or more columns), predictions, questions, system,
            groups and ids; and `{"separator": "/"}` for gold answers such as `a/b`.
        right_from: the lowest label of a right answer; None: 0.5, for labels from 0 to 1.
        confidence, n_resamples, seed: as in `Scores.interval`; the seed also chooses the folds of `best_accuracy`.
        options: options of the metrics; each is passed to every metric that has it. `model` is passed to one metric:
            of several, to semantic_answer_similarity. The default model is "lite", which is built in.

    Returns:
        LabelAgreement: `["f1"]` has `auc`, `accuracy`, `kappa`, `best_accuracy`, `best_threshold`, `pearson`, `ece` and
            their `intervals`; `.systems` has the means of systems by people and by measures. Rows with the same
            groups (without such a column, the same question; without questions, the same gold answers) are drawn
            together and are in one fold.

    Raises:
        ValueError: a missing column, a label that is not a number, no gold answers, labels outside 0..1 without
            `right_from`, only right or only wrong answers, fewer than 10 labels, a duplicate id within a system, an
            unknown metric or measure, or a measure that two of the metrics have. TypeError: something other than a
            table, or an unknown option.

    Example:
        >>> answers = ["in Rome", "Rome", "Oslo", "Bern", "the city of Oslo", "Paris"] * 2
        >>> golds = ["Rome", "Rome", "Oslo", "Oslo", "Oslo", "Bern"] * 2
        >>> rows = {"gold": golds, "answer": answers, "label": [1, 1, 1, 0, 1, 0] * 2}
        >>> found = agreement(rows, "answer_match", measures=["exact_match", "f1"])
        >>> found["exact_match"].auc, found["f1"].auc, found["f1"].accuracy, found.right.__round__(3)
        (0.75, 1.0, 1.0, 0.667)
    """
    intervals = Intervals(check_confidence(confidence), n_resamples=n_resamples, seed=seed)
    requested = text_families() if metrics is None else [metrics] if isinstance(metrics, str) else metrics
    families = {family.name: family for family in map(text_family, requested)}
    if not families:
        raise ValueError(f"metrics is empty; available: {', '.join(text_families())}")
    of_metric = sorted_options(families, options)
    for name, family in families.items():
        if family.loads_model:
            of_metric[name].setdefault("model", _BUILT_IN)
    table = read_labelled(labelled, columns)
    right_from, people = _people(table.labels, right_from)
    scored = [_scores_of(family, table, of_metric[name]) for name, family in families.items()]
    chosen = _chosen(scored, len(table.answers), measures)
    found = [_measure_agreement(name, *of, table, people, intervals) for name, of in chosen.items()]
    values = {name: of_answers for name, (_, of_answers) in chosen.items()}
    return LabelAgreement(
        n=len(table.answers),
        right=float(people.columns[RIGHT].mean()),
        right_from=right_from,
        confidence=intervals.confidence,
        group_name=table.group_name,
        n_groups=len(table.groups.labels),
        measures=tuple(found),
        systems=tuple(_systems_of(table, people, values, intervals)),
        remarks=tuple(_remarks(table, people, right_from, found)),
    )


def _people(labels: np.ndarray, right_from: Any) -> tuple[float, Rows]:
    """The lowest label of a right answer (None: 0.5, for labels from 0 to 1), and columns of human labels.

    The columns are LABEL, as given; RIGHT, 1.0 or 0.0; and VERDICT, the labels if they range from 0 to 1, or RIGHT.

    Raises:
        ValueError: labels outside 0 to 1 without `right_from`, or labels that are all right or all wrong.
    """
    low, high = float(labels.min()), float(labels.max())
    are_shares = 0 <= low and high <= 1
    if right_from is None and not are_shares:
        raise ValueError(
            f"labels range from {low:g} to {high:g}; give the lowest label of a right answer, such as right_from={high:g}"
        )
    right_from = _RIGHT_FROM if right_from is None else right_from
    if isinstance(right_from, bool) or not is_real(right_from) or not math.isfinite(right_from):
        raise ValueError(f"right_from must be a finite number; got {shown(right_from)}")
    right = (labels >= right_from).astype(np.float64)
    if np.ptp(right) == 0:
        which = "right" if right[0] else "wrong"
        by = "" if np.isin(labels, (0, 1)).all() else f" (right is a label of at least {right_from:g})"
        raise ValueError(
            f"all {len(labels)} labels say {which}{by}; agreement requires right and wrong answers; label more"
        )
    columns = {LABEL: labels, RIGHT: right, VERDICT: labels if are_shares else right}
    return float(right_from), Rows(columns, {}, np.ones(len(labels)))


# --- metrics and measures ---------------------------------------------------------------------------------------------


def _scores_of(family: Family, labelled: Labelled, options: Mapping[str, Any]) -> Scores:
    """The scores of the answers, with the questions if the metric reads them."""
    details = {} if labelled.questions is None else {"question": labelled.questions}
    gold = Gold("", "table", {"references": labelled.golds}, {}, None, details, metric=family.name)
    columns = {**family.gold_of_file(gold).columns, "ids": range(len(labelled.answers))}
    return family.score(predictions=labelled.answers, **columns, **options)


def _chosen(
    scored: Sequence[Scores], n_answers: int, names: Sequence[str] | str | None
) -> dict[str, tuple[Scores, np.ndarray]]:
    """Measure -> its scores, and its value of each of n answers, NaN if an option omits the answer.

    The measures are means of a value from 0 to 1. If several measures of a metric read one column, the first counts.

    Raises:
        ValueError: an unknown measure, or one that two metrics have.
    """
    available: dict[str, list[tuple[Scores, np.ndarray]]] = {}
    for scores in scored:
        read: set[tuple[str, ...]] = set()
        for name, measure in scores.measures.items():
            values = None
            if (
                measure.is_mean
                and measure.subset is None
                and measure.bounds == (0.0, 1.0)
                and measure.reads not in read
            ):
                read.add(measure.reads)
                values = measure.by_example(scores.rows)
            if values is not None:
                of_answers = np.full(n_answers, np.nan)
                of_answers[np.asarray(scores.ids, np.int64)] = values
                available.setdefault(name, []).append((scores, of_answers))
    requested = [names] if isinstance(names, str) else available if names is None else names
    for name in requested:
        if name not in available:
            near = did_you_mean(name, list(available))
            raise ValueError(f"no measure {name!r}{near}; available: {', '.join(available)}")
        if len(available[name]) > 1:
            having = " and ".join(scores.options.family for scores, _ in available[name])
            raise ValueError(f"{having} both have a measure {name}; choose one of these metrics")
    return {name: available[name][0] for name in requested}


# --- figures ----------------------------------------------------------------------------------------------------------


def _measure_agreement(
    name: str, scores: Scores, values: np.ndarray, labelled: Labelled, people: Rows, settings: Intervals
) -> MeasureAgreement:
    known = np.flatnonzero(~np.isnan(values))
    values, people = values[known], people.take(known)
    figures, intervals = figures_of(values, people, labelled.groups.take(known), settings)
    of_systems: dict[str, Any] = {}
    systems = labelled.systems or [""] * len(labelled.answers)
    names, codes = np.unique(np.array(systems)[known], return_inverse=True)
    if len(names) > 1:
        verdicts = people.columns[VERDICT]
        means = [tuple(_mean(column[codes == code]) for column in (verdicts, values)) for code in range(len(names))]
        pairs = list(itertools.combinations(means, 2))
        order = rank_agreement(verdicts, values, codes, labelled.groups.take(known), settings)
        intervals |= order.intervals
        of_systems = {
            "same_order": sum(bool(np.sign(a[0] - b[0]) == np.sign(a[1] - b[1])) for a, b in pairs),
            "pairs": len(pairs),
            "largest_difference": max(abs(of_people - mean) for of_people, mean in means),
            "tau": order.tau,
            "tau_ap": order.tau_ap,
        }
    of_figures: dict[str, Any] = {figure: figures.get(figure) for figure in FIGURES}
    return MeasureAgreement(
        name, scores.options.family, scores.signature(), len(known), **of_figures, intervals=intervals, **of_systems
    )


def _mean(values: np.ndarray) -> Any:
    """The mean, which does not depend on the order of the values."""
    return exact_sum(values) / len(values)


def figures_of(
    scores: np.ndarray, people: Rows, groups: Groups, settings: Intervals
) -> tuple[dict[str, float], dict[str, Interval]]:
    """The defined figures of one measure, and their intervals.

    Args:
        scores: the values of the measure, from 0 to 1, float64 (n,).
        people: the columns LABEL, RIGHT and VERDICT.
        groups: of the answers; a group is drawn whole and is in one fold.
    """
    right, labels = people.columns[RIGHT], people.columns[LABEL]
    if len(scores) == 0 or np.ptp(right) == 0:
        return {}, {}
    accepted = scores >= ACCEPTED_FROM
    columns = {
        **people.columns,
        _SCORE: scores,
        FOLD: folds_of(groups, settings.seed),
        _AGREED: (accepted == right).astype(np.float64),
        _ACCEPTED: accepted.astype(np.float64),
    }
    rows = Rows(columns, {}, people.weights)
    centers = (_mean(scores), _mean(labels))
    measures: dict[str, Measure] = {
        "auc": Auc(_SCORE),
        "accuracy": Mean(_AGREED),
        "kappa": Kappas(((_ACCEPTED, RIGHT, "", 1.0),), steps=(0.0, 1.0)),
        "best_accuracy": HeldOutAccuracy(_SCORE),
        "best_threshold": BestCut(_SCORE),
        "pearson": Correlation(_SCORE, centers),
        "ece": CalibrationError(_SCORE),
    }
    if np.ptp(scores) == 0 or np.ptp(labels) == 0:
        del measures["pearson"]
    figures = {figure: float(measure.value_once(rows)) for figure, measure in measures.items()}
    cut = {"best_threshold": measures["best_threshold"]}
    rest = {figure: measure for figure, measure in measures.items() if figure not in cut}
    intervals = {
        **intervals_of(rest, rest, rows, groups, settings),
        **intervals_of(cut, cut, rows, groups, dataclasses.replace(settings, method="percentile")),
    }
    if intervals["best_threshold"].low == intervals["best_threshold"].high:  # equal in nearly all resamples
        del intervals["best_threshold"]
    # A calibration error is biased upwards, and resampling adds the bias again; docs/people_and_judges.md has the coverage.
    error = {"ece": measures["ece"]}
    drawn = resampled_values(error, units_of(rows, groups, list(error.values())), settings)["ece"]
    bias, of_error = max(0.0, float(np.nanmean(drawn)) - figures["ece"]), intervals["ece"]
    if of_error.method != "none":
        # The lower end moves twice as far, because resampling underestimates the bias of a well calibrated measure.
        low, high = max(0.0, of_error.low - 2 * bias), max(figures["ece"], of_error.high - bias)
        intervals["ece"] = Interval(low, high, "shifted wilson", of_error.effective, of_error.degrees)
    return figures, {figure: intervals[figure] for figure in measures if figure in intervals}


def folds_of(groups: Groups, seed: int) -> np.ndarray:
    """The fold of each answer, 0.0 to 4.0, (n,); a group is in one random fold."""
    order = np.random.default_rng(seed).permutation(len(groups.labels))
    return np.asarray((order % _FOLDS)[groups.codes], np.float64)


def _systems_of(
    labelled: Labelled, people: Rows, values: Mapping[str, np.ndarray], settings: Intervals
) -> list[SystemMeans]:
    """The systems sorted by the mean verdict, best first."""
    names, found = np.array(labelled.systems or ()), []
    mean: dict[str, Measure] = {VERDICT: Mean(VERDICT)}
    for name in dict.fromkeys(labelled.systems or ()):
        index = np.flatnonzero(names == name)
        rows = people.take(index)
        interval = intervals_of(mean, mean, rows, labelled.groups.take(index), settings)[VERDICT]
        known = {measure: column[index][~np.isnan(column[index])] for measure, column in values.items()}
        means = {measure: _mean(column) for measure, column in known.items() if len(column)}
        counts = {measure: len(known[measure]) for measure in means}
        found.append(SystemMeans(name, len(index), float(mean[VERDICT].value_once(rows)), interval, means, counts))
    return sorted(found, key=lambda one: (-one.people, one.system))


# --- remarks ----------------------------------------------------------------------------------------------------------


def _remarks(labelled: Labelled, people: Rows, right_from: float, found: Sequence[MeasureAgreement]) -> list[str]:
    groups, name, right = labelled.groups, labelled.group_name, people.columns[RIGHT]
    n, lines = len(labelled.answers), []
    questions = labelled.questions or [""] * n
    if labelled.unlabelled:
        lines.append(f"{counted(labelled.unlabelled, 'rows without a label')}: omitted")
    if not np.isin(labelled.labels, (0, 1)).all():
        is_share = people.columns[VERDICT] is labelled.labels
        beyond = "" if is_share else "; means of people and the calibration error count right answers"
        lines.append(f"labels are graded: right is a label from {right_from:g} on{beyond}")
    if not groups.are_single:
        lines.append(
            f"intervals resample {len(groups.labels):,} groups of answers with the same {name}, not single answers"
        )
    if len(groups.labels) < FEW_UNITS:
        lines.append(f"fewer than {FEW_UNITS} groups of answers with the same {name}: the intervals are rough")
    rarer = int(min(right.sum(), (1 - right).sum()))
    if rarer < _FEW_OF_KIND:
        which = "right" if 2 * right.sum() < len(right) else "wrong"
        lines.append(f"only {rarer} of the answers are {which}: the figures are imprecise")
    if blank := sum(not question.strip() for question in questions):
        lines.append(f"{counted(blank, 'answers without a question')}: measures that read questions get none")
    if bare := sum(not any(map(str.strip, texts)) for texts in labelled.golds):
        lines.append(
            f"{counted(bare, 'answers without a gold answer')}: right only if empty, or a refusal to some measures"
        )
    of_system: dict[str, set[str]] = {}
    for system, asked in zip(labelled.systems or (), labelled.asked, strict=False):
        of_system.setdefault(system, set()).add(asked)
    every = set().union(*of_system.values())
    shared = every.intersection(*of_system.values())
    if shared != every:
        lines.append(
            f"only {len(shared):,} of {len(every):,} questions are shared by all systems: their means and order depend on the "
            "questions too"
        )
    if (absent := labelled.answers.count(None)) and any(one.n == n for one in found):
        lines.append(f"{counted(absent, 'answers without a text')}: scored 0")
    if found and all(one.auc is not None and one.auc < 0.5 for one in found):
        lines.append("each AUC is below 0.5: are the labels the wrong way round? A larger label is a better answer")
    lines += [f"{one.measure}: {counted(n - one.n, 'answers without a value')}: omitted" for one in found if one.n < n]
    return lines
