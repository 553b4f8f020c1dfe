"""One answer against its gold answers by the short way of `core.one_match`, for `qassay.scorer`."""

from collections.abc import Callable
from typing import Any

from ..core.one_match import MATCH_COLUMNS, match_one

_LISTS = (list, tuple)


def one_answer(options: Any) -> Callable[[Any, Any], dict[str, float] | None] | None:
    """`Family.one` of answer_match: for texts by the rules of the task "answers", without a threshold of no-answer."""
    if options._own_rules is not None or options.unit == "offset" or options.no_answer_threshold is not None:
        return None
    refuses_empty, normalizer = options.empty_gold == "error", options.normalizer
    rules = (
        options.empty_gold == "drop",
        options.empty_f1,
        options.contains == "substring",
        options.whole_answers or (),
    )
    match = match_one(normalizer, options.unit, *rules)

    def score_ranked(answers: Any, golds: Any) -> dict[str, float] | None:
        if type(answers) not in _LISTS or not answers or not all([type(answer) is str for answer in answers]):
            return None
        matches = [match(answer, golds)[:5] for answer in answers[: options.top_k[-1]]]
        best = {k: [max(values) for values in zip(*matches[:k], strict=True)] for k in options.top_k}
        return {f"{name}@{k}": best[k][place] for place, name in enumerate(MATCH_COLUMNS) for k in options.top_k}

    def score_text(answer: Any, golds: Any) -> dict[str, float] | None:
        if type(answer) is not str:
            return None
        if options.extract is not None:
            found = options.extract(answer)
            if found is None:
                if options.unextracted == "zero":
                    return dict.fromkeys(MATCH_COLUMNS, 0.0)
                if options.unextracted == "error":
                    return None
                found = answer if options.unextracted == "whole" else ""
            elif type(found) is not str:
                return None
            answer = found
        exact_match, f1, precision, recall, contains, _ = match(answer, golds)
        return {"exact_match": exact_match, "f1": f1, "precision": precision, "recall": recall, "contains": contains}

    score = score_text if options.top_k is None else score_ranked

    def score_one(prediction: Any, gold: Any) -> dict[str, float] | None:
        if type(gold) is str:
            gold = [gold] if gold else []
        elif type(gold) not in _LISTS or not all([type(text) is str for text in gold]):
            return None
        try:
            if refuses_empty and not all([normalizer(text) for text in gold]):
                return None
            return score(prediction, gold)
        except Exception:  # of a function of the user, which columns will tell of
            return None

    return score_one
