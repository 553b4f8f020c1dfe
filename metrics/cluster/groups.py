"""Families whose examples have several rows, such as the documents of a query: brought together by Ray's shuffle, and scored."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.arrow import distinct_texts, id_kind
from ..core.scores import Scores
from ..core.shown import describe
from .blocks import (
    Job,
    as_part,
    check_columns,
    plain_block,
    score_block,
    score_joined,
    score_partition,
    used_columns,
)
from .datasets import dataset_of, import_ray, parts_of, types_of
from .partial_sums import PartialSums
from .results import Whole

if TYPE_CHECKING:
    import pyarrow as pa

_SMALL_QRELS = 5_000_000  # judgements that go to every worker, where `join` is left to us
_PARTITION_ROWS, _FEW_PARTS = 1_000_000, 16  # of a shuffle, where it is left to us


def group_columns(job: Job, rows: Any, given: Mapping[str, str] | None, judged: bool) -> dict[str, str]:
    """The columns of a family whose examples have several rows -> those of the data set.

    Args:
        judged: rows bring their relevance.

    Raises:
        TypeError: a column that the family does not have. ValueError: one that the data set does not have.
    """
    there, given = list(types_of(rows)), dict(given or {})
    roles = job.groups.roles_of(given, judged)
    check_columns(used_columns(dataclasses.replace(job, columns=given)), there, "the data set")
    return job.groups.all_columns(there, given, job.by, roles)


def score_groups(
    ray: Any,
    rows: Any,
    job: Job,
    qrels: Any,
    join: str,
    grouped: bool,
    partitions: int | None,
    concurrency: int | None,
    resources: dict[str, Any],
) -> Scores | PartialSums | dict[Any, Scores | PartialSums]:
    """Rankings: rows of a query brought together, scored by query, and the judged queries that no row has added."""
    types, groups = types_of(rows), job.groups
    grouped = groups.are_together(types, job.columns, job.options, grouped)
    judged, by_key = _judgements_of(groups, qrels, join)
    if by_key is not None and grouped:
        raise ValueError("join='key' shuffles the rows by query, so grouped has no use; leave one of them out")
    whole_numbers = judged is None and id_kind(types[job.columns["query"]]) == "whole numbers"
    if by_key is not None:
        kinds = types_of(by_key)
        judged_columns = groups.judged_columns(list(kinds))
        whole_numbers = id_kind(kinds[judged_columns["query"]]) == "whole numbers"
    kind = groups.document_kind(types, job.columns)
    shared = (job, whole_numbers, _Shared(ray.put(judged)))
    if concurrency is not None:
        resources["compute"] = ray.data.TaskPoolStrategy(concurrency)
    how = {"batch_size": None, "batch_format": "pyarrow", **resources}
    if grouped:
        mapped = rows.map_batches(score_block, fn_args=(kind, *shared), **how)
    else:
        moved = rows.map_batches(plain_block, fn_args=(job, kind), batch_size=None, batch_format="pyarrow")
        if by_key is not None:
            schema = groups.joined_schema(types, used_columns(job))
            own = by_key.map_batches(
                groups.as_judged, fn_args=(judged_columns, schema), batch_size=None, batch_format="pyarrow"
            )
            moved = moved.map_batches(groups.as_run, fn_args=(schema,), batch_size=None, batch_format="pyarrow").union(
                own
            )
        score_them = score_partition if by_key is None else score_joined
        mapped = moved.repartition(partitions, keys=["query"]).map_batches(score_them, fn_args=shared, **how)
    whole, seen = Whole(job), set()
    for start, part in parts_of(ray, mapped, job):
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
        return whole.result(lambda scores: np.array(sorted(range(len(scores)), key=scores.ids.__getitem__), np.int64))
    absent = [query for query in order if query not in seen]
    if absent:
        import pyarrow as pa
        import pyarrow.compute as pc

        own = judged.filter(pc.is_in(judged["key"], value_set=pa.array(absent, pa.string())))
        none = pa.table(
            {"query": pa.array([], pa.string()), "document": own["document"][:0], "score": pa.array([], pa.float64())}
        )
        scores = groups.score_groups(none, own, job.options)
        whole.add(as_part(scores, None if job.by is None else {}, job, absent, 0), 0)
    place = {query: number for number, query in enumerate(order)}
    return whole.result(lambda scores: np.argsort([place[str(query)] for query in scores.ids], kind="stable"))


@dataclasses.dataclass(frozen=True)
class _Shared:
    """What all workers of a machine have in one place."""

    ref: Any

    def __call__(self) -> Any:
        return import_ray().get(self.ref)


def default_partitions(ray: Any, rows: Any, from_parquet: bool) -> int:
    """Into how many parts a shuffle divides rows: of about a million each, where metadata tell how many there are.

    Few rows get one part: a part costs more than they do.
    """
    # Dataset.count reads what nobody knows; of Parquet files only their metadata.
    count = rows.count() if from_parquet else getattr(rows, "_meta_count", lambda: None)()
    if count is None:
        return max(_FEW_PARTS, 4 * int(ray.cluster_resources().get("CPU", 1)))
    return max(1, -(-count // _PARTITION_ROWS))


def _judgements_of(groups: Any, qrels: Any, join: str) -> tuple["pa.Table | None", Any]:
    """Judgements for every worker (query, key: the same as text, document, relevance), or as a data set to shuffle."""
    ray = import_ray()
    if qrels is None:
        if join == "key":
            raise ValueError("join='key' needs qrels; without them each row has its relevance")
        return None, None
    if (
        isinstance(qrels, (str, Path))
        or isinstance(qrels, (list, tuple))
        and all(isinstance(q, (str, Path)) for q in qrels)
    ):
        qrels = dataset_of(qrels, "qrels")
    if isinstance(qrels, ray.data.Dataset):
        if join == "key" or join == "auto" and qrels.count() > _SMALL_QRELS:
            return None, qrels
        import pyarrow as pa

        qrels = pa.concat_tables([table for table in ray.get(qrels.to_arrow_refs()) if table.num_rows])
    elif join == "key":
        raise ValueError(
            f"join='key' shuffles the judgements, so give qrels as a ray.data.Dataset or files, not {describe(qrels)[:40]}"
        )
    return groups.judged_table(qrels), None
