"""The slices of all groupings in one list: where two systems are furthest apart, or where one system is weakest."""

from collections.abc import Mapping
from typing import NamedTuple

from ..core.slices import repeated_groups, slice_in_words
from ..reports.chart_parts import escaped, is_finite
from ..reports.finding import CHANCE
from ..reports.finding import FEW as TOO_FEW
from ..reports.html_parts import fold, go, isolated
from ..reports.page_view import REAL, PageView
from ..reports.slice_gaps import HARDLY_ANY, is_nearly_all
from ..reports.values import FEW, FEW_MEANS, Cell
from ..reports.values_text import number_text
from .analysis import Analysis
from .comparisons import (
    CompareChoices,
    comparison_by_all_slices,
    comparison_or_why,
    is_compared_by_all_slices,
)
from .findings import headline_measure, measure_words
from .linked_parts import Scale, difference_bar
from .page_hrefs import ErrorsHrefs
from .slices_view import outliers_of_systems, slice_report, slicings
from .view_parts import wrapped

SHOWN_SLICES = 10  # the others fold


class Sides(NamedTuple):
    """What slices are compared by: the system that is behind, and the best one (None: one system against all examples).

    Attributes:
        whole: the best system's value minus the other one's in all examples that both were measured on; the system's own
            value where it is alone.
        towards: -1.0 where a lower value is better.
    """

    measure: str
    system: str
    other: str | None
    whole: float
    towards: float

    def behind(self, gap: float) -> float:
        """How far the system is behind in a slice of that gap, whatever direction is better; below zero it is ahead."""
        return self.towards * gap if self.other else -self.towards * gap


class SliceValue(NamedTuple):
    """A slice by how far the system that is looked at is from the other one there, or from all examples.

    Attributes:
        gap: winner minus loser; of a system alone its value in the slice minus its value in all examples.
        value: of the system that is looked at.
        other: the value it is measured against.
        is_few: one of the two values rests on few examples.
        stands_out: it is worse than all examples by more than chance explains.
        is_nearly_all: hardly any example lies outside it.
    """

    slicing: str
    label: str
    gap: float
    value: Cell
    other: float
    is_few: bool
    stands_out: bool
    is_nearly_all: bool


def sides_of(analysis: Analysis) -> Sides:
    """The system that is behind in all examples against the best one, by the measure of the answer; or the only system."""
    measure = headline_measure(analysis)
    cells = analysis.measured_on_all(measure).cells(measure)
    is_lower = analysis.scores(analysis.systems[0]).measures[measure].lower_is_better
    ranked = sorted(cells, key=lambda system: cells[system].value, reverse=not is_lower)
    best, worst, towards = ranked[0], ranked[-1], -1.0 if is_lower else 1.0
    if len(ranked) == 1:
        return Sides(measure, best, None, cells[best].value, towards)
    cells = analysis.measured_on_all(measure, (worst, best)).cells(measure)
    return Sides(measure, worst, best, cells[best].value - cells[worst].value, towards)


def weakest_slices(analysis: Analysis) -> list[SliceValue]:
    """All slices, those first that stand out, then by how far the system is behind; slices of few examples come later (by their number alone, as in the answer), and
    slices of nearly all examples last: they say nothing more than the whole.
    """
    return analysis.once("weakest_slices", lambda: _weakest_slices(analysis))


def _weakest_slices(analysis: Analysis) -> list[SliceValue]:
    sides = sides_of(analysis)
    compared = _measured(analysis, sides)
    total = compared.cells(sides.measure)[sides.system].n
    found, names = [], slicings(compared)
    repeated = repeated_groups({name: compared.labels(sides.system, name) for name in names})
    for slicing in names:
        for label, by_system in slice_report(compared, slicing).slices[slicing].items():
            cell = by_system[sides.system].get(sides.measure)
            against = by_system[sides.other].get(sides.measure) if sides.other else None
            if (
                cell is None
                or not cell.n
                or not is_finite(cell.value)
                or (sides.other and (against is None or not against.n))
                or (slicing, label) in repeated
            ):
                continue
            other = sides.whole if against is None else against.value
            gap = other - cell.value if sides.other else cell.value - other
            is_few = cell.is_few or (against is not None and against.is_few)
            found.append(SliceValue(slicing, label, gap, cell, other, is_few, False, is_nearly_all(cell.n, total)))
    outliers = {(name, one.label) for name in dict.fromkeys(one.slicing for one in found) for one in _outliers(analysis, name, sides)}  # fmt: skip
    slices = [one._replace(stands_out=(one.slicing, one.label) in outliers) for one in found]
    return sorted(
        slices,
        key=lambda one: (
            not one.stands_out,
            one.is_nearly_all,
            one.value.n < FEW,
            one.value.n < HARDLY_ANY,
            -sides.behind(one.gap),
        ),
    )


def _measured(analysis: Analysis, sides: Sides) -> Analysis:
    """On the examples that the systems of the slices were measured on, as links list them."""
    return analysis.measured_on_all(sides.measure, (sides.system, sides.other)) if sides.other else analysis


def _certainties(analysis: Analysis, sides: Sides, *, waits: bool = False) -> dict[tuple[str, str], str]:
    """Slicing and label -> whether the difference of both systems is likely real, in the words of Compare; of one system
    whether the slice stands out, which is tested from `FEW` examples on. {} for systems that cannot be compared, and while the differences are being tested.
    """
    if sides.other is None:
        told = {True: REAL, False: CHANCE}
        return {
            (one.slicing, one.label): told[one.stands_out] if one.value.n >= FEW else TOO_FEW
            for one in weakest_slices(analysis)
        }
    report, _ = (None, "") if waits else comparison_or_why(analysis, CompareChoices(), comparison_by_all_slices)
    if report is None:
        return {}
    view = PageView(report)
    return {
        (slicing, label): view.certainty(one)
        for slicing, labels in report.slices.items()
        for label, differences in labels.items()
        for one in differences
        if one.measure == sides.measure and {one.first, one.second} == {sides.system, sides.other}
    }


def _outliers(analysis: Analysis, slicing: str, sides: Sides):
    """Of one system alone: beside another one the gap to that counts."""
    return [] if sides.other else outliers_of_systems(analysis, slicing, sides.measure)[sides.system]


def is_tested(analysis: Analysis) -> bool:
    """Whether it is known already which gaps are likely real."""
    return sides_of(analysis).other is None or is_compared_by_all_slices(analysis, CompareChoices())


def slices_overview(analysis: Analysis, *, waits: bool = False) -> str:
    """The finding in a sentence, and the slices as links to their examples.

    Args:
        waits: which gaps are likely real is still being computed.
    """
    slices, sides = weakest_slices(analysis), sides_of(analysis)
    if not slices:
        return ""
    scale = Scale([1.1 * one.gap for one in slices])
    certainties = _certainties(analysis, sides, waits=waits)
    sure = {place for place, told in certainties.items() if told == REAL}
    rows = [_row(analysis, one, sides, scale, (one.slicing, one.label) in sure) for one in slices]
    shown, rest = rows[:SHOWN_SLICES], rows[SHOWN_SLICES:]
    few = (
        f" {FEW_MEANS[0].upper()}{FEW_MEANS[1:]}. Slices of fewer than {FEW} {analysis.examples_name} come after the others."
        if any(one.is_few for one in slices)
        else ""
    )
    if waits:
        few += " The differences are being tested…"
    elif sides.other and certainties:
        few += f" Hollow bars: could be chance. {_tests_in_words(analysis)}"
    elif not sides.other and any((one.slicing, one.label) not in sure for one in slices):
        few += " Only slices that stand out have a filled bar."
    if any(one.is_nearly_all for one in slices):
        few += f" Slices of nearly all {analysis.examples_name} come last."
    system, title = isolated(sides.system), escaped(measure_words(analysis, sides.measure))
    minus = (
        f"{isolated(sides.other)} minus {system}"
        if sides.other
        else f"{system} minus its value over {_over_all(analysis)}"
    )
    return wrapped(
        f'<section><p class="finding">{finding(analysis, certainties)}</p><p class="faint">{title}: {minus}.{escaped(few)}</p>'
        f'<ol class="gaps slices">{"".join(shown)}</ol>'
        + (fold(f"Show all {len(rows)} slices", f'<ol class="gaps slices">{"".join(rest)}</ol>') if rest else "")
        + "</section>"
    )


def _tests_in_words(analysis: Analysis) -> str:
    """By what the gaps were tested: what is chosen in Compare does not count here."""
    usual = CompareChoices()
    several = f" for all {'pairs of systems, ' if len(analysis.systems) > 2 else ''}slices and measures of a grouping"
    return (
        f"By a paired {usual.test} test at level {1 - analysis.settings.intervals.confidence:.4g} with {usual.correction.title()}'s correction"
        f"{several}, whatever is chosen in Compare."
    )


def finding(analysis: Analysis, certainties: Mapping[tuple[str, str], str]) -> str:
    """Where the system is weakest, and whether that could be chance, in a sentence, as HTML."""
    sides, (first, *others) = sides_of(analysis), weakest_slices(analysis)
    # Slices of nearly all examples come last, and may be the only large ones that are behind.
    large = (own for own in others if own.value.n >= FEW and sides.behind(own.gap) > 0)
    one = first if sides.behind(first.gap) > 0 else next(large, first)
    label = isolated(slice_in_words(one.slicing, one.label))
    system, size = isolated(sides.system), f"n = {one.value.n:,}{', few' if one.is_few else ''}"
    told = f"{_number(analysis, one.value, one.value.value)} against {_number(analysis, one.value, one.other)}"
    if sides.behind(one.gap) <= 0:
        behind_in_few = any(sides.behind(other.gap) > 0 for other in weakest_slices(analysis))
        none = f"no slice of {FEW} {escaped(analysis.examples_name)} or more" if behind_in_few else "no slice"
        if sides.other is None:
            return f"{system} is below its value over {_over_all(analysis)} in {none}."
        return f"{system} is behind in {none}; least ahead on {label} ({size}): {told}{_whose(analysis, sides)}."
    sure = f" ({told_sure})" if (told_sure := certainties.get((one.slicing, one.label))) else ""
    if sides.other is None:
        return f"{system} is weakest on {label} ({size}): {told} over {_over_all(analysis)}{sure}."
    gap, whole = (_signed(analysis, one.value, value) for value in (one.gap, sides.whole))
    return f"{system} is furthest behind on {label} ({size}): {told}{_whose(analysis, sides)}; the difference is {gap}{sure}, against {whole} over {_over_all(analysis)}."


def _whose(analysis: Analysis, sides: Sides) -> str:
    return f" of {isolated(sides.other)}" if sides.other else f" over {_over_all(analysis)}"


def _over_all(analysis: Analysis) -> str:
    sides, name = sides_of(analysis), escaped(analysis.examples_name)
    compared = _measured(analysis, sides)
    if compared is analysis:
        return f"all {name}"
    return f"the {compared.cells(sides.measure)[sides.system].n:,} {name} that both were measured on"


def _row(analysis: Analysis, one: SliceValue, sides: Sides, scale: Scale, is_sure: bool) -> str:
    """A slice as a link; `is_sure`: the gap is likely real, by the rule of Compare; of a system alone the slice stands out."""
    hrefs = ErrorsHrefs(analysis)
    if sides.other:
        href = hrefs.behind(sides.system, sides.other, sides.measure, one.slicing, one.label)
    else:
        href = hrefs.sliced_value(one.slicing, one.label, sides.measure, sides.system)
    few = " <em>few</em>" if one.is_few else ""
    bar = difference_bar(one.gap, None, scale, certain=is_sure, towards=sides.towards)
    values = _number(analysis, one.value, one.value.value)
    if sides.other:
        values = f"{_number(analysis, one.value, one.other)} against {values}"
    mark = '<span class="sub">stands out</span>' if one.stands_out else ""
    body = (
        f'<span class="name"><span class="slice">{isolated(slice_in_words(one.slicing, one.label, ": "))}</span></span>'
        f'<span class="size">n&nbsp;=&nbsp;{one.value.n:,}{few}</span>{bar}'
        f'<span class="amount">{_signed(analysis, one.value, one.gap)}<span class="sub">{values}</span>{mark}</span>'
    )
    return f'<li class="gap">{go(body, href) if href else f"<div>{body}</div>"}</li>'


def _number(analysis: Analysis, cell: Cell, value: float) -> str:
    return number_text(float(value), cell.is_rate, analysis.report.scale).replace("-", "−")


def _signed(analysis: Analysis, cell: Cell, value: float) -> str:
    text = _number(analysis, cell, value)
    return f"+{text}" if value > 0 else text
