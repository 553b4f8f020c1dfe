"""Text files of lines without column names, recognised by their first lines."""

import dataclasses
from collections.abc import Callable
from typing import Any

from .source import BOM, Source

HEAD = 1 << 16  # bytes by which a format is recognised


@dataclasses.dataclass(frozen=True)
class Lines:
    """A file of lines, not yet read.

    Attributes:
        kind: the name of a `Format`, such as "trec_run".
        first: the cells of the first line of the kind, between blanks.
        source: of the bytes.
        has_header: the first line has the names of the columns.
    """

    kind: str
    first: tuple[str, ...]
    source: Source
    has_header: bool = False


def find_lines(source: Source, head: bytes) -> Lines | None:
    """The file as lines of rankings; None if it is none.

    Args:
        head: the first `HEAD` bytes.
    """
    if b"\0" in head:
        return None
    from .formats.trec import lines_of_rankings

    lines = head.removeprefix(BOM).split(b"\n")
    is_cut_off = len(head) == HEAD and len(lines) > 1
    return lines_of_rankings(source, lines[:-1] if is_cut_off else lines)


def is_lines(kind: str) -> Callable[[Any, Any], bool]:
    """A function for `Format.fits`: whether a file is lines of this format."""
    return lambda value, metric: isinstance(value, Lines) and value.kind == kind


def is_comment(line: bytes) -> bool:
    """Whether a line is skipped, as by trec_eval: blank, or beginning with "#"."""
    line = line.strip()
    return not line or line.startswith(b"#")


def filled_cells(line: bytes) -> list[bytes]:
    """The cells of a line between tabs that are not blank, without the blanks around them.

    Bytes, because only blanks of ASCII are around cells: Unicode blanks belong to an id, and `str` would cut there.
    """
    return [cell for cell in map(bytes.strip, line.split(b"\t")) if cell]
