"""Marks of intervals that may be too narrow, and of measures without an interval."""

import csv
import io
import json

import pytest

import qassay
from qassay.cluster import PartialSums
from qassay.reports.comparison import rests_on_few
from qassay.reports.interval_text import groups_text
from qassay.reports.values import FEW_MEANS, build_report, report_of_sums
from qassay.reports.values_page import values_page
from qassay.reports.values_text import render

FEW = "rests on few {}, so that the interval may be too narrow: {}"


def remarks_of(scores, *measures, **settings):
    return build_report({"a": scores}, {}, measures, n_resamples=20, **settings).remarks


def test_two_large_groups_among_forty_are_few():
    sizes = [500, 460] + [1] * 40
    labels = [group for group, size in enumerate(sizes) for _ in range(size)]
    scores = qassay.score("answer_match", (["yes"] * 3 + ["no"]) * 250, [["yes"]] * 1000).with_groups(labels)
    found = scores.interval(names=["exact_match"])["exact_match"]
    assert found.effective == pytest.approx(1000**2 / (500**2 + 460**2 + 40))
    assert found.degrees < 10 and found.rests_on_few
    for method in ("auto", "percentile"):
        report = build_report({"a": scores}, {}, ["exact_match"], n_resamples=20, interval_method=method)
        assert groups_text(report) == "42 groups (few: as unequal as 2)"
        assert report.systems["a"]["exact_match"].is_few
    assert remarks_of(scores, "exact_match") == [FEW.format("groups", "exact_match")]
    assert "42 groups" not in str(remarks_of(scores.with_groups(None), "exact_match"))
    even = scores.with_groups([row % 42 for row in range(1000)])
    assert groups_text(build_report({"a": even}, {}, ["exact_match"])) == "42 groups"
    assert remarks_of(even, "exact_match") == []


@pytest.mark.parametrize("percent", [False, True])
def test_a_class_of_fewer_than_five_is_marked_even_if_it_is_never_found(percent):
    gold = ["a"] * 60 + ["b"] * 40
    predicted = [label if row % 5 else "ab"[label == "a"] for row, label in enumerate(gold)]
    for rare, told in ((4, [FEW.format("examples", "macro_f1")]), (5, [])):
        scores = qassay.score("label_metrics", predicted + ["a"] * rare, gold + ["rare"] * rare)
        assert scores.interval(names=["macro_f1"])["macro_f1"].rarest == rare
        assert remarks_of(scores, "accuracy", "macro_f1", percent=percent) == told


def with_rare(rare, **more):
    gold = ["a"] * 60 + ["b"] * 40 + ["rare"] * rare
    predicted = [label if row % 5 else "ab"[label == "a"] for row, label in enumerate(gold[:100])]
    predicted += ["rare"] * 4 + ["a"] * (rare - 4)
    return qassay.score("label_metrics", predicted, gold, **more)


@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_sums_know_the_rarest_class(method):
    for rare in (4, 5):
        for weights in (None, [2.0] * (100 + rare), [1.0] * (100 + rare - 1) + [0.0]):
            scores = with_rare(rare, weights=weights)
            sums = PartialSums.of(scores)
            report = report_of_sums(sums, ["accuracy", "macro_f1"], interval_method=method)
            of_scores, of_sums = (one.interval(names=["macro_f1"], method=method)["macro_f1"] for one in (scores, sums))
            assert of_sums.rarest == of_scores.rarest == rare - (weights is not None and weights[-1] == 0)
            assert of_sums.rests_on_few == of_scores.rests_on_few and (rare == 5 or of_sums.rests_on_few)
            assert report.remarks == [FEW.format("examples", "macro_f1")] * of_sums.rests_on_few
    unlike = PartialSums.of(with_rare(4, weights=[1.0, 2.0] * 52)).interval(names=["macro_f1"])["macro_f1"]
    assert unlike.rarest is None


def test_slices_are_marked_whose_intervals_rest_on_few():
    scores = with_rare(4)
    labels = {"half": {"a": ["first"] * 60 + ["second"] * 44}}
    report = build_report({"a": scores}, labels, ["accuracy", "macro_f1"], n_resamples=20)
    for form, marked in (("table", "44*"), ("markdown", r"44\*"), ("latex", "44$^*$")):
        lines = render(report, form).splitlines()
        assert ["macro_f1" in line or r"macro\_f1" in line for line in lines if marked in line] == [True], form
        assert any(FEW_MEANS in line for line in lines)
    rows = list(csv.DictReader(io.StringIO(render(report, "csv"))))
    marked = [(row["label"], row["measure"]) for row in rows if row["few"]]
    assert marked == [("", "macro_f1"), ("second", "macro_f1")]
    found = json.loads(render(report, "json"))
    assert found["systems"]["a"]["few"] == found["slices"]["half"]["second"]["a"]["few"] == ["macro_f1"]
    assert found["slices"]["half"]["first"]["a"]["few"] == []
    page = values_page(report)
    assert FEW_MEANS in page and page.count('44<span class="sub">few</span>') == 1


def test_slices_of_a_comparison_are_marked_whose_differences_few_carry():
    golds = ["a", "b"] * 60
    systems = {"one": golds, "other": ["b", "a", *golds[2:60], *(["b", "b"] * 30)]}
    scored = {name: qassay.score("label_metrics", own, golds) for name, own in systems.items()}
    labels = {"half": ["first"] * 60 + ["second"] * 60}
    differences = qassay.compare(scored, ["accuracy"], labels, n_permutations=20).slices["half"]
    assert [(one.n, rests_on_few(one), "few_carry" in one.cautions) for (one,) in differences.values()] == [
        (60, True, True), (60, False, False),
    ]  # fmt: skip


@pytest.mark.parametrize(("positives", "few"), [(9, True), (12, False)])
def test_curves_with_few_positives_are_marked(positives, few):
    labels = [1] * positives + [0] * 60
    found = qassay.score("average_precision", [row * 7 % 11 for row in range(len(labels))], labels)
    assert remarks_of(found, "average_precision") == [FEW.format("examples", "average_precision")] * few


def test_equal_values_without_bounds_have_no_interval():
    ids = [f"q{row}" for row in range(12)]
    run, judged = {key: {"d1": 1.0, "d2": 0.5} for key in ids}, {key: {"d1": 3} for key in ids}
    scores = qassay.score("retrieval_ranking", run, judged, measures=["mrr", "dcg@10"])
    assert scores.interval(names=["dcg@10"])["dcg@10"].method == "none"
    result = scores.result(level=0.95)
    assert "dcg@10" in result and "mrr_low" in result and not {"dcg@10_low", "dcg@10_high"} & {*result}
    json.dumps(result, allow_nan=False)
    report = build_report({"a": scores}, {}, ["dcg@10"])
    assert report.remarks == ["no interval, as all values are equal: dcg@10"]
    assert json.loads(render(report, "json"))["systems"]["a"]["interval_methods"] == {"dcg@10": "none"}


def test_values_without_examples_have_no_interval():
    result = qassay.score("answer_match", ["yes"] * 3, [["yes"]] * 3).result(level=0.95)
    assert result["no_answer_exact_match"] == 0.0 and "no_answer_exact_match_low" not in result
