"""Groups of examples by a name: by a column of the gold file, by a slice, or as the family names them."""

from collections.abc import Sequence
from typing import Any

from .core.examples import of_examples
from .core.file_columns import Gold
from .core.groups import Groups
from .core.options import did_you_mean
from .core.scores import Scores
from .files.reading import FileError
from .registry import Family, family_of, named_groups


def with_groups(gold: Gold, scores: Scores, groups: Any) -> Scores:
    """Scores in groups.

    Args:
        gold: the file that they were scored against.
        groups: a name, or labels as of `Scores.with_groups`.

    Raises:
        FileError: no such groups (the message lists those there are), an example without one, or one group only.
    """
    if not isinstance(groups, str):
        return scores.with_groups(groups)
    try:
        return scores.with_groups(Groups.of(_labels(gold, scores, groups), scores.ids, groups))
    except (ValueError, TypeError) as error:
        raise FileError(gold.path, str(error)) from error


def _labels(gold: Gold, scores: Scores, name: str) -> Sequence[Any]:
    telling = family_of(scores).telling
    if name in telling.system_slices:
        raise ValueError(
            f"groups cannot be by {name}, which depends on what a system answers; group by what the examples are"
        )
    if name in gold.details:
        return of_examples(gold.details[name], gold, scores)
    named = telling.groups_of(gold)
    if name in named:
        return of_examples(named[name](), gold, scores)
    slices = {of: labels for of, labels in telling.slices(gold, scores).items() if of not in telling.count_slices}
    if name in slices:
        return slices[name]()
    if name in scores.subsets:
        return ["yes" if is_in else "no" for is_in in scores.subsets[name].tolist()]
    if uneven := gold.why_no_detail(name):
        raise FileError(gold.path, uneven)
    there = [name for name in (*offered_groups(gold, family_of(scores)), *slices) if name not in telling.system_slices]
    meaning = named_groups().get(name)
    why = f", since this file does not tell {meaning}" if meaning else did_you_mean(name, there)
    raise FileError(gold.path, f"no groups {name!r}{why}; there are: {', '.join(dict.fromkeys(there)) or 'none'}")


def offered_groups(gold: Gold, family: Family) -> list[str]:
    """The groups that a gold file tells: those that the family names, then its columns."""
    return list(dict.fromkeys([*family.telling.groups_of(gold), *gold.details]))
