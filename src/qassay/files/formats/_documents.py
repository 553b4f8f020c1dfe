"""Columns of a table with a row per question that hold documents: the retrieved ones in rank order, and the gold ones."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from ...core.shown import columns_text, describe, keys_of
from ..arrow_columns import ArrowColumns
from ..content import Table
from ..reading import FileError, to_number
from ..tables import Names, each_column, numbers_of, only_column, optional_column, roles_of
from ._cells import details_of, list_cell, split_cell, without_nulls

_ID_FIELDS = (
    "id", "_id", "doc_id", "docid", "document_id", "corpus_id", "passage_id", "psg_id", "pid", "docno", "chunk_id",
)  # fmt: skip
_SCORE_FIELDS = ("score", "similarity", "sim", "retrieval_score")
_OF_SYSTEM = ("predictions", "answer", "no_answer_probabilities")
_SEPARATORS = (";", "|", ",", "\t", "\n", " ")
_GRADE_FIELDS = ("relevance", "grade", "rel", "label", "gain")


def lists_of(table: Table, names: Names) -> dict[str, list[str]]:
    """Role (run, qrels) -> the columns that could hold it: the named column, or the columns of a usual name that hold
    documents.

    A column of retrieved documents holds lists, or objects with scores; one of gold documents may hold one id a row.
    """
    usual, taken = roles_of(table), each_column(names.values())
    found = {}
    for role in ("run", "qrels"):
        may_be_text = role == "qrels" or "separator" in names
        there = [name for name in usual.get(role, ()) if name not in taken and _may_hold(table, name, may_be_text)]
        found[role] = each_column([names[role]]) if role in names else there
    return {role: columns for role, columns in found.items() if columns}


def retrieved_documents(
    path: str, table: Table, column: str, names: Names, lower_is_better: bool = False
) -> list[list[Any] | None]:
    """The retrieved documents of each row in rank order: lists of ids, or all of them lists of (id, score).

    A cell is a list of ids, of objects with an id and maybe a score, or of pairs (id, score); or `{id: score}`; null
    stands for no ranking.

    Args:
        names: role -> column; `document` and `score` name the fields of objects, `separator` the text between ids in
            a cell of text.
        lower_is_better: scores are distances, so lists may begin with the lowest.

    Raises:
        FileError: naming the row.
    """
    return _retrieved(path, _cells(path, table, column, names), column, names, lower_is_better)


def ranked_items(path: str, table: Table, column: str, names: Names) -> list[list[Any] | None]:
    """The retrieved documents of each row, best first: objects with an `id` as they are, ids of all others.

    Cells, names and errors are as in `retrieved_documents`; documents of one score keep their order.
    """
    cells = _cells(path, table, column, names)
    rows = _retrieved(path, cells, column, names)
    return [None if row is None else _items(cell, row, names) for cell, row in zip(cells, rows, strict=True)]


def _items(cell: Any, row: list[Any], names: Names) -> list[Any]:
    scored = [pair if isinstance(pair, tuple) else (pair, 0) for pair in row]
    given = cell if isinstance(cell, (list, tuple)) and "document" not in names else row
    items = [
        item if isinstance(item, dict) and "id" in item else pair[0] for item, pair in zip(given, scored, strict=True)
    ]
    order = sorted(range(len(items)), key=lambda index: scored[index][1], reverse=True)
    return [items[index] for index in order]


def _retrieved(
    path: str, cells: list[Any], column: str, names: Names, lower_is_better: bool = False
) -> list[list[Any] | None]:
    if _are_ids(cells):
        return cells
    rows = [pairs_of_cell(path, row, cell, column, names) for row, cell in enumerate(cells)]
    if all(score is None for pairs in rows for _, score in pairs or ()):
        return _without_numbers(rows)
    if not lower_is_better:
        _refuse_rising(path, column, cells, rows)
    return rows


def _without_numbers(rows: list[list[tuple] | None]) -> list[Any]:
    return [pairs if pairs is None else [document for document, _ in pairs] for pairs in rows]


def gold_documents(path: str, table: Table, column: str, names: Names) -> list[list[Any] | dict[Any, Any] | None]:
    """The gold documents of each row: lists of ids, or, where some row has grades, all of them `{id: grade}`.

    A cell is a list of ids, or of objects with an id and maybe a grade; one id; or `{id: grade}`; null stands for no
    judgement.

    Args:
        names: role -> column; `document` and `relevance` name the fields of objects, `separator` the text between
            ids in a cell of text.

    Raises:
        FileError: naming the row.
    """
    cells = [[cell] if isinstance(cell, (str, int)) else cell for cell in _cells(path, table, column, names)]
    if _are_ids(cells):
        return cells
    rows = [pairs_of_cell(path, row, cell, column, names, "relevance") for row, cell in enumerate(cells)]
    if all(grade is None for pairs in rows for _, grade in pairs or ()):
        return _without_numbers(rows)
    for row, pairs in enumerate(rows):
        if pairs is not None and len({document for document, _ in pairs}) < len(pairs):
            raise FileError(path, f"row {row}: {column} has a document twice; give every document one grade")
    return [
        pairs if pairs is None else {document: 1 if grade is None else grade for document, grade in pairs}
        for pairs in rows
    ]


def refuse_joined_ids(path: str, rows: Iterable[tuple[Any, Sequence[Any]]]) -> None:
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


def others_of(
    path: str, table: Table, columns: Sequence[str], names: Names, picked: dict[str, Any]
) -> tuple[list[Any] | None, dict[str, list]]:
    """Of a table with a row per question the weights, whose column is then in `picked`, and the columns that describe
    the questions, without those of systems and these `columns`.
    """
    usual = roles_of(table)
    weights, question = (
        optional_column(path, table, role, usual.get(role, ()), {**names, **picked}) for role in ("weights", "question")
    )
    if weights is not None:
        picked["weights"] = weights
    of_system = [name for role in _OF_SYSTEM for name in (*usual.get(role, ()), *each_column([names.get(role, ())]))]
    taken = {*each_column(picked.values()), *columns, *of_system, question}
    details = {} if question is None else {"question": table.columns[question]}
    return None if weights is None else numbers_of(path, table, weights), details | details_of(table, taken)


def _may_hold(table: Table, name: str, may_be_text: bool) -> bool:
    """Whether the first cell that says something holds documents; of Parquet the type of the column says it."""
    if isinstance(table.columns, ArrowColumns) and not table.is_text:
        import pyarrow as pa

        kind = table.columns.schema.field(name).type
        if not pa.types.is_string(kind) and not pa.types.is_large_string(kind):
            return bool(pa.types.is_nested(kind))
    cell = next((cell for cell in table.columns[name] if cell not in (None, "")), None)
    if isinstance(cell, str):
        return may_be_text or cell.lstrip().startswith(("[", "{"))
    return isinstance(cell, (list, dict))


def _cells(path: str, table: Table, column: str, names: Names) -> list[Any]:
    """The cells of a column, with lists and objects that are written as text."""
    cells = without_nulls(table.columns[column])
    if str not in set(map(type, cells)):
        return cells
    separator = names.get("separator")
    empty: list | None = (
        None if table.is_text and separator is None else []
    )  # "[]" is an empty list; an empty cell is null
    parsed = [
        _parsed(path, row, cell, column, separator, empty) if isinstance(cell, str) else cell
        for row, cell in enumerate(cells)
    ]
    if not table.is_text:
        return parsed
    fields = [names["document"]] if "document" in names else _ID_FIELDS
    return [[_with_text_id(item, fields) for item in cell] if isinstance(cell, list) else cell for cell in parsed]


def _parsed(path: str, row: int, cell: str, column: str, separator: str | None, empty: Any) -> Any:
    if not cell.strip():
        return empty
    if not cell.lstrip().startswith(("[", "{")):
        return cell if separator is None else split_cell(cell, separator)
    return list_cell(path, row, cell, f'documents, in the column {column}; write it as ["d1", "d2"]')


def _with_text_id(item: Any, fields: Sequence[str]) -> Any:
    """A document in a cell of text with its id as text: beside a list [3] another cell of the column may be a bare 2."""
    if isinstance(item, dict):
        return {name: str(value) if type(value) is int and name in fields else value for name, value in item.items()}
    if isinstance(item, list):
        return [_with_text_id(part, ()) if place == 0 else part for place, part in enumerate(item)]
    return str(item) if type(item) is int else item


def _are_ids(cells: Sequence[Any]) -> bool:
    """Whether all cells are lists of ids; None is a cell too."""
    if not set(map(type, cells)) <= {list, type(None)}:
        return False
    return set(map(type, chain.from_iterable(filter(None, cells)))) <= {str, int}


def pairs_of_cell(
    path: str, row: Any, cell: Any, column: str, names: Names, number: str = "score"
) -> list[tuple] | None:
    """A cell as (id, score or grade) of each document, None if it does not say."""
    if cell is None:
        return None
    if isinstance(cell, dict):
        if not all(map(_is_number, cell.values())):
            has = f"an object with the keys {keys_of(cell)}"
            raise FileError(path, f"row {row}: {column} is {has}; give a list of documents, or {{id: {number}}}")
        return list(cell.items())
    if not isinstance(cell, (list, tuple)):
        advice = ', or name the separator of ids with columns={"separator": ";"}' if isinstance(cell, str) else ""
        raise FileError(path, f"row {row}: {column} is {describe(cell)}; give a list of documents{advice}")
    id_fields = (names["document"],) if "document" in names else _ID_FIELDS
    numbers: tuple[str, ...] = _SCORE_FIELDS if number == "score" else _GRADE_FIELDS
    numbers = (names[number],) if number in names else numbers
    pairs: list[tuple] = []
    for index, item in enumerate(cell):
        if isinstance(item, dict):
            found = [name for name in id_fields if item.get(name) is not None]
            if not found:
                message = f"row {row}: {column}[{index}] has no field with an id (its fields: {keys_of(item)})"
                raise FileError(path, f'{message}; name it with columns={{"document": "NAME"}}')
            value = next((item[name] for name in numbers if item.get(name) is not None), None)
            try:
                value = to_number(value) if isinstance(value, str) else value  # DPR writes scores as text
            except ValueError:
                message = f"row {row}: {column}[{index}] has the {number} {value!r}, which is not a number; give one"
                raise FileError(path, message) from None
            item = item[only_column(path, "document", found)], value
        is_pair = isinstance(item, (list, tuple)) and len(item) == 2 and (item[1] is None or _is_number(item[1]))
        pairs.append(tuple(item) if is_pair else (item, None))
    return pairs


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _refuse_rising(path: str, column: str, cells: Sequence[Any], rows: Sequence[list[tuple] | None]) -> None:
    """Refuse lists that all rise from their lowest score: such scores are distances, and the lowest is best."""
    lists = [
        [score for _, score in row or ()]
        for cell, row in zip(cells, rows, strict=True)
        if isinstance(cell, (list, tuple))
    ]
    if any(None in scores for scores in lists):  # scoring names the first
        return
    if any(scores != sorted(scores) for scores in lists) or all(set(scores[1:]) <= set(scores[:1]) for scores in lists):
        return
    raise FileError(
        path,
        f"every list of {column} begins with its lowest score, as lists with distances do; give the scores with a "
        "minus sign, or documents without scores, which rank in the order of the list",
    )
