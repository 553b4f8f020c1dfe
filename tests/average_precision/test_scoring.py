"""Average precision of scored examples: golden numbers, scikit-learn, torchmetrics, properties, bad input."""

import math
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from qassay.average_precision.scoring import CurveOptions, precision_recall_curve, precision_recall_curves, score_curves

# The example of the definition that the card explains, with its thresholds.
SCORES = [0.7, 0.3, 0.5, 0.6, 0.55, 0.9, 0.4, 0.2, 0.4, 0.3, 0.7, 0.5, 0.8, 0.2, 0.3, 0.35]
TRUTH = [letter == "p" for letter in "pnnpppnpnppppnnn"]
WORDS = ["positive" if true else "negative" for true in TRUTH]
THRESHOLDS = np.arange(start=0.2, stop=0.7, step=0.05)


def ap(predictions, references, name="average_precision", ids=None, weights=None, **options):
    scores = score_curves(predictions, references, ids, weights, options=CurveOptions(**options))
    return scores.summary([name])[name]


def literal_procedure(truth, scores, thresholds):
    """The definition in words: one decision per threshold, then steps of recall times precision."""
    precisions, recalls = [], []
    for threshold in thresholds:
        taken = [true for true, score in zip(truth, scores, strict=True) if score >= threshold]
        precisions.append(sum(taken) / len(taken) if taken else 0.0)
        recalls.append(sum(taken) / sum(truth))
    precisions, recalls = np.array([*precisions, 1]), np.array([*recalls, 0])
    return float(np.sum((recalls[:-1] - recalls[1:]) * precisions[:-1]))


def test_the_example_to_the_last_digit(sklearn):
    assert ap(SCORES, WORDS, pos_label="positive", thresholds=THRESHOLDS) == 0.8898809523809523
    assert literal_procedure(TRUTH, SCORES, THRESHOLDS) == 0.8898809523809523
    assert ap(SCORES, WORDS, pos_label="positive") == 0.8898809523809526
    assert ap(SCORES, TRUTH) == sklearn.average_precision_score(TRUTH, SCORES) == 0.8898809523809526
    assert ap(SCORES, TRUTH, thresholds=THRESHOLDS[::-1].round(2)) == 0.8898809523809523


def random_case(rng):
    """Scores with many or few ties, in float32 or float64, and weights or none."""
    n = int(rng.integers(1, 60))
    scores = rng.integers(0, rng.choice([2, 5, 20, 10**6]), n) / 7
    truth = rng.random(n) < rng.choice([0.1, 0.5, 0.9])
    truth[rng.integers(n)] = True
    weights = rng.choice([None, 1, 2])
    weights = None if weights is None else rng.integers(0, 4, n).astype(float) if weights == 1 else rng.random(n)
    if weights is not None and not weights[truth].any():
        weights[truth] = 1.0
    return scores.astype(rng.choice([np.float32, np.float64])), truth, weights


def test_values_and_curves_equal_scikit_learns(sklearn, scale):
    rng = np.random.default_rng(1)
    for _ in range(50 * scale):
        scores, truth, weights = random_case(rng)
        expected = sklearn.average_precision_score(truth, scores, sample_weight=weights)
        for columns in ((scores, truth), (scores.tolist(), truth.astype(int).tolist())):
            assert ap(*columns, weights=weights) == pytest.approx(expected, rel=0, abs=1e-12)
        found = precision_recall_curve(score_curves(scores, truth, weights=weights))
        for ours, theirs in zip(
            found, sklearn.precision_recall_curve(truth, scores, sample_weight=weights), strict=True
        ):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("truth", "weights"), [([0, 0, 0], None), ([0, 1, 0], [1.0, 0.0, 2.0]), ([1, 0, 1], [0.0, 1.0, 2.0])]
)
def test_curves_without_positives_and_points_without_weight(sklearn, truth, weights):
    scores = [0.2, 0.5, 0.7]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = sklearn.precision_recall_curve(truth, scores, sample_weight=weights)
    found = precision_recall_curve(score_curves(scores, truth, weights=weights))
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.tolist() == theirs.tolist()


def random_classes(rng):
    n, c = int(rng.integers(2, 20)), 2 if rng.random() < 0.8 else 3
    truth = rng.random((n, c)) < 0.4
    truth[0] = True
    return (
        rng.integers(0, rng.choice([3, 10**6]), (n, c)) / 3,
        truth,
        None if rng.random() < 0.5 else rng.random(n) + 0.01,
    )


def test_classes_equal_scikit_learn(sklearn, scale):
    rng = np.random.default_rng(3)
    for _ in range(30 * scale):
        table, truth, weights = random_classes(rng)
        found = score_curves(table, truth, weights=weights, options=CurveOptions(per_class=True)).summary()
        each = [found[f"average_precision[{label}]"] for label in range(table.shape[1])]
        keywords = {"sample_weight": weights}
        expected = sklearn.average_precision_score(truth, table, average=None, **keywords)
        np.testing.assert_allclose(each, expected, rtol=0, atol=1e-12)
        assert found["map"] == pytest.approx(expected.mean(), rel=0, abs=1e-12)
        for average in ("micro", "weighted"):
            expected = sklearn.average_precision_score(truth, table, average=average, **keywords)
            assert found[f"{average}_average_precision"] == pytest.approx(expected, rel=0, abs=1e-12)


def test_a_class_without_a_positive_counts_as_in_scikit_learn(sklearn):
    table, truth = np.array([[0.1, 0.9], [0.7, 0.2]]), np.array([[1, 0], [1, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = sklearn.average_precision_score(truth, table)
    summary = score_curves(table, truth).summary()
    assert (summary["map"], summary["weighted_average_precision"], summary["no_positives"]) == (expected, 1.0, 1)


cases = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=25)


@settings(max_examples=30, deadline=None)
@given(cases, st.lists(st.integers(-1, 7), min_size=1, max_size=5))
def test_thresholds_are_the_literal_procedure(case, thresholds):
    scores, truth = map(list, zip(*case, strict=True))
    if not any(truth):
        truth[0] = True
    expected = literal_procedure(truth, scores, sorted(set(thresholds)))
    found = score_curves(scores, truth, options=CurveOptions(thresholds=thresholds)).summary()
    assert found["average_precision"] == pytest.approx(expected, abs=1e-14)
    assert found["below_thresholds"] == sum(t and s < min(thresholds) for s, t in zip(scores, truth, strict=True))


@settings(max_examples=30, deadline=None)
@given(
    cases,
    st.sampled_from(["none", "voc11", "all_points", "coco101"]),
    st.sampled_from(["grouped", "stable"]),
    st.data(),
)
def test_counting_twice_is_repeating_the_row(case, interpolation, ties, data):
    scores, truth = map(np.array, zip(*case, strict=True))
    if ties == "stable":
        scores = scores + np.arange(len(scores)) / 100  # otherwise the order of copies among ties decides
    rules = {"interpolation": interpolation, "ties": ties}
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(truth), max_size=len(truth))))
    rows = score_curves(scores, truth, options=CurveOptions(**rules))
    (value,) = rows.measures["average_precision"].value(rows.rows, times[None].astype(float))
    copies = np.repeat(np.arange(len(truth)), times)
    if ties == "stable" and interpolation == "none":  # copies are one step
        rules["ties"] = "grouped"
    expected = ap(scores[copies], truth[copies], **rules) if len(copies) else 0.0
    assert value == pytest.approx(expected, abs=1e-12)
    if times.any():
        assert ap(scores, truth, weights=times, **rules) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(cases, st.randoms(use_true_random=False))
def test_order_range_and_growth(case, random):
    scores, truth = map(list, zip(*case, strict=True))
    value = ap(scores, truth)
    assert 0 <= value <= 1
    order = list(range(len(scores)))
    random.shuffle(order)
    weights = [random.random() + 0.1 for _ in order]
    weighted = ap(scores, truth, weights=weights)
    assert ap([scores[i] for i in order], [truth[i] for i in order]) == value
    again = ap([scores[i] for i in order], [truth[i] for i in order], weights=[weights[i] for i in order])
    assert again == weighted, "to the last digit"
    assert ap([2.0 * score - 100 for score in scores], truth) == value, "only the order counts"
    enveloped = ap(scores, truth, interpolation="all_points", ties="grouped")
    assert enveloped >= value - 1e-15
    if any(truth):
        assert ap([float(true) for true in truth], truth) == 1.0
        assert ap([1] * len(truth), truth) == pytest.approx(sum(truth) / len(truth)), "all tied: the share of positives"


def test_intervals_of_classes_match_copied_rows():
    rng = np.random.default_rng(9)
    table, truth = rng.integers(0, 5, (20, 3)) / 5, rng.random((20, 3)) < 0.5
    rows = score_curves(table, truth, options=CurveOptions(per_class=True))
    draws = rng.multinomial(20, np.ones(20) / 20, size=4).astype(float)
    shared = rows.rows
    for name in ("map", "weighted_average_precision", "micro_average_precision", "average_precision[1]"):
        for draw, value in zip(draws, rows.measures[name].value(shared, draws), strict=True):
            copies = np.repeat(np.arange(20), draw.astype(int))
            assert value == pytest.approx(ap(table[copies], truth[copies], name, per_class=True), abs=1e-12)
    assert rows.interval(n_resamples=20).keys() >= {"map", "micro_average_precision"}


@pytest.mark.thorough
def test_memory_stays_bounded():
    n, rng = 200_000, np.random.default_rng(10)
    rows, draws = score_curves(rng.random(n), rng.random(n) < 0.3), np.ones((20, n))
    tracemalloc.start()
    rows.measures["average_precision"].value(rows.rows, draws)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6, "a table of all draws is 32 MB, and five of them would be needed"


def test_every_form_of_classes():
    truth = [[True, False, False], [False, True, True], [False, False, False]]
    table = [[0.9, 0.1, 0.2], [0.3, 0.8, 0.1], [0.2, 0.3, 0.4]]
    names = ["a", "b", "c"]
    dicts = [dict(zip(names, row, strict=True)) for row in table]
    gold = [["a"], {"c", "b"}, []]
    expected = score_curves(np.array(table), np.array(truth)).summary()
    assert score_curves(table, truth).summary() == expected
    assert score_curves(dicts, gold).summary() == expected
    assert score_curves(table, gold, options=CurveOptions(labels=names)).summary() == expected
    assert score_curves(table, [(0,), [1, 2], []]).summary() == expected
    assert score_curves(dict(enumerate(table)), dict(enumerate(truth))).summary() == expected
    one = score_curves(table, ["a", "b", "c"], options=CurveOptions(labels=names))
    assert one.columns["labels"].tolist() == [[0], [1], [2]] and one.options.classes.labels == ["a", "b", "c"]
    shuffled = [dict(reversed(row.items())) for row in dicts]
    assert score_curves(shuffled, gold).summary() == expected


def test_every_form_of_scores():
    assert ap(np.array([0.5, 0.9]), np.array([0.0, 1.0])) == 1.0
    assert ap([10, 5], [2, 1], pos_label=2) == 1.0
    assert ap(np.array([0.5, 0.1]), np.array(["x", "y"]), pos_label="y") == 0.5
    assert score_curves({"b": 0.2, "a": 0.9}, {"a": True, "b": False}).ids == ["a", "b"]
    assert score_curves([0.5], [True], ids=["q"]).ids == ["q"]


def test_curves_of_classes():
    scores = score_curves([[0.1, 0.2], [0.4, 0.3]], [1, 0])
    expected = [[0.5, 0.0, 1.0], [1.0, 0.0, 0.0], [0.2, 0.3]]
    assert [part.tolist() for part in precision_recall_curve(scores, 1)] == expected
    assert [part.tolist() for part in precision_recall_curves(scores)[1].values()] == expected
    for other, label in ((score_curves([0.1], [1]), "a"), (scores, None)):
        with pytest.raises(ValueError, match=repr(label)):
            precision_recall_curve(other, label)


@pytest.mark.thorough
def test_tensors_and_torchmetrics():
    torch = pytest.importorskip("torch", reason='needs torch: pip install -e ".[test-all]"')
    peer = pytest.importorskip(
        "torchmetrics.functional.classification", reason='needs torchmetrics: pip install -e ".[test-all]"'
    )
    assert ap(torch.tensor([0.5, 0.25], dtype=torch.bfloat16), [1, 0]) == 1.0
    rng = np.random.default_rng(4)
    scores, truth = rng.integers(0, 12, 40) / 12, rng.random(40) < 0.5
    tensors = torch.tensor(scores), torch.tensor(truth.astype(int))
    assert ap(*tensors) == ap(scores, truth)
    thresholds = [0.0, 0.1, 0.35, 0.8]
    theirs = peer.binary_average_precision(*tensors, thresholds=torch.tensor(thresholds, dtype=torch.float64))
    assert float(theirs) == pytest.approx(ap(scores, truth, thresholds=thresholds), abs=1e-6)
    table, classes = rng.dirichlet(np.ones(3), 40), np.append(rng.integers(0, 3, 37), [0, 1, 2])
    tensors = torch.tensor(table), torch.tensor(classes)
    for average, name in (("macro", "map"), ("weighted", "weighted_average_precision")):
        theirs = peer.multiclass_average_precision(*tensors, num_classes=3, average=average)
        assert float(theirs) == pytest.approx(ap(table, classes, name), abs=1e-6)


@pytest.mark.parametrize(
    ("predictions", "references", "options", "message"),
    [
        ([0.1, math.nan], [1, 0], {}, r"predictions\[1\] is nan"),
        ([{"a": 0.1, "b": math.nan}], ["a"], {}, r"predictions\[0\]\['b'\] is nan"),
        (np.array([True, False]), [1, 0], {}, "predictions are True and False"),
        ([0.1, 0.2], [1, 2], {}, r"references\[1\] .*int: 2"),
        ([0.1, 0.2], np.eye(2), {}, "several values per example"),
        ([{"a": 0.1}, 0.5], ["a", "a"], {}, r"predictions\[1\] .*float"),
        ([[0.1, 0.2]], [0], {"labels": ["a", "b", "c"]}, r"predictions has 2 columns, .* 3 classes"),
        ([0.1], sparse.csr_matrix([[1]]), {}, "sparse matrix"),
        ([0.1], [1], {"labels": ["a", "b"]}, r"option labels is for a score per class, but predictions\[0\] is float"),
        ([{"a": 0.1}], ["a"], {"pos_label": "a"}, "option pos_label is for one score per example"),
        ([[0.1, 0.2]], ["a"], {}, r"references\[0\] is str: 'a'.* option labels"),
        ([0.1, 0.2], ["a", 1], {"pos_label": "a"}, r"references\[1\] must be a string like pos_label=a, got int: 1"),
        ([{"a": 0.1, "b": 1}, {"b": 0.1}], ["a", "a"], {}, r"predictions\[1\] has no score for the class 'a'"),
        (np.eye(2, dtype=bool), [0, 1], {}, "predictions are True and False, but scores"),
        ([[]], [0], {}, r"predictions\[0\] has 0 scores"),
        ([[0.1], 0.2], [0, 0], {}, r"predictions\[1\] must be list or .*, got float"),
        ([[0.1, 0.2], [0.1]], [0, 0], {}, r"predictions\[1\] has 1 score, the first row has 2"),
        ([[0.1, 0.2], [0.1, "x"]], [0, 0], {}, r"predictions\[1\]\[1\] must be a number, got str: 'x'"),
        (np.eye(2), np.array([[0, 2], [1, 0]]), {}, r"references\[0\]\[1\] is 2"),
        (np.eye(2), [[True, False], [True]], {}, r"references\[1\] must be a list of as many"),
        (np.eye(2), [[0], 1], {}, r"references\[1\] must be list or .*, got int"),
        (np.eye(2), np.eye(2, 3), {}, "predictions 2, references 3"),
        ([{"a": 0.1, 1: 0.2}], ["a"], {}, r"predictions\[0\]\[1\] is int: 1"),
    ],
)
def test_bad_columns(predictions, references, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        score_curves(predictions, references, options=CurveOptions(**options))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"thresholds": [0.5, True]}, "thresholds .*bool"),
        ({"ties": "stable", "thresholds": [0.5]}, "ties=stable .*thresholds"),
        ({"style": "voc"}, "task=scores .*style; .*task=boxes"),
        ({"task": "boxes", "iou_thresholds": [0]}, "above 0"),
        ({"task": "boxes", "iou_thresholds": np.linspace(0.01, 1, 63)}, "62"),
        ({"task": "boxes", "max_detections": 0}, "max_detections .* 1"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        CurveOptions(**options)
