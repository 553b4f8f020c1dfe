"""The leaderboard of scored systems: the questions that count, and the rankings."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.scores import Scores
from ..files.score_files import measures_by_metric
from ..files.scored import Scored
from ..files.slicing import labels_of_all
from ..registry import OWN_SCORES, Family
from ..stats.absent import common_text
from ..stats.difference import ComparisonSettings
from ..stats.leaderboard import Leaderboard, rank_scores
from ..stats.ranking import require_number
from ..stats.remarks import note_lines
from ..stats.systems import answered_examples
from .about import AboutBoard

_MOST_GIVEN = 8  # measures of own_scores that are shown by default


def options_of_board(family: Family) -> dict[str, Any]:
    """The options for scoring the systems of a board: an absent answer scores 0, so that `build_board` sees it."""
    _, options_class = family.load()
    has_policy = any(field.name == "missing" for field in dataclasses.fields(options_class))
    return {"missing": "zero"} if has_policy else {}


def build_board(
    scored: Scored,
    about: AboutBoard | None = None,
    *,
    settings: ComparisonSettings = ComparisonSettings(),
    measures: Sequence[str] | None = None,
    by: Sequence[str] = (),
    questions: str = "refuse",
) -> Leaderboard:
    """A leaderboard of systems scored with `options_of_board`.

    Args:
        scored: two or more systems, with groups if any.
        about: facts about the task and the systems.
        measures: measures to show; the first sorts. None: the main measures, or the first eight of own_scores; ["all"]: all with an interval.
        by: names of slices.
        questions: "refuse": refuse systems that lack an answer; "common": rank by the questions that all systems answered;
            "count": score an absent answer as the family does, as 0 or nothing found.
        settings: of the ranking.

    Raises:
        ValueError: too few or too many systems; systems without some answers if these are refused; no common question; facts
            about an unknown system; as `rank_scores`.
    """
    about, systems, of_metric = about or AboutBoard(), scored.scores, scored.family.about
    about.require_systems(list(systems))
    require_number(len(systems))
    aligned, unmatched = same_questions(systems, questions, of_metric.examples_name)
    ranked = rank_scores(
        aligned,
        _measures(scored, measures),
        {name: labels_of_all(scored, aligned, name) for name in by} or None,
        settings,
        omit_empty=measures is None or "all" in measures,
    )
    titles = {key: about.name_of(key) for key in aligned}
    lines = [*note_lines(aligned, titles), *ranked.remarks]
    if any(unmatched.values()):
        by_name = {titles[key]: scores for key, scores in aligned.items()}
        omitted = {titles[key]: count for key, count in unmatched.items()}
        lines.insert(0, f"ranked by {common_text(by_name, omitted, of_metric.examples_name)}")
    return dataclasses.replace(ranked, unmatched=unmatched, remarks=lines)


def _measures(scored: Scored, requested: Sequence[str] | None) -> list[str] | None:
    """The measures to rank by; None for all that have an interval."""
    first = next(iter(scored.scores.values()))
    if requested is None:
        about = scored.family.about
        given = scored.family.name == OWN_SCORES  # show all columns of a table
        usual = about.usual_measures(first)[:_MOST_GIVEN] if given else about.main_measures(first)
        main = [name for name in usual if name in first.measures]
        return [name for name in main if first.measures[name].has_interval] or None
    if "all" in requested:
        return None
    return first.measure_names(list(measures_by_metric([scored], requested)[scored.family.name] or requested))


def require_gold_of_all(scored: Scored, remedies: str) -> None:
    """Refuse gold data that are of the file of a system if it lacks examples of another system; those would not count.

    Args:
        remedies: what to do, for the end of the message.
    """
    of_gold = next((name for name, system in scored.systems.items() if system.path == scored.gold.path), None)
    for name, scores in scored.by_run().scores.items() if of_gold is not None else ():
        if more := scores.notes.get("unmatched", 0):
            examples = scored.family.about.examples_name
            raise ValueError(
                f"the {examples} differ: {of_gold}, whose gold answers count, lacks {more:,} {examples} of {name}; {remedies}"
            )


def same_questions(
    systems: Mapping[str, Scores], questions: str, examples_name: str
) -> tuple[dict[str, Scores], dict[str, int]]:
    """The systems with the questions that count, and the number of omitted answers of each system.

    Args:
        questions: as in `build_board`.
    """
    return answered_examples(
        systems,
        common=questions == "common",
        count_absent=questions == "count",
        examples_name=examples_name,
        remedies=("--questions common", "--questions count"),
    )
