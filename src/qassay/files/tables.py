"""Tables with named columns (JSON rows, JSONL, CSV, TSV, Parquet): JSON as a table, and the usual names of columns."""

import dataclasses
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.columns import is_missing, is_rows, is_table, table_columns, to_list, usual_roles
from .arrow_columns import ArrowColumns
from .content import Content, Table
from .reading import ID_NAMES, QUESTION_NAMES, columns_of

Names = Mapping[str, Any]  # role -> column; of references, and of systems in a gold file, maybe several, as a tuple

# The usual names of each role, as found in data sets and in the output of other tools. For ids and weights the earlier
# name wins; two columns of one spelling, or two for predictions or references, are refused: a wrong choice would go unnoticed.
USUAL_NAMES = {
    "predictions": (
        "prediction", "predictions", "prediction_text", "predicted_answer", "predicted", "output", "outputs",
        "generated_text", "generated_answer", "model_answer", "system_answer", "response", "pred", "completion",
        "actual_output",
    ),
    "references": (
        "reference", "references", "answers", "gold", "golds", "gold_answer", "gold_answers", "golden_answer",
        "golden_answers", "reference_answer", "reference_answers", "target", "targets", "ground_truth", "ground_truths",
        "label", "labels", "expected_output", "expectedoutput", "expected_answer", "ideal", "correct_answer",
    ),
    "ids": ID_NAMES,
    "weights": ("weight", "weights"),
    "no_answer_probabilities": ("no_answer_probability", "no_answer_probabilities", "na_prob", "null_odds"),
    "questions": QUESTION_NAMES,
    "answer": ("answer",),  # the gold answer of a gold file, the prediction of a file of predictions
    # Documents of each question, as lists: Haystack, LlamaIndex, ragas, FlashRAG, DPR.
    "run": (
        "retrieved_ids", "retrieved_doc_ids", "retrieved_document_ids", "retrieved_documents", "retrieved_docs",
        "retrieved_context_ids", "retrieved", "retrieval_result", "retrieval_results", "search_results", "ranked_ids",
        "ranking", "run", "ctxs",
    ),
    "qrels": (
        "gold_ids", "gold_doc_ids", "gold_document_ids", "gold_documents", "gold_docs", "relevant_ids",
        "relevant_doc_ids", "relevant_document_ids", "relevant_documents", "relevant_docs", "positive_ids",
        "expected_ids", "expected_doc_ids", "reference_context_ids", "ground_truth_ids", "ground_truth_documents",
        "positive_ctxs", "qrels",
    ),
}  # fmt: skip


_ROW_KEYS = ("data", "results", "samples", "rows", "examples", "records", "items", "instances")
_MOST_SHOWN = 10  # fields of an object in a message
_MOST_COLUMNS = 1000  # an object with more keys has ids as its keys

# Of several named columns of these roles in one table, each is a system.
SYSTEM_ROLES = ("predictions", "answers", "score", "run", "documents")
OF_SYSTEM = (*SYSTEM_ROLES, "no_answer_probabilities")  # roles with a column for each system of a table

# Of several named columns of these roles, each table has one; it may be called differently in the gold file and elsewhere.
KEY_ROLES = ("ids", "query", "document")


def as_table(value: Any, any_columns: bool = False) -> Table | Any:
    """A JSON value as a table: rows, rows under a key such as "data", rows by id, one row, or columns; else None.

    Args:
        any_columns: accept columns, and one row of plain values, with any names.
    """
    if isinstance(value, Table):
        return value
    if not isinstance(value, dict) or not value:
        return None
    under_keys = [cell for key, cell in value.items() if key in _ROW_KEYS and _are_dicts(cell)]
    if len(under_keys) == 1:
        return Table.of_rows(under_keys[0], "JSON")
    cells = list(value.values())
    if {"columns", "index", "data"} <= value.keys():  # a data frame as to_json(orient="split") writes it
        columns = map(list, zip(*value["data"], strict=True))
        return _with_ids(dict(zip(value["columns"], columns, strict=True)), value["index"], any_columns)
    found = (_columns_by_index(value, any_columns) or _rows_by_id(value, any_columns)) if _are_dicts(cells) else None
    if found is not None:
        return found
    if len(value) > _MOST_COLUMNS:
        return None
    are_columns = all(isinstance(cell, list) for cell in cells) and len(set(map(len, cells))) == 1
    roles = roles_of(Table(value, "JSON")).keys()
    if any_columns:
        is_row = not any(isinstance(cell, dict) for cell in cells) and not all(isinstance(cell, list) for cell in cells)
    else:
        of_questions = not roles.isdisjoint(("ids", "questions"))
        data = roles & {"predictions", "references", "answer", *(("run", "qrels") if of_questions else ())}
        are_columns, is_row = are_columns and bool(data), of_questions and bool(data) and data != {"answer"}
    if are_columns:
        return Table(value, "JSON")
    return Table({name: [cell] for name, cell in value.items()}, "JSON") if is_row else None


def _are_dicts(cells: Any) -> bool:
    return isinstance(cells, list) and bool(cells) and all(isinstance(row, dict) for row in cells)


def _rows_by_id(value: Mapping[str, Any], any_columns: bool) -> Table | None:
    """Rows by id, with the ids as a column; None if the rows have no usual columns of answers, or, where any columns count,
    if there are not more rows than columns.
    """
    rows = list(value.values())
    names = set(rows[0]).intersection(*rows[:20])
    is_known = not usual_roles(names, USUAL_NAMES).keys().isdisjoint(("predictions", "references"))
    columns = columns_of(rows) if is_known or any_columns else {}
    return _with_ids(columns, list(value)) if is_known or any_columns and len(columns) < len(rows) else None


def _columns_by_index(value: Mapping[str, Any], any_columns: bool) -> Table | None:
    """A data frame as `DataFrame.to_json` writes it, columns of cells by index; None for anything else."""
    index = list(dict.fromkeys(label for cells in value.values() for label in cells))
    are_alike = all(len(cells) == len(index) for cells in value.values())
    is_known = are_alike and len(usual_roles(value, USUAL_NAMES)) >= 2 or any_columns and len(value) < len(index)
    if not index or not is_known or any(isinstance(cell, dict) for cell in next(iter(value.values())).values()):
        return None
    columns = {name: [cells.get(label) for label in index] for name, cells in value.items()}
    return _with_ids(columns, index, any_columns)


def _with_ids(columns: dict[str, list[Any]], ids: Sequence[Any], may_count: bool = False) -> Table:
    """The columns and their ids, unless one of the columns has ids, or these may only count the rows and do so."""
    counted = may_count and list(map(str, ids)) == list(map(str, range(len(ids))))
    has_ids = counted or "ids" in usual_roles(columns, USUAL_NAMES)
    return Table(columns if has_ids else {"id": list(ids), **columns}, "JSON")


def table_of_data(data: Any) -> Table | None:
    """A table of a library, rows, or a dict of columns as a table; None for anything else.

    Raises:
        TypeError: a data set with several splits, or without a length.
    """
    if hasattr(data, "keys") and hasattr(data, "cache_files") and not is_table(data):
        splits = ", ".join(map(str, data))
        raise TypeError(
            f"this is a DatasetDict with the splits {splits}; give one of them, for example data[{next(iter(data))!r}]"
        )
    if hasattr(data, "read_all") and hasattr(data, "schema"):  # a reader of Arrow
        data = data.read_all()
    if is_table(data):
        columns = table_columns(data)
        return Table({str(name): _cells(column, str(name)) for name, column in columns.items()}, "Arrow")
    if is_rows(data):
        return Table.of_rows(list(map(dict, data)), "JSON")
    return as_table(data) if isinstance(data, dict) else None


def _cells(column: Any, name: str) -> list[Any]:
    """The cells of a column, None for an empty one; arrays inside are lists."""
    cells = to_list(column, name)
    return [
        None if is_missing(cell) else cell.tolist() if hasattr(cell, "tolist") and getattr(cell, "ndim", None) else cell
        for cell in cells
    ]


def roles_of(table: Table) -> dict[str, list[str]]:
    """Role -> the columns with a usual name of it; "answer" may be predictions or references."""
    return usual_roles(table.columns, USUAL_NAMES)


def each_column(columns: Iterable[str | tuple[str, ...]]) -> list[str]:
    """The names of columns as one list; several may have one role."""
    return [name for names in columns for name in ([names] if isinstance(names, str) else names)]


def paths_of(columns: Mapping[str, Any]) -> list[str]:
    """The columns, and instead of one with objects the fields of its first object, such as `meta.source`, for messages."""
    if isinstance(columns, ArrowColumns):
        first: Iterable[tuple[str, Any]] = ((field.name, field.type) for field in columns.schema)
    else:
        first = ((name, next((cell for cell in cells if cell is not None), None)) for name, cells in columns.items())
    return list(dict.fromkeys(path for name, cell in first for path in _paths(name, cell)))


def _paths(name: str, cell: Any) -> list[str]:
    if type(cell).__name__ == "StructType":  # of Arrow
        cell = {field.name: field.type for field in cell}
    if not isinstance(cell, dict) or not cell:
        return [name]
    return [
        path
        for field, inner in itertools.islice(cell.items(), _MOST_SHOWN)
        for path in _paths(f"{name}.{field}", inner)
    ]


def field_of(item: Any, path: str) -> Any:
    """The field of an object by its name, or by a path of names with dots between; None if there is none."""
    if isinstance(item, Mapping) and path in item:
        return item[path]
    for name in path.split("."):
        item = item.get(name) if isinstance(item, Mapping) else None
    return item


def prepared(content: Content, names: Names) -> tuple[Content, Names]:
    """The content with a column for each path among the names, such as `generation.answer`, read from objects; and the names
    with one column for each of `KEY_ROLES`: the first that the table has, or the first.
    """
    several = {role: names[role] for role in KEY_ROLES if isinstance(names.get(role), tuple)}
    paths = [name for name in each_column(names.values()) if "." in name]
    value = content.value
    table = as_table(value, any_columns=True) if several or paths else None
    is_named = isinstance(value, dict) and any(name.partition(".")[0] in value for name in each_column(names.values()))
    if table is None and is_named:
        table = as_table(value)
        if table is None:
            table = as_table(value, any_columns=True) or Table({name: [cell] for name, cell in value.items()}, "JSON")
            content = Content(content.path, table)
    columns: Mapping[str, list[Any]] = {} if table is None else table.columns
    for path in (path for path in paths if path not in columns):
        name, _, rest = path.partition(".")
        cells = [field_of(cell, rest) for cell in columns.get(name, ())]
        if any(cell is not None for cell in cells):
            columns = {**columns, path: cells}
    if table is not None and columns is not table.columns:
        content = Content(content.path, dataclasses.replace(table, columns=columns))
    return content, {
        **names,
        **{role: next((name for name in of if name in columns), of[0]) for role, of in several.items()},
    }
