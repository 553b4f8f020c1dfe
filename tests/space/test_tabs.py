"""The events of the tabs, called as the page calls them: what is shown first and last, what leads back, what nobody else sees."""

import os
import re
from types import SimpleNamespace

import pytest

pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')

import gradio as gr

from qassay.space.agreement_tab import build_agreement_tab
from qassay.space.agreement_view import JudgedTable
from qassay.space.analysis import Analysis
from qassay.space.human_labels import kept_calibration
from qassay.space.inputs import sample_analysis
from qassay.space.kept_work import KeptWork
from qassay.space.labels_tab import build_labels_tab
from qassay.space.quick_check import check_answer
from qassay.space.samples import FOLDER
from qassay.space.score_tab import Form, build_score_tab

pytestmark = pytest.mark.thorough

GOLD, SMALL = (str(FOLDER / "answers" / f"{name}.json") for name in ("gold", "small_model"))


@pytest.fixture(scope="module")
def tabs():
    """Name -> the Blocks, the tab, and name -> handlers of its events; the server of the tabs that keep work is beside them."""
    server = SimpleNamespace(kept_work=KeptWork(), shows=lambda session, analysis: analysis.inputs.title == session)
    builders = {
        "score": lambda state: _connected(build_score_tab(state)),
        "labels": lambda state: build_labels_tab(state, gr.HTML(), server),
        "agreement": lambda state: build_agreement_tab(state, gr.HTML(), server.kept_work),
    }
    found = {"server": server}
    for name, build in builders.items():
        with gr.Blocks(analytics_enabled=False) as demo, gr.Tabs(), gr.Tab("Alone"):
            tab = build(gr.State(None))
        handlers = {}
        for event in demo.fns.values():
            assert event.api_visibility == "private"
            handlers.setdefault(event.name, []).append(event.fn)
        found[name] = SimpleNamespace(demo=demo, tab=tab, handlers=handlers)
    return found


def _connected(tab):
    tab.connect([gr.Textbox()], lambda analysis: [analysis and analysis.systems])
    return tab


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    return tmp_path / "uploads"


# --- score ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def score(tabs, uploads):
    """A function of what a visitor filled in -> analysis, HTML of the results, message."""

    def call(**given):
        empty = dict.fromkeys(Form._fields)  # boxes that nobody touched hold None
        form = {**empty, "meaning": False, "level": 0.95, "separator": " | ", "model": "lite", **given}
        form.pop("columns", None)
        (event,) = [event for event in tabs["score"].demo.fns.values() if event.name == "score"][:1]
        values = [*form.values(), *[None] * (len(event.inputs) - 1 - len(form))]
        steps = event.fn(None, lambda *_: None, *values)
        assert not any(next(steps)[2:5]), "old numbers go first"
        analysis, _, answer, page, message, *_ = next(steps)
        if "pending" in page:
            assert analysis is None and 'class="verdict"' in answer and message == "", "the answer comes first"
            analysis, _, answer, page, message, *_ = next(steps)
        return analysis, page, message

    return call


def test_pasted_text_is_scored_and_removed_also_after_an_error(score, uploads):
    analysis, _, message = score(predictions_text="Paris\n4", gold_text="Paris\nfour", meaning=True)
    assert message == "" and len(analysis.scored) == 2
    assert analysis.report.systems["pasted answers"]["exact_match"].value == 50
    assert os.listdir(uploads) == []
    assert score(predictions_text="Paris", gold_text="Paris\nfour")[0] is None and os.listdir(uploads) == []
    assert "<td>66.67</td>" in check_answer("in Paris", "Rome\nParis"), "of one answer alone"


def test_a_fault_of_ours_leaves_no_numbers_and_no_answers_in_the_log(score, monkeypatch, caplog):
    said = "an answer"
    monkeypatch.setattr("qassay.space.score_tab.analyze", lambda *_: {}[said])
    analysis, page, message = score(gold=GOLD, systems=[SMALL])
    assert analysis is None and page == "" and "KeyError" in message
    assert "KeyError" in caplog.text and "an answer" not in caplog.text


# --- what one visitor gives, no other one sees ------------------------------------------------------------------------


def test_a_reload_shows_what_was_calibrated_and_no_other_visitor_sees_it(tabs, tmp_path, uploads):
    """The visitor gets a copy of a sample. The labels count again without their file."""
    (tab, handlers), kept = (tabs["labels"].tab, tabs["labels"].handlers), tabs["server"].kept_work
    shared = sample_analysis("answers")
    verdicts = "".join(f"{key},{n % 2}\n" for n, key in enumerate(list(shared.scores("small_model").ids)[:30]))
    (tmp_path / "votes.csv").write_text("id,label\n" + verdicts)

    def calibrate(analysis, session, path, width="15"):
        names = ("exact_match", "f1"), "ppi", width, "7", "", "normal", "", ""
        request = SimpleNamespace(session_hash=session)
        steps = handlers["calibrate"][0](analysis, "small_model", "", path, None, True, request, *names)
        next(steps)
        return next(steps, None)

    votes = str(tmp_path / "votes.csv")
    assert "votes.csv" in handlers["look"][0](votes)[0] and handlers["clear"][0]()[1:3] == ["", ""]
    assert calibrate(shared, "other files, which were scored meanwhile", votes) is None
    _, _, page, _, own, told = calibrate(shared, shared.inputs.title, votes)
    assert own is not shared and own.inputs == shared.inputs and kept_calibration(shared) is None
    assert kept.find(re.search('data-work="(.+?)"', told)[1], Analysis) is own
    assert page in tab.refresh(own) and page not in tab.refresh(shared)
    after = calibrate(own, own.inputs.title, None, "12")
    assert "12 wide" in after[2] and after[4] == gr.skip() and kept_calibration(own).chosen.width == 12


def test_a_reload_shows_the_judged_table_of_the_visitor_by_its_token_alone(tabs, tmp_path, uploads):
    (tab, handlers), kept = (tabs["agreement"].tab, tabs["agreement"].handlers), tabs["server"].kept_work
    path = tmp_path / "labelled.csv"
    path.write_text("question,gold,answer,label\n" + "".join(f"q{n},a,a,{n % 2}\n" for n in range(20)))
    given = (["answer_match"], "", "", [], *[""] * 6)
    assert "labelled.csv" in handlers["look"][0](str(path))[0]
    _, (_, _, page, *_, own, told) = handlers["find"][0](str(path), None, *given)
    token = re.fullmatch('<i data-table="(.+)"></i>', told)[1]
    values, misfits = tab.restore(token)
    assert page in values and not misfits and kept.find(token, JudgedTable) is own and own.rows == 20
    for other in ("", token[:-1]):
        assert page not in tab.restore(other)[0]
    kept.forget(own)
    values, misfits = tab.restore(token)
    assert len(misfits) == 1 and page not in values
