"""Scores a whole table of a library (a data set, a data frame, ...) by columns with usual names, like a file."""

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any

from .core.options import keyword_names
from .core.remarks import remark
from .core.scores import Scores
from .core.shown import describe, shown
from .files.content import Content, Table
from .files.kinds import files_of
from .files.roles import all_roles, column_names
from .files.tables import Names, check_column, each_column, table_of_data
from .labelling import with_groups_of_table
from .registry import Family
from .run_files import require_same_gold, run_files
from .scoring import Scored, read_gold_for, score_systems, tell_of_runs, told_of_columns
from .system_files import system_files

_TABLE = "the table"


def lone_table(family: Family, data: Any, columns: Any) -> Table | None:
    """The only argument of a metric as a table that includes gold data; None if it is not such a table.

    Args:
        columns: role -> column, for columns without a usual name; None if no column is named.
    """
    table = table_of_data(data)
    if table is None or columns is not None:
        return table
    function, _ = family.load()
    by_name = inspect.signature(function).parameters
    needs_more = [
        name for name in ("references", "qrels") if name in by_name and by_name[name].default is inspect._empty
    ]
    return table if needs_more or files_of(family.reading.kinds).has_roles(table, {}) else None


def score_table(family: Family, table: Table, columns: Any, options: Mapping[str, Any]) -> Scores:
    """Score a table that contains predictions and gold data.

    Args:
        columns: role -> column; None for the usual names. The column of the role "groups", which is never guessed, says
            which examples belong together.
        options: options of the family.

    Raises:
        ValueError: no column, or several, that could have a role; several systems. TypeError: an option that the family
            does not have.

    Warns:
        UserWarning: the role of a column was guessed.
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise TypeError(f"columns must be a dict role -> column, such as {{'references': 'gold'}}; got {columns!r}")
    _check_names(family, options)
    named = dict(columns or {})
    groups = named.pop("groups", None)
    names = column_names(named)
    content = Content(_TABLE, table if groups is None else _without(table, groups, names))
    files = run_files(content, [], names)
    gold = read_gold_for(family.name, files.gold, files.names)[family.name]
    systems = files.marked(system_files({family.name: gold}, files.gold, files.paths, files.names, files.systems))
    called = list(dict.fromkeys(file.run_of[0] if file.run_of else file.name for file in systems))
    if len(called) != 1:
        roles = [role for first in systems[:1] for role, column in first.names.items() if column == called[0]]
        told = "".join(f"; score each with columns={{{role!r}: {called[0]!r}}}, ..." for role in roles[:1])
        raise ValueError(f"{_TABLE} has predictions of {len(called)} systems, but one is scored{told}")
    require_same_gold(gold, systems)
    gold = gold.with_options(options)
    scored = Scored(family, gold, score_systems(family.name, gold, systems))
    (scores,) = scored.scores.values()
    if groups is not None:
        role = "ids" if files.runs and "ids" in gold.names else "query"
        scores = with_groups_of_table(scores, gold, table, groups, role)
    for line in told_of_columns([scored], names):
        remark(line)
    tell_of_runs(scored.scores)
    return scores


def _check_names(family: Family, options: Mapping[str, Any]) -> None:
    """Refuse names that are not options; if the name is a column, the message says how to give it."""
    options_class = family.load()[1]
    for name in {*all_roles(), "groups"} & options.keys() - {*keyword_names(options_class)}:
        column = shown(options[name]) if isinstance(options[name], str) else "..."
        raise TypeError(
            f"{family.name} has no option {name!r}; name a column of the table by columns={{{name!r}: {column}}}"
        )
    options_class.check_names(options)


def _without(table: Table, groups: Any, names: Names) -> Table:
    """The table without the column of groups, unless that column is also named for another role."""
    if not isinstance(groups, str):
        raise ValueError(f"columns: the role groups needs the name of a column; got {describe(groups)}")
    check_column(_TABLE, table, groups)
    if groups in each_column(names.values()):
        return table
    return dataclasses.replace(table, columns={name: cells for name, cells in table.columns.items() if name != groups})
