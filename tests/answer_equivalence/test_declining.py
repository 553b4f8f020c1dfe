"""Answers to questions without an answer: what declines them, and what answers all the same."""

import json

import pytest

import qassay

DECLINED = [
    "Not mentioned",
    "Cannot answer",
    "The answer is not in the passage",
    "There's no way to know.",
    "There is no president of Mars.",
    "Based on the given passage, there's no mention of a president of Mars.",
    "I don't know. The passage talks about cats.",
    "The passage does not mention a president. It only describes the planet Mars.",
    "No one.",
    "Nobody lives on Mars.",
    "Unanswerable",
    "This question cannot be answered.",
    "There is no king of France; the last was Louis-Philippe.",
    "The question has a false premise.",
    "NoAnswer",
    "CANNOTANSWER",
    "[no answer]",
    "It is impossible to determine.",
    "Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. The passage does not say who discovered it.",
    "The text discusses the abbey, its founding by Duke Robert, the fire of 1120, the rebuilding under Abbot Hugh. However, nowhere is the architect named, so the question cannot be answered from it.",
    "The premise is wrong: nobody has ever walked on Mars.",
    "I'm afraid that's not covered in the passage.",
    "**Unanswerable**",
    "\\boxed{unanswerable}",
    "null",
    "I don't know.",
    "I'm not sure.",
    "I’m unable to answer this based on the passage.",
    "There is not enough information to answer.",
    "The passage mentions the treaty but does not say when it was signed.",
    "As an AI language model, I don't have access to real-time data.",
    "The text does not provide this information. Please provide more context.",
    "N/A",
    "Unknown",
    "The context does not specify who built it; it only says the tower was built in 1889.",
    "According to the passage, this is not stated.",
    "Billy's last name is not mentioned in the book.",
    "I’m sorry, but I couldn’t find any information about an instrument of that name. However, there is an instrument called the sackbut.",
    "In 2017, Daniel Rioli won the Goal of the Year. However, I couldn't find any information about the Mark of the Year.",
]
ANSWERED = [
    "I don't know. John Smith.",
    "I cannot say for sure, but John Smith lives there.",
    "The text does not say, but it is probably John Smith.",
    "I don't know. The president is Bob.",
    "It was not until 1912.",
    "I don't know. It could be Paris.",
    "I'm not sure, but I think it was Bob.",
    "I do not know the exact date, but it was 1945.",
    "As an AI model I cannot browse. The president is Bob.",
    "I don't know. Einstein. Einstein discovered it in 1905.",
    "Duke Robert founded the abbey in 1066, though he did not give it any land.",
    "The river is 120 km long; its source was not known until 1850.",
    "The answer is not 5 but 7.",
    "He died in Rome, because doctors could not find a cure.",
    "Marie Curie discovered it. She did not have a laboratory at first.",
    "There is no doubt that Einstein discovered it.",
    "The discovery was made by Hooke in 1665, which the book does not mention.",
    "Nothing Compares 2 U",
    "The answer is 42, which is not surprising.",
    "I can't believe you ask: it was Newton.",
    "The Boomtown Rats' single \"I Don't Like Mondays\" was released in 1979.",
    "As an AI language model, I do not have access to real-time information. However, Monday Night Football is broadcasted on ESPN.",
    "Paris",
    "yes",
    "not Paris",
    "Nobody knows for sure, but it was Einstein.",
    "No Country for Old Men",
    "It was never found.",
    "Impossible is a film of 1999",
    "As an AI language model, I don't have personal opinions. However, to answer your question, the mascot is Bonhomme.",
    "As an AI language model, I do not have access to real-time information, but as of 2018, the tallest building in the world is the Burj Khalifa in Dubai.",
    "unspecified creative reasons",
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
    assert (scores.columns["equivalence"].sum(), len(accepted)) == (28, 14_120)
