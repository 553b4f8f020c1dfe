"""Spans of logits: golden cases, and a pair-by-pair oracle."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.training.spans import FeatureSpans, RankedSpans, Tokens, best_spans, rank_spans, ranks_within

# "[CLS] Ada saw Rome": the first token is outside of the context, the last row stands for every place beyond.
TOKENS = Tokens(*map(np.array, ([0], [4], [0, 0, 4, 8, 0], [0, 3, 7, 12, 0], [False, True, True, True, False])))


def spans_of(found):
    return list(zip(found.starts.tolist(), found.ends.tolist(), strict=True))


def ranked(found, lengths, owners, n_best=20, with_null=False):
    return rank_spans(found, np.array(owners), np.array(lengths), n_best, with_null)


def test_the_best_span_and_its_logits():
    start, end = np.array([[0.5, 3.0, 0.0, 1.0]]), np.array([[0.25, 0.0, 2.0, 1.0]])
    found = best_spans(start, end, TOKENS, n_best=1, max_answer_length=30)
    assert spans_of(found) == [(0, 7)]
    assert (found.start_logits.tolist(), found.end_logits.tolist()) == ([3.0], [2.0])
    assert (found.null_starts.tolist(), found.null_ends.tolist()) == ([0.5], [0.25])


def test_places_beyond_a_feature_and_tokens_that_may_not_start_are_not_spans():
    logits = np.array([[0.0, 1.0, 2.0, 3.0, 9.0, 9.0]])
    assert set(spans_of(best_spans(logits, logits, TOKENS, 20, 30))) == {
        (0, 3),
        (0, 7),
        (0, 12),
        (4, 7),
        (4, 12),
        (8, 12),
    }
    last_only = dataclasses.replace(TOKENS, may_start=np.array([True, False, False, True, False]))
    assert spans_of(best_spans(logits, logits, last_only, 20, 30)) == [(8, 12)]


numbers = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=5, max_size=5)


@given(numbers, numbers, st.integers(1, 5), st.integers(1, 4))
def test_the_scores_match_all_pairs(start, end, n_best, longest):
    found = best_spans(np.array([start]), np.array([end]), TOKENS, n_best, longest)
    first, last = (np.argsort(side)[::-1][:n_best].tolist() for side in (start, end))
    scores = [start[a] + end[b] for a in first for b in last if 1 <= a <= b <= 3 and b - a < longest]
    kept = sorted((found.start_logits + found.end_logits).tolist(), reverse=True)
    assert kept[:n_best] == sorted(scores, reverse=True)[:n_best]
    assert found.counts.tolist() == [len(kept)]


def test_features_are_joined_and_taken():
    one = best_spans(np.ones((1, 4)), np.ones((1, 4)), TOKENS, 2, 1)
    other = best_spans(np.zeros((1, 4)), np.zeros((1, 4)), TOKENS, 20, 1)
    both = FeatureSpans.concat([one, other])
    assert both.counts.tolist() == [len(one.starts), 3]
    again = both.take(np.array([1, 0]))
    assert spans_of(again) == spans_of(other) + spans_of(one) and again.null_starts.tolist() == [0.0, 1.0]


def test_examples_are_ranked_over_their_features():
    high, low = np.array([[0.0, 0.0, 0.0, 5.0]]), np.array([[0.0, 4.0, 0.0, 0.0]])
    found = FeatureSpans.concat([best_spans(x, x, TOKENS, 20, 1) for x in (low, high, high)])
    best = ranked(found, [12, 12, 12], [0, 2, 0], n_best=2)
    assert best.counts.tolist() == [2, 0, 2] and best.made_up.tolist() == [False, False, False]
    answers = [(best.starts[row], best.ends[row]) if row >= 0 else None for row in best.answers]
    assert answers == [(8, 12), None, (8, 12)] and best.null_odds is None


def test_no_answer_has_the_least_score_of_its_features():
    first, second = np.array([[3.0, 0.0, 0.0, 1.0]]), np.array([[2.0, 0.0, 4.0, 0.0]])
    found = FeatureSpans.concat([best_spans(x, x, TOKENS, 20, 1) for x in (first, second)])
    best = ranked(found, [12], [0, 0], with_null=True)
    assert best.null_odds.tolist() == [2 * 2.0 - 2 * 4.0]
    assert (best.starts[best.answers[0]], best.ends[best.answers[0]]) == (4, 7)
    assert best.empty.sum() == 1 and best.counts.tolist() == [7]


def test_without_a_span_there_is_a_fallback_answer():
    nowhere = Tokens(*map(np.array, ([0], [1], [0, 0], [0, 0], [False, False])))
    found = best_spans(np.ones((1, 1)), np.ones((1, 1)), nowhere, 20, 30)
    best = ranked(found, [12, 12], [1])
    assert best.made_up.tolist() == [False, True] and best.answers.tolist() == [-1, -1]


@pytest.mark.parametrize("with_null", [False, True])
def test_blocks_of_examples_are_joined(with_null, monkeypatch):
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(2, 6, 4))
    found = FeatureSpans.concat([best_spans(*logits[:, row : row + 1], TOKENS, 20, 2) for row in range(6)])
    whole = ranked(found, [12] * 4, [3, 0, 1, 1, 3, 0], 3, with_null)
    monkeypatch.setattr("qassay.training.spans._EXAMPLES_AT_ONCE", 1)
    parts = ranked(found, [12] * 4, [3, 0, 1, 1, 3, 0], 3, with_null)
    for name in RankedSpans.__dataclass_fields__:
        mine, theirs = getattr(whole, name), getattr(parts, name)
        assert (mine is None and theirs is None) or np.array_equal(mine, theirs), name


@given(st.lists(st.integers(0, 3), max_size=12).map(sorted))
def test_ranks_within_count_from_0(examples):
    assert ranks_within(np.array(examples, int)).tolist() == [examples[:row].count(e) for row, e in enumerate(examples)]
