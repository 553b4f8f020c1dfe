"""Tables of a result document, which the terminal, Markdown and LaTeX draw: values, differences, ranks and counts."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..core.text_tables import ABSENT, TextCell, TextColumn, TextTable, number_text
from ..registry import get_family
from ..stats.difference import p_text
from ..stats.ranking_table import ranks_text

Cell = Mapping[str, Any]  # a value of the document with `is_rate`
Cells = Mapping[str, Mapping[str, Cell]]  # system -> measure -> value
MOST_IN_MATRIX = 12  # systems in a matrix of p-values in a document


class Numbers(NamedTuple):
    """The numbers of all parts as one table.

    Attributes:
        systems: of all examples.
        slices: requested slicing -> label -> values.
        notes: system -> name -> count.
        blocks: the first measure of each metric except the first.
    """

    systems: Cells
    slices: Mapping[str, Mapping[str, Cells]]
    notes: Mapping[str, Mapping[str, int]]
    blocks: Sequence[str]


# --- the parts as one table -------------------------------------------------------------------------------------------


def numbers_of(document: Mapping[str, Any], every: bool = False) -> Numbers:
    """The values of all metrics of a document, without measures that are not shown.

    A count that two metrics have appears once where it is equal; else that of the second gets the name METRIC_count.

    Args:
        every: with measures that are not shown.

    Raises:
        ValueError: two metrics have a measure of one name, with different values.
    """
    systems: dict[str, dict[str, Cell]] = {system["name"]: {} for system in document["systems"]}
    notes: dict[str, dict[str, int]] = {name: {} for name in systems}
    slices: dict[str, dict[str, dict[str, dict[str, Cell]]]] = {}
    blocks: list[str] = []
    before: list[str] = []
    for part in document["parts"]:
        rates = {one["name"]: one["is_rate"] for one in part["measures"]}
        shown = {one["name"] for one in part["measures"] if every or one["shown"]}
        own = {
            system: {name: {**cell, "is_rate": rates[name]} for name, cell in cells.items() if name in shown}
            for system, cells in part["values"].items()
        }
        renamed = _renamed(systems, notes, own, part, before)
        new = [name for cells in own.values() for name in cells if not any(name in of for of in systems.values())]
        blocks += new[:1] if before else []
        before.append(part["metric"])
        _join(systems, own, renamed)
        _join(notes, part["notes"], renamed)
        for name, by_label in _slices(part, rates, every).items():
            for label, cells in by_label.items():
                _join(slices.setdefault(name, {}).setdefault(label, {}), cells, renamed)
    return Numbers(systems, slices, notes, blocks)


def _join(there: dict[str, Any], own: Mapping[str, Mapping[str, Any]], renamed: Mapping[str, str]) -> None:
    for system, entries in own.items():
        of = there.setdefault(system, {})
        for name, entry in entries.items():
            of.setdefault(renamed.get(name, name), entry)


def _renamed(
    systems: Cells,
    notes: Mapping[str, Mapping[str, int]],
    own: Cells,
    part: Mapping[str, Any],
    before: Sequence[str],
) -> dict[str, str]:
    """Names of counts of a part that another metric has with another value -> their new names."""
    metric, renamed = part["metric"], {}
    for system, cells in own.items():
        for name, cell in cells.items():
            same = systems.get(system, {}).get(name)
            if same is None or same["n"] == cell["n"] and (same["value"] == cell["value"] or not cell["n"]):
                continue
            if cell["is_rate"] or same["is_rate"]:
                raise ValueError(
                    f"{metric} and {' and '.join(before)} have different values of the measure {name}; omit it from "
                    "measures, or score with one metric at a time"
                )
            renamed[name] = f"{metric}_{name}"
    for system, counts in part["notes"].items():
        there = notes.get(system, {})
        renamed |= {name: f"{metric}_{name}" for name, count in counts.items() if there.get(name, count) != count}
    return renamed


def _slices(
    part: Mapping[str, Any], rates: Mapping[str, bool], every: bool
) -> dict[str, dict[str, dict[str, dict[str, Cell]]]]:
    """Requested slicing -> label -> system -> measure -> value; main measures alone where none were requested."""
    main = {one["name"] for one in part["measures"] if one["main"]}
    all_shown = every or all(one["shown"] for one in part["measures"])
    found: dict[str, dict[str, dict[str, dict[str, Cell]]]] = {}
    for slicing in part["slices"]:
        if not slicing["requested"]:
            continue
        labels = found.setdefault(slicing["name"], {label: {} for label in slicing["labels"]})
        for system, measures in slicing["values"].items():
            for name, columns in measures.items():
                for place, label in enumerate(slicing["labels"]):
                    n = columns["n"][place]
                    if n is None or not all_shown and (name not in main or not n):
                        continue
                    cell = {field: values[place] for field, values in columns.items()}
                    labels[label].setdefault(system, {})[name] = {**cell, "is_rate": rates[name]}
        found[slicing["name"]] = {label: of for label, of in labels.items() if of}
    return found


# --- values -----------------------------------------------------------------------------------------------------------


def number(value: float | None, is_rate: bool, scale: int) -> str:
    """A number with the digits of its scale; a dash for None."""
    return ABSENT if value is None else number_text(value, is_rate, scale)


def level_text(document: Mapping[str, Any]) -> str:
    """The name of the intervals, such as "95 % interval"; "" without intervals."""
    interval = document["interval"]
    return "" if interval is None else f"{100 * interval['confidence']:g} % interval"


def value_field(cell: Cell | None, scale: int) -> TextCell:
    """A value with its interval."""
    if cell is None:
        return TextCell(ABSENT)
    ends = [number(cell[end], cell["is_rate"], scale) for end in ("low", "high")] if cell["method"] else []
    return TextCell(number(cell["value"], cell["is_rate"], scale), tuple(ends))


def value_lines(by_system: Cells, systems: Sequence[str]) -> Iterator[tuple[str, str, bool, list[Cell | None]]]:
    """The rows of a table: measure, number of examples, whether these are few, and the value of each system."""
    for name in dict.fromkeys(name for cells in by_system.values() for name in cells):
        cells = [by_system.get(system, {}).get(name) for system in systems]
        there = [cell for cell in cells if cell is not None]
        # One number if the systems agree; they differ if examples without a prediction are omitted.
        sizes = dict.fromkeys(cell["n"] for cell in there)
        few = any(cell["few"] for cell in there)
        yield name, "/".join(map(str, sizes)) + in_one_group(there), few, cells


def in_one_group(cells: Iterable[Cell]) -> str:
    """The words after a number of examples from one group, which says nothing about other groups."""
    return " in 1 group" if {cell.get("n_groups") for cell in cells if cell["n"]} == {1} else ""


def value_tables(document: Mapping[str, Any], numbers: Numbers, form: str = "table") -> Iterator[TextTable]:
    """The tables of values: of all examples, then of each requested slicing, then of runs."""
    systems, scale, level = list(numbers.systems), document["scale"], level_text(document)
    columns = [
        TextColumn("measure", "name"),
        TextColumn("n", "count"),
        *(TextColumn(system, "value") for system in systems),
    ]
    lines = list(value_lines(numbers.systems, systems))
    rows = [_value_row(line, scale) for line in lines]
    starts = _group_starts(document, numbers, [name for name, *_ in lines]) if form == "table" else []
    yield TextTable("", columns, rows, starts, level)
    for name, labels in numbers.slices.items():
        rows, groups = [], []
        for label, by_system in labels.items():
            groups += [len(rows)] if rows else []
            for place, line in enumerate(value_lines(by_system, systems)):
                told = TextCell("" if place and form != "markdown" else label)
                rows.append([told, *_value_row(line, scale, line[2])])
        yield TextTable("", [TextColumn(name, "label"), *columns], rows, groups, level)
    yield from run_tables(document)


def _value_row(line: tuple[str, str, bool, list[Cell | None]], scale: int, few: bool | None = None) -> list[TextCell]:
    name, n, _, cells = line
    return [TextCell(name), TextCell(n, few=few), *(value_field(cell, scale) for cell in cells)]


def _group_starts(document: Mapping[str, Any], numbers: Numbers, names: Sequence[str]) -> list[int]:
    """The rows that begin another group of measures or another metric."""
    prefixes = [prefix for part in document["parts"] for prefix in get_family(part["metric"]).telling.groups]
    groups = [[name.startswith(prefix) for prefix in prefixes] for name in names]
    return [
        place for place in range(1, len(groups)) if groups[place] != groups[place - 1] or names[place] in numbers.blocks
    ]


def run_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    """A table of the systems with several runs; no table without such systems."""
    rows, systems = [], []
    for system, measure, spread in runs_of(document):
        values = [number(spread[name], True, document["scale"]) for name in ("deviation", "lowest", "highest")]
        shares = [f"{100 * share:.0f} %" for share in spread["shares"].values()]
        rights = [ABSENT if spread[name] is None else f"{100 * spread[name]:.0f} %" for name in ("always", "never")]
        rows.append(list(map(TextCell, (system, measure, str(spread["runs"]), *values, *shares, *rights))))
        systems.append(system)
    if rows:
        heads = ("runs", "deviation", "smallest", "largest", "question", "run", "noise", "always", "never")
        columns = [TextColumn("system", "name"), TextColumn("measure", "name")]
        columns += [TextColumn(head, "number") for head in heads]
        starts = [place for place in range(1, len(systems)) if systems[place] != systems[place - 1]]
        yield TextTable("Runs", columns, rows, starts)


def runs_of(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """System, measure and the spread of its runs, of shown measures."""
    for system in document["systems"]:
        for part in document["parts"]:
            shown = {one["name"] for one in part["measures"] if one["shown"]}
            for measure, spread in part["runs"].get(system["name"], {}).items():
                if measure in shown:
                    yield system["name"], measure, spread


# --- comparisons ------------------------------------------------------------------------------------------------------


class Difference(NamedTuple):
    """A comparison of the document, with its measure.

    Attributes:
        one: the fields of the comparison.
        is_rate, lower_is_better: of its measure.
    """

    one: Mapping[str, Any]
    is_rate: bool
    lower_is_better: bool

    @property
    def better(self) -> str | None:
        """The system with the better value; None if values are equal or absent."""
        difference = self.one["difference"]
        if not difference:
            return None
        name: str = self.one["second" if (difference > 0) != self.lower_is_better else "first"]
        return name

    @property
    def verdict(self) -> str:
        """Whether the second system is "better" or "worse"; "" if the difference may be chance."""
        if not self.one["significant"] or self.better is None:
            return ""
        return "better" if self.better == self.one["second"] else "worse"


def differences_of(document: Mapping[str, Any]) -> list[Difference]:
    """The differences over all examples, of all metrics."""
    return [
        Difference(one, *_kind_of_measure(part)[one["measure"]])
        for part in document["parts"]
        for one in part["comparisons"]
    ]


def sliced_differences(document: Mapping[str, Any]) -> dict[str, dict[str, list[Difference]]]:
    """Requested slicing -> label -> differences, of all metrics."""
    found: dict[str, dict[str, list[Difference]]] = {}
    for part in document["parts"]:
        kinds = _kind_of_measure(part)
        for slicing in part["slices"]:
            if not slicing["requested"]:
                continue
            labels = found.setdefault(slicing["name"], {})
            for place, label in enumerate(slicing["labels"]):
                for columns in slicing["comparisons"]:
                    if columns["n"][place] is not None:
                        one = {key: of[place] if isinstance(of, list) else of for key, of in columns.items()}
                        labels.setdefault(label, []).append(Difference(one, *kinds[one["measure"]]))
    return found


def _kind_of_measure(part: Mapping[str, Any]) -> dict[str, tuple[bool, bool]]:
    return {one["name"]: (one["is_rate"], one["lower_is_better"]) for one in part["measures"]}


def by_pair(differences: Iterable[Difference]) -> dict[tuple[str, str], list[Difference]]:
    """The differences of each pair of systems."""
    groups: dict[tuple[str, str], list[Difference]] = {}
    for difference in differences:
        groups.setdefault((difference.one["first"], difference.one["second"]), []).append(difference)
    return groups


def comparison_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    """Differences of each pair, ranks, differences by slice, and kinds of errors."""
    yield from _difference_tables(document)
    yield from _rank_tables(document)
    yield from _slice_tables(document)
    yield from _kind_tables(document)


def best_values_table(document: Mapping[str, Any], numbers: Numbers) -> TextTable:
    """The values of all systems, best in bold, with marks of the systems that are significantly worse."""
    systems, differences = list(numbers.systems), differences_of(document)
    letters = {system: chr(ord("a") + place) if place < 26 else str(place) for place, system in enumerate(systems)}
    rows = []
    for name, n, _, cells in value_lines(numbers.systems, systems):
        of_measure = [difference for difference in differences if difference.one["measure"] == name]
        lower = any(difference.lower_is_better for difference in of_measure)
        values = [cell["value"] for cell in cells if cell is not None and cell["value"] is not None]
        best = (min if lower else max)(values, default=math.nan)
        row = [TextCell(name), TextCell(n)]
        for system, cell in zip(systems, cells, strict=True):
            beaten = [
                letters[of.one["first"] if of.one["second"] == system else of.one["second"]]
                for of in of_measure
                if of.one["significant"] and of.better == system
            ]
            mark = "".join(sorted(beaten)) if len(systems) > 2 else "*" * bool(beaten)
            is_best = cell is not None and cell["value"] == best and len(set(values)) > 1
            row.append(value_field(cell, document["scale"])._replace(bold=is_best, mark=mark))
        rows.append(row)
    heads = [f"{system} ({letters[system]})" if len(systems) > 2 else system for system in systems]
    return TextTable("values", _columns(["measure"], ["n", *heads]), rows)


def _columns(texts: Sequence[str], numbers: Sequence[str]) -> list[TextColumn]:
    return [*(TextColumn(head, "text") for head in texts), *(TextColumn(head, "number") for head in numbers)]


def _pair_title(pair: tuple[str, str]) -> str:
    return f"{pair[1]} − {pair[0]}"


def _difference_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    differences = differences_of(document)
    in_groups = any(difference.one["n_groups"] is not None for difference in differences)
    head = ["n", *(["groups"] if in_groups else []), "difference", level_text(document), "p", "verdict"]
    head += ["better", "equal", "worse", "effect", "n needed"]
    for pair, of_pair in by_pair(differences).items():
        rows = []
        for difference in of_pair:
            one, effect = difference.one, difference.one["effect_size"]
            more = [
                one["better"],
                one["equal"],
                one["worse"],
                None if effect is None else f"{effect:+.3f}",
                one["n_needed"],
            ]
            groups = [TextCell(str(one["n_groups"]))] if in_groups else []
            fields = _difference_fields(difference, document["scale"])
            told = (TextCell(ABSENT if value is None else str(value)) for value in more)
            rows.append([TextCell(one["measure"]), TextCell(str(one["n"])), *groups, *fields, *told])
        yield TextTable(_pair_title(pair), _columns(["measure"], head), rows)


def _difference_fields(difference: Difference, scale: int) -> list[TextCell]:
    """The difference, its interval, p and the verdict."""
    one, word = difference.one, difference.verdict

    def signed(value: float | None) -> str:
        text = number(value, difference.is_rate, scale)
        return text if text.startswith(("-", ABSENT)) else f"+{text}"

    ends = " to ".join(signed(one[end]) for end in ("low", "high")) if one["n"] else ABSENT
    color = {"better": "green", "worse": "red"}.get(word, "")
    p = p_text(one["p_corrected"], one["at_most"])
    return [TextCell(signed(one["difference"])), TextCell(ends), TextCell(p), TextCell(word or ABSENT, color=color)]


def _slice_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    head = ["difference", level_text(document), "p", "verdict"]
    for name, labels in sliced_differences(document).items():
        for pair in by_pair(difference for of_label in labels.values() for difference in of_label):
            rows: list[list[TextCell]] = []
            groups: list[int] = []
            for label, differences in labels.items():
                of_pair = by_pair(differences).get(pair, [])
                groups += [len(rows)] if rows and of_pair else []
                for place, difference in enumerate(of_pair):
                    one = difference.one
                    values = [number(value, difference.is_rate, document["scale"]) for value in one["values"]]
                    rows.append(
                        [
                            TextCell("" if place else label),
                            TextCell(one["measure"]),
                            TextCell(f"{one['n']}{in_one_group([one])}{'*' if one['few'] else ''}"),
                            *map(TextCell, values),
                            *_difference_fields(difference, document["scale"]),
                        ]
                    )
            columns = _columns([name, "measure"], ["n", *pair, *head])
            yield TextTable(f"by {name}: {_pair_title(pair)}", columns, rows, groups)


def _rank_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    for ranking in (ranking for part in document["parts"] for ranking in part["ranks"]):
        head = ["rank", "ranks", "alike", "best"]
        columns = [TextColumn("system", "name"), *(TextColumn(name, "number") for name in head)]
        rows = [
            list(map(TextCell, (of["system"], str(of["rank"]), _ranks(of), of["letters"], _share(of["best_share"]))))
            for of in ranking["systems"]
        ]
        yield TextTable(f"ranks by {ranking['measure']}", columns, rows)


def _ranks(of: Mapping[str, Any]) -> str:
    return ranks_text(tuple(of["rank_interval"]))


def _share(share: float | None) -> str:
    return f"{100 * (math.nan if share is None else share):.1f} %"


def _kind_tables(document: Mapping[str, Any]) -> Iterator[TextTable]:
    """Kinds of errors: the number of examples of each system."""
    parts = [part for part in document["parts"] if part["kinds"] and any(part["kinds"]["counts"].values())]
    for part in parts:
        counts = part["kinds"]["counts"]
        totals = {system: sum(of.values()) for system, of in counts.items()}
        rows = [
            [TextCell(kind["name"])]
            + [
                TextCell(f"{of[kind['name']]} ({100 * of[kind['name']] / max(1, totals[system]):.1f} %)")
                for system, of in counts.items()
            ]
            for kind in part["kinds"]["order"]
        ]
        title = "kinds of errors" + (f": {part['metric']}" if len(parts) > 1 else "")
        yield TextTable(title, _columns([""], list(counts)), rows)


# --- leaderboards -----------------------------------------------------------------------------------------------------


def board_tables(document: Mapping[str, Any], form: str, official: str = "") -> Iterator[TextTable]:
    """Official numbers, values, ranks, slices and, in documents, p-values of a leaderboard.

    Args:
        official: the name of the format of the official numbers, for their title.
    """
    (part,) = document["parts"]
    titles = {system["name"]: system["title"] for system in document["systems"]}
    level, scale = level_text(document), document["scale"]
    yield from _official_table(document, official)
    facts = [] if form == "table" else list(dict.fromkeys(name for of in document["systems"] for name in of["facts"]))
    columns = [
        TextColumn("rank", "number"),
        TextColumn("system", "name"),
        *(TextColumn(name, "name") for name in facts),
    ]
    columns += [TextColumn(ranking["measure"], "value") for ranking in part["ranks"]]
    found = [{of["system"]: of for of in ranking["systems"]} for ranking in part["ranks"]]
    of_system = {system["name"]: system for system in document["systems"]}
    rows = [
        [
            TextCell(str(first["rank"])),
            TextCell(titles[first["system"]]),
            *(TextCell(of_system[first["system"]]["facts"].get(name, "")) for name in facts),
            *(
                _ranked_field(by_system.get(first["system"]), ranking, scale)
                for by_system, ranking in zip(found, part["ranks"], strict=True)
            ),
        ]
        for first in part["ranks"][0]["systems"]
    ]
    yield TextTable("", columns, rows, level=level)
    columns = [TextColumn("system", "name")]
    for ranking in part["ranks"]:
        columns += [TextColumn(ranking["measure"], "number"), TextColumn("best", "number")]
    rows = [
        [TextCell(title), *(field for by_system in found for field in _rank_fields(by_system.get(name)))]
        for name, title in titles.items()
    ]
    yield TextTable(f"ranks ({level})", columns, rows)
    yield from _board_slices(part, titles, level, scale, form)
    if form != "table" and len(titles) <= MOST_IN_MATRIX:
        yield from _matrices(part, titles)


def _official_table(document: Mapping[str, Any], official: str) -> Iterator[TextTable]:
    names = list(dict.fromkeys(name for system in document["systems"] for name in system["official"]))
    if names:
        columns = [TextColumn("system", "name"), *(TextColumn(name, "number") for name in names)]
        rows = [
            [TextCell(system["title"]), *(TextCell(system["official"].get(name, ABSENT)) for name in names)]
            for system in document["systems"]
        ]
        yield TextTable(f"official numbers{f' ({official})' if official else ''}", columns, rows)


def _ranked_field(of: Mapping[str, Any] | None, ranking: Mapping[str, Any], scale: int) -> TextCell:
    """A value with its interval and letters."""
    if of is None or of["value"] is None:
        return TextCell(ABSENT)
    scale = scale if ranking["is_rate"] else 1
    ends = [] if of["low"] is None else [number(of[end], ranking["is_rate"], scale) for end in ("low", "high")]
    return TextCell(number(of["value"], ranking["is_rate"], scale), tuple(ends), mark=of["letters"])


def _rank_fields(of: Mapping[str, Any] | None) -> list[TextCell]:
    if of is None:
        return [TextCell(ABSENT)] * 2
    ranks = _ranks(of)
    return [
        TextCell(ranks if ranks == str(of["rank"]) else f"{of['rank']} ({ranks})"),
        TextCell(_share(of["best_share"])),
    ]


def _board_slices(
    part: Mapping[str, Any], titles: Mapping[str, str], level: str, scale: int, form: str
) -> Iterator[TextTable]:
    for slicing in part["slices"]:
        measures = list(dict.fromkeys(ranking["measure"] for of_label in slicing["ranks"] for ranking in of_label))
        columns = [TextColumn(slicing["name"], "label"), TextColumn("n", "number"), TextColumn("rank", "number")]
        columns += [TextColumn("system", "name"), *(TextColumn(measure, "value") for measure in measures)]
        rows: list[list[TextCell]] = []
        starts: list[int] = []
        for label, rankings in zip(slicing["labels"], slicing["ranks"], strict=True):
            if not rankings:
                continue
            starts += [len(rows)] if rows else []
            first, by_measure = rankings[0], {ranking["measure"]: ranking for ranking in rankings}
            found = {name: {of["system"]: of for of in ranking["systems"]} for name, ranking in by_measure.items()}
            few = any(of["few"] for of in first["systems"])
            for place, of in enumerate(first["systems"]):
                told = not place or form == "markdown"
                values = [
                    _ranked_field(found[name].get(of["system"]), by_measure[name], scale)
                    if name in found
                    else TextCell(ABSENT)
                    for name in measures
                ]
                n = TextCell(f"{first['n']:,}" if told else "", few=few if told else None)
                rows.append(
                    [
                        TextCell(label if told else ""),
                        n,
                        TextCell(str(of["rank"])),
                        TextCell(titles[of["system"]]),
                        *values,
                    ]
                )
        yield TextTable("", columns, rows, starts, level)


def _matrices(part: Mapping[str, Any], titles: Mapping[str, str]) -> Iterator[TextTable]:
    """The p-values of all pairs by each measure."""
    for ranking in part["ranks"]:
        heads = [str(place) for place in range(1, len(ranking["systems"]) + 1)]
        columns = [TextColumn("", "number"), TextColumn("system", "name")]
        columns += [TextColumn(head, "number") for head in heads]
        rows = [
            [TextCell(head), TextCell(titles[of["system"]]), *(TextCell(p_text(p)) for p in row)]
            for head, of, row in zip(heads, ranking["systems"], ranking["p_values"], strict=True)
        ]
        yield TextTable(f"p-values by {ranking['measure']}, corrected for all pairs", columns, rows)
