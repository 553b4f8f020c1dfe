"""The measures of CMRC 2018 and DRCD: Chinese answers split into characters and words, and the F1 of the longest common
run.

The values match `cmrc2018_evaluate.py` of ymcui/cmrc2018, for the task of Cui et al. (2019), "A Span-Extraction Dataset
for Chinese Machine Reading Comprehension".
"""

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns
from ..token_bags import f1_of_shared
from . import Rules

_CMRC_MARKS = dict.fromkeys(map(ord, "-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』"))
_HAN = re.compile("([\u4e00-\u9fa5])")
# Words that NLTK does not split: no ASCII punctuation except . and , between digits, no quotes and dashes; the per cent
# sign is a word.
_PLAIN_WORD = re.compile(r"%|(?:[^\s!-/:-@\[-`{-~«»“”‘’„\u2012-\u2015]|(?<=[0-9])[.,](?=[0-9]))+")
_CONTRACTED = re.compile(r"\b(?:cannot|gimme|gonna|gotta|lemme|wanna)\b")
_MAY_END_SENTENCE = re.compile(r"[.?!]\W.*\S", re.DOTALL)


def without_cmrc_marks(text: str) -> str:
    """The text in lower case without the punctuation that the script removes; ASCII marks such as , . ! % and (
    stay.
    """
    return text.lower().strip().translate(_CMRC_MARKS)


def cut_mixed(text: str) -> list[str]:
    """Split into single Chinese characters and, between them, words of NLTK.

    Example:
        >>> cut_mixed("北京2008年"), cut_mixed("3.5% GDP")
        (['北', '京', '2008', '年'], ['3.5', '%', 'gdp'])
    """
    parts = _HAN.split(without_cmrc_marks(text))
    return [word for index, part in enumerate(parts) for word in ([part] if index % 2 else _words(part))]


@functools.lru_cache(1 << 16)
def _words(text: str) -> list[str]:
    words = text.replace("%", " % ").split()
    if all(map(_PLAIN_WORD.fullmatch, words)) and not _CONTRACTED.search(text):
        return words
    return _nltk_words(text)


def _nltk_words(text: str) -> list[str]:
    """The words of `nltk.word_tokenize`, which needs its data only if a sentence may end inside the text."""
    try:
        from nltk import word_tokenize
    except ImportError:
        problem = f"the answer has {text.strip()!r:.60}, which the script of CMRC 2018 splits with NLTK"
        raise ImportError(f"{problem}; run `pip install nltk`") from None
    try:
        return list(word_tokenize(text, preserve_line=not _MAY_END_SENTENCE.search(text)))
    except LookupError:
        problem = f"NLTK needs its data to split {text.strip()!r:.60} into sentences"
        raise ImportError(f"{problem}; run `python -c \"import nltk; nltk.download('punkt_tab')\"`") from None


def run_f1(predicted: Sequence[str], gold: Sequence[str]) -> float:
    """F1 of the longest common run of words.

    Example:
        >>> run_f1(["a", "b", "c"], ["x", "b", "c"]), run_f1([], [])
        (0.6666666666666666, 0.0)
    """
    longest, last = 0, [0] * (len(gold) + 1)
    for word in predicted:
        ends = [0] * (len(gold) + 1)
        for index, other in enumerate(gold):
            if word == other:
                ends[index + 1] = last[index] + 1
        longest, last = max(longest, *ends), ends
    return f1_of_shared(longest, predicted, gold)


def _score_cmrc(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    values = []
    for answer, golds in zip(columns.predictions, columns.references, strict=True):
        text, words = without_cmrc_marks(answer), cut_mixed(answer)
        exact = any(text == without_cmrc_marks(gold) for gold in golds)
        values.append((float(exact), max(run_f1(words, cut_mixed(gold)) for gold in golds)))
    exact_match, f1 = np.array(values).T.copy()
    return {"exact_match": exact_match, "f1": f1}


CMRC = Rules(_score_cmrc, normalizer="none")
