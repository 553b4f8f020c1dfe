"""The page of a metric: paste or upload, Score, tables with intervals, every example as CSV.

`metrics/<name>/app.py` names the columns and an example; this file does everything else.
"""

import functools
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..core.reasons import MOST_REASONS
from ..core.shown import cell_text
from ..registry import get_family
from .limits import (
    AT_ONCE,
    ELSEWHERE,
    EXPLAINED_ROWS,
    KEEP_SECONDS,
    MAX_FILE,
    MAX_OPTIONS,
    MAX_RESAMPLES,
    MAX_ROWS,
    MAX_TEXT,
    MAX_VALUES,
    MAX_VALUES_OF_ROW,
    QUEUE,
    SHOWN_ROWS,
    SWEEP_SECONDS,
    InputError,
    check_length,
    check_pairs,
    check_size,
)
from .outcome import OWN_OPTIONS, PageOutcome, outcome
from .result_view import CSS, MARK, head_html, reasons_list, values_html

LEVEL = 0.95
_OF_INTERVALS = ("confidence", "n_resamples", "bootstrap_seed", "interval_method")
_WHOLE = "QASSAY_PAGE"  # the variable with the address of the page of all metrics
_ICON = f'<link rel="icon" type="image/svg+xml" href="data:image/svg+xml,{quote(MARK)}">'
_ASKED: dict[str, Any] = dict.fromkeys(OWN_OPTIONS, True)
_PRIVACY = (
    "Nothing leaves the machine that runs this page; "
    f"files are deleted within {(KEEP_SECONDS + SWEEP_SECONDS) // 60} minutes. "
    f"At most {MAX_FILE // 1_000_000} MB a file, {MAX_TEXT:,} characters a box, {MAX_ROWS:,} rows, "
    f"{MAX_VALUES_OF_ROW:,} values in a row."
)
_CSV_NOTE = "In the CSV file, an id that a spreadsheet would read as a formula starts with an apostrophe."


@dataclass(frozen=True)
class Page:
    """The page of one metric.

    Attributes:
        name: of the metric and of its script.
        app: `__file__` of the app.py, beside the card.
        columns: the two required boxes, name -> expected content; the system's box comes first.
        example: the values that the button "Load an example" puts into boxes.
        optional: boxes that may stay empty.
        options: placeholder of the box of options.
        fixed: options set by the page.
        explains: the option that adds the reasons for each score to the result; "" for none.
    """

    name: str
    app: str
    columns: Mapping[str, str]
    example: Mapping[str, Any]
    optional: Mapping[str, str] = field(default_factory=dict)
    options: str = "confidence=0.9"
    fixed: Mapping[str, Any] = field(default_factory=dict)
    explains: str = ""

    @functools.cached_property
    def metric(self) -> Any:
        """The evaluate module."""
        return get_family(self.name).module_class()

    @functools.cached_property
    def card(self) -> str:
        """The card without its front matter and title."""
        text = Path(self.app).resolve().with_name("README.md").read_text("utf-8")
        return re.sub(r"\A---\n.*?\n---\n\s*(# [^\n]*\n)?", "", text, count=1, flags=re.DOTALL).strip()

    @property
    def summary(self) -> str:
        """The first paragraph of the card, and the options fixed by the page."""
        paragraphs = (part.strip() for part in self.card.split("\n\n"))
        text = next(re.sub(r"\A##.*\n", "", part) for part in paragraphs if not re.fullmatch(r"##.*", part))
        shown = ", ".join(f"`{name}={value}`" for name, value in self.fixed.items() if value)
        return f"{text}\n\nOn this page: {shown}." if shown else text

    def score(self, texts: Mapping[str, str], files: Mapping[str, str], options: str = "") -> PageOutcome:
        """Score pasted texts or uploaded files.

        Args:
            texts: column -> JSON; "" without pasted text.
            files: column -> path of an upload.
            options: a JSON object, or key=value one per line.

        Raises:
            InputError: input that the page refuses. ValueError, TypeError: errors of the metric.
        """
        texts = {name: text for name, text in texts.items() if text and text.strip()}
        files = {name: path for name, path in files.items() if path}
        asked = parse_options_box(options, [*self.columns, *self.optional])
        free = get_family(self.name).page_options
        for name in asked:
            if free is not None and name not in (*free, *_OF_INTERVALS):
                there = ", ".join((*free, *_OF_INTERVALS))
                raise InputError(f"options: {name} cannot be chosen on this page ({ELSEWHERE}); it has: {there}")
        level = asked.setdefault("confidence", LEVEL)
        asked.update(self.fixed)
        for name in self.columns:
            if name in texts and name in files:
                raise InputError(f"{name} is given twice: empty the box, or remove the file {_file_name(files[name])}")
        for name, text in texts.items():
            check_length(name, text, MAX_TEXT, "; upload a file")
        for name, path in files.items():
            check_upload(name, path)
        if files:
            result, given, reasons = self._score_files(texts, files, asked)
        else:
            missing = [name for name in self.columns if name not in texts]
            if missing:
                raise InputError(f"{' and '.join(missing)} missing: paste JSON, or upload a file")
            columns = {name: parse_column(name, text) for name, text in texts.items()}
            check_pairs(*(columns[name] for name in self.columns))
            if self.explains and max(len(columns[name]) for name in self.columns) <= EXPLAINED_ROWS:
                asked[self.explains] = True
            result, given, reasons = self.metric.compute(**columns, **asked, **_ASKED), columns, None
        return outcome(result, level, {name: given[name] for name in self.columns if name in given}, reasons)

    def _score_files(
        self, texts: Mapping[str, str], files: Mapping[str, str], options: dict
    ) -> tuple[dict, dict, list]:
        """The result for files in formats of the command line, the columns read, and the reasons of the first rows."""
        from ..core.examples import Examples
        from ..scoring import read_gold_for, score_systems
        from ..system_files import system_files
        from .uploads import GOLD, read_upload

        system, reference = self.columns
        if texts:
            raise InputError(f"files and pasted text together: empty {' and '.join(texts)}, or upload no files")
        if reference not in files:
            raise InputError(f"{reference} missing: upload that file too, or paste both")
        shown = {name: options.pop(name) for name in _OF_INTERVALS if name in options}
        read: dict[str, Any] = {
            name: read_upload(path, _file_name(path), GOLD, self.name).content for name, path in files.items()
        }

        def check(golds: Mapping[str, Any], predicted: Mapping[str, Any]) -> None:
            for name, column in predicted.items():
                check_size(name, column)
            check_pairs(predicted.get(system), golds.get(reference))

        try:
            golds = read_gold_for(self.name, read[reference], {})
            gold = golds[self.name]
            for name, column in gold.columns.items():
                check_size(name, column)
            gold = gold.with_options(options)
            if system not in read and gold.may_hold_predictions:
                read[system] = read[reference]
            named = system_files(golds, None, [read[system]] if system in read else [], {})
            (system_scored,) = score_systems(self.name, gold, named, check=check).values()
        except (ValueError, TypeError) as error:  # users do not know the paths of uploads
            raise InputError(_words(error, {path: _file_name(path) for path in files.values()})) from error
        scores, columns = system_scored.scores, system_scored.columns
        examples = Examples(gold, columns, scores, range(min(len(scores), EXPLAINED_ROWS)))
        reasons = get_family(self.name).telling.reasons(examples, MOST_REASONS)
        return scores.result(**shown, **_ASKED), {**gold.columns, **columns}, reasons

    def build(self) -> tuple[Any, dict[str, Any]]:
        """The page as gradio Blocks, and the keyword arguments of their launch, equal for tests and users."""
        gr = load_gradio()
        from .faults import WRONG, log_fault, toast
        from .server import ServedBlocks, launch_options
        from .upload_folder import save_file

        self.example_outcome  # noqa: B018  loads the metric before the first visitor, in one thread
        names, private = [*self.columns, *self.optional], {"api_visibility": "private"}

        def score(*values):
            texts = dict(zip(names, values))
            files = dict(zip(self.columns, values[len(names) :]))
            try:
                return show(self.score(texts, files, values[-1]))
            except gr.Error:
                raise
            except (ValueError, TypeError) as error:
                raise toast(_words(error)) from error
            except RecursionError as error:
                raise toast("the input is nested too deeply") from error
            except Exception as error:  # without this the page would not change and show no message
                log_fault(self.name, error)
                told = f"{type(error).__name__}: a fault of {self.name}, not of the input"
                raise toast(told, WRONG) from error

        example_file: list[str] = []  # shared by all visitors while it exists

        def file_of(found):
            if found is not self.example_outcome:
                return save_file(f"{self.name}_examples.csv", found.csv)
            try:
                os.utime(example_file[0])  # deleted by age
            except (IndexError, OSError):
                example_file[:] = [save_file(f"{self.name}_examples.csv", found.csv)]
            return example_file[0]

        def show(found):
            path = file_of(found)
            count = len(found.examples)
            first = f"The first {SHOWN_ROWS} of {count:,}" if count > SHOWN_ROWS else f"{count:,}"
            examples = {"headers": found.shown_header, "data": found.shown}
            note = f"{first} examples, in the order of the input. {_CSV_NOTE}"
            both = [gr.Column(visible=True)] * 2
            return [*both, values_html(found), cell_text(found.signature), reasons_list(found), note, examples, path]

        def load_example():
            return [*given, *[None] * len(self.columns), "", *show(self.example_outcome)]

        given = [example_text(self.example[name]) if name in self.example else "" for name in names]
        filled = dict(zip(names, given))
        with ServedBlocks(title=self.name, analytics_enabled=False, delete_cache=(SWEEP_SECONDS, KEEP_SECONDS)) as demo:
            gr.HTML(head_html(self.name))
            gr.Markdown(f"{self.summary}\n\n{_whole_page()}", elem_id="about")
            with gr.Row():
                with gr.Column(scale=5, min_width=320):
                    with_files = [self._column(gr, name, filled) for name in self.columns]
                    boxes, uploads = [box for box, _ in with_files], [upload for _, upload in with_files]
                    with gr.Accordion("Options and more columns", open=False):
                        options = gr.Textbox(
                            label="options", lines=3, placeholder=self.options,
                            info="key=value, one per line; or a JSON object",
                        )  # fmt: skip
                        for name, words in self.optional.items():
                            info = f"{words} (JSON)"
                            boxes.append(gr.Textbox(filled[name], label=name, info=info, lines=2, max_lines=8))
                    with gr.Row():
                        button = gr.Button("Score", variant="primary")
                        example = gr.Button("Load the example")
                with gr.Column(scale=6, min_width=320, elem_id="result"), gr.Column(visible=False) as right:
                    values = gr.HTML(elem_id="values")
                    signature = gr.Textbox(label="signature", elem_id="signature", interactive=False, buttons=["copy"])
            with gr.Column(visible=False) as below:
                reasons = gr.HTML(elem_id="reasons")
                note = gr.Markdown()
                examples = gr.Dataframe(label="examples", datatype="str", interactive=False, max_height=500)
                download = gr.DownloadButton("All examples as CSV")
            with gr.Accordion("Card: options, measures, forms of input", open=False):
                gr.Markdown(self.card)
            gr.Markdown(f"Files hold what the command line takes: JSON, JSONL, CSV, TREC and more. {_PRIVACY}")
            shown = [right, below, values, signature, reasons, note, examples, download]
            # An error does not change the outputs, and old numbers must not appear beside new input.
            gone = lambda: [gr.Column(visible=False)] * 2  # noqa: E731
            hidden = button.click(gone, None, [right, below], show_progress="hidden", **private)
            hidden.then(
                score,
                [*boxes, *uploads, options],
                shown,
                show_progress_on=boxes[0],
                concurrency_limit=AT_ONCE,
                **private,
            )
            loaded = [*boxes, *uploads, options, *shown]
            example.click(load_example, None, loaded, **private)
            demo.load(lambda: show(self.example_outcome), None, shown, show_progress="hidden", **private)
        demo.queue(max_size=QUEUE, default_concurrency_limit=2 * AT_ONCE)
        looks = {"theme": theme(), "css": CSS, "head": _ICON, "footer_links": ["settings"]}
        return demo, {**looks, **launch_options()}

    @functools.cached_property
    def example_outcome(self) -> PageOutcome:
        """The result of the example."""
        return self.score({name: example_text(value) for name, value in self.example.items()}, {})

    def _column(self, gr: Any, name: str, filled: Mapping[str, str]) -> tuple[Any, Any]:
        """The box and the upload of a required column."""
        box = gr.Textbox(filled[name], label=name, info=f"{self.columns[name]} (JSON)", lines=5, max_lines=12)
        with gr.Accordion(f"or {name} from a file", open=False):
            return box, gr.File(label=f"{name} from a file", type="filepath", height=130)

    def launch(self) -> None:
        """Serves the page until it is stopped; gradio's variables set address and port."""
        load_gradio()
        from .server import stopping_when_told
        from .upload_folder import own_folder

        with stopping_when_told(), own_folder():
            demo, options = self.build()
            demo.launch(**options)


def parse_column(name: str, text: str) -> Any:
    """The value of a box: JSON without duplicate keys in an object."""
    try:
        value = json.loads(text, object_pairs_hook=functools.partial(_object, name))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{name}: this is not JSON: {error.msg} in {place}; strings need double quotes") from None
    except RecursionError:
        raise InputError(f"{name}: this JSON is nested too deeply") from None
    except InputError:
        raise
    except ValueError:  # from Python's limit on digits
        raise InputError(f"{name}: a number has thousands of digits; write it as a text or a shorter number") from None
    check_size(name, value)
    return value


def _words(error: Exception, files: Mapping[str, str] | None = None) -> str:
    """The message of an error for a page, with names of files (path -> name) instead of their paths."""
    message = str(error)
    return message.worded("metric page", files) if hasattr(message, "worded") else message


def parse_options_box(text: str, columns: list[str]) -> dict[str, Any]:
    """Options as a JSON object or as key=value lines, where a value is JSON, a list without brackets, or text."""
    text = (text or "").strip()
    check_length("options", text, MAX_OPTIONS)
    if text.startswith("{"):
        options = parse_column("options", text)
    else:
        pairs = [line.partition("=") for line in text.splitlines() if line.strip()]
        for key, _, value in pairs:
            if not value.strip():
                raise InputError(f"options: {key.strip()!r} has no value; write key=value, one per line")
        options = _object("options", [(key.strip(), _option_value(value.strip())) for key, _, value in pairs])
    for name in options:
        if name in columns:
            raise InputError(f"options: {name} is a column; it has its own box")
        if name in OWN_OPTIONS:
            raise InputError(f"options: {name} is always on here; omit it")
    if str(options.get("extract")).startswith("regex:"):
        raise InputError(f"options: a regular expression can take seconds, so this page takes none; {ELSEWHERE}")
    for name, most in (("n_resamples", MAX_RESAMPLES), ("labels", MAX_VALUES)):
        number = options.get(name, 0)
        if isinstance(number, (int, float)) and number > most:
            raise InputError(f"options: {name} is at most {most:,} here; more is for the command line")
    return options


def check_upload(name: str, path: str) -> None:
    """Refuse an upload that is too large or not text; a packed file could grow without bound."""
    if os.path.getsize(path) > MAX_FILE:
        raise InputError(f"{name}: {_file_name(path)} is larger than {MAX_FILE // 1_000_000} MB; {ELSEWHERE}")
    data = Path(path).read_bytes()
    try:
        data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        at = f"byte {error.start:,} of {_file_name(path)} is not UTF-8"
        raise InputError(f"{name}: {at}; give plain text (Parquet and packed files: {ELSEWHERE})") from None
    if b"\0" in data:
        raise InputError(f"{name}: {_file_name(path)} is not plain text (Parquet and packed files: {ELSEWHERE})")


def example_text(value: Any) -> str:
    """JSON with one entry per line.

    Example:
        >>> print(example_text({"q1": ["a", "b"], "q2": []}))
        {
        "q1": ["a", "b"],
        "q2": []
        }
    """
    if isinstance(value, Mapping):
        entries = [f"{json.dumps(str(key), ensure_ascii=False)}: {_json(entry)}" for key, entry in value.items()]
        return "{\n" + ",\n".join(entries) + "\n}"
    return "[\n" + ",\n".join(map(_json, value)) + "\n]" if isinstance(value, (list, tuple)) else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _object(name: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in pairs:
        if key in values:
            raise InputError(f"{name}: duplicate key {key!r} in one object; keep one of them")
        values[key] = value
    return values


def _option_value(text: str) -> Any:
    for form in (text, f"[{text}]"):
        try:
            return json.loads(form)
        except ValueError:
            continue
    return text


def _file_name(path: str) -> str:
    return Path(path).name


def _whole_page() -> str:
    """A reference to the page of all metrics, as Markdown."""
    address = os.environ.get(_WHOLE, "")
    told = "compares systems, shows slices and every error, and writes reports"
    if re.fullmatch(r"https?://[^\s()<>]+", address):
        return f"[The page of all metrics]({address}) {told}."
    return f'The page of all metrics {told}: `pip install "qassay[app]"`, then `qassay app`.'


def load_gradio() -> Any:
    """Gradio, configured before the import so that it contacts no other machine."""
    # Gradio reads these variables on import: no request to other machines.
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        import gradio
    except ModuleNotFoundError as error:
        if error.name != "gradio":
            raise
        raise ImportError('the page needs gradio: run `pip install "qassay[app]"`') from error
    return gradio


def theme() -> Any:
    """Gradio's theme in qassay's teal, with fonts that it ships completely (not weight 600) and enough contrast."""
    gr = load_gradio()
    weights = (400, 700)
    font = [gr.themes.LocalFont("IBM Plex Sans", weights=weights), "ui-sans-serif", "system-ui", "sans-serif"]
    mono = [gr.themes.LocalFont("IBM Plex Mono", weights=weights), "ui-monospace", "monospace"]
    return gr.themes.Default(primary_hue="teal", neutral_hue="slate", font=font, font_mono=mono).set(
        color_accent="*primary_700",
        color_accent_soft_dark="*neutral_700",
        body_background_fill_dark="#0f1720",
        background_fill_primary_dark="#0f1720",
        background_fill_secondary_dark="#17212b",
        block_background_fill_dark="#141e28",
        border_color_primary_dark="#2c3a47",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_300",
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover_dark="*primary_800",
        link_text_color="*primary_700",
        link_text_color_dark="*primary_300",
    )
