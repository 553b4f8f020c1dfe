"""The verdicts on one answer, without arrays: equal to the last bit to a row of `score_verdicts`."""

from collections.abc import Callable
from typing import Any

from .columns import FIELDS
from .nuggets import have_importances
from .scoring import EMPTY_SHARES, VERDICT_TASKS, VerdictOptions, verdict_measures
from .words import Verdicts

_ROW_KEYS = frozenset(("id", *FIELDS.values()))


def one_answer_of_verdicts(options: VerdictOptions) -> Callable[[Any, Any], dict[str, float] | None]:
    """A function of the verdicts on one answer and of what belongs to its question that gives the means among the measures.

    It takes plain lists, texts and dicts, and returns None for other input; it refuses what the task refuses.
    """
    task, nothing = VERDICT_TASKS[options.task], EMPTY_SHARES[options.empty]
    names = [name for name, measure in verdict_measures(options.task).items() if measure.is_mean]

    def score(prediction: Any, gold: Any) -> dict[str, float] | None:
        if gold is None and options.task == "nuggets" and type(prediction) is list and have_importances([prediction]):
            gold = prediction
        elif gold is None and options.task == "nuggets" or type(gold) not in (list, str, type(None)):
            return None
        if type(prediction) not in (list, str, dict) or (
            type(prediction) is dict and not _ROW_KEYS.isdisjoint(prediction)
        ):
            return None
        gold = None if gold is None else task.read_gold(gold, "")
        values = task.score(prediction, gold, Verdicts(task.words, options.unjudged, ""), nothing)
        return {name: float(value) for name, value in zip(names, values, strict=True) if value == value}

    return score
