"""What the card of an example shows of rankings and of retrieved documents: ids with what was judged of them."""

from collections.abc import Mapping

from qassay.core.family_telling import Examples, JudgedDocument
from qassay.spaces_app.analysis import Analysis

SHOWN = 10  # documents of a ranking
_MOST_RELEVANT = 50


def shown_documents(analysis: Analysis, system: str, row: int, place: int) -> list[JudgedDocument]:
    """The first documents that a system gave for an example.

    Args:
        row, place: of the example in the scores and in the gold file.
    """
    columns, scores = analysis.main.columns[system], analysis.scores(system)
    examples = Examples(analysis.gold, columns, scores, [row], [place])
    return analysis.family.telling.first_documents(examples, SHOWN)[0]


def ranked_documents(analysis: Analysis, rows: Mapping[str, int]) -> list[tuple[str, float, list[int | None]]]:
    """The relevant documents of a query, the best first: id, relevance, and the rank that each system gives it.

    Args:
        rows: system -> the place of the query in its scores.
    """
    examples = [
        Examples(analysis.gold, analysis.main.columns[system], analysis.scores(system), [row])
        for system, row in rows.items()
    ]
    (relevant,) = analysis.family.telling.relevant_documents(examples[0], _MOST_RELEVANT)
    ranks = [analysis.family.telling.document_ranks(of_one)[0] for of_one in examples]
    return [(name, relevance, [of_one.get(name) for of_one in ranks]) for name, relevance in relevant.items()]
