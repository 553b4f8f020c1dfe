"""Finds the examples that each system answered: absent answers are reported, and never silently scored 0."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.align import align_scores
from ..core.columns import counted
from ..core.rows import comparable_ids
from ..core.scores import Scores
from ..core.shown import first_names, shown

_MOST_NAMED = 3  # largest number of ids per system in a message
_MOST_TOLD = 5  # largest number of systems in a message


def lacking_by_system(systems: Mapping[str, Scores]) -> dict[str, list[Any]]:
    """System -> the ids of examples of other systems or the gold file to which it has no answer."""
    absent = not_in_scores(systems)
    return {
        name: [*(scores.ids[row] for row in np.flatnonzero(_is_absent(scores)).tolist()), *absent.get(name, ())]
        for name, scores in systems.items()
    }


def not_in_scores(systems: Mapping[str, Scores]) -> dict[str, list[Any]]:
    """System -> the ids that only other systems have; complete systems are omitted."""
    ids = dict(zip(systems, comparable_ids(*(scores.ids for scores in systems.values())), strict=True))
    every = dict.fromkeys(identifier for own in ids.values() for identifier in own)
    found = {name: [one for one in every if one not in own] for name, own in ((n, set(i)) for n, i in ids.items())}
    return {name: absent for name, absent in found.items() if absent}


def answered_by_all(systems: Mapping[str, Scores]) -> tuple[dict[str, Scores], dict[str, int]]:
    """The systems restricted to the examples that all of them answered, and how many other examples each answered.

    Raises:
        ValueError: as in `align_scores`; no example that all systems answered.
    """
    aligned, _ = align_scores(systems)
    rows = np.flatnonzero(~np.logical_or.reduce([_is_absent(scores) for scores in aligned.values()]))
    if not len(rows):
        raise ValueError(
            f"no example is in all systems: none has an answer of each of {first_names(list(systems), _MOST_TOLD)}"
        )
    if len(rows) < len(next(iter(aligned.values()))):
        aligned = {name: scores.take(rows) for name, scores in aligned.items()}
    answered = {name: scores.n_examples - int(_is_absent(scores).sum()) for name, scores in systems.items()}
    return aligned, {name: answered[name] - scores.n_examples for name, scores in aligned.items()}


def told_of_absent(absent: Mapping[str, Sequence[Any]], systems: Mapping[str, Scores]) -> str:
    """A text with the number of absent examples of each system, the total, and the first ids.

    Args:
        absent: the result of `lacking_by_system` or `not_in_scores`, without complete systems.
    """
    total = len({str(identifier) for scores in systems.values() for identifier in scores.ids})
    told = [
        f"{name} lacks {len(ids):,} of {total:,} ({first_names(list(map(shown, ids)), _MOST_NAMED)})"
        for name, ids in absent.items()
    ]
    return first_names(told, _MOST_TOLD)


def absent_answers(absent: Mapping[str, Sequence[Any]], systems: Mapping[str, Scores], examples_name: str) -> str:
    """The error message for absent answers, and the first thing to do; arguments as in `told_of_absent`."""
    lists = [list(absent.get(name, ())) for name in systems]
    same = "all" if all(ids == lists[0] for ids in lists) else "the same"
    return f"the systems did not answer {same} {examples_name}: {told_of_absent(absent, systems)}; give the missing answers"


def told_of_common(aligned: Mapping[str, Scores], unmatched: Mapping[str, int], examples_name: str) -> str:
    """The result of `answered_by_all` in words that follow "ranked by" or "judged by"."""
    total = next(iter(aligned.values())).n_examples
    left = ", ".join(f"{count:,} of {name}" for name, count in unmatched.items() if count)
    return f"the {counted(total, examples_name)} that all systems answered" + (
        f"; answers omitted: {left}" if left else ""
    )


def _is_absent(scores: Scores) -> np.ndarray:
    missing = scores.subsets.get("missing")
    return np.zeros(len(scores), bool) if missing is None else np.asarray(missing, bool)
