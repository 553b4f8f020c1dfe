"""The tab Slices as HTML: which groupings there are, values of the core with their n, what stands out."""

import re
from html import escape

import pytest

from qassay.reports.finding import plain_text
from qassay.spaces_app.address import View
from qassay.spaces_app.analysis import Settings, analyze
from qassay.spaces_app.findings import finding_of, worst_slice
from qassay.spaces_app.inputs import sample_inputs
from qassay.spaces_app.samples import SAMPLES
from qassay.spaces_app.slice_overview import finding, sides_of, slices_overview, weakest_slices
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
    "runs": ["question_word", "answer_type", "answer_length", "gold_count", "has_answer", "title", "language"],
    "rankings": ["relevant_count", "no_relevant"],
    "factoids": ["question_word", "type"],
    "pipeline": ["question_word", "has_answer", "title", "document_id", "language"],
    "rag": ["question_word"],
    "similarity": ["question_word", "answer_type", "answer_length", "gold_count", "has_answer", "title", "language"],
    "equivalence": ["question_word", "answer_type", "answer_length", "gold_count", "has_answer", "title", "language"],
    "verdicts": ["question_word"],
    "labels": ["channel"],
    "curves": ["channel"],
}


@pytest.fixture(scope="module")
def samples():
    return {name: analyze(sample_inputs(name), Settings(n_resamples=50)) for name in SAMPLES}


def test_few_is_said_of_the_value_that_rests_on_few(samples):
    """Of 30 examples an interval near 100 rests on few, others do not: chart, table and list say it of the same values."""
    analysis = samples["answers"]
    cells = slice_report(analysis, "gold_count").slices["gold_count"]["2"]
    few = {(system, name) for system in cells for name in ("exact_match", "f1") if cells[system][name].is_few}
    assert few == {("large_model", "f1")}
    page = slices_page(analysis, "gold_count", "f1")
    row = re.search(r"<tr><th[^>]*><bdi>2</bdi></th><td class=\"words\"><bdi>large_.*?</tr>", page)[0]
    assert re.findall(r">(\w+)</span></td>", row) == ["few"] and row.endswith("few</span></td></tr>")
    marks = re.findall(r'<g class="([^"]*)"><title>2, (\w+):', page)
    assert [(whose, "few" in color.split()) for color, whose in marks] == [
        ("small_model", False),
        ("large_model", True),
    ]
    (listed,) = [one for one in weakest_slices(analysis) if (one.slicing, one.label) == ("gold_count", "2")]
    assert listed.is_few


def test_systems_measured_on_different_questions_are_compared_on_those_of_both(samples):
    """Of 12 questions the readers of both systems were measured on 6: the slices say the difference that the answer says."""
    analysis = analyze(sample_inputs("rag")._replace(measures=["reader_topk_f1"]))
    assert {cell.n for cell in analysis.cells("reader_topk_f1").values()} == {6, 12}
    sides = sides_of(analysis)
    assert (sides.measure, sides.system, sides.other) == ("reader_topk_f1", "dense", "keyword")
    assert f"+{sides.whole:.2f} Reader top-k F1" in " ".join(map(plain_text, finding_of(analysis).sentences))
    assert f"against +{sides.whole:.2f} over the 6 questions that both were measured on." in finding(analysis, {})
    slices = weakest_slices(analysis)
    assert sum(one.value.n for one in slices) == 6 and sum(one.gap * one.value.n for one in slices) == pytest.approx(
        6 * sides.whole
    )
    answers = samples["answers"]
    assert answers.measured_on_all("f1") is answers and "over all questions" in finding(answers, {})


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
    link = View("errors", system="large_model", slice="language:fr", measure="f1").href()
    assert f'<td><a class="go" href="{escape(link)}">{french.value:.2f}</a>' in slices_page(analysis, "language", "f1")


def test_groups_of_answers_are_left_out(samples):
    for analysis in samples.values():
        assert not {"error_kind", "missing", "abstained", "failure", "tied"} & set(slicings(analysis))


def test_small_groups_are_marked_few(samples):
    html = slices_page(samples["answers"], "language", "f1")
    assert "few" in html and "under 30" in html


def test_measures_that_apply_to_no_group_are_not_offered(samples):
    assert sliced_measures(samples["factoids"], "type") == ["mrr", "list_f1", "yesno_macro_f1"]
    page = slices_page(samples["factoids"], "type", "list_f1")
    figure = re.search(r'aria-label="([^"]*)"', page)[1]
    assert "list (n = 10, few): hasty" in figure
    assert "yesno" not in figure and "factoid" not in figure


@pytest.fixture
def many(analysis_of):
    """`many(right)`: 100 examples each of two topics; of the first so many are right, of the second none."""

    def call(right):
        rows = [f"{'a' if row < right else 'b'},a,easy\nb,a,hard\n" for row in range(100)]
        return analysis_of("".join(["prediction,reference,topic\n", *rows]), settings=Settings(n_resamples=100))

    return call


def test_what_stands_out_is_said_only_where_it_does(samples, many):
    analysis = many(90)
    (found,) = outliers_of_systems(analysis, "topic", "exact_match").values()
    assert [(one.label, one.value, one.n, one.is_better) for one in found] == [("hard", 0.0, 100, False)]
    html = slices_page(analysis, "topic", "exact_match")
    assert "worse than the 45.00 of all questions" in html and "<bdi>hard</bdi></strong> (0.00, n = 100)" in html
    assert "corrected for the number of groups" in html and "Bonferroni" in html
    assert "under 30" not in html
    none = many(0)
    assert not any(outliers_of_systems(none, "topic", "exact_match").values())
    assert "worse than" not in slices_page(none, "topic", "exact_match")
    assert not any(outliers_of_systems(samples["answers"], "language", "f1").values())  # all groups but one are small


def test_kinds_are_counted_by_group(samples):
    analysis = samples["answers"]
    counts = kind_counts(analysis, "small_model", "has_answer")
    assert list(counts) == ["no", "yes"]
    assert counts["no"]["answered an unanswerable"] == 10 and counts["yes"]["answered an unanswerable"] == 0
    assert sum(sum(kinds.values()) for kinds in counts.values()) == 64
    assert list(counts["no"]) == [kind for kind in analysis.family.telling.errors.order if kind in counts["no"]]


def test_without_groupings_it_says_why(analysis_of):
    analysis = analysis_of({"1": ["Xa"], "2": ["Yb"]}, {"one": {"1": "Xa", "2": "x"}})
    assert slicings(analysis) == []
    assert "These questions cannot be grouped" in why_no_slices(analysis)


def test_labels_names_and_columns_are_escaped(analysis_of):
    table = f"prediction,reference,{ATTACK}\n" + f"a,a,{ATTACK}\nb,a,\n" * 20
    analysis = analysis_of(table, {ATTACK: table})
    assert ATTACK in slicings(analysis)
    html = slices_page(analysis, ATTACK, "f1")
    assert "<script" not in html and "&lt;script&gt;" in html and "(empty)" in html


def test_a_column_of_long_texts_is_no_grouping(analysis_of):
    long = "x" * 81
    table = "prediction,reference,notes,topic\n" + f"a,a,{long},{long[1:]}\nb,a,p,q\nb,b,q,q\n" * 20
    assert [name for name in slicings(analysis_of(table, {"one": table})) if name in ("notes", "topic")] == ["topic"]


def test_slices_of_one_group_say_so():
    analysis = analyze(sample_inputs("answers")._replace(groups="article"))
    html = slices_page(analysis, "title", "f1")
    assert " in 1 group <span" in html


@pytest.mark.parametrize("name", SAMPLES)
def test_slices_begin_with_the_slice_of_the_answer(name):
    analysis = analyze(sample_inputs(name), Settings())
    worst, first = worst_slice(analysis), weakest_slices(analysis)[0]
    assert worst is None or (worst.slice, worst.label, worst.n) == (first.slicing, first.label, first.value.n)


@pytest.mark.parametrize(
    ("others", "told"),
    [
        (25, " over all questions (too few to say)."),
        (50, "<bdi>s</bdi> is below its value over all questions in no slice of 30 questions or more."),
    ],
)
def test_a_small_slice_of_one_system_is_not_tested(analysis_of, others, told):
    """25 questions are all wrong; the two other slices have no wrong answer."""
    topics = [*["small"] * 25, *["a", "b"] * others]
    gold = [{"id": f"q{place}", "question": "who?", "answers": ["x"], "topic": own} for place, own in enumerate(topics)]
    answers = {f"q{place}": "x" if place >= 25 else "y" for place in range(len(topics))}
    assert told in slices_overview(analysis_of(gold, {"s": answers}))
