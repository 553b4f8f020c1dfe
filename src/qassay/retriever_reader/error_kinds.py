"""The place where each question fails in a pipeline, from the subsets of its scores: "document not found", "wrong
answer", ...
"""

from ..core.family_telling import ErrorKinds
from ..core.scores import Scores
from ..core.slices import first_that_holds


def reading_error_kinds(scores: Scores) -> list[str]:
    """Where each question of retriever_reader fails: `failure_labels` in words, its two opposite faults apart.

    The first of these that holds:

    - "no prediction": the pipeline does not have the question.
    - "correct": nothing fails.
    - "document not found": no gold document of an answerable question was retrieved.
    - "answered an unanswerable": an answer if there is none.
    - "gave no answer": none to an answerable question, although its document was retrieved.
    - "wrong answer": none of the answers is right.
    """
    failed = scores.subsets
    return first_that_holds(
        {
            "no prediction": failed["missing"],
            "correct": failed["failure_none"],
            "document not found": failed["failure_retriever"],
            "gave no answer": failed["failure_no_answer"] & failed["has_answer"],
            "answered an unanswerable": failed["failure_no_answer"],
        },
        "wrong answer",
    )


READING_ERRORS = ErrorKinds(
    {
        "correct": "Nothing fails.",
        "wrong answer": "A gold document was retrieved, but none of the answers is right.",
        "gave no answer": "A gold document was retrieved, but there is no answer.",
        "answered an unanswerable": "There is an answer, but the question has none.",
        "document not found": "No gold document was retrieved.",
        "no prediction": "There is no prediction.",
    },
    ("correct",),
    reading_error_kinds,
)
