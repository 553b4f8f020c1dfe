"""Reads every layout of pipeline outputs and gold answers (rows, dicts, tables, Haystack) into checked, aligned
columns.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..answer_match.pipeline_results import field_value, is_whole_result
from ..core.answers import gold_texts
from ..core.columns import LIST_TYPES, check_lengths, is_list, is_table, table_columns, to_list, with_id
from ..core.errors import NoGoldAnswer, about, blamed
from ..core.groups import Groups
from ..core.intake import GROUPS, PREDICTIONS, REFERENCES, WEIGHTS, Cells, Field, Kind, as_rows, read
from ..core.shown import describe, keys_of
from .haystack import (
    answer_parts,
    document_id,
    document_text,
    evaluation_rows,
    is_extracted,
    refuse_misspelt,
    row_of_result,
    unwrapped,
)

_LARGEST_OFFSET = 2**53
_GIVE_PIPELINE_ROW = (
    'give {"documents": [...], "answers": [...]} for every question, None where the pipeline gave nothing'
)
_GIVE_ONE = "give one for every question"
_GIVE_GOLD_ROW = 'give {"answers": [...], "documents": [...], "is_impossible": ...} for every question'


@dataclasses.dataclass(frozen=True)
class Spans:
    """Answers of all questions, one after another: `counts` (n,) says how many each question has.

    `texts` and `documents` hold None if there is none, `spans` (m, 2) start and end (exclusive), -1 where there is
    none; `withheld` (m,) marks "no answer" among ranked answers: no text, and no span or an empty one.
    """

    counts: np.ndarray
    texts: list
    documents: list
    spans: np.ndarray
    withheld: np.ndarray

    @property
    def owner(self) -> np.ndarray:
        """The question of each answer, (m,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def rows_of_texts(self) -> list[list]:
        """The texts of each question."""
        ends = np.cumsum(self.counts).tolist()
        return [self.texts[start:end] for start, end in zip([0, *ends], ends)]


@dataclasses.dataclass(frozen=True)
class PipelineColumns:
    """Checked columns, one row per question.

    Attributes:
        given: bool (n,), whether the pipeline has the question.
        retrieved: n ranked lists of document ids.
        retrieved_texts: n lists of their texts, None if none is given.
        gold_documents: n lists of distinct document ids.
        answers, golds: the ranked answers and the gold answers; a question without gold answers is unanswerable.
        notes: counts that belong to no question.
        of_haystack: whether an answer has a place as Haystack's readers write it.
    """

    ids: Sequence
    given: np.ndarray
    retrieved: list[list[str]]
    retrieved_texts: list[list[str | None]]
    gold_documents: list[list[str]]
    answers: Spans
    golds: Spans
    weights: np.ndarray | None
    groups: Groups | None
    notes: dict[str, int]
    of_haystack: bool


def read_pipeline(
    columns: Mapping[str, Any],
    *,
    missing: str,
    duplicates: str,
    document_field: str | None = None,
    document_node: str | None = None,
    answer_node: str | None = None,
) -> PipelineColumns:
    """Bring any layout into columns in the order of the references.

    Args:
        columns: predictions, references, ids, weights and groups of `score_reading`; None stands for none.
        missing, duplicates, document_field, document_node, answer_node: of `ReaderOptions`.
    """
    table = read(PIPELINE_FIELDS, _both_sides(columns), missing=missing, duplicates=duplicates, advice=_GIVE_ONE)
    ids = table.ids
    with about("references"):
        gold_documents, contexts, golds = _read_golds(table.columns[REFERENCES], ids, document_field)
    with about("predictions"):
        rows = _plain_rows(table.columns[PREDICTIONS], ids, document_node, answer_node)
        retrieved, texts, answers = _read_outputs(rows, ids, contexts, document_field)
    of_haystack = any(is_extracted(answer) for row in rows if row is not None for answer in row["answers"])
    sides = table.columns.get("weights"), table.columns.get("groups")
    return PipelineColumns(
        ids, table.given, retrieved, texts, gold_documents, answers, golds, *sides, table.counts, of_haystack
    )


def pipeline_rows_by_id(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of `score_reading` in which dicts by id are rows with their ids, which can be added batch by batch; a question
    of the predictions that is None is absent.
    """
    if not all(_is_by_id(columns.get(name)) for name in (PREDICTIONS, REFERENCES)):
        return dict(columns)
    outputs = {identifier: row for identifier, row in columns[PREDICTIONS].items() if row is not None}
    return as_rows(PIPELINE_FIELDS, {**columns, PREDICTIONS: outputs})


def _outputs(cells: Cells) -> list[Any]:
    row = next((row for row, value in enumerate(cells.values) if not isinstance(value, (Mapping, type(None)))), None)
    if row is not None:
        raise TypeError(f"{cells.where(row)} must be a dict, got {describe(cells.values[row])}; {_GIVE_PIPELINE_ROW}")
    return cells.values


def _gold_rows(cells: Cells) -> list[Any]:
    row = next((row for row, value in enumerate(cells.values) if not isinstance(value, Mapping)), None)
    if row is not None:
        raise TypeError(f"{cells.where(row)} must be a dict, got {describe(cells.values[row])}; {_GIVE_GOLD_ROW}")
    return cells.values


PIPELINE_FIELDS = (
    Field(PREDICTIONS, Kind(_outputs, takes_dicts=lambda row: True), PREDICTIONS),
    Field(REFERENCES, Kind(_gold_rows, takes_dicts=lambda row: True), REFERENCES),
    WEIGHTS,
    GROUPS,
)


def _both_sides(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns, with rows in place of whole results and of dicts of columns, and with both sides of Haystack's evaluation,
    whose table holds both.
    """
    predictions, references = columns.get(PREDICTIONS), columns.get(REFERENCES)
    if predictions is None:
        raise TypeError("predictions missing: give the documents and answers of the pipeline for every question")
    if references is None:
        frames = predictions.values() if _is_by_id(predictions) else [predictions]
        judged = evaluation_rows([row for frame in frames for row in _records(frame, PREDICTIONS)])
        if judged is None:
            message = (
                "references missing: give the gold answers; only a table of Haystack's evaluation holds both sides"
            )
            raise blamed(TypeError(message), REFERENCES)
        predictions, references = judged
    sides = {PREDICTIONS: predictions, REFERENCES: references}
    return {**columns, **{name: side if _is_by_id(side) else _records(side, name) for name, side in sides.items()}}


def _is_by_id(side: Any) -> bool:
    return (
        isinstance(side, Mapping)
        and not {"documents", "answers", "gold_document_ids"} & side.keys()
        and not is_whole_result(side)
    )


def _records(side: Any, name: str) -> list[Any]:
    """The rows of a list, or of a table: a data frame, an Arrow table, a data set or a dict of columns."""
    with about(name):
        if is_whole_result(side):
            return [side]
        if is_table(side) or isinstance(side, Mapping):
            table = side if isinstance(side, Mapping) else table_columns(side)
            columns = {key: to_list(column, f"{name}[{key!r}]") for key, column in table.items()}
            check_lengths(**{str(key): column for key, column in columns.items()})
            return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return to_list(side, name)


class _Flat:
    """Answers on their way into `Spans`."""

    def __init__(self) -> None:
        self.counts: list[int] = []
        self.texts: list = []
        self.documents: list = []
        self.spans: list = []

    def add(self, parts: tuple | None, lengths: Mapping[str, int]) -> None:
        """Add the parts of an answer, None for no answer, checked against the known lengths of documents."""
        text, document, start, end = parts or (None, None, None, None)
        if start is None:
            start = end = -1
        elif type(start) is not int or type(end) is not int or not 0 <= start <= end < _LARGEST_OFFSET:
            start, end = _checked_span(start, end)
        if lengths and end > lengths.get(document, _LARGEST_OFFSET):
            raise ValueError(
                f"ends at {end}, but its document {document!r} has only {lengths[document]} characters; are these "
                "offsets in another text?"
            )
        self.texts.append(text)
        self.documents.append(document)
        self.spans += (start, end)

    def finish(self) -> Spans:
        spans = np.array(self.spans, np.int64).reshape(-1, 2)
        without = np.fromiter((text is None for text in self.texts), bool, len(self.texts))
        withheld = without & (spans[:, 0] == spans[:, 1])  # without a span both are -1
        return Spans(np.array(self.counts, np.int64), self.texts, self.documents, spans, withheld)


def _checked_span(start: Any, end: Any) -> tuple[int, int]:
    for offset in (start, end):
        is_whole = isinstance(offset, (int, np.integer)) or isinstance(offset, float) and offset.is_integer()
        if not is_whole or isinstance(offset, bool):
            raise TypeError(f"has the offset {describe(offset)}; offsets are integers, counted in characters")
    start, end = int(start), int(end)
    if not 0 <= start <= end < _LARGEST_OFFSET:
        raise ValueError(f"has the span {start} to {end}; give 0 <= start <= end, end exclusive")
    return start, end


def _plain_rows(rows: Sequence, ids: Sequence, document_node: str | None, answer_node: str | None) -> list:
    """The rows, with the results of Haystack's pipelines as documents and answers."""
    plain: list = []
    try:
        for row in rows:
            plain.append(row_of_result(row, document_node, answer_node))
    except ValueError as error:
        raise ValueError(f"{_place(('predictions', len(plain), ids))} {error}") from None
    return plain


def _read_outputs(
    rows: Sequence, ids: Sequence, contexts: Sequence[Mapping[str, int]], document_field: str | None
) -> tuple[list[list[str]], list[list[str | None]], Spans]:
    """Retrieved documents, their texts, and the ranked answers."""
    retrieved, texts, flat = [], [], _Flat()
    for row, output in enumerate(rows):
        where = ("predictions", row, ids)
        if output is None:
            output = {"documents": (), "answers": ()}
        elif not isinstance(output, Mapping):
            raise TypeError(
                f"predictions[{row}]{with_id(ids, row)} must be a dict, got {describe(output)}; {_GIVE_PIPELINE_ROW}"
            )
        documents, of_documents = _documents_of(output, where, document_field)
        retrieved.append(documents)
        texts.append(of_documents)
        lengths = _lengths(documents, of_documents)
        lengths |= {name: max(length, lengths.get(name, 0)) for name, length in contexts[row].items()}
        answers = _field_list(output, "answers", where)
        field_ids = _own_ids(output, documents, document_field)
        _each(
            answers,
            "answers",
            where,
            lambda item, lengths=lengths, field_ids=field_ids: flat.add(
                answer_parts(item, document_field, field_ids), lengths
            ),
        )
        flat.counts.append(len(answers))
    return retrieved, texts, flat.finish()


def _read_golds(
    rows: Sequence, ids: Sequence, document_field: str | None
) -> tuple[list[list[str]], list[dict[str, int]], Spans]:
    """Gold documents, the lengths of documents with a given text, and the gold answers."""
    gold_documents, contexts, flat = [], [], _Flat()
    for row, gold in enumerate(_with_gold_lists(rows, ids)):
        where = ("references", row, ids)
        if not isinstance(gold, Mapping):
            raise TypeError(
                f"references[{row}]{with_id(ids, row)} must be a dict, got {describe(gold)}; {_GIVE_GOLD_ROW}"
            )
        _check_gold_fields(gold, where)
        items = _gold_items(gold, where)
        no_documents = field_value(gold, "documents") is None
        names, texts = ([], []) if no_documents else _documents_of(gold, where, document_field)
        field_ids = {} if no_documents else _own_ids(gold, names, document_field)
        parts = _each(
            items, "answers", where, lambda item, field_ids=field_ids: answer_parts(item, document_field, field_ids)
        )
        parts = [part for part in parts if part is not None]
        if len(items) and not parts and field_value(gold, "is_impossible") is None:
            raise ValueError(
                f"{_place(where)}['answers'] has only empty gold answers; for an unanswerable question give [], or "
                "mark it is_impossible"
            )
        if no_documents:
            names = [document for _, document, _, _ in parts if document is not None]
        lengths = _lengths(names, texts)
        names = list(dict.fromkeys(names))
        if len(names) == 1:  # a span without a document can only be in the single one
            parts = [(text, names[0] if document is None else document, *span) for text, document, *span in parts]
        _check_impossible(field_value(gold, "is_impossible"), len(parts), where)
        _each(parts, "answers", where, lambda part, lengths=lengths: flat.add(part, lengths))
        flat.counts.append(len(parts))
        gold_documents.append(names)
        contexts.append(lengths)
    golds = flat.finish()
    empty = np.flatnonzero((golds.spans[:, 0] >= 0) & (golds.spans[:, 0] == golds.spans[:, 1]))
    if len(empty):
        row = int(golds.owner[empty[0]])
        raise ValueError(f"references[{row}]{with_id(ids, row)} has an empty gold span; give start < end, or no answer")
    return gold_documents, contexts, golds


def _with_gold_lists(rows: Sequence, ids: Sequence) -> Sequence:
    """The gold rows; answers that are texts throughout as lists."""
    answers = [row.get("answers") if isinstance(row, Mapping) else None for row in rows]
    if not all(isinstance(answer, str) for answer in answers):
        return rows
    golds = gold_texts(Cells(answers, REFERENCES, ids))
    return [{**row, "answers": gold} for row, gold in zip(rows, golds, strict=True)]


def _documents_of(row: Mapping, where: tuple, document_field: str | None) -> tuple[list[str], list[str | None]]:
    """The ids and the texts of the documents of a row."""
    documents = _field_list(row, "documents", where)
    if set(map(type, documents)) <= {str}:
        return list(documents), [None] * len(documents)
    ids = _each(documents, "documents", where, lambda item: document_id(item, document_field))
    return ids, _each(documents, "documents", where, document_text)


def _lengths(documents: Sequence[str], texts: Sequence[str | None]) -> dict[str, int]:
    """The lengths of the documents whose texts are given; passages that share an id do not tell a length."""
    texts_by_document: dict[str, set[str]] = {}
    for document, text in zip(documents, texts, strict=False):
        if text is not None:
            texts_by_document.setdefault(document, set()).add(text)
    return {
        document: len(next(iter(distinct))) for document, distinct in texts_by_document.items() if len(distinct) == 1
    }


def _own_ids(row: Mapping, names: Sequence[str], document_field: str | None) -> dict[str, str]:
    """From the ids that documents have themselves to their ids by `document_field`."""
    if document_field is None:
        return {}
    native_ids = [None if isinstance(item, str) else field_value(unwrapped(item), "id") for item in row["documents"]]
    return {str(identifier): name for identifier, name in zip(native_ids, names, strict=True) if identifier is not None}


def _check_gold_fields(gold: Mapping, where: tuple) -> None:
    """Refuse misspelt names of optional fields; other columns may have any name."""
    for name, kinds in (("documents", LIST_TYPES), ("is_impossible", (bool, np.bool_))):
        if name not in gold:
            alike = {key: value for key, value in gold.items() if isinstance(value, kinds) and key != "answers"}
            try:
                refuse_misspelt(alike, [(name,)])
            except ValueError as error:
                raise ValueError(f"{_place(where)} {error}") from None


def _gold_items(gold: Mapping, where: tuple) -> Sequence:
    """Gold answers as a list of dicts or texts, also from SQuAD's dict of lists."""
    answers = gold.get("answers")
    if isinstance(answers, Mapping) and "text" in answers:
        lists = {key: list(values) for key, values in answers.items() if is_list(values)}
        if "text" not in lists or len(set(map(len, lists.values()))) > 1:
            raise ValueError(f"{_place(where)}['answers'] must contain lists of equal length, got {describe(answers)}")
        return [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]
    return _field_list(gold, "answers", where)


def _check_impossible(flag: Any, answers: int, where: tuple) -> None:
    if flag is not None and not isinstance(flag, (bool, np.bool_)):
        raise TypeError(f"{_place(where)}['is_impossible'] must be True or False, got {describe(flag)}")
    if flag and answers:
        raise ValueError(
            f"{_place(where)} is marked is_impossible, but has {answers} gold answers; drop one of the two"
        )
    if flag is not None and not flag and not answers:
        raise NoGoldAnswer(f"{_place(where)} has no gold answers; give some, or mark it is_impossible")


def _field_list(row: Mapping, name: str, where: tuple) -> Sequence:
    if name not in row:
        raise ValueError(f"{_place(where)} has no {name!r} (its keys: {keys_of(row)}); use [] for none")
    values = row[name]
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{_place(where)}[{name!r}] must be a list, got {describe(values)}; use [] for none")
    return values


def _each(items: Sequence, name: str, where: tuple, read: Any) -> list:
    """What `read` makes of each item; its errors begin with the place."""
    done: list = []
    try:
        for item in items:
            done.append(read(item))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{_place(where)}[{name!r}][{len(done)}] {error}") from None
    return done


def _place(where: tuple) -> str:
    name, row, ids = where
    return f"{name}[{row}]{with_id(ids, row)}"
