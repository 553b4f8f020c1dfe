"""Cells of files with the labels that people gave answers: the usual names of their column, words and numbers, how many."""

from ..files.reading import to_number

LABEL_NAMES = (
    "label", "labels", "verdict", "verdicts", "human", "human_label", "human_verdict", "human_score", "correct", "is_correct",
    "accepted", "rating", "judgement", "judgment",
)  # fmt: skip
_LEAST = 10  # labels
_WORDS = {
    **dict.fromkeys(("true", "yes", "correct", "right"), 1.0),
    **dict.fromkeys(("false", "no", "incorrect", "wrong"), 0.0),
}


def number_of_label(cell: str) -> float | None:
    """The number that a label in a cell of text says, None for an empty cell.

    Raises:
        ValueError: it is neither a number nor one of the words true, yes, correct, right, false, no, incorrect and wrong.

    Example:
        >>> number_of_label("yes"), number_of_label("Incorrect"), number_of_label(" 0.5"), number_of_label("")
        (1.0, 0.0, 0.5, None)
    """
    text = cell.strip().lower()
    if not text:
        return None
    return _WORDS[text] if text in _WORDS else to_number(text)


def require_enough(count: int, of: str = "", where: str = "") -> None:
    """Refuse fewer labels than an interval needs.

    Args:
        of: what else the message says about these labels.
        where: the beginning of the message.
    """
    if count < _LEAST:
        labels = "1 label is" if count == 1 else f"{count} labels are"
        raise ValueError(f"{where}{labels} too few for an interval{of}; give at least {_LEAST}, better 100")
