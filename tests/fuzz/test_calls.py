"""Calls with valid, nearly valid and hostile input: a result, or an error of the package's own that names what is wrong.

QASSAY_FUZZ=100000 makes as many calls instead of 240.
"""

import importlib
import os
import warnings
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import qassay

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(Path(__file__).resolve().parents[2] / "benchmarks")
    fuzz = importlib.import_module("fuzz_calls")
    hostile, cases = importlib.import_module("hostile_calls"), importlib.import_module("call_cases")
    forms = importlib.import_module("call_forms")
    VALUES, FAMILIES = hostile.hostile_values(), sorted(cases.MAKERS)

CASES = int(os.environ.get("QASSAY_FUZZ", "240"))
HUGE, LONGER, LONG = 10**400, 10**5000, "x" * 100_000  # Python refuses to write LONGER in digits
RUN, QRELS = (
    {"q1": {"d1": 0.9, "d2": 0.5, "d3": 0.1}, "q2": {"d1": 12.5, "d4": 9.25}},
    {"q1": {"d2": 1, "d9": 0}, "q2": {"d4": 1}},
)
MASKED = np.ma.masked_array([1, 2], [False, True])


@settings(max_examples=CASES, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(FAMILIES), st.integers(0, 2**32).map(Random))  # st.randoms would shrink, at ten times the cost
def test_random_calls(family, random):
    """A result, or one of our messages, whatever comes in; and the same numbers in any form of the same data."""
    shown = []
    try:
        fuzz.try_call(family, random, VALUES, shown)
    except fuzz.Defect as defect:
        pytest.fail(f"{defect}\n{shown[0] if shown else ''}")


@pytest.mark.thorough
@pytest.mark.parametrize("family", FAMILIES)
def test_every_option_and_column_with_every_hostile_value(family):
    """An option, a column, a row of it and a value in a row are each replaced."""
    options_class = qassay.registry.FAMILIES[family].load()[1]
    base = {"model": "lite"} if family == "semantic_answer_similarity" else {}
    for option, (name, make) in product(hostile.option_names(family), VALUES.items()):
        given = {**base, option: make()}
        if option not in ("model", "encoder") or not isinstance(given[option], str):
            print(f"{option}={name}")  # shown if this fails
            fuzz.outcome(lambda given=given: options_class(**given).signature())
    for column, depth, (name, make) in product(
        ("predictions", "references", "weights", "ids"), range(3), VALUES.items()
    ):
        call = forms.with_ids(cases.valid_call(family, Random(f"{family} {column} {depth}")))
        rows = call.columns.get(column)
        if isinstance(rows, list) or not depth:
            nested = depth == 2 and isinstance(rows[0], list) and rows[0]
            first = [make(), *rows[0][1:]] if nested else make()
            call.columns[column] = [first, *rows[1:]] if depth else first
            print(f"{column} at depth {depth} is {name}")
            fuzz.outcome(lambda call=call: fuzz.score(call))


def ranked(**options):
    return "retrieval_ranking", {"q": ["a"]}, {"q": ["a"]}, options


# metric, predictions, references, other columns and options, parts of the message
REFUSED = [
    ("answer_match", [["a"]], [["a"]], {"top_k": HUGE}, "top_k"),
    ("label_metrics", [[1]], [[1]], {"k": 2**40}, "option k"),
    ("average_precision", [1, HUGE], [True, False], {}, "predictions[1]"),
    ("retrieval_ranking", {"q": {"d": HUGE}}, {"q": {"d": 1}}, {}, "'d'", "'q'"),
    ("retrieval_ranking", {1: [LONGER]}, {1: [2]}, {}, "5001 digits"),
    ("factoid_accuracy", [[LONGER]], [["a"]], {}, "predictions[0][0]", "5001 digits"),
    ("answer_match", ["a", "b"], [["a"], ["b"]], {"weights": [1, LONGER]}, "weights[1]", "5001 digits"),
    # ranges without end
    ("answer_match", range(10**30), [["a"]], {}, "predictions"),
    ("label_metrics", ["a"], ["a"], {"labels": range(2**60)}, "option labels"),
    (*ranked(measures=range(10**30)), "measure"),
    # long values, which are cut in messages
    ("answer_match", ["a"], [["a"]], {"missing": LONG}, "missing"),
    ("answer_match", ["a", "b"], [["a"], ["b"]], {"ids": [LONG, LONG]}, "ids[1]"),
    # half of a surrogate pair in an option, which no signature could hold
    ("retriever_reader", [{"documents": ["d"], "answers": []}], [{"documents": ["d"], "answers": []}],
     {"document_field": "\ud800"}, "option document_field"),
    # masked values, which are gaps: they were scored as the numbers behind the mask
    ("label_metrics", MASKED, [1, 2], {}, "predictions[1]"),
    ("average_precision", [0.5, 0.1], np.ma.masked_array([1, 0], [0, 1]), {}, "references[1]"),
    # arrays without a dimension, which are not lists
    ("label_metrics", [np.array(3)], [[3]], {"task": "multi"}, "predictions[0]"),
    ("answer_match", ["a"], [np.array("b")], {"preset": "drop"}, "references[0]"),
    ("average_precision", [0.5, 1], [1, 3], {"pos_label": 0.5}, "option pos_label=0.5"),
    # swapped answers
    ("answer_match", [["Paris"]], ["Paris"], {}, "swapped"),
    # measures that may be two
    (*ranked(measures=["rbp.95"]), "rbp(p=0.95)", "rbp@95"),
    (*ranked(measures=["f1.5"]), "f1@5"),
    (*ranked(measures=["iprec.1"]), "iprec@0.1", "iprec@1"),
    (*ranked(measures=["ndcg@0.5"]), "integer"),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSED, ids=range(len(REFUSED)))
def test_calls_that_are_refused(case):
    metric, predictions, references, options, *parts = case
    with pytest.raises((TypeError, ValueError)) as caught:
        qassay.score(metric, predictions, references, **options)
    fuzz.check_error(caught.value)
    message = str(caught.value)
    assert len(message) < 1000 and all(part in message for part in parts)


@pytest.mark.parametrize("text", ["\ud800", "\x00"])
def test_odd_texts_are_texts_ids_and_labels(text):
    assert qassay.score("answer_match", {text: text}, {text: [text]})["f1"] == 1
    assert qassay.score("label_metrics", [text], [text], per_class=True)["accuracy"] == 1
    assert qassay.score("retrieval_ranking", {text: [text]}, {text: [text]})["mrr"] == 1


def test_a_swapped_run_is_reported_and_a_right_one_is_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        right = qassay.score("retrieval_ranking", RUN, QRELS).summary()
        assert qassay.score("retrieval_ranking", run=RUN, qrels=QRELS).summary() == right
        for run, qrels in (
            ({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 0.33, "b": 0.67, "c": 1.0}}),  # ranks as scores
            ({"q": {"a": 0.5, "b": 0.25}}, {"q": {"a": 0.9, "b": 0.4}}),  # relevance of a model
            ({"q": {"a": 2, "b": 2}}, {"q": {"a": 100, "b": 100, "c": 50}}),  # percentages
        ):
            qassay.score("retrieval_ranking", run, qrels)
    with pytest.warns(UserWarning, match=r"run=\.\.\., qrels=") as told:
        qassay.score("retrieval_ranking", QRELS, RUN)
    assert Path(told[0].filename) == Path(__file__)
