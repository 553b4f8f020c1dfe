"""The built-in scorer of answer equivalence: its interface, and that its verdicts are sane."""

import numpy as np
import pytest

from qassay.answer_equivalence.lite import accept_probabilities, fingerprint, reasons
from qassay.answer_equivalence.lite_features import is_hedged, is_refusal

ROWS = [
    ("who won the first nobel prize in physics", ["Wilhelm Conrad Röntgen"], "It was Wilhelm Röntgen, in 1901.", True),
    ("when did the war of 1812 end", ["February 18, 1815"], "The war ended in 1812.", False),
    ("where is the eiffel tower", ["Paris", "Paris, France"], "I don't know where the Eiffel tower is.", False),
    ("how many legs has a spider", ["eight"], "A spider has 8 legs.", True),
]


@pytest.mark.parametrize("with_questions", [True, False])
def test_verdicts_of_clear_cases(with_questions):
    questions, golds, answers, accepted = map(list, zip(*ROWS, strict=True))
    found = accept_probabilities(answers, golds, questions if with_questions else None)
    assert ((found > 0.5) == accepted).all() and found.dtype == np.float64


def test_a_row_does_not_depend_on_others_or_their_order():
    questions, golds, answers, _ = map(list, zip(*ROWS, strict=True))
    together = accept_probabilities(answers, golds, questions)
    alone = [accept_probabilities([a], [g], [q]).item() for q, g, a in zip(questions, golds, answers, strict=True)]
    assert together.tolist() == alone
    assert accept_probabilities(answers[::-1], golds[::-1], questions[::-1]).tolist() == alone[::-1]


def test_reasons_are_sorted_by_effect():
    effects = [abs(reason.effect) for reason in reasons("in 1903", ["1911"], "when did she win?")]
    assert effects == sorted(effects, reverse=True) and effects[0] > 0.1


def test_columns_of_unequal_length_and_rows_without_gold_answers_are_refused():
    with pytest.raises(ValueError, match="2 answers but 1 lists of gold answers"):
        accept_probabilities(["a", "b"], [["a"]])
    with pytest.raises(ValueError, match="1 answers but 2 questions"):
        accept_probabilities(["a"], [["a"]], ["q", "r"])
    with pytest.raises(ValueError, match="row 1 has no gold answer"):
        accept_probabilities(["a", "b"], [["a"], []])


def test_no_rows():
    assert accept_probabilities([], [], []).shape == (0,)


def test_fingerprint():
    assert len(fingerprint()) == 12 and int(fingerprint(), 16) >= 0


@pytest.mark.parametrize(
    "text",
    [
        "I don't know.",
        "I don’t know",
        "It cannot be determined.",
        "no answer",
        "Unanswerable",
        "As an AI, I am unable to",
    ],
)
def test_refusals(text):
    assert is_refusal(text)


@pytest.mark.parametrize("text", ["Paris", "No Country for Old Men", "", "The Unknown Soldier"])
def test_no_refusals(text):
    assert not is_refusal(text)


def test_hedged_answers():
    assert is_hedged("Paris or Lyon", ["Paris"]) and not is_hedged("two or three", ["two or three", "2"])
