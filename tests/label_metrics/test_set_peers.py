"""Measures of sets of labels against scikit-learn."""

import math
import warnings

import numpy as np
import pytest
from sklearn import config_context, metrics

from qassay.label_metrics.scoring import LabelOptions, score_labels

AVERAGES = ("micro", "macro", "weighted")
CASES = 1_000


@pytest.fixture(scope="module")
def sklearn():
    config = config_context(skip_parameter_validation=True, assume_finite=True)
    with config, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield metrics


def near(mine, theirs):
    return mine == pytest.approx(0.0 if math.isnan(theirs) else theirs, rel=0, abs=1e-12)


def test_classes_of_weight_0_count_as_in_scikit_learn(sklearn):
    random = np.random.default_rng(4)
    for _ in range(60):
        n, c = random.integers(2, 8), random.integers(2, 6)
        true, found = (random.random((2, n, c)) < 0.3).astype(int)
        weights = np.where(random.random(n) < 0.5, 0.0, random.random(n))
        weights[0] = 1.0
        undefined = [0.0, 1.0, np.nan][random.integers(3)]
        lists = [[np.flatnonzero(row).tolist() for row in side] for side in (found, true)]
        there = (true | found).any(axis=0)
        if there.sum() < 2:  # one column is not a matrix to scikit-learn
            continue
        options = LabelOptions(task="multi", zero_division=undefined)
        mine = score_labels(*lists, weights=weights, options=options).summary()
        for average in AVERAGES:
            keywords = {"average": average, "zero_division": undefined, "sample_weight": weights}
            for name, measure in (("f1", sklearn.f1_score), ("jaccard", sklearn.jaccard_score)):
                if name == "jaccard" and np.isnan(undefined):
                    continue
                theirs = measure(true[:, there], found[:, there], **keywords)
                assert near(mine[f"{average}_{name}"], theirs), (average, name)


def test_sets_are_scikit_learns(sklearn):
    random = np.random.default_rng(1)
    for _ in range(CASES):
        n, c = random.integers(1, 12), random.integers(2, 7)
        true, found = (random.random((2, n, c)) < random.choice([0.1, 0.5])).astype(int)
        weights = random.random(n) + 0.01 if random.random() < 0.5 else None
        undefined = [0.0, 1.0, np.nan][random.integers(3)]
        options = LabelOptions(task="multi", zero_division=undefined, per_class=True)
        mine, keywords = (
            score_labels(found, true, weights=weights, options=options).summary(),
            {"sample_weight": weights},
        )
        assert near(mine["exact_match"], sklearn.accuracy_score(true, found, **keywords))
        assert near(mine["hamming_loss"], sklearn.hamming_loss(true, found, **keywords))
        for average in (*AVERAGES, "samples"):
            theirs = sklearn.precision_recall_fscore_support(
                true, found, average=average, zero_division=undefined, **keywords
            )
            for metric, value in zip(("precision", "recall", "f1"), theirs, strict=False):
                assert near(mine[f"{average}_{metric}"], value), (average, metric, true, found, options)
        theirs = sklearn.precision_recall_fscore_support(true, found, average=None, zero_division=undefined, **keywords)
        for metric, values in zip(("precision", "recall", "f1", "support"), theirs, strict=True):
            assert all(near(mine[f"{metric}[{label}]"], value) for label, value in enumerate(values))
