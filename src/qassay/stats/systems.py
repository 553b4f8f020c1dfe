"""The systems of a comparison or a ranking: their common examples, who lacks answers, and their measures, slices and groups."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.align import align_scores, require_comparable
from ..core.columns import counted, to_list
from ..core.groups import Groups
from ..core.ids import comparable_ids, lacking_by_run, values_by_id
from ..core.scores import Scores
from ..core.shown import describe, first_names, shown
from ..core.slices import in_order, mask_labels
from ..registry import compared_measures
from .joined_runs import with_same_columns

_MOST_NAMED = 4  # largest number of measures or systems in a message
_MOST_IDS = 3  # largest number of ids per system in a message
_MOST_LACKING = 5  # largest number of systems in a message


class ComparedSystems(NamedTuple):
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


def compared_systems(systems: Mapping[str, Scores], by: Any, groups: Any) -> ComparedSystems:
    """Comparable systems (`core.align.require_comparable`) with the requested slices and groups.

    Args:
        by, groups: as in `qassay.compare`, for the examples of the first system.
    """
    labels = labels_of(by, systems)
    aligned, unmatched = align_in_groups(systems, groups)
    rows = _rows_of_first(systems, aligned)
    texts = {name: [str(values[row]) for row in rows.tolist()] for name, values in labels.items()}
    return ComparedSystems(aligned, with_same_columns(aligned), unmatched, texts)


def align_in_groups(systems: Mapping[str, Scores], groups: Any) -> tuple[dict[str, Scores], dict[str, int]]:
    """`align_scores`, with groups as in `qassay.compare`; None: the groups of the scores."""
    if groups is None:
        return align_scores(systems)
    given = groups_of(groups, systems)
    aligned, unmatched = align_scores({name: scores.with_groups(None) for name, scores in systems.items()})
    if given is not None:
        given = given.take(_rows_of_first(systems, aligned))
        aligned = {name: scores.with_groups(given) for name, scores in aligned.items()}
    return aligned, unmatched


def _rows_of_first(systems: Mapping[str, Scores], aligned: Mapping[str, Scores]) -> np.ndarray:
    """The rows of the common examples in the first system."""
    rows = {identifier: row for row, identifier in enumerate(next(iter(systems.values())).ids)}
    return np.array([rows[identifier] for identifier in next(iter(aligned.values())).ids], np.int64)


def slices_of(
    systems: Mapping[str, Scores], labels: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str, dict[str, Scores]]]:
    """Each slice with a label, in the order of labels, and the systems on its examples.

    Args:
        labels: slice -> the label of each example.
    """
    for name, texts in labels.items():
        column = np.array(texts, object)
        for label in in_order(set(texts)):
            rows = np.flatnonzero(column == label)
            yield name, label, {system: scores.take(rows) for system, scores in systems.items()}


# --- absent answers ---------------------------------------------------------------------------------------------------


def lacking_answers(systems: Mapping[str, Scores], count_absent: bool = False) -> dict[str, list[Any]]:
    """System -> the ids of examples of other systems or the gold file that it did not answer; complete systems are omitted.

    Args:
        count_absent: whether an absent answer to an example in the gold file counts as an answer.
    """
    ids_of = dict(zip(systems, comparable_ids(*(scores.ids for scores in systems.values())), strict=True))
    lacking = lacking_by_run(ids_of)
    if not count_absent:
        for name, scores in systems.items():
            missing = [scores.ids[row] for row in np.flatnonzero(_is_absent(scores)).tolist()]
            lacking[name] = [*missing, *lacking.get(name, ())]
    return {name: lacking[name] for name in systems if lacking.get(name)}


def answered_by_all(
    aligned: Mapping[str, Scores], systems: Mapping[str, Scores]
) -> tuple[dict[str, Scores], dict[str, int]]:
    """The aligned systems restricted to the examples that all of them answered, and the number of others each answered.

    Args:
        systems: the systems before they were aligned.

    Raises:
        ValueError: there is no example that all systems answered.
    """
    rows = np.flatnonzero(~np.logical_or.reduce([_is_absent(scores) for scores in aligned.values()]))
    if not len(rows):
        names = first_names(list(systems), _MOST_LACKING)
        raise ValueError(f"no example was answered by all systems: {names}")
    answered = {name: scores.n_examples - int(_is_absent(scores).sum()) for name, scores in systems.items()}
    if len(rows) < len(next(iter(aligned.values()))):
        aligned = {name: scores.take(rows) for name, scores in aligned.items()}
    return dict(aligned), {name: answered[name] - scores.n_examples for name, scores in aligned.items()}


def absent_text(lacking: Mapping[str, Sequence[Any]], systems: Mapping[str, Scores]) -> str:
    """The number of absent examples of each system, the total, and the first ids.

    Args:
        lacking: the result of `lacking_answers`.
    """
    total = len({str(identifier) for scores in systems.values() for identifier in scores.ids})
    each = [
        f"{name} lacks {len(ids):,} of {total:,} ({first_names(list(map(shown, ids)), _MOST_IDS)})"
        for name, ids in lacking.items()
    ]
    return first_names(each, _MOST_LACKING)


def absent_answers(lacking: Mapping[str, Sequence[Any]], systems: Mapping[str, Scores], examples_name: str) -> str:
    """The error message for absent answers, with the first remedy; arguments as in `absent_text`."""
    lists = [list(lacking.get(name, ())) for name in systems]
    same = "all" if all(ids == lists[0] for ids in lists) else "the same"
    return (
        f"the systems did not answer {same} {examples_name}: {absent_text(lacking, systems)}; give the missing answers"
    )


def common_text(aligned: Mapping[str, Scores], unmatched: Mapping[str, int], examples_name: str) -> str:
    """The result of `answered_by_all` as text that follows "ranked by" or "judged by"."""
    total = next(iter(aligned.values())).n_examples
    omitted = ", ".join(f"{count:,} of {name}" for name, count in unmatched.items() if count)
    return f"the {counted(total, examples_name)} that all systems answered" + (
        f"; answers omitted: {omitted}" if omitted else ""
    )


def _is_absent(scores: Scores) -> np.ndarray:
    return np.asarray(scores.subsets.get("missing", np.zeros(len(scores), bool)))


# --- measures, slices and groups --------------------------------------------------------------------------------------


def requested_measures(
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


def shared_measures(systems: Mapping[str, Scores], requested: Sequence[str] | None) -> list[str]:
    """The measures to compare: the requested ones, or all measures with an interval that all systems have.

    Raises:
        ValueError: an unknown measure, or one that is a different measure in some system.
    """
    first_name, first = next(iter(systems.items()))
    shared = [
        name
        for name, measure in first.measures.items()
        if measure.has_interval and all(name in scores.measures for scores in systems.values())
    ]
    if not shared and not requested:
        each = [f"{name} has {first_names(list(scores.measures), _MOST_NAMED)}" for name, scores in systems.items()]
        raise ValueError(
            f"the systems share no measure that can be compared: {'; '.join(each[:_MOST_NAMED])}; give the same measure the same name"
        )
    names = shared if requested is None else first.measure_names(requested)
    if not names:
        raise ValueError("measures is empty; give a measure, or omit measures")
    for system, scores in systems.items():
        scores.measure_names(names)  # refuses an unknown measure
        for name in names:
            if not scores.measures[name].has_interval:
                raise ValueError(f"{name} is a count or a threshold, whose differences are not tested; omit it")
            if scores.measures[name] != first.measures[name]:
                raise ValueError(
                    f"{name} of {first_name} and of {system} are not the same measure; compare them separately"
                )
    return names


def labels_of(by: Any, systems: Mapping[str, Scores]) -> dict[str, list[Any]]:
    """Slice -> a label per example of the first system."""
    if by is None:
        return {}
    first = next(iter(systems.values()))
    by = slices_of_column([by] if isinstance(by, str) else by, first)
    if not isinstance(by, Mapping):
        by = to_list(by, "by")
        wrong = [name for name in by if not isinstance(name, str)]
        if wrong:
            raise TypeError(
                f"by must be names of subsets, a column of labels, or a dict slice -> labels; got {describe(wrong[0])}"
            )
        by = {name: _subset_labels(systems, name) for name in by}
    found = {}
    for name, values in by.items():
        values = values_by_id(values, first.ids, f"slice {shown(name)}")
        if len(values) != len(first):
            raise ValueError(
                f"slice {shown(name)} has {len(values)} labels for the {len(first)} examples of the first system; "
                "give one for each, in its order, or a dict id -> label"
            )
        found[name] = values
    return found


def slices_of_column(by: Any, scores: Scores) -> Any:
    """A column of labels (an array, a series, a column of a table) as a dict slice -> labels; anything else unchanged."""
    is_column = any(hasattr(by, method) for method in ("to_pylist", "tolist", "to_list", "column_name"))
    if not is_column or all(isinstance(label, str) and label in scores.subsets for label in to_list(by, "by")):
        return by  # names of subsets too
    return {str(getattr(by, "name", None) or getattr(by, "column_name", None) or "by"): by}


def groups_of(labels: Any, systems: Mapping[str, Scores]) -> Groups | None:
    """The groups of the examples of the first system."""
    buckets = [name for name, scores in systems.items() if scores.are_buckets]
    if buckets:
        raise ValueError(
            f"the rows of {buckets[0]} are buckets of examples, which no longer have groups; give the groups when the sums "
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
    """Label each example by whether it is in a subset, which must not depend on the system."""
    labels: dict[Any, str] = {}
    ids_of = comparable_ids(*(scores.ids for scores in systems.values()))
    for (system, scores), ids in zip(systems.items(), ids_of, strict=True):
        if name not in scores.subsets:
            try:
                scores.subset(name)  # raises, listing the valid names
            except ValueError as error:
                raise ValueError(f"{error}; or give labels: by=table[{name!r}]") from None
        for identifier, label in zip(ids, mask_labels(scores.subsets[name].tolist()), strict=True):
            if labels.setdefault(identifier, label) != label:
                raise ValueError(
                    f"the subset {name!r} is not the same in all systems ({system} differs in example {shown(identifier)}): "
                    "a comparison needs slices that do not depend on what a system answers"
                )
    return labels
