"""Tables as text for terminals, Markdown and LaTeX; rows for CSV and JSON."""

import io
import json
import math
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..core.shown import no_formula, on_one_line, visible, write_csv

LABEL_WIDTH = 24  # characters of a name in the terminal
_CUT = {"label": LABEL_WIDTH, "text": 60, "number": 60, "value": 60}  # characters of a cell in the terminal
_RIGHT = ("count", "number", "value")  # columns aligned right


class Field(NamedTuple):
    """A cell.

    Attributes:
        text: the text of the cell, or its value.
        interval: the ends of the interval of a value.
        bold: whether it is the best of its row.
        mark: superscript after the text.
        color: its colour in a terminal.
        few: whether a count is too small to trust; None if that does not matter.
    """

    text: str
    interval: tuple[str, ...] = ()
    bold: bool = False
    mark: str = ""
    color: str = ""
    few: bool | None = None


class TextColumn(NamedTuple):
    """The head of a column, and the kind of its cells: "label" (of a slice), "name", "text", "count", "number" or "value".

    Counts, numbers and values are aligned right. A value has its interval in a separate column if possible.
    """

    head: str
    kind: str


class TextTable(NamedTuple):
    """A table of text.

    Attributes:
        title: its title, or "".
        columns: from left to right; names come before numbers.
        rows: lists of cells, one per column.
        groups: rows that begin a group, except the first row.
        level: the name of the intervals, such as "95 % interval"; "" without intervals.
    """

    title: str
    columns: list[TextColumn]
    rows: list[list[Field]]
    groups: Sequence[int] = ()
    level: str = ""


# --- terminal ---------------------------------------------------------------------------------------------------------


def terminal_text(
    tables: Iterable[TextTable], lines: Sequence[str], notes: Sequence[str], width: int | None, color: bool
) -> str:
    """Tables, then lines of text, then notes, for a terminal; no line ends with spaces.

    Args:
        width: of the terminal, in characters; None: no limit.
        color: with ANSI colours.
    """
    console = _console(force_terminal=color, color_system="standard" if color else None)
    for table in tables:
        for places in _fitting(table, width):
            console.print(_drawn(table, places))
            console.print()
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)
    for note in notes:
        console.print(visible(note), style="dim", markup=False, soft_wrap=True)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"


def _console(**look: Any) -> Any:
    from rich.console import Console

    return Console(file=io.StringIO(), width=10_000, highlight=False, legacy_windows=False, **look)


def _fitting(table: TextTable, width: int | None) -> list[list[int]]:
    """The places of the columns of each table, so that tables fit the width without wrapping, cutting or omitting numbers.

    Numbers that do not fit go to further tables with the same names; intervals stay with their values.
    """
    has_values = any(column.kind == "value" for column in table.columns)
    moved = ("value",) if has_values else _RIGHT
    first = [place for place, column in enumerate(table.columns) if column.kind not in moved]
    numbers = [place for place, column in enumerate(table.columns) if column.kind in moved]
    parts = [[*first, *numbers[:1]]]
    for place in numbers[1:]:
        wider = [*parts[-1], place]
        if width is None or _console().measure(_drawn(table, wider)).maximum <= width:
            parts[-1].append(place)
        else:
            parts.append([*first, place])
    return parts


def _drawn(table: TextTable, places: Sequence[int]) -> Any:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1), header_style="bold",
        title=Text(visible(table.title), "bold cyan") if table.title else None, title_justify="left",
    )  # fmt: skip
    heads = short_names([column.head for column in table.columns])
    cells = []
    for place in places:
        column, fields = table.columns[place], [row[place] for row in table.rows]
        if column.kind == "value":
            head, texts = _value_column(table, place)
            drawn.add_column(head, no_wrap=True)
        else:
            justify: Any
            vertical: Any
            justify, vertical = ("right", "top") if column.kind in _RIGHT else ("left", "bottom")
            style = "bold" if column.kind == "label" else ""
            drawn.add_column(Text(heads[place]), justify=justify, vertical=vertical, no_wrap=True, style=style)
            texts = [Text(_terminal_cell(field, column.kind), field.color) for field in fields]
        cells.append(texts)
    for place, row in enumerate(zip(*cells, strict=True), 1):
        drawn.add_row(*row, end_section=place in table.groups)
    return drawn


def _terminal_cell(field: Field, kind: str) -> str:
    text = cut_text(field.text, _CUT[kind]) if kind in _CUT else visible(field.text)
    return text + {None: "", False: " ", True: "*"}[field.few]


def _value_column(table: TextTable, place: int) -> tuple[Any, list[Any]]:
    """The head and the cells of a column of values, with aligned intervals."""
    from rich.text import Text

    marks = [row[place].mark for row in table.rows]
    far_mark = max(map(len, marks), default=0)
    values = [
        f"{row[place].text} {mark:<{far_mark}}" if far_mark else row[place].text
        for row, mark in zip(table.rows, marks, strict=True)
    ]
    intervals = ["–".join(row[place].interval) for row in table.rows]
    title = "value" + (far_mark + 1 if far_mark else 0) * " "
    wide = max(map(len, [title, *values]))
    head = [f"{title:>{wide}}", *([table.level] if any(intervals) else [])]
    far = max(map(len, [*head[1:], *intervals]), default=0)
    room = max(wide + (2 + far if any(intervals) else 0), LABEL_WIDTH)
    systems = [column.head if column.kind == "value" else "" for column in table.columns]
    cells = [
        Text.assemble((f"{value:>{wide}}", "bold"), (f"  {interval:<{far}}" if any(intervals) else "", "dim"))
        for value, interval in zip(values, intervals, strict=True)
    ]
    return Text.assemble((short_names(systems, room)[place], "bold cyan"), "\n", ("  ".join(head), "dim")), cells


def terminal_safe(text: str) -> str:
    r"""Text that is safe in a terminal: control characters are shown as by `visible`, except plain colours.

    Example:
        >>> terminal_safe("a\x1b[2J\x1b[1;32mb") == "a\\x1b[2J\x1b[1;32mb"
        True
    """
    parts = _COLORS.split(text)
    return "".join(part if place % 2 else visible(part) for place, part in enumerate(parts))


_PARTING = frozenset("_-./ :")  # separators of the words of a name
_COLORS = re.compile("(\x1b\\[(?:[0-2]|3[1-7])(?:;(?:[0-2]|3[1-7]))*m)")


def short_names(names: Sequence[str], width: int = LABEL_WIDTH) -> list[str]:
    """Names of at most `width` characters; if their beginnings are alike, their ends are shown.

    Example:
        >>> short_names(["submission_of_batch_1_plain", "submission_of_batch_1_tuned"], 12)
        ['…tch_1_plain', '…tch_1_tuned']
    """
    names = [on_one_line(name) for name in names]
    short = [cut_text(name, width) for name in names]
    ends = [name if len(name) <= width else f"…{name[len(name) - width + 1 :]}" for name in names]
    return ends if len(set(short)) < len(set(names)) and len(set(ends)) > len(set(short)) else short


def distinct_names(names: Sequence[str], longest: int = LABEL_WIDTH) -> list[str]:
    """The names without their shared beginning and end, if any name is longer than `longest` characters.

    Example:
        >>> distinct_names(["runs_of_may/reader-large_seed1.json", "runs_of_may/reader-small_seed1.json"], 20)
        ['…large…', '…small…']
        >>> distinct_names(["bert", "bidaf"]), distinct_names(["a_very_long_name_of_a_system"], 5)
        (['bert', 'bidaf'], ['a_very_long_name_of_a_system'])
    """
    if len(set(names)) < 2 or max(map(len, names)) <= longest:
        return list(names)
    start = _shared_start(names)
    end = _shared_start([name[start:][::-1] for name in names])
    cores = [name[start : len(name) - end] for name in names]
    if not all(cores):
        return list(names)
    return [f"{'…' if start else ''}{core}{'…' if end else ''}" for core in cores]


def _shared_start(names: Sequence[str]) -> int:
    """The length of the shared start of all names, up to its last separator."""
    shared = os.path.commonprefix(list(names))
    return max((place + 1 for place, letter in enumerate(shared) if letter in _PARTING), default=0)


def cut_text(text: str, width: int = LABEL_WIDTH) -> str:
    """Text in one line of at most `width` visible characters."""
    text = on_one_line(text)
    return text if len(text) <= width else text[: width - 1] + "…"


# --- documents --------------------------------------------------------------------------------------------------------


def markdown_table(table: TextTable) -> list[str]:
    """The lines of a table, with its title above and an empty line below."""
    out = [f"**{escape_markdown(table.title)}**", ""] if table.title else []
    out.append(markdown_row(escape_markdown(column.head) for column in table.columns))
    out.append(markdown_row("---:" if column.kind in _RIGHT else "---" for column in table.columns))
    return [*out, *(markdown_row(map(_markdown_cell, row)) for row in table.rows), ""]


def _markdown_cell(field: Field) -> str:
    text = escape_markdown(with_interval(field))
    text = f"**{text}**" if field.bold else text
    if field.mark not in ("", "*"):
        return f"{text}<sup>{field.mark}</sup>"
    return text + (r"\*" if field.mark or field.few else "")


def with_interval(field: Field) -> str:
    """The text of a cell, with its interval in brackets."""
    return f"{field.text} ({'–'.join(field.interval)})" if field.interval else field.text


def markdown_text(lines: Sequence[str], notes: Sequence[str], signatures: Iterable[str]) -> str:
    """A document: lines of Markdown, then notes, then signatures as code."""
    notes = [f"{escape_markdown(note)}  " for note in notes]
    return "\n".join([*lines, *notes, "  \n".join(map(markdown_code, signatures))]) + "\n"


def markdown_row(cells: Iterable[str]) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |"


def escape_markdown(text: str) -> str:
    r"""Text in one line that every Markdown renderer shows literally, in a table, a list or a paragraph.

    Nothing in it becomes a link, a picture, an element, a formula or a heading. E-mail addresses, names after "@" and
    numbers of issues (#1, qassay/qassay#1, GH-1) become code, because GitHub links them even if escaped.
    """
    parts = _LINKED.split(on_one_line(text))
    return "".join(
        markdown_code(part)
        if place % 2 and ("#" in part or "@" not in part or _is_address(part))
        else _MARKDOWN.sub(_markdown_escape, part)
        for place, part in enumerate(parts)
    )


_LINKED = re.compile(
    r"((?:(?<![\w.+@-])[\w.+-]*@[\w.+@-]*"
    r"|(?:(?<![\w./-])[\w./-]+)?\#\d+(?![^\W_])(?:[\w.+-]*@[\w.+@-]*)?"
    r"|(?<![^\W_])[Gg][Hh]-\d+(?![^\W_]|@))+)"
)
_MARKDOWN = re.compile(
    r"(?P<entity><|&(?=\#?\w+;))"
    r"|^(?P<number>\d+)(?P<after>[.)](?=\s|$))"  # a list
    r"|(?P<mark>[\\`*\[\]|~$^]"
    r"|(?<![^\W_])_+|_+(?![^\W_])"  # emphasis, except inside a word
    r"|:(?=//)|/(?=/)|(?<=/)/"  # addresses, with or without "http" and "www"
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
    """Whether text around "@" is an e-mail address ("@", later a letter after a dot, unlike ndcg@10) or a user name."""
    first, *others = text.split("@")
    is_mail = any(map(str.isalpha, "".join(part.partition(".")[2] for part in others)))
    before = [first, *others[:-1]]
    return is_mail or any(b[:1].isalnum() and not a[-1:].isalnum() for a, b in zip(before, others, strict=True))


def markdown_code(text: str) -> str:
    """Text as code, in one line; not for text with "|" in a table."""
    text = on_one_line(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"


_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        # At the start of a row: an optional argument or the star of the row above. Then ligatures and signs of other fonts.
        **{character: f"{{{character}}}" for character in "[]*"},
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
    }
)


def latex_text(tables: Iterable[TextTable], notes: Sequence[str]) -> str:
    """Tables for the package booktabs, then notes as comments."""
    out = ["% needs \\usepackage{booktabs}"]
    for table in tables:
        apart = bool(table.level)
        out += [latex_comment(table.title)] if table.title else []
        spec = "".join(
            ("r" if kind in _RIGHT else "l") + "l" * (apart and kind == "value") for _, kind in table.columns
        )
        heads = [_latex_head(column, apart) for column in table.columns]
        out += [rf"\begin{{tabular}}{{{spec}}}", r"\toprule", _latex_row(heads), r"\midrule"]
        for place, row in enumerate(table.rows):
            out += [r"\addlinespace"] if place in table.groups else []
            cells = []
            for field, column in zip(row, table.columns, strict=True):
                split = apart and column.kind == "value"
                cells.append(_latex_cell(field._replace(interval=()) if split else field))
                if split:
                    cells.append(f"({'--'.join(field.interval)})" if field.interval else "")
            out.append(_latex_row(cells))
        out += [r"\bottomrule", r"\end{tabular}", ""]
    return "\n".join([*out[:-1], *map(latex_comment, notes)]) + "\n"


def _latex_head(column: TextColumn, apart: bool) -> str:
    head = escape_latex(column.head)
    if column.kind == "value":
        return rf"\multicolumn{{{1 + apart}}}{{c}}{{{head}}}"
    return f"${head}$" if column.kind == "count" else head


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _latex_cell(field: Field) -> str:
    text = escape_latex(with_interval(field)).replace("−", "$-$")
    text = rf"\textbf{{{text}}}" if field.bold else text
    return text + (f"$^{{{field.mark}}}$" if field.mark else "$^*$" if field.few else "")


def escape_latex(text: str) -> str:
    """Text for a cell of a tabular."""
    text = on_one_line(text)
    return re.sub(r"([-`',])(?=\1)|([?!])(?=`)", r"\g<0>{}", text.translate(_LATEX)).replace("–", "--")


def latex_comment(text: str) -> str:
    """Text as a comment in one line."""
    return f"% {on_one_line(text)}"


def tables_text(
    tables: Sequence[TextTable],
    form: str,
    lines: Sequence[str],
    signatures: Sequence[str],
    *,
    width: int | None = None,
    color: bool = False,
) -> str:
    """Tables, then lines, then signatures, as "table" (see `terminal_text`), "markdown" or "latex"."""
    if form == "latex":
        return latex_text(tables, [*lines, *signatures])
    if form == "markdown":
        return markdown_text([line for table in tables for line in markdown_table(table)], lines, signatures)
    return terminal_text(tables, [], [*lines, *signatures], width, color)


# --- data -------------------------------------------------------------------------------------------------------------


def csv_text(head: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Rows as CSV: None and NaN are empty cells, and no text looks like a formula."""
    out = io.StringIO(newline="")
    write_csv(
        out,
        [
            list(map(no_formula, head)),
            *([no_formula("" if _is_absent(cell) else cell) for cell in row] for row in rows),
        ],
    )
    return out.getvalue()


def _is_absent(cell: Any) -> bool:
    return cell is None or isinstance(cell, float) and math.isnan(cell)


def json_text(tree: Any) -> str:
    """Strict JSON, with null for numbers that are not finite."""
    return json.dumps(_finite(tree), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _finite(value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return [_finite(value) for value in tree]
    return None if isinstance(tree, float) and not math.isfinite(tree) else tree
