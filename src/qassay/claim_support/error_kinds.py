"""The kinds of errors of claim_support, from the columns of its scores."""

import numpy as np

from ..core.family_telling import ErrorKinds
from ..core.scores import Scores
from ..core.slices import first_that_holds

_DECISIVE = {"nuggets": "all_score", "claims": "precision", "citations": "citation_recall", "grades": "correct"}


def support_error_kinds(scores: Scores) -> list[str]:
    """How much of each answer its verdicts support, by all_score, precision, citation_recall or the grade."""
    values, of = scores.columns[_DECISIVE[scores.options.task]], scores.subsets
    withheld = scores.columns.get("not_attempted", np.zeros(len(scores))) == 1
    return first_that_holds(
        {
            "no prediction": of["missing"],
            "nothing to judge": of["empty"],
            "no verdict": np.isnan(values),
            "supported": values == 1,
            "partly supported": values > 0,
            "not attempted": withheld,
        },
        "not supported",
    )


SUPPORT_ERRORS = ErrorKinds(
    {
        "supported": "All that was asked for is supported.",
        "partly supported": "Only a part is supported.",
        "not attempted": "It does not try to answer.",
        "not supported": "Nothing is supported.",
        "nothing to judge": "It has no claim or nugget to judge.",
        "no verdict": "The judge gave no verdict.",
        "no prediction": "There is no prediction.",
    },
    ("supported",),
    support_error_kinds,
)
