"""Wraps Scores made in Python as results of files; labels and texts given with them are checked."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import ColumnRows, to_list
from ..core.file_columns import Gold
from ..core.ids import comparable_ids, rows_of_ids
from ..core.intake import field_of, rows_of_dicts
from ..core.options import did_you_mean
from ..core.remarks import collected
from ..core.scores import Scores
from ..core.shown import describe, shown
from ..registry import Family, family_of
from ..stats.runs import DrawnScores, Runs
from ..stats.systems import labels_of, slices_of_column
from .scored import Scored, System

_AS_SCORED = "give the columns that were scored"


def scored_of(systems: Scores | Mapping[str, Scores], by: Any = None) -> tuple[Scored, list[str]]:
    """Scores as `Scored`, and the names of the slices.

    Args:
        systems: name -> scores of the same metric; scores of one system are called "scores".
        by: names of subsets or "error_kind"; or slice -> one label per example of the first system, or slice ->
            {id: label}; or one column of labels.

    Raises:
        ValueError: an unknown slice, labels that do not fit the first system, or examples without a label.
        TypeError: something other than Scores.
    """
    systems = {"scores": systems} if isinstance(systems, Scores) else systems
    if not isinstance(systems, Mapping) or not systems or not all(isinstance(of, Scores) for of in systems.values()):
        raise TypeError(f'give Scores, or a dict of them such as {{"A": a, "B": b}}; got {describe(systems)}')
    first = next(iter(systems.values()))
    family = family_of(first)
    by = slices_of_column(by, first)
    labels = labels_of(by, systems) if isinstance(by, Mapping) else {}  # they are details of the "file"
    labels = {str(name): values for name, values in labels.items()}
    names = list(labels) if isinstance(by, Mapping) else [by] if isinstance(by, str) else to_list(by or [], "by")
    offered = [*labels, *first.subsets, *(["error_kind"] if family.about.errors.of(first) is not None else [])]
    for name in names:
        if name not in offered:
            raise ValueError(
                f"no slice {shown(name)}{did_you_mean(name, offered)}; available: {', '.join(offered)}; or give labels: "
                f"by=table[{name!r}], or by={{name: one label per example}}"
            )
    for name, scores in systems.items() if names else ():
        if set(scores.ids) - set(first.ids):
            raise ValueError(f"system {shown(name)} has examples that the first system, by which by= is read, lacks")
    same = all(list(scores.ids) == list(first.ids) for scores in systems.values())
    gold = Gold("", "", {}, {}, None if same else list(first.ids), labels, metric=family.name)
    return Scored(family, gold, {name: System(scores, name, {}) for name, scores in systems.items()}), names


def scored_with_texts(systems: Mapping[str, Scores], predictions: Any, references: Any, questions: Any) -> Scored:
    """Scores with the columns that were scored, as `Scored`; without predictions as `scored_of`.

    Args:
        predictions: system -> its predictions; of several runs a list of them, or run -> predictions.
        references: the gold data. questions: texts, in the order of the references or by id.

    Raises:
        ValueError, TypeError: columns that were not scored; the message names the system and an example.
    """
    scored, _ = scored_of(systems)
    if predictions is None and references is None and questions is None:
        return scored
    if predictions is None or references is None:
        raise ValueError("examples to read need both predictions and references; give both, or neither")
    if not isinstance(predictions, Mapping) or any(name not in predictions for name in systems):
        example = f"{{{', '.join(f'{name!r}: ...' for name in systems)}}}"
        raise TypeError(f"predictions must be a dict with the predictions of every system, {example}")
    family, ids = scored.family, list(next(iter(systems.values())).ids)
    # Rankings stay as they are: scoring matches them by query, in any layout.
    are_rankings = "documents" in family.about.answers_are and "texts" not in family.about.answers_are
    golds = references if are_rankings else _in_order(references, ids, "references")
    details = {} if questions is None else {"question": _in_order(questions, ids, "questions")}
    found = {}
    for name, scores in systems.items():
        runs = {}
        for run, of_run, given in _by_run(name, scores, predictions[name]):
            what = f"predictions of {name}{f' ({run})' if run else ''}"
            column = given if are_rankings else _in_order(given, ids, what, of_run)
            _check_values(family, of_run, column, golds, details, what)
            runs[run] = System(of_run, name, {"predictions": column})
        found[name] = next(iter(runs.values()))._replace(scores=scores, runs=runs if isinstance(scores, Runs) else {})
    are_rows = "documents" in family.about.answers_are or _have_ids(golds)
    gold = Gold("", "", {"references": golds}, {}, ids if are_rows else None, details, metric=family.name)
    return Scored(family, gold, found)


def _by_run(name: str, scores: Scores, predictions: Any) -> list[tuple[str, Scores, Any]]:
    """Name, Scores and predictions of each run of a system; a single run has the name ""."""
    if isinstance(scores, DrawnScores):
        raise ValueError(
            f"{name} is of several answers at once, and none of them can be shown; compare the runs themselves, or omit "
            "predictions and references"
        )
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
    return [(run, of_run, given) for (run, of_run), given in zip(scores.each_run().items(), listed, strict=True)]


def _in_order(column: Any, ids: Sequence[Any], name: str, scores: Scores | None = None) -> list[Any]:
    """A column, given by id or in order, in the order of the scored examples; rows with ids may be fewer.

    Args:
        scores: the column may lack only those of their examples that have no prediction.

    Raises:
        ValueError: naming the column and the first example that it lacks.
    """
    rows = list(column.values()) if isinstance(column, Mapping) else to_list(column, name)
    have_ids = not isinstance(column, Mapping) and _have_ids(rows)
    keys = list(column) if isinstance(column, Mapping) else field_of(rows, "id", name) if have_ids else None
    if keys is None:
        if len(rows) != len(ids):
            raise ValueError(
                f"{name} has {len(rows)} rows for the {len(ids)} examples compared; give one for each, in their order, or a "
                "dict id -> row"
            )
        return rows
    given, of_scores = comparable_ids(keys, ids)
    is_last = scores is not None and getattr(scores.options, "duplicates", None) == "last"
    by_id = dict(zip(given, rows) if is_last else zip(reversed(given), reversed(rows)))
    missing = scores.subsets.get("missing") if scores is not None else None
    for row, key in enumerate(of_scores):
        if key not in by_id and (missing is None or not missing[row]):
            raise ValueError(f"{name} have no example {shown(ids[row])}, which was scored; {_AS_SCORED}")
    return [by_id[key] for key in of_scores if key in by_id] if have_ids else [by_id.get(key) for key in of_scores]


def _have_ids(rows: Any) -> bool:
    """Whether rows are dicts with ids."""
    return isinstance(rows, (list, ColumnRows)) and bool(rows) and rows_of_dicts(rows, "rows") and "id" in rows[0]


def _check_values(
    family: Family, scores: Scores, predictions: Any, golds: Any, details: Mapping[str, Any], name: str
) -> None:
    """Refuse columns whose gold data or values differ when they are scored again.

    Nothing is checked if scoring needs a large model, or if the scores depend on further columns.
    """
    if family.runs_model(scores.options):
        return
    more = {"questions": details["question"]} if details and "questions" in family.columns else {}
    have_ids = any(isinstance(of, Mapping) or _have_ids(of) for of in (predictions, golds))
    try:
        with collected():  # the user has seen them
            ids = None if have_ids else list(scores.ids)
            again = family.load()[0](predictions, golds, ids, **more, options=scores.options)
    except (ValueError, TypeError):  # scored with further columns, such as probabilities
        return
    if scores.gold is not None and again.gold is not None and list(again.ids) == list(scores.ids):
        other = scores.gold.first_other(again.gold)
        if other is not None:
            what, row = other
            message = f"references: the example {shown(scores.ids[row])} has other {what} than it was scored with"
            raise ValueError(f"{message}; {_AS_SCORED}")
    rows_again = rows_of_ids(list(scores.ids), list(again.ids))
    rows = np.flatnonzero(rows_again >= 0)
    for column, old in {**scores.subsets, **scores.columns}.items():
        new = again.columns.get(column, again.subsets.get(column))
        if column in scores.coded or not isinstance(old, np.ndarray) or not isinstance(new, np.ndarray):
            continue
        is_equal = np.isclose(old[rows], new[rows_again[rows]], rtol=0, atol=1e-9, equal_nan=True)
        if not is_equal.all():
            row = rows[np.argmin(is_equal)]
            raise ValueError(
                f"{name}: with them the example {shown(scores.ids[row])} has {column} {new[rows_again[row]]:.4g}, but it was "
                f"scored {old[row]:.4g}; {_AS_SCORED}"
            )
