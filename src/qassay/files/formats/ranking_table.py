"""Tables of rankings (CSV, TSV, JSON rows, JSONL, Parquet): judgements, runs, or rows with both.

Columns stay Arrow columns from the file to the scores.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.columns import spelled
from ...core.file_columns import Gold, Predictions
from ...core.remarks import remark
from ...retrieval_ranking.fields import could_be_either, ranking_roles, score_role
from ...retrieval_ranking.long import document_column, id_column, number_column, shared_column, to_arrow
from ..arrow_columns import ArrowColumns, plain_names
from ..content import Content, Table
from ..reading import FileError, check_one_reference, number_cells
from ..same_gold import first_difference
from ..tables import as_table, each_column, pick_column, roles_of
from . import BOTH, Format
from ._documents import lists_of
from ._query_columns import QueryColumns
from ._ranking_questions import QUESTIONS, judged_texts, read_gold_questions, read_run_questions
from ._runs import check_judgements

if TYPE_CHECKING:
    import pyarrow as pa

METRIC = "retrieval_ranking"
_ROLES = ("query", "document", "score", "relevance")

_ONLY_IN_RUNS = {"rank", "system", "run_id"}


def _serves_as_ranking(table: Table) -> frozenset[str]:
    """The roles that a table of rankings can have ("gold", "predictions"); empty for other tables."""
    ranked = ranking_roles(table.columns)
    numeric = {
        role for role in ("score", "relevance") if any(_is_numeric(table, name) for name in ranked.get(role, ()))
    }
    answers = roles_of(table)
    has_answers = "predictions" in answers or any(
        name not in ranked.get("relevance", ()) for name in answers.get("references", ())
    )
    if "query" not in ranked or has_answers:
        return frozenset()
    if "document" not in ranked:
        return frozenset(["gold", "predictions"] if numeric == {"score", "relevance"} else [])
    if len(table.columns) == 2 and _are_id_names(ranked):
        return frozenset(["gold"])
    if "answer" in answers:
        return frozenset()
    if not numeric and any(_is_numeric(table, name) for role in ("rank", "distance") for name in ranked.get(role, ())):
        return frozenset(["predictions"])
    if numeric == {"score"}:  # judgements may also have this name, as in BEIR
        return frozenset(
            ["predictions"] if _ONLY_IN_RUNS.intersection(map(spelled, table.columns)) else ["gold", "predictions"]
        )
    serves = {"relevance": "gold", "score": "predictions"}
    return frozenset(serves[role] for role in numeric)


def _serves_as_questions(table: Table) -> frozenset[str]:
    """The same for a table with one row per question; empty for a table with answers, which are scored instead."""
    if roles_of(table).keys() & {"predictions", "references", "answer"}:
        return frozenset()
    serves = {"qrels": "gold", "run": "predictions"}
    return frozenset(serves[role] for role in lists_of(table, {}))


def _has_questions(table: Table, names: Mapping[str, str]) -> bool:
    """Whether a row of a table is a question with its documents, not a pair of query and document: a column of
    retrieved or of gold documents is named, or there is a usual one and the table is not one of pairs.
    """
    if not names.keys().isdisjoint(("run", "qrels")):
        return True
    return names.keys().isdisjoint(_ROLES) and not _serves_as_ranking(table) and bool(lists_of(table, names))


def _read_gold(content: Content, names: Mapping[str, str]) -> Gold:
    """Judgements: columns for query, document and relevance; or for query, relevance and score, with judgements in the
    rows.

    Args:
        names: role -> column, for columns without a usual name.
    """
    path, table = content.path, _table_of(content.value)
    if _has_questions(table, names):
        return read_gold_questions(path, table, names)
    names = _ranking_names(path, names)
    # A column of the run may be missing here; if it is missing everywhere, the run reports it.
    usual = ranking_roles(table.columns)
    names = {
        role: name for role, name in names.items() if name in table.columns or role == "relevance" or role not in usual
    }
    picked = {"query": _pick(path, table, "query", names)}
    there = {*names, *usual}
    if "document" not in there and {"relevance", "score"} <= there:
        picked |= {role: _pick(path, table, role, names) for role in ("relevance", "score")}
        queries, columns = _columns(path, table, {"query": picked["query"]}).column(0), {}
    else:
        picked["document"] = _pick(path, table, "document", names)
        if len(table.columns) == 2 and "relevance" not in names:
            references = _all_relevant(_columns(path, table, picked))
            remark(f"{path}: there is no column of relevance: every listed document is relevant")
        else:
            picked["relevance"] = _pick(path, table, "relevance", names, or_role="score")
            references = _columns(path, table, picked)
        queries, columns = references.column("query"), {"references": references}
        scores = [names["score"]] if "score" in names else usual.get("score", [])
        if len(scores) == 1 and scores[0] in table.columns and scores[0] not in picked.values():
            picked["score"] = scores[0]
    with table.columns.guard() if isinstance(table.columns, ArrowColumns) else contextlib.nullcontext():
        distinct = queries.unique().to_pylist()
        details = _details(table, picked, queries, names)
    return Gold(
        path, "ranking_table", columns, {}, distinct, details, picked, may_hold_predictions="score" in picked,
        why_no_detail=details.why_not,
    )  # fmt: skip


def _read_run(content: Content, gold: Gold, names: Mapping[str, str]) -> Predictions:
    """A run: columns for query, document and score; for a gold table that judges itself query, relevance and score.

    Args:
        names: role -> column; names of the gold file's columns count for the same file only.
    """
    path, table = content.path, _table_of(content.value)
    if _has_questions(table, names) or gold.kind == QUESTIONS and not _serves_as_ranking(table):
        return read_run_questions(path, table, gold, names)
    if gold.columns:
        check_judgements(path, gold)
    names = _ranking_names(path, names)
    if path == gold.path:
        names = {**gold.names, **names}
    # A column that the gold file has need not be called the same here.
    names = {role: name for role, name in names.items() if name in table.columns or gold.names.get(role) != name}
    picked = {"query": _pick(path, table, "query", names)}
    if gold.columns:
        picked["document"] = _pick_document(path, table, gold, names)
    score = _pick_score(path, table, names, bool(gold.options.get("lower_is_better")))
    picked |= {score[0]: score[1]}
    if not gold.columns:
        picked["relevance"] = _pick(path, table, "relevance", names)
    columns = _columns(path, table, picked)
    ranks = [name for name in ranking_roles(table.columns).get("rank", ()) if name not in picked.values()]
    if len(ranks) == 1:
        with contextlib.suppress(TypeError, ValueError):  # what is not scored need not be a rank
            columns = columns.append_column("rank", _unread(table, ranks[0]))
    return Predictions(path, {"predictions": columns}, names=picked)


def _are_id_names(ranked: Mapping[str, Sequence[str]]) -> bool:
    """Whether both columns are called as ids of queries and documents are, not as texts."""
    return all(
        "id" in spelled(ranked[role][0]) or spelled(ranked[role][0]) == "docno" for role in ("query", "document")
    )


def _all_relevant(pairs: pa.Table) -> pa.Table:
    import pyarrow as pa

    return pairs.append_column("relevance", pa.array(np.ones(len(pairs))))


def _pick_document(path: str, table: Table, gold: Gold, names: Mapping[str, str]) -> str:
    """The column of documents: of several, the one whose ids the judgements share."""
    usual = [name for name in ranking_roles(table.columns).get("document", ()) if name not in names.values()]
    if "document" in names or len(usual) < 2:
        return _pick(path, table, "document", names)
    columns, references = {name: _unread(table, name) for name in usual}, gold.columns["references"]
    if isinstance(references, (dict, list)):
        return document_column(columns, path, references)
    return shared_column(columns, {gold.names.get("document", ""): references.column("document")})


def _unread(table: Table, name: str) -> pa.ChunkedArray:
    """A column as it is."""
    columns = table.columns
    return to_arrow(columns.arrow([name]).column(0) if isinstance(columns, ArrowColumns) else columns[name], name)


def _pick_score(path: str, table: Table, names: Mapping[str, str], lower_is_better: bool) -> tuple[str, str]:
    """The role and the column that ranks the documents: "score", "rank" or "distance"; a column that is named for the
    scores has the role that its name says.
    """
    named = [_pick(path, table, "score", names)] if "score" in names else []
    try:
        role = score_role(ranking_roles(named or table.columns), lower_is_better)
    except ValueError as error:
        raise FileError(path, str(error)) from None
    return role, named[0] if named else _pick(path, table, role, names)


def _ranking_names(path: str, names: Mapping[str, str]) -> dict[str, str]:
    """The columns named for roles, with the id of a ranking under the name "query"."""
    check_one_reference(path, names, "retrieval_ranking")
    if "weights" in names:
        raise FileError(
            path,
            'weights of queries are not read from files; omit "weights" from columns, or use qassay.score',
        )
    if "separator" in names:
        raise FileError(path, 'cells hold one value here; omit "separator" from columns')
    return {"query" if role == "ids" and "query" not in names else role: name for role, name in names.items()}


def _table_of(value: Any) -> Table | Any:
    """A JSON value as a table of rankings: rows, one row, or columns of equal length; else None."""
    table = as_table(value)
    if table is not None or not isinstance(value, dict):
        return table
    roles = ranking_roles(value).keys()
    is_ranking = "query" in roles and roles & {"document", "score", "relevance"}
    return as_table(value, any_columns=True) if is_ranking else None


def _pick(path: str, table: Table, role: str, names: Mapping[str, str], or_role: str | None = None) -> str:
    """The column of a role: the given name, else a usual name."""
    roles = ranking_roles(table.columns)
    usual = roles.get(role, roles.get(or_role or "", []))
    first_wins = role == "document" or role == "query" and not could_be_either(usual)
    advice = ", the highest for the best document" if role == "score" else ""
    return pick_column(path, table, role, usual, names, advice, first_wins=first_wins)


def _details(
    table: Table, picked: Mapping[str, str], queries: pa.ChunkedArray, names: Mapping[str, str]
) -> QueryColumns:
    """The text of each query, where a column beside the ids has it, and the columns with one value per query."""
    usual, known = ranking_roles(table.columns), {}
    candidates = [names["question"]] if "question" in names else roles_of(table).get("question", [])
    questions = [name for name in candidates if name != picked["query"] and name in table.columns][:1]
    if questions:
        first: dict[str, Any] = {}
        for query, text in zip(queries.to_pylist(), table.columns[questions[0]], strict=True):
            first.setdefault(query, text)
        known = {"question": list(first.values())}
    taken = {*picked.values(), *each_column(names.values()), *questions}
    taken.update(*(usual.get(role, ()) for role in ("document", "score", "relevance")))
    others = [name for name in plain_names(table.columns) if name not in taken and spelled(name) not in _ONLY_IN_RUNS]
    return QueryColumns(table, others, queries.to_pylist, known)


def _columns(path: str, table: Table, picked: Mapping[str, str]) -> pa.Table:
    import pyarrow as pa

    try:
        return pa.table(
            {
                role: (_ids if role in ("query", "document") else _numbers)(path, table, name)
                for role, name in picked.items()
            }
        )
    except (TypeError, ValueError) as error:
        raise error if isinstance(error, FileError) else FileError(path, str(error)) from None


def _ids(path: str, table: Table, name: str) -> pa.ChunkedArray:
    """A column of ids as strings; integers become their digits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = None if isinstance(table.columns, ArrowColumns) else table.columns[name]
    if cells is not None and set(map(type, cells)) <= {str, int}:
        return pa.chunked_array([pa.array(map(str, cells), pa.string())])
    column = id_column(_unread(table, name), f"the column {name}")
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if table.is_text and (empty := pc.index(pc.binary_length(column), 0).as_py()) >= 0:
        raise FileError(path, f"row {empty}: the column {name} is empty; give a string or an integer")
    return column.cast(pa.string()) if pa.types.is_integer(kind) else column


def _numbers(path: str, table: Table, name: str) -> pa.ChunkedArray:
    """A column of numbers as float64."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _unread(table, name)
    if table.is_text:
        with contextlib.suppress(pa.ArrowInvalid):
            numbers = column.cast(pa.float64())
            if not pc.any(pc.is_inf(numbers)).as_py():  # else written so, or too large?
                return numbers
        return pa.chunked_array([pa.array(number_cells(path, column.to_pylist(), name), pa.float64())])
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise FileError(path, f"row {row}: the column {name} is empty; give a number in every row")
    return pa.chunked_array([pa.array(number_column(column, f"the column {name}").astype(np.float64))])


def _is_numeric(table: Table, name: str) -> bool:
    """Whether the first cell of a column is a number."""
    if isinstance(table.columns, ArrowColumns) and not table.is_text:
        kind = str(table.columns.schema.field(name).type)
        return kind.startswith(("int", "uint", "float", "double", "halffloat", "decimal"))
    if not isinstance(table.columns, ArrowColumns):
        cells = table.columns[name]
        return bool(cells) and isinstance(cells[0], (int, float))
    first = table.columns.arrow([name]).column(0).slice(0, 1).to_pylist()
    try:
        return bool(first) and float(first[0]) is not None
    except ValueError:
        return False


def _difference(found: Gold, gold: Gold) -> str | None:
    """A run has no rows for documents that it did not retrieve, so documents that only the gold file has are not a
    difference.
    """
    if found.kind == QUESTIONS:
        cells, gold_cells = (
            [None if row is None else judged_texts(row) for row in map(side.columns["references"].get, side.ids or ())]
            for side in (found, gold)
        )
        found, gold = (side if "ids" in side.names else dataclasses.replace(side, ids=None) for side in (found, gold))
        return first_difference(found, gold, cells, gold_cells)
    if not found.columns or not gold.columns:  # each row has its own judgement
        return None
    of_run, of_gold = (side.columns["references"].select(["query", "document", "relevance"]) for side in (found, gold))
    if of_run.equals(of_gold):
        return None
    judged: dict[str, dict[str, float]] = {}
    for query, document, relevance in _rows(of_gold):
        judged.setdefault(query, {})[document] = relevance
    for query, document, relevance in _rows(of_run):
        there = judged.get(query, {document: relevance}).get(document)
        if relevance != (there or 0.0):
            other = "it is not judged" if there is None else f"{there:g}"
            pair = f"the document {document!r} of the query {query!r}"
            return f"{pair} has the relevance {relevance:g}, but {other} in {gold.path}"
    return None


def _rows(table: pa.Table) -> Iterator[tuple[str, str, float]]:
    query, document, relevance = table.columns
    return zip(
        query.cast("string").to_pylist(), document.cast("string").to_pylist(), relevance.to_pylist(), strict=True
    )


def _fits_requested(value: Any, metric: str | None) -> bool:
    return metric == METRIC and _table_of(value) is not None


def _fits(value: Any, metric: str | None) -> bool:
    """Whether a table can only be a table of rankings; never if answers are requested."""
    table: Any = None if metric == "answer_match" else as_table(value)
    return table is not None and bool(_serves_as_ranking(table) or _serves_as_questions(table))


def _describe(value: Any, requested: bool = False) -> tuple[str, frozenset[str]]:
    table = _table_of(value)
    serves = _serves_as_ranking(table) or (frozenset() if requested else _serves_as_questions(table)) or BOTH
    what = {"gold": "judgements", "predictions": "a run"}.get("".join(serves), "a table of rankings")
    return f"{what} ({table.format} with the columns {', '.join(table.columns)})", serves


def _has_both(value: Table) -> bool:
    table = _table_of(value)
    return table is not None and _has_questions(table, {}) and "qrels" in lists_of(table, {})


REQUESTED = Format(
    "ranking_table",
    "a table of rankings",
    METRIC,
    _fits_requested,
    order=50,
    read_gold=_read_gold,
    read_predictions=_read_run,
    describe=lambda value: _describe(value, requested=True),
    is_table=True,
    roles=(*_ROLES, "run", "qrels"),
    gold_role="relevance",
    prediction_role="score",
    has_both=_has_both,
    compared={"ranking_table": "relevance", QUESTIONS: "qrels"},
    difference=_difference,
)
TABLE = dataclasses.replace(REQUESTED, fits=_fits, describe=_describe, order=85)
