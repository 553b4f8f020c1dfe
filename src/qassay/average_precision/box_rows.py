"""Boxes in images or pages as checked arrays."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from ..core.columns import LARGEST, finite_numbers, is_list, is_real, with_id
from ..core.errors import InputError, about
from ..core.intake import PREDICTIONS, REFERENCES, Table
from ..core.label_encoding import LabelColumn, LabelList, cell_name, code_columns
from ..core.options import did_you_mean
from ..core.shown import describe, shown

BOX_FORMATS = ("xyxy", "xywh")


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
    arrays: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    columns, scores = [], None
    for name in (PREDICTIONS, REFERENCES):
        with about(name):
            rows = [
                _box_row(row, f"{name}[{i}]{with_id(table.ids, i)}", name) for i, row in enumerate(table.columns[name])
            ]
            offsets = np.append(0, np.cumsum([len(row["boxes"]) for row in rows]))
            where = partial(cell_name, name, offsets, table.ids)
            arrays.append(
                (offsets, *_corners(list(chain.from_iterable(row["boxes"] for row in rows)), where, box_format))
            )
            flat = _field_of_all(rows, "labels", name, table.ids)
            columns.append(None if flat is None else LabelColumn(name, flat, np.diff(offsets), field="labels"))
            if name == PREDICTIONS:
                scores = _box_scores(rows, offsets, where, table.ids)
    codes, classes = _class_numbers(columns, [len(areas) for _, _, areas in arrays], labels, table.ids)
    detected, gold = (BoxSide(*side, of_boxes) for side, of_boxes in zip(arrays, codes, strict=True))
    given = np.array([row is not None for row in table.columns[PREDICTIONS]])
    return Boxes(dataclasses.replace(detected, scores=scores), gold, given, classes)


def _box_row(row: Any, where: str, name: str) -> dict[str, Any]:
    """One row as a dict of lists; a bare box is a row of one box."""
    if row is None and name == PREDICTIONS:
        return {"boxes": []}
    if is_list(row) and len(row) and is_real(row[0]):
        return {"boxes": [row]}
    fields = ("boxes", "scores", "labels") if name == PREDICTIONS else ("boxes", "labels")
    if not isinstance(row, Mapping):
        found = "is an empty list" if is_list(row) and not len(row) else f"is {describe(row)}"
        advice = (
            'give a dict like {"boxes": [[x1, y1, x2, y2], ...]}, {"boxes": []} for no box, or one box of 4 numbers'
        )
        raise TypeError(f"{where} {found}; {advice}")
    unknown = next((key for key in row if key not in fields), None)
    if unknown is not None:
        near = did_you_mean(unknown, fields)
        raise ValueError(f"{where} has the unknown field {shown(unknown)}{near}; it may have: {', '.join(fields)}")
    if row.get("boxes") is None:
        raise ValueError(f"{where} has no 'boxes'; give [] where there is no box")
    lists = {key: row[key].tolist() if hasattr(row[key], "tolist") else row[key] for key in fields if key in row}
    for key, values in lists.items():
        if values is not None and not isinstance(values, (list, tuple)):
            raise TypeError(f"{where}[{key!r}] must be a list, got {describe(values)}")
        if values is not None and len(values) != len(lists["boxes"]):
            raise ValueError(f"{where} has {len(lists['boxes'])} boxes but {len(values)} {key}; give one for each box")
    return lists


def _corners(boxes: list[Any], where: Callable[[str, int], str], box_format: str) -> tuple[np.ndarray, np.ndarray]:
    """Left, top, right and bottom of boxes, (m, 4), and their areas, (m,)."""
    for index, box in enumerate(boxes):
        if not is_list(box) or len(box) != 4:
            raise ValueError(
                f"{where('boxes', index)} is {describe(box)}; a box has 4 numbers, by box_format={box_format}"
            )
    edges = list(chain.from_iterable(boxes))
    corners = finite_numbers(edges, lambda index: f"{where('boxes', index // 4)}[{index % 4}]", LARGEST).reshape(-1, 4)
    if box_format == "xywh":
        sizes, advice = corners[:, 2:], "width and height must be at least 0"
    else:
        sizes = corners[:, 2:] - corners[:, :2]
        advice = "x2 must be at least x1 and y2 at least y1; for left, top, width, height give box_format=xywh"
    bad = np.flatnonzero((sizes < 0).any(axis=1))
    if len(bad):
        raise ValueError(f"{where('boxes', bad[0])} is {corners[bad[0]].tolist()}: {advice}")
    if box_format == "xywh":
        corners = np.hstack([corners[:, :2], corners[:, :2] + sizes])
    return corners, sizes[:, 0] * sizes[:, 1]


def _class_numbers(
    columns: Sequence[LabelColumn | None], counts: list[int], labels: LabelList | None, ids: Sequence[Any]
) -> tuple[list[np.ndarray], LabelList | None]:
    """The class numbers of the boxes of predictions and references, and the classes; 0 and None where boxes have none."""
    names = (PREDICTIONS, REFERENCES)
    bare = [index for index, column in enumerate(columns) if column is None]
    if len(bare) == 1 and counts[bare[0]]:
        name, other = names[1 - bare[0]], names[bare[0]]
        raise InputError(name, f"boxes of the {name} have labels, {other} have none; label both, or neither")
    if len(bare) == 2 and labels is None:
        return [np.zeros(count, np.int64) for count in counts], None
    if len(bare) == 2 and any(counts):
        raise ValueError("option labels names classes, but boxes have none; give every row its labels")
    known = [column or LabelColumn(name, []) for name, column in zip(names, columns, strict=True)]
    return code_columns(known, labels, ids)


def _field_of_all(rows: Sequence[Mapping[str, Any]], key: str, name: str, ids: Sequence[Any]) -> list[Any] | None:
    """A field that all rows with boxes have, or none: its values one after another."""
    with_boxes: list[tuple[int, Any]] = [(index, row.get(key)) for index, row in enumerate(rows) if len(row["boxes"])]
    absent = [index for index, values in with_boxes if values is None]
    if len(absent) == len(with_boxes):
        return None
    if absent:
        where = f"{name}[{absent[0]}]{with_id(ids, absent[0])}"
        raise ValueError(f"{where} has boxes without {key}, other rows have them; give all or none")
    return list(chain.from_iterable(values for _, values in with_boxes))


def _box_scores(
    rows: Sequence[Mapping[str, Any]], offsets: np.ndarray, where: Callable[[str, int], str], ids: Sequence[Any]
) -> np.ndarray | None:
    """The scores of the boxes that were found; None if boxes have none, which then are one per row."""
    if not offsets[-1]:
        return np.zeros(0)
    scores = _field_of_all(rows, "scores", PREDICTIONS, ids)
    if scores is not None:
        return finite_numbers(scores, partial(where, "scores"))
    several = np.flatnonzero(np.diff(offsets) > 1)
    if len(several):
        found = f"predictions[{several[0]}]{with_id(ids, several[0])} has several boxes but no scores"
        raise ValueError(f"{found}; give a score for each box, or one box per row")
    return None
