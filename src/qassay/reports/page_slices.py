"""The slices of a comparison page: for each a chart of the differences and a table."""

import functools
from collections.abc import Mapping, Sequence

from ..stats.difference import Difference
from .chart_parts import escaped, is_finite
from .charts import Row, interval_chart
from .comparison import by_pair, rests_on_few
from .html_parts import WORDY, breakable, figure, fold, heads, isolated, per_pair, row, scroll_table
from .page_charts import difference_mark, tone_key
from .page_tables import difference_cells, difference_heads, label_head, value_cells
from .page_view import PageView, Pair
from .values import FEW_MEANS


def slices_section(view: PageView, fold_tables: bool = False) -> str:
    """A chart per measure and a table for each slicing and pair.

    Args:
        fold_tables: whether a table opens only when its summary is clicked.
    """
    sections = []
    for name, labels in view.data.slices.items():
        pairs = []
        for pair in view.pairs:
            of_pair = {label: by_pair(differences).get(pair) for label, differences in labels.items()}
            body = _slice_of(view, name, {label: ds for label, ds in of_pair.items() if ds}, pair, fold_tables)
            pairs += [(pair, body)] if body else []
        if pairs:
            sections.append(f"<h3>{isolated(name)}</h3>{per_pair(pairs)}")
    return (tone_key(view) + "".join(sections)) if sections else ""


def _slice_of(
    view: PageView, name: str, labels: Mapping[str, Sequence[Difference]], pair: Pair, fold_table: bool
) -> str:
    measures = dict.fromkeys(d.measure for differences in labels.values() for d in differences)
    figures, rows = [], []
    for measure in measures:
        here = {label: d for label, ds in labels.items() for d in ds if d.measure == measure}
        drawn = [
            Row(label, [difference_mark(view, d, name, label)], [d.n], rests_on_few(d))
            for label, d in here.items()
            if is_finite(d.difference)
        ]
        some = next(iter(here.values()))
        if drawn:
            chart = interval_chart(
                drawn,
                [""],
                title=f"Difference in {view.title(measure)} by {name}, {pair[1]} minus {pair[0]}",
                zero=True,
                write=functools.partial(view.signed, kind=some),
            )
            few = f"; {FEW_MEANS}" if any(one.few for one in drawn) else ""
            figures.append(figure(f"Difference in <strong>{view.measure(measure)}</strong>{few}", chart))
    for label, differences in labels.items():
        for place, d in enumerate(differences):
            size = f"{d.n:,}" + ('<span class="sub">few</span>' if rests_on_few(d) else "")
            rows.append(
                row(
                    label_head(label, place, view.hrefs.difference(d, name, label)),
                    f'<td class="words">{breakable(view.title(d.measure))}</td><td>{size}</td>',
                    value_cells(view, d, name, label),
                    difference_cells(view, d),
                )
            )
    if not rows:
        return ""
    above = f'{heads(breakable(name))}<th scope="col"{WORDY}>Measure</th>{heads("n", *map(breakable, pair))}'
    caption = f"By {escaped(name)}{view.with_intervals()}"
    table = scroll_table(caption, above + difference_heads(view), rows)
    if fold_table:
        table = fold(f"{isolated(name)} as a table", table)
    return f'<div class="grid">{"".join(figures)}</div>{table}'
