"""qassay.cluster: scores of data sets that no single machine holds, by Ray Data; the numbers are those of one machine.

    qassay.cluster.score(dataset, "answer_match", columns={"predictions": "answer", "references": "golds", "ids": "id"})
    qassay.cluster.score("runs/*.parquet", "retrieval_ranking", qrels=qrels, keep="sums")

Blocks of the data set become statistics of their examples where they lie, by the same functions as on one machine; only
the statistics travel, or only their sums.
"""

import contextlib
import dataclasses
import functools
import inspect
import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.options import check_choice, check_whole, did_you_mean
from ..core.scores import Scores, check_joins
from ..core.shown import describe
from ..core.streaming import added_notes, nothing_left, number_on
from ..registry import get_family
from ..retrieval_ranking.tables import (
    column_of,
    find_columns,
    id_column,
    number_column,
    ranking_roles,
    table_of,
    to_arrow,
)
from .blocks import (
    Failure,
    Job,
    ModelWorker,
    Part,
    as_judged,
    as_part,
    as_run,
    distinct_texts,
    divided_ids,
    id_kind,
    ids_of_keys,
    item_type,
    moved_rows,
    no_column,
    plain_error,
    rank_queries,
    reordered,
    schema_row,
    score_block,
    score_joined,
    score_partition,
    score_rows,
    twin_ids,
    twins_of,
    unpacked,
    used_columns,
)
from .partial_sums import Sums

if TYPE_CHECKING:
    import pyarrow as pa

_SMALL_QRELS = 5_000_000  # judgements that go to every worker, where `join` is left to us
_MOST_KEYS = 1 << 25  # ids that are compared where the result is put together
_PARTITION_ROWS, _FEW_PARTS = 1_000_000, 16  # of a shuffle, where it is left to us
_ROWS_OF_GPU = 8192  # that a worker with a GPU takes at a time
_RESTARTS = 3  # of a worker with a model that dies, for want of memory for example
_RANKING = "retrieval_ranking"
_MODEL = "semantic_answer_similarity"
_OTHER_NAMES = {"predictions": "prediction", "references": "reference", "ids": "id"}


def score(
    dataset: Any,
    metric: str = "answer_match",
    *,
    columns: Mapping[str, str] | None = None,
    by: str | None = None,
    keep: str = "scores",
    names: Iterable[str] | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    qrels: Any = None,
    join: str = "auto",
    grouped: bool = False,
    partitions: int | None = None,
    concurrency: int | None = None,
    num_cpus: float | None = None,
    num_gpus: float | None = None,
    **options: Any,
) -> Scores | Sums | dict[Any, Scores | Sums]:
    """Score a data set of any size on a Ray cluster, on each machine of which qassay is installed.

    Args:
        dataset: a `ray.data.Dataset`, or the path (or paths, or a folder) of Parquet or JSON-lines files, with a row per
            example; of rankings a row per retrieved document, or per query with lists of documents and scores.
        metric: one of `qassay.list_metrics()`.
        columns: which column of the data set is which of the metric, {"references": "golds"}; columns that are called as
            the metric calls them need no mention. Of rankings: query, document, score (and relevance, where the rows
            judge themselves), also under all names that qassay knows.
        by: a column whose values divide the result; of rankings the same in all rows of a query.
        keep: "scores": the statistics of every example come back. "sums": only their sums do, in all and in the
            resamples of a Poisson bootstrap, so that no machine ever holds a row per example (the caller holds 8 bytes
            per id, to compare them, of up to 33 million, and the ids of queries; of more ids the data set is read
            again, to compare them where they are). Sums of classes take 8 bytes for each count of each class and
            resample, in every part and on the caller: 1000 classes and 1000 resamples some 8 MB for each count; give
            fewer n_resamples where there are many classes.
        names: with keep="sums" only these measures.
        n_resamples, seed: of the bootstrap with keep="sums"; 0 resamples for no intervals, which takes less time.
        qrels: the judgements of rankings, {query: {document: relevance}}, a table, files or a `ray.data.Dataset`; None
            where each row has its relevance.
        join: how rows meet the judgements: "broadcast" sends these to all workers, "key" shuffles both by query; "auto"
            takes the first up to 5 million judgements.
        grouped: all rows of a query stand in one block of the data set already (one query is never in two files, and
            files are not split); otherwise Ray's shuffle brings them together.
        partitions: into how many parts that shuffle divides the queries; None: of about a million rows each where
            metadata tell how many there are, otherwise 4 for each processor, and at least 16.
        concurrency: how many workers, at most; of a model the number of copies that are loaded (None: one per GPU or
            processor of the cluster).
        num_cpus, num_gpus: what each worker takes of Ray's resources.
        options: those of the metric.

    Returns:
        `Scores`, or with keep="sums" `Sums`; with `by` a dict of them, by value, as `Scores.by`. Rows keep their order;
        queries have that of the judgements where these are broadcast, and are sorted otherwise.

    Raises:
        ImportError: Ray is not installed. TypeError, ValueError: naming the column, the block or the option, and the
            cure.

    Numbers are those of `qassay.score` on one machine, bit for bit, except with keep="sums" those of measures that add up in
    the order of the rows (factoid_accuracy), and of weighted averages of classes: 1e-12. The intervals of keep="sums" do
    not depend on blocks, workers or order.

    Example:
        >>> import ray  # doctest: +SKIP
        >>> rows = [{"id": 1, "prediction": "in Rome", "references": ["Rome"]}]
        >>> qassay.cluster.score(ray.data.from_items(rows)).summary(["f1"])  # doctest: +SKIP
        {'f1': 0.6666666666666666}
    """
    family = get_family(metric)
    function, kind = family.load()
    kind.check_names(options)
    chosen = kind.from_keywords(**options)
    check_choice("keep", keep, ("scores", "sums"))
    check_choice("join", join, ("auto", "broadcast", "key"))
    for name, value, least in (
        ("n_resamples", n_resamples, 0),
        ("seed", seed, 0),
        ("partitions", partitions, 1),
        ("concurrency", concurrency, 1),
    ):
        if value is not None:
            check_whole(name, value, least)
    if names is not None and keep != "sums":
        raise ValueError("names is for keep='sums'; with keep='scores' ask for measures afterwards: summary(names)")
    if getattr(chosen, "duplicates", "error") != "error":
        raise ValueError(
            f"duplicates={chosen.duplicates!r} needs all rows together; take rows with the same id out of the data set"
        )
    if metric != _RANKING and (qrels is not None or grouped or join != "auto" or partitions is not None):
        raise ValueError(f"qrels, join, grouped and partitions are for {_RANKING}; leave them out with {metric}")
    if metric == _RANKING and num_gpus:
        raise ValueError(f"{_RANKING} uses no GPU; leave num_gpus out")
    ray = _import_ray()
    rows = _dataset_of(dataset, "dataset")
    resources = {key: value for key, value in (("num_cpus", num_cpus), ("num_gpus", num_gpus)) if value is not None}
    size = _ROWS_OF_GPU if num_gpus else None  # Ray wants one with GPUs; otherwise a block at a time
    job = Job(metric, chosen, {}, by, keep, None if names is None else tuple(names), n_resamples, seed)
    if metric == _RANKING:
        job = dataclasses.replace(job, columns=_ranking_columns(rows, columns, by, qrels is None))
        if partitions is None and not grouped:
            partitions = _default_partitions(ray, rows, _are_parquet(dataset))
        if _are_parquet(dataset):
            rows = rows.select_columns(sorted(set(used_columns(job).values())))
        return _score_rankings(ray, rows, job, qrels, join, grouped, partitions, concurrency, resources)
    job = dataclasses.replace(job, columns=_metric_columns(function, metric, rows, columns, by))
    if _are_parquet(dataset):  # read no other columns
        rows = rows.select_columns(sorted(set(used_columns(job).values())))
    if metric == _MODEL:
        if concurrency is None:
            total = ray.cluster_resources()
            concurrency = max(
                1, int(total.get("GPU", 0) / num_gpus if num_gpus else total.get("CPU", 1) / (num_cpus or 1))
            )
        resources["compute"] = ray.data.ActorPoolStrategy(min_size=1, max_size=concurrency)
        resources |= {"max_restarts": _RESTARTS, "max_task_retries": _RESTARTS}  # of Ray Data: without end
        worker = type("ModelWorker", (ModelWorker,), {"job": job})
        mapped = rows.map_batches(worker, batch_size=size, batch_format="pyarrow", **resources)
    else:
        if concurrency is not None:
            resources["compute"] = ray.data.TaskPoolStrategy(concurrency)
        mapped = rows.map_batches(score_rows, batch_size=size, batch_format="pyarrow", fn_args=(job,), **resources)
    whole = _Whole(job)
    with _in_order(mapped):
        for start, part in _parts_of(ray, mapped, job):
            whole.add(part, start)
    if keep == "sums" and "ids" in job.columns:
        _refuse_twins(ray, rows, job, whole.keys)
    return whole.found()


def _import_ray() -> Any:
    """Ray with its data library.

    Raises:
        ImportError: it is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing leaves the cluster
    try:
        import ray
        import ray.data
        import ray.data.exceptions
    except ImportError as error:
        raise ImportError(f'qassay.cluster needs Ray: run `pip install "qassay[ray]"` ({error})') from None
    return ray


def _dataset_of(given: Any, name: str) -> Any:
    """A data set of Ray, read from files where paths are given."""
    ray = _import_ray()
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


def _are_parquet(given: Any) -> bool:
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


def _types_of(rows: Any) -> dict[str, Any]:
    """The columns of a data set with their types.

    Raises:
        ValueError: it is empty, or blocks of it differ.
    """
    ray = _import_ray()
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
    with _in_order(rows):
        schemas = [
            row["schema"] for row in rows.map_batches(schema_row, batch_size=None, batch_format="pyarrow").take_all()
        ]
    other = next((number for number, schema in enumerate(schemas) if schema != schemas[0]), None)
    return "" if other is None else f" (block {other} has {schemas[other]}, block 0 has {schemas[0]})"


def _metric_columns(
    function: Callable, metric: str, rows: Any, given: Mapping[str, str] | None, by: str | None
) -> dict[str, str]:
    """The columns of the metric -> those of the data set.

    Raises:
        TypeError: a column that the metric does not have. ValueError: one that the data set does not have.
    """
    parameters = {key: p for key, p in inspect.signature(function).parameters.items() if key != "options"}
    there, found = list(_types_of(rows)), dict(given or {})
    for name in found:
        if name not in parameters:
            raise TypeError(
                f"{metric} has no column {name!r}{did_you_mean(name, parameters)}; it has: {', '.join(parameters)}"
            )
    for name, parameter in parameters.items():
        if name not in found:
            usual = next((key for key in (name, _OTHER_NAMES.get(name)) if key in there), None)
            if usual is not None:
                found[name] = usual
            elif parameter.default is inspect.Parameter.empty:
                found[name] = name
    for role, column in {**found, **({} if by is None else {"by": by})}.items():
        if column not in there:
            raise ValueError(no_column("the data set", column, role, there))
    return found


@contextlib.contextmanager
def _in_order(mapped: Any) -> Iterator[None]:
    """What is executed here gives its blocks in their order."""
    execution = mapped.context.execution_options
    before, execution.preserve_order = execution.preserve_order, True
    try:
        yield
    finally:
        execution.preserve_order = before


def _parts_of(ray: Any, mapped: Any, job: Job) -> Iterator[tuple[int, Part]]:
    """The parts in the order of the data set, each with its first row there.

    Raises:
        TypeError, ValueError, ImportError: what a worker found, with the place.
    """
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
    ray, cause = _import_ray(), error
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


class _Whole:
    """Puts parts together as they come."""

    def __init__(self, job: Job):
        self.job = job
        self.scores: list[Scores] = []
        self.labels: list = []
        self.sums: dict[Any, Sums] = {}
        self.kinds: dict[str, str] = {}
        self.keys: list[np.ndarray] = []  # none where there are too many
        self.notes: dict[str, int] = {}  # of parts of which nothing is left
        self.weighed = False  # whether any part has a weight above 0
        self.rows = 0

    def add(self, part: Part, start: int) -> None:
        """Take in a part whose first row is number `start`."""
        name = f"the part of the data set from row {start} on"
        for column, kind in part.kinds.items():
            if self.kinds.setdefault(column, kind) != kind:
                raise ValueError(
                    f"{name} has {kind} in the column {self.job.columns[column]!r} ({column}), the rows before have "
                    f"{self.kinds[column]}; make all blocks one type"
                )
        self.rows += part.rows
        self.notes = added_notes(self.notes, part.notes)
        self.weighed |= not part.idle
        if part.keys is not None:
            self.keys.append(part.keys)
            if self.rows > _MOST_KEYS:
                self.keys.clear()
        if part.sums is not None:
            for label, own in part.sums.items():
                if self.sums:
                    check_joins(next(iter(self.sums.values())), own, name)
                self.sums[label] = Sums.concat([self.sums[label], own]) if label in self.sums else own
            return
        if part.scores is None:
            return
        if self.scores:
            check_joins(self.scores[0], part.scores, name)
        self.scores.append(number_on(part.scores, start) if part.by_position else part.scores)
        self.labels += part.labels or ()

    def found(self, order: Callable[[Scores], np.ndarray] | None = None) -> Scores | Sums | dict[Any, Scores | Sums]:
        """The result; `order` tells in which order the examples shall be."""
        if not self.scores and not self.sums and not self.rows:
            raise ValueError("the data set is empty: there are no examples to score")
        if not sum(map(len, [*self.scores, *self.sums.values()])):
            raise nothing_left(self._all_notes())
        if not self.weighed:
            raise ValueError("all weights are 0; give at least one example a weight")
        if self.job.keep == "sums" and self.job.by is not None:
            return _in_label_order(self.sums)
        whole = self.sums[None] if self.job.keep == "sums" else Scores.concat(self.scores)
        whole = dataclasses.replace(whole, notes=added_notes(whole.notes, self.notes))
        if self.job.keep == "sums":
            return whole
        labels = self.labels
        if order is not None:
            places = order(whole)
            whole = reordered(whole, places)
            labels = [labels[place] for place in places.tolist()] if labels else labels
        return whole if self.job.by is None else whole.by(labels)

    def _all_notes(self) -> dict[str, int]:
        return functools.reduce(added_notes, (part.notes for part in [*self.scores, *self.sums.values()]), self.notes)


@dataclasses.dataclass(frozen=True)
class _Shared:
    """What all workers of a machine have in one place."""

    ref: Any

    def __call__(self) -> Any:
        return _import_ray().get(self.ref)


def _in_label_order(sums: Mapping[Any, Sums]) -> dict[Any, Sums]:
    """By value, as `Scores.by`."""
    try:
        labels = sorted(sums)
    except TypeError:  # values of different types have no order of their own
        labels = sorted(sums, key=lambda label: (type(label).__name__, str(label)))
    return {label: sums[label] for label in labels}


def _refuse_twins(ray: Any, rows: Any, job: Job, keys: list[np.ndarray]) -> None:
    """Refuse an id in two places of the data set; `keys` are the numbers of all ids, or too few where they are too many."""
    column = job.columns["ids"]
    if keys:
        twins = twins_of(np.concatenate(keys))
    else:
        divided = rows.map_batches(divided_ids, batch_size=None, batch_format="pyarrow", fn_args=(column,))
        shuffled = divided.repartition(2 * max(1, int(ray.cluster_resources().get("CPU", 1))), keys=["partition"])
        found = shuffled.map_batches(twin_ids, batch_size=None, batch_format="pyarrow").take_all()
        twins = np.array([row["key"] for row in found], np.uint64)
    if not len(twins):
        return
    seen: set = set()
    named = rows.map_batches(ids_of_keys, batch_size=None, batch_format="pyarrow", fn_args=(column, twins))
    for row in named.iter_rows():  # other ids may have the same number
        identifier = pickle.loads(row["id"])
        if identifier in seen:
            raise ValueError(f"id {identifier!r} stands twice in the data set: give every example one id of its own")
        seen.add(identifier)


# Rankings


def _ranking_columns(rows: Any, given: Mapping[str, str] | None, by: str | None, judged: bool) -> dict[str, str]:
    """The roles of the columns of a ranking: query, document (may lack where `judged`), score and relevance."""
    there, found = list(_types_of(rows)), dict(given or {})
    roles = ("query", "document", "score", *(("relevance",) if judged else ()))
    for name in found:
        if name not in roles:
            raise TypeError(
                f"rankings have no column {name!r}{did_you_mean(name, roles)}; they have: {', '.join(roles)}"
            )
    for role, column in {**found, **({} if by is None else {"by": by})}.items():
        if column not in there:
            raise ValueError(no_column("the data set", column, role, there))
    usual = {name: None for name in there if name not in found.values() and name != by}
    for role in roles:
        if role not in found and not (judged and role == "document" and column_of(usual, role) is None):
            if role not in ranking_roles(usual):
                hint = "; or give the judgements as qrels" if role == "relevance" else ""
                raise ValueError(
                    f"the data set has no column for the {role}; it has: {', '.join(there)}; say which it is: "
                    f"columns={{{role!r}: ...}}{hint}"
                )
            found[role] = find_columns(usual, "the data set", (role,))[0]
    return found


def _score_rankings(
    ray: Any,
    rows: Any,
    job: Job,
    qrels: Any,
    join: str,
    grouped: bool,
    partitions: int | None,
    concurrency: int | None,
    resources: dict[str, Any],
) -> Scores | Sums | dict[Any, Scores | Sums]:
    """Rankings: rows of a query brought together, scored by query, and the judged queries that no row has added."""
    types = _types_of(rows)
    if not grouped and job.options.ties == "stable" and not _is_nested(types, job):
        raise ValueError(
            "ties='stable' needs the order of the rows, which the shuffle loses; give grouped=True for rows that stand "
            "together, a row per query with lists, or another order of ties"
        )
    grouped = grouped or _is_nested(types, job)
    judged, by_key = _judgements_of(qrels, join)
    if by_key is not None and grouped:
        raise ValueError("join='key' shuffles the rows by query, so grouped has no use; leave one of them out")
    whole_numbers = judged is None and id_kind(types[job.columns["query"]]) == "whole numbers"
    if by_key is not None:
        kinds = _types_of(by_key)
        whole_numbers = id_kind(kinds[_judged_columns(by_key)["query"]]) == "whole numbers"
    document = job.columns.get("document")
    kind = None if document is None else id_kind(item_type(types[document]))
    shared = (job, whole_numbers, _Shared(ray.put(judged)))
    if concurrency is not None:
        resources["compute"] = ray.data.TaskPoolStrategy(concurrency)
    how = {"batch_size": None, "batch_format": "pyarrow", **resources}
    if grouped:
        mapped = rows.map_batches(score_block, fn_args=(kind, *shared), **how)
    else:
        moved = rows.map_batches(moved_rows, fn_args=(job, kind), batch_size=None, batch_format="pyarrow")
        if by_key is not None:
            schema = _joined_schema(types, job)
            own = by_key.map_batches(
                as_judged, fn_args=(_judged_columns(by_key), schema), batch_size=None, batch_format="pyarrow"
            )
            moved = moved.map_batches(as_run, fn_args=(schema,), batch_size=None, batch_format="pyarrow").union(own)
        score_them = score_partition if by_key is None else score_joined
        mapped = moved.repartition(partitions, keys=["query"]).map_batches(score_them, fn_args=shared, **how)
    whole, seen = _Whole(job), set()
    for start, part in _parts_of(ray, mapped, job):
        for query in part.queries:
            if query in seen:
                raise ValueError(
                    f"query {query!r} has rows in two blocks, so it is not grouped; leave out grouped=True, or give "
                    "each query one file and read files whole"
                )
            seen.add(query)
        whole.add(part, start)
    order = None if judged is None else distinct_texts(judged["key"])
    if qrels is not None and not (seen if order is None else seen.intersection(order)):
        raise ValueError("run and judgements have no query in common; are they of the same data set?")
    if judged is None:
        return whole.found(lambda scores: np.array(sorted(range(len(scores)), key=scores.ids.__getitem__), np.int64))
    absent = [query for query in order if query not in seen]
    if absent:
        import pyarrow as pa
        import pyarrow.compute as pc

        own = judged.filter(pc.is_in(judged["key"], value_set=pa.array(absent, pa.string())))
        none = pa.table(
            {"query": pa.array([], pa.string()), "document": own["document"][:0], "score": pa.array([], pa.float64())}
        )
        whole.add(as_part(rank_queries(none, own, job), None if job.by is None else {}, job, absent, 0), 0)
    place = {query: number for number, query in enumerate(order)}
    return whole.found(lambda scores: np.argsort([place[str(query)] for query in scores.ids], kind="stable"))


def _default_partitions(ray: Any, rows: Any, from_parquet: bool) -> int:
    """Into how many parts a shuffle divides rows: of about a million each, where metadata tell how many there are.

    Few rows get one part: a part costs more than they do.
    """
    # Dataset.count reads what nobody knows; of Parquet files only their metadata.
    known = rows.count() if from_parquet else getattr(rows, "_meta_count", lambda: None)()
    if known is None:
        return max(_FEW_PARTS, 4 * int(ray.cluster_resources().get("CPU", 1)))
    return max(1, -(-known // _PARTITION_ROWS))


def _joined_schema(types: Mapping[str, Any], job: Job) -> "pa.Schema":
    """Of rankings and judgements that are shuffled together."""
    import pyarrow as pa

    number = id_kind(types[job.columns["document"]]) == "whole numbers"
    fields = {"query": pa.string(), "document": pa.int64() if number else pa.string(), "score": pa.float64()}
    fields |= {} if job.by is None else {"by": types[job.by]}
    return pa.schema({**fields, "judged": pa.string(), "relevance": pa.float64()})


def _is_nested(types: Mapping[str, Any], job: Job) -> bool:
    """Whether a row is a query with lists of documents and scores."""
    kind = types[job.columns["score"]]
    return item_type(kind) != kind


def _judgements_of(qrels: Any, join: str) -> tuple["pa.Table | None", Any]:
    """Judgements for every worker (query, key: the same as text, document, relevance), or as a data set to shuffle."""
    ray = _import_ray()
    if qrels is None:
        if join == "key":
            raise ValueError("join='key' needs qrels; without them each row has its relevance")
        return None, None
    if (
        isinstance(qrels, (str, Path))
        or isinstance(qrels, (list, tuple))
        and all(isinstance(q, (str, Path)) for q in qrels)
    ):
        qrels = _dataset_of(qrels, "qrels")
    if isinstance(qrels, ray.data.Dataset):
        if join == "key" or join == "auto" and qrels.count() > _SMALL_QRELS:
            return None, qrels
        import pyarrow as pa

        qrels = pa.concat_tables([table for table in ray.get(qrels.to_arrow_refs()) if table.num_rows])
    elif join == "key":
        raise ValueError(
            f"join='key' shuffles the judgements, so give qrels as a ray.data.Dataset or files, not {describe(qrels)[:40]}"
        )
    return _judged_table(qrels), None


def _judged_table(qrels: Any) -> "pa.Table":
    """Judgements in any form as columns: query, key (the same as text), document, relevance."""
    import pyarrow as pa

    table = table_of(qrels, "qrels")
    if table is None:
        if not isinstance(qrels, Mapping):
            raise TypeError(
                f"qrels must be a dict {{query: {{document: relevance}}}}, a table, paths or a ray.data.Dataset; got "
                f"{describe(qrels)}"
            )
        table = {"query": [], "document": [], "relevance": []}
        for query, documents in qrels.items():
            graded = documents if isinstance(documents, Mapping) else dict.fromkeys(documents, 1)
            if not graded:
                raise ValueError(
                    f"qrels: query {query!r} has no judgements; leave it out, or give its documents with 0"
                )
            table["query"] += [query] * len(graded)
            table["document"] += graded
            table["relevance"] += graded.values()
    names = find_columns(table, "qrels", ("query", "document", "relevance"), "score")
    query, document, relevance = (to_arrow(table[name], f"qrels[{name!r}]") for name in names)
    query = id_column(query, "qrels query")
    key = query.cast(pa.string())
    numbers = pa.array(number_column(relevance, "qrels relevance").astype(np.float64))
    return pa.table(
        {"query": query, "key": key, "document": id_column(document, "qrels document"), "relevance": numbers}
    )


def _judged_columns(judged: Any) -> dict[str, str]:
    """The columns of a data set of judgements."""
    roles = ("query", "document", "relevance")
    names = find_columns(dict.fromkeys(_types_of(judged)), "the data set qrels", roles, "score")
    return dict(zip(roles, names, strict=True))
