"""The measure of GAIA: numbers, lists separated by commas or semicolons, and texts without spaces.

The values match `scorer.py` of the benchmark's Space, for the task of Mialon et al. (2023), "GAIA: a benchmark for
General AI Assistants".
"""

import re
import string
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns, AnswerKind
from ...core.presets import Preset
from . import Rules

_BLANK = re.compile(r"\s")
_LIST_MARK = re.compile("[,;]")
_GAIA_PUNCTUATION = str.maketrans("", "", string.punctuation)


def gaia_match(answer: str, gold: str) -> bool:
    """Whether an answer is right; the gold answer decides whether both are read as a number, a list or a text.

    Example:
        >>> gaia_match("$1,000", "1000"), gaia_match("a, 2.0", "A;2"), gaia_match("sea gull.", "Seagull")
        (True, True, True)
    """
    number = _float_of(gold)
    if number is not None:
        return _number_of(answer) == number
    if _LIST_MARK.search(gold) is None:
        return _bare(answer).translate(_GAIA_PUNCTUATION) == _bare(gold).translate(_GAIA_PUNCTUATION)
    answers, golds = _LIST_MARK.split(answer), _LIST_MARK.split(gold)
    return len(answers) == len(golds) and all(map(_item_matches, answers, golds))


def _item_matches(answer: str, gold: str) -> bool:
    number = _float_of(gold)
    return _bare(answer) == _bare(gold) if number is None else _number_of(answer) == number


def _bare(text: str) -> str:
    return _BLANK.sub("", text).lower()


def _float_of(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _number_of(answer: str) -> float:
    """The number in an answer without $, % and commas; infinity if it is not a number."""
    number = _float_of(answer.replace("$", "").replace("%", "").replace(",", ""))
    return float("inf") if number is None else number


def _score_gaia(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    """1 if an answer matches a gold answer, or if there is no gold answer and the answer is empty."""
    rows = zip(columns.predictions, columns.references, strict=True)
    right = [any(gaia_match(answer or "", gold) for gold in golds or [""]) for answer, golds in rows]
    return {"exact_match": np.array(right, np.float64)}


GAIA_PRESET = Preset(
    name="gaia",
    line="GAIA: the gold answer decides whether answers are compared as numbers, as lists or as texts without blanks",
    source="gaia-benchmark/leaderboard on Hugging Face, scorer.py",
    rules=Rules(_score_gaia, AnswerKind(compares_numbers=True), normalizer="none", needs_golds=False),
    measures=("exact_match",),
    differences='A missing prediction scores 0; the script reads it as the text "None".',
)
