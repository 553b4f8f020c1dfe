"""Builds the result document, which docs/result_document.md describes field by field."""

import dataclasses
import os
import re
import shlex
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..core.align import align_scores, require_same_options
from ..core.interval_settings import Intervals, check_confidence
from ..core.options import check_choice
from ..core.scores import Scores
from ..core.version import __version__
from ..files.given_scores import scored_of
from ..files.score_files import measures_by_metric
from ..files.scored import Scored, System
from ..files.slicing import labels_by_system, labels_of_all, slice_remarks, slices_by_metric
from ..leaderboards.about import AboutBoard, AboutSystem
from ..leaderboards.build import build_board
from ..registry import compared_measures
from ..stats.cautions import caution_texts
from ..stats.compare import Comparison, compare_scores
from ..stats.difference import ComparisonSettings, corrected, corrected_groups
from ..stats.leaderboard import Leaderboard
from ..stats.ranking import Ranking, decided_by
from ..stats.remarks import comparison_lines, note_lines
from ..stats.runs import with_same_columns
from ..stats.values import Cells, Values, measures_of_systems, values_of
from .examples import add_examples
from .parts import Part, add_slicing, mark_repeats, new_part, usual_labels, values_by_label
from .records import difference_record, ranked_cell, ranking_record, remark, value_records

FORMAT = "qassay.result/1"
KINDS = ("score", "compare", "leaderboard")
TEXT_BUDGET = 20_000_000  # characters


@dataclasses.dataclass(frozen=True)
class DocumentSettings:
    """The settings of a result document.

    Attributes:
        measures: the measures to show, as `--measures` takes them; None for the usual measures, ["all"] for all.
        every: values and requested slices of all measures where none are requested.
        by: names of requested slicings.
        is_whole: also the usual slicings of the metric, and the texts of examples.
        percent: rates between 0 and 100 instead of 0 and 1.
        at_k: the numbers k of pass@k and pass^k, by the names of the methods of `Runs`.
        group_name: the name of the groups; command: the command line.
    """

    measures: Sequence[str] | None = None
    every: bool = False
    by: Sequence[str] = ()
    is_whole: bool = True
    percent: bool = False
    at_k: Mapping[str, Sequence[int]] = dataclasses.field(default_factory=dict)
    group_name: str = ""
    command: str = ""

    @property
    def scale(self) -> int:
        """The upper end of rates."""
        return 100 if self.percent else 1


def document(
    systems: Scores | Mapping[str, Scores],
    kind: str = "score",
    *,
    measures: Sequence[str] | str | None = None,
    by: Any = None,
    percent: bool = False,
    confidence: float | None = 0.95,
    n_resamples: int = 1000,
    n_permutations: int = 10_000,
    seed: int = 0,
    method: str = "auto",
    test: str = "permutation",
    correction: str = "holm",
    baseline: str | None = None,
) -> dict[str, Any]:
    """The result document of scores: plain data, as `--format json` prints it for files.

    Args:
        systems: name -> Scores of the same metric and options, or the Scores of one system.
        kind: "score": values; "compare": also differences and tests of two or more systems; "leaderboard": also ranks.
        measures: measures to show; None for the usual measures, "all" for all.
        by: as in `qassay.report`.
        percent: rates between 0 and 100 instead of 0 and 1.
        confidence, n_resamples, seed, method: as in `Scores.interval`; confidence=None for values without intervals.
        n_permutations, test, correction, baseline: as in `qassay.compare`.

    Returns:
        A dict of plain lists, dicts, texts and numbers; see docs/result_document.md.

    Raises:
        ValueError: options that differ between the systems, an unknown measure, or a slicing with a wrong number of labels.
        TypeError: something other than Scores.

    Example:
        >>> import qassay
        >>> scores = qassay.score("answer_match", ["in France", "Rome"], [["France"], ["Rome", "Roma"]])
        >>> found = document(scores)
        >>> found["parts"][0]["values"]["scores"]["exact_match"]["value"]
        0.5
    """
    kind, intervals = check_choice("kind", kind, KINDS), Intervals(confidence, method, n_resamples, seed)
    scored, slices = scored_of(systems, by)
    settings = DocumentSettings([measures] if isinstance(measures, str) else measures, by=slices, percent=percent)
    if kind == "score":
        return score_document([scored], intervals, settings)
    check_confidence(confidence)
    if kind == "compare":
        tested = ComparisonSettings(test, correction, intervals, n_permutations, baseline)
        return compare_document([scored], tested, settings)
    ranked = ComparisonSettings(intervals=intervals, n_permutations=n_permutations)
    board = build_board(scored, settings=ranked, measures=settings.measures, by=slices, questions="common")
    return board_document(scored, board, settings)


class _Metric(NamedTuple):
    """A metric of a document: its systems, the requested measures (None: the usual ones) and the requested slicings."""

    scored: Scored
    measures: Sequence[str] | None
    by: Sequence[str]

    @property
    def name(self) -> str:
        return self.scored.family.name

    @property
    def chosen(self) -> Sequence[str] | None:
        """The requested measures; None also for all."""
        return None if self.measures is None or "all" in self.measures else self.measures


def _metrics(scored: Sequence[Scored], settings: DocumentSettings) -> list[_Metric]:
    measures, slices = measures_by_metric(scored, settings.measures), slices_by_metric(scored, settings.by)
    return [_Metric(of, measures[of.family.name], slices[of.family.name]) for of in scored]


# --- values -----------------------------------------------------------------------------------------------------------


def score_document(
    scored: Sequence[Scored], intervals: Intervals, settings: DocumentSettings = DocumentSettings()
) -> dict[str, Any]:
    """The document of `qassay score`.

    Args:
        scored: one or more metrics of the same systems.
    """
    metrics = _metrics(scored, settings)
    return _assembled("score", metrics, [_scored_part(of, intervals, settings) for of in metrics], intervals, settings)


def _scored_part(metric: _Metric, intervals: Intervals, settings: DocumentSettings) -> Part:
    systems = metric.scored.scores
    require_same_options(systems)
    requested = ["all"] if settings.every and metric.measures is None else metric.measures
    values = values_of(systems, requested, intervals, settings.at_k)
    part = new_part(metric.scored, systems, values, metric.measures, settings.scale)
    names = measures_of_systems(requested, systems, part.about.main_measures)
    labels = {name: labels_by_system(metric.scored, systems, name) for name in metric.by}
    labels |= usual_labels(metric.scored, systems, metric.by) if settings.is_whole else {}
    for name, of in labels.items():
        slicing = add_slicing(part, name, of, name in metric.by)
        slicing["values"] = values_by_label(part, slicing, names, intervals, omit_empty=requested is None)
    return part


# --- comparisons ------------------------------------------------------------------------------------------------------


def compare_document(
    scored: Sequence[Scored], tested: ComparisonSettings, settings: DocumentSettings = DocumentSettings()
) -> dict[str, Any]:
    """The document of `qassay compare`; arguments as in `score_document`."""
    metrics = _metrics(scored, settings)
    return _of_comparisons(metrics, [_compared(of, tested, settings.is_whole) for of in metrics], settings)


def comparison_document(
    scored: Scored, comparison: Comparison, settings: DocumentSettings = DocumentSettings()
) -> dict[str, Any]:
    """The document of a finished comparison.

    Args:
        scored: its systems, with the columns that hold their texts.
    """
    return _of_comparisons([_Metric(scored, None, [*comparison.labels])], [comparison], settings)


def _compared(metric: _Metric, tested: ComparisonSettings, usual: bool) -> Comparison:
    """The comparison of the systems of a metric, in requested and usual slices."""
    require_same_options(metric.scored.scores)
    aligned, unmatched = align_scores(metric.scored.scores)
    systems = with_same_columns(aligned)
    usual_names, main = compared_measures(systems)
    names, in_slices = (usual_names, main) if metric.measures is None else (metric.chosen, metric.chosen)
    labels = {name: labels_of_all(metric.scored, systems, name) for name in metric.by}
    if usual:
        labels |= {
            name: next(iter(of.values())) for name, of in usual_labels(metric.scored, systems, metric.by).items()
        }
    comparison = compare_scores(systems, names, labels, tested, slice_measures=in_slices)
    return dataclasses.replace(comparison, systems=systems, unmatched=unmatched)


def _of_comparisons(
    metrics: Sequence[_Metric], comparisons: Sequence[Comparison], settings: DocumentSettings
) -> dict[str, Any]:
    """The document of comparisons; p-values are corrected over all metrics."""
    tested, scale = comparisons[0].settings, settings.scale
    rankings = [of.main_rankings(metric.chosen) for metric, of in zip(metrics, comparisons, strict=True)]
    differences = corrected([one for of in comparisons for one in of.differences], tested.correction)
    decided = iter(decided_by([one for of in rankings for one in of], differences, tested))
    in_slices = {
        name: corrected_groups(
            {(n, label): of for n, one in enumerate(comparisons) for label, of in one.slices.get(name, {}).items()},
            tested.correction,
        )
        for name in dict.fromkeys(name for of in comparisons for name in of.slices)
    }
    parts, remarks = [], []
    for n, (metric, comparison) in enumerate(zip(metrics, comparisons, strict=True)):
        systems, every = with_same_columns(comparison.systems), metric.scored.scores
        names = list(dict.fromkeys(difference.measure for difference in comparison.differences))
        values = values_of(systems, names, tested.intervals)
        if any(comparison.unmatched.values()):  # counts are over all examples of a system
            notes = {system: metric.scored.family.about.notes_of(scores) for system, scores in every.items()}
            values = dataclasses.replace(values, notes=notes, remarks=note_lines(every))
        part = new_part(metric.scored, systems, values, metric.measures, scale)
        part.data["unmatched"] = {system: count for system, count in comparison.unmatched.items() if count}
        part.data["comparisons"] = [difference_record(next(decided), tested, scale) for _ in comparison.differences]
        part.data["ranks"] = [ranking_record(ranking, scale) for ranking in rankings[n]]
        for name, labels in comparison.labels.items():
            slicing = add_slicing(part, name, dict.fromkeys(systems, labels), name in metric.by)
            by_label = {label: of for (number, label), of in in_slices[name].items() if number == n}
            names = list(dict.fromkeys(one.measure for of in by_label.values() for one in of))
            slicing["values"] = values_by_label(part, slicing, names, tested.intervals)
            slicing["comparisons"] = [
                [difference_record(one, tested, scale) for one in by_label.get(label, ())]
                for label in slicing["labels"]
            ]
        parts.append(part)
        remarks += [remark(line, metric.name) for line in comparison_lines(comparison, _examples_name(metrics))]
    found = _assembled("compare", metrics, parts, tested.intervals, settings, remarks)
    more = {name: getattr(tested, name) for name in ("correction", "n_permutations", "baseline")}
    return found | {"test": {"name": tested.test, **more}}


# --- leaderboards -----------------------------------------------------------------------------------------------------


def board_document(
    scored: Scored,
    board: Leaderboard,
    settings: DocumentSettings = DocumentSettings(),
    about: AboutBoard = AboutBoard(),
) -> dict[str, Any]:
    """The document of `qassay leaderboard`, with values from its rankings.

    Args:
        scored: the systems with all their examples.
        about: facts about the task and the systems.
    """
    names, scale = list(board.rankings), settings.scale
    notes = {system: scored.family.about.notes_of(scored.scores[system]) for system in board.names}
    values = Values(_ranked_cells(board.names, board.rankings), notes, board.remarks)
    part = new_part(scored, board.systems, values, names, scale)
    part.data["unmatched"] = {system: count for system, count in board.unmatched.items() if count}
    part.data["ranks"] = [ranking_record(ranking, scale) for ranking in board.rankings.values()]
    for name, by_label in board.slices.items():
        slicing = add_slicing(part, name, dict.fromkeys(board.systems, board.labels[name]), True)
        of_labels = [by_label.get(label, {}) for label in slicing["labels"]]
        slicing["values"] = [value_records(_ranked_cells(board.names, of), scale) for of in of_labels]
        slicing["ranks"] = [[ranking_record(ranking, scale) for ranking in of.values()] for of in of_labels]
    found = _assembled("leaderboard", [_Metric(scored, names, ())], [part], board.settings.intervals, settings)
    n_permutations = board.settings.n_permutations
    return found | {
        "title": about.title,
        "description": about.description,
        "test": {"name": "sign flips", "correction": "step-down", "n_permutations": n_permutations, "baseline": None},
        "systems": [_system(name, scored.systems[name], about) for name in board.names],
    }


def _ranked_cells(systems: Sequence[str], rankings: Mapping[str, Ranking]) -> dict[str, Cells]:
    """System -> measure -> its value in the ranking."""
    cells: dict[str, Cells] = {system: {} for system in systems}
    for name, ranking in rankings.items():
        for row in ranking.systems:
            cells[row.system][name] = ranked_cell(row, ranking)
    return cells


# --- what all documents have ------------------------------------------------------------------------------------------


def _assembled(
    kind: str,
    metrics: Sequence[_Metric],
    parts: Sequence[Part],
    intervals: Intervals,
    settings: DocumentSettings,
    remarks: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """The document of parts; `remarks` come before those of the parts, and a repeated one is where it comes last."""
    first, of_slices = metrics[0].scored, slice_remarks({of.name: of.by for of in metrics})
    remarks = [*remarks, *map(remark, of_slices), *(line for part in parts for line in part.remarks)]
    unique = {(line["id"], line["text"], line["slice"]): line for line in reversed(remarks)}
    for part in parts:
        mark_repeats(part.data["slices"])
    texts = add_examples(parts, TEXT_BUDGET if settings.is_whole else 0)
    date = {} if "SOURCE_DATE_EPOCH" in os.environ else {"date": time.strftime("%Y-%m-%d", time.gmtime())}
    return {
        "format": FORMAT,
        "kind": kind,
        "version": __version__,
        **date,
        "title": "",
        "description": "",
        "command": _without_folders(settings.command),
        "gold": first.gold.name if first.gold.path else "",
        "scale": settings.scale,
        "examples_name": _examples_name(metrics),
        "interval": None if intervals.confidence is None else {
            "confidence": intervals.confidence,
            "requested_method": intervals.method,
            "n_resamples": intervals.n_resamples,
            "seed": intervals.seed,
            "group_name": settings.group_name or None,
        },
        "test": None,
        "systems": [_system(name, of) for name, of in first.systems.items()],
        "parts": [part.data for part in parts],
        "cautions": _caution_texts(parts, intervals.confidence),
        "remarks": list(reversed(unique.values())),
        "texts": texts,
    }  # fmt: skip


def _caution_texts(parts: Sequence[Part], confidence: float | None) -> dict[str, str]:
    """Code -> text of the cautions of comparisons and ranks, of all examples and of slices."""
    tables = [table for part in parts for table in (part.data, *part.data["slices"])]
    lists = [of for table in tables for name in ("comparisons", "ranks") for of in table[name]]
    codes = {code for of in lists for one in (of if isinstance(of, list) else [of]) for code in one["cautions"]}
    return {code: text for code, text in caution_texts(confidence).items() if code in codes} if confidence else {}


def _examples_name(metrics: Sequence[_Metric]) -> str:
    """The word for the examples of all metrics, in the plural."""
    words = {metric.scored.family.about.examples_name for metric in metrics}
    return words.pop() if len(words) == 1 else "examples"


def _system(name: str, of: System, board: AboutBoard = AboutBoard()) -> dict[str, Any]:
    runs, about = list(of.runs) or list(getattr(of.scores, "run_names", ())), board.systems.get(name, AboutSystem())
    return {
        "name": name,
        "title": board.name_of(name),
        "file": os.path.basename(of.path),
        "runs": runs if of.scores.n_runs > 1 else [],
        "link": about.link or None,
        "facts": about.all_facts(),
    }


_ABSOLUTE = re.compile(r"(^|[=,]|:(?!//))/[^=,:]*/(?=[^/=,:])")


def _without_folders(command: str) -> str:
    """A command line in which absolute paths are names of files."""
    return shlex.join(_ABSOLUTE.sub(r"\1", part) for part in shlex.split(command))
