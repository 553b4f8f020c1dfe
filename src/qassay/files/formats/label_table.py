"""Tables of labels, of scores and of boxes, for the metrics that score labels.

What a cell means, the other file decides too: labels of a CSV file are integers only where both files have nothing
else. So a gold file keeps its labels as they are (`Gold.truth`), and the predictions bring both columns.
"""

import functools
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from ...core.columns import spelled, usual_roles
from ...core.file_columns import Column, Gold, Predictions
from ...core.ids import matched_by_id
from ..content import Content, Table
from ..reading import FileError, check_one_reference, number_cells, twice_named
from ..tables import Names, as_table, numbers_of, only_column, optional_column, pick_column
from . import BOTH, Format
from ._cells import (
    PLAIN,
    as_integer,
    details_of,
    ids_column,
    list_cell,
    split_cell,
    truth_value,
    without_nulls,
)

LABELS_OF, SCORES_OF = "label_metrics", "average_precision"
# The usual names of each role: the first group with a column in the table counts, two of one group are refused.
_Groups = tuple[tuple[str, ...], ...]
_TRUE: _Groups = (
    ("reference", "references", "gold", "golds", "true_label", "true_labels", "gold_label", "gold_labels", "y_true",
     "ground_truth", "target", "targets", "label", "labels"),
    ("class", "classes", "category", "categories"),
)  # fmt: skip
_PREDICTED_LABELS: _Groups = (
    ("prediction", "predictions", "predicted", "predicted_label", "predicted_labels", "pred", "preds", "y_pred",
     "output", "outputs"),
)  # fmt: skip
_PREDICTED_SCORES: _Groups = (
    ("score", "scores", "probability", "probabilities", "prob", "probs", "y_score", "confidence"),
    *_PREDICTED_LABELS,
)  # fmt: skip
_PREDICTED = {LABELS_OF: _PREDICTED_LABELS, SCORES_OF: _PREDICTED_SCORES}
_ALONE: _Groups = (("label", "labels"), _TRUE[1])  # predicted labels in a file without true ones
_NAMES_OF_SCORES = frozenset(chain.from_iterable(_PREDICTED_SCORES))
_NAMES_OF_LABELS = _NAMES_OF_SCORES.union(*_TRUE)
_OF_EXAMPLES = {
    "ids": ("id", "ids", "_id", "example_id", "image_id", "text_id", "doc_id", "uid"),
    "weights": ("weight", "weights", "sample_weight"),
}
_BOX_FIELDS = ("boxes", "scores", "labels")
_INDICES = {"indices", "scores"}  # fields of a row of scored label numbers
_LIST = (
    'labels; write it as ["a", "b"], or name the separator of labels, for example columns={"separator": ";"} (one label per '
    "row: the option task=single)"
)


def _table_of(value: Any) -> Table | Any:
    """A JSON value as a table of labels or boxes: also a row, or columns of equal length, by their names; else None."""
    has_labels = isinstance(value, dict) and ("boxes" in value or not _NAMES_OF_LABELS.isdisjoint(map(spelled, value)))
    table = as_table(value, any_columns=has_labels)
    return Table({name: [cell] for name, cell in value.items()}, "JSON") if table is None and has_labels else table


def _describe(value: Any) -> tuple[str, frozenset[str]]:
    table = _table_of(value)
    return f"a table ({table.format}) with the columns {', '.join(table.columns)}", BOTH


def _free(table: Table, role: str, groups: Iterable[Iterable[str]], names: Names) -> list[str]:
    """The columns of the first group of usual names that has any which do not serve as another role."""
    taken = {name for other, name in names.items() if other != role}
    there = usual_roles((name for name in table.columns if name not in taken), dict(enumerate(groups)))
    return next(iter(there.values()), [])


def _ids_and_weights(path: str, table: Table, names: Names) -> tuple[dict[str, Any], dict[str, str]]:
    """The columns ids and weights, and which columns of the table these are."""
    columns: dict[str, Any] = {}
    picked = {}
    for role, usual in _OF_EXAMPLES.items():
        name = optional_column(path, table, role, _free(table, role, (usual,), {}), names)
        if name is not None:
            picked[role] = name
            columns[role] = ids_column(path, table, name) if role == "ids" else numbers_of(path, table, name)
    return columns, picked


def _in_gold_order(path: str, table: Table, cells: list, gold: Gold, names: Names) -> tuple[list, dict[str, str]]:
    """The cells in the order of the gold file, by id where the file has a column of ids and is not the gold file itself,
    and that column by its role.

    Raises:
        FileError: the gold file has no ids, a gold row has no cell, or a cell no gold row.
    """
    there = [names["ids"]] if names.get("ids") in table.columns else _free(table, "ids", (_OF_EXAMPLES["ids"],), {})
    if not there or path == gold.path:
        return cells, {}
    name = only_column(path, "ids", [name for name in there if spelled(name) == spelled(there[0])])
    if gold.ids is None:
        raise FileError(
            path,
            f"predictions have ids (in the column {name}), but {gold.path} has none; name its column with "
            'columns={"ids": "NAME"}, or omit the ids to match row by row',
        )
    by_id = dict(zip(ids_column(path, table, name), cells, strict=True))
    try:
        return matched_by_id(by_id, gold.ids, "predictions", others=False), {"ids": name}
    except ValueError as error:
        raise FileError(path, str(error)) from None


# --- labels and scores ------------------------------------------------------------------------------------------------


def _read_gold(metric: str, content: Content, names: Names) -> Gold:
    """A table with a column of true labels; other columns with one value per row become details.

    A cell is a label or a list of labels: in text files a JSON list, or labels with a separator between.
    """
    path, table = content.path, _table_of(content.value)
    check_one_reference(path, names, metric)
    column = pick_column(path, table, "references", _free(table, "references", _TRUE, names), names)
    columns, picked = _ids_and_weights(path, table, names)
    picked = {**names, **picked, "references": column}
    usual = _free(table, "predictions", _PREDICTED[metric], picked)
    of_system = usual
    if (named := picked.pop("predictions", None)) is not None:
        of_system = [named] if named in table.columns and named != column else []
    if len(of_system) == 1:
        picked["predictions"] = of_system[0]
    details = details_of(table, {*picked.values(), *usual[:1]})
    given = {name: details.pop(name) for name in list(details) if spelled(name) in _NAMES_OF_SCORES}
    truth = Column(table.columns[column], table.is_text)
    ids = columns.get("ids")
    return Gold(path, "labels", columns, {}, ids, details, picked, truth=truth, given=given, may_hold_predictions=True)


def _read_predictions(metric: str, content: Content, gold: Gold, names: Names) -> Predictions:
    """A table with a column of predicted labels, or of scores, for the rows of the gold file; it may be the same file.

    A cell is a label, a list of labels, or `{label: score}`; of scores a number, `{class: score}`, or a list with a
    number per class. Rows are matched by id where both files have ids, and else by their order.
    """
    path, table = content.path, _table_of(content.value)
    is_gold_file = path == gold.path
    names = {**gold.names, **names} if is_gold_file else names
    groups = (*_PREDICTED[metric], *(_ALONE if metric == LABELS_OF and not is_gold_file else ()))
    advice = ", or give a file of predictions too" if is_gold_file else ""
    column = pick_column(path, table, "predictions", _free(table, "predictions", groups, names), names, advice)
    if is_gold_file and column == gold.names["references"]:
        raise twice_named(path, column)
    cells = without_nulls(table.columns[column]) if table.is_typed else table.columns[column]
    if table.is_text and metric == SCORES_OF and gold.options.get("task") != "boxes":
        are_lists = cells[:1] and cells[0].startswith(("[", "{"))
        cells = _list_cells(path, cells) if are_lists else number_cells(path, cells, column)
    cells, ids = _in_gold_order(path, table, cells, gold, names)
    columns = _both_columns(metric, path, Column(cells, table.is_text), gold, names.get("separator"))
    return Predictions(path, columns, names={**ids, "predictions": column})


def _both_columns(metric: str, path: str, found: Column, gold: Gold, separator: str | None) -> dict[str, list]:
    """The predictions, and the true labels where the gold file is a table of them, and not of boxes or a matrix."""
    if gold.options.get("task") == "boxes":
        boxes = {"predictions": (path, found), "references": (gold.path, gold.truth)}
        return {
            name: _list_cells(of, column.cells) if column.is_text else column.cells
            for name, (of, column) in boxes.items()
            if column is not None
        }
    are_labels = metric == LABELS_OF
    rows = _label_rows(path, found, gold, separator) if are_labels else found.cells
    several = bool(rows) and isinstance(rows[0], (list, dict))
    given = gold.truth or Column([], False)
    truth = _label_rows(gold.path, given, gold, separator) if several or are_labels else given.cells
    if are_labels or several and isinstance(rows[0], dict):
        rows, truth = _agreed(rows, truth, given.is_text or found.is_text, gold)
    else:
        truth = _agreed([], truth, given.is_text, gold)[1]
    if gold.truth is None:
        return {"predictions": rows}
    return {"predictions": rows, "references": _as_lists(truth) if several and are_labels else truth}


def true_labels(gold: Gold) -> dict[str, list]:
    """The true labels of a table as the column for predictions that are numbers of labels, a list in every row."""
    if gold.truth is None:
        return {}
    truth = _label_rows(gold.path, gold.truth, gold, gold.names.get("separator"))
    return {"references": _as_lists(_agreed([], truth, gold.truth.is_text, gold)[1])}


def _as_lists(truth: list) -> list:
    return truth if truth and isinstance(truth[0], list) else [[label] for label in truth]


def _label_rows(path: str, column: Column, gold: Gold, separator: str | None) -> list:
    """The cells of a column as labels, lists or dicts."""
    cells = column.cells
    if separator is not None:
        return [split_cell(cell, separator) if isinstance(cell, str) else cell for cell in cells]
    if not column.is_text:
        return cells
    first = next((cell for cell in cells if cell), "")
    task, lists = gold.options.get("task"), ("multi",) if column is gold.truth else ("multi", "ranked")
    if task in lists or (task != "single" and first.startswith(("[", "{"))):
        return _list_cells(path, cells)
    if "" in cells:
        raise FileError(path, f"row {cells.index('')} has no label; give one in every row, for example none")
    return cells


def _list_cells(path: str, cells: list[str]) -> list:
    """Cells of text as lists or objects of labels; an empty cell has no label."""
    return [list_cell(path, row, cell, _LIST) if cell.strip() else [] for row, cell in enumerate(cells)]


def _agreed(rows: list, truth: list, is_text: bool, gold: Gold) -> tuple[list, list]:
    """Labels of predictions and references as one type, where files of text or JSON keys left it open.

    They are integers if all labels of both are, and text if one of them has only text.
    """
    if rows and isinstance(rows[0], dict) and rows[0].keys() == _INDICES:
        return rows, _agreed([], truth, is_text, gold)[1]
    labels = [*_labels_in(rows), *_labels_in(truth)]
    kinds = set(map(type, labels))
    if not kinds <= PLAIN:  # the metric says what is wrong
        return rows, truth
    keys = bool(rows) and isinstance(rows[0], dict)
    labels_option = gold.options.get("labels")
    named = [*(labels_option if isinstance(labels_option, (list, tuple)) else ()), gold.options.get("pos_label")]
    parse: Callable[[Any], Any] = str
    if not any(isinstance(label, str) for label in named):
        if not is_text and len(kinds) <= 1:
            return rows, truth
        parsers = [functools.lru_cache(None, typed=True)(one) for one in (as_integer, truth_value)]
        found = (one for one in parsers if None not in map(one, labels))
        parse = next(found, str if is_text or keys else lambda label: label)
    return _parsed(rows, parse), _parsed(truth, parse)


def _labels_in(rows: list) -> Iterable[Any]:
    """The labels of all rows: labels, or lists or dicts of labels where the first row is one."""
    if not rows or not isinstance(rows[0], (list, dict)):
        return rows
    return chain.from_iterable(row if isinstance(row, (list, dict)) else (row,) for row in rows)


def _parsed(cell: Any, parse: Callable[[Any], Any]) -> Any:
    """A label, the labels of a list or dict, or those of all rows of a column."""
    if isinstance(cell, dict):
        return {parse(label): score for label, score in cell.items()}
    if not isinstance(cell, list):
        return parse(cell)
    if cell and isinstance(cell[0], (list, dict)):
        return [_parsed(part, parse) for part in cell]
    return list(map(parse, cell))


# --- boxes ------------------------------------------------------------------------------------------------------------


def _has_boxes(value: Any, metric: str | None) -> bool:
    """Whether rows have boxes, as in `{"id": ..., "boxes": [[0, 0, 5, 5]], "labels": ["cat"]}`."""
    table = _table_of(value) if metric in (None, SCORES_OF) else None
    if table is None or table.is_text or "boxes" not in table.columns:
        return False
    return not isinstance(next(iter(table.columns["boxes"]), None), str)


def _read_gold_boxes(content: Content, names: Names) -> Gold:
    table = _table_of(content.value)
    columns, picked = _ids_and_weights(content.path, table, names)
    columns["references"] = _boxes(table, ("boxes", "labels"))
    details = details_of(table, {*picked.values(), *_BOX_FIELDS})
    return Gold(content.path, "boxes", columns, {"task": "boxes"}, columns.get("ids"), details, names=picked)


def _read_found_boxes(content: Content, gold: Gold, names: Names) -> Predictions:
    table = _table_of(content.value)
    rows, picked = _in_gold_order(content.path, table, _boxes(table, _BOX_FIELDS), gold, names)
    return Predictions(content.path, {"predictions": rows}, names=picked)


def _boxes(table: Table, fields: Iterable[str]) -> list[dict]:
    """The fields that each row has."""
    there = {name: table.columns[name] for name in fields if name in table.columns}
    rows = zip(*there.values(), strict=True)
    return [{name: cell for name, cell in zip(there, row, strict=True) if cell is not None} for row in rows]


# --- formats ----------------------------------------------------------------------------------------------------------


def _format(metric: str, role: str) -> Format:
    return Format(
        "labels",
        "a table of labels",
        metric,
        lambda value, requested: requested == metric and _table_of(value) is not None,
        order=50,
        read_gold=functools.partial(_read_gold, metric),
        read_predictions=functools.partial(_read_predictions, metric),
        describe=_describe,
        is_table=True,
        roles=(role,),
        compared={"labels": "references"},
    )


# The role separator is not a column, but the text between the labels of a cell.
LABELS, SCORES = _format(LABELS_OF, "separator"), _format(SCORES_OF, "score")
BOXES = Format(
    "boxes",
    "rows of boxes",
    SCORES_OF,
    _has_boxes,
    order=49,
    read_gold=_read_gold_boxes,
    read_predictions=_read_found_boxes,
    describe=_describe,
    is_table=True,
)
