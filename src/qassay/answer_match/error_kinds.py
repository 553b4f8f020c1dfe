"""The kind of error of each answer, from the columns of its scores: "too long", "no shared word", ..."""

import numpy as np

from ..core.family_telling import ErrorKinds
from ..core.scores import Scores
from ..core.slices import first_that_holds

_GRADED = ("unfiltered_f1", "anls", "str_em", "number_precision")  # the measures that some presets have in place of F1


def answer_error_kinds(scores: Scores) -> list[str] | None:
    """The kind of error of each answer of answer_match; None for presets without F1, or if F1 does not apply to each
    answer.

    The first kind that applies:

    - "correct": exact match.
    - "no prediction": the system has no prediction for the question.
    - "answer not found": `extract` found no answer in the output, and the output is not scored as a whole.
    - "gave no answer": empty after normalisation, or withheld by the threshold.
    - "answered an unanswerable": an answer to a question without an answer.
    - "same words": the words of a gold answer, in another order (F1 1).
    - "too long": has all words of a gold answer, and others (recall 1).
    - "too short": all its words are in one gold answer, which has more (precision 1).
    - "partial": some shared words; "no shared word": none (F1 0).

    Precision and recall are each the best over the gold answers, so a kind holds for at least one gold answer. An
    answer that contains one gold answer and is part of another is "too long": it has everything that was asked for.
    DROP has only F1: its kinds are "partial" and "no shared word"; the latter includes answers without any of the right
    numbers. Without exact match, an answer with the full score is correct. With `top_k`, the smallest k
    counts, with the best of its answers for each measure. Words are the units of the option `unit`: tokens, characters
    or positions.
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
