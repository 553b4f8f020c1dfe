"""Tables of a result document, which the terminal, Markdown and LaTeX draw: values, differences, ranks and counts."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..core.text_tables import ABSENT, TextCell, TextTable, columns_of, number_text, text_table
from ..registry import get_family
from .rows import Row, by_pair, difference_rows, rankings, run_rows, value_rows

MOST_IN_MATRIX = 12  # systems in a matrix of p-values in a document


def number(value: float | None, is_rate: bool, scale: int) -> str:
    """A number with the digits of its scale; a dash for None."""
    return ABSENT if value is None else number_text(value, is_rate, scale)


def level_text(document: Mapping[str, Any]) -> str:
    """The name of the intervals, such as "95 % interval"; "" without intervals."""
    interval = document["interval"]
    return "" if interval is None else f"{100 * interval['confidence']:g} % interval"


def _share(share: float | None, digits: int = 0) -> str:
    """A share in per cent."""
    return ABSENT if share is None else f"{100 * share:.{digits}f} %"


# --- values -----------------------------------------------------------------------------------------------------------


def value_tables(document: Mapping[str, Any], form: str = "table", sliced: bool = True) -> Iterator[TextTable]:
    """The tables of values: of all examples, then of each requested slicing, then of runs."""
    rows, systems, level = value_rows(document), _names(document), level_text(document)
    columns = [("measure", "name"), ("n", "count"), *columns_of("value", systems)]
    lines = _lines([row for row in rows if row["slice"] is None])
    cells = [_value_cells(line, systems, document["scale"]) for line in lines]
    yield text_table(columns, cells, "", _group_starts(document, lines) if form == "table" else (), level)
    for name in dict.fromkeys(row["slice"] for row in rows if row["slice"] is not None and sliced):
        cells, groups, before = [], [], None
        for line in _lines([row for row in rows if row["slice"] == name]):
            label, few = _first(line)["label"], any(row["few"] for row in line.values())
            if cells and label != before:
                groups.append(len(cells))
            shown = label if label != before or form == "markdown" else ""
            cells.append([TextCell(shown), *_value_cells(line, systems, document["scale"], few)])
            before = label
        yield text_table([(name, "label"), *columns], cells, "", groups, level)
    yield from run_tables(document)


def _names(document: Mapping[str, Any]) -> list[str]:
    return [system["name"] for system in document["systems"]]


def _lines(rows: Sequence[Row]) -> list[dict[str, Row]]:
    """For each label and measure the row of each system."""
    lines: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in rows:
        lines.setdefault((row["label"], row["measure"]), {})[row["system"]] = row
    return list(lines.values())


def _first(line: Mapping[str, Row]) -> Row:
    return next(iter(line.values()))


def _value_cells(
    line: Mapping[str, Row], systems: Sequence[str], scale: int, few: bool | None = None
) -> list[TextCell]:
    """The measure, the number of examples, and the value of each system."""
    # One number if the systems agree; they differ if examples without a prediction are omitted.
    n = "/".join(dict.fromkeys(str(line[system]["n"]) for system in systems if system in line))
    count = TextCell(n + in_one_group(*line.values()), few=few)
    return [TextCell(_first(line)["measure"]), count, *(_value_cell(line.get(system), scale) for system in systems)]


def in_one_group(*rows: Row) -> str:
    """The words after a number of examples from one group, which says nothing about other groups."""
    return " in 1 group" if {row.get("n_groups") for row in rows if row["n"]} == {1} else ""


def _value_cell(row: Mapping[str, Any] | None, scale: int) -> TextCell:
    """A value with its interval."""
    if row is None:
        return TextCell(ABSENT)
    ends = [number(row[end], row["is_rate"], scale) for end in ("low", "high")] if row["method"] else []
    return TextCell(number(row["value"], row["is_rate"], scale), tuple(ends))


def _group_starts(document: Mapping[str, Any], lines: Sequence[Mapping[str, Row]]) -> list[int]:
    """The lines that begin another group of measures or another metric."""
    prefixes = [prefix for part in document["parts"] for prefix in get_family(part["metric"]).about.groups]
    rows = list(map(_first, lines))
    groups = [(row["metric"], [row["measure"].startswith(prefix) for prefix in prefixes]) for row in rows]
    return [index for index in range(1, len(groups)) if groups[index] != groups[index - 1]]


def run_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    """A table of the systems with several runs; no table without such systems."""
    rows = run_rows(document)
    if rows:
        heads = ("runs", "deviation", "smallest", "largest", "question", "run", "noise", "always", "never")
        cells = [
            [row["system"], row["measure"], str(row["runs"])]
            + [number(row[name], True, document["scale"]) for name in ("deviation", "lowest", "highest")]
            + [_share(share) for share in (*row["shares"].values(), row["always"], row["never"])]
            for row in rows
        ]
        starts = [index for index in range(1, len(rows)) if rows[index]["system"] != rows[index - 1]["system"]]
        yield text_table(
            [*columns_of("name", ["system", "measure"]), *columns_of("number", heads)], cells, "Runs", starts
        )


# --- comparisons ------------------------------------------------------------------------------------------------------


def comparison_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    """Differences of each pair, ranks, differences by slice, and kinds of errors."""
    rows = difference_rows(document)
    yield from _difference_tables(document, [row for row in rows if row["slice"] is None])
    yield from _rank_tables(document)
    for name in dict.fromkeys(row["slice"] for row in rows if row["slice"] is not None):
        yield from _slice_tables(document, name, [row for row in rows if row["slice"] == name])
    yield from _kind_tables(document)


def best_values_table(document: Mapping[str, Any]) -> TextTable:
    """The values of all systems, best in bold, with marks of the systems that are significantly worse."""
    systems = _names(document)
    differences = [row for row in difference_rows(document) if row["slice"] is None]
    letters = {system: chr(ord("a") + index) if index < 26 else str(index) for index, system in enumerate(systems)}
    rows = []
    for line in _lines([row for row in value_rows(document) if row["slice"] is None]):
        name, n, *cells = _value_cells(line, systems, document["scale"])
        of_measure = [row for row in differences if row["measure"] == name.text]
        lower = any(row["lower_is_better"] for row in of_measure)
        values = [row["value"] for row in line.values() if row["value"] is not None]
        best = (min if lower else max)(values, default=math.nan)
        for index, system in enumerate(systems):
            beaten = [
                letters[row["first"] if row["second"] == system else row["second"]]
                for row in of_measure
                if row["significant"] and row["winner"] == system
            ]
            mark = "".join(sorted(beaten)) if len(systems) > 2 else "*" * bool(beaten)
            is_best = system in line and line[system]["value"] == best and len(set(values)) > 1
            cells[index] = cells[index]._replace(bold=is_best, mark=mark)
        rows.append([name, n, *cells])
    heads = [f"{system} ({letters[system]})" if len(systems) > 2 else system for system in systems]
    return text_table([("measure", "text"), *columns_of("number", ["n", *heads])], rows, "values")


def _pair_title(pair: tuple[str, str]) -> str:
    return f"{pair[1]} − {pair[0]}"


def _difference_tables(document: Mapping[str, Any], differences: Sequence[Row]) -> Iterator[TextTable]:
    in_groups = any(row["n_groups"] is not None for row in differences)
    heads = ["n", *(["groups"] if in_groups else []), "difference", level_text(document), "p", "verdict"]
    heads += ["better", "equal", "worse", "effect", "n needed"]
    for pair, of_pair in by_pair(differences).items():
        rows = []
        for row in of_pair:
            effect = row["effect_size"]
            more = [
                row["better"],
                row["equal"],
                row["worse"],
                None if effect is None else f"{effect:+.3f}",
                row["n_needed"],
            ]
            groups = [str(row["n_groups"])] if in_groups else []
            counts = [ABSENT if value is None else str(value) for value in more]
            rows.append([row["measure"], str(row["n"]), *groups, *_difference_cells(row, document["scale"]), *counts])
        yield text_table([("measure", "text"), *columns_of("number", heads)], rows, _pair_title(pair))


def _difference_cells(row: Row, scale: int) -> list[str | TextCell]:
    """The difference, its interval, p and the verdict."""

    def signed(value: float | None) -> str:
        text = number(value, row["is_rate"], scale)
        return text if text.startswith(("-", ABSENT)) else f"+{text}"

    ends = " to ".join(signed(row[end]) for end in ("low", "high")) if row["n"] else ABSENT
    color = {"better": "green", "worse": "red"}.get(row["verdict"], "")
    p = p_text(row["p_corrected"], row["at_most"])
    return [signed(row["difference"]), ends, p, TextCell(row["verdict"] or ABSENT, color=color)]


def _slice_tables(document: Mapping[str, Any], name: str, differences: Sequence[Row]) -> Iterator[TextTable]:
    scale = document["scale"]
    for pair, of_pair in by_pair(differences).items():
        rows: list[list[str | TextCell]] = []
        groups: list[int] = []
        before = None
        for row in of_pair:
            groups += [len(rows)] if rows and row["label"] != before else []
            n = f"{row['n']}{in_one_group(row)}{'*' if row['few'] else ''}"
            values = [number(value, row["is_rate"], scale) for value in row["values"]]
            label = row["label"] if row["label"] != before else ""
            rows.append([label, row["measure"], n, *values, *_difference_cells(row, scale)])
            before = row["label"]
        heads = ["n", *pair, "difference", level_text(document), "p", "verdict"]
        columns = [*columns_of("text", [name, "measure"]), *columns_of("number", heads)]
        yield text_table(columns, rows, f"by {name}: {_pair_title(pair)}", groups)


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
    if p is None or math.isnan(p):  # for a measure that applies to no example
        return "–"
    if p < 0.00005:
        return "<0.0001"
    return f"{'<= ' if at_most and p < 1 else ''}{float(f'{p:.10g}'):.4f}"


def _rank_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    for ranking in (ranking for part in document["parts"] for ranking in part["ranks"]):
        rows = [
            [of["system"], str(of["rank"]), _ranks(of), of["letters"], _best_share(of)] for of in ranking["systems"]
        ]
        columns = [("system", "name"), *columns_of("number", ["rank", "ranks", "alike", "best"])]
        yield text_table(columns, rows, f"ranks by {ranking['measure']}")


def _ranks(of: Mapping[str, Any]) -> str:
    """The interval of a rank in words: "2 to 5", or "2"."""
    return " to ".join(map(str, dict.fromkeys(of["rank_interval"])))


def _best_share(of: Mapping[str, Any]) -> str:
    return _share(math.nan if of["best_share"] is None else of["best_share"], 1)


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
        yield text_table([("", "text"), *columns_of("number", counts)], rows, title)


# --- leaderboards -----------------------------------------------------------------------------------------------------


def board_tables(document: Mapping[str, Any], form: str, official: str = "") -> Iterator[TextTable]:
    """Official numbers, values, ranks, slices and, in documents, p-values of a leaderboard.

    Args:
        official: the name of the format of the official numbers, for their title.
    """
    systems = {system["name"]: system for system in document["systems"]}
    titles = {name: system["title"] for name, system in systems.items()}
    level, scale = level_text(document), document["scale"]
    names = _of_any(systems, "official")
    if names:
        rows = [
            [system["title"], *(system["official"].get(name, ABSENT) for name in names)] for system in systems.values()
        ]
        title = f"official numbers{f' ({official})' if official else ''}"
        yield text_table([("system", "name"), *columns_of("number", names)], rows, title)
    of_all = [ranking for slicing, _, ranking in rankings(document) if slicing is None]
    ranked = {ranking["measure"]: {of["system"]: of for of in ranking["systems"]} for ranking in of_all}
    facts = [] if form == "table" else _of_any(systems, "facts")
    columns = [("rank", "number"), *columns_of("name", ["system", *facts]), *columns_of("value", ranked)]
    rows = [
        [str(first["rank"]), titles[first["system"]]]
        + [systems[first["system"]]["facts"].get(name, "") for name in facts]
        + [_ranked_cell(ranking, first["system"], scale) for ranking in of_all]
        for first in of_all[0]["systems"]
    ]
    yield text_table(columns, rows, level=level)
    heads = [head for measure in ranked for head in (measure, "best")]
    rows = [
        [title, *(text for by_system in ranked.values() for text in _rank_and_share(by_system.get(name)))]
        for name, title in titles.items()
    ]
    yield text_table([("system", "name"), *columns_of("number", heads)], rows, f"ranks ({level})")
    yield from _board_slices(document, titles, form)
    for ranking in of_all if form != "table" and len(titles) <= MOST_IN_MATRIX else ():
        heads = [str(index) for index in range(1, len(ranking["systems"]) + 1)]
        rows = [
            [head, titles[of["system"]], *map(p_text, p_values)]
            for head, of, p_values in zip(heads, ranking["systems"], ranking["p_values"], strict=True)
        ]
        columns = [("", "number"), ("system", "name"), *columns_of("number", heads)]
        yield text_table(columns, rows, f"p-values by {ranking['measure']}, corrected for all pairs")


def _of_any(systems: Mapping[str, Any], field: str) -> list[str]:
    """The names in a field of the systems, each once."""
    return list(dict.fromkeys(name for system in systems.values() for name in system[field]))


def _ranked_cell(ranking: Mapping[str, Any] | None, system: str, scale: int) -> TextCell:
    """A value with its interval and letters."""
    of = next((of for of in ranking["systems"] if of["system"] == system), None) if ranking else None
    if ranking is None or of is None or of["value"] is None:
        return TextCell(ABSENT)
    scale = scale if ranking["is_rate"] else 1
    ends = [] if of["low"] is None else [number(of[end], ranking["is_rate"], scale) for end in ("low", "high")]
    return TextCell(number(of["value"], ranking["is_rate"], scale), tuple(ends), mark=of["letters"])


def _rank_and_share(of: Mapping[str, Any] | None) -> list[str]:
    if of is None:
        return [ABSENT] * 2
    ranks = _ranks(of)
    return [ranks if ranks == str(of["rank"]) else f"{of['rank']} ({ranks})", _best_share(of)]


def _board_slices(document: Mapping[str, Any], titles: Mapping[str, str], form: str) -> Iterator[TextTable]:
    """The systems of each label of a slicing, sorted by the first measure."""
    by_slice: dict[str, dict[str, dict[str, Mapping[str, Any]]]] = {}
    for slicing, label, ranking in rankings(document):
        if slicing is not None and label is not None:
            by_slice.setdefault(slicing, {}).setdefault(label, {})[ranking["measure"]] = ranking
    for slicing, labels in by_slice.items():
        measures = list(dict.fromkeys(measure for of_label in labels.values() for measure in of_label))
        rows: list[list[str | TextCell]] = []
        starts: list[int] = []
        for label, of_label in labels.items():
            starts += [len(rows)] if rows else []
            first = next(iter(of_label.values()))
            few = any(of["few"] for of in first["systems"])
            for index, of in enumerate(first["systems"]):
                is_shown = not index or form == "markdown"
                n = TextCell(f"{first['n']:,}" if is_shown else "", few=few if is_shown else None)
                values = [_ranked_cell(of_label.get(name), of["system"], document["scale"]) for name in measures]
                rows.append([label if is_shown else "", n, str(of["rank"]), titles[of["system"]], *values])
        columns = [(slicing, "label"), *columns_of("number", ["n", "rank"]), ("system", "name")]
        yield text_table([*columns, *columns_of("value", measures)], rows, "", starts, level_text(document))
