"""One example by `qassay.scorer` has the values that `qassay.score` has for it among others, in every family and on
both paths.
"""

import dataclasses
import math
import pickle

import numpy as np
import pytest

import qassay
from qassay.core.errors import NothingToScore

from .families import CASES

SCORED = {
    name: case for name, case in CASES.items() if not name.startswith("curve")
}  # curves are of all examples together
SCORED["sets of labels"] = dataclasses.replace(
    SCORED["sets of labels"], options={"task": "multi", "labels": ["cat", "dog", "fox"]}
)
every_case = pytest.mark.parametrize("case", SCORED.values(), ids=SCORED)


@every_case
def test_an_example_scores_alone_as_among_others(case, rows_by_columns):
    predictions, golds = [row[0] for row in case.rows], [row[2] for row in case.rows]
    predictions, golds = predictions + [row[1] for row in case.rows], golds * 2
    found = rows_by_columns(case.metric, case.options, predictions, golds)
    scorer = qassay.scorer(case.metric, **case.options)
    assert [scorer(prediction, gold) for prediction, gold in zip(predictions, golds, strict=True)] == found
    assert scorer.many(predictions, golds) == found and any(found)
    assert {name for row in found for name in row} <= {*scorer.names}
    again = pickle.loads(pickle.dumps(scorer))
    assert again(predictions[0], golds[0]) == found[0] and (again.metric, again.options) == (
        case.metric,
        scorer.options,
    )
    assert scorer.signature in repr(scorer) and scorer.signature == scorer.options.signature()
    assert all(type(value) is float for row in found for value in row.values())


ODD = [
    object(), None, "", "a", "yes", 3, 0.5, math.nan, [], {}, ["a", "a"], [["a"]], [None], [1], ("a",), {"a"}, {"a": 1},
    {"a": "0.5"}, {"a": math.nan}, {1: 0.5}, np.array(["a", "b"]), {"query": 1, "document": 2, "relevance": 1}, [object()],
]  # fmt: skip


@every_case
def test_odd_examples_have_the_values_or_the_error_of_columns(case, by_columns):
    prediction, _, gold = case.rows[0]
    scorer = qassay.scorer(case.metric, **case.options)
    for bad in (*((odd, gold) for odd in ODD), *((prediction, odd) for odd in ODD if odd is not None)):
        try:
            right = by_columns(case.metric, case.options, *bad)
        except NothingToScore:  # a missing prediction that is omitted
            assert scorer(*bad) == {}
        except (TypeError, ValueError) as error:
            with pytest.raises(type(error)) as caught:
                scorer(*bad)
            assert without_addresses(caught.value) == without_addresses(error)
        else:
            assert scorer(*bad) == pytest.approx(right, nan_ok=True), bad
    with pytest.raises(TypeError, match=rf"{case.metric} has no column 'normalizr'"):
        scorer(prediction, gold, normalizr="squad")


def without_addresses(error):
    return str(error).partition(" object at 0x")[0]


def test_many_rows():
    scorer = qassay.scorer("answer_match")
    assert [row["f1"] for row in scorer.many(["a", "b", ""], ["a", ["c", "b"], ["d"]])] == [1.0, 1.0, 0.0]
    for predictions, golds, named in (
        (["a", "b", 3], [["a"], ["b"], ["c"]], r"predictions\[2\]"),
        (["a", "b"], [["a"], 3], r"references\[1\]"),
        ({"q1": "Lyon"}, {"q1": ["Paris"]}, "predictions must be a column"),
        (["R", "R"], "RR", "golds must be a column"),
        (None, [["a"]], "predictions must be a column"),
        (["a"], [["a"], ["b"]], "different lengths: predictions 1, golds 2"),
    ):
        with pytest.raises(ValueError, match=named):
            scorer.many(predictions, golds)
    assert [row["f1"] for row in scorer.many(np.array(["a", "b"]), (gold for gold in (["a"], ["c"])))] == [1, 0]
    skipping = qassay.scorer("answer_match", missing="skip")
    assert [row.get("f1") for row in skipping.many(["a", None], [["a"], ["b"]])] == [1, None]
    assert skipping.many([None], [["b"]]) == [{}] and skipping(None, ["b"]) == {}
    assert scorer.many([], []) == qassay.scorer("retriever_reader").many([], []) == []


def test_further_columns():
    scorer = qassay.scorer("answer_match", no_answer_threshold=0.5)
    found = [scorer("Rome", ["Rome"], no_answer_probabilities=doubt)["f1"] for doubt in (0.2, 0.7)]
    assert found == [1.0, 0.0]
    assert [row["f1"] for row in scorer.many(["Rome"] * 2, [["Rome"]] * 2, no_answer_probabilities=[0.2, 0.7])] == found
    with pytest.raises(ValueError, match="no_answer_threshold needs no_answer_probabilities"):
        scorer("Rome", ["Rome"])


def test_a_further_column_that_is_none_is_not_given():
    scorer = qassay.scorer("answer_equivalence")
    assert scorer("Rome", ["Rome"], questions=None) == scorer("Rome", ["Rome"])
    with pytest.raises(ValueError, match=r"question_types\[0\] must be str, got list"):
        qassay.scorer("factoid_accuracy")(["a"], ["a"], question_types=[["factoid"]])
