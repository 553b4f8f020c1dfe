"""Texts passed with scores for the examples of a report; they are checked against the scores."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import to_list
from ..core.file_columns import Gold
from ..core.ids import comparable_ids
from ..core.intake import field_of, rows_of_dicts
from ..core.remarks import collected
from ..core.scores import Scores
from ..core.shown import shown
from ..registry import Family
from ..stats.runs import DrawnScores, Runs

_AS_SCORED = "give the columns that were scored"


def scored_texts(
    family: Family, systems: Mapping[str, Scores], predictions: Any, references: Any, questions: Any
) -> tuple[Gold, dict[str, dict[str, dict[str, Any]]] | None]:
    """System -> run -> columns, as from a gold file and files of predictions; None without predictions.

    A single run has the name "".
    """
    ids = list(next(iter(systems.values())).ids)
    if predictions is None and references is None:
        if questions is not None:
            raise ValueError("questions are shown with the answers: give predictions and references too")
        return Gold("", "", {}, {}, None, {}, metric=family.name), None
    _check_given(systems, predictions, references)
    telling = family.telling
    by_family = "documents" in telling.answers_are and "texts" not in telling.answers_are  # it matches rows by id
    rows, row_ids = (references, None) if by_family else _rows(references, ids, "references")
    _check_ids(_ids_of(references), ids, "references")
    order = row_ids or ids
    if not by_family:
        _check_gold(family, systems, rows, order)
    details = {} if questions is None else {"question": _rows(questions, order, "questions")[0]}
    columns: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in systems}
    for name, scores in systems.items():
        for run, of_run, own in _by_run(name, scores, predictions[name]):
            what = f"predictions of {name}{f' ({run})' if run else ''}"
            _check_ids(_ids_of(own), ids, what, of_run)
            column = own if by_family else _predictions(own, order, row_ids is not None, what, of_run)
            columns[name][run] = {"predictions": column}
            _check_values(family, of_run, column, rows, None if row_ids else order, details.get("question"), what)
    has_ids = order is not ids or "documents" in telling.answers_are
    return Gold("", "", {"references": rows}, {}, order if has_ids else None, details, metric=family.name), columns


def texts_of_one(
    family: Family, scores: Scores, predictions: Any, references: Any, questions: Any
) -> tuple[Gold, dict[str, Any] | None]:
    """The columns of one system with one run; None without predictions."""
    given = None if predictions is None else {"scores": predictions}
    gold, columns = scored_texts(family, {"scores": scores}, given, references, questions)
    return gold, columns and columns["scores"][""]


def _check_given(systems: Mapping[str, Scores], predictions: Any, references: Any) -> None:
    """Refuse predictions without references, references without predictions, and predictions not given per system."""
    if predictions is None or references is None:
        lacking = "predictions" if predictions is None else "references"
        raise ValueError(f"{lacking} missing: examples to read need both predictions and references")
    if not isinstance(predictions, Mapping) or any(name not in predictions for name in systems):
        wanted = f"{{{', '.join(f'{name!r}: ...' for name in systems)}}}"
        raise TypeError(f"predictions must be a dict with the predictions of every system, {wanted}")
    drawn = [name for name, scores in systems.items() if isinstance(scores, DrawnScores)]
    if drawn:
        told = "is of several answers at once, and none of them can be shown; compare the runs themselves, or omit predictions"
        raise ValueError(f"{drawn[0]} {told} and references")


def _predictions(own: Any, order: Sequence[Any], has_ids: bool, what: str, scores: Scores) -> list[Any]:
    """The predictions of a run in the order of the references; unchanged if both have ids."""
    column, own_ids = _rows(own, order, what)
    if has_ids:
        return column
    if own_ids is None:
        _check_missing(column, what, scores)
        return column
    by_id = dict(zip(own_ids, column, strict=True))
    return [by_id.get(identifier) for identifier in order]


def _by_run(name: str, scores: Scores, predictions: Any) -> list[tuple[str, Scores, Any]]:
    """Name, Scores and predictions of each run of a system; a single run has the name ""."""
    if not isinstance(scores, Runs):
        return [("", scores, predictions)]
    names = list(scores.run_names)
    by_name = isinstance(predictions, Mapping) and set(names) == set(predictions)
    listed = [predictions[run] for run in names] if by_name else predictions
    if not isinstance(listed, (list, tuple)) or len(listed) != len(names):
        raise ValueError(
            f"predictions of {name} must be a list with one item for each of its {len(names)} runs, in their order, or a dict by the "
            f"names of the runs: {', '.join(names)}"
        )
    return [(run, own, listed[place]) for place, (run, own) in enumerate(scores.each_run().items())]


def _ids_of(column: Any) -> list[Any] | None:
    """The keys of a dict by id, or the ids of rows; None if rows are matched by order."""
    if isinstance(column, Mapping):
        return list(column)
    is_rows = isinstance(column, (list, tuple)) and len(column) > 0 and isinstance(column[0], Mapping)
    return field_of(column, "id", "rows") if is_rows else None


def _check_ids(given: list[Any] | None, ids: Sequence[Any], name: str, scores: Scores | None = None) -> None:
    """Refuse ids that lack an example, except for examples without an answer of the system."""
    if given is None:
        return
    keys, own = comparable_ids(given, ids)
    there = set(keys)
    may_lack = np.zeros(len(ids), bool) if scores is None else _is_missing(scores)
    lacking = [ids[row] for row in np.flatnonzero(~may_lack).tolist() if own[row] not in there]
    if lacking:
        told = f"{name} have no example {shown(lacking[0])} ({len(lacking)} of {len(ids)} are lacking)"
        raise ValueError(f"{told}, which was scored; {_AS_SCORED}")


def _check_missing(rows: Sequence[Any], name: str, scores: Scores) -> None:
    """Refuse a None for an example scored with a prediction, and a prediction for an example scored without one."""
    if getattr(scores.options, "unit", None) == "offset":
        return  # None is the span of no answer
    for identifier, row, missing in zip(scores.ids, rows, _is_missing(scores).tolist(), strict=True):
        if (row is None) != missing and not isinstance(row, Mapping) and "missing" in scores.subsets:
            found = "has none here" if row is None else "was scored as one without a prediction"
            raise ValueError(f"{name}: the example {shown(identifier)} {found}; {_AS_SCORED}")


def _is_missing(scores: Scores) -> np.ndarray:
    return scores.subsets.get("missing", np.zeros(len(scores), bool))


def _check_gold(family: Family, systems: Mapping[str, Scores], rows: Sequence[Any], ids: Sequence[Any]) -> None:
    """Refuse gold answers that differ from the fingerprints in the scores, if there are fingerprints."""
    first = next(iter(systems.values()))
    if first.gold is None or family.telling.answers_are != ("texts",):
        return
    try:
        blank = family.score_blank(rows, list(ids), options=first.options)
    except (ValueError, TypeError):  # scored with further columns, such as supporting facts
        return
    place = {identifier: row for row, identifier in enumerate(blank.ids)}
    if blank.gold is None or any(identifier not in place for identifier in first.ids):
        return
    other = first.gold.first_other(blank.gold.take(np.array([place[identifier] for identifier in first.ids])))
    if other is not None:
        what, row = other
        raise ValueError(
            f"references: the example {shown(first.ids[row])} has other {what} than it was scored with; {_AS_SCORED}"
        )


def _check_values(
    family: Family,
    scores: Scores,
    predictions: Any,
    references: Any,
    ids: Sequence[Any] | None,
    questions: list[Any] | None,
    name: str,
) -> None:
    """Refuse predictions whose values differ when scored again.

    Nothing is checked if scoring needs a large model, or if the scores rest on further columns.
    """
    if family.runs_model(scores.options):
        return
    given = {"questions": questions} if questions is not None and "questions" in family.columns.names else {}
    has_ids = any(_ids_of(column) is not None for column in (predictions, references))
    try:
        with collected():  # the user has seen them
            function, _ = family.load()
            again = function(predictions, references, None if has_ids else ids, **given, options=scores.options)
    except (ValueError, TypeError):  # scored with further columns, such as probabilities
        return
    found = _first_other(scores, again)
    if found is not None:
        identifier, measure, value, scored = found
        told = f"{name}: with them the example {shown(identifier)} has {measure} {value:.4g}, but it was scored {scored:.4g}"
        more = ", numbers of documents as {document: number}" if "documents" in family.telling.answers_are else ""
        raise ValueError(f"{told}; {_AS_SCORED}{more}")


def _first_other(scores: Scores, again: Scores) -> tuple[Any, str, float, float] | None:
    """The first example with another value when scored again: id, measure, new value and old value."""
    keys, own = comparable_ids(list(again.ids), list(scores.ids))
    place = {identifier: row for row, identifier in enumerate(keys)}
    rows = np.array([row for row, identifier in enumerate(own) if identifier in place], int)
    there = np.array([place[own[row]] for row in rows.tolist()], int)
    found = []
    for name, measure in scores.measures.items():
        by_classes = bool(measure.recoded_columns(scores.columns, 1))
        if not measure.is_mean or by_classes or not again.columns.keys() >= set(measure.reads):
            continue
        old, new = (measure.by_example(each.rows) for each in (scores, again))
        if old is None or new is None:
            continue
        old, new = old[rows], new[there]
        unequal = np.flatnonzero(~np.isclose(old, new, rtol=0, atol=1e-9, equal_nan=True))
        found += [(int(row), name, float(new[row]), float(old[row])) for row in unequal[:1]]
    if not found:
        return None
    row, *told = min(found, key=lambda one: one[0])
    return (scores.ids[rows[row]], *told)


def _rows(column: Any, ids: Sequence[Any], name: str) -> tuple[list[Any], list[Any] | None]:
    """A column as a list in the order of the ids; unchanged if its rows have ids."""
    if isinstance(column, Mapping):
        keys, own = comparable_ids(list(column), ids)
        by_id = dict(zip(keys, column.values(), strict=True))
        return [by_id.get(identifier) for identifier in own], None
    rows = to_list(column, name)
    own_ids: list[Any] | None = field_of(rows, "id", name) if rows and rows_of_dicts(rows, name) else None
    if own_ids is None and len(rows) != len(ids):
        raise ValueError(
            f"{name} has {len(rows)} rows for the {len(ids)} examples compared; give one for each, in their order, or a "
            "dict id -> row"
        )
    return rows, own_ids
