"""Scores families whose examples have several rows, which Ray's shuffle brings together."""

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.arrow import id_kind
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
from .datasets import blocks_of, import_ray, is_dataset, parts_of, types_of
from .local_rows import LocalRows
from .partial_sums import PartialSums
from .results import Whole

if TYPE_CHECKING:
    import pyarrow as pa

_SMALL_GOLD = 5_000_000  # largest number of gold rows that join="auto" sends to every worker
_PARTITION_ROWS, _FEW_PARTS = 1_000_000, 16  # of a shuffle, where it is left to us


def with_group_columns(job: Job, rows: Any, given: Mapping[str, str] | None, has_gold: bool) -> Job:
    """The job with columns of a family whose examples have several rows -> columns of the data set or gold data."""
    there, given = list(types_of(rows)), dict(given or {})
    roles = job.groups.roles_of(given, has_gold)
    in_gold = None if has_gold else given.get("groups")
    if in_gold not in (None, *there):
        del given["groups"]
    check_columns(used_columns(dataclasses.replace(job, columns=given)), there, "the data set")
    return dataclasses.replace(job, columns=job.groups.all_columns(there, given, job.by, roles), gold_groups=in_gold)


def score_groups(
    rows: Any,
    job: Job,
    gold: Any,
    join: str,
    grouped: bool,
    partitions: int | None,
    count: int | None,
    concurrency: int | None,
    resources: dict[str, Any],
    bar: Any,
) -> Scores | PartialSums | dict[Any, Scores | PartialSums]:
    """Rows of an example brought together, scored by example, and the examples with gold data that have no row.

    Args:
        gold: gold data, or the rows of them; None if they are in `rows`.
        count: how many rows there are, where that is known.
    """
    types, groups = types_of(rows), job.groups
    grouped = groups.are_together(types, job.columns, job.options, grouped)
    shared_gold, gold_rows = _gold_of(job, gold, join)
    if gold_rows is not None and grouped:
        raise ValueError(f"join='key' shuffles the rows by {groups.key}, so grouped has no effect; omit one of them")
    integer_ids = shared_gold is None and id_kind(types[job.columns[groups.key]]) == "integers"
    if gold_rows is not None:
        kinds = types_of(gold_rows)
        gold_columns = groups.gold_columns(list(kinds), job.gold_groups, "groups" in job.columns)
        integer_ids = id_kind(kinds[gold_columns[groups.key]]) == "integers"
    kind = groups.item_kind(types, job.columns)
    is_here = isinstance(rows, LocalRows)
    shared = (job, integer_ids, (lambda: shared_gold) if is_here else _Shared(import_ray().put(shared_gold)))
    if concurrency is not None:
        resources["compute"] = import_ray().data.TaskPoolStrategy(concurrency)
    whole_blocks = {"batch_size": None, "batch_format": "pyarrow"}
    how = {**whole_blocks, **resources}
    if grouped:
        mapped = rows.map_batches(score_block, fn_args=(kind, *shared), **how)
    else:
        if partitions is None and not is_here:
            partitions = default_partitions(count)
        moved = rows.map_batches(plain_block, fn_args=(job, kind), **whole_blocks)
        if gold_rows is not None:
            group_type = kinds[gold_columns["groups"]] if "groups" in gold_columns else None
            schema = groups.joined_schema(types, used_columns(job), group_type)
            own = gold_rows.map_batches(groups.gold_to_join, fn_args=(gold_columns, schema), **whole_blocks)
            moved = moved.map_batches(groups.rows_to_join, fn_args=(schema,), **whole_blocks).union(own)
        score_them = score_partition if gold_rows is None else score_joined
        mapped = moved.repartition(partitions, keys=[groups.key]).map_batches(score_them, fn_args=shared, **how)
    whole, seen = Whole(job), set()
    for start, part in parts_of(mapped, job, bar, lambda row, count: ""):
        for name in part.group_names:
            if name in seen:
                raise ValueError(
                    f"{groups.key} {name!r} has rows in two blocks, so it is not grouped; omit grouped=True, or give "
                    f"each {groups.key} one file and read files whole"
                )
            seen.add(name)
        whole.add(part, start)
    order = None if shared_gold is None else groups.gold_names(shared_gold)
    if gold is not None and not (seen if order is None else seen.intersection(order)):
        raise ValueError(groups.nothing_in_common)
    if order is None:
        return whole.result(lambda scores: np.array(sorted(range(len(scores)), key=scores.ids.__getitem__), np.int64))
    absent = [name for name in order if name not in seen]
    if absent:
        scores = groups.score_without_rows(shared_gold, absent, job.options, "groups" in job.columns)
        whole.add(as_part(scores, None if job.by is None else {}, job, absent, 0), 0)
    place = {name: number for number, name in enumerate(order)}
    return whole.result(lambda scores: np.argsort([place[str(name)] for name in scores.ids], kind="stable"))


@dataclasses.dataclass(frozen=True)
class _Shared:
    """Data shared by all workers of a machine."""

    ref: Any

    def __call__(self) -> Any:
        return import_ray().get(self.ref)


def default_partitions(count: int | None) -> int:
    """The number of parts of a shuffle: about a million rows each, if the number of rows is known.

    Few rows get one part, because each part has a fixed cost.
    """
    if count is None:
        return max(_FEW_PARTS, 4 * int(import_ray().cluster_resources().get("CPU", 1)))
    return max(1, -(-count // _PARTITION_ROWS))


def _is_large(gold: Any) -> bool:
    return not isinstance(gold, LocalRows) and gold.count() > _SMALL_GOLD


def _gold_of(job: Job, gold: Any, join: str) -> tuple["pa.Table | None", Any]:
    """Gold data as a `gold_table` for every worker, or as a data set to shuffle."""
    if gold is None:
        if join == "key":
            raise ValueError(job.groups.why_gold)
        return None, None
    if isinstance(gold, LocalRows) or is_dataset(gold):
        if join == "key" or join == "auto" and _is_large(gold):
            return None, gold
        import pyarrow as pa

        gold = pa.concat_tables([table for table in blocks_of(gold) if table.num_rows])
    elif join == "key":
        raise ValueError(f"{job.groups.why_gold_rows}, not {describe(gold)[:40]}")
    return job.groups.gold_table(gold, job.gold_groups, "groups" in job.columns), None
