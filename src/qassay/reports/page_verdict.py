"""The head of a comparison page: its title, and the verdict in words."""

from collections.abc import Callable, Sequence

from ..comparison.difference import Difference
from .chart_parts import escaped, is_finite
from .comparison import is_least
from .html_parts import breakable, fold, go, heads, isolated, row, scroll_table
from .page_view import ABSENT, PageView, p_equation

_SHOWN_VERDICTS = 6
_TITLED = 3  # systems named in the title


def verdict_section(view: PageView) -> str:
    """A sentence for each pair and main measure; for more than two systems also their order."""
    order = []
    lines = []
    measures = dict.fromkeys(name for pair in view.pairs for name in view.main_measures(pair))
    for measure in measures:
        if len(view.systems) > 2:
            order.append(_order(view, measure))
        if len(view.systems) > _TITLED:
            order.append(_matrix(view, measure))
        lines += [
            _sentence(view, view.by_pair[pair][measure]) for pair in view.pairs if measure in view.main_measures(pair)
        ]
    shown, folded = lines[:_SHOWN_VERDICTS], lines[_SHOWN_VERDICTS:]
    body = "".join(order) + (f'<ul class="verdicts">{"".join(shown)}</ul>' if shown else "")
    if folded:
        body += fold(f"{len(folded)} more", f'<ul class="verdicts">{"".join(folded)}</ul>')
    return body


def _order(view: PageView, measure: str) -> str:
    cells = {
        system: cells[measure]
        for system, cells in view.report.systems.items()
        if measure in cells and is_finite(cells[measure].value)
    }
    ranked = sorted(cells, key=lambda system: cells[system].value, reverse=measure not in view.lower)
    told = ", ".join(f"{isolated(system)} {view.write(cells[system].value, cells[system])}" for system in ranked)
    return f"<p><strong>{view.measure(measure)}</strong>, best first: {told}.</p>" if told else ""


def _matrix(view: PageView, measure: str) -> str:
    """The matrix of a measure; "" if fewer than half of the pairs were compared."""
    n_compared = sum(measure in differences for differences in view.by_pair.values())
    if 4 * n_compared < len(view.systems) * (len(view.systems) - 1):
        return ""
    return difference_matrix(view, measure, view.systems)


def difference_matrix(
    view: PageView, measure: str, systems: Sequence[str], href: Callable[[str, str], str] = lambda system, other: ""
) -> str:
    """A matrix of the differences of all pairs in one measure, as HTML.

    Args:
        href: systems of row and column -> address of the difference; "" without a link.
    """
    compared = {pair: differences[measure] for pair, differences in view.by_pair.items() if measure in differences}
    rows = []
    for system in systems:
        cells = []
        for other in systems:
            difference = compared.get((other, system)) or compared.get((system, other))
            if difference is None or not is_finite(difference.difference):
                cells.append(f"<td>{ABSENT}</td>")
                continue
            reading = view.read(difference)
            sign = 1 if difference.second == system else -1
            text = view.signed(sign * difference.difference, difference)
            tone = "better" if reading.better == system else "worse"
            cell = go(f"{text} *" if reading.real else text, href(system, other))
            cells.append(f'<td><span class="{tone}">{cell}</span></td>' if reading.real else f"<td>{cell}</td>")
        rows.append(row(breakable(system), *cells))
    caption = f"{escaped(view.title(measure))}: the system of the row minus the system of the column; * likely real"
    return scroll_table(caption, heads("System", *map(breakable, systems)), rows)


def _sentence(view: PageView, difference: Difference) -> str:
    """The verdict in words, as a list item."""
    reading = view.read(difference)
    measure = f"<strong>{view.measure(difference.measure)}</strong>"
    systems = [isolated(name) for name in (difference.first, difference.second)]
    if not is_finite(difference.difference):
        return f"<li>{systems[1]} and {systems[0]} have no {measure} that can be compared.</li>"
    if reading.better is None or reading.worse is None:
        value = view.write(difference.values[0], difference)
        return f"<li>{systems[1]} and {systems[0]} are equal in {measure} ({value}).</li>"
    swap = reading.better == difference.first
    towards = -1 if difference.difference < 0 else 1  # the amount is shown without a sign
    interval = sorted(towards * end for end in difference.interval) if difference.interval else None
    details = []
    if ends := view.ends(interval, lambda end: view.write(end, difference)):
        details.append(f"{view.interval_name} {ends}")
    if is_finite(difference.p_adjusted):
        p = p_equation(difference.p_adjusted, is_least(view.data, difference))
        details.append(p + (", adjusted" if view.corrected else ""))
    amount = view.write(abs(difference.difference), difference)
    text = (
        f"{isolated(reading.better)} is {'better' if reading.real else 'ahead'}"
        f"{' than ' if reading.real else ' of '}{isolated(reading.worse)} in {measure} by {amount}"
    )
    text += f" ({', '.join(details)})" if details else ""
    if difference.lower_is_better:
        text += "; a lower value is better"
    if difference.wins is not None and difference.losses is not None:
        wins, losses = (difference.wins, difference.losses)[:: -1 if swap else 1]
        text += f"; better in {view.count(wins)}, equal in {difference.ties:,}, worse in {losses:,}"
    text += "."
    if reading.real:
        return f'<li class="real"><span class="word better">Likely real.</span> {text}</li>'
    needed = difference.n_needed
    if needed is not None and needed > difference.n:
        text += f" About {view.count(needed)} would be needed to settle a difference of that size."
    return f'<li><span class="word unsure">{view.chance(difference).capitalize()}.</span> {text}</li>'
