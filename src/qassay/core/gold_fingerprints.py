"""Fingerprints of gold data: a number for the gold data of each example, with which a comparison checks that two systems
were scored against the same gold answers.

They depend only on the values: they are the same in every process, on every machine and for every layout of the same
gold answers. If the score ignores order and repetition of gold answers, so do fingerprints.
"""

import json
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .arrow import SPREAD, binary_array, fingerprints, mixed
from .ragged import Ragged, begins_run, read_only

_MOST_ROWS = 1 << 14  # joined parts with fewer rows keep the rows and compute their fingerprints together


class GoldFingerprints:
    """A fingerprint of each of n examples for every part of its gold data, such as "gold answers".

    They are computed when they are compared, joined, sliced or pickled, so scoring is not slowed down. Until then the
    source data are kept and must not change: strings, numbers and arrays that nothing else writes to.

    Attributes:
        size: n.
    """

    def __init__(self, size: int, made: Mapping[str, Any]):
        """The parts by name: uint64 (n,) each, or a function that computes them, or None where there are none."""
        self.size = size
        self._made: dict[str, Any] = dict(made)

    @classmethod
    def of_rows(
        cls, name: str, rows: Sequence[Any], value: Callable[[Any], Any] = lambda row: row
    ) -> "GoldFingerprints":
        """Fingerprints of n rows, which must not change later: `value` turns each into a string, a number, None or a
        tuple of these.
        """
        return cls(len(rows), {name: _Rows(list(rows), value)})

    @classmethod
    def of_texts(cls, name: str, lists: Sequence[Sequence[str]]) -> "GoldFingerprints":
        """Fingerprints of n lists of texts, ignoring order and repetition; the lists may change later."""
        return cls(len(lists), {name: _Rows(list(map(tuple, lists)), None)})

    @classmethod
    def of_labels(cls, codes: np.ndarray | Ragged, labels: Sequence[Any]) -> "GoldFingerprints":
        """Fingerprints of the true classes of each example: (n,) class numbers, or n lists of distinct class numbers.

        They do not depend on how classes are numbered.
        """

        def made() -> np.ndarray | None:
            if not isinstance(codes, Ragged):
                return label_prints(codes, labels)
            prints = label_prints(codes.values, labels)
            return None if prints is None else print_sums(prints, codes.offsets)

        return cls(len(codes), {"true labels": made})

    @property
    def parts(self) -> dict[str, np.ndarray]:
        """The parts by name, uint64 (n,) each."""
        if any(map(callable, self._made.values())):
            made = {name: part() if callable(part) else part for name, part in self._made.items()}
            self._made = {name: read_only(part) for name, part in made.items() if part is not None}
        return self._made

    def __len__(self) -> int:
        return self.size

    def __or__(self, other: "GoldFingerprints") -> "GoldFingerprints":
        """The fingerprints of both, for the same examples."""
        return GoldFingerprints(self.size, {**self._made, **other._made})

    def __getstate__(self) -> dict[str, Any]:
        return {"size": self.size, "_made": self.parts}

    def take(self, rows: np.ndarray) -> "GoldFingerprints":
        """The fingerprints of these examples, in this order."""
        return GoldFingerprints(len(rows), {name: part[rows] for name, part in self.parts.items()})

    @staticmethod
    def concat(parts: Sequence["GoldFingerprints | None"]) -> "GoldFingerprints | None":
        """The fingerprints of several Scores, one after another, without parts that one of them lacks; None if one has
        none.

        Those of few rows are computed together, on first use: a stream of single rows is joined in a fraction of the time.
        """
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        size = sum(map(len, known))
        joined: dict[str, Any] = {}
        for name in known[0]._made:
            sources: list[Any] = [part._made.get(name) for part in known]
            if size < _MOST_ROWS and all(isinstance(source, _Rows) for source in sources):
                joined[name] = _Rows([row for source in sources for row in source.rows], sources[0].value)
            elif all(name in part.parts for part in known):
                joined[name] = read_only(np.concatenate([part.parts[name] for part in known]))
        return GoldFingerprints(size, joined)

    def first_other(self, other: "GoldFingerprints") -> tuple[str, int] | None:
        """The first example whose gold data differ, and the part that differs; None if all are equal.

        Only common parts are compared; if ids differ, other parts of the row are not compared.
        """
        differences = []
        for name in self.parts.keys() & other.parts.keys():
            unequal = np.flatnonzero(self.parts[name] != other.parts[name])
            differences += [(int(unequal[0]), name != "ids", name)] if len(unequal) else []
        row, _, name = min(differences, default=(0, False, ""))
        return (name, row) if differences else None


class _Rows(NamedTuple):
    """Computes the fingerprints of rows: of the `value` of each; None: of lists of texts, ignoring order and repetition."""

    rows: list[Any]
    value: Callable[[Any], Any] | None

    def __call__(self) -> np.ndarray:
        if self.value is not None:
            return text_prints([plain_text(self.value(row)) for row in self.rows])
        counts = np.fromiter(map(len, self.rows), np.int64, len(self.rows))
        return print_sets(text_prints(list(chain.from_iterable(self.rows))), counts)


def _json_number(value: Any) -> int:
    if isinstance(value, numbers.Integral):  # of numpy
        return int(value)
    raise TypeError(f"no fingerprint of {type(value).__name__}")


_ENCODER = json.JSONEncoder(default=_json_number)


def plain_text(value: Any) -> str:
    """Strings, numbers, None and tuples as a text that is the same in every Python version; else a TypeError."""
    return _ENCODER.encode(value)


def sorted_texts(values: Iterable[Any]) -> tuple[str, ...]:
    """The distinct values as sorted texts."""
    return tuple(sorted(set(map(plain_text, values))))


def text_prints(texts: Sequence[str]) -> np.ndarray:
    """A fingerprint of each text, uint64 (m,)."""
    import pyarrow as pa

    return mixed(fingerprints(pa.chunked_array([binary_array(texts)])) + SPREAD)


def integer_prints(values: np.ndarray) -> np.ndarray:
    """A fingerprint of each number of an int64 array, uint64 (m,)."""
    return mixed(np.asarray(values, np.int64).view(np.uint64) * SPREAD + SPREAD)


def float_prints(values: np.ndarray) -> np.ndarray:
    """A fingerprint of each number of a float64 array, uint64 (m,)."""
    return integer_prints((np.asarray(values, np.float64) + 0.0).view(np.int64))  # -0.0 is equal to 0.0


def print_sums(prints: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """A fingerprint of each run of fingerprints between `offsets` (n + 1,), ignoring order; repetitions count."""
    sums = np.zeros(len(prints) + 1, np.uint64)
    np.cumsum(prints, out=sums[1:])
    return mixed(sums[offsets[1:]] - sums[offsets[:-1]])


def print_sets(prints: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """A fingerprint of each run of `counts` (n,) fingerprints, ignoring order and repetition."""
    rows = np.repeat(np.arange(len(counts)), counts)
    prints = prints[np.lexsort((prints, rows))]
    prints[~(begins_run(rows) | begins_run(prints))] = 0
    return print_sums(prints, np.append(0, np.cumsum(counts)))


def label_prints(codes: np.ndarray, labels: Sequence[Any]) -> np.ndarray | None:
    """A fingerprint of the class of each class number, uint64 (m,); None if classes have no stable text."""
    used, index = np.unique(np.asarray(codes, np.int64), return_inverse=True)
    classes = [labels[number] for number in used.tolist()]
    try:
        prints = text_prints(list(map(plain_text, classes)))
    except (TypeError, ValueError):  # of an object of the user's, or of a number of thousands of digits
        return None
    whole = [row for row, label in enumerate(classes) if _is_whole(label)]
    prints[whole] = integer_prints(np.array([int(classes[row]) for row in whole], np.int64))
    return prints[index]


def _is_whole(label: Any) -> bool:
    """Whether a class is an integer of 64 bits; 1, 1.0 and True are the same one."""
    whole = isinstance(label, int) or isinstance(label, float) and label.is_integer()
    return whole and -(1 << 63) <= label < 1 << 63
