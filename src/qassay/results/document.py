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
from .parts import Part, board_part, compared_parts, comparison_part, scored_parts
from .remarks import remark

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
    parts = scored_parts(
        scored,
        shown,
        settings.intervals,
        slices,
        percent=percent,
        group_name=group_name,
        at_k={"pass_at": pass_at, "majority_at": majority_at},
        every=every,
        usual=usual,
    )
    return _assembled(
        "score", scored, parts, settings.intervals, slices, percent, group_name, command, None, text_budget
    )


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
    parts = compared_parts(
        scored,
        shown,
        settings,
        slices,
        percent=percent,
        group_name=group_name,
        usual=usual,
    )
    return _assembled(
        "compare", scored, parts, settings.intervals, slices, percent, group_name, command, _test(settings), text_budget
    )


def comparison_document(scored: Scored, comparison: Comparison, *, text_budget: int = TEXT_BUDGET) -> dict[str, Any]:
    """The document of a finished comparison.

    Args:
        scored: its systems, with the columns that hold their texts.
    """
    settings, slices = comparison.settings, {scored.family.name: list(comparison.labels)}
    part = comparison_part(scored, comparison)
    return _assembled(
        "compare", [scored], [part], settings.intervals, slices, False, "", "", _test(settings), text_budget
    )


def _test(settings: ComparisonSettings) -> dict[str, Any]:
    return {
        "name": settings.test,
        "correction": settings.correction,
        "n_permutations": settings.n_permutations,
        "baseline": settings.baseline,
    }


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
    settings = board.settings
    part = board_part(scored, board, {name: about.name_of(name) for name in board.systems}, percent)
    test = {
        "name": "sign flips",
        "correction": "step-down",
        "n_permutations": settings.n_permutations,
        "baseline": None,
    }
    slices = {scored.family.name: list(board.slices)}
    found = _assembled(
        "leaderboard", [scored], [part], settings.intervals, slices, percent, "", command, test, text_budget
    )
    found["title"], found["description"] = about.title, about.description
    by_name = {system["name"]: system for system in found["systems"]}
    for name in board.names:
        of = about.systems.get(name, AboutSystem())
        by_name[name] |= {
            "title": about.name_of(name),
            "link": _safe_link(of.link),
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


def _safe_link(link: str | None) -> str | None:
    return link if link and re.fullmatch(r"(?i:https?)://\S+", link) else None


def _assembled(
    kind: str,
    scored: Sequence[Scored],
    parts: Sequence[Part],
    intervals: Intervals,
    slices: Mapping[str, Sequence[str]],
    percent: bool,
    group_name: str,
    command: str,
    test: Mapping[str, Any] | None,
    text_budget: int,
) -> dict[str, Any]:
    texts = add_texts(parts, text_budget)
    names = {metric.family.about.examples_name for metric in scored}
    of_slices = [remark(line, "slice_of_some", "note") for line in slice_remarks(slices)]
    remarks = [line for part in parts for line in part.differences] + (of_slices if kind == "compare" else [])
    remarks += [line for part in parts for line in part.remarks] + (of_slices if kind == "score" else [])
    found: dict[str, Any] = {"format": FORMAT, "kind": kind, "version": __version__}
    if "SOURCE_DATE_EPOCH" not in os.environ:
        found["date"] = time.strftime("%Y-%m-%d", time.gmtime())
    unique = {(line["id"], line["text"], line["slice"]): line for line in reversed(remarks)}
    return found | {
        "title": "",
        "description": "",
        "command": _without_folders(command),
        "gold": scored[0].gold.name if scored[0].gold.path else "",
        "scale": 100 if percent else 1,
        "examples_name": names.pop() if len(names) == 1 else "examples",
        "interval": None if intervals.confidence is None else {
            "confidence": intervals.confidence,
            "requested_method": intervals.method,
            "n_resamples": intervals.n_resamples,
            "seed": intervals.seed,
            "group_name": group_name or None,
        },
        "test": test,
        "systems": [_system(name, of) for name, of in scored[0].systems.items()],
        "parts": [part.data for part in parts],
        "remarks": list(reversed(unique.values())),
        "texts": texts,
    }  # fmt: skip


def _system(name: str, of: System) -> dict[str, Any]:
    runs = list(of.runs) or list(getattr(of.scores, "run_names", ()))
    return _system_record(name, os.path.basename(of.path), runs if of.scores.n_runs > 1 else [])


def _system_record(name: str, file: str, runs: list[str]) -> dict[str, Any]:
    return {
        "name": name,
        "title": name,
        "file": file,
        "runs": runs,
        "link": None,
        "facts": {},
        "official": {},
    }


_ABSOLUTE = re.compile(r"(^|[=,]|:(?!//))/[^=,:]*/(?=[^/=,:])")


def _without_folders(command: str) -> str:
    """A command line in which absolute paths are names of files."""
    return shlex.join(_ABSOLUTE.sub(r"\1", part) for part in shlex.split(command))
