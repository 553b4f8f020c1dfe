"""Recognises judgements, runs, pairs and scores in lines (TREC, NLPCC-DBQA) by the kind of most of the first lines."""

import re

from ..files.lines import Lines, filled_cells, is_comment
from ..files.source import Source

_SAMPLE = 20  # lines
_NUMBER = re.compile(rb"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_WHOLE = re.compile(rb"\s*[+-]?\d+\s*")


def find_ranking_lines(source: Source, lines: list[bytes], begun: bytes) -> Lines | None:
    """The file as lines of rankings; as `FamilyFiles.find_lines`."""
    lines = [line.rstrip(b"\r") for line in lines if not is_comment(line)][:_SAMPLE]
    kinds = [_kind_of(line) for line in lines]
    kind = max(filter(None, kinds), key=kinds.count, default=None)
    if kind is None or 2 * kinds.count(kind) < len(kinds) or not (kinds[0] == kind or _is_broken(lines[0], kind)):
        return None
    if kind == "trec_prefs" and not _compares(lines):
        return None
    first = lines[kinds.index(kind)]
    cells = filled_cells(first)
    has_tabs = len(cells) >= {"trec_qrels": 4, "trec_prefs": 5}.get(kind, 5)
    cells = cells if has_tabs else first.split()
    return Lines(kind, tuple(cell.decode("utf-8", "replace") for cell in cells), has_tabs, source)


def _kind_of(line: bytes) -> str | None:
    cells = line.split(b"\t")
    if len(cells) == 3 and _WHOLE.fullmatch(cells[2]):
        return "nlpcc"
    for fields in (filled_cells(line), line.split()):
        if len(fields) == 4 and _NUMBER.fullmatch(fields[3]):
            return "trec_qrels"
        if len(fields) >= 6 and _NUMBER.fullmatch(fields[3]) and _NUMBER.fullmatch(fields[4]):
            return "trec_run"
        if len(fields) >= 5 and fields[1] == b"Q0" and any(map(_NUMBER.fullmatch, fields[3:5])):
            return "trec_run"
        if len(fields) == 5 and _NUMBER.fullmatch(fields[4]):
            return "trec_prefs"
        if len(fields) == 1 and _NUMBER.fullmatch(fields[0]):
            return "numbers"
    return None


def is_number(cell: bytes) -> bool:
    """Whether a cell is a number, as the columns of numbers tell judgements and runs."""
    return _NUMBER.fullmatch(cell) is not None


def _compares(lines: list[bytes]) -> bool:
    """Whether two of the lines have the same query, judge and part, as sentences of five words hardly are."""
    groups = [tuple(fields[:3]) for line in lines if len(fields := line.split()) == 5]
    return len(set(groups)) < len(groups)


def _is_broken(first: bytes, kind: str) -> bool:
    """Whether a first line of a different kind is a broken line and not a header: it contains a number."""
    return kind in ("trec_qrels", "trec_prefs", "trec_run") and any(map(_NUMBER.fullmatch, first.split()[1:]))
