"""The kinds of errors of answer_equivalence, from the columns of its scores."""

from ..core.family_telling import ErrorKinds
from ..core.scores import Scores
from ..core.slices import first_that_holds


def equivalence_error_kinds(scores: Scores) -> list[str]:
    """What is wrong with each answer of answer_equivalence.

    "accepted"; "no prediction": the system does not have the question; "no verdict": the judge failed; "gave no answer":
    nothing where there is an answer; "answered an unanswerable": something if there is none; and what `rejected_kind`
    says about the others.
    """
    of = scores.subsets
    return first_that_holds(
        {
            "no prediction": of["missing"],
            "no verdict": of["failed"],
            "accepted": scores.columns["accepted"] == 1,
            "answered an unanswerable": of["no_answer"],
            "gave no answer": of["abstained"],
            **{name: of[subset] for name, subset in _NAMES.items()},
        },
        "other entity",
    )


_NAMES = {
    "refusal": "refusal",
    "hedged between several answers": "hedged",
    "negated": "negated",
    "wrong number or date": "wrong_number",
    "part of an answer": "partial",
}
EQUIVALENCE_ERRORS = ErrorKinds(
    {
        "accepted": "It means the same as a gold answer.",
        "part of an answer": "It is only a part of a gold answer.",
        "hedged between several answers": "It names several answers and does not decide.",
        "wrong number or date": "Its number or date differs from every gold answer.",
        "other entity": "It names something other than the gold answers.",
        "negated": "It denies a gold answer.",
        "refusal": "It refuses to answer.",
        "gave no answer": "It is empty, but there is a gold answer.",
        "no verdict": "The judge gave no verdict.",
        "no prediction": "There is no prediction.",
        "answered an unanswerable": "It is an answer, but the question has none.",
    },
    ("accepted",),
    equivalence_error_kinds,
)
