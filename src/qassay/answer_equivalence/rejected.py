"""What is wrong with an answer that was not accepted: a wrong number, a negation, a refusal, several answers, ..."""

from collections.abc import Sequence

import numpy as np

from ..core.text_pairs.negation import count_negators
from ..core.text_pairs.refusals import refuses
from ..core.text_pairs.values import agreement, read_values
from ..core.text_pairs.words import STOP_WORDS, Text, read_text

REJECTED_KINDS = ("refusal", "hedged", "negated", "wrong_number", "partial", "other_entity")


def rejected_kind(answer: str, golds: Sequence[str]) -> str:
    """The kind of an answer that was not accepted, one of `REJECTED_KINDS`: the first of these that holds.

    - "refusal": says that it gives no answer.
    - "hedged": offers several things ("Paris or Lyon"), maybe a gold answer among them.
    - "negated": has all words of a gold answer, and a negation that the gold answer does not have.
    - "wrong_number": the gold answers have a number or a date, and so has the answer, but a different one.
    - "partial": has a word of a gold answer.
    - "other_entity": has none.

    Example:
        >>> [rejected_kind(answer, ["May 1911"]) for answer in ("in 1903", "I don't know.", "not in May 1911", "Marie Curie")]
        ['wrong_number', 'refusal', 'negated', 'other_entity']
    """
    text, gold_texts = read_text(answer), [*map(read_text, golds)]
    if refuses(answer):
        return "refusal"
    if _offers(text) and not any(map(_offers, gold_texts)):
        return "hedged"
    own = {*text.stems}
    if any(own.issuperset(gold.stems) and count_negators(text) > count_negators(gold) for gold in gold_texts):
        return "negated"
    values = [value for gold in gold_texts for value in read_values(gold)]
    others = read_values(text)
    if values and others and not any(agreement(value, other) for value in values for other in others):
        return "wrong_number"
    content = own.difference(STOP_WORDS) or own
    return "other_entity" if content.isdisjoint(stem for gold in gold_texts for stem in gold.stems) else "partial"


def _offers(text: Text) -> bool:
    return "or" in text.words or any(mark.strip() == "/" for mark in text.marks)


def kind_masks(answers: Sequence[str], golds: Sequence[Sequence[str]], rejected: np.ndarray) -> dict[str, np.ndarray]:
    """`REJECTED_KINDS` -> which of n answers have that kind, bool (n,); only `rejected` answers have a kind."""
    kinds = np.full(len(answers), "", dtype="U12")
    for row in np.flatnonzero(rejected).tolist():
        kinds[row] = rejected_kind(answers[row], golds[row])
    return {kind: kinds == kind for kind in REJECTED_KINDS}
