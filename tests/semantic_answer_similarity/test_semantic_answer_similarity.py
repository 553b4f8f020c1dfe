"""The evaluate module semantic_answer_similarity: loading, options, batches, its card and its cases; without a network."""

from pathlib import Path

import datasets
import pytest

import qassay
from qassay.semantic_answer_similarity.semantic_answer_similarity import SemanticAnswerSimilarity

FOLDER = Path(qassay.path("semantic_answer_similarity"))
PREDICTIONS = ["30 percent", "Rome", ""]
REFERENCES = [["thirty percent"], ["Rome", "Roma"], []]


def rows(ids="abc"):
    predictions = [{"id": i, "prediction_text": text} for i, text in zip(ids, PREDICTIONS, strict=True)]
    references = [{"id": i, "answers": golds} for i, golds in zip(ids, REFERENCES, strict=True)]
    return {"predictions": predictions, "references": references}


def lite(**options):
    return SemanticAnswerSimilarity(model="lite", **options)


def test_the_issue_in_one_line():
    metric = qassay.load("semantic_answer_similarity", model="lite")
    assert 0.5 < metric.compute(predictions=["30 percent"], references=[["thirty percent"]])["sas"] < 1


def test_the_card_names_every_key():
    card = (FOLDER / "README.md").read_text("utf-8")
    for name in qassay.score("semantic_answer_similarity", PREDICTIONS, REFERENCES, model="lite").summary():
        assert f"`{name}`" in card


def test_options_at_load_and_at_compute():
    metric = lite(thresholds=(0.9,))
    given = {"predictions": PREDICTIONS, "references": REFERENCES}
    assert "sas_accuracy@0.9" in metric.compute(**given)
    assert "sas_accuracy@0.1" in metric.compute(**given, thresholds=0.1)
    result = metric.compute(**given, signature=True, per_example=True, level=0.9, n_resamples=50)
    assert "model:lite" in result["signature"] and "mode:lite" in result["signature"]
    assert result["per_example"]["sas"][1:] == [1.0, 1.0] and result["sas_low"] <= result["sas"] <= result["sas_high"]


def test_wrong_options_and_columns():
    with pytest.raises(ValueError, match="option missing=None is unknown"):
        lite(missing=None)
    with pytest.raises(TypeError, match=r"predictions\[0\] must be str, got None"):
        lite().compute(predictions=[None], references=[["a"]])
    metric = lite()
    with pytest.raises(TypeError, match=r"predictions\[1\] must be str, got int: 3"):
        metric.add_batch(predictions=["a", 3], references=[["a"], ["b"]])
    assert len(metric) == 0


def test_batches_of_rows_with_ids():
    given = rows()
    whole = lite().compute(**given)
    metric = lite()
    metric.add_batch(**{name: column[:2] for name, column in given.items()})
    metric.add(prediction=given["predictions"][2], reference=given["references"][2])
    assert metric.compute() == whole


def test_ranked_answers_in_batches():
    metric = lite()
    metric.add_batch(predictions=[["x", "Rome"]], references=[["Rome"]])
    result = metric.compute(top_k=(1, 2))
    assert result["sas@2"] == 1.0 > result["sas@1"]


def test_other_layouts():
    whole = lite().compute(**rows())
    tables = {name: datasets.Dataset.from_list(column) for name, column in rows().items()}
    assert lite().compute(**tables) == whole
    weighted = lite().compute(**rows(), weights=[0, 0, 2])
    assert weighted["sas"] == 1.0
