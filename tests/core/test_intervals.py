"""Intervals in edge cases: examples without weight, and values without variance."""

import pytest

import qassay
from qassay.cluster import PartialSums
from qassay.core import intervals
from qassay.core.intervals import share_interval


def test_examples_of_no_weight_change_no_interval():
    answers, golds = ["yes"] * 16 + ["no"] * 4, [["yes"]] * 20
    weighted = qassay.score("answer_match", answers, golds, weights=[1.0] * 18 + [0.0] * 2)
    found, wanted = weighted.interval(), qassay.score("answer_match", answers[:18], golds[:18]).interval()
    assert found == wanted
    assert found["exact_match"].method == wanted["exact_match"].method == "wilson"


def test_three_errors_in_20_to_100_answers_have_the_limit_of_a_poisson_variable():
    answers, golds = ["yes"] * 47 + ["no"] * 3, [["yes"]] * 50
    found = qassay.score("answer_match", answers, golds).interval()["exact_match"]
    assert found == pytest.approx((0.8378290831, 1 - 0.8176914472 / 50)) and found.method == "modified wilson"
    assert share_interval(3 / 20, 20, 0.95)[0] == pytest.approx(0.8176914472 / 20)  # scipy: chi2.ppf(0.05, 6) / 2
    assert share_interval(3 / 50, 50, 0.99)[0] == pytest.approx(0.4360451651 / 50)
    assert share_interval(3 / 50, 50, 0.5)[0] < 2.5 / 50  # never narrower than Wilson's
    methods = {share_interval(k / n, n, 0.95)[2] for k, n in ((2, 50), (4, 50), (3, 19), (3, 101), (0, 50))}
    assert methods == {"wilson"}


@pytest.mark.parametrize(("positives", "low"), [(0, 0.0), (1, 0.0), (5, 0.39), (20, 0.82)])
def test_the_interval_of_a_curve_at_a_bound_depends_on_its_positives(positives, low):
    negatives = 30
    labels = [1] * positives + [0] * negatives
    scores = qassay.score("average_precision", list(range(len(labels)))[::-1], labels)
    found = scores.interval()["average_precision"]
    assert found == pytest.approx((low, 1.0), abs=0.01)


def test_groups_of_one_among_the_examples_of_a_measure_change_nothing_there():
    answers, golds = ["a"] * 60 + ["", "x"] * 10, [["a"], ["b"]] * 30 + [[]] * 20
    plain = qassay.score("answer_match", answers, golds)
    grouped = plain.with_groups([place // 6 for place in range(60)] + [*range(100, 120)])
    for method in ("auto", "percentile"):
        own, of_all = (scores.interval(method=method) for scores in (grouped, plain))
        assert own["no_answer_f1"] == of_all["no_answer_f1"] and own["f1"] != of_all["f1"]
    assert list(own) == list(of_all)


@pytest.mark.parametrize("wrong", [0, 3, 9, 50])
def test_averages_that_are_the_accuracy_have_its_interval(wrong):
    golds = [f"c{row % 3}" for row in range(50)]
    answers = [label if row >= wrong else f"c{(row + 1) % 3}" for row, label in enumerate(golds)]
    for weights in (None, [2.0] * 50, [1.0, 2.0] * 25):
        scores = qassay.score("label_metrics", answers, golds, weights=weights)
        for of in (scores, PartialSums.of(scores)):
            found = of.interval()
            for name in ("micro_precision", "micro_recall", "micro_f1", "weighted_recall"):
                assert found[name] == pytest.approx(found["accuracy"], abs=1e-12), name
                assert found[name].method == found["accuracy"].method, name
            assert (found["micro_f1"].method == "effective wilson") == (weights == [1.0, 2.0] * 25)
            assert found["macro_f1"].method == found["weighted_f1"].method == "effective wilson"
    names = ["accuracy", "micro_f1"]
    accuracy, micro = scores.with_groups([row // 2 for row in range(50)]).interval(names=names).values()
    assert micro == pytest.approx(accuracy, abs=1e-12) and micro.method == "effective wilson"


def test_a_class_that_is_never_found_widens_a_macro_average_about_as_much_as_one_found_once():
    golds, others = ["a", "b"] * 97 + ["rare"] * 6, ["a"] * 160 + ["b"] * 34
    widths = []
    for found in (0, 1, 2):
        answers = others + ["rare"] * found + ["a"] * (6 - found)
        low, high = qassay.score("label_metrics", answers, golds).interval(names=["macro_f1"])["macro_f1"]
        widths.append(high - low)
    assert widths[1] > widths[0] > widths[1] / 2 and widths[0] > widths[2] / 2


def test_intervals_of_very_many_classes_are_about_as_wide_as_of_fewer(monkeypatch):
    golds = [f"c{row % 20}" for row in range(60)]
    answers = [label if int(label[1:]) % 4 else "c1" for label in golds]  # each class is all right or all wrong
    systems = {name: qassay.score("label_metrics", own, golds) for name, own in (("a", answers), ("b", golds[::-1]))}
    widths = []
    for most_cells in (1 << 24, 0):  # 0: the variance is from the bootstrap, as of thousands of classes
        monkeypatch.setattr(intervals, "_MOST_CELLS", most_cells)
        (found,) = qassay.compare(systems, ["macro_f1"], n_permutations=20).differences
        widths.append([high - low for low, high in (*found.intervals, found.interval)])
    assert widths[1] == pytest.approx(widths[0], rel=0.1)


def test_an_interval_that_three_heavy_examples_carry_few_vary():
    answers = ["a" if row % 2 else "b" for row in range(60)]
    for weights, is_few in (([1.0] * 60, False), ([1000.0] * 3 + [1.0] * 57, True)):
        found = qassay.score("answer_match", answers, [["a"]] * 60, weights=weights).interval()["exact_match"]
        assert found.few_vary == is_few == (found.degrees < 10)
