"""What is wrong with an answer that was not accepted: a wrong number, a negation, a refusal, several answers, ..."""

import re
from collections.abc import Sequence
from itertools import chain

import numpy as np

from ..semantic_answer_similarity.lite_features import STOP_WORDS
from .lite_doubt import refusals
from .lite_search import JoinedTexts
from .lite_texts import MONTHS, OR_WORD
from .lite_words import find_words, read_bare_texts, words_among

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
    return str(_kinds([answer], [golds])[0])


def kind_masks(answers: Sequence[str], golds: Sequence[Sequence[str]], rejected: np.ndarray) -> dict[str, np.ndarray]:
    """`REJECTED_KINDS` -> which of n answers have that kind, bool (n,); only `rejected` answers have a kind."""
    kinds = np.full(len(answers), "", dtype="U12")
    rows = np.flatnonzero(rejected).tolist()
    if rows:
        kinds[rows] = _kinds([answers[row] for row in rows], [golds[row] for row in rows])
    return {kind: kinds == kind for kind in REJECTED_KINDS}


def _kinds(answers: Sequence[str], golds: Sequence[Sequence[str]]) -> np.ndarray:
    """`rejected_kind` of n answers, (n,)."""
    n = len(answers)
    numbers, (said, gold) = read_bare_texts(answers, [*chain.from_iterable(golds)])
    negates, joins, stops, counts = (words_among(numbers, some) for some in (_NEGATING, (OR_WORD,), STOP_WORDS, MONTHS))
    counts[[place for word, place in numbers.items() if word[0].isdecimal()]] = True

    # Pairs of an answer with each of its gold answers, and the words of the gold answers.
    row = np.repeat(np.arange(n), [*map(len, golds)])
    pair, token = gold.spread()
    place = np.full(len(token), -1)
    find_words(said, np.arange(1, len(numbers) + 1), said.index[row[pair]], token, place)
    found = place >= 0

    def any_gold(of_pairs: np.ndarray) -> np.ndarray:
        return np.bincount(row[of_pairs], minlength=n) > 0

    def all_found(chosen: np.ndarray) -> np.ndarray:
        """Which gold answers have chosen words (bool, of each word number), and all of these in the answer."""
        lost = np.bincount(pair[chosen[token] & ~found], minlength=len(gold.index)) > 0
        return gold.has(chosen)[gold.index] & ~lost

    refused, hedged, negated = np.zeros((3, n), bool)
    refused[refusals(JoinedTexts(answers))] = True
    offers, offered = (
        texts.has(joins)[texts.index] | np.array([" / " in text for text in texts.distinct], bool)[texts.index]
        for texts in (said, gold)
    )
    for at in np.flatnonzero(offers & ~any_gold(offered)).tolist():
        hedged[at] = _MAY_HEDGE.search(answers[at]) is not None  # not the initials "O.R."
    for at in np.flatnonzero(all_found(np.ones(len(numbers), bool)) & said.has(negates)[said.index[row]]).tolist():
        more = {*said.tokens(said.index[row[at]]).tolist()}.difference(gold.tokens(gold.index[at]).tolist())
        negated[row[at]] |= negates[[*more]].any()
    wrong_number = any_gold(gold.has(counts)[gold.index]) & said.has(counts)[said.index] & ~any_gold(all_found(counts))
    only_stops = ~said.has(~stops)[said.index]
    partial = np.bincount(row[pair[found & (~stops[token] | only_stops[row[pair]])]], minlength=n) > 0
    return np.select([refused, hedged, negated, wrong_number, partial], REJECTED_KINDS[:-1], REJECTED_KINDS[-1])
