"""Rows of boxes (JSON rows, JSONL, Parquet), as gold boxes and as boxes that were found."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...core.file_columns import Gold, Predictions
from ..content import Content, Table
from . import Format
from ._labels import describe_labels, details_of, ids_and_weights, in_gold_order, label_table

METRIC = "average_precision"
_GOLD_BOXES, _FOUND_BOXES = ("boxes", "labels"), ("boxes", "scores", "labels")


def _has_boxes(value: Any, metric: str | None) -> bool:
    """Whether rows have boxes, as in `{"id": ..., "boxes": [[0, 0, 5, 5]], "labels": ["cat"]}`."""
    table = label_table(value) if metric in (None, METRIC) else None
    if table is None or table.is_text or "boxes" not in table.columns:
        return False
    return not isinstance(next(iter(table.columns["boxes"]), None), str)


def _read_gold(content: Content, names: Mapping[str, str]) -> Gold:
    """Rows of gold boxes, `{"id": ..., "boxes": [[...], ...], "labels": [...]}`."""
    table = label_table(content.value)
    columns, ids, picked = ids_and_weights(content.path, table, names)
    columns["references"] = _boxes(table, _GOLD_BOXES)
    taken = {*picked.values(), *_FOUND_BOXES}
    return Gold(content.path, "boxes", columns, {"task": "boxes"}, ids, details_of(table, taken), names=picked)


def _read_found(content: Content, gold: Gold, names: Mapping[str, str]) -> Predictions:
    """Rows of boxes that were found, `{"id": ..., "boxes": [[...], ...], "scores": [...], "labels": [...]}`."""
    path, table = content.path, label_table(content.value)
    rows, picked = in_gold_order(path, table, _boxes(table, _FOUND_BOXES), gold, names)
    return Predictions(path, {"predictions": rows}, names=picked)


def _boxes(table: Table, fields: Iterable[str]) -> list[dict]:
    """The fields that each row has."""
    there = {name: table.columns[name] for name in fields if name in table.columns}
    rows = zip(*there.values(), strict=True)
    return [{name: cell for name, cell in zip(there, row, strict=True) if cell is not None} for row in rows]


BOXES = Format(
    "boxes",
    "rows of boxes",
    METRIC,
    _has_boxes,
    order=49,
    read_gold=_read_gold,
    read_predictions=_read_found,
    describe=describe_labels,
    is_table=True,
)
