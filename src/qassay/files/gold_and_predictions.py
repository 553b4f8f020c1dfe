"""Reads gold files and files of predictions, of any format that `formats` has."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from ..core.columns import spelled
from ..core.file_columns import Gold, Predictions
from ..core.shown import columns_text
from ..registry import DEFAULT, FAMILIES, OWN_SCORES, get_family
from .content import Content, read_content
from .formats import GOLD, PREDICTIONS, PROBABILITIES, Format, find_format, formats_of, roles_of_metric
from .reading import FileError
from .roles import ANSWER_ROLES, RUN_ROLE, names_by_system
from .tables import SYSTEM_ROLES, USUAL_NAMES, Names, as_table, each_column, prepared

_GENERAL_ROLES = ("ids", "weights", "questions", "separator")  # of every metric
_ROLES = {  # that one of two files has; others may belong to the other file
    GOLD: ("references", "relevance", "weights", "questions", "type"),
    PREDICTIONS: ("predictions", "score"),
}
_LABEL_COLUMNS = {"y_true", "y_pred", "y_score"}  # as scikit-learn calls labels and scores
_GOLD_WORDS = {
    "gold", "golds", "golden", "reference", "references", "expected", "true", "truth", "correct", "target", "targets", "ideal",
    "expectedoutput", "expectedanswer", "groundtruth", "actual", "label", "labels",
}  # fmt: skip


def read_golds(metrics: str | Sequence[str] | None, path: str | Content, names: Names) -> dict[str, Gold]:
    """Read a gold file for each metric: name of the metric -> gold.

    Args:
        metrics: one metric or several; None for the metric of the kind of file.
        names: role -> column of tables, as from `column_names`.
    """
    content = read_content(path)
    if metrics is None:
        gold = read_gold(content, names)
        return {gold.metric: get_family(gold.metric).gold_of_file(gold)}
    families = [get_family(name) for name in dict.fromkeys([metrics] if isinstance(metrics, str) else metrics)]
    kinds = list(dict.fromkeys(family.files_of for family in families))
    known = {*ANSWER_ROLES, *_GENERAL_ROLES, RUN_ROLE, *(role for kind in kinds for role in roles_of_metric(kind))}
    foreign = next((role for role in names if role not in known and _metric_of_role(role)), None)
    if foreign is not None:
        raise ValueError(f'{kinds[0]} does not use the role {foreign}; omit "{foreign}" from columns')
    golds = {kind: read_gold(content, names, metric=kind) for kind in kinds}
    return {family.name: family.gold_of_file(golds[family.files_of]) for family in families}


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
    content, names = prepared(read_content(path), names or {})
    requested = metric or _metric_of_roles(names)
    form = find_format(content.value, FAMILIES[requested].files_of if requested else None)
    requested = FAMILIES[requested].files_of if requested else form.metric
    first, *others = names_by_system(names).values()
    if metric is None and requested == DEFAULT:
        _refuse_labels(content, form, names)
    _require(content, form, requested, GOLD, first)
    gold: Gold = dataclasses.replace(form.read(GOLD, content, first), metric=requested)
    if not others:
        return gold
    several = {role: names[role] for role in SYSTEM_ROLES if role in gold.names and role in names}
    of_others = {*each_column(column for of in others for column in of.values())} - {*each_column(gold.names.values())}
    given = {name: cells for name, cells in gold.details.items() if name in of_others}
    details = {name: cells for name, cells in gold.details.items() if name not in of_others}
    return dataclasses.replace(gold, names={**gold.names, **several}, details=details, given={**gold.given, **given})


def read_predictions(path: str | Path | Content, gold: Gold, names: Names | None = None) -> Predictions:
    """Read the predictions of one system for a gold file; a table that holds both may serve as both.

    Args:
        path: a file of one of the formats in `formats`, its path or its content.
        gold: the result of `read_gold`.
        names: as for `read_gold`, for example `{"predictions": "my_answer", "ids": "qid"}`.

    Raises:
        FileError: another format (the message says which), or a file that is broken.
    """
    content, names = prepared(read_content(path), names or {})
    form = find_format(content.value, gold.metric)
    _require(content, form, gold.metric, PREDICTIONS, names)
    predictions: Predictions = form.read(PREDICTIONS, content, gold, names)
    return predictions


# --- which metric a file is of, and what is said of other files -------------------------------------------------------


def _metric_of_roles(names: Names) -> str | None:
    """The metric to which the given roles belong; answer_match only if no other metric has one; None if no metric has."""
    roles = [role for role in names if role not in _GENERAL_ROLES] or [*names]
    found = [metric for role in roles if (metric := _metric_of_role(role))]
    return next((metric for metric in found if metric != DEFAULT), found[0] if found else None)


def _metric_of_role(role: str) -> str | None:
    """The first metric that has a role; None for a role that tables of every metric may have."""
    if role in ("references", "predictions", "no_answer_probabilities"):
        return DEFAULT
    readers = [name for name, family in FAMILIES.items() if family.files_of == name]
    return next((name for name in readers if role in roles_of_metric(name)), None)


def _refuse_labels(content: Content, form: Format, names: Names) -> None:
    """Refuse columns of labels or scores that would be scored as answers because no metric is given."""
    table = as_table(content.value)
    others = [] if table is None or GOLD in form.serves else table.columns
    for name in each_column(names.values()) or others:
        if spelled(name) in _LABEL_COLUMNS:
            metrics = [*(of for of, family in FAMILIES.items() if family.named_only), DEFAULT]
            which = " or ".join(f"metric={of}" for of in metrics)
            raise FileError(content.path, f"the column {name} looks like labels or scores; give {which}")


def _looks_like(name: str, role: str) -> bool:
    """Whether the name of a column looks like gold data, or like predictions, as "expected_answer" and "my_output" do."""
    is_gold = not _GOLD_WORDS.isdisjoint(spelled(name).split("_"))
    if role == GOLD:
        return is_gold
    usual = (*USUAL_NAMES["predictions"], *USUAL_NAMES["answer"])
    return not is_gold and any(f"_{one}_" in f"_{spelled(name)}_" for one in usual)


def _require(content: Content, form: Format, metric: str, role: str, names: Names) -> None:
    """Refuse a file of another metric, or one that is not gold data (or predictions); the message says what it looks like,
    what was expected, and how to give it. Refuse names of columns for a file without columns.

    Args:
        role: GOLD or PREDICTIONS.
    """
    is_named = form.is_table and (form.gold_role if role == GOLD else form.prediction_role) in names
    if form.metric != metric or role not in form.serves and not is_named:
        raise FileError(content.path, _what_it_is(content, form, metric, role))
    named = next((of for of in _ROLES[role] if of in names), None)
    if named is not None and not form.is_table:
        message = f'this is {form.text}, which has no columns to name; omit "{named}" from columns'
        raise FileError(content.path, message)


def _what_it_is(content: Content, form: Format, metric: str, role: str) -> str:
    message = f"this looks like {form.text}, not {'gold data' if role == GOLD else 'predictions'} of {metric}"
    if form.metric != metric:
        message += f", but of metric={form.metric}"
    formats = formats_of(metric)
    columns, table = next((one for one in formats if one.is_table), None), as_table(content.value)
    if form.is_table and columns is not None and table is not None:
        near = [name for name in table.columns if _looks_like(name, role)]
        if role == GOLD:
            message += f"; name its column with {columns_text(columns.gold_role, *near[:1] or ['NAME'])}"
            message += "" if near else f"; numbers per example that another tool made need metric={OWN_SCORES}"
        else:
            message += f"; name its column with {columns_text(columns.prediction_role, *near or ['NAME'])}"
    if PROBABILITIES in form.serves:
        return f"{message}; give it as no_answer_probabilities"
    if form.metric == metric and not form.serves.isdisjoint((GOLD, PREDICTIONS)):
        return f"{message}; give the gold file as gold, and files of predictions as systems"
    texts = dict.fromkeys(one.text for one in formats if role in one.serves)
    return f"{message}; {metric} reads {', '.join(texts)}"
