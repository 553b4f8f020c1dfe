"""Shared code of rules that score one question after the other: bags of tokens, and several gold answers."""

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Sized
from typing import Any

from ..core.columns import with_id
from ..core.errors import InputError


def bag_f1(predicted: Sequence[str], gold: Sequence[str]) -> float:
    """F1 of two bags of tokens, 0 if none is shared."""
    return f1_of_shared((Counter(predicted) & Counter(gold)).total(), predicted, gold)


def f1_of_shared(shared: int, predicted: Sized, gold: Sized) -> float:
    """F1 of two answers that share this many items, 0 if none; computed in the order of evaluation scripts, to match their last
    bit.
    """
    if not shared:
        return 0.0
    precision, recall = shared / len(predicted), shared / len(gold)
    return 2 * precision * recall / (precision + recall)


def leave_one_out(values: Sequence[float]) -> float:
    """The best value over all gold answers but one, averaged over the omitted one; the value itself if there is only
    one.

    Example:
        >>> leave_one_out([1.0, 0.0, 0.5]), leave_one_out([0.25])
        (0.8333333333333334, 0.25)
    """
    if len(values) == 1:
        return values[0]
    second, best = sorted(values)[-2:]
    index, total = values.index(best), 0.0
    for left_out in range(len(values)):  # one by one, not with `sum`, which adds differently since Python 3.12
        total += second if left_out == index else best
    return total / len(values)


def reader_of(normalize: Callable[[str], str]) -> Callable[[str], tuple[str, list[str]]]:
    """A cached function from a text to its normalised text and tokens."""

    @functools.cache
    def read(text: str) -> tuple[str, list[str]]:
        normalized = normalize(text)
        return normalized, normalized.split()

    return read


def need_golds(references: Iterable[Sequence[Any]], ids: Sequence[Any], rules: str) -> None:
    """Refuse a question without a gold answer, for rules that do not define such questions."""
    for row, golds in enumerate(references):
        if not golds:
            where = f"references[{row}]{with_id(ids, row)}"
            raise InputError("references", f"{where} has no gold answer; {rules} needs at least one")
