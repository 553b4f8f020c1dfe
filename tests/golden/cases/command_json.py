"""Every number of the JSON of the command line on samples/, by system, measure and field."""

from collections.abc import Iterator
from typing import Any

from _commands import COMMANDS, json_numbers

TOLERANCE = 1e-9  # ends of intervals and p-values


def cases() -> Iterator[tuple[str, Any]]:
    for name in COMMANDS:
        yield name, json_numbers(name)
