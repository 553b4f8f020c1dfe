"""Logs of harnesses as tables: a file of `formats` takes only what is scored from each sample."""

import dataclasses
import functools
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatch
from typing import Any, BinaryIO, ClassVar

Row = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Log:
    """The log of a harness, read as rows of a table, which formats of tables then read.

    Attributes:
        file_patterns: how the harness calls files of predictions in a folder of other files; "*.ENDING" is an ending.
        beside: how it calls the files that it writes beside them and that have no answers.
        name: of the log, the format of the table that it becomes.
        mark: how its bytes begin, where it is not JSON.
        line_mark: how its bytes begin, where it is JSON lines, so that it is read line by line.
    """

    file_patterns: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    name: ClassVar[str] = ""
    mark: ClassVar[bytes | None] = None
    line_mark: ClassVar[bytes | None] = None

    def file_name(self, stem: str) -> str:
        """The name of a file, without its ending, as the name of a system: without what the harness adds, such as a date."""
        return stem

    def has_row(self, row: Row) -> bool:
        """Whether a row is one of this log."""
        return False

    def is_whole(self, value: Row) -> bool:
        """Whether a JSON object is this log."""
        return False

    def samples(self, path: str, value: Row) -> Iterable[Row]:
        """The samples of a JSON object that is this log."""
        return [value]

    def unpacked(self, path: str, file: BinaryIO) -> Iterable[Row]:
        """The samples of a seekable file that begins with the mark."""
        raise NotImplementedError(f"{self.name} has no mark")

    def row(self, sample: Row) -> Row:
        """What is scored of a sample, and what tells about it.

        Raises:
            ValueError: it has nothing to score; the message follows the place, such as 'line 3'.
        """
        return sample

    def rows(self, path: str, rows: list[Row]) -> list[Row]:
        """The rows of the table.

        Args:
            rows: the result of `row` for each sample.
        """
        return rows


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
