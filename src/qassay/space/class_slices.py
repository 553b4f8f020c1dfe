"""Slices by the labels of examples; an example may be in several of them."""

import numpy as np

from .analysis import Analysis

OF_CLASS = "true or predicted label"


def is_of_class(analysis: Analysis, system: str, part: str) -> np.ndarray | None:
    """Which examples of a system are in a part such as "true or predicted label:spam", bool (n,); None: it is not one, or there
    are no classes.
    """
    name, _, label = part.partition(":")
    if name != OF_CLASS or not analysis.telling.class_values(analysis.scores(system)):
        return None
    true, predicted = _labels(analysis, system)
    return np.array([label in of or label in found for of, found in zip(true, predicted, strict=True)], bool)


def class_of(analysis: Analysis, system: str, measure: str) -> str | None:
    """The class that a measure such as f1[spam] is of; None for another measure."""
    if not measure.endswith("]"):
        return None
    classes = analysis.telling.class_values(analysis.scores(system))
    return next((str(label) for label in classes if measure.endswith(f"[{label}]")), None)


def _labels(analysis: Analysis, system: str) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """The true and the predicted labels of each example."""

    def make() -> tuple[list[frozenset[str]], list[frozenset[str]]]:
        texts = analysis.texts(system, range(len(analysis.scores(system))))
        return [frozenset(text.gold) for text in texts], [frozenset(text.answers) for text in texts]

    return analysis.latest("labels_of_examples", system, make, 2)
