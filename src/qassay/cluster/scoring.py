"""`qassay.cluster.score`: Ray Data passes rows to workers, and their parts are joined here."""

import dataclasses
import inspect
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..core.arrow import distinct_texts, id_kind
from ..core.errors import NoWeight
from ..core.groups import require_several_groups
from ..core.options import check_choice, check_whole, did_you_mean
from ..core.remarks import public
from ..core.score_parts import sorted_values
from ..core.scores import Scores
from ..core.shown import describe
from ..core.streaming import added_notes, nothing_left
from ..registry import DEFAULT, FAMILIES, get_family
from .sums import PartialSums
from .workers import (
    Job,
    ModelWorker,
    Part,
    ids_among,
    plain_error,
    plain_rows,
    score_lists,
    score_queries,
    score_rows,
    unpack,
)

_ROWS_OF_GPU = 8192  # per call of a worker with a GPU
_RESTARTS = 3  # of a worker with a model that dies, for example for lack of memory
_PARTITION_ROWS = 1_000_000  # of a shuffle
_OTHER_NAMES = {"predictions": "prediction", "references": "reference", "ids": "id"}
_BLOCKS = {"batch_size": None, "batch_format": "pyarrow"}


@public
def score(
    dataset: Any,
    metric: str = DEFAULT,
    *,
    columns: Mapping[str, str] | None = None,
    by: str | None = None,
    keep: str = "scores",
    names: Iterable[str] | str | None = None,
    qrels: Any = None,
    concurrency: int | None = None,
    num_cpus: float | None = None,
    num_gpus: float | None = None,
    **options: Any,
) -> Scores | dict[Any, Scores]:
    """Score a data set of any size on a Ray cluster; qassay must be installed on each machine.

    Ray is started if necessary; progress and logs are those of Ray Data.

    Args:
        dataset: a `ray.data.Dataset` (`ray.data.read_json` reads JSON lines), or paths of Parquet files or of a folder of
            them, with one row per example; for rankings, one row per retrieved document, or per query with lists of
            documents and scores.
        metric: one of `qassay.list_metrics()`.
        columns: column of the metric -> column of the data set, {"references": "golds"}; columns with the names of the
            metric may be omitted. {"groups": "article"} puts examples in groups, which intervals draw whole; rows of a
            group may be in any files and blocks. For rankings: query, document, score (and relevance, if the rows
            contain judgements), recognised by all usual names, and groups: a column of the rows, of `qrels` (which also
            covers queries without rows), or of both, which must agree.
        by: a column of slices; for rankings, equal in all rows of a query.
        keep: "scores": return the statistics of every example. "sums": return only their sums in 16,384 buckets; no
            machine then holds a row per example (the caller holds 8 bytes per id, to compare them, and the ids of
            queries). The id of an example, or its group, determines its bucket, and intervals are based on the buckets
            (`PartialSums`). All measures of answers take some 10 MB on the caller and 1 MB in every part, and so does
            each slice; `names` reduces this. With many classes there are fewer buckets: 1,000 classes have 1,024, which
            take 32 MB; the minimum is 256.
        names: with keep="sums" only these measures.
        qrels: the judgements of rankings, which are sent to all workers: {query: {document: relevance}}, a table, paths
            of Parquet files or a `ray.data.Dataset`; None if each row has its relevance.
        concurrency: the maximum number of workers; for a model, the number of loaded copies, by default one per GPU or
            processor of the cluster.
        num_cpus, num_gpus: the Ray resources of each worker.
        options: the options of the metric.

    Returns:
        `Scores`; with keep="sums" `PartialSums`, which have a row per bucket; with `by`, value -> one of these, as
        `Scores.by`. Rows keep their order; queries are in the order of `qrels`, or sorted without qrels.

    Raises:
        ImportError: Ray is not installed. TypeError, ValueError: the message has the column, row, id or option, and the
            remedy; also for an example without a group, or a single group.

    Numbers equal `qassay.score` on one machine bit for bit, with keep="sums" to 1e-12. Intervals of sums are equal too if
    every example, or group, has its own bucket; if some share one, intervals have the same coverage with slightly fewer
    units.

    Example:
        >>> import ray  # doctest: +SKIP
        >>> rows = [{"id": 1, "prediction": "in Rome", "references": ["Rome"]}]
        >>> qassay.cluster.score(ray.data.from_items(rows)).summary(["f1"])  # doctest: +SKIP
        {'f1': 0.6666666666666666}
    """
    family = get_family(metric)
    _, options_class = family.load()
    options_class.check_names(options)
    chosen = options_class.from_keywords(**options)
    check_choice("keep", keep, ("scores", "sums"))
    if concurrency is not None:
        check_whole("concurrency", concurrency, 1)
    if names is not None and keep != "sums":
        raise ValueError(
            "names is only for keep='sums'; with keep='scores', choose measures afterwards: summary(names)"
        )
    if family.row_groups() is None and qrels is not None:
        others = " and ".join(name for name, other in FAMILIES.items() if other.row_groups() is not None)
        raise ValueError(f"qrels is for {others}; omit it with {metric}")
    if family.row_groups() is not None and num_gpus:
        raise ValueError(f"{metric} uses no GPU; omit num_gpus")
    duplicates = getattr(chosen, "duplicates", "error")
    if family.row_groups() is None and duplicates != "error":
        raise ValueError(
            f"duplicates={duplicates!r}{'' if 'duplicates' in options else ', the default,'} requires all rows together, and a "
            "worker has only some of them; remove rows with the same id from the data set and give duplicates='error'"
        )
    names = (names,) if isinstance(names, str) else names
    job = Job(metric, chosen, {}, by, keep, None if names is None else tuple(names))
    resources = {key: value for key, value in (("num_cpus", num_cpus), ("num_gpus", num_gpus)) if value is not None}
    ray = import_ray()
    try:
        rows = _read(dataset, "dataset")
        are_files = rows is not dataset
        if family.row_groups() is not None:
            return _score_rankings(rows, job, columns, qrels, concurrency, resources, are_files)
        return _score_rows(rows, job, columns, concurrency, resources)
    except Exception as error:
        if isinstance(error, ray.exceptions.RayError):
            raise _cause_of(error) from None
        raise


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


def _score_rows(
    rows: Any,
    job: Job,
    columns: Mapping[str, str] | None,
    concurrency: int | None,
    resources: dict[str, Any],
) -> Scores | dict[Any, Scores]:
    """Score a data set with a row per example."""
    ray = import_ray()
    job = dataclasses.replace(job, columns=_metric_columns(job, list(_types_of(rows)), columns))
    if job.keep == "sums" and "ids" not in job.columns:
        raise ValueError("keep='sums' requires ids: name their column in columns={'ids': ...}")
    num_cpus, num_gpus = (resources.get(name) for name in ("num_cpus", "num_gpus"))
    how: dict[str, Any] = {**_BLOCKS, "batch_size": _ROWS_OF_GPU if num_gpus else None, **resources}
    scorer: Any = score_rows
    if get_family(job.metric).loads_model:
        if concurrency is None:
            total = ray.cluster_resources()
            copies = total.get("GPU", 0) / num_gpus if num_gpus else total.get("CPU", 1) / (num_cpus or 1)
            concurrency = max(1, int(copies))
        scorer = ModelWorker
        how["compute"] = ray.data.ActorPoolStrategy(min_size=1, max_size=concurrency)
        how |= {"max_restarts": _RESTARTS, "max_task_retries": _RESTARTS}  # of Ray Data: without end
    elif concurrency is not None:
        how["compute"] = ray.data.TaskPoolStrategy(concurrency)
    used = rows.select_columns(sorted({*job.columns.values(), *([] if job.by is None else [job.by])}))
    whole = _joined(
        used.map_batches(scorer, fn_args=(job,), **how), job, "in the rows from row {} of the data set on: "
    )
    if whole.keys:
        keys, counts = np.unique(np.concatenate(whole.keys), return_counts=True)
        if len(again := keys[counts > 1]):
            found = used.map_batches(ids_among, fn_args=(job.columns["ids"], again), **_BLOCKS).take(1)
            raise ValueError(f"the data set repeats the id {found[0]['id']!r}; give every example a distinct id")
    return _result(whole, job)


def _score_rankings(
    rows: Any,
    job: Job,
    columns: Mapping[str, str] | None,
    qrels: Any,
    concurrency: int | None,
    resources: dict[str, Any],
    are_files: bool,
) -> Scores | dict[Any, Scores]:
    """Score a data set of rankings, whose rows are brought together by query, and the queries without rows."""
    ray, groups, types, given = import_ray(), get_family(job.metric).row_groups(), _types_of(rows), dict(columns or {})
    gold_groups = None if qrels is None else given.get("groups")
    if gold_groups not in (None, *types):
        del given["groups"]
    dataclasses.replace(job, columns=given).check_columns(list(types), "the data set")
    given = groups.columns_of(list(types), given, job.by, qrels is None)
    job = dataclasses.replace(job, columns=given)
    table = None if qrels is None else groups.gold_table(_table_of(qrels), gold_groups, "groups" in given)
    integer_ids = table is None and id_kind(types[given["query"]]) == "integers"
    how: dict[str, Any] = {**_BLOCKS, **resources}
    if concurrency is not None:
        how["compute"] = ray.data.TaskPoolStrategy(concurrency)
    if groups.are_together(types, given, job.options):
        mapped = rows.map_batches(score_lists, fn_args=(job, table, integer_ids), **how)
    else:
        # Dataset.count runs a data set whose number of rows is unknown.
        count = rows.count() if are_files else getattr(rows, "_meta_count", lambda: None)()
        n_parts = -(-count // _PARTITION_ROWS) if count else int(rows.context.default_hash_shuffle_parallelism)
        plain = rows.map_batches(plain_rows, fn_args=(job,), **_BLOCKS)
        shuffled = plain.repartition(n_parts, keys=["query"])
        mapped = shuffled.map_batches(score_queries, fn_args=(job, table, integer_ids), **how)
    whole = _joined(mapped, job)
    if table is None:
        return _result(whole, job, lambda ids: sorted(range(len(ids)), key=ids.__getitem__))
    order = distinct_texts(table["key"])
    if whole.queries.keys().isdisjoint(order):
        raise ValueError("run and judgements have no query in common; are they of the same data set?")
    without_rows = [name for name in order if name not in whole.queries]
    if without_rows:
        scores = groups.score_without_rows(table, without_rows, job.options, "groups" in given)
        whole.add(Part.of(scores, None if job.by is None else [None] * len(scores), job, 0))
    index = {name: number for number, name in enumerate(order)}
    return _result(whole, job, lambda ids: np.argsort([index[str(name)] for name in ids], kind="stable").tolist())


def _result(whole: Part, job: Job, order: Any = None) -> Scores | dict[Any, Scores]:
    """The joined parts; `order` returns the order of ids."""
    parts = whole.every
    if not parts and not whole.rows:
        raise ValueError("the data set is empty: there are no examples to score")
    if not any(map(len, parts)):
        notes = dict(whole.notes)
        for part in parts:
            notes = added_notes(notes, part.notes)
        raise nothing_left(notes)
    if not whole.is_weighed:
        raise NoWeight()
    if job.keep == "sums":
        if parts[0].groups is not None:
            together = PartialSums.concat(parts)
            require_several_groups(len(together), together.n_examples)
        if job.by is not None:
            return {label: whole.scores[label][0] for label in sorted_values(whole.scores)}
        (scores,) = parts
    else:
        scores = Scores.concat(parts)
    scores, labels = dataclasses.replace(scores, notes=added_notes(scores.notes, whole.notes)), whole.labels
    if job.keep == "scores" and order is not None:
        rows = order(scores.ids)
        scores = dataclasses.replace(scores.take(np.array(rows, np.int64)), notes=scores.notes)
        labels = [labels[row] for row in rows] if labels else labels
    scores.require_several_groups()
    return scores if job.by is None else dict(scores.by(labels))


def _read(given: Any, name: str) -> Any:
    """A data set of Ray, read from Parquet files if paths are given."""
    ray = import_ray()
    if isinstance(given, ray.data.Dataset):
        return given
    paths: Any = [given] if isinstance(given, (str, Path)) else given
    if not isinstance(paths, (list, tuple)) or not paths or not all(isinstance(path, (str, Path)) for path in paths):
        raise TypeError(
            f"{name} must be a ray.data.Dataset or paths of Parquet files, got {describe(given)}; ray.data.from_items, "
            "from_pandas and from_arrow make data sets"
        )
    paths = [str(path) for path in paths]
    try:
        return ray.data.read_parquet(paths, file_extensions=["parquet", "pq"])
    except (OSError, TypeError, ValueError) as error:  # of Arrow and Ray: missing, other or unlike files
        raise ValueError(
            f"{name}: {', '.join(paths)} cannot be read as Parquet: {error}; read other files with ray.data, such as "
            "ray.data.read_json, and give the data set"
        ) from None


def _types_of(rows: Any) -> dict[str, Any]:
    """The columns of a data set with their types; refuses an empty one, and one with different blocks."""
    try:
        schema = rows.schema()
    except (TypeError, ValueError) as error:  # of Arrow
        raise ValueError(f"the blocks of the data set differ: {error}; make them alike") from None
    if schema is None:
        raise ValueError("the data set is empty: there are no examples to score")
    return dict(zip(schema.names, schema.types, strict=True))


def _table_of(qrels: Any) -> Any:
    """Judgements as an Arrow table if they are a data set or paths; anything else unchanged."""
    import pyarrow as pa

    if not isinstance(qrels, (str, Path, list, tuple, import_ray().data.Dataset)):
        return qrels
    return pa.concat_tables([table for table in _read(qrels, "qrels").iter_batches(**_BLOCKS) if table.num_rows])


def _joined(mapped: Any, job: Job, where: str = "") -> Part:
    """The parts of workers as one, in the order of the data set; `where` begins the message of a worker's error."""
    whole, execution = Part(), mapped.context.execution_options
    before, execution.preserve_order = execution.preserve_order, True
    try:
        for table in mapped.iter_batches(**_BLOCKS, prefetch_batches=0):
            for data in table["part"]:
                part = unpack(data.as_buffer(), job.options)
                if part.error is not None:
                    raise type(part.error)(f"{where.format(whole.rows + part.rows)}{part.error}")
                whole.add(part)
    finally:
        execution.preserve_order = before
    return whole


def _cause_of(error: BaseException) -> Exception:
    """The error in a worker, which Ray's errors wrap."""
    ray, cause = import_ray(), error
    while (inner := getattr(cause, "cause", None) or cause.__cause__) is not None:
        if isinstance(
            inner, ray.data.exceptions.SystemException
        ):  # Ray Data's mark on errors of Ray, without a message
            break
        cause = inner
    if isinstance(cause, (TypeError, ValueError, ImportError)):
        return plain_error(cause)
    what = f"{type(cause).__name__}: {cause}"
    if isinstance(cause, ray.exceptions.RayError):
        return ValueError(
            f"Ray lost work that it could not do again: {what}; workers that die often lack memory: give each more (fewer "
            "by concurrency or num_cpus), or the data set smaller blocks"
        )
    return ValueError(f"a worker could not read, move or score a part of the data set: {what}")


def _metric_columns(job: Job, available: list[str], given: Mapping[str, str] | None) -> dict[str, str]:
    """Column of the metric -> column of the data set."""
    function, _ = get_family(job.metric).load()
    parameters = {key: p for key, p in inspect.signature(function).parameters.items() if key != "options"}
    columns = dict(given or {})
    for name in columns:
        if name not in parameters:
            raise TypeError(
                f"{job.metric} has no column {name!r}{did_you_mean(name, parameters)}; it has: {', '.join(parameters)}"
            )
    for name, parameter in parameters.items():
        if name not in columns:
            usual = next((key for key in (name, _OTHER_NAMES.get(name)) if key in available), None)
            if usual is not None:
                columns[name] = usual
            elif parameter.default is inspect.Parameter.empty:
                columns[name] = name
    dataclasses.replace(job, columns=columns).check_columns(available, "the data set")
    return columns
