"""Tables of right and wrong answers of two systems, as HTML."""

from collections.abc import Sequence

from .chart_parts import escaped
from .html_parts import breakable, count_cell, heads, isolated, row, scroll_table
from .page_view import p_equation
from .right_wrong import RightWrong


def right_wrong_section(tables: Sequence[RightWrong]) -> str:
    """A table of two by two for each measure, with McNemar's test in words; "" without tables."""
    return f'<div class="grid">{"".join(map(_right_wrong, tables))}</div>' if tables else ""


def _right_wrong(table: RightWrong) -> str:
    first, second = breakable(table.first), breakable(table.second)
    above = "<td></td>" + heads(f"{second} right", f"{second} wrong")
    rows = [
        row(f"{first} {word}", *(count_cell(count, table.n) for count in counts))
        for word, counts in (
            ("right", (table.both, table.only_first)),
            ("wrong", (table.only_second, table.neither)),
        )
    ]
    words = (
        f"{isolated(table.first)} alone is right in {table.only_first:,}, {isolated(table.second)} alone in "
        f"{table.only_second:,}: McNemar's exact test, {p_equation(table.p_value)}, not corrected for several tests."
    )
    caption = f"{escaped(table.measure)}, n = {table.n:,}"
    return f'<div>{scroll_table(caption, above, rows)}<p class="faint">{words}</p></div>'
