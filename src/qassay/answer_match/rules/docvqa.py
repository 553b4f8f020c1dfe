"""DocVQA: the edit similarity of an answer and a gold answer, 0 below one half (ANLS)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns
from ...core.presets import Preset
from . import Rules

_LEAST_SIMILARITY = 0.5


def edit_distance(first: str, second: str) -> int:
    """The smallest number of insertions, deletions and replacements that turn one text into the other (Levenshtein).

    The columns of the usual table are stored as bits of integers (Myers, 1999; Hyyrö, 2003).

    Example:
        >>> edit_distance("kitten", "sitting"), edit_distance("", "abc")
        (3, 3)
    """
    if not first or not second:
        return len(first) + len(second)
    indices: dict[str, int] = {}
    for index, character in enumerate(first):
        indices[character] = indices.get(character, 0) | 1 << index
    every = (1 << len(first)) - 1
    last, up, down, distance = 1 << (len(first) - 1), every, 0, len(first)
    for character in second:
        equal = indices.get(character, 0)
        diagonal = ((equal & up) + up ^ up) | equal | down
        right, left = (down | ~(diagonal | up)) & every, diagonal & up & every
        distance += bool(right & last) - bool(left & last)
        right, left = right << 1 | 1, left << 1
        up, down = (left | ~(diagonal | right)) & every, right & diagonal & every
    return distance


def anls(prediction: str, golds: Sequence[str]) -> float:
    """The similarity of an answer to the nearest gold answer, 0..1, and 0 below one half, as in the DocVQA challenge.

    Edits are counted in lower case with single spaces, and divided by the length of the longer original text.

    Example:
        >>> anls("Invoice 12", ["invoice 17", "12"]), anls("ab", ["ac"]), anls("ab", ["a c"])
        (0.9, 0.5, 0.0)
    """
    edited, nearest = _single_spaced(prediction), 1.0
    for gold in golds:
        length = max(len(gold.upper()), len(prediction.upper()))
        other = _single_spaced(gold)
        if not length:
            nearest = 0.0
        elif 2 * abs(len(edited) - len(other)) <= length:  # otherwise it is below one half for any characters
            nearest = min(nearest, edit_distance(edited, other) / length)
    return 1 - nearest if 1 - nearest >= _LEAST_SIMILARITY else 0.0


def _single_spaced(text: str) -> str:
    return " ".join(text.strip().lower().split())


def _score_docvqa(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    pairs = zip(columns.predictions, columns.references, strict=True)
    return {"anls": np.array([anls(prediction, golds) for prediction, golds in pairs])}


DOCVQA_PRESET = Preset(
    name="docvqa",
    line="questions about documents (DocVQA, InfographicVQA, ST-VQA): ANLS, the edit similarity to the nearest gold answer, "
    "0 below a half",
    source="the script of the Robust Reading Competition, infographicvqa_eval.py of rrc.cvc.uab.es",
    rules=Rules(_score_docvqa, normalizer="none"),
    measures=("anls",),
    differences="A similarity of exactly 0.5 stays, as in the script and in anls-star 1.0.1; anls 0.0.2 makes it 0 (answer ab, gold "
    "answer ac). The script divides by the length with all white space, the two packages by the length without extra white space: for "
    "the answer ac and the gold answer ab with a trailing blank, the script gives 0.667, anls-star 0.5, anls 0. ANLS* of lists and "
    "dicts is not available.",
)
