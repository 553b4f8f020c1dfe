"""The events of the tab Score, called as the page calls them."""

import json
import os

import pytest

gr = pytest.importorskip("gradio", reason='gradio is not installed; run pip install -e ".[test]"')

from karat.spaces_app.samples import FOLDER, SAMPLES
from karat.spaces_app.score_tab import Form, build_score_tab

GOLD, SMALL, LARGE = (str(FOLDER / "answers" / f"{name}.json") for name in ("gold", "small_model", "large_model"))


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    return tmp_path / "uploads"


@pytest.fixture(scope="module")
def page():
    with gr.Blocks() as demo:
        tab = build_score_tab(gr.State())
    handlers = {}
    for function in demo.fns.values():
        handlers.setdefault(function.name, function.fn)
    return demo, tab, handlers


@pytest.fixture
def score(page, uploads):
    """A function of what a visitor filled in -> analysis, HTML of the results, message, files."""

    def call(**given):
        values = form(**given)
        analysis, html, message, files, told = page[2]["score"](lambda *_: None, *values)
        assert bool(told) == (analysis is None)
        return analysis, html, message, files

    return call


def form(**given):
    empty = dict.fromkeys(Form._fields)  # boxes that nobody touched hold None
    filled = {**empty, "meaning": False, "level": 0.95, "separator": " | ", "model": "lite", **given}
    columns = filled.pop("columns") or (None,) * 8
    return [*filled.values(), *columns]


def test_uploads_are_scored(score):
    analysis, html, message, files = score(gold=GOLD, systems=[SMALL, LARGE], names="A\nB")
    assert analysis.systems == ["A", "B"]
    assert "f1" in html and message == ""
    assert "gold.json: a SQuAD gold file, 64 questions" in files


def test_wrong_slots_are_told(score):
    analysis, _, _, files = score(gold=SMALL, systems=[GOLD])
    assert analysis.systems == ["small_model"]
    assert "gold.json is taken as the gold file" in files


def test_pasted_text_is_scored_and_removed(score, uploads):
    analysis, _, message, _ = score(predictions_text="Paris\n4", gold_text="Paris\nfour", meaning=True)
    assert message == ""
    assert [one.family.name for one in analysis.scored] == ["answer_match", "semantic_answer_similarity"]
    assert analysis.report.systems["pasted answers"]["exact_match"].value == 50
    assert os.listdir(uploads) == []


def test_pasted_text_is_removed_after_an_error_too(score, uploads):
    analysis, html, message, _ = score(predictions_text="Paris", gold_text="Paris\nfour")
    assert analysis is None and html == ""
    assert "1 lines of predictions and 2 of gold answers" in message
    assert os.listdir(uploads) == []


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "there is nothing to score"),
        ({"gold": GOLD}, "add the predictions"),
        ({"gold": GOLD, "systems": [SMALL], "options": "device=cuda"}, "device cannot be chosen"),
        ({"gold": GOLD, "systems": [SMALL], "metric": "bleu"}, "no metric &#x27;bleu&#x27;"),
        ({"gold": GOLD, "systems": [SMALL], "measures": "f2"}, "f2"),
        ({"gold": GOLD, "systems": [SMALL], "options": "missing=maybe"}, "missing"),
        ({"gold": GOLD, "systems": [SMALL] * 5}, "5 systems are too many"),
        ({"gold": GOLD, "systems": [str(FOLDER / "rankings/bm25.run")]}, "bm25.run: this looks like a TREC run"),
    ],
)
def test_errors_stay_beside_the_slots_and_clear_the_numbers(score, given, words):
    analysis, html, message, _ = score(**given)
    assert analysis is None and html == ""
    assert words in message and 'role="alert"' in message
    assert str(FOLDER) not in message


def test_the_message_of_an_error_is_also_a_toast(page):
    tell = page[2]["tell"]
    assert tell("") is None
    with pytest.raises(gr.Error, match="&lt;b&gt;"):
        tell("<b>")


def test_uploads_are_described_before_scoring(page, tmp_path):
    table = tmp_path / "two.csv"
    table.write_text("left,right\nParis,Paris\n")
    files, message, box, *columns = page[2]["look"](*form(systems=[str(table)]))
    assert "two.csv" in files and message == "" and box.visible
    assert [choice[0] for choice in columns[0].choices] == ["", "left", "right"]
    files, message, box, *_ = page[2]["look"](*form(gold=GOLD))
    assert "SQuAD" in files and not box.visible
    assert page[2]["look"](*form())[:2] == ["", ""]
    (tmp_path / "bad.json").write_bytes(b"\xff")
    assert "bad.json: this file is not text in UTF-8" in page[2]["look"](*form(gold=str(tmp_path / "bad.json")))[1]


def test_chosen_columns_are_used(score, tmp_path):
    table = tmp_path / "two.csv"
    table.write_text("left,right\nParis,Paris\nMilan,Rome\n")
    analysis, *_ = score(gold=str(table), columns=("left", "right", *[None] * 6))
    assert analysis.report.systems["two"]["exact_match"].value == 50


def test_every_sample_has_a_button_that_empties_the_slots(page):
    demo, tab, handlers = page
    labels = {block.value for block in demo.blocks.values() if isinstance(block, gr.Button)}
    assert {sample.label for sample in SAMPLES.values()} <= labels
    analysis, html, message, files, *slots = handlers["load_sample"]()
    assert analysis.inputs.title == f"Sample: {SAMPLES['answers'].label}"
    assert html and [message, files, *slots] == ["", "", None, None, None, "", ""]
    assert len(tab.scored) == len(SAMPLES) + 1
    assert tab.show(None) == [""]


def test_no_event_is_an_endpoint(page):
    assert {function.api_visibility for function in page[0].fns.values()} == {"private"}


def test_lists_of_options_in_a_hostile_name_stay_text(score, tmp_path):
    path = tmp_path / "<script>alert(1)<&.json"
    path.write_text(json.dumps({"a": "x"}))
    gold = tmp_path / "g.json"
    gold.write_text(json.dumps({"a": ["x"]}))
    _, html, _, files = score(gold=str(gold), systems=[str(path)])
    assert "<script" not in html + files
