"""KILT: questions with answers and the pages that support them, and the outputs of systems in the same form."""

from typing import Any

from ...core.file_columns import Gold, Predictions
from ..content import Content, Table
from . import Format
from ._answers import METRIC, gold_answers, predicted_answers


def _is_kilt(value: Any, metric: str | None) -> bool:
    """Whether rows have `"output": [{"answer": ..., "provenance": [{"wikipedia_id": ...}]}]`."""
    cells = value.columns.get("output") if isinstance(value, Table) and not value.is_text else None
    first = next((item for cell in cells or () if isinstance(cell, list) for item in cell), None)
    return isinstance(first, dict) and not first.keys().isdisjoint(("answer", "provenance"))


def _pages(item: dict[str, Any]) -> list[Any]:
    return [page["wikipedia_id"] for page in item.get("provenance") or () if "wikipedia_id" in page]


def _read_gold(content: Content, names: Any) -> Gold:
    """The gold answers of each question, and beside them the pages of each answer."""
    columns = content.value.columns
    answers = [[item["answer"] for item in cell or () if item.get("answer")] for cell in columns["output"]]
    pages = [[_pages(item) for item in cell or () if item.get("provenance")] for cell in columns["output"]]
    details = {"question": columns["input"]} if "input" in columns else {}
    more = {"pages": pages}
    return gold_answers(content.path, "kilt", columns.get("id"), answers, details, more=more, preset="kilt")


def _read_predictions(content: Content, gold: Gold, names: Any) -> Predictions:
    """The first answer of each question, and its pages in their order, each once."""
    columns = content.value.columns
    firsts: list[dict[str, Any]] = [next(iter(cell or ()), {}) for cell in columns["output"]]
    pages = {"pages": [list(dict.fromkeys(_pages(item))) for item in firsts]}
    details = pages if gold.options.get("preset") == "kilt" else None
    answers = [item.get("answer") for item in firsts]
    return predicted_answers(content.path, gold, columns.get("id"), answers, details=details)


KILT = Format("kilt", "a KILT file", METRIC, _is_kilt, read_gold=_read_gold, read_predictions=_read_predictions)
