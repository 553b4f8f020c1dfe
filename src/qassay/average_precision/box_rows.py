"""Boxes in images or pages as checked arrays."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from ..core.columns import finite_numbers, is_list, is_real, with_id
from ..core.errors import InputError, about
from ..core.intake import PREDICTIONS, REFERENCES, Table
from ..core.label_encoding import LabelColumn, LabelList, cell_name, code_columns
from ..core.options import did_you_mean
from ..core.shown import describe, shown
from .fields import check_classes

BOX_FORMATS = ("xyxy", "xywh")
_FIELDS = {PREDICTIONS: ("boxes", "scores", "labels"), REFERENCES: ("boxes", "labels")}
_LARGEST = 1e100  # of an edge


@dataclasses.dataclass(frozen=True)
class BoxSide:
    """The boxes of all images, one after another: image i has the boxes from offsets[i] to offsets[i + 1].

    Attributes:
        offsets: int64 (n + 1,).
        corners: float64 (m, 4), left, top, right, bottom.
        areas: float64 (m,).
        labels: int64 (m,), class numbers.
        scores: float64 (m,), or None.
    """

    offsets: np.ndarray
    corners: np.ndarray
    areas: np.ndarray
    labels: np.ndarray
    scores: np.ndarray | None = None

    @property
    def owners(self) -> np.ndarray:
        """The image of each box."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))


@dataclasses.dataclass(frozen=True)
class Boxes:
    """Checked boxes of predictions and references: `given`: bool (n,), the image has a prediction; `classes`: None if boxes have none."""

    detected: BoxSide
    gold: BoxSide
    given: np.ndarray
    classes: LabelList | None


def read_boxes(table: Table, labels: LabelList | None, box_format: str) -> Boxes:
    """Rows of predicted and gold boxes as arrays; labels and box_format are options."""
    boxes_of, columns, scores = {}, [], None
    for name in (PREDICTIONS, REFERENCES):
        with about(name):
            rows = [_box_row(row, index, name, table.ids) for index, row in enumerate(table.columns[name])]
            offsets = np.append(0, np.cumsum([len(row["boxes"]) for row in rows]))
            where = partial(cell_name, name, offsets, table.ids)
            boxes = list(chain.from_iterable(row["boxes"] for row in rows))
            boxes_of[name] = offsets, *_corners(boxes, where, box_format)
            flat = _field_of_all(rows, "labels", name, table.ids)
            columns.append(None if flat is None else LabelColumn(name, flat, np.diff(offsets), field="labels"))
            if name == PREDICTIONS:
                scores = _box_scores(rows, offsets, where, table.ids)
    codes, classes = _class_numbers(columns, [len(areas) for _, _, areas in boxes_of.values()], labels, table.ids)
    detected, gold = (BoxSide(*side, of_boxes) for side, of_boxes in zip(boxes_of.values(), codes, strict=True))
    given = np.array([row is not None for row in table.columns[PREDICTIONS]])
    return Boxes(dataclasses.replace(detected, scores=scores), gold, given, classes)


def _box_row(row: Any, index: int, name: str, ids: Sequence[Any]) -> dict[str, Any]:
    """One row as a dict of lists; a bare box is a row of one box."""
    if row is None and name == PREDICTIONS:
        return {"boxes": []}
    where, fields = f"{name}[{index}]{with_id(ids, index)}", _FIELDS[name]
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
        if values is not None and not isinstance(values, (list, tuple)):
            raise TypeError(f"{where}[{key!r}] must be a list, got {describe(values)}")
        if values is not None and len(values) != len(checked.get("boxes", values)):
            raise ValueError(
                f"{where} has {len(checked['boxes'])} boxes but {len(values)} {key}; give one for each box"
            )
        checked[key] = values
    return checked


def _corners(boxes: list[Any], where: Callable[[str, int], str], box_format: str) -> tuple[np.ndarray, np.ndarray]:
    """Left, top, right and bottom of boxes, (m, 4), and their areas, (m,)."""
    for index, box in enumerate(boxes):
        if not is_list(box):
            raise TypeError(f"{where('boxes', index)} must be a box of 4 numbers, got {describe(box)}")
        if len(box) != 4:
            raise ValueError(f"{where('boxes', index)} has {len(box)} numbers; a box has 4, by box_format={box_format}")
    edges = list(chain.from_iterable(boxes))
    found = finite_numbers(edges, lambda index: f"{where('boxes', index // 4)}[{index % 4}]", _LARGEST).reshape(-1, 4)
    corners = found
    if box_format == "xywh":
        corners = np.hstack([found[:, :2], found[:, :2] + found[:, 2:]])
        sizes, advice = found[:, 2:], "width and height must be at least 0"
    else:
        sizes = found[:, 2:] - found[:, :2]
        advice = "x2 must be at least x1 and y2 at least y1; for left, top, width, height give box_format=xywh"
    bad = np.flatnonzero((sizes < 0).any(axis=1))
    if len(bad):
        raise ValueError(f"{where('boxes', bad[0])} is {found[bad[0]].tolist()}: {advice}")
    return corners, sizes[:, 0] * sizes[:, 1]


def _class_numbers(
    columns: Sequence[LabelColumn | None], counts: list[int], labels: LabelList | None, ids: Sequence[Any]
) -> tuple[list[np.ndarray], LabelList | None]:
    """The class numbers of the boxes of predictions and references, and the classes; 0 and None where boxes have none."""
    names = (PREDICTIONS, REFERENCES)
    bare = [index for index, column in enumerate(columns) if column is None]
    if len(bare) == 1 and counts[bare[0]]:
        name, other = names[1 - bare[0]], names[bare[0]]
        message = f"boxes of the {name} have labels, {other} have none; label both, or neither"
        raise InputError(name, message)
    if len(bare) == 2 and labels is None:
        return [np.zeros(count, np.int64) for count in counts], None
    if len(bare) == 2 and any(counts):
        raise ValueError("option labels names classes, but boxes have none; give every row its labels")
    known = [column or LabelColumn(name, []) for name, column in zip(names, columns, strict=True)]
    codes, classes = code_columns(known, labels, ids)
    check_classes(known, ids)
    return codes, classes


def _field_of_all(rows: Sequence[Mapping[str, Any]], key: str, name: str, ids: Sequence[Any]) -> list[Any] | None:
    """A field that all rows with boxes have, or none: its values one after another."""
    with_boxes = [(index, row) for index, row in enumerate(rows) if len(row["boxes"])]
    absent = [index for index, row in with_boxes if row.get(key) is None]
    if len(absent) == len(with_boxes):
        return None
    if absent:
        raise ValueError(
            f"{name}[{absent[0]}]{with_id(ids, absent[0])} has boxes without {key}, other rows have them; give all or none"
        )
    return [value for _, row in with_boxes for value in row[key]]


def _box_scores(
    rows: Sequence[Mapping[str, Any]], offsets: np.ndarray, where: Callable[[str, int], str], ids: Sequence[Any]
) -> np.ndarray | None:
    """The scores of the boxes that were found; None if boxes have none."""
    if not offsets[-1]:
        return np.zeros(0)
    scores = _field_of_all(rows, "scores", PREDICTIONS, ids)
    if scores is not None:
        return finite_numbers(scores, partial(where, "scores"))
    several = np.flatnonzero(np.diff(offsets) > 1)
    if len(several):
        raise ValueError(
            f"predictions[{several[0]}]{with_id(ids, several[0])} has several boxes but no scores; give a score for each "
            "box, or one box per row"
        )
    return None
