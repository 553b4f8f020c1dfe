"""Tables of labels and of scores, for metrics that score labels.

What a cell means, the other side decides too: labels of a CSV file are integers only where both sides have nothing
else. So a gold file keeps its labels as they are (`Gold.truth`), and the predictions bring both columns.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...core.columns import spelled, usual_roles
from ...core.file_columns import Column, Gold, Predictions
from ...core.ids import UniqueIds, matched_by_id, unique_ids
from ..arrow_columns import plain_names
from ..content import Content, Table
from ..reading import FileError, check_one_reference, twice_named
from ..tables import as_table, numbers_of, only_column, optional_column, pick_column
from . import BOTH, Format
from ._label_cells import PLAIN, agreed_labels, label_rows, without_nulls

# The usual names of each role: the first group with a column in the table counts, two of one group are refused.
_TRUE = (
    ("reference", "references", "gold", "golds", "true_label", "true_labels", "gold_label", "gold_labels", "y_true",
     "ground_truth", "target", "targets", "label", "labels"),
    ("class", "classes", "category", "categories"),
)  # fmt: skip
PREDICTED_LABELS = (
    ("prediction", "predictions", "predicted", "predicted_label", "predicted_labels", "pred", "preds", "y_pred",
     "output", "outputs"),
)  # fmt: skip
PREDICTED_SCORES = (
    ("score", "scores", "probability", "probabilities", "prob", "probs", "y_score", "confidence"),
    *PREDICTED_LABELS,
)  # fmt: skip
LABEL_NAMES = frozenset(name for groups in (_TRUE, PREDICTED_SCORES) for group in groups for name in group)
_IDS = ("id", "ids", "_id", "example_id", "image_id", "text_id", "doc_id", "uid")
_WEIGHTS = ("weight", "weights", "sample_weight")


def label_table(value: Any) -> Table | Any:
    """A JSON value as a table of labels or boxes: also a row, or columns of equal length, by their names; else None."""
    has_labels = isinstance(value, dict) and ("boxes" in value or not LABEL_NAMES.isdisjoint(map(spelled, value)))
    table = as_table(value, any_columns=has_labels)
    return Table({name: [cell] for name, cell in value.items()}, "JSON") if table is None and has_labels else table


def describe_labels(value: Any) -> tuple[str, frozenset[str]]:
    """The text of a table of labels, as `Format.describe` does."""
    table = label_table(value)
    return f"a table ({table.format}) with the columns {', '.join(table.columns)}", BOTH


def label_format(
    metric: str,
    predicted: tuple[tuple[str, ...], ...],
    columns: Callable[[str, Column, Gold, str | None], dict[str, list]],
    alone: tuple[tuple[str, ...], ...] = (),
    text_cells: Callable[[str, list, str, Gold], list] | None = None,
    **attributes: Any,
) -> Format:
    """The format of tables of labels, where the metric is requested.

    Args:
        predicted: groups of usual names of columns of predictions: the first group with a column in the table counts.
        columns: (path, predicted, gold, separator) -> the columns of both sides.
        alone: more such groups, for predictions in a separate file.
        text_cells: (path, cells, name of the column, gold) -> what cells of text files mean; None: `columns` says it.
    """

    def read_gold(content: Content, names: Mapping[str, str]) -> Gold:
        """A table with a column of true labels; other columns with one value per row become details.

        A cell is a label or a list of labels: in text files a JSON list, or labels with a separator between.
        """
        path, table = content.path, label_table(content.value)
        check_one_reference(path, names, metric)
        column = pick_column(path, table, "references", _free(table, "references", _TRUE, names), names)
        found, ids, picked = ids_and_weights(path, table, names)
        picked = {**names, **picked, "references": column}
        usual = _free(table, "predictions", predicted, picked)
        named = [picked.pop("predictions")] if "predictions" in picked else None
        of_system = usual if named is None else [name for name in named if name in table.columns and name != column]
        if len(of_system) == 1:
            picked["predictions"] = of_system[0]
        details = details_of(table, {*picked.values(), *usual[:1]})
        scores = {name for group in PREDICTED_SCORES for name in group}
        given = {name: details.pop(name) for name in list(details) if spelled(name) in scores}
        truth = Column(table.columns[column], table.is_text)
        return Gold(
            path, "labels", found, {}, ids, details, picked, truth=truth, given=given, may_hold_predictions=True
        )

    def read_predictions(content: Content, gold: Gold, names: Mapping[str, str]) -> Predictions:
        """A table with a column of predicted labels, or of scores, for the rows of the gold file; it may be the same file.

        A cell is a label, a list of labels, or `{label: score}`; of scores a number, `{class: score}`, or a list with a
        number per class. Rows are matched by id where both files have ids, and else by their order.
        """
        path, table = content.path, label_table(content.value)
        is_gold_file = path == gold.path
        if is_gold_file:
            names = {**gold.names, **names}
        groups = predicted if is_gold_file else (*predicted, *alone)
        advice = ", or give a file of predictions too" if is_gold_file else ""
        column = pick_column(path, table, "predictions", _free(table, "predictions", groups, names), names, advice)
        if is_gold_file and column == gold.names["references"]:
            raise twice_named(path, column)
        cells = without_nulls(table.columns[column]) if table.is_typed else table.columns[column]
        if table.is_text and text_cells:
            cells = text_cells(path, cells, column, gold)
        cells, ids = in_gold_order(path, table, cells, gold, names)
        picked, found = {**ids, "predictions": column}, Column(cells, table.is_text)
        separator = names.get("separator")
        if gold.truth is not None:
            return Predictions(path, columns(path, found, gold, separator), names=picked)
        # For a matrix of label numbers, or boxes.
        rows, _ = agreed_labels(label_rows(path, found, gold, separator), [0], table.is_text, gold)
        return Predictions(path, {"predictions": rows}, names=picked)

    return Format(
        "labels",
        "a table of labels",
        metric,
        lambda value, requested: requested == metric and label_table(value) is not None,
        order=50,
        read_gold=read_gold,
        read_predictions=read_predictions,
        describe=describe_labels,
        is_table=True,
        compared={"labels": "references"},
        **attributes,
    )


def in_gold_order(
    path: str, table: Table, cells: list, gold: Gold, names: Mapping[str, str]
) -> tuple[list, dict[str, str]]:
    """The cells in the order of the gold file, by id where the file has a column of ids and is not the gold file itself,
    and that column by its role.

    Raises:
        FileError: the gold file has no ids, a gold row has no cell, or a cell no gold row.
    """
    named = "ids" in names and names["ids"] in table.columns
    there = [names["ids"]] if named else _first_group(table, (_IDS,))
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


def ids_and_weights(
    path: str, table: Table, names: Mapping[str, str]
) -> tuple[dict[str, Any], list | None, dict[str, str]]:
    """The columns ids and weights, the ids, and which columns these are."""
    picked = {}
    for role, usual in (("ids", _IDS), ("weights", _WEIGHTS)):
        column = optional_column(path, table, role, _first_group(table, (usual,)), names)
        if column is not None:
            picked[role] = column
    columns: dict[str, Any] = {}
    if "ids" in picked:
        columns["ids"] = ids_column(path, table, picked["ids"])
    if "weights" in picked:
        columns["weights"] = numbers_of(path, table, picked["weights"])
    return columns, columns.get("ids"), picked


def ids_column(path: str, table: Table, name: str) -> UniqueIds:
    """A column of distinct ids."""
    ids = table.columns[name]

    def refusal(row: int) -> FileError:
        advice = "give every row a distinct id, or say which column has the ids "
        return FileError(path, f'row {row}: duplicate id {ids[row]!r}; {advice}with columns={{"ids": "NAME"}}')

    try:
        return unique_ids(ids, f"column {name}", refusal)
    except (TypeError, ValueError) as error:
        raise error if isinstance(error, FileError) else FileError(path, str(error)) from None


def details_of(table: Table, taken: set[str]) -> dict[str, list]:
    """The columns with one value per row that do not serve as something else."""
    columns = {name: table.columns[name] for name in plain_names(table.columns) if name not in taken}
    return {name: cells for name, cells in columns.items() if set(map(type, cells)) <= {*PLAIN, type(None)}}


def _free(table: Table, role: str, groups: Iterable[Iterable[str]], names: Mapping[str, str]) -> list[str]:
    """The columns with a usual name of a role that do not serve as another."""
    return _first_group(table, groups, {name for other, name in names.items() if other != role})


def _first_group(table: Table, groups: Iterable[Iterable[str]], taken: Iterable[str] = ()) -> list[str]:
    """The columns of the first group of usual names that has any."""
    there = usual_roles((name for name in table.columns if name not in taken), dict(enumerate(groups)))
    return next(iter(there.values()), [])
