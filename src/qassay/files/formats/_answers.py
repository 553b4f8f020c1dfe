"""Tables with a column of gold answers and one of predictions (JSON rows, JSONL, CSV, TSV, Parquet), for families that score answers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...core.columns import spelled, usual_roles
from ...core.file_columns import Gold
from ...core.shown import columns_text, shown
from ...core.written import is_written
from ..content import Content, Table
from ..reading import FileError, twice_named
from ..tables import USUAL_NAMES, Names, as_table, each_column, numbers_of, optional_column, pick_column
from . import GOLD, PREDICTIONS
from ._label_cells import list_cell, split_cell
from ._labels import details_of

_DOC_ID = "doc_id"  # the id of a question in tables made of logs of lm_eval, and in others of its document
_GOLD_LIST = 'gold answers; write it as ["Paris", "in Paris"]'
_LISTS = ("[", '{"text"', "{'text'")
_OF_EXAMPLES = ("ids", "weights", "question")
_UsualNames = Mapping[str, Sequence[str]]
_GoldColumns = Callable[[list[Any], Mapping[str, list[Any]]], dict[str, Any]]


def describe_answers(value: Any, usual: _UsualNames = USUAL_NAMES) -> tuple[str, frozenset[str]]:
    """The text of a table, and what it serves as by the usual names of its columns, as `Format.describe` does."""
    table = as_table(value)
    roles = usual_roles(table.columns, usual)
    names = ", ".join(table.columns)
    serves = {GOLD for role in ("references", "answer") if role in roles}
    serves |= {PREDICTIONS for role in ("predictions", "answer") if role in roles}
    if not serves and len(table.columns) == 1 and table.is_text:
        return f"plain text beginning with {names[:40]!r}", frozenset()
    text = f"a table ({table.format}) with the columns {names}"
    if serves == {PREDICTIONS}:
        text = f"predictions ({table.format} with the columns {names})"
    return text, frozenset(serves)


def texts_of(row: Any) -> frozenset[str] | None:
    """The gold answers of a row, whatever their layout, without blanks around them; None for null."""
    answers = row["answers"] if isinstance(row, dict) and "answers" in row else row
    if answers is None:
        return None
    answers = answers.get("text", ()) if isinstance(answers, dict) else answers
    answers = answers if isinstance(answers, (list, tuple)) else [answers]
    texts = [answer.get("text") if isinstance(answer, dict) else answer for answer in answers]
    return frozenset(str(text).strip() for text in texts if text not in (None, ""))


def read_answer_gold(
    content: Content,
    names: Names,
    columns_of: _GoldColumns,
    own_roles: tuple[str, ...] = (),
    usual: _UsualNames = USUAL_NAMES,
) -> Gold:
    """A table with a column of gold answers; other columns with one value per row become details.

    A cell of gold answers is a list, `{"text": [...]}`, one answer, or one of these in JSON; empty for no answer, which
    answer_match remarks. Of several columns of gold answers all count, and a row has no answer where all its cells are
    empty. Columns of predictions and of no-answer probabilities are not details: they belong to one system.

    Args:
        names: role -> column, where the usual names do not tell; `{"separator": "|"}` for gold answers such as `a|b`.
        columns_of: the gold answers, and role -> cells of the other columns that were found -> the columns for scoring.
        own_roles: roles of the family that a table may lack.
        usual: role -> the usual names of its columns.
    """
    path, table = content.path, as_table(content.value)
    roles = (*_OF_EXAMPLES, *own_roles)
    picked = _pick(path, table, "references", roles, names, usual)
    if "ids" not in picked:
        picked |= {"ids": name for name in _doc_ids(table, names) if _are_distinct(table.columns[name])}
    there = {role: table.columns[picked[role]] for role in roles if role in picked}
    if "question" not in there and picked.get("ids") in usual_roles(table.columns, usual).get("question", ()):
        there["question"] = there["ids"]  # questions may serve as ids
    golds = gold_cells(path, table, picked["references"], names.get("separator"))
    columns = columns_of(golds, there)
    if "weights" in picked:
        columns["weights"] = numbers_of(path, table, picked["weights"])
    details = {role: there[role] for role in ("question", *own_roles) if role in there}
    predicted, of_system = _of_system(table, {**names, **picked}, roles, usual)
    if len(predicted) == 1:
        picked["predictions"] = predicted[0]
    others = details_of(table, {*each_column(picked.values())} - of_system)
    given = {name: others.pop(name) for name in list(others) if name in of_system}
    ids = there.get("ids")
    return Gold(path, "table", columns, {}, ids, details | others, names=picked, given=given, may_hold_predictions=True)


def pick_predictions(
    content: Content,
    gold: Gold,
    names: Names,
    optional: tuple[str, ...] = ("ids",),
    usual: _UsualNames = USUAL_NAMES,
) -> tuple[Table, dict[str, Any]]:
    """A table with a column of predictions, and role -> the column that serves as it; it may be the gold file itself."""
    path, table = content.path, as_table(content.value)
    names = {role: name for role, name in names.items() if role != "ids" or name in table.columns}
    if path == gold.path:
        names = {**gold.names, **names}
    picked = _pick(path, table, "predictions", optional, names, usual)
    if "ids" in optional and "ids" not in picked and gold.ids is not None:
        known, by_doc_id = set(map(str, gold.ids)), spelled(gold.names.get("ids", "")) == _DOC_ID
        of_gold = (
            name for name in _doc_ids(table, names) if by_doc_id or known.issuperset(map(str, table.columns[name]))
        )
        picked |= {"ids": name for name in of_gold}
    if path == gold.path and picked["predictions"] in each_column([gold.names.get("references", ())]):
        raise twice_named(path, picked["predictions"])
    if path != gold.path and "question" in gold.details:
        _check_questions(path, table, picked, gold, names, usual)
    return table, picked


def _doc_ids(table: Table, names: Names) -> list[str]:
    """The column that may hold the ids of the questions where no other one does."""
    return [name for name in table.columns if spelled(name) == _DOC_ID and name not in each_column(names.values())][:1]


def _are_distinct(cells: Sequence[Any]) -> bool:
    """Whether cells can be ids: texts or numbers, no two alike."""
    return all(isinstance(cell, (str, int)) and cell != "" for cell in cells) and len(set(map(str, cells))) == len(
        cells
    )


def _check_questions(
    path: str, table: Table, picked: Mapping[str, Any], gold: Gold, names: Names, usual: _UsualNames
) -> None:
    """Refuse an answer to a question of the gold file that would be scored by another row, by its id or its place."""
    columns = usual_roles(table.columns, usual).get("question", [])
    if names.get("question") in table.columns:
        columns = [str(names["question"])]
    if len(columns) != 1:
        return
    cells, gold_questions = table.columns[columns[0]], gold.details["question"]
    ids = table.columns[picked["ids"]] if "ids" in picked and gold.ids is not None else None
    if cells == gold_questions and (ids is None or ids == gold.ids):
        return
    folded, folded_gold = list(map(_folded, cells)), list(map(_folded, gold_questions))
    beside = folded_gold
    if ids is not None and gold.ids is not None:
        by_id = dict(zip(map(str, gold.ids), folded_gold, strict=True))
        beside = [by_id.get(str(identifier), "") for identifier in ids]
    known = set(folded_gold)
    for row, (question, expected) in enumerate(zip(folded, beside)):
        if question and expected and question != expected and question in known:
            raise FileError(
                path,
                f"row {row} has the question {shown(cells[row])}, which is the question of row "
                f"{folded_gold.index(question)} of {gold.path}, but would be scored by the gold answers of another "
                "row; put the rows in the same order, give both files the same ids, or take the questions as "
                f"ids with {columns_text('ids', columns[0])}",
            )


def _folded(question: Any) -> str:
    return " ".join(question.split()) if isinstance(question, str) else ""


def _of_system(
    table: Table, names: Names, roles: Sequence[str], usual_names: _UsualNames
) -> tuple[list[str], set[str]]:
    """The columns that could hold predictions of this file, and all that belong to a system: probabilities too."""
    there = usual_roles(table.columns, usual_names)
    taken = each_column(names[role] for role in ("references", *roles) if role in names)
    named = {
        role: [names[role]] if names[role] in table.columns and names[role] not in taken else []
        for role in ("predictions", "no_answer_probabilities")
        if role in names
    }
    usual = {role: _free(there, role, names) for role in ("predictions", "answer", "no_answer_probabilities")}
    predicted = named.get("predictions", usual["predictions"] or usual["answer"])
    return predicted, {name for columns in (*usual.values(), *named.values()) for name in columns}


def _pick(
    path: str,
    table: Table,
    required: str,
    optional: tuple[str, ...],
    names: Names,
    usual_names: _UsualNames,
) -> dict[str, Any]:
    """The column of each role, by the given names, otherwise by the usual names; references may have several columns."""
    roles = usual_roles(table.columns, usual_names)
    usual = _free(roles, required, names) or roles.get("answer", [])
    picked = {required: pick_column(path, table, required, usual, names)}
    for role in optional:
        column = optional_column(path, table, role, roles.get(role, ()), names)
        if column is not None:
            picked[role] = column
    return picked


def _free(roles: Mapping[str, list[str]], role: str, names: Names) -> list[str]:
    return [name for name in roles.get(role, ()) if name not in each_column(names.values())]


def gold_cells(path: str, table: Table, names: str | tuple[str, ...], separator: str | None) -> list[Any]:
    """The gold answers of each row, of one column or of several together; an empty cell is "" or None."""
    columns = [
        [_gold_cell(cell, row, path, separator) for row, cell in enumerate(table.columns[name])]
        for name in each_column([names])
    ]
    return columns[0] if len(columns) == 1 else list(map(_joined, zip(*columns, strict=True)))


def _gold_cell(cell: Any, row: int, path: str, separator: str | None) -> Any:
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if not text:
        return ""
    if separator is not None and not text.startswith(('["', '{"', "[]")):
        return split_cell(cell, separator)
    return list_cell(path, row, cell, _GOLD_LIST) if text.startswith(_LISTS) or is_written(text) else [cell]


def _joined(cells: Sequence) -> Any:
    """The gold answers of one row in several columns as one list; an empty cell adds none."""
    there = [cell for cell in cells if cell is not None and cell != ""]
    if not there:
        return "" if "" in cells else None
    there = [cell["text"] if isinstance(cell, dict) and "text" in cell else cell for cell in there]
    return [answer for cell in there for answer in (cell if isinstance(cell, (list, tuple)) else [cell])]


def ranked_cell(cell: Any, row: int, path: str, separator: str | None) -> Any:
    """A cell of ranked answers; a list in a cell of text is written as JSON, or with a separator between its answers."""
    if isinstance(cell, str) and separator is not None:
        return split_cell(cell, separator)
    is_list = isinstance(cell, str) and cell.startswith("[")
    return list_cell(path, row, cell, 'ranked answers; write it as ["Paris", "in Paris"]') if is_list else cell
