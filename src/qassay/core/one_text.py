"""Reads one answer and its gold answers as texts, as families do by columns."""

from typing import Any


def gold_texts(gold: Any) -> list[str] | tuple[str, ...] | None:
    """The gold answers of one question; None if they must be scored by columns."""
    if type(gold) is str:
        written_list = gold.startswith("[") and gold.endswith("]")
        return None if written_list else [gold] if gold else []
    return gold if type(gold) in (list, tuple) and all([type(text) is str for text in gold]) else None


def scored_text(prediction: Any, options: Any) -> tuple[str, bool] | None:
    """The scored text of a prediction, by the options `extract` and `unextracted`, and whether it always scores 0; None
    as in `gold_texts`.
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
