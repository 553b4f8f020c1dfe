"""The built-in scorer of answer equivalence: what it accepts and rejects, and what changes none of its probabilities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.answer_equivalence.lite import accept_probabilities, explain_answer

# --- verdicts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["what is the capital of peru", None])
def test_what_stands_around_the_gold_answer(question):
    right = ["Lima, not Quito", "Lima rather than Quito", "The capital is Lima, on the coast.", "the city of Lima"]
    wrong = ["It isn't Lima.", "Lima is wrong.", "Quito, not Lima", "I don't know whether it is Lima.", "It is Quito."]
    for answers, accepted in ((right, True), (wrong, False)):
        found = accept_probabilities(
            answers, [["Lima"]] * len(answers), [question] * len(answers) if question else None
        )
        assert dict(zip(answers, (found > 0.5).tolist(), strict=True)) == dict.fromkeys(answers, accepted)


SAME = [
    ["1914-1918", "from 1914 to 1918"],
    ["120 minutes", "2 hours"],
    ["50%", "50 percent", "1/2"],
    ["4 July 1776", "July 4, 1776", "1776-07-04"],
    ["370,000", "370 thousand"],
]


def test_forms_of_one_value_are_accepted_and_other_values_are_not():
    pairs = [(one, other) for texts in SAME for one in texts for other in texts]
    found = accept_probabilities([one for one, _ in pairs], [[other] for _, other in pairs])
    assert [pair for pair, value in zip(pairs, found.tolist(), strict=True) if value < 0.5] == []
    values = [*(texts[0] for texts in SAME), "$5", "5 kg", "5 g"]
    pairs = [(one, other) for one in values for other in values if one != other]
    found = accept_probabilities([one for one, _ in pairs], [[other] for _, other in pairs])
    assert [pair for pair, value in zip(pairs, found.tolist(), strict=True) if value >= 0.5] == []


@pytest.mark.parametrize(
    ("question", "gold", "accepted", "rejected"),
    [
        ("how many planets are there", "7", ["It is 7."], ["7 or 8", "It is 6, 7 or 8.", "7 to 8", "more than 7"]),
        ("when did it end", "1912", ["in 1912"], ["1911 or 1912"]),
        ("when does it start", "3 am", ["at 3 AM", "3:00 a.m."], ["3 pm"]),
        ("when does it start", "3:30 pm", ["3:30 p.m."], ["3:30 am"]),
        ("when was it", "12 March 1912", ["12.3.1912", "12.03.1912"], ["13.3.1912", "12.4.1912"]),
        ("how many people", "1,500", ["1 500", "1\u202f500"], ["1 600"]),
        ("is it so", "yes", ["No doubt about it, yes"], ["He certainly did not."]),
    ],
)
def test_values_guesses_and_verdicts_are_read(question, gold, accepted, rejected):
    answers = [*accepted, *rejected]
    found = accept_probabilities(answers, [[gold]] * len(answers), [question] * len(answers))
    assert [answer for answer, value in zip(answers, found.tolist(), strict=True) if value >= 0.5] == accepted


def test_names_that_have_changed_places_are_no_answer():
    rows = [
        ("who shot Alexander Hamilton?", "Aaron Burr", "Aaron Burr shot Hamilton.", True),
        ("who shot Alexander Hamilton?", "Aaron Burr", "Hamilton was shot by Aaron Burr.", True),
        ("who shot Alexander Hamilton?", "Aaron Burr", "Hamilton shot Aaron Burr.", False),
        ("which way does the train go?", "from Rome to Milan", "It goes from Rome to Milan.", True),
        ("which way does the train go?", "from Rome to Milan", "It goes from Milan to Rome.", False),
    ]
    questions, golds, answers, accepted = zip(*rows, strict=True)
    found = accept_probabilities(answers, [[gold] for gold in golds], questions)
    assert (found >= 0.5).tolist() == [*accepted]


# --- what changes nothing ---------------------------------------------------------------------------------------------

HOSTILE = [
    "Windows™", "𝐏𝐚𝐫𝐢𝐬", "№ 5", "ℂ", "5 ㎒", "Straße", "ﬁrst", "ſix", "٣ -٣", "\u3000x\u3000 -5", "a\x1cb", "\x02 \x03\x04", "\0",
    "\ud800", "(-5", "C++ C#", "<b>x</b>", "`x`", "don’t know", "“Paris”.", "(Paris).", "the U.N.", "NO. 5", "Louis XIV", "7, 236",
    "18,446,744,073,709,551,616", "1,234,567, 890,123, 456,789", "## Answer\n\nRome", "n't", "'", "Reasoning: Oslo\n__Answer__\nRome",
    "I THINK", "İ think", "not Rome", "Rome – not Lyon", "20th", "b2b 3.5", "1. Rome", "30/2/20", "1.2.3", "1/0", "32.13.2020",
    "It is not mentioned.", "There is NO record of it", "83M 3M 273K 20k", "$5m £1.5B € 2bn $20K", ".25 x.5 (.5) 3..5", "十 百万 零", "½ 1½ ²",
]  # fmt: skip
FILLER = [f"filler {place} of Rome, in {place}." for place in range(300)]


def test_hostile_texts_are_judged_among_many_as_they_are_alone():
    texts = HOSTILE + FILLER
    golds, questions = [["Paris", "5", text] for text in texts], ["which city?"] * len(texts)
    for asked in (questions, None):
        among = accept_probabilities(texts[::-1], golds[::-1], asked)[::-1]
        assert among.dtype == np.float64 and ((among >= 0) & (among <= 1)).all()
        alone = [
            accept_probabilities([text], [own], asked and asked[:1])[0]
            for text, own in zip(HOSTILE, golds, strict=False)
        ]
        assert among[: len(HOSTILE)].tolist() == alone


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=30), min_size=1, max_size=4), st.text(max_size=60), st.text(max_size=60))
def test_any_texts_have_a_probability(golds, answer, question):
    for asked in ([question], None):
        assert 0 <= accept_probabilities([answer], [golds], asked)[0] <= 1


def test_a_model_that_repeats_itself_is_read_in_linear_time():
    """In quadratic time this takes half an hour."""
    texts = [
        "1" * 200_000,
        "1 " * 50_000,
        "Rome " * 20_000,
        "not, " * 20_000,
        "a.b" * 30_000,
        "1/2/3-" * 20_000,
        "or " * 30_000,
    ]
    assert len(accept_probabilities(texts, [["5", text] for text in texts], ["how many?"] * len(texts))) == len(texts)


# --- reasons ------------------------------------------------------------------------------------------------


def test_reasons_are_sorted_by_effect_and_name_the_override():
    right, wrong = (explain_answer(answer, ["Lima"], "what is the capital of peru") for answer in ("Lima", "Quito"))
    for found in (right, wrong):
        effects = [abs(reason.effect) for reason in found]
        assert effects == sorted(effects, reverse=True)
    assert right[0].effect > 0.05 and wrong[0].effect < -0.05
    cases = (
        ("denies", "Lima", "It isn't Lima."),
        ("denies", "yes", "No."),
        ("value", "12 km", "It is 15 km."),
        ("name", "Barack Obama", "Michelle Obama"),
        ("list", "Ann, Bob and Eve", "Ann and Bob"),
    )
    for word, gold, answer in cases:
        held = [
            reason for reason in explain_answer(answer, [gold], "is it so") if reason.words.startswith("override: ")
        ]
        assert all(word in reason.words and reason.effect < 0 for reason in held)
        assert accept_probabilities([answer], [[gold]], ["is it so"])[0] <= 0.15
