"""The measures of HotpotQA: the answer, its supporting facts, and both together.

The values match the official script (`hotpot_evaluate_v1.py` of hotpotqa/hotpot) for the task of Yang et al.
(2018), "HotpotQA: A Dataset for Diverse, Explainable Multi-hop Question Answering". It knows one gold answer per
question. With several, exact match is 1 if any is equal, and precision, recall and F1 come from the gold answer with the
largest F1 (then precision, then recall); these enter the joint scores.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ...core.answers import AnswerColumns, AnswerKind, Detail
from ...core.columns import is_list
from ...core.matching import harmonic, match_texts
from ...core.one_match import MatchRules
from ...core.presets import Preset
from ...core.ragged import begins_run
from ...core.shown import describe, shown
from ...core.text import Normalizer
from . import Rules, cells_as, details_of_both

MEASURES = ("exact_match", "f1", "precision", "recall")
Figures = tuple[float, float, float]  # exact match, precision, recall


# --- figures ----------------------------------------------------------------------------------------------------------


def with_f1(exact_match: np.ndarray, precision: np.ndarray, recall: np.ndarray) -> np.ndarray:
    """The columns of `MEASURES`, (4, n)."""
    return np.array([exact_match, harmonic(precision, recall), precision, recall])


def figures_of(rows: Iterable[Figures | None]) -> np.ndarray:
    """The columns of `MEASURES`, (4, n); 0 for a missing prediction."""
    return with_f1(*np.array([row or (0.0, 0.0, 0.0) for row in rows], np.float64).reshape(-1, 3).T)


def part_columns(parts: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The columns of parts, prefix -> (4, n)."""
    return {
        f"{prefix}{name}": row.copy()
        for prefix, part in parts.items()
        for name, row in zip(MEASURES, part, strict=True)
    }


def joint(parts: Iterable[np.ndarray]) -> np.ndarray:
    """Products of exact matches, precisions and recalls, and the F1 of the last two."""
    exact_match, _, precision, recall = np.prod([*parts], axis=0)
    return with_f1(exact_match, precision, recall)


# --- scores -----------------------------------------------------------------------------------------------------------


def _score_hotpotqa(columns: AnswerColumns, options: Any) -> dict[str, np.ndarray]:
    """The scores of the answers; where prediction and gold answer both have facts, also those of the facts, with the prefix
    "sp_", and of both, with "joint_". A missing half scores 0.
    """
    parts = {"": _answers(columns.predictions, columns.references, options.normalizer)}
    facts = details_of_both(columns, "supporting_facts")
    if facts is not None:
        columns.counts["missing_facts"] = facts[0].count(None)
        parts["sp_"] = figures_of(None if p is None else _set_figures(p, g) for p, g in zip(*facts, strict=True))
        parts["joint_"] = joint(parts.values())
    return part_columns(parts)


def match_answers(
    answers: Sequence[str], golds: Sequence[Sequence[str]], normalizer: Normalizer
) -> dict[str, np.ndarray]:
    """The columns of `MEASURES` by name, each the best over the gold answers."""
    whole_answers = ("yes", "no", "noanswer")
    rules = MatchRules(normalizer, drop_empty_golds=False, empty_f1=0.0, whole_answers=whole_answers)
    return match_texts(answers, golds, rules, MEASURES)


def _answers(answers: Sequence[str | None], golds: Sequence[Sequence[str]], normalizer: Any) -> np.ndarray:
    """The columns of `MEASURES`, (4, n), of the best gold answer of each answer."""
    counts = list(map(len, golds))
    pairs = [answer or "" for answer, count in zip(answers, counts, strict=True) for _ in range(count)]
    found = match_answers(pairs, [[gold] for gold in chain.from_iterable(golds)], normalizer)
    row = np.repeat(np.arange(len(golds)), counts)
    # Equal F1 values computed from different precisions can differ in the last bit, which must not decide.
    order = np.lexsort((found["recall"], found["precision"], found["f1"].round(12), row))
    best = order[np.append(np.flatnonzero(begins_run(row))[1:], len(row)) - 1]
    figures = np.array([found[name][best] for name in MEASURES])
    np.maximum.at(figures[0], row, found["exact_match"])
    return np.where([answer is not None for answer in answers], figures, 0.0)


def _set_figures(predicted: set[Any], gold: set[Any]) -> Figures:
    shared = len(predicted & gold)
    precision, recall = (shared / len(facts) if facts else 0.0 for facts in (predicted, gold))
    return float(predicted == gold), precision, recall


# --- facts ------------------------------------------------------------------------------------------------------------


def _facts_of(facts: Any, where: str) -> Iterator[tuple[str, int]]:
    """The checked (title, sentence index) pairs of one question: pairs, dicts, or a dict of both lists."""
    if isinstance(facts, dict):
        titles: Any = facts.get("title")
        sentences: Any = facts.get("sent_id")
        if not is_list(titles) or not is_list(sentences) or len(titles) != len(sentences):
            has = f"it has {sorted(map(str, facts))}"
            raise ValueError(f"{where} needs 'title' and 'sent_id', two lists with one entry per fact; {has}")
        facts = list(zip(titles, sentences, strict=True))
    elif not is_list(facts):
        raise TypeError(f"{where} must be a list of [title, sentence index] pairs, not {describe(facts)}")
    for index, fact in enumerate(facts):
        if isinstance(fact, dict):
            fact = (fact.get("title"), fact.get("sent_id"))
        if not is_list(fact) or len(fact) != 2:
            raise ValueError(f"{where}[{index}] must be a pair [title, sentence index], not {shown(fact)}")
        title, sentence = fact
        if not isinstance(title, str):
            raise TypeError(f"{where}[{index}]: the title must be a string, not {shown(title)}")
        # JSON and data frames may turn integers into floats, which are still valid as an index.
        is_number = isinstance(sentence, (int, float, np.integer, np.floating)) and not isinstance(sentence, bool)
        if not is_number or sentence != sentence // 1:
            raise TypeError(f"{where}[{index}]: the sentence index must be an integer, not {shown(sentence)}")
        yield title, int(sentence)


def facts_read(row: Any, where: str) -> set[tuple[str, int]]:
    """The supporting facts of one question."""
    return set(_facts_of(row, where))


# Texts with supporting facts; a missing answer is None, because the question may still have facts.
_ANSWERS = AnswerKind(
    no_answer=None,
    gold_details={"supporting_facts": Detail(cells_as(facts_read))},
    predicted_details={"supporting_facts": Detail(cells_as(facts_read, or_none=True))},
)

HOTPOTQA_PRESET = Preset(
    name="hotpotqa",
    line="HotpotQA: answers, supporting facts, and both together; without facts on either side, answers only",
    source="hotpotqa/hotpot, hotpot_evaluate_v1.py",
    rules=Rules(_score_hotpotqa, _ANSWERS, nothing=frozenset({"", "noanswer"}), zero_missing=False),
    measures=("exact_match", "f1", "sp_exact_match", "sp_f1", "joint_exact_match", "joint_f1"),
    columns={
        "gold_details": "supporting_facts: lists of [title, sentence] (optional)",
        "predicted_details": "supporting_facts: those that the system gave (optional)",
    },
)
