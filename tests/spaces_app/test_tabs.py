"""The events of the tabs, called as the page calls them: what is shown first and last, what leads back, what nobody else sees."""

import os
import re
from types import SimpleNamespace

import pytest

pytest.importorskip("gradio", reason='needs Gradio: pip install -e ".[test-all]"')

import gradio as gr

from qassay.spaces_app.agreement_tab import build_agreement_tab
from qassay.spaces_app.agreement_view import JudgedTable
from qassay.spaces_app.analysis import Analysis, analyze
from qassay.spaces_app.compare_tab import build_compare_tab
from qassay.spaces_app.comparisons import CompareChoices
from qassay.spaces_app.errors_tab import build_errors_tab
from qassay.spaces_app.human_labels import kept_calibration
from qassay.spaces_app.inputs import sample_analysis, sample_inputs
from qassay.spaces_app.kept_work import KeptWork
from qassay.spaces_app.labels_tab import build_labels_tab
from qassay.spaces_app.no_answer_tab import build_no_answer_tab
from qassay.spaces_app.opened import opened
from qassay.spaces_app.report_tab import build_report_tab
from qassay.spaces_app.samples import FOLDER, SAMPLES
from qassay.spaces_app.score_tab import Form, build_score_tab
from qassay.spaces_app.slices_tab import build_slices_tab

pytestmark = pytest.mark.thorough

GOLD, SMALL, LARGE = (str(FOLDER / "answers" / f"{name}.json") for name in ("gold", "small_model", "large_model"))


@pytest.fixture(scope="module")
def tabs():
    """Name -> the Blocks, the tab, and name -> handlers of its events; the server of the tabs that keep work is beside them."""
    server = SimpleNamespace(kept_work=KeptWork(), shows=lambda session, analysis: analysis.inputs.title == session)
    builders = {
        "score": lambda state: _connected(build_score_tab(state)),
        "errors": lambda state: build_errors_tab(state, gr.State(None)),
        "slices": lambda state: build_slices_tab(state, gr.State(None)),
        "no answer": build_no_answer_tab,
        "compare": lambda state: build_compare_tab(state, gr.State(CompareChoices()), gr.State(None)),
        "labels": lambda state: build_labels_tab(state, gr.HTML(), server),
        "agreement": lambda state: build_agreement_tab(state, gr.HTML(), server.kept_work),
        "report": lambda state: build_report_tab(state, gr.State(CompareChoices()), gr.State("")),
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


@pytest.mark.parametrize("name", ["errors", "slices", "no answer", "compare", "labels", "report"])
def test_every_output_of_a_tab_has_a_value_whatever_was_scored(tabs, name):
    for sample in (None, *SAMPLES):
        values = tabs[name].tab.refresh(sample and sample_analysis(sample))
        assert len(values) == len(tabs[name].tab.outputs), sample


# --- score ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def score(tabs, uploads):
    """A function of what a visitor filled in -> analysis, HTML of the results, message, what the files are."""

    def call(**given):
        empty = dict.fromkeys(Form._fields)  # boxes that nobody touched hold None
        current, columns = given.pop("current", None), given.pop("columns", ())
        form = {**empty, "meaning": False, "level": 0.95, "separator": " | ", "model": "lite", **given}
        form.pop("columns", None)
        (event,) = [event for event in tabs["score"].demo.fns.values() if event.name == "score"][:1]
        values = [*form.values(), *columns]
        values += [None] * (len(event.inputs) - 1 - len(values))
        steps = event.fn(current, lambda *_: None, *values)
        assert not any(next(steps)[2:5]), "old numbers go first"
        analysis, box, answer, page, message, files, notes, others = next(steps)
        if "pending" in page:
            assert analysis is None and 'class="verdict"' in answer and message == "", "the answer comes first"
            first = answer, files, notes
            analysis, box, answer, page, message, files, notes, others = next(steps)
            assert analysis is None or (answer, files, notes) == first
        assert box.open == (analysis is None) and (answer == "") == (page == "")
        assert others == (analysis and analysis.systems), "all tabs show the same analysis"
        if analysis is None:
            with pytest.raises(gr.Error) as toast:
                next(steps)
            assert toast.value.message in message, "the same words in the toast and beside the field"
        return analysis, page, message, files if analysis is None else files + notes

    return call


def test_pasted_text_is_scored_and_removed_also_after_an_error(score, uploads):
    analysis, _, message, _ = score(predictions_text="Paris\n4", gold_text="Paris\nfour", meaning=True)
    assert message == "" and len(analysis.scored) == 2
    assert analysis.report.systems["pasted answers"]["exact_match"].value == 50
    assert os.listdir(uploads) == []
    assert score(predictions_text="Paris", gold_text="Paris\nfour")[0] is None and os.listdir(uploads) == []


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"gold": GOLD}, "gold.json"),
        ({"gold": GOLD, "systems": [SMALL], "options": "device=cuda"}, "device"),
        ({"gold": GOLD, "systems": [SMALL], "metric": "bleu"}, "bleu"),
        ({"gold": GOLD, "systems": [SMALL], "groups": "artcle"}, "article"),
        ({"gold": GOLD, "systems": [str(FOLDER / "rankings/bm25.run")]}, "bm25.run"),
    ],
)
def test_errors_stay_beside_the_slots_and_clear_the_numbers(score, given, named):
    analysis, page, message, _ = score(**given)
    assert analysis is None and page == "" and named in message and 'role="alert"' in message
    assert str(FOLDER) not in message


def test_a_fault_of_ours_leaves_no_numbers_and_no_answers_in_the_log(score, monkeypatch, caplog):
    said = "an answer"
    monkeypatch.setattr("qassay.spaces_app.score_tab.analyze", lambda *_: {}[said])
    analysis, page, message, _ = score(gold=GOLD, systems=[SMALL])
    assert analysis is None and page == "" and "KeyError" in message
    assert "KeyError" in caplog.text and "an answer" not in caplog.text


def test_a_sample_is_scored_again_with_options_and_groups(score):
    sample = sample_analysis("answers")
    analysis, *_ = score(current=sample, options="normalizer=none", level=0.9, groups="paragraph")
    before, after = (one.report.systems["small_model"]["exact_match"].value for one in (sample, analysis))
    assert after < before and analysis.settings.level == 0.9 and analysis.inputs.groups == "paragraph"
    assert score(current=analysis)[0].report.systems == sample.report.systems
    assert score(current=sample, gold=GOLD, systems=[SMALL])[0].systems == ["small_model"]


@pytest.mark.parametrize(
    ("rows", "is_known"),
    [
        ("id,prediction,seed\na,Paris,1\nb,Rom,1\na,Paris,2\nb,Rome,2\n", True),
        ("id,prediction,seed\na,Paris,1\nb,Rom,1\na,Paris,2\n", False),  # a question is missing in a run
        ("id,prediction,seed,run\na,x,1,1\nb,y,1,1\na,x,2,2\nb,y,2,2\n", False),  # two columns can be the run
        ("id,prediction,run\na,x,gpt\nb,y,gpt\na,x,llama\nb,y,llama\n", False),  # may be names of systems
    ],
)
def test_a_column_of_runs_is_taken_only_where_it_is_certain(score, tmp_path, rows, is_known):
    (tmp_path / "gold.csv").write_text("id,answers\na,Paris\nb,Rome\n")
    (tmp_path / "model.csv").write_text(rows)
    analysis, _, message, notes = score(gold=str(tmp_path / "gold.csv"), systems=[str(tmp_path / "model.csv")])
    if is_known:
        assert analysis.inputs.columns == {"run_id": "seed"} and "seed" in notes
    else:
        assert analysis is None and "run" in message


# --- what leads back --------------------------------------------------------------------------------------------------


def test_an_address_and_a_token_lead_to_one_analysis():
    first, kept = sample_analysis("answers"), KeptWork()
    mine = analyze(sample_inputs("answers")._replace(sample=""))
    token = kept.keep(mine)

    def lead(query, token="", shown=None):
        found = opened(query, token, shown, first, kept, ("score", "errors"))
        return found.analysis, found.view.tab, len(found.misfits)

    assert lead("") == (first, "", 0) and lead("?tab=errors", token) == lead("?tab=errors", shown=mine) == (
        mine,
        "errors",
        0,
    )
    assert lead("?sample=rankings", token, mine)[0] is sample_analysis("rankings")
    assert lead("?tab=gone&sample=gone", "of an hour ago") == (first, "", 3)


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
    _, (_, _, page, *_, own, told) = handlers["find"][0](str(path), None, *given)
    token = re.fullmatch('<i data-table="(.+)"></i>', told)[1]
    values, misfits = tab.restore(token)
    assert page in values and not misfits and kept.find(token, JudgedTable) is own and own.rows == 20
    for other in ("", token[:-1]):
        assert page not in tab.restore(other)[0]
    kept.forget(own)
    values, misfits = tab.restore(token)
    assert len(misfits) == 1 and page not in values
