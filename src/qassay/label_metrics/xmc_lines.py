"""Recognises sparse rows of labels (XMC) by the sizes on the first line."""

import re

from ..files.lines import Lines
from ..files.source import Source

_SAMPLE = 20  # lines
_SIZES = re.compile(rb"\s*\d+[ \t]+\d+([ \t]+\d+)?\s*")
_CELLS = re.compile(rb"(\d+(,\d+)*|\d+:\S*)?([ \t]+(\d+|\d+:\S*))*\s*")


def find_xmc_lines(source: Source, lines: list[bytes], begun: bytes) -> Lines | None:
    """The file as sparse rows of labels, whose `first` are the sizes; as `FamilyFiles.find_lines`."""
    if not _is_xmc(lines if len(lines) > 1 else [*lines, begun.rpartition(b" ")[0]]):
        return None
    return Lines("xmc", tuple(cell.decode() for cell in lines[0].split()), False, source)


def _is_xmc(lines: list[bytes]) -> bool:
    """Whether the first line has two or three sizes, and most others labels, each with or without a number."""
    if not _SIZES.fullmatch(lines[0]):
        return False
    rows = [line for line in lines[1:] if line.strip()][:_SAMPLE]
    if len(lines[0].split()) == 3 and not any(b":" in row for row in rows):  # three columns of numbers
        return False
    return 2 * sum(_CELLS.fullmatch(row) is not None for row in rows) >= max(1, len(rows))
