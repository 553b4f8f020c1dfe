"""What the short way of one row leaves to `score_labels`; its numbers are in tests/contract/test_short_ways.py."""

import pytest

from qassay.label_metrics.one import one_row
from qassay.label_metrics.scoring import LabelOptions


@pytest.mark.parametrize(
    ("prediction", "gold", "options"),
    [
        (1, 1, {}),
        (None, "a", {}),
        ("a", ["a"], {}),
        (["a"], ["a"], {}),
        ({"a"}, {"a"}, {"task": "single"}),
        ("a", "b", {"task": "multi"}),
        ({1}, {"a"}, {"task": "multi"}),
        ([], ["a"], {"task": "multi"}),
        (["a"], [], {"task": "multi"}),
        ("a", "z", {"labels": ["a", "b"]}),
        (["a", "a"], ["a"], {"task": "ranked"}),
        (["a"], [], {"task": "ranked"}),
        ({"a": 0.5}, ["a"], {"task": "ranked"}),
        (["a", "z"], ["a"], {"task": "ranked", "labels": ["a", "b"]}),
        (["a", "z"], ["a"], {"task": "multi", "labels": ["a", "b"]}),
    ],
    ids=repr,
)
def test_unusual_input_is_for_the_long_way(prediction, gold, options):
    assert one_row(LabelOptions(**options))(prediction, gold) is None


@pytest.mark.parametrize(
    "options",
    [{"k": (1, 2)}, {"layout": "indicator"}, {"inverse_propensities": {"a": 1.0}}],
    ids=str,
)
def test_rankings_with_propensities_and_indicators_have_no_short_way(options):
    assert one_row(LabelOptions(**options)) is None
