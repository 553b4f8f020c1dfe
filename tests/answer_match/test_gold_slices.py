"""Labels by length, number and type of gold answers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.answer_match.gold_slices import ANSWER_TYPES, answer_length, answer_type, gold_count


def test_answer_length_counts_normalised_tokens_of_the_first_answer():
    golds = [
        [],
        [""],
        ["the"],
        ["Paris", "in Paris now"],
        ["the  old town"],
        ["a b c d"],
        ["x " * 6],
        ["x " * 10],
        ["x " * 11],
        ["日本"],
    ]
    assert answer_length(golds) == ["0", "0", "0", "1", "2", "3-5", "6-10", "6-10", "11+", "1"]


def test_gold_count():
    assert gold_count([[], ["a"], ["a", "a"], list("abc"), list("abcdef")]) == ["0", "1", "2", "3+", "3+"]


@pytest.mark.parametrize(
    "label, answers",
    [
        ("no answer", ["", " ", "...", "—"]),
        (
            "date",
            ["1998", "12 May 1998", "May 12, 1998", "the 1990s", "the '80s", "mid-2000s", "the late 19th century",
             "2019-05-01", "12.05.1998", "10:30", "5 p.m.", "44 BC", "AD 79", "May", "Monday morning", "1914–1918",
             "from 1910 to 1940", "le 3 mars 1876", "XIXe siècle", "am 5. Januar", "20. Jahrhundert",
             "en mayo de 1998", "siglo XX", "2019年5月1日"],
        ),
        (
            "number",
            ["5", "1,500", "5 km", "about 5 km", "$1.5 billion", "25%", "−5", "1/3", "½", "three", "Twenty-five",
             "two thirds", "more than three hundred people", "20th", "first", "1500 °C", "5 MHz", "800 000",
             "zwei Millionen", "trois cents", "300万人", "90% to 93%"],
        ),
        ("yes/no", ["yes", "No.", "oui", "nein", "sí"]),
        (
            "name",
            ["Marie Curie", "J. R. R. Tolkien", "Dr. Smith", "Ludwig van Beethoven", "William the Conqueror",
             "Martin Luther King, Jr.", "Émile Zola", "Hong Kong",
             "Paris", "the Seine", "The Beatles", "NASA", "BBC News", "New York", "Charleston, South Carolina",
             "Hero of Alexandria", "Colorado River", "iPhone", "20th Century Fox", "Seven Years War", "Mars"],
        ),
        ("phrase", ["by boat", "the old house", "Increased demand for gold", "in 44 days", "two Americans met there"]),
        ("word", ["gold", "free-to-view", "北京", "五年"]),
    ],
)  # fmt: skip
def test_answer_type(label, answers):
    assert {answer: answer_type([[answer]])[0] for answer in answers} == dict.fromkeys(answers, label)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.lists(st.text(max_size=40) | st.text("May 19th,.$%-", max_size=30), max_size=2)))
def test_any_answer_has_one_of_the_types(references):
    labels = answer_type(references)
    assert len(labels) == len(references) and set(labels) <= set(ANSWER_TYPES)
    padded = [[f"  {golds[0]} ", *golds[1:]] if golds else [] for golds in references]
    assert answer_type(padded) == labels
