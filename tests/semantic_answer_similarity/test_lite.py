"""The lite scorer of similarity: plausible scores, agreement with people, and what changes none of its scores."""

import csv
import tracemalloc

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from qassay.semantic_answer_similarity.lite import lite_scores

TEXTS = st.text(max_size=40) | st.lists(
    st.sampled_from(
        ["the", "not", "II", "i", "V", "11", "eleven", "twenty-four", "thirty", "two", "million", "1,000", "1.", "5"]
        + ["3,5", "%", "U.S.", "hundred", "s"]
        + ["née", "Straße", "'s", ",", ".", "—", "Obama", "obamas", "O(n)", "٣", "東京"]
    ),
    max_size=7,
).map(" ".join)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=6))
@example([("", ""), ("", "Paris"), ("\ud800", "0"), ("Ⅷ", "²"), ("١٬٠٠٠", "1e999"), ("1.5.3", "1..2")])
@settings(deadline=None, max_examples=120)
def test_any_texts_score_between_0_and_1_the_same_both_ways_and_alone(pairs):
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    scores = lite_scores(left, right)
    assert scores.dtype == np.float64 and scores.shape == (len(pairs),)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert (scores == lite_scores(right, left)).all()
    assert scores.tolist() == [lite_scores([a], [b])[0] for a, b in pairs]


def test_many_pairs_score_as_few_in_little_memory(monkeypatch):
    monkeypatch.setattr("qassay.semantic_answer_similarity.lite._PAIRS_AT_ONCE", 300)
    texts = [f"alpha{i} beta{i * 7} gamma{i * 13} delta{i * 17}" for i in range(2_000)]
    few = lite_scores(texts[:3], texts[1:4])
    tracemalloc.start()
    try:
        scores = lite_scores(texts, texts[1:] + texts[:1])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert scores[:3].tolist() == few.tolist()
    assert peak < 2e7  # the words of texts that come again are kept


def test_long_texts_take_linear_time():
    texts = [
        piece * (50_000 // len(piece))
        for piece in ("x", "a.", "1,000.", "'s ", "million ", "7", "é", "word ", "1, 234")
    ]
    pairs = [(left, right) for left in texts for right in texts]
    scores = lite_scores(*zip(*pairs, strict=True))  # seconds, not minutes
    assert ((scores >= 0) & (scores <= 1)).all()


def test_agreement_on_the_answers_it_was_fitted_to(sas):
    with (sas / "nq_open_pairs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    scores = lite_scores([row["answer2"] for row in rows], [row["answer1"] for row in rows])
    assert np.corrcoef(scores, [float(row["sas"]) for row in rows])[0, 1] > 0.92
    assert np.corrcoef(scores, [float(row["label"]) for row in rows])[0, 1] > 0.54
