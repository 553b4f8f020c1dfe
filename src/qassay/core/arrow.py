"""Converts between Arrow and numpy through buffers.

`pa.array` and `to_numpy` import pandas if it is installed, which takes longer than the work on a small input.
"""

import contextlib
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from .columns import is_unicode
from .shown import LONGEST_NUMBER, shown

ROWS_AT_ONCE = 1 << 16  # rows per block, which fits into the cache
_FEW_LONG = 64  # words per text; the rest of longer texts is processed one by one
SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd numbers, whose products spread over all 64 bits
SPREAD_2 = np.uint64(0xD6E8FEB86659FD93)
_STIR = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_BYTE_MASKS = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)
_NUMPY_TYPES = {
    **{f"{sign}int{bits}": np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "halffloat": np.dtype(np.float16),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}


def numbers_of(array: Any) -> np.ndarray:
    """The numbers of an Arrow array or chunked array, with NaN for nulls; no copy if there is one chunk without
    nulls.
    """
    if array.null_count or str(array.type) not in _NUMPY_TYPES:
        return np.asarray(array.to_numpy(zero_copy_only=False))
    kind = _NUMPY_TYPES[str(array.type)]
    parts = [
        np.frombuffer(part.buffers()[1], kind, len(part), part.offset * kind.itemsize)
        for part in getattr(array, "chunks", [array])
        if len(part)
    ]
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, kind), *parts])


def arrow_integers(numbers: np.ndarray) -> Any:
    """An int64 or uint64 array as a pyarrow.Array that shares its memory."""
    import pyarrow as pa

    kind = pa.uint64() if numbers.dtype == np.uint64 else pa.int64()
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])


def arrow_values(values: Sequence[Any], name: str) -> Any:
    """Ids or labels as a pyarrow.Array: strings, int64 (uint64 if needed), or another common type.

    Values of mixed types, integers beyond 64 bits and values without an Arrow type become strings.
    """
    import pyarrow as pa

    if isinstance(values, range):
        return arrow_integers(np.array(values, np.int64))
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) == 1 and str not in next(iter(kinds)).__mro__:
        for kind in (pa.int64(), pa.uint64()) if kinds == {int} else (None,):
            with contextlib.suppress(OverflowError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
                return pa.array(values, kind)
    try:
        texts = [None if value is None else str(value) for value in values]
    except ValueError:  # Python does not write numbers of thousands of digits
        bad = next(value for value in values if isinstance(value, int) and abs(value) >= LONGEST_NUMBER)
        raise ValueError(f"{name}: {shown(bad)} is too long to be written; give it as a string") from None
    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError:
        half = next(text for text in texts if text and not is_unicode(text))
        raise ValueError(
            f"{name} {half!a} has half of a surrogate pair, which is not valid text and not allowed in Arrow; fix it "
            "where it comes from, or use per_example(), which gives Python's own strings"
        ) from None


def binary_array(texts: Sequence[str]) -> Any:
    """Texts as UTF-8, including lone surrogates, in a pyarrow.LargeBinaryArray."""
    import pyarrow as pa

    joined = "".join(texts)
    blob = joined.encode("utf-8", "surrogatepass")
    bounds = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=bounds[1:])
    if len(blob) > len(joined):  # characters to bytes: each continuation byte before a bound moves it by one
        continuing = np.flatnonzero((np.frombuffer(blob, np.uint8) & 0xC0) == 0x80)
        bounds += np.searchsorted(continuing - np.arange(1, len(continuing) + 1), bounds)
    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(blob)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(texts), buffers)


def fingerprints(column: Any) -> np.ndarray:
    """Fingerprints of the ids in a column, uint64 (n,): equal for equal ids, almost always different for different
    ids.
    """
    import pyarrow as pa

    prints = np.empty(len(column), np.uint64)
    work = np.empty((6, min(len(column), ROWS_AT_ONCE)), np.uint64)
    start, dictionary, of_dictionary = 0, None, np.empty(0, np.uint64)
    for chunk in column.chunks:
        part = prints[start : start + len(chunk)]
        if pa.types.is_dictionary(chunk.type):
            if dictionary is None or not chunk.dictionary.equals(dictionary):  # chunks usually share one dictionary
                dictionary = chunk.dictionary
                of_dictionary = fingerprints(pa.chunked_array([dictionary]))
            part[:] = of_dictionary[numbers_of(chunk.indices)]
        elif pa.types.is_integer(chunk.type):
            part[:] = numbers_of(chunk).astype(np.int64, copy=False).view(np.uint64)
            part *= SPREAD
            part ^= part >> np.uint64(32)
            part *= SPREAD_2
        elif len(chunk):
            _hash_strings(chunk, part, work)
        start += len(chunk)
    return prints


def _hash_strings(array: Any, prints: np.ndarray, work: np.ndarray) -> None:
    """Fingerprints of an array of strings or bytes, eight bytes at a time; `work` is scratch memory."""
    import pyarrow as pa

    kind = np.int32 if pa.types.is_string(array.type) else np.int64
    _, offset_buffer, data_buffer = array.buffers()
    offsets = np.frombuffer(offset_buffer, kind)[array.offset : array.offset + len(array) + 1]
    data = np.frombuffer(data_buffer or b"", np.uint8)
    words = np.empty(0, np.uint64)
    for start in range(0, len(array), ROWS_AT_ONCE):
        ends = offsets[start : start + ROWS_AT_ONCE + 1]
        first, size = int(ends[0]), int(ends[-1]) - int(ends[0])
        if len(words) < size // 8 + 2:  # two more, because a word is read from two adjacent places
            words = np.zeros(size // 8 + 2, np.uint64)
        words.view(np.uint8)[:size] = data[first : first + size]
        at, length, *room = work[:, : len(ends) - 1].view(np.int64)
        np.subtract(ends[:-1], first, out=at)
        np.subtract(ends[1:], ends[:-1], out=length)
        hashed = prints[start : start + ROWS_AT_ONCE]
        hashed[:] = _read_words(words, at, length, room)
        hashed *= SPREAD
        hashed ^= length.view(np.uint64)
        rows = None  # all
        while (longer := length > 8).any():
            if np.count_nonzero(longer) < _FEW_LONG:
                for row in np.flatnonzero(longer).tolist():
                    rest = data[first + at[row] + 8 : first + at[row] + length[row]]
                    row = row if rows is None else rows[row]
                    hashed[row] = _hash_rest(int(hashed[row]), rest)
                break
            if not longer.all():
                rows = np.flatnonzero(longer) if rows is None else rows[longer]
                at, length, room = at[longer], length[longer], [part[: len(rows)] for part in room]
            at += 8
            length -= 8
            part = hashed if rows is None else hashed[rows]
            part ^= part >> np.uint64(32)
            part ^= _read_words(words, at, length, room)
            part *= SPREAD
            if rows is not None:
                hashed[rows] = part


def _hash_rest(hashed: int, rest: np.ndarray) -> int:
    """Continue the fingerprint of a long text from its first part, as `_hash_strings` does, which is slow for a few
    long texts.
    """
    words = np.zeros(-(-len(rest) // 8), np.uint64)
    words.view(np.uint8)[: len(rest)] = rest
    factor, most = int(SPREAD), 2**64 - 1
    for word in words.tolist():
        hashed = (hashed ^ hashed >> 32 ^ word) * factor & most
    return hashed


def _read_words(words: np.ndarray, at: np.ndarray, length: np.ndarray, room: Sequence[np.ndarray]) -> np.ndarray:
    """The next eight bytes of each text as one number, zero-padded."""
    read, following = (part.view(np.uint64) for part in room[:2])
    place, shift = room[2:]
    np.right_shift(at, 3, out=place)
    np.take(words, place, out=read, mode="clip")
    place += 1
    np.take(words, place, out=following, mode="clip")
    np.bitwise_and(at, 7, out=shift)
    shift <<= 3
    read >>= shift.view(np.uint64)
    np.subtract(64, shift, out=shift)
    following <<= shift.view(np.uint64)
    read |= following
    np.minimum(length, 8, out=place)
    np.take(_BYTE_MASKS, place, out=following, mode="clip")
    read &= following
    return read


def release_memory() -> None:
    """Return memory that Arrow keeps for reuse to the system: about 20 MB after large columns."""
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()


def mixed(numbers: np.ndarray) -> np.ndarray:
    """Mix the bits of each number, one to one and in place (the finaliser of SplitMix64: Steele et al., 2014)."""
    for shift, factor in zip((30, 27), _STIR, strict=True):
        numbers ^= numbers >> np.uint64(shift)
        numbers *= factor
    numbers ^= numbers >> np.uint64(31)
    return numbers


def id_kind(kind: Any) -> str:
    """The kind of ids of an Arrow type, in words."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_integer(kind):
        return "integers"
    return "strings" if pa.types.is_string(kind) or pa.types.is_large_string(kind) else str(kind)


def item_type(kind: Any) -> Any:
    """The item type of a column of lists, or the type of any other column."""
    import pyarrow as pa

    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return kind.value_type
    return kind


def distinct_texts(column: Any) -> Any:
    """The distinct ids of a column as text, in order of first occurrence."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.unique(column.cast(pa.string())).to_pylist()
