"""`qassay.cluster.score`: Ray Data passes rows to workers, and their parts are joined here."""

import dataclasses
import inspect
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import NothingToScore, NoWeight
from ..core.groups import require_several_groups
from ..core.options import check_choice, check_whole, did_you_mean
from ..core.remarks import public
from ..core.score_parts import sorted_values
from ..core.scores import Scores
from ..core.shown import describe
from ..core.streaming import added_notes
from ..registry import DEFAULT, get_family
from .sums import PartialSums
from .workers import Job, ModelWorker, Part, ids_among, plain_error, score_columns, score_rows, unpack

_ROWS_OF_GPU = 8192  # per call of a worker with a GPU
_RESTARTS = 3  # of a worker with a model that dies, for example for lack of memory
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
            them, with one row per example; for rankings, one row per query with lists of documents and scores.
        metric: one of `qassay.list_metrics()`.
        columns: column of the metric -> column of the data set, {"references": "golds"}; columns with the names of the
            metric may be omitted. {"groups": "article"} puts examples in groups, which intervals draw whole; rows of a
            group may be in any files and blocks.
        by: a column of slices.
        keep: "scores": return the statistics of every example. "sums": return only their sums in 16,384 buckets; no
            machine then holds a row per example (the caller holds 8 bytes per id, to compare them, and the ids of
            queries). The id of an example, or its group, determines its bucket, and intervals are based on the buckets
            (`PartialSums`). All measures of answers take some 10 MB on the caller and 1 MB in every part, and so does
            each slice; `names` reduces this. With many classes there are fewer buckets: 1,000 classes have 1,024, which
            take 32 MB; the minimum is 256.
        names: with keep="sums" only these measures.
        qrels: judgements of rankings, {query: {document: relevance}}, which are sent to all workers; None if the rows have
            them, as references and relevances. Queries without a row are missing.
        concurrency: the maximum number of workers; for a model, the number of loaded copies, by default one per GPU or
            processor of the cluster.
        num_cpus, num_gpus: the Ray resources of each worker.
        options: the options of the metric.

    Returns:
        `Scores`; with keep="sums" `PartialSums`, which have a row per bucket; with `by`, value -> one of these, as
        `Scores.by`. Rows keep their order; queries of `qrels` without a row follow.

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
    chosen: Any = family.load()[1].from_keywords(**options)
    check_choice("keep", keep, ("scores", "sums"))
    if concurrency is not None:
        check_whole("concurrency", concurrency, 1)
    if names is not None and keep != "sums":
        raise ValueError(
            "names is only for keep='sums'; with keep='scores', choose measures afterwards: summary(names)"
        )
    ranks = "qrels" in family.columns
    if qrels is not None and not ranks:
        raise ValueError(f"qrels is for retrieval_ranking; omit it with {metric}")
    if not isinstance(qrels, Mapping | None):
        raise TypeError(f"qrels must be a dict {{query: {{document: relevance}}}}, got {describe(qrels)}")
    duplicates = getattr(chosen, "duplicates", "error")  # of rankings: documents of a row
    if duplicates != "error" and not ranks:
        raise ValueError(
            f"duplicates={duplicates!r}{'' if 'duplicates' in options else ', the default,'} requires all rows together, and a "
            "worker has only some of them; remove rows with the same id from the data set and give duplicates='error'"
        )
    names = (names,) if isinstance(names, str) else names
    judged = None if qrels is None else {str(query): documents for query, documents in qrels.items()}
    job = Job(metric, chosen, {}, by, keep, None if names is None else tuple(names), judged)
    resources = {key: value for key, value in (("num_cpus", num_cpus), ("num_gpus", num_gpus)) if value is not None}
    ray = import_ray()
    try:
        return _score_rows(_read(dataset), job, columns or {}, concurrency, resources)
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
    rows: Any, job: Job, columns: Mapping[str, str], concurrency: int | None, resources: dict[str, Any]
) -> Scores | dict[Any, Scores]:
    ray = import_ray()
    job = dataclasses.replace(job, columns=_metric_columns(job, _columns_of(rows), columns))
    if "ids" not in job.columns and (job.keep == "sums" or job.qrels is not None):
        needs = "qrels" if job.keep == "scores" else "keep='sums'"
        raise ValueError(f"{needs} requires ids: name their column in columns={{'ids': ...}}")
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
    whole = _joined(used.map_batches(scorer, fn_args=(job,), **how), job)
    if whole.keys:
        keys, counts = np.unique(np.concatenate(whole.keys), return_counts=True)
        if len(again := keys[counts > 1]):
            found = used.map_batches(ids_among, fn_args=(job.columns["ids"], again), **_BLOCKS).take(1)
            raise ValueError(f"the data set repeats the id {found[0]['id']!r}; give every example a distinct id")
    if job.qrels is not None:
        _add_missing_queries(whole, job)
    return _result(whole, job)


def _add_missing_queries(whole: Part, job: Job) -> None:
    """Score the judged queries that have no row."""
    queries = [query for query in job.qrels or () if query not in whole.queries]
    if whole.queries.isdisjoint(job.qrels or ()):
        raise ValueError("run and judgements have no query in common; are they of the same data set?")
    if queries:
        nothing: list[None] = [None] * len(queries)
        columns = {name: nothing for name in job.columns if name in ("predictions", "weights", "groups")}
        whole.add(score_columns(job, {"ids": queries, **columns}, None if job.by is None else nothing, 0))


def _result(whole: Part, job: Job) -> Scores | dict[Any, Scores]:
    """The joined parts."""
    parts = whole.every
    if not parts and not whole.rows:
        raise ValueError("the data set is empty: there are no examples to score")
    if not any(map(len, parts)):
        notes = dict(whole.notes)
        for part in parts:
            notes = added_notes(notes, part.notes)
        raise NothingToScore(notes)
    if not whole.is_weighed:
        raise NoWeight()
    scores = (PartialSums if job.keep == "sums" else Scores).concat(parts)
    if scores.groups is not None:
        require_several_groups(len(scores.groups.labels), scores.n_examples)
    if job.by is not None and job.keep == "sums":
        return {label: whole.scores[label][0] for label in sorted_values(whole.scores)}
    scores = dataclasses.replace(scores, notes=added_notes(scores.notes, whole.notes))
    return scores if job.by is None else dict(scores.by(whole.labels))


def _read(given: Any) -> Any:
    """A data set of Ray, read from Parquet files if paths are given."""
    ray = import_ray()
    if isinstance(given, ray.data.Dataset):
        return given
    paths: Any = [given] if isinstance(given, (str, Path)) else given
    if not isinstance(paths, (list, tuple)) or not paths or not all(isinstance(path, (str, Path)) for path in paths):
        raise TypeError(
            f"dataset must be a ray.data.Dataset or paths of Parquet files, got {describe(given)}; ray.data.from_items, "
            "from_pandas and from_arrow make data sets"
        )
    paths = [str(path) for path in paths]
    try:
        return ray.data.read_parquet(paths, file_extensions=["parquet", "pq"])
    except (OSError, TypeError, ValueError) as error:  # of Arrow and Ray: missing, other or unlike files
        raise ValueError(
            f"dataset: {', '.join(paths)} cannot be read as Parquet: {error}; read other files with ray.data, such as "
            "ray.data.read_json, and give the data set"
        ) from None


def _columns_of(rows: Any) -> list[str]:
    """The columns of a data set; refuses an empty one, and one with different blocks."""
    try:
        schema = rows.schema()
    except (TypeError, ValueError) as error:  # of Arrow
        raise ValueError(f"the blocks of the data set differ: {error}; make them alike") from None
    if schema is None:
        raise ValueError("the data set is empty: there are no examples to score")
    return list(schema.names)


def _joined(mapped: Any, job: Job) -> Part:
    """The parts of workers as one, in the order of the data set."""
    whole, execution = Part(), mapped.context.execution_options
    before, execution.preserve_order = execution.preserve_order, True
    try:
        for table in mapped.iter_batches(**_BLOCKS, prefetch_batches=0):
            for data in table["part"]:
                part = unpack(data.as_buffer(), job.options)
                if part.error is not None:
                    where = f"in the rows from row {whole.rows + part.rows} of the data set on: "
                    raise type(part.error)(f"{where}{part.error}")
                whole.add(part)
    finally:
        execution.preserve_order = before
    return whole


def _cause_of(error: BaseException) -> Exception:
    """The error in a worker, which Ray's errors wrap."""
    ray, cause = import_ray(), error
    marks = ray.data.exceptions.SystemException  # of Ray Data on errors of Ray, without a message
    while (inner := getattr(cause, "cause", None) or cause.__cause__) and not isinstance(inner, marks):
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


def _metric_columns(job: Job, available: list[str], given: Mapping[str, str]) -> dict[str, str]:
    """Column of the metric -> column of the data set."""
    others = () if job.qrels is None else ("references", "relevances")
    parameters = {key: p for key, p in get_family(job.metric).columns.items() if key not in (*others, "run", "qrels")}
    columns = dict(given)
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
            elif parameter.default is inspect.Parameter.empty or name == "predictions":
                columns[name] = name
    for role, column in {**columns, **({} if job.by is None else {"by": job.by})}.items():
        if column not in available:
            naming = f'say which it is, for example columns={{"{role}": "{available[0]}"}}'
            raise ValueError(
                f"the data set has no column {column!r} (for {role}){did_you_mean(column, available)}; it has: "
                f"{', '.join(available)}; {'name one of them as by' if role == 'by' else naming}"
            )
    return columns
