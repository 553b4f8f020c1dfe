"""A data set of extractive question answering: its examples, their tokenized features, and how its logits are read."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..core.arrow import numbers_of
from ..core.groups import to_groups
from ..core.ids import unique_ids
from ..core.shown import describe
from .arrow_rows import ArrowRows
from .gold_answers import read_golds
from .hook import refuse_nan, to_array
from .qa_features import QAFeatures
from .spans import FeatureSpans, best_spans

BLOCK = 512  # features at once: some 10 MB with 20 of the best logits


class QADataset:
    """The examples and features of one data set.

    Args:
        name: of the data set; None if there is only one.
        examples, features, columns, groups: as `ExtractiveQA` takes them.

    Raises:
        TypeError, ValueError: as `ExtractiveQA` raises them, naming the data set.
    """

    def __init__(self, name: str | None, examples: Any, features: Any, columns: Mapping[str, str], groups: Any = None):
        self.name = name
        try:
            self.examples = QAExamples(examples, columns, groups)
            self.features = QAFeatures(features, self.examples.rows_of, self.examples.context_lengths, BLOCK)
            if not len(self.features):
                raise ValueError("there are no features: give at least one")
        except (TypeError, ValueError) as error:
            if name is None:
                raise
            raise type(error)(f"data set {name!r}: {error}") from None

    def without_feature(self) -> int:
        """How many examples have no feature."""
        return len(self.examples.ids) - len(np.unique(self.features.example_of))

    def mismatch(self, n: int, length: int, labels: Any, first: int) -> str | None:
        """Why n rows of logits of that length, with these label_ids, do not fit the features from `first` on."""
        last = first + n
        if last > len(self.features):
            return f"it has {len(self.features):,} features"
        problem = self.features.other_order(labels, first)
        if problem is not None:
            return problem
        counts = self.features.counts[first:last]
        if counts.max(initial=0) > length:
            feature = int(np.argmax(counts > length))
            return (
                f"{self.features.where(first + feature)} has {counts[feature]} tokens, but the logits have {length} places: "
                "give the features that the logits were made of"
            )
        return None

    def read(
        self, start_logits: np.ndarray, end_logits: np.ndarray, first: int, n_best: int, longest: int
    ) -> list[FeatureSpans]:
        """The best spans of rows of logits, of the features from `first` on."""
        parts = []
        for start, stop in self.features.blocks(first, first + len(start_logits)):
            block = slice(start - first, stop - first)
            for name, logits in (("start logits", start_logits), ("end logits", end_logits)):
                refuse_nan(logits[block], name, start)
            tokens = self.features.tokens(start, stop)
            parts.append(best_spans(start_logits[block], end_logits[block], tokens, n_best, longest))
        return parts


class QAExamples:
    """The examples: ids, gold answers, groups, and contexts, which are read when they are needed."""

    def __init__(self, examples: Any, columns: Mapping[str, str], groups: Any = None):
        import pyarrow.compute as pc

        wanted = {"id": "id", "context": "context", "answers": "answers"}
        for name in columns:
            if name not in wanted:
                raise TypeError(f"columns renames id, context and answers; got {name!r}")
        names = {**wanted, **columns}
        self._context = names["context"]
        advice_by_column = {column: f"say which it is: columns={{{name!r}: '...'}}" for name, column in names.items()}
        advice_by_column |= {groups: "say which it is: groups='...'"} if isinstance(groups, str) else {}
        self._rows = ArrowRows(examples, "examples", advice_by_column)
        self.ids = unique_ids(self._rows.read(names["id"]).to_pylist(), f"examples: {names['id']}")
        labels = self._rows.read(groups).to_pylist() if isinstance(groups, str) else groups
        self.groups = to_groups(labels, self.ids, self.ids)
        self.rows_of = {identifier: row for row, identifier in enumerate(self.ids)}
        self.context_lengths = np.zeros(len(self.ids), np.int64)
        for start in range(0, len(self.ids), BLOCK):
            contexts = self._rows.read(self._context, start, start + BLOCK)
            if contexts.null_count or str(contexts.type) not in ("string", "large_string", "string_view"):
                row = next((row for row, is_text in enumerate(contexts.is_valid().to_pylist()) if not is_text), 0)
                got = "None" if contexts.null_count else f"the type {contexts.type}"
                raise TypeError(f"examples[{start + row}]: {self._context} must be a string, got {got}")
            self.context_lengths[start : start + len(contexts)] = numbers_of(pc.utf8_length(contexts))
        answers = self._rows.read(names["answers"]).to_pylist()
        self.golds = _golds(self.ids, answers)

    def contexts(self, rows: list[int]) -> Iterator[Any]:
        """The contexts of these rows, which are in order, one by one."""
        for start in range(0, len(rows), BLOCK):
            part = rows[start : start + BLOCK]
            block = self._rows.read(self._context, part[0], part[-1] + 1).to_pylist()
            yield from (block[row - part[0]] for row in part)


def _golds(ids: list[Any], answers: list[Any]) -> dict[Any, list[str]]:
    """The gold answers by id."""
    missing = next((row for row, answer in enumerate(answers) if answer is None), None)
    if missing is not None:
        raise TypeError(
            f"examples[{missing}] (id {ids[missing]!r}) has None for its answers; give {{'text': []}} if there is none"
        )
    return dict(zip(ids, read_golds(answers, ids), strict=True))


def read_logits(predictions: Any) -> tuple[np.ndarray, np.ndarray]:
    """The start and end logits among the outputs of a model.

    Models may give more (states of an encoder, for one); models that search their answers themselves (XLNet, XLM) give
    log probabilities with places beside them instead.
    """
    advice = (
        "a model for question answering gives (start_logits, end_logits), each (features, length), to Trainer; "
        "see its keys_to_ignore_at_inference for what else it gives"
    )
    if not isinstance(predictions, (tuple, list)) or len(predictions) < 2:
        shape = getattr(predictions, "shape", None)
        got = f"an array of shape {tuple(shape)}" if shape is not None else describe(predictions)
        raise TypeError(f"predictions must be (start logits, end logits), got {got}; {advice}")
    start, end = to_array(predictions[0], "start logits"), to_array(predictions[1], "end logits")
    for name, logits in (("start logits", start), ("end logits", end)):
        if logits.dtype.kind != "f":
            raise TypeError(f"{name} must be floating-point numbers, got {logits.dtype}; {advice}")
        if logits.ndim != 2 or not logits.shape[1]:
            raise ValueError(f"{name} must have the shape (features, length), got {logits.shape}; {advice}")
    if start.shape != end.shape:
        raise ValueError(f"start logits have the shape {start.shape}, end logits {end.shape}; {advice}")
    return start, end
