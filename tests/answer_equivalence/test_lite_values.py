"""Values in several forms: which texts state the same value, and which state none."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qassay.answer_equivalence.lite_values import _is_same, _stated_value, value_of

SAME = [
    ["5 pm", "5 p.m.", "5:00 PM", "17:00", "17h00", "at 5 pm."],
    ["12:30 am", "0:30", "00:30"],
    ["noon", "12:00", "12 pm", "12 noon", "midday"],
    ["midnight", "12 am", "0:00"],
    ["1914–18", "1914-1918", "from 1914 to 1918", "between 1914 and 1918"],
    ["1980s", "1980's", "the '80s", "eighties", "the nineteen-eighties"],
    ["2.5 hours", "2½ hours", "2 1/2 hours", "two and a half hours", "about 2.50 hours"],
    ["50%", "50 percent", "half", "a half", "1/2", "0.5", "½", ".5", "half of all people"],
    ["a third", "one third", "1/3", "⅓"],
    ["three quarters", "three-quarters", "75 per cent", "¾", "0.75"],
    ["6.022e23", "6.022 x 10^23", "6.022 × 10²³", "6.022 \\times 10^{23}"],
    ["1e-3", "0.001", "1 x 10⁻³", "0.1%"],
    ["370,000", "0.37 million", "370 thousand", "370 000"],
    ["half a million", "500,000", "0.5 million"],
    ["$5", "5 dollars"],
    ["-2", "−2", "−2.0"],
]
NO_VALUE = ["Lyon", "", "the third", "second half", "1,5", "7/5/1999", "1/0", "25:00", "13 pm", "17:75", "July 4", "B52 200",
            "3:10 to Yuma", "1918-14", "May 5 200", "9" * 5000, "route 66", "2 or 3", "16 or older", "10 and more"]  # fmt: skip


@pytest.mark.parametrize("texts", SAME, ids=lambda texts: texts[0])
def test_forms_of_one_value(texts):
    for one in texts:
        for other in texts:
            assert _is_same(value_of(one), value_of(other)), (one, other)


def test_different_values_are_not_the_same():
    values = [value_of(texts[0]) for texts in SAME]
    assert not any(_is_same(one, other) for place, one in enumerate(values) for other in values[:place])
    units = list(map(value_of, ("5 kg", "5 g", "$5", "€5", "5 %")))
    assert not any(_is_same(one, other) for place, one in enumerate(units) for other in units[:place])


@pytest.mark.parametrize("text", NO_VALUE)
def test_other_texts_state_no_value(text):
    assert value_of(text) is None


def test_a_sentence_states_the_value_at_its_end():
    assert _stated_value("The shop opens at 17:00.") == ("time", 1020)
    assert _stated_value("It was fought from 1914 to 1918") == ("years", 1914, 1918)
    assert _stated_value("That is about 2½ hours long") == ("number", Fraction(5, 2), "hour")
    assert _stated_value("17:00 is when the shop opens") is None


@given(st.text(alphabet="0123456789½⅓ .,:-–/%$€'eExX×^{}ampdhof²٥"))
def test_every_text_is_read(text):
    value = _stated_value(text)
    assert value is None or _is_same(value, value)
