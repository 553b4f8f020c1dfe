"""Human labels: calibrated values, how many labels a width needs, and which examples to label next."""

import dataclasses
import functools
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..calibration.calibrate import Calibration, CalibrationSettings, calibrate_systems, measures_to_calibrate
from ..calibration.choosing import at_random
from ..calibration.labels import verdicts_of
from ..core.examples import ExampleText
from ..core.options import check_whole
from ..core.shown import csv_cell, shown, write_csv
from ..files.content import Content, Table
from ..pages.limits import InputError
from ..pages.uploads import Upload, read_upload
from ..reports.calibration import (
    agreement_table,
    calibration_finding,
    remark_lines,
    tables_html,
    told_of_labels,
    values_table,
)
from ..reports.chart_parts import escaped
from ..reports.charts import Mark, Row, interval_chart
from ..reports.family_charts import rate_writer
from ..reports.html_parts import WORDY, figure, heads, isolated, row, scroll_table
from ..reports.palette import system_class
from ..reports.values import remarks
from ..scoring import Scored
from .address import DISAGREE, EVERY, View, unknown
from .analysis import Analysis
from .errors_address import lists_just
from .errors_choice import UNLIKE_PEOPLE
from .human_labels import labels_of
from .linked_slices import LABEL, LABELLED, both_labelled
from .page_words import on_page
from .view_parts import asked_of, cut, section, shown_sides, wrapped

MOST_NEXT = 1_000  # examples to label
_USUAL_NEXT = 20
_SHOWN_NEXT = 100  # of these in the page; all are in the file


class LabelChoices(NamedTuple):
    """What a visitor chose.

    Attributes:
        system: whose answers are labelled; a run by its name.
        other: a system with its own labels, to which the difference is calibrated; "" for none.
        measures: by name; () for the first main one.
        method, lam, interval_method: as in `qassay.calibrate`.
        width: of an interval, on the scale of the page; None: not asked for.
        n_next: how many examples to label next; None: not asked for.
        columns: role of a file of labels -> column.
    """

    system: str
    other: str = ""
    measures: tuple[str, ...] = ()
    method: str = "ppi"
    lam: float | None = None
    interval_method: str = "auto"
    width: float | None = None
    n_next: int | None = _USUAL_NEXT
    columns: Mapping[str, str] = {}


class Calibrated(NamedTuple):
    """The calibrated values, or what to label first.

    Attributes:
        found: the calibrations; [] without labels.
        lines: the remarks.
        told: the labels needed for a width and what to label next, as keys of JSON.
        next_ids: the examples to label next.
        verdicts: system -> the verdict on each of its examples, 0 to 1, NaN for none.
    """

    found: list[Calibration]
    lines: list[str]
    told: dict[str, Any]
    next_ids: list[Any]
    verdicts: Mapping[str, np.ndarray] = {}


def read_labels(path: str, name: str) -> Upload:
    """An uploaded file of labels, which messages call by its name.

    Raises:
        InputError, ValueError: as `read_upload`.
    """
    upload = read_upload(path, name, "labels")
    return upload._replace(content=dataclasses.replace(upload.content, path=name))


def label_systems(analysis: Analysis) -> list[str]:
    """The systems whose answers can be labelled: of repeated runs each run."""
    return analysis.by_run.systems


def label_measures(analysis: Analysis) -> list[str]:
    """The measures that can be calibrated, of all metrics."""
    systems = [next(iter(scored.scores.values())) for scored in analysis.by_run.scored]
    return list(dict.fromkeys(name for scores in systems for name in measures_to_calibrate(scores)))


def labels_head(analysis: Analysis) -> str:
    """What can be labelled, as HTML."""
    runs = " Labels are of the answers of one run." if analysis.has_runs else ""
    analysis = analysis.by_run
    n = len(analysis.scores(analysis.systems[0]))
    named = ", ".join(map(isolated, analysis.systems))
    told = f"{isolated(analysis.inputs.title)}: {n:,} {escaped(analysis.examples_name)}, answers of {named}.{runs}"
    return wrapped(f'<p class="faint">{told}</p>')


def calibrated(analysis: Analysis, choices: LabelChoices, labels: Mapping[str, Content]) -> Calibrated:
    """Calibrate by the labels of one or two systems; without labels only choose what to label first.

    Args:
        labels: system -> the labels of its answers.

    Raises:
        ValueError, TypeError: as `qassay.calibrate`; a width or a number of examples that cannot be; labels that lack.
    """
    analysis = analysis.by_run
    names = [choices.system, *([choices.other] if choices.other else [])]
    absent = next((name for name in names if name not in analysis.systems), None)
    if absent is not None:
        raise InputError(unknown("system", absent, analysis.systems))
    if len(set(names)) < len(names):
        raise InputError("labels: a difference is of two systems; choose another one")
    if not labels.keys() <= set(names):
        raise InputError(
            "labels: there are labels of another system, but no other system is chosen; choose it, or omit them"
        )
    scale, seed = analysis.report.scale, analysis.settings.intervals.seed
    if choices.n_next is not None:
        check_whole("the number of examples to label next", choices.n_next, most=MOST_NEXT, kind="")
    if choices.width is not None and not 0 < choices.width <= scale:
        raise InputError(f"width: it must be above 0 and at most {scale}; got {choices.width:g}")
    if not labels:
        if choices.n_next is None:
            raise InputError("labels: give a file of labels, or a number of examples to label first")
        ids = at_random(analysis.scores(choices.system).ids, choices.n_next, seed)
        return Calibrated([], [], {"next": ids}, ids)
    unlabelled = next((name for name in names if name not in labels), None)
    if unlabelled is not None:
        raise InputError(f"labels: {unlabelled} has no labels; a difference needs a file of labels for each system")
    confidence = analysis.settings.intervals.confidence
    settings = CalibrationSettings(choices.method, choices.lam, choices.interval_method, confidence)
    read = {name: _as_given_out(labels[name], analysis.scores(name).ids) for name in names}
    found: list[Calibration] = []
    for scored, asked in _by_metric(analysis, choices.measures):
        systems = {name: scored.scores[name] for name in names}
        found += calibrate_systems(systems, read, asked, settings, columns=dict.fromkeys(names, choices.columns))
    lines, told = told_of_labels(found, width=choices.width, scale=scale, n_next=choices.n_next, seed=seed)
    notes = remarks({name: analysis.scores(name) for name in names})
    verdicts = {name: verdicts_of(read[name], analysis.scores(name).ids, choices.columns) for name in names}
    return Calibrated(found, [*remark_lines(found), *notes, *lines], told, told.get("next", []), verdicts)


def _by_metric(analysis: Analysis, measures: Sequence[str]) -> list[tuple[Scored, list[str] | None]]:
    """Each metric that has some of these measures, with those; the first metric is asked for unknown ones, and refuses them."""
    own = {scored.family.name: next(iter(scored.scores.values())).measures for scored in analysis.scored}
    by_metric: dict[str, list[str]] = {}
    for name in measures:
        metric = next((metric for metric, there in own.items() if name in there), analysis.family.name)
        by_metric.setdefault(metric, []).append(name)
    asked = [(scored, by_metric[scored.family.name]) for scored in analysis.scored if scored.family.name in by_metric]
    return asked or [(analysis.main, None)]


# --- what is shown ----------------------------------------------------------------------------------------------------


def calibration_html(analysis: Analysis, choices: LabelChoices, result: Calibrated) -> str:
    """The calibrated values, and what to label next."""
    return wrapped(_values(analysis, choices, result), _next(analysis.by_run, choices, result))


def _values(analysis: Analysis, choices: LabelChoices, result: Calibrated) -> str:
    if not result.found:
        return ""
    href = functools.partial(_href, analysis.by_run, result)
    values, agreement = tables_html(
        values_table(result.found, analysis.report.scale, href), agreement_table(result.found, href)
    )
    lines = "".join(f"<li>{escaped(on_page(line))}.</li>" for line in result.lines)
    reading = (
        "“By itself” is the value of the measure over all examples, “labels alone” the mean verdict on the labelled ones. "
        "“Calibrated” combines them: an estimate of what people would say about all answers. It is valid if the labelled "
        "examples are a random sample."
    )
    saved = (
        "“Width saved” is how much narrower the calibrated interval is than the interval of the labels alone; “worth labels” is "
        "the number of labels that alone would give an interval as narrow."
    )
    told = f'<ul class="checks">{lines}</ul>' if lines else ""
    named = " and ".join(filter(None, [choices.system, choices.other]))
    first = f'<p class="finding">{escaped(calibration_finding(result.found, analysis.report.scale))}</p>'
    return (
        f"<section>{first}{_chart(analysis.by_run, result.found, href)}</section>"
        + section(f"{named}, calibrated by human labels", values + told, reading)
        + section("How well the measure agrees with people", agreement, saved)
    )


def _href(analysis: Analysis, result: Calibrated, one: Calibration, examples: str) -> str:
    """Where examples of a calibration are listed, one of `EXAMPLES`; "" where the tab Errors cannot list just these.

    Of the labelled ones those come first whose value is furthest from their label.
    """
    system, other = one.second or one.system or "", one.first or ""
    known = [labels_of(analysis, name) for name in filter(None, (system, other))]
    given = [result.verdicts[name] for name in filter(None, (system, other))]
    view = View("errors", system=system, kind=EVERY, other=other, measure=one.measure)
    if examples != "all":
        if not all(
            own is not None and np.array_equal(own, of, equal_nan=True) for own, of in zip(known, given, strict=True)
        ):
            return ""
        by = LABELLED if examples == "labelled" else LABEL
        label = "yes" if examples == "labelled" else examples
        view = dataclasses.replace(
            view, slice=f"{both_labelled(other) if other else by}:{label}", order="" if other else UNLIKE_PEOPLE
        )
    elif other:
        view = dataclasses.replace(view, order=DISAGREE)
    n = {"all": one.n, "labelled": one.n_labelled}.get(examples)
    return view.href() if lists_just(analysis, view, n) else ""


def _chart(analysis: Analysis, found: Sequence[Calibration], href: Callable[[Calibration, str], str]) -> str:
    """The first measure by itself, by the labels alone and calibrated, of each system in its colour."""
    scale, measure = analysis.report.scale, found[0].measure
    of_systems = {one.system: one for one in found if one.measure == measure and one.first is None}
    # The legend colours systems by their places; of a single one there is none.
    shown = list(of_systems) if len(of_systems) == 1 else analysis.systems

    def one_row(
        label: str, told: Callable[[Calibration], tuple[float, tuple[float, ...] | None]], examples: str = "all"
    ) -> Row:
        marks: list[Mark | None] = []
        for system in shown:
            value, ends = told(of_systems[system]) if system in of_systems else (None, None)
            low, high = [scale * end for end in ends] if ends else (None, None)
            tone = system_class(analysis.systems.index(system))
            if value is None:
                marks.append(None)
                continue
            marks.append(Mark(scale * value, low, high, tone, href=href(of_systems[system], examples)))
        return Row(label, marks)

    rows = [
        one_row(f"{measure} alone", lambda one: (one.measured, None)),
        one_row("labels alone", lambda one: (one.labelled, one.labelled_interval), "labelled"),
        one_row("calibrated", lambda one: (one.value, one.interval)),
    ]
    title = f"{measure} alone, the labels alone, and both together (calibrated)"
    return figure(escaped(title), interval_chart(rows, shown, title=title, write=rate_writer(scale)))


def _next(analysis: Analysis, choices: LabelChoices, result: Calibrated) -> str:
    if not result.next_ids:
        return section("To label next", "<p>All examples have a label.</p>") if result.found and choices.n_next else ""
    rows = []
    for identifier, question, text in _with_texts(analysis, choices.system, result.next_ids[:_SHOWN_NEXT]):
        cells = [cut(question), *shown_sides(analysis, text)]
        view = View("errors", system=choices.system, example=str(identifier))
        link = f'<a class="go" href="{escaped(view.href())}">{isolated(str(identifier))}</a>'
        rows.append(row(link, *(f"<td{WORDY}>{isolated(cell)}</td>" for cell in cells)))
    above = heads("Id") + "".join(f'<th scope="col"{WORDY}>{name}</th>' for name in ("Question", "Answer", "Gold"))
    n = len(result.next_ids)
    number = f"{n:,}" if n <= _SHOWN_NEXT else f"{_SHOWN_NEXT} of {n:,}"
    reading = (
        "Drawn at random, so that all labelled examples together are a random sample: label all of them, including answers that "
        "are hard to judge. 1 is right, 0 is wrong, a number between is partly right; an empty cell is not a label."
    )
    title = "To label next" if result.found else "To label first"
    caption = f"{number} {escaped(analysis.examples_name)}, answers of {isolated(choices.system)}"
    return section(title, scroll_table(caption, above, rows), reading)


def labels_csv(analysis: Analysis, choices: LabelChoices, result: Calibrated) -> bytes:
    """A table to fill in and give back: ids, an empty column of labels, and the texts to judge by."""
    file = io.StringIO(newline="")
    lines = [["id", "label", "question", "answer", "gold"]]
    count = Counter(map(_id_cell, analysis.by_run.scores(choices.system).ids))
    for identifier, question, text in _with_texts(analysis.by_run, choices.system, result.next_ids):
        if count[_id_cell(identifier)] > 1:
            raise InputError(
                f"to label next: CSV cannot tell the id {shown(identifier)} from another id; rename it, or leave the number empty"
            )
        lines.append([identifier, "", question, " / ".join(text.answers), " / ".join(text.gold)])
    write_csv(file, (map(csv_cell, line) for line in lines))
    return file.getvalue().encode("utf-8", "backslashreplace")


def _id_cell(identifier: Any) -> str:
    """An id as `labels_csv` writes it: a spreadsheet does not take it for a formula, and UTF-8 has all its characters."""
    return str(csv_cell(identifier)).encode("utf-8", "backslashreplace").decode("utf-8")


def _as_given_out(labels: Any, ids: Sequence[Any]) -> Any:
    """Labels of a table with the ids of the examples where `labels_csv` had to write them in another way."""
    if not (isinstance(labels, Content) and isinstance(labels.value, Table) and labels.value.is_text):
        return labels
    known = set(map(str, ids))
    by_cell = {cell: identifier for identifier in ids if (cell := _id_cell(identifier)) not in known}
    columns = {name: [by_cell.get(cell, cell) for cell in cells] for name, cells in labels.value.columns.items()}
    return dataclasses.replace(labels, value=dataclasses.replace(labels.value, columns=columns)) if by_cell else labels


def _with_texts(analysis: Analysis, system: str, ids: Sequence[Any]) -> list[tuple[Any, str, ExampleText]]:
    """Id, question ("" where the files have none) and texts of some examples."""
    places = {identifier: place for place, identifier in enumerate(analysis.scores(system).ids)}
    rows = [places[identifier] for identifier in ids]
    found = zip(ids, asked_of(analysis, system, rows), analysis.texts(system, rows), strict=True)
    return [(identifier, question or text.question or "", text) for identifier, question, text in found]
