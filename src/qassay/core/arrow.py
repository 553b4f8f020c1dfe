"""Converts between Arrow and numpy through buffers.

`pa.array` and `to_numpy` import pandas if it is installed, which takes longer than the work on a small input.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

ROWS_AT_ONCE = 1 << 16  # rows per block, which fits into the cache
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


def binary_array(texts: Sequence[str]) -> Any:
    """Texts as UTF-8, including lone surrogates, in a pyarrow.LargeBinaryArray."""
    joined = "".join(texts)
    blob = joined.encode("utf-8", "surrogatepass")
    bounds = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=bounds[1:])
    if len(blob) > len(joined):  # characters to bytes: each continuation byte before a bound moves it by one
        continuing = np.flatnonzero((np.frombuffer(blob, np.uint8) & 0xC0) == 0x80)
        bounds += np.searchsorted(continuing - np.arange(1, len(continuing) + 1), bounds)
    return binary_slices(blob, bounds)


def binary_slices(data: Any, bounds: np.ndarray) -> Any:
    """The bytes of a buffer between bounds, int64 (n + 1,), as a pyarrow.LargeBinaryArray that shares its memory."""
    import pyarrow as pa

    buffers = [None, pa.py_buffer(bounds), pa.py_buffer(data)]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(bounds) - 1, buffers)


def fingerprints(column: Any) -> np.ndarray:
    """Fingerprints of the ids in a chunked array, uint64 (n,): equal for equal ids, almost always different for different
    ids.
    """
    import pyarrow as pa

    prints = np.empty(len(column), np.uint64)
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
            _hash_strings(chunk, part)
        start += len(chunk)
    return prints


def _hash_strings(array: Any, prints: np.ndarray) -> None:
    """Fingerprints of an array of strings or bytes: eight bytes after eight bytes, and the length."""
    import pyarrow as pa

    kind = np.int32 if pa.types.is_string(array.type) else np.int64
    _, offset_buffer, data_buffer = array.buffers()
    offsets = np.frombuffer(offset_buffer, kind)[array.offset : array.offset + len(array) + 1]
    data = np.frombuffer(data_buffer or b"", np.uint8)
    for start in range(0, len(array), ROWS_AT_ONCE):
        ends = offsets[start : start + ROWS_AT_ONCE + 1].astype(np.int64)
        block = np.append(data[ends[0] : ends[-1]], np.zeros(8, np.uint8))
        words = np.ndarray(len(block) - 7, np.uint64, block, strides=(1,))  # the eight bytes from each byte on
        starts, length = ends[:-1] - ends[0], np.diff(ends)
        hashed = words[starts] & _BYTE_MASKS[np.minimum(length, 8)]
        hashed *= SPREAD
        hashed ^= length.view(np.uint64)
        rows = np.flatnonzero(length > 8)
        while len(rows):
            starts, length = starts[length > 8] + 8, length[length > 8] - 8
            part = hashed[rows]
            part ^= part >> np.uint64(32)
            part *= SPREAD_2  # else the length could be undone by the bytes that follow
            part ^= words[starts] & _BYTE_MASKS[np.minimum(length, 8)]
            part *= SPREAD
            hashed[rows] = part
            rows = rows[length > 8]
        prints[start : start + len(hashed)] = hashed


def mixed(numbers: np.ndarray) -> np.ndarray:
    """Mix the bits of each number, one to one and in place (the finaliser of SplitMix64: Steele et al., 2014)."""
    for shift, factor in zip((30, 27), _STIR, strict=True):
        numbers ^= numbers >> np.uint64(shift)
        numbers *= factor
    numbers ^= numbers >> np.uint64(31)
    return numbers
