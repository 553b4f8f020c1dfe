"""The evaluate module answer_match: batches, columns of tasks, and presets as configs."""

import pytest

import qassay


def load(*config, **options):
    return qassay.load("answer_match", *config, **options)


def test_batches_of_what_a_later_option_reads():
    metric = load()
    metric.add_batch(predictions=[["x", "y"]], references=[["y"]])
    assert metric.compute(top_k=2)["exact_match@2"] == 1.0
    metric.add_batch(predictions=[["5", "x"]], references=[[["x", "5.0"]]])
    assert metric.compute(preset="drop")["f1"] == 1.0
    metric = load(preset="hotpotqa")
    metric.add_batch(
        predictions=["yes"],
        references=[["yes"]],
        predicted_details={"supporting_facts": [[["A", 0]]]},
        gold_details={"supporting_facts": [[["A", 0], ["B", 1]]]},
    )
    assert metric.compute()["joint_f1"] == pytest.approx(2 / 3)
    metric = load("musique")
    metric.add_batch(
        predictions=["a", "b"],
        references=[["a"], ["a"]],
        gold_details=[{"support": [1]}, {"support": []}],
        predicted_details=[{"support": [1]}, {"support": [2]}],
    )
    assert metric.compute()["support_f1"] == 0.5


def test_an_exact_match_without_f1_is_a_warning_of_the_config_squad():
    golds = [{"id": row, "answers": {"text": texts}} for row, texts in (("a", []), ("b", [""]), ("c", ["Ur"]))]
    with pytest.warns(UserWarning, match="1 with exact match 1 and F1 0, as in the official script"):
        predictions = [{"id": row, "prediction_text": ""} for row in "abc"]
        found = load("squad").compute(predictions=predictions, references=golds)
    assert found == {"exact_match": 200 / 3, "f1": 100 / 3}
    assert "exact_match_without_f1" not in load("mrqa").compute(predictions=["", "Ur"], references=[[], ["Ur"]])
