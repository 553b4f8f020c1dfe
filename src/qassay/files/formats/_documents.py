"""Documents in cells of tables with a row per question: the retrieved ones in rank order, and the gold ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.file_columns import Gold
from ...core.shown import columns_text, describe, keys_of
from ..arrow_columns import ArrowColumns
from ..columns import Columns, only_column
from ..content import Table
from ..reading import FileError, to_number
from ..tables import Names, field_of, roles_of
from ._cells import read_cell, split_cell, without_nulls

if TYPE_CHECKING:
    import pyarrow as pa

_ID_FIELDS = (
    "id", "_id", "doc_id", "docid", "document_id", "corpus_id", "passage_id", "psg_id", "pid", "docno", "chunk_id",
)  # fmt: skip
_NUMBER_FIELDS = {
    "score": ("score", "similarity", "sim", "retrieval_score"),
    "relevance": ("relevance", "grade", "rel", "label", "gain"),
}
_SEPARATORS = (";", "|", ",", "\t", "\n", " ")
_OF_SYSTEM = ("predictions", "answer", "no_answer_probabilities")


class Hit(NamedTuple):
    """A document in a cell: its id, its score or grade (None where there is none), and the object that it was."""

    id: Any
    number: Any = None
    item: Any = None


def check_judgements(path: str, gold: Gold) -> None:
    """Refuse judgements that a run of queries and documents cannot be scored by.

    Raises:
        FileError: they are pairs of NLPCC-DBQA, or have no documents.
    """
    if gold.kind == "nlpcc":
        found = f"{gold.path} has pairs of NLPCC-DBQA; give scores, one per line of it"
        raise FileError(path, f"this is a run, but {found} (of qrels: query 0 document relevance)")
    if not gold.columns:
        found = f"the rows of {gold.path} have no documents; give a table with columns of query, score and relevance"
        raise FileError(path, f"this is a run with documents, but {found}")


def all_relevant(pairs: pa.Table) -> pa.Table:
    """Pairs of query and document with a relevance of 1."""
    import pyarrow as pa

    return pairs.append_column("relevance", pa.array(np.ones(len(pairs))))


# --- columns ----------------------------------------------------------------------------------------------------------


def document_columns(table: Table, may_split: bool = False) -> dict[str, list[str]]:
    """Role (run, qrels) -> the columns with a usual name that have documents.

    A column of retrieved documents holds lists, or objects with scores, or texts to split; one of gold documents may hold
    one id a row.
    """
    usual = roles_of(table)
    there = {
        role: [name for name in usual.get(role, ()) if _may_hold(table, name, may_split or role == "qrels")]
        for role in ("run", "qrels")
    }
    return {role: names for role, names in there.items() if names}


def question_columns(path: str, table: Table, names: Names) -> Columns:
    """The columns of a table with a row per question."""
    others = {role: columns for role, columns in roles_of(table).items() if role not in ("run", "qrels")}
    return Columns(path, table, names, {**others, **document_columns(table, "separator" in names)})


def _may_hold(table: Table, name: str, may_be_text: bool) -> bool:
    """Whether the first cell that is not empty has documents; in Parquet the type of the column decides."""
    if isinstance(table.columns, ArrowColumns) and not table.is_text:
        import pyarrow as pa

        kind = table.columns.schema.field(name).type
        if not pa.types.is_string(kind) and not pa.types.is_large_string(kind):
            return bool(pa.types.is_nested(kind))
    cell = next((cell for cell in table.columns[name] if cell not in (None, "")), None)
    is_list = isinstance(cell, (list, dict)) or isinstance(cell, str) and cell.lstrip().startswith(("[", "{"))
    return is_list or isinstance(cell, str) and may_be_text


def details_of_questions(columns: Columns, *taken: str) -> dict[str, list]:
    """The columns that describe the questions, without those of systems and `taken`; also picks the weights."""
    columns.optional("weights", "questions")
    question = columns.picked.pop("questions", "")
    of_system = [name for role in _OF_SYSTEM for name in (*columns.usual.get(role, ()), *columns.free(role))]
    details = columns.others(question, *taken, *of_system)
    return {"question": columns.table.columns[question], **details} if question else details


def check_joined_ids(path: str, rows: Iterable[tuple[Any, Sequence[Any]]]) -> None:
    """Refuse a gold document whose name holds ids of retrieved documents with a separator between.

    Args:
        path: of the gold file.
        rows: the gold documents and the retrieved ones of each question.
    """
    for right, retrieved in rows:
        (text,) = right if len(right) == 1 else (None,)
        separator = next((mark for mark in _SEPARATORS if mark in text), None) if isinstance(text, str) else None
        if separator is None or not isinstance(text, str):
            continue
        there = {str(item[0] if isinstance(item, tuple) else item) for item in retrieved}
        if text not in there and not there.isdisjoint(split_cell(text, separator)):
            message = f"the gold document {text!r} holds the ids of retrieved documents; name the separator "
            raise FileError(path, f"{message}with {columns_text('separator', separator)}")


# --- cells ------------------------------------------------------------------------------------------------------------


def retrieved_documents(columns: Columns, lower_is_better: bool = False) -> list[Any]:
    """The retrieved documents of each row in rank order: lists of ids, or all of them lists of (id, score).

    A cell is a list of ids, of objects with an id and maybe a score, or of pairs (id, score); or `{id: score}`; null
    means no ranking. The names `document` and `score` are fields of objects, `separator` is the text between ids in
    a cell of text.

    Args:
        lower_is_better: scores are distances, so lists may begin with the lowest.

    Raises:
        FileError: naming the row.
    """
    rows, are_scored = _documents_of_rows(columns, "run", "score")
    if not are_scored:
        return rows
    if not lower_is_better:
        _refuse_rising(columns, "run", rows)
    return [hits if hits is None else [(hit.id, hit.number) for hit in hits] for hits in rows]


def ranked_items(columns: Columns, role: str) -> list[list[Any] | None]:
    """The retrieved documents of each row, best first: objects with an `id` as they are, ids of all others.

    Cells and errors are as in `retrieved_documents`; documents of one score keep their order.
    """
    rows = _hits_of_rows(columns, role, "score", _cells(columns, role, "score"))
    if any(hit.number is not None for hits in rows for hit in hits or ()):
        _refuse_rising(columns, role, rows)
        for hits in rows:
            (hits or []).sort(key=lambda hit: hit.number, reverse=True)
    keeps_objects = "document" not in columns.names
    return [
        hits
        if hits is None
        else [
            {**hit.item, "id": hit.id}
            if keeps_objects and isinstance(hit.item, Mapping) and "id" in hit.item
            else hit.id
            for hit in hits
        ]
        for hits in rows
    ]


def gold_documents(columns: Columns) -> list[Any]:
    """The gold documents of each row: lists of ids, or, where some row has grades, all of them `{id: grade}`.

    A cell is a list of ids, or of objects with an id and maybe a grade; one id; or `{id: grade}`; null means no
    judgement. The names `document` and `relevance` are fields of objects, `separator` is the text between ids.

    Raises:
        FileError: naming the row.
    """
    rows, are_graded = _documents_of_rows(columns, "qrels", "relevance")
    if not are_graded:
        return rows
    for row, hits in enumerate(rows):
        if hits is not None and len({hit.id for hit in hits}) < len(hits):
            message = f"row {row}: {columns.picked['qrels']} has a document twice; give every document one grade"
            raise FileError(columns.path, message)
    return [
        hits if hits is None else {hit.id: 1 if hit.number is None else hit.number for hit in hits} for hits in rows
    ]


def _cells(columns: Columns, role: str, number: str) -> list[Any]:
    """The cells of a column, with lists and objects that are written as text; a single gold document is a list of it."""
    table, path, column = columns.table, columns.path, columns.picked[role]
    separator = columns.names.get("separator")
    of = f'documents, in the column {column}; write it as ["d1", "d2"]'
    # "[]" is an empty list; an empty cell is null
    empty: list | None = None if table.is_text and separator is None else []
    cells = without_nulls(table.columns[column])
    if str in set(map(type, cells)):
        cells = [
            (read_cell(path, row, cell, separator, of, ("[", "{")) if cell.strip() else empty)
            if isinstance(cell, str)
            else cell
            for row, cell in enumerate(cells)
        ]
    if number == "relevance":
        cells = [[cell] if isinstance(cell, (str, int)) else cell for cell in cells]
    return cells


def _documents_of_rows(columns: Columns, role: str, number: str) -> tuple[list[Any], bool]:
    """The documents of each row: lists of ids, or, where some document has a number, which is then true, lists of hits."""
    cells = _cells(columns, role, number)
    if set(map(type, cells)) <= {list, type(None)}:  # quickly, where all are lists of texts
        if set(map(type, chain.from_iterable(filter(None, cells)))) <= {str}:
            return cells, False
    rows = _hits_of_rows(columns, role, number, cells)
    if any(hit.number is not None for hits in rows for hit in hits or ()):
        return rows, True
    return [hits if hits is None else [hit.id for hit in hits] for hits in rows], False


def _hits_of_rows(columns: Columns, role: str, number: str, cells: Sequence[Any]) -> list[list[Hit] | None]:
    """The documents of each cell. In a table of text ids are texts, since beside a list [3] another cell of the column may
    be a bare 2.
    """
    rows = [
        hits_of_cell(columns.path, row, cell, columns.picked[role], columns.names, number)
        for row, cell in enumerate(cells)
    ]
    field, hits = columns.names.get(number), [hit for hits in rows for hit in hits or ()]
    if field and any(isinstance(hit.item, dict) for hit in hits) and all(hit.number is None for hit in hits):
        has = f"no document of {columns.picked[role]} has the field {field}"
        raise FileError(
            columns.path, f'{has} (its fields: {keys_of(hits[0].item)}); omit "{number}" from columns, or correct it'
        )
    if not columns.table.is_text:
        return rows
    return [hits and [hit._replace(id=str(hit.id) if type(hit.id) is int else hit.id) for hit in hits] for hits in rows]


def hits_of_cell(path: str, row: Any, cell: Any, column: str, names: Names, number: str = "score") -> list[Hit] | None:
    """The documents of a cell; None for null.

    Args:
        number: "score" or "relevance", what their numbers are.
    """
    if cell is None:
        return None
    if isinstance(cell, dict):
        if not all(map(_is_number, cell.values())):
            has = f"an object with the keys {keys_of(cell)}"
            raise FileError(path, f"row {row}: {column} is {has}; give a list of documents, or {{id: {number}}}")
        return [Hit(*pair) for pair in sorted(cell.items(), key=lambda pair: pair[1], reverse=number == "score")]
    if not isinstance(cell, (list, tuple)):
        advice = ', or name the separator of ids with columns={"separator": ";"}' if isinstance(cell, str) else ""
        raise FileError(path, f"row {row}: {column} is {describe(cell)}; give a list of documents{advice}")
    hits = []
    for index, item in enumerate(cell):
        if isinstance(item, dict):
            hits.append(_hit_of_object(path, f"row {row}: {column}[{index}]", item, names, number))
        elif isinstance(item, (list, tuple)) and len(item) == 2 and (item[1] is None or _is_number(item[1])):
            hits.append(Hit(*item))
        else:
            hits.append(Hit(item))
    return hits


def _hit_of_object(path: str, where: str, item: dict[str, Any], names: Names, number: str) -> Hit:
    ids, numbers = (names[role] if role in names else () for role in ("document", number))
    found = [name for name in ([ids] if ids else _ID_FIELDS) if field_of(item, name) is not None]
    if not found:
        message = f"{where} has no field {ids or 'with an id'} (its fields: {keys_of(item)})"
        raise FileError(path, f'{message}; name it with columns={{"document": "NAME"}}')
    fields = [numbers] if numbers else _NUMBER_FIELDS[number]
    value = next((of for name in fields if (of := field_of(item, name)) is not None), None)
    try:
        value = to_number(value) if isinstance(value, str) else value  # DPR writes scores as text
    except ValueError:
        raise FileError(path, f"{where} has the {number} {value!r}, which is not a number; give one") from None
    return Hit(field_of(item, only_column(path, "document", found)), value, item)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _refuse_rising(columns: Columns, role: str, rows: Sequence[list[Hit] | None]) -> None:
    """Refuse lists that all rise from their lowest score: such scores are distances, and the lowest is best."""
    lists = [[hit.number for hit in hits or ()] for hits in rows]
    if any(None in scores for scores in lists):  # scoring names the first
        return
    are_rising = all(scores == sorted(scores) for scores in lists)
    if are_rising and any(not set(scores[1:]) <= set(scores[:1]) for scores in lists):
        raise FileError(
            columns.path,
            f"every list of {columns.picked[role]} begins with its lowest score, as lists with distances do; give the scores "
            "with a minus sign, or documents without scores, which rank in the order of the list",
        )
