"""Ray data sets: reading files, columns, and the parts computed by workers."""

import contextlib
import logging
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ..core.shown import describe, error_text
from .blocks import BlockResult, Failure, Job, plain_error, schema_row, unpacked
from .files import Files, fit_here, kind_of_files, paths_of
from .local_rows import LocalRows


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


def are_small(given: Any, files: Files | None) -> bool:
    """Whether these rows are scored in this process (`files` from `Files.of`); True unless files or a data set."""
    if files is not None:
        return files.are_small
    if paths_of(given) is not None:
        return False
    count = count_of(given)
    return not is_dataset(given) or count is not None and fit_here(count, given.size_bytes())


def is_dataset(given: Any) -> bool:
    """Whether it is a Ray data set."""
    data = sys.modules.get("ray.data")
    return data is not None and isinstance(given, data.Dataset)


def rows_of(given: Any, name: str, files: Files | None, here: bool) -> Any:
    """A data set of Ray, read from files where paths are given; LocalRows where its blocks are scored `here`.

    Args:
        name: its name in messages.
        files: of `Files.of(given, name)`.
    """
    if files is not None and here:
        return files.rows()
    ray = import_ray()
    if is_dataset(given):
        if not here:
            return given
        tables = blocks_of(given)
        return LocalRows(lambda: iter(tables))
    paths = paths_of(given)
    if paths is None:
        raise TypeError(
            f"{name} must be a ray.data.Dataset or paths of Parquet or JSON-lines files, got {describe(given)}; "
            "ray.data.from_items, from_pandas and from_arrow make data sets"
        )
    paths = paths if files is None else files.paths
    if kind_of_files(paths, name) == "json":
        return ray.data.read_json(paths, lines=True)
    try:
        return ray.data.read_parquet(paths)
    except (TypeError, ValueError) as error:  # of Arrow, which would not put the files together
        other = "" if files is None else files.first_other()
        raise ValueError(f"the files of {name} differ{other}: {error}; make them alike") from None


def count_of(rows: Any) -> int | None:
    """The number of rows of a Ray data set, if known without reading them."""
    count: int | None = getattr(
        rows, "_meta_count", lambda: None
    )()  # Dataset.count would read the data if the number is unknown
    return count


def blocks_of(rows: Any) -> list[Any]:
    """All blocks of a data set in this process, as tables of Arrow, in order."""
    if isinstance(rows, LocalRows):
        return list(rows.blocks())
    try:
        with quiet(rows), order_kept(rows):
            return list(rows.iter_batches(batch_size=None, batch_format="pyarrow"))
    except Exception as error:
        raise _told(error) from None


def types_of(rows: Any) -> dict[str, Any]:
    """The columns of a data set with their types; a ValueError if it is empty, or blocks of it differ."""
    try:
        schema = rows.schema()
    except (TypeError, ValueError) as error:  # of Arrow, which would not put the blocks together
        raise ValueError(f"the blocks of the data set differ{_first_other(rows)}: {error}; make them alike") from None
    except Exception as error:
        raise _told(error) from None
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
    """Work executed in this block returns blocks in order."""
    if isinstance(mapped, LocalRows):
        yield
        return
    execution = mapped.context.execution_options
    before, execution.preserve_order = execution.preserve_order, True
    try:
        yield
    finally:
        execution.preserve_order = before


@contextlib.contextmanager
def quiet(rows: Any) -> Iterator[None]:
    """In this block, Ray Data shows no progress bars and logs only warnings."""
    if isinstance(rows, LocalRows):
        yield
        return
    logger = logging.getLogger("ray.data")
    contexts = [rows.context, import_ray().data.DataContext.get_current()]
    before, level = [context.enable_progress_bars for context in contexts], logger.level
    for context in contexts:
        context.enable_progress_bars = False
    logger.setLevel(max(logging.WARNING, level))
    try:
        yield
    finally:
        logger.setLevel(level)
        for context, value in zip(contexts, before, strict=True):
            context.enable_progress_bars = value


def parts_of(mapped: Any, job: Job, bar: Any, place: Callable[[int, int], str]) -> Iterator[tuple[int, BlockResult]]:
    """The parts in the order of the data set, each with its first row there; or the error of a worker, with its place.

    Args:
        bar: of tqdm, for progress.
        place: of `Files.place`.
    """
    start = 0
    try:
        for table in mapped.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
            for data in table["part"]:
                part = unpacked(data.as_buffer(), job.options)
                if isinstance(part, Failure):
                    row = start + part.row
                    where = (
                        ""
                        if part.row < 0
                        else f"in the rows from row {row} of the data set on{place(row, part.rows)}: "
                    )
                    raise type(part.error)(f"{where}{error_text(part.error)}")
                yield start, part
                start += part.rows
                bar.update(part.rows)
    except Exception as error:
        raise _told(error) from None


def _told(error: Exception) -> Exception:
    """The error, or the cause of an error from Ray."""
    ray = sys.modules.get("ray")
    return _cause_of(error) if ray is not None and isinstance(error, ray.exceptions.RayError) else error


def _cause_of(error: BaseException) -> Exception:
    """The error in a worker that Ray's errors wrap."""
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
