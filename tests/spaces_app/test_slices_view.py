"""The tab Slices as HTML: which groupings there are, values of the core with their n, what stands out."""

import csv
import json
import re

import pytest

from qassay.spaces_app.analysis import Inputs, Settings, analyze
from qassay.spaces_app.inputs import sample_inputs
from qassay.spaces_app.samples import SAMPLES
from qassay.spaces_app.slices_view import (
    kind_counts,
    outliers_of_systems,
    slice_report,
    sliced_measures,
    slices_page,
    slicings,
    why_no_slices,
)

ATTACK = "<script>alert(1)</script>"
EXPECTED = {
    "answers": ["question_word", "answer_type", "answer_length", "gold_count", "has_answer", "title", "language"],
    "rankings": ["relevant_count", "no_relevant"],
    "factoids": ["question_word", "type"],
    "pipeline": ["question_word", "has_answer", "title", "document_id", "language"],
    "similarity": ["question_word", "answer_type", "answer_length", "gold_count", "has_answer", "title", "language"],
    "labels": ["channel"],
    "curves": ["channel"],
}


@pytest.fixture(scope="module")
def samples():
    return {name: analyze(sample_inputs(name), Settings(n_resamples=50)) for name in SAMPLES}


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_has_its_groupings(samples, name):
    assert slicings(samples[name]) == EXPECTED[name]
    assert why_no_slices(samples[name]) == ""


@pytest.mark.parametrize("name", SAMPLES)
def test_every_page_has_a_chart_with_words_and_a_table(samples, name):
    analysis = samples[name]
    for slicing in slicings(analysis):
        measures = sliced_measures(analysis, slicing)
        assert measures
        html = slices_page(analysis, slicing, measures[0])
        assert f'aria-label="{measures[0]} by {slicing}.' in html and "n = " in html
        assert html.count("<table>") == 1
        assert ("Kinds of errors" in html) == (analysis.error_kinds is not None)


def test_values_are_those_of_the_core(samples):
    analysis = samples["answers"]
    parts = analysis.scores("large_model").by(analysis.labels("large_model", "language"))
    cells = slice_report(analysis, "language").slices["language"]
    for label, part in parts.items():
        cell = cells[label]["large_model"]["f1"]
        assert cell.value == pytest.approx(100 * part.summary(["f1"])["f1"]) and cell.n == len(part)
    french = cells["fr"]["large_model"]["f1"]
    assert f"<td>{french.value:.2f}" in slices_page(analysis, "language", "f1")


def test_groups_of_answers_are_left_out(samples):
    for analysis in samples.values():
        assert not {"error_kind", "missing", "abstained", "failure", "tied"} & set(slicings(analysis))


def test_small_groups_are_marked_few(samples):
    html = slices_page(samples["answers"], "language", "f1")
    assert "few" in html and "under 30" in html
    assert "under 30" not in slices_page(many(), "topic", "exact_match")


def test_measures_that_apply_to_no_group_are_not_offered(samples):
    assert sliced_measures(samples["factoids"], "type") == ["mrr", "list_f1", "yesno_macro_f1"]
    page = slices_page(samples["factoids"], "type", "list_f1")
    figure = re.search(r'aria-label="([^"]*)"', page)[1]
    assert "list (n = 10, few): hasty" in figure
    assert "yesno" not in figure and "factoid" not in figure


def many(right: float = 0.9) -> object:
    """100 examples each of two topics; of the second none is right."""
    import tempfile
    from pathlib import Path

    path = Path(tempfile.mkdtemp()) / "t.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["prediction", "reference", "topic"])
        for row in range(100):
            writer.writerow(["a" if row < 100 * right else "b", "a", "easy"])
            writer.writerow(["b", "a", "hard"])
    return analyze(Inputs("t", str(path), {}), Settings(n_resamples=100))


def test_what_stands_out_is_said_only_where_it_does(samples):
    analysis = many()
    (found,) = outliers_of_systems(analysis, "topic", "exact_match").values()
    assert [(one.label, one.value, one.n, one.is_better) for one in found] == [("hard", 0.0, 100, False)]
    html = slices_page(analysis, "topic", "exact_match")
    assert "worse than the 45.00 of all questions" in html and "<bdi>hard</bdi></strong> (0.00, n = 100)" in html
    assert "corrected for the number of groups" in html and "Bonferroni" in html
    assert not any(outliers_of_systems(many(0.0), "topic", "exact_match").values())
    assert "worse than" not in slices_page(many(0.0), "topic", "exact_match")
    assert not any(outliers_of_systems(samples["answers"], "language", "f1").values())  # all groups but one are small


def test_kinds_are_counted_by_group(samples):
    analysis = samples["answers"]
    counts = kind_counts(analysis, "small_model", "has_answer")
    assert list(counts) == ["no", "yes"]
    assert counts["no"]["answered an unanswerable"] == 10 and counts["yes"]["answered an unanswerable"] == 0
    assert sum(sum(kinds.values()) for kinds in counts.values()) == 64
    assert list(counts["no"]) == [kind for kind in analysis.family.telling.errors.order if kind in counts["no"]]


def test_without_groupings_it_says_why(tmp_path):
    for name, content in (("gold", {"1": ["Xa"], "2": ["Yb"]}), ("one", {"1": "Xa", "2": "x"})):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    analysis = analyze(Inputs("t", str(tmp_path / "gold.json"), {"one": str(tmp_path / "one.json")}))
    assert slicings(analysis) == []
    assert "These questions cannot be grouped" in why_no_slices(analysis)


def test_labels_names_and_columns_are_escaped(tmp_path):
    with open(tmp_path / "t.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["prediction", "reference", ATTACK])
        writer.writerows([["a", "a", ATTACK], ["b", "a", ""]] * 20)
    analysis = analyze(Inputs("t", str(tmp_path / "t.csv"), {ATTACK: str(tmp_path / "t.csv")}))
    assert ATTACK in slicings(analysis)
    html = slices_page(analysis, ATTACK, "f1")
    assert "<script" not in html and "&lt;script&gt;" in html and "(empty)" in html
