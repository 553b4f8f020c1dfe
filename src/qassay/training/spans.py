"""Start and end logits to spans: numpy on whole blocks, with the choices and ties of the transformers example.

The rules match `postprocess_qa_predictions` in examples/pytorch/question-answering/utils_qa.py of
https://github.com/huggingface/transformers, which goes over the pairs of each feature in Python.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.ragged import begins_run

_FAR = 2**30  # beyond every position: no end lies behind it


@dataclasses.dataclass(frozen=True)
class Tokens:
    """The tokens of a block of features, one after the other, then one that is outside of every context.

    Attributes:
        first, counts: int64 (n,), of each feature its first token and how many it has.
        starts, ends: int64 (t + 1,), characters in the context.
        inside: bool (t + 1,), whether the token belongs to the context.
    """

    first: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    inside: np.ndarray

    def at(self, positions: np.ndarray) -> np.ndarray:
        """The tokens at positions (n, m) of their features; the one outside where a feature is shorter."""
        return np.where(positions < self.counts[:, None], self.first[:, None] + positions, len(self.inside) - 1)


@dataclasses.dataclass(frozen=True)
class FeatureSpans:
    """The best spans of features, for each feature in the order in which the rules come to them.

    Attributes:
        counts: int64 (n,), how many spans each feature has.
        starts, ends: int32 (m,), characters in the context.
        start_logits, end_logits: (m,), in the precision of the model, half precision as float32: sums of float16 would tie.
        null_starts, null_ends: (n,), the logits of the first token, which stands for "no answer".
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
    """The spans of each feature that can be among the n best of its example.

    Args:
        start_logits, end_logits: (n, length), a row per feature, padded on the right.
        tokens: of these features.
        n_best: so many of the largest start and end logits are paired, and so many of the pairs kept (more on a tie).
        max_answer_length: in tokens.
    """
    indices = [_largest(logits, n_best) for logits in (start_logits, end_logits)]
    starts, ends = (tokens.at(positions) for positions in indices)
    # A start outside lies behind every end, an end outside before every start: one comparison suffices.
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
        start_logits[:, 0].astype(kind),  # a copy: a view would keep all logits of a batch
        end_logits[:, 0].astype(kind),
    )


def _largest(logits: np.ndarray, n: int) -> np.ndarray:
    """The positions of the n largest of each row, (rows, n), largest first; of equal ones the later first, as far
    as numpy's default sort keeps them in order: it is what the rules take.
    """
    return np.argsort(logits, axis=1)[:, : -n - 1 : -1]


@dataclasses.dataclass(frozen=True)
class RankedSpans:
    """The n best spans of every example, example after example, best first.

    Attributes:
        first, counts: int64 (n,), where the rows of each example begin and how many they are.
        starts, ends: int32 (m,), characters in the context.
        start_logits, end_logits: (m,).
        empty: bool (m,), whether the text of a span is empty, as the text of "no answer" is.
        made_up: bool (n,), examples without a span that has a text, for which the rules make up the answer "empty" with
            logits of 0.
        null_odds: (n,), the score of "no answer" minus the score of the answer; None if there always is an answer.
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


def rank_spans(
    spans: FeatureSpans, example_of: np.ndarray, context_lengths: np.ndarray, n_best: int, with_null: bool
) -> RankedSpans:
    """Put the spans of the features of each example together.

    Args:
        spans: of all features.
        example_of: int64 (features,), the example of each feature.
        context_lengths: int64 (examples,), characters.
        n_best: so many spans are kept of an example.
        with_null: whether "no answer" is one of them, with the least score of it over the features.
    """
    examples = np.repeat(example_of, spans.counts)
    columns = [spans.starts, spans.ends, spans.start_logits, spans.end_logits]
    nulls: Any = _least_nulls(spans, example_of) if with_null else None
    if with_null:
        examples, columns = _append(examples, columns, *nulls)
    with np.errstate(invalid="ignore"):
        order = np.lexsort((-(columns[2] + columns[3]), examples))
    ranks = ranks_within(examples[order])
    order = order[ranks < n_best]
    examples, columns = examples[order], [column[order] for column in columns]
    if with_null:
        # Where "no answer" is not among the n best it comes after them; a span of no characters at the very beginning
        # counts for it.
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
    """The examples that have features, and of each the span "no answer" with the least score, the first on a tie."""
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


def ranks_within(examples: np.ndarray) -> np.ndarray:
    """The rank of each row among the rows of its example, from 0; the rows of an example are together."""
    indices = np.arange(len(examples))
    return indices - np.maximum.accumulate(np.where(begins_run(examples), indices, 0))
