"""One table as the only column of `qassay.score`: its columns by their usual names, said where guessed."""

import warnings

import datasets
import pandas as pd
import pyarrow as pa
import pytest

import qassay

ROWS = {
    "id": ["a", "b", "c"],
    "prediction": ["x", "in Rome", None],
    "references": [["x"], ["Rome", "Roma"], []],
    "weight": [1.0, 2.0, 1.0],
    "lang": ["it", "fr", "it"],
}
QUESTIONS = {
    "question": ["a", "b"],
    "search_results": [["d1", "d2"], ["d3"]],
    "expected_ids": [["d2"], ["d3"]],
    "output": ["x", "y"],
    "target": [["x"], ["z"]],
}


def rows_of(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


MAKERS = {
    "Arrow": pa.table,
    "pandas": pd.DataFrame,
    "datasets": datasets.Dataset.from_dict,
    "columns": dict,
    "rows": rows_of,
    "arrays in cells": lambda columns: pa.table(columns).to_pandas(),
    "a reader": lambda columns: pa.table(columns).to_reader(),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_answers(make):
    expected = qassay.score(
        "answer_match", ROWS["prediction"], ROWS["references"], ROWS["id"], weights=ROWS["weight"], normalizer="french"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = qassay.score("answer_match", make(ROWS), normalizer="french")
    assert scores == expected and scores.summary(["missing"]) == {"missing": 1}


RANKED = {"query": ["x", "x"], "document": ["d", "e"], "s": [1.0, 2.0], "relevance": [1, 0]}
NAMED = {"a": ["x", "y"], "b": ["x", "x"], "c": ["z", "y"], "qid": [1, 2]}


@pytest.mark.parametrize(
    ("metric", "table", "columns", "expected"),
    [
        ("answer_match", QUESTIONS, None, {"exact_match": 0.5}),
        ("retrieval_ranking", QUESTIONS, None, {"mrr": 0.75}),
        ("retriever_reader", QUESTIONS, None, {"retriever_mrr": 0.75}),
        ("answer_match", NAMED, {"predictions": "a", "references": ["b", "c"], "ids": "qid"}, {"exact_match": 1.0}),
        ("label_metrics", {"prediction": ["a", "b"], "label": ["a", "a"]}, None, {"accuracy": 0.5}),
        ("average_precision", {"p": [0.1, 0.9], "y": [0, 1]}, {"predictions": "p", "references": "y"}, {"average_precision": 1.0}),
        ("retrieval_ranking", RANKED, {"score": "s"}, {"mrr": 0.5}),
    ],
)  # fmt: skip
def test_tables_of_every_kind(metric, table, columns, expected):
    for make in (pd.DataFrame, rows_of):
        scores = qassay.score(metric, make(table), columns=columns)
        assert scores.summary([*expected]) == expected
        assert "qid" not in table or list(scores.ids) == [1, 2]


WIDE = {"a": ["x"], "b": ["x"], "gold": ["x"]}
FRAME = pd.DataFrame(ROWS)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda score: score(pd.DataFrame({"a": ["x"], "b": ["y"]})), ValueError, r'columns=\{"references": "NAME"\}'),
        (lambda score: score(WIDE, columns={"predictions": ["a", "b"]}), ValueError, r"2 systems.* columns=\{'predictions': 'a'\}"),
        (lambda score: score(WIDE, columns={"predictions": "nope"}), ValueError, "there is no column 'nope'"),
        (lambda score: score(["x"], columns={"references": "gold"}), TypeError, "columns={...} needs one table"),
        (lambda score: score(["x"], ["x"], columns={"references": "gold"}), TypeError, "one table"),
        (lambda score: score(datasets.DatasetDict({"dev": datasets.Dataset.from_dict(WIDE)})), TypeError, r"data\['dev'\]"),
        (lambda score: score({"q1": "x"}), TypeError, "missing a required argument: 'references'"),
        (lambda score: score(datasets.Dataset.from_dict(ROWS).to_iterable_dataset()), TypeError, r"Dataset .*qassay\.stream"),
        (lambda score: score(FRAME, groups="lang"), TypeError, r"columns=\{'groups': 'lang'\}"),
        (lambda score: qassay.stream("answer_match").add(FRAME), TypeError, "'references'"),
        (lambda score: qassay.score_files(FRAME), TypeError, "path"),
    ],
)  # fmt: skip
def test_what_is_no_such_table_is_told(call, error, words):
    with pytest.raises(error, match=words):
        call(lambda *columns, **more: qassay.score("answer_match", *columns, **more))


TABLES = {
    "answer_match": {"id": ["a", "b", "c"], "gold": ["x", "y", "z"], "prediction": ["x", None, "z"]},
    "retrieval_ranking": {"id": [1, 2, 3], "retrieved_ids": [["d"], ["e"], []], "gold_ids": [["d"], ["f"], ["g"]]},
    "label_metrics": {"id": ["a", "b", "c"], "label": ["x", "y", "x"], "prediction": ["x", "x", "x"]},
}  # fmt: skip


@pytest.mark.parametrize("metric", TABLES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_groups_are_a_column_that_is_named(metric):
    table = {**TABLES[metric], "article": ["r", "s", "r"], "cluster": ["r", "r", "r"]}
    plain = qassay.score(metric, table)
    assert plain.groups is None  # a column with this name may be anything
    scores = qassay.score(metric, table, columns={"groups": "article"})
    assert scores.groups.listed() == ["r", "s", "r"] and scores.with_groups(None) == plain
    for wrong, told in (("articel", "did you mean 'article'"), ("cluster", "'r'"), (["article"], "groups")):
        with pytest.raises(ValueError, match=told):
            qassay.score(metric, table, columns={"groups": wrong})
    table["article"] = ["r", None, "s"]
    with pytest.raises(ValueError, match=r"article\[1\] \(id '?(b|2)'?\) is empty"):
        qassay.score(metric, table, columns={"groups": "article"})


def test_all_rows_of_a_query_have_one_group():
    table = {"query": ["q1", "q2", "q1"], "document": list("abc"), "score": [1.0, 2.0, 3.0], "label": [1, 1, 0]}
    scores = qassay.score("retrieval_ranking", {**table, "topic": ["r", "s", "r"]}, columns={"groups": "topic"})
    assert dict(zip(scores.ids, scores.groups.listed())) == {"q1": "r", "q2": "s"}
    with pytest.raises(ValueError, match="topic: the query 'q1' has 'r' and 't'; give all rows"):
        qassay.score("retrieval_ranking", {**table, "topic": ["r", "s", "t"]}, columns={"groups": "topic"})


def test_groups_of_several_runs_match_their_questions():
    rows = [
        {"id": f"q{place}", "prediction": "ab"[place % 2], "gold": "a", "seed": seed, "article": f"A{place // 2}"}
        for seed in (1, 2)
        for place in (range(6) if seed == 1 else reversed(range(6)))
    ]
    columns = {"run_id": "seed", "groups": "article"}
    found = qassay.score("answer_match", rows, columns=columns)
    assert dict(zip(found.ids, found.groups.listed(), strict=True)) == {f"q{n}": f"A{n // 2}" for n in range(6)}
    rows[7]["article"] = "A9"
    with pytest.raises(ValueError, match="article: the question 'q4' has 'A2' in the run 1 and 'A9' in the run 2"):
        qassay.score("answer_match", rows, columns=columns)
