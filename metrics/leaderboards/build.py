"""The board of scored systems: the same questions for all, the rankings, and what an organiser says of each system."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..comparison.leaderboard import rank_scores
from ..comparison.ranking import require_number
from ..core.align import align_scores
from ..core.hints import Hint, Message
from ..core.rows import comparable_ids
from ..core.scores import Scores
from ..core.shown import first_names, shown
from ..registry import Family
from ..reports.comparison import labels_of_all
from ..reports.leaderboard import BoardReport, board_report
from ..reports.values import progress, remarks
from ..scoring import Scored, measures_by_metric
from .about import AboutBoard

_MOST_NAMED = 3  # ids of a system in a message
_MOST_TOLD = 5  # systems in a message


def options_of_board(family: Family) -> dict[str, Any]:
    """The options with which the systems of a board are scored: an absent answer is an example that scores 0, so that
    `build_board` sees which are absent.
    """
    _, options_class = family.load()
    has_policy = any(field.name == "missing" for field in dataclasses.fields(options_class))
    return {"missing": "zero"} if has_policy else {}


def build_board(
    scored: Scored,
    about: AboutBoard | None = None,
    *,
    measures: Sequence[str] | None = None,
    by: Sequence[str] = (),
    questions: str = "refuse",
    percent: bool = False,
    official: Mapping[str, Mapping[str, str]] | None = None,
    command: str = "",
    told: Iterable[str] = (),
    **settings: Any,
) -> BoardReport:
    """What a leaderboard shows of systems that were scored with the `options_of_board`.

    Args:
        scored: two systems or more, in groups where there are some.
        about: what is said of the task and the systems.
        measures: to show, the first one sorts; None: the main ones of the metric; ["all"]: all with an interval.
        by: names of slices.
        questions: "refuse" systems that lack an answer to a question, rank by the "common" questions that all systems
            answered, or "count" an absent answer as the family scores it: 0, or nothing found.
        percent: rates are shown as 0..100.
        official: system -> the numbers of the task's official program, by its names.
        command: the command line that makes the board again.
        told: further remarks.
        settings: level, n_resamples, n_permutations, seed and interval_method of `rank_scores`.

    Raises:
        ValueError: fewer than two systems or too many, systems without answers to some questions where these are refused, or
            nothing that all answered; what is said of a system that there is not; as `rank_scores`.
    """
    about, systems = about or AboutBoard(), scored.scores
    about.require_systems(list(systems))
    require_number(len(systems))
    aligned, unmatched = _same_questions(scored, questions)
    labels = {name: labels_of_all(scored, aligned, name) for name in by}
    ranked = rank_scores(aligned, _measures(scored, measures), labels or None, progress=_progress, **settings)
    board = dataclasses.replace(
        ranked,
        unmatched=unmatched,
        remarks=[*_told_of_common(aligned, unmatched, scored), *remarks(aligned), *told, *ranked.remarks],
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


def _progress(parts: list[Any]) -> Iterable[Any]:
    return progress(parts, "rankings")


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
    """The systems with the questions that count, and how many answered ones of each are left out."""
    systems, what = scored.scores, scored.family.telling.examples_name
    lacking = lacking_by_system(systems)
    absent = {name: ids for name, ids in lacking.items() if ids}
    if questions == "refuse" and absent:
        raise ValueError(
            Message(
                f"the systems did not answer the same {what}: {_told_of_absent(absent, systems)}; give the missing answers, ",
                Hint("questions", "common"),
                f" to rank by the {what} that all answered, or ",
                Hint("questions", "count"),
                " to score an absent answer 0",
            )
        )
    if questions == "common":
        systems = {name: _answered(scores, lacking[name]) for name, scores in systems.items()}
    elif (uncounted := _not_in_scores(scored.scores)) and questions == "count":
        raise ValueError(
            Message(
                f"an absent answer can be scored 0 only where the gold file has the question: "
                f"{_told_of_absent(uncounted, systems)}; ",
                Hint("questions", "common"),
                f" ranks by the {what} that all answered",
            )
        )
    return align_scores(systems)


def lacking_by_system(systems: Mapping[str, Scores]) -> dict[str, list[Any]]:
    """System -> the ids of the examples that another system has, or the gold file, and this one has no answer to."""
    absent = _not_in_scores(systems)
    return {name: [*_missing_ids(scores), *absent.get(name, ())] for name, scores in systems.items()}


def _missing_ids(scores: Scores) -> list[Any]:
    missing = scores.subsets.get("missing")
    return [] if missing is None else [scores.ids[row] for row in np.flatnonzero(missing).tolist()]


def _not_in_scores(systems: Mapping[str, Scores]) -> dict[str, list[Any]]:
    """System -> the ids that only others have; systems that have all are left out."""
    ids = dict(zip(systems, comparable_ids(*(scores.ids for scores in systems.values())), strict=True))
    every = dict.fromkeys(identifier for own in ids.values() for identifier in own)
    found = {name: [one for one in every if one not in own] for name, own in ((n, set(i)) for n, i in ids.items())}
    return {name: absent for name, absent in found.items() if absent}


def _told_of_absent(absent: Mapping[str, Sequence[Any]], systems: Mapping[str, Scores]) -> str:
    total = len({str(identifier) for scores in systems.values() for identifier in scores.ids})
    told = [
        f"{name} lacks {len(ids):,} of {total:,} ({first_names(list(map(shown, ids)), _MOST_NAMED)})"
        for name, ids in absent.items()
    ]
    return first_names(told, _MOST_TOLD)


def _answered(scores: Scores, lacking: Sequence[Any]) -> Scores:
    """The scores of the examples that have an answer."""
    gone = set(lacking)
    rows = [row for row, identifier in enumerate(scores.ids) if identifier not in gone]
    return scores if len(rows) == len(scores) else scores.take(np.array(rows, np.int64))


def _told_of_common(aligned: Mapping[str, Scores], unmatched: Mapping[str, int], scored: Scored) -> list[str]:
    if not any(unmatched.values()):
        return []
    what = scored.family.telling.examples_name
    left = ", ".join(f"{count:,} of {name}" for name, count in unmatched.items() if count)
    total = next(iter(aligned.values())).n_examples
    return [f"ranked by the {total:,} {what} that all systems answered; answers left out: {left}"]
