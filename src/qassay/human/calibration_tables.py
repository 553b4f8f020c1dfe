"""Tables of calibrated values."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.intervals import INTERVAL_WORDS
from ..core.scores import Scores
from ..core.text_tables import TableReport, TextCell, TextTable, columns_of, figure_text, number_text, text_table
from ..registry import family_of
from ..stats.notes import note_lines
from .calibrate import Calibration

METHOD_NAMES = {"ppi": "PPI++", "rogan_gladen": "Rogan-Gladen"}
_SCALED = ("measured", "labelled", "labelled_interval", "value", "interval", "standard_error")
_COLUMNS = (
    "system", "measure", "first", "second", "method", "interval_method", "confidence", "lam", "n", "n_labelled", "n_groups", "n_labelled_groups", "measured",
    "labelled", "labelled_low", "labelled_high", "value", "low", "high", "standard_error", "accuracy", "sensitivity",
    "specificity", "correlation", "saved", "worth",
)  # fmt: skip


def calibration_report(
    calibrations: Sequence[Calibration],
    systems: Mapping[str, Scores] | None = None,
    *,
    percent: bool = False,
    n_next: int | None = None,
    seed: int = 0,
) -> TableReport:
    """Calibrated measures of one system, or of two systems and their difference, as tables.

    Args:
        systems: the calibrated systems, for their notes.
        percent: values, intervals and standard errors as 0..100; the agreement with the labels always is 0..1.
        n_next: adds the ids of so many examples to label next, chosen by `seed`.
    """
    systems, scale = systems or {}, 100 if percent else 1
    numbers = [_in_scale(one, scale) for one in calibrations]
    signature = "".join(scores.signature() for scores in list(systems.values())[:1])
    data: dict[str, Any] = {"signature": signature, "scale": scale}
    data["systems"] = {name: {"notes": family_of(of).about.notes_of(of)} for name, of in systems.items()}
    data["remarks"] = note_lines(systems)
    lines = [*remark_lines(calibrations), *data["remarks"]]
    if n_next is not None:
        data["next"] = calibrations[-1].to_next(n_next, seed)
        lines.append(f"to label next: {' '.join(map(str, data['next']))}")
    tables = [_values_table(calibrations, scale), _agreement_table(calibrations)]
    rows = [_row(values) for values in numbers]
    signatures = [signature] if signature else []
    return TableReport(tables, lines, signatures, rows, {**data, "measures": numbers})


def _titles(calibrations: Sequence[Calibration]) -> list[str]:
    """Row titles: the measure; for several systems also the system; for a difference both systems."""
    several = len({one.system for one in calibrations}) > 1

    def title(one: Calibration) -> str:
        if one.first is not None:
            return f"{one.measure}: {one.second} − {one.first}"
        return f"{one.measure}: {one.system}" if several else one.measure

    return list(map(title, calibrations))


def _values_table(calibrations: Sequence[Calibration], scale: int) -> TextTable:
    """A row per measure: its value, the mean label and the calibrated value."""

    def cell(value: float, interval: Iterable[float] = ()) -> TextCell:
        ends = tuple(number_text(scale * end, True, scale) for end in interval)
        return TextCell(number_text(scale * value, True, scale), ends)

    columns = [("measure", "left"), ("n", "right"), ("labels", "right")]
    columns += columns_of("value", ["by itself", "labels alone", "calibrated"])
    rows: list[list[str | TextCell]] = [
        [
            name,
            str(one.n),
            str(one.n_labelled),
            cell(one.measured),
            cell(one.labelled, one.labelled_interval),
            cell(one.value, one.interval),
        ]
        for one, name in zip(calibrations, _titles(calibrations), strict=True)
    ]
    return text_table(columns, rows, level=f"{100 * calibrations[0].confidence:g} % interval")


def _agreement_table(calibrations: Sequence[Calibration]) -> TextTable:
    """A row per measure: its agreement with the labels, and how much narrower the interval is."""
    names = ("accuracy", "sensitivity", "specificity", "correlation")
    columns = [("measure", "left"), ("method", "left")]
    columns += columns_of("right", ["lambda", *names, "width saved", "worth labels"])
    rows = [
        [
            title,
            f"{METHOD_NAMES[one.method]}, {INTERVAL_WORDS[one.interval.method]}",
            figure_text(one.lam),
            *(figure_text(getattr(one.agreement, name)) for name in names),
            f"{round(100 * one.saved)} %",
            f"{one.worth:,}",
        ]
        for one, title in zip(calibrations, _titles(calibrations), strict=True)
    ]
    return text_table(columns, rows)


def remark_lines(calibrations: Sequence[Calibration]) -> list[str]:
    """Each remark once, after the names of its measures unless all measures have it."""
    by_line: dict[str, list[str]] = {}
    for one, name in zip(calibrations, _titles(calibrations), strict=True):
        for line in one.remarks:
            by_line.setdefault(line, []).append(name)
    return [
        line if len(names) == len(calibrations) else f"{', '.join(names)}: {line}" for line, names in by_line.items()
    ]


def _in_scale(one: Calibration, scale: int) -> dict[str, Any]:
    """The calibration of one measure, with values on this scale."""
    values = one.to_dict()
    for name in _SCALED:
        value = values[name]
        values[name] = [scale * end for end in value] if isinstance(value, list) else scale * value
    return values


def _row(values: dict[str, Any]) -> dict[str, Any]:
    values = {**values, **values["agreement"]}
    values["low"], values["high"] = values["interval"]
    values["labelled_low"], values["labelled_high"] = values["labelled_interval"]
    return {name: values[name] for name in _COLUMNS}
