"""Ranks of the judged documents of every query, the input of every ranking measure.

Only judged documents are ranked, by counting: rank = 1 + documents with a higher score + tied documents that precede.
Only the ids of tied documents are sorted, and in tables the ids of unjudged documents never become Python strings.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.columns import check_lengths, have_no_rows, to_list
from ..core.errors import InputError, NoRows, about
from ..core.ids import rows_of_ids
from ..core.shown import shown
from .counting import ranks_in
from .fields import table_of
from .judgements import Judgements
from .long import LongRun, read_long_judgements, read_long_run, read_self_judged
from .nested import NestedRun, read_nested_judgements, read_nested_run, refuse_unread
from .ties import RankedHits

_NONE = (np.empty(0, np.int64),) * 4


def read_rankings(
    columns: Mapping[str, Any], duplicates: str, lower_is_better: bool
) -> tuple[NestedRun | LongRun, Judgements]:
    """Recognise and check the layouts of the run and the judgements.

    Args:
        columns: `predictions`: a dict query -> dict document -> score, or -> ranked list of documents or of (document,
            score); n such lists or dicts; n rows {"id", "documents"[, "scores"]}; or a table (Arrow, data frame, data
            set, dict of columns, rows as dicts) with columns for query, document and score. `references`: the same with
            relevance for score, where lists and sets hold the relevant documents; None if the table of predictions
            has a column of labels. `ids`, `scores` and `relevances` go with lists only.
        duplicates, lower_is_better: as in `RankingOptions`.
    """
    if columns.get("ids") is not None:
        columns = {**columns, "ids": to_list(columns["ids"], "ids")}  # iterators can be read only once
    predictions, references = columns.get("predictions"), columns.get("references")
    if predictions is None:
        raise TypeError("predictions (the run) are not given; give rankings, for example {query: {document: score}}")
    table = table_of(predictions, "predictions")
    run: NestedRun | LongRun
    if table is None:
        if references is None:
            message = (
                "references (the judgements) are not given; give them, for example {query: {document: relevance}}, "
                "or a table of predictions with columns for query, score and label"
            )
            raise InputError("references", message)
        run = read_nested_run(predictions, columns, duplicates, lower_is_better)
    else:
        other = table_of(references, "references") or {"references": references}
        if have_no_rows(table.values()) and have_no_rows([*table.values(), *other.values()]):
            raise NoRows("the run is empty: the table of predictions has no rows, nor have references")
        refuse_unread(columns, "predictions is a table", "ids", "scores")
        if references is None:
            refuse_unread(columns, "predictions is a table", "relevances")
            return read_self_judged(table, duplicates, lower_is_better)
        run = read_long_run(table, duplicates, lower_is_better)
    with about("references"):
        table = table_of(references, "references")
        if table is not None:
            refuse_unread(columns, "references is a table", "ids", "relevances")
            judgements = read_long_judgements(table, duplicates)
        else:
            judgements = read_nested_judgements(references, columns, duplicates)
        if not len(judgements.relevance):
            raise ValueError("there is nothing to score: references has no judgements")
    if (run.keys is None) != (judgements.keys is None):
        listed, by_id = ("predictions", "references") if run.keys is None else ("references", "predictions")
        message = (
            f"{listed} are a plain list, one row per query, but {by_id} are given by query id; "
            "give both as lists in the same order, or both by query id, for example as dicts"
        )
        raise InputError(listed, message)
    if run.keys is None:
        check_lengths(predictions=run.rows, references=judgements.ids, ids=columns.get("ids"))
    return run, judgements


def ranked_hits(
    run: NestedRun | LongRun,
    judgements: Judgements,
    rows: np.ndarray,
    options: Any,
    relevant_from: float | None = None,
) -> RankedHits:
    """The ranks of the judged documents.

    Args:
        rows: int64 (q,), the ranking of each judged query, as `match_queries` gives them.
        options: `RankingOptions`, of which the ranks depend on ties, score_dtype and drop_identical_ids; tied
            documents have the rank of their order with ties "trec" and "stable", else the first rank of their group.
        relevant_from: rank only judged documents of at least this relevance; None: all.
    """
    judged = judgements
    if relevant_from is not None:
        judged = judgements.take(np.flatnonzero(judgements.relevance >= relevant_from))
    retrieved, hits = np.zeros(len(rows), np.int64), []
    for block in run.blocks(rows, judged, options.drop_identical_ids):
        retrieved[block.query] = np.diff(block.offsets)
        hits.append((block.found, *ranks_in(block, judged, options)))
        del block  # its memory serves the next one
    found, rank, greater, equal = map(np.concatenate, zip(_NONE, *hits, strict=True))
    query = judged.query[found]
    order = np.argsort(query * (int(rank.max(initial=0)) + 1) + rank, kind="stable")
    return RankedHits(
        retrieved,
        judgements.query,
        judgements.relevance,
        query[order],
        judged.relevance[found[order]],
        rank[order],
        greater[order],
        equal[order],
    )


def match_queries(run: NestedRun | LongRun, judgements: Judgements) -> tuple[np.ndarray, int]:
    """For each judged query its row in the run (-1 if missing), and how many queries of the run have no judgements."""
    if isinstance(run, NestedRun) and run.keys is None:
        return np.array([-1 if ranking is None else row for row, ranking in enumerate(run.rows)], np.int64), 0
    keys, judged = run.keys or [], judgements.keys or []
    rows = rows_of_ids(judged, keys)
    matched = int(np.count_nonzero(rows >= 0))
    if not matched:
        raise ValueError(
            f"run and judgements have no query in common: the run has ids like {shown(keys[0])}, the judgements like "
            f"{shown(judged[0])}; are they of the same data set?"
        )
    return rows, len(keys) - matched
