"""Tables as text for terminals, Markdown and LaTeX; rows for CSV and JSON."""

import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from unicodedata import category, east_asian_width

from ..core.shown import no_formula, on_one_line, visible, without_colors, write_csv
from ..core.text_tables import TableReport, TextCell, TextColumn, TextTable
from .html_tables import page_of_tables
from .json_text import json_text
from .numbers import plain

LABEL_WIDTH = 24  # characters of a name in the terminal
_CUT = {"label": LABEL_WIDTH, "text": 60, "number": 60, "value": 60}  # characters of a cell in the terminal
_RIGHT = ("count", "number", "value")  # columns aligned right
_GAP = "   "  # between columns of the terminal
_ANSI = {"bold": "1", "dim": "2", "bold cyan": "1;36", "green": "32", "red": "31"}


# --- terminal ---------------------------------------------------------------------------------------------------------


def terminal_text(
    tables: Iterable[TextTable], lines: Sequence[str], notes: Sequence[str], width: int | None, color: bool
) -> str:
    """Tables, then lines of text, then notes, for a terminal; no line ends with spaces.

    Args:
        width: of the terminal, in characters; None: no limit.
        color: with ANSI colours.
    """
    out: list[str] = []
    for table in tables:
        columns = [_drawn_column(table, index) for index in range(len(table.columns))]
        for part in _fitting(table, columns, width):
            out += [*_drawn(table, [columns[index] for index in part]), ""]
    out += [*lines, *(_painted(visible(note), "dim") for note in notes)]
    found = out if color else map(without_colors, out)
    return "\n".join(line.rstrip() for text in found for line in text.split("\n")) + "\n"


class _Drawn(NamedTuple):
    """A column: the lines of its head and its cells, with colours, its width, and whether it is aligned right."""

    head: list[str]
    cells: list[str]
    width: int
    is_right: bool

    @classmethod
    def of(cls, head: list[str], cells: list[str], is_right: bool) -> "_Drawn":
        """A column of these texts."""
        return cls(head, cells, max(map(_width, [*head, *cells])), is_right)


def _painted(text: str, look: str) -> str:
    """Text in a look of `_ANSI`; unchanged for ""."""
    return f"\x1b[{_ANSI[look]}m{text}\x1b[0m" if look and text else text


def _width(text: str) -> int:
    """The number of columns of a terminal that a text takes: wide characters take two, combining ones none."""
    text = without_colors(text)
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(of) in ("W", "F") else category(of) not in ("Mn", "Me", "Cf") for of in text)


def _fitting(table: TextTable, columns: Sequence[_Drawn], width: int | None) -> list[list[int]]:
    """The indices of the columns of each table, so that tables fit the width without wrapping, cutting or omitting numbers.

    Numbers that do not fit go to further tables with the same names; intervals stay with their values.
    """
    has_values = any(column.kind == "value" for column in table.columns)
    moved = ("value",) if has_values else _RIGHT
    first = [index for index, column in enumerate(table.columns) if column.kind not in moved]
    numbers = [index for index, column in enumerate(table.columns) if column.kind in moved]
    parts = [[*first, *numbers[:1]]]
    for index in numbers[1:]:
        wider = [*parts[-1], index]
        if width is None or _total([columns[of] for of in wider]) <= width:
            parts[-1].append(index)
        else:
            parts.append([*first, index])
    return parts


def _total(columns: Sequence[_Drawn]) -> int:
    """The width of a table of these columns."""
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def _drawn(table: TextTable, columns: Sequence[_Drawn]) -> Iterator[str]:
    """The lines of a table of these columns."""
    if table.title:
        yield _painted(visible(table.title), "bold cyan")
    n_heads = max(len(column.head) for column in columns)
    heads = [[""] * (n_heads - len(column.head)) + column.head for column in columns]
    yield from (_line(texts, columns) for texts in zip(*heads, strict=True))
    yield "─" * _total(columns)
    for index, texts in enumerate(zip(*(column.cells for column in columns), strict=True)):
        if index in table.groups:
            yield ""
        yield _line(texts, columns)


def _line(texts: Iterable[str], columns: Sequence[_Drawn]) -> str:
    cells = []
    for text, column in zip(texts, columns, strict=True):
        text = text.rstrip(" ") if column.is_right else text
        room = " " * (column.width - _width(text))
        cells.append(room + text if column.is_right else text + room)
    return _GAP.join(cells)


def _drawn_column(table: TextTable, index: int) -> _Drawn:
    column, cells = table.columns[index], [row[index] for row in table.rows]
    if column.kind == "value":
        return _value_column(table, index)
    head = short_names([other.head for other in table.columns])[index]
    look = "bold" if column.kind == "label" else ""
    texts = [_painted(_terminal_cell(cell, column.kind), cell.color or look) for cell in cells]
    return _Drawn.of([_painted(head, "bold")], texts, column.kind in _RIGHT)


def _terminal_cell(cell: TextCell, kind: str) -> str:
    text = cut_text(cell.text, _CUT[kind]) if kind in _CUT else on_one_line(cell.text)
    return text + {None: "", False: " ", True: "*"}[cell.few]


def _value_column(table: TextTable, index: int) -> _Drawn:
    """A column of values, with aligned intervals."""
    cells = [row[index] for row in table.rows]
    far_mark = max((len(cell.mark) for cell in cells), default=0)
    values = [f"{cell.text} {cell.mark:<{far_mark}}" if far_mark else cell.text for cell in cells]
    intervals = ["–".join(cell.interval) for cell in cells]
    title = "value" + (far_mark + 1 if far_mark else 0) * " "
    wide = max(map(len, [title, *values]))
    head = [f"{title:>{wide}}", *([table.level] if any(intervals) else [])]
    far = max(map(len, [*head[1:], *intervals]), default=0)
    room = max(wide + (2 + far if any(intervals) else 0), LABEL_WIDTH)
    systems = [column.head if column.kind == "value" else "" for column in table.columns]
    texts = [
        _painted(f"{value:>{wide}}", "bold") + _painted(f"  {interval:<{far}}" if any(intervals) else "", "dim")
        for value, interval in zip(values, intervals, strict=True)
    ]
    heads = [_painted(short_names(systems, room)[index], "bold cyan"), _painted("  ".join(head), "dim")]
    return _Drawn.of(heads, texts, False)


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


def _markdown_cell(field: TextCell) -> str:
    text = escape_markdown(with_interval(field))
    text = f"**{text}**" if field.bold else text
    if field.mark not in ("", "*"):
        return f"{text}<sup>{field.mark}</sup>"
    return text + (r"\*" if field.mark or field.few else "")


def with_interval(field: TextCell) -> str:
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
        if index % 2 and ("#" in part or "@" not in part or _is_address(part))
        else _MARKDOWN.sub(_markdown_escape, part)
        for index, part in enumerate(parts)
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
        for index, row in enumerate(table.rows):
            out += [r"\addlinespace"] if index in table.groups else []
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


def _latex_cell(field: TextCell) -> str:
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


def report_text(report: TableReport, form: str, *, width: int | None = None, color: bool = False) -> str:
    """A report of tables as "table", "markdown", "latex", "csv", "json" or "html", ending with a line break.

    Args:
        width: of a terminal, in characters; None: no limit.
        color: a table with ANSI colours.
    """
    if form == "json":
        return json_text(plain(report.data))
    if form == "csv":
        return csv_text(list(report.rows[0]), map(dict.values, report.rows))
    if form == "html":
        return page_of_tables(report.title, report.tables, [*report.lines, *report.signatures])
    return tables_text(report.tables, form, report.lines, report.signatures, width=width, color=color)


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
