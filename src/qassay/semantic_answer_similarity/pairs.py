"""The best score of each answer over its gold answers: each distinct pair of texts is scored once, if it can matter."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.answers import AnswerColumns
from ..core.columns import with_id
from ..core.shown import describe
from ..core.text import Normalizer
from .pair_scorers import PairScorer, PairScores

_Pair = tuple[str, str, str | None]  # answer, gold answer, question


class BestScores(NamedTuple):
    """The scores of m given answers of n examples.

    Attributes:
        scores: float64 (m,), the best score of each answer over its gold answers; 0 for a missing answer.
        truncated: bool (n,), examples with a pair that the model truncated.
        clipped: bool (n,), examples with a pair whose score was clipped.
        counts: int64 (n,), how many answers each example has.
    """

    scores: np.ndarray
    truncated: np.ndarray
    clipped: np.ndarray
    counts: np.ndarray


def best_scores(
    columns: AnswerColumns,
    scorer: PairScorer,
    normalizer: Normalizer | None = None,
    *,
    symmetric: bool = False,
    depth: int | None = None,
) -> BestScores:
    """Score answers against their gold answers; without any, the empty answer is right.

    Args:
        normalizer: two texts that are equal after it, or both blank, score 1, a blank text against another 0, and the scorer gets no
            pair of an answer that is equal to a gold answer. None: the scorer gets all pairs.
        symmetric: the mean of both directions.
        depth: of ranked answers, how many are scored; None: an example has one answer.

    Raises:
        TypeError, ValueError: a scorer that does not give one number from 0 to 1 for each pair.
    """
    settled = _settled_by(normalizer)
    either_way = symmetric or scorer.symmetric
    asks = columns.questions is not None and scorer.reads_questions
    questions = columns.questions if asks else [None] * len(columns.ids)
    numbers: dict[_Pair, int] = {}
    best: list[float] = []
    counts: list[int] = []
    answer_of, row_of, number_of = list[int](), list[int](), list[int]()  # of each pair for the scorer
    for row, given in enumerate(columns.given.tolist()):
        answers = [columns.predictions[row]] if depth is None else columns.predictions[row][:depth]
        golds = columns.references[row] or [""]
        counts.append(len(answers))
        if not given:
            best += [0.0] * len(answers)
            continue
        for answer in answers:
            known = [settled(answer, gold) for gold in golds]
            best.append(1.0 if 1.0 in known else 0.0 if 0.0 in known else math.nan)
            if 1.0 in known:
                continue
            for gold, score in zip(golds, known, strict=True):
                if score is not None:
                    continue
                pair = answer, gold, questions[row]
                if either_way and (back := (gold, answer, questions[row])) in numbers:
                    pair = back
                number_of.append(numbers.setdefault(pair, len(numbers)))
                answer_of.append(len(best) - 1)
                row_of.append(row)
    found = _score_pairs([*numbers], scorer, symmetric)
    wrong = np.flatnonzero(~((found.scores >= 0) & (found.scores <= 1)))
    if len(wrong):
        number = int(wrong[0])
        row = row_of[number_of.index(number)]
        raise _refusal(found.scores[number], [*numbers][number], row, columns, scorer)
    scores = np.array(best, np.float64)
    answers_of, rows_of, numbers_of = (np.array(column, np.int64) for column in (answer_of, row_of, number_of))
    np.fmax.at(scores, answers_of, found.scores[numbers_of])
    truncated, clipped = (
        np.bincount(rows_of[flags[numbers_of]], minlength=len(counts)) > 0 for flags in (found.truncated, found.clipped)
    )
    return BestScores(scores, truncated, clipped, np.array(counts, np.int64))


def _settled_by(normalizer: Normalizer | None) -> Callable[[str, str], float | None]:
    """A function of an answer and a gold answer: their score if it needs no model, else None."""
    if normalizer is None:
        return lambda answer, gold: None

    @functools.cache
    def form(text: str) -> tuple[bool, tuple[bool, str]]:
        """Whether a text is blank, and what equal texts have in common.

        A text that normalises to nothing ("The", "?!") is lower-cased instead.
        """
        stripped, normalised = text.strip(), normalizer(text)
        return not stripped, (True, normalised) if normalised.strip() else (False, stripped.lower())

    def settled(answer: str, gold: str) -> float | None:
        (is_blank, common), (gold_is_blank, gold_common) = form(answer), form(gold)
        if common == gold_common or (is_blank and gold_is_blank):
            return 1.0
        return 0.0 if is_blank or gold_is_blank else None

    return settled


def _score_pairs(pairs: Sequence[_Pair], scorer: PairScorer, symmetric: bool) -> PairScores:
    if not pairs:
        return PairScores(np.zeros(0), *np.zeros((2, 0), bool))
    columns: Any = ([pair[index] for pair in pairs] for index in range(3))
    firsts, seconds, questions = columns
    found = _call_scorer(scorer, firsts, seconds, questions)
    if not symmetric or scorer.symmetric:
        return found
    back = _call_scorer(scorer, seconds, firsts, questions)
    mean = (found.scores + back.scores) / 2
    return PairScores(mean, found.truncated | back.truncated, found.clipped | back.clipped)


def _call_scorer(scorer: PairScorer, firsts: list[str], seconds: list[str], questions: list[str]) -> PairScores:
    found = scorer.score(firsts, seconds, questions if scorer.reads_questions else None)
    try:
        checked = PairScores(
            np.asarray(found.scores, np.float64), np.asarray(found.truncated, bool), np.asarray(found.clipped, bool)
        )
    except (AttributeError, TypeError, ValueError) as error:
        raise TypeError(f"the scorer {scorer.name} must give PairScores of arrays, got {describe(found)}") from error
    for name, column in checked._asdict().items():
        if column.shape != (len(firsts),):
            given = f"the scorer {scorer.name} gave {name} of shape {column.shape} for {len(firsts)} pairs"
            raise ValueError(f"{given}; it must give one each")
    return checked


def _refusal(score: float, pair: _Pair, row: int, columns: AnswerColumns, scorer: PairScorer) -> ValueError:
    """The error for the score of a pair that occurs first in this row."""
    gold = (columns.references[row] or [""]).index(pair[1])
    what = "is not a number" if math.isnan(score) else "is not from 0 to 1"
    return ValueError(
        f"predictions[{row}] against references[{row}][{gold}]{with_id(columns.ids, row)}: the model {scorer.name} gave "
        f"{score:g} for {describe(pair[0])} and {describe(pair[1])}, which {what}; use another model or dtype=float32"
    )
