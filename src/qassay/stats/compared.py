"""The measures, slices and groups of a comparison or a ranking."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.align import align_scores, require_comparable
from ..core.columns import to_list
from ..core.groups import Groups
from ..core.rows import comparable_ids, listed_by_id
from ..core.scores import Scores
from ..core.shown import describe, first_names, shown
from ..core.slices import mask_labels
from ..registry import compared_measures
from .same_columns import with_same_columns

_MOST_NAMED = 4  # measures or systems in a message


class AskedSystems(NamedTuple):
    """Systems with their common examples, in the same order.

    Attributes:
        aligned: system -> Scores.
        coded: the same systems, with columns that have the same meaning in all of them.
        unmatched: system -> the number of its examples that another system lacks.
        labels: slice -> the label of each example.
    """

    aligned: dict[str, Scores]
    coded: Mapping[str, Scores]
    unmatched: dict[str, int]
    labels: dict[str, list[str]]


def asked_measures(
    systems: Mapping[str, Scores], measures: Sequence[str] | str | None
) -> tuple[Sequence[str] | None, Sequence[str] | None]:
    """The measures of a comparison and of its slices; None: all, and in slices the same."""
    require_comparable(systems)
    if measures is None:
        return compared_measures(systems)
    measures = [measures] if isinstance(measures, str) else measures
    if not isinstance(measures, Sequence) or not all(isinstance(name, str) for name in measures):
        raise TypeError(f'measures must be names of measures, or "all"; got {shown(measures)}')
    return None if "all" in measures else measures, None


def asked_systems(systems: Mapping[str, Scores], by: Any, groups: Any) -> AskedSystems:
    """Comparable systems (`core.align.require_comparable`) with the requested slices and groups.

    Args:
        by, groups: as in `qassay.compare`, for the examples of the first system.
    """
    labels = labels_of(by, systems)
    given = None if groups is None else groups_of(groups, systems)
    if given is not None:
        systems = {name: scores.with_groups(None) for name, scores in systems.items()}
    aligned, unmatched = align_scores(systems)
    place = {identifier: row for row, identifier in enumerate(next(iter(systems.values())).ids)}
    order = [place[identifier] for identifier in next(iter(aligned.values())).ids]
    if given is not None:
        taken = given.take(np.array(order, np.int64))
        aligned = {name: scores.with_groups(taken) for name, scores in aligned.items()}
    texts = {name: [str(values[row]) for row in order] for name, values in labels.items()}
    return AskedSystems(aligned, with_same_columns(aligned), unmatched, texts)


def shared_measures(systems: Mapping[str, Scores], asked: Sequence[str] | None) -> list[str]:
    """The measures to compare: the requested ones, or all measures with an interval that all systems have."""
    shared = [
        name
        for name, measure in next(iter(systems.values())).measures.items()
        if measure.has_interval and all(name in scores.measures for scores in systems.values())
    ]
    if not shared and not asked:
        told = [f"{name} has {first_names(list(scores.measures), _MOST_NAMED)}" for name, scores in systems.items()]
        raise ValueError(f"the systems share no measure that can be compared: {'; '.join(told[:_MOST_NAMED])}")
    if asked is None:
        return shared
    names = next(iter(systems.values())).measure_names(asked)
    for scores in systems.values():
        scores.measure_names(names)  # refuses an unknown measure
        for name in names:
            if not scores.measures[name].has_interval:
                raise ValueError(f"{name} is a count or a threshold, whose differences are not tested; omit it")
    if not names:
        raise ValueError("measures is empty; name one, or omit it")
    return names


def labels_of(by: Any, systems: Mapping[str, Scores]) -> dict[str, list[Any]]:
    """Slice -> a label per example of the first system."""
    if by is None:
        return {}
    first = next(iter(systems.values()))
    if isinstance(by, str):
        by = [by]
    is_column = any(hasattr(by, method) for method in ("to_pylist", "tolist", "to_list", "column_name"))
    if is_column and not all(
        isinstance(label, str) and label in first.subsets for label in to_list(by, "by")
    ):  # labels, not names of subsets
        by = {str(getattr(by, "name", None) or getattr(by, "column_name", None) or "by"): by}
    if not isinstance(by, Mapping):
        by = to_list(by, "by")
        wrong = [name for name in by if not isinstance(name, str)]
        if wrong:
            raise TypeError(
                f"by must be names of subsets, a column of labels, or a dict slice -> labels; got {describe(wrong[0])}"
            )
        by = {name: _subset_labels(systems, name) for name in by}
    labels_of = {}
    for name, values in by.items():
        values = listed_by_id(values, first.ids, f"slice {shown(name)}")
        if len(values) != len(first):
            raise ValueError(
                f"slice {shown(name)} has {len(values)} labels for the {len(first)} examples of the first system; "
                "give one for each, in its order, or a dict id -> label"
            )
        labels_of[name] = values
    return labels_of


def groups_of(labels: Any, systems: Mapping[str, Scores]) -> Groups | None:
    """The groups of the examples of the first system."""
    buckets = [name for name, scores in systems.items() if scores.are_buckets]
    if buckets:
        raise ValueError(
            f"the rows of {buckets[0]} are buckets of examples, which have no groups any more; give the groups when the sums "
            "are made"
        )
    first_name, first = next(iter(systems.items()))
    if isinstance(labels, str):
        lacking = [name for name, scores in systems.items() if labels not in scores.subsets]
        if lacking:
            there = ", ".join(systems[lacking[0]].subsets) or "none"
            raise ValueError(
                f"groups: no subset {labels!r} in {lacking[0]}, whose subsets are: {there}; give labels, one per example or "
                "{id: label}"
            )
        labels = _subset_labels(systems, labels)
    elif isinstance(labels, (list, tuple, np.ndarray)) and len(labels) != len(first):
        raise ValueError(
            f"groups has {len(labels)} labels, but {first_name}, the first system, has {len(first)} examples; give a label for "
            "each of them in their order, or {id: label}"
        )
    return first.with_groups(labels).groups


def _subset_labels(systems: Mapping[str, Scores], name: str) -> dict[Any, str]:
    """Whether each example is in a subset, which must depend on the examples only, not on a system."""
    labels: dict[Any, str] = {}
    ids_of = comparable_ids(*(scores.ids for scores in systems.values()))
    for (system, scores), ids in zip(systems.items(), ids_of, strict=True):
        if name not in scores.subsets:
            scores.subset(name)  # raises, listing the valid names
        for identifier, label in zip(ids, mask_labels(scores.subsets[name].tolist()), strict=True):
            if labels.setdefault(identifier, label) != label:
                raise ValueError(
                    f"the subset {name!r} is not the same in all systems ({system} differs in example {shown(identifier)}): "
                    "a comparison needs slices that do not depend on what a system answers"
                )
    return labels
