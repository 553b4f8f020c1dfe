"""A comparison as text: for the terminal, as Markdown, LaTeX, CSV or JSON."""

import dataclasses
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..comparison.difference import Difference, p_text
from ..core.shown import no_formula, visible, write_csv
from .comparison import Change, ComparisonReport, Disagreement, is_least, tests_in_words
from .values import FEW
from .values_text import (
    ABSENT,
    cut_text,
    draw_values,
    escape_latex,
    escape_markdown,
    footer_lines,
    latex_comment,
    latex_row,
    markdown_code,
    markdown_row,
    number_text,
    short_names,
    terminal_text,
    value_lines,
)

_TEXT_WIDTH = 100  # of a line of a question or an answer, where no width is given


class Field(NamedTuple):
    """The text of a cell: bold where it is the best of its row, with a mark, and green or red in a terminal."""

    text: str
    bold: bool = False
    mark: str = ""
    color: str = ""


class TextTable(NamedTuple):
    """A table of text.

    Attributes:
        title: what it shows.
        head: names of the columns.
        left: how many columns, from the left, stand flush left; numbers stand flush right.
        rows: of cells.
        groups: rows before which a group begins, without the first.
    """

    title: str
    head: list[str]
    left: int
    rows: list[list[Field]]
    groups: list[int]


def render_comparison(
    report: ComparisonReport, form: str, *, width: int | None = None, color: bool = False, n_texts: int = 3
) -> str:
    """A comparison as text, ending with a line break.

    Args:
        form: "table", "markdown", "latex", "csv", "json" or "html".
        width: of a terminal, in characters; None: no limit.
        color: a table with ANSI colours.
        n_texts: of a table and of Markdown: how many losses and gains are shown with their texts.
    """
    if form == "table":
        return _terminal(report, width, color, n_texts)
    if form == "html":
        from .comparison_page import comparison_page

        return comparison_page(report)
    return _markdown(report, n_texts) if form == "markdown" else _FORMS[form](report)


def verdict(difference: Difference, report: ComparisonReport) -> str:
    """ "better" or "worse", of the second system; "" where it may be chance."""
    if not difference.is_significant(report.report.level) or difference.better is None:
        return ""
    return "better" if difference.better == difference.second else "worse"


# --- tables -----------------------------------------------------------------------------------------------------------


def _pair_title(first: str, second: str) -> str:
    return f"{second} − {first}"


def _pairs(differences: Iterable[Difference]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((difference.first, difference.second) for difference in differences))


def _signed(value: float, difference: Difference, report: ComparisonReport) -> str:
    text = number_text(value, difference.is_rate, report.report.scale)
    return text if text.startswith(("-", ABSENT)) else f"+{text}"


def _signed_interval(difference: Difference, report: ComparisonReport) -> str:
    return " to ".join(_signed(end, difference, report) for end in difference.interval) if difference.n else ABSENT


def _plain(value: float, difference: Difference, report: ComparisonReport) -> str:
    return number_text(value, difference.is_rate, report.report.scale)


def _verdict_field(difference: Difference, report: ComparisonReport) -> Field:
    word = verdict(difference, report)
    return Field(word or ABSENT, color={"better": "green", "worse": "red"}.get(word, ""))


def _level(report: ComparisonReport) -> str:
    return f"{100 * report.report.level:g} % interval"


def _values_table(report: ComparisonReport) -> TextTable:
    """The values of all systems, the best in bold, with marks of those that it is significantly better than."""
    systems = list(report.report.systems)
    letters = _letters(systems)
    rows = []
    for line in value_lines(report.report.systems, systems):
        of_measure = [difference for difference in report.differences if difference.measure == line.measure]
        lower = any(difference.lower_is_better for difference in of_measure)
        values = [cell.value for cell in line.cells if cell is not None and not math.isnan(cell.value)]
        best = (min if lower else max)(values, default=math.nan)
        row = [Field(line.measure), Field(line.n)]
        for system, cell in zip(systems, line.cells, strict=True):
            if cell is None:
                row.append(Field(ABSENT))
                continue
            beaten = [
                letters[difference.first if difference.second == system else difference.second]
                for difference in of_measure
                if difference.is_significant(report.report.level) and difference.better == system
            ]
            mark = "".join(sorted(beaten)) if len(systems) > 2 else "*" * bool(beaten)
            interval = "–".join(number_text(end, cell.is_rate, report.report.scale) for end in cell.interval or ())
            text = number_text(cell.value, cell.is_rate, report.report.scale)
            is_best = cell.value == best and len(set(values)) > 1
            row.append(Field(text + (f" ({interval})" if interval else ""), is_best, mark))
        rows.append(row)
    heads = [f"{system} ({letters[system]})" if len(systems) > 2 else system for system in systems]
    return TextTable("values", ["measure", "n", *heads], 1, rows, [])


def _letters(systems: Sequence[str]) -> dict[str, str]:
    return {system: chr(ord("a") + place) if place < 26 else str(place) for place, system in enumerate(systems)}


def _difference_tables(report: ComparisonReport) -> Iterator[TextTable]:
    """For each pair of systems what differs, and how sure that is."""
    for first, second in _pairs(report.differences):
        group = [
            difference for difference in report.differences if (difference.first, difference.second) == (first, second)
        ]
        head = [
            "measure", "n", "difference", _level(report), "p", "verdict", "better", "equal", "worse", "effect", "n needed",
        ]  # fmt: skip
        rows = [
            [
                Field(difference.measure),
                Field(str(difference.n)),
                Field(_signed(difference.difference, difference, report)),
                Field(_signed_interval(difference, report)),
                Field(p_text(difference.p_adjusted, is_least(report, difference))),
                _verdict_field(difference, report),
                *(
                    Field(ABSENT if count is None else str(count))
                    for count in (difference.wins, difference.ties, difference.losses)
                ),
                Field(ABSENT if difference.effect_size is None else f"{difference.effect_size:+.3f}"),
                Field(ABSENT if difference.n_needed is None else str(difference.n_needed)),
            ]
            for difference in group
        ]
        yield TextTable(_pair_title(first, second), head, 1, rows, [])


def _slice_tables(report: ComparisonReport) -> Iterator[TextTable]:
    for name, labels in report.slices.items():
        for first, second in _pairs(difference for group in labels.values() for difference in group):
            head = [name, "measure", "n", first, second, "difference", _level(report), "p", "verdict"]
            rows, groups = [], []
            for label, differences in labels.items():
                group = [
                    difference for difference in differences if (difference.first, difference.second) == (first, second)
                ]
                groups += [len(rows)] if rows and group else []
                for place, difference in enumerate(group):
                    rows.append(
                        [
                            Field(label if place == 0 else ""),
                            Field(difference.measure),
                            Field(f"{difference.n}{'*' if difference.n < FEW else ''}"),
                            *(Field(_plain(value, difference, report)) for value in difference.values),
                            Field(_signed(difference.difference, difference, report)),
                            Field(_signed_interval(difference, report)),
                            Field(p_text(difference.p_adjusted, is_least(report, difference))),
                            _verdict_field(difference, report),
                        ]
                    )
            yield TextTable(f"by {name}: {_pair_title(first, second)}", head, 2, rows, groups)


def _kind_tables(report: ComparisonReport) -> Iterator[TextTable]:
    """Kinds of errors: how many examples of each system."""
    for metric, systems in report.kinds.items():
        kinds = list(next(iter(systems.values())))
        totals = {system: sum(counts.values()) for system, counts in systems.items()}
        rows = [
            [Field(kind)]
            + [
                Field(f"{counts[kind]} ({100 * counts[kind] / max(1, totals[system]):.1f} %)")
                for system, counts in systems.items()
            ]
            for kind in kinds
        ]
        title = "kinds of errors" + (f": {metric}" if len(report.kinds) > 1 else "")
        yield TextTable(title, ["", *systems], 1, rows, [])


def _tables(report: ComparisonReport) -> Iterator[TextTable]:
    yield from _difference_tables(report)
    yield from _slice_tables(report)
    yield from _kind_tables(report)


def _notes(report: ComparisonReport) -> list[str]:
    """What stands below the tables, but for the signatures."""
    few = any(
        difference.n < FEW for labels in report.slices.values() for group in labels.values() for difference in group
    )
    lines = [*report.remarks, *footer_lines(report.report, few)[: -len(report.report.signatures)]]
    return [*lines, how_tested(report)]


def how_tested(report: ComparisonReport) -> str:
    """How the p-values and intervals were made, in one sentence."""
    inner = report.report
    tested = len([difference for difference in report.differences if difference.n])
    correction = "not corrected" if report.correction == "none" else f"corrected by {report.correction.title()}"
    return (
        f"p: paired, two-sided, {tests_in_words(report)}; {correction} over the {tested} of the table"
        + (", in slices over those of the slicing" if report.slices else "")
        + f"; verdict where p < {1 - inner.level:.3g}; intervals: bootstrap, {inner.n_resamples:,} resamples, not corrected; "
        f"seed {inner.seed}"
    )


# --- terminal ---------------------------------------------------------------------------------------------------------


def _terminal(report: ComparisonReport, width: int | None, color: bool, n_texts: int) -> str:
    def draw(console: Any) -> None:
        draw_values(console, report.report, width)
        for table in _tables(report):
            console.print(_rich(table, width))
            console.print()
        for line in _text_lines(report, n_texts, width or _TEXT_WIDTH):
            console.print(line, markup=False, soft_wrap=True)
        for line in [*_notes(report), *report.report.signatures.values()]:
            console.print(visible(line), style="dim", markup=False, soft_wrap=True)

    return terminal_text(draw, color)


def _rich(table: TextTable, width: int | None) -> Any:
    """A table for the terminal; where it is too wide, columns from the right are left out, those that others follow from."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    places = list(range(len(table.head)))
    while True:
        drawn = RichTable(
            box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), header_style="bold",
            title=Text(visible(table.title), "bold cyan"), title_justify="left",
        )  # fmt: skip
        heads = short_names(table.head)
        for place in places:
            drawn.add_column(Text(heads[place]), justify="left" if place < table.left else "right", no_wrap=True)
        for row, fields in enumerate(table.rows):
            texts = [
                Text(cut_text(fields[place].text, 60), fields[place].color or ("bold" if fields[place].bold else ""))
                for place in places
            ]
            drawn.add_row(*texts, end_section=row + 1 in table.groups)
        wide = Console(file=io.StringIO(), width=10_000).measure(drawn).maximum
        if width is None or wide <= width or len(places) <= table.left + 2:
            return drawn
        places.pop()


def _text_lines(report: ComparisonReport, n_texts: int, width: int) -> Iterator[str]:
    for change in report.changes if n_texts else ():
        counts = {"losses": int((change.changes < 0).sum()), "gains": int((change.changes > 0).sum())}
        if change.lower_is_better:
            counts = {"losses": counts["gains"], "gains": counts["losses"]}
        for what, shown in (("losses", change.losses), ("gains", change.gains)):
            if not shown:
                continue
            of = f" ({n_texts} of {counts[what]})" if counts[what] > n_texts else ""
            yield visible(f"largest {what} of {change.second} against {change.first}, {change.measure}{of}")
            for example in shown[:n_texts]:
                yield from _example_lines(example, change, report.report.scale, width)
            yield ""


def _example_lines(example: Disagreement, change: Change, scale: int, width: int) -> Iterator[str]:
    names = short_names(["gold", change.first, change.second])
    wide = max(map(len, names))
    identifier = cut_text(example.id, width)
    yield f"  {identifier}  {cut_text(example.question or '', max(20, width - len(identifier) - 4))}"
    texts = [" | ".join(example.gold) or ABSENT, *map(_joined, example.answers)]
    for place, (name, text) in enumerate(zip(names, texts, strict=True)):
        value = number_text(example.values[place - 1], True, scale) if place else ""
        kind = f"  ({example.kinds[place - 1]})" if place and example.kinds else ""
        room = max(20, width - wide - len(kind) - 15)
        yield f"    {name:<{wide}}  {value:>7}  {cut_text(text, room)}{kind}"


def _joined(answers: Sequence[str]) -> str:
    """The answers of one system in one line."""
    return " / ".join(answer or "(no answer)" for answer in answers) or ABSENT


# --- documents --------------------------------------------------------------------------------------------------------


def _markdown(report: ComparisonReport, n_texts: int) -> str:
    out: list[str] = []
    for table in (_values_table(report), *_tables(report)):
        if table.title != "values":
            out += [f"**{escape_markdown(table.title)}**", ""]
        out.append(markdown_row(map(escape_markdown, table.head)))
        out.append(markdown_row(["---" if place < table.left else "---:" for place in range(len(table.head))]))
        out += [markdown_row(map(_markdown_field, row)) for row in table.rows]
        out.append("")
    for change in report.changes if n_texts else ():
        for what, shown in (("losses", change.losses), ("gains", change.gains)):
            if shown:
                out += [f"**Largest {what} of {escape_markdown(f'{change.second}, {change.measure}')}**", ""]
                out += [_markdown_example(example, change) for example in shown[:n_texts]]
                out.append("")
    out += [f"{escape_markdown(note)}  " for note in [*_mark_notes(report), *_notes(report)]]
    return "\n".join([*out, "  \n".join(map(markdown_code, report.report.signatures.values()))]) + "\n"


def _markdown_field(field: Field) -> str:
    text = escape_markdown(field.text)
    text = f"**{text}**" if field.bold else text
    return text + (f"<sup>{field.mark}</sup>" if field.mark not in ("", "*") else r"\*" * bool(field.mark))


def _markdown_example(example: Disagreement, change: Change) -> str:
    parts = [
        f"- {escape_markdown(example.id)}" + (f": {escape_markdown(example.question)}" if example.question else "")
    ]
    texts = [" | ".join(example.gold) or ABSENT, *map(_joined, example.answers)]
    for name, text in zip(["gold", change.first, change.second], texts, strict=True):
        parts.append(f"  - {escape_markdown(name)}: {escape_markdown(text)}")
    return "\n".join(parts)


def _mark_notes(report: ComparisonReport) -> list[str]:
    """What bold and the marks of the table of values say."""
    sure = f"significantly better (p < {1 - report.report.level:.3g})"
    if len(report.report.systems) == 2:
        return [f"Bold: the better value; *: {sure}. In brackets: {_level(report)}s."]
    return [f"Bold: the best value; letters: {sure} than the systems of these letters. In brackets: {_level(report)}s."]


def _latex(report: ComparisonReport) -> str:
    out = ["% needs \\usepackage{booktabs}"]
    for table in (_values_table(report), *_tables(report)):
        columns = "l" * table.left + "r" * (len(table.head) - table.left)
        out += [latex_comment(table.title), rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
        out += [latex_row(map(escape_latex, table.head)), r"\midrule"]
        for place, row in enumerate(table.rows):
            out += [r"\addlinespace"] if place in table.groups else []
            out.append(latex_row(map(_latex_field, row)))
        out += [r"\bottomrule", r"\end{tabular}", ""]
    notes = [*_mark_notes(report), *_notes(report), *report.report.signatures.values()]
    return "\n".join([*out[:-1], *map(latex_comment, notes)]) + "\n"


def _latex_field(field: Field) -> str:
    text = escape_latex(field.text).replace("−", "$-$")
    text = rf"\textbf{{{text}}}" if field.bold else text
    return text + (f"$^{{{field.mark}}}$" if field.mark else "")


# --- data -------------------------------------------------------------------------------------------------------------


def _csv(report: ComparisonReport) -> str:
    """One row per pair of systems, slice and measure, an empty slice for all examples; no name looks like a formula."""
    rows = [
        ["slice", "label", "measure", "first", "second", "n", "left_out", "first_value", "first_low", "first_high",
         "second_value", "second_low", "second_high", "difference", "low", "high", "p_value", "p_adjusted", "test",
         "wins", "ties", "losses", "effect_size", "n_needed"]
    ]  # fmt: skip
    for name, label, diff in _all_differences(report):
        (a, b), (of_a, of_b) = diff.values, diff.intervals
        row = [name, label, diff.measure, diff.first, diff.second, diff.n, diff.left_out, a, *of_a, b, *of_b]
        row += [diff.difference, *diff.interval, diff.p_value, diff.p_adjusted, diff.test]
        row += [diff.wins, diff.ties, diff.losses, diff.effect_size, diff.n_needed]
        absent = (cell is None or isinstance(cell, float) and math.isnan(cell) for cell in row)
        rows.append(["" if none else no_formula(cell) for cell, none in zip(row, absent, strict=True)])
    out = io.StringIO(newline="")
    write_csv(out, rows)
    return out.getvalue()


def _all_differences(report: ComparisonReport) -> Iterator[tuple[str | None, str | None, Difference]]:
    for difference in report.differences:
        yield None, None, difference
    for name, labels in report.slices.items():
        for label, group in labels.items():
            for difference in group:
                yield name, label, difference


def _json(report: ComparisonReport) -> str:
    """Everything but the change of each example: strict JSON."""
    inner = report.report
    names, signatures = list(inner.signatures), list(inner.signatures.values())
    several = len(names) > 1
    tree = {
        **(
            {"metrics": names, "signatures": signatures}
            if several
            else {"metric": names[0], "signature": signatures[0]}
        ),
        "scale": inner.scale,
        "test": report.test,
        "correction": report.correction,
        "n_permutations": report.n_permutations,
        "interval": {"level": inner.level, "n_resamples": inner.n_resamples, "seed": inner.seed},
        "systems": {
            system: {
                "values": {name: cell.value for name, cell in cells.items()},
                "intervals": {name: list(cell.interval) for name, cell in cells.items() if cell.interval},
                "counts": {name: cell.n for name, cell in cells.items()},
                "notes": inner.notes[system],
            }
            for system, cells in inner.systems.items()
        },
        "differences": list(map(dataclasses.asdict, report.differences)),
        "slices": {
            name: {label: list(map(dataclasses.asdict, group)) for label, group in labels.items()}
            for name, labels in report.slices.items()
        },
        "error_kinds": report.kinds,
        "disagreements": [
            {
                "metric": change.metric,
                "measure": change.measure,
                "first": change.first,
                "second": change.second,
                "losses": list(map(dataclasses.asdict, change.losses)),
                "gains": list(map(dataclasses.asdict, change.gains)),
            }
            for change in report.changes
        ],
        "remarks": [*report.remarks, *inner.remarks],
        "command": report.command,
    }
    return json.dumps(_finite(tree), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(tree: Any) -> Any:
    """The same with null for what is not a finite number."""
    if isinstance(tree, dict):
        return {key: _finite(value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [_finite(value) for value in tree]
    return None if isinstance(tree, float) and not math.isfinite(tree) else tree


_FORMS: dict[str, Callable[[ComparisonReport], str]] = {"latex": _latex, "csv": _csv, "json": _json}
