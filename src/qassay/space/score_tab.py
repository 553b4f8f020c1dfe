"""The tab Score: uploads, pasted text, options, and what was scored."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

from ..files.roles import RUN_ROLE, asked_roles
from ..files.tables import SYSTEM_ROLES
from ..labelling import offered_groups
from ..pages.limits import (
    AT_ONCE,
    ELSEWHERE,
    KEEP_SECONDS,
    MAX_FILE,
    MAX_ROWS,
    STATE_SECONDS,
    SWEEP_SECONDS,
    InputError,
    check_amount,
)
from ..pages.upload_folder import work_folder
from ..pages.uploads import GOLD, PROBABILITIES, SYSTEM, Upload, in_words, read_upload
from ..registry import FAMILIES
from ..repeated_runs.run_files import likely_run_column
from ..repeated_runs.runs import Runs
from ..scoring import told_of_columns
from ..system_files import system_names
from .analysis import Analysis, Inputs, Settings, analyze
from .choices import allowed_models, chosen_columns, metric_choices, preset_choices, read_choices
from .handlers import PRIVATE, guarded, toast, words_of
from .inputs import (
    HOW_RUNS,
    MAX_RUNS,
    MAX_SYSTEMS,
    find_inputs,
    offered_by,
    sample_analysis,
    sample_with,
)
from .overview_view import overview_html, short_names
from .page_words import box_label, on_page
from .pasted import SEPARATOR, read_pasted
from .quick_check import build_quick_check
from .samples import SAMPLES
from .score_view import files_html, problem_html, score_html
from .view_parts import wrapped

_PRIVACY = (
    "Nothing leaves the machine that runs this page; "
    f"uploads are deleted within {(KEEP_SECONDS + SWEEP_SECONDS) // 60} minutes. The scores stay in its memory for up to "
    f"{STATE_SECONDS // 60} minutes after their last use, so that a reload of the page, or a link opened in the same browser, "
    "finds them; nobody else can. At most "
    f"{MAX_FILE // 1_000_000} MB a file and {MAX_ROWS:,} rows. Text in UTF-8, or Parquet; no compressed files."
)
_MOST_BYTES = 9 * MAX_FILE  # of all files together
_UNGROUPED = ("none: each example alone", "")
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
        metric, meaning, model, options, measures, level, names, groups, interval_method, preset: choices.
        are_runs: whether several files of predictions are runs of one system.
        columns: one per role of `asked_roles`.
    """

    gold: str | None
    systems: list[str] | None
    probabilities: list[str] | None
    predictions_text: str
    gold_text: str
    separator: str
    metric: str
    meaning: bool
    model: str
    options: str
    measures: str
    level: float | None
    names: str
    groups: str
    interval_method: str
    preset: str
    are_runs: bool
    columns: tuple[str | None, ...]


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
        buttons = {name: gr.Button(sample.label, size="sm", min_width=60) for name, sample in SAMPLES.items()}
    with gr.Accordion(form_label(first), open=first is None, elem_id="form") as box:
        slots = _build_slots()
        files_box, message = gr.HTML(elem_id="found"), gr.HTML(elem_id="problem")
        are_runs = gr.Checkbox(
            False,
            label="Several files of predictions are repeated runs of one system",
            info="For example one file for each seed. With runs of several systems, give each file the name of its system under Options, Names",
            elem_id="runs",
        )
        texts = _build_texts()
        choices, columns, columns_box = _build_choices(_groups_of(first))
        button = gr.Button("Score", variant="primary", elem_id="score")
        gr.HTML(f'<div class="qassay"><p class="faint">{_TYPES}. {_PRIVACY}</p></div>')
    notes, answer = gr.HTML(elem_id="notes"), gr.HTML(_COMING if first else "", elem_id="answer")
    page = gr.HTML(elem_id="scores")
    build_quick_check()
    inputs = [state, *slots, *texts, *choices, are_runs, *columns]

    def show(analysis: Analysis | None) -> list[Any]:
        if analysis is None:
            return [gr.Accordion(label=form_label(None), open=True), "", ""]
        form = gr.Accordion(label=form_label(analysis), open=False)
        return [form, overview_html(analysis), score_html(analysis)]

    @guarded
    def look(analysis, *values):
        return [gr.Accordion(label=form_label(analysis, _form(values))), *looked_at(analysis, values)]

    def looked_at(analysis: Analysis | None, values: Sequence[Any]) -> list[Any]:
        form = _form(values)
        uploads, error = [], ""
        try:
            uploads = _uploads(form)
        except Exception as failure:  # noqa: BLE001  it is shown beside the field
            error, _ = words_of(failure, "look")
        names = list(dict.fromkeys(name for upload in uploads for name in upload.columns))
        update = [gr.Dropdown(choices=names if _takes_several(role) else ["", *names]) for role in asked_roles()]
        lines = [in_words(upload) for upload in uploads]
        there = _offered(form, uploads) if uploads or error else _groups_of(analysis)
        # Beside the field, so that a failure takes its place: then nothing is shown below.
        offered = gr.Dropdown(choices=[_UNGROUPED, *there])
        told = [files_html(lines), problem_html(error) or _waiting(analysis, bool(lines))]
        return [*told, offered, gr.Group(visible=bool(names)), *update]

    groups = choices[Form._fields.index("groups") - len(slots) - len(texts)]
    look_outputs = [files_box, message, groups, columns_box, *columns]
    for slot in slots:
        gr.on(
            [slot.upload, slot.clear, slot.delete],
            look,
            inputs,
            [box, *look_outputs],
            show_progress="hidden",
            **PRIVATE,
        )

    @guarded
    def look_at_text(analysis, *values):
        """Pasted text waits as files do; what is said of files stays."""
        form = _form(values)
        said = gr.skip() if any([form.gold, form.systems, form.probabilities]) else _waiting(analysis, _has_files(form))
        return [gr.Accordion(label=form_label(analysis, form)), said]

    for text in texts[:2]:  # pasted or deleted text is not an `input` for Gradio
        text.change(look_at_text, inputs, [box, message], show_progress="hidden", trigger_mode="always_last", **PRIVATE)

    def connect_picker(place: int) -> None:
        """The button puts what is chosen into its slot of the form, and opens it."""

        @guarded
        def pick(picked, analysis, *values):
            values = (*values[:place], picked, *values[place + 1 :])
            opened = gr.Accordion(label=form_label(analysis, _form(values)), open=True)
            return [opened, picked, *looked_at(analysis, values)]

        picker = pickers[place]
        picker.upload(pick, [picker, *inputs], [box, slots[place], *look_outputs], show_progress="hidden", **PRIVATE)

    for place in range(len(pickers)):
        connect_picker(place)

    def connect(others: list[Any], fill: Callable[[Analysis | None], Sequence[Any]]) -> None:
        @guarded
        def score(current, progress=_PROGRESS, *values):  # Gradio puts it in this place
            # Old numbers must not appear beside new input; the form closes over the place where the new ones will be.
            closed = gr.Accordion(label="Scoring", open=False)
            yield [None, closed, "", "", "", gr.skip(), "", *[gr.skip()] * len(others)]
            try:
                progress(0.1, "Reading the files")
                analysis, told, lines = _analysis(_form(values), lambda: progress(0.3, "Scoring"), current)
                progress(0.6, "Comparing" if len(analysis.systems) > 1 else "Drawing")
                told_files = [files_html(lines), files_html([], told)]
                form = gr.Accordion(label=form_label(analysis), open=False)
                # The answer first: what follows takes as long again. Until then no tab may ask for what is scored.
                yield [None, form, overview_html(analysis), _MORE, "", *told_files, *[gr.skip()] * len(others)]
                shown = show(analysis)
            except Exception as error:
                words = words_of(error, "score")
                # After a reload the form is empty and the numbers are there: a press without files does not take them away.
                kept = None if _has_files(_form(values)) else current
                yield [kept, *show(kept), problem_html(words[0]), gr.skip(), "", *fill(kept)]
                raise toast(*words) from error
            yield [analysis, *shown, "", *told_files, *fill(analysis)]

        @guarded
        def load(name):
            analysis = sample_analysis(name)
            groups_there = gr.Dropdown(choices=[_UNGROUPED, *_groups_of(analysis)], value="")
            cleared = [*_empty(len(slots), len(texts)), groups_there, False]
            return [analysis, *show(analysis), "", "", "", *cleared, *fill(analysis)]

        outputs = [state, box, answer, page, message, files_box, notes]
        button.click(
            score, inputs, [*outputs, *others], show_progress_on=answer, concurrency_limit=AT_ONCE, js=_TO_THE_ANSWER,
            **PRIVATE,
        )  # fmt: skip
        for name, sample in buttons.items():
            cleared = [*slots, *texts[:2], groups, are_runs]
            sample.click(
                _with_name(load, name), None, [*outputs, *cleared, *others], show_progress_on=answer, **PRIVATE
            )

    return ScoreTab([box, answer, page], show, connect)


def form_label(analysis: Analysis | None, form: Form | None = None) -> str:
    """The line that the form folds into: what was scored, and what a click on it is for; of a form with files that wait to be
    scored, that they do.
    """
    if form is not None and _has_files(form):
        return "Your files · not scored yet"
    if analysis is None:
        return "Your files"
    inputs = analysis.inputs
    if inputs.sample:
        return f"{inputs.title} · Use your own files"
    gold, *_ = system_names([inputs.shown(inputs.gold)])
    systems = [short for system, short in short_names(analysis).items() if system != gold]
    return " · ".join([gold, *systems[:MAX_SYSTEMS], "Change"])


def _waiting(analysis: Analysis | None, waits: bool) -> str:
    """What to do with files or text that wait to be scored, as HTML; "" for nothing."""
    return files_html([], [f"Press Score; below is still {analysis.inputs.title}"] if analysis and waits else [])


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


def _build_choices(groups_there: Sequence[str]) -> tuple[list[Any], list[gr.Dropdown], gr.Group]:
    models = allowed_models()
    with gr.Accordion("Options", open=False):
        with gr.Row():
            metric = gr.Dropdown(metric_choices(), value="", label="Metric", info="By default the files decide")
            preset = gr.Dropdown(
                preset_choices(),
                value="",
                label="Benchmark",
                info="Score by its exact rules; options below override them",
                elem_id="preset",
            )
            level = gr.Number(0.95, label="Level of intervals", info="Between 0 and 1", step=0.01)
        meaning = gr.Checkbox(
            False,
            label="Also similarity in meaning (SAS)",
            info="For answers only; lite is the built-in scorer",
        )
        model = gr.Dropdown(models, value=models[0], label="Model of SAS", visible=len(models) > 1)
        with gr.Row():
            options = gr.Textbox(
                label="Options of the metric", info="KEY=VALUE, one per line", placeholder="missing=skip", lines=3
            )
            measures = gr.Textbox(
                label="Measures",
                info="Separated by commas, semicolons, blanks or new lines; empty for the usual measures",
                lines=3,
            )
            names = gr.Textbox(
                label="Names of the systems",
                info="One per line or separated by commas, in the order of the files; one for all runs",
                lines=3,
            )
        with gr.Row():
            groups = gr.Dropdown(
                [_UNGROUPED, *groups_there], value="", label="Groups for intervals and tests",
                allow_custom_value=True, elem_id="groups",
                info="Questions about one article are not independent. To tell how systems do on new articles, choose articles; on "
                "new questions about the same articles, none. Choose or type a column of the gold file",
            )  # fmt: skip
            method = gr.Dropdown(
                [("by the kind of measure", "auto"), ("percentiles of the bootstrap", "percentile")],
                value="auto", label="Method of intervals", elem_id="interval_method",
            )  # fmt: skip
        with gr.Group(visible=False) as columns_box:
            gr.HTML('<div class="qassay pad"><p class="label">Columns with names that are not known</p></div>')
            with gr.Row():
                columns = [_column_box(role) for role in asked_roles()]
    return [metric, meaning, model, options, measures, level, names, groups, method, preset], columns, columns_box


def _takes_several(role: str) -> bool:
    return role == "references" or role in SYSTEM_ROLES


def _column_box(role: str) -> gr.Dropdown:
    several, info = _takes_several(role), None
    if several:
        info = (
            "Several columns are one list of gold answers"
            if role == "references"
            else "Several columns are one system each"
        )
    return gr.Dropdown(
        [] if several else [""],
        value=[] if several else "",
        label=box_label(role),
        info=info,
        multiselect=several,
        allow_custom_value=True,
        min_width=200,
    )


def _form(values: Sequence[Any]) -> Form:
    """The values of the components; a box that nobody touched holds None."""
    fixed = len(Form._fields) - 1
    form = Form(*values[:fixed], tuple(values[fixed:]))
    texts = ("predictions_text", "gold_text", "separator", "metric", "options", "measures", "names", "groups")
    return form._replace(**{name: getattr(form, name) or "" for name in texts})


def _empty(slots: int, texts: int) -> list[Any]:
    """Values that empty the slots and the boxes of predictions and gold answers."""
    return [*[None] * slots, *[""] * (texts - 1)]


def _has_files(form: Form) -> bool:
    pasted = (form.predictions_text.strip(), form.gold_text.strip())
    return any([form.gold, form.systems, form.probabilities, *pasted])


def _uploads(form: Form) -> list[Upload]:
    """The uploads, and what they are."""
    given = [(form.gold, GOLD)] if form.gold else []
    given += [(path, SYSTEM) for path in form.systems or []]
    given += [(path, PROBABILITIES) for path in form.probabilities or []]
    most, what = (MAX_RUNS, "runs") if form.are_runs else (MAX_SYSTEMS, "systems")
    if len(given) > 1 + 2 * most:
        runs = "" if form.are_runs else f"; if the files are repeated runs, {HOW_RUNS}"
        raise InputError(f"{len(given)} files are too many; at most a gold file and {most} {what} are scored{runs}")
    size = sum(Path(path).stat().st_size for path, _ in given)
    if size > _MOST_BYTES:
        raise InputError(f"{size / 1e6:,.0f} MB of files are too many; at most {_MOST_BYTES / 1e6:,.0f} ({ELSEWHERE})")
    return [read_upload(path, Path(path).name, slot, _asked(form)) for path, slot in given]


def _groups_of(analysis: Analysis | None) -> list[str]:
    """The groups that a sample which is shown offers, so that it can be scored again in groups."""
    is_sample = analysis is not None and analysis.inputs.sample
    return offered_groups(analysis.gold, analysis.family) if analysis and is_sample else []


def _offered(form: Form, uploads: Sequence[Upload]) -> list[str]:
    """The groups that the gold file tells."""
    return offered_by(uploads, form.metric or None, chosen_columns(dict(zip(asked_roles(), form.columns, strict=True))))


def _asked(form: Form) -> str | None:
    """The metric whose kinds of files are given; None for the metric of the kind of file."""
    return FAMILIES[form.metric].reading.kinds if form.metric in FAMILIES else form.metric or None


def _analysis(
    form: Form, scoring: Callable[[], Any], current: Analysis | None = None
) -> tuple[Analysis, list[str], list[str]]:
    """What was scored, what was put right, and what the files are; `scoring` is called when the files are read.

    Where no files are given and `current` is a sample, that is scored with these options.
    """
    choices = read_choices(
        form.metric or None, form.options, form.measures, form.level, form.meaning, form.model, form.groups,
        form.interval_method or Settings().intervals.method, form.preset or "",
    )  # fmt: skip
    with work_folder() as folder:
        pasted = [form.predictions_text, form.gold_text]
        uploads = _uploads(form)
        if any(text and text.strip() for text in pasted):
            uploads += read_pasted(*pasted, form.separator, folder, _asked(form))
        if not uploads and current and current.inputs.sample:
            inputs, notes = sample_with(
                current.inputs.sample, choices.metric, choices.options, choices.measures, choices.groups
            )
        else:
            inputs, notes = find_inputs(
                uploads,
                metric=choices.metric,
                names=form.names,
                columns=chosen_columns(dict(zip(asked_roles(), form.columns, strict=True))),
                options=choices.options,
                measures=choices.measures,
                groups=choices.groups,
                are_runs=bool(form.are_runs),
            )
        try:
            scoring()
            analysis, taken = _with_likely_runs(inputs, choices.settings)
        except (ValueError, TypeError, ImportError) as error:
            raise InputError(on_page(error, inputs.shown_files)) from error
    told = told_of_columns(analysis.scored, analysis.inputs.columns)
    notes = [*notes, *taken, *(on_page(line, inputs.shown_files) for line in told)]
    return analysis, notes, [in_words(upload) for upload in uploads]


def _with_likely_runs(inputs: Inputs, settings: Settings) -> tuple[Analysis, list[str]]:
    """What was scored, and a note where a column was taken as the run: ids repeat, only one column can name the run, its values
    are numbers, and each run has all questions once.
    """
    try:
        return analyze(inputs, settings, check_amount), []
    except ValueError as error:
        column = likely_run_column(error)
        if column is None:
            raise
        try:
            analysis = analyze(inputs._replace(columns={**inputs.columns, RUN_ROLE: column}), settings, check_amount)
        except ValueError:
            raise error from None
        runs = (scores for scores in analysis.main.scores.values() if isinstance(scores, Runs))
        if not all(name.isdecimal() for scores in runs for name in scores.run_names):
            raise error  # words may name systems
        return analysis, [
            f"the column {column} is taken as the run of each row, because ids repeat; to choose another, see Options, “{box_label(RUN_ROLE)}”"
        ]


def _with_name(load: Callable[[str], Any], name: str) -> Callable[[], Any]:
    @guarded
    def load_sample():
        return load(name)

    return load_sample
