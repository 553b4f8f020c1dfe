"""Tables of calibrated values, of the agreement of measures with labels, and of the agreement of raters."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.intervals import INTERVAL_WORDS, Interval
from ..core.scores import Scores
from ..core.text_tables import (
    ABSENT,
    TableReport,
    TextCell,
    TextTable,
    columns_of,
    figure_text,
    number_text,
    text_table,
)
from ..registry import family_of
from ..stats.remarks import note_lines
from .agreement import FIGURES, LabelAgreement, MeasureAgreement
from .calibrate import Calibration
from .raters import Estimate, RaterAgreement


def _level(confidence: float) -> str:
    return f"{100 * confidence:g} % interval"


def _cell(value: float | None, ends: Iterable[float | None] = (), scale: int = 1) -> TextCell:
    """A figure and its interval."""
    return TextCell(figure_text(value, scale), () if value is None else tuple(figure_text(end, scale) for end in ends))


def _methods(intervals: Iterable[Interval]) -> str:
    return ", ".join(dict.fromkeys(INTERVAL_WORDS[ends.method] for ends in intervals if ends.method != "none"))


# --- calibrated values ------------------------------------------------------------------------------------------------

_METHODS = {"ppi": "PPI++", "rogan_gladen": "Rogan-Gladen"}
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
    titles = _titles(calibrations)
    signature = "".join(scores.signature() for scores in list(systems.values())[:1])
    data: dict[str, Any] = {"signature": signature, "scale": scale}
    data["systems"] = {name: {"notes": family_of(of).about.notes_of(of)} for name, of in systems.items()}
    data["remarks"] = note_lines(systems)
    lines = [*_remark_lines(calibrations, titles), *data["remarks"]]
    if n_next is not None:
        data["next"] = calibrations[-1].to_next(n_next, seed)
        lines.append(f"to label next: {' '.join(map(str, data['next']))}")
    data["measures"], rows = [], []
    for one in calibrations:
        values = one.to_dict()
        for name in _SCALED:
            value = values[name]
            values[name] = [scale * end for end in value] if isinstance(value, list) else scale * value
        data["measures"].append(values)
        ends = dict(zip(("low", "high"), values["interval"], strict=True))
        ends |= dict(zip(("labelled_low", "labelled_high"), values["labelled_interval"], strict=True))
        row = {**values, **values["agreement"], **ends}
        rows.append({name: row[name] for name in _COLUMNS})
    tables = _calibration_tables(calibrations, titles, scale)
    return TableReport(tables, lines, [signature] if signature else [], rows, data)


def _titles(calibrations: Sequence[Calibration]) -> list[str]:
    """Row titles: the measure; for several systems also the system; for a difference both systems."""
    several = len({one.system for one in calibrations}) > 1
    of_systems = [
        f": {one.second} − {one.first}" if one.first is not None else f": {one.system}" if several else ""
        for one in calibrations
    ]
    return [f"{one.measure}{of}" for one, of in zip(calibrations, of_systems, strict=True)]


def _calibration_tables(calibrations: Sequence[Calibration], titles: Sequence[str], scale: int) -> list[TextTable]:
    """A row per measure: its value, the mean label and the calibrated value; and how well it agrees with the labels."""

    def cell(value: float, interval: Iterable[float] = ()) -> TextCell:
        ends = tuple(number_text(scale * end, True, scale) for end in interval)
        return TextCell(number_text(scale * value, True, scale), ends)

    rates = ("accuracy", "sensitivity", "specificity", "correlation")
    values: list[list[str | TextCell]] = []
    methods: list[list[str]] = []
    for one, title in zip(calibrations, titles, strict=True):
        estimates = cell(one.measured), cell(one.labelled, one.labelled_interval), cell(one.value, one.interval)
        values.append([title, str(one.n), str(one.n_labelled), *estimates])
        figures = [figure_text(value) for value in (one.lam, *(getattr(one.agreement, name) for name in rates))]
        method = f"{_METHODS[one.method]}, {INTERVAL_WORDS[one.interval.method]}"
        methods.append([title, method, *figures, f"{round(100 * one.saved)} %", f"{one.worth:,}"])
    heads = [("measure", "left"), *columns_of("right", ["n", "labels"])]
    heads += columns_of("value", ["by itself", "labels alone", "calibrated"])
    others = columns_of("right", ["lambda", *rates, "width saved", "worth labels"])
    return [
        text_table(heads, values, level=_level(calibrations[0].confidence)),
        text_table([*columns_of("left", ["measure", "method"]), *others], methods),
    ]


def _remark_lines(calibrations: Sequence[Calibration], titles: Sequence[str]) -> list[str]:
    """Each remark once, after the names of its measures unless all measures have it."""
    by_line: dict[str, list[str]] = {}
    for one, title in zip(calibrations, titles, strict=True):
        for line in one.remarks:
            by_line.setdefault(line, []).append(title)
    return [
        line if len(names) == len(calibrations) else f"{', '.join(names)}: {line}" for line, names in by_line.items()
    ]


# --- measures and labels ----------------------------------------------------------------------------------------------

_HEADS = {
    "auc": "AUC",
    "accuracy": "accuracy at 0.5",
    "kappa": "kappa at 0.5",
    "best_accuracy": "accuracy, best threshold",
    "best_threshold": "best threshold",
    "pearson": "Pearson",
    "ece": "ECE",
}
_RATES = ("accuracy", "best_accuracy")  # also in per cent


def agreement_report(found: LabelAgreement, percent: bool = False) -> TableReport:
    """The agreement as tables.

    Args:
        percent: accuracies and means as 0..100 in the tables; rows and plain data always have 0..1.
    """
    scale, level = 100 if percent else 1, _level(found.confidence)
    columns = [("measure", "left"), ("n", "right"), *columns_of("value", [_HEADS[figure] for figure in FIGURES])]
    figures: Iterable[list[str | TextCell]] = (
        [one.measure, f"{one.n:,}", *(_figure(one, name, scale if name in _RATES else 1) for name in FIGURES)]
        for one in found.measures
    )
    tables = [text_table(columns, figures, level=level)]
    tables += [_systems_table(found, scale)] if found.systems else []
    if len(found.systems) > 1:  # how well each measure ranks the systems
        columns = [("measure", "left"), *columns_of("right", ["pairs in people's order", "largest difference"])]
        orders: Iterable[list[str | TextCell]] = (
            [
                one.measure,
                ABSENT if one.pairs is None else f"{one.same_order} of {one.pairs}",
                figure_text(one.largest_difference, scale),
                *(_figure(one, name, 1) for name in ("tau", "tau_ap")),
            ]
            for one in found.measures
        )
        tables.append(text_table([*columns, *columns_of("value", ["tau", "tau_ap"])], orders, level=level))
    baseline = figure_text(max(found.right, 1 - found.right), scale)
    verdict = "accepting" if 2 * found.right >= 1 else "rejecting"
    lines = [
        f"{found.n:,} labelled answers; people accepted {100 * found.right:.1f} % of them; "
        f"{verdict} all of them has accuracy {baseline}",
        *found.remarks,
        f"{level}s: {_methods(ends for one in found.measures for ends in one.intervals.values())}; the accuracy at the best "
        "threshold is cross-fitted: the threshold is chosen without the answers that it judges",
    ]
    signatures = list(dict.fromkeys(one.signature for one in found.measures))
    return TableReport(tables, lines, signatures, _rows_of_agreement(found), found.to_dict())


def _figure(one: MeasureAgreement, figure: str, scale: int) -> TextCell:
    return _cell(getattr(one, figure), one.intervals.get(figure, ()), scale)


def _systems_table(found: LabelAgreement, scale: int) -> TextTable:
    """A row per system: its mean by people and by each measure, with its rank; equal means share the better rank."""
    names = [one.measure for one in found.measures]
    columns = [("system", "left"), ("n", "right"), *columns_of("right", ["people", _level(found.confidence), *names])]

    def ranked(values: Sequence[float | None]) -> list[str]:
        known = [value for value in values if value is not None]
        return [
            ABSENT if value is None else f"{figure_text(value, scale)} ({1 + sum(other > value for other in known)})"
            for value in values
        ]

    rows = zip(
        [one.system for one in found.systems],
        [f"{one.n:,}" for one in found.systems],
        ranked([one.people for one in found.systems]),
        [" to ".join(figure_text(end, scale) for end in one.interval) for one in found.systems],
        *(ranked([one.means.get(name) for one in found.systems]) for name in names),
        strict=True,
    )
    return text_table(columns, rows)


def _rows_of_agreement(found: LabelAgreement) -> list[dict[str, Any]]:
    """A row per measure, then a row per system and measure; the column `row` is "measure" or "system"."""
    ends = [f"{figure}_{end}" for figure in (*FIGURES, "tau", "tau_ap") for end in ("low", "high", "method")]
    of_systems = "system people people_low people_high people_method mean n_groups group_name".split()
    order = ("same_order", "pairs", "largest_difference", "tau", "tau_ap")
    names = ["row", "measure", "metric", "n", *FIGURES, *ends, *order, *of_systems]
    empty = {**dict.fromkeys(names), "n_groups": found.n_groups, "group_name": found.group_name}
    rows = []
    for one in found.measures:
        row = empty | {"row": "measure"} | {name: getattr(one, name) for name in names if hasattr(one, name)}
        for name, interval in one.intervals.items():
            row |= _ends(f"{name}_", interval)
        rows.append(row)
    for system in found.systems:
        of_people = {"row": "system", "system": system.system, "people": system.people}
        of_people |= _ends("people_", system.interval)
        rows += [
            empty | of_people | {"measure": measure, "n": system.counts[measure], "mean": mean}
            for measure, mean in system.means.items()
        ]
    return rows


def _ends(prefix: str, interval: Interval) -> dict[str, Any]:
    return {f"{prefix}low": interval.low, f"{prefix}high": interval.high, f"{prefix}method": interval.method}


# --- raters -----------------------------------------------------------------------------------------------------------

_MOST_PAIRS = 28  # in printed tables
_VERDICTS = {name: f"{name} than a second person" for name in ("better", "worse")}
_VERDICTS |= {"as good": "as good as a second person", "unclear": "undecided"}


def raters_report(found: RaterAgreement) -> TableReport:
    """People, judges and pairs as tables; the rows of the report have all numbers."""
    level = _level(found.confidence)
    kappa = "kappa" if found.weights == "none" else f"{found.weights} kappa"

    def rows_of(estimates: Mapping[str, Estimate]) -> list[list[str | TextCell]]:
        return [[name, f"{one.n:,}", _cell(one.value, one.interval)] for name, one in estimates.items()]

    people = {**found.people, "two people": found.kappa, "alpha of people": found.alpha}
    pairs = {" and ".join(pair): one for pair, one in found.pairs.items()}
    columns = [("person", "left"), ("n", "right"), (f"{kappa} with the other people", "value")]
    tables = [text_table(columns, rows_of(people), level=level)]
    if found.judges:
        heads = [("judge", "left"), ("n", "right"), *columns_of("value", ["with people", "two people", "difference"])]
        heads += [("p", "right"), ("verdict", "left"), ("z", "right")]
        judges: list[list[str | TextCell]] = []
        for one in found.judges:
            cells = [_cell(each.value, each.interval) for each in (one.kappa, one.people, one.difference)]
            z = ABSENT if one.z is None else f"{one.z:+.2f} ({one.z_kind})"
            judges.append([one.judge, f"{one.n:,}", *cells, _p(one.p_value), _VERDICTS[one.verdict], z])
        tables.append(text_table(heads, judges, level=level))
    if (len(found.people) > 2 or found.judges) and len(pairs) <= _MOST_PAIRS:
        tables.append(text_table([("pair", "left"), ("n", "right"), (kappa, "value")], rows_of(pairs), level=level))
    few = ", ".join(f"{one:g}" if not isinstance(one, str) else one for one in found.labels[:6])
    labels = f"{len(found.labels)} labels ({few}{', ...' if len(found.labels) > 6 else ''})"
    methods = _methods(one.interval for one in (found.alpha, found.kappa, *people.values(), *pairs.values()))
    lines = [
        f"{found.n:,} items, {labels}, {found.scale} scale; kappa: {found.weights if found.weights != 'none' else 'no'} weights",
        f"{level}s: {methods}; items are drawn by chance, raters are given",
    ]
    if found.judges:
        lines.append(f"as good: the difference is above -{found.margin:g} with this confidence")
    rows = [_row("alpha", "", found.alpha), _row("two people", "", found.kappa)]
    rows += [_row("person", name, one) for name, one in found.people.items()]
    rows += [_row("pair", name, one) for name, one in pairs.items()]
    for one in found.judges:
        more = {name: getattr(one, name) for name in ("p_value", "verdict", "z", "z_kind")}
        rows += [_row("judge", one.judge, one.kappa), _row("ceiling", one.judge, one.people)]
        rows += [{**_row("difference", one.judge, one.difference), **more}]
    names = dict.fromkeys(name for row in rows for name in row)
    rows = [{**dict.fromkeys(names), **row} for row in rows]
    return TableReport(tables, [*lines, *found.remarks], [], rows, found.to_dict())


def _p(value: float | None) -> str:
    return ABSENT if value is None else "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _row(kind: str, name: str, one: Estimate) -> dict[str, Any]:
    return {"row": kind, "name": name, "n": one.n, "value": one.value, **_ends("", one.interval)}
