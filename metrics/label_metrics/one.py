"""One row of labels in plain Python, without arrays: equal to the last bit to a row of `score_labels`."""

from collections.abc import Callable
from typing import Any

from .measures import CLASS_METRICS
from .scoring import LabelOptions

_SETS = (set, frozenset)
_TEXTS = frozenset((str,))


def one_row(options: LabelOptions) -> Callable[[Any, Any], dict[str, float] | None] | None:
    """A function of predicted and true labels that gives the means among the measures; None: there is no short way.

    It takes one text each, or sets of texts, with task="multi" also lists of texts. For all else it returns None.
    """
    if options.task == "ranked" or options.layout == "indicator":
        return None
    of_rankings = options.label_counts, options.inverse_propensities
    if options.task == "auto" and (options.k != LabelOptions.k or any(option is not None for option in of_rankings)):
        return None
    task, classes = options.task, None if options.classes is None else frozenset(options.classes.labels)

    def score(prediction: Any, gold: Any) -> dict[str, float] | None:
        if type(prediction) is str and type(gold) is str and task != "multi":
            if classes is not None and not classes.issuperset((prediction, gold)):
                return None
            return {"accuracy": float(prediction == gold), "error_rate": float(prediction != gold)}
        if task == "single":
            return None
        kinds = (*_SETS, list) if task == "multi" else _SETS
        if type(prediction) not in kinds or type(gold) not in kinds or not (prediction and gold):
            return None
        if not (_TEXTS.issuperset(map(type, prediction)) and _TEXTS.issuperset(map(type, gold))):
            return None
        predicted, right = frozenset(prediction), frozenset(gold)
        if classes is not None and not classes.issuperset(predicted | right):
            return None
        tp, wrong = len(predicted & right), len(predicted ^ right)
        found = {"exact_match": float(not wrong)}
        if classes is not None:
            found["hamming_loss"] = wrong / max(1, len(classes))
        shares = tp / len(predicted), tp / len(right), 2 * tp / (2 * tp + wrong), tp / (tp + wrong)
        return found | {f"samples_{metric}": share for metric, share in zip(CLASS_METRICS, shares, strict=True)}

    return score
