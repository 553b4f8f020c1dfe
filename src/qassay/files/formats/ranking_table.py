"""Tables of rankings (CSV, TSV, JSON rows, JSONL, Parquet): judgements, runs, or rows with both.

Columns stay Arrow columns from the file to the scores.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.columns import spelled
from ...core.file_columns import Gold, Predictions
from ...core.remarks import remark
from ...core.shown import shown
from ...retrieval_ranking.fields import could_be_either, ranking_roles, score_role
from ...retrieval_ranking.long import id_column, number_column, to_arrow
from ..arrow_columns import ArrowColumns, plain_names
from ..columns import PLAIN, Columns, names_here
from ..content import Content, Table
from ..reading import check_one_reference, number_cells
from ..tables import Names, as_table, each_column, paths_of, roles_of
from . import BOTH, GOLD, PREDICTIONS, Format
from ._documents import all_relevant, check_judgements, document_columns
from ._questions import RANKED, read_gold_ranking, read_ranking

if TYPE_CHECKING:
    import pyarrow as pa

METRIC = "retrieval_ranking"
_ROLES = ("query", "document", "score", "relevance")
_ONLY_IN_RUNS = {"rank", "system", "run_id"}


# --- which tables -----------------------------------------------------------------------------------------------------


def _table_of(value: Any) -> Table | Any:
    """A JSON value as a table of rankings: rows, one row, or columns of equal length; else None."""
    table = as_table(value)
    if table is not None or not isinstance(value, dict):
        return table
    roles = ranking_roles(value).keys()
    is_ranking = "query" in roles and roles & {"document", "score", "relevance"}
    return as_table(value, any_columns=True) if is_ranking else None


def _serves_as_ranking(table: Table) -> frozenset[str]:
    """The roles that a table of rankings can have ("gold", "predictions"); empty for other tables."""
    ranked, answers = ranking_roles(table.columns), roles_of(table)
    golds = set(answers.get("references", ())).difference(ranked.get("relevance", ()))
    if "query" not in ranked or "predictions" in answers or golds:
        return frozenset()
    numbers = {role for role in ranked if any(_is_numeric(table, name) for name in ranked[role])}
    judged, scored = "relevance" in numbers, "score" in numbers
    if "document" not in ranked:
        return BOTH if judged and scored else frozenset()
    names = [spelled(ranked[role][0]) for role in ("query", "document")]
    if len(table.columns) == 2 and all("id" in name or name == "docno" for name in names):  # ids, not texts
        return frozenset([GOLD])
    if "answer" in answers:
        return frozenset()
    if scored and not judged:  # judgements may also have this name, as in BEIR
        return BOTH if _ONLY_IN_RUNS.isdisjoint(map(spelled, table.columns)) else frozenset([PREDICTIONS])
    if judged:
        return BOTH if scored else frozenset([GOLD])
    return frozenset([PREDICTIONS] if numbers & {"rank", "distance"} else [])


def _is_numeric(table: Table, name: str) -> bool:
    """Whether the first cell of a column is a number; of typed files the type says it."""
    columns = table.columns
    if isinstance(columns, ArrowColumns) and not table.is_text:
        kind = str(columns.schema.field(name).type)
        return kind.startswith(("int", "uint", "float", "double", "halffloat", "decimal"))
    cells = columns.arrow([name]).column(0)[:1].to_pylist() if isinstance(columns, ArrowColumns) else columns[name][:1]
    try:
        return bool(cells) and (not isinstance(cells[0], str) or table.is_text) and float(cells[0]) is not None
    except (TypeError, ValueError):
        return False


def _serves_as_questions(table: Table) -> frozenset[str]:
    """The same for a table with one row per question; empty for a table with answers, which are scored instead."""
    if roles_of(table).keys() & {"predictions", "references", "answer"}:
        return frozenset()
    serves = {"qrels": GOLD, "run": PREDICTIONS}
    return frozenset(serves[role] for role in document_columns(table))


def _has_questions(table: Table, names: Names) -> bool:
    """Whether a row of a table is a question with its documents, not a pair of query and document: a column of
    retrieved or of gold documents is named, or there is a usual one and the table is not one of pairs.
    """
    if not names.keys().isdisjoint(("run", "qrels")):
        return True
    may_be = names.keys().isdisjoint(_ROLES) and not _serves_as_ranking(table)
    return may_be and bool(document_columns(table, "separator" in names))


# --- judgements -------------------------------------------------------------------------------------------------------


def _read_gold(content: Content, names: Names) -> Gold:
    """Judgements: columns for query, document and relevance; or for query, relevance and score, with judgements in the
    rows.
    """
    path, table = content.path, _table_of(content.value)
    if _has_questions(table, names):
        return read_gold_ranking(path, table, names)
    usual = ranking_roles(table.columns)
    names = _ranking_names(path, names)
    # A column of the run may be missing here; if it is missing everywhere, the run reports it.
    names = {
        role: name for role, name in names.items() if name in table.columns or role == "relevance" or role not in usual
    }
    columns = Columns(path, table, names, usual)
    _require(columns, "query")
    there, given = {*names, *usual}, {}
    if "document" not in there and {"relevance", "score"} <= there:
        _require(columns, "relevance")
        _require(columns, "score")
    else:
        _require(columns, "document")
        if len(table.columns) == 2 and "relevance" not in names:
            remark(f"{path}: there is no column of relevance: every listed document is relevant")
            given["references"] = all_relevant(_arrow(columns))
        else:
            _require(columns, "relevance", "score")
            given["references"] = _arrow(columns)
        if len(scores := columns.free("score")) == 1:
            columns.picked["score"] = scores[0]
    with table.columns.guard() if isinstance(table.columns, ArrowColumns) else contextlib.nullcontext():
        queries = (given.get("references") or _arrow(columns, "query")).column("query")
        distinct, details = queries.unique().to_pylist(), _details(columns, queries)
    return Gold(
        path, "ranking_table", given, {}, distinct, details, columns.picked,
        may_hold_predictions="score" in columns.picked, why_no_detail=details.why_not,
        compared="relevance", difference=_difference,
    )  # fmt: skip


def _details(columns: Columns, queries: pa.ChunkedArray) -> _Details:
    """The text of each query, where a column beside the ids has it, and the columns with one value per query."""
    table = columns.table
    questions = [columns.names["questions"]] if "questions" in columns.names else roles_of(table).get("questions", [])
    questions = [name for name in questions if name != columns.picked["query"] and name in table.columns][:1]
    named = [name for role, name in columns.names.items() if role != "groups"]  # which describe queries
    taken = {*each_column([*columns.picked.values(), *named]), *questions}
    taken.update(*(columns.usual.get(role, ()) for role in ("document", "score", "relevance")))
    others = [name for name in plain_names(table.columns) if name not in taken and spelled(name) not in _ONLY_IN_RUNS]

    def values(name: str) -> list | str:
        is_text = name == "question" and bool(questions)
        cells = table.columns[questions[0] if is_text else name]
        if not set(map(type, cells)) <= {*PLAIN, type(None)}:
            return f"the column {name} has cells of several values; give a column of one value per query"
        first: dict[str, Any] = {}
        for query, cell in zip(queries.to_pylist(), cells, strict=True):
            value = first.setdefault(query, cell)
            if value != cell and (value == value or cell == cell) and not is_text:  # NaN equals NaN here
                found = f"the query {shown(query)} has {shown(value)} and {shown(cell)}"
                return f"{name}: {found}; give all rows of a query one value"
        return list(first.values())

    return _Details([*["question"] * len(questions), *others], values)


class _Details(Mapping[str, list]):
    """Name -> one value per query, in the order in which the queries appear; a column is read when it is requested."""

    def __init__(self, names: Sequence[str], values: Callable[[str], list | str]):
        """Args: the names that there may be, and a function: name -> the value of each query, or why there are none."""
        self._names, self._values = dict.fromkeys(names), functools.cache(values)

    def why_not(self, name: str) -> str:
        """What keeps a column from being a detail; "" for any other column."""
        found = self._values(name) if name in self._names else ""
        return found if isinstance(found, str) else ""

    def __getitem__(self, name: str) -> list:
        values = self._values(name) if name in self._names else ""
        if isinstance(values, str):
            raise KeyError(name)
        return values

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._names if isinstance(self._values(name), list))

    def __len__(self) -> int:
        return sum(1 for _ in self)


# --- runs -------------------------------------------------------------------------------------------------------------


def _read_run(content: Content, gold: Gold, names: Names) -> Predictions:
    """A run: columns for query, document and score; for a gold table that judges itself query, relevance and score."""
    path, table = content.path, _table_of(content.value)
    if _has_questions(table, names) or gold.kind == RANKED and not _serves_as_ranking(table):
        return read_ranking(path, table, gold, names)
    if gold.columns:
        check_judgements(gold)
    names = names_here(path, table, gold, _ranking_names(path, names))
    columns = Columns(path, table, names, ranking_roles(table.columns))
    _require(columns, "query")
    if gold.columns:
        _require(columns, "document")
    # A column that is named for the scores has the role that its name says.
    usual = ranking_roles([names["score"]]) if "score" in names else columns.usual
    role = score_role(usual, bool(gold.options.get("lower_is_better")))
    if "score" in names:
        columns.names = {**names, role: names["score"]}
    _require(columns, role)
    if not gold.columns:
        _require(columns, "relevance")
    run = _arrow(columns)
    ranks = [name for name in columns.usual.get("rank", ()) if name not in columns.picked.values()]
    if len(ranks) == 1:
        with contextlib.suppress(TypeError, ValueError):  # what is not scored need not be a rank
            run = run.append_column("rank", _as_it_is(table, ranks[0]))
    return Predictions(path, {"predictions": run}, names=columns.picked)


def _ranking_names(path: str, names: Names) -> dict[str, str]:
    """The columns named for roles, with the id of a ranking under the name "query"."""
    check_one_reference(path, names, METRIC)
    if "weights" in names:
        raise ValueError('weights of queries are not read from files; omit "weights" from columns, or use qassay.score')
    if "separator" in names:
        raise ValueError('cells hold one value here; omit "separator" from columns')
    return {"query" if role == "ids" and "query" not in names else role: name for role, name in names.items()}


def _require(columns: Columns, *roles: str) -> None:
    """Pick the column of the first of these roles."""
    advice = ", the highest for the best document" if roles[0] == "score" else ""
    first_wins = roles[0] == "document" or roles[0] == "query" and not could_be_either(columns.free("query"))
    columns.require(*roles, advice=advice, first_wins=first_wins)


# --- columns of Arrow -------------------------------------------------------------------------------------------------


def _arrow(columns: Columns, *roles: str) -> pa.Table:
    """The picked columns, of these roles (none: of all): ids as strings, numbers as float64."""
    import pyarrow as pa

    read = {role: _ids if role in ("query", "document") else _numbers for role in roles or columns.picked}
    return pa.table({role: of(columns, columns.picked[role]) for role, of in read.items()})


def _as_it_is(table: Table, name: str) -> pa.ChunkedArray:
    columns = table.columns
    return to_arrow(columns.arrow([name]).column(0) if isinstance(columns, ArrowColumns) else columns[name], name)


def _ids(columns: Columns, name: str) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    table = columns.table
    cells = None if isinstance(table.columns, ArrowColumns) else table.columns[name]
    if cells is not None and set(map(type, cells)) <= {str, int}:
        return pa.chunked_array([pa.array(map(str, cells), pa.string())])
    column = id_column(_as_it_is(table, name), f"the column {name}")
    if table.is_text and (empty := pc.index(pc.binary_length(column), 0).as_py()) >= 0:
        raise ValueError(f"row {empty}: the column {name} is empty; give a string or an integer")
    return column


def _numbers(columns: Columns, name: str) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _as_it_is(columns.table, name)
    if columns.table.is_text:
        with contextlib.suppress(pa.ArrowInvalid):
            numbers = column.cast(pa.float64())
            if not pc.any(pc.is_inf(numbers)).as_py():  # else written so, or too large?
                return numbers
        return pa.chunked_array([pa.array(number_cells(columns.path, column.to_pylist(), name), pa.float64())])
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise ValueError(f"row {row}: the column {name} is empty; give a number in every row")
    return pa.chunked_array([pa.array(number_column(column, f"the column {name}").astype(np.float64))])


# --- two gold tables --------------------------------------------------------------------------------------------------


def _difference(found: Gold, gold: Gold) -> str | None:
    """A run has no rows for documents that it did not retrieve, so documents that only the gold file has are not a
    difference.
    """
    if not found.columns or not gold.columns:  # each row has its own judgement
        return None
    of_run, of_gold = (side.columns["references"].select(["query", "document", "relevance"]) for side in (found, gold))
    if of_run.equals(of_gold):
        return None
    rows, gold_rows = (zip(*(column.to_pylist() for column in of.columns), strict=True) for of in (of_run, of_gold))
    judged = {(query, document): relevance for query, document, relevance in gold_rows}
    queries = {query for query, _ in judged}
    for query, document, relevance in rows:
        there = judged.get((query, document))
        if query in queries and relevance != (there or 0.0):
            other = "it is not judged" if there is None else f"{there:g}"
            pair = f"the document {document!r} of the query {query!r}"
            return f"{pair} has the relevance {relevance:g}, but {other} in {gold.path}"
    return None


# --- formats ----------------------------------------------------------------------------------------------------------


def _fits(value: Any, metric: str | None) -> bool:
    """Whether a table can only be a table of rankings; never if answers are requested."""
    table: Any = None if metric == "answer_match" else as_table(value)
    return table is not None and bool(_serves_as_ranking(table) or _serves_as_questions(table))


def _describe(value: Any, requested: bool = False) -> tuple[str, frozenset[str]]:
    table = _table_of(value)
    serves = _serves_as_ranking(table) or (frozenset() if requested else _serves_as_questions(table)) or BOTH
    what = {GOLD: "judgements", PREDICTIONS: "a run"}.get("".join(serves), "a table of rankings")
    return f"{what} ({table.format} with the columns {', '.join(paths_of(table.columns))})", serves


def _has_both(value: Table) -> bool:
    table = _table_of(value)
    return table is not None and _has_questions(table, {}) and "qrels" in document_columns(table)


REQUESTED = Format(
    "ranking_table",
    "a table of rankings",
    METRIC,
    lambda value, metric: metric == METRIC and _table_of(value) is not None,
    order=50,
    read_gold=_read_gold,
    read_predictions=_read_run,
    describe=lambda value: _describe(value, requested=True),
    is_table=True,
    roles=(*_ROLES, "run", "qrels"),
    gold_role="relevance",
    prediction_role="score",
    has_both=_has_both,
)
TABLE = dataclasses.replace(REQUESTED, fits=_fits, describe=_describe, order=85)
