"""The error in the answer to one example, in words."""

from typing import Any

from ..core.scores import Scores
from ..core.shown import shown
from ..registry import family_of

_MOST_SHOWN = 10  # gold answers


def words_of(scores: Scores, prediction: Any, gold: Any) -> str:
    """The gold answers and the prediction of an example, and its kind of error if the metric has kinds.

    Args:
        scores: of this example only.
    """
    family = family_of(scores)
    errors = family.telling.errors
    parts = [f"{kind}: {errors.meanings[kind]}" for kind in errors.of(scores) or ()]
    try:
        (golds,) = family.reading.gold_answers([gold])
    except NotImplementedError:  # a family that scores more than answers
        golds = list(gold) if isinstance(gold, (list, tuple)) else [gold]
    more = f" and {len(golds) - _MOST_SHOWN} more" if len(golds) > _MOST_SHOWN else ""
    parts.append(f"Gold answers: {', '.join(map(shown, golds[:_MOST_SHOWN])) or 'none'}{more}.")
    return " ".join([*parts, f"Given: {shown(prediction)}."])
