"""Tables of labels, of scores and of boxes, for the metrics that score labels.

The meaning of a cell depends on both files: labels of a CSV file are integers only if both files have nothing but
integers. So a gold file keeps its labels as texts (`Gold.truth`), and reading the predictions returns both columns.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

from ...core.columns import rows_of_table, spelled, usual_roles
from ...core.file_columns import Column, Gold, Predictions
from ...core.ids import values_by_id
from ..columns import PLAIN, Columns, names_here, only_column
from ..content import Content, Table
from ..reading import FileError, check_one_reference, number_cells, twice_named
from ..tables import Names, as_table, paths_of
from . import BOTH, Format
from ._cells import as_integer, list_cell, split_cell, truth_value, without_nulls

LABELS_OF, SCORES_OF = "label_metrics", "average_precision"
_USUAL = {
    "ids": ("id", "ids", "_id", "example_id", "image_id", "text_id", "doc_id", "uid"),
    "weights": ("weight", "weights", "sample_weight"),
    "references": ("reference", "references", "gold", "golds", "true_label", "true_labels", "gold_label", "gold_labels", "y_true",
                   "ground_truth", "target", "targets", "label", "labels"),
    "predictions": ("prediction", "predictions", "predicted", "predicted_label", "predicted_labels", "pred", "preds", "y_pred",
                    "output", "outputs"),
    "score": ("score", "scores", "probability", "probabilities", "prob", "probs", "y_score", "confidence"),
    "label": ("label", "labels"),  # predicted ones in a file without true ones
    "class": ("class", "classes", "category", "categories"),  # true ones, or predicted ones in a file without
}  # fmt: skip
_NAMES_OF_SCORES = frozenset((*_USUAL["predictions"], *_USUAL["score"]))
_NAMES_OF_LABELS = _NAMES_OF_SCORES.union(_USUAL["references"], _USUAL["class"])
_BOX_FIELDS = ("boxes", "scores", "labels")
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
    return f"a table ({table.format}) with the columns {', '.join(paths_of(table.columns))}", BOTH


def _columns(content: Content, names: Names) -> Columns:
    table = _table_of(content.value)
    return Columns(content.path, table, names, usual_roles(table.columns, _USUAL))


def _of_examples(columns: Columns) -> dict[str, Any]:
    """The columns ids and weights."""
    columns.optional("ids", "weights")
    there = {"ids": columns.unique_ids(), "weights": columns.numbers("weights")}
    return {role: cells for role, cells in there.items() if cells is not None}


def _in_gold_order(columns: Columns, cells: list, gold: Gold) -> list:
    """The cells in the order of the gold file, by id where the file has a column of ids and is not the gold file itself."""
    ids = columns.free("ids")
    if not ids or columns.path == gold.path:
        return cells
    alike = [name for name in ids if spelled(name) == spelled(ids[0])]
    columns.picked["ids"] = only_column(columns.path, "ids", alike)
    if gold.ids is None:
        found = f"predictions have ids (in the column {alike[0]}), but {gold.path} has none; name its column with "
        raise ValueError(f'{found}columns={{"ids": "NAME"}}, or omit the ids to match row by row')
    by_id = dict(zip(columns.unique_ids() or (), cells, strict=True))
    return values_by_id(by_id, gold.ids, "predictions", others=False)


# --- labels and scores ------------------------------------------------------------------------------------------------


def _read_gold(metric: str, content: Content, names: Names) -> Gold:
    """A table with a column of true labels; other columns with one value per row become details.

    A cell is a label or a list of labels: in text files a JSON list, or labels with a separator between.
    """
    check_one_reference(content.path, names, metric)
    columns = _columns(content, names)
    column = columns.require("references", "class")
    given = _of_examples(columns)
    predicted = _predicted(metric, columns)
    details = columns.others(*predicted[:1])
    of_system = {name: details.pop(name) for name in list(details) if spelled(name) in _NAMES_OF_SCORES}
    picked = {role: name for role, name in names.items() if role != "predictions"} | columns.picked
    picked |= {"predictions": predicted[0]} if len(predicted) == 1 else {}
    truth = Column(columns.table.columns[column], columns.table.is_text)
    return Gold(
        content.path, "labels", given, {}, given.get("ids"), details, picked, truth=truth, given=of_system,
        may_hold_predictions=True, compared="references",
    )  # fmt: skip


def _predicted(metric: str, columns: Columns, *others: str) -> list[str]:
    """The columns that could hold predicted labels, or scores."""
    if metric == SCORES_OF and "predictions" not in columns.names:
        return columns.free("score", "predictions")
    return columns.free("predictions", *others)


def _read_predictions(metric: str, content: Content, gold: Gold, names: Names) -> Predictions:
    """A table with a column of predicted labels, or of scores, for the rows of the gold file; it may be the same file.

    A cell is a label, a list of labels, or `{label: score}`; of scores a number, `{class: score}`, or a list with a
    number per class. Rows are matched by id if both files have ids, otherwise by order.
    """
    path, is_gold_file = content.path, content.path == gold.path
    columns = _columns(content, names)
    table = columns.table
    columns.names = names_here(path, table, gold, names)
    if metric == SCORES_OF:
        columns.usual = {**columns.usual, "predictions": _predicted(metric, columns)}
    others = ("label", "class") if metric == LABELS_OF and not is_gold_file else ()
    column = columns.require("predictions", *others, advice=", or give a file of predictions too" * is_gold_file)
    if is_gold_file and column == gold.names["references"]:
        raise twice_named(path, column)
    cells = without_nulls(table.columns[column]) if table.is_typed else table.columns[column]
    if table.is_text and metric == SCORES_OF:
        are_lists = cells[:1] and cells[0].startswith(("[", "{"))
        cells = _list_cells(path, cells) if are_lists else number_cells(path, cells, column)
    found = Column(_in_gold_order(columns, cells, gold), table.is_text)
    given = _both_columns(metric, path, found, gold, columns.names.get("separator"))
    return Predictions(path, given, names=columns.picked)


def _both_columns(metric: str, path: str, found: Column, gold: Gold, separator: str | None) -> dict[str, list]:
    """The predictions, and the true labels where the gold file is a table of them, and not a matrix."""
    are_labels, truth = metric == LABELS_OF, gold.truth or Column([], False)
    rows = _label_rows(path, found, gold, separator) if are_labels else found.cells
    first = rows[0] if rows else None
    are_rows, have_labels = isinstance(first, (list, dict)), are_labels or isinstance(first, dict)
    golds = _label_rows(gold.path, truth, gold, separator) if are_labels or are_rows else truth.cells
    is_text = truth.is_text or found.is_text and have_labels
    labels, golds = _agreed(rows if have_labels else [], golds, is_text, gold)
    if are_labels and are_rows and not isinstance(next(iter(golds), None), list):
        golds = [[label] for label in golds]
    given = {"predictions": labels if have_labels else rows}
    return given if gold.truth is None else {**given, "references": golds}


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
    try:
        return [list_cell(row, cell, _LIST) if cell.strip() else [] for row, cell in enumerate(cells)]
    except ValueError as error:
        raise FileError(path, str(error)) from None


def _agreed(rows: list, truth: list, is_text: bool, gold: Gold) -> tuple[list, list]:
    """Labels of predictions and references as one type, if files of text or keys of JSON leave it open.

    They are integers if all labels of both are, and text if one of them has only text.
    """
    first = rows[0] if rows else None
    labels: list[Any] = []
    _each_label([rows, truth], labels.append)
    kinds = set(map(type, labels))
    options = gold.options.get("labels")
    named = [*(options if isinstance(options, (list, tuple)) else ()), gold.options.get("pos_label")]
    are_texts = any(isinstance(label, str) for label in named)
    if (
        not kinds <= PLAIN or not are_texts and not is_text and len(kinds) <= 1
    ):  # of other kinds the metric says what is wrong
        return rows, truth
    parsers = [] if are_texts else [functools.lru_cache(None, typed=True)(one) for one in (as_integer, truth_value)]
    usual = str if are_texts or is_text or isinstance(first, dict) else lambda label: label
    parse = next((one for one in parsers if None not in map(one, labels)), usual)
    return _each_label(rows, parse), _each_label(truth, parse)


def _each_label(cell: Any, parse: Callable[[Any], Any]) -> Any:
    """A label, the labels of a list or dict, or those of all rows of a column, after a function."""
    if isinstance(cell, dict):
        return {parse(label): score for label, score in cell.items()}
    if not isinstance(cell, list):
        return parse(cell)
    is_nested = bool(cell) and isinstance(cell[0], (list, dict))
    return [_each_label(part, parse) for part in cell] if is_nested else list(map(parse, cell))


# --- boxes ------------------------------------------------------------------------------------------------------------


def _has_boxes(value: Any, metric: str | None) -> bool:
    """Whether rows have boxes, as in `{"id": ..., "boxes": [[0, 0, 5, 5]], "labels": ["cat"]}`."""
    table = _table_of(value) if metric in (None, SCORES_OF) else None
    if table is None or table.is_text or "boxes" not in table.columns:
        return False
    return not isinstance(next(iter(table.columns["boxes"]), None), str)


def _read_gold_boxes(content: Content, names: Names) -> Gold:
    columns = _columns(content, names)
    given = _of_examples(columns)
    details = columns.others(*_BOX_FIELDS)
    given["references"] = _boxes(columns.table, ("boxes", "labels"))
    return Gold(content.path, "boxes", given, {"task": "boxes"}, given.get("ids"), details, names=columns.picked)


def _read_found_boxes(content: Content, gold: Gold, names: Names) -> Predictions:
    columns = _columns(content, names)
    rows = _in_gold_order(columns, _boxes(columns.table, _BOX_FIELDS), gold)
    return Predictions(content.path, {"predictions": rows}, names=columns.picked)


def _boxes(table: Table, fields: Iterable[str]) -> list[dict]:
    """The fields that each row has."""
    rows = rows_of_table({name: table.columns[name] for name in fields if name in table.columns})
    return [{name: cell for name, cell in row.items() if cell is not None} for row in rows]


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
