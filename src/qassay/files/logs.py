"""Logs of harnesses as tables: a file of `formats` takes only what is scored from each sample."""

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatch
from typing import Any, BinaryIO

Row = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Log:
    """The log of a harness, read as rows of a table, which formats of tables then read.

    Attributes:
        name: of the log, the format of the table that it becomes.
        has_row: whether a row is one of this log.
        row: a sample -> what is scored of it, and what tells about it; a ValueError, whose message follows the place, such
            as 'line 3', says that it has nothing to score.
        rows: the path and the result of `row` for each sample -> the rows of the table.
        is_whole: whether a JSON object is this log.
        samples: the path and such an object -> its samples.
        unpacked: the path and a seekable file that begins with the mark -> its samples.
        mark: how its bytes begin, where it is not JSON.
        line_mark: how its bytes begin, where it is JSON lines, so that it is read line by line.
        file_patterns: how the harness calls files of predictions in a folder of other files; "*.ENDING" is an ending.
        beside: how it calls the files that it writes beside them and that have no answers.
    """

    name: str
    has_row: Callable[[Row], bool] = lambda row: False
    row: Callable[[Row], Row] = lambda sample: sample
    rows: Callable[[str, list[Row]], list[Row]] = lambda path, rows: rows
    is_whole: Callable[[Row], bool] = lambda value: False
    samples: Callable[[str, Row], Iterable[Row]] = lambda path, value: [value]
    unpacked: Callable[[str, BinaryIO], Iterable[Row]] | None = None
    mark: bytes | None = None
    line_mark: bytes | None = None
    file_patterns: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


def log_of(fits: Callable[[Log], Any]) -> Log | None:
    """The log of a family that something belongs to; None for none."""
    return next(filter(fits, all_logs()), None)


def log_of_row(row: Row) -> Log | None:
    """The log that a row belongs to; None for none."""
    return log_of(lambda log: log.has_row(row))


def logs_in(names: Sequence[str]) -> list[str]:
    """The files of a folder that are logs by their names."""
    patterns = [pattern for log in all_logs() for pattern in log.file_patterns]
    return [name for name in names if any(fnmatch(name, pattern) for pattern in patterns)]


def unknown_beside(log: str, names: Sequence[str]) -> list[str]:
    """The files of a folder that the harness of a log in it does not write beside the log."""
    patterns = [
        pattern
        for one in all_logs()
        if any(fnmatch(log, pattern) for pattern in one.file_patterns)
        for pattern in one.beside
    ]
    return [name for name in names if name != log and not any(fnmatch(name, pattern) for pattern in patterns)]


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
