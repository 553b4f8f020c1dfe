"""The metric families: where each one's scoring function and options are."""

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple


class Family(NamedTuple):
    """One metric family: its core module, and the names there of its scoring function and of its options."""

    module: str
    function: str
    options: str

    def load(self) -> tuple[Callable[..., Any], type]:
        """The scoring function and the class of its options, imported now."""
        module = importlib.import_module(self.module)
        return getattr(module, self.function), getattr(module, self.options)


FAMILIES = {
    "answer_match": Family("karat.core.answers", "score_answers", "AnswerMatchOptions"),
}


def get_family(name: str) -> Family:
    """The family of that name.

    Raises:
        ValueError: there is none (the message lists those there are).

    Example:
        >>> get_family("answer_match").module
        'karat.core.answers'
    """
    if name not in FAMILIES:
        from karat.core.options import did_you_mean

        raise ValueError(f"no metric {name!r}{did_you_mean(name, FAMILIES)}; there are: {', '.join(sorted(FAMILIES))}")
    return FAMILIES[name]
