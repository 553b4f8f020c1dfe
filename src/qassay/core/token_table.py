"""Texts as arrays of token numbers, and the overlap of two texts.

Each distinct text is processed once, and tokens are processed in numpy: a column of answers becomes one
flat array of token numbers with offsets, and pairs of answers are compared without a Python loop.
"""

from collections import defaultdict
from collections.abc import Iterator
from string import punctuation
from typing import NamedTuple

import numpy as np

from .arrow import binary_array, binary_slices, numbers_of
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
    `offsets[i]:offsets[i + 1]`; `texts` are the d texts themselves.
    """

    index: np.ndarray  # type: ignore[assignment]
    text_ids: np.ndarray
    tokens: np.ndarray
    offsets: np.ndarray
    texts: list[str]

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
    number: defaultdict[str, int] = defaultdict()
    number.default_factory = number.__len__
    index = np.fromiter(map(number.__getitem__, texts), np.int64, len(texts))
    distinct = list(number)
    if normalizer.function == _SQUAD.function and unit == "token":
        tokens, offsets = _squad_tokens(distinct, normalizer)
        sequences = binary_slices(tokens, offsets * tokens.itemsize).dictionary_encode()
        text_ids = numbers_of(sequences.indices).astype(np.int64)  # equal exactly for equal sequences of tokens
    else:
        normalised = list(map(normalizer, distinct))
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
    return TokenTable(index, text_ids, tokens, offsets, distinct)


def normalised_texts(table: TokenTable, normalizer: Normalizer) -> list[str]:
    """The distinct texts of a table, normalised."""
    return list(map(normalizer, table.texts))


def shared_tokens(table: TokenTable, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The number of tokens that the distinct texts `left[i]` and `right[i]` share, with repetition, (m,) ints."""
    shared = np.zeros(len(left), np.int64)
    lengths, width = table.lengths, int(table.tokens.max(initial=0)) + 1
    for first, last in _blocks(np.cumsum(lengths[left] + lengths[right])):
        bags = [_bags(table, side[first:last], width) for side in (left, right)]
        most = max(int(nth.max(initial=0)) for _, nth in bags) + 1
        # A number occurs at most once on either side: in sorted order equal neighbours are exactly the shared tokens.
        both = np.sort(np.concatenate([tokens * most + nth for tokens, nth in bags]))
        pairs = both[1:][both[1:] == both[:-1]] // (width * most)
        shared[first:last] = np.bincount(pairs, minlength=last - first)
    return shared


def _bags(table: TokenTable, texts: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """The tokens of each text, sorted, as numbers `i * width + token` for text i; and how often each stood there before."""
    lengths = table.lengths[texts]
    tokens = (
        np.repeat(np.arange(len(texts)), lengths) * width + table.tokens[ranges_from(table.offsets[texts], lengths)]
    )
    tokens.sort()
    index = np.arange(len(tokens))
    return tokens, index - np.maximum.accumulate(np.where(begins_run(tokens), index, 0))


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


def _squad_tokens(distinct: list[str], normalizer: Normalizer) -> tuple[np.ndarray, np.ndarray]:
    """Printable ASCII takes one translate over all texts at once; every other text is normalised by itself before it, and the
    translate finds nothing more to do there.
    """
    rows = [text if text.isascii() and text.isprintable() else normalizer(text) for text in distinct]
    blob = "\n".join([*rows, ""]).encode("utf-8", "surrogatepass")
    return _split_rows(blob.translate(_LOWER, _PUNCTUATION), drop=_ASCII_ARTICLES)


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
    words = binary_slices(blob.translate(None, b"\n "), bounds).dictionary_encode()
    tokens = numbers_of(words.indices).astype(np.int64)
    if drop:
        dropped = pc.is_in(words.dictionary, value_set=binary_array(drop))
        kept = numbers_of(dropped.cast(pa.int32()))[tokens] == 0
        offsets = np.concatenate(([0], np.cumsum(kept, dtype=np.int64)))[offsets]
        tokens = tokens[kept]
    return tokens, offsets


def _blocks(costs: np.ndarray) -> Iterator[tuple[int, int]]:
    """Slices of a column with a cost of at most _TOKENS_AT_ONCE each (at least one row)."""
    first = 0
    while first < len(costs):
        done = costs[first - 1] if first else 0
        last = max(int(np.searchsorted(costs, done + _TOKENS_AT_ONCE, side="right")), first + 1)
        yield first, last
        first = last
