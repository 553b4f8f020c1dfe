"""The evaluate module answer_match: loading, configs, options, batches, and the Hugging Face modules it stands in for."""

import dataclasses
import doctest
import importlib.util
import inspect
import json
import math
import os
import pickle
import threading
from pathlib import Path

import datasets
import evaluate
import numpy as np
import pytest

import qassay
from qassay.answer_match.answer_match import AnswerMatch
from qassay.answer_match.scoring import AnswerMatchOptions

FOLDER = Path(qassay.path("answer_match"))
PREDICTIONS = ["in France", "Rome", ""]
REFERENCES = [["France"], ["Rome", "Roma"], []]


def rows(ids="abc", texts=PREDICTIONS, golds=REFERENCES, doubt=0.0):
    predictions = [
        {"id": i, "prediction_text": t, "no_answer_probability": doubt} for i, t in zip(ids, texts, strict=True)
    ]
    references = [
        {"id": i, "answers": {"text": g, "answer_start": [0] * len(g)}} for i, g in zip(ids, golds, strict=True)
    ]
    return {"predictions": predictions, "references": references}


def test_equals_qassay_score():
    expected = qassay.score("answer_match", PREDICTIONS, REFERENCES).summary()
    for metric in (evaluate.load(str(FOLDER)), qassay.load("answer_match"), AnswerMatch()):
        result = metric.compute(predictions=PREDICTIONS, references=REFERENCES)
        assert result == expected
        assert {type(value) for value in result.values()} == {float, int}


def test_loads_by_relative_path(monkeypatch):
    monkeypatch.chdir(FOLDER.parent.parent)
    assert evaluate.load("./metrics/answer_match").name == "answer_match"


def load_test_cases():
    spec = importlib.util.spec_from_file_location("answer_match_tests", FOLDER / "tests.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.test_cases


@pytest.mark.parametrize("case", load_test_cases())
def test_cases_of_the_card(case):
    result = AnswerMatch().compute(predictions=case["predictions"], references=case["references"])
    assert {name: result[name] for name in case["result"]} == pytest.approx(case["result"], rel=1e-12)


def test_doctests_of_script_and_card(monkeypatch):
    monkeypatch.chdir(FOLDER.parent.parent)
    module = inspect.getmodule(type(evaluate.load("./metrics/answer_match")))
    failed, attempted = doctest.testmod(module)
    assert failed == 0 and attempted > 5
    failed, attempted = doctest.testfile(str(FOLDER / "README.md"), module_relative=False)
    assert failed == 0 and attempted >= 4


def test_options_are_those_of_the_dataclass():
    parameters = inspect.signature(AnswerMatch._compute).parameters
    for field in dataclasses.fields(AnswerMatchOptions):
        if field.init:
            assert parameters[field.name].default in (field.default, None)
    card = (FOLDER / "README.md").read_text("utf-8")
    inputs = card[card.index("### Inputs") : card.index("### Output Values")]
    assert [
        name for name in parameters if name != "self" and f"`{name}`" not in inputs and f"**{name}**" not in inputs
    ] == []


def test_options_at_load_and_at_compute():
    golds, answers = [["avion"]], ["l'avion"]
    metric = qassay.load("answer_match", normalizer="french")
    assert metric.compute(predictions=answers, references=golds)["exact_match"] == 1.0
    assert metric.compute(predictions=answers, references=golds, normalizer="squad")["exact_match"] == 0.0
    assert metric.compute(predictions=answers, references=golds)["exact_match"] == 1.0


def test_unknown_options_are_refused_by_name():
    with pytest.raises(TypeError, match="'normaliser'.*did you mean 'normalizer'"):
        qassay.load("answer_match", normaliser="french")
    with pytest.raises(TypeError, match="'top_n'"):
        AnswerMatch().compute(predictions=["a"], references=[["a"]], top_n=3)
    with pytest.raises(ValueError, match="unknown normalizer 'squadd'"):
        AnswerMatch().compute(predictions=["a"], references=[["a"]], normalizer="squadd")


def test_squad_configs():
    assert AnswerMatch("squad").compute(**rows("ab", PREDICTIONS[:2], REFERENCES[:2])) == {
        "exact_match": 50.0,
        "f1": 100.0 * (2 * 0.5 / 1.5 + 1) / 2,
    }
    result = AnswerMatch("squad_v2").compute(**rows())
    assert len(result) == 13
    assert (result["exact"], result["HasAns_exact"], result["NoAns_exact"], result["total"]) == (
        200 / 3,
        50.0,
        100.0,
        3,
    )


def test_the_squad_v2_numbers_on_real_data(squad2_golds, squad2_systems):
    ids = list(squad2_golds)
    data = rows(ids, [squad2_systems["bert"][i] for i in ids], list(squad2_golds.values()))
    result = qassay.load("answer_match", "squad_v2").compute(**data)
    assert result["exact"] == 78.74168280973637
    assert result["f1"] == pytest.approx(81.77528052374723, rel=1e-14)
    assert result["best_exact"] == result["exact"] and result["best_exact_thresh"] == 0.0
    plain = AnswerMatch().compute(predictions=squad2_systems["bert"], references=squad2_golds)
    assert 100 * plain["f1"] == pytest.approx(81.77528052374726, rel=1e-15)


@pytest.mark.parametrize("config", [None, "squad", "squad_v2"])
def test_batches_equal_one_call(config):
    data = rows()
    whole = AnswerMatch(config).compute(**data)
    metric = AnswerMatch(config)
    metric.add_batch(predictions=data["predictions"][:2], references=data["references"][:2])
    metric.add(prediction=data["predictions"][2], reference=data["references"][2])
    assert metric.compute() == whole
    metric.add_batch(predictions=data["predictions"][:1], references=data["references"][:1])
    assert metric.compute(predictions=data["predictions"][1:], references=data["references"][1:]) == whole
    flat = AnswerMatch(config)
    flat.add_batch(predictions=PREDICTIONS[:1], references=REFERENCES[:1])
    flat.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES[1:])
    assert flat.compute() == AnswerMatch(config).compute(predictions=PREDICTIONS, references=REFERENCES)


def test_batches_before_options():
    metric = AnswerMatch()
    metric.add_batch(predictions=[["x", "y"]], references=[["y"]])
    assert metric.compute(top_k=2)["exact_match@2"] == 1.0
    metric.add_batch(predictions=[["5", "x"]], references=[[["x", "5.0"]]])
    assert metric.compute(task="drop")["f1"] == 1.0
    with pytest.raises(TypeError, match=r"predictions\[0\] must be str, got list"):
        AnswerMatch(task="hotpotqa").add_batch(predictions=[["x", "y"]], references=[["y"]])


def test_a_bad_batch_leaves_nothing_behind():
    metric = AnswerMatch()
    metric.add_batch(predictions=["a"], references=[["a"]])
    with pytest.raises(TypeError, match=r"predictions\[1\] must be str, got int: 1"):
        metric.add_batch(predictions=["b", 1], references=[["b"], ["c"]])
    with pytest.raises(ValueError, match="different lengths"):
        metric.add_batch(predictions=["b"], references=[["b"], ["c"]])
    with pytest.raises(TypeError, match=r"references\[0\] must be list"):
        metric.add_batch(predictions=["b"], references=["b"])
    assert metric.compute()["total"] == 1


@pytest.mark.parametrize(
    ("config", "rows_of_batch"),
    [
        (None, {"predictions": [None], "references": [["a"]]}),
        ("squad_v2", {"predictions": ["l", ["x"]], "references": [["a"], ["b"]]}),
        (
            "squad_v2",
            {"predictions": [{"id": "a", "prediction_text": None}], "references": [{"id": "a", "answers": []}]},
        ),
        (None, {"predictions": ["a"], "references": [{"text": None}]}),
    ],
)
def test_bad_rows_do_not_wait_for_compute(config, rows_of_batch):
    metric = AnswerMatch(config)
    with pytest.raises(TypeError, match=r"(predictions|references)\[\d\]"):
        metric.add_batch(**rows_of_batch)


def test_batches_of_dicts_by_id():
    metric = AnswerMatch()
    metric.add_batch(predictions={"a": "x", "b": "y"}, references={"a": ["x"], "b": []})
    metric.add_batch(predictions={"c": "x"}, references={"c": ["x"]})
    assert metric.compute()["exact_match"] == 2 / 3


def test_a_dict_is_never_matched_with_a_list_by_position():
    with pytest.raises(ValueError, match="references have no ids to match the dict with"):
        AnswerMatch().compute(predictions={"a": "x"}, references=[["x"]])
    with pytest.raises(TypeError, match="predictions must be a column"):
        AnswerMatch().add_batch(predictions={"a": "x"}, references=[["x"]])


def test_options_are_checked_at_load():
    with pytest.raises(ValueError, match="unknown normalizer 'sqad'"):
        qassay.load("answer_match", normalizer="sqad")
    with pytest.raises(ValueError, match="no config 'squadv2'"):
        qassay.load("answer_match", "squadv2")


def test_optional_columns_and_other_layouts():
    metric = AnswerMatch()
    by_id = metric.compute(predictions={"b": "x", "a": "y"}, references={"a": ["y"], "b": ["z"], "c": []})
    assert (by_id["exact_match"], by_id["missing"]) == (1 / 3, 1)
    data_set = datasets.Dataset.from_dict({"p": PREDICTIONS, "r": REFERENCES})
    assert metric.compute(predictions=data_set["p"], references=data_set["r"])["total"] == 3
    swept = metric.compute(
        predictions=PREDICTIONS, references=REFERENCES, no_answer_probabilities=[0.1, 0.2, 0.9], weights=[2, 1, 1]
    )
    assert (swept["exact_match"], swept["best_f1_threshold"]) == (0.5, 0.9)
    ranked = metric.compute(predictions=[["x", "y"]], references=[["y"]], top_k=(1, 2))
    assert (ranked["exact_match@1"], ranked["exact_match@2"]) == (0.0, 1.0)
    assert metric.compute(predictions=[(15, 20)], references=[[(10, 20)]], unit="offset")["f1"] == 2 / 3
    assert metric.compute(predictions=[["5", "a b"]], references=[[["a b", "5.0"]]], task="drop")["exact_match"] == 1.0
    facts = {"predicted_facts": [[["A", 0]]], "gold_facts": [[["A", 0], ["B", 1]]]}
    assert metric.compute(predictions=["yes"], references=[["yes"]], task="hotpotqa", **facts)["sp_recall"] == 0.5
    for_batches = AnswerMatch(task="hotpotqa")
    for_batches.add_batch(predictions=["yes"], references=[["yes"]], **facts)
    assert for_batches.compute()["joint_f1"] == pytest.approx(2 / 3)


def test_missing_and_unmatched_rows():
    predictions, references = rows()["predictions"], rows()["references"]
    predictions[1]["id"] = "z"
    found = AnswerMatch().compute(predictions=predictions, references=references)
    assert (found["missing"], found["unmatched"], found["total"]) == (1, 1, 3)
    with pytest.warns(UserWarning, match="2 without a prediction .scored 0., 1 unmatched"):
        assert AnswerMatch("squad_v2").compute(predictions=predictions[:2], references=references)["total"] == 3
    with pytest.raises(ValueError, match="repeats the id 'a'"):
        AnswerMatch("squad_v2").compute(predictions=[predictions[0]] * 2, references=references[:2])


def test_more_on_request():
    result = AnswerMatch().compute(
        predictions=PREDICTIONS,
        references=REFERENCES,
        ids=["a", "b", "c"],
        per_example=True,
        level=0.9,
        signature=True,
    )
    assert result["per_example"]["id"] == ["a", "b", "c"]
    assert result["per_example"]["f1"] == [2 * 0.5 / 1.5, 1.0, 1.0]
    assert result["f1_low"] <= result["f1"] <= result["f1_high"]
    assert result["signature"].startswith("answer_match|norm:squad|")
    json.dumps(result)


@pytest.mark.parametrize("config, keys", [("squad", {"exact_match", "f1"}), ("squad_v2", {"exact", "HasAns_f1"})])
def test_counts_have_the_names_of_the_config(config, keys):
    result = AnswerMatch(config).compute(**rows("ab", PREDICTIONS[:2], REFERENCES[:2]), counts=True)
    assert keys <= result["counts"].keys() <= result.keys() and result["counts"]["f1"] == 2


def test_combine_and_save(tmp_path):
    both = evaluate.combine([AnswerMatch(), AnswerMatch("squad")])
    result = both.compute(predictions=PREDICTIONS[:2], references=REFERENCES[:2])
    assert result["answer_match_0_exact_match"] == 0.5
    assert result["answer_match_1_exact_match"] == 50.0
    evaluate.save(tmp_path, **result)
    assert json.loads(next(tmp_path.glob("*.json")).read_text("utf-8"))["answer_match_0_exact_match"] == 0.5


def test_pickle():
    metric = AnswerMatch("squad", normalizer="french")
    metric.add_batch(predictions=["l'avion"], references=[["avion"]])
    assert pickle.loads(pickle.dumps(metric)).compute() == {"exact_match": 100.0, "f1": 100.0}


def test_threads_share_one_metric():
    metric, wrong = AnswerMatch(), []

    def work(number):
        for step in range(40):
            hits = (number + step) % 5
            found = metric.compute(predictions=["x"] * hits + ["y"] * (5 - hits), references=[["x"]] * 5)
            if found["exact_match"] != hits / 5:
                wrong.append(found)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_writes_nothing(tmp_path):
    metric = AnswerMatch(cache_dir=str(tmp_path / "cache"))
    metric.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    metric.compute()
    assert not os.path.exists(tmp_path / "cache")


def test_numpy_in_numbers_out():
    result = AnswerMatch().compute(predictions=np.array(["a b", "c"]), references=[("b",), ("c",)])
    assert not any(isinstance(value, np.generic) or math.isnan(value) for value in result.values())


def test_features_document_the_config():
    assert set(AnswerMatch().features) == {"predictions", "references"}
    assert "no_answer_probability" in AnswerMatch("squad_v2").features["predictions"]
