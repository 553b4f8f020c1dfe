"""The events of the tab Score, called as the page calls them; the page of each metric opens with an example of it."""

import os
import runpy

import pytest

pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')

import gradio as gr

from qassay.pages.build import CLONE
from qassay.registry import FAMILIES
from qassay.space.inputs import sample_analysis
from qassay.space.samples import FOLDER
from qassay.space.score_tab import Form, build_score_tab

pytestmark = pytest.mark.thorough

GOLD, SMALL = (str(FOLDER / "answers" / f"{name}.json") for name in ("gold", "small_model"))


@pytest.fixture(scope="module")
def event():
    """The event of the button Score."""
    with gr.Blocks(analytics_enabled=False) as demo, gr.Tabs(), gr.Tab("Alone"):
        tab = build_score_tab(gr.State(None))
        tab.connect([gr.Textbox()], lambda analysis: [analysis and analysis.systems])
    assert {one.api_visibility for one in demo.fns.values()} == {"private"}
    return next(one.fn for one in demo.fns.values() if one.name == "score")


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    return tmp_path / "uploads"


@pytest.fixture
def score(event, uploads):
    """`score(current, **given)`: what a visitor filled in -> analysis, HTML of the results, message."""

    def call(current=None, **given):
        empty = dict.fromkeys(Form._fields)  # boxes that nobody touched hold None
        values = {**empty, "separator": " | ", "confidence": 0.95, "seed": 0, **given}
        steps = event(current, lambda *_: None, *values.values())
        assert not any(next(steps)[2:5]), "old numbers go first"
        analysis, _, answer, page, message, *_ = next(steps)
        if "pending" in page:
            assert analysis is None and 'class="verdict"' in answer and message == "", "the answer comes first"
            analysis, _, answer, page, message, *_ = next(steps)
        return analysis, page, message

    return call


def test_pasted_text_is_scored_and_removed_also_after_an_error(score, uploads):
    analysis, _, message = score(predictions_text="Paris\n4", gold_text="Paris\nfour", options="metric=all")
    assert message == "" and len(analysis.scored) > 1
    assert analysis.report.systems["pasted answers"]["exact_match"].value == 50
    assert os.listdir(uploads) == []
    assert score(predictions_text="Paris", gold_text="Paris\nfour")[0] is None and os.listdir(uploads) == []


def test_options_score_a_sample_again_and_a_failure_leaves_its_numbers(score):
    sample = sample_analysis("answers")
    analysis, _, _ = score(sample, options="measures=contains\ngroups=article", confidence=0.9, seed=3)
    assert analysis.inputs.sample == "answers" and [*analysis.report.systems["small_model"]] == ["contains"]
    intervals = analysis.settings.intervals
    assert (intervals.confidence, intervals.seed, analysis.inputs.groups) == (0.9, 3, "article")
    kept, page, message = score(sample, options="measures=gone")
    assert kept is sample and page and "gone" in message and sample.inputs.title in message


def test_a_fault_of_ours_leaves_no_answers_in_the_log(score, monkeypatch, caplog):
    said = "an answer"
    monkeypatch.setattr("qassay.space.inputs.analyze", lambda *_: {}[said])
    analysis, page, message = score(gold=GOLD, systems=[SMALL])
    assert analysis is None and page == "" and "KeyError" in message
    assert "KeyError" in caplog.text and "an answer" not in caplog.text


def test_the_page_of_each_metric_opens_with_an_example_of_it(monkeypatch):
    opened = {}
    for name in FAMILIES:
        monkeypatch.setattr("qassay.space.launch.serve", lambda sample, name=name: opened.update({name: sample}))
        runpy.run_path(str(CLONE / "metrics" / name / "app.py"), run_name="__main__")
    assert {name: sample_analysis(sample).family.name for name, sample in opened.items()} == {
        name: name for name in FAMILIES
    }
