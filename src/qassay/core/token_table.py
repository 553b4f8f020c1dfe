"""Texts as arrays of token numbers, and the overlap of two texts.

Each distinct text is processed once, and tokens are processed in numpy: a column of answers becomes one
flat array of token numbers with offsets, and pairs of answers are compared without a Python loop.
"""

from collections.abc import Iterator
from string import punctuation
from typing import Any, NamedTuple

import numpy as np

from .arrow import arrow_integers, binary_array, numbers_of
from .ragged import begins_run, ranges_from
from .text import Normalizer, get_normalizer

_SQUAD = get_normalizer("squad")
_ASCII_ARTICLES = ["a", "an", "the"]
_LOWER = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")
_PUNCTUATION = punctuation.encode()
_NEWLINE, _SPACE = b"\n "
_TOKENS_AT_ONCE = 1 << 22  # limits the memory of a comparison of many pairs


class TokenTable(NamedTuple):
    """Texts as token numbers.

    `index` (n,) maps each text to its distinct text. The rest is per distinct text: `text_ids` (d,) are equal exactly
    where the normalised strings are; `tokens` (t,) holds the token numbers of distinct text i at
    `offsets[i]:offsets[i + 1]`; `bags` (t,) are the same tokens with a separate number for each repetition inside a
    text, which makes a bag of tokens a set of numbers; `texts` (d,) their UTF-8, a pyarrow.LargeBinaryArray.
    """

    index: np.ndarray  # type: ignore[assignment]
    text_ids: np.ndarray
    tokens: np.ndarray
    bags: np.ndarray
    offsets: np.ndarray
    texts: Any = None

    @property
    def lengths(self) -> np.ndarray:
        """Tokens per distinct text, (d,)."""
        return np.diff(self.offsets)


def token_table(texts: list[str], normalizer: Normalizer, unit: str = "token") -> TokenTable:
    """Normalise and tokenise a column of texts.

    Args:
        texts: n strings.
        normalizer: applied to each distinct text; its tokens are what `str.split` finds in the result.
        unit: "token" or "character" (every character of the normalised string; of a normaliser made for characters,
            such as korquad, all but white space).
    """
    encoded = binary_array(texts).dictionary_encode()
    index = numbers_of(encoded.indices).astype(np.int64)
    if normalizer.function == _SQUAD.function and unit == "token":
        tokens, offsets = _squad_tokens(encoded.dictionary, normalizer)
        text_ids = _sequence_ids(tokens, offsets)
    else:
        normalised = [normalizer(text) for text in _to_strings(encoded.dictionary)]
        numbers: dict[str, int] = {}
        text_ids = np.fromiter((numbers.setdefault(t, len(numbers)) for t in normalised), np.int64, len(normalised))
        if unit == "character":
            if normalizer.unit == unit:
                normalised = ["".join(text.split()) for text in normalised]
            tokens = np.frombuffer("".join(normalised).encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int64)
            offsets = np.cumsum([0, *map(len, normalised)])
        else:
            rows = "".join(f"{' '.join(text.split())}\n" for text in normalised)
            tokens, offsets = _split_rows(rows.encode("utf-8", "surrogatepass"))
    return TokenTable(index, text_ids, tokens, _number_repetitions(tokens, offsets), offsets, encoded.dictionary)


def normalised_texts(table: TokenTable, normalizer: Normalizer) -> list[str]:
    """The distinct texts of a table, normalised."""
    return list(map(normalizer, _to_strings(table.texts)))


def shared_tokens(table: TokenTable, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The number of tokens that the distinct texts `left[i]` and `right[i]` share, with repetition, (m,) ints."""
    shared = np.zeros(len(left), np.int64)
    lengths, width = table.lengths, int(table.bags.max(initial=0)) + 1
    for first, last in _blocks(np.cumsum(lengths[left] + lengths[right])):
        keys = [
            np.repeat(np.arange(last - first), lengths[side]) * width
            + table.bags[ranges_from(table.offsets[side], lengths[side])]
            for side in (left[first:last], right[first:last])
        ]
        # A number occurs at most once on either side: in sorted order equal neighbours are exactly the shared tokens.
        both = np.sort(np.concatenate(keys))
        shared[first:last] = np.bincount(both[1:][both[1:] == both[:-1]] // width, minlength=last - first)
    return shared


def stands_in(table: TokenTable, inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """Whether the tokens of distinct text `inner[i]` occur contiguously in `outer[i]`, (m,) bools; no tokens do."""
    lengths = table.lengths
    occurs: np.ndarray = lengths[inner] == 0
    n_starts = np.maximum(lengths[outer] - lengths[inner] + 1, 0) * ~occurs
    for first, last in _blocks(np.cumsum(n_starts)):
        counts = n_starts[first:last]
        pair = first + np.repeat(np.arange(last - first), counts)
        start = ranges_from(table.offsets[outer[first:last]], counts)
        step = 0
        while len(pair):  # starts where the first `step` tokens agree
            agree = table.tokens[start + step] == table.tokens[table.offsets[inner[pair]] + step]
            pair, start, step = pair[agree], start[agree], step + 1
            complete = lengths[inner[pair]] == step
            occurs[pair[complete]] = True
            pair, start = pair[~complete], start[~complete]
    return occurs


def _to_strings(binary: Any) -> list[str]:
    return [value.decode("utf-8", "surrogatepass") for value in binary.to_pylist()]


def _squad_tokens(distinct: Any, normalizer: Normalizer) -> tuple[np.ndarray, np.ndarray]:
    """Printable ASCII takes one translate over all texts at once; every other text is normalised by itself before it, and the
    translate finds nothing more to do there.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    bounds = np.frombuffer(distinct.buffers()[1], np.int64)[distinct.offset :][: len(distinct) + 1]
    data = np.frombuffer(distinct.buffers()[2] or b"", np.uint8)
    odd = np.flatnonzero((data < 32) | (data > 126))
    if len(odd):
        rows = np.unique(np.searchsorted(bounds, odd, side="right") - 1)
        normalised = binary_array([normalizer(text) for text in _to_strings(distinct.take(arrow_integers(rows)))])
        order = np.arange(len(distinct))
        order[rows] = len(distinct) + np.arange(len(rows))
        distinct = pa.concat_arrays([distinct, normalised]).take(arrow_integers(order))
    if len(distinct) == 0:
        return _split_rows(b"")
    whole = pa.LargeListArray.from_arrays(arrow_integers(np.array([0, len(distinct)])), distinct)
    joined: bytes = pc.binary_join(whole, binary_array(["\n"])[0])[0].as_py() + b"\n"
    return _split_rows(joined.translate(_LOWER, _PUNCTUATION), drop=_ASCII_ARTICLES)


def _split_rows(blob: bytes, drop: list[str] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Token numbers and row offsets of rows that end with a newline and have space-separated tokens."""
    import pyarrow as pa
    import pyarrow.compute as pc

    data = np.frombuffer(blob, np.uint8)
    inside = (data != _NEWLINE) & (data != _SPACE)
    edges = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    if len(data) and inside[0]:
        edges = np.concatenate(([0], edges))
    starts, ends = edges[0::2], edges[1::2]  # the blob ends in a newline: every word ends
    offsets = np.concatenate(([0], np.searchsorted(starts, np.flatnonzero(data == _NEWLINE))))
    bounds = np.concatenate(([0], np.cumsum(ends - starts)))
    words = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(starts), [None, pa.py_buffer(bounds), pa.py_buffer(blob.translate(None, b"\n "))]
    ).dictionary_encode()
    tokens = numbers_of(words.indices).astype(np.int64)
    if drop:
        dropped = pc.is_in(words.dictionary, value_set=binary_array(drop))
        kept = numbers_of(dropped.cast(pa.int32()))[tokens] == 0
        offsets = np.concatenate(([0], np.cumsum(kept, dtype=np.int64)))[offsets]
        tokens = tokens[kept]
    return tokens, offsets


def _sequence_ids(tokens: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Numbers that are equal exactly for rows with equal tokens."""
    import pyarrow as pa

    sequences = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(offsets) - 1, [None, pa.py_buffer(offsets * tokens.itemsize), pa.py_buffer(tokens)]
    )
    return numbers_of(sequences.dictionary_encode().indices).astype(np.int64)


def _number_repetitions(tokens: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The k-th occurrence (k > 1) of a token in a row gets a separate number, the same in every row."""
    width = int(tokens.max(initial=0)) + 1
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    keys = np.sort(rows * width + tokens)
    repeating = np.zeros(len(offsets) - 1, bool)
    repeating[keys[1:][keys[1:] == keys[:-1]] // width] = True
    index = np.flatnonzero(repeating[rows])
    if not len(index):
        return tokens
    keys = rows[index] * width + tokens[index]
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    first = np.flatnonzero(begins_run(keys))
    nth = np.arange(len(keys)) - np.repeat(first, np.diff(np.append(first, len(keys))))
    again = nth > 0
    bags: np.ndarray = tokens.copy()
    repeated = nth[again] * width + keys[again] % width
    bags[index[order[again]]] = width + np.unique(repeated, return_inverse=True)[1]
    return bags


def _blocks(costs: np.ndarray) -> Iterator[tuple[int, int]]:
    """Slices of a column with a cost of at most _TOKENS_AT_ONCE each (at least one row)."""
    first = 0
    while first < len(costs):
        done = costs[first - 1] if first else 0
        last = max(int(np.searchsorted(costs, done + _TOKENS_AT_ONCE, side="right")), first + 1)
        yield first, last
        first = last
