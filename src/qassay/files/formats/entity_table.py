"""Tables of exact answers for factoid_accuracy: tables of answers, in which a question may be of a list or of yes and no."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...core.answers import empty_golds
from ...core.columns import rows_of_table, spelled
from ...core.file_columns import Gold, Predictions
from ...factoid_accuracy.fields import DEFAULT_TYPE, QUESTION_TYPES
from ..content import Content, Table
from ..reading import same_type
from ..tables import USUAL_NAMES, Names, as_table
from . import BOTH, Format
from ._answers import gold_cells, ranked_cells
from .answer_table import describe, gold_of, pick_gold, pick_predictions

METRIC = "factoid_accuracy"


def _usual(table: Table) -> Mapping[str, Sequence[str]]:
    """The usual names of columns; a column of question types must have a known type in it."""
    types = [
        spelled(name)
        for name, cells in table.columns.items()
        if spelled(name) in ("type", "question_type", "question_types") and not set(QUESTION_TYPES).isdisjoint(cells)
    ]
    return {**USUAL_NAMES, "answer": (*USUAL_NAMES["answer"], "exact_answer"), "type": types}


def _read_gold(content: Content, names: Names) -> Gold:
    """A cell of gold answers has the names of one entity, or the entities of a list question.

    Without a column of types all questions are factoid questions, or yes/no questions where every gold answer is yes or
    no; the option question_type says otherwise.
    """
    path, table = content.path, as_table(content.value)
    columns = pick_gold(path, table, names, _usual(table))
    ids, types = columns.cells("ids"), columns.cells("type")
    golds = empty_golds(gold_cells(table, columns.picked["references"], names.get("separator")), path, ids)
    golds = [_listed(gold["text"] if isinstance(gold, dict) and "text" in gold else gold) for gold in golds]
    is_yes_no = types is None and all(
        isinstance(gold, list) and len(gold) == 1 and str(gold[0]).strip().lower() in ("yes", "no") for gold in golds
    )
    rows = _rows(ids, exact_answer=golds, type=types or [DEFAULT_TYPE] * len(golds))
    return gold_of(columns, {"references": rows}, {"question_type": "yesno"} if is_yes_no else {})


def _read_predictions(content: Content, gold: Gold, names: Names) -> Predictions:
    """A cell is a list of entities, or one; in a cell of text a list is written as JSON, or with a separator. An answer to a
    yes/no question is a text. Null is a missing prediction.
    """
    if str(gold.options.get("phase")).upper() == "A":
        raise ValueError("a table has exact answers, but phase A scores documents; give BioASQ JSON with documents")
    columns = pick_predictions(content, gold, names, _usual(as_table(content.value)))
    cells, ids = columns.cells("predictions") or [], columns.cells("ids")
    usual = gold.options.get("question_type")
    types = [usual if row.get("type") in (None, DEFAULT_TYPE) else row["type"] for row in gold.columns["references"]]
    are_by_id = ids is not None and gold.ids is not None
    type_of = dict(zip(map(str, gold.ids), types, strict=True) if are_by_id else enumerate(types))  # type: ignore[arg-type]
    keys = map(str, ids) if are_by_id else range(len(cells))  # type: ignore[arg-type]
    lists = ranked_cells(cells, names.get("separator"))
    answers = [
        cell if type_of.get(key, usual) == "yesno" else _listed(entities)
        for key, cell, entities in zip(keys, cells, lists, strict=True)
    ]
    rows = _rows(None if ids is None else same_type(ids, gold.ids), exact_answer=answers)
    return Predictions(content.path, {"predictions": rows}, names=columns.picked)


def _listed(answer: Any) -> Any:
    """One entity as a list of it; an empty text is none."""
    return [answer] * bool(answer.strip()) if isinstance(answer, str) else answer


def _rows(ids: Sequence[Any] | None, **columns: Sequence[Any]) -> list[dict[str, Any]]:
    return rows_of_table(columns if ids is None else {"id": ids, **columns})


ENTITIES = Format(
    "table",
    "a table",
    METRIC,
    lambda value, metric: metric == METRIC and as_table(value) is not None,
    order=50,
    read_gold=_read_gold,
    read_predictions=_read_predictions,
    describe=lambda value: describe(value, _usual(as_table(value))),
    serves=BOTH,
    is_table=True,
    roles=("type",),
)
