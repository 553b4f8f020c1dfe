"""A result on the page of a metric: values with intervals, and a row for each example."""

import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..core.reasons import MOST_REASONS
from ..core.shown import cell_text, csv_cell, write_csv
from .limits import SHOWN_ROWS

OWN_OPTIONS = ("per_example", "signature", "counts")
_OF_NOTHING = "– (n = 0)"
_REASONS = "reasons"
_LONGEST_CELL = 80  # characters of an answer beside its scores


class Value(NamedTuple):
    """A measure that is not a count: its value and the ends of its interval, each None if absent."""

    name: str
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PageOutcome:
    """A result on the page: cells as text, and the values of all examples for the download.

    Attributes:
        measures: name, value and ends of the interval of each measure.
        header, examples: the values of each example, the id first.
        values: the measures that are not counts.
        beside: column of the input -> its text for each example.
        reasons: of the first examples, what moved their scores: the effect with its sign, and words.
    """

    measures: list[list[str]]
    header: list[str]
    examples: list[list[Any]]
    signature: str
    level: float
    values: tuple[Value, ...] = ()
    beside: Mapping[str, Sequence[str]] | None = None
    reasons: Sequence[Sequence[tuple[float, str]]] = ()

    @property
    def shown_header(self) -> list[str]:
        """The heads of `shown`."""
        return [name for name, _ in self._shown_columns()]

    @property
    def shown(self) -> list[list[str]]:
        """The first rows of the table of examples, with the columns of the input after the id; columns that repeat one of
        the input are left out.
        """
        return [list(row) for row in zip(*(texts for _, texts in self._shown_columns()), strict=True)]

    def _shown_columns(self) -> list[tuple[str, list[str]]]:
        rows = self.examples[:SHOWN_ROWS]
        own = [(cell_text(name), [_cell(row[place]) for row in rows]) for place, name in enumerate(self.header)]
        given = [
            (cell_text(name), [cell_text(column[place]) for place in range(len(rows))])
            for name, column in (self.beside or {}).items()
        ]
        repeated = [texts for _, texts in given]
        return [*own[:1], *given, *(column for column in own[1:] if column[1] not in repeated)]

    @property
    def csv(self) -> bytes:
        """The complete table of examples as CSV; a cell is empty if a measure does not apply."""
        file = io.StringIO(newline="")
        write_csv(file, (map(csv_cell, row) for row in [self.header, *self.examples]))
        return file.getvalue().encode("utf-8", "backslashreplace")


def outcome(
    result: Mapping[str, Any],
    level: float,
    columns: Mapping[str, Any] | None = None,
    reasons: Sequence[Sequence[tuple[float, str]]] | None = None,
) -> PageOutcome:
    """The tables of a result of `compute(..., confidence=level, per_example=True, signature=True, counts=True)`.

    A measure without examples, which is None, shows a dash.

    Args:
        columns: columns of the input to show beside the values of the examples.
        reasons: of the first examples; None: as the result has them.
    """
    ends = {f"{name}_{end}" for name in result for end in ("low", "high") if f"{name}_{end}" in result}
    names = [name for name in result if name not in ends and name not in (*OWN_OPTIONS, _REASONS)]
    measures, values = [], []
    for name in names:
        cells = (result[name], result.get(f"{name}_low", ""), result.get(f"{name}_high", ""))
        if result[name] is None:
            cells = (_OF_NOTHING, "", "")
        measures.append([cell_text(cell) for cell in (name, *cells)])
        if result[name] is None or isinstance(result[name], float):  # integers are counts
            values.append(Value(name, *map(_number, cells)))
    table = result.get("per_example", {})
    rows = [list(row) for row in zip(*table.values(), strict=True)]
    ids = [row[0] for row in rows]
    beside = {
        name: texts for name, column in (columns or {}).items() if (texts := texts_by_id(column, ids)) is not None
    }
    if reasons is None:
        reasons = [[_reason(text) for text in texts[:MOST_REASONS]] for texts in result.get(_REASONS, ())]
    signature = result.get("signature", "")
    return PageOutcome(measures, list(table), rows, signature, level, tuple(values), beside, reasons)


def _reason(text: str) -> tuple[float, str]:
    """The effect and the words of a reason.

    Example:
        >>> _reason("-0.61 numbers: the gold answer has 2")
        (-0.61, 'numbers: the gold answer has 2')
    """
    effect, _, words = text.partition(" ")
    return float(effect), words


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None


def texts_by_id(column: Any, ids: Sequence[Any]) -> list[str] | None:
    """The text of a column of the input for each example; None if its rows cannot be assigned to examples.

    Args:
        column: id -> row, rows with a field "id", or as many rows as ids.

    Example:
        >>> texts_by_id({"q1": ["a", "b"], "q2": []}, ["q2", "q1"])
        ['', 'a / b']
        >>> texts_by_id(["x", "y"], [0, 1, 2]) is None
        True
    """
    if isinstance(column, Mapping):
        rows = {str(key): row for key, row in column.items()}
    elif isinstance(column, Sequence) and not isinstance(column, str):
        if all(isinstance(row, Mapping) and "id" in row for row in column):
            rows = {str(row["id"]): {key: value for key, value in row.items() if key != "id"} for row in column}
        elif len(column) == len(ids):
            return [_text(row) for row in column]
        else:
            return None
    else:
        return None
    return [_text(rows.get(str(one), "")) for one in ids]


def _cell(value: Any) -> str:
    return _text(value) if isinstance(value, (list, tuple)) else cell_text(value)


def _text(row: Any) -> str:
    if isinstance(row, Mapping) and len(row) == 1:
        (value,) = row.values()
        if not isinstance(value, (int, float)):  # the number of a document or class says nothing without its name
            return _text(value)
    if isinstance(row, (list, tuple)) and all(isinstance(part, str) for part in row):
        row = " / ".join(row)
    text = row if isinstance(row, str) else "" if row is None else json.dumps(row, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"
