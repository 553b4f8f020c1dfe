"""The measures of MuSiQue: the answer, its supporting paragraphs, and whether the paragraphs suffice.

The values match `evaluate_v1.0.py` of StonyBrookNLP/musique, for the task of Trivedi et al. (2022), "MuSiQue: Multihop
Questions via Single-hop Question Composition".
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns, AnswerKind, Detail
from ...core.columns import items_of
from ...core.errors import InputError
from ...core.intake import ANYTHING
from ...core.matching import match_texts
from ...core.one_match import MatchRules
from ...core.options import check_whole
from ...core.presets import Preset
from ...core.shown import describe, shown
from ..token_bags import f1_of_shared
from . import Rules, cells_as, details_of_both

_TRUTHS = {True: True, False: False, "true": True, "false": False, "True": True, "False": False}


def _score_musique(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    """Answers and support of answerable questions; if the data have pairs of an answerable and an unanswerable row,
    also both combined with sufficiency, 0 if sufficiency is wrong in either row.
    """
    answers = ["" if answer is None else answer for answer in columns.predictions]
    rules = MatchRules(options.normalizer, drop_empty_golds=False)
    scores = match_texts(answers, columns.references, rules, ("exact_match", "f1"))
    gold, predicted, support = columns.gold_details, columns.predicted_details, details_of_both(columns, "support")
    if support is not None:
        values = [0.0 if said is None else _set_f1(said, right or set()) for said, right in zip(*support, strict=True)]
        scores["support_f1"] = np.array(values)
    scores = columns.settled(scores)
    if "answerable" not in gold:
        return scores
    answerable = np.array(gold["answerable"], bool)
    if "question_id" in gold and "answerable" in predicted:
        both_right = _pairs_right(gold["question_id"], answerable, predicted["answerable"])
        for name, column in (("answer", "f1"), ("support", "support_f1")):
            if column in scores:
                scores[f"group_{name}_sufficiency_f1"] = np.where(both_right, scores[column], 0.0)
    elif not answerable.all():
        absent = (
            "gold_details lacks 'question_id'" if "question_id" not in gold else "predicted_details lacks 'answerable'"
        )
        raise ValueError(f"{absent}, which unanswerable rows need; give it, or answerable rows only")
    return {name: np.where(answerable, column, np.nan) for name, column in scores.items()}


def _pairs_right(question_ids: Sequence[Any], answerable: np.ndarray, said: Sequence[bool | None]) -> np.ndarray:
    """Whether sufficiency is right in both rows of the question of each row, bool (n,)."""
    rows: dict[str, list[int]] = {}
    for row, identifier in enumerate(question_ids):
        rows.setdefault(str(identifier), []).append(row)
    right = np.zeros(len(question_ids), bool)
    for identifier, pair in rows.items():
        if len(pair) != 2 or answerable[pair].sum() != 1:
            problem = f"question_id {shown(identifier)} has {len(pair)} rows, {int(answerable[pair].sum())} of them answerable"
            raise InputError(
                "gold_details", f"{problem}; give each question one answerable and one unanswerable row, together"
            )
        right[pair] = all(said[row] == answerable[row] for row in pair)
    return right


def _set_f1(said: set[int], right: set[int]) -> float:
    """F1 of two sets, 1 if both are empty."""
    if not said and not right:
        return 1.0
    return f1_of_shared(len(said & right), said, right)


def _paragraphs(numbers: Any, where: str) -> set[int]:
    return {check_whole(where, number, 0, kind="") for number in items_of(numbers, where, "numbers of paragraphs")}


def _truth(value: Any, where: str) -> bool:
    if not isinstance(value, (bool, np.bool_, int, str)) or value not in _TRUTHS:
        raise TypeError(f"{where} must be True or False, got {describe(value)}")
    return _TRUTHS[value]  # type: ignore[index]


# Texts with the numbers of their supporting paragraphs, and whether the paragraphs suffice for an answer.
_SUPPORT = Detail(cells_as(_paragraphs, or_none=True))
_ANSWERS = AnswerKind(
    gold_details={"support": _SUPPORT, "answerable": Detail(cells_as(_truth)), "question_id": Detail(ANYTHING)},
    predicted_details={"support": _SUPPORT, "answerable": Detail(cells_as(_truth, or_none=True))},
)
_MUSIQUE_COLUMNS = ("exact_match", "f1", "support_f1", "group_answer_sufficiency_f1", "group_support_sufficiency_f1")

MUSIQUE_PRESET = Preset(
    name="musique",
    line="MuSiQue: answers, supporting paragraphs, and both combined with sufficiency, for pairs of rows of a question",
    source="StonyBrookNLP/musique, evaluate_v1.0.py",
    rules=Rules(_score_musique, _ANSWERS, zero_missing=False),
    measures=_MUSIQUE_COLUMNS,
    columns={
        "gold_details": "support (numbers of the supporting paragraphs), answerable and question_id (all optional)",
        "predicted_details": "support, answerable (optional)",
    },
    differences="The script rounds totals to three decimals; qassay does not round. In qassay the two rows of a "
    "question need different ids and the same question_id.",
)
