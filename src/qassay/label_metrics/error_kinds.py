"""The kind of error of the labels of each row, from the columns of their scores: "too many", "too few", ..."""

from ..core.family_telling import ErrorKinds
from ..core.scores import Scores
from ..core.slices import first_that_holds


def label_error_kinds(scores: Scores) -> list[str]:
    """The kind of error of each row of label_metrics.

    One label: "correct" or "wrong". Sets: "correct", "too many" (all true labels and others), "too few" (only true
    labels, not all), "partial" (some true labels and others) or "wrong" (others only). Rankings: "true label first",
    "found, not first" (after the first place), "not found", or "no true labels".
    """
    columns = scores.columns
    if "rr" in columns:
        reciprocal_ranks = columns["rr"]
        empty = scores.subsets["no_labels"]
        return first_that_holds(
            {
                "no true labels": empty,
                "true label first": reciprocal_ranks == 1,
                "found, not first": reciprocal_ranks > 0,
            },
            "not found",
        )
    if "correct" in columns:
        return first_that_holds({"correct": columns["correct"] == 1}, "wrong")
    right, wrong, lacking = (columns[name].lengths > 0 for name in ("tp", "fp", "fn"))
    return first_that_holds(
        {"correct": ~wrong & ~lacking, "too many": ~lacking, "too few": ~wrong, "partial": right},
        "wrong",
    )


LABEL_ERRORS = ErrorKinds(
    {
        "correct": "All labels are right.",
        "true label first": "The first label is right.",
        "found, not first": "A right label comes behind the first place.",
        "too many": "It has all true labels, and others.",
        "too few": "All labels are right, but some are missing.",
        "partial": "Some labels are right, some are wrong, and some are missing.",
        "wrong": "No label is right.",
        "not found": "No right label is in the ranking.",
        "no true labels": "There are no true labels.",
    },
    ("correct", "true label first", "no true labels"),
    label_error_kinds,
)
