"""Verdicts as numbers: words, missing verdicts, layouts, and refused input."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import qassay

CLAIM_FIELDS = ("answer2response", "response2answer", "retrieved2response", "retrieved2answer")
NOISE = ("noise_sensitivity_in_relevant", "noise_sensitivity_in_irrelevant")
CITING = {"citations": [1, 2], "entailed": True, "alone": [True, False], "without": [False, True]}


def score(*columns, **options):
    if len(columns) == 1:
        options["predictions"], columns = columns[0], ()
    return qassay.score("claim_support", *columns, **options)


def column(name, *columns, **options):
    return [None if math.isnan(value) else value for value in score(*columns, **options).columns[name].tolist()]


# --- words ------------------------------------------------------------------------------------------------------------


def test_words_in_any_spelling_are_the_same_verdict():
    words = [
        ["Support", "not support", "PARTIAL-SUPPORT", True, 0, 0.5, "yes", "supported", np.bool_(True), np.int64(0)]
    ]
    vital = [["vital", "Vital", True, 1, "yes", "okay", "OK", "no", False, "failed"]]
    scores = score(words, vital)
    assert scores.columns["vital_score"].tolist() == [(1 + 0 + 0.5 + 1 + 0) / 5]
    assert scores.columns["strict_all_score"].tolist() == [5 / 10]
    grades = ["CORRECT", "a", True, "Incorrect", "B", False, "NOT_ATTEMPTED", "not attempted", "C"]
    assert score(grades, task="grades").summary(["correct", "incorrect", "not_attempted"]) == dict.fromkeys(
        ("correct", "incorrect", "not_attempted"), 1 / 3
    )


@pytest.mark.parametrize(
    "task, verdicts, golds, named",
    [
        ("nuggets", [[0.7]], [["vital"]], "0.7"),
        ("nuggets", [[{"text": "a"}]], [["vital"]], "'assignment'"),
        ("nuggets", [["support"]], [["vital", "okay"]], "1 verdicts.* 2 nuggets"),
        ("nuggets", [[{"text": "b", "assignment": 1}]], [[{"text": "a", "importance": 1}]], "'b'.* 'a'"),
        ("nuggets", [[{"importance": "okay", "assignment": 1}]], [["vital"]], "'okay'"),
        ("claims", [{"answer2response": ["partial_support"]}], None, ": entailment, entailed, neutral"),
        ("claims", [{"answer2response": [1], "retrieved2response": []}], None, "answer2response 1, "),
        ("claims", [{"retrieved2response": [[1], [1, 0]]}], None, "1 and of 2"),
        ("claims", [{"response2answer": [1]}], [["a", "b"]], "response2answer 1, the references 2"),
        ("citations", [[{"citations": [-1]}]], None, "-1"),
        ("citations", [[{**CITING, "alone": [True]}]], None, r"\['alone'\].* 1 .* 2 "),
        ("citations", [{"docs": 2}], None, "'statements'"),
        ("grades", ["CORRECT", "correct?"], None, r"predictions\[1\] is 'correct\?'.*: correct, incorrect, not_a"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(task, verdicts, golds, named):
    with pytest.raises((TypeError, ValueError), match=named):
        score(predictions=verdicts, references=golds, task=task)


# --- missing verdicts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("none", [None, float("nan"), "failed", pd.NA])
def test_a_missing_verdict_is_not_a_no(none):
    verdicts, golds = [["support", none], [none], ["not_support", "support"]], [["okay"] * 2, ["okay"], ["okay"] * 2]
    scores = score(verdicts, golds)
    assert column("all_score", verdicts, golds) == [1.0, None, 0.5]
    assert scores.summary(["all_score", "total", "unjudged", "unjudged_verdicts", "verdicts"]) == {
        "all_score": 0.75, "total": 3, "unjudged": 2, "unjudged_verdicts": 2, "verdicts": 5,
    }  # fmt: skip
    assert column("all_score", verdicts, golds, unjudged="zero") == [0.5, 0.0, 0.5]
    assert score(verdicts, golds, unjudged="zero")["unjudged_verdicts"] == 2
    with pytest.raises(ValueError, match=r"predictions\[0\]\[1\].* unjudged="):
        score(verdicts, golds, unjudged="error")


def test_a_field_that_is_missing_says_nothing():
    rows = [{"answer2response": [True, False]}, {"answer2response": None, "response2answer": [True]}]
    scores = score(rows, task="claims")
    assert column("precision", rows, task="claims") == [0.5, None] and column("recall", rows, task="claims") == [
        None,
        1.0,
    ]
    assert (scores.counts()["precision"], scores.counts()["faithfulness"], scores.counts()["f1"]) == (1, 0, 0)
    assert scores.subsets["unjudged"].tolist() == [False, True]  # null is a missing verdict
    assert column("precision", rows, task="claims", unjudged="zero") == [0.5, None]
    with pytest.raises(ValueError, match=r"^predictions\[1\]\['answer2response'\] has no verdict"):
        score(rows, task="claims", unjudged="error")


def test_what_a_missing_verdict_could_change_is_not_known():
    """A value is NaN unless all completions of the missing verdicts give the same value (one claim, two documents)."""
    every = list(itertools.product((0, 1, None), repeat=6))
    rows = [
        dict(zip(CLAIM_FIELDS, ([right], [recalled], [documents[:2]], [documents[2:]]), strict=True))
        for right, recalled, *documents in every
    ]
    scores = score(rows, task="claims")
    for name in (*NOISE, "precision", "recall", "hallucination", "self_knowledge", "faithfulness", "claim_recall"):
        values = dict(zip(every, scores.columns[name].tolist(), strict=True))
        assert 0 < np.isnan(scores.columns[name]).sum() < len(every) and set(values.values()) >= {0, 1}
        for cells, value in values.items():
            known = itertools.product(*((0, 1) if cell is None else (cell,) for cell in cells))
            assert math.isnan(value) or {values[filled] for filled in known} == {value}, (cells, name)


def test_a_citation_whose_need_is_not_known():
    for alone, without, expected in (
        (True, None, 1.0), (None, False, 1.0), (False, True, 0.0), (False, None, None), (None, True, None), (None, None, None),
    ):  # fmt: skip
        statement = {"citations": [4, 4], "entailed": True, "alone": [alone] * 2, "without": [without] * 2}
        assert column("citation_precision", [[statement]], task="citations") == [expected]
        assert score([[statement]], task="citations")["unjudged_verdicts"] == (2 if expected is None else 0)
        zero = column("citation_precision", [[statement]], task="citations", unjudged="zero")
        assert zero == [expected or 0.0]
    bare = [[{"citations": [1, 2], "entailed": None}, {"citations": [3], "entailed": True}]]
    assert (
        column("citation_recall", bare, task="citations")
        == column("citation_precision", bare, task="citations")
        == [1.0]
    )
    assert column("citation_precision", bare, task="citations", unjudged="zero") == [1 / 3]


def test_a_citation_beyond_the_documents_supports_nothing_and_is_not_counted():
    statements = [CITING, {"citations": [1, 3], "entailed": True}]
    for docs, recall, precision in ((None, 1.0, 0.5), (2, 0.5, 0.5), (["a", "b"], 0.5, 0.5)):
        scores = score([{"docs": docs, "statements": statements}], task="citations")
        assert (scores["citation_recall"], scores["citation_precision"]) == (recall, precision)


# --- layouts ----------------------------------------------------------------------------------------------------------


def test_predictions_that_say_the_importance_need_no_references():
    nuggets = [[{"text": "a", "importance": "vital", "assignment": "support"}], [], None]
    found = score(nuggets).summary()
    assert (found["vital_score"], found["total"], found["skipped"]) == (0.5, 2, 1)
    with pytest.raises(ValueError, match="references"):
        score(predictions=[[{"assignment": "support"}]])


def test_kinds_of_errors():
    kinds = qassay.registry.get_family("claim_support").about.errors
    nuggets = {"1": ["support"], "2": ["partial_support"], "3": ["not_support"], "4": [], "5": [None]}
    golds = {**{name: ["vital"] * len(row) for name, row in nuggets.items()}, "6": ["okay"]}
    assert kinds.of(score(nuggets, golds, missing="zero")) == [
        "supported", "partly supported", "not supported", "nothing to judge", "no verdict", "no prediction",
    ]  # fmt: skip
    assert kinds.of(score(["A", "B", "C"], task="grades")) == ["supported", "not supported", "not attempted"]
