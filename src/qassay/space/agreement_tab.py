"""The tab Agreement: a table of answers with labels of people tells which measure to trust."""

import functools
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

from ..core.shown import shown
from ..files.reading import to_number
from ..label_agreement.agree import Judged
from ..pages.limits import AT_ONCE, MAX_OPTIONS, STATE_SECONDS, InputError, check_length
from ..pages.upload_folder import save_file
from ..pages.uploads import in_words
from .agreement_view import (
    FILES,
    MOST_LABELLED,
    AgreementChoices,
    JudgedTable,
    agreement_file,
    found_html,
    judged_file,
    metrics_of_texts,
    read_labelled_file,
)
from .downloads import build_downloads, given_files
from .handlers import PRIVATE, Tab, guarded, toast, words_of
from .kept_work import KeptWork
from .opened import table_html
from .samples import FOLDER
from .score_view import files_html, problem_html
from .view_parts import download_name

_SAMPLE = FOLDER / "answers" / "labelled_answers.csv"
_ROLES = {  # role -> label of the box of its column
    "references": "Gold answers (references)",
    "predictions": "Answers (predictions)",
    "labels": "Labels",
    "question": "Question",
    "system": "System",
    "groups": "Groups",
    "ids": "Ids",
}
_FORMS = {ending: what for ending, (what, _) in FILES.items()}
_LONGEST_NUMBER = 40  # characters
_PROGRESS = gr.Progress()


class Boxes(NamedTuple):
    """The boxes of the choices, or what they hold.

    Attributes:
        metrics: names.
        right_from, separator: texts.
        references: columns; the others hold one each, "" where the name of the column tells.
    """

    metrics: Any
    right_from: Any
    separator: Any
    references: Any
    predictions: Any
    labels: Any
    question: Any
    system: Any
    groups: Any
    ids: Any


def build_agreement_tab(state: gr.State, told_table: gr.HTML, kept: KeptWork) -> Tab:  # noqa: ARG001  it needs nothing that was scored
    """The components and events of the tab.

    Args:
        told_table: tells the browser the token of the table, by `table_html`.
        kept: has the table for a reload.
    """
    table = gr.State(None, time_to_live=STATE_SECONDS)
    is_first = gr.State(True)
    with gr.Accordion("Your answers with labels", elem_id="agreement-form") as form:
        gr.Markdown(
            "A table (CSV, TSV, JSON, JSONL, Parquet) with a row for each answer: the gold answers, the answer, and the label "
            "of a person (1 or 0, yes or no, or a number), and optionally the question and the system that gave the "
            f"answer. A few hundred answers are enough; at most {MOST_LABELLED:,}. The table stays in the memory of the machine "
            f"that runs this page up to {STATE_SECONDS // 60} minutes after its last use, so that a reload finds it.",
            elem_id="agreement-note",
        )
        file = gr.File(label="Answers with labels", file_count="single", height=140, elem_id="agreement-file")
        seen = gr.HTML(elem_id="agreement-found")
        boxes = _build_choices()
        with gr.Row(equal_height=True):
            button = gr.Button("Agreement", variant="primary", elem_id="agreement-button")
            sample = gr.Button("Use the sample", elem_id="agreement-sample")
    message = gr.HTML(elem_id="agreement-problem")
    page = gr.HTML(elem_id="agreement-page")
    downloads = build_downloads("Download the page", _FORMS, "agreement", visible=False)
    results = [form, message, page, downloads.bar, *downloads.buttons, table, told_table]
    nothing = [gr.skip(), "", "", gr.Row(visible=False), *[gr.skip()] * len(FILES)]
    no_table = [None, table_html("")]
    columns = [getattr(boxes, role) for role in _ROLES]

    @guarded
    def look(path: str | None) -> list[Any]:
        """What the file is; what was found by another one goes from this page, and stays kept for other pages that show it."""
        try:
            upload = read_labelled_file(path, Path(path).name) if path else None
        except Exception as failure:  # noqa: BLE001  it is shown beside the field
            error, _ = words_of(failure, "look at labelled answers")
            return [problem_html(error, "No agreement"), *[gr.skip()] * len(columns), *nothing, *no_table]
        names = list(upload.columns) if upload else []
        one = gr.Dropdown(choices=["", *names], value="")
        many = gr.Dropdown(choices=names, value=[], multiselect=True)
        said = files_html([in_words(upload)] if upload else [])
        return [said, *[many if role == "references" else one for role in _ROLES], *nothing, *no_table]

    def finding(is_sample: bool) -> Any:
        @guarded
        def find(path: str | None, last: JudgedTable | None, *values: Any, progress: Any = _PROGRESS):
            # Old numbers must not appear beside new input; after a reload there is none.
            is_again = not path and not is_sample and last is not None
            before = [gr.skip()] * len(nothing) if is_again else nothing
            yield [*before, gr.skip(), gr.skip()]
            try:
                progress(0.3, "Scoring and drawing")
                if is_sample:
                    name, judged = _SAMPLE.name, _found_in_sample()
                elif path:
                    name, judged = Path(path).name, judged_file(path, Path(path).name, _choices(Boxes(*values)))
                else:
                    wanted = f"{last.name} again" if last else "a file of answers with labels"
                    raise InputError(f"give {wanted}, or use the sample")
            except Exception as error:
                words = words_of(error, "agreement")
                yield [gr.skip(), problem_html(words[0], "No agreement"), *before[2:], gr.skip(), gr.skip()]
                raise toast(*words) from error
            new = None if is_sample else JudgedTable(name, judged)
            yield [*_shown(judged, name, is_sample), new, table_html(kept.keep(new) if new else "")]

        return find

    @guarded
    def show_sample(is_first: bool) -> list[Any]:
        """What the tab gives, by the sample, to visitors who open it for the first time."""
        if not is_first:
            return [gr.skip()] * (len(results) + 1)
        return [*_shown(_found_in_sample(), _SAMPLE.name, is_sample=True), *no_table, False]

    gr.on([file.upload, file.clear, file.delete], look, file, [seen, *columns, *results], show_progress="hidden",
          **PRIVATE)  # fmt: skip
    inputs = [file, table, *boxes]
    for one, is_sample in ((button, False), (sample, True)):
        one.click(finding(is_sample), inputs, results, show_progress_on=page, concurrency_limit=AT_ONCE, **PRIVATE)
    tab = form.parent
    if isinstance(tab, gr.Tab):
        tab.select(show_sample, is_first, [*results, is_first], show_progress="hidden", **PRIVATE)

    def restore(token: str) -> tuple[list[Any], list[str]]:
        """What the tab showed before a reload."""
        again = kept.find(token, JudgedTable)
        if again is None:
            gone = ["The labelled answers are no longer stored; give their file again"] if token else []
            return [*[gr.skip()] * (len(outputs) - 1), table_html("")], gone
        found = files_html([f"{again.name}: the numbers below are of this table; give it again to change the settings"])
        return [found, False, *_shown(again.judged, again.name, is_sample=False), again, table_html(token)], []

    outputs = [seen, is_first, *results]
    return Tab(outputs, lambda analysis: [gr.skip()] * len(outputs), restore=restore)


@functools.cache
def _found_in_sample() -> Judged:
    return judged_file(str(_SAMPLE), _SAMPLE.name, AgreementChoices())


def _shown(found: Judged, name: str, is_sample: bool) -> list[Any]:
    """Values of the form, which folds, of the message, the page and the downloads."""
    paths = {
        ending: save_file(download_name("agreement", [Path(name).stem], ending), agreement_file(found.found, ending))
        for ending in FILES
    }
    title = f"Sample: {name} · give your own answers with labels" if is_sample else f"{name} · change"
    return [gr.Accordion(title, open=False), "", found_html(found), gr.Row(visible=True), *given_files(paths)]


def _build_choices() -> Boxes:
    names = metrics_of_texts()
    with gr.Accordion("Options", open=False):
        with gr.Row():
            metrics = gr.Dropdown(names, value=names, label="Metrics", multiselect=True, min_width=320)
            right_from = gr.Textbox(
                label="Right if at least", info="the lowest label of a right answer; empty: 0.5 with labels from 0 to 1", max_lines=1,
                min_width=200,
            )  # fmt: skip
            separator = gr.Textbox(
                label="Separator", info="of several gold answers in a cell, such as /", max_lines=1, min_width=200
            )
        gr.Markdown("Columns, if their names do not show their roles:")
        with gr.Row():
            columns = {
                role: gr.Dropdown(
                    [] if role == "references" else [""], value=[] if role == "references" else "",
                    label=what, multiselect=role == "references", allow_custom_value=True, min_width=160,
                )
                for role, what in _ROLES.items()
            }  # fmt: skip
    return Boxes(metrics, right_from, separator, **columns)


def _choices(boxes: Boxes) -> AgreementChoices:
    """What the components say; an empty box holds None."""
    given: dict[str, Any] = {role: getattr(boxes, role) for role in (*_ROLES, "separator")}
    for role, value in given.items():
        check_length(role, "".join(value or ()), MAX_OPTIONS)
    columns = {role: tuple(value) if isinstance(value, list) else value for role, value in given.items() if value}
    text = (boxes.right_from or "").strip()
    check_length("right from", text, _LONGEST_NUMBER)
    try:
        right_from = to_number(text) if text else None
    except ValueError:
        raise InputError(f"right from: {shown(text)} is not a number") from None
    return AgreementChoices(tuple(boxes.metrics or ()), columns=columns, right_from=right_from)
