"""The work of a cluster on a block of rows: statistics of its examples, or their sums. Does not import Ray.

A worker returns tables of one pickled `Part`; an error is returned too, so it reaches the caller unchanged.
"""

import dataclasses
import pickle
from collections.abc import Iterator, Mapping
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.ids import OR_DUPLICATES
from ..core.options import Options
from ..core.score_parts import check_joins
from ..core.scores import Scores
from ..core.streaming import added_notes, number_on, refuse_options_from_data, score_part
from ..registry import get_family
from .sums import PartialSums, id_keys

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_ONCE = 1 << 16  # rows that are Python objects at one time


@dataclasses.dataclass(frozen=True)
class Job:
    """What workers compute; `columns` is column of the metric -> column of the data set, `qrels` query -> judgements."""

    metric: str
    options: Options
    columns: Mapping[str, str]
    by: str | None = None
    keep: str = "scores"
    names: tuple[str, ...] | None = None
    qrels: Mapping[str, Mapping[Any, Any]] | None = None


@dataclasses.dataclass
class Part:
    """Scored rows: Scores, with the values of `by` in `labels`; or sums by the value of `by`.

    `keys` are the numbers of the ids (`id_keys`), with sums; `queries` are the judged queries with rows; `notes`
    are about omitted rows; `is_weighed`: some weight is above 0; `error`: the rows after `rows` could not be scored.
    """

    rows: int = 0
    scores: dict[Any, list[Scores]] = dataclasses.field(default_factory=dict)
    labels: list[Any] = dataclasses.field(default_factory=list)
    keys: list[np.ndarray] = dataclasses.field(default_factory=list)
    queries: set[str] = dataclasses.field(default_factory=set)
    notes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    by_position: bool = False
    is_weighed: bool = False
    error: Exception | None = None

    @property
    def every(self) -> list[Scores]:
        """All Scores or sums."""
        return [scores for found in self.scores.values() for scores in found]

    def add(self, part: "Part") -> None:
        """Add the next part."""
        name = f"the part of the data set from row {self.rows} on"
        for label, found in part.scores.items():
            for scores in found:
                for first in self.every[:1]:
                    check_joins(first, scores, name)
                joined = self.scores.setdefault(label, [])
                joined.append(number_on(scores, self.rows) if part.by_position else scores)
                if scores.are_buckets:
                    joined[:] = [PartialSums.concat(joined)]
        self.queries |= part.queries
        self.labels += part.labels
        self.keys += part.keys
        self.notes = added_notes(self.notes, part.notes)
        self.is_weighed |= part.is_weighed
        self.rows += part.rows


def pack(part: Part, options: Options) -> "pa.Table":
    """A part as a table; without the options of the caller, because a judge or a model may not be picklable."""
    import pyarrow as pa

    data = pickle.dumps(_with_options(part, lambda found: found.unlike(options)), protocol=5)
    packed = pa.compress(data, "zstd", asbytes=True)  # sums have many equal columns
    return pa.table({"part": pa.array([len(data).to_bytes(8, "little") + packed], pa.large_binary())})


def unpack(data: "pa.Buffer", options: Options) -> Part:
    """The part in a table, with the options of the caller."""
    import pyarrow as pa

    whole = pa.decompress(data[8:], int.from_bytes(data[:8], "little"), "zstd")
    return _with_options(pickle.loads(whole), options.with_fields)


def _with_options(part: Part, changed: Any) -> Part:
    scores = {
        label: [dataclasses.replace(each, options=changed(each.options)) for each in found]
        for label, found in part.scores.items()
    }
    return dataclasses.replace(part, scores=scores)


def score_rows(block: "pa.Table", job: Job) -> Iterator["pa.Table"]:
    """The parts of the rows of a block, some rows at a time."""
    try:
        for row in range(0, block.num_rows, _ROWS_AT_ONCE):
            rows = block.slice(row, _ROWS_AT_ONCE)
            columns = {name: rows.column(column).to_pylist() for name, column in job.columns.items()}
            labels = None if job.by is None else rows.column(job.by).to_pylist()
            yield pack(score_columns(job, columns, labels, rows.num_rows), job.options)
    except (TypeError, ValueError, ImportError, OSError, KeyError) as error:
        yield pack(Part(error=plain_error(error)), job.options)


class ModelWorker:
    """An actor that loads the model of a metric once and scores all its blocks with it."""

    def __call__(self, block: "pa.Table", job: Job) -> Iterator["pa.Table"]:
        model = getattr(job.options, "model", None)
        named = f"the model {model!r}" if isinstance(model, str) else f"the model of type {type(model).__name__}"
        try:
            get_family(job.metric).prepare(job.options)
            yield from score_rows(block, job)
        except Exception as error:  # noqa: BLE001 (of any library that a model may use)
            cause = str(error) if isinstance(error, (ValueError, ImportError)) else f"{type(error).__name__}: {error}"
            advice = "give a model that loads, less at once (batch_size, max_length), or each worker more (num_gpus)"
            yield pack(Part(error=ValueError(f"{named} failed on a worker: {cause}; {advice}")), job.options)


def plain_error(error: Exception) -> Exception:
    """The error as a built-in exception, which every process can unpickle, without advice that workers cannot follow."""
    kind = next((kind for kind in (ImportError, TypeError) if isinstance(error, kind)), ValueError)
    text = f"KeyError: {error}" if isinstance(error, KeyError) else str(error)  # which is only the key
    return kind(text.removesuffix(str(OR_DUPLICATES)))


def score_columns(job: Job, columns: Mapping[str, list[Any]], labels: list[Any] | None, rows: int) -> Part:
    """The part of columns by the names of the metric, and the labels of slices; rankings get their judgements."""
    queries, unjudged = set(), {}
    if job.qrels is not None:
        names = list(map(str, columns["ids"]))
        judged = [name in job.qrels for name in names]
        unjudged = {"unmatched": judged.count(False)}
        if not any(judged):
            return Part(rows, notes=unjudged)
        columns = {name: list(compress(values, judged)) for name, values in {**columns, "ids": names}.items()}
        columns["references"] = [job.qrels[name] for name in columns["ids"]]
        labels = labels and list(compress(labels, judged))
        queries = set(columns["ids"])
    function, _ = get_family(job.metric).load()
    scored = score_part(function, job.options, columns)
    scores, notes = scored.scores, added_notes(scored.notes, unjudged)
    if scores is None:
        return Part(rows, notes=notes, is_weighed=not scored.idle, queries=queries)
    refuse_options_from_data(scores.options, "a cluster")
    if labels is not None and len(scores) != len(labels):
        if not scored.by_position and "ids" not in columns:
            raise ValueError("some examples are omitted: by requires a column of ids, columns={'ids': ...}")
        by_id = dict(zip(range(len(labels)) if scored.by_position else columns["ids"], labels, strict=True))
        labels = [by_id[identifier] for identifier in scores.ids]
    part = Part(rows, {None: [scores]}, labels or [], [], queries, notes, scored.by_position, not scored.idle)
    if job.keep == "sums":
        by_label = {None: scores} if labels is None else scores.by(labels)
        part.scores = {label: [PartialSums.of(each, job.names)] for label, each in by_label.items()}
        part.labels, part.keys = [], [id_keys(scores.ids)]
    return part


def ids_among(block: "pa.Table", column: str, keys: np.ndarray) -> "pa.Table":
    """The ids of a block whose numbers are among `keys`."""
    import pyarrow as pa

    ids = block.column(column).cast(pa.string())
    return pa.table({"id": ids.filter(pa.array(np.isin(id_keys(ids.to_pylist()), keys)))})
