"""The events of the tab Slices, called as Gradio calls them."""

import html as html_module
import re

import pytest

from qassay.spaces_app.address import View
from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.inputs import sample_analysis, sample_inputs
from qassay.spaces_app.opened import view_html
from qassay.spaces_app.samples import SAMPLES
from qassay.spaces_app.slices_view import sliced_measures, slicings


@pytest.fixture(scope="module")
def page(build_tab):
    from qassay.spaces_app.slices_tab import build_slices_tab

    built = build_tab(build_slices_tab, None)
    assert not any(event.preprocess for event in built.demo.fns.values() if event.name == "choose")
    (choose, *_), (look,) = built.handlers["choose"], built.handlers["look"]
    return built.tab, choose, look


def last(look, analysis, filled=False):
    """What the tab shows in the end."""
    shown, *more = look(analysis, filled)
    for step in more:
        shown = [old if type(new) is dict else new for old, new in zip(shown, step, strict=True)]  # of `gr.skip()`
    return shown


def test_without_scores_it_says_what_to_do(page):
    tab, choose, look = page
    values = tab.refresh(None)
    assert len(values) == len(tab.outputs) == len(last(look, None)) and "Nothing has been scored yet" in values[0]
    assert len(choose(None, "title", "f1")) == 3


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_shows_its_weakest_slices_when_it_is_opened(page, gr, name):
    (tab, _, look), analysis = page, sample_analysis(name)
    assert len(tab.refresh(analysis)) == len(tab.outputs)
    first, row, slicing, measure, html, told, filled = last(look, analysis)
    assert 'class="finding"' in first and filled and row.visible and slicing.value == slicing.choices[0][1]
    assert measure.value in [value for _, value in measure.choices] and "<svg" in html
    assert told == view_html(View("slices", sample=name)), "what nobody has chosen is not in the address"
    assert all(value == gr.skip() for value in last(look, analysis, True))


def test_differences_are_winner_minus_loser(page):
    (_, _, look), answers = page, sample_analysis("answers")
    first, *_ = last(look, answers)
    assert "<bdi>large_model</bdi> minus <bdi>small_model</bdi>" in first
    assert (
        "64.77 against 91.71 of <bdi>large_model</bdi>; the difference is +26.94 (likely real), against +23.72 over all questions."
        in first
    )
    amounts = re.findall('class="amount">(.)', first)
    assert amounts[:10] == ["+"] * 10 and '<span class="sub">80.69 against 57.40</span>' in first
    rankings, *_ = last(look, sample_analysis("rankings"))
    assert "is furthest behind on <bdi>relevant documents: 1</bdi> (n = 16, few)" in rankings, (
        "39 of 40 queries are not a part"
    )
    labels, *_ = last(look, sample_analysis("labels"))
    assert "<bdi>tuned</bdi> minus <bdi>rules</bdi>" in labels, "the better system is given second"


def test_a_choice_keeps_the_measure_where_it_can(page):
    (_, choose, _), answers = page, sample_analysis("answers")
    measure, html, _ = choose(answers, "language", "f1")
    assert measure.value == "f1" and "<strong>f1</strong> by <bdi>language</bdi>" in html
    measure, html, _ = choose(answers, "language", "gone")
    assert measure.value == "exact_match" and "<svg" in html


def test_a_grouping_of_an_older_analysis_changes_nothing(page):
    (_, choose, _), answers = page, sample_analysis("answers")
    assert choose(answers, "gone", "f1") == choose(None, "gone", "f1")


def view_in(told):
    """The view in what the server tells the address."""
    return View.parse(html_module.unescape(re.search('data-view="([^"]*)"', told)[1]))


@pytest.mark.parametrize("name", SAMPLES)
def test_every_grouping_and_measure_is_in_the_address_and_leads_back(page, name):
    (tab, choose, _), analysis = page, sample_analysis(name)
    for slicing in slicings(analysis):
        for wanted in sliced_measures(analysis, slicing):
            measure, html, told = choose(analysis, slicing, wanted)
            values, misfits = tab.follow(analysis, view_in(told))
            assert misfits == [] and len(values) == len(tab.outputs) and values[-1]
            assert (values[2].value, values[3].value, values[4:6]) == (slicing, measure.value, [html, told])


def test_what_does_not_fit_a_link_is_told(page):
    tab, answers = page[0], sample_analysis("answers")
    usual = tab.follow(answers, View("slices"))
    assert usual[1] == []
    for view, words in (
        (View("slices", by="gone"), "Unknown grouping 'gone'; there are question_word, "),
        (View("slices", measure="gone"), "Unknown measure 'gone'; there are exact_match, f1"),
    ):
        values, misfits = tab.follow(answers, view)
        (told,) = misfits
        assert told.startswith(words) and values[4] == usual[0][4]


def test_slices_are_shown_before_their_differences_are_tested(page, gr):
    (tab, _, look), analysis = page, analyze(sample_inputs("answers"))
    assert tab.follow(analysis, View("slices"))[0][-1] is False, "filled when the tab opens"
    first, then = look(analysis, False)
    assert "being tested" in first[0] and 'class="gap-bar better"' not in first[0] and not first[-1]
    assert "Hollow bars" in then[0] and 'class="gap-bar better"' in then[0] and then[-1]
    assert all(value == gr.skip() for value in then[1:-1])
    (again,) = look(analysis, False)
    assert again[0] == then[0] == tab.follow(analysis, View("slices"))[0][0]
    assert re.sub(" open\\b", "", first[0]).count("gap-bar better") == re.sub(" open\\b", "", then[0]).count(
        "gap-bar better"
    )
