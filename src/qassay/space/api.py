"""The functions that Gradio serves: `score` for programs, and `page`, whose document the page fetches."""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

import gradio as gr

from .choices import read_choices
from .limits import AT_ONCE, MAX_FILES
from .server import ServedBlocks, refusal
from .uploads import Uploads
from .worker import score_in_process

_SURROGATE = re.compile("[\ud800-\udfff]")


def score(gold: gr.FileData, systems: list[gr.FileData], options: str = "") -> dict:
    """Score the predictions of one or more systems against gold data: values with intervals, comparisons, slices, examples.

    Args:
        gold: the uploaded gold file, of any kind that `qassay score` reads.
        systems: the uploaded files of predictions, and of no-answer probabilities; [] where gold also holds predictions.
        options: name=value, one per line: metric, preset, measures, by, groups, names, confidence, seed, columns=ROLE=NAME,
            and the options of the metric.

    Returns:
        The result document, as `qassay compare --format json` prints it; for one system, or for systems that cannot be
        compared, as `qassay score --format json` prints it.
    """
    text = gzip.decompress(_scored(gold, systems, options)).decode()
    # A lone surrogate becomes its escape as text, because not every client can read it.
    return json.loads(
        _SURROGATE.sub(lambda match: rf"\\u{ord(match[0]):04x}", json.dumps(json.loads(text), ensure_ascii=False))
    )


def _scored(gold: Any, systems: Any, options: Any) -> bytes:
    if not isinstance(options, str):
        raise refusal('options must be text, a line NAME=VALUE for each option; "" for none')
    if not isinstance(systems, list):
        raise refusal("systems must be a list of uploaded files")
    if len(systems) >= MAX_FILES:
        raise refusal(f"{len(systems)} files are too many; at most {MAX_FILES - 1} beside the gold file are taken")
    files = [_file(f"systems[{index}]", file) for index, file in enumerate(systems)]
    try:
        read_choices(options)  # before a process is started
        return score_in_process(_file("gold", gold), files, options)
    except (ValueError, TypeError) as error:
        raise refusal(str(error)) from None


def _file(argument: str, file: Any) -> tuple[str, str]:
    """The path and the name of an upload; the server has already refused all other paths."""
    if not (isinstance(file, dict) and file.get("meta") == {"_type": "gradio.FileData"}):
        raise refusal(f"{argument} must be an uploaded file; with gradio_client, give handle_file(path)")
    return file["path"], str(file.get("orig_name") or PurePath(file["path"]).name)


def build_api(uploads: Uploads, keep: Callable[[bytes], str]) -> ServedBlocks:
    """Gradio Blocks that serve both functions from one queue.

    Args:
        uploads: the files that a call may read.
        keep: stores a compressed document for the page to fetch, and returns its key.
    """

    def page(gold: gr.FileData, systems: list[gr.FileData], options: str = "") -> str:
        return keep(_scored(gold, systems, options))

    shared: dict[str, Any] = {"concurrency_limit": AT_ONCE, "concurrency_id": "score"}
    with ServedBlocks(title="qassay", analytics_enabled=False) as blocks:
        blocks.uploads = uploads
        gr.api(score, api_name="score", **shared)
        gr.api(page, api_name="page", api_visibility="undocumented", **shared)
    return blocks
