"""Calls of the Python API with valid, nearly valid and hostile input, and what such calls once did."""

import decimal
import importlib
import inspect
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import qassay

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"
HUGE = 10**400
LONGER = 10**5000  # Python refuses to write it in digits
SURROGATES = ("\ud800", "a\udfff b", "\x00")


def _script(name: str):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        return importlib.import_module(name)


cases, fuzz = _script("call_cases"), _script("fuzz_calls")
forms, hostile = _script("call_forms"), _script("hostile_calls")
VALUES = hostile.hostile_values()
FAMILIES = sorted(cases.MAKERS)
N_COLUMNS = len(inspect.signature(qassay.registry.FAMILIES["label_metrics"].load()[0]).parameters) - 1

quick = settings(
    max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)


def refused(function: Callable, *parts: str) -> None:
    """Check that a call raises an error of the package's own with these parts, of which "^" stands before the first."""
    with pytest.raises((TypeError, ValueError)) as caught:
        function()
    fuzz.check_error(caught.value)
    message = str(caught.value)
    assert len(message) < 1000
    for part in parts:
        assert part in f"^{message}"


# --- random calls ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_random_calls(family):
    """A result, or one of our messages, whatever comes in; and the same numbers in any form of the same data."""
    fuzz.module_of(family)  # loaded before the clock runs

    @quick
    @given(st.integers(0, 2**32).map(Random))  # st.randoms would shrink, at ten times the cost of a call
    def try_one(random):
        shown = []
        try:
            fuzz.try_call(family, random, VALUES, shown)
        except fuzz.Defect as defect:
            pytest.fail(f"{defect}\n{shown[0] if shown else ''}")

    try_one()


def hostile_values(part: int, of: int):
    """Name -> maker, for every n-th hostile value; the start depends on the part."""
    return [value for place, value in enumerate(VALUES.items()) if (place + part) % of == 0]


# By default each option, column and depth meets a third of the values, and so each value a third of those.
every_third = pytest.mark.parametrize("of", [3, pytest.param(1, marks=pytest.mark.thorough)], ids=["some", "all"])


@every_third
@pytest.mark.parametrize("family", FAMILIES)
def test_every_option_with_every_hostile_value(family, of):
    """The options of a family are made or refused by a message that names the option."""
    options_class = qassay.registry.FAMILIES[family].load()[1]
    base = {"model": "lite"} if family == "semantic_answer_similarity" else {}
    accepted = 0
    for part, option in enumerate(hostile.option_names(family)):
        for name, make in hostile_values(part, of):
            value = make()
            if option in ("model", "encoder") and isinstance(value, str):
                continue
            try:
                options_class(**{**base, option: value}).signature()
            except Exception as error:  # noqa: BLE001 - all kinds are to be seen
                try:
                    fuzz.check_error(error)
                except fuzz.Defect as defect:
                    pytest.fail(f"{option}={name}: {defect}")
            else:
                accepted += 1
    # None, where it is the default, and more; all options of claim_support except preset have a few allowed words.
    assert accepted > len(hostile.option_names(family)) / of or family == "claim_support" and accepted <= 1


@every_third
@pytest.mark.parametrize("family", FAMILIES)
def test_every_column_with_every_hostile_value(family, of):
    """A column, a row of it and a value in a row are each replaced."""
    for part, column in enumerate(("predictions", "references", "weights", "ids")):
        for depth in range(3):
            for name, make in hostile_values(part + depth, of):
                call = forms.with_ids(cases.valid_call(family, Random(f"{family} {column} {depth}")))
                if isinstance(call.columns.get(column), list) and depth:
                    rows = list(call.columns[column])
                    nested = depth == 2 and isinstance(rows[0], list) and rows[0]
                    rows[0] = [make(), *rows[0][1:]] if nested else make()
                    call.columns[column] = rows
                elif depth:
                    continue
                else:
                    call.columns[column] = make()
                try:
                    fuzz.outcome(lambda call=call: fuzz.score(call))
                except fuzz.Defect as defect:
                    pytest.fail(f"{column} at depth {depth} is {name}: {defect}\n{call}")


def test_a_foreign_error_is_seen():
    """The fuzz finds errors raised by a function of another library below the package."""
    scores = qassay.score("answer_match", ["a"], [["a"]])

    class Options(type(scores.options)):
        def __post_init__(self):
            raise KeyError("x")

    for function in (lambda: int("x"), lambda: np.zeros(3).reshape(2), lambda: {}["x"], lambda: Options()):
        with pytest.raises(fuzz.Defect):
            fuzz.outcome(function)


# --- huge numbers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [2**70, HUGE, LONGER], ids=["2**70", "400 digits", "5000 digits"])
def test_huge_labels_and_ids_are_names_like_others(number):
    found = qassay.score("label_metrics", [number, 1, number], [number, 1, 1], ids=[number, 7, -number], per_class=True)
    assert found.summary(["accuracy"]) == {"accuracy": 2 / 3}
    assert found.options.signature().startswith("label_metrics|task:single|labels:found|")
    named = qassay.score("label_metrics", [1, 5], [1, 1], labels=[number, 1, 5])
    assert named.summary(["accuracy"]) == {"accuracy": 0.5}
    sets = qassay.score("label_metrics", [[number, 1]], [[number]], task="multi")
    assert sets.summary(["micro_recall"]) == {"micro_recall": 1.0}
    assert qassay.score("retrieval_ranking", {2**70: [HUGE]}, {2**70: [HUGE]}).summary(["mrr"]) == {"mrr": 1.0}
    scored = qassay.score("average_precision", [{number: 0.5, 1: 0.1}], [number], per_class=True)
    assert scored.summary(["map"]) == {"map": 0.5}


def test_huge_numbers_of_drop():
    """As text Python's float reads it as infinity, in the official script as here."""
    gold = [[{"number": HUGE}], [{"number": str(HUGE)}]]
    found = qassay.score("answer_match", [str(HUGE), "1"], gold, task="drop")
    assert found.columns["exact_match"].tolist() == [1.0, 0.0]


def test_labels_of_slices_that_have_no_hash_are_not_names_of_subsets():
    """The labels were looked for among the names of subsets: TypeError of Python."""
    scores = qassay.score("answer_match", ["a", "b"], [["a"], ["c"]])
    for by in (pa.array([["x"], ["y"]]), np.array([[1, 2], [3, 4]])):
        found = qassay.compare({"a": scores, "b": scores}, by=by, n_permutations=10, n_resamples=10)
        assert len(found.differences) > 0


# --- calls that are refused -------------------------------------------------------------------------------------------


def call(family, *columns, **others) -> Callable:
    return lambda: qassay.score(family, *columns, **others)


def ranked(**others) -> Callable:
    return call("retrieval_ranking", {"q": ["a"]}, {"q": ["a"]}, **others)


def unclear(name, *parts):
    """A name of a measure that is refused, and what may be meant."""
    return ranked(measures=[name]), *parts


ONE = qassay.score("answer_match", ["a", "b"], [["a"], ["c"]])
LONG = "x" * 100_000
TABLE, GOLD_TABLE = {"query": ["q"], "document": ["a"]}, {"query": ["q"], "document": ["a"], "relevance": [1]}
SQUAD_GOLD = [{"id": "a", "answers": {"text": ["x"], "answer_start": [0]}}]
MASKED, MASKED_MATRIX = np.ma.masked_array([1, 2], [False, True]), np.ma.masked_array([[1, 0]], [[1, 0]])
GAP = pa.array([None], pa.list_(pa.list_(pa.float64())))[0]
NO_CHOICES = [
    pd.NA, pd.NaT, pd.Series([1, 2]), pd.DataFrame({"a": [1]}), np.array([1, 2]), {1}, b"a", decimal.Decimal("sNaN"), ...,
]  # fmt: skip
FLAGS = [
    ("answer_match", "missing"), ("label_metrics", "task"), ("retrieval_ranking", "preset"), ("average_precision", "style"),
    ("retriever_reader", "open_domain"), ("factoid_accuracy", "phase"), ("retrieval_ranking", "ap_denominator"),
    ("semantic_answer_similarity", "raw"),
]  # fmt: skip


HUGE_OPTIONS = [
    ("answer_match", "top_k", {}),
    ("answer_match", "no_answer_threshold", {}),
    ("factoid_accuracy", "top_k", {}),
    ("factoid_accuracy", "version", {}),
    ("label_metrics", "k", {"task": "ranked"}),
    ("label_metrics", "labels", {}),
    ("label_metrics", "n_train", {"label_counts": {"a": 1}}),
    ("label_metrics", "A", {"label_counts": {"a": 1}, "n_train": 9}),
    ("average_precision", "max_detections", {"task": "boxes"}),
    ("average_precision", "labels", {}),
    ("retrieval_ranking", "ap_denominator", {}),
    ("retriever_reader", "top_k", {}),
    ("semantic_answer_similarity", "batch_size", {"model": "lite"}),
    ("semantic_answer_similarity", "thresholds", {"model": "lite"}),
]


def option(family, name, value, **others) -> Callable:
    others |= {"model": "lite"} if family == "semantic_answer_similarity" else {}
    return lambda: qassay.registry.FAMILIES[family].load()[1].from_keywords(**others, **{name: value})


# A call, and parts of its message.
REFUSED = [
    # huge numbers
    *(
        (option(family, name, number, **others), name.removeprefix("ap_"))
        for family, name, others in HUGE_OPTIONS
        for number in (2**63, HUGE, LONGER)
        if (name, number) != ("no_answer_threshold", 2**63)  # which is above every probability
    ),
    # half of a surrogate pair in an option, which no signature could hold
    *(
        (option("retriever_reader", name, "\ud800"), f"option {name} has half of a surrogate pair")
        for name in ("document_field", "document_node", "answer_node")
    ),
    # a long name in a message
    (lambda: qassay.score("retriever_reader", [{"documents": ["d"], "answers": []}],
                          [{"documents": [b"a"], "answers": []}], document_field="9" * 5000), "999", "in its 'meta'"),
    (lambda: qassay.score("retriever_reader", [{"reader": {"answers": []}, "retriever": {"documents": []}}],
                          [{"documents": ["d"], "answers": []}], answer_node="9" * 5000), "999", "(nodes with answers"),
    (lambda: ONE.interval(n_resamples=2**40), "n_resamples", "at most 10,000,000"),
    (lambda: ONE.interval(seed=LONGER), "seed", "below 2**1024"),
    (lambda: qassay.compare({"a": ONE, "b": ONE}, n_permutations=LONGER), "n_permutations", "5001 digits"),
    (lambda: qassay.score("answer_match", ["a"], [["b"]], [LONGER]).to_arrow(),
     "^id: a number of 5001 digits is too long to be written; give it as a string"),
    (call("label_metrics", [[7]], [[LONGER]], inverse_propensities={7: 1.5}), "inverse_propensities", "5001 digits"),
    (call("label_metrics", [{LONGER: "x"}], [[7]]), "predictions[0]", "label a number of 5001 digits"),
    (call("retrieval_ranking", {1: [LONGER]}, {1: [2]}), "5001 digits", "as strings"),
    (call("retrieval_ranking", {LONGER: ["a"]}, {1: ["a"]}), "5001 digits"),
    (call("retrieval_ranking", {**TABLE, "query": [2**70], "score": [1.0]}, {**GOLD_TABLE, "query": [1]}), "64 bits"),
    (call("retrieval_ranking", {"q": {"d": HUGE}}, {"q": {"d": 1}}), "'d'", "'q'"),
    (call("retrieval_ranking", {"q": {"d": 1}}, {"q": {"d": HUGE}}), "'d'", "'q'"),
    (call("average_precision", [1, HUGE], [True, False]), "predictions[1]"),
    (call("average_precision", [{"boxes": [], pd.NA: []}], [{"boxes": []}], task="boxes"), "predictions[0]", "<NA>"),
    (call("answer_match", ["1"], [[{"number": LONGER}]], task="drop"), "references[0]", "5001 digits"),
    (call("factoid_accuracy", [[LONGER]], [["a"]]), "predictions[0][0]", "5001 digits"),
    *(
        (call("answer_match", ["a", "b"], [["a"], ["b"]], **{column: [1, LONGER]}), f"{column}[1]", "5001 digits")
        for column in ("weights", "no_answer_probabilities")
    ),
    (call("label_metrics", [[1]], [[1]], k=2**40), "option k", "at most 1,000,000"),
    (call("label_metrics", [[2**70]], [[7]], task="ranked", inverse_propensities=[1.0, 2.0]),
     "^option inverse_propensities has 2 numbers and so none for label"),
    (call("label_metrics", [[7, 2**70]], [[2**70]], task="ranked", inverse_propensities=[1.0] * 9),
     "^option inverse_propensities has 9 numbers and so none for label 1180591620717411303424"),
    # ranges without end
    *(
        refusal
        for rows in (range(10**30), range(2**60))
        for refusal in (
            (call("answer_match", rows, [["a"]]), "predictions"),
            (ranked(measures=rows), "measure"),
            (call("label_metrics", ["a"], ["a"], labels=rows), "option labels"),
            (call("answer_match", [["a"]], [["a"]], top_k=rows), "top_k"),
        )
    ),
    # options: every value with one option, and every option with one value
    *((option(*FLAGS[place % len(FLAGS)], value), FLAGS[place % len(FLAGS)][1].removeprefix("ap_"))
      for place, value in enumerate(NO_CHOICES)),
    *((call("average_precision", [0.5, 0.1], [1, 0], pos_label=label), "option pos_label")
      for label in (math.inf, -math.inf, math.nan, 1j, HUGE, pd.NA)),
    (call("average_precision", [0.5, 1], [1, 3], pos_label=0.5), "option pos_label=0.5 is not a class"),
    *((call("answer_match", ["a"], [["b"]], no_answer_probabilities=[0.5], no_answer_threshold=threshold), "no_answer_threshold")
      for threshold in (1j, np.complex128(1j), np.array(1j))),
    (call("answer_match", ["a"], [["a"]], task="drop", top_k=np.array([])), "top_k"),
    # long values, which are cut in messages
    (call("answer_match", ["a"], [["a"]], missing=LONG),),
    (call("answer_match", ["a"], [["a"]], normalizer=LONG),),
    (call("factoid_accuracy", [["a"]], [["a"]], question_types=[LONG]),),
    (lambda: qassay.score("answer_match", ["a"], [["a"]]).summary([LONG]),),
    (call("answer_match", ["a", "b"], [["a"], ["b"]], ids=[LONG, LONG]),),
    (call("average_precision", [{LONG: 0.5}, {"a": 0.5}], ["a", "a"]),),
    # lone surrogates
    *((call("answer_match", {text: "a", "b": 1}, {text: ["a"], "b": ["b"]}), "predictions") for text in SURROGATES),
    (call("retrieval_ranking", {"query": ["q", "q"], "document": ["a", "\ud800"], "score": [2.0, 1.0]}, GOLD_TABLE),
     "predictions['document'][1]", "\\ud800"),
    # what Scores do not answer
    (lambda: ONE.summary(3), "names must be a list"),
    (lambda: ONE.summary([["f1"]]), "no measure"),
    (lambda: ONE.subset([[1], [2, 3]]), "a mask"),
    (lambda: ONE.result(per_example=np.array([True, False])), "option per_example"),
    (lambda: qassay.Scores.concat([ONE, 1]), "part 1 must be a Scores"),
    (lambda: qassay.Scores.concat(3), "parts"),
    (lambda: qassay.compare({"a": ONE, "b": ONE}, by=3), "by"),
    (lambda: qassay.compare({"a": ONE, "b": ONE}, by=[3]), "by"),
    # columns that are missing or too many
    (call("answer_match", ["a"]), "references missing", "predictions, references, ids"),
    (call("answer_match", references=[["a"]]), "predictions missing"),
    (call("answer_match", ["a"], [["a"]], predictions=["a"]), "predictions", "twice"),
    (call("label_metrics", *[["a"]] * 9), f"{N_COLUMNS} columns", "got 9"),
    # masked values, which are gaps: they were scored as the numbers behind the mask
    (call("label_metrics", MASKED, [1, 2]), "predictions[1]", "None"),
    (call("average_precision", MASKED, [1, 0]), "predictions[1]", "None"),
    (call("average_precision", [0.5, 0.1], np.ma.masked_array([1, 0], [0, 1])), "references[1]"),
    (call("label_metrics", MASKED_MATRIX, MASKED_MATRIX, task="multi"), "predictions", "masked"),
    # of a class that has a hash, and without one: this ended in StopIteration
    (call("retrieval_ranking", [[np.void(b"ab")]], [["a"]]), "^predictions: a document of query 0 is", "give ids"),
    (call("answer_match", [np.float32(0.25)], [[(9, 18)]], top_k=[2], unit="offset"), "predictions[0]"),
    # arrays without a dimension, which are not lists
    (call("label_metrics", [np.array(3)], [[3]], task="multi"), "predictions[0] must be a list"),
    (call("average_precision", [{"a": 0.5}, {"a": 1}], [["a"], np.array(3)]), "references[1]"),
    (call("answer_match", ["a"], [["b"]], predicted_facts=[np.array("a")], gold_facts=[[["A", 0]]], task="hotpotqa"),
     "^predicted_facts[0] must be"),
    (call("answer_match", [[np.array("a")]], [["b"]], task="drop"), "^predictions[0][0] must be"),
    (call("answer_match", [np.array("a")], [["b"]], task="drop"), "^predictions[0] must be"),
    (call("answer_match", ["a"], [np.array("b")], task="drop"), "^references[0] must be"),
    (call("answer_match", ["a"], [[{"spans": np.array("b")}]], task="drop"), "^references[0][0]"),
    (call("average_precision", [{"boxes": []}], [{"boxes": GAP, "labels": []}], task="boxes"), "^references[0]"),
    # columns of tables
    *((call("retrieval_ranking", {**TABLE, "score": column}, {"q": ["a"]}), "score")
      for column in (np.bool_(True), 0.5, None, "abc", pa.scalar(1), np.zeros((1, 2)), [VALUES["deep"]()])),
    # swapped answers
    (call("answer_match", [["Paris"]], ["Paris"]), "swapped"),
    (call("answer_match", SQUAD_GOLD, [{"id": "a", "prediction_text": "x"}]), "give the predictions first"),
    # measures that may be two
    unclear("rbp.95", "rbp(p=0.95)", "rbp@95"),
    unclear("RBP.5", "rbp(p=0.5)", "rbp@5"),
    unclear("rbp_80", "rbp(p=0.80)", "rbp@80"),
    unclear("rbp.0.95", "rbp(p=0.95)"),
    unclear("rbp@.95", "rbp(p=0.95)"),
    unclear("rbp@0.95", "rbp(p=0.95)"),
    unclear("f1.5", "f1@5"),
    unclear("f.5", "f1@5"),
    unclear("iprec.1", "iprec@0.1", "iprec@1"),
    unclear("ndcg@0.5", "integer"),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSED, ids=range(len(REFUSED)))
def test_calls_that_are_refused(case):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        refused(*case)


# --- options of other libraries --------------------------------------------------------------------------------------


def test_scalars_of_numpy_are_options():
    assert qassay.score(
        "retrieval_ranking", {"q": ["a"]}, {"q": ["a"]}, judged_only=np.bool_(True), relevance_level=np.int64(1)
    ).options == (
        qassay.score("retrieval_ranking", {"q": ["a"]}, {"q": ["a"]}, judged_only=True, relevance_level=1).options
    )
    for options in ({"top_k": np.uint8(3)}, {"top_k": np.array(3)}, {"top_k": [np.int64(3)]}):
        assert qassay.score("answer_match", [["a"]], [["a"]], **options).options.top_k == (3,)
    assert qassay.score("label_metrics", ["a"], ["a"], per_class=np.bool_(True)).options.per_class is True
    assert qassay.score("answer_match", ["a"], [["a"]], empty_f1=np.float32(0)).options.empty_f1 == 0.0


# --- texts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", SURROGATES)
def test_lone_surrogates_are_texts_ids_and_labels(text):
    found = qassay.score("answer_match", {text: text}, {text: [text]})
    assert found.summary(["f1"]) == {"f1": 1.0}
    assert qassay.score("label_metrics", [text], [text], per_class=True).summary(["accuracy"]) == {"accuracy": 1.0}
    assert qassay.score("retrieval_ranking", {text: [text]}, {text: [text]}).summary(["mrr"]) == {"mrr": 1.0}
    assert qassay.score("semantic_answer_similarity", [text], [[text]], model="lite").summary(["sas"])["sas"] == 1.0


# --- methods of Scores ------------------------------------------------------------------------------------------------


def test_numbers_slices_and_ids_of_any_kind():
    assert ONE.summary("f1") == {"f1": 0.5} and ONE.interval(seed=2**70, n_resamples=5)
    scores = qassay.score("answer_match", ["a", "b", "c"], [["a"], ["c"], ["c"]])
    assert len(scores.by([decimal.Decimal("NaN"), HUGE, 0.5])) == 3
    assert len(scores.by([VALUES["Unshowable"](), 1, "a"])) == 3
    for family, gold in (("label_metrics", [1, 2]), ("average_precision", [1, 0])):
        assert qassay.score(family, np.ma.masked_array([1, 2]), gold).summary()  # no gaps
    ids = (name for name in "xy")
    assert qassay.score("retrieval_ranking", [["a"], ["b"]], [["a"], ["c"]], ids=ids).ids == ["x", "y"]


# --- a swapped run, and other swaps ----------------------------------------------------------------------------------

RUN = {"q1": {"d1": 0.9, "d2": 0.5, "d3": 0.1}, "q2": {"d1": 12.5, "d4": 9.25}}
QRELS = {"q1": {"d2": 1, "d9": 0}, "q2": {"d4": 1}}


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        (RUN, QRELS),
        (RUN, {"q1": {"d1": 2, "d2": 2}, "q2": {"d4": 1}}),
        ({"q1": {f"d{n}": 12 - n for n in range(12)}}, {"q1": {"d1": 1, "d3": 0}}),  # scores 1..n
        ({q: {f"d{n}": 0.5 + n / 3 for n in range(5)} for q in "ab"}, {"a": {"d1": 1}, "b": {"d2": 1}}),
    ],
)
def test_a_swapped_run_is_reported_and_a_right_one_is_not(run, qrels):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        right = qassay.score("retrieval_ranking", run, qrels).summary()
        assert qassay.score("retrieval_ranking", run=run, qrels=qrels).summary() == right
        assert qassay.score("retrieval_ranking", qrels=qrels, predictions=run).summary() == right
    with pytest.warns(UserWarning, match=r"run=\.\.\., qrels=") as told:
        qassay.score("retrieval_ranking", qrels, run)
    assert Path(told[0].filename) == Path(__file__)


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        ({"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 0.33, "b": 0.67, "c": 1.0}}),  # ranks as scores, mean relevance
        ({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 0, "c": 2}}),  # a binary run
        ({"q": {"a": 1, "b": 0}}, {"q": {"a": 0.5, "b": 0.5, "c": 1}}),  # relevance of two judges
        ({"q": {"a": 0.5, "b": 0.25}}, {"q": {"a": 0.9, "b": 0.4}}),  # relevance of a model
        ({"q": {"a": 2, "b": 2}}, {"q": {"a": 100, "b": 100, "c": 50}}),  # percentages
        ({"q": {"a": -3, "b": -7}}, {"q": {"a": 0.25, "b": 0.75}}),
        ({"q": ["a", "b"]}, {"q": {"a": 0.25, "b": 0.75}}),
        ({"q": {}}, {"q": {"a": 0.25, "b": 0.75}}),
    ],
)
def test_natural_runs_are_not_mistaken_for_swapped(run, qrels):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        qassay.score("retrieval_ranking", run, qrels)


def test_names_are_taken_at_their_word():
    run = {f"q{i}": {f"d{j}": 1 for j in range(3)} for i in range(20)}
    qrels = {f"q{i}": {f"d{j}": 0.1 * j + 0.35 for j in range(30)} for i in range(20)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert qassay.score("retrieval_ranking", run=run, qrels=qrels, measures=["ndcg@3"]).summary()["total"] == 20
    refused(call("retrieval_ranking", run, qrels), "by name")


def test_a_small_run_as_judgements_is_reported_if_nothing_is_relevant():
    run, qrels = {"q1": {"d3": 0.9, "d1": 0.8}, "q2": {"d4": 0.5}}, {"q1": {"d1": 2, "d2": 1}, "q2": {"d4": 1}}
    with pytest.warns(UserWarning, match="predictions may be judgements"):
        qassay.score("retrieval_ranking", qrels, run)


def test_a_real_run_is_not_mistaken_for_swapped(trec):
    """trec_eval's own run and judgements; swapping them is reported."""
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    for line in Path(trec, "results.test").read_text("utf-8").splitlines():
        query, _, document, _, value, _ = line.split()
        run.setdefault(query, {})[document] = float(value)
    for line in Path(trec, "qrels.test").read_text("utf-8").splitlines():
        query, _, document, level = line.split()
        qrels.setdefault(query, {})[document] = int(level)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        qassay.score("retrieval_ranking", run, qrels)
        qassay.score("retrieval_ranking", {query: list(row) for query, row in run.items()}, qrels)
    with pytest.raises((ValueError, UserWarning), match="run="), warnings.catch_warnings():
        warnings.simplefilter("error")
        qassay.score("retrieval_ranking", qrels, run)


# --- names of measures ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("P.5,10", ("p@5", "p@10")),
        ("ndcg_cut.5", ("ndcg@5",)),
        ("success.1", ("hit_rate@1",)),
        ("map_cut.10", ("map@10",)),
        ("recall.5", ("recall@5",)),
        ("iprec_at_recall.0.10", ("iprec@0.1",)),
        ("Rprec_mult.0.20", ("rprec(mult=0.2)",)),
        ("rbp(p=0.95)", ("rbp(p=0.95)",)),
        ("rbp@95", ("rbp@95",)),
        ("rbp(p=0.8)@10", ("rbp(p=0.8)@10",)),
    ],
)
def test_names_of_trec_eval_go_on_to_be_read(name, canonical):
    assert qassay.score("retrieval_ranking", {"q": ["a"]}, {"q": ["a"]}, measures=name).options.measures == canonical


def test_names_of_measures_are_cut_in_messages():
    scores = qassay.score("label_metrics", ["a"], ["9" * 5_000], per_class=True)
    with pytest.raises(ValueError, match="^no measure 'nothing'") as caught:
        scores.summary(["nothing"])
    assert len(str(caught.value)) < 2_000


def test_one_row_is_compared_with_columns(monkeypatch):
    call = fuzz.Call("answer_match", {"predictions": ["a"], "references": [["a"]]}, {})
    fuzz.check_one(call, Random(0))
    monkeypatch.setattr(qassay.Scorer, "__call__", lambda scorer, *row, **columns: {"f1": 0.5})
    with pytest.raises(fuzz.Defect, match="row 0 alone: {'f1': 0.5}, by columns: {'exact_match'"):
        fuzz.check_one(call, Random(0))
