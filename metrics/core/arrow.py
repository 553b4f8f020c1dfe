"""Arrow arrays to and from numpy by their buffers.

`pa.array` and `to_numpy` import pandas where it is installed, which costs more than the work on a small input.
"""

from collections.abc import Sequence

import numpy as np

_NUMPY_TYPES = {
    **{f"{sign}int{bits}": np.dtype(f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)},
    "halffloat": np.dtype(np.float16),
    "float": np.dtype(np.float32),
    "double": np.dtype(np.float64),
}


def numbers_of(array) -> np.ndarray:
    """The numbers of an Arrow array or chunked array, NaN in its gaps; no copy of an array of one piece without gaps.

    Example:
        >>> import pyarrow as pa
        >>> numbers_of(pa.chunked_array([[1, 2], [3]])).tolist()
        [1, 2, 3]
    """
    if array.null_count or str(array.type) not in _NUMPY_TYPES:
        return array.to_numpy(zero_copy_only=False)
    kind = _NUMPY_TYPES[str(array.type)]
    parts = [
        np.frombuffer(part.buffers()[1], kind, len(part), part.offset * kind.itemsize)
        for part in getattr(array, "chunks", [array])
        if len(part)
    ]
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, kind), *parts])


def arrow_integers(numbers: np.ndarray):
    """An int64 or uint64 array as a pyarrow.Array on the same memory."""
    import pyarrow as pa

    kind = pa.uint64() if numbers.dtype == np.uint64 else pa.int64()
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(np.ascontiguousarray(numbers))])


def binary_array(texts: Sequence[str]):
    """The UTF-8 of texts, lone surrogates too, as a pyarrow.LargeBinaryArray."""
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
