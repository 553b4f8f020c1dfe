"""Labels of examples by name, a subset, a slice of the family or a column of the gold file, and groups by them."""

from collections.abc import Sequence
from typing import Any

from ..core.examples import of_examples
from ..core.file_columns import Gold
from ..core.groups import Groups
from ..core.options import did_you_mean
from ..core.scores import Scores
from ..core.slices import mask_labels
from ..registry import family_of, named_groups
from .reading import FileError


def labels_of(gold: Gold, scores: Scores, name: str) -> Sequence[Any] | None:
    """The label of each example of `scores` for a name; None if the name is unknown.

    Args:
        name: a subset of the scores, a slice of the family, or another column of the gold file, whose cells are labels.

    Raises:
        FileError: a column of the gold file has the same name but divides the examples differently, or has several values
            for an example.
    """
    about = family_of(scores).about
    cells = gold.details[name] if name in gold.details else gold.given.get(name)  # columns are read on request
    column = None if cells is None else of_examples(cells, gold, scores)
    if name in scores.subsets:
        labels = mask_labels(scores.subsets[name].tolist())
    elif name in (slices := about.slices(gold, scores)):
        labels = list(slices[name]())
    elif column is None and (why := gold.why_no_detail(name)):
        raise FileError(gold.path, why)
    else:
        return column
    if column is not None and name not in about.system_slices:
        pairs = set(zip(labels, map(label_text, column), strict=True))
        if not len(pairs) == len(set(labels)) == len({cell for _, cell in pairs}):
            message = (
                f"{name} is a column of this file and a slice of {family_of(scores).name}, which divide the examples"
            )
            raise FileError(gold.path, f"{message} in two ways; rename the column")
    return labels


def label_text(value: Any) -> str:
    """A cell as the label of a slice."""
    return mask_labels([value])[0] if isinstance(value, bool) else "(none)" if value is None else str(value)


# --- groups -----------------------------------------------------------------------------------------------------------


def with_groups(gold: Gold, scores: Scores, groups: Any) -> Scores:
    """The scores with groups.

    Args:
        gold: the gold file of the scores.
        groups: a name, or labels as in `Scores.with_groups`.

    Raises:
        FileError: unknown groups (the message lists the valid names), an example without a group, or a single group.
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
    family = family_of(scores)
    about = family.about
    if name in about.system_slices:
        raise ValueError(
            f"groups cannot be by {name}, which depends on what a system answers; group by what the examples are"
        )
    unfit = {*gold.given, *about.count_slices}
    labels = None if name in unfit else labels_of(gold, scores, name)
    if labels is not None:
        return labels
    named = about.groups_of(gold)
    if name in named:
        return of_examples(named[name](), gold, scores)
    there = [of for of in (*named, *gold.details, *about.slices(gold, scores)) if of not in unfit]
    there = [of for of in dict.fromkeys(there) if of not in about.system_slices]
    meaning = named_groups().get(name)
    why = f", since this file does not tell {meaning}" if meaning else did_you_mean(name, there)
    raise FileError(gold.path, f"no groups {name!r}{why}; available: {', '.join(there) or 'none'}")
