"""The events of the tab Compare, called as the page calls them."""

import pytest

from qassay.spaces_app.analysis import analyze
from qassay.spaces_app.compare_view import CompareChoices, known_comparison
from qassay.spaces_app.inputs import sample_analysis, sample_inputs

PICKS = ("every pair", "t", "holm", "main")


@pytest.fixture(scope="module")
def built(build_tab):
    from qassay.spaces_app.compare_tab import build_compare_tab

    return build_tab(build_compare_tab, CompareChoices())


@pytest.fixture(scope="module")
def compare(built):
    return built.handlers["compare"][0]


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
    top, pair, *_ = compare(analysis, None, *PICKS)
    assert "These systems cannot be compared: no example is in all systems: one has ids such as" in top
    assert not pair.visible
    assert len(built.tab.refresh(analysis)) == len(built.tab.outputs)


def test_scoring_compares_nothing_before_the_tab_is_seen(built, compare, is_skip):
    analysis = analyze(sample_inputs("labels"))
    built.tab.refresh(analysis)
    assert known_comparison(analysis, CompareChoices()) is None
    assert not is_skip(compare(analysis, None, *PICKS))
    assert known_comparison(analysis, CompareChoices(test="t", measures="main")) is not None


def test_what_is_shown_is_not_sent_again(compare, is_skip, labels):
    found = compare(labels, None, *PICKS)
    assert "Verdict" in found[0]
    chosen = CompareChoices(test="t", measures="main")
    assert found[-2:] == [chosen, chosen]
    assert is_skip(compare(labels, chosen, *PICKS))
    assert is_skip(compare(None, None, *PICKS))


def test_losses_and_gains_can_be_turned(built, compare, is_skip, labels):
    compare(labels, None, *PICKS)
    chosen = CompareChoices(test="t", measures="main")
    turns, (choose_pair,) = built.handlers["show_cards"], built.handlers["choose_pair"]
    assert len(turns) == 3
    losses, row, page = turns[0](labels, chosen, "0", "losses", 5)
    assert "Losses of" in losses and page == 0 and not row.visible
    gains, row, page = turns[0](labels, chosen, "0", "gains", 0)
    assert "Gains of" in gains and row.visible
    further, _, page = turns[2](labels, chosen, "0", "gains", 0)
    assert page == 1 and further != gains
    assert turns[1](labels, chosen, "0", "gains", 1)[0] == gains
    assert is_skip(turns[0](labels, None, "0", "gains", 0))
    assert len(choose_pair(labels, chosen, "0")) == len(choose_pair(None, None, None))


def test_choices_are_there_for_other_tabs(built):
    compared = next(fn.outputs for fn in built.demo.fns.values() if fn.name == "compare")
    (chosen,) = (part for part in built.tab.outputs if getattr(part, "value", None) == CompareChoices())
    assert any(part is chosen for part in compared)
