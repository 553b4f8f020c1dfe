"""The charts of a comparison page: values, differences, kinds of errors, changes of single examples."""

import functools

import numpy as np

from ..comparison.difference import Difference
from .charts import Mark, change_chart
from .comparison import by_pair
from .html_parts import beside, figure, isolated, per_pair
from .page_view import PageView
from .values import Cell


def tone_key(view: PageView) -> str:
    """The meaning of the marks in charts of differences."""
    second = isolated(view.pairs[0][1]) if len(view.pairs) == 1 else "the second system"
    items = "".join(
        f'<li><svg class="chart" viewBox="0 0 12 12" aria-hidden="true"><g class="{tone}">'
        f'<circle class="mark{shape}" cx="6" cy="6" r="4.5"/></g></svg>{words}</li>'
        for tone, shape, words in (
            ("better", "", f"{second} likely better"),
            ("worse", "", f"{second} likely worse"),
            ("same", " open", "hollow: could be chance"),
        )
    )
    return f'<ul class="key">{items}</ul>'


def cell_mark(cell: Cell | None, href: str = "") -> Mark | None:
    """The mark of a number with its interval and address; None without a number."""
    if cell is None:
        return None
    low, high = cell.interval or (None, None)
    return Mark(cell.value, low, high, href=href, few=cell.is_few)


def difference_mark(view: PageView, difference: Difference, name: str = "", label: str = "") -> Mark:
    """The mark of a difference, over all examples or in one slice.

    Its tone says which system is better; a filled mark says that the difference is likely real.
    """
    reading = view.read(difference)
    tone = {None: "same", difference.second: "better", difference.first: "worse"}[reading.better]
    words = {"same": "equal", "better": f"{difference.second} better", "worse": f"{difference.second} worse"}[tone]
    note = f"{words}, {view.certainty(difference)}" if reading.better else words
    low, high = difference.interval or (None, None)
    href = view.hrefs.difference(difference, name, label)
    return Mark(difference.difference, low, high, tone, reading.real, note, href)


def changes_section(view: PageView) -> str:
    """How single examples change, for each pair."""
    pairs = []
    for pair, group in by_pair(view.data.changes).items():
        figures = []
        for change in group:
            if not np.isfinite(change.changes).any():
                continue
            kind = view.kind_of(change)
            chart = change_chart(
                change.changes,
                title=f"Change in {view.title(change.measure)} from {change.first} to {change.second}",
                lower_is_better=change.measure in view.lower,
                write=functools.partial(view.write, kind=kind),
                hrefs={tone: view.hrefs.change(pair, change.measure, tone) for tone in ("better", "same", "worse")},
            )
            caption = (
                f"Change in <strong>{view.measure(change.measure)}</strong> from {isolated(change.first)} to "
                f"{isolated(change.second)}"
            )
            reading = (
                f"{view.count(len(change.changes))}, sorted by change: the "
                "largest rise on the left, the largest fall on the right. The wider a coloured part, the more "
                f"{view.examples_name} change; the higher, the more they do."
            )
            figures.append(beside(figure(caption, chart), reading))
        pairs += [(pair, "".join(figures))] if figures else []
    return per_pair(pairs)
