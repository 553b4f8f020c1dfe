"""Answers to questions without an answer: what declines them, and what answers all the same."""

import json

import pytest

import qassay
from qassay.answer_equivalence.declining import declines

DECLINED = [
    "Not mentioned",
    "not specified",
    "Cannot answer",
    "Not enough info",
    "The answer is not in the passage",
    "Nobody knows.",
    "There's no way to know.",
    "Unclear",
    "Not available",
    "There is no president of Mars.",
    "Based on the given passage, there's no mention of a president of Mars.",
    "I don't know. The passage talks about cats.",
    "The passage does not mention a president. It only describes the planet Mars.",
    "I do not know, the text only mentions that the ship sank in 1912.",
    "No one.",
    "Nobody lives on Mars.",
    "Unanswerable",
    "This question cannot be answered.",
    "The passage does not say.",
    "There is no king of France; the last was Louis-Philippe.",
    "The question has a false premise.",
    "Based on the context, the answer is not provided.",
    "NoAnswer",
    "CANNOTANSWER",
    "[no answer]",
    "It is impossible to determine.",
    "Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. Let us read the passage carefully. The passage does not say who discovered it.",
    "The text discusses the abbey, its founding by Duke Robert, the fire of 1120, the rebuilding under Abbot Hugh. However, nowhere is the architect named, so the question cannot be answered from it.",
    "The premise is wrong: nobody has ever walked on Mars.",
    "Nobody has walked on Mars yet.",
    "No human has set foot on Mars.",
    "The question is based on a false assumption.",
    "That event never happened.",
    "The passage is silent on this point.",
    "The text gives no indication of the date.",
    "Not enough info.",
    "idk",
    "no idea",
    "Unclear from the passage.",
    "Unfortunately, the context lacks this detail.",
    "I'm afraid that's not covered in the passage.",
    "The document makes no reference to it.",
    "**Unanswerable**",
    "\\boxed{unanswerable}",
    "NO ANSWER",
    "no-answer",
    "NoAns",
    "null",
    "impossible",
    "False premise.",
    "I don't know.",
    "I do not know",
    "I'm not sure.",
    "Sorry, I can't answer that.",
    "I cannot find the answer in the text.",
    "The answer cannot be determined from the given context.",
    "I’m unable to answer this based on the passage.",
    "There is not enough information to answer.",
    "It is not mentioned in the text.",
    "The passage mentions the treaty but does not say when it was signed.",
    "As an AI language model, I don't have access to real-time data.",
    "I couldn't find any information about that.",
    "No information is given about the date.",
    "The text does not provide this information. Please provide more context.",
    "N/A",
    "Unknown",
    "The context does not specify who built it; it only says the tower was built in 1889.",
    "While the passage mentions Paris, it does not state who founded it.",
    "I am not aware of any such event.",
    "There was no such treaty.",
    "According to the passage, this is not stated.",
    "Billy's last name is not mentioned in the book.",
    "There is no element named after a university in Oakland, California.",
    "I’m sorry, but I couldn’t find any information about an instrument of that name. However, there is an instrument called the sackbut.",
    "In 2017, Daniel Rioli won the Goal of the Year. However, I couldn't find any information about the Mark of the Year.",
]
ANSWERED = [
    "I don't know. John Smith.",
    "I cannot say for sure, but John Smith lives there.",
    "I don't know.\nParis",
    "The text does not say, but it is probably John Smith.",
    "It is not clear, but my best guess is 1912.",
    "It was not until 1912.",
    "The ship did not sink.",
    "The document was not signed in Rome.",
    "No, it is in France.",
    "I don't know, maybe Bob.",
    "I don't know. It could be Paris.",
    "I'm not sure, but I think it was Bob.",
    "I do not know the exact date, but it was 1945.",
    "Unknown, but probably Einstein.",
    "I don't know; my best guess is Einstein",
    "I don't know - Einstein",
    "I cannot say for certain, however Einstein invented it.",
    "As an AI model I cannot browse. The president is Bob.",
    "Sorry, no information. Answer: Einstein",
    "N/A - Einstein",
    "I don't know. Einstein. Einstein discovered it in 1905.",
    "Duke Robert founded the abbey in 1066, though he did not give it any land.",
    "The river is 120 km long; its source was not known until 1850.",
    "The Normans were led by Rollo, who did not know Latin.",
    "The answer is not 5 but 7.",
    "He died in Rome, because doctors could not find a cure.",
    "Marie Curie discovered it. She did not have a laboratory at first.",
    "There is no doubt that Einstein discovered it.",
    "There were no fewer than 300 people killed.",
    "It was discovered by Newton; no record survives of the day.",
    "The discovery was made by Hooke in 1665, which the book does not mention.",
    "The treaty was signed in 1990 and it is impossible to leave it.",
    "It is not Paris, it is Lyon.",
    "Nothing Compares 2 U",
    "Sorry, Hooke.",
    "The answer is 42, which is not surprising.",
    "I can't believe you ask: it was Newton.",
    "I don't think so; it was Hooke.",
    "The Boomtown Rats' single \"I Don't Like Mondays\" was released in 1979.",
    "As an AI language model, I do not have access to real-time information. However, Monday Night Football is broadcasted on ESPN.",
    "Paris",
    "in 1912",
    "no",
    "yes",
    "the cat",
    "not Paris",
    "Nobody knows for sure, but it was Einstein.",
    "No Country for Old Men",
    "None but the Lonely Heart",
    "It was never found.",
    "The answer is Paris.",
    "No. It is in France.",
    "Impossible is a film of 1999",
    "As an AI language model, I don't have personal opinions. However, to answer your question, the mascot is Bonhomme.",
    "As an AI language model, I do not have access to real-time information, but as of 2018, the tallest building in the world is the Burj Khalifa in Dubai.",
    "unspecified creative reasons",
]


@pytest.mark.parametrize("text", DECLINED)
def test_what_declines(text):
    assert declines(text)


@pytest.mark.parametrize("text", ANSWERED)
def test_what_answers_all_the_same(text):
    assert not declines(text)


@pytest.mark.parametrize(("answers", "is_right"), [(DECLINED, 1.0), (ANSWERED, 0.0)])
def test_scores_of_questions_without_an_answer(answers, is_right):
    scores = qassay.score("answer_equivalence", answers, [[]] * len(answers), questions=["who?"] * len(answers))
    assert scores.columns["equivalence"].tolist() == [is_right] * len(answers)


def test_a_long_answer_takes_no_time():
    for text in (
        "I don't know, " * 5_000,
        "the answer is not " * 5_000,
        "However, " * 10_000,
        "no " * 20_000,
        "is not" + " a" * 20_000,
    ):
        declines(text)


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
    assert (sum(map(declines, accepted)), len(accepted)) == (28, 14_120)
