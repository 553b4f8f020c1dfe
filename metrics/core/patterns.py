r"""Regular expressions of users, with a limit to the time that they may take.

The engine is the package regex, since Python's own cannot be stopped. It is told to read a pattern as Python does: `{e}` and
`[[` are characters, and in `\w` and `\b` the vowel signs of Hindi or Thai are no parts of words.
"""

import contextlib
import functools
import re
import time
from collections.abc import Iterator
from typing import Any

from .shown import shown

_PATTERN_SECONDS = 2.0  # of the processor, for a text or a column of texts
_PATTERN_SECONDS_A_CHARACTER = 1e-6  # more; ordinary patterns take a fiftieth
_PATTERN_SHORTEST = 1e-6
_PATTERN_WORD = r"\p{L}\p{N}_"
_PATTERN_EDGE = f"(?:(?<=[{_PATTERN_WORD}])(?![{_PATTERN_WORD}])|(?<![{_PATTERN_WORD}])(?=[{_PATTERN_WORD}]))"
_PATTERN_PARTS = re.compile(r"\\.|\[(\^?)(\]?(?:\\.|[^]\\])*)\]|\{(?![0-9]*,?[0-9]*\})|\{\}|\(\?#[^)]*\)", re.DOTALL)
_PATTERN_CLASSES = {
    r"\w": f"[{_PATTERN_WORD}]",
    r"\W": f"[^{_PATTERN_WORD}]",
    r"\b": _PATTERN_EDGE,
    r"\B": f"(?!{_PATTERN_EDGE})",
}
_CLASS_MEMBERS = re.compile(r"\\.|.", re.DOTALL)
_PATTERN_COMMENTS = re.compile(rf"{_PATTERN_PARTS.pattern}|#[^\n]*", re.DOTALL)


class PatternError(ValueError):
    """A pattern that is no regular expression, or one that takes too long on a text."""


class Budget:
    """The time that a pattern may take on the texts that it is given together.

    Attributes:
        left: seconds of the processor.
    """

    def __init__(self) -> None:
        self.left = _PATTERN_SECONDS

    @contextlib.contextmanager
    def spent_on(self, pattern: str, text: str) -> Iterator[dict[str, Any]]:
        """The options of a call of the engine for a text; its time is taken off.

        Raises:
            PatternError: there is no time left.
        """
        self.left += len(text) * _PATTERN_SECONDS_A_CHARACTER
        begun = time.thread_time()
        try:
            yield {"timeout": max(self.left, _PATTERN_SHORTEST), "concurrent": True}
        except TimeoutError:
            told = f"the pattern {shown(pattern)} takes more than {_PATTERN_SECONDS:g} seconds"
            raise PatternError(f"{told}; write it without repeats of what repeats, or give a function") from None
        finally:
            self.left -= time.thread_time() - begun


def check_pattern(pattern: str) -> None:
    """Refuse what is not a regular expression of Python.

    Raises:
        PatternError: with what is wrong.
    """
    try:
        re.compile(pattern)
        _compiled_pattern(pattern, False)
    except (re.error, RecursionError, OverflowError) as error:
        raise PatternError(str(error)) from None


def find_all(pattern: str, text: str, budget: Budget | None = None) -> Iterator[Any]:
    """The matches of a pattern, as `re.finditer` gives them.

    Args:
        budget: of a column of texts; None: of this text alone.

    Raises:
        PatternError: they take too long.
    """
    with (budget or Budget()).spent_on(pattern, text) as options:
        yield from _compiled_pattern(pattern, not text.isascii()).finditer(text, **options)


def matches_all(pattern: str, text: str) -> bool:
    """Whether a pattern matches all of a text, as `re.fullmatch` does.

    Raises:
        PatternError: it takes too long.
    """
    with Budget().spent_on(pattern, text) as options:
        return _compiled_pattern(pattern, not text.isascii()).fullmatch(text, **options) is not None


@functools.cache
def _compiled_pattern(pattern: str, has_marks: bool) -> Any:
    """The pattern for texts of ASCII, or for those where the two engines have other letters."""
    import regex

    flags = re.compile(pattern).flags
    parts = _PATTERN_COMMENTS if flags & re.VERBOSE else _PATTERN_PARTS
    in_unicode = has_marks and not flags & re.ASCII
    try:
        return regex.compile(parts.sub(functools.partial(_pattern_part, in_unicode), pattern), regex.VERSION0)
    except regex.error as error:
        raise re.error(str(error)) from None


def _pattern_part(in_unicode: bool, found: re.Match[str]) -> str:
    """A part of a pattern in the syntax of regex."""
    written = found[0]
    if written[0] == "{":
        return "\\" + written
    if found[2] is None:
        return _PATTERN_CLASSES.get(written, written) if in_unicode else written
    members = [r"\[" if member == "[" else member for member in _CLASS_MEMBERS.findall(found[2])]
    rest = "".join(member for member in members if member != r"\W" or not in_unicode)
    rest = rest.replace(r"\w", _PATTERN_WORD) if in_unicode else rest
    if not in_unicode or r"\W" not in members:
        return f"[{found[1]}{rest}]"
    if found[1]:
        return f"(?:(?![{rest}])[{_PATTERN_WORD}])" if rest else f"[{_PATTERN_WORD}]"
    return f"(?:[{rest}]|[^{_PATTERN_WORD}])" if rest else f"[^{_PATTERN_WORD}]"
