"""The events of the tab Score, called as the page calls them."""

import json
import os

import pytest

from qassay.files import content
from qassay.files.roles import asked_roles
from qassay.spaces_app.inputs import sample_analysis
from qassay.spaces_app.samples import FOLDER, SAMPLES

GOLD, SMALL, LARGE = (str(FOLDER / "answers" / f"{name}.json") for name in ("gold", "small_model", "large_model"))


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    return tmp_path / "uploads"


@pytest.fixture(scope="module")
def page(gr, build_tab):
    from qassay.spaces_app.score_tab import build_score_tab

    def build(state):
        tab, other = build_score_tab(state), gr.Textbox()
        tab.connect([other], lambda analysis: [analysis and analysis.systems])
        return tab

    demo, tab, handlers = build_tab(build)
    return demo, tab, {name: several[0] for name, several in handlers.items()}


@pytest.fixture
def score(gr, page, uploads):
    """A function of what a visitor filled in -> analysis, HTML of the results, message, files."""

    def call(**given):
        steps = page[2]["score"](given.pop("current", None), lambda *_: None, *form(**given))
        _, closed, *emptied = next(steps)
        assert emptied == ["", "", "", gr.skip(), "", gr.skip()] and not closed.open, "old numbers go first"
        analysis, box, answer, html, message, files, notes, others = next(steps)
        if "pending" in html:
            assert analysis is None and others == gr.skip(), "no tab asks for what is not there yet"
            assert 'class="verdict"' in answer and message == "" and not box.open
            first = answer, files, notes
            analysis, box, answer, html, message, files, notes, others = next(steps)
            assert analysis is None or (answer, files, notes) == first, "the answer stays as it was shown first"
        assert box.open == (analysis is None) and (answer == "") == (html == ""), (
            "the form is open where it has an error"
        )
        assert others == (analysis and analysis.systems), "all tabs show the same analysis"
        if analysis is None:
            with pytest.raises(gr.Error) as toast:
                next(steps)
            assert toast.value.message in message, "the same words in the toast and beside the field"
        assert next(steps, None) is None
        return analysis, html, message, files if analysis is None else files + notes

    return call


def form(**given):
    from qassay.spaces_app.score_tab import Form

    empty = dict.fromkeys(Form._fields)  # boxes that nobody touched hold None
    filled = {**empty, "meaning": False, "level": 0.95, "separator": " | ", "model": "lite", **given}
    columns = filled.pop("columns") or ()
    return [*filled.values(), *columns, *[None] * (len(asked_roles()) - len(columns))]


def test_uploads_are_scored(score):
    analysis, html, message, files = score(gold=GOLD, systems=[SMALL, LARGE], names="A\nB")
    assert analysis.systems == ["A", "B"]
    assert "f1" in html and message == ""
    assert "gold.json: a SQuAD gold file, 64 questions" in files


def test_the_answer_comes_before_the_values_of_all_measures(page, monkeypatch):
    from qassay.spaces_app import score_tab

    made, show = [], score_tab.score_html
    monkeypatch.setattr(score_tab, "score_html", lambda analysis: made.append(analysis) or show(analysis))
    steps = page[2]["score"](None, lambda *_: None, *form(gold=GOLD, systems=[SMALL, LARGE]))
    next(steps)
    _, _, answer, html, *_ = next(steps)
    assert "large_model is better" in answer and "pending" in html and made == []
    analysis, _, _, html, *_ = next(steps)
    assert made == [analysis] and "pending" not in html


def test_each_file_is_read_and_parsed_once(score, monkeypatch):
    opened, parsed, find, parse = [], [], content.find_source, content.read_json
    monkeypatch.setattr(content, "find_source", lambda path: opened.append(path) or find(path))
    monkeypatch.setattr(content, "read_json", lambda *given, **more: parsed.append(given) or parse(*given, **more))
    doubts = str(FOLDER / "answers" / "large_model_no_answer.json")
    analysis, _, message, _ = score(gold=GOLD, systems=[SMALL, LARGE], probabilities=[doubts])
    assert message == "" and "best_f1" in analysis.report.systems["large_model"]
    assert sorted(opened) == sorted([GOLD, SMALL, LARGE, doubts]) and len(parsed) == 4


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
        ({"gold": GOLD, "systems": [SMALL] * 7}, "7 systems are too many"),
        ({"gold": GOLD, "systems": [str(FOLDER / "rankings/bm25.run")]}, "bm25.run: this looks like a TREC run"),
    ],
)
def test_errors_stay_beside_the_slots_and_clear_the_numbers(score, given, words):
    analysis, html, message, _ = score(**given)
    assert analysis is None and html == ""
    assert words in message and 'role="alert"' in message
    assert str(FOLDER) not in message


def test_a_sample_is_scored_again_with_options(score):
    sample = sample_analysis("answers")
    analysis, html, *_ = score(current=sample, options="normalizer=none", level=0.9)
    assert analysis.inputs.title == "Sample: Answers (SQuAD 2.0), with your options" and analysis.settings.level == 0.9
    cells, before = (one.report.systems["small_model"]["exact_match"].value for one in (analysis, sample))
    assert cells < before and "with your options" in html
    again, *_ = score(current=analysis)
    assert again.report.systems == sample.report.systems and again.inputs.title == sample.inputs.title
    lite = sample_analysis("similarity")
    found, *_ = score(current=lite, options="missing=skip")
    assert found.inputs.options == ("model=lite", "missing=skip")
    assert score(current=sample, gold=GOLD, systems=[SMALL])[0].inputs.title == "gold.json, small_model.json"


def test_a_fault_of_ours_leaves_no_numbers(score, monkeypatch, caplog):
    said = "an answer"
    monkeypatch.setattr("qassay.spaces_app.score_tab.analyze", lambda *_: {}[said])
    analysis, html, message, _ = score(gold=GOLD, systems=[SMALL])
    assert analysis is None and html == "" and "KeyError: a fault of qassay, not of the input" in message
    assert "score failed: KeyError" in caplog.text and "an answer" not in caplog.text


def test_uploads_are_described_before_scoring(page, tmp_path):
    table = tmp_path / "two.csv"
    table.write_text("left,right\nParis,Paris\n")
    _, files, message, _, box, *columns = page[2]["look"](None, *form(systems=[str(table)]))
    assert "two.csv" in files and message == "" and box.visible
    assert [choice[0] for choice in columns[0].choices] == ["left", "right"] and columns[0].multiselect is not False
    assert [choice[0] for choice in columns[2].choices] == ["", "left", "right"]
    _, files, message, _, box, *_ = page[2]["look"](None, *form(gold=GOLD))
    assert "SQuAD" in files and not box.visible
    assert page[2]["look"](None, *form())[1:3] == ["", ""]
    form_now, files, told, *_ = page[2]["look"](sample_analysis("answers"), *form(gold=GOLD))
    assert "Press Score; below is still Sample: Answers" in told and form_now.label == "Your files · not scored yet"
    (cleared, *_) = page[2]["look"](sample_analysis("answers"), *form())
    assert cleared.label == "Sample: Answers (SQuAD 2.0) · Use your own files"
    assert "is still" not in files, "a failed Score empties what is shown, and leaves what the files are"
    (tmp_path / "bad.json").write_bytes(b"\xff")
    assert (
        "bad.json: this file is not text in UTF-8" in page[2]["look"](None, *form(gold=str(tmp_path / "bad.json")))[2]
    )


def test_pasted_text_waits_as_files_do(page, gr):
    look, shown = page[2]["look_at_text"], sample_analysis("answers")
    of_files = page[2]["look"](shown, *form(gold=GOLD, systems=[SMALL]))
    for given in ({"predictions_text": "Paris"}, {"gold_text": "Paris"}):
        box, message = look(shown, *form(**given))
        assert (box.label, message) == (of_files[0].label, of_files[2])
    box, message = look(shown, *form(predictions_text=" ", gold_text=""))
    assert (box.label, message) == ("Sample: Answers (SQuAD 2.0) · Use your own files", "")
    assert look(shown, *form(gold=GOLD, gold_text="Paris"))[1] == gr.skip(), "files keep what is said of them"
    heard = {
        part.elem_id
        for fn in page[0].fns.values()
        if fn.name == "look_at_text"
        for part in fn.inputs
        if part._id in {target for target, _ in fn.targets}
    }
    assert heard == {"paste_predictions", "paste_gold"}


def test_groups_of_the_gold_file_are_offered_and_used(page, score):
    groups = page[2]["look"](None, *form(gold=GOLD, systems=[SMALL]))[3]
    assert [value for _, value in groups.choices][:4] == ["", "article", "paragraph", "title"]
    assert page[2]["look"](None, *form(gold=GOLD))[3].choices == groups.choices, "before there is a system"
    assert [value for _, value in page[2]["look"](None, *form(gold=SMALL))[3].choices] == [""]
    cleared = page[2]["look"](sample_analysis("answers"), *form())[3]
    assert [value for _, value in cleared.choices][:3] == ["", "article", "paragraph"], "of the sample that is shown"
    analysis, html, message, _ = score(gold=GOLD, systems=[SMALL], groups="article", interval_method="percentile")
    assert (
        message == "" and "over 11 groups by article (few: under 30)" in html and "percentiles of the bootstrap" in html
    )
    assert analysis.scores("small_model").groups.labels
    again = score(current=sample_analysis("answers"), groups="paragraph")[0]
    assert again.inputs.groups == "paragraph" and again.inputs.title.endswith("with your options")
    _, _, message, _ = score(gold=GOLD, systems=[SMALL], groups="artcle")
    assert "no groups &#x27;artcle&#x27; (did you mean &#x27;article&#x27;?)" in message


def test_the_file_of_a_sample_is_scored_as_the_message_says(score):
    spam = str(FOLDER / "labels" / "spam.csv")
    _, _, message, _ = score(gold=spam)
    assert "or, to score its labels, choose the metric average_precision under Options" in message
    analysis, html, message, _ = score(gold=spam, metric="average_precision")
    assert message == "" and html
    assert analysis.report.systems["spam"] == sample_analysis("curves").report.systems["spam"]


def test_other_tables_without_predictions_are_asked_for_them(score, tmp_path):
    (tmp_path / "gold.csv").write_text("id,answers,topic\n1,Paris,x\n2,Rome,y\n")
    _, _, message, _ = score(gold=str(tmp_path / "gold.csv"))
    assert "name its column of predictions under Options, “Column of: answers or labels of the system”" in message
    assert "average_precision" not in message and "label_metrics" not in message


def test_chosen_columns_are_used(score, tmp_path):
    table = tmp_path / "two.csv"
    table.write_text("left,right\nParis,Paris\nMilan,Rome\n")
    analysis, *_ = score(gold=str(table), columns=("left", "right"))
    assert analysis.report.systems["two"]["exact_match"].value == 50


def test_every_sample_has_a_button_that_empties_the_slots(gr, page):
    demo, tab, handlers = page
    labels = {block.value for block in demo.blocks.values() if isinstance(block, gr.Button)}
    assert {sample.label for sample in SAMPLES.values()} <= labels
    analysis, box, answer, html, message, files, notes, *slots, groups, are_runs, others = handlers["load_sample"]()
    assert (
        [value for _, value in groups.choices][:3] == ["", "article", "paragraph"]
        and groups.value == ""
        and not are_runs
    )
    assert others == ["small_model", "large_model"]
    assert analysis.inputs.title == f"Sample: {SAMPLES['answers'].label}"
    assert analysis is sample_analysis("answers") and handlers["load_sample"]()[0] is analysis
    assert box.label == "Sample: Answers (SQuAD 2.0) · Use your own files" and "is better than" in answer
    assert html and [message + notes, files, *slots] == ["", "", None, None, None, "", ""]
    assert [function.name for function in demo.fns.values()].count("load_sample") == len(SAMPLES)
    box, *emptied = tab.show(None)
    assert box.open and box.label == "Your files" and emptied == ["", ""]


def test_lists_of_options_in_a_hostile_name_stay_text(score, tmp_path):
    path = tmp_path / "<script>alert(1)<&.json"
    path.write_text(json.dumps({"a": "x"}))
    gold = tmp_path / "g.json"
    gold.write_text(json.dumps({"a": ["x"]}))
    _, html, _, files = score(gold=str(gold), systems=[str(path)])
    assert "<script" not in html + files


def test_the_rules_of_a_benchmark(score):
    """The control sets the preset; an example shows the answer and the text out of which it was taken."""
    from qassay.spaces_app.error_card import example_card

    written, right = "so <answer>the Paris</answer>\nRome", "Paris\nRome"
    analysis, html, message, _ = score(predictions_text=written, gold_text=right, preset="search_r1")
    assert message == "" and "preset:search_r1" in html and "without an answer to extract</a>: scored 0" in html
    card = example_card(analysis, analysis.systems[0], 0)
    assert "extracted from: so &lt;answer&gt;the Paris&lt;/answer&gt;" in card
    assert score(predictions_text=written, gold_text=right, options="extract=regex:.*")[0] is None


_GOLD_OF_RUNS = "id,answers\na,Paris\nb,Rome\n"


@pytest.mark.parametrize("column", ["seed", "run"])
def test_a_column_of_runs_is_known_by_its_name_where_ids_repeat(score, tmp_path, column):
    """And the page says so; only where every run has each question once and no other column can be the run."""
    (tmp_path / "gold.csv").write_text(_GOLD_OF_RUNS)
    (tmp_path / "model.csv").write_text(f"id,prediction,{column}\na,Paris,1\nb,Rom,1\na,Paris,2\nb,Rome,2\n")
    analysis, html, message, notes = score(gold=str(tmp_path / "gold.csv"), systems=[str(tmp_path / "model.csv")])
    assert message == "" and analysis.inputs.columns == {"run_id": column} and "2 runs" in html
    assert f"the column {column} is taken as the run of each row" in notes and "“Column of: run of a system”" in notes


@pytest.mark.parametrize(
    "rows",
    [
        "id,prediction,seed\na,Paris,1\nb,Rom,1\na,Paris,2\n",
        "id,prediction,seed,run\na,x,1,1\nb,y,1,1\na,x,2,2\nb,y,2,2\n",
        "id,prediction,run\na,x,gpt\nb,y,gpt\na,x,llama\nb,y,llama\n",
    ],
)
def test_a_doubtful_column_of_runs_is_asked_for_by_the_label_of_its_box(score, tmp_path, rows):
    """A question is missing in a run; or two columns can be the run; or its values may be names of systems."""
    (tmp_path / "gold.csv").write_text(_GOLD_OF_RUNS)
    (tmp_path / "model.csv").write_text(rows)
    _, _, message, _ = score(gold=str(tmp_path / "gold.csv"), systems=[str(tmp_path / "model.csv")])
    assert "names the run under Options, “Column of: run of a system”" in message
    assert ("of the columns run, seed" in message) == ("seed,run" in rows)
