"""Scores one answer with the fast path of `core.one_match`, for `qassay.scorer`, which rewards call in a loop."""

from collections.abc import Callable
from typing import Any

from ..core.one_match import MATCH_COLUMNS, match_one


def one_answer(options: Any) -> Callable[..., dict[str, float] | None] | None:
    """`Family.one` of answer_match: for one text and its gold answers, where options express the rules. Ranked answers, and
    those that a threshold may withhold, are scored by columns.
    """
    by_columns = options.rules, options.top_k, options.no_answer_threshold
    if options.empty_gold == "error" or any(option is not None for option in by_columns):
        return None
    extract, unextracted = options.extract, options.unextracted
    match = match_one(options.match_rules)

    def score_one(prediction: Any, gold: Any) -> dict[str, float] | None:
        golds = _gold_texts(gold)
        if golds is None or type(prediction) is not str:
            return None
        text = prediction if extract is None else extract(prediction)
        if text is None and unextracted == "zero":
            return dict.fromkeys(MATCH_COLUMNS, 0.0)
        if text is None and unextracted != "error":
            text = prediction if unextracted == "whole" else ""
        if type(text) is not str:
            return None
        exact_match, f1, precision, recall, contains, _ = match(text, golds)
        return {"exact_match": exact_match, "f1": f1, "precision": precision, "recall": recall, "contains": contains}

    return score_one


def _gold_texts(gold: Any) -> list[str] | tuple[str, ...] | None:
    """The gold answers of one question; None if they must be scored by columns."""
    if type(gold) is str:
        written_list = gold.startswith("[") and gold.endswith("]")
        return None if written_list else [gold] if gold else []
    return gold if type(gold) in (list, tuple) and all([type(text) is str for text in gold]) else None
