"""Documents in cells of tables with a row per question: the retrieved ones in rank order, and the gold ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...core.file_columns import Gold
from ...core.shown import columns_text, describe, keys_of, shown
from ..arrow_columns import ArrowColumns
from ..columns import Columns
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


class Documents(NamedTuple):
    """The documents of a cell: ids, scores or grades (None where there is none), and the items of the list in the cell."""

    ids: list[Any]
    numbers: list[Any]
    items: list[Any]


def check_judgements(gold: Gold) -> None:
    """Refuse judgements that a run of queries and documents cannot be scored by.

    Raises:
        ValueError: they are pairs of NLPCC-DBQA, or have no documents.
    """
    if gold.kind == "nlpcc":
        found = f"{gold.path} has pairs of NLPCC-DBQA; give scores, one per line of it"
        raise ValueError(f"this is a run, but {found} (of qrels: query 0 document relevance)")
    if not gold.columns:
        found = f"the rows of {gold.path} have no documents; give a table with columns of query, score and relevance"
        raise ValueError(f"this is a run with documents, but {found}")


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


def check_joined_ids(path: str, rows: Iterable[tuple[Any, Sequence[Any]]]) -> None:
    """Refuse a gold document whose name holds ids of retrieved documents with a separator between.

    Args:
        path: of the gold file.
        rows: the gold documents and the retrieved ones of each question.
    """
    for right, retrieved in rows:
        text = next(iter(right)) if len(right) == 1 else None
        separator = next((mark for mark in _SEPARATORS if mark in text), None) if isinstance(text, str) else None
        if separator is None or not isinstance(text, str):
            continue
        there = {str(item[0] if isinstance(item, tuple) else item) for item in retrieved}
        if text not in there and not there.isdisjoint(split_cell(text, separator)):
            message = f"the gold document {text!r} holds the ids of retrieved documents; name the separator "
            raise FileError(path, f"{message}with {columns_text('separator', separator)}")


# --- cells ------------------------------------------------------------------------------------------------------------


def retrieved_documents(columns: Columns, lower_is_better: bool = False) -> list[Any]:
    """The retrieved documents of each row in rank order: lists of ids, or, where some document has a score, all of them
    lists of (id, score); None where the cell is null.

    Args:
        lower_is_better: scores are distances, so lists may begin with the lowest.

    Raises:
        ValueError: naming the row.
    """
    rows = _documents(columns, "run", "score")
    if not _have_numbers(rows):
        return [row and row.ids for row in rows]
    if not lower_is_better:
        _refuse_rising(columns, "run", rows)
    return [row and list(zip(row.ids, row.numbers, strict=True)) for row in rows]


def ranked_items(columns: Columns) -> list[list[Any] | None]:
    """The retrieved documents of each row, best first: objects with an `id` as they are, ids of all others.

    Cells and errors are as in `retrieved_documents`; documents of one score keep their order.
    """
    rows, keep_objects = _documents(columns, "documents", "score"), "document" not in columns.names
    if _have_numbers(rows):
        _refuse_rising(columns, "documents", rows)
    ranked: list[list[Any] | None] = []
    for row, documents in enumerate(rows):
        triples = list(zip(*documents, strict=True)) if documents else []
        unscored = [name for name, score, _ in triples if score is None]
        if unscored and len(unscored) < len(triples):
            found = f"row {row}: the document {shown(unscored[0])} of {columns.picked['documents']} has no score"
            raise ValueError(f"{found}; give all documents one, or none")
        if not unscored:
            triples.sort(key=lambda triple: triple[1], reverse=True)
        items = [
            {**item, "id": name} if keep_objects and isinstance(item, Mapping) and "id" in item else name
            for name, _, item in triples
        ]
        ranked.append(None if documents is None else items)
    return ranked


def gold_documents(columns: Columns) -> list[Any]:
    """The gold documents of each row: lists of ids, or, where some row has grades, all of them `{id: grade}`; None where
    the cell is null: it means no judgement.

    Raises:
        ValueError: naming the row.
    """
    rows = _documents(columns, "qrels", "relevance")
    if not _have_numbers(rows):
        return [row and row.ids for row in rows]
    graded: list[Any] = []
    for row, documents in enumerate(rows):
        grades = dict(zip(documents.ids, documents.numbers, strict=True)) if documents else {}
        if documents and len(grades) < len(documents.ids):
            found = f"row {row}: {columns.picked['qrels']} has a document twice"
            raise ValueError(f"{found}; give every document one grade")
        grades = {name: 1 if grade is None else grade for name, grade in grades.items()}
        graded.append(grades if documents else None)
    return graded


def _documents(columns: Columns, role: str, number: str) -> list[Documents | None]:
    """The documents of each row, in whatever form its cell has them.

    In CSV, lists and objects are written as text or ids with a separator between, and an empty cell is null without one.
    Ids are texts there, since beside a list [3] another cell of the column may be a bare 2. A single gold document need
    not be in a list.

    Args:
        number: "score" or "relevance", what the numbers of the documents are.
    """
    table, column, names = columns.table, columns.picked[role], columns.names
    separator = names.get("separator")
    of = f'documents, in the column {column}; write it as ["d1", "d2"]'
    empty: list | None = None if table.is_text and separator is None else []
    rows: list[Documents | None] = []
    for row, cell in enumerate(without_nulls(table.columns[column])):
        if isinstance(cell, str):
            cell = read_cell(row, cell, separator, of, ("[", "{")) if cell.strip() else empty
        if number == "relevance" and isinstance(cell, (str, int)):
            cell = [cell]
        documents = documents_of_cell(row, cell, column, names, number)
        if documents is not None and table.is_text:
            ids = [str(name) if type(name) is int else name for name in documents.ids]
            documents = documents._replace(ids=ids)
        rows.append(documents)
    field = names.get(number)
    objects = [item for row in rows if field and row for item in row.items if isinstance(item, dict)]
    if objects and not _have_numbers(rows):
        has = f"no document of {column} has the field {field} (its fields: {keys_of(objects[0])})"
        raise ValueError(f'{has}; omit "{number}" from columns, or correct it')
    return rows


def _have_numbers(rows: Sequence[Documents | None]) -> bool:
    return any(row.numbers.count(None) < len(row.ids) for row in rows if row)


def documents_of_cell(row: Any, cell: Any, column: str, names: Names, number: str = "score") -> Documents | None:
    """The documents of a cell; None for null.

    A cell is a list of ids, of objects with an id and maybe a number, or of pairs (id, number); or `{id: number}`. The
    names `document` and `score` or `relevance` are fields of objects.
    """
    if cell is None:
        return None
    if isinstance(cell, dict):
        if not all(map(_is_number, cell.values())):
            has = f"an object with the keys {keys_of(cell)}"
            raise ValueError(f"row {row}: {column} is {has}; give a list of documents, or {{id: {number}}}")
        cell = sorted(cell.items(), key=lambda pair: pair[1], reverse=number == "score")
    elif not isinstance(cell, (list, tuple)):
        advice = ', or name the separator of ids with columns={"separator": ";"}' if isinstance(cell, str) else ""
        raise ValueError(f"row {row}: {column} is {describe(cell)}; give a list of documents{advice}")
    if isinstance(cell, list) and set(map(type, cell)) <= {str}:  # quickly, as most are
        return Documents(cell, [None] * len(cell), cell)
    documents = Documents([], [], list(cell))
    for index, item in enumerate(cell):
        name, value = item, None
        if isinstance(item, dict):
            name, value = _of_object(f"row {row}: {column}[{index}]", item, names, number)
        elif isinstance(item, (list, tuple)) and len(item) == 2 and (item[1] is None or _is_number(item[1])):
            name, value = item
        documents.ids.append(name)
        documents.numbers.append(value)
    return documents


def _of_object(where: str, item: dict[str, Any], names: Names, number: str) -> tuple[Any, Any]:
    """The id of a document and its number."""
    ids, numbers = (names.get(role) for role in ("document", number))
    found = [name for name in ([ids] if ids else _ID_FIELDS) if field_of(item, name) is not None]
    if not found:
        message = f"{where} has no field {ids or 'with an id'} (its fields: {keys_of(item)})"
        raise ValueError(f'{message}; name it with columns={{"document": "NAME"}}')
    if len(found) > 1:
        of = columns_text("document", found[0])
        raise ValueError(f"{where}: the document could be {' or '.join(found)}; say which, for example {of}")
    fields = [numbers] if numbers else _NUMBER_FIELDS[number]
    value = next((of for name in fields if (of := field_of(item, name)) is not None), None)
    try:
        value = to_number(value) if isinstance(value, str) else value  # DPR writes scores as text
    except ValueError:
        raise ValueError(f"{where} has the {number} {value!r}, which is not a number; give one") from None
    return field_of(item, found[0]), value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _refuse_rising(columns: Columns, role: str, rows: Sequence[Documents | None]) -> None:
    """Refuse lists that all rise from their lowest score: such scores are distances, and the lowest is best."""
    lists = [row.numbers for row in rows if row]
    if any(None in scores for scores in lists):  # scoring names the first
        return
    are_rising = all(scores == sorted(scores) for scores in lists)
    if are_rising and any(not set(scores[1:]) <= set(scores[:1]) for scores in lists):
        raise ValueError(
            f"every list of {columns.picked[role]} begins with its lowest score, as lists with distances do; give the scores "
            "with a minus sign, or documents without scores, which rank in the order of the list",
        )
