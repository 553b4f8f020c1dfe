"""Tables of examples: a row per system and example, written as CSV or JSONL."""

import io
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.examples import Examples, gold_rows
from ..core.shown import no_formula, write_csv
from ..core.writing import write_whole
from .scored import Scored
from .tables import OF_SYSTEM, each_column

Columns = dict[str, list[Any]]  # name -> one value per row

_ENDINGS = (".csv", ".jsonl")


def joined_examples(scored: Sequence[Scored]) -> Columns:
    """The tables of examples of several metrics joined to one, a row per system and id.

    Cells are empty if a metric does not score an example. If two metrics have a column with different values, the
    second column is prefixed with the name of its metric.
    """
    joined: Columns = {}
    tables = [_example_columns(metric) for metric in scored]
    keys = [list(zip(table["system"], table["id"], strict=True)) for table in tables]
    systems = list(dict.fromkeys(system for of in keys for system, _ in of))
    rows = sorted(dict.fromkeys(key for of in keys for key in of), key=lambda key: systems.index(key[0]))
    for metric, table, of in zip(scored, tables, keys, strict=True):
        row_of = {key: row for row, key in enumerate(of)}
        picked = [row_of.get(key) for key in rows]
        for name, column in table.items():
            cells = [None if row is None else column[row] for row in picked]
            pairs = list(zip(joined.get(name, cells), cells, strict=True))
            if all(first is None or second is None or first == second for first, second in pairs):
                joined[name] = [second if first is None else first for first, second in pairs]
            else:
                joined[f"{metric.family.name}_{name}"] = cells
    if len(systems) == 1:
        del joined["system"]
    return joined


def _example_columns(scored: Scored) -> Columns:
    """One row per system and example: id, system, statistics, subsets, details of the gold file except contexts, gold
    answers and answers; None for NaN.
    """
    gold, tables = scored.gold, []
    in_gold = [of for of in scored.systems.values() if of.path == gold.path]
    serving = {*each_column(of.names[role] for of in in_gold for role in OF_SYSTEM if role in of.names)}
    for system, of in scored.systems.items():
        rows, statistics = gold_rows(gold, of.scores), of.scores.per_example()
        ids = list(map(str, statistics.pop("id")))
        cells: Columns = {"id": ids, "system": [system] * len(rows)}
        cells |= {name: column.tolist() if hasattr(column, "tolist") else column for name, column in statistics.items()}
        answers = scored.family.about.answer_cells(Examples(gold, of.columns, of.scores))
        details = {**gold.details, **(gold.given if of in in_gold else {})}
        for name, column in details.items():
            if name == "context" or name in serving:
                continue
            while name in cells or name in answers:
                name = f"gold_{name}"
            cells[name] = [column[row] for row in rows]
        tables.append((cells | answers, len(rows)))
    names = dict.fromkeys(name for cells, _ in tables for name in cells)
    absent: list[Any] = [None]
    return {
        name: [None if cell != cell else cell for cells, n in tables for cell in cells.get(name, absent * n)]
        for name in names
    }


def check_example_file(path: str) -> None:
    """Refuse an ending that `write_examples` does not know, before scoring starts."""
    if Path(path).suffix.lower() not in _ENDINGS:
        raise ValueError(f"--per-example {path}: the name must end with one of: {', '.join(_ENDINGS)}")


def write_examples(path: str, table: Mapping[str, Sequence[Any]]) -> None:
    """Write a table of examples.

    The ending selects the format: CSV or JSONL. A statistic that does not apply is an empty cell in CSV, and null in
    JSONL. In CSV, a text that a spreadsheet would read as a formula starts with an apostrophe, and lists are JSON.

    Raises:
        OSError: the file cannot be written; an existing file is unchanged.
    """
    lines = io.StringIO(newline="")
    rows = zip(*table.values(), strict=True)
    if Path(path).suffix.lower() == ".csv":
        write_csv(lines, [map(no_formula, table)])
        write_csv(lines, (map(_csv_cell, row) for row in rows))
    else:
        for row in rows:
            cells = [str(cell) if cell in (math.inf, -math.inf) else cell for cell in row]  # which JSON does not have
            lines.write(json.dumps(dict(zip(table, cells, strict=True)), ensure_ascii=False, allow_nan=False) + "\n")
    write_whole(path, lines.getvalue())


def _csv_cell(cell: Any) -> Any:
    return json.dumps(cell, ensure_ascii=False) if isinstance(cell, list) else no_formula(cell)
