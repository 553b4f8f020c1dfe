"""The columns of pipelines and of their gold data: every layout (rows, dicts, tables, Haystack) becomes checked answers."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from ..core.answers import gold_texts
from ..core.columns import LIST_TYPES, is_list, items_of, rows_of_table, to_list
from ..core.errors import InputError, about
from ..core.intake import GROUPS, PREDICTIONS, REFERENCES, WEIGHTS, Cells, Field, Kind, Table, read
from ..core.shown import describe, keys_of
from .haystack import (
    Answer,
    answer_of,
    document_id,
    document_text,
    field_value,
    is_extracted,
    is_result,
    is_whole_result,
    refuse_misspelt,
    row_of_result,
    unwrapped,
)

_GIVE_PIPELINE_ROW = (
    'give {"documents": [...], "answers": [...]} for every question, None where the pipeline gave nothing'
)
_GIVE_GOLD_ROW = 'give {"answers": [...], "documents": [...], "is_impossible": ...} for every question'
_OF_ROWS = frozenset(("documents", "answers"))  # a dict with one of them is no dict by id


class Question(NamedTuple):
    """The output of a pipeline for a question, or its gold data.

    Attributes:
        documents: their ids, of a pipeline in rank order.
        texts: of the documents of a pipeline, None for none.
        answers: of a pipeline in rank order, None for no answer; gold answers are none for an unanswerable question.
        contents: document -> its text; the text is unknown if passages share the id of a document.
        is_extracted: an answer has a place as Haystack's readers write it.
    """

    documents: list[str]
    texts: Sequence[str | None]
    answers: list[Answer | None]
    contents: Mapping[str, str]
    is_extracted: bool = False


@cache
def pipeline_fields(options: Any) -> tuple[Field, ...]:
    """The columns of `score_reading` with these options: `ReaderOptions`, which say where documents have their ids."""
    outputs, golds = (partial(read_rows, options=options) for read_rows in (_outputs, _golds))
    return (
        Field(PREDICTIONS, Kind(outputs, takes_dicts=lambda row: True), PREDICTIONS),
        Field(REFERENCES, Kind(golds, takes_dicts=lambda row: True), REFERENCES),
        WEIGHTS,
        GROUPS,
    )


def read_pipelines(columns: Mapping[str, Any], options: Any) -> Table:
    """Bring any layout into columns of `Question`s in the order of the references; `columns` of `score_reading`."""
    fields = pipeline_fields(options)
    policies = {"missing": options.missing, "duplicates": options.duplicates}
    table = read(fields, rows_of_both(columns), **policies)
    outputs = [Question([], (), [], {}) if output is None else output for output in table.columns[PREDICTIONS]]
    table.columns[PREDICTIONS] = outputs
    for row, (output, gold) in enumerate(zip(outputs, table.columns[REFERENCES], strict=True)):
        longest = {name: max(text, output.contents.get(name, ""), key=len) for name, text in gold.contents.items()}
        try:
            _check_ends(output.answers, {**output.contents, **longest})
        except ValueError as error:
            raise InputError(PREDICTIONS, f"{table.where(PREDICTIONS, row)}{error}") from None
    return table


def rows_of_both(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns, with rows where predictions or references are a single result or a dict of columns."""
    found = {name: columns.get(name) for name in (PREDICTIONS, REFERENCES)}
    for name, side in found.items():
        if is_whole_result(side):
            found[name] = [side]
        elif isinstance(side, Mapping) and not _OF_ROWS.isdisjoint(side):
            with about(name):
                found[name] = rows_of_table({key: to_list(column, f"{name}[{key!r}]") for key, column in side.items()})
    return {**columns, **found}


# --- rows -------------------------------------------------------------------------------------------------------------


def _read_rows(cells: Cells, read_row: Callable[[Any], Question], advice: str) -> list[Question | None]:
    """What `read_row` makes of each dict, None of a missing prediction; its errors begin with the name of the row."""
    rows: list[Question | None] = []
    for index, row in enumerate(cells.values):
        try:
            if row is not None and not isinstance(row, Mapping) or row is None and cells.name == REFERENCES:
                raise TypeError(f"must be a dict, got {describe(row)}; {advice}")
            rows.append(None if row is None else read_row(row))
        except (TypeError, ValueError) as error:
            blank = "" if str(error).startswith("[") else " "
            raise InputError(cells.name, f"{cells.where(index)}{blank}{error}") from None
    return rows


def _outputs(cells: Cells, options: Any) -> list[Question | None]:
    return _read_rows(cells, partial(_output, options=options), _GIVE_PIPELINE_ROW)


def _output(row: Mapping[str, Any], options: Any) -> Question:
    """The ranked documents and answers of a question."""
    row = row_of_result(row, options.document_node, options.answer_node) if is_result(row) else row
    documents, texts, names = _documents(row, options.document_field)
    answers = _list_of(row, "answers")
    found = _each(answers, "answers", lambda item: answer_of(item, options.document_field, names))
    return Question(documents, texts, found, _contents(documents, texts), any(map(is_extracted, answers)))


def _golds(cells: Cells, options: Any) -> list[Question | None]:
    answers = [row.get("answers") if isinstance(row, Mapping) else None for row in cells.values]
    if all(isinstance(answer, str) for answer in answers):  # one text each, "" for none
        golds = gold_texts(Cells(answers, REFERENCES, cells.ids))
        rows = [{**row, "answers": gold} for row, gold in zip(cells.values, golds, strict=True)]
        cells = dataclasses.replace(cells, values=rows)
    return _read_rows(cells, partial(_gold, document_field=options.document_field), _GIVE_GOLD_ROW)


def _gold(row: Mapping[str, Any], document_field: str | None) -> Question:
    """The gold answers and documents of a question; these are by default those of the answers."""
    for name, kinds in (("documents", LIST_TYPES), ("is_impossible", (bool, np.bool_))):
        if name not in row:  # other columns may have any name
            alike = {key: value for key, value in row.items() if isinstance(value, kinds) and key != "answers"}
            refuse_misspelt(alike, (name,))
    items, impossible = _gold_items(row), field_value(row, "is_impossible")
    has_documents = field_value(row, "documents") is not None
    documents, texts, names = _documents(row, document_field) if has_documents else ([], [], {})
    found = _each(items, "answers", lambda item: answer_of(item, document_field, names))
    answers = [answer for answer in found if answer is not None]
    if not has_documents:
        documents = [document for _, document, _, _ in answers if document is not None]
    contents, once = _contents(documents, texts), list(dict.fromkeys(documents))
    if len(once) == 1:  # a span without a document can only be in the single one
        answers = [(text, once[0] if document is None else document, *span) for text, document, *span in answers]
    if impossible is not None and not isinstance(impossible, (bool, np.bool_)):
        raise TypeError(f"['is_impossible'] must be True or False, got {describe(impossible)}")
    if impossible and answers:
        raise ValueError(f"is marked is_impossible, but has {len(answers)} gold answers; drop one of the two")
    if not answers and (len(items) if impossible is None else not impossible):
        raise ValueError("has no gold answer; give one, or, if it is unanswerable, [] or is_impossible=True")
    _check_ends(answers, contents)
    if any(0 <= start == end for _, _, start, end in answers):
        raise ValueError("has an empty gold span; give start < end, or no answer")
    return Question(once, (), list(answers), contents)


def _documents(
    row: Mapping[str, Any], document_field: str | None
) -> tuple[list[str], Sequence[str | None], dict[str, str]]:
    """The ids and the texts of the documents of a row, and their native ids -> their ids by `document_field`."""
    documents = _list_of(row, "documents")
    if set(map(type, documents)) <= {str}:
        return documents, (None,) * len(documents), {}
    ids = _each(documents, "documents", lambda item: document_id(item, document_field))
    texts = _each(documents, "documents", document_text)
    native = [field_value(unwrapped(item), "id") for item in documents] if document_field is not None else ()
    return ids, texts, {str(of): name for of, name in zip(native, ids) if of is not None}


def _contents(documents: Sequence[str], texts: Sequence[str | None]) -> Mapping[str, str]:
    """The documents that have one text."""
    distinct: dict[str, set[str]] = {}
    for document, text in zip(documents, texts, strict=False) if texts.count(None) < len(texts) else ():
        if text is not None:
            distinct.setdefault(document, set()).add(text)
    return {document: next(iter(found)) for document, found in distinct.items() if len(found) == 1}


def _check_ends(answers: Sequence[Answer | None], contents: Mapping[str, str]) -> None:
    """Refuse an answer that ends after its document, if the text of the document is known."""
    for index, answer in enumerate(answers) if contents else ():
        _, document, _, end = answer or (None, None, -1, -1)
        if document is not None and document in contents and end > len(contents[document]):
            raise ValueError(
                f"['answers'][{index}] ends at {end}, but its document {document!r} has only {len(contents[document])} "
                "characters; are these offsets in another text?"
            )


def _gold_items(gold: Mapping[str, Any]) -> Sequence[Any]:
    """Gold answers as a list of dicts or texts, also from SQuAD's dict of lists."""
    answers = gold.get("answers")
    if not isinstance(answers, Mapping) or "text" not in answers:
        return _list_of(gold, "answers")
    lists = {key: list(values) for key, values in answers.items() if is_list(values)}
    if "text" not in lists or len(set(map(len, lists.values()))) > 1:
        raise ValueError(f"['answers'] must contain lists of equal length, got {describe(answers)}")
    return [dict(zip(lists, values, strict=True)) for values in zip(*lists.values(), strict=True)]


def _list_of(row: Mapping[str, Any], name: str) -> list[Any]:
    if name not in row:
        raise ValueError(f"has no {name!r} (its keys: {keys_of(row)}); use [] for none")
    return items_of(row[name], f"[{name!r}]")


def _each(items: Sequence[Any], name: str, make: Callable[[Any], Any]) -> list[Any]:
    """What `make` gives for each item; its errors begin with the place of the item, in the field `name` of its row."""
    done: list[Any] = []
    try:
        for item in items:
            done.append(make(item))
    except (TypeError, ValueError) as error:
        raise ValueError(f"[{name!r}][{len(done)}] {error}") from None
    return done
