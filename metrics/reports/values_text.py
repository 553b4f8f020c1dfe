"""A report as text: for the terminal, as Markdown, LaTeX, CSV or JSON."""

import io
import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..core.shown import no_formula, visible, write_csv
from ..registry import get_family
from .values import FEW, Cell, Cells, ValuesReport

LABEL_WIDTH = 24  # of a slice's label in the terminal
ABSENT = "–"


class TableRow(NamedTuple):
    """A row of a table: a measure, the number of examples, and each system's number of it (None: it has none)."""

    measure: str
    n: str
    few: bool
    cells: list[Cell | None]


def render(report: ValuesReport, form: str, *, width: int | None = None, color: bool = False) -> str:
    """A report as text, ending with a line break.

    Rates have four decimals (two in per cent); CSV and JSON have all there are.

    Args:
        form: "table", "markdown", "latex", "csv" or "json".
        width: of a table, in characters: systems that do not fit stand below; None: no limit.
        color: a table with ANSI colours.
    """
    if form == "table":
        return _terminal(report, width, color)
    return FORMS[form](report)


def value_lines(by_system: dict[str, Cells], systems: Sequence[str]) -> list[TableRow]:
    """The rows of a table of these numbers."""
    names = dict.fromkeys(name for cells in by_system.values() for name in cells)
    lines = []
    for name in names:
        cells = [by_system.get(system, {}).get(name) for system in systems]
        # One number where the systems agree; they do not where examples without a prediction are left out.
        sizes = list(dict.fromkeys(cell.n for cell in cells if cell is not None))
        lines.append(TableRow(name, "/".join(map(str, sizes)), min(sizes) < FEW, cells))
    return lines


def _blocks(report: ValuesReport) -> Iterator[tuple[str | None, list[tuple[str, list[TableRow]]]]]:
    """The tables of a report: the name of the slice (None: all examples) and, per label, its lines."""
    systems = list(report.systems)
    yield None, [("", value_lines(report.systems, systems))]
    for name, labels in report.slices.items():
        yield name, [(label, value_lines(by_system, systems)) for label, by_system in labels.items()]


def _value(cell: Cell, report: ValuesReport) -> str:
    return number_text(cell.value, cell.is_rate, report.scale)


def _interval(cell: Cell, report: ValuesReport, dash: str = "–") -> str:
    return dash.join(number_text(end, cell.is_rate, report.scale) for end in cell.interval) if cell.interval else ""


def number_text(value: float, is_rate: bool, scale: int) -> str:
    """A number with the digits of a report of that scale; a dash for NaN."""
    if isinstance(value, int):
        return str(value)
    if math.isnan(value):
        return ABSENT
    return f"{value:.2f}" if is_rate and scale == 100 else f"{value:.4f}"


def _level(report: ValuesReport) -> str:
    return f"{100 * report.level:g} % interval" if report.level is not None else ""


def footer_lines(report: ValuesReport, few: bool) -> list[str]:
    """What stands below the tables: remarks, the mark of few examples, signatures."""
    mark = [f"* fewer than {FEW} examples"] if few else []
    return [*report.remarks, *mark, *report.signatures.values()]


# --- terminal ---------------------------------------------------------------------------------------------------------


def _terminal(report: ValuesReport, width: int | None, color: bool) -> str:
    def draw(console: Any) -> None:
        few = draw_values(console, report, width)
        for line in footer_lines(report, few):
            console.print(visible(line), style="dim", markup=False, soft_wrap=True)

    return terminal_text(draw, color)


def terminal_text(draw: Callable[[Any], None], color: bool) -> str:
    """What `draw` prints on a rich.console.Console, as text without spaces at the ends of lines."""
    from rich.console import Console

    out = io.StringIO()
    draw(
        Console(
            file=out,
            width=10_000,
            force_terminal=color,
            color_system="standard" if color else None,
            highlight=False,
            legacy_windows=False,
        )
    )
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def terminal_safe(text: str) -> str:
    r"""Any text as a terminal may get it: what could control it is shown as `visible` does, but for plain colours.

    Example:
        >>> terminal_safe("a\x1b[2J\x1b[1;32mb") == "a\\x1b[2J\x1b[1;32mb"
        True
    """
    parts = _COLORS.split(text)
    return "".join(part if place % 2 else visible(part) for place, part in enumerate(parts))


_COLORS = re.compile("(\x1b\\[(?:[0-2]|3[1-7])(?:;(?:[0-2]|3[1-7]))*m)")


def draw_values(console: Any, report: ValuesReport, width: int | None) -> bool:
    """Print the tables of values; whether a slice has few examples."""
    few = False
    for name, groups in _blocks(report):
        for part in _parts(report, name, groups, width):
            console.print(_rich_table(report, name, groups, part))
            console.print()
        few = few or (name is not None and any(line.few for _, lines in groups for line in lines))
    return few


def _parts(report: ValuesReport, name: str | None, groups: list, width: int | None) -> list[list[int]]:
    """The systems by their places, in as few tables as fit the width: numbers are never wrapped or cut."""
    places = list(range(len(report.systems)))
    if width is None:
        return [places]
    parts = [[places[0]]]
    for place in places[1:]:
        if _table_width(_rich_table(report, name, groups, [*parts[-1], place])) <= width:
            parts[-1].append(place)
        else:
            parts.append([place])
    return parts


def _table_width(table: Any) -> int:
    from rich.console import Console

    console = Console(file=io.StringIO(), width=10_000)
    return console.measure(table).maximum


def _rich_table(report: ValuesReport, name: str | None, groups: list, places: list[int]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), header_style="bold")
    lines = [line for _, group in groups for line in group]
    if name is not None:
        table.add_column(cut_text(name), vertical="bottom", no_wrap=True, style="bold")
    table.add_column("measure", no_wrap=True, vertical="bottom")
    table.add_column("n", justify="right", no_wrap=True)
    heads = list(report.systems)
    cells_of = {}
    for place in places:
        cells = [line.cells[place] for line in lines]
        values = [ABSENT if cell is None else _value(cell, report) for cell in cells]
        intervals = ["" if cell is None else _interval(cell, report) for cell in cells]
        wide = max([len("value"), *map(len, values)])
        head = [f"{'value':>{wide}}", *([_level(report)] if any(intervals) else [])]
        far = max(map(len, [*head[1:], *intervals]))
        width = wide + (2 + far if any(intervals) else 0)
        cells_of[place] = [
            Text.assemble((f"{value:>{wide}}", "bold"), (f"  {interval:<{far}}" if any(intervals) else "", "dim"))
            for value, interval in zip(values, intervals, strict=True)
        ]
        header = Text.assemble(
            (short_names(heads, max(width, LABEL_WIDTH))[place], "bold cyan"), "\n", ("  ".join(head), "dim")
        )
        table.add_column(header, no_wrap=True)
    prefixes = [prefix for name in report.signatures for prefix in get_family(name).telling.groups]
    row = 0
    for number, (label, group) in enumerate(groups):
        for place_in_group, line in enumerate(group):
            first = [] if name is None else [cut_text(label) if place_in_group == 0 else ""]
            size = line.n + ("*" if line.few else " ") if name is not None else line.n
            ends = place_in_group == len(group) - 1 and number < len(groups) - 1
            if name is None and place_in_group + 1 < len(group):
                ends = ends or not _same_group(line, group[place_in_group + 1], prefixes)
            table.add_row(
                *map(Text, first),
                Text(visible(line.measure)),
                Text(size),
                *(cells_of[place][row] for place in places),
                end_section=ends,
            )
            row += 1
    return table


def _same_group(line: TableRow, other: TableRow, prefixes: Sequence[str]) -> bool:
    return all(line.measure.startswith(prefix) == other.measure.startswith(prefix) for prefix in prefixes)


def short_names(names: Sequence[str], width: int = LABEL_WIDTH) -> list[str]:
    """Names of at most `width` characters; where their beginnings are alike, their ends are kept.

    Example:
        >>> short_names(["submission_of_batch_1_plain", "submission_of_batch_1_tuned"], 12)
        ['…tch_1_plain', '…tch_1_tuned']
    """
    names = [_one_line(name) for name in names]
    short = [cut_text(name, width) for name in names]
    ends = [name if len(name) <= width else f"…{name[len(name) - width + 1 :]}" for name in names]
    return ends if len(set(short)) < len(set(names)) and len(set(ends)) > len(set(short)) else short


def cut_text(text: str, width: int = LABEL_WIDTH) -> str:
    """Text in one line of at most `width` characters, all of which can be seen."""
    text = _one_line(text)
    return text if len(text) <= width else text[: width - 1] + "…"


def _one_line(text: str) -> str:
    return visible(" ".join(text.split()))


# --- documents --------------------------------------------------------------------------------------------------------


def _markdown(report: ValuesReport) -> str:
    out, few = [], False
    heads = [escape_markdown(name) for name in report.systems]
    for name, groups in _blocks(report):
        labels = [] if name is None else [escape_markdown(name)]
        out.append(markdown_row([*labels, "measure", "n", *heads]))
        out.append(markdown_row([*("---" for _ in labels), "---", *("---:" for _ in ["n", *heads])]))
        for label, lines in groups:
            for line in lines:
                first = [] if name is None else [escape_markdown(label)]
                size = line.n + (r"\*" if name is not None and line.few else "")
                few = few or (name is not None and line.few)
                cells = (_cell_text(cell, report) for cell in line.cells)
                out.append(markdown_row([*first, escape_markdown(line.measure), size, *cells]))
        out.append("")
    level = [f"In brackets: {_level(report)}s."] if report.level is not None else []
    notes = footer_lines(report, few)[: -len(report.signatures)]
    out += [f"{escape_markdown(note)}  " for note in [*level, *notes]]
    return "\n".join([*out, "  \n".join(map(markdown_code, report.signatures.values()))]) + "\n"


def markdown_row(cells: Sequence[str]) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |"


def _cell_text(cell: Cell | None, report: ValuesReport) -> str:
    if cell is None:
        return ABSENT
    interval = _interval(cell, report)
    return _value(cell, report) + (f" ({interval})" if interval else "")


def escape_markdown(text: str) -> str:
    r"""Text that every renderer of Markdown shows as it is, in one line: in a table, a list, a paragraph.

    Nothing in it becomes a link, a picture, an element, a formula or a heading. Addresses of mail and names behind "@"
    become code, because GitHub makes links of them whatever is escaped.

    Example:
        >>> print(escape_markdown("![i](http://x.y) exact_match 0.5"))
        !\[i\](http\:\/\/x\.y) exact_match 0.5
    """
    parts = _WITH_AT.split(_one_line(text))
    return "".join(
        markdown_code(part) if place % 2 and _is_address(part) else _MARKDOWN.sub(_markdown_escape, part)
        for place, part in enumerate(parts)
    )


_WITH_AT = re.compile(r"((?<![\w.+@-])[\w.+-]*@[\w.+@-]*)")
_MARKDOWN = re.compile(
    r"(?P<entity><|&(?=\#?\w+;))"
    r"|^(?P<number>\d+)(?P<after>[.)](?=\s|$))"  # a list
    r"|(?P<mark>[\\`*\[\]|~$^]"
    r"|(?<![^\W_])_+|_+(?![^\W_])"  # emphasis, which is none inside a word
    r"|:(?=//)|/(?=/)|(?<=/)/"  # addresses, also without "http", "www" or both
    r"|(?<=\w)\.(?=[^\s\d])|(?<=[^\W\d])\.(?=\S)"
    r"|^(?:\#(?=\#{0,5}(?:\s|$))|>|[-+](?=\s|$)|[-=](?=[-=]*$)))"  # heading, quotation, list, line under a heading
)


def _markdown_escape(match: re.Match) -> str:
    if match["entity"]:
        return {"<": "&lt;", "&": "&amp;"}[match["entity"]]
    if match["number"]:
        return f"{match['number']}\\{match['after']}"
    return "".join(f"\\{character}" for character in match["mark"])


def _is_address(text: str) -> bool:
    """Whether text around "@" is mail ("@" and later a letter behind a dot, unlike ndcg@10) or the name of somebody."""
    first, *others = text.split("@")
    is_mail = any(map(str.isalpha, "".join(part.partition(".")[2] for part in others)))
    before = [first, *others[:-1]]
    return is_mail or any(b[:1].isalnum() and not a[-1:].isalnum() for a, b in zip(before, others, strict=True))


def markdown_code(text: str) -> str:
    """Text as code, in one line; not for text with "|" in a table."""
    text = _one_line(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"


_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        # An optional argument of the row above, or its star, where they begin a row; ligatures; other fonts' signs.
        **{character: f"{{{character}}}" for character in "[]*"},
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
    }
)


def _latex(report: ValuesReport) -> str:
    out = ["% needs \\usepackage{booktabs}"]
    with_intervals = report.level is not None
    per_system = 2 if with_intervals else 1
    for name, groups in _blocks(report):
        first = [] if name is None else [name]
        columns = "l" * (len(first) + 1) + "r" + ("r" + "l" * with_intervals) * len(report.systems)
        heads = [rf"\multicolumn{{{per_system}}}{{c}}{{{escape_latex(system)}}}" for system in report.systems]
        out += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
        out.append(latex_row([*map(escape_latex, first), "measure", "$n$", *heads]))
        out.append(r"\midrule")
        for number, (label, lines) in enumerate(groups):
            out += [r"\addlinespace"] if number else []
            for place, line in enumerate(lines):
                row = [] if name is None else [escape_latex(label) if place == 0 else ""]
                row += [escape_latex(line.measure), line.n + ("$^*$" if name is not None and line.few else "")]
                for cell in line.cells:
                    row.append("--" if cell is None or math.isnan(cell.value) else _value(cell, report))
                    if with_intervals:
                        interval = "" if cell is None else _interval(cell, report, "--")
                        row.append(f"({interval})" if interval else "")
                out.append(latex_row(row))
        out += [r"\bottomrule", r"\end{tabular}", ""]
    few = any("$^*$" in row for row in out)
    level = [f"in brackets: {_level(report)}s"] if with_intervals else []
    return "\n".join([*out[:-1], *map(latex_comment, [*level, *footer_lines(report, few)])]) + "\n"


def latex_row(cells: Sequence[str]) -> str:
    """A row of a tabular."""
    return " & ".join(cells) + r" \\"


def escape_latex(text: str) -> str:
    """Text for a cell of a tabular."""
    text = _one_line(text)
    return re.sub(r"([-`',])(?=\1)|([?!])(?=`)", r"\g<0>{}", text.translate(_LATEX)).replace("–", "--")


def latex_comment(text: str) -> str:
    """Text as a comment, in one line whatever it holds."""
    return f"% {_one_line(text)}"


# --- data -------------------------------------------------------------------------------------------------------------


def _csv(report: ValuesReport) -> str:
    """One row per system, slice and measure, with an empty slice for all examples; no name looks like a formula."""
    rows = [["system", "slice", "label", "measure", "n", "value", "low", "high"]]
    for name, label, system, cells in _all_cells(report):
        for measure, cell in cells.items():
            low, high = cell.interval or ("", "")
            value = "" if math.isnan(cell.value) else cell.value
            row = [system, name or "", label or "", measure, cell.n, value, low, high]
            rows.append(list(map(no_formula, row)))
    out = io.StringIO(newline="")
    write_csv(out, rows)
    return out.getvalue()


def _json(report: ValuesReport) -> str:
    """Everything: strict JSON, in which a value that is not a finite number is null."""
    names, signatures = list(report.signatures), list(report.signatures.values())
    several = len(names) > 1
    tree: dict[str, Any] = {
        **(
            {"metrics": names, "signatures": signatures}
            if several
            else {"metric": names[0], "signature": signatures[0]}
        ),
        "scale": report.scale,
        "interval": None
        if report.level is None
        else {"level": report.level, "n_resamples": report.n_resamples, "seed": report.seed},
        "systems": {},
        "slices": {name: {} for name in report.slices},
    }
    for name, label, system, cells in _all_cells(report):
        numbers: dict[str, Any] = {"values": {}, "intervals": {}, "counts": {}}
        for measure, cell in cells.items():
            numbers["values"][measure] = cell.value if math.isfinite(cell.value) else None
            if cell.interval:
                numbers["intervals"][measure] = [end if math.isfinite(end) else None for end in cell.interval]
            numbers["counts"][measure] = cell.n
        if name is None:
            tree["systems"][system] = {**numbers, "notes": report.notes[system]}
        else:
            tree["slices"][name].setdefault(label, {})[system] = numbers
    return json.dumps(tree, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _all_cells(report: ValuesReport) -> Iterator[tuple[str | None, str | None, str, Cells]]:
    for system, cells in report.systems.items():
        yield None, None, system, cells
    for name, labels in report.slices.items():
        for label, by_system in labels.items():
            for system, cells in by_system.items():
                yield name, label, system, cells


FORMS: dict[str, Callable[[ValuesReport], str]] = {"markdown": _markdown, "latex": _latex, "csv": _csv, "json": _json}
