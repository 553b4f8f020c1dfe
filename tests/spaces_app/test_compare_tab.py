"""The events of the tab Compare, called as the page calls them."""

import json

import pytest

from qassay.spaces_app.analysis import Inputs, analyze
from qassay.spaces_app.compare_view import CompareChoices, known_comparison
from qassay.spaces_app.inputs import sample_inputs


@pytest.fixture(scope="module", autouse=True)
def gradio_parts():
    """Imported by the tests and not before: Gradio takes seconds."""
    global gr, build_compare_tab
    gr = pytest.importorskip("gradio", reason='gradio is not installed; run pip install -e ".[test]"')
    from qassay.spaces_app.compare_tab import build_compare_tab


PICKS = ("every pair", "t", "holm", "main")


@pytest.fixture
def built():
    with gr.Blocks(analytics_enabled=False) as demo:
        state = gr.State(None)
        with gr.Tabs(), gr.Tab("Compare"):
            chosen = gr.State(CompareChoices())
            tab = build_compare_tab(state, chosen)
    handlers = {fn.name: fn.fn for fn in demo.fns.values()}
    return demo, chosen, tab, handlers


@pytest.fixture(scope="module")
def labels():
    return analyze(sample_inputs("labels"))


def is_skip(values):
    return all(value == gr.skip() for value in values)


def test_refresh_gives_a_value_for_each_output(built, labels):
    _, _, tab, _ = built
    for analysis in (None, labels, analyze(sample_inputs("curves"))):
        assert len(tab.refresh(analysis)) == len(tab.outputs)
    lacks, column = tab.refresh(None)[:2]
    assert lacks.visible and not column.visible
    lacks, column = tab.refresh(labels)[:2]
    assert column.visible and not lacks.visible


def test_one_system_is_told_how_to_get_two(built):
    _, _, tab, _ = built
    assert "second file of predictions" in tab.outputs[0].value
    lacks, column = tab.refresh(analyze(sample_inputs("curves")))[:2]
    assert lacks.visible and not column.visible


def test_systems_without_a_common_example_are_told_so_and_nothing_fails(built, tmp_path):
    _, _, tab, handlers = built
    files = {"gold": {"a": ["x"], "b": ["x"]}, "one": {"a": "x"}, "two": {"b": "x"}}
    for name, value in files.items():
        (tmp_path / name).write_text(json.dumps(value))
    gold, *systems = (str(tmp_path / name) for name in files)
    inputs = Inputs("apart", gold, dict(zip(("one", "two"), systems, strict=True)), options=("missing=skip",))
    analysis = analyze(inputs)
    top, pair, *_ = handlers["compare"](analysis, None, *PICKS)
    assert "These systems cannot be compared: no example is in all systems: one has ids such as" in top
    assert not pair.visible
    assert len(tab.refresh(analysis)) == len(tab.outputs)


def test_scoring_compares_nothing_before_the_tab_is_seen(built):
    _, _, tab, handlers = built
    analysis = analyze(sample_inputs("labels"))
    tab.refresh(analysis)
    assert known_comparison(analysis, CompareChoices()) is None
    assert not is_skip(handlers["compare"](analysis, None, *PICKS))
    assert known_comparison(analysis, CompareChoices(test="t", measures="main")) is not None


def test_what_is_shown_is_not_sent_again(built, labels):
    _, _, _, handlers = built
    found = handlers["compare"](labels, None, *PICKS)
    assert "Verdict" in found[0]
    chosen = CompareChoices(test="t", measures="main")
    assert found[-2:] == [chosen, chosen]
    assert is_skip(handlers["compare"](labels, chosen, *PICKS))
    assert is_skip(handlers["compare"](None, None, *PICKS))


def test_losses_and_gains_can_be_turned(built, labels):
    demo, _, _, handlers = built
    handlers["compare"](labels, None, *PICKS)
    chosen = CompareChoices(test="t", measures="main")
    turns = [fn.fn for fn in demo.fns.values() if fn.name == "show_cards"]
    assert len(turns) == 3
    losses, row, page = turns[0](labels, chosen, "0", "losses", 5)
    assert "Losses of" in losses and page == 0 and not row.visible
    gains, row, page = turns[0](labels, chosen, "0", "gains", 0)
    assert "Gains of" in gains and row.visible
    further, _, page = turns[2](labels, chosen, "0", "gains", 0)
    assert page == 1 and further != gains
    assert turns[1](labels, chosen, "0", "gains", 1)[0] == gains
    assert is_skip(turns[0](labels, None, "0", "gains", 0))
    assert len(handlers["choose_pair"](labels, chosen, "0")) == len(handlers["choose_pair"](None, None, None))


def test_choices_are_there_for_other_tabs(built):
    demo, chosen, tab, _ = built
    assert any(component is chosen for component in tab.outputs)
    assert chosen in next(fn.outputs for fn in demo.fns.values() if fn.name == "compare")
