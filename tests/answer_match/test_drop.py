"""DROP's exact match and F1 against the definition computed by brute force, forms of the gold answers, and bad input.

tests/contract/test_presets.py has the official values.
"""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.core.text import get_normalizer

DROP = get_normalizer("drop")
NO_DATE = {"day": "", "month": "", "year": ""}


def score_rows(predictions, references, normalizer="drop"):
    return qassay.score("answer_match", predictions, references, preset="drop", normalizer=normalizer).columns


def score(prediction, *golds):
    scores = score_rows([prediction], [list(golds)])
    return scores["exact_match"].item(), scores["f1"].item()


# --- the definition, by brute force -------------------------------------------------------------------------------


def is_number(token):
    try:
        return bool(str(float(token)))
    except ValueError:
        return False


def span_f1(predicted, gold):
    predicted, gold = set(DROP(predicted).split()), set(DROP(gold).split())
    numbers = set(filter(is_number, gold))
    if numbers and not numbers & set(filter(is_number, predicted)):
        return Fraction(0)
    # 2PR / (P + R) of two sets is Dice's coefficient; nothing against nothing counts as equal.
    return Fraction(2 * len(predicted & gold), len(predicted) + len(gold)) if predicted or gold else Fraction(1)


def best_alignment(predicted, gold):
    short, long, value = predicted, gold, span_f1
    if len(short) > len(long):
        short, long, value = gold, predicted, lambda g, p: span_f1(p, g)
    totals = [sum(map(value, short, chosen)) for chosen in permutations(long, len(short))]
    return max(totals) / len(long)


numbers = st.sampled_from(["5", "5.0", "5-6", "1,000", "1000", "inf", "1e3", "１２"])
words = st.sampled_from(["the", "red", "Red", "yards", ".", "\n"])
texts = st.lists(numbers | words, max_size=4).map(" ".join)
spans = st.lists(texts, min_size=1, max_size=4)


@settings(deadline=None, max_examples=200)
@given(spans, st.lists(spans, min_size=1, max_size=3))
def test_definition(prediction, golds):
    exact_match, f1 = score(prediction, *golds)
    counted = [gold for gold in golds if gold[0].strip()]
    left = [DROP(span) for span in prediction]
    rights = [[DROP(span) for span in gold] for gold in counted]
    assert exact_match == any(len(left) == len(right) and set(left) == set(right) for right in rights)
    assert f1 == round(f1, 2)
    expected = max((best_alignment(prediction, gold) for gold in counted), default=Fraction(0))
    assert abs(f1 - float(expected)) <= 0.005 + 1e-12


@settings(deadline=None, max_examples=40)
@given(st.lists(texts, min_size=9, max_size=12), st.randoms(use_true_random=False))
def test_order_of_many_spans_is_free(gold, random):
    gold[0] = "red"
    prediction = random.sample(gold, len(gold))
    assert score(prediction, gold) == (1, 1)
    half = prediction[: len(gold) // 2]
    assert score(half, gold)[1] == np.round(len(half) / len(gold), 2)


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=12), st.text(st.sampled_from("aA5.0, -the\n\x85'1e"), max_size=12))
def test_remembered_pieces_change_nothing(prediction, gold):
    both = [prediction, gold], [[gold], [prediction]]
    found, plain = score_rows(*both), score_rows(*both, normalizer=lambda text: DROP(text))
    assert all(found[name].tolist() == plain[name].tolist() for name in ("exact_match", "f1"))


# --- forms of the input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "spans"),
    [
        ({"number": "5", "date": NO_DATE, "spans": []}, ["5"]),
        ({"number": "", "date": {"day": "1", "month": "May", "year": "1945"}, "spans": ["x", "y"]}, ["x", "y"]),
        ({"number": None, "date": {"day": "1", "month": "May", "year": 1945}, "spans": None}, ["1 May 1945"]),
        ({"spans": np.array(["x", "y"], dtype=object)}, ["x", "y"]),
    ],
)
def test_of_number_spans_and_date_one_counts(answer, spans):
    assert score(spans, answer) == (1, 1) and score("z", answer) == (0, 0)
    unfilled = {"number": "", "date": NO_DATE, "spans": []}
    assert score("", unfilled) == (0, 0) and score(spans, unfilled, answer) == (1, 1)


def test_every_form_of_the_golds_gives_the_same():
    answers = [
        {"number": "", "date": NO_DATE, "spans": ["x y", "z"]},
        {"number": "7", "date": NO_DATE, "spans": []},
        {"number": "", "date": {"day": "", "month": "May", "year": "1945"}, "spans": []},
    ]
    tabled = {field: [answer[field] for answer in answers[1:]] for field in ("number", "date", "spans")}
    forms = [
        [["x y", "z"], "7", "May 1945"],
        [("x y", "z"), ["7"], np.array(["May 1945"])],
        answers,
        {"answer": answers[0], "validated_answers": answers[1:]},
        {"answer": answers[0], "validated_answers": tabled},
        {field: [answer[field] for answer in answers] for field in ("number", "date", "spans")},
    ]
    for prediction, expected in ((["z", "y x"], (0, 1)), ("7.", (1, 1)), ("May 1945", (1, 1)), (["z", "y"], (0, 0.83))):
        for form in forms:
            scores = score_rows([prediction], [form])
            assert (scores["exact_match"].item(), scores["f1"].item()) == expected


# --- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gold", "error", "place"),
    [
        ([["y", 5]], (TypeError, ValueError), r"references\[1\]\[0\]\[1\]"),
        ([{"text": "y"}], ValueError, r"references\[1\]\[0\].*'text'"),
        (
            {"answer": {"number": "5"}, "validated_answers": [{"number": "5"}, {}]},
            ValueError,
            r"references\[1\]\['validated_answers'\]\[1\]",
        ),
        ({"number": ["5", ""], "spans": [[], []]}, ValueError, r"references\[1\] row 1"),
        ({"spans": "xyz"}, (TypeError, ValueError), r"references\[1\]\['spans'\]"),
    ],
)
def test_bad_golds_are_named(gold, error, place):
    for prediction in ("y", None):  # a bad gold is an error even where nothing was predicted
        with pytest.raises(error, match=place):
            score_rows(["x", prediction], [["x"], gold])


def test_bad_predictions_are_named():
    for prediction, place in ((5, r"predictions\[1\]"), (["y", None], r"predictions\[1\]\[1\]")):
        with pytest.raises(ValueError, match=place):
            score_rows(["x", prediction], [["x"], ["5"]])
    with pytest.raises(ValueError, match=r"predictions\[1\].* 500 spans"):
        score_rows(["x", ["y"] * 2000], [["x"], [["z"] * 2000]])
    assert score_rows([["y"] * 2000], [["y"]])["f1"].tolist() == [0.0]  # one gold span with each
