"""Tables as HTML: a piece for notebooks, and a page of its own; all texts are escaped here."""

import html
from collections.abc import Iterable, Sequence

from ..core.shown import visible
from ..core.text_tables import TextCell, TextColumn, TextTable

# The colours are those of the page around the tables, which may be light or dark.
_STYLE = (
    ".qassay{font:14px/1.45 system-ui,sans-serif;overflow-x:auto}"
    ".qassay table{border-collapse:collapse;margin:0 0 .8rem;color:inherit;background:none}"
    ".qassay caption{text-align:left;font-weight:600;padding:.3rem 0}"
    ".qassay th,.qassay td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid #8888;background:none;"
    "white-space:nowrap}.qassay th:first-child,.qassay .text{text-align:left}"
    ".qassay small{opacity:.8}.qassay p{margin:.4rem 0 0;font-size:.86em;opacity:.8;overflow-wrap:anywhere}"
)
_TEXT_CELL = '<td class="text">'
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><title>{title}</title></head>
<body><main><h1>{title}</h1>{body}</main></body></html>
"""


def escaped(text: object) -> str:
    """Text for HTML and XML: markup is escaped, and `visible` shows invisible and invalid characters."""
    return html.escape(visible(str(text)))


def tables_html(tables: Iterable[TextTable], lines: Iterable[str]) -> str:
    """Tables with lines of text below them, for a notebook; a terminal's marks of few examples are kept."""
    drawn = "".join(map(table_html, tables))
    below = "".join(f"<p>{escaped(line)}</p>" for line in lines)
    return f'<div class="qassay"><style>{_STYLE}</style>{drawn}{below}</div>'


def page_of_tables(title: str, tables: Iterable[TextTable], lines: Iterable[str]) -> str:
    """The same as a page in one file, without scripts."""
    return _PAGE.format(title=escaped(title), body=tables_html(tables, lines))


def table_html(table: TextTable) -> str:
    """A table with its title as caption, and the ends of intervals behind their values."""
    caption = f"<caption>{escaped(table.title)}</caption>" if table.title else ""
    heads = "".join(f'<th scope="col">{escaped(column.head)}</th>' for column in table.columns)
    rows = "".join(f"<tr>{_row(table.columns, row)}</tr>" for row in table.rows)
    return f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _row(columns: Sequence[TextColumn], row: Sequence[TextCell]) -> str:
    cells = []
    for column, field in zip(columns[1:], row[1:], strict=True):
        is_number = column.kind in ("count", "number", "value")
        cells.append(f"{'<td>' if is_number else _TEXT_CELL}{_cell(field)}</td>")
    return f'<th scope="row">{_cell(row[0])}</th>{"".join(cells)}'


def _cell(field: TextCell) -> str:
    text = escaped(field.text) + ("*" if field.few else "")
    text = f"<strong>{text}</strong>" if field.bold else text
    mark = f"<sup>{escaped(field.mark)}</sup>" if field.mark else ""
    ends = f" <small>({escaped(' to '.join(field.interval))})</small>" if field.interval else ""
    return text + mark + ends
