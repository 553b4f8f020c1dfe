"""Tables of examples: a row per system and example, written as Parquet, CSV or JSONL."""

import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.examples import Examples, gold_rows
from ..core.ragged import Ragged
from ..core.shown import no_formula, write_csv
from ..core.writing import write_whole
from .score_files import Scored
from .tables import each_column

_WRITERS = (".parquet", ".csv", ".jsonl")


def joined_examples(scored: Sequence[Scored], with_answers: bool = True) -> "dict[str, ExampleColumn]":
    """The tables of examples of several metrics joined to one, a row per system and id.

    Cells are empty if a metric does not score an example. If two metrics have a column with different values, the
    second column is prefixed with the name of its metric.

    Args:
        with_answers: include gold answers and answers.
    """
    joined: dict[str, ExampleColumn] = {}
    tables = [example_columns(metric, with_answers) for metric in scored]
    keys = [_keys_of(table) for table in tables]
    systems = list(dict.fromkeys(system for of in keys for system, _ in of))
    rows = sorted(dict.fromkeys(key for of in keys for key in of), key=lambda key: systems.index(key[0]))
    for metric, table, table_keys in zip(scored, tables, keys, strict=True):
        row_of = {key: row for row, key in enumerate(table_keys)}
        picked = None if table_keys == rows else [row_of.get(key) for key in rows]
        for name, column in table.items():
            if picked is not None:
                column = ExampleColumn(column.kind, [None if row is None else column[row] for row in picked])
            there = joined.get(name, column)
            both = list(zip(there, column, strict=True))
            alike = there.kind == column.kind
            if all(
                second is None or (alike or not second if first is None else _listed(first) == _listed(second))
                for first, second in both
            ):
                cells = [second if first is None and alike else first for first, second in both]
                joined[name] = ExampleColumn(there.kind, cells)
            else:
                joined[f"{metric.family.name}_{name}"] = column
    return joined


def _listed(cell: Any) -> Any:
    """A text as a list of one text: some metrics take one answer, others ranked answers."""
    return [cell] * bool(cell) if isinstance(cell, str) else cell


def _keys_of(table: "Mapping[str, ExampleColumn]") -> list[tuple[Any, str]]:
    """System and id of each row."""
    return list(zip(table.get("system", [None] * len(table["id"])), map(str, table["id"]), strict=True))


def check_example_file(path: str) -> None:
    """Refuse an ending that `write_examples` does not know, before scoring starts."""
    if Path(path).suffix.lower() not in _WRITERS:
        raise ValueError(f"--per-example {path}: the name must end with one of: {', '.join(_WRITERS)}")


def write_examples(path: str, table: "Mapping[str, ExampleColumn]") -> None:
    """Write a table of examples, name -> one value per row.

    The ending selects the format: Parquet, CSV or JSONL. A statistic that does not apply is an empty cell in CSV, and null
    in JSONL. In CSV, a text that a spreadsheet would read as a formula starts with an apostrophe.

    Raises:
        OSError: the file cannot be written; an existing file is unchanged.
    """
    form = Path(path).suffix.lower()
    if form == ".parquet":
        import pyarrow as pa
        from pyarrow import parquet

        arrow = {name: column.to_arrow() for name, column in table.items()}
        content = io.BytesIO()
        parquet.write_table(pa.table(arrow), content)
        write_whole(path, content.getvalue())
        return
    cells: Mapping[str, Any] = table
    if form == ".csv":  # lists as JSON, which the readers read as lists
        cells = {
            name: list(map(_json_list, column)) if column.kind.startswith("list") else column
            for name, column in table.items()
        }
    elif any(math.inf in column or -math.inf in column for column in table.values()):  # which JSON does not have
        cells = {
            name: [str(cell) if cell in (math.inf, -math.inf) else cell for cell in column]
            for name, column in table.items()
        }
    lines = io.StringIO(newline="")
    if form == ".csv":
        columns = (map(no_formula, column) if str in map(type, column) else column for column in cells.values())
        write_csv(lines, [map(no_formula, table)])
        write_csv(lines, zip(*columns, strict=True))
    else:
        rows = (dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True))
        lines.writelines(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)
    write_whole(path, lines.getvalue())


class ExampleColumn(list[Any]):
    """A column of a table of examples: one value per row, and its type in Parquet, independent of the values."""

    def __init__(self, kind: str, values: Iterable[Any] = ()):
        super().__init__(values)
        self.kind = kind

    def to_arrow(self) -> Any:
        """The column as a pyarrow.Array of its type."""
        import pyarrow as pa

        types = {
            "string": pa.string(),
            "list<string>": pa.list_(pa.string()),
            "double": pa.float64(),
            "list<double>": pa.list_(pa.float64()),
            "int64": pa.int64(),
            "bool": pa.bool_(),
        }
        try:
            return pa.array(self, types[self.kind])
        except (pa.ArrowException, UnicodeEncodeError):  # labels that are numbers, lone surrogates
            return pa.array(list(map(_arrow_text, self)), types[self.kind])


def _arrow_text(value: Any) -> str | list[Any] | None:
    if value is None or isinstance(value, list):
        return value and list(map(_arrow_text, value))
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def example_columns(scored: Scored, with_answers: bool = True) -> dict[str, ExampleColumn]:
    """One row per system and example: id, statistics, subsets, details of the gold file except contexts, gold answers and
    answers.

    The types do not depend on the values: ids, texts and labels are strings, statistics float64, subsets bool; a
    detail has the type of its column in the gold file.

    Args:
        with_answers: include the columns of `About.answer_cells`.

    Returns:
        Name -> one value per row, None for NaN.
    """
    gold, tables = scored.gold, []
    kinds: dict[str, str] = {}
    of_systems = [{*each_column(of.names.values())} for of in scored.systems.values() if of.path == gold.path]
    apart = {name for names in of_systems for name in names if not all(name in others for others in of_systems)}
    for system, of in scored.systems.items():
        rows = gold_rows(gold, of.scores)
        statistics = of.scores.per_example()
        cells = {"id": ("string", list(statistics.pop("id")))}
        if len(scored.systems) > 1:
            cells["system"] = ("string", [system] * len(rows))
        for name, column in statistics.items():
            cells[name] = (
                _kind_of_statistic(of.scores.columns.get(name, column), name in of.scores.coded),
                _plain(column),
            )
        answers = scored.family.about.answer_cells(Examples(gold, of.columns, of.scores)) if with_answers else {}
        details = [(name, column) for name, column in gold.details.items() if name != "context"]
        if of.path == gold.path:
            serves = [of.picked[role] for role in ("predictions", "answers") if role in of.picked]
            served = {*each_column(serves)} if "prediction" in answers else set()
            is_there = answers.keys() & {*each_column(gold.names.values())} | apart | served  # the predictions
            details += [(name, column) for name, column in gold.given.items() if name not in is_there]
        for name, column in details:
            picked = _plain([column[row] for row in rows])
            cells[_free_name(name, cells, answers)] = (_kind_of_detail(column), picked)
        cells |= answers
        kinds |= {name: kind for name, (kind, _) in cells.items()}
        tables.append((cells, len(rows)))
    return {
        name: ExampleColumn(
            kind, _one_type([cell for cells, size in tables for cell in cells.get(name, (kind, [None] * size))[1]])
        )
        for name, kind in kinds.items()
    }


def _free_name(name: str, *taken: Mapping[str, Any]) -> str:
    while any(name in names for names in taken):
        name = f"gold_{name}"
    return name


def _kind_of_statistic(column: Any, is_coded: bool) -> str:
    if isinstance(column, Ragged):
        return "list<string>" if is_coded else "list<double>"
    return "string" if is_coded or isinstance(column, list) else "bool" if column.dtype == bool else "double"


def _kind_of_detail(column: list[Any]) -> str:
    kinds = {type(value) for value in column if value is not None}
    if kinds == {bool}:
        return "bool"
    if kinds and kinds <= {int, float}:
        is_small = all(value is None or isinstance(value, float) or -(2**63) <= value < 2**63 for value in column)
        return ("double" if float in kinds else "int64") if is_small else "string"
    return "string"


def _plain(column: Any) -> list[Any]:
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    return [None if isinstance(value, float) and math.isnan(value) else value for value in values]


def _one_type(column: list[Any]) -> list[Any]:
    """A column of mixed types (a stray field, ids of two types) as text, which every format can hold."""
    kinds = {type(value) for value in column if value is not None}
    return (
        column
        if len(kinds) <= 1 or kinds == {int, float}
        else [None if value is None else str(value) for value in column]
    )


def _json_list(cell: list[Any] | None) -> str | None:
    return None if cell is None else json.dumps(cell, ensure_ascii=False)
