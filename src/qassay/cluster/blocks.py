"""The work on blocks of a data set on the machines of a cluster: from rows to statistics or sums. Does not use Ray.

A worker returns a table of pickled parts; an error is also returned this way, so that it reaches the caller once and
unchanged.
"""

import contextlib
import dataclasses
import gc
import itertools
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..core.arrow import distinct_texts, id_kind
from ..core.errors import blamed, column_to_blame
from ..core.options import Options, did_you_mean
from ..core.row_groups import GroupScores, RowGroups
from ..core.rows import OR_DUPLICATES
from ..core.scores import Scores
from ..core.streaming import added_notes, refuse_options_from_data, score_part
from ..registry import get_family
from .bucket_measures import summed_measures
from .buckets import id_keys
from .partial_sums import PartialSums

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_ONCE = 1 << 16  # rows that are Python objects at the same time
_PARTITION_BITS = 8  # bits of the id numbers that assign ids to workers


@dataclasses.dataclass(frozen=True)
class Job:
    """The job of a worker; `columns`: column of the metric -> column of the data set.

    `here`: there are no workers, all rows are in the calling process. `gold_groups`: the column of groups in separate
    gold data; if the rows also have it, gold data may lack it.
    """

    metric: str
    options: Options
    columns: Mapping[str, str]
    by: str | None
    keep: str
    names: tuple[str, ...] | None
    n_resamples: int
    seed: int
    here: bool = False
    gold_groups: str | None = None

    @property
    def all_at_once(self) -> bool:
        """Whether rows with the same id must be together, because an option chooses among them."""
        return getattr(self.options, "duplicates", "error") != "error"

    @property
    def groups(self) -> RowGroups:
        """What the family says about examples of several rows; for families that have them."""
        return cast(RowGroups, get_family(self.metric).row_groups())


@dataclasses.dataclass
class BlockResult:
    """The result of a worker: the Scores of some rows with the values of `by`, or their PartialSums by value.

    `kinds` are the types of ids; `keys` numbers for the ids; `group_names` the examples of several rows
    that are here; `notes` are about parts that have no rows left; `idle`: all weights are 0.
    """

    rows: int
    scores: Scores | None = None
    labels: list[Any] | None = None
    sums: dict[Any, PartialSums] | None = None
    kinds: dict[str, str] = dataclasses.field(default_factory=dict)
    by_position: bool = False
    keys: np.ndarray | None = None
    group_names: Sequence[str] = ()
    notes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    idle: bool = False


@dataclasses.dataclass
class Failure:
    """An error of a worker, sent to the caller: it occurred in `rows` rows, starting at `row` (-1: unknown)."""

    error: Exception
    row: int = 0
    rows: int = 1


def used_columns(job: Job) -> dict[str, str]:
    """Column of the metric, and `by`, -> column of the data set."""
    return {**job.columns, **({} if job.by is None else {"by": job.by})}


def check_columns(used: Mapping[str, str], there: Sequence[str], what: str) -> None:
    """Raise ValueError for a column of `used`, role -> column, that `what` does not have."""
    for role, column in used.items():
        if column not in there:
            say = f'say which it is, for example columns={{"{role}": "{there[0]}"}}'
            raise ValueError(
                f"{what} has no column {column!r} (for {role}){did_you_mean(column, there)}; it has: {', '.join(there)}; "
                f"{'name one of them as by' if role == 'by' else say}"
            )


def plain_error(error: Exception, here: bool = False) -> Exception:
    """The error as a built-in exception, which every process can unpickle; without advice that does not apply to
    workers.
    """
    kind = next((kind for kind in (ImportError, TypeError) if isinstance(error, kind)), ValueError)
    message = str(error)
    if not here and message.endswith(OR_DUPLICATES):
        message = message[: -len(OR_DUPLICATES)]
    return blamed(kind(message), column_to_blame(error))


def _packed(part: BlockResult | Failure, options: Options | None = None) -> "pa.Table":
    """A part; of its options only what the caller does not have: a judge or a model cannot always be pickled here."""
    import pyarrow as pa

    def without(own: Any) -> Any:
        return dataclasses.replace(own, options=own.options.unlike(options))

    if isinstance(part, BlockResult):
        part = _each(part, without)
    return pa.table({"part": pa.array([pickle.dumps(part, protocol=5)], pa.large_binary())})


def unpacked(data: Any, options: Options) -> BlockResult | Failure:
    """A part as it was, with these options, except the options it came with."""
    part = pickle.loads(data)

    def whole(own: Any) -> Any:
        return dataclasses.replace(own, options=options.with_fields(own.options))

    return part if isinstance(part, Failure) else _each(part, whole)


def _each(part: BlockResult, change: Callable[[Any], Any]) -> BlockResult:
    """A part with its Scores or PartialSums changed."""
    if part.scores is not None:
        return dataclasses.replace(part, scores=change(part.scores))
    return dataclasses.replace(part, sums={label: change(own) for label, own in (part.sums or {}).items()})


def schema_row(block: "pa.Table") -> "pa.Table":
    """The columns of a block and their types, as text."""
    import pyarrow as pa

    return pa.table({"schema": [", ".join(f"{field.name}: {field.type}" for field in block.schema)]})


def score_rows(block: "pa.Table", job: Job) -> Iterator["pa.Table"]:
    """The statistics of the rows of a block, a few at a time, or the sums of all: tables of one pickled part each."""
    if not block.num_rows:
        return
    row, step = 0, block.num_rows if job.all_at_once else _ROWS_AT_ONCE
    try:
        check_columns(used_columns(job), block.column_names, "this block")
        sums: dict[Any, PartialSums] = {}
        keys: list[np.ndarray] = []
        notes: dict[str, int] = {}
        idle = True
        for row in range(0, block.num_rows, step):
            with _without_collection():
                part = _score_slice(block.slice(row, step), job)
            if job.keep == "scores":
                yield _packed(part, job.options)
                continue
            notes, idle = added_notes(notes, part.notes), idle and part.idle
            if part.scores is None:
                continue
            _refuse_positions(part, job)
            own_keys = None if part.by_position else id_keys(part.scores.ids)
            if own_keys is not None:
                keys.append(own_keys)
            for label, scores in _by_label(part.scores, part.labels).items():
                own_keys = own_keys if scores is part.scores else None
                own = PartialSums.of(scores, job.names, job.n_resamples, job.seed, keys=own_keys)
                sums[label] = PartialSums.concat([sums[label], own]) if label in sums else own
        if job.keep == "sums":
            together = np.concatenate(keys) if keys else None
            part = BlockResult(block.num_rows, sums=sums, kinds=part.kinds, keys=together, notes=notes, idle=idle)
            yield _packed(part, job.options)
    except (TypeError, ValueError, ImportError, OSError) as error:
        rows = min(step, block.num_rows - row)
        yield _packed(Failure(plain_error(error, job.here), row if job.keep == "sums" else 0, rows))


class ModelWorker:
    """An actor that loads the model of a family once and scores all its blocks with it."""

    job: Job

    def __init__(self) -> None:
        self.problem: Exception | None = None
        try:
            get_family(self.job.metric).prepare(self.job.options)
        except Exception as error:  # noqa: BLE001 (of any library that a model may use)
            advice = "give a model that loads, on a device with room for it (device, dtype, num_gpus, concurrency)"
            self.problem = self._told("cannot be loaded on a worker", error, advice)

    def __call__(self, block: "pa.Table") -> Iterator["pa.Table"]:
        if self.problem is not None:
            yield _packed(Failure(self.problem, -1))
            return
        try:
            yield from score_rows(block, self.job)
        except Exception as error:  # noqa: BLE001
            advice = "give it less at once (batch_size, max_length), or more to each worker (num_gpus, concurrency)"
            yield _packed(Failure(self._told("failed on a worker", error, advice), -1))

    def _told(self, what: str, error: Exception, advice: str) -> ValueError:
        model = getattr(self.job.options, "model", None)
        kind = "" if isinstance(error, (ValueError, ImportError)) else f"{type(error).__name__}: "
        named = repr(model) if isinstance(model, str) else f"of type {type(model).__name__}"
        return ValueError(f"the model {named} {what}: {kind}{error}; {advice}")


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Disable garbage collection meanwhile: it would repeatedly visit all rows, which are many small objects."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _score_slice(block: "pa.Table", job: Job) -> BlockResult:
    """The Scores of a few rows, and what `by` says about them."""
    function, _ = get_family(job.metric).load()
    columns = {name: _listed(block.column(column)) for name, column in job.columns.items()}
    scored = score_part(function, job.options, (), columns)
    scores, by_position = scored.scores, scored.by_position
    kinds = {"ids": id_kind(block.column(job.columns["ids"]).type)} if "ids" in job.columns else {}
    if scores is None:
        return BlockResult(block.num_rows, kinds=kinds, by_position=by_position, notes=scored.notes, idle=scored.idle)
    refuse_options_from_data(scores.options, "a cluster")
    labels = None if job.by is None else _listed(block.column(job.by))
    if labels is not None and len(scores) != len(labels):
        if by_position:
            places: Iterable[Any] = scores.ids
        elif "ids" not in columns:
            raise ValueError("some examples are omitted: by needs a column of ids, columns={'ids': ...}")
        else:
            rows = list(enumerate(columns["ids"]))
            rows = rows if getattr(job.options, "duplicates", None) == "last" else rows[::-1]
            place = {identifier: row for row, identifier in rows}  # of rows with one id, the one that counts
            places = [place[identifier] for identifier in scores.ids]
        labels = [labels[place] for place in places]
    return BlockResult(block.num_rows, scores, labels, kinds=kinds, by_position=by_position, idle=scored.idle)


def _refuse_positions(part: BlockResult, job: Job) -> None:
    summed_measures(cast(Scores, part.scores), job.names)
    if not part.by_position and "ids" not in job.columns:
        raise ValueError("keep='sums' compares ids over all blocks: give a column of ids, columns={'ids': ...}")
    if part.by_position and job.n_resamples:
        raise ValueError(
            "keep='sums' tells examples apart by their ids, and there are none: name their column in columns={'ids': ...}, "
            "or give n_resamples=0 for no intervals"
        )


def _by_label(scores: Scores, labels: list[Any] | None) -> dict[Any, Scores]:
    return {None: scores} if labels is None else scores.by(labels)


def _listed(column: Any) -> list[Any]:
    """A column of a block as Python objects; lists of strings without the detour over pyarrow scalars."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        return list(column.to_pylist())
    listed: list[Any] = []
    for chunk in column.chunks:
        if chunk.null_count:
            listed += chunk.to_pylist()
            continue
        ends = (chunk.offsets.to_numpy() - chunk.offsets[0].as_py()).tolist()
        items = _listed(pa.chunked_array([chunk.flatten()]))
        listed += [items[start:end] for start, end in itertools.pairwise(ends)]
    return listed


def duplicates_of(keys: np.ndarray) -> np.ndarray:
    """The duplicate numbers, sorted."""
    keys = np.sort(keys)
    return np.unique(keys[1:][keys[1:] == keys[:-1]])


def divided_ids(block: "pa.Table", column: str) -> "pa.Table":
    """The numbers of the ids of a block, partitioned by value, so that equal ids of all blocks meet."""
    import pyarrow as pa

    keys = np.sort(id_keys(_listed(block.column(column))))
    where = keys >> np.uint64(64 - _PARTITION_BITS)
    starts = np.searchsorted(where, np.arange((1 << _PARTITION_BITS) + 1, dtype=np.uint64))
    parts = {number: keys[starts[number] : starts[number + 1]] for number in np.unique(where).tolist()}
    data = pa.array([part.tobytes() for part in parts.values()], pa.large_binary())
    return pa.table({"partition": pa.array(parts, pa.int32()), "keys": data})


def duplicate_ids(table: "pa.Table") -> "pa.Table":
    """The duplicate numbers in these parts of all ids."""
    import pyarrow as pa

    keys = [np.frombuffer(data.as_buffer(), np.uint64) for data in table["keys"]] if table.num_rows else []
    return pa.table({"key": duplicates_of(np.concatenate([np.empty(0, np.uint64), *keys]))})


def ids_of_keys(block: "pa.Table", column: str, keys: np.ndarray) -> "pa.Table":
    """The ids of a block that have one of these numbers."""
    import pyarrow as pa

    ids = _listed(block.column(column)) if block.num_rows else []
    own = np.flatnonzero(np.isin(id_keys(ids), keys))
    return pa.table({"id": pa.array([pickle.dumps(ids[row]) for row in own.tolist()], pa.large_binary())})


def plain_block(block: "pa.Table", job: Job, kind: str | None) -> "pa.Table":
    """The needed columns of a block of rows, in the plain form of the family."""
    used = used_columns(job)
    check_columns(used, block.column_names, "a block of the data set")
    return job.groups.plain_rows_of(block, used, kind)


def score_block(
    block: "pa.Table", kind: str | None, job: Job, integer_ids: bool, gold: Callable[[], "pa.Table | None"]
) -> Iterator["pa.Table"]:
    """Score the examples of a block that contains all of their rows."""
    if not block.num_rows:
        return
    try:
        moved = plain_block(block, job, kind)
        empty = job.groups.empty_groups(block, used_columns(job))
        key = job.groups.key
        names = distinct_texts(moved[key]) + (empty[key].to_pylist() if empty is not None else [])
    except (TypeError, ValueError) as error:
        yield _packed(Failure(plain_error(error), -1))
        return
    yield from score_partition(moved, job, integer_ids, gold, names, empty)


def score_partition(
    block: "pa.Table",
    job: Job,
    integer_ids: bool,
    gold: Callable[[], "pa.Table | None"],
    names: list[str] | None = None,
    empty: "pa.Table | None" = None,
) -> Iterator["pa.Table"]:
    """The examples of a part of the shuffle, with the gold data that all workers have, or with the gold data in the
    rows.

    It covers the columns in `names`, or the columns with gold data; `empty` comes from `RowGroups.empty_groups`.
    """
    if not block.num_rows and not names:
        return
    yield from _sent_groups(
        lambda: job.groups.score_examples(block, gold(), job.options, job.by, integer_ids, empty),
        job,
        names,
        block.num_rows,
    )


def score_joined(block: "pa.Table", job: Job, integer_ids: bool, _: Any) -> Iterator["pa.Table"]:
    """The examples of a part of the shuffle with their gold data, which came with it."""
    if block.num_rows:
        yield from _sent_groups(
            lambda: job.groups.score_joined_examples(block, job.options, job.by, integer_ids),
            job,
            None,
            block.num_rows,
        )


def _sent_groups(
    score: Callable[[], GroupScores], job: Job, names: list[str] | None, rows: int
) -> Iterator["pa.Table"]:
    """What `score` gives, as it travels; `names` as in `score_partition`."""
    try:
        scores, labels, with_gold = score()
        yield _packed(as_part(scores, labels, job, with_gold if names is None else names, rows), job.options)
    except (TypeError, ValueError) as error:
        yield _packed(Failure(plain_error(error), -1))


def reordered(scores: Scores, places: np.ndarray) -> Scores:
    """These examples, in this order, with the notes of all."""
    return dataclasses.replace(scores.take(places), notes=scores.notes)


def as_part(scores: Scores, by_name: Mapping[str, Any] | None, job: Job, names: list[str], rows: int) -> BlockResult:
    """Scores of examples of several rows as they travel."""
    labels = None if by_name is None else [by_name.get(str(name)) for name in scores.ids]
    if job.keep == "scores":
        return BlockResult(rows, scores, labels, group_names=names)
    summed_measures(scores, job.names)
    sums = {
        label: PartialSums.of(own, job.names, job.n_resamples, job.seed)
        for label, own in _by_label(scores, labels).items()
    }
    return BlockResult(rows, sums=sums, group_names=names)
