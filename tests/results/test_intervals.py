"""Marks of intervals that may be too narrow, and measures without one."""

import pytest

import qassay
from qassay.cluster import PartialSums
from qassay.core.interval_settings import Intervals
from qassay.results import document
from qassay.results.words import interval_text
from qassay.stats.values import values_of


def marked(scores, *measures, method="auto"):
    """The measures of which the report says that few examples vary."""
    remarks = values_of({"a": scores}, measures, Intervals(method=method, n_resamples=20)).remarks
    return [line.partition(": ")[0] for line in remarks if ": few " in line and " vary" in line]


def with_rare(rare, **more):
    """Labels of which one class is rare."""
    gold = ["a"] * 60 + ["b"] * 40 + ["rare"] * rare
    predicted = [label if row % 5 else "ab"[label == "a"] for row, label in enumerate(gold[:100])]
    predicted += ["rare"] * 4 + ["a"] * (rare - 4)
    return qassay.score("label_metrics", predicted, gold, **more)


def test_two_large_groups_among_forty_are_few():
    sizes = [500, 460] + [1] * 40
    labels = [group for group, size in enumerate(sizes) for _ in range(size)]
    scores = qassay.score("answer_match", (["yes"] * 3 + ["no"]) * 250, [["yes"]] * 1000).with_groups(labels)
    found = scores.interval(names=["exact_match"])["exact_match"]
    assert found.effective == pytest.approx(1000**2 / (500**2 + 460**2 + 40)) and found.few_vary
    for method in ("auto", "percentile"):
        shown = document({"a": scores}, measures=["exact_match"], method=method, n_resamples=20)
        assert " over 42 groups (few: as unequal as 2)" in interval_text(shown)
        assert shown["parts"][0]["values"]["a"]["exact_match"]["few"]
    assert marked(scores, "exact_match") == ["exact_match"]
    assert marked(scores.with_groups([row % 42 for row in range(1000)]), "exact_match") == []


@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_a_class_of_fewer_than_five_is_marked_by_scores_and_sums(method):
    for rare in (4, 5):
        for weights in (None, [1.0] * (100 + rare - 1) + [0.0]):
            scores = with_rare(rare, weights=weights)
            sums = PartialSums.of(scores)
            values = values_of({"": sums}, ["accuracy", "macro_f1"], Intervals(method=method))
            of_scores, of_sums = (one.interval(names=["macro_f1"], method=method)["macro_f1"] for one in (scores, sums))
            assert of_sums.rarest == of_scores.rarest == rare - (weights is not None)
            assert of_sums.few_vary == of_scores.few_vary and (rare == 5 or of_sums.few_vary)
            assert bool(values.remarks) == of_sums.few_vary
    never_found = qassay.score("label_metrics", ["a", "b"] * 40 + ["a"] * 4, ["a", "b"] * 40 + ["rare"] * 4)
    assert marked(never_found, "accuracy", "macro_f1", method=method) == ["macro_f1"]
    unlike = PartialSums.of(with_rare(4, weights=[1.0, 2.0] * 52)).interval(names=["macro_f1"])["macro_f1"]
    assert unlike.rarest is None


def test_slices_of_a_comparison_are_marked_whose_differences_few_carry():
    golds = ["a", "b"] * 60
    systems = {"one": golds, "other": ["b", "a", *golds[2:60], *(["b", "b"] * 30)]}
    scored = {name: qassay.score("label_metrics", own, golds) for name, own in systems.items()}
    labels = {"half": ["first"] * 60 + ["second"] * 60}
    differences = qassay.compare(scored, ["accuracy"], labels, n_permutations=20).slices["half"]
    few = [(one.n, one.is_few, "few_carry" in one.cautions) for (one,) in differences.values()]
    assert few == [(60, True, True), (60, False, False)]


def test_equal_values_without_bounds_have_no_interval():
    ids = [f"q{row}" for row in range(12)]
    run, judged = {key: {"d1": 1.0, "d2": 0.5} for key in ids}, {key: {"d1": 3} for key in ids}
    scores = qassay.score("retrieval_ranking", run, judged, measures=["mrr", "dcg@10"])
    result = scores.result(confidence=0.95)
    assert "mrr_low" in result and not {"dcg@10_low", "dcg@10_high"} & {*result}
    assert values_of({"a": scores}, ["dcg@10"]).systems["a"]["dcg@10"].method == "none"
    result = qassay.score("answer_match", ["yes"] * 3, [["yes"]] * 3).result(confidence=0.95)
    assert result["no_answer_exact_match"] is None and "no_answer_exact_match_low" not in result
