"""Joins the results of workers."""

import dataclasses
import functools
import pickle
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..core.errors import NoWeight
from ..core.groups import require_several_groups
from ..core.score_parts import check_joins, sorted_values
from ..core.scores import Scores
from ..core.streaming import added_notes, nothing_left, number_on
from .blocks import BlockResult, Job, divided_ids, duplicate_ids, duplicates_of, ids_of_keys, reordered
from .datasets import import_ray
from .partial_sums import PartialSums

_Whole = TypeVar("_Whole", Scores, PartialSums)
_MOST_KEYS = 1 << 25  # ids that are compared where the result is put together


class Whole:
    """Joins parts as they arrive."""

    def __init__(self, job: Job, place: Callable[[int, int], str] = lambda row, count: ""):
        self.job, self.place = job, place
        self.scores: list[Scores] = []
        self.labels: list[Any] = []
        self.sums: dict[Any, PartialSums] = {}
        self.kinds: dict[str, str] = {}
        self.keys: list[np.ndarray] = []  # empty if there are too many
        self.notes: dict[str, int] = {}  # notes of parts that have no rows left
        self.weighed = False  # whether any part has a weight above 0
        self.rows = 0

    def add(self, part: BlockResult, start: int) -> None:
        """Add a part whose first row is number `start`."""
        name = f"the part of the data set from row {start} on{self.place(start, part.rows)}"
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
                    first = next(iter(self.sums.values()))
                    check_joins(first, own, name)
                    first.check_settings(own, name)
                self.sums[label] = PartialSums.concat([self.sums[label], own]) if label in self.sums else own
            return
        if part.scores is None:
            return
        if self.scores:
            check_joins(self.scores[0], part.scores, name)
        self.scores.append(number_on(part.scores, start) if part.by_position else part.scores)
        self.labels += part.labels or ()

    def result(
        self, order: Callable[[Scores], np.ndarray] | None = None
    ) -> Scores | PartialSums | dict[Any, Scores | PartialSums]:
        """All parts joined; `order` is the order of the examples."""
        if not self.scores and not self.sums and not self.rows:
            raise ValueError("the data set is empty: there are no examples to score")
        if not any(map(len, self._parts)):
            raise nothing_left(self._all_notes())
        if not self.weighed:
            raise NoWeight("all weights are 0; give at least one example a weight")
        if self.job.keep == "sums":
            keys = {key for part in self.sums.values() if part.groups for key in part.groups[""][:2].tolist()}
            require_several_groups(len(keys), sum(map(len, self.sums.values())))
        if self.job.keep == "sums" and self.job.by is not None:
            return {label: self.sums[label] for label in sorted_values(self.sums)}
        if self.job.keep == "sums":
            return self._with_notes(self.sums[None])
        whole = self._with_notes(Scores.concat(self.scores)).require_several_groups()
        labels = self.labels
        if order is not None:
            places = order(whole)
            whole = reordered(whole, places)
            labels = [labels[place] for place in places.tolist()] if labels else labels
        return whole if self.job.by is None else dict(whole.by(labels))

    def _with_notes(self, whole: _Whole) -> _Whole:
        return dataclasses.replace(whole, notes=added_notes(whole.notes, self.notes))

    @property
    def _parts(self) -> list[Scores | PartialSums]:
        return [*self.scores, *self.sums.values()]

    def _all_notes(self) -> dict[str, int]:
        return functools.reduce(added_notes, (part.notes for part in self._parts), self.notes)


def refuse_duplicates(rows: Any, job: Job, keys: list[np.ndarray]) -> None:
    """Refuse an id in two places of the data set; `keys` are the numbers of all ids, or too few where they are too many."""
    column = job.columns["ids"]
    if keys:
        repeated = duplicates_of(np.concatenate(keys))
    else:
        divided = rows.map_batches(divided_ids, batch_size=None, batch_format="pyarrow", fn_args=(column,))
        ray = import_ray()
        shuffled = divided.repartition(2 * max(1, int(ray.cluster_resources().get("CPU", 1))), keys=["partition"])
        parts = shuffled.map_batches(duplicate_ids, batch_size=None, batch_format="pyarrow").take_all()
        repeated = np.array([row["key"] for row in parts], np.uint64)
    if not len(repeated):
        return
    seen: set[Any] = set()
    named = rows.map_batches(ids_of_keys, batch_size=None, batch_format="pyarrow", fn_args=(column, repeated))
    for row in named.iter_rows():  # other ids may have the same number
        identifier = pickle.loads(row["id"])
        if identifier in seen:
            raise ValueError(f"duplicate id {identifier!r} in the data set; give every example a distinct id")
        seen.add(identifier)
