"""Answers paired with gold answers, and the scores of the pairs: each distinct pair is scored once, if it matters."""

import math
from itertools import chain
from typing import NamedTuple

import numpy as np

from ..core.answers import AnswerColumns
from ..core.columns import with_id
from ..core.shown import describe
from ..core.text import Normalizer
from .pair_scorers import PairScorer, PairScores


class AnswerPairs(NamedTuple):
    """Answers against gold answers: m given answers, each with at least one gold answer, p pairs in all.

    Attributes:
        texts: the t distinct texts, and the questions after them.
        answer, gold, question: int64 (p,), indices in `texts`; question -1: none.
        starts: (m,), where the pairs of each given answer begin.
        counts: (n,), how many given answers each example has.
        rows: (p,), the example of each pair.
        same: (t,), equal where the normalised texts are.
        empty: bool (t,).
        columns: the columns of the call, read.
    """

    texts: list[str]
    answer: np.ndarray
    gold: np.ndarray
    question: np.ndarray
    starts: np.ndarray
    counts: np.ndarray
    rows: np.ndarray
    same: np.ndarray
    empty: np.ndarray
    columns: AnswerColumns


def answer_pairs(columns: AnswerColumns, normalizer: Normalizer, depth: int | None = None) -> AnswerPairs:
    """The pairs of answers that were read; with `depth` the first so many of ranked answers."""
    n = len(columns.ids)
    ranked = [[row] if depth is None else row[:depth] for row in columns.predictions]
    counts = np.fromiter(map(len, ranked), np.int64, n)
    golds = [list(row) or [""] for row in columns.references]  # no gold answer: the empty answer is right
    gold_counts = np.fromiter(map(len, golds), np.int64, n)
    numbers: dict[str, int] = {}
    answers, gold_texts = (
        np.array([numbers.setdefault(text, len(numbers)) for text in chain.from_iterable(rows)], np.int64)
        for rows in (ranked, golds)
    )
    texts = [*numbers]
    row_of_answer = np.repeat(np.arange(n), counts)
    pairs_of_answer = gold_counts[row_of_answer]
    starts = np.cumsum(pairs_of_answer) - pairs_of_answer
    first_gold = (np.cumsum(gold_counts) - gold_counts)[row_of_answer]
    indices = np.arange(pairs_of_answer.sum()) + np.repeat(first_gold - starts, pairs_of_answer)
    rows = np.repeat(row_of_answer, pairs_of_answer)
    question = np.full(len(rows), -1)
    if columns.questions is not None:
        question_numbers = {text: len(texts) + index for index, text in enumerate(dict.fromkeys(columns.questions))}
        question = np.fromiter(map(question_numbers.__getitem__, columns.questions), np.int64, n)[rows]
    return AnswerPairs(
        texts if columns.questions is None else [*texts, *question_numbers],
        np.repeat(answers, pairs_of_answer),
        gold_texts[indices],
        question,
        starts,
        counts,
        rows,
        _same_texts(texts, normalizer),
        np.fromiter((not text or text.isspace() for text in texts), bool, len(texts)),
        columns,
    )


def _same_texts(texts: list[str], normalizer: Normalizer) -> np.ndarray:
    """Numbers that are equal where the normalised texts are, int64 (t,).

    A text that normalises to nothing ("The", "?!") is lower-cased instead.
    """
    numbers: dict[tuple[bool, str], int] = {}
    same = np.empty(len(texts), np.int64)
    for index, text in enumerate(texts):
        normalised = normalizer(text)
        is_empty = not normalised or normalised.isspace()
        key = (is_empty, text.strip().lower() if is_empty else normalised)
        same[index] = numbers.setdefault(key, len(numbers))
    return same


def score_answer_pairs(
    pairs: AnswerPairs, scorer: PairScorer, *, raw: bool = False, symmetric: bool = False
) -> PairScores:
    """Scores of all p pairs, each distinct one scored once.

    Args:
        raw: all go to the scorer; otherwise two empty texts are 1, one empty text is 0, equal texts are 1, and texts of
            an answer with a gold answer equal to it are not scored.
        symmetric: the mean of both directions.

    Returns:
        The scores, NaN for pairs that were not scored, 0 for missing answers; and whether each pair was
        cut or clipped.

    Raises:
        TypeError, ValueError: a scorer that does not give one number from 0 to 1 for each pair.
    """
    scores = np.full(len(pairs.rows), np.nan)
    needed = np.repeat(pairs.columns.given, np.bincount(pairs.rows, minlength=len(pairs.counts)))
    scores[~needed] = 0.0
    if not raw:
        _take_shortcuts(pairs, scores, needed)
    indices = np.flatnonzero(needed)
    truncated, clipped = np.zeros((2, len(scores)), bool)
    if not len(indices):
        return PairScores(scores, truncated, clipped)
    answer, gold, question = pairs.answer[indices], pairs.gold[indices], pairs.question[indices]
    if scorer.symmetric or symmetric:
        answer, gold = np.minimum(answer, gold), np.maximum(answer, gold)
    key = answer * len(pairs.texts) + gold
    if scorer.reads_questions:
        key = np.unique(key, return_inverse=True)[1] * len(pairs.texts) + question
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    distinct = answer[first], gold[first], question[first]
    distinct_scores = _call_scorer(pairs, *distinct, scorer)
    if symmetric and not scorer.symmetric:
        back = _call_scorer(pairs, distinct[1], distinct[0], distinct[2], scorer)
        distinct_scores = PairScores(
            (distinct_scores.scores + back.scores) / 2,
            distinct_scores.truncated | back.truncated,
            distinct_scores.clipped | back.clipped,
        )
    bad = np.flatnonzero(~((distinct_scores.scores >= 0) & (distinct_scores.scores <= 1)))
    if len(bad):
        _refuse_score(distinct_scores.scores[bad[0]], pairs, indices[first[bad[0]]], scorer)
    scores[indices] = distinct_scores.scores[inverse]
    truncated[indices], clipped[indices] = distinct_scores.truncated[inverse], distinct_scores.clipped[inverse]
    return PairScores(scores, truncated, clipped)


def best_scores(pairs: AnswerPairs, scorer: PairScorer, *, raw: bool = False, symmetric: bool = False) -> PairScores:
    """The best score of each given answer over its gold answers, (m,); which examples have a pair that was cut, and which a
    pair that was clipped, (n,) each. Arguments and errors are as in `score_answer_pairs`.
    """
    found = score_answer_pairs(pairs, scorer, raw=raw, symmetric=symmetric)
    truncated, clipped = (
        np.bincount(pairs.rows[flags], minlength=len(pairs.counts)) > 0 for flags in (found.truncated, found.clipped)
    )
    return PairScores(np.fmax.reduceat(found.scores, pairs.starts), truncated, clipped)


def _take_shortcuts(pairs: AnswerPairs, scores: np.ndarray, needed: np.ndarray) -> None:
    """Fills in the scores that need no model and unsets `needed` where no model can change an answer's best score."""
    blank, gold_blank = pairs.empty[pairs.answer], pairs.empty[pairs.gold]
    scores[needed & (blank | gold_blank)] = 0.0
    scores[needed & ((pairs.same[pairs.answer] == pairs.same[pairs.gold]) | (blank & gold_blank))] = 1.0
    best = np.fmax.reduceat(scores, pairs.starts)
    sizes = np.diff(np.append(pairs.starts, len(scores)))
    needed &= np.isnan(scores) & np.repeat(best != 1, sizes)


def _call_scorer(
    pairs: AnswerPairs, answer: np.ndarray, gold: np.ndarray, question: np.ndarray, scorer: PairScorer
) -> PairScores:
    columns = [[pairs.texts[index] for index in column.tolist()] for column in (answer, gold, question)]
    pair_scores = scorer.score(columns[0], columns[1], columns[2] if scorer.reads_questions else None)
    try:
        checked = PairScores(
            np.asarray(pair_scores.scores, np.float64),
            np.asarray(pair_scores.truncated, bool),
            np.asarray(pair_scores.clipped, bool),
        )
    except (AttributeError, TypeError, ValueError) as error:
        raise TypeError(
            f"the scorer {scorer.name} must give PairScores of arrays, got {describe(pair_scores)}"
        ) from error
    for name, column in checked._asdict().items():
        if column.shape != answer.shape:
            raise ValueError(
                f"the scorer {scorer.name} gave {name} of shape {column.shape} for {len(answer)} pairs; it must give one "
                "each"
            )
    return checked


def _refuse_score(score: float, pairs: AnswerPairs, index: int, scorer: PairScorer) -> None:
    row = int(pairs.rows[index])
    answer = int(np.searchsorted(pairs.starts, index, side="right")) - 1
    texts = [describe(pairs.texts[number[index]]) for number in (pairs.answer, pairs.gold)]
    source = getattr(scorer, "encoder", None) or scorer
    what = "is not a number" if math.isnan(score) else "is not from 0 to 1"
    raise ValueError(
        f"predictions[{row}] against references[{row}][{index - int(pairs.starts[answer])}]"
        f"{with_id(pairs.columns.ids, row)}: the model {source.name} gave {score:g} for {' and '.join(texts)}, which "
        f"{what}; use another model or dtype=float32"
    )
