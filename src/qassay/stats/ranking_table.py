"""The meaning of the columns of a table of ranks, in words."""

BEST_SHARE_MEANS = "best: the share of resamples in which a system is the best, which is not the probability that it is"
OF_RANKS = "all pairs of systems together, step by step, as for the ranks"  # the correction of the ranks


def ranks_text(ranks: tuple[int, int]) -> str:
    """The interval of a rank in words: "2 to 5", or "2"."""
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]} to {ranks[1]}"


def letters_and_p(correction: str, head: str = "letters") -> str:
    """A sentence on why the letters of a ranking can disagree with the p-values of the differences.

    Args:
        correction: the correction of the differences; head: the name of the column of letters.
    """
    return (
        f"{head} and p ({correction}) are corrected in different ways, {head} for the pairs of systems by one measure: one may "
        "tell two systems apart where the other does not"
    )


def letters_mean(confidence: float, head: str = "letters") -> str:
    """A sentence on the meaning of the letters and their correction; `head` is the name of their column."""
    return (
        f"{head}: systems that share a letter cannot be told apart (level {100 * (1 - confidence):g} %, corrected for all pairs of "
        "systems together, step by step, as Romano and Wolf do)"
    )
