"""The data set of extractive question answering: examples, their tokenized features, and spans from logits."""

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.arrow import numbers_of
from ..core.columns import check_rows
from ..core.groups import to_groups
from ..core.ids import unique_ids
from ..core.remarks import remark
from ..core.shown import describe
from .arrow_rows import arrow_rows, read_block, values_of
from .hook import INPUTS, INTERRUPTED, OTHER_DATA_SET, Batch, other_number, processes, refuse_nan, to_array
from .scored_rows import read_golds
from .spans import FeatureSpans, Tokens, best_spans

BLOCK = 512  # features read at once, some 10 MB with the 20 best logits
_MARK = (
    "set the offsets of all tokens outside of the context to None, as the transformers example does: "
    "[o if sequence_ids[k] == 1 else None for k, o in enumerate(offsets)]"
)
_NEEDED = {
    "offset_mapping": "tokenize with return_offsets_mapping=True and keep the column (Trainer omits it by itself)",
    "example_id": "give each feature the id of its example (see overflow_to_sample_mapping)",
}
_POSITIONS = ("start_positions", "end_positions")
_MAX_CONTEXT = "token_is_max_context"
_SHUFFLED = "omit train_sampling_strategy='group_by_length', which shuffles the evaluation too"


class QADataset:
    """The examples and features of one data set, in the layout of the transformers example.

    Features are read in blocks and checked once. Their columns are example_id and offset_mapping: (start, end) per token,
    None outside the context. input_ids, start_positions and end_positions are read if present.

    Args:
        examples, features, groups: as of `ExtractiveQA`.

    Raises:
        TypeError, ValueError: a missing column, an unknown example, offsets that do not mark the context or lie outside
            it; the message has the feature and the remedy.

    Attributes:
        ids, contexts, groups: of the examples.
        golds: id -> gold answers.
        context_lengths: int64 (examples,), characters.
        example_of: int64 (features,), the row of the example of each feature.
        counts: int64 (features,), the number of tokens of each feature.
    """

    def __init__(self, examples: Any, features: Any, groups: Any = None):
        self._read_examples(examples, groups)
        self._rows = arrow_rows(features, "features", _NEEDED, (_MAX_CONTEXT, "input_ids", *_POSITIONS))
        if _MAX_CONTEXT in self._rows.column_names:
            raise ValueError(
                f"features have the column {_MAX_CONTEXT}; omit it: an answer may start at each token of the context"
            )
        self._example_ids = read_block(self._rows, "example_id").to_pylist()
        rows_of = {identifier: row for row, identifier in enumerate(self.ids)}
        self.example_of = np.array([rows_of.get(identifier, -1) for identifier in self._example_ids], np.int64)
        if (self.example_of < 0).any():
            raise ValueError(
                f"{self._where(int(np.argmin(self.example_of)))} belongs to no example "
                f"({int((self.example_of < 0).sum())} features in all): give the examples that the features were made of, "
                "with the same ids"
            )
        self.counts = np.zeros(len(self), np.int64)
        self._check_offsets()

    def _read_examples(self, examples: Any, groups: Any) -> None:
        advice = dict.fromkeys(("id", "context", "answers"), "rename the column that holds it")
        advice |= {groups: "say which it is: groups='...'"} if isinstance(groups, str) else {}
        rows = arrow_rows(examples, "examples", advice)
        self.ids = unique_ids(values_of(rows, "id"), "examples: id")
        self.groups = to_groups(values_of(rows, groups) if isinstance(groups, str) else groups, self.ids)
        self.contexts = values_of(rows, "context")
        check_rows(self.contexts, "examples: context", self.ids, str, "give the text of each")
        self.context_lengths = np.fromiter(map(len, self.contexts), np.int64, len(self.contexts))
        answers = values_of(rows, "answers")
        if None in answers:
            row = answers.index(None)
            raise TypeError(
                f"examples[{row}] (id {self.ids[row]!r}) has None for its answers; give {{'text': []}} if there is none"
            )
        self.golds = dict(zip(self.ids, read_golds(answers, self.ids), strict=True))

    def __len__(self) -> int:
        """The number of features."""
        return len(self._rows)

    def spans(self, batch: Batch, first: int, n_best: int, longest: int) -> list[FeatureSpans]:
        """The best spans for a batch of logits, which must belong to the features from `first` on."""
        start_logits, end_logits = read_logits(batch.predictions)
        last, length = first + len(start_logits), start_logits.shape[1]
        if last > len(self):
            raise self.other_number(f"{last:,} features or more", last)
        self._check_order(batch, first)
        counts = self.counts[first:last]
        if counts.max(initial=0) > length:
            feature = int(np.argmax(counts > length))
            raise ValueError(
                f"{self._where(first + feature)} has {counts[feature]} tokens, but the logits have {length} positions: "
                "give the features that the logits were made of"
            )
        parts = []
        for start, stop in self._blocks(first, last):
            block = slice(start - first, stop - first)
            for name, logits in (("start logits", start_logits), ("end logits", end_logits)):
                refuse_nan(logits[block], name, start)
            parts.append(best_spans(start_logits[block], end_logits[block], self._read(start, stop), n_best, longest))
        return parts

    def other_number(self, features: str, n: int) -> ValueError:
        """The error for logits of another number of features."""
        repeats = "Seq2SeqTrainer repeats rows on several processes: use Trainer; or " if processes() > 1 else ""
        causes = other_number(n, len(self))
        return ValueError(f"there are logits of {features}, but ExtractiveQA has {len(self):,}: {repeats}{causes}")

    def _check_order(self, batch: Batch, start: int) -> None:
        """Refuse inputs, or without these start and end positions, that do not belong to the features from start on.

        Warns if neither can show it.
        """
        cause = f"{OTHER_DATA_SET}; or the rows of Trainer are not in the order of features: {_SHUFFLED}"
        cause += f"; or {INTERRUPTED}" if start else ""
        if batch.inputs is not None and "input_ids" in self._rows.column_names:
            tokens = read_block(self._rows, "input_ids", start, start + len(batch.inputs)).to_pylist()
            for row, (given, expected) in enumerate(zip(batch.inputs.tolist(), tokens, strict=True), start):
                if given[: len(expected)] != expected:
                    raise ValueError(f"{self._where(row)} is not the input that Trainer gives: {cause}")
            return
        if not (isinstance(batch.labels, (tuple, list)) and len(batch.labels) == len(_POSITIONS)):
            return
        if len(self._positions) < len(_POSITIONS):
            remark(
                "features have no start_positions and end_positions, so it is not checked that the rows of Trainer are in "
                "their order; keep these columns"
            )
            return
        for (name, column), labels in zip(self._positions.items(), batch.labels, strict=True):
            found = to_array(labels, name)
            positions = column[start : start + len(found)]
            if found.shape == positions.shape and (found != positions).any():
                row = int(np.argmax(found != positions))
                raise ValueError(
                    f"{self._where(start + row)} has {name} {positions[row]}, but Trainer gives {found[row]}: {cause}"
                )
        if len(self) > 1 and not any(map(np.ptp, self._positions.values())):
            remark(
                "the start and end positions of all features are alike, so they do not show whether the rows of Trainer are in "
                f"another order: the numbers are right only if the rows are in the order of features; {_SHUFFLED}, "
                f"or add {INPUTS} to the arguments of Trainer and keep the column input_ids in features"
            )

    @functools.cached_property
    def _positions(self) -> dict[str, np.ndarray]:
        """The columns start_positions and end_positions, (n,) each, as far as features have them."""
        names = [name for name in _POSITIONS if name in self._rows.column_names]
        return {name: numbers_of(read_block(self._rows, name)) for name in names}

    def _where(self, feature: int) -> str:
        """A feature such as "features[3] (example 'q1')" for messages."""
        return f"features[{feature}] (example {self._example_ids[feature]!r})"

    def _blocks(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """The blocks in which features start to stop are read."""
        for low in range(start, stop, BLOCK):
            yield low, min(low + BLOCK, stop)

    def _check_offsets(self) -> None:
        some_outside = False
        for start, stop in self._blocks(0, len(self)):
            tokens = self._read(start, stop)
            self.counts[start:stop] = tokens.counts
            inside, starts, ends = tokens.inside[:-1], tokens.starts[:-1], tokens.ends[:-1]
            some_outside = some_outside or not inside.all()
            feature = np.repeat(np.arange(stop - start), tokens.counts)
            lengths = self.context_lengths[self.example_of[start:stop]][feature]
            real = inside & ~((starts == 0) & (ends == 0))
            back = np.zeros(len(inside), bool)
            back[1:] = real[1:] & real[:-1] & (feature[1:] == feature[:-1]) & (starts[1:] < starts[:-1])
            others = "give the features that were made of these examples"
            for bad, problem in (
                (inside & ((starts < 0) | (ends < starts)), f"which is not a span; {others}"),
                (inside & (ends > lengths), f"beyond the end of its context; {others}"),
                (back, f"which go back, so tokens before it belong to the question; {_MARK}"),
            ):
                if bad.any():
                    token = int(np.argmax(bad))
                    where, index = self._where(start + feature[token]), token - tokens.first[feature[token]]
                    raise ValueError(
                        f"{where} has at token {index} the offsets ({starts[token]}, {ends[token]}), {problem}"
                    )
        if not some_outside:
            raise ValueError(f"features have no token outside of the context; {_MARK}")

    def _read(self, start: int, stop: int) -> Tokens:
        import pyarrow as pa
        import pyarrow.compute as pc

        column = read_block(self._rows, "offset_mapping", start, stop)
        try:
            column = column.cast(pa.large_list(pa.large_list(pa.int64())))
        except pa.ArrowException:
            raise TypeError(
                f"features: offset_mapping must contain a (start, end) or None per token, got the type {column.type}; "
                "tokenize with return_offsets_mapping=True"
            ) from None
        counts = pc.list_value_length(column).fill_null(0).to_numpy()
        tokens = column.flatten()  # without those that a feature of None may span
        bounds, values = tokens.offsets.to_numpy(), tokens.values
        inside = np.append(np.diff(bounds) >= 2, False)
        inside[:-1] &= tokens.is_valid().to_numpy(zero_copy_only=False)
        first = bounds[:-1][inside[:-1]]
        if values.null_count:  # in lists of fixed size, None takes two numbers
            present = values.is_valid().to_numpy(zero_copy_only=False)
            if not (present[first] & present[first + 1]).all():
                raise ValueError(
                    "features: offset_mapping has None within an offset; give (start, end), or None for both"
                )
            values = values.fill_null(0)
        numbers = numbers_of(values)
        starts, ends = np.zeros(len(inside), np.int64), np.zeros(len(inside), np.int64)
        starts[inside], ends[inside] = numbers[first], numbers[first + 1]
        return Tokens(np.cumsum(counts) - counts, counts, starts, ends, inside)


def read_logits(predictions: Any) -> tuple[np.ndarray, np.ndarray]:
    """The start and end logits among the outputs of a model.

    Models may give more outputs, such as states of an encoder. Models that search for answers themselves (XLNet, XLM)
    give log probabilities with positions instead, which are refused.
    """
    advice = (
        "a model for question answering gives (start_logits, end_logits), floats of shape (features, length), to Trainer; "
        "see its keys_to_ignore_at_inference for what else it gives"
    )
    if not isinstance(predictions, (tuple, list)) or len(predictions) < 2:
        shape = getattr(predictions, "shape", None)
        got = f"an array of shape {tuple(shape)}" if shape is not None else describe(predictions)
        raise TypeError(f"predictions must be (start logits, end logits), got {got}; {advice}")
    start, end = to_array(predictions[0], "start logits"), to_array(predictions[1], "end logits")
    for name, logits in (("start logits", start), ("end logits", end)):
        if logits.dtype.kind != "f" or logits.ndim != 2 or not logits.shape[1]:
            raise TypeError(f"{name} are {logits.dtype} of shape {logits.shape}; {advice}")
    if start.shape != end.shape:
        raise ValueError(f"start logits have the shape {start.shape}, end logits {end.shape}; {advice}")
    return start, end
