"""Tables with named columns (JSON rows, JSONL, CSV, TSV, Parquet) as gold answers, predictions or both."""

import json
from collections.abc import Mapping
from typing import Any

from karat.core.options import did_you_mean
from karat.core.ranking_tables import spelled
from karat.files.arrow_columns import plain_names
from karat.files.content import Content, Table
from karat.files.inputs import FileError, Gold, Predictions, columns_of, gold_columns, number_cells, prediction_columns

ANSWER_ROLES = ("predictions", "references", "ids", "weights", "no_answer_probabilities", "question")

# The usual names of each role, as found in data sets and in the output of other tools. Earlier ones win for ids and
# weights; two at once for predictions or references are refused, because the wrong one would be scored without a sign.
_USUAL = {
    "predictions": (
        "prediction", "predictions", "prediction_text", "predicted_answer", "predicted", "output", "outputs",
        "generated_text", "generated_answer", "model_answer", "system_answer", "response",
    ),
    "references": (
        "reference", "references", "answers", "gold", "golds", "gold_answer", "gold_answers", "target", "targets",
        "ground_truth", "ground_truths", "label", "labels",
    ),
    "ids": ("id", "ids", "_id", "qid", "question_id", "query_id", "example_id", "qas_id", "uid"),
    "weights": ("weight", "weights"),
    "no_answer_probabilities": ("no_answer_probability", "no_answer_probabilities", "na_prob", "null_odds"),
    "question": ("question", "query", "question_text"),
}  # fmt: skip
_EITHER = ("answer",)  # the gold answer of a gold file, the prediction of a file of predictions


def as_table(value: Any) -> Table | None:
    """A JSON value as a table: rows, rows under "data", one row, or columns; None where it is none of these."""
    if isinstance(value, Table):
        return value
    if not isinstance(value, dict) or not value:
        return None
    data = value.get("data")
    if isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        return Table(columns_of(data), "JSON")
    roles = roles_of(Table(value, "JSON"))
    if not roles.keys() & {"predictions", "references", "answer"}:
        return None
    if all(isinstance(column, list) for column in value.values()) and len(set(map(len, value.values()))) == 1:
        return Table(value, "JSON")
    if "ids" in roles and roles.keys() & {"predictions", "references"}:
        return Table({name: [cell] for name, cell in value.items()}, "JSON")
    return None


def roles_of(table: Table) -> dict[str, list[str]]:
    """Which columns could serve as what, by their usual names; "answer" serves as predictions or references."""
    names_of = spelled_names(table)
    usual = {**_USUAL, "answer": _EITHER}
    found = {role: [names_of[name] for name in names if name in names_of] for role, names in usual.items()}
    return {role: names for role, names in found.items() if names}


def spelled_names(table: Table) -> dict[str, str]:
    """The columns by their names in one spelling: `corpus_id` -> `Corpus-ID`."""
    return {spelled(name): name for name in table.columns}


def read_gold_table(content: Content, names: Mapping[str, str]) -> Gold:
    """A table with a column of gold answers; other columns with one value per row become details.

    A cell of gold answers is a list, `{"text": [...]}`, one answer, or a JSON list in a string; empty for no answer.

    Args:
        names: role -> column, where the usual names do not tell.
    """
    table = as_table(content.value)
    picked = _pick(content.path, table, "references", ("ids", "weights", "question"), names)
    ids = _column(table, picked, "ids")
    answers = [_gold_cell(cell, row, content.path) for row, cell in enumerate(_column(table, picked, "references"))]
    columns = gold_columns(ids, answers)
    if "weights" in picked:
        columns["weights"] = _numbers(content.path, table, picked["weights"])
    details = {"question": _column(table, picked, "question")} if "question" in picked else {}
    for name in plain_names(table.columns):
        if name not in picked.values() and _is_detail(table.columns[name]):
            details[name] = table.columns[name]
    return Gold(content.path, "table", columns, {}, ids, details, names=picked)


def read_prediction_table(content: Content, gold: Gold, names: Mapping[str, str]) -> Predictions:
    """A table with a column of predictions and, maybe, ids, no-answer probabilities and supporting facts.

    It may be the gold file itself, when that holds both.
    """
    table = as_table(content.value)
    names = {role: name for role, name in names.items() if role != "ids" or name in table.columns}
    if content.path == gold.path:
        names = {**gold.names, **names}
    picked = _pick(content.path, table, "predictions", ("ids", "no_answer_probabilities"), names)
    probabilities = None
    if "no_answer_probabilities" in picked:
        probabilities = _numbers(content.path, table, picked["no_answer_probabilities"])
    answers = _column(table, picked, "predictions")
    if "top_k" in gold.options:
        answers = [_ranked_cell(cell, row, content.path) for row, cell in enumerate(answers)]
    facts = table.columns.get("supporting_facts") if gold.kind == "hotpotqa" and content.path != gold.path else None
    ids = _column(table, picked, "ids")
    return Predictions(content.path, prediction_columns(ids, answers, gold, probabilities, facts))


def _pick(
    path: str, table: Table, required: str, optional: tuple[str, ...], names: Mapping[str, str]
) -> dict[str, str]:
    """The column of each role, by the names given and else by the usual ones."""
    roles, has = roles_of(table), f"it has: {', '.join(table.columns)}"
    picked = {}
    for role in (required, *optional):
        if role in names and names[role] not in table.columns:
            raise FileError(
                path, f"there is no column {names[role]!r}{did_you_mean(names[role], table.columns)}; {has}"
            )
        found = [names[role]] if role in names else _free(roles, role, names)
        if role == required:
            found = found or _free(roles, "answer", names)
            if not found:
                raise FileError(
                    path, f"no column is known to hold the {role}; {has}; say which with --columns {role}=NAME"
                )
            if len(found) > 1:
                raise FileError(
                    path,
                    f"the {role} could be {' or '.join(found)}; say which, for example --columns {role}={found[0]}",
                )
        if found:
            picked[role] = found[0]
    return picked


def _free(roles: Mapping[str, list[str]], role: str, names: Mapping[str, str]) -> list[str]:
    return [name for name in roles.get(role, ()) if name not in names.values()]


def _column(table: Table, picked: Mapping[str, str], role: str) -> list | None:
    return table.columns[picked[role]] if role in picked else None


def _gold_cell(cell: Any, row: int, path: str) -> Any:
    if not isinstance(cell, str):
        return cell
    if cell.lstrip().startswith(("[", '{"text"', "{'text'")):
        return _json_cell(cell, row, path, "gold answers")
    return [cell] if cell else []


def _ranked_cell(cell: Any, row: int, path: str) -> Any:
    return _json_cell(cell, row, path, "ranked answers") if isinstance(cell, str) and cell.startswith("[") else cell


def _json_cell(cell: str, row: int, path: str, what: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        raise FileError(
            path, f'row {row}: {cell[:60]!r} is no JSON list of {what}; write it as ["Paris", "in Paris"]'
        ) from None


def _numbers(path: str, table: Table, name: str) -> list:
    """A column of numbers; in text tables they are parsed, elsewhere the core checks them."""
    column = table.columns[name]
    if not table.is_text:
        return column
    return number_cells(path, column, name, float)


def _is_detail(column: list) -> bool:
    return set(map(type, column)) <= {str, int, float, bool, type(None)}
