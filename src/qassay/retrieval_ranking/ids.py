"""Ids of queries and documents: as text, and judged documents found in columns of ids by 64-bit fingerprints.

A column of ids is a pyarrow.ChunkedArray of string or large_string without gaps (`long.id_column`). Its segments are runs of
rows, one per query: segment i has the rows offsets[i]:offsets[i + 1], `offsets` is int64 (s + 1,).
"""

import functools
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core.arrow import ROWS_AT_ONCE, SPREAD_2, arrow_integers, fingerprints, numbers_of
from ..core.shown import describe, shown

# --- ids as text ------------------------------------------------------------------------------------------------------

_GIVE_IDS = "ids are strings, or integers that stand for their digits"


def id_texts(ids: Sequence[Any], name: str, query: Any = None) -> list[str]:
    """Ids as text: strings unchanged, integers as their digits.

    Args:
        query: the query whose documents they are, for messages.

    Raises:
        TypeError: an id of another type, or ids of both types.
    """
    kinds = set(map(type, ids))
    if kinds <= {str}:
        return list(ids)
    of = "" if query is None else f" of query {shown(query)}"
    if all(issubclass(kind, str) for kind in kinds) or all(map(_is_integer, kinds)):
        return list(map(str, ids))
    first = ids[0]
    for item in ids:
        if not (isinstance(item, str) or _is_integer(type(item))):
            raise TypeError(f"{name}: an id{of} is {describe(item)}; {_GIVE_IDS}")
        if isinstance(item, str) != isinstance(first, str):
            raise TypeError(
                f"{name}: ids of mixed type, the first is {describe(first)} and another{of} is {describe(item)}; "
                f"{_GIVE_IDS}, not both"
            )
    raise AssertionError("ids that are all of one kind were returned above")


def _is_integer(kind: type) -> bool:
    return issubclass(kind, (int, np.integer)) and kind is not bool


def unique_texts(ids: Sequence[Any], name: str) -> list[str]:
    """The same for ids that may not repeat."""
    texts = id_texts(ids, name)
    if len(set(texts)) != len(texts):
        row, identifier = first_repeated(texts)
        raise ValueError(
            f"{name} {shown(identifier)} is given twice, the second time in row {row}; give every query one row"
        )
    return texts


def first_repeated(items: Sequence[Any]) -> tuple[int, Any]:
    """The index and value of the first duplicate."""
    seen: set[Any] = set()
    return next((index, item) for index, item in enumerate(items) if item in seen or seen.add(item))  # type: ignore[func-returns-value]


def refuse_duplicate(query: Any, document: Any) -> None:
    """Raise the error of a duplicate document in a ranking."""
    raise ValueError(
        f"predictions: query {shown(query)} has the document {shown(document)} twice; give every document once "
        "per query, or say which counts: duplicates=first or best"
    )


def has_text_keys(ids: Any) -> bool:
    """Whether all keys of a dict are known to be strings without a look at each; False if unknown.

    CPython keeps dicts of strings in a smaller layout, which their size shows.
    """
    return type(ids) is dict and (not ids or sys.getsizeof(ids) in _sizes_of_text_dicts())


@functools.cache
def _sizes_of_text_dicts() -> frozenset[int]:
    """The sizes in memory that only dicts of strings have; none where Python has one layout for all."""
    sizes: set[int] = set()
    others: set[int] = set()
    for texts in (list(map(str, range(5 << log))) for log in range(12)):
        sizes.add(sys.getsizeof(dict.fromkeys(texts)))
        others.update(
            sys.getsizeof(dict.fromkeys(keys)) for keys in (range(len(texts)), [*texts[1:], 1], [1, *texts[1:]])
        )
    return frozenset(sizes - others)


# --- columns of ids ---------------------------------------------------------------------------------------------------


def split_queries(column: Any) -> tuple[list[str], np.ndarray, np.ndarray | None]:
    """The rows of each query of a column of query ids.

    Returns:
        The queries in the order in which they first come; offsets (q + 1,); and the order (n,) that brings the rows of a
        query together, None if they are together already.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    begins = np.ones(len(column), bool)
    changes = pc.not_equal(column.slice(1), column.slice(0, max(len(column) - 1, 0)))
    begins[1:] = numbers_of(changes.cast(pa.int8()))
    starts = np.append(np.flatnonzero(begins), len(column))
    bits = pa.py_buffer(np.packbits(begins, bitorder="little"))
    first = column.filter(pa.Array.from_buffers(pa.bool_(), len(column), [None, bits]))
    encoded = first.combine_chunks().dictionary_encode()
    keys, code = encoded.dictionary.to_pylist(), numbers_of(encoded.indices)
    if len(code) == len(keys):
        return keys, starts, None
    row_code = np.repeat(code, np.diff(starts))
    sizes = np.bincount(row_code, minlength=len(keys))
    return keys, np.concatenate([[0], np.cumsum(sizes)]), np.argsort(row_code, kind="stable")


def may_have_duplicates(column: Any, offsets: np.ndarray) -> bool:
    """Whether a segment may have a duplicate id: two of its fingerprints are equal."""
    segment = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint64), np.diff(offsets))
    prints = np.sort(fingerprints(column) ^ segment * SPREAD_2)
    return bool((prints[1:] == prints[:-1]).any())


def once_in_segments(column: Any, offsets: np.ndarray, numbers: np.ndarray | None = None) -> np.ndarray:
    """The rows, ascending, with each id once per segment: its first row, or the first one with the highest of its
    `numbers` (n,).
    """
    import pyarrow as pa

    order = np.arange(len(column)) if numbers is None else np.argsort(-numbers.astype(np.float64), kind="stable")
    segment = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    index = np.arange(len(order))
    rows = pa.table({"segment": segment[order], "id": column.take(arrow_integers(order)), "index": index})
    first = rows.group_by(["segment", "id"]).aggregate([("index", "min")]).column("index_min")
    return np.sort(order[numbers_of(first)])


def match_in_segments(
    column: Any, offsets: np.ndarray, requested: Any, segment: np.ndarray, names: Sequence[Any]
) -> tuple[np.ndarray, np.ndarray]:
    """The rows where requested ids occur in their segments.

    Args:
        requested: m ids, a pyarrow.ChunkedArray of large_binary.
        segment: int64 (m,), ascending, the segment of each; none of the segments is empty.
        names: the query of each segment, for messages.

    Returns:
        Indices in `requested` and rows of the found ids, ordered by segment.

    Raises:
        ValueError: a duplicate id in a segment, requested or not.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    rows, alike = _match_prints(fingerprints(column), offsets, fingerprints(requested), segment)
    found = np.flatnonzero(rows >= 0)
    there = column.take(arrow_integers(rows[found])).cast(pa.large_binary())
    same = pc.equal(there, requested.take(arrow_integers(found)))
    rows[found[numbers_of(same.cast(pa.int8())) == 0]] = -1
    for number in np.unique(np.searchsorted(offsets, alike, "right") - 1).tolist():  # a duplicate, or other ids
        first = int(offsets[number])
        listed = column.slice(first, offsets[number + 1] - first).cast(pa.large_binary()).to_pylist()
        row_of = dict(zip(listed, range(first, first + len(listed)), strict=True))
        if len(row_of) < len(listed):
            refuse_duplicate(names[number], first_repeated(listed)[1].decode())
        low, high = np.searchsorted(segment, (number, number + 1))
        rows[low:high] = [row_of.get(name, -1) for name in requested.slice(low, high - low).to_pylist()]
    found = np.flatnonzero(rows >= 0)
    return found, rows[found]


def _match_prints(
    prints: np.ndarray, offsets: np.ndarray, requested: np.ndarray, segment: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """For each of m requested fingerprints a row of its segment that has it, or -1; and one row or more of each group of
    rows with equal fingerprints.

    One sort of the fingerprints of a block, each with its row in the lowest bits, shows both.
    """
    rows, alike = np.full(len(requested), -1), [np.empty(0, np.int64)]
    for first, last in blocks_of(offsets):
        base, stop = int(offsets[first]), int(offsets[last])
        bits = np.uint64((stop - base).bit_length())
        salt = np.arange(last - first, dtype=np.uint64) * SPREAD_2  # so that equal ids in different segments differ
        keys = (prints[base:stop] + np.repeat(salt, np.diff(offsets[first : last + 1]))) >> bits << bits
        keys |= np.arange(stop - base, dtype=np.uint64)
        keys.sort()
        row_of = (keys & ((np.uint64(1) << bits) - np.uint64(1))).view(np.int64) + base
        keys >>= bits
        alike.append(row_of[1:][keys[1:] == keys[:-1]])
        low, high = np.searchsorted(segment, (first, last))
        sought = (requested[low:high] + salt[segment[low:high] - first]) >> bits
        order = np.argsort(sought)  # a sorted search is three times as fast
        sought = sought[order]
        index = np.minimum(np.searchsorted(keys, sought), stop - base - 1)
        rows[low + order] = np.where(keys[index] == sought, row_of[index], -1)
    return rows, np.concatenate(alike)


def blocks_of(offsets: np.ndarray) -> Iterator[tuple[int, int]]:
    """Blocks of consecutive segments with about `ROWS_AT_ONCE` rows, as (first, one after the last)."""
    first = 0
    while first < len(offsets) - 1:
        last = int(np.searchsorted(offsets, offsets[first] + ROWS_AT_ONCE, "right")) - 1
        last = max(first + 1, min(last, len(offsets) - 1))
        yield first, last
        first = last
