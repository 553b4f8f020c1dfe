"""`qassay.scorer` of answers against `qassay.score` by columns: every option of texts, every layout, and refused input."""

import random

import numpy as np
import pytest

import qassay
from qassay.core import matching

TAGGED = ["<answer>the Rome</answer>", "so <answer>in Rome</answer>", "Rome", "<answer> </answer>", "", "\\boxed{Rome}"]
WORDS = ["Rome", "the", "a", "in", "yes", "no", "1,000", "é", "东京", "<answer>Rome</answer>", ".", "\ud800"]
OPTIONS = [
    {},
    {"normalizer": "cjk"},
    {"normalizer": "lower+spaces", "unit": "character"},
    {"normalizer": "korquad"},
    {"normalizer": str.title},
    {"empty_gold": "keep", "empty_f1": 0.0},
    {"contains": "substring"},
    {"whole_answers": ("yes", "no")},
    *({"extract": "answer_tag", "unextracted": policy} for policy in ("zero", "empty", "whole")),
    {"extract": str.upper},
    *({"preset": name} for name in ("search_r1", "flashrag", "fquad", "mkqa:de")),
]


def rows(n=12):
    rng = random.Random(0)

    def text():
        return rng.choice(TAGGED) if rng.random() < 0.3 else " ".join(rng.choices(WORDS, k=rng.randrange(4)))

    for _ in range(n):
        yield text(), [text() for _ in range(rng.randrange(4))]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_equals_columns_to_the_last_bit(options, by_columns):
    scorer = qassay.scorer("answer_match", **options)
    for prediction, gold in rows():
        expected = by_columns("answer_match", options, prediction, gold)
        assert scorer(prediction, gold) == expected
        assert list(scorer(prediction, gold)) == list(expected) == list(scorer.names)


def both(options, prediction, gold, by_columns):
    """What the scorer gives, and what the columns give: numbers, or the text of the error."""
    for way in (
        qassay.scorer("answer_match", **options),
        lambda *row: by_columns("answer_match", options, *row),
    ):
        try:
            yield way(prediction, gold)
        except (KeyError, TypeError, ValueError) as error:
            yield type(error), str(error)


def fails(text):
    raise KeyError(text)


@pytest.mark.parametrize(
    ("options", "prediction", "gold"),
    [
        ({}, "Rome", np.array(["Rome"])),
        ({}, np.str_("Rome"), [np.str_("Rome")]),
        ({}, "Rome", {"text": ["Rome"], "answer_start": [0]}),
        ({}, None, ["Rome"]),
        ({}, "x x y " * 200, ["x x x " * 100]),
        # refused
        ({}, 3, ["x"]),
        ({}, ["x"], ["x"]),
        ({}, "x", ["x", None]),
        ({}, "x", '["Rome", "Roma"]'),
        ({"empty_gold": "error"}, "x", ["the"]),
        ({"extract": "boxed", "unextracted": "error"}, "x", ["x"]),
        ({"extract": fails}, "x", ["x"]),
        ({"normalizer": len}, "x", ["x"]),
    ],
)
def test_layouts_and_errors_are_those_of_columns(options, prediction, gold, by_columns):
    found, expected = both(options, prediction, gold, by_columns)
    assert found == expected


@pytest.mark.parametrize("ways", [[-1] * 3, [-1, 10**9, -1]], ids=str)
def test_gold_answers_are_the_same_whatever_way_they_were_compared(ways, monkeypatch):
    """In a stream whose batches take different paths, so that systems can be compared."""
    golds = [["x", "y", "x"], [], ["long " * 100], ["y", "x"], ["\ud800"], ["z"]]
    for options in ({}, {"top_k": (1, 2)}):
        stream = qassay.stream("answer_match", **options)
        answers = [["a", "b"], "c"] * 3 if options else ["a"] * 6
        for part, short in enumerate(ways):
            monkeypatch.setattr(matching, "SHORT", short)
            rows = slice(2 * part, 2 * part + 2)
            stream.add(predictions=answers[rows], references=golds[rows])
        whole = qassay.score("answer_match", answers, golds, **options)  # by the path of the last part
        assert stream.scores() == whole and qassay.compare({"a": whole, "b": stream.scores()})
        changed = qassay.score("answer_match", answers, [*golds[:-1], ["w"]], **options)
        with pytest.raises(ValueError, match="example 5"):
            qassay.compare({"a": whole, "b": changed})


def test_a_list_of_gold_answers_that_changed_is_read_again():
    scorer, golds = qassay.scorer("answer_match"), ["b", "b"]
    assert scorer("c", golds)["f1"] == 0.0
    golds[1] = "c"  # the same list
    assert scorer("c", golds)["f1"] == 1.0


def test_names_have_the_measures_of_the_columns_that_a_task_may_read():
    for options, measure in (({"preset": "hotpotqa"}, "sp_f1"), ({"preset": "musique"}, "support_f1")):
        assert measure in qassay.scorer("answer_match", **options).names
