"""Slices by a threshold, as links name them: what is withheld or answered at it, and what has a probability or score in a range."""

import re
from collections.abc import Sequence

import numpy as np

from ..core.scores import Scores
from ..core.slices import first_that_holds, mask_labels
from .analysis import Analysis

CLASSES = {"has_answer": "has an answer", "no_answer": "has none"}
_AT = r"(?: at (\S{1,40}))?"
_NAMES = {
    "answered": re.compile(f"answered{_AT}"),
    "right": re.compile(f"answered right{_AT}"),
    "withheld": re.compile(f"withheld{_AT}"),
    "range": re.compile(r"no-answer probability (\S{1,40}) to (\S{1,40})"),
    "score": re.compile(r"score at least (\S{1,40})"),
}


def answered(threshold: float | None = None) -> str:
    """The name of the slicing into what was answered and not, by class; None: as scored."""
    return f"answered{_at(threshold)}"


def answered_right(threshold: float | None = None) -> str:
    """The same for what was answered right, or rightly not answered."""
    return f"answered right{_at(threshold)}"


def withheld(threshold: float | None = None) -> str:
    """The name of the slicing into what was not answered ("yes") and the rest."""
    return f"withheld{_at(threshold)}"


def probability_range(low: float, high: float) -> str:
    """The name of the slicing into what has a no-answer probability between two ends, both included ("yes"), and the rest."""
    return f"no-answer probability {_exact(low)} to {_exact(high)}"


def score_from(threshold: float) -> str:
    """The name of the slicing into what has at least this score ("yes") and the rest."""
    return f"score at least {_exact(threshold)}"


def _at(threshold: float | None) -> str:
    return "" if threshold is None else f" at {_exact(threshold)}"


def _exact(number: float) -> str:
    """A number as a name holds it, in as few digits as give the same number again."""
    short = f"{number:.6g}"
    return short if float(short) == number else repr(float(number))


def labels_by_threshold(analysis: Analysis, system: str, name: str) -> Sequence[str] | None:
    """The label of each example of a system in one of these slicings; None: it is not one, or does not apply."""
    kind, found = next(((kind, found) for kind, form in _NAMES.items() if (found := form.fullmatch(name))), ("", None))
    if found is None:
        return None
    try:
        ends = [None if end is None else float(end) for end in found.groups()[: 2 if kind == "range" else 1]]
    except ValueError:
        return None
    scores = analysis.scores(system)
    if kind == "score":
        told = analysis.telling.score_and_label(scores)
        return None if told is None else mask_labels(told[0] >= ends[0])
    withholding = analysis.telling.answerability
    if withholding is None or "no_answer" not in scores.subsets:
        return None
    if kind == "range":
        mask = in_range(scores, *ends)
        return None if mask is None else mask_labels(mask)
    try:
        kinds, right = withholding.answer_groups(scores, *ends)
    except ValueError:  # no probabilities, or a threshold above the one that was scored with
        return None
    if kind == "withheld":
        return mask_labels(kinds["withheld"])
    kept = right if kind == "right" else np.ones(len(right), bool)
    cells = {
        f"{own}, {words}": mask & scores.subsets[name] & kept
        for own, mask in kinds.items()
        for name, words in CLASSES.items()
    }
    return first_that_holds(cells, "other")


def in_range(scores: Scores, low: float, high: float) -> np.ndarray | None:
    """Which predictions have a no-answer probability between two ends, both included, bool (n,); None without any."""
    if "no_answer_probability" not in scores.columns:
        return None
    probabilities = scores.columns["no_answer_probability"]
    return (probabilities >= low) & (probabilities <= high) & ~scores.subsets["missing"]
