"""The columns that factoid_accuracy reads: answers in the layouts of BioASQ (ranked entities with synonyms, lists of
entities, yes or no), documents, and types of questions.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.columns import check_lengths, check_rows, is_nan, is_table, table_columns, to_list, with_id
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
    read,
    refused,
    rows_of_dicts,
)
from ..core.options import did_you_mean
from ..core.shown import describe, keys_of, shown

QUESTION_TYPES = ("factoid", "list", "yesno", "summary")
_QUESTION_KEYS = {"exact_answer", "documents", "type", "body", "ideal_answer", "snippets"}
DEFAULT_TYPE = "default"  # type of a row made from a plain answer: the final options decide it
ABSENT = object()  # a row without an answer, which is not the same as null

_GIVE_NOTHING = 'omit it, or give [] (for yes/no "") where there is no answer'
_GIVE_ENTITIES = 'give a list such as [["dog"], ["cat"]] or ["dog", "cat"]'
_GIVE_YES_OR_NO = "give a string with yes or no"


def entity_fields(field: str) -> tuple[Field, ...]:
    """The columns of `score_entities`; `field` is what is compared, "exact_answer" or "documents"."""

    def answers(cells: Cells) -> list[Any]:
        return _answers(cells, field)

    def golds(cells: Cells) -> list[Any]:
        _refuse_repeated(cells)
        return _answers(cells, field)

    # Null documents are refused: a missing question is omitted in phase A, and [] scores 0.
    given = Kind(answers, takes_dicts=lambda row: True, none_is_missing=field == "exact_answer")
    types: Kind = ANYTHING
    own_types: tuple[str, ...] = ("type",)
    if field == "documents":
        types, own_types = refused("phase 'A' scores the documents of all questions alike; omit question_types"), ()
    return (
        Field(PREDICTIONS, given, PREDICTIONS),
        Field(REFERENCES, Kind(golds, takes_dicts=lambda row: True), REFERENCES),
        Field("question_types", types, REFERENCES),
        Field("type", ANYTHING, REFERENCES, own_types),
        WEIGHTS,
        GROUPS,
    )


def _answers(cells: Cells, field: str) -> list[Any]:
    """The answer of each row as it was given: the field of rows, `ABSENT` where a row does not have it."""
    rows = [value for value in cells.values if isinstance(value, Mapping)]
    if rows and not any(_QUESTION_KEYS & row.keys() for row in rows):
        raise ValueError(
            f"{cells.name} have no {field!r} in any row (keys of the first: {keys_of(rows[0])}); give rows of BioASQ"
        )
    return [value.get(field, ABSENT) if isinstance(value, Mapping) else value for value in cells.values]


def _refuse_repeated(cells: Cells) -> None:
    ids = cells.ids

    def refusal(row: int) -> InputError:
        action = "a question is in the gold answers once: remove one of the two (the option duplicates is about predictions only)"
        return InputError(
            cells.name, f"repeats the id {shown(ids[row])} of row {list(ids).index(ids[row])}", action, row
        )

    if not isinstance(ids, range):
        unique_ids(list(ids), "references id", refusal)


@dataclasses.dataclass
class Questions(Table):
    """Aligned rows, one per question, in the order of the references; nothing inside the answers is checked yet.

    Attributes:
        types: one of `QUESTION_TYPES` each, or "" if types are not used.
        are_plain: the predictions are a list of answers, not rows or a dict by id.
    """

    types: list[str]
    are_plain: bool

    @property
    def predictions(self) -> list[Any]:
        """The answers (or documents) of the system as they were given, `ABSENT` if there is none."""
        return self.columns[PREDICTIONS]  # type: ignore[no-any-return]

    @property
    def references(self) -> list[Any]:
        """The gold answers (or documents)."""
        return self.columns[REFERENCES]  # type: ignore[no-any-return]

    def take(self, kept: np.ndarray) -> "Questions":
        """Some questions, by their rows."""
        return Questions(
            **vars(super().take(kept)), types=[self.types[row] for row in kept.tolist()], are_plain=self.are_plain
        )


def read_questions(
    given: Mapping[str, Any], field: str, default_type: str | None, duplicates: str, typed: bool
) -> Questions:
    """Bring any layout into rows in the order of the references.

    Args:
        given: the columns of `score_entities` by name; None means absent.
        field: what is compared, "exact_answer" or "documents".
        default_type: for questions without a type; None: types are not used.
        duplicates: the policy for a duplicate id in the predictions: "first", "last" or "error".
        typed: whether rows must bring their type, or question_types must; only answers alone then have the default.
    """
    given, are_rows = dict(given), {}
    for name in (PREDICTIONS, REFERENCES):
        with about(name):
            given[name] = question_rows(given[name], name)
            are_rows[name] = not isinstance(given[name], Mapping) and rows_of_dicts(given[name], name)
    table = read(entity_fields(field), given, missing="zero", duplicates=duplicates)
    if not table.given.all():
        answers = zip(table.columns[PREDICTIONS], table.given.tolist(), strict=True)
        table.columns[PREDICTIONS] = [answer if there else ABSENT for answer, there in answers]
    types = [""] * len(table.ids)
    if default_type is not None:
        types = _types(table, default_type, typed and are_rows[REFERENCES])
    are_plain = not are_rows[PREDICTIONS] and not isinstance(given[PREDICTIONS], Mapping)
    return Questions(**vars(table), types=types, are_plain=are_plain)


def _types(table: Table, default: str, are_rows: bool) -> list[str]:
    """The type of each question, from its row or from a column; `default` for plain answers.

    Args:
        are_rows: whether the references were rows, which must bring their types.
    """
    given, own = table.columns.get("question_types"), table.columns.get("type")
    name = REFERENCES if given is None else "question_types"
    if given is None and own is None and are_rows:
        message = (
            f"references have no 'type' in any row; give every row one ({', '.join(QUESTION_TYPES)}), or the column "
            "question_types, or the option question_type=factoid where all have that type"
        )
        raise InputError(REFERENCES, message)
    if given is not None and own is not None and own != given:
        message = "references have their own types, which differ from the column question_types"
        raise InputError(name, message)
    types = given if given is not None else [default] * len(table.ids) if own is None else own
    types = [default if isinstance(kind, str) and kind == DEFAULT_TYPE else kind for kind in types]
    for row, kind in enumerate(types):
        where = f"{name}[{table.rows[REFERENCES][row]}]{with_id(table.ids, row)}"
        if not isinstance(kind, str):
            advice = f"give the type of every question: {', '.join(QUESTION_TYPES)}"
            raise InputError(name, f"{where} must be str, got {describe(kind)}", advice)
        if kind not in QUESTION_TYPES:
            found = f"{where} has the unknown type {shown(kind)}{did_you_mean(kind, QUESTION_TYPES)}"
            raise InputError(name, found, f"it is one of: {', '.join(QUESTION_TYPES)}")
    return types


# --- files and tables of BioASQ ---------------------------------------------------------------------------------------


def is_submission(column: Any) -> bool:
    """Whether this is a whole BioASQ file, `{"questions": [{...}, ...]}`, which may have other keys too."""
    rows = column.get("questions") if isinstance(column, Mapping) else None
    return isinstance(rows, (list, tuple)) and (not rows or any(isinstance(row, Mapping) for row in rows))


def question_rows(column: Any, name: str) -> Any:
    """The rows of a whole BioASQ file, of a table of a library or of a dict with its columns; a dict by id unchanged; else a
    list.
    """
    if is_submission(column):
        rows = list(column["questions"])
        if not rows:
            raise InputError(name, f"{name} is a BioASQ file without questions; is it cut off?")
        check_rows(rows, name, (), Mapping, "give every question as a dict")
        return rows
    are_columns = isinstance(column, Mapping) and "id" in column and {"exact_answer", "documents"} & column.keys()
    if not are_columns and not is_table(column):
        return column if isinstance(column, Mapping) else to_list(column, name)
    if are_columns and isinstance(column["id"], (str, int)):
        raise InputError(name, f"{name} is one question; give a list of questions, for example [{{'id': ..., ...}}]")
    cells = column if are_columns else table_columns(column)
    read = {key: to_list(cells[key], f"{name}[{key!r}]") for key in cells if key in ("id", *_QUESTION_KEYS)}
    if not read:
        message = f"{name} is a table without the columns 'id' and 'exact_answer' or 'documents'"
        raise InputError(name, message)
    check_lengths(**{f"{name}[{key!r}]": values for key, values in read.items()})
    return [  # an empty cell (null, NaN) is a field that the row does not have
        {key: cell for key, cell in zip(read, row, strict=True) if cell is not None and not is_nan(cell)}
        for row in zip(*read.values(), strict=True)
    ]


def rows_by_id(columns: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Columns of `score_entities` in which whole BioASQ files, tables, and pairs of dicts by id, are rows with ids."""
    both = (PREDICTIONS, REFERENCES)
    columns = {name: question_rows(column, name) if name in both else column for name, column in columns.items()}
    if all(isinstance(columns.get(name), Mapping) for name in both):  # one dict alone is for scoring to refuse
        kind = {"type": DEFAULT_TYPE} if columns.get("question_types") is None else {}
        for name in both:
            more = kind if name == REFERENCES else {}
            columns[name] = [{"id": key, field: value, **more} for key, value in columns[name].items()]
    return columns


# --- answers ----------------------------------------------------------------------------------------------------------


def entities_of(answer: Any, where: str) -> list[list[str] | str]:
    """The entities of an answer: each is a string, or a list of names; numbers become text.

    Args:
        answer: a list; `ABSENT` has no entities.
        where: its name in messages.

    Raises:
        TypeError: null, something other than a list, other values inside, or nested deeper.
        ValueError: NaN inside.
    """
    if answer is ABSENT:
        return []
    answer = _plain_list(answer)
    if answer is None:
        raise TypeError(f"{where} is null; {_GIVE_NOTHING}")
    if not isinstance(answer, (list, tuple)):
        raise TypeError(f"{where} must be a list of entities, got {describe(answer)}; {_GIVE_ENTITIES}")
    return [_entity_of(item, f"{where}[{place}]") for place, item in enumerate(answer)]


def _entity_of(item: Any, where: str) -> list[str] | str:
    item = _plain_list(item)
    if not isinstance(item, (list, tuple)):
        return _entity_text(item, where)
    texts = []
    for place, inner in enumerate(item):
        inner = _plain_list(inner)
        if isinstance(inner, (list, tuple)):
            raise TypeError(
                f"{where}[{place}] is nested deeper than the format of BioASQ, in which an entity is a list of names; "
                f"{_GIVE_ENTITIES}"
            )
        texts.append(_entity_text(inner, f"{where}[{place}]"))
    return texts


def _plain_list(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _entity_text(value: Any, where: str) -> str:
    if isinstance(value, str):
        return value
    if is_nan(value):
        raise ValueError(f"{where} is NaN, as an empty cell of a table is; remove it, or give its name")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError:  # Python refuses to write longer numbers
            raise ValueError(f"{where} is {shown(value)}; give such a name as a string") from None
    raise TypeError(f"{where} must be a string (numbers are read as text), got {describe(value)}; {_GIVE_ENTITIES}")


def yes_or_no(answer: Any, where: str) -> str:
    """How an answer to a yes/no question is read: "yes" if it has yes in it, else "no" if it has no in it, else "none".

    Raises:
        TypeError: it is not a string.
    """
    if answer is ABSENT:
        return "none"
    if answer is None:
        raise TypeError(f"{where} is null; {_GIVE_NOTHING}")
    if not isinstance(answer, str):
        raise TypeError(f"{where} answers a yes/no question with {describe(answer)}; {_GIVE_YES_OR_NO}")
    text = answer.lower()
    return "yes" if "yes" in text else "no" if "no" in text else "none"


def documents_of(documents: Any, where: str) -> list[str]:
    """The distinct documents in order.

    Raises:
        TypeError: null, something other than a list, or other values than strings inside.
    """
    if documents is ABSENT:
        return []
    documents = _plain_list(documents)
    if documents is None:
        raise TypeError(f"{where} is null; give [] where there are no documents")
    if not isinstance(documents, (list, tuple)):
        raise TypeError(f"{where} must be a list of documents, got {describe(documents)}; give their addresses or ids")
    for place, document in enumerate(documents):
        if not isinstance(document, str):
            raise TypeError(f"{where}[{place}] must be a string, got {describe(document)}; give its address or id")
    return list(dict.fromkeys(documents))
