"""The evaluate module answer_match: batches, columns of tasks, and presets as configs."""

import pytest

import qassay

PREDICTIONS = ["in France", "Rome", ""]
REFERENCES = [["France"], ["Rome", "Roma"], []]


def load(*config, **options):
    return qassay.load("answer_match", *config, **options)


def rows(ids="abc", texts=PREDICTIONS, golds=REFERENCES, doubt=0.0):
    predictions = [
        {"id": i, "prediction_text": t, "no_answer_probability": doubt} for i, t in zip(ids, texts, strict=True)
    ]
    references = [
        {"id": i, "answers": {"text": g, "answer_start": [0] * len(g)}} for i, g in zip(ids, golds, strict=True)
    ]
    return {"predictions": predictions, "references": references}


@pytest.mark.thorough
def test_the_squad_v2_numbers_on_real_data(squad2_golds, squad2_systems):
    ids = list(squad2_golds)
    data = rows(ids, [squad2_systems["bert"][i] for i in ids], list(squad2_golds.values()))
    result = load("squad_v2").compute(**data)
    assert result["exact"] == 78.74168280973637
    assert result["f1"] == pytest.approx(81.77528052374723, rel=1e-14)
    assert result["best_exact"] == result["exact"] and result["best_exact_thresh"] == 0.0


def test_batches_equal_one_call():
    data, metric = rows(), load("squad_v2")
    whole = load("squad_v2").compute(**data)
    metric.add_batch(predictions=data["predictions"][:2], references=data["references"][:2])
    metric.add(prediction=data["predictions"][2], reference=data["references"][2])
    assert metric.compute() == whole
    metric.add_batch(predictions=data["predictions"][:1], references=data["references"][:1])
    assert metric.compute(predictions=data["predictions"][1:], references=data["references"][1:]) == whole


def test_batches_of_what_a_later_option_reads():
    metric = load()
    metric.add_batch(predictions=[["x", "y"]], references=[["y"]])
    assert metric.compute(top_k=2)["exact_match@2"] == 1.0
    metric.add_batch(predictions=[["5", "x"]], references=[[["x", "5.0"]]])
    assert metric.compute(task="drop")["f1"] == 1.0
    metric = load(task="hotpotqa")
    metric.add_batch(
        predictions=["yes"],
        references=[["yes"]],
        predicted_facts=[[["A", 0]]],
        gold_facts=[[["A", 0], ["B", 1]]],
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


@pytest.mark.parametrize(
    ("metric", "batch", "row"),
    [
        ([None], {"predictions": [5], "references": [["a"]]}, r"predictions\[0\]"),
        (["squad_v2"], {"predictions": ["l", ["x"]], "references": [["a"], ["b"]]}, r"predictions\[1\]"),
        ([None], {"predictions": ["a"], "references": [{"text": None}]}, r"references\[0\]"),
    ],
)
def test_bad_rows_do_not_wait_for_compute(metric, batch, row):
    with pytest.raises(TypeError, match=row):
        load(*metric).add_batch(**batch)


@pytest.mark.parametrize("config, keys", [("squad", {"exact_match", "f1"}), ("squad_v2", {"exact", "HasAns_f1"})])
def test_counts_have_the_names_of_the_config(config, keys):
    result = load(config).compute(**rows("ab", PREDICTIONS[:2], REFERENCES[:2]), counts=True)
    assert keys <= result["counts"].keys() <= result.keys() and result["counts"]["f1"] == 2


def test_a_preset_is_a_config():
    columns = {"predictions": ["so <answer>the Paris</answer>", "<answer>Hamburg</answer>", "Rome"]}
    columns["references"] = [["Paris"], ["ham"], ["Rome"]]
    found = load("search_r1").compute(**columns)
    assert found["contains"] == 2 / 3 and found == load().compute(**columns, preset="search_r1")
    assert load("search_r1").compute(**columns, unextracted="whole")["exact_match"] == 2 / 3
