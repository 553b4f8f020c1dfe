"""The events of the tab Compare, called as the page calls them."""

import html
import re

import pytest

from qassay.spaces_app.address import View
from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.comparisons import CompareChoices, comparison_of, known_comparison
from qassay.spaces_app.inputs import sample_analysis, sample_inputs

PICKS = ("every pair", "t", "holm", "main")
CHOSEN = CompareChoices(test="t")


@pytest.fixture(scope="module")
def built(build_tab):
    from qassay.spaces_app.compare_tab import build_compare_tab

    return build_tab(build_compare_tab, CompareChoices(), None)


@pytest.fixture(scope="module")
def compare(built):
    (handler, *_) = built.handlers["compare"]
    return lambda *given: list(handler(*given))


@pytest.fixture
def labels():
    return sample_analysis("labels")


@pytest.fixture
def is_skip(gr):
    return lambda values: all(value == gr.skip() for value in values)


@pytest.mark.parametrize(("name", "compares"), [(None, False), ("labels", True), ("curves", False)])
def test_two_systems_are_compared_and_one_is_told_how_to_get_two(built, name, compares):
    values = built.tab.refresh(name and sample_analysis(name))
    assert len(values) == len(built.tab.outputs)
    assert [part.visible for part in values[:2]] == [not compares, compares]
    assert "second file of predictions" in built.tab.outputs[0].value


def test_systems_without_a_common_example_are_told_so_and_nothing_fails(built, compare, analysis_of):
    systems = {"one": {"a": "x"}, "two": {"b": "x"}}
    analysis = analysis_of({"a": ["x"], "b": ["x"]}, systems, options=("missing=skip",))
    top, pair, *_ = compare(analysis, None, *PICKS)[-1]
    assert "These systems cannot be compared: no example is in all systems: one has ids such as" in top
    assert not pair.visible
    assert len(built.tab.refresh(analysis)) == len(built.tab.outputs)


def test_the_verdict_comes_before_the_slices_and_scoring_compares_nothing(built, compare):
    analysis = analyze(sample_inputs("labels"))
    built.tab.refresh(analysis)
    assert known_comparison(analysis, CompareChoices()) is None
    told, first, last = compare(analysis, None, *PICKS)
    assert "Comparing 2 systems" in told[0] and told[3] == ""
    assert first[0] == last[0] and 'class="verdict"' in first[0]
    assert "Comparing slices" in first[3] and 'class="gaps"' not in first[3]
    assert 'class="gaps"' in last[3] and "Comparing" not in last[3]
    assert known_comparison(analysis, CHOSEN) is not None
    assert "t test" in last[-3].label and last[-2:] == [CHOSEN, CHOSEN]
    assert all(len(values) == len(told) for values in (first, last))
    (again,) = compare(analysis, None, *PICKS)
    assert again[0] == last[0]


def test_what_is_shown_is_not_sent_again(built, compare, is_skip, labels):
    assert all(map(is_skip, compare(labels, CHOSEN, *PICKS)))
    assert all(map(is_skip, compare(None, None, *PICKS)))
    for handler in (*built.handlers["show_pair"], *built.handlers["swapped"]):
        assert is_skip(handler(labels, None, "0", False))


def test_the_difference_is_winner_minus_loser_and_can_be_swapped(built, labels):
    comparison_of(labels, CHOSEN)
    (show,), (swap,) = built.handlers["show_pair"], built.handlers["swapped"]
    button, html, turned, _ = show(labels, CHOSEN, "0", False)
    assert "<bdi>tuned</bdi> minus <bdi>rules" in html and button.value == "Swap: show rules minus tuned" and not turned
    button, other, turned, _ = swap(labels, CHOSEN, "0", False)
    assert "rules</bdi> minus <bdi>tuned" in other and button.value == "Swap: show tuned minus rules" and turned
    assert swap(labels, CHOSEN, "0", True)[1] == html


def test_a_link_opens_two_systems_and_says_what_does_not_fit(built, labels):
    values, misfits = built.tab.follow(labels, View("compare", system="rules", other="tuned"))
    assert misfits == [] and len(values) == len(built.tab.outputs)
    (html,) = [value for value in values if isinstance(value, str) and "Where they differ" in value]
    assert "rules</bdi> minus <bdi>tuned" in html
    values, misfits = built.tab.follow(labels, View("compare", system="rules", other="gone"))
    assert misfits == ["Unknown system 'gone'; there are rules, tuned"] and len(values) == len(built.tab.outputs)
    for name in ("labels", "curves"):
        values, misfits = built.tab.follow(sample_analysis(name), View("compare"))
        assert misfits == [] and len(values) == len(built.tab.outputs)


def test_choices_are_there_for_other_tabs(built):
    compared = next(fn.outputs for fn in built.demo.fns.values() if fn.name == "compare")
    (chosen,) = (part for part in built.tab.outputs if getattr(part, "value", None) == CompareChoices())
    assert any(part is chosen for part in compared)


def four(analysis_of):
    """Four systems with 40 answers, each with more right ones than the one before."""
    golds = {str(row): ["yes"] for row in range(40)}
    given = {f"s{n}": {key: "yes" if int(key) < 10 * n else "no" for key in golds} for n in range(1, 5)}
    return analysis_of(golds, given)


def view_in(told):
    """The view in what the server tells the address."""
    return View.parse(html.unescape(re.search('data-view="([^"]*)"', told)[1]))


def test_two_systems_their_order_and_the_settings_are_in_the_address_and_lead_back(built, compare, analysis_of):
    analysis = four(analysis_of)
    choices = CompareChoices("s2", "t", "none", "usual")
    last = compare(analysis, None, "s2", "t", "none", "usual")[-1]
    now = (
        built.tab.outputs.index(
            next(part for part in built.tab.outputs if getattr(part, "elem_id", "") == "compare-details")
        )
        + 2
    )
    (show,), (swap,) = built.handlers["show_pair"], built.handlers["swapped"]
    told = [
        (last[3], last[4], last[5]),
        *(show(analysis, choices, place, False)[1:] for place in "012"),
        *(swap(analysis, choices, place, False)[1:] for place in "012"),
    ]
    assert len({address for _, _, address in told}) == 6, "one pair is shown first"
    for body, turned, address in told:
        view = view_in(address)
        assert (view.baseline, view.test, view.correction, view.measures) == ("s2", "t", "none", "usual")
        values, misfits = built.tab.follow(analysis, view)
        assert (
            misfits == [] and [part.value for part in values[2:3]] == ["s2"] and values[3:6] == ["t", "none", "usual"]
        )
        assert values[now - 2 : now + 1] == [body, turned, address]
        assert values[-2:] == [choices, choices]


def test_what_is_shown_before_anybody_chooses_is_not_in_the_address(built, compare, labels):
    usual = CompareChoices()
    last = compare(labels, None, "every pair", *usual[1:])[-1]
    assert view_in(last[5]) == View("compare", sample="labels")
    assert view_in(built.handlers["swapped"][0](labels, usual, "0", False)[3]).system == "rules"


def test_settings_that_do_not_exist_are_told(built, labels):
    values, misfits = built.tab.follow(labels, View("compare", test="gone", baseline="gone", measures="gone"))
    assert misfits == [
        "Unknown baseline 'gone'; there are rules, tuned",
        "Unknown test 'gone'; there are permutation, bootstrap, t, wilcoxon, mcnemar",
        "Unknown choice of measures 'gone'; there are main, usual, all",
    ]
    assert len(values) == len(built.tab.outputs)
