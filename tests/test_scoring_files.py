"""karat.score_files: the numbers of the command line, from Python."""

import json
from pathlib import Path

import pytest

import karat

SAMPLES = Path(karat.__file__).resolve().parent.parent / "samples"


def test_systems_of_files_with_probabilities():
    folder = SAMPLES / "answers"
    names = {"a=b": folder / "small_model.json", "large": folder / "large_model.json"}
    doubts = {"large": folder / "large_model_no_answer.json"}
    found = karat.score_files(folder / "gold.json", names, no_answer_probabilities=doubts, no_answer_threshold=None)
    assert list(found) == ["a=b", "large"]
    assert "best_f1" in found["large"].measures and "best_f1" not in found["a=b"].measures
    odd = karat.score_files(
        folder / "gold.json", {"a=b": names["large"]}, no_answer_probabilities={"a=b": doubts["large"]}
    )
    assert odd["a=b"] == found["large"]


def test_metric_options_measures_and_columns(tmp_path):
    runs = {"bm25": SAMPLES / "rankings" / "bm25.run"}
    scores = karat.score_files(SAMPLES / "rankings" / "qrels.txt", runs, measures=["mrr@5"])["bm25"]
    assert list(scores.measures)[:1] == ["mrr@5"]
    answers = {"small": SAMPLES / "answers" / "small_model.json"}
    name = "semantic_answer_similarity"
    assert (
        karat.score_files(SAMPLES / "answers" / "gold.json", answers, name, model="lite")["small"].options.family
        == name
    )
    (tmp_path / "table.csv").write_text("mine,right\nin France,France\n")
    columns = {"predictions": "mine", "references": "right"}
    found = karat.score_files(tmp_path / "table.csv", columns=columns, normalizer="none")
    assert found["table"].summary(["exact_match"]) == {"exact_match": 0.0}


def test_what_cannot_be_scored(tmp_path):
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps({"a": ["x"]}))
    with pytest.raises(ValueError, match="once for each metric"):
        karat.score_files(gold, metric="all")
    with pytest.raises(TypeError, match="no option 'normaliser'.*normalizer"):
        karat.score_files(gold, {"s": gold}, normaliser="squad")
    with pytest.raises(ValueError, match="gold answers only"):
        karat.score_files(gold)
    with pytest.raises(ValueError, match="probabilities of 'other', but the systems are: s"):
        karat.score_files(SAMPLES / "answers" / "gold.json", {"s": SAMPLES / "answers" / "small_model.json"},
                          no_answer_probabilities={"other": gold})  # fmt: skip
