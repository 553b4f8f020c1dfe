"""The columns of pipelines and of their gold data: every layout (rows, dicts, tables, Haystack) becomes checked answers."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..answer_match.pipeline_results import field_value, is_result, is_whole_result
from ..core.answers import gold_texts
from ..core.columns import LIST_TYPES, check_lengths, is_list, is_table, table_columns, to_list
from ..core.errors import InputError, NoGoldAnswer, about
from ..core.intake import GROUPS, PREDICTIONS, REFERENCES, WEIGHTS, Cells, Field, Kind, Side, Table, read
from ..core.shown import describe, keys_of
from .haystack import (
    Answer,
    answer_of,
    document_id,
    document_text,
    evaluation_rows,
    is_extracted,
    refuse_misspelt,
    row_of_result,
    unwrapped,
)

_GIVE_PIPELINE_ROW = (
    'give {"documents": [...], "answers": [...]} for every question, None where the pipeline gave nothing'
)
_GIVE_GOLD_ROW = 'give {"answers": [...], "documents": [...], "is_impossible": ...} for every question'
_NO_LENGTHS: Mapping[str, int] = {}
_OF_ROWS = frozenset(("documents", "answers", "gold_document_ids"))  # a dict with one of them is no dict by id


class Question(NamedTuple):
    """What a pipeline gave for a question, or what is right for it.

    Attributes:
        documents: their ids, of a pipeline in rank order.
        texts: of the documents, None for none.
        answers: of a pipeline in rank order, None for no answer.
        lengths: of the documents whose texts are given; passages that share an id do not tell a length.
        is_extracted: an answer has a place as Haystack's readers write it.
    """

    documents: list[str]
    texts: Sequence[str | None]
    answers: list[Answer | None]
    lengths: Mapping[str, int]
    is_extracted: bool = False


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

    @classmethod
    def of(cls, rows: Sequence[Sequence[Answer | None]]) -> "Spans":
        """The answers of each question."""
        answers = [answer or (None, None, -1, -1) for row in rows for answer in row]
        texts, documents, starts, ends = map(list, zip(*answers, strict=True)) if answers else ([], [], [], [])
        spans = np.column_stack([np.array(starts, np.int64), np.array(ends, np.int64)])
        without = np.fromiter((text is None for text in texts), bool, len(texts))
        withheld = without & (spans[:, 0] == spans[:, 1])  # without a span both are -1
        return cls(np.fromiter(map(len, rows), np.int64, len(rows)), texts, documents, spans, withheld)

    @property
    def owner(self) -> np.ndarray:
        """The question of each answer, (m,)."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @property
    def rows_of_texts(self) -> list[list]:
        """The texts of each question."""
        ends = np.cumsum(self.counts).tolist()
        return [self.texts[start:end] for start, end in zip([0, *ends], ends)]


class Pipelines(NamedTuple):
    """Checked columns, one row per question: `outputs` and `golds` (n each), and their answers, whose gold answers are none
    for an unanswerable question.
    """

    table: Table
    outputs: list[Question]
    golds: list[Question]
    answers: Spans
    gold_answers: Spans


@cache
def pipeline_fields(options: Any) -> tuple[Field, ...]:
    """The columns of `score_reading` with these options: `ReaderOptions`, which say where documents have their ids."""
    return (
        Field(PREDICTIONS, Kind(partial(_outputs, options=options), takes_dicts=lambda row: True), PREDICTIONS),
        Field(REFERENCES, Kind(partial(_golds, options=options), takes_dicts=lambda row: True), REFERENCES),
        WEIGHTS,
        GROUPS,
    )


def read_pipelines(columns: Mapping[str, Any], options: Any) -> Pipelines:
    """Bring any layout into columns in the order of the references; `columns` of `score_reading`, None for none."""
    fields = pipeline_fields(options)
    policies = {"missing": options.missing, "duplicates": options.duplicates}
    table = read(fields, rows_of_both(columns), advice="give one for every question", **policies)
    golds = table.columns[REFERENCES]
    outputs = [Question([], (), [], {}) if output is None else output for output in table.columns[PREDICTIONS]]
    with about(PREDICTIONS):
        for row, (output, gold) in enumerate(zip(outputs, golds, strict=True)):
            longer = {name: max(length, output.lengths.get(name, 0)) for name, length in gold.lengths.items()}
            _check_ends(output.answers, {**output.lengths, **longer}, partial(table.where, PREDICTIONS, row))
    answers, gold_answers = (Spans.of([question.answers for question in side]) for side in (outputs, golds))
    return Pipelines(table, outputs, golds, answers, gold_answers)


# --- layouts ----------------------------------------------------------------------------------------------------------


def rows_of_both(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns, with rows in place of whole results and of tables, and with predictions and references from
    Haystack's evaluation, whose table holds both.
    """
    predictions, references = columns.get(PREDICTIONS), columns.get(REFERENCES)
    if predictions is None:
        raise TypeError("predictions missing: give the documents and answers of the pipeline for every question")
    if references is None:
        frames = predictions.values() if _is_by_id(predictions) else [predictions]
        judged = evaluation_rows([row for frame in frames for row in _records(frame, PREDICTIONS)])
        if judged is None:
            message = "references missing: give the gold answers; only a table of Haystack's evaluation holds them too"
            raise InputError(REFERENCES, message)
        predictions, references = judged
    found = {PREDICTIONS: predictions, REFERENCES: references}
    return {
        **columns,
        **{name: column if _is_by_id(column) else _records(column, name) for name, column in found.items()},
    }


def _is_by_id(side: Any) -> bool:
    """Whether a side is a dict by id, or was read as a batch."""
    return (
        isinstance(side, Side) or isinstance(side, Mapping) and _OF_ROWS.isdisjoint(side) and not is_whole_result(side)
    )


def _records(side: Any, name: str) -> list[Any]:
    """The rows of a list, or of a table: a data frame, an Arrow table, a data set or a dict of columns."""
    with about(name):
        if is_whole_result(side):
            return [side]
        if not is_table(side) and not isinstance(side, Mapping):
            return to_list(side, name)
        table = side if isinstance(side, Mapping) else table_columns(side)
        columns = {str(key): to_list(column, f"{name}[{key!r}]") for key, column in table.items()}
        check_lengths(**columns)
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


# --- cells ------------------------------------------------------------------------------------------------------------


def _outputs(cells: Cells, options: Any) -> list[Question | None]:
    return [
        None if row is None else _output(row, partial(cells.where, index), options)
        for index, row in enumerate(cells.values)
    ]


def _output(row: Any, where: Callable[[], str], options: Any) -> Question:
    _require_dict(row, where, _GIVE_PIPELINE_ROW)
    if is_result(row):
        (row,) = _each([row], "", where, lambda row: row_of_result(row, options.document_node, options.answer_node))
    documents, texts, names = _documents(row, where, options.document_field)
    answers = _list_of(row, "answers", where)
    found = _each(
        answers, "answers", where, partial(answer_of, document_field=options.document_field, native_ids=names)
    )
    return Question(documents, texts, found, _lengths(documents, texts), any(map(is_extracted, answers)))


def _golds(cells: Cells, options: Any) -> list[Question]:
    rows = cells.values
    answers = [row.get("answers") if isinstance(row, Mapping) else None for row in rows]
    if all(isinstance(answer, str) for answer in answers):  # one text each, "" for none
        golds = gold_texts(Cells(answers, REFERENCES, cells.ids))
        rows = [{**row, "answers": gold} for row, gold in zip(rows, golds, strict=True)]
    return [_gold(row, partial(cells.where, index), options) for index, row in enumerate(rows)]


def _gold(row: Any, where: Callable[[], str], options: Any) -> Question:
    """The gold answers and documents of a question; these are by default those of the answers."""
    _require_dict(row, where, _GIVE_GOLD_ROW)
    _refuse_misspelt_fields(row, where)
    items, field = _gold_items(row, where), options.document_field
    has_documents, impossible = field_value(row, "documents") is not None, field_value(row, "is_impossible")
    documents, texts, names = _documents(row, where, field) if has_documents else ([], [], {})
    found = _each(items, "answers", where, partial(answer_of, document_field=field, native_ids=names))
    answers = [answer for answer in found if answer is not None]
    if len(items) and not answers and impossible is None:
        raise ValueError(
            f"{where()}['answers'] has only empty gold answers; for an unanswerable question give [], or mark it is_impossible"
        )
    if not has_documents:
        documents = [document for _, document, _, _ in answers if document is not None]
    lengths, once = _lengths(documents, texts), list(dict.fromkeys(documents))
    if len(once) == 1:  # a span without a document can only be in the single one
        answers = [(text, once[0] if document is None else document, *span) for text, document, *span in answers]
    _check_impossible(impossible, len(answers), where)
    _check_ends(answers, lengths, where)
    if any(0 <= start == end for _, _, start, end in answers):
        raise ValueError(f"{where()} has an empty gold span; give start < end, or no answer")
    return Question(once, (), list(answers), lengths)


def _lengths(documents: Sequence[str], texts: Sequence[str | None]) -> Mapping[str, int]:
    if texts.count(None) == len(texts):
        return _NO_LENGTHS
    distinct: dict[str, set[str]] = {}
    for document, text in zip(documents, texts, strict=True):
        if text is not None:
            distinct.setdefault(document, set()).add(text)
    return {document: len(next(iter(found))) for document, found in distinct.items() if len(found) == 1}


def _check_ends(answers: Sequence[Answer | None], lengths: Mapping[str, int], where: Callable[[], str]) -> None:
    """Refuse an answer that ends after its document, of those whose length is known."""
    for index, answer in enumerate(answers) if lengths else ():
        _, document, _, end = answer or (None, None, -1, -1)
        if document is not None and end > lengths.get(document, end):
            raise ValueError(
                f"{where()}['answers'][{index}] ends at {end}, but its document {document!r} has only {lengths[document]} "
                "characters; are these offsets in another text?"
            )


def _documents(
    row: Mapping, where: Callable[[], str], document_field: str | None
) -> tuple[list[str], Sequence[str | None], dict[str, str]]:
    """The ids and the texts of the documents of a row, and their native ids -> their ids by `document_field`."""
    documents = _list_of(row, "documents", where)
    if set(map(type, documents)) <= {str}:
        return list(documents), (None,) * len(documents), {}
    ids = _each(documents, "documents", where, lambda item: document_id(item, document_field))
    texts = _each(documents, "documents", where, document_text)
    native = [None if isinstance(item, str) else field_value(unwrapped(item), "id") for item in documents]
    by_field = zip(native, ids, strict=True) if document_field is not None else ()
    return ids, texts, {str(identifier): name for identifier, name in by_field if identifier is not None}


def _refuse_misspelt_fields(gold: Mapping, where: Callable[[], str]) -> None:
    """Refuse misspelt names of optional fields; other columns may have any name."""
    for name, kinds in (("documents", LIST_TYPES), ("is_impossible", (bool, np.bool_))):
        if name not in gold:
            alike = {key: value for key, value in gold.items() if isinstance(value, kinds) and key != "answers"}
            _each([alike], "", where, partial(refuse_misspelt, groups=[(name,)]))


def _gold_items(gold: Mapping, where: Callable[[], str]) -> Sequence:
    """Gold answers as a list of dicts or texts, also from SQuAD's dict of lists."""
    answers = gold.get("answers")
    if isinstance(answers, Mapping) and "text" in answers:
        lists = {key: list(values) for key, values in answers.items() if is_list(values)}
        if "text" not in lists or len(set(map(len, lists.values()))) > 1:
            raise ValueError(f"{where()}['answers'] must contain lists of equal length, got {describe(answers)}")
        return [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]
    return _list_of(gold, "answers", where)


def _check_impossible(flag: Any, answers: int, where: Callable[[], str]) -> None:
    if flag is not None and not isinstance(flag, (bool, np.bool_)):
        raise TypeError(f"{where()}['is_impossible'] must be True or False, got {describe(flag)}")
    if flag and answers:
        raise ValueError(f"{where()} is marked is_impossible, but has {answers} gold answers; drop one of the two")
    if flag is not None and not flag and not answers:
        raise NoGoldAnswer("references", f"{where()} has no gold answers; give some, or mark it is_impossible")


def _require_dict(row: Any, where: Callable[[], str], advice: str) -> None:
    if not isinstance(row, Mapping):
        raise TypeError(f"{where()} must be a dict, got {describe(row)}; {advice}")


def _list_of(row: Mapping, name: str, where: Callable[[], str]) -> Sequence:
    if name not in row:
        raise ValueError(f"{where()} has no {name!r} (its keys: {keys_of(row)}); use [] for none")
    values = row[name]
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{where()}[{name!r}] must be a list, got {describe(values)}; use [] for none")
    return values


def _each(items: Sequence, name: str, where: Callable[[], str], make: Callable[[Any], Any]) -> list:
    """What `make` gives for each item; its errors begin with the place of the item, in the field `name` of its row."""
    done: list = []
    try:
        for item in items:
            done.append(make(item))
    except (TypeError, ValueError) as error:
        place = f"[{name!r}][{len(done)}]" if name else ""
        raise type(error)(f"{where()}{place} {error}") from None
    return done
