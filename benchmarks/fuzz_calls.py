"""Calls of the Python API with valid, nearly valid and hostile input, and checks of their results.

A call must end in a right result, or in a TypeError, ValueError or ImportError that the package itself raises. Defects
are: an error that numpy, pyarrow, pandas or Python raises; a message that is too long or not UTF-8; a call over five
seconds; numbers that differ from the plain definitions of fuzz_oracles.py; and numbers that change with the form, the
order, the doubling or the division of the rows, or with the scale of the weights. tests/fuzz makes such calls.
"""

import math
import re
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from call_cases import Call, valid_call
from call_forms import (
    FORMS,
    by_id,
    divided,
    doubled,
    in_form,
    numbered,
    permuted,
    plain_golds,
    reweighted,
    some_rows,
    with_ids,
)
from fuzz_oracles import usual
from hostile_calls import hostile_call
from one_by_columns import by_columns

import qassay
from qassay.core.errors import is_expected

LONGEST_MESSAGE = 2000  # characters
SLOWEST = 5.0  # seconds of the processor
_FREE = (
    "threshold", "total", "num_", "refusal", "hedged", "negated", "wrong_number", "partial", "other_entity", "without_question",
    "abstained", "failed", "dcg", "utility", "missing", "tied", "no_", "unmatched", "duplicates", "positives",
    "skipped", "short", "repeated", "judged", "correct_", "has_answer", "support", "factoid", "list_total", "yesno_total",
    "summary", "gmap", "unanswered", "below", "trivial", "rbp_resid", "unreadable", "empty", "cut", "shortcut", "verdicts",
    "unjudged",
)  # fmt: skip


class Defect(AssertionError):
    """A defect of a call."""


def check_error(error: BaseException) -> None:
    """Refuse an error that the package does not raise itself.

    Raises:
        Defect: an error of another type or library, or an unreadable message.
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
        raise Defect(f"{problem} at {at}: {type(error).__name__}: {ascii(text)[:300]}") from error


def outcome(function: Callable[[], Any]) -> Any:
    """The result of a call, or None if it is refused properly.

    Raises:
        Defect: see `check_error`; also over `SLOWEST` seconds.
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
        raise Defect(f"took {seconds:.1f} s")
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
            raise Defect(f"the signature {text} is read back with other {told}")


def follow(scores: Any, random: Random, values: Mapping[str, Callable[[], Any]]) -> None:
    """Call every other method of scores, with hostile arguments too."""

    def odd(usual: Any, share: float = 0.3) -> Any:
        return values[random.choice(list(values))]() if random.random() < share else usual

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


def _same(one: Any, other: Any) -> bool:
    if None not in (one, other) and (isinstance(one, float) or isinstance(other, float)):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(one) and math.isnan(other))
    return one == other


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The measures in which two summaries differ."""
    return [
        f"{name}: {one.get(name)} and {other.get(name)}"
        for name in {**one, **other}
        if name not in one or name not in other or not _same(one[name], other[name])
    ]


def check_numbers(call: Call, scores: Any) -> None:
    """Check that every measure is None or finite, and that rates are from 0 to 1.

    Raises:
        Defect: naming the measure.
    """
    fixed = str(call.options.get("ap_denominator", "")).startswith(("fixed", "1", "5"))
    for name, value in scores.summary().items():
        free = name.startswith(_FREE) or "threshold" in name or name.endswith("_total") or "support" in name
        if value is None or math.isnan(value) and "zero_division" in call.options:
            continue
        if free or (fixed and "map" in name) or call.options.get("zero_division") not in (None, 0, 1, 0.0):
            if isinstance(value, float) and not math.isfinite(value) and "threshold" not in name:
                raise Defect(f"{name} is {value}")
            continue
        if not -1e-12 <= value <= 1 + 1e-12:
            raise Defect(f"{name} is {value}")


def _again(name: str, call: Call) -> Any:
    """The scores of the same data in another form.

    Raises:
        Defect: the other form is refused.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return score(call)
    except Exception as error:
        raise Defect(f"{name} is refused: {type(error).__name__}: {ascii(str(error))[:300]}") from error


def _is_ordered(call: Call, scores: Any) -> bool:
    """Whether the order of the rows breaks ties."""
    return call.family == "average_precision" and getattr(scores.options, "ties", None) == "stable"


def check_forms(call: Call, scores: Any, random: Random) -> None:
    """Check that rows in other containers, with ids of both types, by id and in another order have the same numbers.

    Raises:
        Defect: naming the form and the measure.
    """
    expected = scores.summary()
    form = random.choice(FORMS)
    others = [(form.__name__, in_form(call, form)), ("ids of text", with_ids(call)), ("numbers as ids", numbered(call))]
    if not _is_ordered(call, scores):
        others += [("other order", permuted(call, random)), ("rows by id", by_id(with_ids(call), random))]
    others.append(("plain strings as gold", plain_golds(call)))
    name, other = random.choice([one for one in others if one[1]] or [("", None)])
    unlike = differences(expected, _again(name, other).summary()) if other else []
    if unlike:
        raise Defect(f"{name} changes {unlike[:3]}")


def check_rows(call: Call, scores: Any, random: Random) -> None:
    """Check that rows in another order have the same values.

    Raises:
        Defect: naming the column.
    """
    named = with_ids(call)
    mixed = None if _is_ordered(call, scores) else permuted(named, random)
    if mixed is None or "ids" not in named.columns:
        return
    mine, theirs = scores if named is call else score(named), _again("other order", mixed)
    if list(mine.columns) != list(theirs.columns) or set(mine.ids) != set(theirs.ids):
        raise Defect("permuted rows have other columns or ids")
    place = {identifier: row for row, identifier in enumerate(theirs.ids)}
    moved = theirs.take([place[identifier] for identifier in mine.ids]).per_example()
    for name, column in mine.per_example().items():
        one, other = (x if isinstance(x, list) else x.tolist() for x in (column, moved[name]))
        if name.startswith("withheld") or isinstance(one and one[0], list):
            continue
        if not all(map(_same, one, other)):
            raise Defect(f"permuted rows have another {name}: {one} and {other}")


def check_doubled(call: Call, scores: Any, random: Random) -> None:
    """Check that doubled rows and quadrupled weights change no rate, and counts by this factor or not.

    Raises:
        Defect: naming the measure.
    """
    if _is_ordered(call, scores) or call.options.get("task") == "boxes":  # ties in the order of the rows
        return
    expected = scores.summary()
    name, factor, other = random.choice((("doubled rows", 2, doubled(call)), ("weights by 4", 4, reweighted(call, 4))))
    if other is None:
        return
    found = _again(name, other).summary()
    unlike = [
        one
        for one, value in found.items()
        if not _same(value, expected[one]) and not (one.startswith(_FREE) and _same(value, factor * expected[one]))
    ]
    if unlike or found.keys() != expected.keys():
        raise Defect(f"{name} change {[(one, expected[one], found[one]) for one in unlike[:3]]}")


def check_subset(call: Call, scores: Any, random: Random) -> None:
    """Check that a subset of scores equals the scores of the same rows.

    Raises:
        Defect: naming the measure.
    """
    mask = [random.random() < 0.5 for _ in range(len(scores))]
    part = some_rows(call, [row for row, is_in in enumerate(mask) if is_in])
    if part is None or len(mask) != len(call.columns["references"]):
        return
    try:
        expected = score(part).summary()
    except (TypeError, ValueError) as error:  # for example no positive row, or only weights of 0
        check_error(error)
        return
    found = scores.subset(mask).summary()
    if "labels" not in call.options:  # hamming_loss counts the classes of all rows, and each class has measures
        found = {name: found[name] for name in expected if name != "hamming_loss"}
        expected = {name: expected[name] for name in found}
    unlike = differences(expected, found)
    if unlike:
        raise Defect(f"a subset changes {unlike[:3]}")


def check_parts(call: Call, scores: Any, random: Random) -> None:
    """Check that joined parts, and streamed parts, have the numbers of all rows.

    Raises:
        Defect: naming the measure.
    """
    parts = divided(call, random.choice((2, 2, len(scores))))
    if parts is None:
        return
    is_stream = random.random() < 0.5

    def joined() -> Any:
        return qassay.Scores.concat([score(part) for part in parts]).summary()

    def streamed() -> Any:
        stream = qassay.stream(call.family, **call.options)
        for part in parts:
            stream.add(**part.columns)
        return stream.summary()

    found = outcome(
        streamed if is_stream else joined
    )  # refused, for example other classes in a part, or only weights of 0
    unlike = differences(scores.summary(), found) if found else []
    if unlike:
        raise Defect(f"parts {'streamed' if is_stream else 'joined'} change {unlike[:3]}")


def check_one(call: Call, random: Random) -> None:
    """Check that `qassay.scorer` has the values, or the error, of `qassay.score` for one row.

    Raises:
        Defect: naming the row.
    """
    skipped = ("ids", "weights", "groups", "run", "qrels")  # they describe several examples
    columns = {name: column for name, column in call.columns.items() if name not in skipped}
    lists = [column for column in columns.values() if isinstance(column, list) and column]
    if len(lists) < len(columns) or not {"predictions", "references"} <= columns.keys():
        return
    row = random.randrange(min(map(len, lists)))
    given = {name: column[row] for name, column in columns.items()}
    prediction, gold = given.pop("predictions"), given.pop("references")

    if gold is None:  # omitted
        return
    scorer = outcome(lambda: qassay.scorer(call.family, **call.options))
    if scorer is None:
        return
    expected = _said(lambda: by_columns(call.family, call.options, prediction, gold, **given))
    found = _said(lambda: scorer(prediction, gold, **given))
    if isinstance(found, dict) and isinstance(expected, dict):
        expected = {name: value for name, value in expected.items() if name in found or name != "hamming_loss"}
    if found != expected and "has no measure of one example" not in found:
        raise Defect(f"row {row} alone: {found}, by columns: {expected}")


def _said(function: Callable[[], Any]) -> Any:
    """The result of a call, or its error as text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function()
        except Exception as error:  # noqa: BLE001 - all kinds are to be seen
            return re.sub(r"0x[0-9a-f]+", "", f"{type(error).__name__}: {error}")


def check_definition(call: Call, scores: Any = None) -> bool:
    """Check measures against the plain definition, with the options that it knows; False without a definition.

    Args:
        scores: of the call, reused if the definition knows all its options.

    Raises:
        Defect: naming the measure.
    """
    found = usual(call)
    if found is None:
        return False
    plain, expected = found
    try:
        kept = [name for name, value in call.options.items() if plain.options.get(name) is value]
        if scores is None or not len(kept) == len(call.options) == len(plain.options):
            scores = score(plain)
    except (TypeError, ValueError) as error:
        check_error(error)
        return False
    values = scores.summary(list(expected))
    unlike = differences(expected, dict(zip(expected, values.values(), strict=True)))
    if unlike:
        raise Defect(f"the definition has other values of {unlike[:3]}, of {plain}")
    return True


# --- one call ---------------------------------------------------------------------------------------------------------

_CHECKS: tuple[Callable[[Call, Any, Random], Any], ...] = (
    check_forms,
    check_rows,
    check_doubled,
    check_subset,
    check_parts,
)


def try_call(family: str, random: Random, values: Mapping[str, Callable[[], Any]], shown: list[Call]) -> str:
    """Make a call, check its result, and return "defined", "scored" or "refused".

    "defined": the result equals a plain definition; "scored": the numbers passed the other checks.

    Args:
        shown: receives the call, for reports of defects.

    Raises:
        Defect: see `check_error` and the checks.
    """
    is_defined = False
    if random.random() < 0.5:
        call = valid_call(family, random)
        shown.append(call)
        scores = outcome(lambda: score(call))
        if scores is None:
            return "refused"
        check_numbers(call, scores)
        for check in random.sample(_CHECKS, 2):
            check(call, scores, random)
        is_defined = check_definition(call, scores)
    else:
        call = hostile_call(family, random, values)
        shown.append(call)
        scores = outcome(lambda: score(call))
    if random.random() < 0.2:
        check_one(call, random)
    if scores is None:
        return "refused"
    follow(scores, random, values)
    return "defined" if is_defined else "scored"
