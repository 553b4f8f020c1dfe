"""Tables with named columns (JSON rows, JSONL, CSV, TSV, Parquet) as gold answers, predictions or both."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.file_columns import Gold, Predictions
from ..files.content import Content, Table
from ..files.json_text import JsonError, read_json_cell
from ..files.label_cells import split_cell
from ..files.label_tables import details_of
from ..files.reading import FileError, number_cells, twice_named
from ..files.tables import USUAL_NAMES, Names, as_table, each_column, optional_column, pick_column, roles_of
from .read_columns import gold_columns, prediction_columns

ANSWER_ROLES = ("predictions", "references", "ids", "weights", "no_answer_probabilities", "question")

# The usual names of columns of predictions and of references.
ANSWER_SIDES = frozenset(name for role in ("predictions", "references", "answer") for name in USUAL_NAMES[role])


def read_gold_table(content: Content, names: Names) -> Gold:
    """A table with a column of gold answers; other columns with one value per row become details.

    A cell of gold answers is a list, `{"text": [...]}`, one answer, or a JSON list in a string; empty for no answer. Of
    several columns of gold answers all count, and a row has no answer where all its cells are empty. Columns of
    predictions and of no-answer probabilities are no details: they belong to one system.

    Args:
        names: role -> column, where the usual names do not tell; `{"separator": "|"}` for gold answers such as `a|b`.
    """
    table = as_table(content.value)
    picked = _pick(content.path, table, "references", ("ids", "weights", "question"), names)
    ids = _column(table, picked, "ids")
    columns: Any = gold_columns(ids, gold_cells(content.path, table, picked["references"], names.get("separator")))
    if "weights" in picked:
        columns["weights"] = _numbers(content.path, table, picked["weights"])
    details = {"question": _column(table, picked, "question")} if "question" in picked else {}
    predicted, of_system = _of_system(table, {**names, **picked})
    if len(predicted) == 1:
        picked["predictions"] = predicted[0]
    others = details_of(table, {*each_column(picked.values())} - of_system)
    given = {name: others.pop(name) for name in list(others) if name in of_system}
    details |= others
    return Gold(content.path, "table", columns, {}, ids, details, names=picked, given=given, may_hold_predictions=True)


def _of_system(table: Table, names: Names) -> tuple[list[str], set[str]]:
    """The columns that could hold predictions of this file, and all that belong to a system: probabilities too."""
    roles = roles_of(table)
    taken = each_column(names[role] for role in ("references", "ids", "weights", "question") if role in names)
    named = {
        role: [names[role]] if names[role] in table.columns and names[role] not in taken else []
        for role in ("predictions", "no_answer_probabilities")
        if role in names
    }
    usual = {role: _free(roles, role, names) for role in ("predictions", "answer", "no_answer_probabilities")}
    predicted = named.get("predictions", usual["predictions"] or usual["answer"])
    return predicted, {name for columns in (*usual.values(), *named.values()) for name in columns}


def read_prediction_table(content: Content, gold: Gold, names: Names) -> Predictions:
    """A table with a column of predictions and, maybe, ids, no-answer probabilities and supporting facts.

    It may be the gold file itself, when that holds both.
    """
    table = as_table(content.value)
    names = {role: name for role, name in names.items() if role != "ids" or name in table.columns}
    if content.path == gold.path:
        names = {**gold.names, **names}
    picked = _pick(content.path, table, "predictions", ("ids", "no_answer_probabilities"), names)
    if content.path == gold.path and picked["predictions"] in each_column([gold.names.get("references", ())]):
        raise twice_named(content.path, picked["predictions"])
    probabilities = None
    if "no_answer_probabilities" in picked:
        probabilities = _numbers(content.path, table, picked["no_answer_probabilities"])
    answers = _column(table, picked, "predictions")
    if "top_k" in gold.options:
        answers = [_ranked_cell(cell, row, content.path, names.get("separator")) for row, cell in enumerate(answers)]
    facts = table.columns.get("supporting_facts") if gold.kind == "hotpotqa" and content.path != gold.path else None
    ids = _column(table, picked, "ids")
    columns = prediction_columns(ids, answers, gold, probabilities, facts)
    return Predictions(content.path, columns, names=picked)


def _pick(path: str, table: Table, required: str, optional: tuple[str, ...], names: Names) -> dict[str, Any]:
    """The column of each role, by the names given and else by the usual ones; of references maybe several columns."""
    roles = roles_of(table)
    usual = _free(roles, required, names) or roles.get("answer", [])
    picked = {required: pick_column(path, table, required, usual, names)}
    for role in optional:
        column = optional_column(path, table, role, roles.get(role, ()), names)
        if column is not None:
            picked[role] = column
    return picked


def _free(roles: Mapping[str, list[str]], role: str, names: Names) -> list[str]:
    return [name for name in roles.get(role, ()) if name not in each_column(names.values())]


def _column(table: Table, picked: Names, role: str) -> Any:
    return table.columns[picked[role]] if role in picked else None


def gold_cells(path: str, table: Table, names: str | tuple[str, ...], separator: str | None) -> list[Any]:
    """The gold answers of each row, of one column or of several together."""
    columns = [
        [_gold_cell(cell, row, path, separator) for row, cell in enumerate(table.columns[name])]
        for name in each_column([names])
    ]
    return columns[0] if len(columns) == 1 else list(map(_joined, zip(*columns, strict=True)))


def _gold_cell(cell: Any, row: int, path: str, separator: str | None) -> Any:
    if not isinstance(cell, str):
        return cell
    if separator is not None and not cell.lstrip().startswith('["'):
        return split_cell(cell, separator)
    if cell.lstrip().startswith(("[", '{"text"', "{'text'")):
        return _json_cell(cell, row, path, "gold answers")
    return [cell] if cell else []


def _joined(cells: Sequence) -> Any:
    """The gold answers of one row in several columns as one list; a cell without any adds none."""
    there = [cell["text"] if isinstance(cell, dict) and "text" in cell else cell for cell in cells if cell is not None]
    lists = [list(cell) if isinstance(cell, (list, tuple)) else [cell] for cell in there]
    return [answer for answers in lists for answer in answers] if there else None


def _ranked_cell(cell: Any, row: int, path: str, separator: str | None) -> Any:
    if isinstance(cell, str) and separator is not None:
        return split_cell(cell, separator)
    return _json_cell(cell, row, path, "ranked answers") if isinstance(cell, str) and cell.startswith("[") else cell


def _json_cell(cell: str, row: int, path: str, what: str) -> Any:
    try:
        return read_json_cell(cell)
    except JsonError as error:
        raise FileError(path, f"row {row}: {error}; {error.advice}") from None
    except (ValueError, RecursionError):
        raise FileError(
            path, f'row {row}: {cell[:60]!r} is no JSON list of {what}; write it as ["Paris", "in Paris"]'
        ) from None


def _numbers(path: str, table: Table, name: str) -> list:
    """A column of numbers; in text tables they are parsed, elsewhere scoring checks them."""
    column = table.columns[name]
    return number_cells(path, column, name) if table.is_text else column
