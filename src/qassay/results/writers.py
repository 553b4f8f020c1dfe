"""Writes reports of tables: as text for terminals, Markdown and LaTeX, as HTML, as CSV and as JSON."""

import html
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from unicodedata import category, east_asian_width

from ..core.shown import no_formula, on_one_line, visible, write_csv
from ..core.text_tables import TableReport, TextCell, TextTable
from .plain_data import json_text, plain

_WIDEST, _LONGEST = 60, 100  # characters of a cell, and of a cell of text, in the terminal
_GAP = "   "  # between columns of the terminal


def report_text(report: TableReport, form: str, width: int | None = None) -> str:
    """A report as text, ending with a line break.

    Args:
        form: "table", "markdown", "latex", "csv", "json", "html" (a page) or "notebook" (a piece of HTML).
        width: of the terminal, in characters: numbers that do not fit go to further tables; None: no limit.
    """
    if form == "table":
        return _terminal_text(report, width)
    if form == "csv":
        return csv_text(list(report.rows[0]), (row.values() for row in report.rows))
    if form == "json":
        return json_text(plain(report.data))
    if form == "markdown":
        return _markdown_text(report)
    if form == "latex":
        return _latex_text(report)
    return _PAGE.format(_html_text(report)) if form == "html" else _html_text(report)


# --- terminal ---------------------------------------------------------------------------------------------------------


def _terminal_text(report: TableReport, width: int | None) -> str:
    """Tables, sentences and signatures; no line ends with spaces."""
    lines = [line for table in report.tables for line in _drawn(table, width)]
    lines += [visible(line) for line in (*report.lines, *report.signatures)]
    return "\n".join(line.rstrip() for text in lines for line in text.split("\n")) + "\n"


def _drawn(table: TextTable, width: int | None) -> Iterator[str]:
    """The lines of a table; columns that do not fit the width go to further tables, behind the same columns of names."""
    columns = [(_column(table, index), aligned) for index, (_, aligned) in enumerate(table.columns)]
    has_values = any(aligned == "value" for _, aligned in columns)
    moved = "value" if has_values else "right"
    names = [column for column, aligned in columns if aligned != moved]
    rest = [column for column, aligned in columns if aligned == moved]
    while True:
        fitting = len(rest)
        while width is not None and fitting > 1 and _width(_GAP.join(of[0] for of in names + rest[:fitting])) > width:
            fitting -= 1
        lines = [_GAP.join(cells) for cells in zip(*names, *rest[:fitting], strict=True)]
        heads = [visible(table.title)] * bool(table.title) + lines[: 1 + has_values]
        yield from [*heads, "─" * _width(lines[0]), *lines[1 + has_values :], ""]
        rest = rest[fitting:]
        if not rest:
            return


def _column(table: TextTable, index: int) -> list[str]:
    """The lines of a column, of one width: its head, in two lines if there are values, and a line per row."""
    head, aligned = table.columns[index]
    cells = [row[index] if row else TextCell("") for row in table.rows]
    if aligned == "value":
        marks = _padded([f" {cell.mark}" if cell.mark else "" for cell in cells])
        values = [cell.text + mark for cell, mark in zip(cells, marks, strict=True)]
        texts = _padded(["value" + " " * len("".join(marks[:1])), *values], right=True)
        intervals = ["–".join(cell.interval) for cell in cells]
        if any(intervals):
            texts = [f"{text}  {ends}" for text, ends in zip(texts, [table.level, *intervals], strict=True)]
        return _padded([short_name(head), *texts])
    empty = [""] if "value" in (of for _, of in table.columns) else []
    texts = [
        cut_text(text, _LONGEST) if aligned == "text" else short_name(text)
        for text in (head, *(cell.text for cell in cells))
    ]
    return _padded([*empty, *texts], right=aligned == "right")


def _padded(texts: Sequence[str], right: bool = False) -> list[str]:
    """Texts with spaces, so that all are as wide as the widest."""
    width = max(map(_width, texts), default=0)
    spaces = [" " * (width - _width(text)) for text in texts]
    return [room + text if right else text + room for room, text in zip(spaces, texts, strict=True)]


def _width(text: str) -> int:
    """The number of columns of a terminal that a text takes: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(of) in ("W", "F") else category(of) not in ("Mn", "Me", "Cf") for of in text)


def cut_text(text: str, width: int) -> str:
    """Text in one line of at most `width` visible characters."""
    text = on_one_line(text)
    return text if len(text) <= width else text[: width - 1] + "…"


def short_name(text: str) -> str:
    """A name in one line of at most 60 visible characters, with its beginning and its end: names of runs differ there."""
    text = on_one_line(text)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST // 2 - 1]}…{text[-_WIDEST // 2 :]}"


# --- Markdown ---------------------------------------------------------------------------------------------------------


def _markdown_text(report: TableReport) -> str:
    """Title, description and tables, then the sentences, then the signatures as code."""
    lines = [line for text in map(escape_markdown, report.head) for line in (text, "")]
    lines[:1] = [f"# {title}" for title in lines[:1]]
    lines += [line for table in report.tables for line in markdown_table(table)]
    lines += [f"{escape_markdown(line)}  " for line in report.lines]
    return "\n".join([*lines, "  \n".join(map(markdown_code, report.signatures))]) + "\n"


def markdown_table(table: TextTable) -> list[str]:
    """The lines of a table, with its title above and an empty line below."""
    title = [f"**{escape_markdown(table.title)}**", ""] if table.title else []
    head = markdown_row(escape_markdown(head) for head, _ in table.columns)
    rule = markdown_row("---" if aligned in ("left", "text") else "---:" for _, aligned in table.columns)
    return [
        *title,
        head,
        rule,
        *(markdown_row(escape_markdown(str(cell)) for cell in row) for row in table.rows if row),
        "",
    ]


def markdown_row(cells: Iterable[str]) -> str:
    """A row of a table."""
    return f"| {' | '.join(cells)} |"


# What GitHub links even where it is escaped: e-mail addresses, @names, numbers of issues (#1, qassay/qassay#1, GH-1); not pass@k.
_LINKED = re.compile(
    r"((?<![\w./+-])[\w./+-]*(?:#|@(?!(?<=[^\W_]@)\w*(?![\w@#]|[.+-]\w)))[\w./+@#-]*"
    r"|(?<![^\W_])(?i:gh-\d[\w./+@#-]*))"
)
_MARKDOWN = re.compile(
    r"[\\`*\[\]|~$^]"
    r"|(?<![^\W_])_+|_+(?![^\W_])"  # emphasis, except inside a word
    r"|:(?=/)|/(?=/)|(?<=/)/|\.(?=[^\W\d])|(?<=[^\W\d])\.(?=\S)"  # addresses
    r"|^(?:[>=]|[-+](?=\D|$)|\d+[.)](?=\s|$))"  # quotation, line under a heading, lists
)


def escape_markdown(text: str) -> str:
    """Text in one line that every Markdown renderer shows literally, in a table, a list or a paragraph.

    Nothing in it becomes a link, a picture, an element, a formula or a heading.
    """
    parts = enumerate(_LINKED.split(on_one_line(text)))
    return "".join(markdown_code(part) if index % 2 else _escaped(part) for index, part in parts)


def _escaped(text: str) -> str:
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return _MARKDOWN.sub(lambda match: re.sub(r"([!-/:-@[-`{-~])", r"\\\1", match[0]), text)


def markdown_code(text: str) -> str:
    """Text as code, in one line; not for text with "|" in a table."""
    text = on_one_line(text)
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"


# --- LaTeX ------------------------------------------------------------------------------------------------------------

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


def _latex_text(report: TableReport) -> str:
    """Tables for the package booktabs, then sentences and signatures as comments."""
    tables = "\n\n".join(map(_latex_table, report.tables))
    above, below = [*report.head, r"needs \usepackage{booktabs}"], [*report.lines, *report.signatures]
    return "\n".join([*map(_latex_comment, above), tables, *map(_latex_comment, below)]) + "\n"


def _latex_table(table: TextTable) -> str:
    lines = [_latex_comment(table.title)] if table.title else []
    aligned = "".join("l" if aligned in ("left", "text") else "r" for _, aligned in table.columns)
    lines += [rf"\begin{{tabular}}{{{aligned}}}", r"\toprule"]
    lines += [_latex_row(head for head, _ in table.columns), r"\midrule"]
    lines += [_latex_row(row) if row else r"\addlinespace" for row in table.rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _latex_row(cells: Iterable[object]) -> str:
    return " & ".join(escape_latex(str(cell)) for cell in cells) + r" \\"


def escape_latex(text: str) -> str:
    """Text for a cell of a tabular."""
    text = on_one_line(text)
    return (
        re.sub(r"([-`',])(?=\1)|([?!])(?=`)", r"\g<0>{}", text.translate(_LATEX)).replace("–", "--").replace("−", "$-$")
    )


def _latex_comment(text: str) -> str:
    return f"% {on_one_line(text)}"


# --- HTML -------------------------------------------------------------------------------------------------------------

# The colours are those of the page around the tables, which may be light or dark.
_STYLE = (
    ".qassay{overflow-x:auto}.qassay table{border-collapse:collapse;margin-bottom:1em;color:inherit;background:none}"
    ".qassay caption,.qassay .left{text-align:left}"
    ".qassay th,.qassay td{padding:.2em .6em;text-align:right;border-bottom:1px solid #8888;background:none;white-space:nowrap}"
)
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>qassay</title></head><body>{}</body></html>
"""


def escaped(text: object) -> str:
    """Text for HTML and XML: markup is escaped, and `visible` shows invisible and invalid characters."""
    return html.escape(visible(str(text)))


def _html_text(report: TableReport) -> str:
    """Tables with sentences below them."""
    below = "".join(f"<p>{escaped(line)}</p>" for line in (*report.lines, *report.signatures))
    return f'<div class="qassay"><style>{_STYLE}</style>{"".join(map(table_html, report.tables))}{below}</div>'


def table_html(table: TextTable) -> str:
    """A table with its title as caption."""
    caption = f"<caption>{escaped(table.title)}</caption>" if table.title else ""
    heads = "".join(f'<th scope="col" class="{aligned}">{escaped(head)}</th>' for head, aligned in table.columns)
    classes = [aligned for _, aligned in table.columns]
    rows = [
        "".join(f'<td class="{aligned}">{escaped(cell)}</td>' for aligned, cell in zip(classes, row, strict=True))
        for row in table.rows
        if row
    ]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


# --- CSV --------------------------------------------------------------------------------------------------------------


def csv_text(head: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Rows as CSV: None and NaN are empty cells, and no text looks like a formula."""
    out = io.StringIO(newline="")
    write_csv(out, [[no_formula("" if _is_absent(cell) else cell) for cell in row] for row in (head, *rows)])
    return out.getvalue()


def _is_absent(cell: Any) -> bool:
    return cell is None or isinstance(cell, float) and math.isnan(cell)
