"""Fingerprints of gold data: one number for the gold data of each example.

They show whether two systems were scored against the same gold answers, without keeping these.

They depend only on the values: they are the same in every process, on every machine and for every layout of the same
gold answers. If the score ignores order and repetition of gold answers, so do fingerprints.
"""

import dataclasses
import hashlib
import json
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from .arrow import SPREAD, arrow_integers, binary_array, fingerprints, mixed
from .ragged import Ragged, join_rows, read_only

if TYPE_CHECKING:
    import pyarrow as pa

_LONG = 256  # bytes; longer texts are shortened first, because the time grows with the longest text


class GoldFingerprints:
    """A fingerprint of each of n examples for every part of its gold data, such as "gold answers"; made on first use.

    They are computed when they are compared, joined, sliced or pickled, so scoring is not slowed down. Until then the
    source data are kept and must not change: strings, numbers and arrays that nothing else writes to.

    Attributes:
        size: n.
    """

    def __init__(self, size: int, made: Mapping[str, Any]):
        """The parts by name: uint64 (n,) each, or a function that computes them."""
        self.size = size
        self._made: dict[str, Any] = dict(made)

    @classmethod
    def of_texts(cls, name: str, lists: Sequence[Sequence[str]]) -> "GoldFingerprints":
        """Fingerprints of n lists of texts, ignoring order and repetition; the lists may change later."""
        counts = np.fromiter(map(len, lists), np.int64, len(lists))
        return cls(len(lists), {name: _Texts(list(chain.from_iterable(lists)), counts)})

    @classmethod
    def of_rows(
        cls, name: str, rows: Sequence[Any], value: Callable[[Any], Any] = lambda row: row
    ) -> "GoldFingerprints":
        """Fingerprints of n rows, which must not change later: `value` turns each into a string, a number, None or a
        tuple of these.
        """
        return cls(len(rows), {name: _Rows(rows, value)})

    @classmethod
    def of_labels(cls, codes: np.ndarray | Ragged, labels: Sequence[Any]) -> "GoldFingerprints":
        """Fingerprints of the true classes of each example: (n,) class numbers, or n lists of distinct class numbers.

        They do not depend on how classes are numbered.
        """
        return cls(len(codes), {"true labels": _Labels(codes, labels)})

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

    def __repr__(self) -> str:
        return f"<GoldFingerprints of {self.size} examples: {', '.join(self._made)}>"

    def __getstate__(self) -> dict[str, Any]:
        return {"size": self.size, "_made": self.parts}

    def take(self, rows: np.ndarray) -> "GoldFingerprints":
        """The fingerprints of these examples, in this order."""
        return GoldFingerprints(len(rows), {name: part[rows] for name, part in self.parts.items()})

    @staticmethod
    def concat(parts: Sequence["GoldFingerprints | None"]) -> "GoldFingerprints | None":
        """The fingerprints of several Scores, one after another, without parts that one of them lacks; None if one has
        none.

        All are made here; the fingerprints of many small Scores are made together.
        """
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        names = [name for name in known[0]._made if all(name in part._made for part in known)]
        joined = {name: _joined([part._made[name] for part in known]) for name in names}
        made = {name: read_only(part) for name, part in joined.items() if part is not None}
        return GoldFingerprints(sum(map(len, known)), made)

    def first_other(self, other: "GoldFingerprints") -> tuple[str, int] | None:
        """The first example whose gold data differ, and the part that differs; None if all are equal.

        Only common parts are compared; if ids differ, other parts of the row are not compared.
        """
        differences = []
        for name in self.parts.keys() & other.parts.keys():
            unequal = np.flatnonzero(self.parts[name] != other.parts[name])
            differences += [(int(unequal[0]), name)] if len(unequal) else []
        return (
            min(differences, key=lambda other: (other[0], other[1] != "ids", other[1]))[::-1] if differences else None
        )


@dataclasses.dataclass(frozen=True)
class _Texts:
    """Makes the fingerprints of lists of texts."""

    flat: list[str]
    counts: np.ndarray

    def __call__(self) -> np.ndarray:
        return self.joined([self])

    @staticmethod
    def joined(all_of: Sequence["_Texts"]) -> np.ndarray:
        """The fingerprints of several, one after another."""
        prints = text_prints(list(chain.from_iterable(maker.flat for maker in all_of)))
        return print_sets(prints, np.concatenate([maker.counts for maker in all_of]))


@dataclasses.dataclass(frozen=True)
class _Rows:
    """Makes the fingerprints of rows."""

    rows: Sequence[Any]
    value: Callable[[Any], Any]

    def __call__(self) -> np.ndarray:
        return self.joined([self])

    @staticmethod
    def joined(all_of: Sequence["_Rows"]) -> np.ndarray:
        """The fingerprints of several, one after another."""
        return text_prints([plain_text(maker.value(row)) for maker in all_of for row in maker.rows])


@dataclasses.dataclass(frozen=True)
class _Labels:
    """Makes the fingerprints of true classes; None if there are none."""

    codes: Any
    labels: Sequence[Any]

    def __call__(self) -> np.ndarray | None:
        lists = isinstance(self.codes, Ragged)
        prints = label_prints(self.codes.values if lists else self.codes, self.labels)
        return print_sums(prints, self.codes.offsets) if lists and prints is not None else prints

    @staticmethod
    def joined(all_of: Sequence["_Labels"]) -> np.ndarray | None:
        """The fingerprints of several, one after another."""
        first = all_of[0]
        if all(maker.labels is first.labels and type(maker.codes) is type(first.codes) for maker in all_of):
            return _Labels(join_rows([maker.codes for maker in all_of]), first.labels)()
        return _concatenated([maker() for maker in all_of])


def _joined(made: Sequence[Callable[[], np.ndarray | None] | np.ndarray]) -> np.ndarray | None:
    """Concatenate fingerprints or their sources: many small ones are computed together, which is faster."""
    parts: list[np.ndarray | None] = []
    for kind, group in groupby(made, type):
        if hasattr(kind, "joined"):
            parts.append(kind.joined([*group]))
        else:
            parts += [part() if callable(part) else part for part in group]
    return _concatenated(parts)


def _concatenated(parts: Sequence[np.ndarray | None]) -> np.ndarray | None:
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if len(known) == len(parts) else None


def plain_text(value: Any) -> str:
    """Strings, numbers, None and tuples as a text that is the same in every Python version; else a TypeError."""
    return json.dumps(value, default=_json_number)


def _json_number(value: Any) -> int:
    if isinstance(value, numbers.Integral):  # of numpy
        return int(value)
    raise TypeError(f"no fingerprint of {type(value).__name__}")


def sorted_texts(values: Iterable[Any]) -> tuple[str, ...]:
    """The distinct values as sorted texts."""
    return tuple(sorted(set(map(plain_text, values))))


def text_prints(texts: Sequence[str]) -> np.ndarray:
    """A fingerprint of each text, uint64 (m,)."""
    return _binary_prints(binary_array(texts))


def column_prints(column: "pa.ChunkedArray") -> np.ndarray:
    """A fingerprint of each text of a column of large_binary, uint64 (m,)."""
    return np.concatenate([np.empty(0, np.uint64), *map(_binary_prints, column.chunks)])


def _binary_prints(texts: "pa.LargeBinaryArray") -> np.ndarray:
    import pyarrow as pa

    bounds = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset :][: len(texts) + 1]
    long = np.flatnonzero(np.diff(bounds) > _LONG)
    if len(long):
        short = pa.array(map(_shortened, texts.take(arrow_integers(long)).to_pylist()), pa.large_binary())
        order = np.arange(len(texts))
        order[long] = len(texts) + np.arange(len(long))
        texts = pa.concat_arrays([texts, short]).take(arrow_integers(order))
    return mixed(fingerprints(pa.chunked_array([texts])) + SPREAD)


def _shortened(text: bytes) -> bytes:
    return text[:16] + hashlib.blake2b(text, digest_size=16).digest()


class TextSets:
    """Fingerprints of lists of texts, ignoring order and repetition, from blocks of numbered texts."""

    def __init__(self) -> None:
        self._blocks: list[tuple[Any, ...]] = []
        self._counts: list[np.ndarray] = []

    @property
    def are_empty(self) -> bool:
        """Whether nothing was added."""
        return not self._counts

    def add(self, texts: "pa.LargeBinaryArray", index: np.ndarray, counts: np.ndarray) -> None:
        """Add lists, `counts` (n,) long, of the texts with these numbers; of several blocks the texts are not kept."""
        self._blocks.append((texts, index))
        self._counts.append(counts)
        if len(self._blocks) > 1:
            self._blocks = [_print_block(*block) for block in self._blocks]

    def __call__(self) -> np.ndarray:
        """A fingerprint of each list, uint64 (n,)."""
        return self.joined([self])

    @staticmethod
    def joined(all_of: Sequence["TextSets"]) -> np.ndarray:
        """The fingerprints of several, one after another."""
        blocks = [block for sets in all_of for block in sets._blocks]
        if len(blocks) > 1 and all(index is not None for _, index in blocks):
            blocks = [_one_block(blocks)]
        prints = np.concatenate([_print_block(*block)[0] for block in blocks])
        return print_sets(prints, np.concatenate([counts for sets in all_of for counts in sets._counts]))


def _one_block(blocks: Sequence[tuple["pa.LargeBinaryArray", np.ndarray]]) -> tuple["pa.LargeBinaryArray", np.ndarray]:
    import pyarrow as pa

    sizes = np.fromiter((len(texts) for texts, _ in blocks), np.int64, len(blocks))
    starts = np.repeat(np.cumsum(sizes) - sizes, [len(index) for _, index in blocks])
    return pa.concat_arrays([texts for texts, _ in blocks]), np.concatenate([index for _, index in blocks]) + starts


def _print_block(texts: Any, index: np.ndarray | None) -> tuple[np.ndarray, None]:
    """Texts with numbers of them as fingerprints; these, which have none, as they are."""
    return (texts if index is None else _binary_prints(texts)[index]), None


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
    offsets = np.append(0, np.cumsum(counts))
    prints = prints.copy()
    for count in np.unique(counts[counts > 1]).tolist():  # runs of one length are sorted together
        places = offsets[:-1][counts == count][:, None] + np.arange(count)
        runs = np.sort(prints[places], axis=1)
        runs[:, 1:][runs[:, 1:] == runs[:, :-1]] = 0
        prints[places] = runs
    return print_sums(prints, offsets)


def label_prints(codes: np.ndarray, labels: Sequence[Any]) -> np.ndarray | None:
    """A fingerprint of the class of each class number, uint64 (m,); None if classes have no stable text."""
    if isinstance(labels, range):
        return integer_prints(labels.start + codes * labels.step)
    used, places = np.unique(codes, return_inverse=True)
    classes = [labels[number] for number in used.tolist()]
    try:
        prints = text_prints(list(map(plain_text, classes)))
    except (TypeError, ValueError):  # of an object of the user's, or of a number of thousands of digits
        return None
    whole = [place for place, label in enumerate(classes) if _is_whole(label)]
    prints[whole] = integer_prints(np.array([int(classes[place]) for place in whole], np.int64))
    return prints[places]


def _is_whole(label: Any) -> bool:
    """Whether a class is an integer of 64 bits; 1, 1.0 and True are the same one."""
    whole = isinstance(label, int) or isinstance(label, float) and label.is_integer()
    return whole and -(1 << 63) <= label < 1 << 63
