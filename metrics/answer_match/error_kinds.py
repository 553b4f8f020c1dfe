"""What kind of error each answer is, from the columns of its scores: "too long", "no shared word", ..."""

import numpy as np

from ..core.family_telling import ErrorKinds
from ..core.scores import Scores
from ..core.slices import first_that_holds

_GRADED = ("unfiltered_f1", "anls", "str_em", "number_precision")  # what tasks have instead of F1


def answer_error_kinds(scores: Scores) -> list[str] | None:
    """What is wrong with each answer of answer_match; None for presets without F1, or where it does not apply to each answer.

    The first of these that holds:

    - "correct": exact match.
    - "no prediction": the system does not have the question.
    - "answer not found": `extract` found none in what the system wrote, which then is not scored as a whole.
    - "gave no answer": nothing after normalisation, or withheld by the threshold.
    - "answered an unanswerable": an answer if there is none.
    - "same words": the words of a gold answer, in another order (F1 1).
    - "too long": has all words of a gold answer, and more (recall 1).
    - "too short": all its words are in one gold answer, which has more (precision 1).
    - "partial": some shared words; "no shared word": none (F1 0).

    Precision and recall are each the best over the gold answers, so that a kind says that there is a gold answer for
    which it is true. An answer that holds one gold answer and is inside another is "too long": all that is asked
    for is there. DROP has only F1: its kinds are "partial" and "no shared word", which an answer without any of
    the right numbers is too. Where a task has no exact match, an answer with the full score is correct. With `top_k` the smallest k counts, and the best of its answers by each measure. Words are
    what the option `unit` counts: tokens, characters or positions.
    """
    ranks = getattr(scores.options, "top_k", None)
    cut = f"@{min(ranks)}" if ranks else ""
    f1 = next((scores.columns[name] for name in (*_GRADED, f"f1{cut}") if name in scores.columns), None)
    if f1 is None or np.isnan(f1).any():
        return None
    nothing = np.zeros(len(scores))
    exact_match = scores.columns.get(f"exact_match{cut}", f1 == 1)
    precision, recall = (scores.columns.get(f"{name}{cut}", nothing) for name in ("precision", "recall"))
    unread = scores.subsets.get("unextracted", nothing > 0) & (getattr(scores.options, "unextracted", "") != "whole")
    unanswerable = scores.subsets.get("no_answer", nothing > 0)
    return first_that_holds(
        {
            "correct": exact_match == 1,
            "no prediction": scores.subsets["missing"],
            "answer not found": unread,
            "gave no answer": scores.subsets["abstained"],
            "answered an unanswerable": unanswerable,
            "same words": f1 == 1,
            "too long": recall == 1,
            "too short": precision == 1,
            "partial": f1 > 0,
        },
        "no shared word",
    )


ANSWER_ERRORS = ErrorKinds(
    {
        "correct": "It is a gold answer.",
        "same words": "It has the words of a gold answer in another order.",
        "too long": "It has all words of a gold answer, and more.",
        "too short": "All its words are in a gold answer, which has more.",
        "partial": "It shares some words with a gold answer, but others are missing or wrong.",
        "no shared word": "Nothing of it matches a gold answer.",
        "gave no answer": "It is empty, but there is a gold answer.",
        "answer not found": "No answer could be extracted from the text.",
        "no prediction": "There is no prediction.",
        "answered an unanswerable": "It is an answer, but the question has none.",
    },
    ("correct",),
    answer_error_kinds,
)
