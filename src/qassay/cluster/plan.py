"""qassay.cluster: scores of data sets that no single machine holds, by Ray Data; the numbers equal one machine's.

    qassay.cluster.score(dataset, "answer_match", columns={"predictions": "answer", "references": "golds", "ids": "id"})
    qassay.cluster.score("runs/*.parquet", "retrieval_ranking", qrels=qrels, keep="sums")

Blocks of the data set become statistics of their examples where they lie, by the same functions as on one machine; only
the statistics travel, or only their sums.
"""

import dataclasses
import functools
import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from tqdm import tqdm

from ..core.options import Options, check_choice, check_whole, did_you_mean
from ..core.scores import Scores
from ..registry import DEFAULT, FAMILIES, get_family
from .blocks import Job, ModelWorker, check_columns, score_rows, used_columns
from .datasets import are_small, count_of, import_ray, is_dataset, order_kept, parts_of, quiet, rows_of, types_of
from .files import MOST_ROWS, Files, paths_of
from .local_rows import LocalRows
from .partial_sums import PartialSums
from .results import Whole, refuse_duplicates
from .shuffled_rows import score_groups, with_group_columns

_ROWS_OF_GPU = 8192  # that a worker with a GPU takes at a time
_RESTARTS = 3  # of a worker with a model that dies, for lack of memory for example
_OTHER_NAMES = {"predictions": "prediction", "references": "reference", "ids": "id"}


def score(
    dataset: Any,
    metric: str = DEFAULT,
    *,
    columns: Mapping[str, str] | None = None,
    by: str | None = None,
    keep: str = "scores",
    names: Iterable[str] | str | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    qrels: Any = None,
    join: str = "auto",
    grouped: bool = False,
    partitions: int | None = None,
    concurrency: int | None = None,
    num_cpus: float | None = None,
    num_gpus: float | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Scores | PartialSums | dict[Any, Scores | PartialSums]:
    """Score a data set of any size on a Ray cluster; qassay must be installed on each machine.

    Fewer than a million rows are scored in this process, with the same numbers, and from files without starting Ray,
    because a first call to Ray takes longer. All rows are then together: the option `duplicates` may choose among rows
    with the same id, and keep="sums" needs no ids, since row numbers serve as ids. Models always run on workers, and
    `concurrency`, `num_cpus`, `num_gpus` and `partitions` request workers.

    Args:
        dataset: a `ray.data.Dataset`, or the path (or paths, or a folder) of Parquet or JSON-lines files, with one row
            per example; for rankings, one row per retrieved document, or per query with lists of documents and scores.
        metric: one of `qassay.list_metrics()`.
        columns: column of the metric -> column of the data set, {"references": "golds"}; columns with the names of the
            metric may be omitted. {"groups": "article"} puts examples in groups, which intervals draw whole; rows of a
            group may be in any files and blocks. For rankings: query, document, score (and relevance, if the rows
            contain judgements), recognised by all usual names, and groups: a column of the rows, of `qrels` (which also
            covers queries without rows), or of both, which must agree.
        by: a column whose values divide the result; for rankings, equal in all rows of a query.
        keep: "scores": return the statistics of every example. "sums": return only their sums, in some thousand
            buckets, so that no machine ever holds a row per example (the caller holds 8 bytes per id, to compare
            them, of up to 33 million, and the ids of queries; for more ids the data set is read again, to compare them
            on the workers). The id of an example, or its group, determines its bucket, and intervals follow from the
            16,384 buckets (`PartialSums.interval`). All measures of answers take some 5 MB, in every part and on the
            caller, and so does each value of `by`; `names` reduces this. With many classes there are fewer buckets:
            1,000 classes have 1,024, which take 32 MB; the minimum is 256.
        names: with keep="sums" only these measures.
        n_resamples, seed: settings of the bootstrap with keep="sums"; 0 resamples for no intervals, which takes less
            memory and needs no ids on workers.
        qrels: the judgements of rankings, {query: {document: relevance}}, a table, files or a `ray.data.Dataset`; None
            where each row has its relevance.
        join: how rows are joined with judgements: "broadcast" sends these to all workers, "key" shuffles both by query;
            "auto" chooses "broadcast" up to 5 million judgements.
        grouped: whether all rows of a query are already in one block of the data set (no query is in two files, and
            files are not split); otherwise Ray's shuffle brings them together.
        partitions: the number of parts of that shuffle; None: parts of about a million rows if metadata contain the
            number of rows, otherwise 4 per processor, and at least 16.
        concurrency: the maximum number of workers; for a model, the number of loaded copies (None: one per GPU or
            processor of the cluster).
        num_cpus, num_gpus: the Ray resources of each worker.
        progress: show a progress bar of scored rows on stderr; None: only if it is a terminal. Ray is started if
            necessary, and the bar says so.
        options: the options of the metric.

    Returns:
        `Scores`, or with keep="sums" `PartialSums`; with `by` a dict of them, by value, as `Scores.by`. Rows keep their
        order; queries are in the order of judgements if these are broadcast, and sorted otherwise.

    Raises:
        ImportError: Ray is not installed. TypeError, ValueError: the message names the column, the file or block, or
            the option, and what to do; also an example without a group, or a single group.

    Numbers equal `qassay.score` on one machine, bit for bit, except with keep="sums" for measures that add up in
    the order of the rows (factoid_accuracy), and of weighted averages of classes: 1e-12. The intervals of keep="sums" do
    not depend on blocks, workers or order; they equal `Scores.interval` but for rounding where every example, or
    group, has its own bucket, and otherwise have the same coverage from a few units less.

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
    has_groups = family.row_groups() is not None
    if not has_groups and (qrels is not None or grouped or join != "auto" or partitions is not None):
        others = " and ".join(name for name, other in FAMILIES.items() if other.row_groups() is not None)
        raise ValueError(f"qrels, join, grouped and partitions are for {others}; omit them with {metric}")
    if has_groups and num_gpus:
        raise ValueError(f"{metric} uses no GPU; omit num_gpus")
    asks_for_workers = any(given is not None for given in (concurrency, num_cpus, num_gpus, partitions))
    files, gold_files = Files.of(dataset, "dataset"), Files.of(qrels, "qrels")
    here = (
        not family.loads_model and not asks_for_workers and are_small(dataset, files) and are_small(qrels, gold_files)
    )
    if not here:
        _refuse_choice_of_duplicates(chosen, "duplicates" in options)
    resources = {key: value for key, value in (("num_cpus", num_cpus), ("num_gpus", num_gpus)) if value is not None}
    names = (names,) if isinstance(names, str) else names
    job = Job(metric, chosen, {}, by, keep, None if names is None else tuple(names), n_resamples, seed, here)
    if here and keep == "sums":  # all examples are together: their row numbers are ids if they have none
        job = dataclasses.replace(job, keep="scores")
    with tqdm(disable=None if progress is None else not progress, unit=" rows", leave=False) as bar:
        if files is not None and files.schemas:  # errors in them are raised before Ray starts
            columns_of = _with_columns(job, LocalRows(lambda: iter(()), files.schemas[0]), columns, qrels is None)
            files.check(used_columns(columns_of), check_columns)
        if not here and not import_ray().is_initialized():
            bar.set_description("starting Ray and its workers")
        rows = rows_of(dataset, "dataset", files, here)
        with quiet(rows):
            job = _with_columns(job, rows, columns, qrels is None)
            used = sorted(set(used_columns(job).values()))
            if files is not None and here:
                files.check(used_columns(job), check_columns)
                rows = files.rows(used)
            elif paths_of(dataset) is not None:  # read no other columns
                rows = rows.select_columns(used)
            if here and job.all_at_once:
                rows = rows.repartition(None, [])
            count = sum(files.counts) if files is not None and files.counts else count_of(rows)
            bar.set_description(metric)
            bar.reset(count)
            if has_groups:
                gold = rows_of(qrels, "qrels", gold_files, here) if paths_of(qrels) or is_dataset(qrels) else qrels
                found = score_groups(rows, job, gold, join, grouped, partitions, count, concurrency, resources, bar)
            else:
                found = _score_rows(rows, job, resources, concurrency, bar, files)
    return _sums_of(found, job) if keep == "sums" and here else found


def _sums_of(found: Any, job: Job) -> Any:
    """The sums of Scores, or of each label."""
    sums = functools.partial(PartialSums.of, names=job.names, n_resamples=job.n_resamples, seed=job.seed)
    return {label: sums(own) for label, own in found.items()} if isinstance(found, dict) else sums(found)


def _refuse_choice_of_duplicates(options: Options, is_given: bool) -> None:
    """Refuse an option that chooses among rows with the same id, which workers cannot."""
    duplicates = getattr(options, "duplicates", "error")
    if duplicates == "error":
        return
    told = (
        f"duplicates={duplicates!r}"
        if is_given
        else f"{options.family} takes duplicates={duplicates!r} if nothing is given, which"
    )
    raise ValueError(
        f"{told} needs all rows together, in one process, and these rows are scored by workers; remove rows with the same "
        f"id from the data set and give duplicates='error' (fewer than {MOST_ROWS:,} rows are together, of "
        "files or of dataset.materialize(), without concurrency, num_cpus, num_gpus and partitions)"
    )


def _score_rows(
    rows: Any, job: Job, resources: dict[str, Any], concurrency: int | None, bar: Any, files: Files | None
) -> Scores | PartialSums | dict[Any, Scores | PartialSums]:
    """Rows scored where they lie, an example each."""
    num_cpus, num_gpus = (resources.get(name) for name in ("num_cpus", "num_gpus"))
    how: dict[str, Any] = {"batch_size": _ROWS_OF_GPU if num_gpus else None, "batch_format": "pyarrow", **resources}
    if get_family(job.metric).loads_model:
        ray = import_ray()
        if concurrency is None:
            total = ray.cluster_resources()
            concurrency = max(
                1, int(total.get("GPU", 0) / num_gpus if num_gpus else total.get("CPU", 1) / (num_cpus or 1))
            )
        how["compute"] = ray.data.ActorPoolStrategy(min_size=1, max_size=concurrency)
        how |= {"max_restarts": _RESTARTS, "max_task_retries": _RESTARTS}  # of Ray Data: without end
        mapped = rows.map_batches(type("ModelWorker", (ModelWorker,), {"job": job}), **how)
    else:
        if concurrency is not None:
            how["compute"] = import_ray().data.TaskPoolStrategy(concurrency)
        mapped = rows.map_batches(score_rows, fn_args=(job,), **how)
    place = files.place if files is not None else lambda row, count: ""
    whole = Whole(job, place)
    with order_kept(mapped):
        for start, part in parts_of(mapped, job, bar, place):
            whole.add(part, start)
    if job.keep == "sums" and "ids" in job.columns:
        refuse_duplicates(rows, job, whole.keys)
    return whole.result()


def _with_columns(job: Job, rows: Any, given: Mapping[str, str] | None, judged: bool) -> Job:
    """The job with its columns; `judged`: rows of rankings have their relevance."""
    if get_family(job.metric).row_groups() is not None:
        return with_group_columns(job, rows, given, judged)
    return dataclasses.replace(job, columns=_metric_columns(job, rows, given))


def _metric_columns(job: Job, rows: Any, given: Mapping[str, str] | None) -> dict[str, str]:
    """Column of the metric -> column of the data set."""
    function, _ = get_family(job.metric).load()
    parameters = {key: p for key, p in inspect.signature(function).parameters.items() if key != "options"}
    there, chosen = list(types_of(rows)), dict(given or {})
    for name in chosen:
        if name not in parameters:
            raise TypeError(
                f"{job.metric} has no column {name!r}{did_you_mean(name, parameters)}; it has: {', '.join(parameters)}"
            )
    for name, parameter in parameters.items():
        if name not in chosen:
            usual = next((key for key in (name, _OTHER_NAMES.get(name)) if key in there), None)
            if usual is not None:
                chosen[name] = usual
            elif parameter.default is inspect.Parameter.empty:
                chosen[name] = name
    check_columns({**chosen, **({} if job.by is None else {"by": job.by})}, there, "the data set")
    return chosen
