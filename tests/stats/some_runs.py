"""Three runs of a system, for tests of repeated runs."""

import numpy as np

import qassay
from qassay.core.measures import Mean
from qassay.core.scores import Scores

GOLD = {f"q{row}": ["yes"] for row in range(12)}


def answers(*right):
    return {name: "yes" if row in right else "yes no" if row % 3 else "no" for row, name in enumerate(GOLD)}


def scored(*right, gold=GOLD, **options):
    return qassay.score("answer_match", answers(*right), gold, **options)


PARTS = [scored(0, 1, 2, 3, 4), scored(0, 1, 2, 3), scored(0, 2, 5, 6, 7, 8, 9)]


def numbers(values):
    """Scores with a column of these numbers for each example."""
    column = np.asarray(values, np.float64)
    return Scores(
        ids=range(len(column)),
        columns={"x": column},
        measures={"x": Mean("x", is_rate=False)},
        options=PARTS[0].options,
    )
