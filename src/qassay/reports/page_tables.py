"""The tables of a comparison page: values and differences, counts, and how it was made."""

from ..comparison.difference import Difference
from .chart_parts import escaped, is_finite
from .comparison import is_least
from .html_parts import WORDY, breakable, go, heads, per_pair, row, scroll_table
from .page_view import ABSENT, PageView, Pair, p_html
from .values import Cell
from .values_text import sizes_note


def measures_section(view: PageView) -> str:
    """A table for each pair of systems; for more than two systems, first a table of all values."""
    if not view.names:
        return ""
    note = f"<p class='faint'>{_table_note(view)}</p>"
    if len(view.systems) == 2 and view.pairs:
        return _pair_table(view, view.pairs[0], "Values of both systems and their difference") + note
    tables = value_table(
        view, f"Values of all systems{view.with_intervals()}; bold: the best{sizes_note(view.report.systems)}"
    )
    pairs = [(pair, _pair_table(view, pair, "Values and difference")) for pair in view.pairs]
    return tables + per_pair(pairs) + (note if pairs else "")


def _table_note(view: PageView) -> str:
    level = f"{view.alpha:g}"
    told = [
        f"Difference: second system minus first. * p below {level}"
        + (" after the correction" if view.corrected else "")
        + ": likely real. Bold: the better value.",
        f"Better / same / worse: {view.examples_name} in which the second system is.",
        "Effect size: the mean difference divided by the standard deviation of per-example differences.",
        f"Needed: {view.examples_name} with which a test finds a difference of that size in 4 of 5 cases.",
    ]
    return " ".join(told)


def value_table(view: PageView, caption: str) -> str:
    """The values of all systems, the best of the compared systems in bold."""
    rows = []
    for name in view.names:
        cells = [view.report.systems[system].get(name) for system in view.systems]
        best = view.best([None if cell is None else cell.value for cell in cells], name)
        sizes = dict.fromkeys(cell.n for cell in cells if cell is not None)
        hrefs = [view.hrefs.value(name, system) for system in view.systems]
        shown = "".join(cell_html(view, *of) for of in zip(cells, best, hrefs, strict=True))
        rows.append(
            f"<tr>{_measure_head(view, name)}<td>{'/'.join(f'{n:,}' for n in sizes) or ABSENT}</td>{shown}</tr>"
        )
    return scroll_table(caption, heads("Measure", "n", *map(breakable, view.systems)), rows)


def label_head(label: str, place: int, href: str = "") -> str:
    """The label of a slice with its address, visible in the first of its rows only."""
    return f'<span class="sr">{breakable(label)}</span>' if place else go(breakable(label), href)


def _measure_head(view: PageView, name: str) -> str:
    title = view.title(name)
    told = [*([breakable(name)] if title != name else []), *(["lower is better"] if name in view.lower else [])]
    sub = f'<span class="sub">{", ".join(told)}</span>' if told else ""
    return f'<th scope="row">{breakable(title)}{sub}</th>'


def _pair_table(view: PageView, pair: Pair, caption: str) -> str:
    cells = [view.report.systems.get(system, {}) for system in pair]
    rows = []
    for name in view.names:
        difference = view.by_pair[pair].get(name)
        if difference is None:
            both = [by_measure.get(name) for by_measure in cells]
            if not any(both):
                continue
            size = "/".join(f"{n:,}" for n in dict.fromkeys(cell.n for cell in both if cell))
            values = "".join(
                cell_html(view, cell, href=view.hrefs.value(name, one)) for cell, one in zip(both, pair, strict=True)
            )
            rest = f"<td>{ABSENT}</td>" * (6 + view.corrected)
            rows.append(f"<tr>{_measure_head(view, name)}<td>{size}</td>{values}{rest}</tr>")
            continue
        cells_of_difference = f"{value_cells(view, difference)}{difference_cells(view, difference)}"
        more = _more_cells(view, difference)
        rows.append(f"<tr>{_measure_head(view, name)}<td>{difference.n:,}</td>{cells_of_difference}{more}</tr>")
    before = heads("Measure", "n", *map(breakable, pair))
    behind = heads("Better / same / worse", "Effect size", "Needed")
    return scroll_table(
        caption + view.with_intervals() + sizes_note({name: view.report.systems.get(name, {}) for name in pair}),
        before + difference_heads(view) + behind,
        rows,
    )


def cell_html(view: PageView, cell: Cell | None, bold: bool = False, href: str = "") -> str:
    """A number of a report with its interval and address; a dash without a number."""
    return f"<td>{ABSENT}</td>" if cell is None else value_cell(view, cell.value, cell.interval, cell, bold, href)


def value_cell(
    view: PageView,
    value: float | None,
    interval: tuple[float, float] | None,
    kind: Cell | Difference,
    bold: bool,
    href: str = "",
) -> str:
    """A value with its interval and address."""
    text = go(view.write(value, kind), href if is_finite(value) else "")
    ends = view.ends(interval, lambda end: view.write(end, kind))
    sub = f'<span class="sub">{ends}</span>' if ends else ""
    return f"<td>{f'<strong>{text}</strong>' if bold else text}{sub}</td>"


def value_cells(view: PageView, difference: Difference, name: str = "", label: str = "") -> str:
    """The values of both systems, over all examples or in one slice, the better one in bold."""
    best, measure = view.best(difference.values, difference.measure), difference.measure
    hrefs = [
        view.hrefs.sliced_value(name, label, measure, system) if name else view.hrefs.value(measure, system)
        for system in (difference.first, difference.second)
    ]
    return "".join(
        value_cell(view, value, interval, difference, bold, href)
        for value, interval, bold, href in zip(difference.values, difference.intervals, best, hrefs, strict=True)
    )


def difference_heads(view: PageView) -> str:
    """The heads above `difference_cells`."""
    numbers = heads("Difference", "p", *(["Adjusted p"] if view.corrected else []))
    return f'{numbers}<th scope="col"{WORDY}>Reading</th>'


def difference_cells(view: PageView, difference: Difference) -> str:
    """A difference with its interval, p-values and verdict."""
    reading = view.read(difference)
    signed = view.signed(difference.difference, difference)
    ends = view.ends(difference.interval, lambda end: view.signed(end, difference))
    tone = {None: "", difference.second: "better", difference.first: "worse"}[reading.better]
    value = f'<span class="{tone}">{signed}</span>' if tone and reading.real else signed
    star = " *" if reading.real else ""
    cells = [f"<td>{value}{f'<span class=sub>{ends}</span>' if ends else ''}</td>"]
    least = difference.is_least(view.data.n_permutations, view.report.intervals.n_resamples)
    cells.append(f"<td>{p_html(difference.p_value, least)}{'' if view.corrected else star}</td>")
    if view.corrected:
        cells.append(f"<td>{p_html(difference.p_adjusted, is_least(view.data, difference))}{star}</td>")
    return "".join([*cells, f'<td class="words line">{reading_words(view, difference)}</td>'])


def reading_words(view: PageView, difference: Difference) -> str:
    """The verdict on the second system in two or three words, as HTML."""
    reading = view.read(difference)
    if reading.better is None:
        return "equal" if is_finite(difference.difference) else ABSENT
    if not is_finite(difference.p_adjusted):
        return ABSENT
    if not reading.real:
        return f'<span class="unsure">{view.chance(difference)}</span>'
    if reading.better == difference.second:
        return '<span class="better">likely better</span>'
    return '<span class="worse">likely worse</span>'


def _more_cells(view: PageView, difference: Difference) -> str:
    counts = (difference.wins, difference.ties, difference.losses)
    told = ABSENT
    if None not in counts:
        pair = (difference.first, difference.second)
        wins, ties, losses = (
            go(f"{count:,}", view.hrefs.change(pair, difference.measure, tone) if count else "")
            for count, tone in zip(counts, ("better", "same", "worse"), strict=True)
        )
        told = f'<span class="line">{wins} /</span> <span class="line">{ties} /</span> {losses}'
    size = f"{difference.effect_size:+.2f}".replace("-", "−") if is_finite(difference.effect_size) else ABSENT
    needed = ABSENT if difference.n_needed is None else f"{difference.n_needed:,}"
    if difference.groups_needed is not None:
        needed += f'<span class="sub">{difference.groups_needed:,} groups</span>'
    return f'<td class="counts">{told}</td><td>{size}</td><td>{needed}</td>'


def counted_section(view: PageView) -> str:
    """Counts of omitted, missing and special examples, in words and by system."""
    lines = [*view.report.remarks, *view.data.remarks]
    section = f"<ul>{''.join(f'<li>{escaped(line)}</li>' for line in lines)}</ul>" if lines else ""
    names = dict.fromkeys(name for counts in view.report.notes.values() for name in counts)
    if names:
        rows = [row(escaped(name), *(_note_cell(view, one, name) for one in view.systems)) for name in names]
        section += scroll_table("Counts by system", heads("Count", *map(breakable, view.systems)), rows)
    return section


def _note_cell(view: PageView, system: str, name: str) -> str:
    count = view.report.notes.get(system, {}).get(name, 0)
    return f"<td>{go(f'{count:,}', view.hrefs.note(system, name, count) if count else '')}</td>"
