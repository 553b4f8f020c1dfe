"""Checks of Scores that are joined, and how their options differ."""

import dataclasses
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from .options import Options
from .shown import shown


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
