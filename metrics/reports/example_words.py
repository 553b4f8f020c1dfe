"""What is wrong with the answer to one example, in words."""

from typing import Any

from ..core.scores import Scores
from ..core.shown import shown
from ..registry import family_of

_MOST_SHOWN = 10  # gold answers


def words_of(scores: Scores, prediction: Any, gold: Any) -> str:
    """The kind of error of an example with its meaning, where the metric has kinds, the gold answers and the prediction.

    Args:
        scores: of this example alone.
    """
    family = family_of(scores)
    errors = family.telling.errors
    parts = [f"{kind}: {errors.meanings[kind]}" for kind in errors.of(scores) or ()]
    try:
        (golds,) = family.reading.gold_answers([gold])
    except NotImplementedError:  # of a family that scores more than answers
        golds = list(gold) if isinstance(gold, (list, tuple)) else [gold]
    more = f" and {len(golds) - _MOST_SHOWN} more" if len(golds) > _MOST_SHOWN else ""
    parts.append(f"Gold answers: {', '.join(map(shown, golds[:_MOST_SHOWN])) or 'none'}{more}.")
    return " ".join([*parts, f"Given: {shown(prediction)}."])
