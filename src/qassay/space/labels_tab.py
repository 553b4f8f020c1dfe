"""The tab Human labels: a file of human verdicts calibrates the values, and which examples to label next."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr
import numpy as np

from ..calibration import LABEL_INTERVALS, METHODS
from ..core.shown import shown
from ..files.content import Content
from ..files.reading import to_number
from ..pages.limits import AT_ONCE, MAX_OPTIONS, InputError, check_length
from ..pages.upload_folder import save_file
from ..pages.uploads import in_words
from ..reports.calibration import METHOD_NAMES
from .analysis import Analysis
from .handlers import PRIVATE, Tab, guarded, toast, words_of
from .human_labels import keep_calibration, keep_labels, kept_calibration, own_analysis
from .labels_view import (
    Calibrated,
    LabelChoices,
    calibrated,
    calibration_html,
    label_measures,
    label_systems,
    labels_csv,
    labels_head,
    read_labels,
)
from .opened import work_html
from .samples import FOLDER, SAMPLES
from .score_view import files_html, problem_html
from .server import SpaceBlocks
from .view_parts import does_not_apply, download_name

_NOTHING_YET = "Nothing has been scored yet. Score a system on the first tab to correct its values with human labels."
_FORM = "Labels and settings"
_NO_OTHER = ("no other system", "")
_METHODS = {"ppi": "for any measure", "rogan_gladen": "for a judge that says right or wrong"}
_INTERVALS = {"auto": "auto: also valid with few labels", "normal": "normal: as published"}
_LONGEST_NUMBER = 40  # characters
_PROGRESS = gr.Progress()


class Boxes(NamedTuple):
    """The boxes of the choices of calibration, or what they hold, or updates of them.

    Attributes:
        measures, method, width, n_next, lam, interval_method: as in `LabelChoices`; numbers are texts.
        ids, verdicts: columns of the file of labels.
    """

    measures: Any
    method: Any
    width: Any
    n_next: Any
    lam: Any
    interval_method: Any
    ids: Any
    verdicts: Any

    @classmethod
    def unchanged(cls) -> "Boxes":
        """An update that leaves every box as it is."""
        return cls(*[gr.skip()] * len(cls._fields))


class Shown(NamedTuple):
    """What the tab shows, as it is kept with what was scored.

    Attributes:
        chosen, result: of the calibration.
        boxes: what the visitor filled in.
        is_sample: whether the sample has the labels.
    """

    chosen: LabelChoices
    result: Calibrated
    boxes: Boxes
    is_sample: bool


def build_labels_tab(state: gr.State, work: gr.HTML, server: SpaceBlocks) -> Tab:
    """The components and events of the tab.

    Args:
        work: tells the browser what was scored, by `work_html`.
        server: keeps it.
    """
    lacks = gr.HTML(does_not_apply(_NOTHING_YET), elem_id="labels-lacks")
    with gr.Column(visible=False) as column:
        with gr.Accordion(_FORM, elem_id="labels-form") as form:
            head = gr.HTML()
            with gr.Row():
                with gr.Column():
                    system = gr.Dropdown(
                        [],
                        label="System",
                        info="whose answers people judged",
                    )
                    labels = _build_file("Labels: id and label per row, or {id: label}", "labels-file")
                with gr.Column(visible=False) as second:
                    other = gr.Dropdown(
                        [_NO_OTHER], value="", label="Compare with", info="another system whose answers people judged"
                    )
                    other_labels = _build_file("Labels of the other system", "labels-other-file")
            found = gr.HTML(elem_id="labels-found")
            boxes = _build_choices()
            with gr.Row(equal_height=True):
                button = gr.Button("Calibrate", variant="primary", elem_id="calibrate-button")
                sample = gr.Button("Use the labels of the sample", visible=False, elem_id="labels-sample")
        message = gr.HTML(elem_id="labels-problem")
        page = gr.HTML(elem_id="labels-page")
        download = gr.DownloadButton("Table to fill in (CSV)", visible=False, elem_id="labels-download")
    is_again = gr.State(False)  # whether labels that were given before the page was loaded count where no file is given
    is_first = gr.State(False)  # whether the labels of the sample are used when the tab is opened
    files = [labels, other_labels]
    results = [form, message, page, download]
    nothing = [gr.skip(), "", "", gr.DownloadButton(value=None, visible=False)]

    @guarded
    def look(*paths: str | None) -> list[Any]:
        """What the files are; what was calibrated with other labels goes from this page, and stays kept for other pages that show it."""
        try:
            uploads = [read_labels(path, Path(path).name) for path in paths if path]
        except Exception as failure:  # noqa: BLE001  it is shown beside the field
            error, _ = words_of(failure, "look at labels")
            return [problem_html(error, "Not calibrated"), gr.skip(), gr.skip(), *nothing, False]
        names = ["", *dict.fromkeys(name for upload in uploads for name in upload.columns)]
        columns = [gr.Dropdown(choices=names, value="")] * 2
        return [files_html([in_words(upload) for upload in uploads]), *columns, *nothing, False]

    @guarded
    def clear() -> list[Any]:
        """The numbers of another system go."""
        return nothing

    def calibrating(is_sample: bool) -> Any:
        @guarded
        def calibrate(
            analysis: Analysis | None,
            system: str,
            other: str,
            path: str | None,
            other_path: str | None,
            is_again: bool,
            request: gr.Request | None,
            *values: Any,
            progress: Any = _PROGRESS,
        ):
            # Old numbers must not appear beside new input.
            yield [*nothing, gr.skip(), gr.skip()]
            if analysis is None:
                return
            try:
                progress(0.3, "Calibrating")
                chosen = _choices(system, other, Boxes(*values))
                if is_sample:
                    chosen = chosen._replace(other="")
                    result = _of_sample(analysis, chosen)
                else:
                    paths = {name: one for name, one in ((system, path), (other or "", other_path)) if one}
                    given = _contents(paths) or (_labels_again(analysis, chosen) if is_again else {})
                    result = calibrated(analysis, chosen, given)
            except Exception as error:
                words = words_of(error, "calibrate")
                yield [gr.skip(), problem_html(words[0], "Not calibrated"), "", *[gr.skip()] * 3]
                raise toast(*words) from error
            if request is not None and not server.shows(request.session_hash, analysis):
                return  # meanwhile other files were scored
            own = own_analysis(analysis) if result.verdicts and not is_sample else analysis
            shown = Shown(chosen, result, Boxes(*values), is_sample)
            copied = [gr.skip()] * 2 if own is analysis else [own, work_html(own, server.kept_work)]
            filled = _shown(own, shown)
            keep_calibration(own, shown)
            yield [*filled, *copied]

        return calibrate

    @guarded
    def show_sample(analysis: Analysis | None, is_asked: bool) -> list[Any]:
        """What the tab gives, by the labels of the sample, to visitors who open it for the first time."""
        if analysis is None or not is_asked or analysis.inputs.sample not in SAMPLES:
            return [gr.skip()] * (len(results) + 1)
        chosen = LabelChoices(next(iter(SAMPLES[analysis.inputs.sample].labels)))
        shown = Shown(chosen, _of_sample(analysis, chosen), Boxes.unchanged(), is_sample=True)
        return [*_shown(analysis, shown), False]

    for file in files:
        gr.on([file.upload, file.clear, file.delete], look, files, [found, boxes.ids, boxes.verdicts, *results, is_again],
              show_progress="hidden", **PRIVATE)  # fmt: skip
    for part in (system, other):
        part.input(clear, None, results, show_progress="hidden", **PRIVATE)
    inputs = [state, system, other, *files, is_again, *boxes]
    for one, is_sample in ((button, False), (sample, True)):
        one.click(calibrating(is_sample), inputs, [*results, state, work], show_progress_on=page, concurrency_limit=AT_ONCE,
                  **PRIVATE)  # fmt: skip

    tab = column.parent
    if isinstance(tab, gr.Tab):
        tab.select(show_sample, [state, is_first], [*results, is_first], show_progress="hidden", **PRIVATE)

    def refresh(analysis: Analysis | None) -> Sequence[Any]:
        if analysis is None:
            kept = [gr.skip()] * len([head, system, second, other])
            kept += Boxes.unchanged()
            files_and_sample = (None, None, "", gr.skip())
            return [gr.HTML(visible=True), gr.Column(visible=False), *kept, *files_and_sample, *nothing, False, False]
        systems, names = label_systems(analysis), label_measures(analysis)
        shown: Shown | None = kept_calibration(analysis)
        updates = Boxes.unchanged()._replace(
            measures=gr.Dropdown(names, value=list(shown.boxes.measures) if shown else names[:1], multiselect=True),
            ids=gr.Dropdown([""], value=""),
            verdicts=gr.Dropdown([""], value=""),
        )
        chosen, compared, again, values = None, "", {}, [gr.Accordion(_FORM, open=True), *nothing[1:]]
        if shown:
            same = {
                name: getattr(shown.boxes, name) for name in ("method", "width", "n_next", "lam", "interval_method")
            }
            updates = updates._replace(**same)
            chosen, compared, values = shown.chosen.system, shown.chosen.other, _shown(analysis, shown)
            again = {} if shown.is_sample else shown.result.verdicts
        said = files_html([f"{name}: {_count(own)} labels that you gave; another file replaces them"
                           for name, own in again.items()]) if again else ""  # fmt: skip
        of_sample = SAMPLES[analysis.inputs.sample].labels if analysis.inputs.sample else {}
        return [
            gr.HTML(visible=False),
            gr.Column(visible=True),
            labels_head(analysis),
            gr.Dropdown(systems, value=chosen or next(iter(of_sample), systems[0])),
            gr.Column(visible=len(systems) > 1),
            gr.Dropdown([_NO_OTHER, *systems], value=compared),
            *updates,
            *(None, None, said, gr.Button(visible=bool(of_sample))),
            *values,
            bool(again),
            bool(of_sample) and shown is None,
        ]

    outputs = [lacks, column, head, system, second, other, *boxes, *files, found, sample, *results, is_again, is_first]
    return Tab(outputs, refresh)


def _build_file(label: str, element: str) -> gr.File:
    return gr.File(label=label, file_count="single", height=140, elem_id=element)


def _build_choices() -> Boxes:
    with gr.Row():
        measures = gr.Dropdown([], label="Measures", multiselect=True, info="with a value per example", min_width=200)
        method = gr.Dropdown(
            [(f"{METHOD_NAMES[name]}: {_METHODS[name]}", name) for name in METHODS], value=METHODS[0], label="Method",
            info="of calibration", min_width=200,
        )  # fmt: skip
        width = gr.Textbox(
            label="Target width", info="of the interval, from end to end, such as 10 of 100", max_lines=1, min_width=160
        )
        n_next = gr.Textbox(
            str(LabelChoices("").n_next), label="To label next", info="how many examples; empty for none", max_lines=1,
            min_width=160,
        )  # fmt: skip
    with gr.Accordion("Options of human labels", open=False), gr.Row():
        lam = gr.Textbox(
            label="Lambda of PPI++", info="1: plain PPI, 0: labels alone, empty: of the smallest variance", max_lines=1,
            min_width=160,
        )  # fmt: skip
        intervals = gr.Dropdown(
            [(_INTERVALS[name], name) for name in LABEL_INTERVALS], value=LABEL_INTERVALS[0],
            label="Method of these intervals", min_width=200,
        )  # fmt: skip
        ids, verdicts = [
            gr.Dropdown([""], value="", label=f"Column of {what}", info="if its name is not known",
                        allow_custom_value=True, min_width=160)
            for what in ("ids in the labels", "labels")
        ]  # fmt: skip
    return Boxes(measures, method, width, n_next, lam, intervals, ids, verdicts)


def _of_sample(analysis: Analysis, chosen: LabelChoices) -> Calibrated:
    """By the labels that the sample has."""
    sample = SAMPLES.get(analysis.inputs.sample)
    if sample is None:
        raise InputError("these files are not a sample, so there are no labels for them; upload a file of labels")
    of_sample = sample.labels
    if chosen.system not in of_sample:
        raise InputError(f"the sample has labels of {', '.join(of_sample)} only; choose that system")
    return calibrated(analysis, chosen, _contents({chosen.system: str(FOLDER / of_sample[chosen.system])}))


def _contents(paths: Mapping[str, str]) -> dict[str, Content]:
    return {name: read_labels(path, Path(path).name).content for name, path in paths.items()}


def _labels_again(analysis: Analysis, chosen: LabelChoices) -> dict[str, dict[Any, float]]:
    """The labels that are calibrated on the page, of the same systems, where no file is given: after a reload."""
    shown: Shown | None = kept_calibration(analysis)
    names = {chosen.system, chosen.other} - {""}
    if shown is None or shown.is_sample or names != shown.result.verdicts.keys():
        return {}
    return {
        name: {
            key: float(own[row]) for row, key in enumerate(analysis.by_run.scores(name).ids) if not np.isnan(own[row])
        }
        for name, own in shown.result.verdicts.items()
    }


def _count(verdicts: np.ndarray) -> str:
    return f"{int((~np.isnan(verdicts)).sum()):,}"


def _shown(analysis: Analysis, shown: Shown) -> list[Any]:
    """Values of the form, which folds where there are numbers, of the message, the page and the table to fill in."""
    chosen, result, _, is_sample = shown
    keep_labels(analysis, result.verdicts)
    table = None
    if result.next_ids:
        name = download_name("to-label", [chosen.system], ".csv")
        table = save_file(name, labels_csv(analysis, chosen, result))
    named = " and ".join(filter(None, [chosen.system, chosen.other]))
    title = f"{'Labels of the sample' if is_sample else 'Labels'}: {named} · change"
    form = gr.Accordion(title, open=False) if result.found else gr.Accordion(_FORM, open=True)
    return [form, "", calibration_html(analysis, chosen, result), gr.DownloadButton(value=table, visible=bool(table))]


def _choices(system: str, other: str, boxes: Boxes) -> LabelChoices:
    """What the components say; an empty box of a number holds None."""
    columns = {"ids": boxes.ids, "labels": boxes.verdicts}
    for role, name in columns.items():
        check_length(f"column of {role}", name or "", MAX_OPTIONS)
    of_next = _number("to label next", boxes.n_next)
    if of_next is not None and not of_next.is_integer():
        raise InputError(f"to label next: it must be an integer; got {of_next:g}")
    return LabelChoices(
        system, other or "", tuple(boxes.measures or ()), boxes.method, _number("lambda", boxes.lam), boxes.interval_method,
        _number("target width", boxes.width), None if of_next is None else int(of_next),
        {role: name.strip() for role, name in columns.items() if name and name.strip()},
    )  # fmt: skip


def _number(name: str, text: str | None) -> float | None:
    """What a box holds; None for an empty one."""
    text = (text or "").strip()
    check_length(name, text, _LONGEST_NUMBER)
    try:
        return to_number(text) if text else None
    except ValueError:
        raise InputError(f"{name}: {shown(text)} is not a number") from None
