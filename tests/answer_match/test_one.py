"""`qassay.scorer` of answers against `qassay.score` by columns: every option of texts, every layout, and refused input."""

import random

import numpy as np
import pytest

import qassay
from qassay.answer_match.family import FAMILY
from qassay.core import matching
from qassay.core.gold_fingerprints import GoldFingerprints
from qassay.core.text import get_normalizer

TAGGED = ["<answer>the Rome</answer>", "so <answer>in Rome</answer>", "Rome", "<answer> </answer>", "", "\\boxed{Rome}"]
WORDS = ["Rome", "the", "a", "in", "yes", "no", "1,000", "é", "东京", "<answer>Rome</answer>", ".", "\ud800"]
OPTIONS = [
    {},
    {"normalizer": "cjk"},
    {"normalizer": ["lower", "spaces"], "unit": "character"},
    {"normalizer": "korquad"},
    {"normalizer": str.title},
    {"empty_gold": "keep", "empty_f1": 0.0},
    {"contains": "substring"},
    {"whole_answers": ("yes", "no")},
    {"missing": "error", "duplicates": "first"},
    {"top_k": (1, 3)},
    {"top_k": 2, "contains": "substring", "empty_gold": "keep"},
    *({"extract": "answer_tag", "unextracted": policy} for policy in ("zero", "empty", "whole")),
    {"extract": str.upper},
    *({"preset": name} for name in ("search_r1", "flashrag", "nq_open", "mrqa", "fquad", "jsquad", "dpr", "mkqa:de")),
]


def rows(ranked, n=25):
    rng = random.Random(0)

    def text():
        return rng.choice(TAGGED) if rng.random() < 0.3 else " ".join(rng.choices(WORDS, k=rng.randrange(4)))

    for _ in range(n):
        yield (
            [text() for _ in range(1 + rng.randrange(4))] if ranked else text(),
            [text() for _ in range(rng.randrange(4))],
        )


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_equals_columns_to_the_last_bit(options, by_columns):
    scorer = qassay.scorer("answer_match", **options)
    short = FAMILY.one(scorer.options)
    for prediction, gold in rows(scorer.options.top_k is not None):
        expected = by_columns("answer_match", options, prediction, gold)
        assert short(prediction, gold) == expected  # taken, and not by columns
        assert scorer(prediction, gold) == expected
        assert list(scorer(prediction, gold)) == list(expected) == list(scorer.names)


@pytest.mark.parametrize(
    ("prediction", "gold"),
    [
        ("Rome", "Rome"),
        ("", ""),
        ("Rome", ("Rome", "Roma")),
        ("Rome", np.array(["Rome"])),
        (np.str_("Rome"), ["Rome"]),
        ("Rome", [np.str_("Rome")]),
        ("Rome", {"text": ["Rome"], "answer_start": [0]}),
        ({"id": "q", "prediction_text": "Rome"}, {"id": "q", "answers": {"text": ["Rome"]}}),
        (None, ["Rome"]),
    ],
)
def test_layouts(prediction, gold, by_columns):
    assert qassay.scorer("answer_match")(prediction, gold) == by_columns("answer_match", {}, prediction, gold)


@pytest.mark.parametrize(
    "options", [{}, {"empty_f1": 0.0}, {"top_k": (1, 2)}, {"extract": "boxed"}, {"no_answer_threshold": None}], ids=str
)
@pytest.mark.parametrize("doubt", [0, 0.25, 0.5, 0.75, -1.0, 1e99])
def test_doubts(options, doubt, by_columns):
    """Answers with a probability above the threshold are withheld."""
    options = {"no_answer_threshold": 0.5, **options}
    scorer = qassay.scorer("answer_match", **options)
    short = FAMILY.one(scorer.options)
    for answer, golds in (("Rome", ["Rome"]), ("Rome", []), ("", []), ("the", ["the"]), ("\\boxed{Rome}", ["Rome"])):
        prediction = [answer, "Rome"] if "top_k" in options else answer
        expected = by_columns("answer_match", options, prediction, golds, no_answer_probabilities=doubt)
        assert short(prediction, golds, doubt) == expected == scorer(prediction, golds, no_answer_probabilities=doubt)


@pytest.mark.parametrize("doubt", [None, "0.5", True, float("nan"), float("inf"), 10**400, np.float64(0.75)])
def test_odd_doubts_go_by_columns(doubt, by_columns):
    scorer = qassay.scorer("answer_match", no_answer_threshold=0.5)
    assert FAMILY.one(scorer.options)("Rome", ["Rome"], doubt) is None
    try:
        options = {"no_answer_threshold": 0.5}
        expected = by_columns("answer_match", options, "Rome", ["Rome"], no_answer_probabilities=doubt)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)) as caught:
            scorer("Rome", ["Rome"], no_answer_probabilities=doubt)
        assert str(caught.value) == str(error)
    else:
        assert scorer("Rome", ["Rome"], no_answer_probabilities=doubt) == expected


def test_ranked_layouts(by_columns):
    scorer = qassay.scorer("answer_match", top_k=(1, 2))
    for prediction in ([], ["Rome"], ("x", "Rome"), "Rome", None, np.array(["x", "Rome"]), ["x", "y", 3]):
        try:
            expected = by_columns("answer_match", {"top_k": (1, 2)}, prediction, ["Rome"])
        except TypeError as error:
            with pytest.raises(TypeError) as caught:
                scorer(prediction, ["Rome"])
            assert str(caught.value) == str(error)
        else:
            assert scorer(prediction, ["Rome"]) == expected


def fails(text):
    raise KeyError(text)


@pytest.mark.parametrize(
    ("options", "prediction", "gold", "error", "message"),
    [
        ({}, 3, ["x"], TypeError, r"predictions\[0\] must be str, got int: 3"),
        ({}, ["x"], ["x"], TypeError, "give the option top_k"),
        ({}, "x", None, TypeError, r"references\[0\]"),
        ({}, "x", ["x", None], TypeError, r"references\[0\]\[1\] must be str, got None"),
        ({}, "x", '["Rome", "Roma"]', ValueError, "is a list that was written as text"),
        ({"top_k": 2001}, ["x"] * 2001, ["y"] * 2000, ValueError, "at most 4,000,000 pairs of one question"),
        ({}, "x", 3, TypeError, r"references\[0\]"),
        ({"empty_gold": "error"}, "x", ["the"], ValueError, "has a gold answer that normalises to nothing, 'the'"),
        ({"missing": "error"}, None, ["x"], ValueError, "predict every id"),
        (
            {"extract": "boxed", "unextracted": "error"},
            "x",
            ["x"],
            ValueError,
            "extract boxed finds no answer in predictions",
        ),
        ({"extract": fails}, "x", ["x"], ValueError, "extract custom:fails failed on predictions.0.: KeyError: 'x'"),
        ({"extract": len}, "x", ["x"], TypeError, "extract custom:len must return a text"),
        ({"normalizer": len}, "x", ["x"], TypeError, "normalizer 'custom:len' must return a str, returned int for 'x'"),
        ({"normalizer": fails}, "x", ["x"], KeyError, "x"),
    ],
)
def test_refused_input(options, prediction, gold, error, message, by_columns):
    for way in (qassay.scorer("answer_match", **options), lambda *row: by_columns("answer_match", options, *row)):
        with pytest.raises(error, match=message):
            way(prediction, gold)


def test_input_without_a_fast_path():
    """Such input is scored by columns."""
    for options in ({"task": "drop"}, {"unit": "offset"}, {"preset": "docvqa"}):
        assert FAMILY.one(qassay.scorer("answer_match", **options).options) is None
    assert qassay.scorer("answer_match", preset="docvqa")("Rome", ["Roma"]) == {"anls": 0.75}
    assert qassay.scorer("answer_match", unit="offset")((0, 4), [(0, 2)])["recall"] == 1.0


@pytest.mark.parametrize("ways", [[-1] * 3, [-1, 10**9, -1], [10**9] * 3], ids=str)
@pytest.mark.parametrize("block", [1, 1 << 14])
def test_gold_answers_have_the_same_fingerprints_by_both_ways(ways, block, monkeypatch):
    """Also in several blocks, and in a stream whose batches take different paths."""
    monkeypatch.setattr(matching, "_ANSWERS_AT_ONCE", block)
    golds = [["x", "y", "x"], [], ["long " * 100], ["y", "x"], ["\ud800"], ["z"]]
    expected = GoldFingerprints.of_texts("gold answers", golds).parts["gold answers"].tolist()
    assert expected[0] == expected[3] and len(set(expected)) == 5
    for options in ({}, {"top_k": (1, 2)}):
        stream = qassay.stream("answer_match", **options)
        answers = [["a", "b"], "c"] * 3 if options else ["a"] * 6
        for part, short in enumerate(ways):
            monkeypatch.setattr(matching, "SHORT", short)
            rows = slice(2 * part, 2 * part + 2)
            stream.add(predictions=answers[rows], references=golds[rows])
        whole = qassay.score("answer_match", answers, golds, **options)  # by the path of the last part
        for scores in (whole, stream.scores()):
            assert scores.gold.parts["gold answers"].tolist() == expected


def test_gold_answers_are_normalised_again_only_where_they_are_others():
    seen = []
    scorer = qassay.scorer("answer_match", normalizer=lambda text: seen.append(text) or text)
    golds = ["b", "b"]
    assert scorer("a", golds)["f1"] == 0.0 and seen == ["a", "b", ""]
    assert scorer("c", golds)["f1"] == 0.0 and seen[3:] == ["c"]
    golds[1] = "c"  # the same list
    assert scorer("c", golds)["f1"] == 1.0 and seen[4:] == ["c", "b", "c"]


def test_a_long_answer_with_repeated_tokens(by_columns):
    normalizer = get_normalizer("squad")
    assert normalizer("x x") == "x x"
    found = qassay.scorer("answer_match")("x x y " * 200, ["x x x " * 100])
    assert found == by_columns("answer_match", {}, "x x y " * 200, ["x x x " * 100]) and found["recall"] == 1.0


def test_names_have_the_measures_of_the_columns_that_a_task_may_read():
    more = {
        "task": {"hotpotqa": "sp_f1"},
        "preset": {"2wiki": "evi_f1", "musique": "support_f1", "quac": "yesno_accuracy"},
    }
    for option, wanted in more.items():
        for name, measure in wanted.items():
            assert measure in qassay.scorer("answer_match", **{option: name}).names
    facts = {"predicted_facts": [["t", 0]], "gold_facts": [["t", 0], ["t", 1]]}
    right = qassay.reward("sp_recall", task="hotpotqa", extract="none", columns={name: name for name in facts})
    assert right.one("Rome", ["Rome"], **facts) == 0.5
