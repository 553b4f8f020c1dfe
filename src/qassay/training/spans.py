"""Spans from start and end logits, in numpy, with the choices and ties of the transformers example.

The rules match `postprocess_qa_predictions` in examples/pytorch/question-answering/utils_qa.py of
https://github.com/huggingface/transformers, which loops over the pairs of each feature in Python.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.ragged import begins_run

_FAR = 2**30  # beyond every position


@dataclasses.dataclass(frozen=True)
class Tokens:
    """The tokens of a block of features, one after the other, then one outside every context.

    Attributes:
        first, counts: int64 (n,), the first token and the number of tokens of each feature.
        starts, ends: int64 (t + 1,), characters in the context.
        inside: bool (t + 1,), whether the token belongs to the context.
    """

    first: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    inside: np.ndarray

    def at(self, positions: np.ndarray) -> np.ndarray:
        """The tokens at positions (n, m) of their features; the token outside if a feature is shorter."""
        return np.where(positions < self.counts[:, None], self.first[:, None] + positions, len(self.inside) - 1)


@dataclasses.dataclass(frozen=True)
class FeatureSpans:
    """The best spans of features, in the order in which the rules find them.

    Attributes:
        counts: int64 (n,), the number of spans of each feature.
        starts, ends: int32 (m,), characters in the context.
        start_logits, end_logits: (m,), in the precision of the model, at least float32, because sums of float16 tie.
        null_starts, null_ends: (n,), the logits of the first token, which means "no answer".
    """

    counts: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    start_logits: np.ndarray
    end_logits: np.ndarray
    null_starts: np.ndarray
    null_ends: np.ndarray

    @staticmethod
    def concat(parts: Sequence["FeatureSpans"]) -> "FeatureSpans":
        """The spans of blocks of features, one after the other."""
        names = [field.name for field in dataclasses.fields(FeatureSpans)]
        return FeatureSpans(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def best_spans(
    start_logits: np.ndarray, end_logits: np.ndarray, tokens: Tokens, n_best: int, max_answer_length: int
) -> FeatureSpans:
    """The spans of each feature that may be among the n best of its example.

    Args:
        start_logits, end_logits: (n, length), a row per feature, padded on the right.
        tokens: of these features.
        n_best: the number of largest start and end logits to pair, and of pairs to keep (more on a tie).
        max_answer_length: in tokens.
    """
    indices = [_largest(logits, n_best) for logits in (start_logits, end_logits)]
    starts, ends = (tokens.at(positions) for positions in indices)
    # A start outside is after every end, and an end outside before every start, so one comparison suffices.
    from_tokens = np.where(tokens.inside[starts], indices[0], _FAR).astype(np.int32)
    to_tokens = np.where(tokens.inside[ends], indices[1], -1).astype(np.int32)
    lengths = to_tokens[:, None, :] - from_tokens[:, :, None]
    allowed = ((lengths >= 0) & (lengths < max_answer_length)).reshape(len(starts), -1)
    kind = np.result_type(start_logits, end_logits, np.float32)
    from_logits = np.take_along_axis(start_logits, indices[0], axis=1).astype(kind, copy=False)
    to_logits = np.take_along_axis(end_logits, indices[1], axis=1).astype(kind, copy=False)
    if allowed.shape[1] > n_best:
        scores = (from_logits[:, :, None] + to_logits[:, None, :]).reshape(allowed.shape)
        last = np.partition(np.where(allowed, scores, -np.inf), -n_best, axis=1)[:, -n_best]
        allowed &= scores >= last[:, None]
    features, pairs = np.nonzero(allowed)
    by_start, by_end = np.divmod(pairs, max(indices[1].shape[1], 1))
    return FeatureSpans(
        np.bincount(features, minlength=len(starts)),
        tokens.starts[starts[features, by_start]].astype(np.int32),
        tokens.ends[ends[features, by_end]].astype(np.int32),
        from_logits[features, by_start],
        to_logits[features, by_end],
        start_logits[:, 0].astype(kind),  # copied: a view would keep all logits of a batch
        end_logits[:, 0].astype(kind),
    )


def _largest(logits: np.ndarray, n: int) -> np.ndarray:
    """The positions of the n largest logits of each row, (rows, n), with the ties of numpy's default sort, as in the rules."""
    return np.argsort(logits, axis=1)[:, : -n - 1 : -1]


@dataclasses.dataclass(frozen=True)
class RankedSpans:
    """The n best spans of every example, example after example, best first.

    Attributes:
        first, counts: int64 (n,), the first row and the number of rows of each example.
        starts, ends: int32 (m,), characters in the context.
        start_logits, end_logits: (m,).
        empty: bool (m,), whether the text of a span is empty, as that of "no answer" is.
        made_up: bool (n,), examples without a span with text; the rules give them the answer "empty" with logits of 0.
        null_odds: (n,), the score of "no answer" minus the score of the answer; None without "no answer".
    """

    first: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    start_logits: np.ndarray
    end_logits: np.ndarray
    empty: np.ndarray
    made_up: np.ndarray
    null_odds: np.ndarray | None

    @property
    def owners(self) -> np.ndarray:
        """int64 (m,), the example of each span."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


def rank_spans(
    spans: FeatureSpans, example_of: np.ndarray, context_lengths: np.ndarray, n_best: int, with_null: bool
) -> RankedSpans:
    """Join the spans of the features of each example.

    Args:
        spans: of all features.
        example_of: int64 (features,), the example of each feature.
        context_lengths: int64 (examples,), characters.
        n_best: the number of spans to keep per example.
        with_null: whether "no answer" is one of them, with its lowest score over the features.
    """
    examples = np.repeat(example_of, spans.counts)
    columns = [spans.starts, spans.ends, spans.start_logits, spans.end_logits]
    nulls: Any = _least_nulls(spans, example_of) if with_null else None
    if with_null:
        examples, columns = _append(examples, columns, *nulls)
    with np.errstate(invalid="ignore"):
        order = np.lexsort((-(columns[2] + columns[3]), examples))
    ranks = _ranks_within(examples[order])
    order = order[ranks < n_best]
    examples, columns = examples[order], [column[order] for column in columns]
    if with_null:
        # If "no answer" is not among the n best, it is added at the end; an empty span at the beginning counts as it.
        present = np.zeros(len(context_lengths), bool)
        present[examples[(columns[0] == 0) & (columns[1] == 0)]] = True
        absent = ~present[nulls[0]]
        examples, columns = _append(examples, columns, nulls[0][absent], [part[absent] for part in nulls[1]])
        order = np.argsort(examples, kind="stable")
        examples, columns = examples[order], [column[order] for column in columns]
    starts, ends, start_logits, end_logits = columns
    counts = np.bincount(examples, minlength=len(context_lengths))
    first = np.cumsum(counts) - counts
    empty = (ends <= starts) | (starts >= context_lengths[examples])
    has_features = np.bincount(example_of, minlength=len(context_lengths)) > 0
    only = np.zeros(len(counts), bool)
    only[counts == 1] = empty[first[counts == 1]]
    made_up = has_features & ((counts == 0) | only)
    null_odds = None
    if with_null:
        null_odds = np.zeros(len(counts), start_logits.dtype)
        null_odds[nulls[0]] = nulls[1][2] + nulls[1][3]
        spans_with_text = np.flatnonzero(~empty)
        owners, indices = np.unique(examples[spans_with_text], return_index=True)
        best = spans_with_text[indices]
        answered = ~made_up[owners]
        with np.errstate(invalid="ignore"):  # -inf less -inf
            null_odds[owners[answered]] -= start_logits[best[answered]]
            null_odds[owners[answered]] -= end_logits[best[answered]]
    return RankedSpans(first, counts, starts, ends, start_logits, end_logits, empty, made_up, null_odds)


def _least_nulls(spans: FeatureSpans, example_of: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """The examples with features, and for each the span "no answer" with the lowest score, the first on a tie."""
    order = np.lexsort((spans.null_starts + spans.null_ends, example_of))
    examples, indices = np.unique(example_of[order], return_index=True)
    features = order[indices]
    nothing = np.zeros(len(features), np.int32)
    return examples, [nothing, nothing, spans.null_starts[features], spans.null_ends[features]]


def _append(
    examples: np.ndarray, columns: list[np.ndarray], more: np.ndarray, new: list[np.ndarray]
) -> tuple[np.ndarray, list[np.ndarray]]:
    joined = [np.concatenate(pair) for pair in zip(columns, new, strict=True)]
    return np.concatenate([examples, more]), joined


def _ranks_within(examples: np.ndarray) -> np.ndarray:
    """The rank of each row among the rows of its example, from 0; the rows of an example are together."""
    indices = np.arange(len(examples))
    return indices - np.maximum.accumulate(np.where(begins_run(examples), indices, 0))
