"""Arrow columns of ids: segments of one query, and judged documents found in them by 64-bit fingerprints."""

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..core.arrow import ROWS_AT_ONCE, SPREAD, SPREAD_2, arrow_integers, binary_array, fingerprints, numbers_of
from ..core.ragged import begins_run
from ..core.shown import shown


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
    """The places in a chunk where a value differs from its predecessor."""
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
        """The ids in these places."""
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
    owner = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint64), np.diff(offsets))
    hashes = fingerprints(column) ^ owner * SPREAD_2
    order = np.argsort(hashes, kind="stable") if numbers is None else np.lexsort((-numbers.astype(np.float64), hashes))
    hashes = hashes[order]
    starts = begins_run(hashes)
    first = order[np.flatnonzero(starts)[np.cumsum(starts) - 1]]
    again = np.flatnonzero(~starts)
    # Other ids may have the same fingerprint.
    same = _same_ids(
        column.take(arrow_integers(order[again])), IdTexts(id_list(column.take(arrow_integers(first[again]))))
    )
    kept = np.ones(len(order), bool)
    kept[order[again[same & (owner[order[again]] == owner[first[again]])]]] = False
    return np.flatnonzero(kept)


def rows_equal_to(column, names: list[str], sizes: np.ndarray) -> np.ndarray:
    """bool (n,): which rows of a column of ids are the name of their segment."""
    hashes = fingerprints(column) == np.repeat(IdTexts(names).fingerprints_as(column.type), sizes)
    rows = np.flatnonzero(hashes)
    owner = np.repeat(np.arange(len(names)), sizes)[rows]
    ids = id_list(column.take(arrow_integers(rows)))
    hashes[rows] = [identifier == names[other] for identifier, other in zip(ids, owner.tolist(), strict=True)]
    return hashes


def match_ids_in_segments(
    column, offsets: np.ndarray, wanted: IdTexts, segment: np.ndarray, names: Sequence
) -> tuple[np.ndarray, np.ndarray]:
    """The rows where wanted ids occur in their segments of a column of ids.

    Args:
        column: a pyarrow.ChunkedArray of ids (see `id_column` in `tables`), segment after segment.
        offsets: int64 (s + 1,), where the segments begin; none is empty.
        wanted: m ids.
        segment: int64 (m,), ascending, the segment of each.
        names: the query of each segment, for messages.

    Returns:
        Places in `wanted` and rows of the found ids, ordered by segment.

    Raises:
        ValueError: a duplicate id in a segment, wanted or not.
    """
    rows, duplicates = _match_hashes(fingerprints(column), offsets, wanted.fingerprints_as(column.type), segment)
    unsure = np.empty(0, np.int64)
    if len(duplicates):
        owner = np.searchsorted(offsets, duplicates, "right") - 1
        first, second = (id_list(column.take(arrow_integers(side))) for side in duplicates.T)
        for (identifier, other), number, same in zip(
            zip(first, second, strict=True), owner[:, 0], owner[:, 0] == owner[:, 1]
        ):
            if same and identifier == other:
                refuse_duplicate(names[number], identifier)
        unsure = np.unique(owner)  # other ids with the same fingerprint
    place = np.flatnonzero(rows >= 0)
    others = place[~_same_ids(column.take(arrow_integers(rows[place])), wanted.take(place))]
    rows[others] = -1
    for number in unsure.tolist():
        listed = id_list(column.slice(offsets[number], offsets[number + 1] - offsets[number]))
        row_of = {identifier: row for row, identifier in enumerate(listed, int(offsets[number]))}
        if len(row_of) < len(listed):
            refuse_duplicate(
                names[number],
                next(name for row, name in enumerate(listed, int(offsets[number])) if row_of[name] != row),
            )
        low, high = np.searchsorted(segment, (number, number + 1))
        rows[low:high] = [row_of.get(name, -1) for name in wanted.listed[low:high]]
    place = np.flatnonzero(rows >= 0)
    return place, rows[place]


def _same_ids(column, wanted: IdTexts) -> np.ndarray:
    """bool (h,): which ids of a column are the wanted ones."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        same = pc.equal(column.cast(pa.large_binary()), wanted.binary)
        return numbers_of(same.cast(pa.int8())) == 1
    return np.array(
        [identifier == other for identifier, other in zip(id_list(column), wanted.listed, strict=True)], bool
    )


def refuse_duplicate(query: object, document: object) -> None:
    """Raise the error of a duplicate document in a ranking."""
    raise ValueError(
        f"predictions: query {shown(query)} has the document {shown(document)} twice; give every document once "
        "per query, or say which counts: duplicates=first or best"
    )


def _match_hashes(
    hashes: np.ndarray, offsets: np.ndarray, wanted: np.ndarray, segment: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows whose fingerprint is wanted in their segment, and pairs of rows that share a fingerprint.

    The rows of a block go into a hash table by one assignment, in which the last row of each slot wins; the others are
    compared with the winner and, where they differ, go into the next round. The first round takes the slot from the
    fingerprint, all later ones from the fingerprint times an odd number: each round takes the winners out, so that
    rows of one slot get their turn one after the other.

    Args:
        hashes: uint64 (n,), the fingerprints of all rows, segment after segment.
        offsets: int64 (s + 1,), where the segments begin.
        wanted: uint64 (m,), fingerprints looked for.
        segment: int64 (m,), ascending, the segment of each.

    Returns:
        int64 (m,), a row with that fingerprint in that segment, or -1; and int64 (d, 2), pairs of rows.
    """
    rows, duplicates = np.full(len(wanted), -1), [np.empty((0, 2), np.int64)]
    for first, last in blocks_of(offsets):
        base, stop = int(offsets[first]), int(offsets[last])
        bits = (stop - base).bit_length() + 1
        table = np.zeros(1 << bits, np.int32)
        shift = np.uint64(64 - bits)
        salt = np.arange(last - first, dtype=np.uint64) * SPREAD_2  # so that equal ids in different segments differ
        keys = hashes[base:stop] + np.repeat(salt, np.diff(offsets[first : last + 1]))
        low, high = np.searchsorted(segment, (first, last))
        sought = wanted[low:high] + salt[segment[low:high] - first]
        left, open_places = np.arange(stop - base, dtype=np.int32), np.arange(low, high)
        left_keys, turned, turned_sought = keys, keys, sought
        while len(left):
            slot = (turned >> shift).view(np.int64)
            table[slot] = left
            if len(open_places):
                candidate = table[(turned_sought >> shift).view(np.int64)]
                hit = keys[candidate] == sought
                rows[open_places[hit]] = candidate[hit] + base
                open_places, sought = open_places[~hit], sought[~hit]
            winner = table[slot]
            lost = np.flatnonzero(winner != left)
            left, winner, left_keys = left[lost], winner[lost], left_keys[lost]
            same = left_keys == keys[winner]
            if same.any():
                duplicates.append(np.column_stack([left[same], winner[same]]).astype(np.int64) + base)
                left, left_keys = left[~same], left_keys[~same]
            turned, turned_sought = left_keys * SPREAD, sought * SPREAD
    return rows, np.concatenate(duplicates)


def blocks_of(offsets: np.ndarray) -> Iterator[tuple[int, int]]:
    """Blocks of consecutive segments with about `ROWS_AT_ONCE` rows, as (first, one after the last)."""
    first = 0
    while first < len(offsets) - 1:
        last = int(np.searchsorted(offsets, offsets[first] + ROWS_AT_ONCE, "right")) - 1
        last = max(first + 1, min(last, len(offsets) - 1))
        yield first, last
        first = last
