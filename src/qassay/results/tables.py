"""Tables of a result document, which every text format writes: values, differences, ranks and counts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..core.text_tables import ABSENT, TextCell, TextTable, columns_of, number_text, text_table
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


def _in_groups(rows: Iterable[tuple[Any, Cells]]) -> list[Cells]:
    """Rows behind their labels: each label once, and a gap before the next one."""
    found: list[Cells] = []
    before = None
    for label, cells in rows:
        found += [[]] if found and label != before else []
        found.append([label if label != before else "", *cells])
        before = label
    return found


# --- values -----------------------------------------------------------------------------------------------------------


def value_tables(document: Mapping[str, Any], sliced: bool = True) -> Iterator[TextTable]:
    """The tables of values: of all examples, then of each requested slicing, then of runs."""
    rows, systems, scale = value_rows(document), _names(document), document["scale"]
    columns = [("measure", "left"), ("n", "right"), *columns_of("value", systems)]
    prefixes = [prefix for part in document["parts"] for prefix in get_family(part["metric"]).about.groups]
    cells = []
    for line in _lines(rows, None):
        first = next(iter(line.values()))
        group = [first["metric"], *map(first["measure"].startswith, prefixes)]
        cells.append((group, _value_cells(line, systems, scale)))
    yield text_table(columns, [row[1:] for row in _in_groups(cells)], level=level_text(document))
    for name in dict.fromkeys(row["slice"] for row in rows if row["slice"] is not None and sliced):
        cells = []
        for line in _lines(rows, name):
            mark = "*" if any(row["few"] for row in line.values()) else ""
            cells.append((next(iter(line.values()))["label"], _value_cells(line, systems, scale, mark)))
        yield text_table([(name, "left"), *columns], _in_groups(cells), level=level_text(document))
    yield from run_tables(document)


def _names(document: Mapping[str, Any]) -> list[str]:
    return [system["name"] for system in document["systems"]]


def _lines(rows: Sequence[Row], slicing: str | None) -> list[dict[str, Row]]:
    """For each label and measure of a slicing (None: of all examples) the row of each system."""
    lines: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in rows:
        if row["slice"] == slicing:
            lines.setdefault((row["label"], row["measure"]), {})[row["system"]] = row
    return list(lines.values())


def _value_cells(line: Mapping[str, Row], systems: Sequence[str], scale: int, mark: str = "") -> Cells:
    """The measure, the number of examples with a mark, and the value of each system."""
    # One number if the systems agree; they differ if examples without a prediction are omitted.
    n = "/".join(dict.fromkeys(str(line[system]["n"]) for system in systems if system in line))
    values = [_value_cell(line[system], scale) if system in line else ABSENT for system in systems]
    return [next(iter(line.values()))["measure"], TextCell(n + _in_one_group(*line.values()), mark=mark), *values]


def _in_one_group(*rows: Row) -> str:
    """The words after a number of examples from one group, which says nothing about other groups."""
    return " in 1 group" if {row.get("n_groups") for row in rows if row["n"]} == {1} else ""


def _value_cell(row: Mapping[str, Any], scale: int) -> TextCell:
    """A value with its interval and, if ranked, its letters."""
    ends = [row["low"], row["high"]] if row["method"] and row["low"] is not None else []
    value, *texts = (number_text(number, row["is_rate"], scale) for number in (row["value"], *ends))
    return TextCell(value, tuple(texts), row.get("letters", ""))


def run_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    """A table of the systems with several runs; no table without such systems."""
    rows = run_rows(document)
    cells = []
    for row in rows:
        numbers = [number_text(row[name], True, document["scale"]) for name in ("deviation", "lowest", "highest")]
        shares = map(_share, (*row["shares"].values(), row["always"], row["never"]))
        cells.append((row["system"], [row["system"], row["measure"], str(row["runs"]), *numbers, *shares]))
    heads = ("runs", "deviation", "smallest", "largest", "question", "run", "noise", "always", "never")
    columns = [*columns_of("left", ["system", "measure"]), *columns_of("right", heads)]
    if rows:
        yield text_table(columns, [row[1:] for row in _in_groups(cells)], "Runs")


# --- comparisons ------------------------------------------------------------------------------------------------------


def comparison_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    """Differences of each pair, ranks, differences by slice, and kinds of errors."""
    rows = difference_rows(document)
    yield from _difference_tables(document, [row for row in rows if row["slice"] is None])
    for ranking in (ranking for part in document["parts"] for ranking in part["ranks"]):
        columns = [("system", "left"), *columns_of("right", ["rank", "ranks", "alike", "best"])]
        ranks = [
            [of["system"], str(of["rank"]), _ranks(of), of["letters"], _share(of["best_share"], 1)]
            for of in ranking["systems"]
        ]
        yield text_table(columns, ranks, f"ranks by {ranking['measure']}")
    for name in dict.fromkeys(row["slice"] for row in rows if row["slice"] is not None):
        yield from _slice_tables(document, name, [row for row in rows if row["slice"] == name])
    yield from _kind_tables(document)


def best_values_table(document: Mapping[str, Any]) -> TextTable:
    """The values of all systems, the best in bold; of two systems, a significantly better value has a mark."""
    systems = _names(document)
    lower = {one["name"] for part in document["parts"] for one in part["measures"] if one["lower_is_better"]}
    compared = [row for row in difference_rows(document) if row["slice"] is None and len(systems) == 2]
    better = {(row["measure"], row["winner"]) for row in compared if row["verdict"]}
    rows = []
    for line in _lines(value_rows(document), None):
        measure, n, *cells = _value_cells(line, systems, document["scale"])
        values = {system: row["value"] for system, row in line.items() if row["value"] is not None}
        best = (min if measure in lower else max)(values.values(), default=None)
        for index, system in enumerate(systems):
            if system in values:
                is_best = values[system] == best and len({*values.values()}) > 1
                mark = "*" if (measure, system) in better else ""
                cells[index] = _value_cell(line[system], document["scale"])._replace(bold=is_best, mark=mark)
        rows.append([measure, n, *cells])
    return text_table([("measure", "left"), *columns_of("right", ["n", *systems])], rows)


def _pair_title(pair: tuple[str, str]) -> str:
    return f"{pair[1]} − {pair[0]}"


def _difference_tables(document: Mapping[str, Any], differences: Sequence[Row]) -> Iterator[TextTable]:
    in_groups = any(row["n_groups"] is not None for row in differences)
    heads = ["n", *(["groups"] if in_groups else []), "difference", level_text(document), "p", "verdict"]
    heads += ["better", "equal", "worse", "effect", "n needed"]
    for pair, of_pair in by_pair(differences).items():
        rows = []
        for row in of_pair:
            effect = None if row["effect_size"] is None else f"{row['effect_size']:+.3f}"
            counts = [row["better"], row["equal"], row["worse"], effect, row["n_needed"]]
            groups = [str(row["n_groups"])] if in_groups else []
            more = [ABSENT if value is None else str(value) for value in counts]
            rows.append([row["measure"], str(row["n"]), *groups, *_difference_cells(row, document["scale"]), *more])
        yield text_table([("measure", "left"), *columns_of("right", heads)], rows, _pair_title(pair))


def _difference_cells(row: Row, scale: int) -> list[str]:
    """The difference, its interval, p and the verdict."""

    def signed(value: float | None) -> str:
        text = number_text(value, row["is_rate"], scale)
        return text if text.startswith(("-", ABSENT)) else f"+{text}"

    ends = " to ".join(signed(row[end]) for end in ("low", "high")) if row["n"] else ABSENT
    return [signed(row["difference"]), ends, p_text(row["p_corrected"], row["at_most"]), row["verdict"] or ABSENT]


def _slice_tables(document: Mapping[str, Any], name: str, differences: Sequence[Row]) -> Iterator[TextTable]:
    scale = document["scale"]
    for pair, of_pair in by_pair(differences).items():
        rows: list[tuple[str, Cells]] = []
        for row in of_pair:
            n = f"{row['n']}{_in_one_group(row)}{'*' if row['few'] else ''}"
            values = [number_text(value, row["is_rate"], scale) for value in row["values"]]
            rows.append((row["label"], [row["measure"], n, *values, *_difference_cells(row, scale)]))
        heads = ["n", *pair, "difference", level_text(document), "p", "verdict"]
        columns = [*columns_of("left", [name, "measure"]), *columns_of("right", heads)]
        yield text_table(columns, _in_groups(rows), f"by {name}: {_pair_title(pair)}")


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


def board_tables(document: Mapping[str, Any], official: str = "") -> Iterator[TextTable]:
    """Official numbers, values, ranks and slices of a leaderboard.

    Args:
        official: the name of the format of the official numbers, for their title.
    """
    level, titles = level_text(document), {system["name"]: system["title"] for system in document["systems"]}
    names = list(dict.fromkeys(name for system in document["systems"] for name in system["official"]))
    if names:
        rows = [[of["title"], *(of["official"].get(name, ABSENT) for name in names)] for of in document["systems"]]
        title = f"official numbers ({official})" if official else "official numbers"
        yield text_table([("system", "left"), *columns_of("right", names)], rows, title)
    by_slice: dict[str | None, dict[str | None, list[Mapping[str, Any]]]] = {None: {}}
    for slicing, label, ranking in rankings(document):
        by_slice.setdefault(slicing, {}).setdefault(label, []).append(ranking)
    ranked = by_slice.pop(None)[None]
    measures = [ranking["measure"] for ranking in ranked]
    columns = [("rank", "right"), ("system", "left"), *columns_of("value", measures)]
    yield text_table(columns, _ranked_rows(document, ranked, measures), level=level)
    of_system: dict[str, list[Any]] = {name: [] for name in titles}
    for of in (of for ranking in ranked for of in ranking["systems"]):
        ranks = f"{of['rank']} ({_ranks(of)})" if {of["rank"]} != {*of["rank_interval"]} else str(of["rank"])
        of_system[of["system"]] += [ranks, _share(of["best_share"], 1)]
    heads = [head for measure in measures for head in (measure, "best")]
    rows = [[titles[name], *cells] for name, cells in of_system.items()]
    yield text_table([("system", "left"), *columns_of("right", heads)], rows, f"ranks ({level})")
    for slicing, labels in by_slice.items():
        measures = list(dict.fromkeys(ranking["measure"] for of_label in labels.values() for ranking in of_label))
        cells: list[tuple[Any, Cells]] = []
        for label, of_label in labels.items():
            few = any(of["few"] for of in of_label[0]["systems"])
            n: Cells = [TextCell(f"{of_label[0]['n']:,}", mark="*" if few else ""), *[""] * len(titles)]
            table = _ranked_rows(document, of_label, measures)
            cells += [(label, [first, *row]) for first, row in zip(n, table, strict=False)]
        columns = [(str(slicing), "left"), *columns_of("right", ["n", "rank"]), ("system", "left")]
        yield text_table([*columns, *columns_of("value", measures)], _in_groups(cells), level=level)


def _ranked_rows(
    document: Mapping[str, Any], ranked: Sequence[Mapping[str, Any]], measures: Sequence[str]
) -> list[Cells]:
    """Rank, title and values of the systems, sorted by the first measure."""
    titles = {system["name"]: system["title"] for system in document["systems"]}
    found = {(of["system"], one["measure"]): {**one, **of} for one in ranked for of in one["systems"]}
    rows: list[Cells] = []
    for first in ranked[0]["systems"]:
        values = [found.get((first["system"], measure)) for measure in measures]
        cells = [_value_cell(of, document["scale"]) if of else ABSENT for of in values]
        rows.append([str(first["rank"]), titles[first["system"]], *cells])
    return rows
