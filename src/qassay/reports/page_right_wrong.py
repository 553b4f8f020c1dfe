"""Tables of right and wrong answers of two systems, as HTML."""

from collections.abc import Callable, Sequence

from .chart_parts import escaped
from .html_parts import breakable, count_cell, heads, isolated, row, scroll_table
from .page_hrefs import PageHrefs
from .page_view import p_equation
from .right_wrong import RightWrong


def right_wrong_section(
    tables: Sequence[RightWrong], hrefs: PageHrefs | None = None, title: Callable[[str], str] = str
) -> str:
    """A table of two by two for each measure, with McNemar's test in words; "" without tables.

    Args:
        title: measure -> its name as it is shown.
    """
    drawn = [_right_wrong(table, hrefs or PageHrefs(), title(table.measure)) for table in tables]
    return f'<div class="grid">{"".join(drawn)}</div>' if drawn else ""


def _right_wrong(table: RightWrong, hrefs: PageHrefs, title: str) -> str:
    first, second = breakable(table.first), breakable(table.second)
    above = "<td></td>" + heads(f"{second} right", f"{second} wrong")
    rows = [
        row(
            f"{first} {word}",
            *(count_cell(getattr(table, cell), table.n, hrefs.right_wrong(table, cell)) for cell in cells),
        )
        for word, cells in (("right", ("both", "only_first")), ("wrong", ("only_second", "neither")))
    ]
    words = (
        f"{isolated(table.first)} alone is right in {table.only_first:,}, {isolated(table.second)} alone in "
        f"{table.only_second:,}: McNemar's exact test, {p_equation(table.p_value)}, not corrected for several tests."
    )
    caption = f"{escaped(title)}, n = {table.n:,}"
    return f'<div>{scroll_table(caption, above, rows)}<p class="faint">{words}</p></div>'
