"""Findings in a few sentences: which system is better, by how much, how certain that is, and what would settle it."""

import functools
import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..core.intervals import FEW_UNITS
from ..stats.difference import Difference
from ..stats.ranking import Ranking
from .chart_parts import escaped, is_finite
from .comparison import counted, is_least, rests_on_few
from .html_parts import go, isolated
from .interval_width import examples_for_width, interval_half_width
from .page_view import REAL, PageView, p_equation
from .values import Cell, ValuesReport
from .values_text import number_text

CHANCE, FEW, EQUAL, NONE, VALUE = "could be chance", "too few to say", "equal", "not compared", ""


class Piece(NamedTuple):
    """A part of a sentence: text, address, and kind: "name" (of a system or slice), "strong" or "" for plain words."""

    text: str
    kind: str = ""
    href: str = ""


Sentence = list[Piece]


class Finding(NamedTuple):
    """A finding in sentences.

    Attributes:
        sure: `REAL`, `CHANCE`, `FEW`, `EQUAL`, `NONE`, or `VALUE` without a comparison.
        headline: one line.
        sentences: the reasons.
        better, worse: the systems ahead and behind; "" for none.
        measure: the measure compared.
    """

    sure: str
    headline: Sentence
    sentences: list[Sentence]
    better: str = ""
    worse: str = ""
    measure: str = ""


def plain_text(sentence: Iterable[Piece]) -> str:
    """A sentence as plain text."""
    return "".join(piece.text for piece in sentence)


def as_html(sentence: Iterable[Piece], short: Mapping[str, str] | None = None) -> str:
    """A sentence as HTML; all texts are escaped here.

    Args:
        short: name -> shorter name to show; the full name is its title.
    """
    return "".join(_piece_html(piece, short or {}) for piece in sentence)


def name_html(text: str, short: Mapping[str, str]) -> str:
    """A name as HTML, or a shorter name with the full name as its title."""
    shown = short.get(text, text)
    return isolated(text) if shown == text else f'<bdi title="{escaped(text)}">{escaped(shown)}</bdi>'


def _piece_html(piece: Piece, short: Mapping[str, str]) -> str:
    text = name_html(piece.text, short) if piece.kind == "name" else escaped(piece.text)
    text = f"<strong>{text}</strong>" if piece.kind else text
    return go(text, piece.href)


def name(text: str, href: str = "") -> Piece:
    """The name of a system or slice."""
    return Piece(text, "name", href)


def pair_finding(view: PageView, difference: Difference, title: str) -> Finding:
    """The finding on the difference between two systems; differences are the winner's value minus the loser's.

    Args:
        title: the name of the measure.
    """
    reading, n = view.read(difference), difference.n
    examples, first, second = view.examples_name, name(difference.first), name(difference.second)
    if not is_finite(difference.difference):
        none = [Piece(f"No {title} of these systems can be compared: it applies to no common example.")]
        return Finding(NONE, [Piece("Not compared")], [none], measure=difference.measure)
    if reading.better is None or reading.worse is None:
        value = view.write(difference.values[0], difference)
        both = [second, Piece(" and "), first, Piece(f" have the same {title}, {value} (n = {n:,}).")]
        return Finding(EQUAL, [Piece("No difference")], [both], measure=difference.measure)
    better, worse = name(reading.better), name(reading.worse)
    found = functools.partial(Finding, better=reading.better, worse=reading.worse, measure=difference.measure)
    amount = Piece(f"{_signed(view, difference, reading.better)} {title}", "strong")
    details = Piece(f" ({_details(view, difference, reading.better)})")
    lower = "; lower is better" if difference.lower_is_better else ""
    if reading.real:
        in_groups = difference.n_groups is not None and difference.n_groups < FEW_UNITS
        units = f"groups of {examples}" if in_groups else examples
        few = [[Piece(f"That rests on few {units}; more would make it clearer.")]] * rests_on_few(difference)
        headline = [better, Piece(" is better than "), worse]
        return found(REAL, headline, [[amount, details, Piece(f"{lower}: more than chance explains.")], *few])
    few_there = n < FEW_UNITS
    headline = [Piece(f"{_too_few(n, examples)} to say which is better")] if few_there else [Piece("No clear winner")]
    ahead = [better, Piece(" is ahead: "), amount, details, Piece(f"{lower}. That {view.chance(difference)}.")]
    return found(FEW if few_there else CHANCE, headline, [ahead, *_needed(view, difference)])


def _too_few(n: int, examples_name: str) -> str:
    """Words for too few examples.

    Example:
        >>> _too_few(1, "questions"), _too_few(5, "questions")
        ('1 question is too few', '5 questions are too few')
    """
    return f"{counted(n, examples_name)} {'is' if n == 1 else 'are'} too few"


def _needed(view: PageView, difference: Difference) -> list[Sentence]:
    """How many examples would settle a difference of this size; empty if unknown, or if there are as many."""
    if difference.n_needed is None or difference.n_needed <= difference.n:
        return []
    return [[Piece(f"About {view.count(difference.n_needed)} would settle a difference of that size.")]]


def _signed(view: PageView, difference: Difference, better: str) -> str:
    """The winner's value minus the loser's."""
    return view.signed(_towards(difference, better) * difference.difference, difference)


def _towards(difference: Difference, better: str) -> int:
    return 1 if better == difference.second else -1


def _details(view: PageView, difference: Difference, better: str) -> str:
    """Interval, p and n of a difference."""
    towards = _towards(difference, better)
    interval = sorted(towards * end for end in difference.interval) if difference.interval else None
    ends = view.ends(interval, lambda end: view.signed(end, difference))
    p_value = html.unescape(p_equation(difference.p_adjusted, is_least(view.data, difference)))
    p = [p_value] if is_finite(difference.p_adjusted) else []
    in_groups = f" in {difference.n_groups:,} groups" if difference.n_groups is not None else ""
    n = f"n = {difference.n:,}{in_groups}"
    return ", ".join([*([f"{view.interval_name} {ends}"] if ends else []), *p, n])


def brief_text(view: PageView, difference: Difference, title: str, better: str) -> str:
    """A difference in a few words, from the view of the winner by another measure: "Exact match +23.44, likely real"."""
    if not is_finite(difference.difference):
        return f"{title} not compared"
    reading = view.read(difference)
    if reading.better is None:
        return f"{title} equal"
    sure = REAL if reading.real else CHANCE
    amount = view.signed(_towards(difference, better) * difference.difference, difference)
    return f"{title} {amount}, {sure}"


def rank_finding(ranking: Ranking, title: str, write: Callable[[float], str], examples_name: str) -> Finding:
    """The finding on the ranks of three or more systems: the first, and the systems not distinguishable from it.

    Args:
        title: the name of the measure.
        write: value -> text.
    """
    first, *others = ranking.systems
    alike = [of.system for of in ranking.tied_with_best[1:]]
    behind = [of.system for of in others if of.system not in alike]
    value = Piece(f"{title} {write(first.value)}", "strong")
    n = Piece(f", n = {ranking.n:,}.")
    if not alike:
        headline = [name(first.system), Piece(f" is the best of {len(ranking.systems)} systems")]
        told = [
            name(first.system),
            Piece(" has "),
            value,
            n,
            Piece(" Every other system is behind by more than chance."),
        ]
        return Finding(REAL, headline, [told], first.system, others[-1].system, ranking.measure)
    sure = FEW if ranking.n < FEW_UNITS else CHANCE
    headline = [Piece(f"{_too_few(ranking.n, examples_name)} to name a winner" if sure == FEW else "No clear winner")]
    told = [name(first.system), Piece(" is first, "), value, n, Piece(" It cannot be told apart from "), *listed(alike)]
    told += [Piece("; "), *listed(behind), Piece(f" {'is' if len(behind) == 1 else 'are'} behind by more than chance.")] if behind else [Piece(".")]  # fmt: skip
    return Finding(sure, headline, [told], first.system, others[-1].system, ranking.measure)


def listed(names: Sequence[str], most: int = 3) -> Sentence:
    """Names of systems in a sentence, up to a maximum number."""
    shown, rest = names[:most], len(names) - most
    pieces: Sentence = []
    for place, text in enumerate(shown):
        last = rest <= 0 and place == len(shown) - 1
        pieces += [*([Piece(" and " if last else ", ")] if place else []), name(text)]
    return [*pieces, *([Piece(f" and {rest} more")] if rest > 0 else [])]


def value_finding(
    report: ValuesReport, system: str, measure: str, cell: Cell, title: str, examples_name: str
) -> Finding:
    """The finding on the value of one system: how well it is known, and how many examples would narrow its interval."""
    found = functools.partial(Finding, worse=system, measure=measure)
    if not is_finite(cell.value):
        none = [Piece(f"{title} applies to none of these {examples_name}.")]
        return found(NONE, [name(system), Piece(" has no value")], [none])
    write = functools.partial(number_text, is_rate=cell.is_rate, scale=report.scale)
    headline = [name(system), Piece(": "), Piece(f"{write(cell.value)} {title}", "strong")]
    if cell.interval is None or not all(map(is_finite, cell.interval)):
        return found(VALUE, headline, [[Piece(f"Measured on {counted(cell.n, examples_name)}.")]])
    low, high = map(write, cell.interval)
    others = f"other {examples_name} and other runs" if system in report.n_runs else f"other {examples_name}"
    told = f"On {others} like these it may range from {low} to {high} ({100 * report.intervals.confidence:g} % interval, n = {cell.n:,})."
    sure = FEW if cell.is_few else VALUE
    return found(sure, headline, [[Piece(told)], *_wanted(report, cell, examples_name, system)])


def _wanted(report: ValuesReport, cell: Cell, examples_name: str, system: str) -> list[Sentence]:
    """How many examples a rate needs for ±0.01; empty for several runs, because their number matters too."""
    if not cell.is_rate or cell.interval is None or system in report.n_runs:
        return []
    target = 1.0 if report.scale == 100 else 0.01
    number = cell.n if cell.n_groups is None else cell.n_groups
    wanted = examples_for_width(number, interval_half_width(*cell.interval), target)
    if wanted is None or wanted <= number:
        return []
    what = examples_name if cell.n_groups is None else f"groups of {examples_name} like these"
    return [[Piece(f"To know it to ±{target:g} takes about {wanted:,} {what}.")]]
