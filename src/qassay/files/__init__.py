"""Readers: read gold files and files of predictions of any format as columns for `qassay.score`.

gold = read_gold("gold.json")
predictions = read_predictions("model.json", gold)
scores = qassay.score(gold.metric, **gold.columns, **predictions.columns, **gold.options)
"""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from ..core.columns import spelled
from ..core.file_columns import Gold, Predictions
from ..core.shown import columns_text
from ..registry import DEFAULT, FAMILIES
from .content import Content, read_content
from .formats import GOLD, PREDICTIONS, PROBABILITIES, Format, find_format, formats_of, roles_of_metric
from .reading import FileError
from .roles import ANSWER_ROLES, names_by_system
from .tables import SYSTEM_ROLES, USUAL_NAMES, Names, as_table, each_column, names_of_table, with_paths

__all__ = ["FileError", "Gold", "Predictions", "read_gold", "read_no_answer_probabilities", "read_predictions"]

_GENERAL_ROLES = {"ids", "weights", "question", "separator"}  # which say nothing about the metric
_GOLD_ROLES = ("references", "relevance", "weights", "question", "type")
_PREDICTION_ROLES = ("predictions", "score")


def read_gold(path: str | Path | Content, names: Names | None = None, *, metric: str | None = None) -> Gold:
    """Read gold answers or judgements; the format of a file is recognised by its content.

    Args:
        path: a file of one of the formats in `formats`, its path or its content.
        names: for a table, role -> column, for columns without a usual name, for example `{"references": "golds"}`, or
            `{"references": ("gold", "other_gold")}` for several columns of gold answers, or of predictions, each a
            system; several of ids are the names that different files have; and the separator of labels in a cell, `{"separator": ";"}`.
        metric: the metric for tables and lists by id whose columns do not identify it.

    Raises:
        FileError: another format (the message says which), or a file that is broken.
    """
    names = names or {}
    content = with_paths(read_content(path), names)
    names = names_of_table(content, names)
    role = None if metric else role_of_metric(names)
    requested = metric or (role and metric_of_role(role))
    form = find_format(content.value, FAMILIES[requested].files_of if requested else None)
    requested = FAMILIES[requested].files_of if requested else form.metric
    first, *others = names_by_system(names)
    try:
        if form.metric != requested or GOLD not in form.serves and not (form.is_table and form.gold_role in first):
            raise _refusal(content, form, requested, GOLD)
        if not form.is_table:
            _refuse_names(content.path, form, first, _GOLD_ROLES)
        assert form.read_gold, form.name
        gold = dataclasses.replace(form.read_gold(content, first), metric=requested)
    except FileError as error:
        raise _with_role(error, requested, role) from None
    if others:
        gold = _with_systems(gold, names, others)
    return gold


def _refusal(content: Content, form: Format, metric: str, role: str) -> FileError:
    """What the file looks like, what was looked for, and how to give it."""
    other = PREDICTIONS if role == GOLD else GOLD
    what = "gold data" if role == GOLD else "predictions"
    message = f"this looks like {form.text}, not {what} of {metric}"
    if form.metric != metric:
        message += f", but of metric={form.metric}"
    formats = formats_of(metric)
    columns = next((one for one in formats if one.is_table), None)
    if form.is_table and columns is not None:
        named = columns.gold_role if role == GOLD else columns.prediction_role
        near = [name for name in as_table(content.value).columns if looks_like(name, role)]
        near = near[:1] if role == GOLD else near
        message += f"; name its column with {columns_text(named, *near or ['NAME'])}"
    if PROBABILITIES in form.serves:
        return FileError(content.path, f"{message}; give it as no_answer_probabilities")
    if form.metric == metric and other in form.serves:
        return FileError(content.path, f"{message}; give the gold file as gold, and files of predictions as systems")
    texts = dict.fromkeys(one.text for one in formats if role in one.serves)
    return FileError(content.path, f"{message}; {metric} reads {', '.join(texts)}")


def looks_like(name: str, role: str) -> bool:
    """Whether the name of a column looks like gold data, or like predictions, as "expected_answer" and "my_output" do."""
    parts = {*spelled(name).split("_")}
    if role == GOLD:
        return not parts.isdisjoint(_GOLD_WORDS)
    usual = [f"_{usual}_" for usual in (*USUAL_NAMES["predictions"], *USUAL_NAMES["answer"])]
    return parts.isdisjoint(_GOLD_WORDS) and any(part in f"_{spelled(name)}_" for part in usual)


_GOLD_WORDS = {
    "gold", "golds", "golden", "reference", "references", "expected", "true", "truth", "correct", "target", "targets", "ideal",
    "expectedoutput", "expectedanswer", "groundtruth", "actual", "label", "labels",
}  # fmt: skip


def _refuse_names(path: str, form: Format, names: Names, roles: Sequence[str]) -> None:
    """Refuse names of columns for a file that has none; roles that the other file may have are not for this one."""
    for role in roles:
        if role in names:
            raise FileError(path, f'this is {form.text}, which has no columns to name; omit "{role}" from columns')


def _with_role(error: FileError, metric: str, role: str | None) -> FileError:
    """The error with the role that made the file one of its metric."""
    if role in (None, "separator") or metric == DEFAULT:
        return error
    path, message = error.args
    other = f'for another metric omit "{role}" from columns'
    return FileError(path, f"{message} (the role {role} belongs to {metric}; {other})")


def _with_systems(gold: Gold, names: Names, others: Sequence[Names]) -> Gold:
    """A gold table that was read with the columns of its first system, with the columns of the other systems."""
    columns = {name for other in others for name in each_column(other.values())} - {*each_column(gold.names.values())}
    given = {name: cells for name, cells in gold.details.items() if name in columns}
    return dataclasses.replace(
        gold,
        names={**gold.names, **{role: names[role] for role in SYSTEM_ROLES if role in names and role in gold.names}},
        details={name: cells for name, cells in gold.details.items() if name not in columns},
        given={**gold.given, **given},
    )


def read_predictions(
    path: str | Path | Content,
    gold: Gold,
    names: Names | None = None,
    *,
    metric: str | None = None,
) -> Predictions:
    """Read the predictions of one system for a gold file; a table that holds both may be given twice.

    Args:
        path: a file of one of the formats in `formats`, its path or its content.
        gold: the result of `read_gold`.
        names: as for `read_gold`, for example `{"predictions": "my_answer", "ids": "qid"}`.
        metric: by default the metric of the gold file.

    Raises:
        FileError: another format (the message says which), or a file that is broken.
    """
    names = names or {}
    content = with_paths(read_content(path), names)
    names = names_of_table(content, names)
    form = find_format(content.value, FAMILIES[metric or gold.metric].files_of)
    is_named = form.is_table and form.prediction_role in names
    if form.metric != gold.metric or PREDICTIONS not in form.serves and not is_named:
        raise _refusal(content, form, gold.metric, PREDICTIONS)
    if not form.is_table:
        _refuse_names(content.path, form, names, _PREDICTION_ROLES)
    assert form.read_predictions, form.name
    return form.read_predictions(content, gold, names)


def role_of_metric(names: Names) -> str | None:
    """The named role that says which metric a table is for; of answers only if no other metric has one; None for none."""
    roles = [role for role in names if role not in _GENERAL_ROLES] or [*names]
    found = [(role, metric) for role in roles if (metric := metric_of_role(role))]
    return next((role for role, metric in found if metric != DEFAULT), found[0][0] if found else None)


def metric_of_role(role: str) -> str | None:
    """The first metric that only has this role; None for a role that tables of every metric may have."""
    if role in ("references", "predictions", "no_answer_probabilities"):
        return DEFAULT
    return next(
        (name for name, family in FAMILIES.items() if family.files_of == name and role in roles_of_metric(name)), None
    )


def unused_role(metric: str, names: Names) -> tuple[str, str] | None:
    """The first named role that only other metrics use, and one that does; any table may have roles of answers."""
    known = {*ANSWER_ROLES, *_GENERAL_ROLES, *roles_of_metric(metric)}
    users = ((role, metric_of_role(role)) for role in names if role not in known)
    return next(((role, user) for role, user in users if user), None)


def read_no_answer_probabilities(path: str | Path | Content, gold: Gold) -> dict:
    """Read `{id: number}`, larger if a system considers the question unanswerable.

    Raises:
        FileError: another format.
    """
    content = read_content(path)
    form = find_format(content.value)
    if PROBABILITIES not in form.serves or form.read_predictions is None:
        raise FileError(content.path, f"this looks like {form.text}, not no-answer probabilities ({{id: number}})")
    return form.read_predictions(content, gold, {})
