"""The kind of error of each ranking, from the columns of its scores: "found late", "not found", ..."""

from ..core.family_telling import ErrorKinds
from ..core.scores import Scores
from ..core.slices import first_that_holds

_FOUND_UP_TO = 10  # ranks


def ranking_error_kinds(scores: Scores) -> list[str] | None:
    """The kind of error of each ranking of retrieval_ranking; None without the columns `mrr` and `unjudged@1`, and with
    ties="expected", because documents then have no single rank.

    The first kind that applies:

    - "no relevant": the query has no relevant document.
    - "not in the run": the run does not have the query.
    - "relevant first": the document at rank 1 is relevant.
    - "found, not first": the first relevant document is at rank 2 to 10.
    - "unjudged top": no relevant document up to rank 10, and the document at rank 1 is unjudged: the pool of judgements
      may be too shallow to decide, so this kind precedes the next two.
    - "found late": the first relevant document is after rank 10.
    - "not found": the ranking has no relevant document, or is empty.
    """
    if not {"mrr", "unjudged@1"} <= scores.columns.keys() or scores.options.ties == "expected":
        return None
    reciprocal, unjudged = scores.columns["mrr"], scores.columns["unjudged@1"]
    return first_that_holds(
        {
            "no relevant": scores.subsets["no_relevant"],
            "not in the run": scores.subsets["missing"],
            "relevant first": reciprocal == 1,
            "found, not first": reciprocal >= 1 / _FOUND_UP_TO,
            "unjudged top": unjudged == 1,
            "found late": reciprocal > 0,
        },
        "not found",
    )


RANKING_ERRORS = ErrorKinds(
    {
        "relevant first": "The first document is relevant.",
        "found, not first": "The first relevant document is at rank 2 to 10.",
        "found late": "The first relevant document is after rank 10.",
        "unjudged top": "No document up to rank 10 is relevant, and nobody judged the first one.",
        "not found": "No relevant document is in the ranking.",
        "not in the run": "There is no ranking.",
        "no relevant": "The query has no relevant document.",
    },
    ("relevant first", "no relevant"),
    ranking_error_kinds,
)
