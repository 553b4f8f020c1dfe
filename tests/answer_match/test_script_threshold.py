"""The best threshold as the script of SQuAD 2.0 finds it: weights, and places that decide ties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.answer_match.scoring import AnswerMatchOptions
from qassay.answer_match.script_threshold import ScriptBestThreshold
from qassay.core.scores import Scores

FIELDS = ("answered", "withheld", "probability")
ROWS = st.lists(
    st.tuples(
        st.sampled_from([0, 0.25, 0.5, 1]),
        st.sampled_from([0, 1]),
        st.sampled_from([0, 0.1, 0.5, 0.9]),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=30,
)


def scores_of(rows, weights=None, **more):
    columns = {name: np.array([row[place] for row in rows], float) for place, name in enumerate(FIELDS)} | more
    place = next(iter(more), None)
    measures = {
        "best": ScriptBestThreshold(*FIELDS, place=place),
        "threshold": ScriptBestThreshold(*FIELDS, threshold=True, place=place),
    }
    return Scores(range(len(rows)), columns, {}, measures, AnswerMatchOptions(), weights=weights)


@settings(deadline=None)
@given(ROWS)
def test_weights_equal_repeated_rows(rows):
    weights = [row[3] for row in rows]
    repeated = [row for row in rows for _ in range(row[3])]
    expected = scores_of(repeated).summary()["best"] if repeated else 0.0
    assert scores_of(rows, np.array(weights, float)).summary()["best"] == pytest.approx(expected, abs=1e-12)


def test_it_cuts_between_equal_probabilities_in_the_order_of_the_places():
    rows = [(0, 1, 0.5), (1, 0, 0.5)]  # the second is better answered, the first withheld
    assert scores_of(rows).summary() == {"best": 0.5, "threshold": 0.0}
    assert scores_of(rows, place=np.array([1.0, 0.0])).summary() == {"best": 1.0, "threshold": 0.5}
