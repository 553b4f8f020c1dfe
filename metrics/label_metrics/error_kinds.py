"""What kind of error the labels of each row are, from the columns of their scores: "too many", "too few", ..."""

from ..core.scores import Scores
from ..core.slices import first_that_holds

LABEL_ERROR_KINDS = (  # the best first
    "correct", "true label first", "found", "too many", "too few", "partial", "wrong", "not found", "no true labels",
)  # fmt: skip


def label_error_kinds(scores: Scores) -> list[str]:
    """What is wrong with the labels of each row of label_metrics.

    One label: "correct" or "wrong". Sets: "correct", "too many" (all true labels and others), "too few" (only true
    labels, not all), "partial" (some true labels and others) or "wrong" (others only). Rankings: "true label first",
    "found" (behind the first place), "not found", or "no true labels".
    """
    columns = scores.columns
    if "rr" in columns:
        reciprocal_ranks = columns["rr"]
        empty = scores.subsets["no_labels"]
        return first_that_holds(
            {"no true labels": empty, "true label first": reciprocal_ranks == 1, "found": reciprocal_ranks > 0},
            "not found",
        )
    if "correct" in columns:
        return first_that_holds({"correct": columns["correct"] == 1}, "wrong")
    right, wrong, lacking = (columns[name].lengths > 0 for name in ("tp", "fp", "fn"))
    return first_that_holds(
        {"correct": ~wrong & ~lacking, "too many": ~lacking, "too few": ~wrong, "partial": right},
        "wrong",
    )
