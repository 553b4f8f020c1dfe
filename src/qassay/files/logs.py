"""Logs of harnesses as tables: a file of `formats` takes only what is scored from each sample."""

import dataclasses
import functools
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

Row = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Log:
    """The log of a harness, read as rows of a table, which formats of tables then read.

    Attributes:
        name: of the log, the format of the table that it becomes.
        has_row: whether a row is one of this log.
        row: a sample -> what is scored of it, and columns that describe it; a ValueError, whose message continues one
            such as 'line 3', means that it has nothing to score.
        rows: the path and the result of `row` for each sample -> the rows of the table.
        is_whole: whether a JSON object is this log.
        samples: the path and such an object -> its samples.
        unpacked: of a log that is a zip file, the path and the file -> its samples.
        file_patterns: of the names of its files of predictions in a folder.
    """

    name: str
    has_row: Callable[[Row], bool] = lambda row: False
    row: Callable[[Row], Row] = lambda sample: sample
    rows: Callable[[str, list[Row]], list[Row]] = lambda path, rows: rows
    is_whole: Callable[[Row], bool] = lambda value: False
    samples: Callable[[str, Row], Iterable[Row]] = lambda path, value: [value]
    unpacked: Callable[[str, BinaryIO], Iterable[Row]] | None = None
    file_patterns: tuple[str, ...] = ()


@functools.cache
def all_logs() -> tuple[Log, ...]:
    """The logs that the files of `formats` define."""
    from .formats import modules

    return tuple(value for module in modules() for value in vars(module).values() if isinstance(value, Log))


def gold_cell(answers: Any) -> Any:
    """Gold answers as a cell of a table, where a text that begins like a list would be read as one."""
    is_like_list = isinstance(answers, str) and answers.lstrip().startswith(("[", "{", "(", "array("))
    return [answers] if is_like_list else answers


def with_prefix(prefix: str, fields: Any) -> Row:
    """The fields of an object by their paths in the log, so that they are not taken for gold answers or predictions."""
    if not isinstance(fields, dict):
        return {} if fields is None else {prefix: fields}
    return {f"{prefix}.{name}": value for name, value in fields.items()}


def text_of_message(message: Row) -> str:
    """The text of a message of a chat, without its other content."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(
            part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
        )
    return content if isinstance(content, str) else ""
