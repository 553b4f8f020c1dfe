"""Calibrated values as text (terminal, Markdown, LaTeX, CSV, JSON), as a page and in notebooks."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.intervals import INTERVAL_WORDS
from ..core.scores import Scores
from ..human.calibrate import Calibration
from ..registry import family_of
from .html_tables import page_of_tables
from .tables import Field, TextColumn, TextTable, csv_text, json_text, tables_text
from .values import remarks
from .values_text import figure_text, number_text

METHOD_NAMES = {"ppi": "PPI++", "rogan_gladen": "Rogan-Gladen"}
_SCALED = ("measured", "labelled", "labelled_interval", "value", "interval", "standard_error")
_CSV = (
    "system", "measure", "first", "second", "method", "interval_method", "confidence", "lam", "n", "n_labelled", "n_groups", "n_labelled_groups", "measured",
    "labelled", "labelled_low", "labelled_high", "value", "low", "high", "standard_error", "accuracy", "sensitivity",
    "specificity", "correlation", "saved", "worth",
)  # fmt: skip


def render_calibrations(
    calibrations: Sequence[Calibration],
    form: str,
    *,
    notes: Sequence[str] = (),
    signature: str = "",
    more: Mapping[str, Any] | None = None,
    percent: bool = False,
    width: int | None = None,
    color: bool = False,
) -> str:
    """Calibrated measures of one system as text, ending with a line break.

    Args:
        form: "table", "markdown", "latex", "csv", "json" or "html".
        notes: lines after the tables.
        signature: the signature of the scores.
        more: other keys of the JSON object.
        percent: values, their intervals and standard errors as 0..100; the agreement with the labels always is 0..1.
        width: the width of a terminal in characters; None: no limit.
        color: whether the table has ANSI colours.
    """
    scale = 100 if percent else 1
    if form == "json":
        numbers = [_in_scale(one, scale) for one in calibrations]
        return json_text({"signature": signature, "scale": scale, **(more or {}), "measures": numbers})
    if form == "csv":
        return csv_text(_CSV, [_csv_row(_in_scale(one, scale)) for one in calibrations])
    tables = [values_table(calibrations, scale), agreement_table(calibrations)]
    lines = [*remark_lines(calibrations), *notes]
    if form == "html":
        return page_of_tables("Calibrated by human labels", tables, [*lines, signature])
    return tables_text(tables, form, lines, [signature], width=width, color=color)


def notes_of_systems(systems: Mapping[str, Scores]) -> dict[str, Any]:
    """Counts and remarks of each system, as JSON keys."""
    notes = {name: {"notes": family_of(scores).telling.notes_of(scores)} for name, scores in systems.items()}
    return {"systems": notes, "remarks": remarks(systems)}


def labels_still_needed(
    calibrations: Sequence[Calibration], *, width: float | None, scale: int, n_next: int | None, seed: int
) -> tuple[list[str], dict[str, Any]]:
    """How many labels the wanted width needs, as lines; the same and the examples to label next, as JSON keys.

    Args:
        width: of the interval, on the scale of the report (0..1 or 0..100); None: no lines.
        n_next: number of examples to label next; None: no examples.
        seed: for the choice of examples.
    """
    lines: list[str] = []
    told: dict[str, Any] = {}
    if width is not None:
        needed = [one.labels_needed(width / scale) for one in calibrations]
        names = _titles(calibrations)
        told |= {"width": width, "labels_needed": dict(zip(names, needed, strict=True))}
        lines += [_needed(*each, width) for each in zip(calibrations, names, needed, strict=True)]
    if n_next is not None:
        told["next"] = calibrations[-1].to_next(n_next, seed)
    return lines, told


def _needed(one: Calibration, name: str, needed: int | None, width: float) -> str:
    wide = f"for an interval {width:g} wide"
    if needed is None:
        return f"{wide} {name} needs more labels than the {one.n:,} examples"
    if needed <= one.n_labelled:
        return f"{wide} the {one.n_labelled:,} labels of {name} suffice"
    return f"{wide} {name} needs about {needed:,} labels"


def _titles(calibrations: Sequence[Calibration]) -> list[str]:
    """Row titles: the measure; for several systems also the system; for a difference both systems."""
    several = len({one.system for one in calibrations}) > 1

    def title(one: Calibration) -> str:
        if one.first is not None:
            return f"{one.measure}: {one.second} − {one.first}"
        return f"{one.measure}: {one.system}" if several else one.measure

    return list(map(title, calibrations))


def values_table(calibrations: Sequence[Calibration], scale: int = 1) -> TextTable:
    """A row per measure: its own value, the mean label and the calibrated value."""
    columns = [TextColumn("measure", "name"), TextColumn("n", "count"), TextColumn("labels", "number")]
    columns += [TextColumn(head, "value") for head in ("by itself", "labels alone", "calibrated")]
    rows = [
        [
            Field(name),
            Field(str(one.n)),
            Field(str(one.n_labelled)),
            Field(_rate(one.measured, scale)),
            Field(_rate(one.labelled, scale), _ends(one.labelled_interval, scale)),
            Field(_rate(one.value, scale), _ends(one.interval, scale)),
        ]
        for one, name in zip(calibrations, _titles(calibrations), strict=True)
    ]
    return TextTable("", columns, rows, (), f"{100 * calibrations[0].confidence:g} % interval")


def agreement_table(calibrations: Sequence[Calibration]) -> TextTable:
    """A row per measure: its agreement with the labels, and how much it narrows the interval."""
    names = ("accuracy", "sensitivity", "specificity", "correlation")
    columns = [TextColumn("measure", "name"), TextColumn("method", "text")]
    columns += [TextColumn(head, "number") for head in ("lambda", *names, "width saved", "worth labels")]
    rows = [
        [
            Field(title),
            Field(f"{METHOD_NAMES[one.method]}, {INTERVAL_WORDS[one.interval.method]}"),
            Field(figure_text(one.lam)),
            *(Field(figure_text(getattr(one.agreement, name))) for name in names),
            Field(f"{round(100 * one.saved)} %"),
            Field(f"{one.worth:,}"),
        ]
        for one, title in zip(calibrations, _titles(calibrations), strict=True)
    ]
    return TextTable("", columns, rows)


def remark_lines(calibrations: Iterable[Calibration]) -> list[str]:
    """Each remark once, with its measures unless all measures have it."""
    calibrations = list(calibrations)
    by_line: dict[str, list[str]] = {}
    for one, name in zip(calibrations, _titles(calibrations), strict=True):
        for line in one.remarks:
            by_line.setdefault(line, []).append(name)
    return [
        line if len(names) == len(calibrations) else f"{', '.join(names)}: {line}" for line, names in by_line.items()
    ]


def _rate(value: float, scale: int = 1) -> str:
    return number_text(scale * value, True, scale)


def _ends(interval: tuple[float, float], scale: int = 1) -> tuple[str, ...]:
    return tuple(_rate(end, scale) for end in interval)


def _in_scale(one: Calibration, scale: int) -> dict[str, Any]:
    """The calibration of one measure with its values on the scale of the report."""
    values = one.to_dict()
    for name in _SCALED:
        value = values[name]
        values[name] = [scale * end for end in value] if isinstance(value, list) else scale * value
    return values


def _csv_row(values: dict[str, Any]) -> list[Any]:
    values = {**values, **values["agreement"]}
    values["low"], values["high"] = values["interval"]
    values["labelled_low"], values["labelled_high"] = values["labelled_interval"]
    return [values[name] for name in _CSV]
