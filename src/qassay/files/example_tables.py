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
from .scored import Scored
from .tables import each_column

Columns = dict[str, tuple[str, list[Any]]]  # name -> the type in Parquet, whatever the values, and one value per row

_ENDINGS = (".parquet", ".csv", ".jsonl")


def joined_examples(scored: Sequence[Scored]) -> Columns:
    """The tables of examples of several metrics joined to one, a row per system and id.

    Cells are empty if a metric does not score an example. If two metrics have a column with different values, the
    second column is prefixed with the name of its metric.
    """
    joined: Columns = {}
    tables = [_example_columns(metric) for metric in scored]
    keys = [list(zip(table["system"][1], table["id"][1], strict=True)) for table in tables]
    systems = list(dict.fromkeys(system for of in keys for system, _ in of))
    rows = sorted(dict.fromkeys(key for of in keys for key in of), key=lambda key: systems.index(key[0]))
    for metric, table, of in zip(scored, tables, keys, strict=True):
        row_of = {key: row for row, key in enumerate(of)}
        picked = [row_of.get(key) for key in rows]
        for name, (kind, column) in table.items():
            cells = [None if row is None else column[row] for row in picked]
            first_kind, first = joined.get(name, (kind, cells))
            if all(_are_alike(*both, kind == first_kind) for both in zip(first, cells, strict=True)):
                there = kind == first_kind
                joined[name] = first_kind, [b if a is None and there else a for a, b in zip(first, cells, strict=True)]
            else:
                joined[f"{metric.family.name}_{name}"] = kind, cells
    if len(systems) == 1:
        del joined["system"]
    return joined


def _are_alike(first: Any, second: Any, of_one_kind: bool) -> bool:
    """Whether two metrics have equal cells for an example; some accept one answer, others ranked answers."""
    if first is None or second is None:
        return second is None or of_one_kind or not second
    first, second = ([cell] * bool(cell) if isinstance(cell, str) else cell for cell in (first, second))
    return bool(first == second)


def _example_columns(scored: Scored) -> Columns:
    """One row per system and example: id, system, statistics, subsets, details of the gold file except contexts, gold
    answers and answers; None for NaN.

    The types do not depend on the values: ids, texts and labels are strings, statistics float64, subsets bool; a
    detail has the type of its column in the gold file.
    """
    gold, tables = scored.gold, []
    of_systems = [{*each_column(of.names.values())} for of in scored.systems.values() if of.path == gold.path]
    apart = {name for names in of_systems for name in names if not all(name in others for others in of_systems)}
    for system, of in scored.systems.items():
        rows, statistics = gold_rows(gold, of.scores), of.scores.per_example()
        cells: Columns = {"id": ("string", list(statistics.pop("id"))), "system": ("string", [system] * len(rows))}
        for name, column in statistics.items():
            kind = _kind_of_statistic(of.scores.columns.get(name, column), name in of.scores.coded)
            cells[name] = kind, column.tolist() if hasattr(column, "tolist") else list(column)
        answers = scored.family.about.answer_cells(Examples(gold, of.columns, of.scores))
        details = [(name, column) for name, column in gold.details.items() if name != "context"]
        if of.path == gold.path:
            serves = each_column(of.picked[role] for role in ("predictions", "answers") if role in of.picked)
            served = {*serves} if "prediction" in answers else set()
            is_there = answers.keys() & {*each_column(gold.names.values())} | apart | served  # the predictions
            details += [(name, column) for name, column in gold.given.items() if name not in is_there]
        for name, column in details:
            while name in cells or name in answers:
                name = f"gold_{name}"
            cells[name] = _kind_of_detail(column), [column[row] for row in rows]
        tables.append((cells | answers, len(rows)))
    kinds = {name: kind for cells, _ in tables for name, (kind, _) in cells.items()}
    return {
        name: (kind, [_cell(kind, cell) for cells, n in tables for cell in cells.get(name, (kind, [None] * n))[1]])
        for name, kind in kinds.items()
    }


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


def _cell(kind: str, cell: Any) -> Any:
    """A cell of its type: labels that are numbers are texts; None for NaN."""
    if cell is None or isinstance(cell, float) and math.isnan(cell):
        return None
    if kind == "list<string>":
        return list(map(str, [cell] if isinstance(cell, str) else cell))
    return str(cell) if kind == "string" else cell


# --- files ------------------------------------------------------------------------------------------------------------


def check_example_file(path: str) -> None:
    """Refuse an ending that `write_examples` does not know, before scoring starts."""
    if Path(path).suffix.lower() not in _ENDINGS:
        raise ValueError(f"--per-example {path}: the name must end with one of: {', '.join(_ENDINGS)}")


def write_examples(path: str, table: Mapping[str, tuple[str, Sequence[Any]]]) -> None:
    """Write a table of examples.

    The ending selects the format: Parquet, CSV or JSONL. A statistic that does not apply is an empty cell in CSV, and null
    in JSONL. In CSV, a text that a spreadsheet would read as a formula starts with an apostrophe, and lists are JSON.

    Raises:
        OSError: the file cannot be written; an existing file is unchanged.
    """
    form = Path(path).suffix.lower()
    if form == ".parquet":
        write_whole(path, _parquet(table))
        return
    lines = io.StringIO(newline="")
    rows: Iterable[tuple[Any, ...]] = zip(*(cells for _, cells in table.values()), strict=True)
    if form == ".csv":
        write_csv(lines, [map(no_formula, table)])
        write_csv(lines, (map(_csv_cell, row) for row in rows))
    else:
        for row in rows:
            cells = [str(cell) if cell in (math.inf, -math.inf) else cell for cell in row]  # which JSON does not have
            lines.write(json.dumps(dict(zip(table, cells, strict=True)), ensure_ascii=False, allow_nan=False) + "\n")
    write_whole(path, lines.getvalue())


def _csv_cell(cell: Any) -> Any:
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, list) else no_formula(cell)


def _parquet(table: Mapping[str, tuple[str, Sequence[Any]]]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    types = {"string": pa.string(), "double": pa.float64(), "int64": pa.int64(), "bool": pa.bool_()}
    types |= {f"list<{name}>": pa.list_(types[name]) for name in ("string", "double")}
    columns = {}
    for name, (kind, cells) in table.items():
        try:
            columns[name] = pa.array(cells, types[kind])
        except UnicodeEncodeError:  # lone surrogates
            columns[name] = pa.array(list(map(_encodable, cells)), types[kind])
    content = io.BytesIO()
    parquet.write_table(pa.table(columns), content)
    return content.getvalue()


def _encodable(cell: Any) -> Any:
    if isinstance(cell, list):
        return list(map(_encodable, cell))
    return None if cell is None else cell.encode("utf-8", "backslashreplace").decode("utf-8")
