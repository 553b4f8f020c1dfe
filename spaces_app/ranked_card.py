"""What the card of an example shows of rankings and of retrieved documents: ids with what was judged of them."""

from collections.abc import Mapping
from typing import Any

from qassay.core.family import given_rows
from qassay.retrieval_ranking.rows import first_documents, judged_documents, relevant_documents
from qassay.retriever_reader.columns import read_pipeline
from qassay.spaces_app.analysis import Analysis

SHOWN = 10  # documents of a ranking
_MOST_RELEVANT = 50
_ALL = 10**9


def _judged_and_run(analysis: Analysis, system: str) -> tuple[Any, Any]:
    """The judgements, and the run; of a table with both the same."""
    ran = analysis.main.columns[system]["predictions"]
    judged = analysis.gold.columns.get("references")
    return (ran if judged is None else judged), ran


def judged_ranking(analysis: Analysis, system: str, row: int) -> list[tuple[str, tuple[bool | None, float | None]]]:
    """The first documents of a query: id, and whether it is relevant (None: nobody judged it) with its relevance."""
    scores = analysis.scores(system)
    judged, ran = _judged_and_run(analysis, system)
    ids = [scores.ids[row]]
    worth = judged_documents(judged, ids)[0]
    found = []
    for document in first_documents(ran, judged, ids, scores.options, SHOWN)[0]:
        value = worth.get(document)
        is_judged = value is not None and value >= 0  # below 0: in the pool, but nobody judged it
        found.append((document, (value >= scores.options.relevance_level if is_judged else None, value)))
    return found


def ranked_documents(analysis: Analysis, rows: Mapping[str, int]) -> list[tuple[str, float, list[int | None]]]:
    """The relevant documents of a query, the best first: id, relevance, and the rank that each system gives it.

    Args:
        rows: system -> the place of the query in its scores.
    """
    first = next(iter(rows))
    judged, _ = _judged_and_run(analysis, first)
    ids = [analysis.scores(first).ids[rows[first]]]
    worth = judged_documents(judged, ids)[0]
    relevant = relevant_documents(judged, ids, analysis.scores(first).options, _MOST_RELEVANT)[0]
    ranks = []
    for system in rows:
        own, ran = _judged_and_run(analysis, system)
        order = first_documents(ran, own, ids, analysis.scores(system).options, _ALL)[0]
        ranks.append({document: rank for rank, document in reversed(list(enumerate(order, 1)))})
    return [(document, worth[document], [of_one.get(document) for of_one in ranks]) for document in relevant]


def found_documents(analysis: Analysis, system: str, row: int, place: int) -> list[tuple[str, bool]]:
    """The first documents that a pipeline retrieved for a question: id, and whether it is a gold document.

    Args:
        row, place: of the question in the scores and in the gold file.
    """
    scores = analysis.scores(system)
    given = analysis.main.columns[system]["predictions"]
    last = analysis.family.keeps_last(scores.options)
    sides = {
        "predictions": given_rows(given, analysis.gold, scores, [row], [place], last),
        "references": [analysis.gold.columns["references"][place]],
    }
    columns = read_pipeline(
        {name: [_without_id(side[0])] for name, side in sides.items()},
        missing="zero",
        duplicates="error",
        document_field=scores.options.document_field,
    )
    gold = set(columns.gold_documents[0])
    return [(name, name in gold) for name in columns.retrieved[0][:SHOWN]]


def _without_id(row: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    return row if row is None else {name: value for name, value in row.items() if name != "id"}
