"""Limits of the Space: sizes of input, time and memory of a score, and how long uploads are stored."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.shown import cell_text

MAX_OPTIONS = 2_000  # characters
MAX_FILE = 20_000_000  # bytes
MAX_TOGETHER = 9 * MAX_FILE  # bytes of the files of a call
MAX_KEPT = 500_000_000  # bytes of the uploads of all visitors
MAX_ROWS = 200_000
MAX_ROWS_TOGETHER = 4 * MAX_ROWS  # of all systems or runs
MAX_SYSTEMS = 6  # each has a colour
MAX_RUNS = 20  # files of predictions, where several are runs of one system
MAX_VALUES = 1_000_000  # texts and numbers of a column
MAX_VALUES_OF_ROW = 3_000  # values of a row; metrics may compare each with every other
MAX_PAIRS = 3_000_000  # comparisons of values of a row in one column with values of the same row in the other
MAX_RESAMPLES = 10_000
SCORE_SECONDS = 180  # of one call
SCORE_MEMORY = 6_000_000_000  # bytes of one call
KEEP_SECONDS = 1_800  # maximum age of an upload that nobody scores
SWEEP_SECONDS = 600  # interval between searches for old files
QUEUE = 32  # waiting calls
AT_ONCE = 2  # parallel calls
_HOLDERS = (list, tuple, dict)
ELSEWHERE = "for more than this page takes, install qassay and use its command line"


class InputError(ValueError):
    """An error that the user can fix; the message names the box or file, the problem and what to do."""


def check_count(name: str, count: int, most: int, unit: str = "rows") -> None:
    """Refuse a count above a limit of the page."""
    if count > most:
        raise InputError(f"{name}: {count:,} {unit} are too many; at most {most:,} ({ELSEWHERE})")


def check_length(name: str, text: str, most: int) -> None:
    """Refuse a text that is too long."""
    if len(text) > most:
        raise InputError(f"{name}: {len(text):,} characters are too many; at most {most:,}")


def _checked_counts(name: str, column: Any) -> list[int] | None:
    """Refuse a column (a list or dict, a table or a matrix) that would take too much time.

    Returns:
        The number of values of each row; None for other columns than lists and dicts.
    """
    if isinstance(column, str) or not isinstance(column, (Sequence, dict)):
        _check_shape(name, *getattr(column, "shape", ()))
        return None
    _check_shape(name, len(column))
    counts, total = [], 0
    for key, row in column.items() if isinstance(column, dict) else enumerate(column):
        values = _count_values(row)
        counts.append(values)
        total += values
        if values > MAX_VALUES_OF_ROW:
            raise InputError(
                f"{name}[{cell_text(repr(key)[:80])}]: {values:,} values in one row are too many; "
                f"at most {MAX_VALUES_OF_ROW:,} ({ELSEWHERE})"
            )
        if total > MAX_VALUES:
            raise InputError(f"{name}: more than {MAX_VALUES:,} values are too many ({ELSEWHERE})")
    return counts


def _check_shape(name: str, rows: int = 0, width: int = 0) -> None:
    """The shape check for lists, dicts, tables, and matrices with a column per label."""
    check_count(name, rows, MAX_ROWS)
    check_count(name, width, MAX_VALUES, "labels")


def check_amount(gold_columns: Mapping[str, Any], columns: Mapping[str, Any]) -> None:
    """Refuse columns of gold data and of a system with too many rows, values or comparisons for a page."""
    both = {**gold_columns, **columns}
    counts = {name: _checked_counts(name, column) for name, column in both.items()}
    _check_pairs(*(_values_by_row(both.get(name), counts.get(name)) for name in ("predictions", "references")))


def _check_pairs(system: Mapping[Any, int], reference: Mapping[Any, int]) -> None:
    pairs = sum(count * reference.get(key, 0) for key, count in system.items())
    if pairs > MAX_PAIRS:
        raise InputError(
            f"{pairs:,} comparisons of values of the same row are too many; at most {MAX_PAIRS:,} ({ELSEWHERE})"
        )


def _values_by_row(column: Any, counts: Sequence[int] | None = None) -> dict[Any, int]:
    """The number of values of each row, by id or place; `counts` if known."""
    if isinstance(column, str) or not isinstance(column, (Sequence, dict)):
        return {}
    rows = column.values() if isinstance(column, dict) else column
    keys = map(str, column) if isinstance(column, dict) else map(_key_of_row, itertools.count(), column)
    return dict(zip(keys, map(_count_values, rows) if counts is None else counts, strict=True))


def _key_of_row(place: int, row: Any) -> Any:
    return str(row["id"]) if isinstance(row, dict) and "id" in row else place


def _count_values(value: Any) -> int:
    """The number of texts, numbers, bools and nulls in a value."""
    if not isinstance(value, _HOLDERS):
        return 1
    count, waiting = 0, [value]
    while waiting:
        holder = waiting.pop()
        count += not holder  # empty values cost as much
        for inner in holder.values() if isinstance(holder, dict) else holder:
            if type(inner) is not str and isinstance(inner, _HOLDERS):
                waiting.append(inner)
            else:
                count += 1
    return count
