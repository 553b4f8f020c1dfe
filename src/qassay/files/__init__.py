"""Readers: read gold files and files of predictions of any kind as columns for `qassay.score`.

gold = read_gold("gold.json")
predictions = read_predictions("model.json", gold)
scores = qassay.score(gold.metric, **gold.columns, **predictions.columns, **gold.options)
"""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from ..core.file_columns import STDIN, Gold, Predictions
from ..registry import DEFAULT
from .content import Content, read_content, refuse_repeated_keys
from .frames import refuse_frame
from .kinds import PROBABILITIES, FamilyFiles, all_files, files_of
from .reading import FileError
from .roles import names_by_system
from .sniff import sniff
from .tables import SYSTEM_ROLES, Names, check_column, each_column

__all__ = ["FileError", "Gold", "Predictions", "read_gold", "read_no_answer_probabilities", "read_predictions"]


_SHARED_ROLES = ("separator",)  # which many metrics use


def read_gold(
    path: str | Path | Content, names: Names | None = None, *, metric: str | None = None, own: Names | None = None
) -> Gold:
    """Read gold answers or judgements; the kind of file is recognised by its content.

    Args:
        path: SQuAD, HotpotQA or DROP JSON, `{id: [answer, ...]}`, or a table (JSON rows, JSONL, CSV, TSV, Parquet);
            TREC qrels, `{query: {document: relevance}}`, or the pairs of NLPCC-DBQA; BioASQ JSON; sparse rows of labels
            (XMC), or rows of boxes.
        names: for a table, role -> column, for columns without a usual name, for example `{"references": "golds"}`, or
            `{"references": ("gold", "other_gold")}` for several columns of gold answers, or of predictions, each a
            system; and the separator of labels
            in a cell, `{"separator": ";"}`.
        metric: the metric for tables and lists by id whose columns do not identify it.
        own: the names given for this file alone, which must have these columns.

    Raises:
        FileError: another kind of file (the message says which), or one that is broken.
    """
    content, names = read_content(path), names or {}
    asked = metric or _metric_of(names)
    kind = sniff(content, asked)
    refuse_frame(content, kind)
    files = all_files().get(asked or "") or files_of(kind.metric)
    if "separator" in names and not files.splits_cells:
        told = f"{files.metric} has no cells with several values; "
        raise FileError(content.path, f'{told}omit "separator" from columns')
    if not kind.keeps_duplicates:
        refuse_repeated_keys(content)
    _check_own(content, files, own or {})
    first, *others = names_by_system(names)
    try:
        gold = dataclasses.replace(files.read_gold(content, kind, first), metric=files.metric)
    except FileError as error:
        raise _told_of_role(error, metric, files, names) from None
    if others:
        gold = _with_systems(gold, names, others)
    if gold.may_hold_predictions and not isinstance(path, Content) and (path == STDIN or not Path(path).is_file()):
        gold = dataclasses.replace(gold, content=content)
    return gold


def _told_of_role(error: FileError, metric: str | None, files: FamilyFiles, names: Names) -> FileError:
    """The error with the role that made the file one of its metric, or else with one that the metric does not use."""
    path, told = error.args
    role = next((role for role in files.telling_roles if role in names and role not in _SHARED_ROLES), None)
    if metric is None and role is not None and files.metric != DEFAULT:
        advice = f'for another metric omit "{role}" from columns'
        return FileError(path, f"{told} (the role {role} belongs to {files.metric}; {advice})")
    unused = files.unused_role(names)
    if unused is not None:
        role, user = unused
        return FileError(path, f"{told} ({files.metric} does not use the role {role}, which {user} uses)")
    return error


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
    own: Names | None = None,
) -> Predictions:
    """Read the predictions of one system for a gold file; a table that holds both may be given twice.

    Args:
        path: `{id: text}`, `{id: ranked list}`, HotpotQA's `{"answer", "sp"}`, a JSON list, or a table; for judgements
            a TREC run, `{query: {document: score}}`, a run of MTEB, a table, or the scores of NLPCC-DBQA; BioASQ JSON;
            sparse rows of scored labels, or rows of boxes.
        gold: the result of `read_gold`.
        names: as for `read_gold`, for example `{"predictions": "my_answer", "ids":
            "qid"}`.
        metric: by default the metric of the gold file.
        own: as for `read_gold`.

    Raises:
        FileError: another kind of file (the message says which), or one that is broken.
    """
    is_gold = gold.content is not None and not isinstance(path, Content) and str(path) == gold.path
    content, names = gold.content if is_gold else read_content(path), names or {}
    kind = sniff(content, metric or gold.metric)
    refuse_frame(content, kind)
    if not kind.keeps_duplicates:
        refuse_repeated_keys(content)
    _check_own(content, files_of(gold.metric), own or {})
    return files_of(gold.metric).read_predictions(content, kind, gold, names)


def _metric_of(names: Names) -> str | None:
    """The metric whose roles are named; None if no role tells.

    Roles of answers tell less than others, which other tables have too; a separator is not a column, and tells least.
    """
    columns = names.keys() - {"separator"}
    for roles in (columns, names.keys()):
        telling = [metric for metric, files in all_files().items() if not roles.isdisjoint(files.telling_roles)]
        if telling:
            return next((metric for metric in telling if metric != DEFAULT), telling[0])
    return None


def _check_own(content: Content, files: FamilyFiles, own: Names) -> None:
    """Refuse names of columns given for a file that does not have them."""
    columns = {role: named for role, named in own.items() if role != "separator"}
    table = files.table_of(content.value)
    if not columns:
        return
    if table is None:
        raise FileError(content.path, f"this has no columns to name, but {next(iter(columns))} is named for it")
    for name in each_column(columns.values()):
        check_column(content.path, table, name)


def read_no_answer_probabilities(path: str | Path | Content, gold: Gold) -> dict:
    """Read `{id: number}`, larger if a system considers the question unanswerable.

    Raises:
        FileError: another kind of file.
    """
    content = read_content(path)
    kind = sniff(content)
    if PROBABILITIES not in kind.serves:
        raise FileError(content.path, f"this looks like {kind.text}, not no-answer probabilities ({{id: number}})")
    return kind.read_predictions(content, gold, {})
