"""Answers in the layouts of BioASQ (ranked entities with synonyms, lists of entities, yes or no) as checked, aligned rows."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .columns import (
    all_distinct,
    check_lengths,
    check_rows,
    describe,
    field_of,
    first_of_each,
    match_ids,
    rows_of_dicts,
    to_list,
    to_numbers,
    with_id,
)
from .options import did_you_mean

QUESTION_TYPES = ("factoid", "list", "yesno", "summary")
_QUESTION_KEYS = {"exact_answer", "documents", "type", "body", "ideal_answer", "snippets"}
ABSENT = object()  # a row without an answer, which is not the same as null

_GIVE_NOTHING = 'leave it out, or give [] (for yes/no "") where there is no answer'
_GIVE_ENTITIES = 'give a list such as [["dog"], ["cat"]] or ["dog", "cat"]'
_GIVE_YES_OR_NO = "give a string with yes or no"


@dataclasses.dataclass
class EntityColumns:
    """Aligned rows, one per question, in the order of the references; nothing inside the answers is checked yet.

    `predictions` and `references` hold answers (or documents) as they were given, `ABSENT` where there is none; `types`
    has one of `QUESTION_TYPES` each, or "" where types are of no use; `given` (n,) tells which questions the system has at all; `predicted_rows` and
    `gold_rows` are their places in the input, for messages.
    """

    ids: Sequence
    types: list[str]
    predictions: list
    references: list
    given: np.ndarray
    predicted_rows: list[int]
    gold_rows: list[int]
    weights: np.ndarray | None
    notes: dict[str, int]

    def take(self, kept: np.ndarray) -> "EntityColumns":
        """These questions."""
        rows = kept.tolist()
        return EntityColumns(
            [self.ids[row] for row in rows],
            [self.types[row] for row in rows],
            [self.predictions[row] for row in rows],
            [self.references[row] for row in rows],
            self.given[kept],
            [self.predicted_rows[row] for row in rows],
            [self.gold_rows[row] for row in rows],
            None if self.weights is None else self.weights[kept],
            self.notes,
        )

    def prediction_at(self, row: int) -> str:
        """How messages name the prediction of a question."""
        return f"predictions[{self.predicted_rows[row]}]{with_id(self.ids, row)}"

    def reference_at(self, row: int) -> str:
        """How messages name the gold answer of a question."""
        return f"references[{self.gold_rows[row]}]{with_id(self.ids, row)}"


def read_entities(
    predictions: Any,
    references: Any,
    ids: Any,
    question_types: Any,
    weights: Any,
    *,
    field: str,
    default_type: str | None,
    duplicates: str,
) -> EntityColumns:
    """Bring any layout into rows in the order of the references.

    Args:
        predictions, references, ids, question_types, weights: the columns of `score_entities`.
        field: what is compared, "exact_answer" or "documents".
        default_type: of questions whose type is not given anywhere; None: types are of no use.
        duplicates: what happens to an id that the predictions have twice: "first", "last" or "error".

    Raises:
        TypeError, ValueError: naming the row or id and the cure.

    Example:
        >>> gold = [{"id": "q1", "type": "yesno", "exact_answer": "yes"}]
        >>> rows = read_entities(
        ...     {"q1": "no", "q2": "yes"}, gold, None, None, None,
        ...     field="exact_answer", default_type="factoid", duplicates="first",
        ... )
        >>> rows.types, rows.predictions, rows.references, rows.notes
        (['yesno'], ['no'], ['yes'], {'unmatched': 1, 'duplicates': 0})
    """
    predicted, gold = _entity_side(predictions, "predictions", field), _entity_side(references, "references", field)
    if not gold.values:
        raise ValueError("references is empty: there is no question to score")
    if ids is not None:
        ids = to_list(ids, "ids")
        for side in (predicted, gold):
            if side.ids is not None and side.ids != ids:
                raise ValueError(
                    f"{side.name} bring ids of their own, which differ from the column ids; leave out the column ids"
                )
            check_lengths(ids=ids, **{side.name: side.values})
            side.ids = ids
    for side, other in ((predicted, gold), (gold, predicted)):
        if side.by_id and other.ids is None:
            raise ValueError(
                f"{other.name} have no ids to match the dict of {side.name} with; give both by id, or both as lists"
            )
    types = [""] * len(gold.values) if default_type is None else _entity_types(question_types, gold, default_type)
    if default_type is None and question_types is not None:
        raise ValueError("phase 'A' scores the documents of all questions alike; leave out question_types")
    _refuse_repeated(gold.ids)
    n = len(gold.values)
    notes = {"unmatched": 0, "duplicates": 0}
    place, given = list(range(n)), np.ones(n, bool)
    if gold.ids is None or predicted.ids is None:
        check_lengths(predictions=predicted.values, references=gold.values)
    else:
        kept = first_of_each(predicted.ids, "predictions id", duplicates)
        rows = np.arange(len(predicted.ids)) if kept is None else kept
        notes["duplicates"] = len(predicted.ids) - len(rows)
        found = match_ids(gold.ids, [predicted.ids[row] for row in rows.tolist()])
        given = found >= 0
        notes["unmatched"] = len(rows) - int(np.count_nonzero(given))
        place = np.where(given, rows[found], -1).tolist()
    known_ids = gold.ids if gold.ids is not None else predicted.ids
    return EntityColumns(
        range(n) if known_ids is None else known_ids,
        types,
        [ABSENT if row < 0 else predicted.values[row] for row in place],
        gold.values,
        given,
        place,
        list(range(n)),
        None if weights is None else _entity_weights(weights, gold),
        notes,
    )


@dataclasses.dataclass
class _EntitySide:
    name: str
    values: list
    ids: list | None = None
    types: list | None = None
    by_id: bool = False


def _entity_side(column: Any, name: str, field: str) -> _EntitySide:
    """Answers with their ids and types from a list, a dict by id, or rows of BioASQ, which may be a whole file."""
    if is_submission(column):
        column = column["questions"]
    elif isinstance(column, Mapping):
        return _EntitySide(name, list(column.values()), list(column), by_id=True)
    rows = to_list(column, name)
    if not rows_of_dicts(rows, name):
        return _EntitySide(name, rows)
    if not any(_QUESTION_KEYS & row.keys() for row in rows):
        keys = ", ".join(map(str, rows[0])) or "none"
        raise ValueError(f"{name} have no {field!r} in any row (keys of the first: {keys}); give rows of BioASQ")
    needed = name == "references" and field == "exact_answer"
    types = field_of(rows, "type", name) if needed else None
    return _EntitySide(name, [row.get(field, ABSENT) for row in rows], field_of(rows, "id", name), types)


def is_submission(column: Any) -> bool:
    """Whether this is a whole BioASQ file, `{"questions": [...]}`.

    Example:
        >>> is_submission({"questions": [{"id": "q1"}]}), is_submission({"questions": ["dog"]})
        (True, False)
    """
    if not isinstance(column, Mapping) or column.keys() != {"questions"}:
        return False
    rows = column["questions"]
    return isinstance(rows, (list, tuple)) and all(isinstance(row, Mapping) for row in rows)


def _entity_types(question_types: Any, gold: _EntitySide, default: str) -> list[str]:
    if question_types is None:
        types = [default] * len(gold.values) if gold.types is None else gold.types
    else:
        types = to_list(question_types, "question_types")
        check_lengths(references=gold.values, question_types=types)
        if gold.types is not None and gold.types != types:
            raise ValueError("references bring types of their own, which differ from the column question_types")
    ids = range(0) if gold.ids is None else gold.ids
    what = "references" if question_types is None else "question_types"
    check_rows(types, what, ids, str, f"give the type of every question: {', '.join(QUESTION_TYPES)}")
    for row, kind in enumerate(types):
        if kind not in QUESTION_TYPES:
            raise ValueError(
                f"{what}[{row}]{with_id(ids, row)} has the unknown type {kind!r}{did_you_mean(kind, QUESTION_TYPES)}; "
                f"it is one of: {', '.join(QUESTION_TYPES)}"
            )
    return types


def _refuse_repeated(ids: list | None) -> None:
    if ids is None:
        return
    first_of_each(ids, "references id", "last")  # refuses what cannot be an id
    if not all_distinct(ids):
        first: dict = {}
        for row, identifier in enumerate(ids):
            if identifier in first:
                raise ValueError(
                    f"references[{row}] repeats the id {identifier!r} of row {first[identifier]}; "
                    "a question stands in the gold answers once"
                )
            first[identifier] = row


def _entity_weights(weights: Any, gold: _EntitySide) -> np.ndarray:
    ids = range(0) if gold.ids is None else gold.ids
    numbers = to_numbers(weights, "weights", ids)
    check_lengths(references=gold.values, weights=numbers)
    if (numbers < 0).any():
        row = int(np.argmax(numbers < 0))
        raise ValueError(f"weights[{row}]{with_id(ids, row)} is {numbers[row]:g}; give weights of at least 0")
    if not numbers.any():
        raise ValueError("all weights are 0; give at least one question a weight")
    return numbers


def entities_of(answer: Any, where: str) -> list[list[str] | str]:
    """The entities of an answer: each a string, or a list of strings that are its names; numbers become text.

    Args:
        answer: a list; `ABSENT` has no entities.
        where: how messages name it.

    Raises:
        TypeError: null, something other than a list, other values inside, or nested deeper.

    Example:
        >>> entities_of([["dog", "canine"], "cat", 5, []], "predictions[0]")
        [['dog', 'canine'], 'cat', '5', []]
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
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    raise TypeError(f"{where} must be a string (numbers are read as text), got {describe(value)}; {_GIVE_ENTITIES}")


def yes_or_no(answer: Any, where: str) -> str:
    """What an answer to a yes/no question says: "yes" if it has yes in it, else "no" if it has no in it, else "none".

    Raises:
        TypeError: it is no string.

    Example:
        >>> [yes_or_no(text, "") for text in ("Yes.", "I don't know", "no, not yes", "maybe", ABSENT)]
        ['yes', 'no', 'yes', 'none', 'none']
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
    """Documents in their order, each once.

    Raises:
        TypeError: null, something other than a list, or other values than strings inside.

    Example:
        >>> documents_of(["d2", "d1", "d2"], "predictions[0]")
        ['d2', 'd1']
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
    """Columns of `score_entities` in which whole BioASQ files, and dicts by id on both sides, are rows with their ids.

    Args:
        field: what is compared, "exact_answer" or "documents".
    """
    columns = dict(columns)
    names = ("predictions", "references")
    by_id = all(isinstance(columns.get(name), Mapping) for name in names)
    for name in names:
        if is_submission(columns.get(name)):
            columns[name] = list(columns[name]["questions"])
        elif by_id:  # one dict alone is for the core to refuse
            columns[name] = [{"id": identifier, field: value} for identifier, value in columns[name].items()]
    return columns
