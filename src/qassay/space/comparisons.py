"""Comparisons of the systems of an analysis: what a visitor chose, the results, and the command lines that make them."""

import dataclasses
import math
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..files.reading import with_file_names
from ..files.roles import names_by_system
from ..files.tables import each_column
from ..registry import compared_measures
from ..reports.comparison import ComparisonReport, build_comparison, usual_slices
from ..reports.page_view import REAL, PageView
from ..reports.values import in_scale
from ..scoring import measures_by_metric
from ..stats.compare import compare_scores
from ..stats.corrections import CORRECTIONS
from ..stats.difference import ComparisonSettings, Difference
from ..stats.paired_tests import PAIRED_TESTS
from ..stats.same_columns import with_same_columns
from ..system_files import names_of_systems
from .analysis import Analysis, Inputs, Settings
from .slices_view import slicings

MEASURES = ("main", "usual", "all")
TEXTS = 50  # losses and gains whose texts a report has
NEEDS_TWO = (
    "A comparison needs two or more systems on the same examples. Go to Score, give a second file of predictions, and "
    "score again."
)
_KEPT = 6  # comparisons of an analysis that are not computed again


class CompareChoices(NamedTuple):
    """What a visitor chose on the tab.

    Attributes:
        baseline: the system that all others are compared with; None: every pair.
        test, correction: as in `qassay.compare`.
        measures: "main", "usual" or "all".
    """

    baseline: str | None = None
    test: str = PAIRED_TESTS[0]
    correction: str = CORRECTIONS[0]
    measures: str = "main"

    def fitting(self, analysis: Analysis) -> "CompareChoices":
        """The same, without a baseline that is not a system of the analysis."""
        return self if self.baseline in analysis.systems else self._replace(baseline=None)


def known_comparison(analysis: Analysis, choices: CompareChoices) -> ComparisonReport | None:
    """What `comparison_of` has computed already."""
    return analysis.known("comparisons", choices)


def comparison_of(analysis: Analysis, choices: CompareChoices) -> ComparisonReport:
    """The comparison of all systems, kept with the analysis; a ValueError if they have no example in common."""
    return analysis.latest("comparisons", choices, lambda: _compare(analysis, choices, by=_slices(analysis)), _KEPT)


def comparison_by_all_slices(analysis: Analysis, choices: CompareChoices) -> ComparisonReport:
    """The same by every grouping of the tab Slices, in which the answer looks for the worst slice; for the report on one page."""
    groupings = _all_slices(analysis)
    if groupings == _slices(analysis):
        return comparison_of(analysis, choices)
    return analysis.latest("by all slices", choices, lambda: _compare(analysis, choices, by=groupings), 1)


def slice_differences(analysis: Analysis, slicings: Sequence[str]) -> Mapping[str, Mapping[str, Sequence[Difference]]]:
    """Grouping -> group -> its differences as `comparison_by_all_slices` has them, which corrects each grouping by itself; in
    a fraction of the time where that is not known yet.
    """
    usual = CompareChoices()
    if is_compared_by_all_slices(analysis, usual):
        return comparison_by_all_slices(analysis, usual).slices
    names = tuple(dict.fromkeys(slicings))
    return analysis.latest("slices", names, lambda: _compare(analysis, usual, by=names, texts=False), _KEPT).slices


def certainty_in_slice(analysis: Analysis, sides: tuple[str, str], measure: str, slicing: str, label: str) -> str:
    """Whether the difference of two systems in a group is likely real, in the words that a report by all slices has.

    The other groups are tested only if the correction decides: p of the group alone, times the number of tests of the
    grouping, is an upper bound of its corrected p. The number is known where the measures of every metric are named.
    """
    view = PageView(verdict_of(analysis, CompareChoices()))
    labels = analysis.labels(sides[0], slicing)
    main = _measures(analysis, CompareChoices())
    rows = [row for row, own_label in enumerate(labels) if own_label == label]
    parts = {side: analysis.main.scores[side].take(rows) for side in sides}
    settings = ComparisonSettings(
        intervals=analysis.settings.intervals, n_permutations=analysis.settings.n_permutations
    )
    in_slice = compare_scores(
        in_scale(with_same_columns(parts), analysis.settings.percent), main[analysis.family.name], settings=settings
    )
    own = next(one for one in in_slice.differences if one.measure == measure)
    n_pairs = math.comb(len(analysis.systems), 2)
    counts = [len(names) for names in main.values() if names is not None]
    n_tests = n_pairs * len(set(labels)) * sum(counts)
    if not view.read(dataclasses.replace(own, p_adjusted=own.p_value)).real:
        return view.chance(own)
    if len(counts) == len(main) and view.read(dataclasses.replace(own, p_adjusted=own.p_value * n_tests)).real:
        return REAL
    return next(
        view.certainty(one)
        for one in slice_differences(analysis, [slicing])[slicing][label]
        if one.measure == measure and {one.first, one.second} == {*sides}
    )


def is_compared_by_all_slices(analysis: Analysis, choices: CompareChoices) -> bool:
    """Whether `comparison_by_all_slices` has its result already."""
    group = "comparisons" if _all_slices(analysis) == _slices(analysis) else "by all slices"
    return analysis.known(group, choices) is not None


def _all_slices(analysis: Analysis) -> list[str]:
    return list(dict.fromkeys([*slicings(analysis), *_slices(analysis)]))


def verdict_of(analysis: Analysis, choices: CompareChoices) -> ComparisonReport:
    """The same without slices and texts, in a fraction of the time where it is not known yet; for the verdict."""
    known = known_comparison(analysis, choices)
    if known is not None:
        return known
    return analysis.latest("verdicts", choices, lambda: _compare(analysis, choices, by=(), texts=False), _KEPT)


def comparison_or_why(
    analysis: Analysis,
    choices: CompareChoices,
    compare: Callable[[Analysis, CompareChoices], ComparisonReport] = comparison_of,
) -> tuple[ComparisonReport | None, str]:
    """What `comparison_of` or `verdict_of` gives and "", or None and in words why these systems cannot be compared."""
    try:
        return compare(analysis, choices), ""
    except ValueError as error:
        return None, with_file_names(error, analysis.inputs.shown_files)


def _compare(analysis: Analysis, choices: CompareChoices, by: Sequence[str], *, texts: bool = True) -> ComparisonReport:
    """The comparison by these slices, with texts of examples and the command line or without."""
    scored, settings = list(analysis.scored), analysis.settings
    return build_comparison(
        scored,
        by,
        _measures(analysis, choices),
        ComparisonSettings(
            choices.test,
            choices.correction,
            settings.intervals,
            settings.n_permutations,
            choices.baseline,
        ),
        percent=settings.percent,
        n_texts=TEXTS if texts else 0,
        command=compare_command(analysis, choices) if texts else "",
        group_name=analysis.inputs.groups,
    )


def _usual_slices(analysis: Analysis) -> list[str]:
    return analysis.once("usual_slices", lambda: usual_slices(analysis.scored))


def _slices(analysis: Analysis) -> list[str]:
    """The slices of a report; if its metrics have none, the groupings of the tab Slices."""
    return _usual_slices(analysis) or slicings(analysis)


def _measures(analysis: Analysis, choices: CompareChoices) -> dict[str, list[str] | None]:
    """Metric -> measures to compare, None: the usual measures."""
    if choices.measures == "all":
        return {scored.family.name: ["all"] for scored in analysis.scored}
    if choices.measures == "main":
        main = {scored.family.name: compared_measures(scored.scores)[1] for scored in analysis.scored}
        return main | ({analysis.family.name: analysis.main_measures} if analysis.inputs.measures else {})
    return dict(measures_by_metric(analysis.scored, analysis.inputs.measures))


def file_arguments(analysis: Analysis) -> list[str]:
    """What the command line needs to score the same files with the same options; files by their shown names."""
    inputs = analysis.inputs
    named = [f"{role}={column}" for role, of in inputs.columns.items() for column in each_column([of])]
    probabilities = [
        f"{_command_names(inputs).get(system, system)}={inputs.shown(path)}"
        for system, path in inputs.probabilities.items()
    ]
    return [
        inputs.shown(inputs.gold),
        *_system_arguments(inputs),
        *(("--metric", inputs.metric) if inputs.metric else ()),
        *(["--option", *inputs.options] if inputs.options else []),
        *(["--columns", *named] if named else []),
        *(["--no-answer-probabilities", *probabilities] if probabilities else []),
        *(["--groups", inputs.groups] if inputs.groups else []),
    ]


def setting_arguments(analysis: Analysis) -> list[str]:
    """The settings of intervals that differ from the command line's defaults."""
    intervals, usual = analysis.settings.intervals, Settings().intervals
    return [
        *(["--confidence", f"{intervals.confidence:g}"] if intervals.confidence != usual.confidence else []),
        *(["--resamples", str(intervals.n_resamples)] if intervals.n_resamples != usual.n_resamples else []),
        *(["--interval-method", intervals.method] if intervals.method != usual.method else []),
        *(["--seed", str(intervals.seed)] if intervals.seed else []),
        *(["--percent"] if analysis.settings.percent else []),
    ]


def compare_command(analysis: Analysis, choices: CompareChoices) -> str:
    """The command line that makes the report of a comparison."""
    names, measures = _command_names(analysis.inputs), _named_measures(analysis, choices)
    rounds = analysis.settings.n_permutations
    by = [] if _usual_slices(analysis) else slicings(analysis)
    return shlex.join(
        [
            *("qassay", "compare", *file_arguments(analysis)),
            *(["--measures", *measures] if measures else []),
            *(["--by", *by] if by else []),
            *(["--baseline", names.get(choices.baseline, choices.baseline)] if choices.baseline else []),
            *(["--test", choices.test] if choices.test != PAIRED_TESTS[0] else []),
            *(["--correction", choices.correction] if choices.correction != CORRECTIONS[0] else []),
            *(["--permutations", str(rounds)] if rounds != Settings().n_permutations else []),
            *setting_arguments(analysis),
            *("--texts", str(TEXTS), "--report", "qassay_report.html"),
        ]
    )


def _named_measures(analysis: Analysis, choices: CompareChoices) -> list[str]:
    """What to give as `--measures`, [] for nothing."""
    if choices.measures == "usual":
        return list(analysis.inputs.measures or [])
    if choices.measures == "all":
        return ["all"]
    return list(dict.fromkeys(name for names in _measures(analysis, choices).values() for name in names))


def _command_names(inputs: Inputs) -> dict[str, str]:
    """System -> the name that the command line gives it: for several files their common name, else its file or its column."""
    paths = [inputs.shown(path) for path in inputs.systems.values()][:: len(names_by_system(inputs.columns))]
    names = dict(zip(inputs.systems, names_of_systems(paths, inputs.columns), strict=True))
    return names | {system: system for system in inputs.runs}


def _system_arguments(inputs: Inputs) -> list[str]:
    """The files of the systems, each once where it holds several; files of runs as `NAME=FILE,FILE`."""
    systems = list(inputs.systems.items())[:: len(names_by_system(inputs.columns))]
    return [
        f"{name}={','.join(map(inputs.shown, inputs.runs[name]))}" if name in inputs.runs else inputs.shown(path)
        for name, path in systems
    ]
