"""Slices of scored files by name: a subset, a slice of the family or a column of the gold file; and groups by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.examples import of_examples
from ..core.file_columns import Gold
from ..core.groups import Groups
from ..core.options import did_you_mean
from ..core.scores import Scores
from ..core.slices import mask_labels
from ..registry import family_of, named_groups
from ..stats.remarks import Remark
from .reading import FileError

if TYPE_CHECKING:
    from .scored import Scored

_MOST_LABELS = 1000  # of a slice


def _labels(gold: Gold, scores: Scores, name: str) -> Sequence[Any] | None:
    """The value of each example for a name: a subset of the scores, a slice of the family, or another column of the gold file;
    None if the name is unknown.
    """
    about = family_of(scores).about
    cells = gold.details.get(name, gold.given.get(name))  # columns are read on request
    column = None if cells is None else of_examples(cells, gold, scores)
    if name in scores.subsets:
        labels = mask_labels(scores.subsets[name].tolist())
    elif name in (slices := about.slices(gold, scores)):
        labels = list(slices[name]())
    else:
        if column is None and (why := gold.why_no_detail(name)):
            raise FileError(gold.path, why)
        return column
    if column is not None and name not in about.system_slices:
        pairs = set(zip(labels, map(label_text, column), strict=True))
        if not len(pairs) == len(set(labels)) == len({cell for _, cell in pairs}):
            of_both = f"{name} is a column of this file and a slice of {family_of(scores).name}"
            raise FileError(gold.path, f"{of_both}, which divide the examples in two ways; rename the column")
    return labels


def label_text(value: Any) -> str:
    """The label of a slice for a cell."""
    return mask_labels([value])[0] if isinstance(value, bool) else "(none)" if value is None else str(value)


def slice_labels(gold: Gold, scores: Scores, name: str) -> list[str]:
    """The label of each example of `scores` for a slice name.

    Args:
        name: a subset of the scores, a slice of the family, or another column of the gold file.
    """
    found = _labels(gold, scores, name)
    if found is None:
        offered = list(dict.fromkeys(_offered_slices(gold, scores)))
        raise ValueError(f"no slice {name!r}{did_you_mean(name, offered)}; available: {', '.join(offered)}")
    labels = list(map(label_text, found))
    n_labels = len(set(labels))
    if n_labels > _MOST_LABELS and (name in gold.details or name in gold.given):
        raise ValueError(f"{name} has {n_labels} different values; slice by a column with at most {_MOST_LABELS}")
    return labels


def labels_by_system(metric: Scored, systems: Mapping[str, Scores], name: str) -> dict[str, list[str]]:
    """The label of each example of each system; one list where a slicing depends on the examples alone."""
    first = next(iter(systems))
    depends = name in metric.family.about.system_slices or any(name in scores.subsets for scores in systems.values())
    found: dict[str, list[str]] = {}
    for system, scores in systems.items():
        is_alike = not depends and first in found and scores.ids == systems[first].ids
        found[system] = found[first] if is_alike else slice_labels(metric.gold, scores, name)
    return found


def labels_of_all(metric: Scored, systems: Mapping[str, Scores], name: str) -> list[str]:
    """The label of each example of systems with the same examples."""
    labels = labels_by_system(metric, systems, name)
    (first, first_labels), *others = labels.items()
    for system, other in others:
        if other == first_labels:
            continue
        row = next(row for row, pair in enumerate(zip(first_labels, other, strict=True)) if pair[0] != pair[1])
        raise ValueError(
            f"slice {name!r} depends on what a system answers (example {systems[first].ids[row]!r} is {first_labels[row]!r} with "
            f"{first} and {other[row]!r} with {system}); compare by slices of the examples themselves"
        )
    return first_labels


def slices_by_metric(scored: Sequence[Scored], by: Sequence[str]) -> dict[str, list[str]]:
    """Metric -> the requested slices that it has, since metrics have different slices."""
    found: dict[str, list[str]] = {}
    for metric in scored:
        offered = {*metric.gold.given}.union(*(_offered_slices(metric.gold, of) for of in metric.scores.values()))
        found[metric.family.name] = [name for name in by if name in offered]
    for name in by:
        if not any(name in names for names in found.values()):
            slice_labels(scored[0].gold, next(iter(scored[0].scores.values())), name)
    return found


def slice_remarks(slices: Mapping[str, Sequence[str]]) -> list[Remark]:
    """The slices of `slices_by_metric` that some metrics lack, one line for each."""
    lines = []
    for name in dict.fromkeys(name for names in slices.values() for name in names):
        having = [metric for metric, names in slices.items() if name in names]
        if len(having) < len(slices):
            lines.append(Remark(f"slices by {name}: of {', '.join(having)} only", code="slice_of_some"))
    return lines


def _offered_slices(gold: Gold, scores: Scores) -> list[str]:
    return [*family_of(scores).about.slices(gold, scores), *scores.subsets, *gold.details]


# --- groups -----------------------------------------------------------------------------------------------------------


def with_groups(gold: Gold, scores: Scores, groups: Any) -> Scores:
    """The scores with groups.

    Args:
        gold: the gold file of the scores.
        groups: a name, or labels as in `Scores.with_groups`.
    """
    if not isinstance(groups, str):
        return scores.with_groups(groups)
    try:
        return scores.with_groups(Groups.of(_group_labels(gold, scores, groups), scores.ids, groups))
    except FileError:
        raise
    except (ValueError, TypeError) as error:
        raise FileError(gold.path, str(error)) from error


def _group_labels(gold: Gold, scores: Scores, name: str) -> Sequence[Any]:
    """The group of each example: of a column or slice that does not depend on a system, or of a named grouping."""
    about = family_of(scores).about
    of_systems, named = {*gold.given, *about.system_slices}, about.groups_of(gold)
    labels = None if name in of_systems else _labels(gold, scores, name)
    if labels is None and name in named:
        labels = of_examples(named[name](), gold, scores)
    if labels is None:
        offered = dict.fromkeys((*named, *gold.details, *about.slices(gold, scores)))
        there = [of for of in offered if of not in of_systems]
        meaning = named_groups().get(name)
        why = f" ({meaning}) in this file" if meaning else did_you_mean(name, there)
        raise FileError(gold.path, f"no groups {name!r}{why}; available: {', '.join(there) or 'none'}")
    return labels
