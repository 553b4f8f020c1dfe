"""Calls with hostile input: a result, or an error of the package's own that says what is wrong.

tests/contract has what holds of valid rows, and the tests of each metric the definitions. QASSAY_FUZZ=100000 makes as many calls instead
of 240.
"""

import os
import time
import traceback
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import qassay
from qassay.core.errors import is_expected

from ..contract.families import CASES, MODULES
from .hostile import Call, hostile_call, hostile_values, option_names, valid_call

VALUES = hostile_values()
CALLS = int(os.environ.get("QASSAY_FUZZ", "240"))
LONGEST_MESSAGE = 2000  # characters
SLOWEST = 5.0  # CPU seconds of a call


def check_error(error: BaseException) -> None:
    """Refuse an error that the package does not raise itself.

    Raises:
        AssertionError: an error of another type or library, or an unreadable message.
    """
    last = traceback.extract_tb(error.__traceback__)[-1:]
    at = f"{Path(last[0].filename).name}:{last[0].lineno}" if last else "?"
    text = str(error)
    problem = None
    if not isinstance(error, (TypeError, ValueError, ImportError)) or isinstance(error, UnicodeError):
        problem = "another kind of error"
    elif not is_expected(error) and not text.startswith(
        "Exceeds the limit (4300 digits)"
    ):  # Python's, of huge integers
        problem = "an error of another library"
    elif len(text) > LONGEST_MESSAGE:
        problem = f"a message of {len(text)} characters"
    elif not text.strip():
        problem = "an empty message"
    else:
        try:
            text.encode()
        except UnicodeEncodeError:
            problem = "a message that is not UTF-8"
    if problem:
        raise AssertionError(f"{problem} at {at}: {type(error).__name__}: {ascii(text)[:300]}") from error


def outcome(function: Callable[[], Any]) -> Any:
    """The result of a call, or None if it is refused properly.

    Raises:
        AssertionError: see `check_error`; also over `SLOWEST` seconds.
    """
    start = time.process_time()  # CPU time, because other processes do not count
    found = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = function()
    except Exception as error:  # noqa: BLE001 - all kinds are to be seen
        check_error(error)
    finally:
        seconds = time.process_time() - start
    if seconds > SLOWEST:
        raise AssertionError(f"took {seconds:.1f} s")
    return found


def score(call: Call) -> Any:
    """The scores of a call."""
    return qassay.score(call.family, **call.columns, **call.options)


def follow(scores: Any, random: Random) -> None:
    """Call every other method of scores, with hostile arguments too."""

    def odd(usual: Any, share: float = 0.3) -> Any:
        return VALUES[random.choice(list(VALUES))]() if random.random() < share else usual

    names = list(scores.measures)
    steps: list[Callable[[], Any]] = [
        lambda: scores.summary(odd(None)),
        lambda: scores.summary([random.choice(names), odd(random.choice(names))]),
        lambda: scores.interval(
            odd(names[:2], 0.2), confidence=odd(0.9, 0.2), n_resamples=odd(20, 0.2), seed=odd(0, 0.2)
        ),
        scores.per_example,
        scores.counts,
        lambda: repr(scores),
        scores.to_arrow,
        scores.to_pandas,
        lambda: scores.by(odd([odd(row % 2, 0.2) for row in range(len(scores))])),
        lambda: scores.subset(odd([row % 2 == 0 for row in range(len(scores))])),
        lambda: scores.take(odd([0])),
        lambda: qassay.Scores.concat([scores, odd(scores)]),
        lambda: qassay.Scores.concat(odd([scores])),
        lambda: qassay.from_signature(odd(scores.signature()), **({"labels": odd(3)} if random.random() < 0.3 else {})),
        lambda: qassay.compare(
            odd({"A": scores, "B": scores}, 0.2),
            odd(names[0], 0.2),
            odd(None, 0.2),
            baseline=odd(None, 0.2),
            test=odd("permutation", 0.2),
            correction=odd("holm", 0.2),
            confidence=odd(0.9, 0.2),
            n_resamples=odd(10, 0.2),
            n_permutations=odd(10, 0.2),
            seed=odd(0, 0.2),
        ),
    ]
    for step in random.sample(steps, 2):
        outcome(step)


@settings(max_examples=CALLS, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from(sorted(CASES)), st.integers(0, 2**32).map(Random)
)  # st.randoms would shrink, at ten times the cost
def test_random_calls(name, random):
    """A result, or one of our messages, whatever comes in."""
    call = hostile_call(name, random, VALUES)
    print(call)  # shown if this fails
    scores = outcome(lambda: score(call))
    if scores is not None:
        follow(scores, random)


@pytest.mark.thorough
@pytest.mark.parametrize("family", MODULES)
def test_every_option_and_column_with_every_hostile_value(family):
    """An option, a column, a row of it and a value in a row are each replaced."""
    options_class = qassay.registry.FAMILIES[family].load()[1]
    base = {"model": "lite"} if family == "semantic_answer_similarity" else {}
    for option, (name, make) in product(option_names(family), VALUES.items()):
        given = {**base, option: make()}
        if option not in ("model", "encoder") or not isinstance(given[option], str):
            print(f"{option}={name}")  # shown if this fails
            outcome(lambda given=given: options_class(**given).signature())
    cases = [name for name, case in CASES.items() if case.metric == family]
    for column, depth, (name, make) in product(
        ("predictions", "references", "weights", "ids"), range(3), VALUES.items()
    ):
        random = Random(f"{family} {column} {depth}")
        call = valid_call(random.choice(cases), random)
        rows = call.columns.get(column)
        if isinstance(rows, list) or not depth:
            nested = depth == 2 and isinstance(rows[0], list) and rows[0]
            first = [make(), *rows[0][1:]] if nested else make()
            call.columns[column] = [first, *rows[1:]] if depth else first
            print(f"{column} at depth {depth} is {name}")
            outcome(lambda call=call: score(call))


HUGE, LONG = 10**400, "x" * 100_000
MASKED = np.ma.masked_array([1, 2], [False, True])


def ranked(**options):
    return "retrieval_ranking", {"q": ["a"]}, {"q": ["a"]}, options


# metric, predictions, references, other columns and options, parts of the message
REFUSED = [
    ("answer_match", [["a"]], [["a"]], {"top_k": HUGE}, "top_k"),
    ("label_metrics", [[1]], [[1]], {"k": 2**40}, "option k"),
    ("average_precision", [1, HUGE], [True, False], {}, "predictions[1]"),
    ("retrieval_ranking", {"q": {"d": HUGE}}, {"q": {"d": 1}}, {}, "'d'", "'q'"),
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
    check_error(caught.value)
    message = str(caught.value)
    assert len(message) < 1000 and all(part in message for part in parts)


@pytest.mark.parametrize("text", ["\ud800", "\x00"])
def test_odd_texts_are_texts_ids_and_labels(text):
    assert qassay.score("answer_match", {text: text}, {text: [text]})["f1"] == 1
    assert qassay.score("label_metrics", [text], [text], per_class=True)["accuracy"] == 1
    assert qassay.score("retrieval_ranking", {text: [text]}, {text: [text]})["mrr"] == 1
