"""Measures of one label per row against scikit-learn."""

import math
import warnings

import numpy as np
import pytest
from sklearn import config_context, metrics

from qassay.label_metrics.scoring import LabelOptions, confusion_matrix, score_labels

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


def random_one_label(random):
    n, c = random.integers(1, 25), random.integers(1, 7)
    true, found = random.integers(0, c, (2, n))
    weights = random.random(n) + 0.01 if random.random() < 0.5 else None
    undefined = [0.0, 1.0, np.nan][random.integers(3)]
    labels = None if random.random() < 0.5 else list(range(c + random.integers(3)))
    if random.random() < 0.5:
        names = np.array([f"class {number}" for number in random.permutation(c + 3)])
        true, found, labels = names[true], names[found], labels and names[labels].tolist()
    return true, found, weights, undefined, labels


@pytest.mark.parametrize("undefined", [0.0, 1.0, np.nan])
def test_classes_of_weight_0_count_as_in_scikit_learn(sklearn, undefined):
    random = np.random.default_rng(4)
    hidden = 0
    for _ in range(60):
        n, c = random.integers(2, 12), random.integers(2, 7)
        true, found = random.integers(0, c, (2, n))
        weights = np.where(random.random(n) < 0.5, 0.0, random.random(n))
        weights[0] = 1.0
        scores = score_labels(
            found, true, weights=weights, options=LabelOptions(zero_division=undefined, per_class=True)
        )
        weighed = weights > 0
        hidden += len({*true, *found}) > len({*true[weighed], *found[weighed]})
        slices = scores.by((weights > 0.3).tolist())
        for part, rows in ((scores, slice(None)), (slices[True], weights > 0.3)):
            mine, given = part.summary(), (true[rows], found[rows])
            assert near(mine["balanced_accuracy"], sklearn.balanced_accuracy_score(*given, sample_weight=weights[rows]))
            for average in AVERAGES:
                keywords = {"average": average, "zero_division": undefined, "sample_weight": weights[rows]}
                for name in ("precision", "recall", "f1"):
                    theirs = getattr(sklearn, f"{name}_score")(*given, **keywords)
                    assert near(mine[f"{average}_{name}"], theirs)
    assert hidden > 20


def test_one_label_is_scikit_learns(sklearn):
    random = np.random.default_rng(0)
    for _ in range(CASES):
        true, found, weights, undefined, labels = random_one_label(random)
        options = LabelOptions(zero_division=undefined, labels=labels, per_class=True)
        scores = score_labels(found.tolist(), true.tolist(), weights=weights, options=options)
        mine, keywords = scores.summary(), {"sample_weight": weights}
        assert near(mine["accuracy"], sklearn.accuracy_score(true, found, **keywords))
        assert near(mine["error_rate"], sklearn.zero_one_loss(true, found, **keywords))
        if labels is None or len(set(true) | set(found)) == len(labels):
            assert near(mine["balanced_accuracy"], sklearn.balanced_accuracy_score(true, found, **keywords))
        names = scores.options.classes.labels
        keywords |= {"labels": names, "zero_division": undefined}
        for average in AVERAGES:
            theirs = sklearn.precision_recall_fscore_support(true, found, average=average, **keywords)
            for metric, value in zip(("precision", "recall", "f1"), theirs, strict=False):
                assert near(mine[f"{average}_{metric}"], value), (average, metric, true, found, options)
        theirs = sklearn.precision_recall_fscore_support(true, found, average=None, **keywords)
        for metric, values in zip(("precision", "recall", "f1", "support"), theirs, strict=True):
            assert all(near(mine[f"{metric}[{n}]"], value) for n, value in zip(names, values, strict=True))
        listed, matrix = confusion_matrix(scores)
        assert listed == list(names)
        theirs = sklearn.confusion_matrix(true, found, labels=names, sample_weight=weights)
        assert np.allclose(matrix, theirs, rtol=0, atol=1e-12)
