"""Systems or runs that did not answer the same examples: who lacks which answers, and what all answered."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.columns import counted
from ..core.ids import comparable_ids
from ..core.scores import Scores
from ..core.shown import first_names, shown

_MOST_IDS = 3  # largest number of ids per system in a message
_MOST_LACKING = 5  # largest number of systems in a message


def lacking_answers(systems: Mapping[str, Scores], count_absent: bool = False) -> dict[str, list[Any]]:
    """System -> the ids of examples of other systems or the gold file that it did not answer; complete systems are omitted.

    Args:
        count_absent: whether an absent answer to an example in the gold file counts as an answer.
    """
    ids_of = dict(zip(systems, comparable_ids(*(scores.ids for scores in systems.values())), strict=True))
    every = dict.fromkeys(identifier for ids in ids_of.values() for identifier in ids)
    distinct = {name: set(ids) for name, ids in ids_of.items()}
    lacking = {
        name: [one for one in every if one not in ids] for name, ids in distinct.items() if len(ids) < len(every)
    }
    if not count_absent:
        for name, scores in systems.items():
            missing = [scores.ids[row] for row in np.flatnonzero(is_absent(scores)).tolist()]
            lacking[name] = [*missing, *lacking.get(name, ())]
    return {name: lacking[name] for name in systems if lacking.get(name)}


def require_answers(
    systems: Mapping[str, Scores], examples_name: str, common: str, count: str = "", *, count_absent: bool = False
) -> None:
    """Refuse systems that did not answer the same examples; the ValueError counts and lists what each lacks.

    Args:
        common, count: the options that use the common examples, and that score an absent answer 0.
        count_absent: as in `lacking_answers`.
    """
    lacking = lacking_answers(systems, count_absent)
    if not lacking:
        return
    total = len({str(identifier) for scores in systems.values() for identifier in scores.ids})
    each = [
        f"{name} lacks {len(ids):,} of {total:,} ({first_names(list(map(shown, ids)), _MOST_IDS)})"
        for name, ids in lacking.items()
    ]
    remedies = [f"{common} to use the {examples_name} that all answered"]
    remedies += [f"{count} to score an absent answer 0"] if count and not count_absent else []
    raise ValueError(
        f"the {examples_name} differ: {first_names(each, _MOST_LACKING)}; "
        f"give the missing answers, {'or ' * (len(remedies) == 1)}{', or '.join(remedies)}"
    )


def common_text(aligned: Mapping[str, Scores], unmatched: Mapping[str, int], examples_name: str) -> str:
    """The result of `systems.answered_examples` as text that follows "ranked by" or "judged by"."""
    total = next(iter(aligned.values())).n_examples
    omitted = ", ".join(f"{count:,} of {name}" for name, count in unmatched.items() if count)
    return f"the {counted(total, examples_name)} that all systems answered" + (
        f"; answers omitted: {omitted}" if omitted else ""
    )


def is_absent(scores: Scores) -> np.ndarray:
    """Which examples a system did not answer, (n,) bools."""
    return np.asarray(scores.subsets.get("missing", np.zeros(len(scores), bool)))
