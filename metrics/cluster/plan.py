"""qassay.cluster: scores of data sets that no single machine holds, by Ray Data; the numbers are those of one machine.

    qassay.cluster.score(dataset, "answer_match", columns={"predictions": "answer", "references": "golds", "ids": "id"})
    qassay.cluster.score("runs/*.parquet", "retrieval_ranking", qrels=qrels, keep="sums")

Blocks of the data set become statistics of their examples where they lie, by the same functions as on one machine; only
the statistics travel, or only their sums.
"""

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..core.options import check_choice, check_whole, did_you_mean
from ..core.scores import Scores
from ..registry import DEFAULT, FAMILIES, get_family
from .blocks import Job, ModelWorker, check_columns, score_rows, used_columns
from .datasets import are_parquet, dataset_of, import_ray, order_kept, parts_of, types_of
from .groups import default_partitions, group_columns, score_groups
from .partial_sums import PartialSums
from .results import Whole, refuse_duplicates

_ROWS_OF_GPU = 8192  # that a worker with a GPU takes at a time
_RESTARTS = 3  # of a worker with a model that dies, for want of memory for example
_OTHER_NAMES = {"predictions": "prediction", "references": "reference", "ids": "id"}


def score(
    dataset: Any,
    metric: str = DEFAULT,
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
) -> Scores | PartialSums | dict[Any, Scores | PartialSums]:
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
        `Scores`, or with keep="sums" `PartialSums`; with `by` a dict of them, by value, as `Scores.by`. Rows keep their
        order; queries have that of the judgements where these are broadcast, and are sorted otherwise.

    Raises:
        ImportError: Ray is not installed. TypeError, ValueError: naming the column, the block or the option, and
            what to do.

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
    function, options_class = family.load()
    options_class.check_names(options)
    chosen = options_class.from_keywords(**options)
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
    if (duplicates := getattr(chosen, "duplicates", "error")) != "error":
        raise ValueError(
            f"duplicates={duplicates!r} needs all rows together; take rows with the same id out of the data set"
        )
    has_groups = family.row_groups() is not None
    if not has_groups and (qrels is not None or grouped or join != "auto" or partitions is not None):
        others = " and ".join(name for name, other in FAMILIES.items() if other.row_groups() is not None)
        raise ValueError(f"qrels, join, grouped and partitions are for {others}; leave them out with {metric}")
    if has_groups and num_gpus:
        raise ValueError(f"{metric} uses no GPU; leave num_gpus out")
    ray = import_ray()
    rows = dataset_of(dataset, "dataset")
    resources = {key: value for key, value in (("num_cpus", num_cpus), ("num_gpus", num_gpus)) if value is not None}
    size = _ROWS_OF_GPU if num_gpus else None  # Ray wants one with GPUs; otherwise a block at a time
    job = Job(metric, chosen, {}, by, keep, None if names is None else tuple(names), n_resamples, seed)
    if has_groups:
        job = dataclasses.replace(job, columns=group_columns(job, rows, columns, qrels is None))
        if partitions is None and not grouped:
            partitions = default_partitions(ray, rows, are_parquet(dataset))
        if are_parquet(dataset):
            rows = rows.select_columns(sorted(set(used_columns(job).values())))
        return score_groups(ray, rows, job, qrels, join, grouped, partitions, concurrency, resources)
    job = dataclasses.replace(job, columns=_metric_columns(function, metric, rows, columns, by))
    if are_parquet(dataset):  # read no other columns
        rows = rows.select_columns(sorted(set(used_columns(job).values())))
    if family.loads_model:
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
    whole = Whole(job)
    with order_kept(mapped):
        for start, part in parts_of(ray, mapped, job):
            whole.add(part, start)
    if keep == "sums" and "ids" in job.columns:
        refuse_duplicates(ray, rows, job, whole.keys)
    return whole.result()


def _metric_columns(
    function: Callable[..., Any], metric: str, rows: Any, given: Mapping[str, str] | None, by: str | None
) -> dict[str, str]:
    """The columns of the metric -> those of the data set."""
    parameters = {key: p for key, p in inspect.signature(function).parameters.items() if key != "options"}
    there, chosen = list(types_of(rows)), dict(given or {})
    for name in chosen:
        if name not in parameters:
            raise TypeError(
                f"{metric} has no column {name!r}{did_you_mean(name, parameters)}; it has: {', '.join(parameters)}"
            )
    for name, parameter in parameters.items():
        if name not in chosen:
            usual = next((key for key in (name, _OTHER_NAMES.get(name)) if key in there), None)
            if usual is not None:
                chosen[name] = usual
            elif parameter.default is inspect.Parameter.empty:
                chosen[name] = name
    check_columns({**chosen, **({} if by is None else {"by": by})}, there, "the data set")
    return chosen
