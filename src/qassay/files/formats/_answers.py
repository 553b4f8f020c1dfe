"""Gold answers and predicted answers of files as the columns of answer_match, and cells of tables that hold answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...answer_match.gold_texts import gold_columns, present_columns
from ...core.columns import ColumnRows
from ...core.file_columns import Gold, Predictions
from ...core.shown import columns_text, shown
from ...core.written import is_written
from ..content import Table
from ..reading import columns_of, same_type
from ..tables import each_column
from ._cells import read_cell

METRIC = "answer_match"
_GOLDS = 'gold answers; write it as ["Paris", "in Paris"]'
_RANKED = 'ranked answers; write it as ["Paris", "in Paris"]'


def gold_answers(
    path: str,
    kind: str,
    ids: Sequence[Any] | None,
    answers: Sequence[Any],
    details: Sequence[dict[str, Any]] | Mapping[str, Any] = (),
    *,
    supporting_facts: Sequence[Any] | None = None,
    more: Mapping[str, list[Any]] | None = None,
    **options: Any,
) -> Gold:
    """Gold answers of each question, and further data about it, as columns or as rows, whose ids are omitted.

    Args:
        supporting_facts: what the rules of HotpotQA read besides the answers.
        more: as in `Gold`.
        options: those that the format implies, such as `preset="drop"`.
    """
    columns = dict(details) if isinstance(details, Mapping) else columns_of(details)
    columns.pop("id", None)
    read = {} if supporting_facts is None else {"supporting_facts": supporting_facts}
    return Gold(path, kind, gold_columns(ids, answers, **read), options, ids, columns, more=more or {})


def predicted_answers(
    path: str,
    gold: Gold,
    ids: Sequence[Any] | None,
    answers: Sequence[Any],
    *,
    probabilities: Sequence[Any] | None = None,
    details: Mapping[str, Sequence[Any]] | None = None,
    names: Mapping[str, Any] | None = None,
) -> Predictions:
    """Predicted answers, their ids typed as the gold ids: JSON keys are strings, tables may have numbers.

    Raises:
        ValueError: supporting facts are scored, and there are none.
    """
    if gold.kind == gold.options.get("preset") == "hotpotqa" and "supporting_facts" not in (details or {}):
        advice = 'give {"answer": ..., "sp": ...}, or score answers only with preset=squad_v2'
        raise ValueError(f"there are no supporting facts here; {advice}")
    if ids is None:
        columns = present_columns(predictions=answers, no_answer_probabilities=probabilities)
        columns |= {"predicted_details": dict(details)} if details else {}
    else:
        fields = {"id": same_type(ids, gold.ids), "prediction_text": answers, "no_answer_probability": probabilities}
        rows = present_columns(**fields, **(details or {}))
        columns = {"predictions": ColumnRows(rows)}
    return Predictions(path, columns, names=names or {})


def check_questions(table: Table, column: str, gold: Gold, ids: Sequence[Any] | None) -> None:
    """Refuse an answer to a question of the gold file that would be scored by another row, by id or by position.

    Args:
        column: the one with the question of each answer; cells that are no texts are ignored.
        ids: of the answers.
    """
    cells, expected = (
        [" ".join(cell.split()) if isinstance(cell, str) else "" for cell in of]
        for of in (table.columns[column], gold.details["question"])
    )
    known, beside = {question: row for row, question in reversed([*enumerate(expected)])}, expected
    if ids is not None and gold.ids is not None:
        by_id = dict(zip(map(str, gold.ids), expected, strict=True))
        beside = [by_id.get(str(identifier), "") for identifier in ids]
    for row, (question, other) in enumerate(zip(cells, beside)):
        if question and other and question != other and question in known:
            raise ValueError(
                f"row {row} has the question {shown(question)}, which is the question of row {known[question]} of "
                f"{gold.path}, but would be scored by the gold answers of another row; put the rows in the same order, or "
                f"give both files the same ids, or take the questions as ids with {columns_text('ids', column)}",
            )


def gold_cells(table: Table, names: str | tuple[str, ...], separator: str | None) -> list[Any]:
    """The gold answers of each row, of one column or of several together; an empty cell is "" or None."""
    columns = [
        [_gold_cell(row, cell, separator) for row, cell in enumerate(text_cells(table.columns[name]))]
        for name in each_column([names])
    ]
    return columns[0] if len(columns) == 1 else list(map(_joined, zip(*columns, strict=True)))


def text_cells(cells: Sequence[Any]) -> Sequence[Any]:
    """Cells of answers; a column of whole numbers, such as years, as the texts that it has in CSV."""
    are_whole = {int} <= set(map(type, cells)) <= {int, type(None)}
    return [None if cell is None else str(cell) for cell in cells] if are_whole else cells


def _gold_cell(row: int, cell: Any, separator: str | None) -> Any:
    if not isinstance(cell, str):
        return cell
    text = cell.strip()
    if not text:
        return ""
    begins: tuple[str, ...] = ("[", '{"text"', "{'text'")
    if not text.startswith(begins) and is_written(text):
        begins = (text[0],)
    found = read_cell(row, cell, separator, _GOLDS, begins)
    return [cell] if found is cell else found


def _joined(cells: Sequence) -> Any:
    """The gold answers of one row in several columns as one list; an empty cell adds none."""
    there = [cell for cell in cells if cell is not None and cell != ""]
    if not there:
        return "" if "" in cells else None
    there = [cell["text"] if isinstance(cell, dict) and "text" in cell else cell for cell in there]
    return [answer for cell in there for answer in (cell if isinstance(cell, (list, tuple)) else [cell])]


def ranked_cells(cells: Sequence[Any], separator: str | None = None) -> list[Any]:
    """Cells of ranked answers; a list in a cell of text is written as JSON, or with a separator between its answers."""
    return [read_cell(row, cell, separator, _RANKED) for row, cell in enumerate(cells)]
