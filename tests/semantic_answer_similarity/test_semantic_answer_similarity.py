"""The evaluate module semantic_answer_similarity: what the contract of all modules does not ask for; without a network."""

import pytest

import qassay


@pytest.fixture
def metric():
    return qassay.load("semantic_answer_similarity", model="lite", thresholds=(0.9,))


def test_thresholds_name_the_measures(metric):
    given = {"predictions": ["30 percent"], "references": [["thirty percent"]]}
    assert 0.5 < metric.compute(**given)["sas"] < 1
    assert "sas_accuracy@0.9" in metric.compute(**given)
    assert "sas_accuracy@0.1" in metric.compute(**given, thresholds=0.1)


def test_a_refused_batch_names_the_row_and_adds_nothing(metric):
    with pytest.raises(TypeError, match=r"predictions\[1\] must be str, got int: 3"):
        metric.add_batch(predictions=["a", 3], references=[["a"], ["b"]])
    assert len(metric) == 0


def test_ranked_answers_in_batches(metric):
    metric.add_batch(predictions=[["x", "Rome"]], references=[["Rome"]])
    result = metric.compute(top_k=(1, 2))
    assert result["sas@2"] == 1.0 > result["sas@1"]


def test_rows_of_squad_and_weights(metric):
    predictions = [{"id": i, "prediction_text": text, "no_answer_probability": 0.1} for i, text in ("a1", "b ")]
    references = [
        {"id": i, "answers": {"text": golds, "answer_start": [3] * len(golds)}}
        for i, golds in (("a", ["one"]), ("b", []))
    ]
    assert metric.compute(predictions=predictions, references=references, weights=[0, 2])["sas"] == 1.0
