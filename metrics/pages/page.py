"""The page of a metric: paste or upload, Score, tables with intervals, every example as CSV.

`metrics/<name>/app.py` names the columns and an example, and this file does the rest. It is copied into the folders
that `qassay.pages.build` renders, with the files that it imports by absolute names. Nothing of qassay is installed there:
the metric comes from the folder itself by `evaluate.load`, and the files need gradio alone. As a part of qassay it also
reads the files of the command line.
"""

import functools
import io
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qassay.core.shown import cell_text, csv_cell, write_csv
from qassay.pages.limits import (
    AT_ONCE,
    ELSEWHERE,
    KEEP_SECONDS,
    MAX_FILE,
    MAX_OPTIONS,
    MAX_RESAMPLES,
    MAX_ROWS,
    MAX_TEXT,
    MAX_VALUES_OF_ROW,
    QUEUE,
    SHOWN_ROWS,
    SWEEP_SECONDS,
    InputError,
    check_length,
    check_pairs,
    check_size,
)

GRADIO = "gradio>=6.31,<7"  # as in setup.cfg
LEVEL = 0.95
# A folder rendered for a Space holds this file beside app.py and not in a package.
READS_FILES = bool(__package__)
_OWN_OPTIONS = ("per_example", "signature", "counts")
_ASKED: dict[str, Any] = dict.fromkeys(_OWN_OPTIONS, True)
_OF_NOTHING = "– (n = 0)"
_CSS = (
    "footer {opacity: .8} .prose table {display: block; overflow-x: auto} "
    ".dark [role=tab].selected {--color-accent: #93c5fd} "
    ".body-cell, .body-cell * {unicode-bidi: plaintext; text-align: start}"
)
_KINDS = "what the command line takes: JSON, JSONL, CSV, TREC and more" if READS_FILES else "JSON, as in the boxes"
_PRIVACY = (
    "Nothing leaves the machine that runs this page; "
    f"files are deleted within {(KEEP_SECONDS + SWEEP_SECONDS) // 60} minutes. "
    f"At most {MAX_FILE // 1_000_000} MB a file, {MAX_TEXT:,} characters a box, {MAX_ROWS:,} rows, "
    f"{MAX_VALUES_OF_ROW:,} values in a row."
)
_CSV_NOTE = "In the CSV file an id that a spreadsheet would take for a formula has an apostrophe before it."


@dataclass(frozen=True)
class PageOutcome:
    """What the page shows of a result: cells as text, and the values of all examples for the download."""

    measures: list[list[str]]
    header: list[str]
    examples: list[list[Any]]
    signature: str
    level: float

    @property
    def shown(self) -> list[list[str]]:
        """The first rows of the table of examples."""
        return [[cell_text(value) for value in row] for row in self.examples[:SHOWN_ROWS]]

    @property
    def csv(self) -> bytes:
        """The whole table of examples: empty where a measure does not apply."""
        file = io.StringIO(newline="")
        write_csv(file, (map(csv_cell, row) for row in [self.header, *self.examples]))
        return file.getvalue().encode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class Page:
    """The page of one metric.

    Attributes:
        name: of the metric and of its script.
        app: `__file__` of the app.py, which lies beside the script and the card.
        columns: the two boxes that must be filled, name -> what belongs there; first the system's.
        example: the values that the button "Load an example" puts into boxes.
        optional: boxes that may stay empty.
        options: what the empty box of options shows.
        fixed: options that the page sets.
        free: options that visitors may set; None: all.
    """

    name: str
    app: str
    columns: Mapping[str, str]
    example: Mapping[str, Any]
    optional: Mapping[str, str] = field(default_factory=dict)
    options: str = "level=0.9"
    fixed: Mapping[str, Any] = field(default_factory=dict)
    free: tuple[str, ...] | None = None

    @functools.cached_property
    def metric(self) -> Any:
        """The evaluate module; by its file, because a Space calls the folder as it likes."""
        import evaluate

        return evaluate.load(str(Path(self.app).resolve().with_name(f"{self.name}.py")))

    @functools.cached_property
    def card(self) -> str:
        """The card without its front matter and title."""
        text = Path(self.app).resolve().with_name("README.md").read_text("utf-8")
        return re.sub(r"\A---\n.*?\n---\n\s*(# [^\n]*\n)?", "", text, count=1, flags=re.DOTALL).strip()

    @property
    def summary(self) -> str:
        """What the metric is: the first paragraph of the card; and what the page has settled."""
        paragraphs = (part.strip() for part in self.card.split("\n\n"))
        text = next(re.sub(r"\A##.*\n", "", part) for part in paragraphs if not re.fullmatch(r"##.*", part))
        shown = ", ".join(f"`{name}={value}`" for name, value in self.fixed.items() if value)
        return f"{text}\n\nOn this page: {shown}." if shown else text

    def score(self, texts: Mapping[str, str], files: Mapping[str, str], options: str = "") -> PageOutcome:
        """Score what was pasted or uploaded.

        Args:
            texts: column -> JSON; empty where nothing was pasted.
            files: column -> path of an upload.
            options: a JSON object, or key=value one per line.

        Raises:
            InputError: input that the page does not take. ValueError, TypeError: the metric's own words.
        """
        texts = {name: text for name, text in texts.items() if text and text.strip()}
        files = {name: path for name, path in files.items() if path}
        asked = parse_options_box(options, [*self.columns, *self.optional])
        for name in asked:
            if self.free is not None and name not in self.free:
                there = ", ".join(self.free)
                raise InputError(f"options: {name} cannot be chosen on this page ({ELSEWHERE}); it has: {there}")
        level = asked.setdefault("level", LEVEL)
        asked.update(self.fixed)
        for name in self.columns:
            if name in texts and name in files:
                raise InputError(f"{name} is given twice: empty the box, or remove the file {_file_name(files[name])}")
        for name, text in texts.items():
            check_length(name, text, MAX_TEXT, "; upload a file")
        for name, path in files.items():
            check_upload(name, path)
        if READS_FILES and files:
            result = self._score_files(texts, files, asked)
        else:
            missing = [name for name in self.columns if name not in texts and name not in files]
            if missing:
                raise InputError(f"{' and '.join(missing)} missing: paste JSON, or upload a file")
            texts = {**texts, **{name: Path(path).read_text("utf-8-sig") for name, path in files.items()}}
            columns = {name: parse_column(name, text) for name, text in texts.items()}
            check_pairs(*(columns[name] for name in self.columns))
            result = self.metric.compute(**columns, **asked, **_ASKED)
        return outcome(result, level)

    def _score_files(self, texts: Mapping[str, str], files: Mapping[str, str], options: dict) -> dict:
        """The files as the command line takes them."""
        from ..scoring import read_gold_for, score_systems
        from ..system_files import system_files
        from .uploads import GOLD, read_upload

        system, reference = self.columns
        if texts:
            raise InputError(f"files and pasted text together: empty {' and '.join(texts)}, or upload no files")
        if reference not in files:
            raise InputError(f"{reference} missing: upload that file too, or paste both")
        of_intervals = ("level", "n_resamples", "bootstrap_seed", "interval_method")
        shown = {name: options.pop(name) for name in of_intervals if name in options}
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
        except (ValueError, TypeError) as error:  # the paths of uploads mean nothing to users
            raise InputError(_words(error, {path: _file_name(path) for path in files.values()})) from error
        return system_scored.scores.result(**shown, **_ASKED)

    def build(self) -> tuple[Any, dict[str, Any]]:
        """The page as gradio Blocks, and the keyword arguments of their launch, the same for tests and users."""
        gr = load_gradio()
        from qassay.pages.faults import WRONG, log_fault, toast
        from qassay.pages.server import ServedBlocks, launch_options
        from qassay.pages.upload_folder import save_file

        self.metric  # noqa: B018  loaded before the first visitor, in one thread
        names, private = [*self.columns, *self.optional], {"api_visibility": "private"}

        def load_example():
            texts = [example_text(self.example[name]) if name in self.example else "" for name in names]
            return [*texts, *[None] * len(self.columns), "", gr.Column(visible=False)]

        def score(*values):
            texts = dict(zip(names, values))
            files = dict(zip(self.columns, values[len(names) :]))
            try:
                result = self.score(texts, files, values[-1])
                path = save_file(f"{self.name}_examples.csv", result.csv)
            except gr.Error:
                raise
            except (ValueError, TypeError) as error:
                raise toast(_words(error)) from error
            except RecursionError as error:
                raise toast("the input is nested too deeply") from error
            except Exception as error:  # without this the page would say nothing and keep what it shows
                log_fault(self.name, error)
                told = f"{type(error).__name__}: a fault of {self.name}, not of the input"
                raise toast(told, WRONG) from error
            count = len(result.examples)
            first = f"The first {SHOWN_ROWS} of {count:,}" if count > SHOWN_ROWS else f"{count:,}"
            ends = [f"{end} ({100 * result.level:g} %)" for end in ("low", "high")]
            table = {"headers": ["measure", "value", *ends], "data": result.measures}
            examples = {"headers": [cell_text(name) for name in result.header], "data": result.shown}
            note = f"{first} examples, in the order of the input. {_CSV_NOTE}"
            return gr.Column(visible=True), table, cell_text(result.signature), note, examples, path

        with ServedBlocks(title=self.name, analytics_enabled=False, delete_cache=(SWEEP_SECONDS, KEEP_SECONDS)) as demo:
            gr.Markdown(f"# {self.name}\n\n{self.summary}")
            with gr.Row():
                with_files = [self._column(gr, name) for name in self.columns]
            boxes, uploads = [box for box, _ in with_files], [upload for _, upload in with_files]
            with gr.Accordion("Options and more columns", open=False):
                options = gr.Textbox(
                    label="options", lines=3, placeholder=self.options, info="key=value, one per line; or a JSON object"
                )
                for name, words in self.optional.items():
                    boxes.append(gr.Textbox(label=name, info=f"{words} (JSON)", lines=2, max_lines=8))
            with gr.Row():
                button = gr.Button("Score", variant="primary")
                example = gr.Button("Load an example")
            gr.Markdown(f"Files hold {_KINDS}. {_PRIVACY}")
            with gr.Column(visible=False) as results:
                table = gr.Dataframe(
                    label="measures, with intervals", datatype="str", interactive=False, max_height=900
                )
                signature = gr.Textbox(label="signature", elem_id="signature", interactive=False, buttons=["copy"])
                note = gr.Markdown()
                examples = gr.Dataframe(label="examples", datatype="str", interactive=False, max_height=500)
                download = gr.DownloadButton("All examples as CSV")
            with gr.Accordion("Card: options, measures, forms of input", open=False):
                gr.Markdown(self.card)
            shown = [results, table, signature, note, examples, download]
            # An error leaves the outputs as they are, and old numbers must not appear beside new input.
            hidden = button.click(lambda: gr.Column(visible=False), None, results, show_progress="hidden", **private)
            hidden.then(
                score,
                [*boxes, *uploads, options],
                shown,
                show_progress_on=boxes[0],
                concurrency_limit=AT_ONCE,
                **private,
            )
            example.click(load_example, None, [*boxes, *uploads, options, results], **private)
        demo.queue(max_size=QUEUE, default_concurrency_limit=2 * AT_ONCE)
        return demo, {"theme": theme(), "css": _CSS, "footer_links": ["settings"], **launch_options()}

    def _column(self, gr: Any, name: str) -> tuple[Any, Any]:
        """The box and the upload of a column that must be given."""
        with gr.Column(min_width=280):
            box = gr.Textbox(label=name, info=f"{self.columns[name]} (JSON)", lines=8, max_lines=16)
            return box, gr.File(label=f"or {name} from a file", type="filepath", height=150)

    def launch(self) -> None:
        """Serves the page until it is stopped; address and port as gradio's variables say."""
        load_gradio()
        from qassay.pages.server import stopping_when_told
        from qassay.pages.upload_folder import own_folder

        with stopping_when_told(), own_folder():
            demo, options = self.build()
            demo.launch(**options)


def parse_column(name: str, text: str) -> Any:
    """The value of a box: JSON, whose objects have no duplicate keys."""
    try:
        value = json.loads(text, object_pairs_hook=functools.partial(_object, name))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{name}: this is not JSON: {error.msg} in {place}; strings need double quotes") from None
    except RecursionError:
        raise InputError(f"{name}: this JSON is nested too deeply") from None
    except InputError:
        raise
    except ValueError:  # of Python, which reads no longer ones
        raise InputError(f"{name}: a number has thousands of digits; write it as a text or a shorter number") from None
    check_size(name, value)
    return value


def _words(error: Exception, files: Mapping[str, str] | None = None) -> str:
    """The message of an error in words for a page, with the names of files (path -> name) instead of their paths."""
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
        if name in _OWN_OPTIONS:
            raise InputError(f"options: {name} is always on here; omit it")
    if str(options.get("extract")).startswith("regex:"):
        raise InputError(f"options: a regular expression may never end, so this page takes none; {ELSEWHERE}")
    resamples = options.get("n_resamples", 0)
    if isinstance(resamples, (int, float)) and resamples > MAX_RESAMPLES:
        raise InputError(f"options: n_resamples is at most {MAX_RESAMPLES:,} here; more is for the command line")
    return options


def check_upload(name: str, path: str) -> None:
    """Refuse an upload that is too large, or no text: what is packed could grow without bound."""
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


def outcome(result: Mapping[str, Any], level: float) -> PageOutcome:
    """The tables of a result of `compute(..., level=level, per_example=True, signature=True, counts=True)`.

    The 0.0 of a measure that rests on no example is a dash.
    """
    ends = {f"{name}_{end}" for name in result for end in ("low", "high") if f"{name}_{end}" in result}
    names = [name for name in result if name not in ends and name not in _OWN_OPTIONS]
    counts = result.get("counts", {})
    measures = []
    for name in names:
        cells = (result[name], result.get(f"{name}_low", ""), result.get(f"{name}_high", ""))
        if counts.get(name) == 0 and isinstance(result[name], float):  # whole numbers are counts themselves
            cells = (_OF_NOTHING, "", "")
        measures.append([cell_text(cell) for cell in (name, *cells)])
    table = result.get("per_example", {})
    rows = [list(row) for row in zip(*table.values(), strict=True)]
    return PageOutcome(measures, list(table), rows, result.get("signature", ""), level)


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


def load_gradio() -> Any:
    """Gradio, told before it is imported to ask no other machine."""
    # Gradio looks these up when it is imported: no request to other machines.
    os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        import gradio
    except ModuleNotFoundError as error:
        if error.name != "gradio":
            raise
        wanted = "qassay[app]" if READS_FILES else GRADIO  # the words of `qassay app`
        raise ImportError(f'the page needs gradio: run `pip install "{wanted}"`') from error
    return gradio


def theme() -> Any:
    """Gradio's theme in qassay's teal, with fonts that it ships whole (weight 600 is not) and colours with enough contrast."""
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
