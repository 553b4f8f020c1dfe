"""Boxes in images or pages in every layout, as checked arrays."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.columns import is_list, is_real, real_numbers, with_id
from ..core.errors import about, blamed
from ..core.label_encoding import plain_label
from ..core.options import did_you_mean
from ..core.shown import describe, shown
from .columns import AlignedColumns, label_indices, sorted_classes

BOX_FORMATS = ("xyxy", "xywh")
_FOUND_FIELDS = ("boxes", "scores", "labels")
_GOLD_FIELDS = ("boxes", "labels")


@dataclasses.dataclass(frozen=True)
class BoxSide:
    """The boxes of all images, one after another: image i has the boxes from offsets[i] to offsets[i + 1].

    Attributes:
        corners: float64 (m, 4), left, top, right, bottom.
        areas: float64 (m,).
        labels: int64 (m,), indices of the classes.
        scores: float64 (m,), or None.
    """

    offsets: np.ndarray
    corners: np.ndarray
    areas: np.ndarray
    labels: np.ndarray
    scores: np.ndarray | None = None


@dataclasses.dataclass(frozen=True)
class BoxColumns:
    """Checked boxes of both sides: `given`: bool (n,), the image has a prediction; `labels`: None if boxes have none."""

    detected: BoxSide
    gold: BoxSide
    given: np.ndarray
    labels: tuple | None


def read_boxes(columns: AlignedColumns, labels: tuple | None, box_format: str) -> BoxColumns:
    """Rows of predicted and gold boxes as arrays; labels and box_format are options."""
    ids = columns.ids
    has_prediction = np.array([row is not None for row in columns.predictions])
    with about("predictions"):
        detected_rows = [
            _box_row(row, i, "predictions", ids, _FOUND_FIELDS) for i, row in enumerate(columns.predictions)
        ]
    with about("references"):
        gold_rows = [_box_row(row, i, "references", ids, _GOLD_FIELDS) for i, row in enumerate(columns.references)]
    detected_flat, detected_offsets = _all_boxes(detected_rows)
    gold_flat, gold_offsets = _all_boxes(gold_rows)
    with about("predictions"):
        detected_corners, detected_areas = _corners(detected_flat, detected_offsets, "predictions", ids, box_format)
    with about("references"):
        gold_corners, gold_areas = _corners(gold_flat, gold_offsets, "references", ids, box_format)
    with about("predictions"):
        detected_labels = _classes_of(detected_rows, detected_offsets, "predictions", ids)
    with about("references"):
        gold_labels = _classes_of(gold_rows, gold_offsets, "references", ids)
    labelled = [side is not None for side in (detected_labels, gold_labels)]
    if any(labelled) and not all(labelled):
        labelled_side, bare_side = ("predictions", "references") if labelled[0] else ("references", "predictions")
        if len(detected_flat if bare_side == "predictions" else gold_flat):
            told = f"boxes of the {labelled_side} have labels, {bare_side} have none; label both, or neither"
            raise blamed(ValueError(told), labelled_side)
    if any(labelled) or labels is not None:
        detected_labels, gold_labels = detected_labels or [], gold_labels or []
        if labels is not None and not any(labelled) and len(detected_flat) + len(gold_flat):
            raise ValueError("option labels names classes, but boxes have none; give every row its labels")
        if labels is None:
            labels = sorted_classes([*detected_labels, *gold_labels])
        detected_index = label_indices(detected_labels, detected_offsets, ids, labels, "predictions")
        gold_index = label_indices(gold_labels, gold_offsets, ids, labels, "references")
    else:
        detected_index, gold_index = np.zeros(len(detected_flat), np.int64), np.zeros(len(gold_flat), np.int64)
    scores = _box_scores(detected_rows, detected_offsets, ids)
    return BoxColumns(
        BoxSide(detected_offsets, detected_corners, detected_areas, detected_index, scores),
        BoxSide(gold_offsets, gold_corners, gold_areas, gold_index),
        has_prediction,
        labels,
    )


def _box_row(row: Any, place: int, name: str, ids: Sequence, fields: tuple[str, ...]) -> dict[str, list | None]:
    """One row as a dict of lists; a bare box is a row of one box."""
    if row is None and name == "predictions":
        return {"boxes": []}
    where = f"{name}[{place}]{with_id(ids, place)}"
    if is_list(row) and len(row) and is_real(row[0]):
        return {"boxes": [row]}
    if is_list(row) and not len(row):
        raise TypeError(f'{where} is an empty list; give {{"boxes": []}} where there is no box')
    if not isinstance(row, Mapping):
        raise TypeError(
            f'{where} must be a dict like {{"boxes": [[x1, y1, x2, y2], ...]}} or one box of 4 numbers, got {describe(row)}'
        )
    for key in row:
        if not isinstance(key, str) or key not in fields:
            raise ValueError(
                f"{where} has the unknown field {shown(key)}{did_you_mean(key, fields)}; it may have: {', '.join(fields)}"
            )
    if row.get("boxes") is None:
        raise ValueError(f"{where} has no 'boxes'; give [] where there is no box")
    checked: dict[str, Any] = {}
    for key in fields:
        values: Any = row.get(key)
        values = values.tolist() if hasattr(values, "tolist") else values
        if values is None and key == "boxes" or values is not None and not isinstance(values, (list, tuple)):
            raise TypeError(f"{where}[{key!r}] must be a list, got {describe(values)}")
        if values is not None and len(values) != len(checked.get("boxes", values)):
            raise ValueError(
                f"{where} has {len(checked['boxes'])} boxes but {len(values)} {key}; give one for each box"
            )
        checked[key] = values
    return checked


def _all_boxes(rows: Sequence[Mapping]) -> tuple[list, np.ndarray]:
    """The boxes of all rows one after another, and where each row begins, (n + 1,)."""
    return [value for row in rows for value in row["boxes"]], np.append(
        0, np.cumsum([len(row["boxes"]) for row in rows])
    )


def _box_name(offsets: np.ndarray, first: int, name: str, field: str, ids: Sequence) -> str:
    row = int(np.searchsorted(offsets, first, "right")) - 1
    return f"{name}[{row}][{field!r}][{first - offsets[row]}]{with_id(ids, row)}"


def _corners(
    flat: list, offsets: np.ndarray, name: str, ids: Sequence, box_format: str
) -> tuple[np.ndarray, np.ndarray]:
    """Left, top, right and bottom of boxes, (m, 4), and their areas, (m,)."""

    def where(first: int) -> str:
        return _box_name(offsets, first, name, "boxes", ids)

    for first, box in enumerate(flat):
        if not is_list(box):
            raise TypeError(f"{where(first)} must be a box of 4 numbers, got {describe(box)}")
        if len(box) != 4:
            raise ValueError(f"{where(first)} has {len(box)} numbers; a box has 4, by box_format={box_format}")
    try:
        boxes = real_numbers(value for box in flat for value in box).reshape(-1, 4)
    except TypeError:
        first = next(first for first, box in enumerate(flat) if not all(map(is_real, box)))
        raise TypeError(f"{where(first)} must be a box of 4 numbers, got {describe(flat[first])}") from None
    bad = np.flatnonzero(~(abs(boxes) < 1e100).all(axis=1))
    if len(bad):
        raise ValueError(f"{where(bad[0])} is {boxes[bad[0]].tolist()}; give finite numbers below 1e100")
    if box_format == "xywh":
        left, top, width, height = boxes.T
        bad = np.flatnonzero((width < 0) | (height < 0))
        advice = "width and height must be at least 0"
        corners = np.column_stack([left, top, left + width, top + height])
    else:
        corners = boxes
        width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
        bad = np.flatnonzero((width < 0) | (height < 0))
        order = "x2 must be at least x1 and y2 at least y1; for left, top, width, height give "
        advice = f"{order}box_format=xywh"
    if len(bad):
        raise ValueError(f"{where(bad[0])} is {boxes[bad[0]].tolist()}: " + advice)
    return corners, width * height


def _classes_of(rows: Sequence[Mapping], offsets: np.ndarray, name: str, ids: Sequence) -> list | None:
    """The classes of all boxes; None if no row has any."""
    flat = _field_of_all(rows, "labels", name, ids)
    if flat is None:
        return None
    plain = list(map(plain_label, flat))
    for first, label in enumerate(plain):
        if not isinstance(label, (str, int)) or isinstance(label, bool):
            where = _box_name(offsets, first, name, "labels", ids)
            raise TypeError(f"{where} must be a string or an integer, got {describe(label)}")
    return plain


def _field_of_all(rows: Sequence[Mapping], key: str, name: str, ids: Sequence) -> list | None:
    """A field that all rows with boxes have, or none: its values one after another."""
    with_boxes = [(place, row) for place, row in enumerate(rows) if len(row["boxes"])]
    absent = [place for place, row in with_boxes if row.get(key) is None]
    if len(absent) == len(with_boxes):
        return None
    if absent:
        raise ValueError(
            f"{name}[{absent[0]}]{with_id(ids, absent[0])} has boxes without {key}, other rows have them; give all or none"
        )
    return [value for _, row in with_boxes for value in row[key]]


def _box_scores(rows: Sequence[Mapping], offsets: np.ndarray, ids: Sequence) -> np.ndarray | None:
    """The scores of the boxes that were found; None if boxes have none."""
    if not offsets[-1]:
        return np.zeros(0)
    flat = _field_of_all(rows, "scores", "predictions", ids)
    if flat is None:
        several = next((place for place, row in enumerate(rows) if len(row["boxes"]) > 1), None)
        if several is not None:
            raise ValueError(
                f"predictions[{several}]{with_id(ids, several)} has several boxes but no scores; give a score for each "
                "box, or one box per row"
            )
        return None
    try:
        scores = real_numbers(flat)
    except TypeError:
        first = next(first for first, score in enumerate(flat) if not is_real(score))
        where = _box_name(offsets, first, "predictions", "scores", ids)
        raise TypeError(f"{where} must be a number, got {describe(flat[first])}") from None
    bad = np.flatnonzero(~np.isfinite(scores))
    if len(bad):
        where = _box_name(offsets, int(bad[0]), "predictions", "scores", ids)
        raise ValueError(f"{where} is {float(scores[bad[0]])}; give a finite number")
    return scores
