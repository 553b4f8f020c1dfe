"""Kinds of errors of answers from the columns of Scores, beside the same told from the answers themselves."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.answer_match.about import answer_error_kinds

WORDS = st.lists(st.sampled_from(["red", "blue", "the", "green", "!"]), max_size=4).map(" ".join)


def kinds_of(predictions, references, **options):
    return answer_error_kinds(qassay.score("answer_match", predictions, references, **options))


def peer(answer, golds):
    """The kinds by their definitions, from the words."""

    def read(text):
        words = "".join(letter for letter in text if letter != "!").split()
        return [word for word in words if word != "the"]

    is_unanswerable, golds, words = not golds, [words for words in map(read, golds) if words], read(answer)
    if (words in golds) if golds else not words:
        return "correct"
    if is_unanswerable:
        return "answered an unanswerable"
    if not words:
        return "gave no answer"
    bags, bag = [Counter(gold) for gold in golds], Counter(words)
    if bag in bags:
        return "same words"
    if any(gold <= bag for gold in bags):
        return "too long"
    if any(bag <= gold for gold in bags):
        return "too short"
    return "partial" if any(gold & bag for gold in bags) else "no shared word"


@settings(deadline=None, max_examples=80)
@given(st.lists(st.tuples(WORDS, st.lists(WORDS, max_size=3)), min_size=1, max_size=8))
def test_kinds_of_answers_match_their_words(rows):
    answers, golds = zip(*rows, strict=True)
    assert kinds_of(list(answers), list(golds)) == [peer(*row) for row in rows]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(WORDS, st.lists(WORDS, max_size=2)), min_size=1, max_size=6), st.sampled_from([0.0, 1.0]))
def test_abstained_is_what_normalises_to_nothing(rows, empty_f1):
    answers, golds = zip(*rows, strict=True)
    for options in ({}, {"empty_gold": "keep", "empty_f1": empty_f1}, {"unit": "character"}, {"normalizer": "none"}):
        scores = qassay.score("answer_match", list(answers), list(golds), **options)
        normalizer = scores.options.normalizer
        assert scores.subsets["abstained"].tolist() == [normalizer(answer) == "" for answer in answers]


def test_missing_and_withheld_answers_are_none():
    predictions = {"a": "x", "b": "y", "c": "z"}
    references = {"a": ["x"], "b": ["y"], "c": [], "d": ["v"], "e": []}
    doubts = {"a": 0.1, "b": 0.9, "c": 0.9}
    options = {"no_answer_probabilities": doubts, "no_answer_threshold": 0.5}
    scores = qassay.score("answer_match", predictions, references, **options)
    assert scores.subsets["abstained"].tolist() == [False, True, True, True, True]
    assert answer_error_kinds(scores) == ["correct", "gave no answer", "correct", "no prediction", "no prediction"]


def test_of_ranked_answers_the_smallest_k_counts():
    ranked, golds = [["x", "Paris"], ["", "Rome"], ["", ""]], [["Paris"], ["Rome"], ["Rome"]]
    assert kinds_of(ranked, golds, top_k=(1, 2)) == ["no shared word", "gave no answer", "gave no answer"]
    assert kinds_of(ranked, golds, top_k=2) == ["correct", "correct", "gave no answer"]


def test_other_tasks():
    drop = [["5"], ["the old house"], [["a b", "c"]], ["7"], ["x"]]
    assert kinds_of(["5.0", "old house here", ["a b"], "8", None], drop, preset="drop") == [
        "correct", "partial", "partial", "no shared word", "no prediction",
    ]  # fmt: skip
    assert kinds_of([[], "the"], [["x"], ["y"]], preset="drop") == ["gave no answer"] * 2
    given = ["noanswer", "", "in Paris", "Paris", "no"]
    golds = [["yes"], ["Rome"], ["Paris"], ["old Paris"], ["yes"]]
    assert kinds_of(given, golds, preset="hotpotqa") == [
        "gave no answer", "gave no answer", "too long", "too short", "no shared word",
    ]  # fmt: skip
    assert kinds_of({"a": "x"}, {"a": ["x"], "b": ["y"]}, preset="hotpotqa") == ["correct", "no prediction"]
