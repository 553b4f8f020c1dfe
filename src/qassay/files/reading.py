"""Shared code of readers: their error, ids, numbers and columns."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core.errors import InputError
from ..core.file_columns import STDIN
from ..core.shown import error_text, visible_line

ID_NAMES = ("id", "ids", "_id", "qid", "question_id", "query_id", "example_id", "qas_id", "uid")
EMPTY_CELLS = {  # texts of empty cells, as pandas reads and other programs write them
    "", "NA", "N/A", "n/a", "<NA>", "#N/A", "#NA", "NaN", "nan", "-nan", "None", "NULL", "null",
}  # fmt: skip
QUESTION_NAMES = ("question", "query", "question_text")
_LONGEST = 720  # characters of a message


class FileError(InputError):
    """A file that cannot be read for its purpose; the message begins with its path and ends with what to do.

    Of a long message, such as one with an id of a million characters, the middle is omitted.

    Args:
        path: of the file.
        message: what is wrong, and what to do.
    """

    def __init__(self, path: str, message: str):
        super().__init__(None, message)
        self.args, self.path = (path, message), path

    def __str__(self) -> str:
        path, text = self.args
        text = text if isinstance(text, str) else error_text(text)
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 3 :]}"
        return f"{'standard input' if path == STDIN else visible_line(path)}: {text}"


def twice_named(path: str, column: str) -> FileError:
    """The error of a table whose column would be scored against itself."""
    return FileError(
        path,
        f"the column {column} is given both as predictions and as references; name another one with "
        'columns={"predictions": "NAME"}, or give a file of predictions too',
    )


def check_one_reference(path: str, names: Mapping, metric: str) -> None:
    """Refuse several columns of references for a metric that takes one."""
    several = names.get("references")
    if isinstance(several, tuple):
        raise FileError(
            path, f"{metric} takes one column of references, but is given {' and '.join(several)}; give one of them"
        )


def same_type(ids: Sequence, gold_ids: Sequence | None) -> Sequence:
    """Ids written as the gold ids are: "7" becomes 7 where the gold file has the number, and vice versa."""
    if gold_ids is None or len({*map(type, ids), *map(type, gold_ids)}) < 2:
        return ids
    written = {str(identifier): identifier for identifier in gold_ids}
    return [written.get(str(identifier), identifier) for identifier in ids]


def to_number(text: str) -> float:
    """A number as other programs write it; Python alone would also read 1_000, and digits and blanks that are not ASCII.

    Raises:
        ValueError: it is not a number, or too large for float64: 1e999 would equal 1e998.

    Example:
        >>> to_number(" 2.5"), to_number("-1e3"), to_number("-inf")
        (2.5, -1000.0, -inf)
    """
    if "_" in text or not text.isascii():
        raise ValueError(text)
    number = float(text)
    if math.isinf(number) and any(character.isdigit() for character in text):
        raise ValueError(text)
    return number


def number_cells(path: str, cells: Iterable[Any], name: str) -> list[Any]:
    """A column with its texts as numbers."""
    numbers = []
    for row, cell in enumerate(cells):
        try:
            numbers.append(to_number(cell) if isinstance(cell, str) else cell)
        except ValueError:
            raise FileError(
                path, f"row {row}: {cell[:60]!r} in the column {name} is not a number; give one in every row"
            ) from None
    return numbers


def scalars(mapping: dict[str, Any]) -> dict[str, Any]:
    """The fields of a JSON object that hold one value: text, number, true, false or null."""
    return {key: value for key, value in mapping.items() if not isinstance(value, (list, dict))}


def columns_of(rows: Sequence[dict[str, Any]]) -> dict[str, list]:
    """Rows as columns, None if a row lacks a field."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns: dict[str, list] = {name: [None] * len(rows) for name in names}
    for index, row in enumerate(rows):
        for name, cell in row.items():
            columns[name][index] = cell
    return columns
