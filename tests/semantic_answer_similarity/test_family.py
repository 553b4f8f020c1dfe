"""Gold files of answers scored by similarity: without the task of answer_match, and which families score a file."""

import dataclasses
from pathlib import Path

from qassay.files import read_gold
from qassay.files.gold_and_predictions import read_golds
from qassay.registry import get_family

SAMPLES = Path(__file__).resolve().parents[2] / "samples" / "answers"


def test_gold_answers_are_texts_without_a_task():
    family = get_family("semantic_answer_similarity")
    drop = read_gold(SAMPLES / "gold.json").with_options({"preset": "drop", "missing": "skip"})
    assert family.gold_of_file(drop).options == {}
    given = {"predictions": [], "no_answer_probabilities": [], "predicted_details": {}, "weights": []}
    assert list(family.columns_of_files(dataclasses.replace(drop, columns={}), given)) == ["predictions", "weights"]


def test_which_families_score_a_kind_of_file():
    gold = str(SAMPLES / "gold.json")
    assert list(read_golds(None, gold, {})) == ["answer_match"]
    wanted = ["semantic_answer_similarity", "answer_match"]
    assert list(read_golds(wanted, gold, {})) == wanted


def test_examples_as_texts(examples_of):
    gold, system = SAMPLES / "gold.json", SAMPLES / "small_model.json"
    kinds, texts = examples_of(gold, system, "semantic_answer_similarity", model="lite")
    assert kinds is None and texts == examples_of(gold, system)[1]
    _, ranked = examples_of({"a": ["x"]}, {"a": ["y", "z"]}, "semantic_answer_similarity", model="lite", top_k=2)
    assert ranked == [(None, ["x"], ["y", "z"])]
