"""The events of the tab Slices, called as Gradio calls them."""

import pytest

from qassay.spaces_app.analysis import Settings, analyze
from qassay.spaces_app.inputs import sample_inputs
from qassay.spaces_app.samples import SAMPLES


@pytest.fixture(scope="module", autouse=True)
def gradio_parts():
    """Imported by the tests and not before: Gradio takes seconds."""
    global gr, build_slices_tab
    gr = pytest.importorskip("gradio", reason='gradio is not installed; run pip install -e ".[test]"')
    from qassay.spaces_app.slices_tab import build_slices_tab


@pytest.fixture(scope="module")
def page():
    with gr.Blocks() as demo:
        tab = build_slices_tab(gr.State(None))
    events = list(demo.fns.values())
    assert {event.api_visibility for event in events} == {"private"}
    return tab, events[0].fn


@pytest.fixture(scope="module")
def answers():
    return analyze(sample_inputs("answers"), Settings(n_resamples=50))


def test_without_scores_it_says_what_to_do(page):
    tab, choose = page
    values = tab.refresh(None)
    assert len(values) == len(tab.outputs) and "Nothing was scored yet" in values[-1]
    assert len(choose(None, "title", "f1")) == 2


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_shows_its_first_grouping(page, name):
    tab, _ = page
    row, slicing, measure, html = tab.refresh(analyze(sample_inputs(name), Settings(n_resamples=50)))
    assert row.visible and slicing.value == slicing.choices[0][1]
    assert measure.value in [value for _, value in measure.choices] and "<svg" in html


def test_a_choice_keeps_the_measure_where_it_can(page, answers):
    _, choose = page
    measure, html = choose(answers, "language", "f1")
    assert measure.value == "f1" and "<strong>f1</strong> by <bdi>language</bdi>" in html
    measure, html = choose(answers, "language", "gone")
    assert measure.value == "exact_match" and "<svg" in html


def test_a_grouping_of_an_older_analysis_changes_nothing(page, answers):
    _, choose = page
    assert choose(answers, "gone", "f1") == choose(None, "gone", "f1")
