"""Data sets of Ray: read from files, their columns, and the parts that workers made of them."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.shown import describe
from .blocks import BlockResult, Failure, Job, plain_error, schema_row, unpacked


def import_ray() -> Any:
    """Ray with its data library."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing leaves the cluster
    try:
        import ray
        import ray.data
        import ray.data.exceptions
    except ImportError as error:
        raise ImportError(f'qassay.cluster needs Ray: run `pip install "qassay[ray]"` ({error})') from None
    return ray


def dataset_of(given: Any, name: str) -> Any:
    """A data set of Ray, read from files where paths are given."""
    ray = import_ray()
    if isinstance(given, ray.data.Dataset):
        return given
    paths = [given] if isinstance(given, (str, Path)) else given
    if not isinstance(paths, (list, tuple)) or not paths or not all(isinstance(path, (str, Path)) for path in paths):
        raise TypeError(
            f"{name} must be a ray.data.Dataset or paths of Parquet or JSON-lines files, got {describe(given)}; "
            "ray.data.from_items, from_pandas and from_arrow make data sets"
        )
    kinds = {_file_kind(str(path), name) for path in paths}
    if len(kinds) > 1:
        raise ValueError(f"{name} has files of {' and '.join(sorted(kinds))}; give files of one kind")
    read = ray.data.read_parquet if kinds == {"parquet"} else ray.data.read_json
    return read([str(path) for path in paths], **({} if kinds == {"parquet"} else {"lines": True}))


def are_parquet(given: Any) -> bool:
    """Whether a data set is given as paths of Parquet files."""
    paths = [given] if isinstance(given, (str, Path)) else given
    return isinstance(paths, (list, tuple)) and _file_kind(str(paths[0]), "dataset") == "parquet"


def _file_kind(path: str, name: str) -> str:
    names = sorted(os.listdir(path)) if os.path.isdir(path) else [path]
    for file in names:
        bare = file.removesuffix(".gz").rstrip("*")
        if bare.endswith((".parquet", ".pq")):
            return "parquet"
        if bare.endswith((".jsonl", ".ndjson", ".json")):
            return "json"
    raise ValueError(
        f"{name}: {path!r} is neither Parquet nor JSON lines by its name (.parquet, .jsonl); read it with ray.data and "
        "give the data set"
    )


def types_of(rows: Any) -> dict[str, Any]:
    """The columns of a data set with their types; a ValueError where it is empty, or blocks of it differ."""
    ray = import_ray()
    try:
        schema = rows.schema()
    except (TypeError, ValueError) as error:  # of Arrow, which would not put the blocks together
        raise ValueError(f"the blocks of the data set differ{_first_other(rows)}: {error}; make them alike") from None
    except ray.exceptions.RayError as error:
        raise _cause_of(error) from None
    if schema is None:
        raise ValueError("the data set is empty: there are no examples to score")
    return dict(zip(schema.names, schema.types, strict=True))


def _first_other(rows: Any) -> str:
    """Which block has other types than the first, for messages."""
    with order_kept(rows):
        schemas = [
            row["schema"] for row in rows.map_batches(schema_row, batch_size=None, batch_format="pyarrow").take_all()
        ]
    other = next((number for number, schema in enumerate(schemas) if schema != schemas[0]), None)
    return "" if other is None else f" (block {other} has {schemas[other]}, block 0 has {schemas[0]})"


@contextlib.contextmanager
def order_kept(mapped: Any) -> Iterator[None]:
    """What is executed here gives its blocks in their order."""
    execution = mapped.context.execution_options
    before, execution.preserve_order = execution.preserve_order, True
    try:
        yield
    finally:
        execution.preserve_order = before


def parts_of(ray: Any, mapped: Any, job: Job) -> Iterator[tuple[int, BlockResult]]:
    """The parts in the order of the data set, each with its first row there; or the error of a worker, with its place."""
    start = 0
    try:
        for table in mapped.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
            for data in table["part"]:
                part = unpacked(data.as_buffer(), job.options)
                if isinstance(part, Failure):
                    where = "" if part.row < 0 else f"in the rows from row {start + part.row} of the data set on: "
                    raise type(part.error)(f"{where}{part.error}")
                yield start, part
                start += part.rows
    except ray.exceptions.RayError as error:
        raise _cause_of(error) from None


def _cause_of(error: BaseException) -> Exception:
    """The error in a worker that those of Ray wrap."""
    ray, cause = import_ray(), error
    while (inner := getattr(cause, "cause", None) or cause.__cause__) is not None:
        if isinstance(inner, ray.data.exceptions.SystemException):  # Ray Data's mark on errors of Ray, without words
            break
        cause = inner
    if isinstance(cause, (TypeError, ValueError)):
        return plain_error(cause)
    what = f"{type(cause).__name__}: {cause}"
    if isinstance(cause, ray.exceptions.RayError):
        return ValueError(
            f"Ray lost work that it could not do again: {what}; workers that die often lack memory: give each more (fewer "
            "by concurrency or num_cpus), or the data set smaller blocks"
        )
    return ValueError(f"a worker could not read, move or score a part of the data set: {what}")
