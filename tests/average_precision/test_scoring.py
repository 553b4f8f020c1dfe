"""Average precision of scored examples: golden numbers, scikit-learn, torchmetrics, properties, bad input."""

import math
import tracemalloc
import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import qassay
from qassay.average_precision.measures import curve_areas, curve_points, plain_points, rank_items
from qassay.average_precision.scoring import CurveOptions, precision_recall_curve, precision_recall_curves, score_curves
from qassay.core.scores import Scores

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


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({"interpolation": "voc11"}, 0.8809440559440559),
        ({"interpolation": "all_points"}, 0.8989316239316238),
        ({"interpolation": "coco101"}, 0.8969725818735717),
        ({"ties": "stable"}, 0.8989316239316238),
        ({"thresholds": sorted(set(SCORES))}, 0.8898809523809526),
    ],
)
def test_rules_of_the_same_example(options, value):
    assert ap(SCORES, TRUTH, **options) == pytest.approx(value, abs=3e-16)


def test_the_curve_of_the_example():
    scores = score_curves(SCORES, TRUTH, options=CurveOptions(thresholds=THRESHOLDS))
    precisions, recalls, thresholds = precision_recall_curve(scores)
    assert precisions.round(6).tolist() == [0.5625, 0.571429, 0.571429, 0.636364, 0.7, 0.875, 0.875, 1, 1, 1, 1]
    nine = [9, 8, 8, 7, 7, 7, 7, 6, 5, 4, 0]
    assert recalls.tolist() == [hits / 9 for hits in nine]
    assert thresholds.tolist() == THRESHOLDS.tolist()


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
    for _ in range(150 * scale):
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


def test_curves_of_all_classes():
    table, truth = [[0.1, 0.9], [0.7, 0.2], [0.4, 0.4]], [["a"], ["a", "b"], []]
    scores = score_curves(table, truth, options=CurveOptions(labels=["a", "b"]))
    curves = precision_recall_curves(scores)
    assert list(curves) == ["a", "b"]
    for label, curve in curves.items():
        assert list(curve) == ["precisions", "recalls", "thresholds"]
        for ours, theirs in zip(curve.values(), precision_recall_curve(scores, label), strict=True):
            assert ours.tolist() == theirs.tolist()
    with pytest.raises(ValueError, match="task 'scores'"):
        precision_recall_curves(qassay.score("answer_match", ["a"], [["a"]]))


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
    for _ in range(100 * scale):
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
    scores = score_curves(table, truth)
    assert scores.summary() == {
        "map": expected,
        "weighted_average_precision": 1.0,
        "micro_average_precision": 0.5,
        "no_positives": 1,
        "total": 2,
    }


def test_no_positive_at_all():
    scores = score_curves([0.5, 0.2], [False, False])
    assert scores.summary() == {"average_precision": 0.0, "positives": 0, "total": 2}
    assert scores.interval(n_resamples=10, method="percentile") == {"average_precision": (0.0, 0.0)}
    assert scores.interval(n_resamples=10) == {"average_precision": (0.0, 1.0)}  # which says nothing
    assert ap([[0.1, 0.2]], [[]], "weighted_average_precision", labels=["a", "b"]) == 0.0
    assert score_curves([0.5], ["no"], options=CurveOptions(pos_label="yes")).summary()["positives"] == 0


def test_torchmetrics_agrees(scale):
    torch = pytest.importorskip("torch", reason="torchmetrics needs torch")
    peer = pytest.importorskip("torchmetrics.functional.classification", reason="torchmetrics is a peer of these tests")
    rng = np.random.default_rng(4)
    for _ in range(5 * scale):
        scores, truth = rng.integers(0, 12, 40) / 12, rng.random(40) < 0.5
        truth[0] = True
        tensors = torch.tensor(scores), torch.tensor(truth.astype(int))
        assert float(peer.binary_average_precision(*tensors)) == pytest.approx(ap(scores, truth), abs=1e-6)
        curve = precision_recall_curve(score_curves(scores, truth))
        for mine, theirs in zip(curve, peer.binary_precision_recall_curve(*tensors), strict=True):
            np.testing.assert_allclose(mine, theirs.numpy(), rtol=0, atol=1e-6)
        thresholds = [0.0, 0.1, 0.35, 0.8]
        theirs = peer.binary_average_precision(*tensors, thresholds=torch.tensor(thresholds, dtype=torch.float64))
        assert float(theirs) == pytest.approx(ap(scores, truth, thresholds=thresholds), abs=1e-6)
        table = rng.dirichlet(np.ones(3), 40)
        classes = np.append(rng.integers(0, 3, 37), [0, 1, 2])
        tensors = torch.tensor(table), torch.tensor(classes)
        for average, name in (("macro", "map"), ("weighted", "weighted_average_precision")):
            theirs = peer.multiclass_average_precision(*tensors, num_classes=3, average=average)
            assert float(theirs) == pytest.approx(ap(table, classes, name), abs=1e-6)
        several = rng.random((40, 3)) < 0.4
        several[0] = True
        tensors = torch.tensor(table), torch.tensor(several.astype(int))
        theirs = peer.multilabel_average_precision(*tensors, num_labels=3, average="micro")
        assert float(theirs) == pytest.approx(ap(table, several, "micro_average_precision"), abs=1e-6)


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


def test_the_two_ways_to_the_points_agree():
    rng = np.random.default_rng(5)
    for thresholds in (None, (0.1, 0.5, 2.0)):
        scores, truth = rng.integers(0, 9, 50) / 9, rng.random(50) < 0.4
        slow = curve_points(rank_items(scores, truth, "grouped", thresholds), np.ones((1, 50)))
        for ours, theirs in zip(plain_points(scores, truth, thresholds), slow, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-15)


def test_areas_of_no_points():
    for name in ("none", "all_points", "voc11", "coco101"):
        assert curve_areas(np.zeros((2, 0)), np.zeros((2, 0)), name).tolist() == [0.0, 0.0]


def test_counts_of_classes():
    table, truth = [[0.1, 0.9], [0.6, 0.8], [0.3, 0.2]], [[0], [0, 1], []]
    scores = score_curves(table, truth, options=CurveOptions(thresholds=[0.5, 0.85]))
    found = scores.summary()
    assert (found["below_thresholds"], found["no_positives"]) == (1, 0)
    assert scores.counts() == dict.fromkeys(scores.measures, 3)
    assert scores.subset([True, False, False]).summary()["no_positives"] == 1
    by_class = score_curves(table, truth, options=CurveOptions(thresholds=[0.5, 0.85], per_class=True)).summary()
    for label in (0, 1):
        one = ap([row[label] for row in table], [label in row for row in truth], thresholds=[0.5, 0.85])
        assert by_class[f"average_precision[{label}]"] == one


def test_joined_parts_give_the_result_of_all_rows():
    rng = np.random.default_rng(6)
    table, classes = rng.random((30, 3)), [list("abc")[i] for i in [*rng.integers(0, 3, 27), 0, 1, 2]]
    options = CurveOptions(labels=["a", "b", "c"], per_class=True)
    whole = score_curves(table, classes, options=options)
    parts = [score_curves(table[rows], classes[rows], options=options) for rows in (slice(20), slice(20, 30))]
    assert Scores.concat(parts).summary() == whole.summary()
    inferred = [score_curves([{"a": 0.1, "b": 0.3}], ["a"]), score_curves([{"a": 0.1, "c": 0.3}], ["a"])]
    with pytest.raises(ValueError, match="other options"):
        Scores.concat(inferred)


def test_slices_intervals_and_weights():
    rng = np.random.default_rng(7)
    scores, truth = rng.random(80), rng.random(80) < 0.4
    rows = score_curves(scores, truth)
    low, high = rows.interval(n_resamples=200)["average_precision"]
    assert low < rows.summary()["average_precision"] < high
    mask = scores > 0.3
    assert rows.subset(mask).summary(["average_precision"]) == {"average_precision": ap(scores[mask], truth[mask])}
    assert rows.subset(np.zeros(80, bool)).summary()["average_precision"] == 0.0
    ranked = score_curves(scores, truth, options=CurveOptions(thresholds=[0.5])).subset(np.zeros(80, bool))
    assert ranked.summary()["average_precision"] == 0.0


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


def test_memory_stays_bounded():
    n = 200_000
    rng = np.random.default_rng(10)
    scores, truth = rng.random(n), rng.random(n) < 0.3
    rows = score_curves(scores, truth)
    draws = np.ones((20, n))
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
    torch, pd = pytest.importorskip("torch"), pytest.importorskip("pandas")
    expected = ap(SCORES, TRUTH)
    for predictions in (
        np.array(SCORES),
        torch.tensor(SCORES, dtype=torch.float64),
        pd.Series(SCORES),
        pa.array(SCORES),
    ):
        for references in (
            np.array(TRUTH),
            np.array(TRUTH, float),
            torch.tensor(TRUTH),
            pd.Series(TRUTH),
            pa.chunked_array([TRUTH]),
        ):
            assert ap(predictions, references) == expected
    assert ap(torch.tensor([0.5, 0.25], dtype=torch.bfloat16), [1, 0]) == 1.0
    assert ap([10, 5], [1, 0]) == 1.0
    assert ap([10, 5], [2, 1], pos_label=2) == 1.0
    assert ap(np.array([0.5, 0.1]), np.array(["x", "y"]), pos_label="y") == 0.5
    assert score_curves({"b": 0.2, "a": 0.9}, {"a": True, "b": False}).ids == ["a", "b"]
    assert score_curves([0.5], [True], ids=["q"]).ids == ["q"]


def test_signatures_say_the_rules():
    def signature(**options):
        return CurveOptions(**options).signature().rpartition("|v:")[0]

    assert signature() == "average_precision|task:scores|interp:none|ties:grouped"
    assert signature(interpolation="voc11").endswith("|interp:voc11|ties:stable")
    assert signature(thresholds=[0.5, 0.25, 0.5]).endswith("|thresholds:0.25,0.5|interp:none|ties:grouped")
    assert "labels:" in score_curves([[0.1, 0.2]], [1]).signature()
    assert signature(labels=["a", "b"]) != signature(labels=["b", "a"]), "the names count, and their order"
    assert signature(labels=2) == signature(labels=[0, 1]) == signature(labels=np.arange(2))
    assert signature(thresholds=0.5, interpolation="voc11").endswith("ties:grouped"), "a threshold takes ties together"


@pytest.mark.parametrize(
    ("predictions", "references", "options", "error", "message"),
    [
        ([0.1, math.nan], [1, 0], {}, ValueError, r"predictions\[1\] is nan; give a finite number"),
        (np.array([[0.1, math.inf]]), [0], {}, ValueError, r"predictions\[0\]\[1\] is inf"),
        ([{"a": 0.1, "b": math.nan}], ["a"], {}, ValueError, r"predictions\[0\]\['b'\] is nan"),
        ([0.1, "0.2"], [1, 0], {}, TypeError, r"predictions\[1\] must be a number, got str: '0.2'"),
        ([0.1, None], [1, 0], {}, TypeError, r"predictions\[1\] must be a number, got None"),
        (np.array([True, False]), [1, 0], {}, TypeError, "predictions are True and False"),
        (np.array([[True, False]]), [1], {}, TypeError, "predictions are True and False"),
        ([0.1, 0.2], [1, 2], {}, ValueError, r"references\[1\] must be True or False, 1 or 0, got int: 2"),
        ([0.1, 0.2], ["yes", "no"], {}, TypeError, r"references\[0\] .* got str: 'yes'; .*pos_label"),
        ([0.1, 0.2], np.array([0, 3]), {}, ValueError, r"references\[1\] must be True or False"),
        ([0.1, 0.2], np.eye(2), {}, TypeError, "a row of several values per example"),
        ([0.1, 0.2], ["yes", 1], {"pos_label": "yes"}, TypeError, r"references\[1\] must be a string like pos_label='yes'"),
        ([0.1, 0.2], ["yes", "no"], {"pos_label": 1}, TypeError, r"references\[0\] must be a number like pos_label=1"),
        ([0.1, 0.2], ["yes", "no"], {"pos_label": "Yes"}, ValueError, "pos_label='Yes' is not a class .*did you mean 'yes'.*'no', 'yes'"),
        ([0.1], [True], {"labels": ["a"]}, ValueError, "option labels is for a score per class"),
        ([{"a": 0.1}], ["a"], {"pos_label": "a"}, ValueError, "option pos_label is for one score per example"),
        ([{"a": 0.1, "b": 0.2}], ["c"], {"labels": ["a", "b"]}, ValueError, r"references\[0\] has the unknown class 'c'"),
        ([{"a": 0.1, "b": 0.2}], ["c"], {}, ValueError, r"predictions\[0\] has no score for the class 'c'"),
        ([{"a": 0.1, "bb": 0.2}], ["a"], {"labels": ["a", "b"]}, ValueError, r"scores the unknown class 'bb'"),
        ([{"a": 0.1}, 0.5], ["a", "a"], {}, TypeError, r"predictions\[1\] must be a dict like the first one, got float"),
        ([{"a": 0.1, 1: 0.5}], ["a"], {}, TypeError, r"classes of mixed type \(int, str\)"),
        ([[0.1, 0.2], [0.1]], [0, 1], {}, ValueError, r"predictions\[1\] has 1 score, the first row has 2"),
        ([[0.1, 0.2], 0.1], [0, 1], {}, TypeError, r"predictions\[1\] must be a list like the first one, got float"),
        ([[0.1, "x"]], [0], {}, TypeError, r"predictions\[0\]\[1\] must be a number, got str: 'x'"),
        ([[]], [0], {}, ValueError, r"predictions\[0\] has no score"),
        ([[0.1, 0.2]], ["a"], {}, ValueError, "name the class of each place by the option labels"),
        ([[0.1, 0.2]], [0], {"labels": ["a", "b", "c"]}, ValueError, "each prediction has 2 scores, but there are 3 classes in the option labels"),
        ([[0.1, 0.2]], [2], {}, ValueError, r"references\[0\] has the unknown class 2; the classes are: 0, 1"),
        ([[0.1, 0.2]], [[0, 0]], {}, ValueError, r"references\[0\] has the class 0 twice.*must contain True and False"),
        ([[0.1, 0.2]], [[True]], {}, ValueError, "each reference has 1 value, but there are 2 classes with scores"),
        ([[0.1, 0.2]] * 2, [[True, False], [True]], {}, ValueError, r"references\[1\] has 1 value, the first row has 2"),
        ([[0.1, 0.2]] * 2, [[0], 1], {}, TypeError, r"references\[1\] must be a list of classes like the first one, got int"),
        ([[0.1, 0.2]], [0.5], {}, TypeError, r"references\[0\]: a class must be a string or an integer"),
        (np.ones((1, 2)), np.array([[3, 0]]), {}, ValueError, "must contain True and False, or 1 and 0"),
        ({"a": 0.1}, {"a": 1, "b": 0}, {}, ValueError, r"the id 'b' has no prediction \(1 in all\)"),
        ({"a": 0.1, "x": 0.5}, {"a": 1}, {}, ValueError, "predictions: the id 'x' has no true"),
        ([0.1], sparse.csr_matrix([[1]]), {}, TypeError, "references is a sparse matrix; give an array"),
        ([0.1], np.array([2]), {}, ValueError, "must be True or False, 1 or 0, got int: 2;"),
        ([0.1, 0.2], [1, None], {}, TypeError, r"references\[1\] must be True or False, 1 or 0, got None;"),
        ([[0.1]], [[True]], {"labels": ["a", "b"]}, ValueError, "each prediction has 1 score, but there are 2 classes"),
        ([[0.1]], [[True, False]], {}, ValueError, "each reference has 2 values, but there is 1 class with scores"),
    ],
)  # fmt: skip
def test_bad_columns(predictions, references, options, error, message):
    with pytest.raises(error, match=message):
        score_curves(predictions, references, options=CurveOptions(**options))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"thresholds": ["low"]}, TypeError, "thresholds must be finite numbers.*got str: 'low'"),
        ({"thresholds": [0.5, True]}, TypeError, "thresholds must be finite numbers.*got bool"),
        ({"thresholds": [math.nan]}, TypeError, "thresholds must be finite numbers.*got float: nan"),
        ({"thresholds": []}, ValueError, "thresholds needs at least one number"),
        ({"interpolation": "voc"}, ValueError, "option interpolation='voc' is unknown.*'voc11'"),
        ({"ties": "stable", "thresholds": [0.5]}, ValueError, "ties='stable' does not go with thresholds"),
        ({"ties": "first"}, ValueError, "option ties='first' is unknown"),
        ({"task": "box"}, ValueError, "option task='box' is unknown.*did you mean 'boxes'"),
        ({"style": "voc"}, ValueError, "task='scores' does not have the option style; task='boxes' has it"),
        ({"task": "boxes", "thresholds": [0.5]}, ValueError, "task='boxes' does not have the option thresholds"),
        ({"task": "boxes", "iou_thresholds": [0]}, ValueError, "above 0 and at most 1"),
        ({"task": "boxes", "iou_thresholds": np.linspace(0.01, 1, 63)}, ValueError, "at most 62"),
        ({"task": "boxes", "max_detections": 0}, ValueError, "max_detections must be an integer of at least 1"),
        ({"labels": "ab"}, TypeError, "option labels must be a column"),
        ({"labels": ["a", "a"]}, ValueError, "labels has 'a' twice; give every class once"),
        ({"labels": ["a", 1]}, TypeError, r"labels\[1\] is int: 1"),
        ({"labels": [True]}, TypeError, r"labels\[0\] must be a string or an integer"),
        ({"labels": [0.5]}, TypeError, r"labels\[0\] must be a string or an integer"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        CurveOptions(**options)


def test_bad_ids():
    with pytest.raises(ValueError, match="omit the column ids"):
        score_curves({"a": 0.1}, {"a": 1}, ids=["a"])
    with pytest.raises(ValueError, match=r"predictions\[1\] \(id 'y'\) is nan"):
        score_curves([0.1, math.nan], [1, 0], ids=["x", "y"])


def test_bad_curves():
    with pytest.raises(ValueError, match="no class 'a'; each example has one score"):
        precision_recall_curve(score_curves([0.1], [1]), "a")
    with pytest.raises(ValueError, match="no class None; give one of"):
        precision_recall_curve(score_curves([[0.1, 0.2]], [1]))
    with pytest.raises(ValueError, match="task 'scores'"):
        precision_recall_curve(qassay.score("answer_match", ["a"], [["a"]]))
    scores = score_curves([[0.1, 0.2], [0.4, 0.3]], [1, 0])
    assert [part.tolist() for part in precision_recall_curve(scores, 1)] == [
        [0.5, 0.0, 1.0],
        [1.0, 0.0, 0.0],
        [0.2, 0.3],
    ]
