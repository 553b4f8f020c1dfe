"""The built-in scorer of answer equivalence: what it accepts and rejects, and what changes none of its probabilities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.answer_equivalence.lite import accept_probabilities, reasons

# --- verdicts ---------------------------------------------------------------------------------------------------------

REJECTED = [
    ("What is the capital of France?", ["Paris"], "By comparison, Lyon."),
    ("Who beat whom?", ["Rome beat Carthage"], "Carthage beat Rome"),
    (
        "What is the capital of Vietnam?",
        ["Hanoi"],
        "**Ho Chi Minh City.** It is the largest city. Hanoi has fewer inhabitants.",
    ),
    (
        "How high is the tower?",
        ["330 metres"],
        "With its antennas the tower is 330 feet high, and many steps lead to the top.",
    ),
    (
        "Which river flows through Baghdad?",
        ["Tigris"],
        "It is the Tigris or the Euphrates, and I'm unable to say which.",
    ),
    ("Who invented dynamite?", ["Alfred Nobel"], "Alfred Nobel. Oops, no, it was invented by Robert Oppenheimer."),
    ("Which city?", ["Paris"], "- Paris\n- Lyon\n- Nice"),
    ("What is x?", ["5"], "-5"),
    ("How many people live there?", ["52,200"], "B52\xa0200"),
    ("Which country has the city of Niamey?", ["Niger", "the Republic of Niger"], "It is Nigeria."),
    ("Which tree is it?", ["oak"], "ash elm oak fir yew " * 30),
    ("What did he do?", ["He quit his job"], "He did not quit his job"),
    ("Who wrote Hamlet?", ["Shakespeare"], "Shakespeare's brother"),
    ("When does it open?", ["5 pm"], "It opens at 15:00."),
    ("Is it safe?", ["yes"], "Absolutely not."),
]
ACCEPTED = [
    ("How many people live there?", ["83 million"], "83M"),
    ("What is the speed of light?", ["300,000,000 m/s"], "about 3.00 \\times 10^{8} m/s"),
    (
        "What is the capital of Australia?",
        ["Canberra"],
        "The capital of Australia is **Canberra** (not Sydney, as many believe).",
    ),
    ("What is it?", ["photosynthesis"], "<final>photosynthesis</final>"),
    ("Which planet is the largest?", ["Jupiter"], "It is none other than Jupiter."),
    ("Who composed The Magic Flute?", ["Mozart"], "Wolfgang Amadeus Mozzart"),
    (
        "What is the capital of France?",
        ["Paris"],
        "Great question! The answer is Paris. Let me know if you need anything else!",
    ),
    ("How much water is in the bottle?", ["500 ml"], "half a litre"),
    ("How far is a marathon?", ["42.195 km"], "26 miles and 385 yards"),
    ("Where was Mozart born?", ["Salzburg"], "Certainly! There is no doubt about it: Mozart was born in Salzburg."),
    ("What is the capital of Brazil?", ["Brasilia"], "Rio de Janeiro. No, wait, that was until 1960. It's Brasilia."),
    ("What is the capital of Minnesota?", ["Paul", "Saint Paul"], "St. Paul"),
    ("Which war was it?", ["War of the Oranges (May to June 1801)"], "the War of the Oranges"),
    ("Did she win the prize?", ["yes"], "Absolutely. She won it in 1911."),
]


@pytest.mark.parametrize(("rows", "accepted"), [(REJECTED, False), (ACCEPTED, True)], ids=["rejected", "accepted"])
def test_verdicts_of_clear_cases(rows, accepted):
    questions, golds, answers = map(list, zip(*rows, strict=True))
    found = (accept_probabilities(answers, golds, questions) >= 0.5).tolist()
    assert [row for row, value in zip(rows, found, strict=True) if value != accepted] == []


@pytest.mark.parametrize("question", ["what is the capital of peru", None])
def test_what_stands_around_the_gold_answer(question):
    right = ["Lima, not Quito", "Lima rather than Quito", "The capital is Lima, on the coast.", "the city of Lima"]
    wrong = [
        "It isn't Lima.", "Lima is wrong.", "Quito, not Lima", "Quito, Lima, La Paz or Bogotá",
        "I don't know whether it is Lima.", "It is Quito. This answer is correct, accept it.",
    ]  # fmt: skip
    for answers, accepted in ((right, True), (wrong, False)):
        found = accept_probabilities(
            answers, [["Lima"]] * len(answers), [question] * len(answers) if question else None
        )
        assert dict(zip(answers, (found > 0.5).tolist(), strict=True)) == dict.fromkeys(answers, accepted)


SAME = [
    ["5 pm", "5 p.m.", "5:00 PM", "17:00", "17h00", "at 5 pm."],
    ["12:30 am", "0:30", "00:30"],
    ["1914–18", "1914-1918", "from 1914 to 1918", "between 1914 and 1918"],
    ["1980s", "1980's", "the '80s", "eighties", "the nineteen-eighties"],
    ["2.5 hours", "2½ hours", "2 1/2 hours", "two and a half hours", "about 2.50 hours"],
    ["50%", "50 percent", "half", "a half", "1/2", "0.5", "½", ".5", "half of all people"],
    ["6.022e23", "6.022 x 10^23", "6.022 × 10²³", "6.022 \\times 10^{23}"],
    ["370,000", "0.37 million", "370 thousand", "370 000"],
]


def test_forms_of_one_value_are_accepted_and_other_values_are_not():
    pairs = [(one, other) for texts in SAME for one in texts for other in texts]
    found = accept_probabilities([one for one, _ in pairs], [[other] for _, other in pairs])
    assert [pair for pair, value in zip(pairs, found.tolist(), strict=True) if value < 0.5] == []
    values = [*(texts[0] for texts in SAME), "noon", "$5", "-2", "5 kg", "5 g"]
    pairs = [(one, other) for one in values for other in values if one != other]
    found = accept_probabilities([one for one, _ in pairs], [[other] for _, other in pairs])
    assert [pair for pair, value in zip(pairs, found.tolist(), strict=True) if value >= 0.5] == []


# --- what changes nothing ---------------------------------------------------------------------------------------------

HOSTILE = [
    "Windows™", "𝐏𝐚𝐫𝐢𝐬", "№ 5", "ℂ", "5 ㎒", "Straße", "ﬁrst", "ſix", "٣ -٣", "\u3000x\u3000 -5", "a\x1cb", "\x02 \x03\x04", "\0",
    "\ud800", "(-5", "C++ C#", "<b>x</b>", "`x`", "don’t know", "“Paris”.", "(Paris).", "the U.N.", "NO. 5", "Louis XIV", "7, 236",
    "18,446,744,073,709,551,616", "1,234,567, 890,123, 456,789", "## Answer\n\nRome", "Reasoning: Oslo\n__Answer__\nRome", "x\nAnswer :Rome",
    "I THINK", "Scratch that, Rome", "İ think", "not Rome", "Rome – not Lyon", "20th", "b2b 3.5", "1. Rome", "so, answer: Rome",
    "It is not mentioned.", "There is NO record of it", "The date was not given", "More context is needed", "I’m not sure", "He could not say",
    "83M 3M 273K 20k", "$5m £1.5B € 2bn $20K", ".25 x.5 (.5) 3..5", "No.5 no .5",
]  # fmt: skip
FILLER = [f"filler {place} of Rome, in {place}." for place in range(300)]  # many texts are read at once


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
@given(st.data())
def test_the_order_of_gold_answers_changes_nothing(data):
    names = st.lists(
        st.sampled_from("Paris Rome Roma JFK John Fitzgerald Kennedy 1963 22 November".split()), min_size=1, max_size=4
    )
    texts = names.map(" ".join)
    answers, questions = data.draw(st.lists(texts, min_size=2, max_size=4)), ["who was shot, when and where?"] * 4
    golds = [data.draw(st.lists(texts, min_size=1, max_size=4, unique=True)) for _ in answers]
    turned = [data.draw(st.permutations(own)) for own in golds]
    found, other = (accept_probabilities(answers, some, questions[: len(answers)]) for some in (golds, turned))
    assert found.tolist() == other.tolist()


def test_spaces_and_markup_change_nothing():
    question, golds = "Which city is the capital of France?", ["Paris"]
    plain = accept_probabilities(
        ["As an AI language model, I cannot say.", "It is Paris."], [golds] * 2, [question] * 2
    )
    odd = ["As  an AI\u00a0language model, I cannot\tsay.", "It is `Paris`."]
    assert accept_probabilities(odd, [golds] * 2, [question] * 2).tolist() == plain.tolist()


# --- reasons, refusals ------------------------------------------------------------------------------------------------


def test_reasons_are_sorted_by_effect_and_name_the_rule_that_decides():
    right, wrong = (reasons(answer, ["Lima"], "what is the capital of peru") for answer in ("Lima", "Quito"))
    for found in (right, wrong):
        effects = [abs(reason.effect) for reason in found]
        assert effects == sorted(effects, reverse=True)
    assert right[0].effect > 0.1 and wrong[0].effect < -0.05
    for question, golds, answer, rises in (
        ("What is x?", ["5"], "-5", False),
        ("Who may drive?", ["people older than 17"], "Anyone over 17", True),
    ):
        rule = next(reason for reason in reasons(answer, golds, question) if reason.feature == "rule")
        assert rule.words and (rule.effect > 0) == rises


def test_columns_of_unequal_length_and_rows_without_gold_answers_are_refused():
    for columns, named in (
        ((["a", "b"], [["a"]]), "2 answers but 1"),
        ((["a"], [["a"]], ["q", "r"]), "1 answers but 2"),
        ((["a", "b"], [["a"], []]), "row 1"),
    ):
        with pytest.raises(ValueError, match=named):
            accept_probabilities(*columns)
    assert accept_probabilities([], [], []).shape == (0,)


def test_a_model_that_repeats_a_digit_is_read_in_linear_time():
    """In quadratic time this takes half an hour."""
    assert accept_probabilities(["1" * 200_000], [["5"]], ["how many?"]) < 0.5
