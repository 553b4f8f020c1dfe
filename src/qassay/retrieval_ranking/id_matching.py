"""Ids of queries and documents: as text, as Arrow columns, and judged documents found in columns by 64-bit fingerprints."""

import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.arrow import ROWS_AT_ONCE, SPREAD_2, arrow_integers, binary_array, fingerprints, numbers_of
from ..core.ragged import begins_run
from ..core.shown import LONGEST_NUMBER, describe, shown

# --- ids as text ------------------------------------------------------------------------------------------------------

_GIVE_IDS = "ids are strings, or integers that stand for their digits"


def id_texts(  # type: ignore[return]  # the loop finds the id of another type
    ids: Sequence[Any], name: str, where: Callable[[int], str] = lambda index: ""
) -> list[str]:
    """Ids as text: strings unchanged, integers as their digits.

    Args:
        where: what the message says after the index of a bad id.

    Raises:
        TypeError: an id of another type, or ids of both types.
    """
    kinds = set(map(type, ids))
    if kinds <= {str}:
        return ids if isinstance(ids, list) else list(ids)
    if all(issubclass(kind, str) for kind in kinds) or all(map(_is_int, kinds)):
        try:
            return list(map(str, ids))
        except ValueError:  # Python refuses to write longer numbers
            index = next(index for index, number in enumerate(ids) if abs(number) >= LONGEST_NUMBER)
            raise ValueError(f"{name}: an id{where(index)} is {shown(ids[index])}; give such ids as strings") from None
    first: Any = ids[0]
    for index, identifier in enumerate(ids):
        kind = type(identifier)
        if not (issubclass(kind, str) or _is_int(kind)):
            raise TypeError(f"{name}: an id{where(index)} is {describe(identifier)}; {_GIVE_IDS}")
        if issubclass(kind, str) != isinstance(first, str):
            raise TypeError(
                f"{name}: ids of mixed type, the first is {describe(first)} and another{where(index)} is "
                f"{describe(identifier)}; {_GIVE_IDS}, not both"
            )


def _is_int(kind: type) -> bool:
    return issubclass(kind, (int, np.integer)) and kind is not bool


def unique_texts(ids: Sequence, name: str) -> list[str]:
    """The same for ids that may not repeat."""
    texts = id_texts(ids, name)
    if len(set(texts)) != len(texts):
        row, identifier = first_repeated(texts)
        raise ValueError(
            f"{name} {shown(identifier)} is given twice, the second time in row {row}; give every query one row"
        )
    return texts


def first_repeated(items: Sequence) -> tuple[int, Any]:
    """The index and value of the first duplicate."""
    seen: set = set()
    return next((index, item) for index, item in enumerate(items) if item in seen or seen.add(item))  # type: ignore[func-returns-value]


def has_text_keys(ids: Mapping) -> bool:
    """Whether all keys of a dict are known to be strings without checking each; False if unknown.

    It only saves time: of a dict it says False of, the caller looks at every key. CPython 3.11 and later keep dicts of
    strings in a smaller layout, which their size tells; where probes find anything else, the answer is always False.
    """
    return not ids or (type(ids) is dict and sys.getsizeof(ids) in _TEXT_DICT_SIZES)


def _text_dict_sizes() -> frozenset[int]:
    """The sizes in memory of dicts of strings; none if a probe finds other sizes, or that others share them."""
    try:
        bare = sys.getsizeof({"a": 1}) - 8 - 16 * 5
        sizes = frozenset(bare + (1 << log) * (1 if log < 8 else 2) + 16 * ((2 << log) // 3) for log in range(3, 16))
        for count in (1, 5, 6, 11, 200, 3000):
            texts = list(map(str, range(count)))
            others = (range(count), [*texts[1:], 1], [1, *texts[1:]], [*texts[1:], np.str_("1.5")])
            if sys.getsizeof(dict.fromkeys(texts)) not in sizes or not sizes.isdisjoint(
                sys.getsizeof(dict.fromkeys(keys)) for keys in others
            ):
                return frozenset()
    except Exception:  # noqa: BLE001 - without sizes all works, only slower
        return frozenset()
    return sizes


_TEXT_DICT_SIZES = _text_dict_sizes()


# --- columns of ids ---------------------------------------------------------------------------------------------------


def id_list(column) -> list[str]:
    """All ids of a column as Python strings."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    values = column.to_pylist()
    return list(map(str, values)) if pa.types.is_integer(column.type) else values


def as_int(text: str) -> int | None:
    """The integer whose digits a text is, None if it is not such a text."""
    try:
        number = int(text)
    except ValueError:
        return None
    return number if str(number) == text else None


def split_queries(column) -> tuple[list[str], np.ndarray, np.ndarray | None]:
    """The rows of each query of a column of query ids.

    Returns:
        The queries in the order in which they first come, as text; offsets (q + 1,); and the order (n,) that brings the
        rows of a query together, None if they are together already.
    """
    import pyarrow as pa

    parts, starts, base = [], [], 0
    for chunk in column.chunks:
        if len(chunk):
            at = _run_starts(chunk)
            parts.append(chunk.take(arrow_integers(at)))
            starts.append(at + base)
        base += len(chunk)
    values = pa.chunked_array(parts, column.type)
    start = np.concatenate(starts)
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    encoded = values.dictionary_encode().unify_dictionaries()
    code = np.concatenate([numbers_of(chunk.indices) for chunk in encoded.chunks])
    first = np.flatnonzero(begins_run(code))  # a query may continue in the next chunk
    code, start = code[first], start[first]
    keys = id_list(encoded.chunk(0).dictionary)
    if len(code) == len(keys):
        return keys, np.append(start, base), None
    row_code = np.repeat(code, np.diff(np.append(start, base)))
    sizes = np.bincount(row_code, minlength=len(keys))
    return keys, np.concatenate([[0], np.cumsum(sizes)]), np.argsort(row_code, kind="stable")


def _run_starts(chunk) -> np.ndarray:
    """The indices in a chunk where a value differs from its predecessor."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(chunk.type):
        chunk = chunk.indices
    if pa.types.is_integer(chunk.type):
        values = numbers_of(chunk)
        return np.flatnonzero(begins_run(values))
    ends = numbers_of(pc.run_end_encode(chunk, run_end_type=pa.int64()).run_ends)
    return np.concatenate([[0], ends[:-1]])


class IdTexts:
    """Ids as text, from a list or from an Arrow column of strings; each form is created on first use."""

    def __init__(self, listed: list[str] | None = None, column: Any = None):
        if listed is not None:
            self.listed = listed
        self._column = column
        self._size = len(column if listed is None else listed)

    def __len__(self) -> int:
        return self._size

    @functools.cached_property
    def listed(self) -> list[str]:
        """The ids as a list of strings."""
        return id_list(self._column)

    @functools.cached_property
    def binary(self):
        """The ids as a column of large_binary."""
        import pyarrow as pa

        if self._column is None:
            return pa.chunked_array([binary_array(self.listed)])
        return self._column.cast(pa.large_binary())

    def take(self, rows: np.ndarray) -> "IdTexts":
        """The ids in these indices."""
        if self._column is None:
            return IdTexts(list(map(self.listed.__getitem__, rows.tolist())))
        return IdTexts(column=self._column.take(arrow_integers(rows)))

    def fingerprints_as(self, kind: Any) -> np.ndarray:
        """Their fingerprints as in a column of this type (arbitrary for ids that the type cannot represent)."""
        import pyarrow as pa

        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if not pa.types.is_integer(kind):
            return fingerprints(self.binary)
        numbers = [(as_int(text) or 0) & (1 << 64) - 1 for text in self.listed]
        return fingerprints(pa.chunked_array([arrow_integers(np.array(numbers, np.uint64))]))


def may_have_duplicates(column, offsets: np.ndarray) -> bool:
    """Whether a segment of a column may have a duplicate id: two of its fingerprints are equal."""
    owner = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint64), np.diff(offsets))
    hashes = fingerprints(column) ^ owner * SPREAD_2
    hashes.sort()
    return bool((hashes[1:] == hashes[:-1]).any())


def once_in_segments(column, offsets: np.ndarray, numbers: np.ndarray | None = None) -> np.ndarray:
    """The rows of a column of ids, ascending, with each id once per segment.

    Args:
        column: a pyarrow.ChunkedArray of ids, segment after segment.
        offsets: int64 (s + 1,), where the segments begin.
        numbers: (n,), of equal ids the row with the highest number is kept (ties go to the first); None: the first
            row.
    """
    import pyarrow as pa

    order = np.arange(len(column)) if numbers is None else np.argsort(-numbers.astype(np.float64), kind="stable")
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    segment = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    index = np.arange(len(order))
    rows = pa.table({"segment": segment[order], "id": column.take(arrow_integers(order)), "index": index})
    first = rows.group_by(["segment", "id"]).aggregate([("index", "min")]).column("index_min")
    return np.sort(order[numbers_of(first)])


def rows_equal_to(column, names: list[str], sizes: np.ndarray) -> np.ndarray:
    """bool (n,): which rows of a column of ids are the name of their segment."""
    hashes = fingerprints(column) == np.repeat(IdTexts(names).fingerprints_as(column.type), sizes)
    rows = np.flatnonzero(hashes)
    owner = np.repeat(np.arange(len(names)), sizes)[rows]
    ids = id_list(column.take(arrow_integers(rows)))
    hashes[rows] = [identifier == names[other] for identifier, other in zip(ids, owner.tolist(), strict=True)]
    return hashes


def match_ids_in_segments(
    column, offsets: np.ndarray, requested: IdTexts, segment: np.ndarray, names: Sequence
) -> tuple[np.ndarray, np.ndarray]:
    """The rows where requested ids occur in their segments of a column of ids.

    Args:
        column: a pyarrow.ChunkedArray of ids (see `id_column` in `long`), segment after segment.
        offsets: int64 (s + 1,), where the segments begin; none is empty.
        requested: m ids.
        segment: int64 (m,), ascending, the segment of each.
        names: the query of each segment, for messages.

    Returns:
        Indices in `requested` and rows of the found ids, ordered by segment.

    Raises:
        ValueError: a duplicate id in a segment, requested or not.
    """
    rows, alike = _match_hashes(fingerprints(column), offsets, requested.fingerprints_as(column.type), segment)
    found = np.flatnonzero(rows >= 0)
    rows[found[~_same_ids(column.take(arrow_integers(rows[found])), requested.take(found))]] = -1
    for number in np.unique(np.searchsorted(offsets, alike, "right") - 1).tolist():  # a duplicate, or other ids
        first = int(offsets[number])
        listed = id_list(column.slice(first, offsets[number + 1] - first))
        row_of = dict(zip(listed, range(first, first + len(listed)), strict=True))
        if len(row_of) < len(listed):
            refuse_duplicate(names[number], first_repeated(listed)[1])
        low, high = np.searchsorted(segment, (number, number + 1))
        rows[low:high] = [row_of.get(name, -1) for name in requested.listed[low:high]]
    found = np.flatnonzero(rows >= 0)
    return found, rows[found]


def _same_ids(column, requested: IdTexts) -> np.ndarray:
    """bool (h,): which ids of a column are the requested ones."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        same = pc.equal(column.cast(pa.large_binary()), requested.binary)
        return numbers_of(same.cast(pa.int8())) == 1
    return np.array([one == other for one, other in zip(id_list(column), requested.listed, strict=True)], bool)


def refuse_duplicate(query: object, document: object) -> None:
    """Raise the error of a duplicate document in a ranking."""
    raise ValueError(
        f"predictions: query {shown(query)} has the document {shown(document)} twice; give every document once "
        "per query, or say which counts: duplicates=first or best"
    )


def _match_hashes(
    hashes: np.ndarray, offsets: np.ndarray, requested: np.ndarray, segment: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose fingerprint is requested in their segment, and rows that share a fingerprint.

    Block by block, one sort of the fingerprints, each with its row in the lowest bits, tells both.

    Args:
        hashes: uint64 (n,), the fingerprints of all rows, segment after segment.
        offsets: int64 (s + 1,), where the segments begin.
        requested: uint64 (m,), fingerprints looked for.
        segment: int64 (m,), ascending, the segment of each.

    Returns:
        int64 (m,), a row with that fingerprint in that segment, or -1; and int64 (d,), one row or more of each group of
        equal fingerprints.
    """
    rows, alike = np.full(len(requested), -1), [np.empty(0, np.int64)]
    for first, last in blocks_of(offsets):
        base, stop = int(offsets[first]), int(offsets[last])
        bits = np.uint64((stop - base).bit_length())
        salt = np.arange(last - first, dtype=np.uint64) * SPREAD_2  # so that equal ids in different segments differ
        keys = (hashes[base:stop] + np.repeat(salt, np.diff(offsets[first : last + 1]))) >> bits << bits
        keys |= np.arange(stop - base, dtype=np.uint64)
        keys.sort()
        prints = keys >> bits
        row_of = (keys & ((np.uint64(1) << bits) - np.uint64(1))).view(np.int64) + base
        alike.append(row_of[1:][prints[1:] == prints[:-1]])
        low, high = np.searchsorted(segment, (first, last))
        sought = (requested[low:high] + salt[segment[low:high] - first]) >> bits
        order = np.argsort(sought)  # a sorted search is three times as fast
        sought = sought[order]
        index = np.minimum(np.searchsorted(prints, sought), stop - base - 1)
        rows[low + order] = np.where(prints[index] == sought, row_of[index], -1)
    return rows, np.concatenate(alike)


def blocks_of(offsets: np.ndarray) -> Iterator[tuple[int, int]]:
    """Blocks of consecutive segments with about `ROWS_AT_ONCE` rows, as (first, one after the last)."""
    first = 0
    while first < len(offsets) - 1:
        last = int(np.searchsorted(offsets, offsets[first] + ROWS_AT_ONCE, "right")) - 1
        last = max(first + 1, min(last, len(offsets) - 1))
        yield first, last
        first = last
