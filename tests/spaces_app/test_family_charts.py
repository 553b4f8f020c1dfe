"""Charts of families: the numbers of the core, what each family shows, hostile names."""

import html
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from qassay.average_precision.scoring import precision_recall_curve
from qassay.label_metrics.per_class import class_scores
from qassay.registry import FAMILIES
from qassay.spaces_app import family_charts as family_charts_module
from qassay.spaces_app.address import View
from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.errors_address import choice_of, view_of
from qassay.spaces_app.errors_choice import chosen_rows
from qassay.spaces_app.errors_view import active_filters
from qassay.spaces_app.family_charts import draws_values, family_charts
from qassay.spaces_app.findings import headline_measure
from qassay.spaces_app.inputs import sample_analysis, sample_inputs
from qassay.spaces_app.samples import SAMPLES
from qassay.spaces_app.view_parts import charts_grid

TITLES = {
    "answers": [],
    "runs": [],
    "rankings": [
        "Rank of the first relevant document",
        "map of single queries, best first",
        "p@k by k",
        "Interpolated precision at points of recall",
    ],
    "factoids": ["Rank of the first right candidate"],
    "pipeline": ["Rank of the first relevant document"],
    "rag": ["Rank of the first relevant document"],
    "similarity": ["sas of single questions"],
    "equivalence": ["equivalence of single questions"],
    "verdicts": [],
    "labels": ["F1 of each class"],
    "curves": ["Precision-recall curve"],
}


def test_charts_belong_to_families():
    assert {family.telling.values_chart for family in FAMILIES.values()} == {"", *family_charts_module._VALUES}


def labels_of(page):
    return [ET.fromstring(chart).get("aria-label") for chart in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


@pytest.mark.parametrize("name", SAMPLES)
def test_each_family_shows_its_charts(name):
    analysis = sample_analysis(name)
    page = "".join(family_charts(analysis))
    assert draws_values(analysis) == any(" of single " in title for title in TITLES[name])
    assert [label.split(". ")[0] for label in labels_of(page)] == TITLES[name]
    of_single = [title.partition(" of single ")[0] for title in TITLES[name] if " of single " in title]
    assert of_single in ([], [headline_measure(analysis)]), "by the measure that the answer leads with"
    assert (page == "") == (not TITLES[name])
    assert page.count("<figcaption>") == len(re.findall(r"\(n(?: =|:) [^(]*</figcaption>", page)) == len(TITLES[name])


def test_rankings_against_the_scores():
    analysis = sample_analysis("rankings")
    ranks, values, cut_offs, recalls = labels_of("".join(family_charts(analysis)))
    reciprocal = {system: analysis.scores(system) for system in analysis.systems}
    firsts = [int((s.columns["mrr"] == 1).sum()) for s in reciprocal.values()]
    assert f"Counts of bm25, dense. 1: {firsts[0]}, {firsts[1]};" in ranks
    judged = [~s.subsets["no_relevant"] for s in reciprocal.values()]
    absent = [int(((s.columns["mrr"] == 0) & some).sum()) for s, some in zip(reciprocal.values(), judged, strict=True)]
    assert ranks.endswith(f"not found: {absent[0]}, {absent[1]}.")
    best = np.nanmax(analysis.by_example("bm25", "ndcg@10"))
    assert f"bm25: {100 * best:.2f} at 1," in values
    precisions = analysis.scores("bm25").summary(["p@5", "p@1000"])
    assert f"bm25: {100 * precisions['p@5']:.2f} at 5, " in cut_offs
    assert f" {100 * precisions['p@1000']:.2f} at 1000. dense:" in cut_offs
    ends = analysis.scores("dense").summary(["iprec@0", "iprec@1"])
    assert f"dense: {100 * ends['iprec@0']:.2f} at 0.00" in recalls
    assert recalls.endswith(f"{100 * ends['iprec@1']:.2f} at 100.00.")


def points_of(figure):
    """The linked points of a chart of lines: [(view, tooltip)]."""
    found = re.findall(r'<a class="go" href="([^"]*)" aria-label="([^"]* at [^"]*)"[^>]*>', figure)
    return [(View.parse(html.unescape(href)), html.unescape(tip)) for href, tip in found]


def test_points_over_k_and_over_recall_lead_to_the_examples_by_their_measure():
    analysis = sample_analysis("rankings")
    _, _, cut_offs, recalls = family_charts(analysis)
    names = [f"p@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    assert [view.measure for view, _ in points_of(cut_offs)] == 2 * names
    tenths = ["iprec@0", *(f"iprec@0.{tenth}" for tenth in range(1, 10)), "iprec@1"]
    assert [view.measure for view, _ in points_of(recalls)] == 2 * tenths
    for view, tip in points_of(cut_offs) + points_of(recalls):
        value = analysis.scores(view.system).summary([view.measure])[view.measure]
        assert tip.startswith(f"{view.system}: {100 * value:.2f} at ")
        choice, _, misfits = choice_of(analysis, view)
        assert not misfits and choice.measure == view.measure


def test_a_point_of_sorted_values_leads_to_its_example():
    analysis = sample_analysis("rankings")
    points = points_of(family_charts(analysis)[1])
    assert len(points) == 2 * len(analysis.scores("bm25"))
    for view, tip in points:
        choice, row, misfits = choice_of(analysis, view)
        value = analysis.by_example(view.system, view.measure)[row]
        assert not misfits and choice.measure == view.measure and f": {100 * value:.2f} at " in tip


def test_fewer_than_three_cut_offs_make_no_curve():
    inputs = sample_inputs("rankings")._replace(measures=["ndcg@5", "ndcg@10", "ndcg@3", "p@5", "p@10", "map"])
    titles = [label.split(". ")[0] for label in labels_of("".join(family_charts(analyze(inputs))))]
    assert "ndcg@k by k" in titles and "p@k by k" not in titles


def test_ranks_that_do_not_occur_at_the_end_are_left_out():
    label = labels_of("".join(family_charts(sample_analysis("factoids"))))[0]
    assert "3: " in label and "4-5" not in label and "not found" in label


def test_the_curve_is_that_of_the_core():
    analysis = sample_analysis("curves")
    precision, recall, _ = precision_recall_curve(analysis.scores("spam"))
    label = labels_of("".join(family_charts(analysis)))[0]
    assert f"spam: {100 * precision[0]:.2f} at {100 * recall[0]:.2f}," in label and label.endswith("100.00 at 0.00.")


def test_points_of_the_curve_lead_to_the_examples_with_at_least_their_score():
    analysis = sample_analysis("curves")
    score, is_positive = analysis.telling.score_and_label(analysis.scores("spam"))
    (figure,) = family_charts(analysis)
    points = points_of(figure)
    assert len(points) == len(np.unique(score))
    for view, tip in points:
        choice, _, misfits = choice_of(analysis, view)
        rows = chosen_rows(analysis, choice)
        precision, recall = is_positive[rows].mean(), is_positive[rows].sum() / is_positive.sum()
        assert not misfits and tip == f"spam: {100 * precision:.2f} at {100 * recall:.2f}"
        assert View.parse(view_of(analysis, choice).href()).low == view.low
        (words,) = [words for words, _ in active_filters(analysis, choice)]
        assert words == f"score at least {score[rows].min():.5g}"


def test_tiny_scores_are_told_apart(analysis_of):
    rows = [{"id": i, "label": i % 2, "score": i * 1e-12} for i in range(6)]
    analysis = analysis_of(rows, metric="average_precision")
    (figure,) = family_charts(analysis)
    counts = [len(chosen_rows(analysis, choice_of(analysis, view)[0])) for view, _ in points_of(figure)]
    assert counts == [6, 5, 4, 3, 2, 1]


def test_a_curve_for_each_class_up_to_six(analysis_of):
    names = [f"class {number}" for number in range(8)]
    rows = [
        {"id": i, "label": names[i % 8], "score": {c: ((i * 7 + j) % 11) / 10 for j, c in enumerate(names)}}
        for i in range(24)
    ]
    analysis = analysis_of(rows, metric="average_precision")
    titles = [label.split(". ")[0] for label in labels_of("".join(family_charts(analysis)))]
    assert titles == [f"Precision-recall curve of {name}" for name in names[:6]]
    assert not any(map(points_of, family_charts(analysis))), "no example has one score"


def test_classes_against_the_scores():
    analysis = sample_analysis("labels")
    label = labels_of("".join(family_charts(analysis)))[0]
    rules, tuned = (class_scores(analysis.scores(system)) for system in ("rules", "tuned"))
    for name, (value, support) in rules.items():
        size = f"n = {support:.0f}, few"
        assert f"{name} ({size}): rules {100 * value:.2f}, tuned {100 * tuned[name].value:.2f}." in label


def test_measures_that_were_not_computed_have_no_chart():
    inputs = sample_inputs("rankings")._replace(measures=["p@5"])
    labels = labels_of("".join(family_charts(analyze(inputs))))
    assert all("Interpolated" not in label for label in labels)


def test_nothing_makes_nothing():
    assert charts_grid([]) == "" and charts_grid(["", ""]) == ""
