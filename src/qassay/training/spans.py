"""Spans from start and end logits, in numpy, with the choices and ties of the transformers example.

The rules match `postprocess_qa_predictions` in examples/pytorch/question-answering/utils_qa.py of
https://github.com/huggingface/transformers, which loops over the pairs of each feature in Python.
"""

import dataclasses
from typing import Any, NamedTuple

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


class FeatureSpans(NamedTuple):
    """The best spans of features, in the order in which the rules find them.

    Attributes:
        counts: int64 (n,), the number of spans of each feature.
        spans: (m,), of `span_type`.
        nulls: (n,), of `span_type`: "no answer", with the logits of the first token.
    """

    counts: np.ndarray
    spans: np.ndarray
    nulls: np.ndarray


def span_type(logits: Any) -> np.dtype[Any]:
    """Spans as rows: from `start` to `end`, characters in the context, with logits of this type."""
    return np.dtype([("start", np.int32), ("end", np.int32), ("start_logit", logits), ("end_logit", logits)])


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
    kind = np.result_type(start_logits, end_logits, np.float32)  # sums of float16 tie
    from_logits = np.take_along_axis(start_logits, indices[0], axis=1).astype(kind, copy=False)
    to_logits = np.take_along_axis(end_logits, indices[1], axis=1).astype(kind, copy=False)
    if allowed.shape[1] > n_best:
        scores = (from_logits[:, :, None] + to_logits[:, None, :]).reshape(allowed.shape)
        last = np.partition(np.where(allowed, scores, -np.inf), -n_best, axis=1)[:, -n_best]
        allowed &= scores >= last[:, None]
    features, pairs = np.nonzero(allowed)
    by_start, by_end = np.divmod(pairs, max(indices[1].shape[1], 1))
    spans, nulls = np.zeros(len(features), span_type(kind)), np.zeros(len(starts), span_type(kind))
    spans["start"] = tokens.starts[starts[features, by_start]]
    spans["end"] = tokens.ends[ends[features, by_end]]
    spans["start_logit"], spans["end_logit"] = from_logits[features, by_start], to_logits[features, by_end]
    nulls["start_logit"], nulls["end_logit"] = start_logits[:, 0], end_logits[:, 0]
    return FeatureSpans(np.bincount(features, minlength=len(starts)), spans, nulls)


def _largest(logits: np.ndarray, n: int) -> np.ndarray:
    """The positions of the n largest logits of each row, (rows, n), with the ties of numpy's default sort, as in the rules."""
    return np.argsort(logits, axis=1)[:, : -n - 1 : -1]


class RankedSpans(NamedTuple):
    """The n best spans of every example, example after example, best first.

    Attributes:
        first, counts: int64 (n,), the first row and the number of rows of each example.
        spans: (m,), of `span_type`.
        best: int64 (n,), the row of the answer, with "no answer" the first that has a text; -1 for none.
        made_up: bool (n,), examples without a span with text; the rules give them the answer "empty" with logits of 0.
        null_odds: (n,), the score of "no answer" minus the score of the answer; None without "no answer".
    """

    first: np.ndarray
    counts: np.ndarray
    spans: np.ndarray
    best: np.ndarray
    made_up: np.ndarray
    null_odds: np.ndarray | None


def rank_spans(
    found: FeatureSpans, example_of: np.ndarray, context_lengths: np.ndarray, n_best: int, with_null: bool
) -> RankedSpans:
    """Join the spans of the features of each example.

    Args:
        found: of all features.
        example_of: int64 (features,), the example of each feature.
        context_lengths: int64 (examples,), characters.
        n_best: the number of spans to keep per example.
        with_null: whether "no answer" is one of them, with its lowest score over the features, the first on a tie.
    """
    examples, spans = np.repeat(example_of, found.counts), found.spans
    if with_null:
        order = np.lexsort((_sums(found.nulls), example_of))
        null_examples, indices = np.unique(example_of[order], return_index=True)
        nulls = found.nulls[order[indices]]
        examples, spans = np.append(examples, null_examples), np.append(spans, nulls)
    with np.errstate(invalid="ignore"):
        order = np.lexsort((-_sums(spans), examples))
    order = order[_ranks_within(examples[order]) < n_best]
    examples, spans = examples[order], spans[order]
    if with_null:
        # If "no answer" is not among the n best, it is added at the end; an empty span at the beginning counts as it.
        present = np.zeros(len(context_lengths), bool)
        present[examples[(spans["start"] == 0) & (spans["end"] == 0)]] = True
        absent = ~present[null_examples]
        examples, spans = np.append(examples, null_examples[absent]), np.append(spans, nulls[absent])
        order = np.argsort(examples, kind="stable")
        examples, spans = examples[order], spans[order]
    counts = np.bincount(examples, minlength=len(context_lengths))
    first = np.cumsum(counts) - counts
    empty = (spans["end"] <= spans["start"]) | (spans["start"] >= context_lengths[examples])
    only = np.zeros(len(counts), bool)
    only[counts == 1] = empty[first[counts == 1]]
    made_up = np.zeros(len(counts), bool)
    made_up[example_of] = ((counts == 0) | only)[example_of]
    best = np.full(len(counts), -1)
    kept = np.flatnonzero(~empty) if with_null else np.arange(len(empty))
    owners, indices = np.unique(examples[kept], return_index=True)
    best[owners] = kept[indices]
    best[made_up] = -1
    null_odds = None
    if with_null:
        null_odds = np.zeros(len(counts), spans["start_logit"].dtype)
        null_odds[null_examples] = _sums(nulls)
        answered = np.flatnonzero(best >= 0)
        with np.errstate(invalid="ignore"):  # -inf less -inf
            null_odds[answered] -= spans["start_logit"][best[answered]]
            null_odds[answered] -= spans["end_logit"][best[answered]]
    return RankedSpans(first, counts, spans, best, made_up, null_odds)


def _sums(spans: np.ndarray) -> np.ndarray:
    """The score of each span."""
    scores: np.ndarray = spans["start_logit"] + spans["end_logit"]
    return scores


def _ranks_within(examples: np.ndarray) -> np.ndarray:
    """The rank of each row among the rows of its example, from 0; the rows of an example are together."""
    indices = np.arange(len(examples))
    return indices - np.maximum.accumulate(np.where(begins_run(examples), indices, 0))
