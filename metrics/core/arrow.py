"""Arrow arrays to and from numpy by their buffers.

`pa.array` and `to_numpy` import pandas where it is installed, which costs more than the work on a small input.
"""

import contextlib
from collections.abc import Sequence

import numpy as np

from .columns import is_unicode
from .shown import LONGEST_NUMBER, shown

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


def arrow_values(values: Sequence, name: str):
    """Ids or labels as a pyarrow.Array: strings, int64 (uint64 where they need it), or another type that all have.

    Values of several types become strings, and so do whole numbers beyond 64 bits and what Arrow has no type for.

    Args:
        name: of a value, for messages.

    Raises:
        ValueError: a string with half of a surrogate pair, or a number of thousands of digits.

    Example:
        >>> [str(arrow_values(values, "id").type) for values in ([1, 2], ["a"], [], [1, "a"], [1, 10**30], range(2))]
        ['int64', 'string', 'string', 'string', 'string', 'int64']
    """
    import pyarrow as pa

    if isinstance(values, range):
        return arrow_integers(np.array(values, np.int64))
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) == 1 and not issubclass(*kinds, str):
        for kind in (pa.int64(), pa.uint64()) if kinds == {int} else (None,):
            with contextlib.suppress(OverflowError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
                return pa.array(values, kind)
    try:
        texts = [None if value is None else str(value) for value in values]
    except ValueError:  # Python writes no number of thousands of digits
        bad = next(value for value in values if isinstance(value, int) and abs(value) >= LONGEST_NUMBER)
        raise ValueError(f"{name}: {shown(bad)} is too long to be written; give it as a string") from None
    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError:
        bad = next(text for text in texts if text and not is_unicode(text))
        raise ValueError(
            f"{name} {bad!a} has half of a surrogate pair, which is not valid text, and which Arrow cannot hold; mend it "
            "where it comes from, or use per_example(), which gives Python's own strings"
        ) from None


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
