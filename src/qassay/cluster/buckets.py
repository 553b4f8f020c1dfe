"""Which bucket an example counts in, and what buckets keep beside sums: masks, weights, fingerprints, groups."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..core.arrow import SPREAD, arrow_integers, fingerprints, mixed
from ..core.groups import Groups
from ..core.ids import comparable_ids
from ..core.measures import Measure, Rows, SumMeasure
from ..core.shown import describe
from .exact_sums import ROWS_TOGETHER, Slices, slices_of

BUCKET_BITS, _LEAST_BITS = 14, 8  # 2 ** bits buckets; fewer where there are many sums, such as with many classes
_MOST_CELLS = 1 << 22  # sums of all buckets together, before there are fewer buckets
_MOST_GROUPS = 1 << 16  # that are counted exactly

_T = TypeVar("_T")


def id_keys(ids: Sequence[Any]) -> np.ndarray:
    """A number for each id, whose first bits are its bucket, uint64 (n,); 7 and "7" are one id, as everywhere."""
    import pyarrow as pa

    if not len(ids):
        return np.empty(0, np.uint64)
    if isinstance(ids, range):
        column = arrow_integers(np.arange(ids.start, ids.stop, ids.step))
    else:
        try:
            column = pa.array(ids)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
            other = next((identifier for identifier in ids if not isinstance(identifier, (str, int, np.integer))), None)
            if other is not None:
                raise TypeError(f"ids must be strings or integers, got {describe(other)}") from None
            column = pa.array(comparable_ids(ids, [""])[0])
    if pa.types.is_integer(column.type):
        column = column.cast(pa.string())
    return mixed(fingerprints(pa.chunked_array([column])) ^ SPREAD)


def number_of_buckets(measures: Mapping[str, SumMeasure], rows: Rows) -> int:
    """How many buckets the sums of these measures have: the same for all parts, whatever their examples."""
    none, bits = rows.take(np.empty(0, np.int64)), BUCKET_BITS
    counts = {measure.sums_key: len(measure.sums(none, np.ones((1, 0)))) for measure in measures.values()}
    while bits > _LEAST_BITS and sum(counts.values()) << bits > _MOST_CELLS:
        bits -= 1
    return 1 << bits


class Masks(NamedTuple):
    """Which examples each measure applies to, (n,) bools, by measure; measures with the same ones share a key."""

    keys: Mapping[str, bytes]
    distinct: Mapping[bytes, np.ndarray]

    def each(self, function: Callable[[np.ndarray], _T]) -> dict[str, _T]:
        """Measure -> what a function makes of its mask; one object where masks are the same."""
        made = {key: function(applies) for key, applies in self.distinct.items()}
        return {name: made[key] for name, key in self.keys.items()}


def masks_of(measures: Mapping[str, Measure], rows: Rows) -> Masks:
    """Which rows each measure applies to; equal masks are kept once."""
    keys: dict[str, bytes] = {}
    distinct: dict[bytes, np.ndarray] = {}
    for name, measure in measures.items():
        applies = measure.applies(rows)
        keys[name] = applies.tobytes()
        distinct.setdefault(keys[name], applies)
    return Masks(keys, distinct)


def same_weight(first: float | None, second: float | None) -> float | None:
    """The weight that all examples of two parts have: None if a part has no example, NaN where weights differ."""
    if first is None or second is None:
        return second if first is None else first
    return first if first == second else math.nan


def group_keys(groups: Groups, masks: Masks, weights: np.ndarray) -> dict[str, np.ndarray]:
    """Measure -> the smallest numbers of the groups with an example, with a weight, that it applies to; "" -> of all."""
    keys = id_keys(groups.labels)

    def smallest(rows: np.ndarray) -> np.ndarray:
        return np.unique(keys[np.flatnonzero(np.bincount(groups.codes[rows], minlength=len(keys)))])[:_MOST_GROUPS]

    return {"": smallest(np.ones(len(groups), bool)), **masks.each(lambda applies: smallest(applies & (weights > 0)))}


def group_count(keys: np.ndarray) -> int:
    """How many groups there are, given their smallest numbers."""
    if len(keys) < _MOST_GROUPS:
        return len(keys)
    return round((_MOST_GROUPS - 1) / (float(keys[-1]) / 2.0**64))


def joined_keys(keys: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The smallest numbers of the groups of two parts."""
    return np.union1d(keys, others)[:_MOST_GROUPS]


def may_share_groups(keys: np.ndarray, size: int) -> bool:
    """Whether `size` examples share groups, given the smallest numbers of the groups."""
    return len(keys) == _MOST_GROUPS or len(keys) < size


def added_prints(prints: np.ndarray, places: np.ndarray, n_places: int) -> np.ndarray:
    """The sum of numbers at each place, modulo 2 ** 64, uint64 (n_places,)."""
    sums = np.zeros(n_places, np.uint64)
    np.add.at(sums, places, prints)
    return sums


def by_weight_slice(rows: Rows, places: np.ndarray) -> list[tuple[int, Rows, np.ndarray]]:
    """Some rows at a time with each slice of their weights: the slice, these rows, and their places."""
    parts = []
    for slice_place, weights in (slices_of(rows.weights) or {0: rows.weights}).items():
        for first in range(0, max(1, len(weights)), ROWS_TOGETHER):
            some = np.arange(first, min(first + ROWS_TOGETHER, len(weights)))
            part = Rows(rows.columns, rows.subsets, weights).take(some)
            parts.append((slice_place, part, places[some]))
    return parts


def class_sums(measure: SumMeasure, parts: list[tuple[int, Rows, np.ndarray]], n_places: int) -> Slices:
    """The sums of a measure that is not a few terms at each place: sums of slices of the weights, which are exact."""
    sums: Slices = {}
    for slice_place, rows, places in parts:
        found = measure.sums_by(rows, places, n_places).astype(np.int64)
        sums[slice_place] = sums[slice_place] + found if slice_place in sums else found
    return sums
