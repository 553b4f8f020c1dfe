"""Shared code of Scores: names of measures, what may be joined, and why not."""

import dataclasses
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from .columns import is_hashable
from .options import Options
from .shown import describe, keys_of, shown

_MOST_LISTED = 100  # largest number of measures in a message; each label has several


def named_measures(names: Iterable[str] | str, measures: Mapping[str, Any], options: Options) -> list[str]:
    """Names of measures as they are in `measures`; see `Scores.measure_names`."""
    try:
        names = [names] if isinstance(names, str) else list(names)
    except (TypeError, OverflowError, MemoryError):
        raise TypeError(f"names must be a list of names of measures, got {describe(names)}") from None
    found: dict[str, None] = {}
    for name in names:
        known = [name] if not isinstance(name, str) or name in measures else options.measure_names(name)
        if isinstance(name, str) and not all(one in measures for one in known):
            known = [one for one in measures if one.lower() == name.lower()][:1] or known
        if any(not is_hashable(one) or one not in measures for one in known):
            there = keys_of(measures, _MOST_LISTED)
            raise ValueError(f"no measure {shown(name)}{options.pointed(name, measures)}; available: {there}")
        found.update(dict.fromkeys(known))
    return list(found)


def check_joins(first: Any, part: Any, name: str) -> None:
    """Refuse Scores whose options, columns or measures differ from the first, or with groups in only
    some parts.
    """
    if part.options != first.options:
        raise ValueError(f"{name} has other options: {other_options(part.options, first.options)}")
    if (part.columns.keys(), part.subsets.keys()) != (first.columns.keys(), first.subsets.keys()):
        raise ValueError(f"{name} has other columns or subsets: {[*part.columns, *part.subsets]}")
    if part.measures != first.measures:
        raise ValueError(f"{name} has other measures: {list(part.measures)}")
    if (part.groups is None) != (first.groups is None):
        raise ValueError(
            f"{name} has {'no groups, but the first has' if part.groups is None else 'groups, but the first has none'}; "
            "give groups to all or to none"
        )


def other_options(first: Options, second: Options, fields: Sequence[dataclasses.Field[Any]] | None = None) -> str:
    """Which options differ, with their values and what to do; the signatures if the families differ; "" if nothing
    does.
    """
    if type(first) is not type(second):
        return f"{first.signature()} against {second.signature()}"
    fields = [field for field in dataclasses.fields(first) if field.compare] if fields is None else fields
    differing = [field for field in fields if getattr(first, field.name) != getattr(second, field.name)]
    in_others = {field.metadata.get("object") for field in differing}
    differences = []
    for field in differing:
        a, b = getattr(first, field.name), getattr(second, field.name)
        advice = f" ({field.metadata['advice']})" if "advice" in field.metadata else ""
        first_name, second_name = (str(getattr(value, "name", value)) for value in (a, b))
        if first_name != second_name:
            differences.append(f"{field.name}={first_name} against {second_name}{advice}")
        elif field.name not in in_others:
            same_name = "they are two different objects; give both the same one, or different names"
            differences.append(f"{field.name} differs, though both have the name {first_name} ({same_name}){advice}")
    return "; ".join(differences)


def sorted_values(values: Iterable[Hashable]) -> list[Any]:
    """Sorted distinct values; values that cannot be compared are sorted by type and text."""
    values = set(values)
    try:
        return sorted(values)
    except (TypeError, ValueError, ArithmeticError):  # also for numbers of several types
        return sorted(values, key=lambda value: (type(value).__name__, shown(value)))


def short_number(value: float | int | None) -> str:
    """A value in one line of `repr`; "none" where a measure applies to no example."""
    return "none" if value is None else f"{value:.4g}"
