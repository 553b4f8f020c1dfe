"""A value in the format of the Hugging Face Hub: an entry for a file below `.eval_results/` of the model's repository.

The format is described at https://huggingface.co/docs/hub/eval-results; huggingface_hub writes and reads it.
"""

import math
import os
from typing import Any

from ..core.errors import import_yaml
from ..reports.values import Cell, ValuesReport, words_of_method
from .about import About

NAME = "the Hub"
REQUIRED = ("dataset", "task_id")


def check_about(about: About) -> None:
    """Raise ValueError if a field that an entry needs is missing, before the work is done."""
    about.require(NAME, REQUIRED)
    _hub()


def check_place(path: "str | os.PathLike[str]", about: About) -> None:
    """Raise ValueError if a file is there that is not an entry of the same task: it would be lost."""
    if not os.path.exists(path):
        return
    yaml = import_yaml("evaluation results of the Hub")
    try:
        with open(path, encoding="utf-8") as file:
            entries = yaml.safe_load(file)
        tasks = {(entry["dataset"]["id"], entry["dataset"]["task_id"]) for entry in entries}
    except (OSError, UnicodeDecodeError, yaml.YAMLError, TypeError, KeyError, RecursionError):
        tasks = set()
    if tasks != {(about.dataset, about.task_id)}:
        told = f"{os.fspath(path)} is there and is not an entry of {about.dataset}, {about.task_id}, which would replace it"
        raise ValueError(f"{told}; choose another name")


def entry_text(about: About, report: ValuesReport, measure: str) -> str:
    """The YAML file with one value.

    Args:
        about: which `check_about` took.
        report: of one system and one metric.
        measure: whose value it is, on the scale of the report: rates from 0 to 1, or to 100.

    Raises:
        ValueError: the measure applies to no example.
    """
    hub, yaml = _hub(), import_yaml("evaluation results of the Hub")
    (cells,), (signature,) = report.systems.values(), report.signatures.values()
    cell = cells[measure]
    if not math.isfinite(cell.value):
        raise ValueError(f"{measure} has no value, as it applies to no example; {NAME} needs one")
    entry = hub.EvalResultEntry(
        dataset_id=about.dataset,
        task_id=about.task_id,
        value=cell.value,
        dataset_revision=about.revision or None,
        verify_token=about.verify_token or None,
        date=about.date or None,
        source_url=about.source_url or None,
        source_name=about.source_name or None,
        source_user=about.source_user or None,
        source_org=about.source_org or None,
        notes="; ".join([*([about.notes] if about.notes else []), _note(report, measure, cell), signature]),
    )
    text: str = yaml.safe_dump(
        hub.eval_result_entries_to_yaml([entry]), sort_keys=False, allow_unicode=True, width=1000
    )
    return text


def _note(report: ValuesReport, measure: str, cell: Cell) -> str:
    told = f"{measure} of {cell.n} examples"
    if cell.interval is None or not all(map(math.isfinite, cell.interval)) or report.intervals.confidence is None:
        return told
    low, high = (f"{end:.4f}" if report.scale == 1 else f"{end:.2f}" for end in cell.interval)
    method = words_of_method(cell.interval)
    return f"{told}, {100 * report.intervals.confidence:g} % interval {low} to {high}{f' ({method})' if method else ''}"


def _hub() -> Any:
    needed = 'evaluation results of the Hub need huggingface_hub>=1.4: run `pip install "qassay[hub]"`'
    try:
        import huggingface_hub
    except ImportError as error:
        raise ImportError(needed) from error
    if not hasattr(huggingface_hub, "EvalResultEntry"):  # before 1.4
        raise ImportError(needed)
    return huggingface_hub
