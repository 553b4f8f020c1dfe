"""Every layout of answers and gold answers (lists, dicts, SQuAD rows, columns of a data set) as checked, aligned columns."""

import contextlib
import dataclasses
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from ..core.columns import (
    check_lengths,
    check_nested_rows,
    check_rows,
    field_of,
    first_of_each,
    match_ids,
    plain_rows,
    rows_of_dicts,
    to_list,
    to_numbers,
    to_weights,
    with_id,
)
from ..core.hints import Hint, Message
from ..core.shown import describe, keys_of, shown
from .drop import drop_golds, drop_prediction
from .hotpotqa import hotpotqa_facts_of

_GIVE_TEXT = 'give one string per question, "" for no answer'
_GIVE_GOLDS = "give a list of gold answers per question, [] for a question without an answer"
_GIVE_TOP_K = "for ranked lists of answers give the option top_k, for example top_k=(1, 5)"
_GIVE_RANKED = "give a ranked list of strings per question"
_GIVE_SPANS = "give a string, a list of strings for several spans, or None for no answer"
_GIVE_SPAN = "give (start, end) with 0 <= start < end, or None for no answer"


@dataclasses.dataclass
class AnswerColumns:
    """Checked columns, one row per question.

    `predictions` and `references` are lists of what the task compares; `given` (n,) tells which questions have a
    prediction; `notes` counts what belongs to no question; `places` (n,) are the rows of the predictions where these are
    in another order, -1 without one. Of HotpotQA a missing prediction is None, because such a question may still have
    supporting facts.
    """

    ids: Sequence
    predictions: list
    references: list
    given: np.ndarray
    no_answer_probabilities: np.ndarray | None
    weights: np.ndarray | None
    predicted_facts: list | None
    gold_facts: list | None
    questions: list[str] | None
    notes: dict[str, int]
    places: np.ndarray | None = None


def read_answers(
    given_columns: Mapping[str, Any], *, kind: str, ranked: bool, missing: str, duplicates: str
) -> AnswerColumns:
    """Bring any layout into columns in the order of the references.

    Args:
        given_columns: the columns of `score_answers` or `score_similarity` by name; None stands for none.
        kind: "answers", "spans", "drop" or "hotpotqa": what a prediction and a gold answer is.
        ranked: predictions are ranked lists.
        missing, duplicates: the policies of `AnswerMatchOptions`.

    Raises:
        TypeError, ValueError: naming the row or id and the cure.
    """
    predicted, gold = check_answer_rows(given_columns, kind=kind, ranked=ranked)
    notes = {**({"skipped": 0} if missing == "skip" else {}), "unmatched": 0, "duplicates": 0}
    if not gold["values"]:
        raise ValueError("there are no examples to score: references is empty")
    shared = predicted.get("ids") is gold.get("ids")  # a column ids, given once for both
    both = "ids" in predicted and "ids" in gold and not shared
    for side, name in ((predicted, "predictions"), (gold, "references")):
        kept = first_of_each(side["ids"], f"{name} id", duplicates) if "ids" in side else None
        if kept is not None:
            notes["duplicates"] += len(side["ids"]) - len(kept)
            # Rows without ids of their own belong to those with, by position.
            for same in (side,) if both else (predicted, gold):
                _reorder(same, kept)
    n = len(gold["values"])
    given, order = np.ones(n, bool), None
    if "ids" in predicted and "ids" in gold:
        rows = match_ids(gold["ids"], predicted.pop("ids"))
        given = rows >= 0
        notes["unmatched"] = len(predicted["values"]) - int(given.sum())
        if len(rows) != len(predicted["values"]) or (rows != np.arange(n)).any():
            _reorder(predicted, rows)
            order = rows
    if kind == "hotpotqa":  # a row may have supporting facts and no answer
        given = np.fromiter((value is not None for value in predicted["values"]), bool, n)
    if not given.all() and missing == "error":
        absent = int(np.argmin(given))
        raise ValueError(
            Message(
                f"references[{absent}]{with_id(gold.get('ids', range(n)), absent)} has no prediction "
                f"({n - int(given.sum())} in all); predict every id, or use the option ",
                Hint("values", "missing", "zero", "skip"),
            )
        )
    if not given.all() and missing == "skip":
        notes["skipped"] = n - int(given.sum())
        kept = np.flatnonzero(given)
        _reorder(predicted, kept)
        _reorder(gold, kept)
        given = given[kept]
        order = None if order is None else order[kept]
    if not given.all() and kind != "hotpotqa":  # an empty answer holds the place of a missing one
        filler: Any = "" if kind == "answers" else None
        places = zip(predicted["values"], given.tolist(), strict=True)
        predicted["values"] = [value if known else [filler] if ranked else filler for value, known in places]
    return AnswerColumns(
        gold.get("ids", predicted.get("ids", range(len(gold["values"])))),
        predicted["values"],
        gold["values"],
        given,
        predicted.get("probabilities"),
        gold.get("weights"),
        predicted.get("facts"),
        gold.get("facts"),
        gold.get("questions"),
        notes,
        order,
    )


def check_answer_rows(
    given_columns: Mapping[str, Any], *, kind: str, ranked: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The sides of the predictions and of the references as columns of checked rows, each still in its own order.

    Args:
        given_columns, kind, ranked: as in `read_answers`.

    Returns:
        Two dicts of columns: `values` and, where they are given, `ids`, `facts`, `probabilities`, `questions` and
        `weights`.

    Raises:
        TypeError, ValueError: naming the row or id and the cure.

    Example:
        >>> check_answer_rows({"predictions": ["a", 1], "references": [["a"], ["b"]]}, kind="answers", ranked=False)
        Traceback (most recent call last):
        TypeError: predictions[1] must be str, got int: 1; give one string per question, "" for no answer
    """
    predicted = _split_predictions(given_columns["predictions"], kind)
    gold = _split_references(given_columns["references"], kind)
    ids = given_columns.get("ids")
    if ids is not None:
        ids = to_list(ids, "ids")
        for side, name in ((predicted, "predictions"), (gold, "references")):
            if "ids" in side and side["ids"] != ids:
                raise ValueError(
                    f"{name} bring ids of their own, which differ from the column ids; leave out the column ids"
                )
            check_lengths(ids=ids, **{name: side["values"]})
            side["ids"] = ids
    for side, other, name in ((predicted, gold, "references"), (gold, predicted, "predictions")):
        if side.pop("by_id", False) and "ids" not in other:
            raise ValueError(
                f"{name} have no ids to match the dict with; give them as a dict too, or give both as lists"
            )
    if not ("ids" in predicted and "ids" in gold):
        check_lengths(predictions=predicted["values"], references=gold["values"])
    predicted_ids, gold_ids = predicted.get("ids", range(0)), gold.get("ids", range(0))
    if kind in ("answers", "hotpotqa") and not ranked:
        _refuse_swapped_answers(predicted["values"], gold["values"])
    predicted["values"] = _check_predictions(predicted["values"], predicted_ids, kind, ranked)
    gold["values"] = _check_references(gold["values"], gold_ids, kind)
    for side, name, row_ids in ((predicted, "predicted_facts", predicted_ids), (gold, "gold_facts", gold_ids)):
        if given_columns.get(name) is not None:
            side["facts"] = to_list(given_columns[name], name)
            check_lengths(rows=side["values"], **{name: side["facts"]})
        if "facts" in side and kind == "hotpotqa":
            side["facts"] = [
                facts if facts is None else list(hotpotqa_facts_of(facts, f"{name}[{row}]{with_id(row_ids, row)}"))
                for row, facts in enumerate(side["facts"])
            ]
    if given_columns.get("weights") is not None:
        gold["weights"] = to_weights(given_columns["weights"], gold["values"], gold_ids)
    if given_columns.get("questions") is not None:
        gold["questions"] = to_list(given_columns["questions"], "questions")
        check_lengths(references=gold["values"], questions=gold["questions"])
        check_rows(gold["questions"], "questions", gold_ids, str, "give the text of each question")
    probabilities = given_columns.get("no_answer_probabilities")
    if isinstance(probabilities, (int, float)):
        predicted.setdefault("probabilities", [probabilities] * len(predicted["values"]))
    elif probabilities is not None:
        predicted["probabilities"] = _read_probabilities(probabilities, predicted)
    if "probabilities" in predicted:
        predicted["probabilities"] = to_numbers(predicted["probabilities"], "no_answer_probabilities", predicted_ids)
    return predicted, gold


def rows_by_id(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of `score_answers` in which predictions and references given as dicts by id are rows with their ids."""
    fields = {"predictions": "prediction_text", "references": "answers"}
    if not all(isinstance(columns.get(name), Mapping) for name in fields):
        return dict(columns)  # one dict alone is for the core to refuse: its rows could only be matched by position
    rows = {
        name: [{"id": identifier, field: value} for identifier, value in columns[name].items()]
        for name, field in fields.items()
    }
    return {**columns, **rows}


def _split_predictions(predictions: Any, kind: str) -> dict[str, Any]:
    """The columns of a layout of predictions: `values` and, where it has them, `ids`, `probabilities` and `facts`."""
    if isinstance(predictions, Mapping):
        return {"values": list(predictions.values()), "ids": list(predictions), "by_id": True}
    rows = to_list(predictions, "predictions")
    if not rows_of_dicts(rows, "predictions"):
        return {"values": rows}
    if "prediction_text" not in rows[0] and "answers" in rows[0]:
        raise ValueError(
            "predictions[0] has 'answers' and no 'prediction_text', as rows of gold answers do; give the predictions first"
        )
    return _present(
        values=field_of(rows, "prediction_text", "predictions", required=True),
        ids=field_of(rows, "id", "predictions"),
        probabilities=field_of(rows, "no_answer_probability", "predictions"),
        facts=field_of(rows, "supporting_facts", "predictions") if kind == "hotpotqa" else None,
    )


def _split_references(references: Any, kind: str) -> dict[str, Any]:
    """The same for references: `values` and, where it has them, `ids` and `facts`."""
    if isinstance(references, Mapping):
        ids, rows = list(references), list(references.values())
        return {"values": _gold_rows(rows, ids, kind), "ids": ids, "by_id": True}
    rows = to_list(references, "references")
    if kind == "drop" and rows and isinstance(rows[0], Mapping) and "answers" not in rows[0]:
        return {"values": rows}  # DROP's own answer objects
    if not rows_of_dicts(rows, "references"):
        return {"values": rows}
    if "answers" not in rows[0] and "text" in rows[0]:  # the answers column of a data set, without its rows
        return {"values": _gold_rows(rows, (), kind)}
    ids = field_of(rows, "id", "references")
    answers = field_of(rows, "answers", "references", required=True)
    return _present(
        values=_gold_rows(answers, ids or (), kind),
        ids=ids,
        facts=field_of(rows, "supporting_facts", "references") if kind == "hotpotqa" else None,
    )


def _present(**columns: Any) -> dict[str, Any]:
    return {name: column for name, column in columns.items() if column is not None}


def _gold_rows(rows: list, ids: Sequence, kind: str) -> list:
    """Rows of gold answers as lists: from `{"text": [...]}`, a list of `{"text": ...}`, or lists already."""
    if kind == "drop":
        return rows
    if kind != "spans" and set(map(type, rows)) == {dict}:  # the usual rows, without a look at each
        with contextlib.suppress(KeyError):
            texts = list(map(itemgetter("text"), rows))
            if set(map(type, texts)) == {list}:
                return texts
    return [_gold_row(row, place, ids, kind) for place, row in enumerate(rows)]


def _gold_row(row: Any, place: int, ids: Sequence, kind: str) -> Any:
    if isinstance(row, Mapping):
        if "text" not in row:
            raise ValueError(f"{_where(place, ids)} has the keys {keys_of(row)}; answers need 'text'")
        texts = row["text"]
        texts = texts.tolist() if hasattr(texts, "tolist") else texts
        if not isinstance(texts, (list, tuple)):
            raise TypeError(f"{_where(place, ids)}: 'text' must be a list, got {describe(texts)}; {_GIVE_GOLDS}")
        if kind != "spans":
            return list(texts)
        return _spans_of(texts, row.get("answer_start"), place, ids)
    if isinstance(row, (list, tuple)) and row and isinstance(row[0], Mapping):
        for answer in row:
            if not isinstance(answer, Mapping) or "text" not in answer:
                raise ValueError(f"{_where(place, ids)} has the answer {describe(answer)}; every answer needs 'text'")
        texts = [answer["text"] for answer in row]
        if kind != "spans":
            return texts
        return _spans_of(texts, [answer.get("answer_start") for answer in row], place, ids)
    return row


def _spans_of(texts: Sequence, starts: Sequence | None, place: int, ids: Sequence) -> list[tuple[int, int]]:
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{_where(place, ids)}: 'text' must hold strings, got {describe(texts)}; {_GIVE_GOLDS}")
    if starts is None or len(starts) != len(texts) or not all(isinstance(start, (int, np.integer)) for start in starts):
        raise ValueError(
            Message(
                f"{_where(place, ids)} needs a whole number 'answer_start' for every answer with ",
                Hint("values", "unit", "offset"),
            )
        )
    return [(start, start + len(text)) for text, start in zip(texts, starts, strict=True)]


def _where(place: int, ids: Sequence) -> str:
    return f"references[{place}]{with_id(ids, place)}"


def _read_probabilities(probabilities: Any, predicted: Mapping[str, Any]) -> list:
    if isinstance(probabilities, Mapping):
        if "ids" not in predicted:
            raise ValueError(
                "no_answer_probabilities are given by id, but predictions have no ids; give both by id or as lists"
            )
        absent = [identifier for identifier in predicted["ids"] if identifier not in probabilities]
        if absent:
            raise ValueError(
                f"no_answer_probabilities has no number for the id {shown(absent[0])} ({len(absent)} in all); give one for every prediction"
            )
        return [probabilities[identifier] for identifier in predicted["ids"]]
    values = to_list(probabilities, "no_answer_probabilities")
    check_lengths(predictions=predicted["values"], no_answer_probabilities=values)
    return values


def _reorder(side: dict[str, Any], rows: np.ndarray) -> None:
    """Take these rows of every column; row -1 is a missing one (None, or 0)."""
    for name, column in side.items():
        if isinstance(column, np.ndarray):
            # 0 is a probability like any other: a missing answer is worth nothing on either side of a threshold.
            side[name] = np.where(rows < 0, 0.0, column[rows])
        else:
            side[name] = [None if row < 0 else column[row] for row in rows.tolist()]


def _check_predictions(values: list, ids: Sequence, kind: str, ranked: bool) -> list:
    if kind == "drop":
        check_rows(values, "predictions", ids, (str, list, tuple, type(None)), _GIVE_SPANS)
        return [drop_prediction(value, f"predictions[{row}]{with_id(ids, row)}") for row, value in enumerate(values)]
    if ranked:
        values = [
            value if isinstance(value, (list, tuple)) or hasattr(value, "tolist") else [value] for value in values
        ]
        if kind == "spans":
            values = [[row] if _is_span(row) else row for row in values]
        values = plain_rows(values, "predictions", ids, _GIVE_RANKED)
        nothing = [None] if kind == "spans" else [""]
        values = [row if len(row) else nothing for row in values]  # no answer at all is the empty answer
        if kind == "spans":
            return [
                [_check_span(span, "predictions", row, ids, True) for span in spans] for row, spans in enumerate(values)
            ]
        check_nested_rows(values, "predictions", ids, str, _GIVE_TEXT)
        return values
    if kind == "spans":
        return [_check_span(span, "predictions", row, ids, True) for row, span in enumerate(values)]
    if kind == "hotpotqa":
        check_rows(["" if value is None else value for value in values], "predictions", ids, str, _GIVE_TEXT)
        return values
    if set(map(type, values)) != {str}:
        wrong = next((value for value in values if not isinstance(value, str)), "")
        check_rows(values, "predictions", ids, str, _GIVE_TOP_K if isinstance(wrong, (list, tuple)) else _GIVE_TEXT)
    return values


def _check_references(values: list, ids: Sequence, kind: str) -> list:
    if kind == "drop":
        check_rows(values, "references", ids, (list, tuple, Mapping), _GIVE_GOLDS)
        return [drop_golds(value, f"references[{row}]{with_id(ids, row)}") for row, value in enumerate(values)]
    values = plain_rows(values, "references", ids, _GIVE_GOLDS)
    if kind == "spans":
        return [
            [_check_span(span, "references", row, ids, False) for span in spans] for row, spans in enumerate(values)
        ]
    check_nested_rows(values, "references", ids, str, "give every gold answer as a string")
    return values


def _refuse_swapped_answers(predictions: list, references: list) -> None:
    """Refuse lists of answers against single ones: the gold answers stand first."""
    if not references or not all(isinstance(gold, str) for gold in references):
        return
    if all(isinstance(row, (list, tuple)) for row in predictions):
        raise TypeError(
            "predictions are lists of answers and references single answers: they may be swapped; give the predictions "
            "first, then the gold answers, or both by name"
        )


def _is_span(value: Any) -> bool:
    return len(value) == 2 and all(isinstance(number, (int, np.integer)) for number in value)


def _check_span(span: Any, name: str, row: int, ids: Sequence, may_be_none: bool) -> tuple[int, int] | None:
    if hasattr(span, "tolist"):
        span = span.tolist()
    if span is None and may_be_none:
        return None
    if not isinstance(span, (list, tuple)) or not _is_span(span) or not 0 <= span[0] < span[1] < 2**62:
        where = f"{name}[{row}]{with_id(ids, row)}"
        raise ValueError(f"{where} has {describe(span)} where a span belongs; {_GIVE_SPAN}")
    return int(span[0]), int(span[1])
