"""The tab Compare as HTML: is one system better, by how much, where, and can that be chance."""

from collections.abc import Sequence
from functools import partial

from ..core.slices import slice_in_words
from ..reports.chart_parts import escaped, is_finite
from ..reports.comparison import Change, ComparisonReport, correction_in_words, tests_in_words
from ..reports.html_parts import WORDY, breakable, fold, go, heads, isolated, scroll_table
from ..reports.one_pair import of_pair
from ..reports.page_cards import WORDS_KEY, example_cards
from ..reports.page_charts import changes_section
from ..reports.page_slices import slices_section
from ..reports.page_tables import counted_section, measures_section, reading_words, value_cells
from ..reports.page_verdict import verdict_section
from ..reports.page_view import PageView, Pair
from ..reports.palette import kind_classes
from ..reports.right_wrong import RightWrong, right_wrong_tables
from ..reports.slice_gaps import SliceGap, widest_gaps
from ..reports.values import FEW_MEANS
from ..stats.difference import Difference
from .address import View
from .analysis import Analysis
from .findings import measure_words
from .linked_parts import Part, Scale, difference_bar, parts_bar, system_head
from .page_hrefs import ErrorsHrefs
from .ranks_view import pair_matrix, ranks_html
from .view_parts import columns, section, wrapped

SHOWN_GAPS = 8  # slices; the others fold
_WAITING = '<p class="faint" role="status">Comparing slices…</p>'
_READ = 1  # examples that are shown of losses and of gains


def verdict(analysis: Analysis, report: ComparisonReport) -> str:
    """What the first screen says: which system is better; of more than two their ranks and every pair."""
    title = partial(measure_words, analysis)
    view = PageView(report, title=title)
    if len(view.systems) < 3:
        return wrapped(f'<div class="verdict">{verdict_section(view)}</div>')
    return wrapped(
        columns(section("Ranks", ranks_html(analysis, title)), section("Pairs", pair_matrix(analysis, view)))
    )


def pair_details(analysis: Analysis, report: ComparisonReport, pair: Pair, *, waits: bool = False) -> str:
    """Two systems in detail: measures, examples that change, slices by their difference, kinds of errors, tests.

    Args:
        report: of all systems.
        pair: the system that is subtracted, and the other one.
        waits: slices are still being compared.
    """
    part = of_pair(report, pair)
    view = PageView(part, ErrorsHrefs(analysis, pair), partial(measure_words, analysis))
    measure = view.main_measures(pair)[0]
    tables = [table for scored in analysis.scored for table in right_wrong_tables(scored, pair)]
    minus = f"{isolated(pair[1])} minus {isolated(pair[0])}"
    return wrapped(
        columns(
            section("Measures", _measures_table(analysis, view, pair)),
            section(f"Single {view.examples_name}", _single_examples(view, tables)),
        ),
        columns(
            section(
                "Where they differ",
                _WAITING if waits else _gaps(view, measure),
                f"{view.measure(measure)}, {minus}",
            ),
            section("Kinds of errors", _kinds(analysis, view)),
        ),
        section("Examples to read", _examples(view)),
        "" if waits else _more(view),
    )


# --- measures ---------------------------------------------------------------------------------------------------------


def _measures_table(analysis: Analysis, view: PageView, pair: Pair) -> str:
    """The values of both systems and their difference, drawn on one scale; the tests follow further below."""
    differences = list(view.by_pair[pair].values())
    if not differences:
        return ""
    main = view.main_measures(pair)
    differences.sort(key=lambda one: one.measure not in main)
    rates = [one for one in differences if one.is_rate]
    scale = Scale([end for one in rates for end in (one.difference, *one.interval)])
    rows = [_measure_row(view, one, scale) for one in differences]
    sizes = dict.fromkeys(f"{one.n:,}" for one in differences)
    caption = (
        f"n = {' to '.join([*sizes][:: max(1, len(sizes) - 1)])} {escaped(view.examples_name)}{view.with_intervals()}"
    )
    above = (
        heads("Measure", *(system_head(analysis, name) for name in pair), "Difference")
        + f'<th scope="col"{WORDY}>Reading</th>'
    )
    return f'<div class="measures">{scroll_table(caption, above, rows)}</div>'


def _measure_row(view: PageView, one: Difference, scale: Scale) -> str:
    title, lower = view.title(one.measure), ", lower is better" if one.lower_is_better else ""
    key = f'<span class="sub">{breakable(one.measure)}{lower}</span>' if title != one.measure or lower else ""
    towards = -1.0 if one.lower_is_better else 1.0
    bar = ""
    if one.is_rate and is_finite(one.difference):
        bar = difference_bar(one.difference, one.interval, scale, certain=view.read(one).real, towards=towards)
    return (
        f'<tr><th scope="row">{breakable(title)}{key}</th>{value_cells(view, one)}'
        f'<td class="drawn">{go(bar + _amount(view, one), view.hrefs.difference(one))}</td><td class="words">{reading_words(view, one)}</td></tr>'
    )


def _amount(view: PageView, one: Difference) -> str:
    """A difference with its interval below it, coloured where it is likely real."""
    reading = view.read(one)
    tone = "" if not reading.real else "better" if reading.better == one.second else "worse"
    ends = view.ends(one.interval, lambda end: view.signed(end, one))
    sub = f'<span class="sub">{ends}</span>' if ends else ""
    return f'<span class="amount {tone}"><span class="number">{view.signed(one.difference, one)}</span>{sub}</span>'


# --- single examples --------------------------------------------------------------------------------------------------


def _single_examples(view: PageView, tables: Sequence[RightWrong]) -> str:
    """In how many examples a system is better and worse, and who has what right: each part leads to its examples."""
    return "".join(
        [
            *(_changed_parts(view, change) for change in view.data.changes),
            *(_right_parts(view, table) for table in tables),
        ]
    )


def _changed_parts(view: PageView, change: Change) -> str:
    up, down = int((change.changes > 0).sum()), int((change.changes < 0).sum())
    better, worse = (down, up) if change.lower_is_better else (up, down)
    second, pair = isolated(change.second), (change.first, change.second)
    parts = [
        Part(f"{second} better", better, "better", view.hrefs.change(pair, change.measure, "better")),
        Part("same", len(change.changes) - up - down, "same", view.hrefs.change(pair, change.measure, "same")),
        Part(f"{second} worse", worse, "worse", view.hrefs.change(pair, change.measure, "worse")),
    ]
    return f"<h3>Change in {view.measure(change.measure)}</h3>{parts_bar(parts)}"


def _right_parts(view: PageView, table: RightWrong) -> str:
    first, second = isolated(table.first), isolated(table.second)
    parts = [
        Part("both right", table.both, "same", view.hrefs.right_wrong(table, "both")),
        Part(f"only {second} right", table.only_second, "better", view.hrefs.right_wrong(table, "only_second")),
        Part(f"only {first} right", table.only_first, "worse", view.hrefs.right_wrong(table, "only_first")),
        Part("both wrong", table.neither, "neither", view.hrefs.right_wrong(table, "neither")),
    ]
    return f"<h3>Right and wrong by {view.measure(table.measure)}</h3>{parts_bar(parts)}"


# --- slices -----------------------------------------------------------------------------------------------------------


def _gaps(view: PageView, measure: str) -> str:
    """The slices as one list of links, the widest difference first."""
    gaps = widest_gaps(view.data, measure)
    if not gaps:
        return ""
    ends = [end for gap in gaps if not gap.is_few for end in gap.difference.interval]
    scale = Scale([*ends, *(1.1 * gap.difference.difference for gap in gaps)])
    rows = [_gap_row(view, gap, scale) for gap in gaps]
    few = f'<p class="faint">{escaped(FEW_MEANS)}; hollow: could be chance. {_groupings(view)}</p>'
    body = f'<ol class="gaps">{"".join(rows[:SHOWN_GAPS])}</ol>'
    rest = rows[SHOWN_GAPS:]
    return body + (fold(f"Show all {len(rows)}", f'<ol class="gaps">{"".join(rest)}</ol>') if rest else "") + few


def _groupings(view: PageView) -> str:
    """By what the slices are, as HTML."""
    *others, last = (escaped(name.replace("_", " ")) for name in view.data.slices)
    names = " and ".join(filter(None, [", ".join(others), last]))
    return f"Slices by {names}; slices of the same examples are listed once. The tab {go('Slices', View('slices').href())} has more."


def _gap_row(view: PageView, gap: SliceGap, scale: Scale) -> str:
    one = gap.difference
    few = " <em>few</em>" if gap.is_few else ""
    towards = -1.0 if one.lower_is_better else 1.0
    bar = difference_bar(one.difference, one.interval, scale, certain=view.read(one).real, towards=towards)
    body = (
        f'<span class="name"><span class="slice">{isolated(slice_in_words(gap.slicing, gap.label, ": "))}</span></span>'
        f'<span class="size">n&nbsp;=&nbsp;{one.n:,}{few}</span>{bar}{_amount(view, one)}'
    )
    href = view.hrefs.difference(one, gap.slicing, gap.label)
    return f'<li class="gap">{go(body, href) if href else f"<div>{body}</div>"}</li>'


# --- kinds of errors --------------------------------------------------------------------------------------------------


def _kinds(analysis: Analysis, view: PageView) -> str:
    """How often each kind of error comes up with both systems; each number leads to its examples."""
    tables = []
    for metric, by_system in view.data.kinds.items():
        kinds = list(dict.fromkeys(kind for counts in by_system.values() for kind in counts))
        if not kinds:
            continue
        most = max(1, *(count for counts in by_system.values() for count in counts.values()))
        rows = [
            f'<tr><th scope="row">{escaped(kind)}</th>'
            + "".join(
                _count_cell(counts.get(kind, 0), most, color, view.hrefs.kind(metric, system, kind))
                for system, counts in by_system.items()
            )
            + "</tr>"
            for kind, color in zip(kinds, kind_classes(kinds), strict=True)
        ]
        caption = f"{view.examples_name.capitalize()} by kind, best first"
        if len(view.data.kinds) > 1:
            caption += f" ({escaped(metric)})"
        table = scroll_table(caption, heads("Kind", *(system_head(analysis, name) for name in by_system)), rows)
        tables.append(f'<div class="kinds">{table}</div>')
    return "".join(tables)


def _count_cell(count: int, most: int, color: str, href: str) -> str:
    width = f"{100 * count / most:.1f}%"
    bar = (
        f'<span class="track"><i class="{color}" style="width:{width}"></i></span><span class="number">{count:,}</span>'
    )
    counted = f'<span class="count">{bar}</span>'
    return f'<td class="drawn">{go(counted, href if count else "")}</td>'


# --- examples and the fine print --------------------------------------------------------------------------------------


def _examples(view: PageView) -> str:
    """The largest loss and gain of the second system, and links to all."""
    parts = []
    for change in view.data.changes[:1]:
        for side, word, examples in (("worse", "losses", change.losses), ("better", "gains", change.gains)):
            if not examples:
                continue
            href = view.hrefs.change((change.first, change.second), change.measure, side)
            more = go(f"All {word} of {isolated(change.second)} in Errors", href) if href else ""
            shown = example_cards(view, change, examples[:_READ])
            parts.append(f"<div><h3>Largest {word} of {isolated(change.second)}</h3>{shown}<p>{more}</p></div>")
    key = WORDS_KEY if parts and view.data.changes[0].are_texts else ""
    return f'{key}<div class="readings">{"".join(parts)}</div>' if parts else ""


def _more(view: PageView) -> str:
    """What most readers do not ask for, folded: tests, effect sizes, all slices, how far examples change, counts."""
    tests = tests_in_words(view.data)
    told = f"{tests[:1].upper()}{tests[1:]}; two-sided, level {view.alpha:g}; correction: {correction_in_words(view.data)}."
    slices = slices_section(view, fold_tables=True)
    changes = changes_section(view)
    counted = counted_section(view)
    counted = f"<h3>What was counted</h3>{counted}" if counted else ""
    return "".join(
        [
            fold(
                "How certain, and by which test",
                f"<p>{escaped(told)}</p>{measures_section(view)}{counted}",
            ),
            fold("All slices and measures", slices) if slices else "",
            fold(f"How far single {escaped(view.examples_name)} change", changes) if changes else "",
        ]
    )
