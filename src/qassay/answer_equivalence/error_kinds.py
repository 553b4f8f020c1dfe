"""What is wrong with an answer that was not accepted: a wrong number, a negation, a refusal, several answers, ..."""

import re
from collections.abc import Sequence

import numpy as np

from ..core.text_pairs.dates import MONTHS
from ..core.text_pairs.negation import count_negators
from ..core.text_pairs.numbers import first_is_digit
from ..core.text_pairs.refusals import refuses
from ..core.text_pairs.words import STOP_WORDS, Text, read_text
from .about import REJECTED_KINDS

_OFFERS = re.compile(r"\b(?<!\w\.)or\b| / ", re.IGNORECASE)  # not the initials "O.R."


def rejected_kind(answer: str, golds: Sequence[str]) -> str:
    """The kind of an answer that was not accepted, one of `REJECTED_KINDS`: the first that holds.

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
    counts, gold_counts = _counts(text), [found for gold in gold_texts if (found := _counts(gold))]
    if gold_counts and counts and not any(map(counts.issuperset, gold_counts)):
        return "wrong_number"
    content = stems.difference(STOP_WORDS) or stems
    return "other_entity" if content.isdisjoint(stem for gold in gold_texts for stem in gold.stems) else "partial"


def _counts(text: Text) -> set[str]:
    """Numbers and months."""
    return {word for word in text.words if word in MONTHS or first_is_digit(word)}


def kind_masks(answers: Sequence[str], golds: Sequence[Sequence[str]], rejected: np.ndarray) -> dict[str, np.ndarray]:
    """`REJECTED_KINDS` -> which of n answers have that kind, bool (n,); only `rejected` answers have a kind."""
    rows = np.flatnonzero(rejected).tolist()
    kinds = np.full(len(answers), "", dtype="U12")
    kinds[rows] = [rejected_kind(answers[row], golds[row]) for row in rows]
    return {kind: kinds == kind for kind in REJECTED_KINDS}
