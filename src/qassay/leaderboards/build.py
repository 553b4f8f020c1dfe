"""The board of scored systems: common questions, rankings, and the description of each system."""

import dataclasses
import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..comparison.answered import (
    absent_answers,
    answered_by_all,
    lacking_by_system,
    not_in_scores,
    told_of_absent,
    told_of_common,
)
from ..comparison.leaderboard import rank_scores
from ..comparison.ranking import RankSettings, require_number
from ..core.align import align_scores
from ..core.scores import Scores
from ..files.score_files import Scored, measures_by_metric
from ..registry import Family
from ..reports.comparison import labels_of_all
from ..reports.leaderboard import BoardReport, board_report
from ..reports.values import progress, remarks
from .about import AboutBoard


def options_of_board(family: Family) -> dict[str, Any]:
    """The options for scoring the systems of a board: an absent answer scores 0, so that `build_board` sees it."""
    _, options_class = family.load()
    has_policy = any(field.name == "missing" for field in dataclasses.fields(options_class))
    return {"missing": "zero"} if has_policy else {}


def build_board(
    scored: Scored,
    about: AboutBoard | None = None,
    *,
    settings: RankSettings = RankSettings(),
    measures: Sequence[str] | None = None,
    by: Sequence[str] = (),
    questions: str = "refuse",
    percent: bool = False,
    official: Mapping[str, Mapping[str, str]] | None = None,
    command: str = "",
    told: Iterable[str] = (),
) -> BoardReport:
    """The content of a leaderboard of systems scored with `options_of_board`.

    Args:
        scored: two or more systems, with groups if any.
        about: facts about the task and the systems.
        measures: measures to show; the first sorts. None: the main measures; ["all"]: all with an interval.
        by: names of slices.
        questions: "refuse": refuse systems that lack an answer; "common": rank by the questions that all systems answered;
            "count": score an absent answer as the family does, as 0 or nothing found.
        percent: rates are shown as 0..100.
        official: system -> the numbers of the task's official program, by its names.
        command: the command line that builds the board again.
        told: further remarks.
        settings: of the ranking.

    Raises:
        ValueError: too few or too many systems; systems without some answers if these are refused; no common question; facts
            about an unknown system; as `rank_scores`.
    """
    about, systems = about or AboutBoard(), scored.scores
    about.require_systems(list(systems))
    require_number(len(systems))
    aligned, unmatched = _same_questions(scored, questions)
    labels = {name: labels_of_all(scored, aligned, name) for name in by}
    omit_empty = measures is None or "all" in measures
    names = _measures(scored, measures)
    ranked = rank_scores(
        aligned,
        names,
        labels or None,
        settings,
        omit_empty=omit_empty,
        progress=functools.partial(progress, what="rankings"),
    )
    called = {about.name_of(key): scores for key, scores in aligned.items()}
    board = dataclasses.replace(
        ranked,
        unmatched=unmatched,
        remarks=[
            *_told_of_common(called, dict(zip(called, unmatched.values(), strict=True)), scored),
            *remarks(called),
            *told,
            *ranked.remarks,
        ],
    )
    said = {
        name: {
            **(about.systems[name].entry() if name in about.systems else {}),
            "notes": scored.family.telling.notes_of(scores),
            "official": (official or {}).get(name, {}),
        }
        for name, scores in systems.items()
    }
    return board_report(
        board,
        scored.family.name,
        said,
        title=about.title,
        description=about.description,
        gold=scored.gold.name,
        command=command,
        percent=percent,
        examples_name=scored.family.telling.examples_name,
    )


def _measures(scored: Scored, asked: Sequence[str] | None) -> list[str] | None:
    """The measures to rank by; None for all that have an interval."""
    first = next(iter(scored.scores.values()))
    if asked is None:
        main = [name for name in scored.family.telling.main_measures(first) if name in first.measures]
        return [name for name in main if first.measures[name].has_interval] or None
    if "all" in asked:
        return None
    own = measures_by_metric([scored], asked)[scored.family.name]
    return first.measure_names(list(own or asked))


# --- the same questions for all -----------------------------------------------------------------------------------------


def _same_questions(scored: Scored, questions: str) -> tuple[dict[str, Scores], dict[str, int]]:
    """The systems with the questions that count, and the number of omitted answers of each."""
    systems, what = scored.scores, scored.family.telling.examples_name
    absent = {name: ids for name, ids in lacking_by_system(systems).items() if ids}
    if questions == "refuse" and absent:
        raise ValueError(
            f"{absent_answers(absent, systems, what)}, questions=common to rank by the {what} that all "
            "answered, or questions=count to score an absent answer 0"
        )
    if questions == "common":
        return answered_by_all(systems)
    if (uncounted := not_in_scores(systems)) and questions == "count":
        raise ValueError(
            "an absent answer can be scored 0 only where the gold file has the question: "
            f"{told_of_absent(uncounted, systems)}; questions=common ranks by the {what} that all answered"
        )
    return align_scores(systems)


def _told_of_common(called: Mapping[str, Scores], unmatched: Mapping[str, int], scored: Scored) -> list[str]:
    """A remark on the omitted answers of each system, by its displayed name."""
    if not any(unmatched.values()):
        return []
    return [f"ranked by {told_of_common(called, unmatched, scored.family.telling.examples_name)}"]
