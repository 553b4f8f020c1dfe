"""Scores one answer with the fast path of `core.one_match`, for `qassay.scorer`."""

from collections.abc import Callable
from typing import Any

from ..core.matching import MOST_PAIRS
from ..core.one_match import MATCH_COLUMNS, match_one

_LISTS = (list, tuple)


def one_answer(options: Any) -> Callable[..., dict[str, float] | None] | None:
    """`Family.one` of answer_match: for texts, where options express the rules."""
    if options.rules is not None:
        return None
    refuses_empty, normalizer = options.empty_gold == "error", options.normalizer
    threshold = options.no_answer_threshold
    match = match_one(options.match_rules)

    def score_ranked(answers: Any, golds: Any) -> dict[str, float] | None:
        if type(answers) not in _LISTS or not answers or not all([type(answer) is str for answer in answers]):
            return None
        answers = answers[: options.top_k[-1]]
        if len(answers) * len(golds) > MOST_PAIRS:
            return None
        matches = [match(answer, golds)[: len(MATCH_COLUMNS)] for answer in answers]
        best = {k: [max(values) for values in zip(*matches[:k], strict=True)] for k in options.top_k}
        return {f"{name}@{k}": best[k][index] for index, name in enumerate(MATCH_COLUMNS) for k in options.top_k}

    def score_text(answer: Any, golds: Any) -> dict[str, float] | None:
        found = _scored_text(answer, options)
        if found is None:
            return None
        text, is_zero = found
        if is_zero:
            return dict.fromkeys(MATCH_COLUMNS, 0.0)
        exact_match, f1, precision, recall, contains, _ = match(text, golds)
        return {"exact_match": exact_match, "f1": f1, "precision": precision, "recall": recall, "contains": contains}

    score = score_text if options.top_k is None else score_ranked

    def score_one(prediction: Any, gold: Any, no_answer_probabilities: Any = None) -> dict[str, float] | None:
        golds, doubt = _gold_texts(gold), no_answer_probabilities
        if golds is None or ((threshold is not None or doubt is not None) and not _is_plain_probability(doubt)):
            return None
        if refuses_empty and not all([normalizer(text) for text in golds]):
            return None
        values = score(prediction, golds)
        if values is None or threshold is None or doubt <= threshold:
            return values
        return dict.fromkeys(values, 0.0 if golds else 1.0)  # a withheld answer scores as an empty one

    return score_one


def _is_plain_probability(value: Any) -> bool:
    """Whether a value is a plain number that columns accept unchanged."""
    return type(value) in (int, float) and abs(value) < 1e100


def _gold_texts(gold: Any) -> list[str] | tuple[str, ...] | None:
    """The gold answers of one question; None if they must be scored by columns."""
    if type(gold) is str:
        written_list = gold.startswith("[") and gold.endswith("]")
        return None if written_list else [gold] if gold else []
    return gold if type(gold) in (list, tuple) and all([type(text) is str for text in gold]) else None


def _scored_text(prediction: Any, options: Any) -> tuple[str, bool] | None:
    """The scored text of a prediction, by the options `extract` and `unextracted`, and whether it always scores 0; None
    as in `_gold_texts`.
    """
    if type(prediction) is not str:
        return None
    if options.extract is None:
        return prediction, False
    answer = options.extract(prediction)
    if answer is not None:
        return (answer, False) if type(answer) is str else None
    if options.unextracted == "error":
        return None
    return prediction if options.unextracted == "whole" else "", options.unextracted == "zero"
