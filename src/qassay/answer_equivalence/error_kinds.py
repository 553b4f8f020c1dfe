"""What is wrong with an answer that was not accepted: a wrong number, a negation, a refusal, several answers, ..."""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from ..core.text_pairs.dates import MONTHS
from ..core.text_pairs.negation import count_negators
from ..core.text_pairs.numbers import first_is_digit
from ..core.text_pairs.refusals import refuses
from ..core.text_pairs.words import STOP_WORDS, read_text

# Kind -> what an error is called.
REJECTED_KINDS = {
    "refusal": "refusal",
    "hedged": "hedged between several answers",
    "negated": "negated",
    "wrong_number": "wrong number or date",
    "partial": "part of an answer",
    "other_entity": "other entity",
}
_OFFERS = re.compile(r"\b(?<!\w\.)or\b| / ", re.IGNORECASE)  # not the initials "O.R."


def rejected_kind(answer: str, golds: Sequence[str]) -> str:
    """The kind of an answer that was not accepted, one of `REJECTED_KINDS`: the first of these that holds.

    - "refusal": says near its beginning that it gives no answer.
    - "hedged": offers several things ("Paris or Lyon"), maybe a gold answer among them.
    - "negated": has all words of a gold answer, and more negating words.
    - "wrong_number": the gold answers have a number or a month, and so has the answer, but a different one.
    - "partial": has a word of a gold answer.
    - "other_entity": has none.

    Example:
        >>> [rejected_kind(answer, ["May 1911"]) for answer in ("in 1903", "I don't know.", "not in May 1911", "Marie Curie")]
        ['wrong_number', 'refusal', 'negated', 'other_entity']
    """
    if refuses(answer):
        return "refusal"
    if _OFFERS.search(answer) and not any(map(_OFFERS.search, golds)):
        return "hedged"
    text, gold_texts = read_text(answer), [*map(read_text, golds)]
    stems = {*text.stems}
    if any(stems.issuperset(gold.stems) and count_negators(text) > count_negators(gold) for gold in gold_texts):
        return "negated"
    gold_counts = [found for gold in gold_texts if (found := _counts(gold.words))]
    counts = _counts(text.words)
    if gold_counts and counts and not any(map(counts.issuperset, gold_counts)):
        return "wrong_number"
    content = stems.difference(STOP_WORDS) or stems
    return "other_entity" if content.isdisjoint(stem for gold in gold_texts for stem in gold.stems) else "partial"


def _counts(words: Iterable[str]) -> set[str]:
    """Numbers and months."""
    return {word for word in words if word in MONTHS or first_is_digit(word)}


def kind_masks(answers: Sequence[str], golds: Sequence[Sequence[str]], rejected: np.ndarray) -> dict[str, np.ndarray]:
    """`REJECTED_KINDS` -> which of n answers have that kind, bool (n,); only `rejected` answers have a kind."""
    kinds = np.full(len(answers), "", dtype="U12")
    for row in np.flatnonzero(rejected).tolist():
        kinds[row] = rejected_kind(answers[row], golds[row])
    return {kind: kinds == kind for kind in REJECTED_KINDS}
