"""The features of extractive question answering: the places of the tokens of each example in its context."""

import dataclasses
import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.arrow import numbers_of
from ..core.remarks import remark
from .arrow_rows import ArrowRows
from .hook import other_data_set
from .label_alignment import RARE
from .spans import Tokens

_MARK = (
    "set the offsets of all tokens outside of the context to None, as the transformers example does: "
    "[o if sequence_ids[k] == 1 else None for k, o in enumerate(offsets)]"
)
_NEEDED = {
    "offset_mapping": "tokenize with return_offsets_mapping=True and keep the column (Trainer omits it by itself)",
    "example_id": "give each feature the id of its example (overflow_to_sample_mapping tells which it is)",
}
_POSITIONS = ("start_positions", "end_positions")
BOTH = 'ExtractiveQA({"dev": (dev, dev_features), "test": (test, test_features)})'


class QAFeatures:
    """Features in the layout of the transformers example, read block by block and checked once.

    Args:
        features: a data set, table, dict of columns or list of dicts with the columns offset_mapping (a list of
            (start, end) per token, None outside of the context; or (0, 0) there, where no feature has a None) and
            example_id; token_is_max_context, start_positions and end_positions are read if present.
        rows_of: example id -> row of the example.
        context_lengths: int64 (examples,), characters.
        block: how many features are read at once.

    Raises:
        TypeError, ValueError: a column that is missing, an example that is unknown, offsets that do not mark the
            context or lie outside of it; with the feature and what to do.

    Attributes:
        example_of: int64 (n,), the row of the example of each feature.
        counts: int64 (n,), the tokens of each feature.
    """

    def __init__(self, features: Any, rows_of: dict[Any, Any], context_lengths: np.ndarray, block: int):
        self._rows = ArrowRows(features, "features", _NEEDED, ("token_is_max_context", *_POSITIONS))
        self._block = block
        self._ids = self._rows.read("example_id").to_pylist()
        self.example_of = self._find_examples(rows_of)
        self._zeros_are_outside = self._warned = False
        self.counts = np.zeros(len(self), np.int64)
        self._check_offsets(context_lengths)

    def __len__(self) -> int:
        return len(self._rows)

    def tokens(self, start: int, stop: int) -> Tokens:
        """The tokens of features start to stop."""
        tokens = self._read(start, stop)
        if self._zeros_are_outside:
            is_zero = (tokens.starts == 0) & (tokens.ends == 0)
            tokens = dataclasses.replace(tokens, inside=tokens.inside & ~is_zero)
        return tokens

    def blocks(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """The blocks to read features start to stop in."""
        for low in range(start, stop, self._block):
            yield low, min(low + self._block, stop)

    def other_order(self, labels: Any, start: int) -> str | None:
        """Why label_ids (start and end positions) do not match the features from start on, if both have them.

        Warns once where Trainer gives labels and the features have none.
        """
        pair = isinstance(labels, (tuple, list)) and len(labels) == len(_POSITIONS)
        if not pair:
            return None
        if not self._has_positions:
            self._warn(
                "features have no start_positions and end_positions, so it is not checked that the rows of Trainer are in "
                "their order; keep these columns"
            )
            return None
        for name, given, own in self._positions(labels, start):
            if given.shape == own.shape and (given != own).any():
                row = start + int(np.argmax(given != own))
                cause = (
                    f"{other_data_set(BOTH)}; or the rows of Trainer are not in the order of features: omit "
                    "train_sampling_strategy='group_by_length', which shuffles the evaluation too"
                )
                if start and self._are_labels(labels, 0):
                    cause = (
                        "these are the labels of the first features: an evaluation with batch_eval_metrics=True was "
                        "interrupted. Its batches are dropped now: evaluate again, and call reset() of the hook after an "
                        "interruption"
                    )
                return (
                    f"{self.where(row)} has {name} {own[row - start]}, but Trainer gives {given[row - start]}: {cause}"
                )
        if self._may_hide_an_order:
            self._warn(
                "the start and end positions of the features are so much alike that they would be the same if Trainer gave "
                "its rows in another order: the numbers are right only if the rows are in the order of features. Omit "
                "train_sampling_strategy='group_by_length', which shuffles the evaluation too"
            )
        return None

    @functools.cached_property
    def _may_hide_an_order(self) -> bool:
        """Whether one shuffle of the features in a million, or more, has the same positions in the same places."""
        pairs = np.stack([numbers_of(self._rows.read(name)) for name in _POSITIONS], axis=1)
        counts = np.unique(pairs, axis=0, return_counts=True)[1]
        unseen = sum(math.lgamma(count + 1) for count in counts.tolist()) - math.lgamma(len(self) + 1)
        return len(counts) < len(self) and unseen >= math.log(RARE)

    def has_labels_of(self, other: "QAFeatures") -> bool:
        """Whether other features are as many, with the same start and end positions, or either is without them."""
        if len(self) != len(other):
            return False
        if not (self._has_positions and other._has_positions):
            return True
        return self._are_labels([numbers_of(other._rows.read(name)) for name in _POSITIONS], 0)

    def _are_labels(self, labels: Any, start: int) -> bool:
        """Whether start and end positions match the features from start on."""
        return all(np.array_equal(given, own) for _, given, own in self._positions(labels, start))

    def _positions(self, labels: Any, start: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
        """The names of start and end positions, with the positions in labels and in the features from `start` on."""
        for name, given in zip(_POSITIONS, labels, strict=True):
            given = np.asarray(given.cpu() if hasattr(given, "cpu") else given)
            yield name, given, numbers_of(self._rows.read(name, start, start + len(given)))

    @property
    def _has_positions(self) -> bool:
        return all(name in self._rows for name in _POSITIONS)

    def _warn(self, message: str) -> None:
        """Warn once."""
        if not self._warned:
            self._warned = True
            remark(message)

    def where(self, feature: int) -> str:
        """A place such as "features[3] (example 'q1')" for messages."""
        return f"features[{feature}] (example {self._ids[feature]!r})"

    def _find_examples(self, rows_of: dict[Any, Any]) -> np.ndarray:
        rows = np.fromiter((rows_of.get(identifier, -1) for identifier in self._ids), np.int64, len(self._ids))
        if (rows < 0).any():
            unknown = int(np.argmax(rows < 0))
            raise ValueError(
                f"{self.where(unknown)} belongs to no example ({int((rows < 0).sum())} features in all): "
                "give the examples that the features were made of, with the same ids"
            )
        return rows

    def _check_offsets(self, context_lengths: np.ndarray) -> None:
        some_outside, two_parts = False, None
        for start, stop in self.blocks(0, len(self)):
            tokens = self._read(start, stop)
            self.counts[start:stop] = tokens.counts
            inside = tokens.inside[:-1]
            some_outside = some_outside or not inside.all()
            feature = np.repeat(np.arange(stop - start), tokens.counts)
            starts, ends = tokens.starts[:-1], tokens.ends[:-1]
            lengths = context_lengths[self.example_of[start:stop]][feature]
            for bad, problem in (
                (inside & ((starts < 0) | (ends < starts)), "which is not a span"),
                (inside & (ends > lengths), "beyond the end of its context"),
            ):
                if bad.any():
                    token = int(np.argmax(bad))
                    where, place = self.where(start + feature[token]), token - tokens.first[feature[token]]
                    raise ValueError(
                        f"{where} has at token {place} the offsets ({starts[token]}, {ends[token]}), {problem}; "
                        "give the features that were made of these examples"
                    )
            real = inside & ~((starts == 0) & (ends == 0))
            together = real[1:] & real[:-1] & (feature[1:] == feature[:-1])
            back = together & (starts[1:] < starts[:-1])
            if back.any():
                token = 1 + int(np.argmax(back))
                place = token - tokens.first[feature[token]]
                raise ValueError(
                    f"{self.where(start + feature[token])} has offsets that go back to {starts[token]} at token {place}: "
                    f"tokens before it belong to the question; {_MARK}"
                )
            begins = real.copy()
            begins[1:] &= ~together
            parts = np.bincount(feature[begins], minlength=stop - start)
            if two_parts is None and (parts > 1).any():
                two_parts = start + int(np.argmax(parts > 1))
        if not some_outside:
            if two_parts is not None:
                raise ValueError(
                    f"{self.where(two_parts)} has offsets in two parts, of the question and of the context; {_MARK}"
                )
            self._zeros_are_outside = True

    def _read(self, start: int, stop: int) -> Tokens:
        import pyarrow as pa

        column = self._rows.read("offset_mapping", start, stop)
        try:
            column = column.cast(pa.large_list(pa.large_list(pa.int64())))
        except pa.ArrowException:
            raise TypeError(
                f"features: offset_mapping must contain a (start, end) or None per token, got the type {column.type}; "
                "tokenize with return_offsets_mapping=True"
            ) from None
        if column.null_count:  # a feature that is None may still span tokens in its column; a taken one spans none
            column = column.take(pa.array(np.arange(len(column))))
        bounds = column.offsets.to_numpy()
        counts = np.diff(bounds)
        tokens = column.values.slice(bounds[0], bounds[-1] - bounds[0])
        places, values = tokens.offsets.to_numpy(), tokens.values
        t = len(tokens)
        inside, starts, ends = np.zeros(t + 1, bool), np.zeros(t + 1, np.int64), np.zeros(t + 1, np.int64)
        inside[:-1] = (np.diff(places) >= 2) & _present(tokens)
        held = places[:-1][inside[:-1]]
        if values.null_count:  # in lists of fixed size a None has room for two numbers
            present: Any = _present(values)
            if not (present[held] & present[held + 1]).all():
                raise ValueError(
                    "features: offset_mapping has None within an offset; give (start, end), or None for both"
                )
            values = values.fill_null(0)
        values = numbers_of(values)
        starts[inside], ends[inside] = values[held], values[held + 1]
        may_start = self._may_start(start, stop, bounds[:-1] - bounds[0], counts, t)
        return Tokens(bounds[:-1] - bounds[0], counts, starts, ends, inside, may_start)

    def _may_start(
        self, start: int, stop: int, first: np.ndarray, counts: np.ndarray, n_tokens: int
    ) -> np.ndarray | None:
        """token_is_max_context, a dict of token number -> bool per feature, as bool (tokens + 1,)."""
        if "token_is_max_context" not in self._rows:
            return None
        marks = np.zeros(n_tokens + 1, bool)
        for feature, is_best in enumerate(self._rows.read("token_is_max_context", start, stop).to_pylist()):
            if is_best is None:  # no mark at all
                marks[first[feature] : first[feature] + counts[feature]] = True
                continue
            places = np.array([int(place) for place, marked in is_best.items() if marked], np.int64)
            marks[first[feature] + places[places < counts[feature]]] = True
        return marks


def _present(array: Any) -> np.ndarray | bool:
    return array.is_valid().to_numpy(zero_copy_only=False) if array.null_count else True
