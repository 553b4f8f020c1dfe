"""Columns in every container give equal Scores, in every family: lists, dicts by id, arrays, Arrow, frames, data sets.

And a plain string is the gold answer of its row, wherever gold answers are given; None as a prediction is missing.
"""

import functools
from collections import deque

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import qassay
from qassay.registry import FAMILIES

from .families import MODULES, every_module, same

CONTAINERS = {
    "tuple": tuple,
    "iterator": iter,
    "generator": lambda values: (value for value in values),
    "values of a dict": lambda values: dict(enumerate(values)).values(),
    "deque": deque,
    "series": lambda values: pd.Series(values, index=range(9, 9 + len(values))),
    "Arrow": pa.array,
    "chunked": lambda values: pa.chunked_array([pa.array(values)[:1], pa.array(values)[1:]]),
    "data set": lambda values: datasets.Dataset.from_dict({"column": values})["column"],
}


@every_module
def test_columns_of_every_container(module):
    metric = module.load()
    expected = module.score(ids=module.ids)
    summary = expected.summary()
    for name, made in CONTAINERS.items():
        columns = {side: made(column) for side, column in module.given.items()}
        assert qassay.score(module.metric, **columns, ids=made(module.ids), **module.options) == expected, name
        columns = {side: made(column) for side, column in module.given.items()}
        metric.add_batch(**columns)
        assert metric.compute() == summary, name


@every_module
def test_columns_are_matched_by_id(module):
    """Dicts on both sides in any order, and dicts or series of further columns."""
    count = len(module.ids)
    columns = {"weights": [*range(1, count + 1)], "groups": [f"g{row % 2}" for row in range(count)]}
    expected = module.load().compute(**module.given, ids=module.ids, per_example=True, **columns)
    sides = {name: dict(zip(module.ids, column, strict=True)) for name, column in module.given.items()}
    sides["predictions"] = dict(reversed(sides["predictions"].items()))
    metric = module.load()
    for form in (dict, pd.Series):
        others = {
            name: form(dict(reversed(list(zip(module.ids, values, strict=True))))) for name, values in columns.items()
        }
        for given in ({**module.given, "ids": module.ids}, sides):
            assert same(metric.compute(**given, **others, per_example=True), expected)
            metric.add_batch(**given, **others)
            assert same(metric.compute(per_example=True), expected)
    for ids in (module.ids[:1], module.ids[1:]):
        metric.add_batch(**{name: {i: side[i] for i in ids} for name, side in sides.items()})
    assert metric.compute() == module.score().summary()


@every_module
def test_series_of_one_index_in_another_order_are_refused(module):
    """Rows are matched by position: a frame that is shuffled as a whole stays together."""
    rows = len(module.ids)
    order, ids = [*range(1, rows), 0], [f"row {row}" for row in range(rows)]
    predictions = pd.Series(list(module.given["predictions"]), index=range(rows), dtype=object)
    references = pd.Series(list(module.given["references"]), index=order, dtype=object)
    metric, stream = module.load(), qassay.stream(module.metric, **module.options)
    score = functools.partial(qassay.score, module.metric, **module.options)
    for call in (score, stream.add, metric.compute):
        with pytest.raises(ValueError, match="index of predictions and the index of references .* row 0 is 0 and 1"):
            call(predictions=predictions, references=references)
    predictions.index = ids[::-1]
    for call in (score, metric.compute):
        with pytest.raises(ValueError, match="ids and the index of predictions"):
            call(predictions=predictions, references=module.given["references"], ids=ids)
    weights = [*range(1, rows + 1)]
    predictions.index = order
    given = {"predictions": predictions, "references": references}
    expected = module.score(weights=weights).summary()
    assert score(**given, weights=pd.Series(weights, index=order)).summary() == expected
    assert metric.compute(**given, weights=pd.Series(weights, index=order)) == expected


# --- a plain string as the gold answer --------------------------------------------------------------------------------

ANSWERS, PLAIN = ["in France", "Rome", "", "nine"], ["France", "Roma", "", "ten"]
LISTS = [["France"], ["Roma"], [], ["ten"]]
IDS = ["a", "b", "c", "d"]

# Family of answers -> its options, and the form of an answer and of gold answers.
OF_ANSWERS = {
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


def summary(family, *given, **options):
    return qassay.score(family, *given, **options).summary()


def test_every_family_that_scores_answers_is_here():
    texts = {name for name, of in FAMILIES.items() if "texts" in of.about.answers_are and of.scores_outputs}
    assert texts <= set(OF_ANSWERS) <= set(MODULES)


@pytest.mark.parametrize("family", OF_ANSWERS)
def test_strings_are_lists_of_one(family):
    options, answer, gold = OF_ANSWERS[family]
    answers, plain, lists = (list(map(of, texts)) for of, texts in ((answer, ANSWERS), (gold, PLAIN), (gold, LISTS)))
    expected = summary(family, answers, lists, **options)
    assert expected["total"] == (3 if family == "factoid_accuracy" else 4)  # which omits the one without
    assert summary(family, answers, plain, **options) == expected
    by_id = (dict(zip(IDS, column, strict=True)) for column in (answers, plain))
    assert summary(family, *by_id, **options) == expected
    metric, stream = qassay.load(family, **options), qassay.stream(family, **options)
    assert metric.compute(predictions=answers, references=plain) == expected
    for rows in (slice(0, 1), slice(1, 4)):
        metric.add_batch(predictions=answers[rows], references=plain[rows])
        stream.add(answers[rows], plain[rows])
    assert metric.compute() == stream.summary() == expected


def test_strings_in_rows_tasks_configs_files_and_pipelines(tmp_path):
    expected = summary("answer_match", ANSWERS, LISTS)
    rows = [{"id": name, "prediction_text": text} for name, text in zip(IDS, ANSWERS, strict=True)]
    gold = [{"id": name, "answers": text} for name, text in zip(IDS, PLAIN, strict=True)]
    assert summary("answer_match", rows, gold) == summary("answer_match", ANSWERS, np.array(PLAIN)) == expected
    for options in ({"preset": "drop"}, {"preset": "hotpotqa"}):
        given = ["a b", "nine"], ["a", "ten"]
        assert summary("answer_match", *given, **options) == summary(
            "answer_match", given[0], [["a"], ["ten"]], **options
        )
    ranked = [[text] for text in ANSWERS]
    both = (summary("answer_match", ranked, golds, top_k=(1, 2)) for golds in (LISTS, PLAIN))
    assert next(both) == next(both)
    metric = qassay.load("answer_match", "squad")
    assert metric.compute(predictions=["Rome", "x"], references=["Rome", "y"]) == {"exact_match": 50.0, "f1": 50.0}
    table = {"id": IDS, "prediction": ANSWERS, "gold": PLAIN}
    pd.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)
    (scores,) = qassay.score_files(str(tmp_path / "t.csv")).values()
    assert scores.summary() == expected
    rows = [{"question": text, "answers": gold} for text, gold in zip(ANSWERS, PLAIN, strict=True)]
    assert qassay.evaluate_pipeline(lambda text: text, rows, inputs="question").summary() == expected


# --- None as a prediction ---------------------------------------------------------------------------------------------


def test_none_as_a_prediction_is_missing():
    for family, options in (("answer_match", {}), ("semantic_answer_similarity", {"model": "lite"})):
        given = ["Rome", None, None], ["Rome", "x", ""]
        found = summary(family, *given, **options)
        assert (found["missing"], found["total"], found["no_answer_total"]) == (2, 3, 1)
        assert next(iter(found.values())) == pytest.approx(1 / 3)
        skipped = summary(family, *given, **options, missing="skip")
        assert {**skipped, "skipped": 0} == {**summary(family, ["Rome"], ["Rome"], **options), "skipped": 0}
        with pytest.raises(ValueError, match=r"references\[1\]"):
            summary(family, *given, **options, missing="error")
    by_id = summary("answer_match", {"a": None, "b": "x"}, {"a": "y", "b": "x"})
    assert (by_id["missing"], by_id["exact_match"]) == (1, 0.5)
    ranked = summary("answer_match", [["x"], None], ["x", "y"], top_k=1)
    assert (ranked["missing"], ranked["exact_match@1"]) == (1, 0.5)
    drop = summary("answer_match", ["x", None], ["x", "y"], preset="drop")
    assert (drop["missing"], drop["exact_match"]) == (1, 0.5)
    doubted = qassay.score("answer_match", ["x", None], ["x", ""], no_answer_probabilities=[0.1, 0.9])
    assert doubted.summary(["best_exact_match"]) == {"best_exact_match": 0.5}
