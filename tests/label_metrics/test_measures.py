"""Averages over classes: a value of resamples is that of the examples as often as they are drawn; scores of classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.label_metrics.measures import ClassAverage
from qassay.label_metrics.scoring import LabelOptions, class_scores, score_labels

FAST = settings(max_examples=20, deadline=None)


PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=20)


@FAST
@given(PAIRS, st.sampled_from([True, False]), st.sampled_from([0.0, 1.0, "nan"]), st.randoms())
def test_value_is_finish_of_sums_and_the_value_of_resampled_scores(pairs, every, undefined, random):
    found, true = map(list, zip(*pairs, strict=True))
    options = LabelOptions(labels=5 if every else None, zero_division=undefined)
    weights = np.array([random.choice([0, 0.5, 1]) for _ in pairs[1:]] + [1.0])
    scores = score_labels(found, true, weights=weights, options=options)
    times = np.array([[random.randrange(3) for _ in pairs] for _ in range(5)], float)
    for name, measure in scores.measures.items():
        if isinstance(measure, ClassAverage):
            values = measure.value(scores.rows, times)
            assert np.allclose(values, measure.value_of(measure.sums(scores.rows, times)), equal_nan=True, atol=1e-15)
            for value, counts in zip(values, times.astype(int), strict=True):
                often = np.repeat(weights, counts)
                if not often.any():
                    assert np.isnan(value)
                    continue
                again = score_labels(np.repeat(found, counts), np.repeat(true, counts), weights=often, options=options)
                assert again.summary([name])[name] == pytest.approx(0.0 if np.isnan(value) else value, abs=1e-12)


def test_scores_of_classes_of_sets():
    scores = qassay.score("label_metrics", [["a", "b"], ["b"]], [["a"], ["a", "b"]], task="multi")
    assert class_scores(scores) == {"a": (pytest.approx(2 / 3), 2.0), "b": (pytest.approx(2 / 3), 1.0)}
    assert class_scores(scores, "jaccard")["a"].value == 0.5
    with pytest.raises(ValueError, match="one label or a set of labels"):
        class_scores(qassay.score("label_metrics", [["a"]], [["a"]], task="ranked", k=(1,)))
