"""Jaccard of sets of labels against scikit-learn."""

import warnings

import numpy as np
import pytest
from sklearn import config_context, metrics

from qassay.label_metrics.scoring import LabelOptions, score_labels

CASES = 1_000


def test_jaccard_is_scikit_learns():
    random = np.random.default_rng(3)
    for _ in range(CASES):
        n, c = random.integers(1, 12), random.integers(2, 7)
        true, found = (random.random((2, n, c)) < random.choice([0.1, 0.5])).astype(int)
        weights = random.random(n) + 0.01 if random.random() < 0.5 else None
        undefined = float(random.integers(2))  # its Jaccard has no nan
        options = LabelOptions(task="multi", zero_division=undefined, per_class=True)
        mine = score_labels(found, true, weights=weights, options=options).summary()
        with config_context(skip_parameter_validation=True, assume_finite=True), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = {
                average: metrics.jaccard_score(
                    true, found, average=average, zero_division=undefined, sample_weight=weights
                )
                for average in ("micro", "macro", "weighted", "samples", None)
            }
        for label, value in enumerate(theirs.pop(None)):
            assert mine[f"jaccard[{label}]"] == pytest.approx(value, rel=0, abs=1e-12), (label, true, found, options)
        for average, value in theirs.items():
            assert mine[f"{average}_jaccard"] == pytest.approx(value, rel=0, abs=1e-12), (average, true, found, options)
