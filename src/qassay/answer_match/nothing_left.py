"""Counts answers that are right only because they and a gold answer are empty after normalisation, such as "A"."""

import functools
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..core.text import Normalizer

if TYPE_CHECKING:
    import numpy as np

NOTES = {
    "nothing_left": "right only because normalisation leaves nothing of the answer and of a gold answer, such as 'A'",
    "exact_match_without_f1": "with exact match 1 and F1 0, as in the official script: the answer and a gold answer are empty "
    "after normalisation",
}


def right_by_nothing(
    rows: Iterable[int], answers: Sequence[str], golds: Sequence[Sequence[str]], normalizer: Normalizer
) -> dict[str, int]:
    """How many answers are right only because they and a gold answer are empty after normalisation; {} for none.

    The rules are official: SQuAD drops articles, so an empty answer is right for the gold answer "A". An answer that
    equals a gold answer except for case is not counted.

    Args:
        rows: rows of the answers that are empty after normalisation and right.
        answers, golds: n answers and n lists of gold answers.

    Example:
        >>> from qassay.core.text import get_normalizer
        >>> golds = [["A", "the A"], ["A"], [], [""]]
        >>> right_by_nothing(range(4), ["", "a", "", "the"], golds, get_normalizer("squad"))
        {'nothing_left': 1}
    """
    count = 0
    for row in rows:
        if golds[row]:
            texts = [gold.strip().casefold() for gold in golds[row]]
            answer = answers[row].strip().casefold()
            count += answer not in texts and any(text and not normalizer(text).strip() for text in texts)
    return {"nothing_left": count} if count else {}


def exact_without_f1(columns: "Mapping[str, np.ndarray]") -> dict[str, int]:
    """How many answers have an exact match of 1 and an F1 of 0, with any top_k; {} for none.

    The rules are official: in the scripts of SQuAD 1.1, HotpotQA and CMRC 2018 two empty texts are equal and share no
    token.

    Args:
        columns: scores by name, each (n,).
    """
    pairs = [(name, name.replace("exact_match", "f1")) for name in columns if name.startswith("exact_match")]
    found = [(columns[exact] == 1) & (columns[f1] == 0) for exact, f1 in pairs if f1 in columns]
    count = int(functools.reduce(operator.or_, found).sum()) if found else 0
    return {"exact_match_without_f1": count} if count else {}
