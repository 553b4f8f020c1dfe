"""Tables of the agreement of raters."""

from collections.abc import Iterable
from typing import Any

from ..core.intervals import INTERVAL_WORDS
from ..core.text_tables import ABSENT, TableReport, TextCell, columns_of, figure_text, text_table
from .raters import Estimate, RaterAgreement

_MOST_PAIRS = 28  # in printed tables
_WORDS = {"as good": "as good as a second person", "better": "better than a second person", "worse": "worse than a second person", "unclear": "undecided"}  # fmt: skip


def raters_report(found: RaterAgreement) -> TableReport:
    """People, judges and pairs as tables; the rows of the report have all numbers."""
    level = f"{100 * found.confidence:g} % interval"
    kappa = "kappa" if found.weights == "none" else f"{found.weights} kappa"
    rows: list[list[str | TextCell]] = [[name, f"{one.n:,}", _cell(one)] for name, one in found.people.items()]
    rows += [["two people", f"{found.kappa.n:,}", _cell(found.kappa)]]
    rows += [["alpha of people", f"{found.alpha.n:,}", _cell(found.alpha)]]
    tables = [
        text_table([("person", "left"), ("n", "right"), (f"{kappa} with the other people", "value")], rows, level=level)
    ]
    if found.judges:
        heads = [("judge", "left"), ("n", "right"), *columns_of("value", ["with people", "two people", "difference"])]
        heads += [("p", "right"), ("verdict", "left"), ("z", "right")]
        cells: Iterable[list[Any]] = (
            [one.judge, f"{one.n:,}", *map(_cell, (one.kappa, one.people, one.difference)), _p(one.p_value), _WORDS[one.verdict],
             ABSENT if one.z is None else f"{one.z:+.2f} ({one.z_kind})"]
            for one in found.judges
        )  # fmt: skip
        tables.append(text_table(heads, cells, level=level))
    if len(found.people) > 2 or found.judges:
        of_pairs: list[list[str | TextCell]] = [
            [" and ".join(pair), f"{one.n:,}", _cell(one)] for pair, one in found.pairs.items()
        ]
        if len(of_pairs) <= _MOST_PAIRS:
            tables.append(text_table([("pair", "left"), ("n", "right"), (kappa, "value")], of_pairs, level=level))
    return TableReport(tables, [*_lines(found, level), *found.remarks], [], _rows(found), found.to_dict())


def _lines(found: RaterAgreement, level: str) -> list[str]:
    few = ", ".join(f"{one:g}" if not isinstance(one, str) else one for one in found.labels[:6])
    labels = f"{len(found.labels)} labels ({few}{', ...' if len(found.labels) > 6 else ''})"
    every = [found.alpha, found.kappa, *found.people.values(), *found.pairs.values()]
    methods = dict.fromkeys(INTERVAL_WORDS[one.interval.method] for one in every if one.interval.method != "none")
    lines = [
        f"{found.n:,} items, {labels}, {found.scale} scale; kappa: {found.weights if found.weights != 'none' else 'no'} weights",
        f"{level}s: {', '.join(methods)}; items are drawn by chance, raters are given",
    ]
    if found.judges:
        lines.append(f"as good: the difference is above -{found.margin:g} with this confidence")
    return lines


def _cell(one: Estimate) -> TextCell:
    ends = () if one.value is None else tuple(figure_text(end) for end in one.interval)
    return TextCell(figure_text(one.value), ends)


def _p(value: float | None) -> str:
    return ABSENT if value is None else "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _rows(found: RaterAgreement) -> list[dict[str, Any]]:
    """A row per number; the column `row` says what it is."""
    rows = [_row("alpha", "", found.alpha), _row("two people", "", found.kappa)]
    rows += [_row("person", name, one) for name, one in found.people.items()]
    rows += [_row("pair", " and ".join(pair), one) for pair, one in found.pairs.items()]
    for one in found.judges:
        more = {name: getattr(one, name) for name in ("p_value", "verdict", "z", "z_kind")}
        rows += [_row("judge", one.judge, one.kappa), _row("ceiling", one.judge, one.people)]
        rows += [{**_row("difference", one.judge, one.difference), **more}]
    names = dict.fromkeys(name for row in rows for name in row)
    return [{**dict.fromkeys(names), **row} for row in rows]


def _row(kind: str, name: str, one: Estimate) -> dict[str, Any]:
    low, high = one.interval
    return {
        "row": kind,
        "name": name,
        "n": one.n,
        "value": one.value,
        "low": low,
        "high": high,
        "method": one.interval.method,
    }
