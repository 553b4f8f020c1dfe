"""The agreement of measures with labels as text (terminal, Markdown, LaTeX, CSV, JSON) or as a page."""

import math
from typing import Any

from ..core.intervals import INTERVAL_WORDS, Interval
from ..human.agreement import FIGURES, LabelAgreement, MeasureAgreement, ranks
from .html_tables import page_of_tables
from .tables import Field, TextColumn, TextTable, csv_text, json_text, tables_text
from .values_text import ABSENT, figure_text

_HEADS = {
    "auc": "AUC",
    "accuracy": "accuracy at 0.5",
    "best_accuracy": "accuracy, best threshold",
    "best_threshold": "best threshold",
    "pearson": "Pearson",
    "ece": "ECE",
}
_RATES = ("accuracy", "best_accuracy")  # per cent if requested


def render_agreement(
    found: LabelAgreement, form: str, *, percent: bool = False, width: int | None = None, color: bool = False
) -> str:
    """The agreement as text, ending with a line break.

    Args:
        form: "table", "markdown", "latex", "csv", "json" or "html".
        percent: accuracies and means as 0..100; CSV and JSON always have 0..1.
        width: the width of a terminal in characters; None: no limit.
        color: whether the table has ANSI colours.
    """
    if form == "json":
        return json_text(found.to_dict())
    if form == "csv":
        return _csv(found)
    tables = agreement_tables(found, 100 if percent else 1)
    lines = [about_line(found, percent), *found.remarks, interval_line(found)]
    signatures = list(dict.fromkeys(one.signature for one in found.measures))
    if form == "html":
        findings = [f"{line}." for line in agreement_findings(found)]
        return page_of_tables("Agreement with labels", tables, [*findings, *lines, *signatures])
    return tables_text(tables, form, lines, signatures, width=width, color=color)


def agreement_findings(found: LabelAgreement) -> list[str]:
    """Sentences without a full stop: which measure agrees best with the labels, and which rank the systems as people do.

    [] if the labels judge no measure.
    """
    judged = sorted((one for one in found.measures if one.auc is not None), key=lambda one: -one.auc)  # type: ignore[operator]
    if not judged:
        return []
    best, *others = judged
    told = f"{best.measure} agrees {'best ' if others else ''}with these labels: AUC {_with_ends(best)}"
    if "auc" in best.intervals and best.intervals["auc"].low <= 0.5:
        told = f"No measure clearly agrees with these labels: the best, {best.measure}, has AUC {_with_ends(best)}; 0.5 is chance"
    lines = [told]
    if others:
        nearest = f"Next: {', '.join(f'{one.measure} {figure_text(one.auc)}' for one in others[:2])}"
        lines.append(nearest if len(others) < 3 else f"{nearest}; last: {others[-1].measure} {_with_ends(others[-1])}")
    if found.measures[0].pairs:
        keep = [one.measure for one in judged if one.same_order == one.pairs]
        systems = "both systems" if len(found.systems) == 2 else f"all {len(found.systems)} systems"
        lines.append(f"{' and '.join([', '.join(keep[:-1]), keep[-1]] if len(keep) > 1 else keep) or 'No measure'} "
                     f"{'puts' if len(keep) < 2 else 'put'} {systems} in the order of people")  # fmt: skip
    return lines


def _with_ends(one: MeasureAgreement) -> str:
    ends = one.intervals.get("auc")
    return figure_text(one.auc) + (f" ({figure_text(ends.low)} to {figure_text(ends.high)})" if ends else "")


def agreement_tables(found: LabelAgreement, scale: int = 1) -> list[TextTable]:
    """A table with a row per measure; for several systems also a row per system, and how well each measure ranks them."""
    level = f"{100 * found.confidence:g} % interval"
    columns = [TextColumn("measure", "name"), TextColumn("n", "count")]
    columns += [TextColumn(_HEADS[figure], "value") for figure in FIGURES]
    rows = [
        [
            Field(one.measure),
            Field(f"{one.n:,}"),
            *(_figure(one, figure, scale) for figure in FIGURES),
        ]
        for one in found.measures
    ]
    tables = [TextTable("", columns, rows, (), level)]
    if not found.systems:
        return tables
    names = [one.measure for one in found.measures]
    columns = [TextColumn("system", "name"), TextColumn("n", "count")]
    columns += [TextColumn(name, "number") for name in ("people", level, *names)]
    of_people = ranks([one.people for one in found.systems])
    by_name = {name: ranks([one.means.get(name, -math.inf) for one in found.systems]) for name in names}
    rows = [
        [
            Field(one.system),
            Field(f"{one.n:,}"),
            Field(_ranked(one.people, of_people[place], scale)),
            Field(" to ".join(figure_text(end, scale) for end in one.interval)),
            *(Field(_ranked(one.means.get(name), by_name[name][place], scale)) for name in names),
        ]
        for place, one in enumerate(found.systems)
    ]
    tables.append(TextTable("", columns, rows))
    if len(found.systems) > 1:
        columns = [TextColumn("measure", "name")]
        columns += [TextColumn(head, "number") for head in ("pairs in people's order", "largest difference")]
        rows = [
            [
                Field(one.measure),
                Field(ABSENT if one.pairs is None else f"{one.same_order} of {one.pairs}"),
                Field(figure_text(one.largest_difference, scale)),
            ]
            for one in found.measures
        ]
        tables.append(TextTable("", columns, rows))
    return tables


def about_line(found: LabelAgreement, percent: bool = False) -> str:
    """The number of labelled answers, and the accuracy of one verdict for every answer."""
    scale = 100 if percent else 1
    share, baseline = figure_text(found.right, scale), figure_text(max(found.right, 1 - found.right), scale)
    verdict = "accepting" if 2 * found.right >= 1 else "rejecting"
    return f"{found.n:,} labelled answers; people judged a share of {share} right, so {verdict} every answer gives an accuracy of {baseline}"


def interval_line(found: LabelAgreement) -> str:
    """How the intervals were made."""
    methods = dict.fromkeys(
        INTERVAL_WORDS[ends.method]
        for one in found.measures
        for ends in one.intervals.values()
        if ends.method != "none"
    )
    return (
        f"{100 * found.confidence:g} % intervals: {', '.join(methods)}; the accuracy at the best threshold is cross-fitted: the "
        "threshold is chosen without the answers that it judges"
    )


def _figure(one: MeasureAgreement, figure: str, scale: int) -> Field:
    scale = scale if figure in _RATES else 1
    ends = one.intervals.get(figure, ())
    return Field(figure_text(getattr(one, figure), scale), tuple(figure_text(end, scale) for end in ends))


def _ranked(value: float | None, rank: int, scale: int) -> str:
    return ABSENT if value is None else f"{figure_text(value, scale)} ({rank})"


def _csv(found: LabelAgreement) -> str:
    """A row per measure, then a row per system and measure; the column `row` says which."""
    ends = [f"{figure}_{end}" for figure in FIGURES for end in ("low", "high", "interval_method")]
    names = ["row", "measure", "metric", "n", *FIGURES, *ends, "same_order", "pairs", "largest_difference"]
    names += "system people people_low people_high people_interval_method mean n_groups group_name".split()
    of_groups = {"n_groups": found.n_groups, "group_name": found.group_name}
    rows = []
    for one in found.measures:
        cells = {name: getattr(one, name, None) for name in names}
        for name, interval in one.intervals.items():
            cells |= _ends(name, interval)
        rows.append({**cells, **of_groups, "row": "measure"})
    for system in found.systems:
        of_people = {"people": system.people, **_ends("people", system.interval), **of_groups}
        for measure, mean in system.means.items():
            own = {
                "row": "system",
                "measure": measure,
                "n": system.counts[measure],
                "system": system.system,
                "mean": mean,
            }
            rows.append({**dict.fromkeys(names), **own, **of_people})
    return csv_text(names, [[cells[name] for name in names] for cells in rows])


def _ends(name: str, interval: Interval) -> dict[str, Any]:
    return {f"{name}_low": interval.low, f"{name}_high": interval.high, f"{name}_interval_method": interval.method}
