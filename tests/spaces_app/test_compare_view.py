"""The tab Compare as HTML: numbers of the core, nothing computed twice, links to the examples, the command line true."""

import html as markup
import json
import re
import shlex

import pytest

from qassay.cli import main
from qassay.reports.one_pair import compared_pairs, of_pair
from qassay.reports.slice_gaps import widest_gaps
from qassay.spaces_app import comparisons
from qassay.spaces_app.address import View
from qassay.spaces_app.analysis import Settings, analyze
from qassay.spaces_app.compare_view import SHOWN_GAPS, pair_details, verdict
from qassay.spaces_app.comparisons import MEASURES, CompareChoices, compare_command, comparison_of, verdict_of
from qassay.spaces_app.errors_address import choice_of
from qassay.spaces_app.errors_choice import chosen_rows
from qassay.spaces_app.findings import compared, headline_measure, headline_ranking
from qassay.spaces_app.inputs import sample_analysis, sample_inputs
from qassay.spaces_app.ranks_view import board_of
from qassay.spaces_app.samples import FOLDER, SAMPLES
from qassay.spaces_app.slice_overview import slices_overview

COMPARED = [name for name, sample in SAMPLES.items() if len(sample.systems) > 1]
SETTINGS = Settings(n_resamples=100, n_permutations=500, seed=3)
QUICK = CompareChoices(test="t")


@pytest.fixture(scope="module")
def samples():
    return {name: analyze(sample_inputs(name), SETTINGS) for name in COMPARED}


def links(html, having=""):
    """The addresses in HTML, each as a `View`, with the text of its link."""
    found = re.findall(r'<a class="go" href="([^"]*)">(.*?)</a>', html)
    return [(View.parse(markup.unescape(href)), re.sub("<[^>]+>", " ", text)) for href, text in found if having in text]


@pytest.mark.parametrize("name", COMPARED)
def test_every_sample_has_all_parts(samples, name):
    analysis = samples[name]
    report = comparison_of(analysis, QUICK)
    (pair,) = compared_pairs(report)
    assert {*pair} == {*analysis.systems}
    html = verdict(analysis, report) + pair_details(analysis, report, pair)
    heads = ["Measures", "Where they differ", "How certain", *(["Kinds of errors"] if report.kinds else [])]
    assert [head for head in heads if head not in html] == []
    are_shares = name == "verdicts"  # of nuggets: no answer is right or wrong
    assert [head in html for head in ("Right and wrong", "McNemar")] == [not are_shares] * 2
    assert all(one.measure in html for one in report.differences)
    assert "<article>" in html
    if name == "answers":
        assert 'in <strong><span title="f1">F1</span></strong> by' in html and "<strong>f1</strong>" not in html


def cards(analysis):
    report = comparison_of(analysis, QUICK)
    html = pair_details(analysis, report, compared_pairs(report)[0])
    return html.partition("Examples to read")[2].partition("<details")[0]


def test_examples_of_labels_have_their_texts(samples):
    heads = re.findall(r'<h4 class="head text"[^>]*>(.*?)</h4>', cards(samples["labels"]))
    assert heads == ["What is the password for the network?", "When does the branch on the hill open?"]


def test_answers_are_compared_with_every_name_of_an_entity(samples):
    """As in Errors: "leaves" is a name of "young leaves (leaves)", so no word of it is missing."""
    html = cards(samples["factoids"])
    assert '<mark class="common">leaves</mark>' in html and '<mark class="common">resin</mark>' in html
    assert '<del class="missing">young</del>' not in html and '<del class="missing">pine</del>' not in html


def test_every_link_leads_to_as_many_examples_as_it_says(samples):
    analysis = samples["answers"]
    report = comparison_of(analysis, QUICK)
    small, large = compared_pairs(report)[0]
    found = links(pair_details(analysis, report, (small, large)))
    assert [text for view, text in found if view == View("slices")] == ["Slices"], "it says what else there is"
    found = [one for one in found if one[0] != View("slices")]
    assert {view.tab for view, _ in found} == {"errors"}
    for view, text in links(html := pair_details(analysis, report, (small, large)), having="<strong>"):
        own, other = (analysis.by_example(system, view.measure) for system in (view.system, view.other))
        wanted = {
            "better": own > other, "worse": own < other, "same": own == other, "both_right": (own > 0) & (other > 0),
            "only_right": (own > 0) & (other == 0), "only_wrong": (own == 0) & (other > 0), "both_wrong": own + other == 0,
        }[view.change]  # fmt: skip
        assert int(text.split()[-1]) == wanted.sum() == len(chosen_rows(analysis, choice_of(analysis, view)[0])), text
    pieces = re.findall(r'<a class="go piece [a-z]+"[^>]* href="([^"]*)" tabindex="-1">', html)
    assert len(pieces) == 7 and {*map(markup.unescape, pieces)} <= {view.href() for view, _ in found}, (
        "parts of the bars"
    )
    assert html.count("<strong>") > 6
    for view, text in found:
        if view.kind:
            assert analysis.error_kinds[view.system].count(view.kind) == int(text)
        if view.slice and "n&nbsp;" in text:
            name, _, label = view.slice.partition(":")
            n = analysis.labels(view.system, name).count(label)
            assert f"n&nbsp;=&nbsp;{n:,}" in text and view.change == "" and {view.system, view.other} == {small, large}
    assert len({view.slice for view, _ in found}) > SHOWN_GAPS, "all slices, also those behind a fold"


def test_slices_come_by_their_difference_and_those_of_few_examples_later(samples):
    report = comparison_of(samples["answers"], QUICK)
    gaps = widest_gaps(of_pair(report, compared_pairs(report)[0]), "f1")
    order = [(gap.is_few, gap.difference.n < 5, -abs(gap.difference.difference)) for gap in gaps]
    assert order == sorted(order) and [gap.label for gap in gaps][0] == "yes"
    same = [gap for gap in gaps if (gap.slicing, gap.label) in {("answer_type", "no answer"), ("answer_length", "0")}]
    assert same == [], "the same examples as has_answer: no"


def test_a_turned_pair_has_the_other_sign_everywhere(samples):
    for analysis in samples.values():
        report = comparison_of(analysis, QUICK)
        first, second = compared_pairs(report)[0]
        part, turned = of_pair(report, (first, second)), of_pair(report, (second, first))
        for one, other in zip(part.differences, turned.differences, strict=True):
            assert (one.difference, one.wins, one.losses) == pytest.approx(
                (-other.difference, other.losses, other.wins)
            )
            assert one.values == other.values[::-1] and one.better == other.better
            assert one.interval == pytest.approx([-end for end in other.interval][::-1], nan_ok=True)
        for one, other in zip(part.changes, turned.changes, strict=True):
            assert one.changes == pytest.approx(-other.changes[::-1])
            assert [each.id for each in one.losses] == [each.id for each in other.gains]
            assert all(a.answers == b.answers[::-1] for a, b in zip(one.gains, other.losses, strict=True))
        assert of_pair(turned, (first, second)).differences == part.differences


def test_a_comparison_is_computed_once_and_its_verdict_has_the_same_numbers(monkeypatch):
    analysis = analyze(sample_inputs("labels"), SETTINGS)
    quick = verdict_of(analysis, QUICK)
    first = comparison_of(analysis, QUICK)
    assert quick.slices == {} and quick.differences == first.differences
    monkeypatch.setattr(comparisons, "build_comparison", lambda *_, **__: pytest.fail("computed again"))
    assert comparison_of(analysis, QUICK) is first and verdict_of(analysis, QUICK) is first


def test_few_comparisons_are_kept(monkeypatch):
    analysis = analyze(sample_inputs("labels"))
    monkeypatch.setattr(comparisons, "_compare", lambda analysis, choices, by: choices)
    for count in range(20):
        comparison_of(analysis, CompareChoices(test=str(count)))
    kept = [count for count in range(20) if comparisons.known_comparison(analysis, CompareChoices(test=str(count)))]
    assert kept == list(range(20 - comparisons._KEPT, 20))


def test_choices_reach_the_comparison(samples):
    analysis = samples["answers"]
    report = comparison_of(analysis, CompareChoices("large_model", "mcnemar", "bonferroni", "main"))
    assert {(one.first, one.second) for one in report.differences} == {("large_model", "small_model")}
    assert {one.measure: one.test for one in report.differences}["exact_match"] == "mcnemar"
    assert report.correction == "bonferroni" and report.report.scale == 100
    assert CompareChoices("gone").fitting(analysis).baseline is None
    assert CompareChoices("large_model").fitting(analysis).baseline == "large_model"


def test_measures_are_a_wider_choice_each(samples):
    analysis = samples["labels"]
    sizes = [len(comparison_of(analysis, QUICK._replace(measures=name)).differences) for name in MEASURES]
    assert sizes == sorted(sizes) and sizes[0] < sizes[2]


@pytest.mark.parametrize(("name", "measures"), [("answers", "usual"), ("rankings", "main"), ("labels", "all")])
def test_the_command_line_gives_the_same_numbers(samples, name, measures, monkeypatch, capsys):
    analysis = samples[name]
    choices = CompareChoices(analysis.systems[1], "t", "bonferroni", measures)
    program, *arguments = shlex.split(compare_command(analysis, choices))
    assert program == "qassay" and arguments[-2:] == ["--report", "qassay_report.html"]
    monkeypatch.chdir(FOLDER.parent)
    assert main([*arguments[:-2], "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["differences"]
    asked = comparison_of(analysis, choices).differences
    assert [(one["measure"], one["n"]) for one in told] == [(one.measure, one.n) for one in asked]
    for field in ("difference", "p_value", "p_adjusted"):
        assert [one[field] for one in told] == pytest.approx([getattr(one, field) for one in asked], nan_ok=True)


@pytest.fixture
def three_systems(analysis_of):
    golds = {f"q{place}": f"word {place}" for place in range(60)}
    questions = [
        {"id": name, "question": "Who?", "answers": [{"text": text, "answer_start": 0}]} for name, text in golds.items()
    ]
    systems = {
        name: {key: text if (place + count) % (count + 2) else "another" for place, (key, text) in enumerate(golds.items())}
        for count, name in enumerate(("one", "two", "three"))
    }  # fmt: skip
    return analysis_of({"data": [{"paragraphs": [{"context": "", "qas": questions}]}]}, systems)


def test_ranks_begin_with_the_measure_of_the_answer(three_systems):
    measure = headline_measure(three_systems)
    board = board_of(three_systems).board
    assert board.measures[0] == measure
    assert [of.letters for of in board.rankings[measure].systems] == [
        of.letters for of in headline_ranking(compared(three_systems)).systems
    ]


def test_three_systems_have_ranks_and_a_link_for_each_pair(three_systems):
    report = comparison_of(three_systems, QUICK)
    pairs = compared_pairs(report)
    assert len(pairs) == 3
    html = verdict(three_systems, report)
    assert "one and two cannot" in html or "leads by" in html
    assert {(view.system, view.other) for view, _ in links(html)} == {
        (row, column) for row in three_systems.systems for column in three_systems.systems if row != column
    }
    numbers = {(view.system, view.other): text.strip(" *").replace("−", "-") for view, text in links(html)}
    assert all(float(number) == -float(numbers[other, row]) for (row, other), number in numbers.items())
    part = of_pair(report, pairs[2])
    assert list(part.report.systems) == list(pairs[2])
    assert {(one.first, one.second) for one in part.differences} == {pairs[2]}
    other = ({*three_systems.systems} - {*pairs[2]}).pop()
    assert f"<bdi>{other}</bdi>" not in pair_details(three_systems, report, pairs[2])


def hollow(html):
    """A slice in words and n -> whether the bar of its difference is hollow."""
    found = re.findall(
        r'<li class="gap">.*?class="slice">(.*?)</span></span>.*?n&nbsp;=&nbsp;([\d,]+).*?<svg class="gap-bar (\w+)( open)?"',
        html,
    )
    return {of[:2]: bool(of[3]) for of in found}


@pytest.mark.parametrize("name", [name for name in SAMPLES if len(sample_analysis(name).systems) == 2])
def test_slices_and_compare_draw_the_bars_of_the_same_slices_hollow(name):
    analysis = sample_analysis(name)
    report = comparison_of(analysis, CompareChoices())
    (pair,) = compared_pairs(report)
    compared, listed = hollow(pair_details(analysis, report, pair)), hollow(slices_overview(analysis))
    shared = {*compared} & {*listed}
    assert shared and {one: listed[one] for one in shared} == {one: compared[one] for one in shared}
    assert ("Hollow bars: could be chance." in slices_overview(analysis)) == any(listed.values())


def test_a_slice_of_one_system_is_filled_where_it_stands_out(analysis_of):
    golds = [{"id": str(n), "question": f"{('who', 'when')[n % 2]} {n}?", "answers": ["a"]} for n in range(200)]
    analysis = analysis_of(golds, {"one": {str(n): "x" if n % 2 and n % 20 > 3 else "a" for n in range(200)}})
    listed = {label: is_hollow for (label, *_), is_hollow in hollow(slices_overview(analysis)).items()}
    assert listed["<bdi>question word: when</bdi>"] is False and listed["<bdi>question word: who</bdi>"] is True
