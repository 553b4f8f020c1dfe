"""How well each measure of answers agrees with the labels that people gave these answers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import counted
from ..core.file_columns import Gold
from ..core.groups import Groups
from ..core.interval_settings import Intervals
from ..core.intervals import FEW_UNITS
from ..core.options import did_you_mean
from ..core.scores import Scores
from ..registry import FAMILIES, Family, get_family, sorted_options, taken_options
from .figures import FIGURES, Labels, figures_of
from .measures import REJECTS_ALL
from .read_labelled import Labelled, read_labelled
from .results import LabelAgreement, MeasureAgreement
from .systems import systems_of, with_order

_BUILT_IN = "lite"  # of the metrics that load a model
_FEW_OF_KIND = 20  # right or wrong answers


def agreement_of(
    data: Any,
    metrics: Sequence[str] | str | None = None,
    *,
    measures: Sequence[str] | str | None = None,
    model: Any = "lite",
    columns: Mapping[str, Any] | None = None,
    right_from: float | None = None,
    intervals: Intervals = Intervals(),
    options: Mapping[str, Any] | None = None,
) -> LabelAgreement:
    """Implements `qassay.agreement`."""
    families = families_of(metrics)
    of_family = _options_of([family.name for family in families], model, options or {})
    labelled = read_labelled(data, columns)
    labels = Labels.of(labelled.labels, right_from)
    n = len(labelled.answers)
    scored = [_scores_of(family, labelled, of_family[family.name]) for family in families]
    asked = _chosen([(scores, _values_of(scores, n)) for scores in scored], measures)
    found = [
        _measure_agreement(name, scores, values, labels, labelled.groups, intervals)
        for name, (scores, values) in asked.items()
    ]
    values = {name: own for name, (_, own) in asked.items()}
    if labelled.systems is not None:
        found = [with_order(one, values[one.measure], labels.verdicts, labelled.systems) for one in found]
    remarks = [*_remarks(labelled, labels), *_remarks_of_systems(labelled)]
    remarks += [*_remarks_of_absent(found, labelled.answers), *_remarks_of_measures(found, n)]
    systems = systems_of(labelled, labels, values, intervals)
    return LabelAgreement(
        n, float(labels.right.mean()), labels.right_from, intervals.confidence, labelled.group_name, len(labelled.groups.labels),
        tuple(found), tuple(systems), tuple(remarks),
    )  # fmt: skip


def families_of(names: Sequence[str] | str | None) -> list[Family]:
    """The metrics with these names, which must score the text of an answer against texts; None: all that do.

    Raises:
        ValueError: unknown metric, or one of other things than texts.
    """
    fitting = {
        name: family
        for name, family in FAMILIES.items()
        if family.scores_outputs and family.telling.answers_are == ("texts",)
    }
    wanted = list(fitting) if names is None else [names] if isinstance(names, str) else list(dict.fromkeys(names))
    if not wanted:
        raise ValueError(f"no metric is named; available: {', '.join(fitting)}")
    for name in wanted:
        get_family(name)
        if name not in fitting:
            raise ValueError(f"{name} does not score answers as texts; these metrics do: {', '.join(fitting)}")
    return [fitting[name] for name in wanted]


def _options_of(metrics: Sequence[str], model: Any, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Metric -> its options; the model goes to the metrics that take one, the others keep the built-in one."""
    options = sorted_options(metrics, given)
    having = [name for name in metrics if "model" in taken_options([name])[name]]
    if not having and not (isinstance(model, str) and model == _BUILT_IN):
        sorted_options(metrics, {"model": model})  # refuses it
    taken = taken_options([name for name in having if _takes(name, model)] or having)
    for name in having:
        options[name]["model"] = model if "model" in taken.get(name, ()) else _BUILT_IN
    return options


def _takes(metric: str, model: Any) -> bool:
    """Whether a metric takes a model of this type; whether there is one with this name, loading it tells."""
    try:
        get_family(metric).load()[1].from_keywords(model=model)
    except TypeError:
        return False
    except ValueError:  # of its value, which scoring tells
        pass
    return True


def _scores_of(family: Family, labelled: Labelled, options: Mapping[str, Any]) -> Scores:
    """The scores of the answers, with the questions where the metric reads them."""
    details = {} if labelled.questions is None else {"question": labelled.questions}
    gold = Gold("", "table", {"references": labelled.golds}, {}, None, details, metric=family.name)
    columns = {**family.gold_of_file(gold).columns, "ids": range(len(labelled.answers))}
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
        ValueError: unknown measure, or one that two metrics have.
    """
    there: dict[str, list[tuple[Scores, np.ndarray]]] = {}
    for scores, values in scored:
        for name, own in values.items():
            there.setdefault(name, []).append((scores, own))
    names = list(there) if names is None else [names] if isinstance(names, str) else list(dict.fromkeys(names))
    for name in names:
        if name not in there:
            raise ValueError(f"no measure {name!r}{did_you_mean(name, list(there))}; available: {', '.join(there)}")
        if len(there[name]) > 1:
            having = " and ".join(scores.options.family for scores, _ in there[name])
            raise ValueError(f"{having} have a measure {name} each; give one of these metrics")
    return {name: there[name][0] for name in names}


def _measure_agreement(
    name: str, scores: Scores, values: np.ndarray, labels: Labels, groups: Groups, settings: Intervals
) -> MeasureAgreement:
    known = np.flatnonzero(~np.isnan(values))
    figures, intervals = figures_of(values[known], labels.take(known), groups.take(known), settings)
    of_figure: dict[str, Any] = {figure: figures.get(figure) for figure in FIGURES}
    return MeasureAgreement(
        name, scores.options.family, scores.signature(), len(known), intervals=intervals, **of_figure
    )


def _remarks(labelled: Labelled, people: Labels) -> list[str]:
    lines = []
    given, right = people.labels, people.right
    if labelled.unlabelled:
        lines.append(f"{counted(labelled.unlabelled, 'rows without a label')}: omitted")
    if not np.isin(given, (0, 1)).all():
        beyond = "" if people.verdicts is given else "; means of people and the calibration error count right answers"
        lines.append(f"labels are graded: right is a label from {people.right_from:g} on{beyond}")
    if not labelled.groups.are_single:
        lines.append(
            f"intervals resample {len(labelled.groups.labels):,} groups of answers with the same {labelled.group_name}, not single answers"
        )
    if len(labelled.groups.labels) < FEW_UNITS:
        lines.append(
            f"fewer than {FEW_UNITS} groups of answers with the same {labelled.group_name}: the intervals are rough"
        )
    rarer = int(min(right.sum(), (1 - right).sum()))
    if rarer < _FEW_OF_KIND:
        which = "right" if 2 * right.sum() < len(right) else "wrong"
        lines.append(f"only {rarer} of the answers are {which}: the figures are rough")
    if labelled.questions is None:
        lines.append("there is no column of questions: measures that read questions get none")
    elif blank := sum(not question.strip() for question in labelled.questions):
        lines.append(f"{counted(blank, 'answers with a blank question')}: measures that read questions get none")
    if bare := sum(not any(map(str.strip, texts)) for texts in labelled.golds):
        lines.append(
            f"{counted(bare, 'answers without a gold answer')}: right only if empty, or a refusal to some measures"
        )
    return lines


def _remarks_of_systems(labelled: Labelled) -> list[str]:
    """That systems answered different questions, if they did."""
    if labelled.systems is None:
        return []
    of_system: dict[str, set[str]] = {}
    for system, question in zip(labelled.systems, labelled.asked, strict=True):
        of_system.setdefault(system, set()).add(question)
    every, shared = set.union(*of_system.values()), set.intersection(*of_system.values())
    if every == shared:
        return []
    what = "gold answers" if labelled.questions is None else "questions"
    return [
        f"systems have different {what}, and only {len(shared):,} of {len(every):,} are shared by all: their means and "
        "order depend on the questions too"
    ]


def _remarks_of_measures(found: Sequence[MeasureAgreement], n_answers: int) -> list[str]:
    lines = []
    if found and all(one.auc is not None and one.auc < 0.5 for one in found):
        lines.append("each AUC is below 0.5: are the labels the wrong way round? A larger label is a better answer")
    for one in found:
        if one.n < n_answers:
            lines.append(f"{one.measure}: {counted(n_answers - one.n, 'answers without a value')}: omitted")
        if one.best_threshold is not None and one.best_threshold == REJECTS_ALL:
            lines.append(f"{one.measure}: no threshold agrees better than rejecting every answer")
    return lines


def _remarks_of_absent(found: Sequence[MeasureAgreement], answers: Sequence[Any]) -> list[str]:
    absent = sum(answer is None for answer in answers)
    is_scored = any(one.n == len(answers) for one in found)
    return [f"{counted(absent, 'answers without a text')}: scored 0"] if absent and is_scored else []
