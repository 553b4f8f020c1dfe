"""Reads answers in the layouts of BioASQ (ranked entities with synonyms, lists of entities, yes or no) as aligned
rows.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import check_lengths, check_rows, is_nan, is_table, table_columns, to_list, with_id
from ..core.errors import about
from ..core.groups import Groups
from ..core.ids import UniqueIds, unique_ids
from ..core.intake import field_of, rows_of_dicts
from ..core.options import did_you_mean
from ..core.rows import align_sides, pair_sides, weights_and_groups
from ..core.shown import describe, keys_of, shown

QUESTION_TYPES = ("factoid", "list", "yesno", "summary")
_QUESTION_KEYS = {"exact_answer", "documents", "type", "body", "ideal_answer", "snippets"}
DEFAULT_TYPE = "default"  # type of a row made from a plain answer: the final options decide it
ABSENT = object()  # a row without an answer, which is not the same as null

_GIVE_NOTHING = 'omit it, or give [] (for yes/no "") where there is no answer'
_GIVE_ENTITIES = 'give a list such as [["dog"], ["cat"]] or ["dog", "cat"]'
_GIVE_YES_OR_NO = "give a string with yes or no"
_GIVE_TYPES = (
    f"references have no 'type' in any row; give every row one ({', '.join(QUESTION_TYPES)}), or the column "
    "question_types, or the option question_type=factoid where all have that type"
)


@dataclasses.dataclass
class EntityColumns:
    """Aligned rows, one per question, in the order of the references; nothing inside the answers is checked yet.

    `predictions` and `references` hold answers (or documents) as they were given, `ABSENT` if there is none; `types`
    has one of `QUESTION_TYPES` each, or "" if types are not used; `given` (n,) tells which questions the system has
    at all; `predicted_rows` and `gold_rows` are their places in the input, for messages; `plain` tells whether the
    predictions are a plain list, not rows or a dict by id.
    """

    ids: Sequence
    types: list[str]
    predictions: list
    references: list
    given: np.ndarray
    predicted_rows: list[int]
    gold_rows: list[int]
    weights: np.ndarray | None
    groups: Groups | None
    notes: dict[str, int]
    plain: bool

    def take(self, questions: np.ndarray) -> "EntityColumns":
        """The columns of some questions, by their rows."""
        rows = questions.tolist()
        lists = ("ids", "types", "predictions", "references", "predicted_rows", "gold_rows")
        picked: dict[str, Any] = {name: [getattr(self, name)[row] for row in rows] for name in lists}
        weights = None if self.weights is None else self.weights[questions]
        groups = None if self.groups is None else self.groups.take(questions)
        return dataclasses.replace(self, **picked, given=self.given[questions], weights=weights, groups=groups)

    def prediction_at(self, row: int) -> str:
        """The name of the prediction of a question in messages."""
        return f"predictions[{self.predicted_rows[row]}]{with_id(self.ids, row)}"

    def reference_at(self, row: int) -> str:
        """The name of the gold answer of a question in messages."""
        return f"references[{self.gold_rows[row]}]{with_id(self.ids, row)}"


def read_entities(
    columns: Mapping[str, Any], *, field: str, default_type: str | None, duplicates: str, typed: bool = True
) -> EntityColumns:
    """Bring any layout into rows in the order of the references.

    Args:
        columns: the columns of `score_entities` by name; None means absent.
        field: what is compared, "exact_answer" or "documents".
        default_type: for questions without a type; None: types are not used.
        duplicates: the policy for a duplicate id in the predictions: "first", "last" or "error".
        typed: whether rows must bring their type, or question_types must; only answers alone then have the default.
    """
    with about("predictions"):
        predicted = _entity_side(columns["predictions"], "predictions", field)
    with about("references"):
        gold = _entity_side(columns["references"], "references", field)
        if not gold["values"]:
            raise ValueError("references is empty: there is no question to score")
    plain = not predicted.pop("is_rows", False) and "by_id" not in predicted
    are_rows, own_types = gold.pop("is_rows", False), gold.pop("types", None)
    pair_sides(predicted, gold, columns.get("ids"))
    n, question_types = len(gold["values"]), columns.get("question_types")
    gold_ids = gold.get("ids", range(0))
    types = [""] * n
    if default_type is not None:
        with about("references" if question_types is None else "question_types"):
            if typed and are_rows and own_types is None and question_types is None:
                raise ValueError(_GIVE_TYPES)
            types = _entity_types(question_types, own_types, n, gold_ids, default_type)
    elif question_types is not None:
        raise ValueError("phase 'A' scores the documents of all questions alike; omit question_types")
    with about("references"):
        given_ids = gold.get("ids", predicted.get("ids"))
        unique = None if given_ids is None else _unique_gold_ids(given_ids)
    for side in (predicted, gold):
        if given_ids is not None and side.get("ids") is given_ids:
            side["ids"] = unique
    predicted["rows"] = list(range(len(predicted["values"])))
    _, notes = align_sides(predicted, gold, duplicates)
    answers = list(zip(predicted["values"], predicted["rows"], strict=True))
    # Null documents are refused: a missing question is omitted in phase A, and [] scores 0.
    given = [row is not None and (value is not None or field == "documents") for value, row in answers]
    given_with = weights_and_groups(columns, predicted, gold)
    return EntityColumns(
        gold.get("ids", predicted.get("ids", range(n))),
        types,
        [value if there else ABSENT for (value, _), there in zip(answers, given, strict=True)],
        gold["values"],
        np.array(given),
        [-1 if row is None else row for row in predicted["rows"]],
        list(range(n)),
        given_with.get("weights"),
        given_with.get("groups"),
        notes,
        plain,
    )


def _entity_side(column: Any, name: str, field: str) -> dict[str, Any]:
    """The columns of answers from a list, a dict by id, or rows of BioASQ, which may be a whole file: `values` and, where
    they are given, `ids` and `types`; `by_id` or `is_rows` says what they were.
    """
    if is_submission(column):
        column = questions_of(column, name)
    elif _is_question_table(column):
        column = _rows_of_question_table(column, name)
    elif isinstance(column, Mapping):
        return {"values": list(column.values()), "ids": list(column), "by_id": True}
    rows = to_list(column, name)
    if not rows_of_dicts(rows, name):
        return {"values": rows}
    if not any(_QUESTION_KEYS & row.keys() for row in rows):
        keys = keys_of(rows[0])
        raise ValueError(f"{name} have no {field!r} in any row (keys of the first: {keys}); give rows of BioASQ")
    side = {"values": [row.get(field, ABSENT) for row in rows], "ids": field_of(rows, "id", name), "is_rows": True}
    if name == "references" and field == "exact_answer":
        side["types"] = field_of(rows, "type", name)
    return {key: value for key, value in side.items() if value is not None}


def _is_question_table(column: Any) -> bool:
    """Whether this is a table of a library, or a dict with the columns of one: ids and answers or documents."""
    return is_table(column) or (
        isinstance(column, Mapping) and "id" in column and bool({"exact_answer", "documents"} & column.keys())
    )


def _rows_of_question_table(table: Any, name: str) -> list[dict[str, Any]]:
    """The rows of such a table; an empty cell (null, NaN) is a field that the row does not have."""
    if isinstance(table, Mapping) and isinstance(table["id"], (str, int)):
        raise TypeError(f"{name} is one question; give a list of questions, for example [{{'id': ..., ...}}]")
    cells = table_columns(table) if is_table(table) else table
    wanted = {key: to_list(cells[key], f"{name}[{key!r}]") for key in cells if key in ("id", *_QUESTION_KEYS)}
    if not wanted:
        raise ValueError(f"{name} is a table without the columns 'id' and 'exact_answer' or 'documents'")
    check_lengths(**{f"{name}[{key!r}]": column for key, column in wanted.items()})
    return [
        {key: cell for key, cell in zip(wanted, row, strict=True) if cell is not None and not is_nan(cell)}
        for row in zip(*wanted.values(), strict=True)
    ]


def is_submission(column: Any) -> bool:
    """Whether this is a whole BioASQ file, `{"questions": [{...}, ...]}`, which may have other keys too."""
    rows = column.get("questions") if isinstance(column, Mapping) else None
    return isinstance(rows, (list, tuple)) and (not rows or any(isinstance(row, Mapping) for row in rows))


def questions_of(column: Mapping[str, Any], name: str) -> list[Mapping]:
    """The questions of a whole BioASQ file."""
    rows = list(column["questions"])
    if not rows:
        raise ValueError(f"{name} is a BioASQ file without questions; is it cut off?")
    check_rows(rows, name, (), Mapping, "give every question as a dict")
    return rows


def _entity_types(question_types: Any, own_types: list | None, n: int, ids: Sequence, default: str) -> list[str]:
    if question_types is None:
        types = [DEFAULT_TYPE] * n if own_types is None else own_types
        types = [default if kind == DEFAULT_TYPE else kind for kind in types]
    else:
        types = to_list(question_types, "question_types")
        check_lengths(references=range(n), question_types=types)
        if own_types is not None and own_types != types:
            raise ValueError("references have their own types, which differ from the column question_types")
    what = "references" if question_types is None else "question_types"
    check_rows(types, what, ids, str, f"give the type of every question: {', '.join(QUESTION_TYPES)}")
    for row, kind in enumerate(types):
        if kind not in QUESTION_TYPES:
            raise ValueError(
                f"{what}[{row}]{with_id(ids, row)} has the unknown type {shown(kind)}{did_you_mean(kind, QUESTION_TYPES)}; "
                f"it is one of: {', '.join(QUESTION_TYPES)}"
            )
    return types


def _unique_gold_ids(ids: list) -> UniqueIds:
    def refusal(row: int) -> ValueError:
        return ValueError(
            f"references[{row}] repeats the id {shown(ids[row])} of row {ids.index(ids[row])}; a question is in the "
            "gold answers once: remove one of the two (the option duplicates is about predictions only)"
        )

    return unique_ids(ids, "references id", refusal)


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


def names_within(answer: Any) -> Iterator[str]:
    """The texts of an answer, however deeply nested."""
    if isinstance(answer, (list, tuple)):
        for part in answer:
            yield from names_within(part)
    elif answer is not None:
        yield str(answer)


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


def entity_rows_by_id(columns: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Columns of `score_entities` in which whole BioASQ files, tables, and dicts by id on both sides, are rows with ids."""
    columns = dict(columns)
    names = ("predictions", "references")
    for name in names:
        if not is_submission(columns.get(name)) and _is_question_table(columns.get(name)):
            columns[name] = _rows_of_question_table(columns[name], name)
    by_id = all(isinstance(columns.get(name), Mapping) for name in names)
    for name in names:
        if is_submission(columns.get(name)):
            columns[name] = questions_of(columns[name], name)
        elif by_id:  # one dict alone is for scoring to refuse
            kind = {"type": DEFAULT_TYPE} if name == "references" and columns.get("question_types") is None else {}
            columns[name] = [{"id": identifier, field: value, **kind} for identifier, value in columns[name].items()]
    return columns
