"""Files of a data set on this machine: their metadata, and reading of small files."""

import dataclasses
import functools
import glob
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.arrow import item_type
from ..files.folders import data_files
from ..files.json_text import JsonError, read_json_line
from ..files.source import find_source
from .local_rows import LocalRows, chosen_fields

if TYPE_CHECKING:
    import pyarrow as pa

MOST_ROWS = 1_000_000  # that are scored in this process
_MOST_BYTES = 1 << 30  # of these rows in memory
_ROW_BYTES = 256  # of a row of JSON lines, about: only reading them would count them
_COMPRESSED = 8  # how many bytes one of a compressed file stands for, about
_DEEPEST = 5_000  # brackets that are open at once
_LINES = (".jsonl", ".ndjson")
_ENDINGS = {"parquet": (".parquet", ".pq"), "json": (*_LINES, ".json")}


def fit_here(n_rows: int, n_bytes: int) -> bool:
    """Whether this many rows, with this memory, are scored in this process."""
    return n_rows < MOST_ROWS and n_bytes < _MOST_BYTES


def paths_of(given: Any) -> list[str] | None:
    """Paths, one or several, as texts; None for anything else."""
    paths = [given] if isinstance(given, (str, Path)) else given
    if not isinstance(paths, (list, tuple)) or not paths or not all(isinstance(path, (str, Path)) for path in paths):
        return None
    return [str(path) for path in paths]


def kind_of_files(paths: Sequence[str], name: str) -> str:
    """Either "parquet" or "json", by the names of the files; a ValueError for others, or for files of both kinds."""
    kinds = {_kind_of_path(path, name) for path in paths}
    if len(kinds) > 1:
        raise ValueError(f"{name} has files of {' and '.join(sorted(kinds))}; give files of one kind")
    return kinds.pop()


def _kind_of_path(path: str, name: str) -> str:
    files = [file.rstrip("*") for file in (os.listdir(path) if os.path.isdir(path) else [path])]
    kinds = {kind for kind in _ENDINGS if any(_is_of(kind, file) for file in files)}
    if len(kinds) > 1 and not any(file.removesuffix(".gz").endswith(_LINES) for file in files):
        return "parquet"  # with notes beside it, such as dataset_info.json
    if len(kinds) > 1:
        raise ValueError(
            f"{name}: {path!r} has files of {' and '.join(sorted(kinds))}; give the paths of files of one kind"
        )
    if kinds:
        return kinds.pop()
    is_folder_name = not os.path.splitext(path)[1] and not glob.has_magic(path) and "://" not in path
    if is_folder_name and not os.path.exists(path):
        raise ValueError(f"{name}: there is no folder {path!r}")
    raise ValueError(
        f"{name}: {path!r} is neither Parquet nor JSON lines by its name (.parquet, .jsonl); read it with ray.data and "
        "give the data set"
    )


def _is_of(kind: str, file: str) -> bool:
    return file.removesuffix(".gz").endswith(_ENDINGS[kind])


@dataclasses.dataclass
class Files:
    """Files of one kind on this machine, in the order in which they are read.

    `counts` are their numbers of rows, and `schemas` their columns, where these are known before the files are read.
    """

    paths: list[str]
    kind: str
    counts: list[int] = dataclasses.field(default_factory=list)
    schemas: "list[pa.Schema]" = dataclasses.field(default_factory=list)
    n_bytes: int = 0

    @staticmethod
    def of(given: Any, name: str) -> "Files | None":
        """The files of paths, folders and patterns; None for data sets, and for files that are not on this machine.

        Raises:
            ValueError: a file whose name is neither Parquet nor JSON lines, or that does not exist or cannot be read.
        """
        paths = paths_of(given)
        if paths is None:
            return None
        kind = kind_of_files(paths, name)
        files = []
        for path in paths:
            if "://" in path:
                return None
            if os.path.isdir(path):
                own = [entry for entry in os.scandir(path) if entry.name[0] not in "._"]
                if any(entry.is_dir() for entry in own):  # partitions, whose names are columns
                    return None
                found = data_files(path, {"parquet": "Parquet", "json": "JSONL"}[kind])
                other = next((file for file in found if not _is_of(kind, file)), None)
                if other is not None:
                    raise ValueError(
                        f"{name}: {other!r} is not read as {kind}; give the paths of the files, or unpack it"
                    )
                files += found
            else:
                found = [path] if os.path.exists(path) else sorted(glob.glob(path))
                if not found:
                    raise ValueError(f"{name}: there is no file {path!r}")
                files += found
        if not all(map(os.path.isfile, files)):
            return None
        whole = Files(files, kind)
        if kind == "parquet":
            whole._read_metadata()
        else:
            whole.n_bytes = sum(os.path.getsize(path) * (_COMPRESSED if path.endswith(".gz") else 1) for path in files)
        return whole

    def _read_metadata(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        for path in self.paths:
            try:
                with pq.ParquetFile(path) as file:
                    metadata = file.metadata
                    self.schemas.append(file.schema_arrow)
            except (pa.ArrowException, OSError) as error:
                raise ValueError(f"{path} cannot be read as Parquet: {error}") from None
            self.counts.append(metadata.num_rows)
            self.n_bytes += sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))

    @property
    def are_small(self) -> bool:
        """Whether they are scored in this process."""
        if self.kind == "json":
            return self.n_bytes < MOST_ROWS * _ROW_BYTES
        return fit_here(sum(self.counts), self.n_bytes)

    def rows(self, names: Sequence[str] | None = None) -> LocalRows:
        """Their rows, each file a block, with all columns or the named columns.

        Parquet files are read on request, one after another, with only these columns.
        """
        if self.kind == "parquet":
            schema = self.schemas[0]
            rows = LocalRows(lambda: (_read_parquet(path, names) for path in self.paths), schema)
            return rows if names is None else dataclasses.replace(rows, first_schema=chosen_fields(schema, names))
        tables = self._tables
        self.counts, self.schemas = [len(table) for table in tables], [table.schema for table in tables]
        rows = LocalRows(lambda: iter(tables), next((table.schema for table in tables if len(table)), None))
        return rows if names is None else rows.select_columns(names)

    @functools.cached_property
    def _tables(self) -> "list[pa.Table]":
        return [_read_json(path) for path in self.paths]

    def check(self, used: Mapping[str, str], check_columns: Any) -> None:
        """Raise a ValueError that names the file which lacks a column of `used`, or has it in another type."""
        first: dict[str, tuple[str, str]] = {}
        for path, schema, count in zip(self.paths, self.schemas, self.counts, strict=bool(self.schemas)):
            if not count:
                continue
            check_columns(used, schema.names, path)
            for role, column in used.items():
                kind = _kind_of_type(schema.field(column).type)
                if "null" in kind:
                    continue
                before, other = first.setdefault(column, (kind, path))
                if kind != before:
                    raise ValueError(
                        f"{path} has {kind} in the column {column!r} ({role}), {other} has {before}; make them alike"
                    )

    def first_other(self) -> str:
        """Which file cannot be read together with the first, for messages; "" if unknown."""
        import pyarrow as pa

        for path, schema in zip(self.paths, self.schemas, strict=True):
            try:
                pa.unify_schemas([self.schemas[0], schema])
            except pa.ArrowException:
                return f" ({path} from {self.paths[0]})"
        return ""

    def place(self, row: int, count: int) -> str:
        """The place of a number of rows from a row of all on, for messages; "" if unknown."""
        ends = np.cumsum(self.counts)
        first, last = (int(file) for file in np.searchsorted(ends, [row, row + max(count, 1) - 1], side="right"))
        if last >= len(ends):
            return ""
        to = "" if first == last else f" to {self.paths[last]}"
        return f" (row {row - int(ends[first]) + self.counts[first]} of {self.paths[first]}{to})"


def _kind_of_type(kind: Any) -> str:
    """An Arrow type in words, the same for types whose values are read alike."""
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if (items := item_type(kind)) is not kind:
        return f"lists of {_kind_of_type(items)}"
    if pa.types.is_struct(kind):
        return f"rows of {', '.join(sorted(field.name for field in kind))}"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return "numbers"
    return "strings" if str(kind) in ("string", "large_string", "string_view") else str(kind)


def _read_parquet(path: str, names: Sequence[str] | None = None) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            return file.read(names)
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"{path} cannot be read as Parquet: {error}") from None


def _read_json(path: str) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.json

    data = find_source(path).read()
    if not data.strip():
        return pa.table({})
    _check_depth(path, data)
    whole = pyarrow.json.ReadOptions(block_size=len(data) + 1)
    try:
        return pyarrow.json.read_json(pa.BufferReader(data), whole)
    except pa.ArrowException as error:
        raise ValueError(f"{path} cannot be read as JSON lines: {error}") from None


def _check_depth(path: str, data: bytes) -> None:
    """Refuse a line whose depth would end the process in the parser of Arrow."""
    codes = np.frombuffer(data, np.uint8)
    ends = np.append(np.flatnonzero(codes == ord("\n")), len(codes))
    for number in np.flatnonzero(np.diff(ends, prepend=-1) > _DEEPEST):
        line = codes[ends[number - 1] + 1 if number else 0 : ends[number]]
        depths = np.cumsum(np.isin(line, list(b"{[")).astype(np.int64) - np.isin(line, list(b"}]")))
        if depths.max() > _DEEPEST:
            try:
                read_json_line(line.tobytes().decode(errors="replace"))
            except JsonError as error:
                raise ValueError(f"{path}: line {number + 1} cannot be read: {error.reason}; {error.advice}") from None
