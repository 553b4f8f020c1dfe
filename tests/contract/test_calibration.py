"""Measures of every family corrected by human verdicts."""

import json
import re

import numpy as np
import pytest

import qassay
from qassay.core.scores import Scores
from qassay.registry import family_of

from .families import every_family, smallest_scores


def repeated(scores, times):
    """The same examples repeated, with new ids."""
    rows = scores.rows.take(np.tile(np.arange(len(scores)), times))
    weights = None if scores.weights is None else rows.weights
    return Scores(
        ids=range(len(rows.weights)),
        columns=rows.columns,
        subsets=rows.subsets,
        measures=scores.measures,
        options=scores.options,
        weights=weights,
    )


@every_family
def test_each_mean_of_values_per_example_is_calibrated(family):
    for one in smallest_scores(family).values():
        scores = repeated(one, 60)
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
            assert found.measured == scores[name] / getattr(scores.measures[name], "scale", 1.0)
            assert json.dumps(found.to_dict()) and str(found)
        if can:
            main = [name for name in family_of(scores).about.main_measures(scores) if name in can]
            assert qassay.calibrate(scores, labels).measure == (main or can)[0]
        for name in [name for name, measure in scores.measures.items() if not measure.is_mean]:
            with pytest.raises(ValueError, match=re.escape(f"{name} is not a mean")):
                qassay.calibrate(scores, labels, name)
