"""The measures of ASQA in ALCE: the share of sub-questions with a short answer that occurs in the long answer.

The values match `eval.py` of princeton-nlp/ALCE (Gao et al., 2023), for the task of Stelmakh et al. (2022), "ASQA:
Factoid Questions Meet Long-Form Answers".
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns, AnswerKind
from ...core.columns import items_of, texts_of
from ...core.errors import InputError
from ...core.presets import Preset
from . import Rules, cells_as

_CITATION_NUMBER = re.compile(r" ?\[\d+")
_GIVE_SUB_QUESTIONS = "give a list of short answers for each sub-question"


def _sub_questions(row: Any, where: str) -> list[list[str]]:
    """The sub-questions of a row, each a list of short answers, as lists or as in ALCE under qa_pairs."""
    pairs = items_of(
        row.get("qa_pairs") if isinstance(row, Mapping) else row, where, "sub-questions", _GIVE_SUB_QUESTIONS
    )
    answers = [
        texts_of(
            pair.get("short_answers") if isinstance(pair, Mapping) else pair,
            f"{where}[{index}]",
            "short answers",
            _GIVE_SUB_QUESTIONS,
        )
        for index, pair in enumerate(pairs)
    ]
    if not answers:
        raise InputError("references", f"{where} has no sub-question; asqa needs at least one")
    return answers


def without_citations(text: str) -> str:
    """The first line of a long answer without citations such as [1][2], as ALCE scores it.

    Example:
        >>> without_citations("Paris [1] and Lyon [2][3]. | Yes\\nmore")
        'Paris and Lyon. Yes'
    """
    line = text.strip().split("\n")[0].replace("<|im_end|>", "")
    return _CITATION_NUMBER.sub("", line).replace(" |", "").replace("]", "")


def _score_asqa(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    shares = []
    for answer, pairs in zip(columns.predictions, columns.references, strict=True):
        text = options.normalizer(without_citations(answer))
        found = [any(options.normalizer(short) in text for short in answers) for answers in pairs]
        shares.append(sum(found) / len(found))
    str_em = np.array(shares, np.float64)
    return {"str_em": str_em, "str_hit": (str_em == 1).astype(np.float64)}


_ANSWERS = AnswerKind(references=cells_as(_sub_questions, takes_dicts=True), are_texts=False)

ASQA_PRESET = Preset(
    name="asqa",
    line="long answers to ambiguous questions (ASQA in ALCE): the share of sub-questions with a short answer inside the "
    "normalised text, and the share of questions with all of them",
    source="princeton-nlp/ALCE, eval.py (compute_str_em)",
    rules=Rules(_score_asqa, _ANSWERS, references="all", gold_key=lambda pairs: tuple(sorted(map(sorted, pairs)))),
    measures=("str_em", "str_hit"),
    differences="A gold row is a list of sub-questions, each a list of short answers (or qa_pairs with short_answers). As in the script: only "
    "the first line counts, without citations such as [1]; a short answer is found inside words, Rome in Romeo; a short answer that is "
    "only an article or a punctuation mark is in every text. Citations, claims and MAUVE are not measured.",
)
