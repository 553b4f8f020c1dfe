"""The tab Score: uploads, pasted text, options, and what was scored."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

from ..files.reading import with_file_names
from ..files.score_files import told_of_columns
from ..files.system_files import system_names
from ..pages.limits import AT_ONCE, KEEP_SECONDS, MAX_FILE, MAX_ROWS, STATE_SECONDS, SWEEP_SECONDS
from ..pages.upload_folder import work_folder
from ..pages.uploads import GOLD, PROBABILITIES, SYSTEM, Upload, in_words
from .analysis import Analysis
from .choices import Choices, read_choices
from .handlers import PRIVATE, guarded, toast, words_of
from .inputs import MAX_SYSTEMS, analyze_visitors, find_inputs, read_uploads, sample_analysis, sample_with
from .overview_view import overview_html, short_names
from .pasted import SEPARATOR, read_pasted
from .samples import BUTTONS, SAMPLES
from .score_view import files_html, problem_html, score_html
from .view_parts import wrapped

_PRIVACY = (
    "Nothing leaves the machine that runs this page; "
    f"uploads are deleted within {(KEEP_SECONDS + SWEEP_SECONDS) // 60} minutes. The scores stay in its memory for up to "
    f"{STATE_SECONDS // 60} minutes after their last use; nobody else can see them. At most "
    f"{MAX_FILE // 1_000_000} MB a file and {MAX_ROWS:,} rows. Text in UTF-8, or Parquet; no compressed files."
)
_COMING = wrapped('<p class="empty">One moment: the numbers are on their way.</p>')
# page.js lets links and tabs wait as long as this is there.
_MORE = wrapped('<p class="faint pending" role="status">The values of all measures follow.</p>')
_PROGRESS = gr.Progress()
# Called before the form closes, in which the button is that has the focus.
_TO_THE_ANSWER = """(...values) => {
    window.scrollTo(0, 0);
    document.querySelector('#form > button')?.focus({preventScroll: true});
    return values;
}"""
_TYPES = "SQuAD, HotpotQA, DROP, BioASQ, TREC, NLPCC, XMC, JSON, JSONL, CSV, TSV, Parquet"
_OPTIONS = (
    "name=value, one per line: metric, preset, measures, groups, names (of the systems, in the order of their files; one name "
    "for several files: they are repeated runs), columns=ROLE=NAME for columns with names that are not known, and the options of "
    "the metric"
)


class ScoreTab(NamedTuple):
    """The tab Score.

    Attributes:
        outputs: components that show what was scored, without the state.
        show: an Analysis, or None -> a value or update for each of the outputs.
        connect: adds the events that score; takes the outputs of the other tabs, and what fills them: an Analysis, or
            None -> a value or update for each. One event fills all tabs: events that follow another at once can get lost
            between Gradio's server and a slow browser.
    """

    outputs: list[Any]
    show: Callable[[Analysis | None], list[Any]]
    connect: Callable[[list[Any], Callable[[Analysis | None], Sequence[Any]]], None]


class Form(NamedTuple):
    """What the visitor filled in, in the order of the components.

    Attributes:
        gold, systems, probabilities: paths of uploads.
        predictions_text, gold_text, separator: pasted.
        options, confidence, seed: as `read_choices` takes them.
    """

    gold: str | None
    systems: list[str] | None
    probabilities: list[str] | None
    predictions_text: str
    gold_text: str
    separator: str
    options: str
    confidence: float | None
    seed: float | None

    @property
    def has_files(self) -> bool:
        """Whether files or text are given."""
        return any([self.gold, self.systems, self.probabilities, self.predictions_text.strip(), self.gold_text.strip()])


def build_score_tab(state: gr.State, first: Analysis | None = None) -> ScoreTab:
    """The components and events of the tab; `first` is shown when the page is loaded."""
    with gr.Row(elem_classes="samples", elem_id="samples", equal_height=False):
        gr.HTML('<div class="qassay"><p class="label">Your files</p></div>')
        pickers = [
            gr.UploadButton(
                words, file_count=count, size="sm", min_width=60, elem_id=f"pick_{slot}", elem_classes="pick"
            )
            for slot, words, count in (("gold", "Gold file", "single"), ("systems", "Predictions", "multiple"))
        ]
        gr.HTML('<div class="qassay"><p class="label">or an example</p></div>')
        buttons = {name: gr.Button(SAMPLES[name].label, size="sm", min_width=60) for name in BUTTONS}
    with gr.Accordion(form_label(first), open=first is None, elem_id="form") as box:
        slots = _build_slots()
        files_box, message = gr.HTML(elem_id="found"), gr.HTML(elem_id="problem")
        texts = _build_texts()
        options = _build_options()
        button = gr.Button("Score", variant="primary", elem_id="score")
        gr.HTML(f'<div class="qassay"><p class="faint">{_TYPES}. {_PRIVACY}</p></div>')
    notes, answer = gr.HTML(elem_id="notes"), gr.HTML(_COMING if first else "", elem_id="answer")
    page = gr.HTML(elem_id="scores")
    inputs = [state, *slots, *texts, *options]

    def show(analysis: Analysis | None) -> list[Any]:
        if analysis is None:
            return [gr.Accordion(label=form_label(None), open=True), "", ""]
        form = gr.Accordion(label=form_label(analysis), open=False)
        return [form, overview_html(analysis), score_html(analysis)]

    @guarded
    def look(analysis, *values):
        form = _form(values)
        return [gr.Accordion(label=form_label(analysis, form)), *_looked_at(analysis, form)]

    for slot in slots:
        gr.on(
            [slot.upload, slot.clear, slot.delete],
            look,
            inputs,
            [box, files_box, message],
            show_progress="hidden",
            **PRIVATE,
        )

    @guarded
    def look_at_text(analysis, *values):
        """Pasted text waits as files do; what is said of files stays."""
        form = _form(values)
        said = gr.skip() if any([form.gold, form.systems, form.probabilities]) else _waiting(analysis, form.has_files)
        return [gr.Accordion(label=form_label(analysis, form)), said]

    for text in texts[:2]:  # pasted or deleted text is not an `input` for Gradio
        text.change(look_at_text, inputs, [box, message], show_progress="hidden", trigger_mode="always_last", **PRIVATE)

    def connect_picker(place: int) -> None:
        """The button puts what is chosen into its slot of the form, and opens it."""

        @guarded
        def pick(picked, analysis, *values):
            form = _form((*values[:place], picked, *values[place + 1 :]))
            opened = gr.Accordion(label=form_label(analysis, form), open=True)
            return [opened, picked, *_looked_at(analysis, form)]

        picker = pickers[place]
        shown = [box, slots[place], files_box, message]
        picker.upload(pick, [picker, *inputs], shown, show_progress="hidden", **PRIVATE)

    for place in range(len(pickers)):
        connect_picker(place)

    def connect(others: list[Any], fill: Callable[[Analysis | None], Sequence[Any]]) -> None:
        @guarded
        def score(current, progress=_PROGRESS, *values):  # Gradio puts it in this place
            form = _form(values)
            # Old numbers must not appear beside new input; the form closes over the place where the new ones will be.
            closed = gr.Accordion(label="Scoring", open=False)
            yield [None, closed, "", "", "", gr.skip(), "", *[gr.skip()] * len(others)]
            try:
                progress(0.1, "Reading the files")
                analysis, told, lines = _analysis(form, lambda: progress(0.3, "Scoring"), current)
                progress(0.6, "Comparing" if len(analysis.systems) > 1 else "Drawing")
                told_files = [files_html(lines), files_html([], told)]
                label = gr.Accordion(label=form_label(analysis), open=False)
                # The answer first: what follows takes as long again. Until then no tab may ask for what is scored.
                yield [None, label, overview_html(analysis), _MORE, "", *told_files, *[gr.skip()] * len(others)]
                shown = show(analysis)
            except Exception as error:
                words = words_of(error, "score")
                _, *kept = show(current)
                opened = gr.Accordion(label=form_label(current, form), open=True)
                problem = problem_html(words[0]) + _waiting(current, True)
                yield [current, opened, *kept, problem, gr.skip(), "", *fill(current)]
                raise toast(*words) from error
            yield [analysis, *shown, "", *told_files, *fill(analysis)]

        @guarded
        def load(name):
            analysis = sample_analysis(name)
            return [analysis, *show(analysis), "", "", "", *[None] * len(slots), "", "", *fill(analysis)]

        outputs = [state, box, answer, page, message, files_box, notes]
        button.click(
            score, inputs, [*outputs, *others], show_progress_on=answer, concurrency_limit=AT_ONCE, js=_TO_THE_ANSWER,
            **PRIVATE,
        )  # fmt: skip
        for name, sample in buttons.items():
            cleared = [*slots, *texts[:2]]
            sample.click(
                _with_name(load, name), None, [*outputs, *cleared, *others], show_progress_on=answer, **PRIVATE
            )

    return ScoreTab([box, answer, page], show, connect)


def form_label(analysis: Analysis | None, form: Form | None = None) -> str:
    """The line that the form folds into: what was scored, and what a click on it is for; of a form with files that wait to be
    scored, that they do.
    """
    if form is not None and form.has_files:
        return "Your files · not scored yet"
    if analysis is None:
        return "Your files"
    inputs = analysis.inputs
    if inputs.sample:
        return f"{inputs.title} · Use your own files"
    gold, *_ = system_names([inputs.shown(inputs.gold)])
    systems = [short for system, short in short_names(analysis).items() if system != gold]
    return " · ".join([gold, *systems[:MAX_SYSTEMS], "Change"])


def _looked_at(analysis: Analysis | None, form: Form) -> list[str]:
    """What the files are, and what is wrong with them, as HTML."""
    uploads, error = [], ""
    try:
        uploads = _uploads(form, read_choices(form.options, form.confidence, form.seed))
    except Exception as failure:  # noqa: BLE001  it is shown beside the field
        error, _ = words_of(failure, "look")
    return [
        files_html([in_words(upload) for upload in uploads]),
        problem_html(error) or _waiting(analysis, bool(uploads)),
    ]


def _waiting(analysis: Analysis | None, waits: bool) -> str:
    """Whose numbers are shown while files or text wait to be scored, as HTML; "" for nothing."""
    told = f"Until you press Score, below is still {analysis.inputs.title}" if analysis and waits else ""
    return files_html([], [told]) if told else ""


def _build_slots() -> list[gr.File]:
    with gr.Row():
        gold = gr.File(label="Gold file: the right answers", file_count="single", height=140, elem_id="gold")
        systems = gr.File(
            label="Predictions: a file for each system or run", file_count="multiple", height=140, elem_id="systems"
        )
        probabilities = gr.File(
            label="No-answer probabilities (optional)", file_count="multiple", height=140, elem_id="probabilities"
        )
    return [gold, systems, probabilities]


def _build_texts() -> list[gr.Textbox]:
    with gr.Accordion("Paste instead", open=False):
        with gr.Row():
            predictions = gr.Textbox(
                label="Predictions",
                info="One answer per line, an empty line for no answer; or JSON, CSV with a header, JSONL, a TREC run",
                lines=5,
                max_lines=12,
                elem_id="paste_predictions",
            )
            gold = gr.Textbox(
                label="Gold answers",
                info="As many lines, with the separator between several answers; or the text of a gold file",
                lines=5,
                max_lines=12,
                elem_id="paste_gold",
            )
        separator = gr.Textbox(label="Separator between gold answers in a line", value=SEPARATOR, max_lines=1)
    return [predictions, gold, separator]


def _build_options() -> list[Any]:
    """Options, confidence and seed."""
    with gr.Accordion("Options", open=False), gr.Row():
        options = gr.Textbox(
            label="Options",
            info=_OPTIONS,
            placeholder="preset=nq_open\nmissing=skip",
            lines=4,
            scale=3,
            elem_id="options",
        )
        with gr.Column(scale=1, min_width=200):
            confidence = gr.Number(0.95, label="Confidence of intervals", info="Between 0 and 1", step=0.01)
            seed = gr.Number(0, label="Seed", info="Of everything that is drawn", precision=0)
    return [options, confidence, seed]


def _form(values: Sequence[Any]) -> Form:
    """The values of the components; a box that nobody touched holds None."""
    form = Form(*values)
    texts = ("predictions_text", "gold_text", "separator", "options")
    return form._replace(**{name: getattr(form, name) or "" for name in texts})


def _uploads(form: Form, choices: Choices) -> list[Upload]:
    """The uploads, and what they are."""
    given = [(form.gold, GOLD)] if form.gold else []
    given += [(path, SYSTEM) for path in form.systems or []]
    given += [(path, PROBABILITIES) for path in form.probabilities or []]
    return read_uploads([(path, Path(path).name, slot) for path, slot in given], choices)


def _analysis(
    form: Form, scoring: Callable[[], Any], current: Analysis | None = None
) -> tuple[Analysis, list[str], list[str]]:
    """What was scored, what was put right, and what the files are; `scoring` is called when the files are read.

    Where no files are given and `current` is a sample, that is scored with these options.
    """
    choices = read_choices(form.options, form.confidence, form.seed)
    with work_folder() as folder:
        pasted = [form.predictions_text, form.gold_text]
        uploads = _uploads(form, choices)
        if any(text.strip() for text in pasted):
            uploads += read_pasted(*pasted, form.separator, folder, choices.kinds)
        if not uploads and current and current.inputs.sample:
            inputs, notes = sample_with(current.inputs.sample, choices), []
        else:
            inputs, notes = find_inputs(uploads, choices)
        scoring()
        analysis = analyze_visitors(inputs, choices.settings)
    told = told_of_columns(analysis.scored, analysis.inputs.columns)
    notes = [*notes, *(with_file_names(line, inputs.shown_files) for line in told)]
    return analysis, notes, [in_words(upload) for upload in uploads]


def _with_name(load: Callable[[str], Any], name: str) -> Callable[[], Any]:
    @guarded
    def load_sample():
        return load(name)

    return load_sample
