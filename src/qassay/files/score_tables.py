"""Scores of numbers per example that another tool made, given in Python: one table, or columns."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.columns import check_lengths, index_of, is_table, to_list, usual_roles
from ..core.errors import InputError
from ..core.ids import values_by_id
from ..core.remarks import public
from ..registry import OWN_SCORES
from .columns import check_column
from .content import IN_MEMORY, Content
from .number_tables import AS_MEASURES, USUAL, open_number_tables, table_of_numbers
from .roles import SYSTEM_ROLE
from .score_files import score_opened
from .tables import table_of_data


@public
def scores_of(
    numbers: Any,
    ids: Any = None,
    groups: Any = None,
    weights: Any = None,
    *,
    system: str | None = None,
    measures: Sequence[str] | str | None = None,
    **options: Any,
) -> Any:
    """Scores of numbers per example that another tool made, such as BERTScore, ragas, a judge or lm_eval.

    They have intervals, slices, paired tests, ranks, runs, reports and plots as the scores of any metric.

    Args:
        numbers: measure -> one number for each of n examples, or id -> number, or a series of pandas. True and False are 1
            and 0. Or a data frame, data set or rows: every column of numbers that has no other role is a measure, and a column
            of questions or gold answers shows that systems have the same examples.
        ids, groups, weights: one for each example; or the name of a column of `numbers`. Without ids, systems are matched by
            their order; a data frame with a column `id` needs no `ids`, and an index of pandas that has a name or does not just
            count the rows has the ids.
        system: the column of a data frame or rows with the system of each row.
        measures: the measures to read; None: every column of numbers.
        options: `lower_is_better` and `unbounded`, names of measures; and `missing`, how an example without a number of a
            measure (None or NaN) counts: it is refused ("error"), omitted from this measure and counted ("skip") or scores 0 ("zero").
            A measure with a value outside 0 to 1 is unbounded without the option.

    Returns:
        Scores: each measure is the mean of its numbers. With `system`, name of a system -> Scores.

    Raises:
        ValueError: columns of different length, an id that is there twice, a missing number, no column of numbers, or something
            that is no table. TypeError: an unknown option.

    Example:
        >>> import qassay
        >>> small = qassay.scores_of({"bertscore": [0.81, 0.93, 0.64], "right": [False, True, False]}, ids=["a", "b", "c"])
        >>> dict(small)
        {'bertscore': 0.7933333333333333, 'right': 0.3333333333333333}
        >>> rows = [{"id": n, "bot": bot, "judge": 5 - n % 2} for bot in ("old", "new") for n in range(4)]
        >>> {name: dict(scores) for name, scores in qassay.scores_of(rows, system="bot").items()}
        {'old': {'judge': 4.5}, 'new': {'judge': 4.5}}
    """
    given = {"ids": ids, "groups": groups, "weights": weights}
    names: dict[str, Any] = {role: column for role, column in given.items() if isinstance(column, str)}
    names |= {} if system is None else {SYSTEM_ROLE: system}
    columns = {role: column for role, column in given.items() if column is not None and role not in names}
    if index_of(numbers) is not None and not is_table(numbers):  # a series
        numbers = numbers.to_frame()
    if isinstance(numbers, Mapping) and not hasattr(numbers, "cache_files"):
        numbers = _listed(numbers, columns.get("ids"))
    if is_table(numbers) and hasattr(numbers, "reset_index"):
        numbers, index = _without_index(numbers, system)
        columns = {"ids": index} | columns if index and "ids" not in names else columns
    table = table_of_numbers(IN_MEMORY, numbers if isinstance(numbers, dict) else table_of_data(numbers) or numbers)
    for name in names.values():
        check_column(IN_MEMORY, table, name)
    known = names.get("ids", next(iter(usual_roles(table.columns, {"ids": USUAL["ids"]}).get("ids", ())), None))
    n_rows = len(next(iter(table.columns.values()), ()))
    by = to_list(columns.get("ids", range(n_rows) if known is None else table.columns[known]), "ids")
    columns = {role: _in_order(column, ids, by, role) for role, column in columns.items()}
    form = AS_MEASURES if isinstance(numbers, Mapping) else table.format
    content = Content(IN_MEMORY, dataclasses.replace(table, columns={**table.columns, **columns}, format=form))
    names |= {role: role for role in columns}
    measures = [measures] if isinstance(measures, str) else measures
    groups = names.get("groups")
    opened = open_number_tables({"": [content]}, names, measures, [groups])[""]
    (scored,) = score_opened(opened, options={OWN_SCORES: options}, groups=groups)
    found = scored.scores
    return found if system is not None else next(iter(found.values()))


def _listed(numbers: Mapping[Any, Any], ids: Any) -> Any:
    """A dict of columns as lists in one order, without the plain texts and numbers beside them, such as the hashcode of
    BERTScore; columns by id with a column of these ids; series of pandas without `ids` as a data frame, by their index.

    Raises:
        InputError: some columns are by id and others not, or one lacks an id.
    """
    columns = {str(of): cells for of, cells in numbers.items() if not isinstance(cells, (str, int, float, type(None)))}
    if ids is None and any(index_of(column) is not None for column in columns.values()):
        import pandas as pd

        return pd.DataFrame(columns)
    by_id = [name for name, column in columns.items() if isinstance(column, Mapping)]
    if ids is not None or not by_id:
        keys = None if ids is None else to_list(ids, "ids")
        lists = {name: _in_order(column, ids, keys, name) for name, column in columns.items()}
        check_lengths(**lists)
        return lists or dict(numbers)
    other = next((name for name in columns if name not in by_id), None)
    if other is not None:
        raise InputError(other, f"{other} has no ids, but {by_id[0]} has some", "give ids=, or all columns by id")
    keys = list(columns[by_id[0]])
    if len(keys) == 1 or len(keys) < len(columns):
        return columns  # more likely id -> measure -> number
    return {"id": keys, **{name: values_by_id(of, keys, name, others=False) for name, of in columns.items()}}


def _in_order(column: Any, ids: Any, keys: Sequence[Any] | None, name: str) -> list[Any]:
    """A column as a list: in the order of the keys, unless it has none, or is of one data frame with the ids."""
    index, of_ids = index_of(column), index_of(ids)
    is_of_frame = index is not None and of_ids is not None and index.equals(of_ids)
    return to_list(column, name) if is_of_frame or keys is None else values_by_id(column, keys, name)


def _without_index(frame: Any, system: str | None) -> tuple[Any, list[Any] | None]:
    """A data frame with the named levels of its index as columns; and its index, if it has ids: if it has a name or does not
    just count the rows, nor the rows of several systems, and no column has ids.
    """
    index = frame.index
    counts_rows = index.nlevels > 1 or index.name is None and index.tolist() == [*range(len(index))]
    of_rows = system is not None and index.is_unique  # and not of examples, which several systems have
    named = [name for name in index.names if name is not None and name not in frame.columns]
    frame = frame.reset_index(level=named) if named else frame
    is_known = "ids" in usual_roles(map(str, frame.columns), {"ids": USUAL["ids"]})
    return frame, None if counts_rows or of_rows or is_known else index.tolist()
