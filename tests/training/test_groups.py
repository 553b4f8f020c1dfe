"""Groups in hooks of Trainer, loops and pipelines: of the examples that a hook knows, by column, list or id."""

import numpy as np
import pytest

import qassay
from qassay.training import ExtractiveQA, GenerativeQA, LoopMetric

from .words import WordTokenizer, prediction

CONTEXT, CUTS = "Rome and Paris and Nice", [(0, 4), (5, 8), (9, 14), (15, 18), (19, 23)]
IDS, TITLES = ["q1", "q2", "q3", "q4"], ["Italy", "France", "France", "France"]
EXAMPLES = {
    "id": IDS,
    "title": TITLES,
    "context": [CONTEXT] * 4,
    "answers": [{"text": [text], "answer_start": [0]} for text in ("Rome", "Paris", "Nice", "and")],
}
FEATURES = {"example_id": IDS, "offset_mapping": [[None, *CUTS]] * 4}
LOGITS = prediction((np.eye(4, 6, k=1, dtype=np.float32),) * 2)


def test_extractive_answers_have_the_groups_of_their_examples():
    plain = ExtractiveQA(EXAMPLES, FEATURES, confidence=0.9)(LOGITS)
    for groups in ("title", TITLES, iter(TITLES), dict(zip(IDS[::-1], TITLES[::-1]))):
        hook = ExtractiveQA(EXAMPLES, FEATURES, groups=groups, confidence=0.9)
        numbers = hook(LOGITS)
        assert hook(LOGITS) == numbers and hook.scores.groups.listed() == TITLES
        assert numbers["f1"] == plain["f1"] and numbers["f1_low"] < plain["f1_low"]
    few = {name: column[1:] for name, column in FEATURES.items()}
    with_less = ExtractiveQA(EXAMPLES, few, groups="title", missing="skip")
    with pytest.raises(ValueError, match="'France'"):
        with_less(prediction((np.eye(3, 6, k=1, dtype=np.float32),) * 2))
    for groups, message in (("titel", "'titel'"), ([*TITLES[1:], None], r"groups\[3\] \(id 'q4'\) is empty")):
        with pytest.raises(ValueError, match=message):
            ExtractiveQA(EXAMPLES, FEATURES, groups=groups)
    with pytest.warns(UserWarning, match="1 of 4 examples have no feature"):
        ExtractiveQA(EXAMPLES, few, groups="title")


WORDS = WordTokenizer(["red", "green", "blue"], special=["<pad>"])


def test_generated_answers_have_the_groups_of_their_references():
    golds, labels = [["red"], ["green"], ["blue"]], ["a", "b", "b"]
    made = GenerativeQA(WORDS, golds, groups=iter(labels))
    answers = np.array([[1], [2], [1]])
    for _ in range(2):
        made(prediction(answers, np.array([[1], [2], [3]])))
        assert made.scores.groups.listed() == labels
    made = GenerativeQA(WORDS, golds, inputs=[[1], [2], [3]], groups=labels)
    made(prediction(answers, inputs=np.array([[3], [2], [1]])))
    assert made.scores.groups.listed() == labels and made.scores["exact_match"] == 2 / 3


def test_a_loop_joins_groups_of_its_batches():
    metric = LoopMetric("answer_match", measures=["f1"], confidence=0.9)
    metric.update(["Rome"], ["Rome"], groups=["a"])
    with pytest.raises(ValueError, match="batch 2 has no groups"):
        metric.update(["Bern"], ["Bern"])
    metric.update(["Bern"], ["x"], groups=["a"])
    with pytest.raises(ValueError, match="one group, 'a'"):
        metric.compute()
    metric.update(["Oslo"], ["Oslo"], groups=["b"])
    scores = qassay.score("answer_match", ["Rome", "Bern", "Oslo"], ["Rome", "x", "Oslo"], groups=["a", "a", "b"])
    found = metric.compute()
    assert (found["f1_low"], found["f1_high"]) == scores.interval(confidence=0.9)["f1"] and metric.scores == scores


def test_pipelines_take_a_column_of_groups():
    rows = {"id": ["a", "b", "c"], "question": list("xyz"), "answers": ["x", "y", "?"], "title": [1, 2, 1]}
    expected = qassay.score("answer_match", list("xyz"), rows["answers"], ids=rows["id"], groups=rows["title"])
    for groups in ("title", rows["title"], iter(rows["title"]), {"c": 1, "b": 2, "a": 1}):
        assert qassay.evaluate_pipeline(lambda text: text, rows, inputs="question", groups=groups) == expected
    with pytest.raises(ValueError, match="references 3, groups 2"):  # before the first call
        qassay.evaluate_pipeline(lambda text: 1 / 0, rows, inputs="question", groups=[1, 2])
