"""Reads every layout of rankings and judgements (dicts, lists, rows, tables of any library) into two checked, plain
forms.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..core.arrow import arrow_integers, mixed
from ..core.columns import check_lengths, check_rows, have_no_rows, is_real, plain_rows, real_numbers, to_list
from ..core.errors import NoRows, about, blamed
from ..core.gold_fingerprints import GoldFingerprints, column_prints, float_prints, print_sums
from ..core.intake import field_of
from ..core.options import did_you_mean
from ..core.remarks import remark
from ..core.shown import describe, shown
from .id_matching import IdTexts, as_int, id_list, may_have_duplicates, once_in_segments, split_queries
from .query_ids import first_repeated, has_text_keys, id_texts, unique_texts
from .tables import (
    column_of,
    document_column,
    find_columns,
    id_column,
    is_ranking_row,
    number_column,
    ranking_roles,
    score_role,
    scores_of_ranks,
    table_of,
    to_arrow,
)

_UNUSUAL_LEVEL = 10  # highest relevance that judges assign; a higher number may be a score
_MOST_LEVELS = 6  # largest expected number of distinct relevance levels
_MOST_MEANS = 30  # largest number of distinct values of a mean over a few judges; scores of a system have more
_TIMES_AS_MANY = 3  # ratio of documents per query in run and judgements at which the two may be swapped
_GIVE_RANKING = "give one ranked list of document ids, or one dict document -> score, per query"
_GIVE_RELEVANT = "give one list or set of relevant document ids, or one dict document -> relevance, per query"


@dataclasses.dataclass
class NestedRun:
    """One ranking per query: a dict document -> score, a list of documents, or None if the run lacks the query.

    `keys` are the query ids as text, None if rankings and judgements are matched by position; `scores` are lists
    parallel to the lists of documents.
    """

    keys: list[str] | None
    documents: list
    scores: list | None = None
    has_dicts: bool = False


@dataclasses.dataclass
class TableRun:
    """One row per retrieved document, query after query.

    `keys` are the query ids as text; the rows of query i are at offsets[i]:offsets[i + 1] of `document` (a
    pyarrow.ChunkedArray) and `score` (numbers, numpy).
    """

    keys: list[str]
    offsets: np.ndarray
    document: Any
    score: np.ndarray


@dataclasses.dataclass
class Judgements:
    """Judgements of q queries, query after query.

    `ids` are the query ids as given and `keys` the same as text (None by position); the judgements of query i are at
    offsets[i]:offsets[i + 1] of `documents` and `relevance` (float64). `from_run`: they come from the rows of the run.
    `are_named`: a column that is called relevance has them, so they are no run.
    """

    ids: Sequence
    keys: list[str] | None
    offsets: np.ndarray
    documents: IdTexts
    relevance: np.ndarray
    from_run: bool = False
    are_named: bool = False

    @property
    def gold(self) -> GoldFingerprints | None:
        """Fingerprints of the judged documents of each query; None if each run brings its own judgements."""
        if self.from_run:
            return None
        documents, relevance, offsets = self.documents, self.relevance, self.offsets

        def made() -> np.ndarray:
            return print_sums(mixed(column_prints(documents.binary) ^ float_prints(relevance)), offsets)

        return GoldFingerprints(len(self.ids), {"judgements": made})


def read_rankings(columns: Mapping[str, Any]) -> tuple[NestedRun | TableRun, Judgements]:
    """Recognise and check the layouts of the run and the judgements.

    Args:
        columns: `predictions`: a dict query -> dict document -> score, or -> ranked list of documents or of (document,
            score); n such lists or dicts; n rows {"id", "documents"[, "scores"]}; or a table (Arrow, data frame, data
            set, dict of columns, rows as dicts) with columns for query, document and score. `references`: the same with
            relevance for score, where lists and sets hold the relevant documents; None if the table of predictions
            has a column of labels. `ids`, `scores` and `relevances` go with lists only. `named`: both were given as
            run and qrels, so they are not swapped. `duplicates` (here for judgements) and `lower_is_better`: of
            `RankingOptions`.
    """
    run, judgements = _read(columns)
    if not (judgements.from_run or judgements.are_named):
        _refuse_swapped(run, judgements, named=bool(columns.get("named")))
    return run, judgements


def how_swapped(predictions: Any, references: Any) -> str | None:
    """Whether the run of two files looks like judgements, and the judgements like a run: "surely", "maybe" or None."""
    if isinstance(references, Mapping):
        rows = [row for row in references.values() if isinstance(row, Mapping)]
        relevance = np.array([number for row in rows for number in row.values() if is_real(number)], np.float64)
    else:
        relevance = number_column(references.column("relevance"), "relevance")
    if not _may_be_scores(relevance):
        return None
    run, judgements = _read({"predictions": predictions, "references": references, "duplicates": "first"})
    return _swapped(run, judgements, named=False)


def _read(columns: Mapping[str, Any]) -> tuple[NestedRun | TableRun, Judgements]:
    if columns.get("ids") is not None:
        columns = {**columns, "ids": to_list(columns["ids"], "ids")}  # iterators can be read only once
    predictions, references = columns.get("predictions"), columns.get("references")
    if predictions is None:
        raise TypeError("predictions (the run) are not given; give rankings, for example {query: {document: score}}")
    table = table_of(predictions, "predictions")
    if table is not None and have_no_rows(table.values()):
        other = table_of(references, "references") or {"references": references}
        if have_no_rows([*table.values(), *other.values()]):
            raise NoRows("the run is empty: the table of predictions has no rows, nor have references")
    if references is None:
        if table is None:
            told = (
                "references (the judgements) are not given; give them, for example {query: {document: relevance}}, "
                "or a table of predictions with columns for query, score and label"
            )
            raise blamed(TypeError(told), "references")
        _refuse_idle(columns, "predictions is a table", "ids", "scores", "relevances")
        return _self_judged(table, columns)
    run: NestedRun | TableRun
    lower_is_better = bool(columns.get("lower_is_better"))
    if table is not None:
        _refuse_idle(columns, "predictions is a table", "ids", "scores")
        (query,) = find_columns(table, "predictions", ("query",))
        document = document_column(table, "predictions", references)
        ids = [to_arrow(table[name], f"predictions[{name!r}]") for name in (query, document)]
        run = _table_run(table, ids[0], ids[1], lower_is_better)
    else:
        run = _nested_run(predictions, columns)
        run = _turned(run) if lower_is_better else run
    with about("references"):
        judgements = _read_judgements(references, columns)
    _check_forms(run, judgements, columns)
    return run, judgements


def ranking_rows(column: Any, name: str) -> list:
    """A column of `read_rankings` as a list of rows, which can be joined with other rows; a table is split into
    rows.
    """
    table = table_of(column, name)
    if table is None:
        return to_list(column, name)
    find_columns(table, name, ("query",))
    used = {
        key: to_list(table[key], f"{name}[{shown(key)}]") for key in chain.from_iterable(ranking_roles(table).values())
    }
    check_lengths(**used)
    return [dict(zip(used, row, strict=True)) for row in zip(*used.values(), strict=True)]


def rows_have_queries(columns: Mapping[str, list]) -> bool:
    """Whether the rows of predictions and references name their query, so one side may have more rows."""
    filled = [columns[name] for name in ("predictions", "references") if columns.get(name)]
    return all(isinstance(rows[0], Mapping) and (_is_row(rows[0]) or is_ranking_row(rows[0])) for rows in filled)


def _refuse_idle(columns: Mapping[str, Any], why: str, *names: str) -> None:
    for name in names:
        if columns.get(name) is not None:
            raise blamed(TypeError(f"the column {name} belongs to lists, but {why}; leave {name} out"), None)


def _check_forms(run: NestedRun | TableRun, judgements: Judgements, columns: Mapping[str, Any]) -> None:
    by_position = isinstance(run, NestedRun) and run.keys is None
    if by_position != (judgements.keys is None):
        sides = ("predictions", "references") if by_position else ("references", "predictions")
        told = (
            f"{sides[0]} are a plain list, one row per query, but {sides[1]} are given by query id; "
            "give both as lists in the same order, or both by query id, for example as dicts"
        )
        raise blamed(ValueError(told), sides[0])
    if by_position and isinstance(run, NestedRun):
        check_lengths(predictions=run.documents, references=judgements.offsets[1:], ids=columns.get("ids"))


def _nested_run(predictions: Any, columns: Mapping[str, Any]) -> NestedRun:
    ids, rows, scores = _ids_and_rows(predictions, "predictions", "scores", columns)
    keys = None if ids is None else unique_texts(ids, "predictions id")
    if not len(rows):
        raise ValueError("the run is empty: predictions has no queries")
    given = [row for row in rows if row is not None]
    if keys is None and all(isinstance(row, str) for row in given) and given:
        raise TypeError(
            f"predictions is a flat list of strings (predictions[0] is {describe(given[0])}); {_GIVE_RANKING}"
        )
    names = range(len(rows)) if keys is None else keys
    if given and isinstance(given[0], Mapping):
        check_rows(
            rows, "predictions", names, (Mapping, type(None)) if keys is None else Mapping, "give every query a dict"
        )
        if scores is not None:
            raise TypeError("scores belong to lists of documents, but the rows of predictions are dicts; omit scores")
        return NestedRun(keys, rows, has_dicts=True)
    rankings = plain_rows(
        [[] if row is None and keys is None else row for row in rows], "predictions", names, _GIVE_RANKING
    )
    if scores is not None:
        scores = plain_rows(list(scores), "scores", names, "give one list of numbers per ranking")
        check_lengths(predictions=rankings, scores=scores)
        for row, (documents, numbers) in enumerate(zip(rankings, scores, strict=True)):
            if len(documents) != len(numbers):
                raise ValueError(
                    f"scores[{row}]{_of_query(names, row)} has {len(numbers)} numbers for {len(documents)} documents; "
                    "give one score per document"
                )
    elif any(rankings) and isinstance(next(filter(None, rankings))[0], (list, tuple)):
        rankings, scores = _split_pairs(rankings, names)
    documents = [None if row is None else items for row, items in zip(rows, rankings, strict=True)]
    return NestedRun(keys, documents, scores)


def _split_pairs(rows: Sequence[Sequence], names: Sequence) -> tuple[list, list]:
    """Lists of (document, score) as lists of documents and lists of scores."""
    for row, pairs in enumerate(rows):
        for place, pair in enumerate(pairs):
            if not isinstance(pair, (list, tuple)) or len(pair) != 2:
                raise TypeError(
                    f"predictions[{row}][{place}]{_of_query(names, row)} must be a pair (document, score) like the "
                    f"first one, got {describe(pair)}"
                )
    return [[pair[0] for pair in pairs] for pairs in rows], [[pair[1] for pair in pairs] for pairs in rows]


def _ids_and_rows(
    column: Any, name: str, beside: str, columns: Mapping[str, Any]
) -> tuple[Sequence[Any] | None, Any, Sequence[Any] | None]:
    """Query ids as given (None by position), the row of each query, and the numbers parallel to the rows."""
    if isinstance(column, Mapping):
        _refuse_idle(columns, f"{name} is a dict", "ids", beside)
        return list(column), list(column.values()), None
    rows = to_list(column, name)
    if len(rows) and isinstance(rows[0], Mapping) and _is_row(rows[0]):
        check_rows(rows, name, (), Mapping, "give every row as a dict like the first one")
        _refuse_idle(columns, f"{name} is a list of rows with ids", "ids", beside)
        for key in rows[0]:
            if key not in ("id", "documents", beside) and did_you_mean(key, [beside]):
                raise TypeError(f"{name}[0] has {shown(key)}; the numbers beside documents are called {beside!r}")
        ids, documents = (field_of(rows, key, name, required=True) for key in ("id", "documents"))
        return ids, documents, field_of(rows, beside, name)
    numbers = columns.get(beside)
    with about(beside):
        return None, rows, None if numbers is None else to_list(numbers, beside)


def _is_row(row: Mapping) -> bool:
    """Whether a dict is a row {"id", "documents"}, not documents with numbers."""
    return isinstance(row.get("id"), str) or not isinstance(row.get("documents", 0), (int, float, np.number))


def _read_judgements(references: Any, columns: Mapping[str, Any]) -> Judgements:
    table = table_of(references, "references")
    if table is not None:
        _refuse_idle(columns, "references is a table", "ids", "relevances")
        names = find_columns(table, "references", ("query", "document", "relevance"), "score")
        names[1] = document_column(table, "references", columns.get("predictions"))
        query, document, relevance = (to_arrow(table[name], f"references[{name!r}]") for name in names)
        judgements = _table_judgements(query, document, relevance, columns)
        return dataclasses.replace(judgements, are_named=column_of(table, "relevance") is not None)
    ids, rows, grades = _ids_and_rows(references, "references", "relevances", columns)
    if not len(rows):
        raise ValueError("there is nothing to score: references has no queries")
    keys = None if ids is None else unique_texts(ids, "references id")
    if ids is None:
        with about("ids"):
            ids = range(len(rows)) if columns.get("ids") is None else to_list(columns["ids"], "ids")
            check_lengths(references=rows, ids=ids)
            if not isinstance(ids, range):
                unique_texts(ids, "ids")
    return _nested_judgements(ids, keys, rows, grades, columns)


def _nested_judgements(
    ids: Sequence, keys: list[str] | None, rows: list, grades: Sequence | None, columns: Mapping[str, Any]
) -> Judgements:
    if isinstance(rows[0], Mapping):
        check_rows(
            rows, "references", ids, Mapping, "give every query a dict document -> relevance, like the first one"
        )
        if grades is not None:
            told = "relevances belong to lists of documents, but the rows of references are dicts; omit relevances"
            raise blamed(TypeError(told), "relevances")
        numbers: list = list(chain.from_iterable(row.values() for row in rows))
    else:
        rows = [row.tolist() if isinstance(row, np.ndarray) and row.ndim else row for row in rows]
        check_rows(rows, "references", ids, (list, tuple, set, frozenset), _GIVE_RELEVANT)
        if grades is not None:
            with about("relevances"):
                grades = plain_rows(list(grades), "relevances", ids, "give one list of numbers per query")
            check_lengths(references=rows, relevances=grades)
            for row, (documents, levels) in enumerate(zip(rows, grades, strict=True)):
                if not isinstance(documents, (list, tuple)):
                    raise TypeError(
                        f"references[{row}]{_of_query(ids, row)} is a set, which has no order; "
                        "give a list beside relevances"
                    )
                if len(documents) != len(levels):
                    told = f"relevances[{row}]{_of_query(ids, row)} has {len(levels)} numbers for {len(documents)} "
                    raise blamed(ValueError(f"{told}documents; give one relevance per document"), "relevances")
            numbers = list(chain.from_iterable(grades))
        else:
            numbers = []
    sizes = np.fromiter(map(len, rows), np.int64, len(rows))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    owner = np.repeat(np.arange(len(rows)), sizes)
    documents = list(chain.from_iterable(rows))
    if not all(map(has_text_keys, rows)):
        documents = id_texts(documents, "references", lambda place: f" of query {shown(ids[owner[place]])}")
    relevance = _relevance(numbers, owner, ids, documents) if len(numbers) else np.ones(len(documents))
    judgements = Judgements(ids, keys, offsets, IdTexts(documents), relevance)
    return _checked(judgements, columns, may_repeat=not isinstance(rows[0], Mapping))


def _turned(run: NestedRun) -> NestedRun:
    """A run whose lowest scores are the best, with the scores that rank the other way round."""

    def turned(score: Any) -> Any:
        return -score if is_real(score) else score  # what is no number is refused later, with a name

    if run.has_dicts:
        rows = [None if row is None else {document: turned(row[document]) for document in row} for row in run.documents]
        return dataclasses.replace(run, documents=rows)
    if run.scores is None:
        raise ValueError("predictions are ranked lists without scores, so lower_is_better says nothing; omit it")
    return dataclasses.replace(run, scores=[list(map(turned, row)) for row in run.scores])


def _table_run(table: Mapping[str, Any], query: Any, document: Any, lower_is_better: bool) -> TableRun:
    roles = ranking_roles(table)
    role = score_role(roles, lower_is_better)
    (name,) = find_columns(table, "predictions", (role,))
    column = to_arrow(table[name], f"predictions[{name!r}]")
    check_lengths(query=query, document=document, score=column)
    if not len(query):
        raise ValueError("the run is empty: the table of predictions has no rows")
    document, score = id_column(document, "predictions document"), number_column(column, f"predictions {role}")
    if role == "rank":
        score = scores_of_ranks(score, f"predictions[{name!r}]")
    elif lower_is_better:
        score = -score.astype(np.float64)
    keys, offsets, order = split_queries(id_column(query, "predictions query"))
    if order is not None:
        document, score = document.take(arrow_integers(order)), score[order]
    run = TableRun(keys, offsets, document, score)
    if role != "rank" and len(roles.get("rank", ())) == 1:
        _remark_ranks(run, table[roles["rank"][0]], order, roles["rank"][0])
    return run


def check_ranks(table: Mapping[str, Any], lower_is_better: bool) -> None:
    """Warn if the scores of a run contradict its ranks.

    Args:
        table: the columns query, document, score and rank.
    """
    if len(table["query"]):
        _table_run(table, to_arrow(table["query"], "query"), to_arrow(table["document"], "document"), lower_is_better)


def _remark_ranks(run: TableRun, column: Any, order: np.ndarray | None, name: str) -> None:
    """Warn if scores contradict the ranks beside them: of two neighbouring rows of a query, or its last and its first,
    the one with the lower score has the better rank.
    """
    import pyarrow as pa

    try:
        ranks = number_column(to_arrow(column, name).cast(pa.float64()), name)
    except (TypeError, ValueError, IndexError, pa.ArrowInvalid):  # what is not scored need not be a number
        return
    ranks = ranks if order is None else ranks[order]
    starts, ends = run.offsets[:-1], run.offsets[1:] - 1

    def contradict(rows: Any, others: Any) -> np.ndarray:
        rank, other, score, other_score = ranks[rows], ranks[others], run.score[rows], run.score[others]
        return (rank < other) & (score < other_score) | (rank > other) & (score > other_score)

    are_turned = np.append(contradict(slice(-1), slice(1, None)), False)
    are_turned[ends] = contradict(ends, starts)
    turned = np.flatnonzero(are_turned)
    if not len(turned):
        return
    queries = np.unique(np.searchsorted(run.offsets, turned, "right") - 1)
    pair = turned[0], starts[queries[0]] if turned[0] == ends[queries[0]] else turned[0] + 1
    best, last = sorted(pair, key=ranks.__getitem__)
    documents = id_list(run.document.take(arrow_integers(np.array([best, last]))))
    remark(
        f"the scores of the run contradict its column {name}: query {shown(run.keys[queries[0]])} has {shown(documents[0])} at "
        f"rank {ranks[best]:g}, but {shown(documents[1])} at rank {ranks[last]:g} has the better score (so in "
        f"{len(queries)} of {len(run.keys)} queries); the scores count: repair the wrong column, or, where the lowest score is "
        "best, set lower_is_better"
    )


def _table_judgements(query: Any, document: Any, relevance: Any, columns: Mapping[str, Any]) -> Judgements:
    import pyarrow as pa

    check_lengths(query=query, document=document, relevance=relevance)
    if not len(query):
        raise ValueError("there is nothing to score: the table of references has no rows")
    document, numbers = id_column(document, "references document"), number_column(relevance, "references relevance")
    keys, offsets, order = split_queries(id_column(query, "references query"))
    numbers = numbers.astype(np.float64)
    if order is not None:
        document, numbers = document.take(arrow_integers(order)), numbers[order]
    is_text = pa.types.is_string(document.type) or pa.types.is_large_string(document.type)
    documents = IdTexts(column=document) if is_text else IdTexts(id_list(document))
    kind = query.type.value_type if pa.types.is_dictionary(query.type) else query.type
    ids = [as_int(key) for key in keys] if pa.types.is_integer(kind) else keys
    judgements = Judgements(ids, keys, offsets, documents, numbers)
    return _checked(judgements, columns, may_repeat=True)


def _self_judged(table: Mapping[str, Any], columns: Mapping[str, Any]) -> tuple[TableRun, Judgements]:
    """A table with a label for each score; without a column of documents, the row numbers are the documents."""
    import pyarrow as pa

    names = find_columns(table, "predictions", ("query", "relevance"))
    query, relevance = (to_arrow(table[name], f"predictions[{name!r}]") for name in names)
    check_lengths(query=query, relevance=relevance)
    key = column_of(table, "document")
    if key is not None:
        document = to_arrow(table[key], f"predictions[{key!r}]")
    elif len(query):
        _, offsets, order = split_queries(id_column(query, "predictions query"))
        position = np.arange(len(query)) - np.repeat(offsets[:-1], np.diff(offsets))
        if order is not None:
            position[order] = position.copy()
        document = pa.chunked_array([arrow_integers(position)])
    else:
        document = query
    run = _table_run(table, query, document, bool(columns.get("lower_is_better")))
    with about("references"):
        judgements = _table_judgements(query, document, relevance, columns)
    return run, dataclasses.replace(judgements, from_run=True)


def _relevance(numbers: list, owner: np.ndarray, ids: Sequence, documents: list[str]) -> np.ndarray:
    """Numbers as float64; refuse anything else."""
    try:
        return real_numbers(numbers)
    except TypeError:
        place = next(place for place, number in enumerate(numbers) if not is_real(number))
    raise TypeError(
        f"references: the relevance of document {shown(documents[place])} of query {shown(ids[owner[place]])} must be a number, "
        f"got {describe(numbers[place])}"
    )


def _checked(judgements: Judgements, columns: Mapping[str, Any], may_repeat: bool) -> Judgements:
    """The judgements, with each document of a query once; refuse relevance that is not finite and, with `may_repeat`,
    duplicate judgements of a document, unless `duplicates` says which one counts.
    """
    offsets, documents = judgements.offsets, judgements.documents
    if not len(documents):
        raise ValueError("there is nothing to score: references has no judgements")
    bad = np.flatnonzero(~np.isfinite(judgements.relevance))
    if len(bad):
        query = judgements.ids[int(np.searchsorted(offsets, bad[0], "right")) - 1]
        raise ValueError(
            f"references: the relevance of document {shown(documents.take(bad[:1]).listed[0])} of query {shown(query)} is "
            f"{judgements.relevance[bad[0]]}; give a finite number"
        )
    if not may_repeat or not may_have_duplicates(documents.binary, offsets):
        return judgements
    duplicates = columns.get("duplicates") or "error"
    if duplicates != "error":
        kept = once_in_segments(documents.binary, offsets, judgements.relevance if duplicates == "best" else None)
        starts = np.searchsorted(kept, offsets)
        return dataclasses.replace(
            judgements, offsets=starts, documents=documents.take(kept), relevance=judgements.relevance[kept]
        )
    for query in range(len(offsets) - 1):
        judged = documents.listed[offsets[query] : offsets[query + 1]]
        if len(set(judged)) != len(judged):
            raise ValueError(
                f"references: query {shown(judgements.ids[query])} judges the document {shown(first_repeated(judged)[1])} twice; "
                "give every document one relevance"
            )
    return judgements


def _refuse_swapped(run: NestedRun | TableRun, judgements: Judgements, named: bool) -> None:
    """Refuse a run and judgements that are swapped, and warn if they may be."""
    swapped = _swapped(run, judgements, named)
    if swapped == "surely":
        raise ValueError(
            "predictions look like judgements (integers of a few levels) and references like a run (real numbers); "
            "give the run as predictions and the judgements as references (by name: run=..., qrels=...), or, if they "
            "are just that, give the run as ranked lists of documents without scores"
        )
    if swapped == "maybe":
        remark(
            "predictions may be judgements (integers from 0 to 4) and references a run (its relevance looks like "
            "scores): the run comes first, then the judgements; give them by name to be sure: run=..., qrels=..."
        )


def _may_be_scores(relevance: np.ndarray) -> bool:
    """Whether at least half of the relevance values have a fraction, or one is higher than judges assign."""
    return relevance.max(initial=0.0) > _UNUSUAL_LEVEL or 2 * np.count_nonzero(relevance % 1) >= max(len(relevance), 1)


def _swapped(run: NestedRun | TableRun, judgements: Judgements, named: bool) -> str | None:
    """Whether a run of relevance levels and judgements that look like scores are swapped: "surely", "maybe" or None.

    Levels are integers with few distinct values. Surely, if at least half of the relevance values have a fraction, with
    more distinct values than judges assign. Maybe, unless the sides are `named`, according to `_may_be_swapped`.
    """
    relevance = judgements.relevance
    if not _may_be_scores(relevance):
        return None
    scores_and_sizes = _scores_of(run)
    if scores_and_sizes is None:
        return None
    scores, sizes = scores_and_sizes
    if not np.isfinite(scores).all() or (scores % 1).any() or len(np.unique(scores)) > _MOST_LEVELS:
        return None
    values = len(np.unique(relevance))
    if 2 * np.count_nonzero(relevance % 1) >= len(relevance) and values > _MOST_LEVELS:
        many = len(relevance) * len(sizes) >= _TIMES_AS_MANY * len(scores) * (len(judgements.offsets) - 1)
        if many and not named or values > _MOST_MEANS:
            return "surely"
    return "maybe" if not named and _may_be_swapped(scores, sizes, judgements) else None


def _may_be_swapped(scores: np.ndarray, sizes: np.ndarray, judgements: Judgements) -> bool:
    """Whether the scores of a run look like levels, and the relevance like scores.

    Scores look like levels if all are from 0 to 4 and one of these holds: one is 0; two of a query are equal (the ranks
    1..n as scores never have these two); all are the same number and at most a third as many as judgements; no document
    is relevant. Relevance looks like scores if at least half has a fraction or the highest is above 10, and no two of a
    query are equal.
    """
    if not len(scores) or scores.min() < 0 or scores.max() > 4:
        return False
    owner = np.repeat(np.arange(len(sizes)), sizes)
    same_score = (scores == scores[0]).all() and len(judgements.relevance) >= _TIMES_AS_MANY * len(scores)
    relevance, offsets = judgements.relevance, judgements.offsets
    has_relevant = relevance.max() >= 1
    if has_relevant and scores.all() and not same_score and len(np.unique(owner * 5 + scores)) == len(scores):
        return False
    order = np.lexsort((relevance, np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))))
    equal = np.diff(relevance[order]) == 0
    equal[offsets[1:-1][(offsets[1:-1] > 0) & (offsets[1:-1] < len(relevance))] - 1] = False
    return not equal.any()


def _scores_of(run: NestedRun | TableRun) -> tuple[np.ndarray, np.ndarray] | None:
    """The scores of a run, float64 (n,), and how many each query has; None if there are none, or not numbers."""
    if isinstance(run, TableRun):
        return run.score, np.diff(run.offsets)
    if run.scores is None and not run.has_dicts:
        return None
    rows = run.documents if run.scores is None else run.scores
    rows = [list(row.values()) if isinstance(row, Mapping) else row for row in rows if row is not None]
    try:
        scores = real_numbers(chain.from_iterable(rows))
    except TypeError:  # not numbers: refused later, with a name
        return None
    return scores, np.fromiter(map(len, rows), np.int64, len(rows))


def _of_query(names: Sequence, row: int) -> str:
    """The text " (query 'q1')" for messages; "" if queries have only positions."""
    return "" if isinstance(names, range) else f" (query {shown(names[row])})"
