"""Presets with rules of their own: what the official numbers of tests/contract/test_presets.py do not cover."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import qassay
from qassay.answer_match.about import answer_error_kinds


def score(preset, predictions, references, **columns):
    return qassay.score("answer_match", predictions, references, preset=preset, **columns)


@given(st.text("abcé ", max_size=40), st.text("abcé ", max_size=40))
@example("ab", "ac")  # one half is enough
@settings(max_examples=120, deadline=None)
def test_edits_of_docvqa_match_the_usual_table(first, second):
    first, second = (" ".join(text.split()) for text in (first, second))
    row = list(range(len(second) + 1))
    for place, left in enumerate(first, 1):
        last, row[0] = row[0], place
        for at, right in enumerate(second, 1):
            last, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, last + (left != right))
    distance = row[-1] / max(len(first), len(second), 1)
    assert score("docvqa", [first], [[second]])["anls"] == pytest.approx(1 - distance if distance <= 0.5 else 0.0)


def test_a_disputed_question_of_quac_does_not_count_without_an_answer_to_extract():
    """Also with a wrong answer; without a prediction it counts."""
    golds = {"1_q#0": ["x", "y"], "2_q#0": ["z"]}
    for first, f1 in (("<answer>q</answer>", 1.0), ("q", 1.0), (None, 0.5)):
        scores = score("quac", {"1_q#0": first, "2_q#0": "<answer>z</answer>"}, golds, extract="answer_tag")
        assert (scores["f1"], scores["heq_q"], scores["unfiltered_f1"]) == (f1, f1, 0.5)


def test_dialogs_of_quac():
    golds = [["a b", "a b"], ["c"], ["d"], ["e"]]
    given = ["a b", "c", "x", "e"]
    with pytest.raises(ValueError, match=r"quac needs the dialog of each question; give gold_details="):
        score("quac", given, golds)
    scores = score("quac", given, golds, gold_details={"dialog": ["m", "n", "m", "o"]})
    assert scores["heq_d"] == 2 / 3
    joined = type(scores).concat([scores.take(np.array(rows)) for rows in ([0, 1], [2, 3])])
    assert joined["heq_d"] == 2 / 3  # the dialog m is in both parts
    assert scores["heq_q"] == 0.75 and answer_error_kinds(scores) == ["correct", "correct", "no shared word", "correct"]
    with pytest.raises(ValueError, match="predicted_details has 'yesno', and gold_details lacks it"):
        score("quac", {"1_q#0": "a"}, {"1_q#0": ["a"]}, predicted_details={"yesno": ["y"]})
    assert (
        "yesno_accuracy" not in score("quac", {"1_q#0": "a"}, {"1_q#0": ["a"]}, gold_details={"yesno": ["y"]}).measures
    )


def test_dialogs_are_resampled_whole():
    dialogs = [dialog for dialog in range(40) for _ in range(3)]
    given = [("x" if dialog % 4 else "y") if turn == 1 else "x" for dialog in range(40) for turn in range(3)]
    scores = score("quac", given, [["x"]] * 120, gold_details={"dialog": dialogs})
    interval = scores.interval(names=["heq_d"], n_resamples=200)["heq_d"]
    assert scores["heq_d"] == 0.75 and 0.55 < interval.low < 0.65 and 0.85 < interval.high < 0.9


def test_tokens_of_nltk_need_nltk(monkeypatch):
    assert score("cmrc2018", ["约3.5%"], [["3.5%"]])["f1"] == 0.8
    monkeypatch.setitem(__import__("sys").modules, "nltk", None)
    with pytest.raises(ImportError, match="'mr. li'.*pip install nltk"):
        score("cmrc2018", ["Mr. Li"], [["李"]])


PAGES = {"predicted_details": {"pages": [["p"]]}}
SPAN = {"scale": [""], "answer_type": ["span"]}


@pytest.mark.parametrize(
    ("preset", "answer", "gold", "details", "named"),
    [
        ("coqa", "a", [], {}, r"references\[0\]"),
        ("asqa", "a", ["a"], {}, r"references\[0\]\[0\]"),
        ("tatqa", "1", ["1"], {"gold_details": SPAN}, "predicted_details lacks 'scale'"),
        (
            "tatqa",
            "9" * 400,
            ["1"],
            {"gold_details": SPAN, "predicted_details": {"scale": [None]}},
            r"\['scale'\]\[0\]",
        ),
        ("kilt", "1", ["1"], {"gold_details": {"pages": ["p"]}, **PAGES}, r"gold_details\['pages'\]\[0\]"),
    ],
)
def test_what_a_preset_needs(preset, answer, gold, details, named):
    with pytest.raises((TypeError, ValueError), match=named):
        score(preset, [answer], [gold], **details)
