"""One row of labels in plain Python, without arrays: equal to the last bit to a row of `score_labels`."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .measures import CLASS_METRICS
from .scoring import LabelOptions

_SETS = (set, frozenset)
_TEXTS = frozenset((str,))


def one_row(options: LabelOptions) -> Callable[[Any, Any], dict[str, float] | None] | None:
    """A function of predicted and true labels that returns the measures that are means; None if there is no fast path.

    It takes one text each, or sets of texts, with task="multi" also lists of texts, and with task="ranked" a list of texts, best
    first, against a list or set. For any other input it returns None.
    """
    of_rankings = options.label_counts, options.inverse_propensities
    if options.layout == "indicator" or any(option is not None for option in of_rankings):
        return None
    task, classes = options.task, None if options.classes is None else frozenset(options.classes.labels)
    if task == "ranked":
        return _one_ranking(options.k, classes)
    if task == "auto" and options.k != LabelOptions.k:
        return None

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


def _one_ranking(ks: Sequence[int], classes: frozenset[Any] | None) -> Callable[[Any, Any], dict[str, float] | None]:
    discounts = 1 / np.log2(np.arange(2, ks[-1] + 2))
    discount, ideal = discounts.tolist(), [0.0, *np.cumsum(discounts).tolist()]

    def score(prediction: Any, gold: Any) -> dict[str, float] | None:
        if type(prediction) is not list or type(gold) not in (*_SETS, list) or not (prediction and gold):
            return None
        if not (_TEXTS.issuperset(map(type, prediction)) and _TEXTS.issuperset(map(type, gold))):
            return None
        ranked, right = frozenset(prediction), frozenset(gold)
        if len(ranked) < len(prediction) or (classes is not None and not classes.issuperset(ranked | right)):
            return None
        places = [place for place, label in enumerate(prediction) if label in right]
        values: dict[str, dict[str, float]] = {"p": {}, "r": {}, "ndcg": {}}
        for k in ks:
            hits, gain = bisect_left(places, k), 0.0
            for place in places[:hits]:
                gain += discount[place]
            values["p"][f"p@{k}"], values["r"][f"r@{k}"] = hits / k, hits / len(right)
            values["ndcg"][f"ndcg@{k}"] = gain / max(ideal[min(len(right), k)], 1.0)
        found = values["p"] | values["r"] | values["ndcg"]
        return found | {"mrr": 1 / (places[0] + 1) if places else 0.0}

    return score
