"""Text files of lines without names of columns (TREC, NLPCC-DBQA, XMC), told by their first lines."""

import dataclasses
import re
from collections.abc import Callable
from typing import Any

from .inputs import FileError
from .source import Source

HEAD = 1 << 16  # bytes that are enough to tell
_SAMPLE = 20  # lines
BOM = b"\xef\xbb\xbf"
_NUMBER = re.compile(rb"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_WHOLE = re.compile(rb"\s*[+-]?\d+\s*")
_XMC_SIZES = re.compile(rb"\s*\d+[ \t]+\d+([ \t]+\d+)?\s*")
_XMC_CELLS = re.compile(rb"(\d+(,\d+)*|\d+:\S*)?([ \t]+(\d+|\d+:\S*))*\s*")


@dataclasses.dataclass(frozen=True)
class Lines:
    """A file of lines, not yet read.

    Attributes:
        kind: "trec_qrels", "trec_run", "nlpcc" (question, answer, label), "numbers" (one per line) or "xmc" (sparse
            rows of labels).
        first: the cells of the first line that is of the kind; of "xmc" the sizes on its first line.
        has_tabs: the first lines are cells of equal number between tabs; else blanks of any kind are between them.
        source: of the bytes.
    """

    kind: str
    first: tuple[str, ...]
    has_tabs: bool
    source: Source


def find_lines(source: Source, head: bytes) -> Lines | None:
    """The file as lines of one of the kinds; None where the first of them show nothing of the sort.

    Args:
        head: the first `HEAD` bytes.

    Raises:
        FileError: comments only.
    """
    if b"\0" in head:
        return None
    lines = head.removeprefix(BOM).split(b"\n")
    begun = b""
    if len(head) == HEAD and len(lines) > 1:
        begun = lines.pop()  # cut off
    written = [line for line in lines if line.strip()]
    if _is_xmc(lines if len(lines) > 1 else [*lines, begun.rpartition(b" ")[0]]):
        return Lines("xmc", tuple(cell.decode() for cell in lines[0].split()), False, source)
    lines = [line.rstrip(b"\r") for line in written if not is_comment(line)][:_SAMPLE]
    if written and not lines and len(head) < HEAD:
        raise FileError(source.path, "there are only comments in this file: every line begins with #")
    kinds = [_kind_of(line) for line in lines]
    kind = max(filter(None, kinds), key=kinds.count, default=None)
    if kind is None or 2 * kinds.count(kind) < len(kinds) or not (kinds[0] == kind or _is_broken(lines[0], kind)):
        return None
    wide = {line.count(b"\t") for line, found in zip(lines, kinds, strict=True) if found == kind}
    has_tabs = len(wide) == 1 and (min(wide) == 3 if kind == "trec_qrels" else min(wide) >= 5)
    first = cells_of(lines[kinds.index(kind)], has_tabs)
    return Lines(kind, tuple(cell.decode("utf-8", "replace") for cell in first), has_tabs, source)


def is_lines(kind: str) -> Callable[[Any, Any], bool]:
    """What tells, as `Kind.fits`, whether a file is lines of this kind."""
    return lambda value, asked: isinstance(value, Lines) and value.kind == kind


def is_comment(line: bytes) -> bool:
    """Whether a line counts for nothing, as in trec_eval: blank, or beginning with "#".

    Example:
        >>> is_comment(b"# judged in 2024"), is_comment(b"301 0 d1 1 # sure")
        (True, False)
    """
    line = line.strip()
    return not line or line.startswith(b"#")


def cells_of(line: bytes, has_tabs: bool) -> list[bytes]:
    """The cells of a line, between tabs or between blanks.

    Bytes, because only blanks of ASCII are between cells: those of Unicode belong to an id, and `str` would cut there.

    Example:
        >>> len(cells_of("301 0 d\u3000d 1".encode(), False)), cells_of(b"301\\t0\\t d d\\t1", True)
        (4, [b'301', b'0', b'd d', b'1'])
    """
    return [cell.strip() for cell in line.split(b"\t")] if has_tabs else line.split()


def _kind_of(line: bytes) -> str | None:
    cells = line.split(b"\t")
    if len(cells) == 3 and _WHOLE.fullmatch(cells[2]):
        return "nlpcc"
    for fields in (cells, line.split()):
        if len(fields) == 4 and _NUMBER.fullmatch(fields[3]):
            return "trec_qrels"
        if len(fields) >= 6 and _NUMBER.fullmatch(fields[3]) and _NUMBER.fullmatch(fields[4]):
            return "trec_run"
        if len(fields) >= 5 and fields[1].strip() == b"Q0" and any(map(_NUMBER.fullmatch, fields[3:5])):
            return "trec_run"
        if len(fields) == 1 and _NUMBER.fullmatch(fields[0]):
            return "numbers"
    return None


def _is_xmc(lines: list[bytes]) -> bool:
    """Whether the first line has two or three sizes, and most others labels, each with or without a number."""
    if not _XMC_SIZES.fullmatch(lines[0]):
        return False
    rows = [line for line in lines[1:] if line.strip()][:_SAMPLE]
    if len(lines[0].split()) == 3 and not any(b":" in row for row in rows):  # three columns of numbers
        return False
    return 2 * sum(_XMC_CELLS.fullmatch(row) is not None for row in rows) >= max(1, len(rows))


def _is_broken(first: bytes, kind: str) -> bool:
    """Whether a first line that is not of the kind of the others is no header: it has a number in it."""
    return kind in ("trec_qrels", "trec_run") and any(map(_NUMBER.fullmatch, first.split()[1:]))
