"""What is wrong with an answer that was not accepted: a wrong number, a negation, a refusal, several answers, ..."""

import re
from collections.abc import Sequence, Set
from functools import lru_cache

import numpy as np

from ..semantic_answer_similarity.lite_features import STOP_WORDS, folded_words, folded_words_of_each
from .lite_doubt import is_refusal, refusals
from .lite_search import JoinedTexts
from .lite_texts import OR_WORD

_MONTH_NAMES = frozenset(
    "january february march april may june july august september october november december".split()
)
_NEGATING = frozenset(
    "not no never none neither nor without isn wasn aren weren doesn didn don hasn hadn couldn incorrect false wrong".split()
)
_MAY_HEDGE = re.compile(r"[oO/](?:(?<!\w.)[rR]\b|(?<= /)(?= ))")
REJECTED_KINDS = ("refusal", "hedged", "negated", "wrong_number", "partial", "other_entity")


def rejected_kind(answer: str, golds: Sequence[str]) -> str:
    """The kind of an answer that was not accepted, one of `REJECTED_KINDS`: the first of these that holds.

    - "refusal": says that it gives no answer.
    - "hedged": offers several things ("Paris or Lyon"), maybe a gold answer among them.
    - "negated": has all words of a gold answer, and a negation that the gold answer does not have.
    - "wrong_number": the gold answers have a number or a month, and so has the answer, but a different one.
    - "partial": has a word of a gold answer.
    - "other_entity": has none.

    Example:
        >>> [rejected_kind(answer, ["May 1911"]) for answer in ("in 1903", "I don't know.", "not in May 1911", "Marie Curie")]
        ['wrong_number', 'refusal', 'negated', 'other_entity']
    """
    return "refusal" if is_refusal(answer) else _kind_of_other(answer, folded_words(answer), golds)


def _kind_of_other(answer: str, words: list[str], golds: Sequence[str]) -> str:
    """The kind of an answer that is not a refusal; `words`: its folded words."""
    said = set(words)
    hedges = _has_alternatives(answer, said) and _MAY_HEDGE.search(answer)  # not the initials "O.R."
    if hedges and not any(_has_alternatives(gold, _gold_words(gold)) for gold in golds):
        return "hedged"
    right = list(map(_gold_words, golds))
    if any(gold and gold <= said and (said - gold) & _NEGATING for gold in right):
        return "negated"
    right_numbers = [own for own in map(_gold_numbers, golds) if own]
    if right_numbers and (numbers := _numbers(said)) and not any(own <= numbers for own in right_numbers):
        return "wrong_number"
    meant = said - STOP_WORDS or said
    return "partial" if any(not meant.isdisjoint(gold) for gold in right) else "other_entity"


def _has_alternatives(text: str, words: Set[str]) -> bool:
    """Whether a text offers several things: "Paris or Lyon", "Paris / Lyon"."""
    return OR_WORD in words or " / " in text


@lru_cache(1 << 14)
def _gold_words(gold: str) -> frozenset[str]:
    return frozenset(folded_words(gold))


@lru_cache(1 << 14)
def _gold_numbers(gold: str) -> frozenset[str]:
    return frozenset(_numbers(_gold_words(gold)))


def _numbers(words: Set[str]) -> Set[str]:
    return {word for word in words if word[0].isdecimal()} | (words & _MONTH_NAMES)


def kind_masks(answers: Sequence[str], golds: Sequence[Sequence[str]], rejected: np.ndarray) -> dict[str, np.ndarray]:
    """`REJECTED_KINDS` -> which of n answers have that kind, bool (n,); only `rejected` answers have a kind."""
    kinds = np.full(len(answers), "", dtype="U12")
    rows = np.flatnonzero(rejected)
    kinds[rows[refusals(JoinedTexts([answers[row] for row in rows.tolist()]))]] = "refusal"
    others = rows[kinds[rows] == ""].tolist()
    texts = [answers[row] for row in others]
    for row, text, words in zip(others, texts, folded_words_of_each(texts), strict=True):
        kinds[row] = _kind_of_other(text, words, golds[row])
    return {kind: kinds == kind for kind in REJECTED_KINDS}
