"""Compares answers with gold answers: exact match, F1, precision, recall and containment, as arrays with one row per
answer.

The rules match the official SQuAD 2.0 evaluation script (Rajpurkar et al., 2018): every measure is the best over the
gold answers, gold answers that normalise to the empty string are dropped, and empty matches empty.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from .columns import id_at
from .errors import InputError
from .one_match import MATCH_COLUMNS, MatchRules, match_one
from .ragged import begins_run, ranges_from
from .token_table import normalised_texts, shared_tokens, stands_in, token_table

SHORT = 256  # up to this many answers and gold answers are compared one by one, which is then faster
MOST_PAIRS = 4_000_000  # of the answers and the gold answers of one row
_ANSWERS_AT_ONCE = 1 << 14  # these two limit the memory of a comparison
_GOLDS_AT_ONCE = 1 << 20


def check_number_of_pairs(pairs: np.ndarray, ids: Sequence[Any], fewer: str) -> None:
    """Refuse a row whose answers and gold answers would take minutes to compare.

    Args:
        pairs: (n,), the number of pairs in each row.
        fewer: other advice for the message.
    """
    if (pairs > MOST_PAIRS).any():
        row = int(np.argmax(pairs > MOST_PAIRS))
        found = f"has answers that make {pairs[row]:,} pairs with gold answers, and at most {MOST_PAIRS:,} are compared"
        raise InputError("predictions", found, f"give fewer answers, or {fewer}", row, id_at(ids, row))


def match_texts(
    answers: Sequence[str], golds: Sequence[Sequence[str]], rules: MatchRules, measures: Sequence[str] = MATCH_COLUMNS
) -> dict[str, np.ndarray]:
    """Compare texts with texts.

    Args:
        answers: m given answers.
        golds: m lists of gold answers; without a gold answer, the empty answer is right.
        measures: which columns to return, optionally with "nothing".

    Returns:
        `exact_match` (normalised strings are equal), `f1`, `precision`, `recall` (of bags of tokens) and `contains`
        (the tokens of a gold answer occur contiguously in the given one), each float64 (m,) in 0..1, each the best over
        the gold answers; `nothing`: 1 where the answer normalises to nothing.
    """
    gold_ends = np.cumsum(np.fromiter(map(len, golds), np.int64, len(golds)))
    if len(answers) + gold_ends[-1:].sum() <= SHORT:
        match = match_one(rules)
        values = np.array([match(answer, row) for answer, row in zip(answers, golds, strict=True)], np.float64)
        values = values.reshape(-1, len(MATCH_COLUMNS) + 1)
        index = {name: number for number, name in enumerate((*MATCH_COLUMNS, "nothing"))}
        return {name: values[:, index[name]].copy() for name in measures}
    columns = {name: np.empty(len(answers)) for name in measures}
    first = 0
    while first < len(answers):
        most = (gold_ends[first - 1] if first else 0) + _GOLDS_AT_ONCE
        last = min(first + _ANSWERS_AT_ONCE, max(first + 1, int(np.searchsorted(gold_ends, most, side="right"))))
        of_block = _match_block(answers[first:last], golds[first:last], rules)
        for name, column in columns.items():
            column[first:last] = of_block[name]
        first = last
    return columns


def _match_block(
    answers: Sequence[str], gold_rows: Sequence[Sequence[str]], rules: MatchRules
) -> dict[str, np.ndarray]:
    table = token_table([*answers, *chain.from_iterable(gold_rows), ""], rules.normalizer, rules.unit)
    answer, gold, nothing = table.index[: len(answers)], table.index[len(answers) : -1], table.index[-1]
    counts = np.fromiter(map(len, gold_rows), np.int64, len(gold_rows))
    rows, lone = np.arange(len(answers)), counts == 0
    kept = table.text_ids[gold] != table.text_ids[nothing]
    if rules.drop_empty_golds and not kept.all():
        counts, gold = np.bincount(np.repeat(rows, counts)[kept], minlength=len(rows)), gold[kept]
    has_golds, counts = counts > 0, np.maximum(counts, 1)
    row = np.repeat(rows, counts)
    if len(gold) < len(row):  # no gold answer is left: the empty answer is right
        gold, left_golds = np.full(len(row), nothing), gold
        gold[has_golds[row]] = left_golds
    starts = np.cumsum(counts) - counts
    exact = best_per_row(table.text_ids[answer[row]] == table.text_ids[gold], starts)
    lengths = table.lengths
    right = exact * np.where((lengths[answer] == 0) & ~lone, rules.empty_f1, 1.0)
    columns = dict(zip(MATCH_COLUMNS, (exact, right, right.copy(), right.copy(), exact.copy()), strict=True))
    columns["nothing"] = table.text_ids[answer] == table.text_ids[nothing]

    # Count tokens only for answers that are not yet right, and for pairs in which both texts have tokens.
    pairs = np.flatnonzero((exact == 0)[row])
    left, against, row = answer[row[pairs]], gold[pairs], row[pairs]
    texts = normalised_texts(table, rules.normalizer) if rules.substring or rules.whole_answers else []
    of_tokens = MATCH_COLUMNS[1:-1] if rules.substring else MATCH_COLUMNS[1:]
    if rules.substring:
        inside = np.array([texts[g] in texts[a] for a, g in zip(left.tolist(), against.tolist(), strict=True)], bool)
        columns["contains"][row[inside & has_golds[row]]] = 1.0  # every text contains the empty text
    left_lengths, against_lengths = lengths[left], lengths[against]
    tokenless = (left_lengths == 0) & (against_lengths == 0)  # different strings of white space
    for name in of_tokens:
        columns[name][row[tokenless]] = 1.0 if name == "contains" else rules.empty_f1
    pairs = np.flatnonzero((left_lengths > 0) & (against_lengths > 0))
    left, against, row = left[pairs], against[pairs], row[pairs]
    shared = shared_tokens(table, left, against)
    hit = shared > 0
    left, against, row, shared = left[hit], against[hit], row[hit], shared[hit]
    if len(row):
        precision, recall = shared / lengths[left], shared / lengths[against]
        if rules.whole_answers:
            is_whole = np.fromiter((text in rules.whole_answers for text in texts), bool, len(texts))
            whole = is_whole[left] | is_whole[against]
            precision[whole] = recall[whole] = 0.0
        found = {"f1": harmonic(precision, recall), "precision": precision, "recall": recall}
        if not rules.substring:
            all_there = np.flatnonzero(shared == lengths[against])
            found["contains"] = np.zeros(len(row))
            found["contains"][all_there] = stands_in(table, against[all_there], left[all_there])
        starts = np.flatnonzero(begins_run(row))
        for name, values in found.items():
            columns[name][row[starts]] = best_per_row(values, starts)
    return columns


def match_spans(answers: np.ndarray, golds: np.ndarray, gold_counts: np.ndarray) -> dict[str, np.ndarray]:
    """Compare character positions with character positions, in constant time per pair.

    Args:
        answers: (m, 2) ints, start and end (exclusive) of each given answer; start = end means no answer.
        golds: the gold spans of all answers, one after another, (g, 2) ints.
        gold_counts: (m,) ints, how many of `golds` belong to each answer; without a gold span, no answer (start = end)
            is right.

    Returns:
        The columns of `match_texts`; F1, precision and recall compare the sets of positions.
    """
    columns = {name: np.zeros(len(answers)) for name in MATCH_COLUMNS}
    given = answers[:, 1] > answers[:, 0]
    lonely = (gold_counts == 0) & ~given
    for name in MATCH_COLUMNS:
        columns[name][lonely] = 1.0
    row = np.repeat(np.arange(len(answers)), gold_counts)
    pairs = np.flatnonzero(given[row])
    row, gold = row[pairs], golds[pairs]
    if len(row):
        left = answers[row]
        shared = np.maximum(np.minimum(left[:, 1], gold[:, 1]) - np.maximum(left[:, 0], gold[:, 0]), 0)
        sizes, gold_sizes = left[:, 1] - left[:, 0], gold[:, 1] - gold[:, 0]
        precision, recall = shared / sizes, shared / gold_sizes
        values = ((left == gold).all(axis=1), harmonic(precision, recall), precision, recall, shared == gold_sizes)
        starts = np.flatnonzero(begins_run(row))
        for name, value in zip(MATCH_COLUMNS, values, strict=True):
            columns[name][row[starts]] = best_per_row(value, starts)
    return columns


def harmonic(precision: np.ndarray, recall: np.ndarray) -> np.ndarray:
    """2PR / (P + R), 0 if both are 0; computed in the order of the official script, to match its last bit."""
    with np.errstate(invalid="ignore"):
        return np.where(precision + recall > 0, (2 * precision * recall) / (precision + recall), 0.0)


def best_per_row(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The maximum of each run of values; the runs begin at `starts`, and no run is empty."""
    return np.maximum.reduceat(values.astype(np.float64), starts) if len(starts) else np.zeros(0)


def best_of_first(values: np.ndarray, counts: np.ndarray, k: int) -> np.ndarray:
    """The maximum of the first k values of each run, 0 for an empty run; `counts` (n,) are the lengths of the runs."""
    taken = np.minimum(counts, k)
    index = ranges_from(np.cumsum(counts) - counts, taken)
    result = np.zeros(len(counts))
    filled = taken > 0
    result[filled] = best_per_row(values[index], (np.cumsum(taken) - taken)[filled])
    return result
