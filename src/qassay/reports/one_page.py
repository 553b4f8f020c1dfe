"""A comparison on one printed page for decision makers: which system is better, how certainly, where the other fails."""

import dataclasses
import datetime
from collections.abc import Mapping, Sequence

from ..catalog import measure_meaning
from ..core.slices import slice_in_words
from ..stats.difference import Difference
from ..stats.ranking import Ranking
from .changes import Change, Disagreement
from .chart_parts import escaped, is_finite
from .charts import stacked_bars
from .comparison import OF_RANKS, ComparisonReport, is_least, tests_in_words
from .html_parts import code, document, isolated, resource_text
from .one_pair import compared_pairs, of_pair
from .page_view import PageView, Pair, p_equation
from .slice_gaps import SliceGap, widest_gaps
from .tables import cut_text, distinct_names, short_names

_SLICES = 3
_REMARKS = 3
_KINDS = 6  # kinds of errors; the others are merged
_LONGEST = 28  # characters of the name of a system
_ALIKE = 14  # characters; of longer names the shared part is cut
_CELL, _QUESTION = 60, 110  # characters of an answer and of a question
_SIGNATURE = 220  # characters


def one_page(report: ComparisonReport, date: datetime.date | None = None, lead: tuple[str, str] | None = None) -> str:
    """The comparison as an HTML file that prints on one page of A4.

    It has the verdict, both values, the three worst slices of the worse system with an example each, the basis of the
    numbers, date and signature. Of three or more systems, the best two are compared.

    Args:
        date: of the report; None for today.
        lead: the slice that comes first among the slices in which the worse system is behind, by its slicing and label; None:
            the slice with the widest difference.

    Returns:
        HTML that can be encoded as UTF-8 for all texts; it needs no network and has no script.

    Raises:
        ValueError: no two systems have a measure in common.
    """
    if not report.differences:
        raise ValueError("no measure was compared; one page tells of a difference between two systems")
    pair, told = best_pair(report)
    view = PageView(of_pair(report, pair))
    difference = view.by_pair[pair][view.main_measures(pair)[0]]
    names = _short(pair)
    date = date or datetime.date.today()
    body = [
        f'<p class="eyebrow">{_about(view, told)}</p>',
        f"<h1>{_headline(view, difference, names)}</h1>",
        f'<p class="lead">{_amount(view, difference, names)}</p>',
        _values(view, difference, names),
        _failures(view, difference, names, lead),
        f'<div class="foot">{_kinds(view, names)}{_basis(view, difference)}</div>',
    ]
    made = f"<footer><span>{date.day} {date:%B %Y}</span><span>{_signature(view)}</span><span>Made by qassay.</span></footer>"
    title = f"{' against '.join(names[system] for system in reversed(pair))}, on one page"
    return document(
        title,
        f'<body><main class="sheet">{"".join(body)}{made}</main>',
        more_style=resource_text("one_page.css"),
    )


def _short(pair: Sequence[str]) -> dict[str, str]:
    """The names of the systems; of long names the shared beginning and end is cut."""
    cores = [name.strip("…") or name for name in distinct_names(pair, _ALIKE)]
    return dict(zip(pair, short_names(cores, _LONGEST), strict=True))


def best_pair(report: ComparisonReport) -> tuple[Pair, str]:
    """The loser and the winner among the best two compared systems by the first main measure, and words for both.

    The words say which of three or more systems they are; "" for two systems.
    """
    pairs = compared_pairs(report)
    view = PageView(report)
    measure = view.main_measures(view.pairs[0])[0]
    cells = {system: cells[measure].value for system, cells in view.report.systems.items() if measure in cells}
    order = sorted(filter(lambda system: is_finite(cells[system]), cells), key=lambda system: cells[system])
    ranked = order if measure in view.lower else order[::-1]
    ranking = _ranking_of(report, measure, ranked)
    if ranking is not None:  # as ranked: the best, and the first system that cannot be distinguished from it, if any
        alike = [of.system for of in ranking.tied_with_best[1:]]
        ranked = [ranking.names[0], *alike, *(name for name in ranking.names[1:] if name not in alike)]
    places = {system: place for place, system in enumerate(ranked)}
    pair = min(pairs, key=lambda pair: sorted(places.get(system, len(places)) for system in pair))
    # A baseline may be far behind, and the second system may be distinguishable when a later one is not.
    best = ranking.names[:2] if ranking is not None else ranked[:2]
    which = "the best two" if {*pair} == {*best} else "two"
    return pair, f"{which} of {len(view.systems)} systems" if len(view.systems) > 2 else ""


def _ranking_of(report: ComparisonReport, measure: str, systems: Sequence[str]) -> Ranking | None:
    """The ranking of three or more systems by a measure; None unless a ranking has all of these systems."""
    rankings = (one for one in report.rankings if one.measure == measure and {*systems} <= {*one.names})
    return next(rankings, None)


def _about(view: PageView, which: str) -> str:
    gold = f"gold file {escaped(view.data.gold)}" if view.data.gold else ""
    return " · ".join(filter(None, [view.count(view.n_examples), gold, which]))


def _headline(view: PageView, difference: Difference, names: dict[str, str]) -> str:
    reading = view.read(difference)
    first, second = (isolated(names[system]) for system in (difference.first, difference.second))
    if reading.better is None or reading.worse is None:
        return f"{second} and {first} are equal"
    better, worse = isolated(names[reading.better]), isolated(names[reading.worse])
    if reading.real:
        return f"{better} is better than {worse}"
    return f"{better} is ahead of {worse}, but that can be chance"


def _amount(view: PageView, difference: Difference, names: dict[str, str]) -> str:
    """The size and certainty of the difference, and the number of examples, as a sentence."""
    measure = f"<strong>{escaped(difference.measure)}</strong>"
    if not is_finite(difference.difference):
        return f"{measure} has no value for both."
    towards = -1 if difference.difference < 0 else 1
    ends = view.ends(
        sorted(towards * end for end in difference.interval) if difference.interval else None,
        lambda end: view.write(end, difference),
    )
    told = [f"{view.interval_name} {ends}"] if ends else []
    if is_finite(difference.p_adjusted):
        told.append(p_equation(difference.p_adjusted, is_least(view.data, difference)))
    behind = f" ({', '.join(told)})" if told else ""
    text = f"The difference in {measure} is {view.write(abs(difference.difference), difference)}{behind}."
    if difference.lower_is_better:
        text += " A lower value is better."
    if difference.wins is not None and difference.losses is not None:
        ahead, behind_in = difference.wins, difference.losses
        if difference.better == difference.first:
            ahead, behind_in = behind_in, ahead
        text += (
            f" {isolated(names[difference.better])} is better in {view.count(ahead)}, worse in {behind_in:,} and equal in "
            f"{difference.ties:,}."
            if difference.better
            else f" Each is better in {view.count(ahead)}."
        )
    needed = difference.n_needed
    if not view.read(difference).real and needed is not None and needed > difference.n:
        text += f" About {view.count(needed)} would settle a difference of that size."
    return text


def _values(view: PageView, difference: Difference, names: dict[str, str]) -> str:
    """Two large values with their intervals on one scale, the better one first, and the meaning of the measure."""
    order = [1, 0] if difference.better != difference.first else [0, 1]
    systems = (difference.first, difference.second)
    ends = [
        end
        for place in order
        for end in (difference.values[place], *(difference.intervals[place] or ()))
        if is_finite(end)
    ]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    room = (high - low) / 4 or 1.0
    boxes = []
    for place in order:
        value, interval = difference.values[place], difference.intervals[place]
        told = view.ends(interval, lambda end: view.write(end, difference))
        place_of = [
            100 * (end - low + room) / (high - low + 2 * room) if is_finite(end) else 50
            for end in (value, *(interval or (value, value)))
        ]
        bar = (
            f'<svg class="span" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
            f'<path d="M0 3H100" class="axis"/><path d="M{place_of[1]:.1f} 3H{place_of[2]:.1f}" class="ends"/>'
            f'<path d="M{place_of[0]:.1f} 0v6" class="at"/></svg>'
        )
        shown = f'<p class="ends-told">{view.interval_name} {told}</p>' if told else ""
        better = " better" if systems[place] == difference.better and view.read(difference).real else ""
        boxes.append(
            f'<div class="box{better}"><p class="name">{isolated(names[systems[place]])}</p>'
            f'<p class="large">{view.write(value, difference)}</p>{bar}{shown}</div>'
        )
    metrics = view.report.signatures
    meaning = next(filter(None, (measure_meaning(metric, difference.measure) for metric in metrics)), "")
    lower = ", lower is better" if difference.lower_is_better else ""
    scale = f"0 to {view.report.scale}{lower}" if difference.is_rate else f"not a rate{lower}"
    words = (
        f"{escaped(difference.measure)}: {escaped(cut_text(meaning, 160))}, {scale}."
        if meaning
        else (f"{escaped(difference.measure)}: {scale}.")
    )
    return f'<div class="boxes">{"".join(boxes)}</div><p class="faint">{words}</p>'


def _failures(
    view: PageView, difference: Difference, names: dict[str, str], lead: tuple[str, str] | None = None
) -> str:
    """The slices with the largest losses of the worse system, each with an example; without slices some losses."""
    loser = view.read(difference).worse
    change = next((change for change in view.data.changes if change.measure == difference.measure), None)
    if loser is None:
        return ""
    gaps = [gap for gap in widest_gaps(view.data, difference.measure) if gap.difference.better not in (None, loser)]
    gaps = sorted(gaps, key=lambda gap: (gap.slicing, gap.label) != lead)[:_SLICES]
    if not gaps:
        if change is None:
            return ""
        losses = change.losses if change.second == loser else change.gains
        rows = [_example(change, one, names) for one in losses[:_SLICES]]
        return f"<h2>Where {isolated(names[loser])} fails</h2>{''.join(rows)}" if rows else ""
    shown: set[str] = set()
    rows = [_slice_row(view, gap, change, names, shown) for gap in gaps]
    few = "; slices of few examples (under 30) come last" if any(gap.is_few for gap in gaps) else ""
    return (
        f'<h2>Where {isolated(names[loser])} fails</h2><p class="faint">The widest differences in '
        f"{escaped(difference.measure)} by slice, with an example{few}.</p>{''.join(rows)}"
    )


def _slice_row(view: PageView, gap: SliceGap, change: Change | None, names: dict[str, str], shown: set[str]) -> str:
    """A slice, with an example that is not in `shown` if there is one; the example is added to `shown`."""
    one = gap.difference
    few = ", few" if gap.is_few else ""
    certainty = f" <span class=faint>({view.certainty(one)})</span>"
    worse = ' class="worse"' if view.read(one).real else ""
    values = " · ".join(
        f"{isolated(names[system])} {view.write(value, one)}"
        for system, value in sorted(
            zip((one.first, one.second), one.values, strict=True), key=lambda of: of[0] != one.better
        )
    )
    head = (
        f'<p class="slice"><strong>{isolated(cut_text(slice_in_words(gap.slicing, gap.label, ": "), 48))}</strong> <span class="faint">n = {one.n:,}{few}</span> '
        f'<span class="gap">{values}: <strong{worse}>{view.signed(one.difference if one.better == one.first else -one.difference, one)}</strong>{certainty}</span></p>'
    )
    examples = change.of_slices.get((gap.slicing, gap.label), []) if change else []
    example = next((example for example in examples if example.id not in shown), None)
    if change is None or example is None:
        return head
    shown.add(example.id)
    return head + _example(change, example, names)


def _example(change: Change, example: Disagreement, names: dict[str, str]) -> str:
    """An example in two lines: question, gold answer, and both answers."""
    asked = example.question or example.id
    told = [("gold", example.gold), *zip((names[change.first], names[change.second]), example.answers, strict=True)]
    answers = " · ".join(
        f'<span class="faint">{isolated(name)}</span> {_cut_answer(answers, place == 0)}'
        for place, (name, answers) in enumerate(told)
    )
    return f'<p class="example"><q>{escaped(cut_text(asked, _QUESTION))}</q><br>{answers}</p>'


def _cut_answer(answers: Sequence[str], is_gold: bool) -> str:
    told = [answer for answer in answers if answer.strip()]
    if not told:
        return f"<em>{'has no answer' if is_gold else 'no answer'}</em>"
    return isolated(cut_text(told[0] if is_gold else " / ".join(told), _CELL))


def _kinds(view: PageView, names: dict[str, str]) -> str:
    """The kinds of errors of both systems as bars, of the first metric."""
    counts = next(iter(view.data.kinds.values()), None)
    if not counts or not any(map(sum, (of.values() for of in counts.values()))):
        return ""
    shown = {names[system]: of for system, of in reversed(_most_frequent(counts).items())}
    return f"<div><h2>What goes wrong</h2>{stacked_bars(shown, title='Kinds of errors')}</div>"


def _most_frequent(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """The counts of the most frequent kinds; all others are merged into "other kinds"."""
    kinds = list(dict.fromkeys(kind for of in counts.values() for kind in of))
    often = sorted(kinds, key=lambda kind: -sum(of.get(kind, 0) for of in counts.values()))
    kept = kinds if len(kinds) <= _KINDS + 1 else [kind for kind in kinds if kind in often[:_KINDS]]
    rest = {"other kinds"} if len(kept) < len(kinds) else set()
    return {
        system: {kind: of.get(kind, 0) for kind in kept}
        | {name: sum(of.values()) - sum(of.get(kind, 0) for kind in kept) for name in rest}
        for system, of in counts.items()
    }


def _basis(view: PageView, difference: Difference) -> str:
    """The basis of the numbers in a few lines."""
    lines = [f"{view.count(difference.n)}, scored for both systems."]
    if view.data.test:
        test = tests_in_words(dataclasses.replace(view.data, differences=[difference]))
        corrected = f"; correction for several tests: {escaped(view.data.correction)}" if view.corrected else ""
        if difference.ranked:
            corrected = f"; corrected for {OF_RANKS}"
        lines.append(f"{escaped(test[0].upper() + test[1:])}; two-sided, level {view.alpha:g}{corrected}.")
    remarks = [line for line in dict.fromkeys([*view.report.remarks, *view.data.remarks])]
    lines += [escaped(cut_text(line, 130)) for line in remarks[:_REMARKS]]
    if len(remarks) > _REMARKS:
        lines.append(f"{len(remarks) - _REMARKS} more remarks are in the full report.")
    return f"<div><h2>Basis</h2><ul>{''.join(f'<li>{line}</li>' for line in lines)}</ul></div>"


def _signature(view: PageView) -> str:
    first, *others = view.report.signatures.values()
    more = f" and {len(others)} more" if others else ""
    return code(cut_text(first, _SIGNATURE)) + more
