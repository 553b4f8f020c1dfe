"""Token ids of many texts or pairs, cut where a model stops reading, in batches of like length."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

UNLIMITED = 10**9

_BLOCK_TEXTS = 2048
_BLOCK_CHARACTERS = 500_000
_SPARE_TOKENS = 64


class TokenRows(NamedTuple):
    """Token ids of n texts or pairs, one after the other.

    Attributes:
        ids: int32 (tokens,), all rows in a line.
        types: int8 (tokens,), which text of the pair a token belongs to; None if the model does not want it.
        starts: int64 (n + 1,), where each row starts, and the end of the last.
        truncated: bool (n,), rows that were longer than the model reads.
    """

    ids: np.ndarray
    types: np.ndarray | None
    starts: np.ndarray
    truncated: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """Tokens of each row, int64 (n,)."""
        return np.diff(self.starts)


def read_token_rows(
    tokenizer, firsts: Sequence[str], seconds: Sequence[str] | None = None, limit: int = UNLIMITED
) -> TokenRows:
    """Tokenise n texts, or n pairs of texts, and cut what is longer than the model reads (the longer text first).

    Works in blocks of at most about half a million characters, so that memory does not grow with the longest text.

    Args:
        tokenizer: a fast tokenizer of transformers.
        firsts: the texts, or the first texts of the pairs.
        seconds: the second texts.
        limit: most tokens of a row, special tokens included.
    """
    ids: list[Any] = []
    types: list[Any] = []
    lengths: list[Any] = []
    truncated: list[Any] = []
    for block in _text_blocks(firsts, seconds):
        texts = (firsts[block],) if seconds is None else (firsts[block], seconds[block])
        encoded = tokenizer(*texts, truncation=False, return_attention_mask=False, verbose=False)
        rows, row_types = encoded["input_ids"], encoded.get("token_type_ids")
        flags = np.fromiter((len(row) > limit for row in rows), bool, len(rows))
        _cut_rows(tokenizer, encoded, np.flatnonzero(flags).tolist(), texts, limit)
        ids.extend(np.array(row, np.int32) for row in rows)
        types.extend(np.array(row, np.int8) for row in row_types or ())
        lengths.extend(map(len, rows))
        truncated.append(flags)
    return TokenRows(
        np.concatenate(ids) if ids else np.zeros(0, np.int32),
        np.concatenate(types) if types else None,
        np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64),
        np.concatenate(truncated) if truncated else np.zeros(0, bool),
    )


def _cut_rows(tokenizer, encoded, over: Sequence[int], texts: Sequence[Sequence[str]], limit: int) -> None:
    """Replace rows in `encoded` that are too long by the cut rows."""
    if not over:
        return
    parts = [
        _leading_texts(encoded.encodings[i], [column[i] for column in texts], limit, tokenizer.truncation_side)
        for i in over
    ]
    cut = tokenizer(
        *map(list, zip(*parts)),
        truncation="longest_first",
        max_length=limit,
        return_attention_mask=False,
        verbose=False,
    )
    for name in ("input_ids", "token_type_ids"):
        for i, row in zip(over, cut.get(name, ())):
            encoded[name][i] = row


def _text_blocks(firsts: Sequence[str], seconds: Sequence[str] | None) -> Iterator[slice]:
    """Slices of neighbouring texts with a bounded number of characters; a longer text is a separate block."""
    start = characters = 0
    for i, text in enumerate(firsts):
        size = len(text) + (len(seconds[i]) if seconds is not None else 0)
        if i > start and (i - start == _BLOCK_TEXTS or characters + size > _BLOCK_CHARACTERS):
            yield slice(start, i)
            start, characters = i, 0
        characters += size
    if len(firsts) > start:
        yield slice(start, len(firsts))


def _leading_texts(encoding, texts: Sequence[str], limit: int, side: str) -> list[str]:
    """The parts of a text, or of a pair, that hold the tokens a model can read, and some more.

    Tokenizers keep all pieces of what they cut, and for pairs all combinations of pieces, which takes too long for
    long texts. The text with more tokens keeps more of them, as the tokenizer cuts that one first.

    Args:
        encoding: tokens of the whole, with their places in the texts.
        texts: one text, or the two of a pair.
        limit: most tokens of a row.
        side: "right" where the end is cut off, "left" where the start is.
    """
    owners = np.array([-1 if owner is None else owner for owner in encoding.sequence_ids])
    places = [np.flatnonzero(owners == i) for i in range(len(texts))]
    offsets, parts = encoding.offsets, []
    for text, token_places in zip(texts, places):
        longer = any(len(token_places) > len(other) for other in places)
        num_tokens = limit + _SPARE_TOKENS * (2 if longer else 1)
        if len(token_places) <= num_tokens:
            parts.append(text)
        elif side == "left":
            parts.append(text[offsets[token_places[-num_tokens]][0] :])
        else:
            parts.append(text[: offsets[token_places[num_tokens - 1]][1]])
    return parts


def token_batches(lengths: np.ndarray, batch_size: int, batch_tokens: int) -> Iterator[np.ndarray]:
    """Rows of like length together, longest first: at most `batch_size` rows and `batch_tokens` padded tokens.

    A row that alone is longer than that is a separate batch.
    """
    order = np.argsort(-lengths, kind="stable")
    start = 0
    while start < len(order):
        size = max(1, min(batch_size, batch_tokens // max(1, int(lengths[order[start]]))))
        yield order[start : start + size]
        start += size


def padded_batch(tokens: TokenRows, rows: np.ndarray, tokenizer) -> dict[str, np.ndarray]:
    """What a model reads for these rows: int64 (rows, longest of them) under the tokenizer's names."""
    lengths = tokens.lengths[rows][:, None]
    columns = np.arange(lengths.max(initial=0))
    filled = columns >= columns.size - lengths if tokenizer.padding_side == "left" else columns < lengths
    spans = [slice(tokens.starts[row], tokens.starts[row + 1]) for row in rows]
    batch = {"input_ids": np.full(filled.shape, tokenizer.pad_token_id, np.int64)}
    batch["input_ids"][filled] = np.concatenate([tokens.ids[span] for span in spans])
    if "attention_mask" in tokenizer.model_input_names:
        batch["attention_mask"] = filled.astype(np.int64)
    if tokens.types is not None:
        batch["token_type_ids"] = np.full(filled.shape, tokenizer.pad_token_type_id, np.int64)
        batch["token_type_ids"][filled] = np.concatenate([tokens.types[span] for span in spans])
    return batch
