"""The measures of MuSiQue: the answer, its supporting paragraphs, and whether the paragraphs suffice.

The values match `evaluate_v1.0.py` of StonyBrookNLP/musique, for the task of Trivedi et al. (2022), "MuSiQue: Multihop
Questions via Single-hop Question Composition".
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns, AnswerKind
from ...core.columns import is_list, with_id
from ...core.errors import InputError
from ...core.matching import match_texts
from ...core.options import check_whole
from ...core.presets import Preset
from ...core.shown import describe, shown
from ..token_bags import need_golds
from . import Rules

_TRUTHS = {True: True, False: False, "true": True, "false": False, "True": True, "False": False}


# Texts with the numbers of their supporting paragraphs, and whether the paragraphs suffice for an answer.
_ANSWERS = AnswerKind(
    gold_details={"support": False, "answerable": False, "question_id": False},
    predicted_details={"support": False, "answerable": False},
)


def _score_musique(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    """Answers and support of answerable questions; if the data have pairs of an answerable and an unanswerable row,
    also both combined with sufficiency, 0 if sufficiency is wrong in either row.
    """
    ids, n = columns.ids, len(columns.ids)
    need_golds(columns.references, ids, "musique")
    answers = ["" if answer is None else answer for answer in columns.predictions]
    found = match_texts(answers, columns.references, options.normalizer, "token", False, 1.0, ("exact_match", "f1"))
    scores = {"exact_match": found["exact_match"], "f1": found["f1"]}
    gold, predicted = columns.gold_details, columns.predicted_details
    if ("support" in gold) != ("support" in predicted):
        side = "predicted_details" if "support" in gold else "gold_details"
        raise InputError(side, f"{side} lacks 'support', which the other has; give it in both, or in neither")
    if "support" in gold:
        paragraphs = zip(
            _paragraphs(predicted["support"], "predicted_details", ids), _paragraphs(gold["support"], "gold_details", ids), strict=True
        )  # fmt: skip
        scores["support_f1"] = np.array(
            [0.0 if found is None else _set_f1(found, right or set()) for found, right in paragraphs]
        )
    scores = columns.settled(scores)
    if "answerable" not in gold:
        return scores
    answerable = np.array(_truths(gold["answerable"], "gold_details", ids), bool)
    if "question_id" in gold and "answerable" in predicted:
        said = _truths(predicted["answerable"], "predicted_details", ids, may_lack=True)
        both_right = _pairs_right(gold["question_id"], answerable, said, ids)
        for name, column in (("answer", "f1"), ("support", "support_f1")):
            if column in scores:
                scores[f"group_{name}_sufficiency_f1"] = np.where(both_right, scores[column], 0.0)
    elif not answerable.all():
        absent = (
            "gold_details lacks 'question_id'" if "question_id" not in gold else "predicted_details lacks 'answerable'"
        )
        raise ValueError(f"{absent}, which unanswerable rows need; give it, or answerable rows only")
    return {name: np.where(answerable, column, np.nan) for name, column in scores.items()} if n else scores


def _pairs_right(
    question_ids: Sequence[Any], answerable: np.ndarray, said: Sequence[bool | None], ids: Sequence[Any]
) -> np.ndarray:
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


def _set_f1(own: set[int], right: set[int]) -> float:
    """F1 of two sets, 1 if both are empty."""
    if not own and not right:
        return 1.0
    shared = len(own & right)
    precision, recall = shared / len(own) if own else 0.0, shared / len(right) if right else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _paragraphs(rows: Sequence[Any], side: str, ids: Sequence[Any]) -> list[set[int] | None]:
    """The numbers of paragraphs of each row; None if a row has none."""
    found: list[set[int] | None] = []
    for row, numbers in enumerate(rows):
        where = f"{side}['support'][{row}]{with_id(ids, row)}"
        if numbers is not None and not is_list(numbers):
            raise InputError(side, f"{where} must be a list of numbers of paragraphs, got {describe(numbers)}")
        found.append(None if numbers is None else {check_whole(where, number, 0, kind="") for number in numbers})
    return found


def _truths(rows: Sequence[Any], side: str, ids: Sequence[Any], may_lack: bool = False) -> list[Any]:
    truths = []
    for row, value in enumerate(rows):
        known = isinstance(value, (bool, np.bool_, int, str)) and value in _TRUTHS
        if not known and not (may_lack and value is None):
            where = f"{side}['answerable'][{row}]{with_id(ids, row)}"
            raise InputError(side, f"{where} must be True or False, got {describe(value)}")
        truths.append(_TRUTHS[value] if known else None)
    return truths


_MUSIQUE_COLUMNS = ("exact_match", "f1", "support_f1", "group_answer_sufficiency_f1", "group_support_sufficiency_f1")
MUSIQUE = Rules(_score_musique, _ANSWERS, settled=frozenset(_MUSIQUE_COLUMNS))

MUSIQUE_PRESET = Preset(
    name="musique",
    line="MuSiQue: answers, supporting paragraphs, and both combined with sufficiency, for pairs of rows of a question",
    source="StonyBrookNLP/musique, evaluate_v1.0.py",
    rules=MUSIQUE,
    measures=_MUSIQUE_COLUMNS,
    columns={
        "gold_details": "support (numbers of the supporting paragraphs), answerable and question_id (all optional)",
        "predicted_details": "support, answerable (optional)",
    },
    differences="The script rounds totals to three decimals; qassay does not round. In qassay the two rows of a "
    "question need different ids and the same question_id.",
    compared=240,
)
