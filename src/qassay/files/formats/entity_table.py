"""Tables with named columns (JSON rows, JSONL, CSV, TSV, Parquet): a row per question, with gold answer, answer or both."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

from ...core.answers import empty_golds
from ...core.columns import spelled
from ...core.file_columns import Gold, Predictions
from ...factoid_accuracy.fields import DEFAULT_TYPE, QUESTION_TYPES
from ..content import Content, Table
from ..reading import FileError, same_type
from ..tables import USUAL_NAMES, Names, as_table
from . import BOTH, Format
from ._answers import describe_answers, pick_predictions, ranked_cell, read_answer_gold

_TYPE_NAMES = ("type", "question_type", "question_types")
_ANSWER_NAMES = (*USUAL_NAMES["answer"], "exact_answer")


def _read_gold(content: Content, names: Names) -> Gold:
    """A table with a column of gold answers and, maybe, ids and types of questions.

    A cell of gold answers has the names of one entity, or the entities of a list question, as `read_answer_gold` says.
    Without a column of types all questions are factoid questions, or yes/no questions where every gold answer is yes or
    no; the option question_type says otherwise.
    """
    usual = _usual_names(as_table(content.value))
    gold = read_answer_gold(content, names, partial(_gold_rows, content.path), ("type",), usual)
    rows = gold.columns["references"]
    if "type" not in gold.details and all(_is_yes_or_no(row["exact_answer"]) for row in rows):
        return gold.with_options({"question_type": "yesno"})
    return gold


def _read_predictions(content: Content, gold: Gold, names: Names) -> Predictions:
    """A table with a column of answers and, maybe, ids; it may be the gold file itself, when that holds both.

    A cell is a list of entities, or one; in a cell of text a list is written as JSON, or with a separator. An answer to a
    yes/no question is a text. Null is a missing prediction.

    Raises:
        FileError: documents are scored, which such tables do not hold.
    """
    if str(gold.options.get("phase")).upper() == "A":
        message = "a table has exact answers, but phase A scores documents; give BioASQ JSON with documents"
        raise FileError(content.path, message)
    table, picked = pick_predictions(content, gold, names, usual=_usual_names(as_table(content.value)))
    cells = table.columns[picked["predictions"]]
    ids = same_type(table.columns[picked["ids"]], gold.ids) if "ids" in picked else None
    types = _types(gold, ids, len(cells))
    answers = [
        cell if of == "yesno" else _listed(ranked_cell(cell, row, content.path, names.get("separator")))
        for row, (cell, of) in enumerate(zip(cells, types, strict=True))
    ]
    return Predictions(content.path, {"predictions": _rows(ids, exact_answer=answers)}, names=picked)


def _usual_names(table: Table) -> dict[str, Sequence[str]]:
    """The usual names of columns; a column of types has some type of question in it."""
    types = [
        spelled(name)
        for name in table.columns
        if spelled(name) in _TYPE_NAMES and any(cell in QUESTION_TYPES for cell in table.columns[name])
    ]
    return {**USUAL_NAMES, "answer": _ANSWER_NAMES, "type": types}


def _gold_rows(path: str, answers: list[Any], there: Mapping[str, list[Any]]) -> dict[str, Any]:
    answers = empty_golds(answers, path, there.get("ids"))
    golds = [_listed(answer["text"] if isinstance(answer, dict) and "text" in answer else answer) for answer in answers]
    types = there.get("type", [DEFAULT_TYPE] * len(golds))
    return {"references": _rows(there.get("ids"), exact_answer=golds, type=types)}


def _listed(answer: Any) -> Any:
    """One entity as a list of it; an empty text is none."""
    return [answer] * bool(answer.strip()) if isinstance(answer, str) else answer


def _rows(ids: Sequence[Any] | None, **columns: Sequence[Any]) -> list[dict[str, Any]]:
    columns = columns if ids is None else {"id": ids, **columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _types(gold: Gold, ids: Sequence[Any] | None, n: int) -> list[str]:
    """The type of the question of each of n answers."""
    usual = cast(str, gold.options.get("question_type"))
    types = [usual if row.get("type") in (None, DEFAULT_TYPE) else row["type"] for row in gold.columns["references"]]
    if ids is None or gold.ids is None:
        return (types + [usual] * n)[:n]
    by_id = dict(zip(map(str, gold.ids), types, strict=True))
    return [by_id.get(str(identifier), usual) for identifier in ids]


def _is_yes_or_no(answer: Any) -> bool:
    return (
        isinstance(answer, list)
        and len(answer) == 1
        and isinstance(answer[0], str)
        and answer[0].strip().lower() in ("yes", "no")
    )


ENTITIES = Format(
    "table",
    "a table",
    "factoid_accuracy",
    lambda value, metric: metric == "factoid_accuracy" and as_table(value) is not None,
    order=50,
    read_gold=_read_gold,
    read_predictions=_read_predictions,
    describe=lambda value: describe_answers(value, _usual_names(as_table(value))),
    serves=BOTH,
    is_table=True,
    roles=("type",),
    compared={"table": "references"},
)
