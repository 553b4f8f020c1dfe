"""The kind of error of each answer, from the columns of its scores: "correct later", "partial", ..."""

import numpy as np

from ..core.family_telling import ErrorKinds
from ..core.scores import Scores
from ..core.slices import first_that_holds


def entity_error_kinds(scores: Scores) -> list[str]:
    """The kind of error of each answer of factoid_accuracy, with one set of kinds for all types of question.

    "correct" is a right first candidate, the whole list and nothing else, or the right one of yes and no; "correct
    later" a right candidate behind the first of a factoid question; "partial" a list that is partly right;
    "no prediction" a question missing from the predictions; "gave no answer" one with no answer that can be read.
    Summaries are "not scored". In phase A the documents are a list.
    """
    nothing = np.zeros(len(scores))
    column = {
        name: scores.columns.get(name, nothing) for name in ("strict", "lenient", "list_f1", "f1", "yesno_correct")
    }
    return first_that_holds(
        {
            "not scored": scores.subsets.get("summary", nothing > 0),
            "no prediction": scores.subsets["missing"],
            "gave no answer": scores.subsets["unanswered"],
            "correct": np.any([column[name] == 1 for name in ("strict", "list_f1", "f1", "yesno_correct")], axis=0),
            "correct later": column["lenient"] == 1,
            "partial": (column["list_f1"] > 0) | (column["f1"] > 0),
        },
        "wrong",
    )


ENTITY_ERRORS = ErrorKinds(
    {
        "correct": "The answer is right.",
        "correct later": "A right answer comes behind the first place.",
        "partial": "Some of the list is right, but not all, or other answers are listed.",
        "wrong": "Nothing of the answer is right.",
        "gave no answer": "There is no answer that can be read.",
        "no prediction": "There is no prediction.",
        "not scored": "Questions of this type are not scored.",
    },
    ("correct", "not scored"),
    entity_error_kinds,
)
