"""Hostile values for tests of calls, and changes of valid calls by them."""

import array
import dataclasses
import datetime
import decimal
import enum
import fractions
import inspect
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import numpy as np

from qassay.registry import FAMILIES

from ..contract.families import CASES

MODEL_FAMILIES = ("semantic_answer_similarity", "answer_equivalence")


@dataclasses.dataclass
class Call:
    """A call of `qassay.score`: a family, its columns and its options."""

    family: str
    columns: dict[str, Any]
    options: dict[str, Any]

    def __str__(self) -> str:
        shown = [f"{name}={_text_of(value)}" for name, value in {**self.columns, **self.options}.items()]
        return f"qassay.score({self.family!r}, {', '.join(shown)})"


def _text_of(value: Any) -> str:
    try:
        return ascii(value)[:300]
    except Exception as error:  # noqa: BLE001 - hostile values do not all have a text
        return f"<{type(value).__name__} ({type(error).__name__})>"


def valid_call(name: str, random: Random) -> Call:
    """Some rows of a case of tests/contract, sometimes with ids and weights."""
    case = CASES[name]
    rows = random.choices(case.rows, k=random.randint(1, 5))
    columns: dict[str, Any] = {
        "predictions": [row[random.random() < 0.3] for row in rows],
        "references": [row[2] for row in rows],
    }
    if random.random() < 0.5:
        columns["ids"] = [f"q{row}" for row in range(len(rows))]
    if random.random() < 0.2:
        columns["weights"] = [random.choice((0, 1, 2.5)) for _ in rows[1:]] + [1]
    return Call(case.metric, columns, dict(case.options))


class Unshowable:
    """An object whose repr and str fail."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class Frame:
    """Looks like the data frame of a library that is not installed."""

    columns = ("a", "b")
    dtypes = (int, int)

    def __iter__(self) -> Any:
        return iter(self.columns)

    def __getitem__(self, name: str) -> list:
        if name not in self.columns:
            raise KeyError(name)
        return [1, 2]


class SeriesLike:
    """Looks like the column of a library that is not installed."""

    def to_list(self) -> list:
        return [1, None]


class Text(str):
    """A string of a custom class."""


class Whole(int):
    """An integer of a custom class."""


class Colour(enum.Enum):
    RED = 1


def _nested(depth: int) -> list:
    found: list = []
    for _ in range(depth):
        found = [found]
    return found


def hostile_values() -> dict[str, Callable[[], Any]]:
    """Name -> a function that makes the value; each call makes a new value, because some are consumed or changed."""
    import pandas as pd
    import pyarrow as pa
    from scipy import sparse

    numbers = {
        "10**5000": 10**5000, "-10**5000": -(10**5000), "10**400": 10**400, "-10**400": -(10**400), "2**64": 2**64,
        "2**63": 2**63, "-2**63-1": -(2**63) - 1, "2**53+1": 2**53 + 1, "2**40": 2**40, "2**31": 2**31, "-1": -1, "0": 0,
        "1": 1, "3": 3, "0.5": 0.5, "1.0": 1.0, "2.0": 2.0, "-0.0": -0.0, "1e308": 1e308, "1e101": 1e101, "5e-324": 5e-324,
        "nan": float("nan"), "inf": float("inf"), "-inf": float("-inf"), "True": True, "False": False,
        "int64": np.int64(3), "uint64": np.uint64(2**64 - 1), "int8": np.int8(1), "bool_": np.bool_(True),
        "bool_ false": np.bool_(False), "float16": np.float16(0.5), "float32": np.float32(0.25), "float64": np.float64(2),
        "float32 nan": np.float32("nan"), "longdouble": np.longdouble(1), "complex": 1j, "complex64": np.complex64(1),
        "Decimal": decimal.Decimal("1.5"), "Decimal NaN": decimal.Decimal("NaN"), "Decimal sNaN": decimal.Decimal("sNaN"),
        "Decimal huge": decimal.Decimal("1e999999"), "Fraction": fractions.Fraction(1, 3),
        "Fraction huge": fractions.Fraction(10**400, 3), "Whole": Whole(2), "Colour": Colour.RED,
    }  # fmt: skip
    texts = {
        "empty text": "", "surrogate": "\ud800", "nul": "a\0b", "bytes": b"a", "bytearray": bytearray(b"a"), "word": "best",
        "digits": "12", "float text": "0.5", "long text": "x" * 5000, "9s": "9" * 5000, "Text": Text("a"),
        "str_": np.str_("a"), "bytes_": np.bytes_(b"a"), "format": "{0}%s|:,", "memoryview": memoryview(b"ab"),
    }  # fmt: skip
    others = {
        "None": None, "NA": pd.NA, "NaT": pd.NaT, "NaT64": np.datetime64("NaT"), "Timestamp": pd.Timestamp(0),
        "datetime": datetime.datetime(2020, 1, 1), "Ellipsis": ..., "NotImplemented": NotImplemented, "object": object(),
        "type": int, "function": len, "Unshowable": Unshowable(), "slice": slice(1, 2), "pa.scalar": pa.scalar(1),
        "pa.null": pa.scalar(None, pa.int64()), "void": np.void(b"ab"), "masked": np.ma.masked, "dtype": np.dtype(int),
    }  # fmt: skip
    made = {
        "set": lambda: {1}, "set of texts": lambda: {"a", "b"}, "empty set": set, "frozenset": lambda: frozenset("a"),
        "dict": lambda: {"a": 1}, "dict of ints": lambda: {1: 2}, "empty dict": dict, "dict of dicts": lambda: {"a": {}},
        "empty list": list, "list": lambda: ["a"], "list of ints": lambda: [1, 2], "list of None": lambda: [None],
        "list of lists": lambda: [[]], "ragged": lambda: [[1], [2, 3]], "mixed": lambda: [1, "a", None],
        "list of nan": lambda: [float("nan")], "list of NA": lambda: [pd.NA], "list of huge": lambda: [10**5000],
        "tuple": lambda: ("a", 1), "empty tuple": tuple, "nested": lambda: _nested(3), "deep": lambda: _nested(5000),
        "0-d": lambda: np.array(3), "0-d text": lambda: np.array("a"), "0-d object": lambda: np.array(None, object),
        "no numbers": lambda: np.array([]), "ints": lambda: np.array([1, 2]), "matrix": lambda: np.array([[1, 2], [3, 4]]),
        "no rows": lambda: np.zeros((0, 2)), "no columns": lambda: np.zeros((2, 0)), "3-d": lambda: np.zeros((1, 2, 2)),
        "texts array": lambda: np.array(["a", "b"]), "bytes array": lambda: np.array([b"a", b"b"]),
        "objects": lambda: np.array([None, "a"], object), "object lists": lambda: np.array([[1], [2, 3]], object),
        "dates": lambda: np.array(["2020-01-01", "NaT"], "datetime64[D]"), "complexes": lambda: np.array([1j]),
        "structured": lambda: np.zeros(2, [("a", int)]), "masked array": lambda: np.ma.masked_array([1, 2], [0, 1]),
        "longdoubles": lambda: np.array([1, 2], np.longdouble), "bools": lambda: np.array([True, False]),
        "Series": lambda: pd.Series([1, 2]), "Series of texts": lambda: pd.Series(["a", "b"], index=[7, 9]),
        "Series with NA": lambda: pd.Series([1, pd.NA], dtype="Int64"), "no Series": lambda: pd.Series([], dtype=object),
        "Series of one": lambda: pd.Series([True]), "Categorical": lambda: pd.Categorical(["a", None]),
        "Index": lambda: pd.Index([1, 2]), "MultiIndex": lambda: pd.MultiIndex.from_tuples([(1, 2)]),
        "DataFrame": lambda: pd.DataFrame({"a": [1, 2], "b": ["x", None]}), "empty DataFrame": pd.DataFrame,
        "same columns": lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]), "dates Series": lambda: pd.Series([pd.NaT]),
        "arrow": lambda: pa.array([1, None]), "arrow texts": lambda: pa.array(["a", None]), "nulls": lambda: pa.nulls(2),
        "chunked": lambda: pa.chunked_array([[1], [2]]), "no chunks": lambda: pa.chunked_array([], pa.string()),
        "arrow lists": lambda: pa.array([["a"], None]), "arrow structs": lambda: pa.array([{"a": 1}, None]),
        "arrow binary": lambda: pa.array([b"a", b"\xff"]), "arrow decimals": lambda: pa.array([decimal.Decimal("1.5")]),
        "dictionary": lambda: pa.array(["a", None]).dictionary_encode(), "table": lambda: pa.table({"a": [1], "b": ["x"]}),
        "batch": lambda: pa.RecordBatch.from_pydict({"a": [1]}), "empty table": lambda: pa.table({}),
        "generator": lambda: (x for x in ("a", "b")), "map": lambda: map(str, (1, 2)), "range": lambda: range(2),
        "huge range": lambda: range(10**30), "items": {"a": 1}.items, "values": {"a": 1}.values, "keys": {"a": 1}.keys,
        "array": lambda: array.array("i", [1, 2]), "sparse": lambda: sparse.csr_matrix(np.eye(2)),
        "Frame": Frame, "SeriesLike": SeriesLike,
    }  # fmt: skip
    constant = {**numbers, **texts, **others}
    return {**{name: lambda value=value: value for name, value in constant.items()}, **made}


def column_names(family: str) -> list[str]:
    """The columns that the scoring function of a family takes."""
    return [name for name in inspect.signature(FAMILIES[family].load()[0]).parameters if name != "options"]


def option_names(family: str) -> list[str]:
    """The options of a family."""
    return [field.name for field in dataclasses.fields(FAMILIES[family].load()[1]) if field.init]


def replaced(value: Any, random: Random, other: Any) -> Any:
    """A copy of nested lists and dicts with one change: another value, another key, one item more or less."""
    if isinstance(value, (list, tuple)) and len(value) and random.random() < 0.85:
        place, change, rows = random.randrange(len(value)), random.random(), list(value)
        if change < 0.7:
            rows[place] = replaced(rows[place], random, other)
        elif change < 0.8:
            del rows[place]
        else:
            rows.insert(place, random.choice((other, rows[place])))
        return rows
    if isinstance(value, Mapping) and value and random.random() < 0.85:
        key, change, found = random.choice(list(value)), random.random(), dict(value)
        if change < 0.7:
            found[key] = replaced(found[key], random, other)
        elif change < 0.85:
            del found[key]
        else:
            try:
                found[other] = found[key]
            except TypeError:  # an unhashable key
                found[key] = other
        return found
    return other


def hostile_call(name: str, random: Random, values: Mapping[str, Callable[[], Any]]) -> Call:
    """A valid call with one to three changes."""
    call = valid_call(name, random)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        other, change = values[random.choice(list(values))](), random.random()
        if not call.columns:
            break
        if change < 0.45:
            column = random.choice(list(call.columns))
            call.columns[column] = replaced(call.columns[column], random, other)
        elif change < 0.55:
            call.columns[random.choice(column_names(call.family))] = other
        elif change < 0.95:
            call.options[random.choice(option_names(call.family))] = other
        elif change < 0.97:
            call.columns.pop(random.choice(list(call.columns)))
        else:
            call.options[random.choice(("topk", "normaliser", "x", "per_example"))] = other
    if call.family in MODEL_FAMILIES and isinstance(call.options.get("model", ""), str):
        call.options["model"] = "lite"  # do not search for other models, which are not installed
    if callable(call.options.get("normalizer")):
        del call.options["normalizer"]  # errors of a user's function are not caught
    if isinstance(call.options.get("encoder"), str):
        del call.options["encoder"]
    return call
