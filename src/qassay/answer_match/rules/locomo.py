"""The measures of LoCoMo: F1 of stemmed tokens by category of question, and recall of the evidence.

The values match `task_eval/evaluation.py` of snap-research/locomo, for the task of Maharana et al. (2024), "Evaluating
Very Long-Term Conversational Memory of LLM Agents".
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns, AnswerKind, Detail
from ...core.columns import texts_of
from ...core.errors import InputError
from ...core.presets import Preset
from ...core.shown import describe
from ..token_bags import bag_f1, need_golds
from . import Rules, cells_as

_LISTED, _OPEN_DOMAIN, _ADVERSARIAL = 1, 3, 5
_REFUSALS = ("no information available", "not mentioned")


def _category(cell: Any, where: str) -> int:
    category = int(cell) if isinstance(cell, str) and cell.strip().isdecimal() else cell
    if isinstance(category, bool) or category not in range(1, 6):
        raise InputError("gold_details", f"{where} must be a category, 1 to 5, got {describe(cell)}")
    return int(category)


def _turns(cell: Any, where: str) -> list[str]:
    return texts_of(cell, where, "ids of turns", 'give a list such as ["D1:3"]')


@functools.cache
def _stem() -> Callable[[str], str]:
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError:
        raise ImportError("preset=locomo stems words with NLTK; run `pip install nltk`") from None
    return functools.lru_cache(1 << 16)(PorterStemmer().stem)


def _stems(text: str, normalize: Callable[[str], str]) -> list[str]:
    return list(map(_stem(), normalize(text).split()))


def _f1(answer: str, gold: str, category: int, normalize: Callable[[str], str]) -> float:
    """F1 of stems; in category 1 of the best part of the answer, averaged over the parts of the gold answer."""
    if category == _OPEN_DOMAIN:
        gold = gold.split(";")[0]
    if category != _LISTED:
        return bag_f1(_stems(answer, normalize), _stems(gold, normalize))
    parts, golds = ([_stems(part, normalize) for part in text.split(",")] for text in (answer, gold))
    return float(np.mean([max(bag_f1(part, right) for part in parts) for right in golds]))


def _recall(context: Sequence[str] | None, evidence: Sequence[str]) -> float:
    """The share of the turns of the evidence that the context has; its ids are of turns (D1:3) or sessions (S1)."""
    if not context or not evidence:
        return 1.0
    if context[0].startswith("S"):
        context, evidence = [name[1:] for name in context], [turn.split(":")[0][1:] for turn in evidence]
    return sum(turn in context for turn in evidence) / len(evidence)


def _score_locomo(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    categories = columns.gold_details["category"]
    golds = [[""] if of == _ADVERSARIAL else row for of, row in zip(categories, columns.references, strict=True)]
    need_golds(golds, columns.ids, options.preset)
    f1 = [
        float(any(words in answer.lower() for words in _REFUSALS))
        if category == _ADVERSARIAL
        else max(_f1(answer, gold, category, options.normalizer) for gold in row)
        for answer, row, category in zip(columns.predictions, golds, categories, strict=True)
    ]
    scores = {"f1": np.array(f1, np.float64)}
    contexts, evidence = columns.predicted_details.get("context"), columns.gold_details.get("evidence")
    if contexts is not None and evidence is not None:
        scores["evidence_recall"] = np.array(list(map(_recall, contexts, evidence)), np.float64)
    return scores


_ANSWERS = AnswerKind(
    gold_details={"category": Detail(cells_as(_category), required=True), "evidence": Detail(cells_as(_turns))},
    predicted_details={"context": Detail(cells_as(_turns, or_none=True))},
)

LOCOMO_PRESET = Preset(
    name="locomo",
    line="questions about very long conversations (LoCoMo): F1 of stems, in category 1 averaged over a list of answers; adversarial "
    "questions (category 5) are right if the answer says so; recall of the evidence",
    source="snap-research/locomo, task_eval/evaluation.py",
    rules=Rules(
        _score_locomo, _ANSWERS, normalizer="lower+ascii_punctuation+articles:locomo+spaces", needs_golds=False
    ),
    measures=("f1", "evidence_recall"),
    columns={
        "gold_details": "category (1 to 5), and evidence: the ids of turns, such as D1:3",
        "predicted_details": "context: the ids of the retrieved turns, or of sessions, such as S1",
    },
    differences="Needs `pip install nltk` (compared with 3.10.4), for the Porter stemmer. As in the script: the articles are a, an, the and and; in "
    "category 3 a gold answer ends at its first semicolon; an answer to a question of category 5 is right if it has `no "
    "information available` or `not mentioned`, whatever the gold answer is; recall is 1 without evidence or context. The script "
    "sets the prediction to the words of the chosen option first, and takes one gold answer. Papers often omit category 5, and "
    "judge by a language model instead; such verdicts are scored by claim_support.",
)
