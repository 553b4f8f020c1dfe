"""Tables of a result document, which every text format writes: values, differences, ranks and counts; rows for CSV."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..core.text_tables import ABSENT, TextCell, TextTable, columns_of, number_text, text_table
from ..files.systems import distinct_names
from ..registry import get_family
from .rows import Row, by_pair, difference_rows, rankings, run_rows, value_rows

Cells = list[str | TextCell]


def level_text(document: Mapping[str, Any]) -> str:
    """The name of the intervals, such as "95 % interval"; "" without intervals."""
    interval = document["interval"]
    return "" if interval is None else f"{100 * interval['confidence']:g} % interval"


def _share(share: float | None, digits: int = 0) -> str:
    """A share in per cent."""
    return ABSENT if share is None else f"{100 * share:.{digits}f} %"


def _by_label(
    slicing: str | None,
    columns: Sequence[tuple[str, str]],
    rows: Iterable[tuple[Any, Cells]],
    title: str = "",
    level: str = "",
) -> TextTable:
    """A table of rows behind their labels: each label once, and a gap before the next one; without labels if None."""
    found: list[Cells] = []
    before = None
    for label, cells in rows:
        found += [[]] if found and label != before else []
        found.append([label if slicing is not None and label != before else "", *cells])
        before = label
    start = int(slicing is None)
    return text_table([(slicing or "", "left"), *columns][start:], [row[start:] for row in found], title, level)


# --- values -----------------------------------------------------------------------------------------------------------


def value_tables(document: Mapping[str, Any], sliced: bool = True) -> Iterator[TextTable]:
    """The tables of values of each metric: of all examples, then of each requested slicing; then of runs."""
    every, systems = value_rows(document), [system["name"] for system in document["systems"]]
    columns = [("measure", "left"), ("n", "right"), *columns_of("value", systems)]
    for name, metric in dict.fromkeys((row["slice"], row["metric"]) for row in every if sliced or row["slice"] is None):
        lines: dict[Any, dict[str, Row]] = {}  # a line for each label and measure, with the row of each system
        for row in every:
            if (row["slice"], row["metric"]) == (name, metric):
                lines.setdefault((row["label"], row["measure"]), {})[row["system"]] = row
        cells = []
        for (label, measure), line in lines.items():
            group = [*map(measure.startswith, get_family(metric).about.groups)] if name is None else label
            # One number if the systems agree; they differ if examples without a prediction are omitted.
            n = "/".join(dict.fromkeys(str(line[system]["n"]) for system in systems if system in line))
            few = name is not None and any(row["few"] for row in line.values())
            values = [value_cell(line.get(system), document["scale"]) for system in systems]
            cells.append((group, [measure, f"{n}{'*' * few}", *values]))
        title = metric if len(document["parts"]) > 1 else ""
        yield _by_label(name, columns, cells, title, level_text(document))
    yield from _run_tables(document)


def value_cell(row: Mapping[str, Any] | None, scale: int) -> TextCell:
    """A value with its interval and, if ranked, its letters."""
    if row is None:
        return TextCell(ABSENT)
    ends = [] if row["low"] is None else [row["low"], row["high"]]
    value, *texts = (number_text(number, row["is_rate"], scale) for number in (row["value"], *ends))
    return TextCell(value, tuple(texts), row.get("letters", ""))


def _run_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    """A table of the systems with several runs; no table without such systems."""
    cells: list[tuple[Any, Cells]] = []
    for row in run_rows(document):
        numbers = [number_text(row[name], True, document["scale"]) for name in ("deviation", "lowest", "highest")]
        shares = map(_share, (*row["shares"].values(), row["always"], row["never"]))
        cells.append((row["system"], [row["system"], row["measure"], str(row["runs"]), *numbers, *shares]))
    heads = ("runs", "deviation", "smallest", "largest", "question", "run", "noise", "always", "never")
    if cells:
        yield _by_label(None, columns_of("left", ["system", "measure"]) + columns_of("right", heads), cells, "Runs")


# --- comparisons ------------------------------------------------------------------------------------------------------


def comparison_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    """Differences of each pair, ranks, differences by slice, and kinds of errors."""
    rows = difference_rows(document)
    names = dict.fromkeys(row["slice"] for row in rows if row["slice"] is not None)
    yield from _difference_tables(document, None, [row for row in rows if row["slice"] is None])
    for ranking in (ranking for part in document["parts"] for ranking in part["ranks"]):
        ranks: list[Cells] = []
        for of in ranking["systems"]:
            ranks.append([of["system"], str(of["rank"]), _ranks(of), of["letters"], _share(of["best_share"], 1)])
        columns = [("system", "left"), *columns_of("right", ["rank", "ranks", "alike", "best"])]
        yield text_table(columns, ranks, f"ranks by {ranking['measure']}")
    for name in names:
        yield from _difference_tables(document, name, [row for row in rows if row["slice"] == name])
    yield from _kind_tables(document)


def _difference_tables(document: Mapping[str, Any], slicing: str | None, rows: Sequence[Row]) -> Iterator[TextTable]:
    """A table for each pair of systems: over all examples with counts (None), or by label with the values of both."""
    scale, is_whole = document["scale"], slicing is None
    in_groups = is_whole and any(row["n_groups"] is not None for row in rows)
    for pair, of_pair in by_pair(rows).items():
        before, after = (
            (["groups"] * in_groups, ["better", "equal", "worse", "effect", "n needed"]) if is_whole else (pair, [])
        )
        heads = ["n", *before, "difference", level_text(document), "p", "verdict", *after]
        cells: list[tuple[Any, Cells]] = []
        for row in of_pair:
            digits = ".2f" if row["is_rate"] and scale == 100 else ".4f"
            ends = " to ".join(_signed(row[end], digits) for end in ("low", "high")) if row["n"] else ABSENT
            found = [_signed(row["difference"], digits), ends, p_text(row["p_corrected"], row["at_most"])]
            found.append(row["verdict"] or ABSENT)
            if is_whole:
                counts = [
                    row["better"],
                    row["equal"],
                    row["worse"],
                    _signed(row["effect_size"], ".3f"),
                    row["n_needed"],
                ]
                found += [ABSENT if count is None else str(count) for count in counts]
                found = [str(row["n"]), *[str(row["n_groups"])] * in_groups, *found]
            else:
                values = [number_text(value, row["is_rate"], scale) for value in row["values"]]
                found = [f"{row['n']}{'*' * row['few']}", *values, *found]
            cells.append((row["label"], [row["measure"], *found]))
        title = f"{'' if is_whole else f'by {slicing}: '}{pair[1]} − {pair[0]}"
        yield _by_label(slicing, [("measure", "left"), *columns_of("right", heads)], cells, title)


def _signed(value: float | None, digits: str) -> str:
    return ABSENT if value is None else f"{value:+{digits}}"


def p_text(p: float | None, at_most: bool = False) -> str:
    """A p-value with its meaningful digits.

    Args:
        at_most: p is the smallest value that the test can return; see `stats.difference.Difference.is_least`.

    Example:
        >>> p_text(0.0312), p_text(1e-7), p_text(1.0), p_text(1 / 10_001, at_most=True)
        ('0.0312', '<0.0001', '1.0000', '<= 0.0001')
        >>> p_text(11 / 32), p_text(0.3437499999999)  # the same, found in two ways
        ('0.3438', '0.3438')
    """
    if p is None:  # for a measure that applies to no example
        return ABSENT
    if p < 0.00005:
        return "<0.0001"
    return f"{'<= ' if at_most and p < 1 else ''}{float(f'{p:.10g}'):.4f}"


def _ranks(of: Mapping[str, Any]) -> str:
    """The interval of a rank in words: "2 to 5", or "2"."""
    return " to ".join(map(str, dict.fromkeys(of["rank_interval"])))


def _kind_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    """Kinds of errors: the number of examples of each system."""
    parts = [part for part in document["parts"] if part["kinds"] and any(part["kinds"]["counts"].values())]
    for part in parts:
        counts = part["kinds"]["counts"]
        totals = {system: max(1, sum(of.values())) for system, of in counts.items()}
        rows = [
            [name, *(f"{of[name]} ({_share(of[name] / totals[system], 1)})" for system, of in counts.items())]
            for name in (kind["name"] for kind in part["kinds"]["order"])
        ]
        title = "kinds of errors" + (f": {part['metric']}" if len(parts) > 1 else "")
        yield text_table([("", "left"), *columns_of("right", counts)], rows, title)


# --- leaderboards -----------------------------------------------------------------------------------------------------


def board_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    """Values, ranks and slices of a leaderboard."""
    level, titles = level_text(document), {system["name"]: system["title"] for system in document["systems"]}
    by_slice: dict[str | None, dict[str | None, list[Mapping[str, Any]]]] = {}
    for slicing, label, ranking in rankings(document):
        by_slice.setdefault(slicing, {}).setdefault(label, []).append(ranking)
    for slicing, labels in by_slice.items():
        measures = dict.fromkeys(ranking["measure"] for ranked in labels.values() for ranking in ranked)
        cells: list[tuple[Any, Cells]] = []
        for label, ranked in labels.items():
            found = {(of["system"], one["measure"]): {**one, **of} for one in ranked for of in one["systems"]}
            n = f"{ranked[0]['n']:,}{'*' * any(of['few'] for of in ranked[0]['systems'])}"
            for first in ranked[0]["systems"]:
                values = [value_cell(found.get((first["system"], name)), document["scale"]) for name in measures]
                before = [] if slicing is None else [n]
                cells.append((label, [*before, str(first["rank"]), titles[first["system"]], *values]))
                n = ""
        columns = [*columns_of("right", ["n", "rank"]), ("system", "left"), *columns_of("value", measures)]
        yield _by_label(slicing, columns[slicing is None :], cells, level=level)
        if slicing is None:
            yield _ranks_table(titles, labels[None], f"ranks ({level})")


def _ranks_table(titles: Mapping[str, str], ranked: Sequence[Mapping[str, Any]], title: str) -> TextTable:
    """By each measure the rank of each system, the ranks that it may have, and how often it is the best."""
    rows = {name: [system] for name, system in titles.items()}
    for of in (of for ranking in ranked for of in ranking["systems"]):
        ranks = str(of["rank"]) if _ranks(of) == str(of["rank"]) else f"{of['rank']} ({_ranks(of)})"
        rows[of["system"]] += [ranks, _share(of["best_share"], 1)]
    heads = [head for ranking in ranked for head in (ranking["measure"], "best")]
    return text_table([("system", "left"), *columns_of("right", heads)], rows.values(), title)


# --- CSV --------------------------------------------------------------------------------------------------------------

_VALUES = "system metric slice label measure n value low high method n_groups few".split()
_RUNS = ["runs", "deviation", "lowest", "highest"]
_DIFFERENCES = (
    "metric slice label measure first second n left_out first_value first_low first_high second_value second_low second_high "
    "difference low high method p_value p_corrected verdict test better equal worse effect_size n_needed n_groups groups_needed cautions"
).split()
_BEFORE = "slice label measure rank rank_low rank_high system name link".split()
_AFTER = "value low high method letters best_share n n_groups".split()


def csv_table(document: Mapping[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """Heads and rows with all digits: a row per value, per difference, or per system of a ranking.

    The slice is empty for all examples.
    """
    if document["kind"] == "leaderboard":
        return _board_rows(document)
    if document["kind"] == "compare":
        rows = difference_rows(document)
        for row in rows:
            for which, value, (low, high) in zip(("first", "second"), row["values"], row["intervals"], strict=True):
                row |= {f"{which}_value": value, f"{which}_low": low, f"{which}_high": high}
            row["cautions"] = " ".join(row["cautions"])
        return _DIFFERENCES, [_cells(row, _DIFFERENCES) for row in rows]
    spreads = {(row["system"], row["measure"]): row for row in run_rows(document)}
    n_runs = {system["name"]: len(system["runs"]) or 1 for system in document["systems"]}
    heads = [*_VALUES, *(_RUNS if spreads else ())]
    rows = value_rows(document)
    for row in rows:
        spread = spreads.get((row["system"], row["measure"]), {}) if row["slice"] is None else {}
        row |= {name: spread.get(name) for name in _RUNS}
        row |= {"few": "few" if row["few"] else "", "runs": n_runs[row["system"]]}
    return heads, [_cells(row, heads) for row in rows]


def _cells(row: Mapping[str, Any], heads: list[str]) -> list[Any]:
    return [row.get(head) for head in heads]


def _board_rows(document: Mapping[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """A row per slice, measure and system, with p-values against each system."""
    (part,) = document["parts"]
    systems = {system["name"]: system for system in document["systems"]}
    facts = dict.fromkeys(name for of in systems.values() for name in of["facts"])
    notes = dict.fromkeys(name for system in systems for name in part["notes"].get(system, {}))
    after = [*_AFTER, *notes, *(f"p against {system}" for system in systems)]
    heads = distinct_names([*_BEFORE, *after, *facts])  # facts come last, so no fact takes the name of another column
    n_before, n_others = len(_BEFORE), len(_BEFORE) + len(after)
    rows = []
    for slicing, label, ranking in rankings(document):
        names = [of["system"] for of in ranking["systems"]]
        for of, p_values in zip(ranking["systems"], ranking["p_values"], strict=True):
            system, counts = systems[of["system"]], part["notes"].get(of["system"], {})
            row = {"slice": slicing, "label": label, **ranking, **of, "name": system["title"], "link": system["link"]}
            row["rank_low"], row["rank_high"] = of["rank_interval"]
            p_of = dict(zip(names, p_values, strict=True))
            more = [
                *(counts.get(note, 0) for note in notes),
                *map(p_of.get, systems),
            ]
            rows.append([*_cells(row, _BEFORE), *map(system["facts"].get, facts), *_cells(row, _AFTER), *more])
    return [*heads[:n_before], *heads[n_others:], *heads[n_before:n_others]], rows
