"""Scores in Python as if they came from files: labels and texts that are given with them are checked."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import to_list
from ..core.file_columns import Gold
from ..core.ids import comparable_ids, values_by_id
from ..core.intake import field_of, rows_of_dicts
from ..core.options import did_you_mean
from ..core.remarks import collected
from ..core.scores import Scores
from ..core.shown import shown
from ..registry import Family, family_of
from ..stats.runs import DrawnScores, Runs
from .score_files import Scored, System

_AS_SCORED = "give the columns that were scored"


def scored_of(systems: Mapping[str, Scores], by: Any = None) -> tuple[Scored, list[str]]:
    """Scores as if they came from files, and the names of the slices.

    Args:
        systems: name -> scores of the same metric.
        by: names of subsets or "error_kind"; or slice -> one label per example of the first system, or slice ->
            {id: label}.

    Raises:
        ValueError: an unknown slice, labels that do not fit the first system, or examples without a label.
    """
    first = next(iter(systems.values()))
    labels = _labels(by, first)
    for name, scores in systems.items() if labels else ():
        if set(scores.ids) - set(first.ids):
            raise ValueError(f"system {shown(name)} has examples that the first system, by which by= is read, lacks")
    family = family_of(first)
    same = all(list(scores.ids) == list(first.ids) for scores in systems.values())
    # A subset needs no labels; labels are a detail of the "file", which is the first system.
    details = {name: values for name, values in labels.items() if values is not None}
    gold = Gold("", "", {}, {}, None if same else list(first.ids), details, metric=family.name)
    return Scored(family, gold, {name: System(scores, name, {}) for name, scores in systems.items()}), list(labels)


def _labels(by: Any, first: Scores) -> dict[str, list[Any] | None]:
    """Slice -> a label per example of the first system, None for a subset."""
    if by is None:
        return {}
    if isinstance(by, Mapping):
        labels: dict[str, list[Any] | None] = {}
        for name, values in by.items():
            values = values_by_id(values, first.ids, f"slice {shown(name)}")
            if len(values) != len(first):
                raise ValueError(f"slice {shown(name)} has {len(values)} labels for {len(first)} examples")
            labels[str(name)] = values
        return labels
    names = [by] if isinstance(by, str) else to_list(by, "by")
    offered = [*first.subsets, *(["error_kind"] if family_of(first).about.errors.of(first) is not None else [])]
    for name in names:
        if name not in offered:
            near = did_you_mean(name, offered)
            raise ValueError(
                f"no slice {shown(name)}{near}; available: {', '.join(offered)}; or give labels, "
                "by={name: one label per example}"
            )
    return dict.fromkeys(names)


def scored_with_texts(systems: Mapping[str, Scores], predictions: Any, references: Any, questions: Any) -> Scored:
    """Scores with the columns that were scored, as if they came from files; without predictions as `scored_of`.

    Args:
        predictions: system -> its predictions; of several runs a list of them, or run -> predictions.
        references: the gold data. questions: texts, in the order of the references or by id.

    Raises:
        ValueError, TypeError: columns that were not scored; the message names the system and an example.
    """
    scored, _ = scored_of(systems)
    if predictions is None and references is None:
        if questions is not None:
            raise ValueError("questions are shown with the answers: give predictions and references too")
        return scored
    _check_given(systems, predictions, references)
    family, ids = scored.family, list(next(iter(systems.values())).ids)
    about = family.about
    by_family = "documents" in about.answers_are and "texts" not in about.answers_are  # it matches rows by id
    rows, row_ids = (references, None) if by_family else _rows(references, ids, "references")
    _check_ids(_ids_of(references), ids, "references")
    order = row_ids or ids
    if not by_family:
        _check_gold(family, systems, rows, order)
    details = {} if questions is None else {"question": _rows(questions, order, "questions")[0]}
    found = {}
    for name, scores in systems.items():
        runs = {}
        for run, of_run, given in _by_run(name, scores, predictions[name]):
            what = f"predictions of {name}{f' ({run})' if run else ''}"
            _check_ids(_ids_of(given), ids, what, of_run)
            column = given if by_family else _predictions(given, order, row_ids is not None, what, of_run)
            runs[run] = System(scores, name, {"predictions": column})
            _check_values(family, of_run, column, rows, None if row_ids else order, details.get("question"), what)
        first = next(iter(runs.values()))
        found[name] = first._replace(runs=runs if isinstance(scores, Runs) else {})
    has_ids = order is not ids or "documents" in about.answers_are
    gold = Gold("", "", {"references": rows}, {}, order if has_ids else None, details, metric=family.name)
    return Scored(family, gold, found)


def _check_given(systems: Mapping[str, Scores], predictions: Any, references: Any) -> None:
    """Refuse predictions without references, references without predictions, and predictions not given per system."""
    if predictions is None or references is None:
        lacking = "predictions" if predictions is None else "references"
        raise ValueError(f"{lacking} missing: examples to read need both predictions and references")
    if not isinstance(predictions, Mapping) or any(name not in predictions for name in systems):
        example = f"{{{', '.join(f'{name!r}: ...' for name in systems)}}}"
        raise TypeError(f"predictions must be a dict with the predictions of every system, {example}")
    drawn = [name for name, scores in systems.items() if isinstance(scores, DrawnScores)]
    if drawn:
        raise ValueError(
            f"{drawn[0]} is of several answers at once, and none of them can be shown; compare the runs themselves, or omit "
            "predictions and references"
        )


def _predictions(given: Any, order: Sequence[Any], has_ids: bool, what: str, scores: Scores) -> list[Any]:
    """The predictions of a run in the order of the references; unchanged if both have ids."""
    column, given_ids = _rows(given, order, what)
    if has_ids:
        return column
    if given_ids is None:
        _check_missing(column, what, scores)
        return column
    by_id = dict(zip(given_ids, column, strict=True))
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
    return [(run, of_run, listed[index]) for index, (run, of_run) in enumerate(scores.each_run().items())]


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
    keys, scored = comparable_ids(given, ids)
    there = set(keys)
    may_lack = np.zeros(len(ids), bool) if scores is None else _is_missing(scores)
    lacking = [ids[row] for row in np.flatnonzero(~may_lack).tolist() if scored[row] not in there]
    if lacking:
        first = f"{shown(lacking[0])} ({len(lacking)} of {len(ids)} are lacking)"
        raise ValueError(f"{name} have no example {first}, which was scored; {_AS_SCORED}")


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
    if first.gold is None or family.about.answers_are != ("texts",):
        return
    try:
        blank = family.score_blank(rows, list(ids), options=first.options)
    except (ValueError, TypeError):  # scored with further columns, such as supporting facts
        return
    row_of = {identifier: row for row, identifier in enumerate(blank.ids)}
    if blank.gold is None or any(identifier not in row_of for identifier in first.ids):
        return
    other = first.gold.first_other(blank.gold.take(np.array([row_of[identifier] for identifier in first.ids])))
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
        more = ", numbers of documents as {document: number}" if "documents" in family.about.answers_are else ""
        raise ValueError(
            f"{name}: with them the example {shown(identifier)} has {measure} {value:.4g}, but it was scored {scored:.4g}; "
            f"{_AS_SCORED}{more}"
        )


def _first_other(scores: Scores, again: Scores) -> tuple[Any, str, float, float] | None:
    """The first example with another value when scored again: id, measure, new value and old value."""
    keys, ids = comparable_ids(list(again.ids), list(scores.ids))
    row_of = {identifier: row for row, identifier in enumerate(keys)}
    rows = np.array([row for row, identifier in enumerate(ids) if identifier in row_of], int)
    rows_again = np.array([row_of[ids[row]] for row in rows.tolist()], int)
    found = []
    for name, measure in scores.measures.items():
        by_classes = bool(measure.recoded_columns(scores.columns, 1))
        if not measure.is_mean or by_classes or not again.columns.keys() >= set(measure.reads):
            continue
        old, new = (measure.by_example(each.rows) for each in (scores, again))
        if old is None or new is None:
            continue
        old, new = old[rows], new[rows_again]
        unequal = np.flatnonzero(~np.isclose(old, new, rtol=0, atol=1e-9, equal_nan=True))
        found += [(int(row), name, float(new[row]), float(old[row])) for row in unequal[:1]]
    if not found:
        return None
    row, *values = min(found, key=lambda one: one[0])
    return (scores.ids[rows[row]], *values)


def _rows(column: Any, ids: Sequence[Any], name: str) -> tuple[list[Any], list[Any] | None]:
    """A column as a list in the order of the ids; unchanged if its rows have ids."""
    if isinstance(column, Mapping):
        keys, scored = comparable_ids(list(column), ids)
        by_id = dict(zip(keys, column.values(), strict=True))
        return [by_id.get(identifier) for identifier in scored], None
    rows = to_list(column, name)
    row_ids: list[Any] | None = field_of(rows, "id", name) if rows and rows_of_dicts(rows, name) else None
    if row_ids is None and len(rows) != len(ids):
        raise ValueError(
            f"{name} has {len(rows)} rows for the {len(ids)} examples compared; give one for each, in their order, or a "
            "dict id -> row"
        )
    return rows, row_ids
