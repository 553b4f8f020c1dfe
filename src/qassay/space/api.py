"""What programs can ask of the Space: one function, which Gradio serves over HTTP and to gradio_client."""

import json
import re
from typing import Any

import gradio as gr

from ..pages.limits import AT_ONCE, check_amount
from ..pages.uploads import GOLD, SYSTEM
from ..results.document import score_document
from ..results.json_text import json_text
from ..stats.difference import ComparisonSettings
from .analysis import score_inputs
from .choices import read_choices
from .handlers import refusing
from .inputs import find_inputs, read_uploads

_SURROGATE = re.compile("[\ud800-\udfff]")


def score(gold: gr.FileData, systems: list[gr.FileData], options: str = "") -> dict:
    """Score the predictions of one or more systems against gold data: every measure with its interval and n.

    Args:
        gold: the uploaded gold file, of any kind that `qassay score` reads.
        systems: the uploaded files of predictions, and of no-answer probabilities; [] where gold also holds predictions.
        options: name=value, one per line: metric, preset, measures, groups, names, confidence, seed, columns=ROLE=NAME, and the
            options of the metric.

    Returns:
        What `qassay score --format json` prints, the result document, without its command.
    """
    if not isinstance(options, str):
        raise TypeError(f"options must be text, got {type(options).__name__}")
    if not isinstance(systems, list):
        raise TypeError(f"systems must be a list of uploaded files, got {type(systems).__name__}")
    choices = read_choices(options)
    files = [_file("gold", gold, GOLD), *(_file(f"systems[{at}]", file, SYSTEM) for at, file in enumerate(systems))]
    inputs, _ = find_inputs(read_uploads(files, choices), choices)
    scored = score_inputs(inputs, check_amount, by=())
    settings = ComparisonSettings(intervals=choices.settings.intervals)
    found = score_document(scored, settings, measures=choices.measures, every=True, group_name=inputs.groups)
    return _plain_json(json_text(found))


def _file(argument: str, file: Any, slot: str) -> tuple[str, str, str]:
    """Path, name and slot of an upload; the server has seen to it that it is one."""
    if not (isinstance(file, dict) and file.get("meta") == {"_type": "gradio.FileData"}):
        raise TypeError(f"{argument} must be an uploaded file; with gradio_client, give handle_file(path)")
    return file["path"], str(file.get("orig_name") or argument), slot


def _plain_json(text: str) -> dict:
    """A report that every client reads: without lone surrogates."""
    text = json.dumps(json.loads(text), ensure_ascii=False)
    return json.loads(_SURROGATE.sub(lambda match: rf"\\u{ord(match[0]):04x}", text))


def add_api() -> None:
    """Add the function to the Blocks that are being built."""
    gr.api(refusing(score), api_name="score", concurrency_limit=AT_ONCE)
