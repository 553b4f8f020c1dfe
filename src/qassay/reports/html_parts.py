"""HTML parts of the sections of a page; arguments called text or name are escaped here."""

import pkgutil
from collections.abc import Sequence

from . import chart_parts
from .chart_parts import escaped
from .tables import Field, TextTable

_TALL = 20  # rows; a table with as many scrolls in a separate box
_LONG = 320  # characters; a longer text may scroll


def parts_style() -> str:
    """The style of these parts; it can be nested in a selector.

    It uses the variables --ground, --panel, --text, --faint, --line, --link and --unsure, and the variables of palette.py.
    """
    return resource_text("parts.css")


def resource_text(name: str) -> str:
    """The text of a style sheet or script in this folder."""
    return pkgutil.get_data(__name__, name).decode("utf-8")  # type: ignore[union-attr]


def whole_page(
    title: str,
    eyebrow: str,
    subtitle: str,
    parts: Sequence[tuple[str, str, str]],
) -> str:
    """A self-contained page without scripts that follows the reader's light or dark colours.

    Args:
        title: plain text.
        eyebrow, subtitle: HTML, above and below the title.
        parts: sections as anchor, name and HTML; sections without content are omitted.
    """
    shown = [part for part in parts if part[2]]
    links = "".join(f'<li><a href="#{anchor}">{name}</a></li>' for anchor, name, _ in shown)
    sections = "\n".join(
        f'<section id="{anchor}" aria-labelledby="{anchor}-head"><h2 id="{anchor}-head">{name}</h2>\n{body}</section>'
        for anchor, name, body in shown
    )
    return _document(
        title,
        f'<body><header><div class="frame"><p class="eyebrow">{eyebrow}</p><h1>{isolated(title)}</h1>'
        f'<p class="faint">{subtitle}</p><nav aria-label="Sections"><ul>{links}</ul></nav></div></header>\n'
        f'<main class="frame">{sections}</main>\n'
        '<footer><div class="frame">Made by qassay. This file is complete in itself and sends nothing anywhere.</div>'
        "</footer>",
    )


def _document(title: str, body: str) -> str:
    """An HTML file with this title as plain text, and this HTML from "<body>" to before "</body>"."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        f"<title>{escaped(' '.join(title.split()))}</title>\n"
        f"<style>\n{parts_style()}{resource_text('page.css')}{chart_parts.CSS}</style></head>\n"
        f"{body}</body></html>\n"
    )


def page_of_tables(title: str, eyebrow: str, parts: Sequence[tuple[str, str, str]], lines: Sequence[str]) -> str:
    """A page of sections as in `whole_page`, with lines of text below the last section."""
    notes = "".join(f'<p class="faint">{escaped(line)}</p>' for line in lines)
    *before, (anchor, name, body) = parts
    return whole_page(title, eyebrow, "", [*before, (anchor, name, body + notes)])


def isolated(text: str) -> str:
    """A name inside a sentence; right-to-left text in it does not reorder the text around it."""
    return f"<bdi>{escaped(text)}</bdi>"


def scroll_table(caption: str, heads: str, rows: Sequence[str]) -> str:
    """A table in a box that scrolls by mouse, finger and keyboard."""
    tall = " tall" if len(rows) > _TALL else ""
    return (
        f'<div class="scroll{tall}" role="group" aria-label="{caption}" tabindex="0"><table>'
        f"<caption><span>{caption}</span></caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def table_html(table: TextTable, caption: str) -> str:
    """A table of texts, with the ends of its intervals below its numbers; everything is escaped here."""
    above = heads(*(escaped(column.head) for column in table.columns))
    rows = [row(escaped(first.text), *map(_field_cell, rest)) for first, *rest in table.rows]
    return scroll_table(escaped(caption), above, rows)


def _field_cell(field: Field) -> str:
    ends = f'<span class="sub">{escaped(" to ".join(field.interval))}</span>' if field.interval else ""
    return f"<td>{escaped(field.text)}{ends}</td>"


def heads(*names: str) -> str:
    """The heads of columns of numbers."""
    return "".join(f'<th scope="col">{name}</th>' for name in names)


def row(head: str, *cells: str) -> str:
    """A row of a table: its head, and cells as HTML."""
    return f'<tr><th scope="row">{head}</th>{"".join(cells)}</tr>'


def figure(caption: str, chart: str) -> str:
    """A chart with its caption."""
    return f"<figure><figcaption>{caption}</figcaption>{chart}</figure>"
