"""A progress bar for work that takes long."""

import sys
from collections.abc import Iterable, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


def progress(items: Sequence[_Item], what: str) -> Iterable[_Item]:
    """The items, with a progress bar if stderr is a terminal and they take more than a second."""
    if len(items) < 2 or not sys.stderr.isatty():
        return items
    from tqdm import tqdm  # imported late: it takes as long as the rest of a short command

    bar: Iterable[_Item] = tqdm(items, desc=what, delay=1, leave=False)
    return bar
