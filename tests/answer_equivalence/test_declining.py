"""Answers to questions without an answer: what declines them, and what answers all the same."""

import json

import pytest

import qassay

DECLINED = [
    "Not mentioned",
    "There's no way to know.",
    "There is no president of Mars.",
    "There is no king of France; the last was Louis-Philippe.",
    "The question has a false premise.",
    "NoAnswer",
    "Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. The passage does not say who discovered it.",
    "The text discusses the abbey, its founding by Duke Robert, the fire of 1120, the rebuilding under Abbot Hugh. However, nowhere is the architect named, so the question cannot be answered from it.",
    "\\boxed{unanswerable}",
    "The passage mentions the treaty but does not say when it was signed.",
    "As an AI language model, I don't have access to real-time data.",
    "Billy's last name is not mentioned in the book.",
    "I’m sorry, but I couldn’t find any information about an instrument of that name. However, there is an instrument called the sackbut.",
]
ANSWERED = [
    "I don't know. John Smith.",
    "The text does not say, but it is probably John Smith.",
    "It was not until 1912.",
    "I do not know the exact date, but it was 1945.",
    "Duke Robert founded the abbey in 1066, though he did not give it any land.",
    "The answer is not 5 but 7.",
    "Nothing Compares 2 U",
    "The Boomtown Rats' single \"I Don't Like Mondays\" was released in 1979.",
    "As an AI language model, I do not have access to real-time information. However, Monday Night Football is broadcasted on ESPN.",
    "not Paris",
    "Nobody knows for sure, but it was Einstein.",
    "Impossible is a film of 1999",
]


@pytest.mark.parametrize(("answers", "is_right"), [(DECLINED, 1.0), (ANSWERED, 0.0)])
def test_answers_to_questions_without_an_answer(answers, is_right):
    scores = qassay.score("answer_equivalence", answers, [[]] * len(answers), questions=["who?"] * len(answers))
    found = scores.columns["equivalence"].tolist()
    assert [answer for answer, value in zip(answers, found, strict=True) if value != is_right] == []


def test_a_long_answer_takes_no_time():
    long = ["I don't know, " * 5_000, "the answer is not " * 5_000, "However, " * 10_000, "no " * 20_000]
    long += ["is not" + " a" * 20_000]
    assert len(qassay.score("answer_equivalence", long, [[]] * len(long))) == len(long)


def test_answers_that_people_accept_hardly_ever_decline(evouna):
    """The figure in the card."""
    rows = [
        row
        for name in ("nq", "triviaqa_half")
        for row in json.loads((evouna / f"evouna_{name}.json").read_text("utf-8"))
    ]
    accepted = [
        row[f"answer_{system}"]
        for row in rows
        for system in ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
        if not row["improper"] and row[f"judge_{system}"] and (row[f"answer_{system}"] or "").strip()
    ]
    scores = qassay.score("answer_equivalence", accepted, [[]] * len(accepted))
    assert (scores.columns["equivalence"].sum(), len(accepted)) == (15, 14_120)
