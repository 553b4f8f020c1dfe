"""Measures of every family corrected by human verdicts."""

import json
import re

import numpy as np
import pytest

import qassay
from qassay.core.scores import Scores
from qassay.registry import FAMILIES, family_of

INPUTS = [(name, *inputs) for name, family in FAMILIES.items() for inputs in family.smallest]


@pytest.fixture(params=INPUTS, ids=lambda case: "-".join([case[0], *map(str, case[2].values())])[:60])
def scores(request):
    """The smallest input of a family, 60 times."""
    name, columns, options = request.param
    one = qassay.score(name, **columns, **options)
    return one.take(np.zeros(0, int)) if not len(one) else repeated(one, 60)


def repeated(scores, times):
    """The same examples repeated, with new ids."""
    rows = scores.rows.take(np.tile(np.arange(len(scores)), times))
    weights = None if scores.weights is None else rows.weights
    return Scores(
        range(len(rows.weights)), rows.columns, rows.subsets, scores.measures, scores.options, weights=weights
    )


def test_each_mean_of_values_per_example_is_calibrated(scores):
    labels = [row % 2 if row < len(scores) // 2 else None for row in range(len(scores))]
    can = [
        name
        for name, measure in scores.measures.items()
        if measure.has_interval and measure.is_mean and measure.count(scores.rows) >= 60
    ]
    for name in can:
        found = qassay.calibrate(scores, labels, name)
        low, high = found.interval
        assert 0 <= low <= found.value <= high <= 1 and high - low > 0.05
        scale = getattr(scores.measures[name], "scale", 1.0)
        assert found.measured == scores[name] / scale and json.dumps(found.to_dict()) and str(found)
    if can:
        main = [name for name in family_of(scores).telling.main_measures(scores) if name in can]
        assert qassay.calibrate(scores, labels).measure == (main or can)[0]
        applies = scores.measures[name].weights_of(scores.rows)
        values = np.nan_to_num(scores.measures[name].by_example(scores.rows))
        assert np.sum(applies * values) / np.sum(applies) == pytest.approx(scores[name])
    lacking = [name for name, measure in scores.measures.items() if not measure.is_mean]
    for name in lacking:
        with pytest.raises(ValueError, match=re.escape(f"{name} is not a mean of values per example; ")):
            qassay.calibrate(scores, labels, name)


def test_some_measure_of_each_family_but_curves_can_be_calibrated():
    lacking = []
    for name, family in FAMILIES.items():
        columns, options = family.smallest[0]
        scores = repeated(qassay.score(name, **columns, **options), 60)
        try:
            qassay.calibrate(scores, [row % 2 for row in range(len(scores))])
        except ValueError as error:
            assert "no measure of these scores is a mean of values per example" in str(error)
            lacking.append(name)
    assert lacking == ["average_precision"]
