"""The systems of a comparison or a ranking: their common examples, measures, slices and groups."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.align import align_scores, require_comparable
from ..core.columns import to_list
from ..core.ids import comparable_ids, values_by_id
from ..core.options import check_choice
from ..core.scores import Scores
from ..core.shown import describe, first_names, shown
from ..core.slices import in_order, mask_labels
from ..registry import compared_measures
from .absent import is_absent, require_answers
from .runs import with_same_columns

_MOST_NAMED = 4  # largest number of measures or systems in a message


class ComparedSystems(NamedTuple):
    """Systems with their common examples, in the same order, and what is compared.

    Attributes:
        aligned: system -> Scores.
        coded: the same systems, with columns that have the same meaning in all of them.
        unmatched: system -> the number of its examples that another system lacks.
        labels: slice -> the label of each example.
        measures: the measures to compare; in_slices: those in slices.
    """

    aligned: dict[str, Scores]
    coded: Mapping[str, Scores]
    unmatched: dict[str, int]
    labels: dict[str, list[str]]
    measures: list[str]
    in_slices: list[str]

    def slices(self) -> Iterator[tuple[str, str, dict[str, Scores]]]:
        """Each slice with a label, in the order of labels, and the systems on its examples."""
        for name, texts in self.labels.items():
            column = np.array(texts, object)
            for label in in_order(set(texts)):
                rows = np.flatnonzero(column == label)
                yield name, label, {system: scores.take(rows) for system, scores in self.coded.items()}


def compared_systems(
    systems: Mapping[str, Scores],
    measures: Sequence[str] | None,
    by: Any,
    groups: Any,
    slice_measures: Sequence[str] | None,
) -> ComparedSystems:
    """Comparable systems with the requested measures, slices and groups.

    Args:
        measures: None: all that have an interval; slice_measures: None: the same.
        by, groups: as in `qassay.compare`, for the examples of the first system.
    """
    require_comparable(systems)
    labels = labels_of(by, systems)
    aligned, unmatched = align_in_groups(systems, groups)
    coded, rows = with_same_columns(aligned), _rows_of_first(systems, aligned)
    texts = {name: [str(values[row]) for row in rows.tolist()] for name, values in labels.items()}
    names = shared_measures(coded, measures)
    in_slices = names if slice_measures is None else shared_measures(coded, slice_measures)
    return ComparedSystems(aligned, coded, unmatched, texts, names, in_slices)


def align_in_groups(systems: Mapping[str, Scores], groups: Any) -> tuple[dict[str, Scores], dict[str, int]]:
    """`align_scores`, with groups as in `qassay.compare`; None: the groups of the scores."""
    if groups is None:
        return align_scores(systems)
    buckets = [name for name, scores in systems.items() if scores.are_buckets]
    if buckets:
        raise ValueError(
            f"the rows of {buckets[0]} are buckets of examples, which no longer have groups; give the groups when the sums "
            "are made"
        )
    labels = _subset_labels(systems, groups) if isinstance(groups, str) else groups
    given = next(iter(systems.values())).with_groups(labels).groups
    aligned, unmatched = align_scores({name: scores.with_groups(None) for name, scores in systems.items()})
    if given is not None:
        given = given.take(_rows_of_first(systems, aligned))
        aligned = {name: scores.with_groups(given) for name, scores in aligned.items()}
    return aligned, unmatched


def answered_examples(
    systems: Mapping[str, Scores],
    *,
    groups: Any = None,
    common: bool = False,
    count_absent: bool = False,
    examples_name: str = "examples",
    remedies: tuple[str, str] = ("common=True", "count_absent=True"),
) -> tuple[dict[str, Scores], dict[str, int]]:
    """The systems on the examples that count, in the same order, and the number of other examples each answered.

    Args:
        groups: as in `qassay.compare`.
        common: True: the examples that all systems answered. False: refuse systems that lack answers or differ in them: a
            system could have omitted the hard examples, and one without some answers would be too easy to beat.
        count_absent: an absent answer to an example in the gold data scores 0 instead of being refused.
        examples_name, remedies: the words for the examples, `common` and `count_absent` in messages.

    Raises:
        TypeError, ValueError: systems that cannot be compared; absent answers, which are counted and listed; no example
            that all systems answered.
    """
    common = check_choice("common", common, (False, True))
    if len(systems) > 1:
        require_comparable(systems)
    if not common:
        require_answers(systems, examples_name, *remedies, count_absent=count_absent)
    aligned, unmatched = align_in_groups(systems, groups)
    if not common or count_absent:
        return aligned, unmatched
    rows = np.flatnonzero(~np.logical_or.reduce([is_absent(scores) for scores in aligned.values()]))
    if not len(rows):
        raise ValueError(f"no example was answered by all systems: {first_names(list(systems), _MOST_NAMED)}")
    answered = {name: scores.n_examples - int(is_absent(scores).sum()) for name, scores in systems.items()}
    if len(rows) < len(next(iter(aligned.values()))):
        aligned = {name: scores.take(rows) for name, scores in aligned.items()}
    return aligned, {name: answered[name] - scores.n_examples for name, scores in aligned.items()}


def _rows_of_first(systems: Mapping[str, Scores], aligned: Mapping[str, Scores]) -> np.ndarray:
    """The rows of the common examples in the first system."""
    rows = {identifier: row for row, identifier in enumerate(next(iter(systems.values())).ids)}
    return np.array([rows[identifier] for identifier in next(iter(aligned.values())).ids], np.int64)


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


def _subset_labels(systems: Mapping[str, Scores], name: str) -> dict[Any, str]:
    """Label each example by whether it is in a subset, which must not depend on the system."""
    labels: dict[Any, str] = {}
    ids_of = comparable_ids(*(scores.ids for scores in systems.values()))
    for (system, scores), ids in zip(systems.items(), ids_of, strict=True):
        if name not in scores.subsets:
            try:
                scores.subset(name)  # raises, listing the valid names
            except ValueError as error:
                raise ValueError(
                    f"{error}; or give labels: table[{name!r}], or a list of labels as {{{name!r}: labels}}"
                ) from None
        for identifier, label in zip(ids, mask_labels(scores.subsets[name].tolist()), strict=True):
            if labels.setdefault(identifier, label) != label:
                raise ValueError(
                    f"the subset {name!r} is not the same in all systems ({system} differs in example {shown(identifier)}): "
                    "a comparison needs slices that do not depend on what a system answers"
                )
    return labels
