"""Averages over classes: golden numbers of small cases, resamples, slices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qassay.core.measures import Rows
from qassay.core.ragged import Ragged
from qassay.label_metrics.measures import ClassAverage, ClassScore, class_ratio, class_sums, set_columns
from qassay.label_metrics.scoring import LabelOptions, score_labels

FAST = settings(max_examples=20, deadline=None)
TRUE, FOUND = [0, 1, 2, 2, 1, 0, 2], [0, 2, 2, 1, 1, 0, 2]
TRUE_SETS, FOUND_SETS = ["1010", "0100", "1101", "0000"], ["1000", "0110", "1001", "0000"]


def flags(rows):
    return np.array([list(map(int, row)) for row in rows])


def test_golden_numbers_of_one_label():
    found = score_labels(FOUND, TRUE, options=LabelOptions(per_class=True)).summary()
    for name, value in {
        "accuracy": 0.7142857142857143,
        "error_rate": 0.2857142857142857,
        "micro_f1": 0.7142857142857143,
        "macro_f1": 0.7222222222222222,
        "weighted_f1": 0.7142857142857143,
        "f1[0]": 1.0,
        "f1[1]": 0.5,
        "f1[2]": 2 / 3,
        "support[0]": 2,
        "support[2]": 3,
    }.items():
        assert found[name] == pytest.approx(value, abs=1e-15), name
    four = score_labels(FOUND, TRUE, options=LabelOptions(labels=4)).summary()
    assert four["macro_f1"] == pytest.approx(0.5416666666666666, abs=1e-15)
    never = score_labels([0, 1, 1, 1], [0, 0, 1, 2], options=LabelOptions(per_class=True)).summary()
    assert never["macro_f1"] == pytest.approx(0.38888888888888884, abs=1e-15)
    values = [never[f"{metric}[{label}]"] for metric in ("precision", "recall", "f1") for label in range(3)]
    assert values == pytest.approx([1, 1 / 3, 0, 0.5, 1, 0, 2 / 3, 0.5, 0], abs=1e-15)


def test_golden_numbers_of_sets():
    found = score_labels(flags(FOUND_SETS), flags(TRUE_SETS), options=LabelOptions(task="multi")).summary()
    for name, value in {
        "exact_match": 0.25,
        "hamming_loss": 0.1875,
        "micro_precision": 0.8,
        "micro_recall": 0.6666666666666666,
        "micro_f1": 0.7272727272727273,
        "macro_f1": 0.6666666666666666,
        "samples_f1": 0.5333333333333333,
        "samples_jaccard": 0.41666666666666663,
    }.items():
        assert found[name] == pytest.approx(value, abs=1e-15), name
    ones = score_labels(flags(FOUND_SETS), flags(TRUE_SETS), options=LabelOptions(task="multi", zero_division=1.0))
    assert ones.summary()["samples_f1"] == pytest.approx(0.7833333333333333, abs=1e-15)


PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=20)


@FAST
@given(PAIRS, st.randoms())
def test_sums_of_resamples_match_repeated_examples(pairs, random):
    found, true = map(np.array, zip(*pairs, strict=True))
    times = np.array([[random.randrange(3) for _ in pairs] for _ in range(4)], float)
    weights = np.array([random.choice([0.5, 1, 2]) for _ in pairs])
    columns = ("prediction", "reference")
    sums = class_sums(Rows({"prediction": found, "reference": true}, {}, weights), columns, 5, times)
    for row, counts in enumerate(times.astype(int)):
        taken = Rows(
            {"prediction": np.repeat(found, counts), "reference": np.repeat(true, counts)},
            {},
            np.repeat(weights, counts),
        )
        assert np.allclose(sums[row], class_sums(taken, columns, 5)[0], rtol=0, atol=1e-12)
        assert np.array_equal(
            class_sums(taken, columns, 5)[0], class_sums(taken, columns, 5, np.ones((1, counts.sum())))[0]
        )


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


@FAST
@given(PAIRS, st.randoms())
def test_sums_of_one_class_match_all(pairs, random):
    found, true = map(np.array, zip(*pairs, strict=True))
    times = np.array([[random.randrange(3) for _ in pairs] for _ in range(4)], float)
    weights = np.array([random.choice([0.5, 1, 2]) for _ in pairs])
    columns = ("prediction", "reference")
    rows = Rows({"prediction": found, "reference": true}, {}, weights)
    wanted = class_sums(rows, columns, 5, times)
    for number in range(5):
        found_sums = ClassScore("f1", columns, number, 5).sums(rows, times)
        assert np.allclose(found_sums, wanted[:, :, number].T, rtol=0, atol=1e-12)


def test_ratios_and_sets():
    assert class_ratio("jaccard", 1, 1, 2, 0.0) == 0.25 and class_ratio("recall", 0, 3, 0, 1.0) == 1.0
    columns = set_columns(Ragged.of([[0, 1], [], [2]]), Ragged.of([[1, 3], [], []]), 4, 1.0)
    assert [columns[name].tolist() for name in ("tp", "fp", "fn")] == [[[1], [], []], [[0], [], [2]], [[3], [], []]]
    assert columns["exact_match"].tolist() == [0, 1, 0] and columns["hamming_loss"].tolist() == [0.5, 0, 0.25]
    assert columns["precision"].tolist() == [0.5, 1, 0] and columns["recall"].tolist() == [0.5, 1, 1]
