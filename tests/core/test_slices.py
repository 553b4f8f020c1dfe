"""Labels by question word."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.core.slices import count_range, first_that_holds, in_order, question_word

LABELS = {"what", "who", "when", "where", "why", "how", "how many/much", "which", "whose", "other"}


@pytest.mark.parametrize(
    "label, questions",
    [
        ("what", ["In what year?", "WHAT’S this?", "What was the man who left?", "À quoi sert-il ?", "这是什么？"]),
        ("who", ["Who?", "To whom did he write?", "who's there", "C'est qui ?", "Wer war das?", "建てたのは誰か"]),
        ("when", ["Since when?", "Depuis quand ?", "Seit wann?", "¿Cuándo?", "什么时候开始？", "いつですか"]),
        ("where", ["From where?", "Où est-il ?", "Wo ist er?", "¿De dónde?", "首都在哪里？", "どこですか"]),
        ("why", ["Why not?", "Pourquoi ?", "Warum?", "¿Por qué no?", "为什么？", "なぜですか"]),
        ("how", ["How long is it?", "Comment ça marche ?", "Wie geht das?", "¿Cómo?", "怎么走？"]),
        (
            "how many/much",
            ["For how  much?", "how\nmany", "Combien ?", "Wie viele sind es?", "¿Cuántos hay?", "有多少人？"],
        ),
        ("which", ["In which city?", "À quelle heure ?", "Welches Buch?", "¿Cuál es?", "哪个？", "どの本ですか"]),
        ("whose", ["Whose dog is it?", "Wessen Hund ist das?"]),
        ("other", ["", None, "Is it red?", "Was the bridge built in May?", "Somewhat however", "It was built by?"]),
        ("other", ["Je sais que oui.", "Das Haus, wo er wohnt"]),
    ],
)
def test_question_word(label, questions):
    assert question_word(questions) == [label] * len(questions)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text(max_size=30)))
def test_any_text_has_one_of_the_labels_in_any_case(questions):
    labels = question_word(questions)
    assert len(labels) == len(questions)
    assert set(labels) <= LABELS
    ascii_questions = [question for question in questions if question.isascii()]
    assert question_word([question.upper() for question in ascii_questions]) == question_word(ascii_questions)


def test_labels_of_counts_conditions_and_their_order():
    assert [count_range(count) for count in (0, 2, 3, 5, 6, 10, 11)] == ["0", "2", "3-5", "3-5", "6-10", "6-10", "11+"]
    assert in_order({"11+", "2", "other", "zoo", "3-5"}) == ["2", "3-5", "11+", "zoo", "other"]
    held = first_that_holds({"low": np.array([True, False, False]), "any": np.array([True, True, False])}, "none")
    assert held == ["low", "any", "none"]
