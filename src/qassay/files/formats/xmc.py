"""The text files of extreme multi-label classification: sparse rows of `label:score`, and the old repository format."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.columns import counted
from ...core.file_columns import Gold, Predictions
from ...core.label_encoding import check_class_count
from ..content import Content, read_content
from ..lines import Lines, is_lines
from ..reading import FileError
from ..source import Source
from . import Format
from .label_table import true_labels

if TYPE_CHECKING:
    import pyarrow as pa
    from scipy import sparse

_PART = 1 << 22  # bytes that one thread parses
_PAIR = re.compile(rb"\d+:[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(rb"\d+")
_BREAKS = bytes.maketrans(b" \t\r,", b"\n\n\n\n")

LINES_ORDER = 10  # its sizes and rows of numbers may look like lines of TREC
_SAMPLE = 20  # lines
_SIZES = re.compile(rb"\s*\d+[ \t]+\d+([ \t]+\d+)?\s*")
_CELLS = re.compile(rb"(\d+(,\d+)*|\d+:\S*)?([ \t]+(\d+|\d+:\S*))*\s*")
_NUMBERS = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*(,\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*)*")


def find_lines(source: Source, lines: list[bytes], begun: bytes) -> Lines | None:
    """The file as sparse rows of labels, whose `first` are the sizes; as `files.lines.find_lines`."""
    if not _is_xmc(lines if len(lines) > 1 else [*lines, begun.rpartition(b" ")[0]]):
        return None
    return Lines("xmc", tuple(cell.decode() for cell in lines[0].split()), source)


def _is_xmc(lines: list[bytes]) -> bool:
    """Whether the first line has two or three sizes, and most others labels, each with or without a number."""
    if not _SIZES.fullmatch(lines[0]):
        return False
    rows = [line for line in lines[1:] if line.strip()][:_SAMPLE]
    if len(lines[0].split()) == 3 and not any(b":" in row for row in rows):  # three columns of numbers
        return False
    sizes = list(map(int, lines[0].split()))
    if all(len(row.split()) == 2 and row.split()[1].isdigit() and int(row.split()[1]) >= sizes[1] for row in rows):
        return not rows  # pairs of ids
    return 2 * sum(_CELLS.fullmatch(row) is not None for row in rows) >= max(1, len(rows))


def _read_gold(content: Content, names: Any) -> Gold:
    """True labels as a sparse matrix of 0 and 1.

    The first line is `rows labels`, then each line has the labels of a row, as `7:1 12:1` or as `7 12`; a blank line is
    a row without labels. In the old repository format the first line is `rows features labels`, and each line begins
    with its labels, `7,12 feature:value ...`; features are not read.
    """
    matrix, _ = _read_matrix(content)
    return Gold(content.path, "xmc", {"references": matrix}, {"task": "ranked"}, None, {})


def read_label_numbers(option: str, text: str) -> dict[str, Any]:
    """An option that has a number for each label, written `3,0,7`, or as the path of a training file, which gives `n_train` too.

    Raises:
        ValueError: a text that is neither; naming the option or the path.
    """
    if _NUMBERS.fullmatch(text):
        return {option: [float(part) for part in text.split(",")]}
    if option == "label_counts" and "," not in text:
        counts, n_train = read_label_counts(text)
        return {option: counts, "n_train": n_train}
    path = ", or the path of a training file (XMC)" if option == "label_counts" else ""
    raise ValueError(
        f"option {option} needs a dict such as {{1: 0.5, 2: 1}}, numbers in the order of the labels, as in "
        f"3,0,7{path}; got {text!r}"
    )


def read_label_counts(path: str) -> tuple[np.ndarray, int]:
    """The number of rows of a training file in which each label occurs, int64 (labels,), and the number of rows."""
    content = read_content(path)
    if not isinstance(content.value, Lines) or content.value.kind != "xmc":
        raise FileError(
            content.path, "these are not sparse rows of labels (XMC) to count; give a training file of such rows"
        )
    matrix, _ = _read_matrix(content)
    check_class_count(matrix.shape[1], f"{path}: line 1 has")
    matrix.eliminate_zeros()
    matrix.sum_duplicates()
    return np.bincount(matrix.indices, minlength=matrix.shape[1]), matrix.shape[0]


def _read_scores(content: Content, gold: Gold, names: Any) -> Predictions:
    """Scored labels, `7:0.93 12:0.5`, as a sparse matrix of scores; of sets (task=multi) also labels alone."""
    matrix, scored = _read_matrix(content)
    if not scored and gold.options.get("task") != "multi":
        raise FileError(
            content.path,
            "these labels have no scores to rank them by; give label:score, or score sets with the option task=multi",
        )
    matrix.sort_indices()  # also in the metric, which would need a copy
    _check_scores(content.path, matrix)
    return Predictions(content.path, {"predictions": matrix, **true_labels(gold)})


def _check_scores(path: str, matrix: sparse.csr_matrix) -> None:
    """Refuse a score that is not finite, and a duplicate label in a row; labels are sorted within rows."""
    offsets, labels = matrix.indptr, matrix.indices
    wild = np.flatnonzero(~np.isfinite(matrix.data))
    same = np.flatnonzero(labels[1:] == labels[:-1]) + 1
    twice = same[same > offsets[np.searchsorted(offsets, same, side="right") - 1]]
    for indices, problem in ((wild, "a score that is not finite for the label"), (twice, "twice the label")):
        if len(indices):
            line = int(np.searchsorted(offsets, indices[0], side="right")) + 1
            found = f"line {line} has {problem} {labels[indices[0]]}"
            raise FileError(path, f"{found}; give every label once, with a finite number")


def _read_matrix(content: Content) -> tuple[sparse.csr_matrix, bool]:
    """The rows as a matrix (rows, labels), and whether the file has a number with each label."""
    from scipy import sparse

    path = content.path
    sizes = [_size(path, cell) for cell in content.value.first]
    n_rows, n_labels = sizes[0], sizes[-1]
    with content.value.source.open() as file:
        file.readline()
        if len(sizes) == 3:
            lines = [_labels_of(path, number, line) for number, line in enumerate(file, 2)]
        else:
            lines = file.read().removesuffix(b"\n").split(b"\n")
    has_scores = b":" in next(filter(bytes.strip, lines), b"")
    labels, scores, counts = _parse(path, lines, n_labels, has_scores)
    offsets = np.append(0, np.cumsum(counts))
    if len(lines) < n_rows or offsets[n_rows] != offsets[-1]:  # blank lines at the end are not rows
        raise FileError(
            path,
            f"line 1 says {counted(n_rows, 'rows')}, but {counted(len(lines), 'lines')} follow; a row without labels is a "
            "blank line. Is the file cut off?",
        )
    offsets = offsets[: n_rows + 1].astype(np.int32 if offsets[-1] < 2**31 else np.int64)
    return sparse.csr_matrix((scores, labels, offsets), shape=(n_rows, n_labels)), has_scores


def _size(path: str, cell: str) -> int:
    """A number of the first line."""
    if len(cell.lstrip("0")) > 10 or int(cell) >= 2**31:
        text = cell if len(cell) <= 60 else f"{cell[:57]}..."
        raise FileError(path, f"line 1 says {text}, which is too large; rows and labels are at most {2**31 - 1:,}")
    return int(cell)


def _labels_of(path: str, number: int, line: bytes) -> bytes:
    """The labels at the start of a line in the old format; none if it begins with a space or a feature."""
    labels, _, features = line.strip(b"\r\n").replace(b"\t", b" ").partition(b" ")
    if b":" not in features and features.strip():
        text = features[:60].decode("utf-8", "replace")
        raise FileError(path, f"line {number}: {text!r} is not feature:value as on other lines")
    return b"" if b":" in labels else labels


def _parse(path: str, lines: list[bytes], n_labels: int, has_scores: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The labels of all lines, int32, their scores, float64, and how many labels each line has, int64."""
    import pyarrow as pa
    from pyarrow import csv

    # Every blank becomes a line break, so that each label is a row of a table of one or two columns.
    text = b"\n".join(lines).translate(_BREAKS)
    if not text.strip():
        return np.empty(0, np.int32), np.empty(0), np.zeros(len(lines), np.int64)
    sizes = (line.count(b":") if has_scores else len(line.translate(_BREAKS).split()) for line in lines)
    counts = np.fromiter(sizes, np.int64, len(lines))
    types: dict[str, pa.DataType] = {"label": pa.int32()} | ({"score": pa.float64()} if has_scores else {})
    try:
        table = csv.read_csv(
            pa.BufferReader(text),
            csv.ReadOptions(column_names=list(types), block_size=_PART),
            csv.ParseOptions(delimiter=":", quote_char=False, double_quote=False),
            csv.ConvertOptions(column_types=types, null_values=[], strings_can_be_null=False),
        )
    except pa.ArrowInvalid:
        raise _refusal(path, lines, n_labels, has_scores) from None
    labels, *scores = (column.to_numpy().copy() for column in table.columns)  # the matrix is sorted in place
    if len(labels) != counts.sum() or labels.min(initial=0) < 0 or labels.max(initial=0) >= n_labels:
        raise _refusal(path, lines, n_labels, has_scores)
    return labels, scores[0] if scores else np.ones(len(labels)), counts


def _refusal(path: str, lines: list[bytes], n_labels: int, has_scores: bool) -> FileError:
    """The error with the first wrong line."""
    pattern, layout = (_PAIR, "label:score") if has_scores else (_WHOLE, "a label")
    for number, line in enumerate(lines, 2):
        # A comma is between labels only where there are no scores.
        for cell in line.split() if has_scores else line.translate(_BREAKS).split():
            text = cell.decode("utf-8", "replace")[:60]
            if not pattern.fullmatch(cell):
                return FileError(path, f"line {number}: {text!r} is not {layout} as on other lines")
            label = cell.partition(b":")[0].lstrip(b"0")
            if len(label) > 10 or int(label or b"0") >= n_labels:
                found = f"line {number}: there is no label {text.partition(':')[0]}"
                return FileError(path, f"{found}; line 1 says {counted(n_labels, 'labels')}, 0 to {n_labels - 1}")
    return FileError(path, f"its lines are not {layout}, as on other lines; export it again")


XMC = Format(
    "xmc",
    "sparse rows of labels (XMC)",
    "label_metrics",
    is_lines("xmc"),
    order=0,
    read_gold=_read_gold,
    read_predictions=_read_scores,
)
