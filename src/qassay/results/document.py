"""Builds the result document, which docs/result_document.md describes field by field."""

import os
import re
import shlex
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.interval_settings import Intervals, check_confidence
from ..core.options import check_choice
from ..core.scores import Scores
from ..core.shown import describe
from ..core.version import __version__
from ..files.given_scores import scored_of
from ..files.score_files import Scored, System, measures_by_metric
from ..leaderboards.about import AboutBoard, AboutSystem
from ..leaderboards.build import build_board
from ..slicing import slice_remarks, slices_by_metric
from ..stats.compare import Comparison
from ..stats.difference import ComparisonSettings
from ..stats.leaderboard import Leaderboard
from ..stats.ranking import RankSettings
from .examples import TEXT_BUDGET, add_texts
from .parts import Part, board_part, common_word, compared, compared_parts, finished, scored_part
from .records import remark

FORMAT = "qassay.result/1"
KINDS = ("score", "compare", "leaderboard")


def document(
    systems: Scores | Mapping[str, Scores],
    kind: str = "score",
    *,
    measures: Sequence[str] | str | None = None,
    by: Any = None,
    percent: bool = False,
    confidence: float = 0.95,
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
        confidence, n_resamples, seed, method: as in `Scores.interval`.
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
    kind = check_choice("kind", kind, KINDS)
    intervals = Intervals(check_confidence(confidence), method, n_resamples, seed)
    settings = ComparisonSettings(test, correction, intervals, n_permutations, baseline)
    scored, slices = scored_of(named_systems(systems), by)
    names = [measures] if isinstance(measures, str) else measures
    if kind == "leaderboard":
        board = build_board(
            scored,
            settings=RankSettings(intervals, n_permutations),
            measures=names,
            by=slices,
            questions="common",
        )
        return board_document(scored, board, percent=percent)
    build = compare_document if kind == "compare" else score_document
    return build([scored], settings, by=slices, measures=names, percent=percent)


def named_systems(systems: Scores | Mapping[str, Scores]) -> Mapping[str, Scores]:
    """The systems by name; a single one is called "scores".

    Raises:
        TypeError: something other than Scores.
    """
    named = {"scores": systems} if isinstance(systems, Scores) else systems
    if not isinstance(named, Mapping) or not named or not all(isinstance(of, Scores) for of in named.values()):
        raise TypeError(f'give Scores, or a dict of them such as {{"A": a, "B": b}}; got {describe(systems)}')
    return named


def score_document(
    scored: Sequence[Scored],
    settings: ComparisonSettings,
    *,
    by: Sequence[str] = (),
    measures: Sequence[str] | None = None,
    every: bool = False,
    usual: bool = True,
    percent: bool = False,
    group_name: str = "",
    command: str = "",
    pass_at: Sequence[int] = (),
    majority_at: Sequence[int] = (),
    text_budget: int = TEXT_BUDGET,
) -> dict[str, Any]:
    """The document of `qassay score`.

    Args:
        scored: one or more metrics of the same systems.
        settings: of intervals; the rest is not used.
        by: names of requested slicings.
        measures: names as `--measures` takes them; None for the usual measures, ["all"] for all.
        every: values and requested slices of all measures where none are requested.
        usual: also the usual slicings of the metric.
        percent, group_name, pass_at, majority_at: as in `qassay score`.
        command: the command line.
        text_budget: the largest number of characters of texts.
    """
    shown, slices = measures_by_metric(scored, measures), slices_by_metric(scored, by)
    look: dict[str, Any] = {"percent": percent, "every": every, "usual": usual}
    parts = [
        scored_part(
            metric,
            shown[metric.family.name],
            slices[metric.family.name],
            settings.intervals,
            pass_at=pass_at,
            majority_at=majority_at,
            **look,
        )
        for metric in scored
    ]
    return _assembled("score", scored, parts, settings, slices, percent, group_name, command, text_budget)


def compare_document(
    scored: Sequence[Scored],
    settings: ComparisonSettings,
    *,
    by: Sequence[str] = (),
    measures: Sequence[str] | None = None,
    usual: bool = True,
    percent: bool = False,
    group_name: str = "",
    command: str = "",
    text_budget: int = TEXT_BUDGET,
) -> dict[str, Any]:
    """The document of `qassay compare`; arguments as in `score_document`."""
    shown, slices = measures_by_metric(scored, measures), slices_by_metric(scored, by)
    results = [
        compared(metric, shown[name], slices[name], settings, percent=percent, usual=usual)
        for metric in scored
        for name in [metric.family.name]
    ]
    parts = compared_parts(results, settings, percent)
    return _assembled("compare", scored, parts, settings, slices, percent, group_name, command, text_budget)


def comparison_document(scored: Scored, comparison: Comparison, *, text_budget: int = TEXT_BUDGET) -> dict[str, Any]:
    """The document of a finished comparison.

    Args:
        scored: its systems, with the columns that hold their texts.
    """
    settings, slices = comparison.settings, {scored.family.name: list(comparison.labels)}
    parts = compared_parts([finished(scored, comparison)], settings, False)
    return _assembled("compare", [scored], parts, settings, slices, text_budget=text_budget)


def board_document(
    scored: Scored,
    board: Leaderboard,
    about: AboutBoard = AboutBoard(),
    *,
    official: Mapping[str, Mapping[str, str]] | None = None,
    percent: bool = False,
    command: str = "",
    text_budget: int = TEXT_BUDGET,
) -> dict[str, Any]:
    """The document of `qassay leaderboard`.

    Args:
        scored: the systems with all their examples.
        about: facts about the task and the systems.
        official: system -> the numbers of the task's official program, by its names.
        percent, command, text_budget: as in `score_document`.
    """
    part = board_part(scored, board, {name: about.name_of(name) for name in board.systems}, percent)
    slices = {scored.family.name: list(board.slices)}
    found = _assembled(
        "leaderboard", [scored], [part], board.settings, slices, percent, command=command, text_budget=text_budget
    )
    found["title"], found["description"] = about.title, about.description
    by_name = {system["name"]: system for system in found["systems"]}
    for name in board.names:
        of = about.systems.get(name, AboutSystem())
        by_name[name] |= {
            "title": about.name_of(name),
            "link": of.link if of.link and re.fullmatch(r"(?i:https?)://\S+", of.link) else None,
            "facts": of.all_facts(),
            "official": dict((official or {}).get(name, {})),
        }
    found["systems"] = [by_name[name] for name in board.names]
    return found


def with_usual_slices(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with its usual slicings as if they had been requested."""
    parts = [
        {**part, "slices": [{**slicing, "requested": True} for slicing in part["slices"]]} for part in document["parts"]
    ]
    return {**document, "parts": parts}


def _assembled(
    kind: str,
    scored: Sequence[Scored],
    parts: Sequence[Part],
    settings: ComparisonSettings | RankSettings,
    slices: Mapping[str, Sequence[str]],
    percent: bool = False,
    group_name: str = "",
    command: str = "",
    text_budget: int = TEXT_BUDGET,
) -> dict[str, Any]:
    intervals = settings.intervals
    texts = add_texts(parts, text_budget)
    of_slices = [remark(line, "slice_of_some", "note") for line in slice_remarks(slices)]
    remarks = [line for part in parts for line in part.differences] + (of_slices if kind == "compare" else [])
    remarks += [line for part in parts for line in part.remarks] + (of_slices if kind == "score" else [])
    unique = {(line["id"], line["text"], line["slice"]): line for line in reversed(remarks)}
    date = {} if "SOURCE_DATE_EPOCH" in os.environ else {"date": time.strftime("%Y-%m-%d", time.gmtime())}
    return {
        "format": FORMAT,
        "kind": kind,
        "version": __version__,
        **date,
        "title": "",
        "description": "",
        "command": _without_folders(command),
        "gold": scored[0].gold.name if scored[0].gold.path else "",
        "scale": 100 if percent else 1,
        "examples_name": common_word(scored),
        "interval": None if intervals.confidence is None else {
            "confidence": intervals.confidence,
            "requested_method": intervals.method,
            "n_resamples": intervals.n_resamples,
            "seed": intervals.seed,
            "group_name": group_name or None,
        },
        "test": None if kind == "score" else _test(settings),
        "systems": [_system(name, of) for name, of in scored[0].systems.items()],
        "parts": [part.data for part in parts],
        "remarks": list(reversed(unique.values())),
        "texts": texts,
    }  # fmt: skip


def _test(settings: ComparisonSettings | RankSettings) -> dict[str, Any]:
    name, correction, baseline = "sign flips", "step-down", None
    if isinstance(settings, ComparisonSettings):
        name, correction, baseline = settings.test, settings.correction, settings.baseline
    return {
        "name": name,
        "correction": correction,
        "n_permutations": settings.n_permutations,
        "baseline": baseline,
    }


def _system(name: str, of: System) -> dict[str, Any]:
    runs = list(of.runs) or list(getattr(of.scores, "run_names", ()))
    return {
        "name": name,
        "title": name,
        "file": os.path.basename(of.path),
        "runs": runs if of.scores.n_runs > 1 else [],
        "link": None,
        "facts": {},
        "official": {},
    }


_ABSOLUTE = re.compile(r"(^|[=,]|:(?!//))/[^=,:]*/(?=[^/=,:])")


def _without_folders(command: str) -> str:
    """A command line in which absolute paths are names of files."""
    return shlex.join(_ABSOLUTE.sub(r"\1", part) for part in shlex.split(command))
