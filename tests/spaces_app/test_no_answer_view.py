"""The tab No answer: the core's numbers, what applies to which family, hostile names."""

import html
import re
import xml.etree.ElementTree as ET

import pytest

from qassay.answer_match.answerability import answered_table, no_answer_decision, reliability, threshold_curve
from qassay.spaces_app.address import View
from qassay.spaces_app.errors_address import choice_of
from qassay.spaces_app.errors_choice import chosen_rows
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.no_answer_view import (
    BEST,
    OWN,
    answered_view,
    no_answer_head,
    probability_view,
    threshold_range,
)
from qassay.spaces_app.samples import SAMPLES


@pytest.fixture
def sample():
    return sample_analysis("answers")


def words(page):
    return " ".join(re.sub(r"<[^>]+>", " ", re.sub(r"</?(bdi|wbr|code|a)\b[^>]*>", "", page)).split())


def charts(page):
    found = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    for chart in found:
        ET.fromstring(chart)
    return found


@pytest.fixture
def written(analysis_of):
    """An Analysis of answers: gold is id -> answers, a system id -> text."""

    def call(gold, *systems, **more):
        rows = [
            {"id": i, "question": f"Who is {i}?", "answers": [{"text": t, "answer_start": 0} for t in ts],
             "is_impossible": not ts}
            for i, ts in gold.items()
        ]  # fmt: skip
        return analysis_of({"data": [{"paragraphs": [{"context": "c", "qas": rows}]}]}, *systems, **more)

    return call


def test_nothing_scored_shows_nothing():
    assert "Nothing has been scored yet" in no_answer_head(None)
    assert answered_view(None) == probability_view(None) == "" and threshold_range(None) is None


def test_best_thresholds_are_those_of_the_scores(sample):
    page = words(no_answer_head(sample))
    assert "16 of 64 questions (25.0 %) have no answer" in page
    found = sample.scores("large_model").summary()
    for name in ("exact_match", "f1"):
        values = [f"{100 * found[key]:.2f}" for key in (name, f"best_{name}")]
        gain = f"+{100 * (found[f'best_{name}'] - found[name]):.2f}"
        threshold = f"{found[f'best_{name}_threshold']:.4g}"
        assert f"{name} {values[0]} {values[1]} {gain} {threshold} 25.00" in page
    assert "Without no-answer probabilities: small_model." in page
    assert page.startswith(
        "small_model answers 10 (large_model 5) of the 16 questions that have no answer. small_model gives no answer to 2 "
        "(large_model 3) of the 48 that have one. Withholding its answers with a no-answer probability above "
    )


def opened(analysis, href):
    """The examples that a link opens, their places in the scores of its system."""
    choice, _, misfits = choice_of(analysis, View.parse(html.unescape(href)))
    assert not misfits, href
    return chosen_rows(analysis, choice)


def test_counts_lead_to_their_examples_and_systems_keep_their_colours(sample):
    best = sample.scores("large_model").summary(["best_f1_threshold"])["best_f1_threshold"]
    for which, own in (("as scored", None), (BEST, None), (OWN, 0.25), (OWN, 0.0), (OWN, 1.0)):
        page = answered_view(sample, which, own)
        links = re.findall(r'class="go" href="([^"]*)">(\d+)(?: right)?<', page)
        assert links and all(len(opened(sample, href)) == int(count) for href, count in links)
        counts = [int(count) for count in re.findall(r"<td>(?:<a[^>]*>)?(\d+)<", page)]
        assert len(re.findall(r'<td><a class="go"', page)) == sum(map(bool, counts)), "every count but 0 is a link"
        if which == BEST:
            assert f"withheld+at+{best!r}%3Ayes" in page
    links = re.findall(r'class="go" href="([^"]*)">(\d+)<', answered_view(sample))
    assert ("?tab=errors&amp;system=large_model&amp;kind=answered+an+unanswerable", "5") in links, (
        "a kind where it is one"
    )
    curves = charts(probability_view(sample))[:3]
    assert all("system-2" in chart and "system-1" not in chart for chart in curves)


def test_the_finding_and_the_thresholds_lead_to_what_is_not_answered(sample):
    page = no_answer_head(sample)
    finding = page[: page.index("<table")]
    counts = re.findall(r'<a class="go" href="([^"]*)">(\d+)</a>', finding)
    assert [int(count) for _, count in counts] == [10, 5, 16, 2, 3, 48]
    assert all(len(opened(sample, href)) == int(count) for href, count in counts)
    table = page[page.index("<table") :]
    scores = sample.scores("large_model")
    for name in ("exact_match", "f1"):
        row = re.search(rf'<th scope="row">{name}</th>(.*?)</tr>', table).group(1)
        sizes = [len(opened(sample, href)) for href in re.findall(r'href="([^"]*)"', row)]
        threshold = scores.summary([f"best_{name}_threshold"])[f"best_{name}_threshold"]
        assert sizes == [64, 64, no_answer_decision(scores, threshold).n, 64]


def test_marks_of_the_charts_lead_to_their_questions(sample):
    f1, exact, reliable, bars = charts(probability_view(sample))
    scores = sample.scores("large_model")
    for chart in (f1, exact):
        points = re.findall(
            r'<a class="go" href="([^"]*)" aria-label="large_model: [\d.]+ at ([\d.]+)" tabindex="-1">', chart
        )
        assert len(points) > 20
        for href, _ in points:
            name = View.parse(html.unescape(href)).slice
            threshold = float(name.removeprefix("withheld at ").removesuffix(":yes"))
            assert len(opened(sample, href)) == no_answer_decision(scores, threshold).n > 0
        everything, best = re.findall(r'<a class="go" href="([^"]*)" aria-label="[^"]*">', chart)
        assert len(opened(sample, everything)) == 64 and "withheld+at" in best
    marks = re.findall(r'<a class="go" href="([^"]*)" aria-label="[^"]*\(n = (\d+)', reliable)
    assert len(marks) == int((reliability(scores).n > 0).sum())
    drawn = re.findall(r'<a class="go" href="([^"]*)" aria-label="([^,"]*), [^"]*: (\d+)"', bars)
    assert {words for _, words, _ in drawn} == {"has an answer", "has none"}
    wrong = [(href, n) for href, *_, n in (*marks, *drawn) if len(opened(sample, href)) != int(n)]
    assert not wrong
    (table,) = re.findall(r'<td><a class="go" href="([^"]*)">(\d+)</a></td></tr>', probability_view(sample))
    assert len(opened(sample, table[0])) == int(table[1]) == int(reliability(scores).n.sum())


def test_probabilities_on_the_edges_of_bars_are_counted_in_one(written):
    """0.3 is below the edge 3 * 0.1 of a computer, and 0.1 * 3 is on it."""
    gold = {f"q{n}": ["x"] if n % 2 else [] for n in range(40)}
    probabilities = {f"q{n}": (n % 11) / 10 if n < 30 else 0.1 * (n % 11) for n in range(40)}
    analysis = written(gold, {"a": {key: "x" for key in list(gold)[:38]}}, {"a": probabilities})
    page = probability_view(analysis)
    linked = re.findall(
        r'<a class="go" href="([^"]*)" aria-label="[^"]*(?:: |\(n = )(\d+)(?:, few\))?"', "".join(charts(page)[2:])
    )
    assert len(linked) > 20 and [n for href, n in linked if len(opened(analysis, href)) != int(n)] == []


def test_what_was_withheld_in_scoring_has_no_links_above_that_threshold(written):
    gold = {f"q{n}": ["x"] if n % 2 else [] for n in range(40)}
    probabilities = {f"q{n}": n / 40 for n in range(40)}
    given = {"options": ("no_answer_threshold=0.5",)}
    analysis = written(gold, {"a": dict.fromkeys(gold, "x")}, {"a": probabilities}, **given)
    page = no_answer_head(analysis) + answered_view(analysis) + probability_view(analysis)
    hrefs = re.findall(r'class="go" href="([^"]*)"', page)
    assert hrefs and all(opened(analysis, href) for href in hrefs)


def test_names_of_slices_that_mean_nothing_are_refused(sample):
    for name in ("withheld at much:yes", "answered at 0.5:perhaps, has none", "withheld at nan:yes", "score at least 0.5:yes",
                 "no-answer probability 0 to x:yes", "no-answer probability 0.2:yes"):  # fmt: skip
        assert choice_of(sample, View("errors", system="large_model", slice=name))[2]
    assert choice_of(sample, View("errors", system="small_model", slice="withheld at 0.5:yes"))[2], (
        "it has no probabilities"
    )


def test_points_of_precision_and_recall_lead_to_what_counts_as_positive():
    analysis = sample_analysis("curves")
    first = charts(no_answer_head(analysis))[0]
    points = re.findall(r'<a class="go" href="([^"]*)" aria-label="([^"]*)" tabindex="-1">', first)
    assert len(points) > 20
    system = analysis.systems[0]
    score, label = analysis.telling.score_and_label(analysis.scores(system))
    for href, told in points:
        rows = opened(analysis, href)
        threshold = float(View.parse(html.unescape(href)).slice.removeprefix("score at least ").removesuffix(":yes"))
        assert sorted(rows) == [row for row in range(len(score)) if score[row] >= threshold]
        if told.startswith("precision: ") and rows:
            assert float(told.split()[1]) == pytest.approx(100 * label[rows].mean(), abs=0.006)


@pytest.mark.parametrize(("which", "own"), [("as scored", None), (BEST, None), (OWN, 0.25), (OWN, 1.0)])
def test_the_table_is_that_of_the_core(sample, which, own):
    page = words(answered_view(sample, which, own))
    scores = sample.scores("large_model")
    threshold = {BEST: scores.summary(["best_f1_threshold"])["best_f1_threshold"], OWN: own}.get(which)
    table, decision = answered_table(scores, threshold), no_answer_decision(scores, threshold)
    large = page[page.index("large_model") :]
    for kind, label in (("answered", "Answered"), ("withheld", "No answer given")):
        cells = [table[kind][name] for name in ("has_answer", "no_answer")]
        assert f"{label} {' '.join(f'{cell.n} {cell.right} right' for cell in cells)}" in large
    assert f"precision {100 * decision.precision:.2f}, recall {100 * decision.recall:.2f}" in large
    f1 = scores.summary(["f1"])["f1"] if threshold is None else threshold_curve(scores).at(threshold)
    assert f"f1 {100 * f1:.2f}" in large
    small = page[: page.index("large_model")]
    assert "As scored: it has no no-answer probabilities." in small and "Threshold" not in small


def test_curves_of_systems_with_probabilities(sample):
    page = probability_view(sample)
    labels = [ET.fromstring(chart).get("aria-label") for chart in charts(page)]
    assert [label.split(".")[0] for label in labels] == [
        "f1 by no-answer threshold",
        "exact_match by no-answer threshold",
        "Reliability of no-answer probabilities",
        "No-answer probabilities of large_model",
    ]
    assert "large_model: 25.00 at 0," in labels[0] and "best 83.72 at 0.541" in labels[0]
    assert f"large_model {reliability(sample.scores('large_model')).error:.3f} 64" in words(page)
    assert "small_model" not in page
    assert threshold_range(sample) == (0.0, 1.0, 0.5)


def test_without_probabilities_the_table_and_how_to_give_them(written):
    analysis = written({"a": ["Rome"], "b": []}, {"s": {"a": "Rome", "b": ""}})
    page = words(no_answer_head(analysis))
    assert "1 of 2 questions (50.0 %)" in page and "no_answer_probability" in page and "Best threshold" not in page
    assert "Answered 1 1 right 0 0 right No answer given 0 0 right 1 1 right" in words(
        answered_view(analysis, OWN, 0.5)
    )
    assert probability_view(analysis) == "" and threshold_range(analysis) is None


def test_only_answerable_questions(written):
    analysis = written({"a": ["Rome"]}, {"s": {"a": "Rome"}}, {"s": {"a": 0.1}})
    assert "All 1 questions have an answer" in no_answer_head(analysis)
    assert answered_view(analysis) == probability_view(analysis) == "" and threshold_range(analysis) is None


@pytest.mark.parametrize("name", [name for name in SAMPLES if name not in ("answers", "runs")])
def test_other_families(name):
    analysis = sample_analysis(name)
    page = no_answer_head(analysis)
    assert answered_view(analysis) == probability_view(analysis) == "" and threshold_range(analysis) is None
    if name == "curves":
        labels = [ET.fromstring(chart).get("aria-label") for chart in charts(page)]
        assert [label.split(".")[0] for label in labels] == [
            "Precision and recall by threshold",
            "Precision-recall curve",
        ]
        assert "recall: 8.33 at 0.91" in labels[0] and "0.00, 100.00" not in labels[0]
    else:
        assert f"scored by {analysis.family.name}" in page and not charts(page)


def test_scores_that_are_no_probabilities(written):
    analysis = written(
        {"a": ["Rome"], "b": [], "c": ["Lyon"]},
        {"s": {"a": "Rome", "b": "x", "c": "Lyon"}},
        {"s": {"a": -7.5, "b": 3.0, "c": -1.0}},
    )
    assert threshold_range(analysis)[:2] == (-7.5, 3.0)
    page = probability_view(analysis)
    assert "map scores such as differences of logits to 0..1" in page and len(charts(page)) == 3
    assert "100.00 at -1" in page.replace("−", "-")
    assert "Threshold -2:" in words(answered_view(analysis, OWN, -2.0)).replace("−", "-")


def test_one_probability_for_all(written):
    analysis = written({"a": ["Rome"], "b": []}, {"s": {"a": "Rome", "b": "x"}}, {"s": {"a": 4.0, "b": 4.0}})
    assert threshold_range(analysis) == (3.0, 4.0, 3.5)
    assert len(charts(probability_view(analysis))) == 3 and "f1" in no_answer_head(analysis)


def test_a_threshold_of_scoring_is_kept(written):
    gold, answers = {"a": ["Rome"], "b": []}, {"s": {"a": "Rome", "b": "x"}}
    analysis = written(gold, answers, {"s": {"a": 0.2, "b": 0.9}}, options=("no_answer_threshold=0.5",))
    assert threshold_range(analysis) == (0.0, 0.5, 0.25)
    assert "As scored, threshold 0.5: f1 100.00" in words(answered_view(analysis))
    assert "Threshold 0.1: f1 50.00" in words(answered_view(analysis, OWN, 0.1))
    assert answered_view(analysis, BEST) and probability_view(analysis)


def test_a_missing_prediction_has_a_row(written):
    analysis = written({"a": ["Rome"], "b": []}, {"s": {"a": "Rome"}})
    told = words(answered_view(analysis))
    assert "Prediction missing 0 0 right 1 0 right" in told
    assert "A missing prediction is wrong and is not “no answer”" in told, "so that nobody takes it for left unanswered"
    assert "A missing prediction" not in words(answered_view(sample_analysis("answers")))


def test_missing_predictions_are_not_told_as_answers_withheld(written):
    gold = {"a": ["Rome"], "b": ["Oslo"], "c": ["Bonn"], "d": []}
    analysis = written(gold, {"s": {"a": "Rome", "b": ""}, "t": {"a": "", "b": "", "c": "", "d": "x"}})
    finding = words(no_answer_head(analysis))
    assert (
        "s gives no answer to 1 (t 3) of the 3 that have one. s has no prediction for 2 of the 4 questions." in finding
    )


def test_other_tasks_and_ranked_answers(written, analysis_of):
    gold = {"a": ["Rome"], "b": []}
    question = {"_id": "a", "question": "Who?", "answer": "Rome", "supporting_facts": [["t", 0]]}
    pairs = analysis_of([question], {"s": {"answer": {"a": "Rome"}, "sp": {"a": [["t", 0]]}}})
    assert "With task=&#x27;hotpotqa&#x27;" in no_answer_head(pairs)
    ranked = written(
        gold, {"s": {"a": ["Lyon", "Rome"], "b": ["x"]}}, {"s": {"a": 0.1, "b": 0.8}}, options=("top_k=1,2",)
    )
    assert "exact_match@2 50.00 100.00 +50.00 0.1 50.00" in words(no_answer_head(ranked))
    assert "f1@1 by no-answer threshold" in probability_view(ranked)
    assert answered_view(ranked, BEST)


def test_a_column_with_the_name_of_a_slice_gets_no_link_to_other_questions(analysis_of):
    gold = [{"id": f"q{n}", "references": ["x"] if n % 2 else [], "withheld": "yes"} for n in range(20)]
    analysis = analysis_of(gold, {"a": {f"q{n}": "x" if n % 3 else "" for n in range(20)}})
    page = answered_view(analysis)
    assert "given 7 times" in words(page) and "slice=withheld" not in page and "slice=answered" in page
