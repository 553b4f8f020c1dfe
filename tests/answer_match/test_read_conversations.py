"""The official files of CoQA and QuAC."""

import pytest

import qassay
from qassay.files import FileError, read_gold


def turns(*texts):
    return [{"input_text": text, "turn_id": place} for place, text in enumerate(texts, 1)]


STORY = {
    "source": "wikipedia", "id": "s1", "story": "The cat sat.", "questions": turns("Who?", "What?"),
    "answers": turns("a cat", "sat"), "additional_answers": {"0": turns("cat", "it sat"), "1": turns("dog", "sat")},
}  # fmt: skip
OTHER = {**STORY, "source": "cnn", "id": "s2"}
SAID = [("s1", 1, "cat"), ("s1", 2, "sat"), ("s2", 1, "dog")]
QUESTIONS = [
    {
        "id": f"C_1_q#{turn}",
        "question": "?",
        "answers": [{"text": text, "answer_start": 0}],
        "yesno": "y",
        "followup": "m",
    }
    for turn, text in enumerate(["the cat", "CANNOTANSWER"])
]
QUAC = {"data": [{"paragraphs": [{"id": "C_1", "context": "the cat", "qas": QUESTIONS}]}]}
SAID_TO_QUAC = [
    {"id": "C_1_q#0", "prediction": "cat", "yesno": "y", "followup": "m"},
    {"id": "C_1_q#1", "prediction": "CANNOTANSWER", "yesno": "n", "followup": "m"},
]


def scored(gold, system, **options):
    (scores,) = qassay.score_files(gold, system, **options).values()
    return read_gold(gold), scores


def test_coqa(save):
    rows = [{"id": story, "turn_id": turn, "answer": answer} for story, turn, answer in SAID]
    gold, scores = scored(save("gold.json", {"version": "1.0", "data": [STORY, OTHER]}), save("said.json", rows))
    assert gold.kind == "coqa" and list(scores.ids) == ["s1#1", "s1#2", "s2#1", "s2#2"]
    assert scores.columns["exact_match"].tolist() == [1.0, 1.0, 2 / 3, 0.0] and scores["missing"] == 1
    assert gold.details["source"] == ["wikipedia"] * 2 + ["cnn"] * 2 and gold.details["context"][0] == "The cat sat."


def test_a_turn_without_an_answer(save):
    story = {**STORY, "additional_answers": {"0": turns("cat")}}
    with pytest.raises(FileError, match="story 's1' lacks an answer to turn 2"):
        read_gold(save("gold.json", {"data": [story]}))


def test_quac(save):
    _, scores = scored(save("gold.json", QUAC), save("said.json", SAID_TO_QUAC), preset="quac")
    assert scores.summary(["f1", "heq_d", "yesno_accuracy", "followup_accuracy"]) == {
        "f1": 1.0, "heq_d": 1.0, "yesno_accuracy": 0.5, "followup_accuracy": 1.0,
    }  # fmt: skip
