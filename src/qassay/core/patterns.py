"""Regular expressions of users, with a limit to the time that they may take on a text.

The engine is the package regex, since Python's cannot be stopped.
"""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from .shown import shown

_PATTERN_SECONDS = 2.0
_PATTERN_SECONDS_A_CHARACTER = 4e-6  # twice what a pattern takes that matches every character, as measured
_Made = TypeVar("_Made")


class PatternError(ValueError):
    """A pattern that is no regular expression, or one that takes too long on a text."""


@functools.lru_cache(256)
def compiled_pattern(pattern: str) -> Any:
    """The compiled pattern.

    Raises:
        PatternError: not a regular expression; with what is wrong.
    """
    import regex

    try:
        return regex.compile(pattern, regex.VERSION0)
    except (regex.error, RecursionError, OverflowError) as error:
        raise PatternError(str(error)) from None


def with_limit(pattern: str, text: str, function: Callable[..., _Made]) -> _Made:
    """What a function of a compiled pattern, a text and the options of the engine's methods returns.

    Raises:
        PatternError: it takes too long.
    """
    try:
        return function(
            compiled_pattern(pattern), text, timeout=_PATTERN_SECONDS + len(text) * _PATTERN_SECONDS_A_CHARACTER
        )
    except TimeoutError:
        problem = f"the pattern {shown(pattern)} takes more than {_PATTERN_SECONDS:g} seconds"
        raise PatternError(f"{problem}; write it without repeats of what repeats, or give a function") from None


def matches_all(pattern: str, text: str) -> bool:
    """Whether a pattern matches all of a text, as `re.fullmatch` does.

    Raises:
        PatternError: it takes too long.
    """
    return with_limit(pattern, text, lambda found, text, **limits: found.fullmatch(text, **limits) is not None)
