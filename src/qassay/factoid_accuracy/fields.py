"""The columns that factoid_accuracy reads: answers in the layouts of BioASQ (ranked entities with synonyms, lists of
entities, yes or no), documents, and types of questions.
"""

from collections.abc import Mapping
from typing import Any

from ..core.columns import (
    check_rows,
    is_missing,
    is_nan,
    is_table,
    items_of,
    rows_of_table,
    table_columns,
    texts_of,
    to_list,
)
from ..core.errors import InputError, about
from ..core.ids import unique_ids
from ..core.intake import (
    ANYTHING,
    GROUPS,
    PREDICTIONS,
    REFERENCES,
    WEIGHTS,
    Cells,
    Field,
    Kind,
    Table,
    field_of,
    read,
)
from ..core.options import did_you_mean
from ..core.shown import describe, keys_of, shown

QUESTION_TYPES = ("factoid", "list", "yesno", "summary")
DEFAULT_TYPE = "default"  # of a row without a type: the options decide it
ABSENT = object()  # a row without an answer, which is not the same as null
_QUESTION_KEYS = {"exact_answer", "documents", "type", "body", "ideal_answer", "snippets"}
_GIVE_NOTHING = 'omit it, or give [] (for yes/no "") where there is no answer'
_GIVE_ENTITIES = 'give a list such as [["dog"], ["cat"]] or ["dog", "cat"]'


# --- rows -------------------------------------------------------------------------------------------------------------


def _rows(cells: Cells) -> list[Any]:
    """Answers, or the dicts of questions; `read_questions` picks the part that is compared."""
    rows = [value for value in cells.values if isinstance(value, Mapping)]
    if rows and not any(_QUESTION_KEYS & row.keys() for row in rows):
        found = f"{cells.name} have no 'exact_answer' in any row (keys of the first: {keys_of(rows[0])})"
        raise InputError(cells.name, found, "give rows of BioASQ, with 'id' and 'exact_answer' or 'documents'")
    return cells.values


def _gold_rows(cells: Cells) -> list[Any]:
    """The same; the option duplicates is about predictions only."""
    if not isinstance(cells.ids, range):
        unique_ids(cells.ids, "references id")
    return _rows(cells)


ENTITY_FIELDS = (
    Field(PREDICTIONS, Kind(_rows, takes_dicts=lambda row: True), PREDICTIONS),
    Field(REFERENCES, Kind(_gold_rows, takes_dicts=lambda row: True), REFERENCES),
    Field("question_types", ANYTHING, REFERENCES),
    WEIGHTS,
    GROUPS,
)


def is_submission(column: Any) -> bool:
    """Whether this is a whole BioASQ file, `{"questions": [{...}, ...]}`, which may have other keys too."""
    rows = column.get("questions") if isinstance(column, Mapping) else None
    return isinstance(rows, (list, tuple)) and (not rows or any(isinstance(row, Mapping) for row in rows))


def question_rows(column: Any, name: str) -> Any:
    """The rows of a whole BioASQ file, or of a table or a dict of its columns; any other column unchanged."""
    if is_submission(column):
        if not column["questions"]:
            raise InputError(name, f"{name} is a BioASQ file without questions; is it cut off?")
        check_rows(column["questions"], name, (), Mapping, "give every question as a dict")
        return list(column["questions"])
    table = table_columns(column) if is_table(column) else column
    if not isinstance(table, Mapping) or "id" not in table or {"exact_answer", "documents"}.isdisjoint(table):
        return column
    if isinstance(table["id"], (str, int)):
        raise InputError(name, f"{name} is one question; give a list of questions, for example [{{'id': ..., ...}}]")
    rows = rows_of_table({str(key): to_list(cells, f"{name}[{key!r}]") for key, cells in table.items()})
    return [
        {key: cell for key, cell in row.items() if not is_missing(cell)} for row in rows
    ]  # an empty cell is no field


def read_questions(given: Mapping[str, Any], options: Any) -> Table:
    """Bring any layout into columns in the order of the references.

    Args:
        given: the columns of `score_entities` by name; None means absent.
        options: `FactoidOptions`.

    Returns:
        A table with the compared predictions and references, as given, `ABSENT` where there is none;
        nothing inside is checked. In phase B it has the column `types`, one of `QUESTION_TYPES` each.
    """
    field = "exact_answer" if options.phase == "B" else "documents"
    if options.phase == "A" and given.get("question_types") is not None:
        message = "phase 'A' scores the documents of all questions alike; omit question_types"
        raise InputError("question_types", message)
    rows = dict(given)
    for name in (PREDICTIONS, REFERENCES):
        with about(name):
            rows[name] = question_rows(given[name], name)
    table = read(ENTITY_FIELDS, rows, missing="zero", duplicates=options.duplicates)
    predictions, references = table.columns[PREDICTIONS], table.columns[REFERENCES]
    table.given = table.rows[PREDICTIONS] >= 0
    answers = [_part_of(row, field) for row in predictions]
    if options.phase == "B":
        table.given &= [answer is not None for answer in answers]
        table.columns["types"] = _types(table, options.question_type)
        given_by_id = isinstance(rows[PREDICTIONS], Mapping) or getattr(rows[PREDICTIONS], "by_id", False)
        if not given_by_id:
            _refuse_bare_texts(table)
    pairs = zip(answers, table.given.tolist(), strict=True)  # null documents are not missing, which would omit them
    table.columns[PREDICTIONS] = [answer if there else ABSENT for answer, there in pairs]
    table.columns[REFERENCES] = [_part_of(row, field) for row in references]
    return table


def _part_of(row: Any, field: str) -> Any:
    """What is compared of a row: an answer alone, or the field of a dict; an empty cell is None."""
    answer = row.get(field, ABSENT) if isinstance(row, Mapping) else row
    return None if is_missing(answer) else answer


def _types(table: Table, question_type: str | None) -> list[str]:
    """The type of each question, from its row or the column question_types; the option for answers alone."""
    rows, given = table.columns[REFERENCES], table.columns.get("question_types")
    are_rows = isinstance(rows[0], Mapping)
    name, default = REFERENCES if given is None else "question_types", question_type or "factoid"
    types = field_of(rows, "type", REFERENCES) if are_rows else None
    if given is None and types is None and are_rows and question_type is None:
        message = (
            f"references have no 'type' in any row; give every row one ({', '.join(QUESTION_TYPES)}), or the column "
            "question_types, or the option question_type=factoid where all have that type"
        )
        raise InputError(REFERENCES, message)
    if given is not None and types is not None and types != given:
        raise InputError(name, "references have their own types, which differ from the column question_types")
    types = given or types or [default] * len(rows)
    types = [default if isinstance(kind, str) and kind == DEFAULT_TYPE else kind for kind in types]
    for row, kind in enumerate(types):
        if not isinstance(kind, str):
            advice = f"give the type of every question: {', '.join(QUESTION_TYPES)}"
            raise InputError(name, f"{table.where(name, row)} must be str, got {describe(kind)}", advice)
        if kind not in QUESTION_TYPES:
            found = f"{table.where(name, row)} has the unknown type {shown(kind)}{did_you_mean(kind, QUESTION_TYPES)}"
            raise InputError(name, found, f"it is one of: {', '.join(QUESTION_TYPES)}")
    return types


def _refuse_bare_texts(table: Table) -> None:
    """Refuse a text among lists of answers. In rows, as to the official program, it is not an answer."""
    for row, (answer, kind) in enumerate(zip(table.columns[PREDICTIONS], table.columns["types"], strict=True)):
        if isinstance(answer, str) and answer and kind in ("factoid", "list"):
            found = f"{table.where(PREDICTIONS, row)} is a bare text, {describe(answer)}"
            raise TypeError(f'{found}; give a list of candidates or entities, for example ["dog"]')


# --- answers ----------------------------------------------------------------------------------------------------------


def entities_of(answer: Any, where: str) -> list[list[str] | str]:
    """The entities of an answer, a list of names or of lists of names; numbers become text, and `ABSENT` has no entities.

    Raises:
        TypeError, ValueError: null, NaN, something other than a list, other values inside, or nested deeper; they begin
            with `where`.
    """
    if answer is ABSENT:
        return []
    entities = items_of(_not_null(answer, where), where, "entities", _GIVE_ENTITIES)
    for index, entity in enumerate(map(_plain, entities)):
        at = f"{where}[{index}]"
        is_list = isinstance(entity, (list, tuple))
        entities[index] = [_name(name, f"{at}[{i}]") for i, name in enumerate(entity)] if is_list else _name(entity, at)
    return entities


def _plain(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _not_null(answer: Any, where: str, advice: str = _GIVE_NOTHING) -> Any:
    if answer is None:
        raise TypeError(f"{where} is null; {advice}")
    return answer


def _name(value: Any, where: str) -> str:
    value = _plain(value)
    if isinstance(value, str):
        return value
    if is_nan(value):
        raise ValueError(f"{where} is NaN, as an empty cell of a table is; remove it, or give its name")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    raise TypeError(f"{where} must be a string (numbers are read as text), got {describe(value)}; {_GIVE_ENTITIES}")


def yes_or_no(answer: Any, where: str) -> str:
    """How an answer to a yes/no question is read: "yes" if it has yes in it, else "no" if it has no in it, else "none".

    Raises:
        TypeError: it is not a string.
    """
    if answer is ABSENT:
        return "none"
    if not isinstance(_not_null(answer, where), str):
        raise TypeError(f"{where} answers a yes/no question with {describe(answer)}; give a string with yes or no")
    text = answer.lower()
    return "yes" if "yes" in text else "no" if "no" in text else "none"


def documents_of(documents: Any, where: str) -> list[str]:
    """The distinct documents in order; `ABSENT` has none.

    Raises:
        TypeError: null, something other than a list, or other values than strings inside.
    """
    if documents is ABSENT:
        return []
    documents = _not_null(documents, where, "give [] where there are no documents")
    return list(dict.fromkeys(texts_of(documents, where, "documents", "give their addresses or ids")))
