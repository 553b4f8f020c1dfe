"""What was found in the systems of an analysis, in words: the verdict, where the loser fails, and by which errors."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..catalog import measure_name_in_words
from ..core.intervals import FEW_UNITS
from ..core.measures import are_graded
from ..core.slices import repeated_groups, slice_in_words
from ..reports.chart_parts import is_finite
from ..reports.comparison import ComparisonReport, counted
from ..reports.finding import NONE, REAL, Finding, Piece, Sentence, name, pair_finding, rank_finding, value_finding
from ..reports.page_view import PageView
from ..reports.slice_gaps import is_nearly_all
from ..reports.values import Cell, in_scale
from ..reports.values_text import number_text
from ..stats.difference import Difference
from ..stats.ranking import Ranking
from .address import View
from .analysis import Analysis
from .comparisons import CompareChoices, certainty_in_slice, comparison_or_why, verdict_of
from .page_hrefs import ErrorsHrefs
from .slices_view import outliers_of_systems, slicings

_USUAL = CompareChoices()
_PLACES = 3  # systems whose worst slices the answer names


class WorstSlice(NamedTuple):
    """Where a system loses most: the slice, its label, how much, in the scale of the report, and of how many examples.

    `loss` is the winner's value minus the loser's; of a system alone its value minus the value of all examples. `of` says how
    many slices were looked at.
    """

    slice: str
    label: str
    loss: float
    n: int
    of: int


# --- comparisons ------------------------------------------------------------------------------------------------------


def compared(analysis: Analysis, choices: CompareChoices = _USUAL) -> ComparisonReport | None:
    """All systems compared as the tab Compare does before anybody chooses; None for one, and for some that cannot be."""
    if len(analysis.systems) < 2:
        return None
    report, _ = comparison_or_why(analysis, choices, verdict_of)  # the tab Compare says why
    return report


def measure_words(analysis: Analysis, measure: str) -> str:
    """The name of a measure as the field writes it."""
    metric = next(
        (
            one.family.name
            for one in analysis.scored
            if any(measure in scores.measures for scores in one.scores.values())
        ),
        analysis.family.name,
    )
    return measure_name_in_words(metric, measure)


_MANY_MISSING = 0.05  # of the examples, from which on the answer says that predictions are missing


# --- findings ---------------------------------------------------------------------------------------------------------


def finding_of(analysis: Analysis) -> Finding:
    """What was found, kept with the analysis."""

    def make() -> Finding:
        found = _finding(analysis)
        return found._replace(sentences=[*found.sentences, *_many_missing(analysis)])

    return analysis.once("finding", make)


def _many_missing(analysis: Analysis) -> list[Sentence]:
    """Which systems have no prediction for many examples, which are scored all the same."""
    told = []
    for system, notes in analysis.report.notes.items():
        count, n = notes.get("missing", 0), len(analysis.main.scores[system])
        if count >= _MANY_MISSING * n:
            told.append(f"{system} for {count:,}{'' if told else f' of {n:,} {analysis.examples_name}'}")
    return [[Piece(f"Without a prediction: {', '.join(told)}.")]] if told else []


def _finding(analysis: Analysis) -> Finding:
    report, systems = compared(analysis), analysis.systems
    if len(systems) == 1:
        return _of_one(analysis)
    if report is None:
        told = [Piece("These systems cannot be compared; the tab "), Piece("Compare", "", View("compare").href()), Piece(" says why.")]  # fmt: skip
        return Finding(NONE, [Piece("Not compared")], [told], measure=analysis.main_measures[0])
    view = PageView(report)
    if len(systems) > 2 and report.rankings:
        ranking = headline_ranking(report)

        def write(value: float) -> str:
            return view.write(value, Cell(value, None, ranking.n, ranking.is_rate))

        found = rank_finding(ranking, measure_words(analysis, ranking.measure), write, analysis.examples_name)
        return found._replace(sentences=[*found.sentences, *_where_behind(analysis, found, ranking, view)])
    return _of_pair(analysis, view)


def _of_one(analysis: Analysis) -> Finding:
    system, measure = analysis.systems[0], headline_measure(analysis)
    title = measure_words(analysis, measure)
    cell = analysis.cells(measure)[system]
    found = value_finding(analysis.report, system, measure, cell, title, analysis.examples_name)
    more = []
    if worst := worst_slice(analysis):
        whole = number_text(cell.value, cell.is_rate, analysis.report.scale)
        value = number_text(cell.value + worst.loss, cell.is_rate, analysis.report.scale)
        more += [[Piece("It is weakest on "), _slice_piece(analysis, system, worst), Piece(f" ({value} against {whole} of all, n = {worst.n:,}; {REAL}).")]]  # fmt: skip
    return found._replace(sentences=[*found.sentences, *more, *_most_errors(analysis, system)])


def _of_pair(analysis: Analysis, view: PageView) -> Finding:
    difference = _headline_difference(view)
    found = pair_finding(view, difference, measure_words(analysis, difference.measure))
    if not found.worse:
        return found
    more: list[Sentence] = _of_common_examples(analysis, view, difference, found)
    if found.sure == REAL and (worst := worst_slice(analysis)):
        loss, sure = view.signed(-worst.loss, difference), slice_certainty(analysis, found, worst)
        several = f"the largest gap of {worst.of} slices" if worst.of > 1 else "the only slice"
        looked = f"{several} with n ≥ {FEW_UNITS}"
        more.append(
            [
                name(found.worse),
                Piece(" loses most on "),
                _slice_piece(analysis, found.worse, worst, found.better),
                Piece(f" ({loss}, n = {worst.n:,}, {looked}; {sure})."),
            ]  # fmt: skip
        )
    return found._replace(sentences=[*found.sentences, *more, *_excess_errors(analysis, found.better, found.worse)])


def _where_behind(analysis: Analysis, found: Finding, ranking: Ranking, view: PageView) -> list[Sentence]:
    """Where the systems that are behind the best one lose most against it, the last one first."""
    places = list(worst_slices(analysis).items())
    if not places:
        return []
    told: Sentence = []
    for number, (system, worst) in enumerate(places[:_PLACES]):
        joint = "" if not number else " and " if number == len(places) - 1 else ", "
        loss = view.signed(-worst.loss, Cell(0.0, None, ranking.n, ranking.is_rate))
        certainty = slice_certainty(analysis, found._replace(worse=system), worst)
        told += [
            Piece(joint),
            name(system),
            Piece(" on "),
            _slice_piece(analysis, system, worst, found.better),
            Piece(f" ({loss}, n = {worst.n:,}, {certainty})"),
        ]
    return [[Piece("Largest gaps to "), name(found.better), Piece(": "), *told, Piece(".")]]


def _of_common_examples(analysis: Analysis, view: PageView, difference: Difference, found: Finding) -> list[Sentence]:
    """The values behind the difference, if they differ from each system's values over all its examples."""
    values = dict(zip((difference.first, difference.second), difference.values, strict=True))
    whole = {system: cell.value for system, cell in analysis.cells(difference.measure).items()}
    if all(math.isclose(values[system], whole[system], rel_tol=1e-9, abs_tol=1e-9) for system in values):
        return []
    better, worse = (view.write(values[system], difference) for system in (found.better, found.worse))
    both = f"On the {view.count(difference.n)} that both were measured on, "
    return [[Piece(both), name(found.better), Piece(f" has {better}, "), name(found.worse), Piece(f" {worse}.")]]


def _headline_difference(view: PageView) -> Difference:
    """Of the first two systems: by the main measure that tells most examples apart."""
    of_pair = view.by_pair[view.pairs[0]]
    return of_pair[view.main_measures(view.pairs[0])[0]]


def headline_ranking(report: ComparisonReport) -> Ranking:
    """The ranking of three or more systems, by the measure that a comparison of two would lead with."""
    measure = _headline_difference(PageView(report)).measure
    return next((ranking for ranking in report.rankings if ranking.measure == measure), report.rankings[0])


def headline_measure(analysis: Analysis) -> str:
    """The measure that the answer leads with."""
    analysis = analysis.whole or analysis
    report = compared(analysis)
    if report is None or not report.differences:
        of_each = {name: analysis.by_example(analysis.systems[0], name) for name in analysis.main_measures}
        graded = [name for name, column in of_each.items() if column is not None and are_graded(column)]
        return (graded or analysis.main_measures)[0]
    if len(analysis.systems) > 2 and report.rankings:
        return headline_ranking(report).measure
    return _headline_difference(PageView(report)).measure


def slice_view(analysis: Analysis, system: str, worst: WorstSlice, better: str | None = None) -> View:
    """The examples of a slice that count: the measure applies to them, also in the other system if there is one."""
    view = View("errors", slice=f"{worst.slice}:{worst.label}", measure=headline_measure(analysis))
    return ErrorsHrefs(analysis, (better, system) if better else None).of_both(view, system, first_run=True)


def slice_certainty(analysis: Analysis, found: Finding, worst: WorstSlice) -> str:
    """Whether the gap of the worse system of a finding in a slice is likely real, in words; of one system alone it always is, and
    of several without a better one nothing is said.
    """
    if not found.better:
        return REAL if len(analysis.systems) == 1 else ""
    sides = (found.worse, found.better)
    key = ("slice_certainty", *sides, found.measure, worst.slice, worst.label)
    return analysis.once(key, lambda: certainty_in_slice(analysis, sides, found.measure, worst.slice, worst.label))


def _slice_piece(analysis: Analysis, system: str, worst: WorstSlice, better: str | None = None) -> Piece:
    return name(slice_words(worst), slice_view(analysis, system, worst, better).href())


def slice_words(worst: WorstSlice) -> str:
    """The slice in words, such as "answer of 11 or more words"."""
    return slice_in_words(worst.slice, worst.label)


def worst_slice(analysis: Analysis) -> WorstSlice | None:
    """Where the system that is behind, the last of several, loses most; of a system alone, where it is worse than in all by
    more than chance.

    None if no slice has enough examples, or none has a larger gap than all examples.
    """
    if len(analysis.systems) == 1:
        return analysis.once("worst_slice", lambda: _weakest_slice(analysis))
    return (
        next(iter(worst_slices(analysis).values()), None)
        if len(analysis.systems) == 2
        else worst_slices(analysis).get(_last(analysis))
    )


def worst_slices(analysis: Analysis) -> dict[str, WorstSlice]:
    """Each system that is behind the best one -> where it loses most against it, the last system first.

    Of three or more systems only systems that are behind by more than chance; without a system that has no such slice.
    """
    return analysis.once("worst_slices", lambda: _largest_gaps(analysis))


def _looked_at(analysis: Analysis) -> list[str]:
    """The slices that the tab Slices lists, without slices of the answers."""
    return [name for name in slicings(analysis) if name not in analysis.telling.system_slices]


def _weakest_slice(analysis: Analysis) -> WorstSlice | None:
    measure, system = headline_measure(analysis), analysis.systems[0]
    whole, found = analysis.cells(measure)[system].value, []
    names = _looked_at(analysis)
    for slice_name in names:
        for outlier in outliers_of_systems(analysis, slice_name, measure)[system]:
            found.append(WorstSlice(slice_name, outlier.label, outlier.value - whole, outlier.n, len(names)))
    lower = analysis.scores(system).measures[measure].lower_is_better
    return min(found, key=lambda slice_: -slice_.loss if lower else slice_.loss, default=None)


def _last(analysis: Analysis) -> str:
    """The last of three or more systems by the measure of the answer; "" where they are not ranked."""
    report = compared(analysis)
    return headline_ranking(report).names[-1] if report is not None and report.rankings else ""


def _largest_gaps(analysis: Analysis) -> dict[str, WorstSlice]:
    report = compared(analysis)
    if report is None:
        return {}
    view = PageView(report)
    if len(analysis.systems) == 2:
        differences = [_headline_difference(view)]
    else:
        differences = _behind_the_best(view, headline_ranking(report)) if report.rankings else []
    first, *others = analysis.main.scores.values()
    alike = all(list(scores.ids) == list(first.ids) for scores in others)
    differences = [one for one in differences if one.better is not None and not one.left_out]
    if not differences or not alike:
        return {}  # the values of slices would be of other examples than the difference
    return _gaps_of(analysis, differences)


def _behind_the_best(view: PageView, ranking: Ranking) -> list[Difference]:
    """Of each system that is behind the best one by more than chance: the difference between both, the last system first."""
    best, *others = ranking.names
    pairs = [view.by_pair.get((best, one)) or view.by_pair.get((one, best), {}) for one in reversed(others)]
    found = [differences[ranking.measure] for differences in pairs if ranking.measure in differences]
    return [one for one in found if view.read(one).real and one.better == best]


def _gaps_of(analysis: Analysis, differences: Sequence[Difference]) -> dict[str, WorstSlice]:
    """The system that is behind in each difference, by one measure -> the slice with the largest gap, where that is larger
    than the difference.
    """
    found = {}
    for difference in differences:
        worse = difference.first if difference.better == difference.second else difference.second
        own = _gaps_between(analysis, difference.measure, worse, difference.better or "")
        sign = -1 if difference.lower_is_better else 1
        worst = max(own, key=lambda gap: sign * gap.loss, default=None)
        if worst is not None and sign * worst.loss > abs(difference.difference):
            found[worse] = worst._replace(of=len(own))
    return found


def _gaps_between(analysis: Analysis, measure: str, worse: str, better: str) -> list[WorstSlice]:
    """How far two systems are apart in each slice of enough examples, on the examples that both were measured on."""
    analysis = analysis.measured_on_all(measure, (worse, better))
    systems = in_scale({name: analysis.main.scores[name] for name in (worse, better)}, analysis.settings.percent)
    alone = {system: scores.with_measures({measure: scores.measures[measure]}) for system, scores in systems.items()}
    total = alone[worse].counts()[measure]
    gaps, names = [], _looked_at(analysis)
    repeated = repeated_groups({name: analysis.labels(worse, name) for name in names})
    for slice_name in names:
        parts = {system: scores.by(analysis.labels(system, slice_name)) for system, scores in alone.items()}
        for label, part in parts[worse].items():
            n = part.counts()[measure]
            if n < FEW_UNITS or is_nearly_all(n, total) or (slice_name, label) in repeated:
                continue  # a slice of nearly all examples is not a place
            values = {system: of[label][measure] for system, of in parts.items()}
            if None in values.values():
                continue
            gap = values[better] - values[worse]
            if is_finite(gap):
                gaps.append(WorstSlice(slice_name, label, gap, n, 0))
    return gaps


def wrong_kinds(analysis: Analysis, system: str) -> Mapping[str, int]:
    """How many examples of a system have each kind of error, without what is right."""
    if analysis.error_kinds is None:
        return {}
    right = analysis.telling.errors.right
    counts = Counter(analysis.error_kinds[system])
    return {kind: count for kind, count in counts.items() if kind not in right and count}


def _kind_piece(system: str, kind: str) -> Piece:
    return Piece(f"“{kind}”", "", View("errors", system=system, kind=kind).href())


def _excess_errors(analysis: Analysis, better: str, worse: str) -> list[Sentence]:
    """The kind of error that the loser makes most beyond the winner; nothing where it makes none more often."""
    ahead, behind = wrong_kinds(analysis, better), wrong_kinds(analysis, worse)
    if not behind or len(analysis.scores(better)) != len(analysis.scores(worse)):
        return []
    kind = max(behind, key=lambda kind: behind[kind] - ahead.get(kind, 0))
    if behind[kind] <= ahead.get(kind, 0):
        return []
    told = Piece(f", {behind[kind]:,} against {ahead.get(kind, 0):,} of ")
    return [
        [Piece("Kind of error with the largest excess: "), _kind_piece(worse, kind), told, name(better), Piece(".")]
    ]


def _most_errors(analysis: Analysis, system: str) -> list[Sentence]:
    """The most frequent kind of error of a system."""
    kinds = wrong_kinds(analysis, system)
    if not kinds:
        return []
    kind = max(kinds, key=kinds.__getitem__)
    told = Piece(f", {kinds[kind]:,} of {counted(sum(kinds.values()), 'errors')}.")
    return [[Piece("Most frequent kind of error: "), _kind_piece(system, kind), told]]
