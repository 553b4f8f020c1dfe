"""Tables of the agreement of measures with labels."""

import math
from collections.abc import Sequence
from typing import Any

from ..core.intervals import INTERVAL_WORDS, Interval
from ..core.text_tables import ABSENT, TableReport, TextCell, TextTable, columns_of, figure_text, text_table
from .agreement import FIGURES, LabelAgreement, MeasureAgreement

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
    scale = 100 if percent else 1
    tables = [_measures_table(found, scale)]
    tables += [_systems_table(found, scale)] if found.systems else []
    tables += [_order_table(found, scale)] if len(found.systems) > 1 else []
    lines = [_about(found, scale), *found.remarks, _interval_line(found)]
    signatures = list(dict.fromkeys(one.signature for one in found.measures))
    return TableReport(tables, lines, signatures, _rows(found), found.to_dict())


def _measures_table(found: LabelAgreement, scale: int) -> TextTable:
    columns = [("measure", "left"), ("n", "right"), *columns_of("value", [_HEADS[figure] for figure in FIGURES])]
    rows: list[list[str | TextCell]] = [
        [one.measure, f"{one.n:,}", *(_figure(one, name, scale) for name in FIGURES)] for one in found.measures
    ]
    return text_table(columns, rows, level=_level(found))


def _systems_table(found: LabelAgreement, scale: int) -> TextTable:
    """A row per system: its mean by people and by each measure, with its rank; equal means share the better rank."""
    names = [one.measure for one in found.measures]
    columns = [("system", "left"), ("n", "right"), *columns_of("right", ["people", _level(found), *names])]
    of_people = _ranks([one.people for one in found.systems])
    by_name = {name: _ranks([one.means.get(name, -math.inf) for one in found.systems]) for name in names}
    rows = [
        [
            one.system,
            f"{one.n:,}",
            _ranked(one.people, of_people[row], scale),
            " to ".join(figure_text(end, scale) for end in one.interval),
            *(_ranked(one.means.get(name), by_name[name][row], scale) for name in names),
        ]
        for row, one in enumerate(found.systems)
    ]
    return text_table(columns, rows)


def _order_table(found: LabelAgreement, scale: int) -> TextTable:
    """A row per measure: how well it ranks the systems."""
    columns = [
        ("measure", "left"),
        *columns_of("right", ["pairs in people's order", "largest difference"]),
        *columns_of("value", ["tau", "tau_ap"]),
    ]
    rows: list[list[str | TextCell]] = [
        [
            one.measure,
            ABSENT if one.pairs is None else f"{one.same_order} of {one.pairs}",
            figure_text(one.largest_difference, scale),
            *(_figure(one, name, 1) for name in ("tau", "tau_ap")),
        ]
        for one in found.measures
    ]
    return text_table(columns, rows, level=_level(found))


def _about(found: LabelAgreement, scale: int) -> str:
    """The number of labelled answers, and the accuracy of giving every answer the same verdict."""
    baseline = figure_text(max(found.right, 1 - found.right), scale)
    verdict = "accepting" if 2 * found.right >= 1 else "rejecting"
    return (
        f"{found.n:,} labelled answers; people accepted {100 * found.right:.1f} % of them; "
        f"{verdict} all of them has accuracy {baseline}"
    )


def _level(found: LabelAgreement) -> str:
    return f"{100 * found.confidence:g} % interval"


def _interval_line(found: LabelAgreement) -> str:
    """The methods of the intervals."""
    ends_of_all = (ends for one in found.measures for ends in one.intervals.values())
    methods = dict.fromkeys(INTERVAL_WORDS[ends.method] for ends in ends_of_all if ends.method != "none")
    return (
        f"{_level(found)}s: {', '.join(methods)}; the accuracy at the best threshold is cross-fitted: the "
        "threshold is chosen without the answers that it judges"
    )


def _figure(one: MeasureAgreement, figure: str, scale: int) -> TextCell:
    scale = scale if figure in _RATES else 1
    ends = one.intervals.get(figure, ())
    return TextCell(figure_text(getattr(one, figure), scale), tuple(figure_text(end, scale) for end in ends))


def _ranks(values: Sequence[float]) -> list[int]:
    return [1 + sum(other > value for other in values) for value in values]


def _ranked(value: float | None, rank: int, scale: int) -> str:
    return ABSENT if value is None else f"{figure_text(value, scale)} ({rank})"


def _rows(found: LabelAgreement) -> list[dict[str, Any]]:
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
            row |= _ends(name, interval)
        rows.append(row)
    for system in found.systems:
        of_people = {"row": "system", "system": system.system, "people": system.people}
        of_people |= _ends("people", system.interval)
        rows += [
            empty | of_people | {"measure": measure, "n": system.counts[measure], "mean": mean}
            for measure, mean in system.means.items()
        ]
    return rows


def _ends(name: str, interval: Interval) -> dict[str, Any]:
    return {f"{name}_low": interval.low, f"{name}_high": interval.high, f"{name}_method": interval.method}
