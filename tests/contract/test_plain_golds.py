"""A plain string as the gold answer: one gold answer of its row, wherever gold answers are given; and None as a prediction."""

import json
import warnings
from collections import deque

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import qassay
from qassay.registry import FAMILIES

ANSWERS, PLAIN = ["in France", "Rome", "", "nine"], ["France", "Roma", "", "ten"]
LISTS = [["France"], ["Roma"], [], ["ten"]]
IDS = ["a", "b", "c", "d"]

# Family of answers -> its options, and the form of an answer and of gold answers.
FAMILIES_OF_ANSWERS = {
    "answer_match": ({}, lambda answer: answer, lambda gold: gold),
    "semantic_answer_similarity": ({"model": "lite"}, lambda answer: answer, lambda gold: gold),
    "answer_equivalence": ({}, lambda answer: answer, lambda gold: gold),
    "retriever_reader": (
        {},
        lambda answer: {"documents": ["d"], "answers": [{"text": answer} if answer else None]},
        lambda gold: {"documents": ["d"], "answers": gold},
    ),
    "factoid_accuracy": ({"missing": "skip"}, lambda answer: [answer] if answer else [], lambda gold: gold),
}


@pytest.fixture(params=FAMILIES_OF_ANSWERS)
def family(request):
    return request.param


def columns(family, golds):
    options, answer, gold = FAMILIES_OF_ANSWERS[family]
    return options, [answer(text) for text in ANSWERS], [gold(texts) for texts in golds]


def summary(family, *given, **options):
    return qassay.score(family, *given, **options).summary()


def test_every_family_that_scores_answers_is_here():
    texts = {
        name for name, family in FAMILIES.items() if "texts" in family.telling.answers_are and family.scores_outputs
    }
    assert texts <= set(FAMILIES_OF_ANSWERS)


@pytest.mark.parametrize("family", ["answer_match", "semantic_answer_similarity", "answer_equivalence"])
def test_an_empty_string_means_no_answer_and_in_a_list_an_empty_answer(family):
    options = FAMILIES_OF_ANSWERS[family][0]
    totals = [summary(family, ["a", ""], golds, **options) for golds in (["a", ""], [["a"], []], [["a"], [""]])]
    assert [found["no_answer_total"] for found in totals] == [1, 1, 0]
    assert [found["has_answer_total"] for found in totals] == [1, 1, 2]


def test_strings_are_lists_of_one(family):
    options, answers, plain = columns(family, PLAIN)
    _, _, lists = columns(family, LISTS)
    expected = summary(family, answers, lists, **options)
    assert expected["total"] == (3 if family == "factoid_accuracy" else 4)  # which omits the one without
    assert summary(family, answers, plain, **options) == expected
    by_id = (dict(zip(IDS, column, strict=True)) for column in (answers, plain))
    assert summary(family, *by_id, **options) == expected
    metric = qassay.load(family, **options)
    assert metric.compute(predictions=answers, references=plain) == expected
    metric.add_batch(predictions=answers[:3], references=plain[:3])
    metric.add(prediction=answers[3], reference=plain[3])
    assert metric.compute() == expected
    stream = qassay.stream(family, **options)
    for rows in (slice(0, 1), slice(1, 4)):
        stream.add(answers[rows], plain[rows])
    assert stream.summary() == expected


@pytest.mark.parametrize(
    "make", [tuple, deque, pd.Series, np.array, pa.array, pa.chunked_array, iter], ids=lambda make: make.__name__
)
def test_columns_of_libraries(make):
    expected = summary("answer_match", ANSWERS, LISTS)
    plain = make([PLAIN]) if make is pa.chunked_array else make(PLAIN)
    assert summary("answer_match", ANSWERS, plain) == expected


def test_columns_of_data_sets():
    rows = datasets.Dataset.from_dict({"answer": ANSWERS, "gold": PLAIN})
    assert summary("answer_match", rows["answer"], rows["gold"]) == summary("answer_match", ANSWERS, LISTS)


def test_squad_rows_tasks_and_configs():
    rows = [{"id": name, "prediction_text": text} for name, text in zip(IDS, ANSWERS, strict=True)]
    gold = [{"id": name, "answers": text} for name, text in zip(IDS, PLAIN, strict=True)]
    assert summary("answer_match", rows, gold) == summary("answer_match", ANSWERS, LISTS)
    for task in ("drop", "hotpotqa"):
        given = ["a b", "nine"], ["a", "ten"]
        assert summary("answer_match", *given, task=task) == summary(
            "answer_match", given[0], [["a"], ["ten"]], task=task
        )
    ranked = [[text] for text in ANSWERS]
    assert summary("answer_match", ranked, LISTS, top_k=(1, 2)) == summary(
        "answer_match", predictions=ranked, references=PLAIN, top_k=(1, 2)
    )
    with pytest.raises(TypeError, match="may be swapped"):
        qassay.score("answer_match", ranked, PLAIN)
    metric = qassay.load("answer_match", "squad")
    assert metric.compute(predictions=["Rome", "x"], references=["Rome", "y"]) == {"exact_match": 50.0, "f1": 50.0}


def test_files_and_pipelines(tmp_path):
    expected = summary("answer_match", ANSWERS, LISTS)
    table = {"id": IDS, "prediction": ANSWERS, "gold": PLAIN}
    pd.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)
    (scores,) = qassay.score_files(str(tmp_path / "t.csv")).values()
    assert scores.summary() == expected
    rows = [{"question": text, "answers": gold} for text, gold in zip(ANSWERS, PLAIN, strict=True)]
    found = qassay.evaluate_pipeline(lambda text: text, rows, inputs="question")
    assert found.summary() == expected


def test_combined_with_a_module_that_takes_strings(evaluate):
    class Same(evaluate.Metric):
        def _info(self):
            text = datasets.Value("string")
            features = datasets.Features({"predictions": text, "references": text})
            return evaluate.MetricInfo("d", "c", features, "h")

        def _compute(self, predictions, references):
            return {"same": np.mean([one == other for one, other in zip(predictions, references, strict=True)])}

    for metrics in ([qassay.load("answer_match"), Same()], [Same(), qassay.load("answer_match")]):
        found = evaluate.combine(metrics).compute(predictions=["Rome", "x"], references=["Rome", "y"])
        assert (found["same"], found["exact_match"], found["total"]) == (0.5, 0.5, 2)
        together = evaluate.combine(metrics)
        together.add_batch(predictions=["Rome"], references=["Rome"])
        together.add(prediction="x", reference="y")
        assert together.compute()["exact_match"] == 0.5


def test_none_as_a_prediction_is_missing():
    for family, options in (("answer_match", {}), ("semantic_answer_similarity", {"model": "lite"})):
        given = ["Rome", None, None], ["Rome", "x", ""]
        found = summary(family, *given, **options)
        assert (found["missing"], found["total"], found["no_answer_total"]) == (2, 3, 1)
        assert (
            list(found.values())[0] == pytest.approx(1 / 3)
            and next(v for k, v in found.items() if "no_answer" in k) == 0
        )
        assert summary(family, *given, **options, missing="skip") | {"skipped": 0} == summary(
            family, ["Rome"], ["Rome"], **options
        ) | {"skipped": 0}
        with pytest.raises(ValueError, match=r"references\[1\] has no prediction .2 in all.; predict every id"):
            summary(family, *given, **options, missing="error")
    by_id = summary("answer_match", {"a": None, "b": "x"}, {"a": "y", "b": "x"})
    assert (by_id["missing"], by_id["exact_match"]) == (1, 0.5)
    ranked = summary("answer_match", [["x"], None], ["x", "y"], top_k=1)
    assert (ranked["missing"], ranked["exact_match@1"]) == (1, 0.5)
    drop = summary("answer_match", ["x", None], ["x", "y"], task="drop")
    assert (drop["missing"], drop["exact_match"]) == (1, 0.5)
    spans = summary("answer_match", [(0, 1), None], [[(0, 1)], []], unit="offset")
    assert (spans["missing"], spans["no_answer_exact_match"]) == (0, 1.0)  # None is "no answer" there


def test_none_as_an_answer_with_entities_is_missing():
    given = [["Rome"], None, None], ["Rome", ["x"], "yes"]
    found = summary("factoid_accuracy", *given, question_types=["factoid", "list", "yesno"])
    assert [found[name] for name in ("mrr", "list_f1", "yesno_accuracy", "missing", "unanswered")] == [1, 0, 0, 2, 0]
    skipped = summary("factoid_accuracy", *given, missing="skip")
    assert (skipped["skipped"], skipped["total"], skipped["mrr"]) == (2, 1, 1)
    assert summary("factoid_accuracy", {"a": None}, {"a": "x"})["missing"] == 1
    metric = qassay.load("factoid_accuracy")
    assert metric.compute(predictions=given[0], references=given[1]) == summary("factoid_accuracy", *given)
    stream = qassay.stream("factoid_accuracy")
    stream.add(*given)
    assert stream.summary() == summary("factoid_accuracy", *given)


def test_none_with_no_answer_probabilities_is_worth_nothing():
    scores = qassay.score("answer_match", ["x", None], ["x", ""], no_answer_probabilities=[0.1, 0.9])
    assert scores.summary(["best_exact_match"]) == {"best_exact_match": 0.5}


def test_the_command_line_says_how_many_are_missing(tmp_path, capsys):
    from qassay.cli import main

    for name, content in (("g", {"a": ["x"], "b": ["y"]}), ("p", {"a": "x", "b": None})):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        main(["score", str(tmp_path / "g.json"), str(tmp_path / "p.json")])
    assert "1 without a prediction: scored 0" in "".join(capsys.readouterr())
