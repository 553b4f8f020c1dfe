"""Calls with valid, nearly valid and hostile input: a right result, or an error of the package's own that names what is wrong.

A right result has finite numbers, which do not change if rows are permuted, doubled or divided. tests/contract has the other forms of the
same rows, and the tests of each metric the definitions. QASSAY_FUZZ=100000 makes as many calls instead of 240.
"""

import math
import os
import re
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
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

from .calls import MAKERS, Call, divided, doubled, permuted, reweighted, some_rows, valid_call, with_ids
from .hostile import hostile_call, hostile_values, option_names

VALUES, FAMILIES = hostile_values(), sorted(MAKERS)
CASES = int(os.environ.get("QASSAY_FUZZ", "240"))
LONGEST_MESSAGE = 2000  # characters
SLOWEST = 5.0  # CPU seconds of a call
FREE = (
    "threshold", "total", "num_", "refusal", "hedged", "negated", "wrong_number", "partial", "other_entity", "without_question",
    "abstained", "failed", "dcg", "utility", "missing", "tied", "no_", "unmatched", "duplicates", "positives",
    "skipped", "short", "repeated", "judged", "correct_", "has_answer", "support", "factoid", "list_total", "yesno_total",
    "summary", "gmap", "unanswered", "below", "trivial", "rbp_resid", "unreadable", "empty", "cut", "shortcut", "verdicts",
    "unjudged", "exact_match_without_f1",
)  # fmt: skip


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
    elif not is_expected(error):
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


# --- what follows a score ---------------------------------------------------------------------------------------------


def _data_of(options: Any) -> dict[str, Any]:
    """The options whose values are not in a signature."""
    names = ("labels", "label_counts", "inverse_propensities", "normalizer", "model")
    given = {name: getattr(options, name, None) for name in names}
    found = {name: value for name, value in given.items() if value is not None}
    if "labels" in found and isinstance(getattr(found["labels"], "labels", None), range):
        del found["labels"]
    normalizer = found.get("normalizer")
    if normalizer is not None and not getattr(normalizer, "name", "").startswith("custom:"):
        del found["normalizer"]
    if isinstance(found.get("model"), str):
        del found["model"]
    return found


def round_trip(scores: Any) -> None:
    """Check that a signature parses to the options that made it."""
    options = scores.options
    for text in (scores.signature(), scores.signature(short=True)):
        text.encode()
        again = qassay.from_signature(text, **_data_of(options))
        if again.differences(options) and getattr(getattr(options, "classes", None), "given", True) is not False:
            told = [field.name for field in again.differences(options)]
            raise AssertionError(f"the signature {text} is read back with other {told}")


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
        lambda: round_trip(scores),
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


def check_numbers(call: Call, scores: Any) -> None:
    """Check that every measure is None or finite, and that rates are from 0 to 1."""
    fixed = str(call.options.get("ap_denominator", "")).startswith(("fixed", "1", "5"))
    for name, value in scores.summary().items():
        free = name.startswith(FREE) or "threshold" in name or name.endswith("_total") or "support" in name
        if value is None or math.isnan(value) and "zero_division" in call.options:
            continue
        if free or (fixed and "map" in name) or call.options.get("zero_division") not in (None, 0, 1, 0.0):
            if isinstance(value, float) and not math.isfinite(value) and "threshold" not in name:
                raise AssertionError(f"{name} is {value}")
            continue
        if not -1e-12 <= value <= 1 + 1e-12:
            raise AssertionError(f"{name} is {value}")


# --- the same rows --------------------------------------------------------------------------------------------------------


def is_ordered(call: Call, scores: Any) -> bool:
    """Whether the order of the rows breaks ties."""
    return call.family == "average_precision" and getattr(scores.options, "ties", None) == "stable"


def check_permuted(call: Call, scores: Any, random: Random) -> None:
    """Check that rows in another order have the same values, and the same value of each row."""
    named = with_ids(call)
    mixed = None if is_ordered(call, scores) else permuted(named, random)
    if mixed is None or "ids" not in named.columns:
        return
    mine, theirs = scores if named is call else score(named), score(mixed)
    assert not differences(mine.summary(), theirs.summary())
    assert list(mine.columns) == list(theirs.columns) and set(mine.ids) == set(theirs.ids)
    place = {identifier: row for row, identifier in enumerate(theirs.ids)}
    moved = theirs.take([place[identifier] for identifier in mine.ids]).per_example()
    for name, column in mine.per_example().items():
        one, other = (x if isinstance(x, list) else x.tolist() for x in (column, moved[name]))
        if not name.startswith("withheld") and not isinstance(one and one[0], list):
            assert all(map(same, one, other)), name


def check_doubled(call: Call, scores: Any, random: Random) -> None:
    """Check that doubled rows and quadrupled weights change no rate, and counts by this factor or not."""
    if is_ordered(call, scores) or call.options.get("task") == "boxes":  # ties in the order of the rows
        return
    expected = scores.summary()
    factor, other = random.choice(((2, doubled(call)), (4, reweighted(call, 4))))
    if other is None:
        return
    found = score(other).summary()
    assert found.keys() == expected.keys()
    for name, value in found.items():
        is_count = name.startswith(FREE)
        assert same(value, expected[name]) or (is_count and same(value, factor * expected[name])), name


def check_subset(call: Call, scores: Any, random: Random) -> None:
    """Check that a subset of scores equals the scores of the same rows."""
    mask = [random.random() < 0.5 for _ in range(len(scores))]
    part = some_rows(call, [row for row, is_in in enumerate(mask) if is_in])
    if part is None or len(mask) != len(call.columns["references"]):
        return
    alone = outcome(lambda: score(part))  # refused for example without a positive row, or with weights of 0 only
    if alone is None:
        return
    expected, found = alone.summary(), scores.subset(mask).summary()
    if "labels" not in call.options:  # hamming_loss counts the classes of all rows, and each class has measures
        found = {name: found[name] for name in expected if name != "hamming_loss"}
        expected = {name: expected[name] for name in found}
    assert not differences(expected, found)


def check_parts(call: Call, scores: Any, random: Random) -> None:
    """Check that joined parts, and streamed parts, have the numbers of all rows."""
    parts = divided(call, random.choice((2, 2, len(scores))))
    if parts is None:
        return

    def joined() -> Any:
        return qassay.Scores.concat([score(part) for part in parts]).summary()

    def streamed() -> Any:
        stream = qassay.stream(call.family, **call.options)
        for part in parts:
            stream.add(**part.columns)
        return stream.summary()

    found = outcome(random.choice((joined, streamed)))  # refused for example with other classes in a part
    assert not found or not differences(scores.summary(), found)


def same(one: Any, other: Any) -> bool:
    if None not in (one, other) and (isinstance(one, float) or isinstance(other, float)):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(one) and math.isnan(other))
    return one == other


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The measures in which two summaries differ."""
    return [
        f"{name}: {one.get(name)} and {other.get(name)}"
        for name in {**one, **other}
        if name not in one or name not in other or not same(one[name], other[name])
    ]


def check_one(call: Call, random: Random, by_columns: Callable[..., Any]) -> None:
    """Check that `qassay.scorer` has the values, or the error, of `qassay.score` for one row."""
    skipped = ("ids", "weights", "groups", "run", "qrels")  # they describe several examples
    columns = {name: column for name, column in call.columns.items() if name not in skipped}
    lists = [column for column in columns.values() if isinstance(column, list) and column]
    if len(lists) < len(columns) or not {"predictions", "references"} <= columns.keys():
        return
    row = random.randrange(min(map(len, lists)))
    further = {name: column[row] for name, column in columns.items()}
    prediction, gold = further.pop("predictions"), further.pop("references")
    scorer = None if gold is None else outcome(lambda: qassay.scorer(call.family, **call.options))
    if scorer is None:
        return
    expected = result_or_error(lambda: by_columns(call.family, call.options, prediction, gold, **further))
    if str(expected).startswith("NothingToScore"):  # the row is omitted, and the scorer has no measure of it
        expected = {}
    found = result_or_error(lambda: scorer(prediction, gold, **further))
    if isinstance(found, dict) and isinstance(expected, dict):
        expected = {name: value for name, value in expected.items() if name in found or name != "hamming_loss"}
    assert found == expected or "has no measure of one example" in found


def result_or_error(function: Callable[[], Any]) -> Any:
    """The result of a call, or its error as text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function()
        except Exception as error:  # noqa: BLE001 - all kinds are to be seen
            return re.sub(r"0x[0-9a-f]+", "", f"{type(error).__name__}: {error}")


# --- tests ----------------------------------------------------------------------------------------------------------------

CHECKS = (check_permuted, check_doubled, check_subset, check_parts)


@settings(max_examples=CASES, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(FAMILIES), st.integers(0, 2**32).map(Random))  # st.randoms would shrink, at ten times the cost
def test_random_calls(by_columns, family, random):
    """A result, or one of our messages, whatever comes in."""
    is_valid = random.random() < 0.5
    call = valid_call(family, random) if is_valid else hostile_call(family, random, VALUES)
    print(call)  # shown if this fails
    scores = outcome(lambda: score(call))
    if scores is not None and is_valid:
        check_numbers(call, scores)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for check in random.sample(CHECKS, 2):
                check(call, scores, random)
    if random.random() < 0.2:
        check_one(call, random, by_columns)
    if scores is not None:
        follow(scores, random)


@pytest.mark.thorough
@pytest.mark.parametrize("family", FAMILIES)
def test_every_option_and_column_with_every_hostile_value(family):
    """An option, a column, a row of it and a value in a row are each replaced."""
    options_class = qassay.registry.FAMILIES[family].load()[1]
    base = {"model": "lite"} if family == "semantic_answer_similarity" else {}
    for option, (name, make) in product(option_names(family), VALUES.items()):
        given = {**base, option: make()}
        if option not in ("model", "encoder") or not isinstance(given[option], str):
            print(f"{option}={name}")  # shown if this fails
            outcome(lambda given=given: options_class(**given).signature())
    for column, depth, (name, make) in product(
        ("predictions", "references", "weights", "ids"), range(3), VALUES.items()
    ):
        call = with_ids(valid_call(family, Random(f"{family} {column} {depth}")))
        rows = call.columns.get(column)
        if isinstance(rows, list) or not depth:
            nested = depth == 2 and isinstance(rows[0], list) and rows[0]
            first = [make(), *rows[0][1:]] if nested else make()
            call.columns[column] = [first, *rows[1:]] if depth else first
            print(f"{column} at depth {depth} is {name}")
            outcome(lambda call=call: score(call))


HUGE, LONG = 10**400, "x" * 100_000
RUN, QRELS = (
    {"q1": {"d1": 0.9, "d2": 0.5, "d3": 0.1}, "q2": {"d1": 12.5, "d4": 9.25}},
    {"q1": {"d2": 1, "d9": 0}, "q2": {"d4": 1}},
)
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
    check_error(caught.value)
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
