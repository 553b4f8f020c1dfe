r"""Regular expressions of users, with a limit to the time that they may take.

The engine is the package regex, since Python's own cannot be stopped. It is told to read a pattern as Python does: `{e}` and
`[[` are characters, and in `\w` and `\b` the vowel signs of Hindi or Thai are no parts of words.
"""

import functools
import re
import time
from collections.abc import Callable
from typing import Any, TypeVar

from .shown import shown

# Seconds of one core, for a text or a column of texts together. Measured on an AMD EPYC: a call takes 5e-6 a text, and then
# `answer is (\w+)` 1e-8 a character, `\w`, which matches every one, 2e-6; the rest is for slower machines.
_PATTERN_SECONDS = 2.0
_PATTERN_SECONDS_A_CHARACTER = 4e-6
_PATTERN_SECONDS_A_TEXT = 2e-5
_PATTERN_SHORTEST = 1e-6  # the resolution of the engine's clock
_PATTERN_THREADS = 64  # that share the time of a process, at most
_PATTERN_WORD = r"\p{L}\p{N}_"
_PATTERN_EDGE = f"(?:(?<=[{_PATTERN_WORD}])(?![{_PATTERN_WORD}])|(?<![{_PATTERN_WORD}])(?=[{_PATTERN_WORD}]))"
_PATTERN_EDGES = {r"\b": _PATTERN_EDGE, r"\B": f"(?!{_PATTERN_EDGE})"}
_PATTERN_CLASSES = {"w": _PATTERN_WORD, "s": r"\s\x1c-\x1f"}
_PATTERN_PARTS = re.compile(
    r"\\N\{[^}]*\}|\\.|\[(\^?)(\]?(?:\\.|[^]\\])*)\]|\{(?![0-9]*,?[0-9]*\})|\{\}|\(\?#[^)]*\)", re.DOTALL
)
_CLASS_MEMBERS = re.compile(r"\\.|.", re.DOTALL)
_PATTERN_COMMENTS = re.compile(rf"{_PATTERN_PARTS.pattern}|#[^\n]*", re.DOTALL)
_Made = TypeVar("_Made")


class PatternError(ValueError):
    """A pattern that is no regular expression, or one that takes too long on a text."""


class Budget:
    """The time that a pattern may take on the texts that it is given together: in this thread, from now on."""

    def __init__(self) -> None:
        self._end = time.thread_time() + _PATTERN_SECONDS

    def run(self, pattern: str, text: str, function: Callable[..., _Made]) -> _Made:
        """What a function of a compiled pattern, a text and the options of the engine's methods returns.

        Raises:
            PatternError: it takes too long.
        """
        self._end += _PATTERN_SECONDS_A_TEXT + len(text) * _PATTERN_SECONDS_A_CHARACTER
        compiled, left, share = _compiled_pattern(pattern, text.isascii()), self._end - time.thread_time(), 1.0
        while left > _PATTERN_SHORTEST:
            try:
                return function(compiled, text, timeout=left * share, concurrent=True)
            except TimeoutError:  # the engine counts the time of all threads: again with what these take
                before, left = left, self._end - time.thread_time()
                share *= before / max(before - left, before / _PATTERN_THREADS)
        told = f"the pattern {shown(pattern)} takes more than {_PATTERN_SECONDS:g} seconds"
        raise PatternError(f"{told}; write it without repeats of what repeats, or give a function")


def check_pattern(pattern: str) -> None:
    """Refuse what is not a regular expression of Python.

    Raises:
        PatternError: with what is wrong.
    """
    try:
        re.compile(pattern)
        _compiled_pattern(pattern, True)
    except (re.error, RecursionError, OverflowError) as error:
        raise PatternError(str(error)) from None


def matches_all(pattern: str, text: str) -> bool:
    """Whether a pattern matches all of a text, as `re.fullmatch` does.

    Raises:
        PatternError: it takes too long.
    """
    return Budget().run(pattern, text, lambda found, text, **limits: found.fullmatch(text, **limits) is not None)


@functools.lru_cache(256)
def _compiled_pattern(pattern: str, in_ascii: bool) -> Any:
    """The pattern for texts of ASCII, or for those where the two engines have other letters."""
    import regex

    flags = re.compile(pattern).flags
    parts = _PATTERN_COMMENTS if flags & re.VERBOSE else _PATTERN_PARTS
    kinds = "" if flags & re.ASCII else "s" if in_ascii else "sw"
    try:
        return regex.compile(parts.sub(functools.partial(_pattern_part, kinds), pattern), regex.VERSION0)
    except regex.error as error:
        raise re.error(str(error)) from None


def _pattern_part(kinds: str, found: re.Match[str]) -> str:
    """A part of a pattern in the syntax of regex, with these kinds of characters as Python has them."""
    written = found[0]
    if written[0] == "{":
        return "\\" + written
    if written[0] in "(#":
        return written
    if "w" in kinds and written in _PATTERN_EDGES:
        return _PATTERN_EDGES[written]
    is_set = found[2] is not None
    members = _CLASS_MEMBERS.findall(found[2]) if is_set else [written]
    if any({rf"\{kind}", rf"\{kind.upper()}"} <= {*members} for kind in "wsd"):  # `[\s\S]` is any character
        return "(?:(?!))" if found[1] else "(?s:.)"
    inside, others = "", []  # what a set has, and those of which it has all others
    for member in members:
        kind = member[1:].lower()
        if not kind or kind not in kinds:
            inside += "\\" + member if member in "[]^" else member
        elif member[1] == kind:
            inside += _PATTERN_CLASSES[kind]
        else:
            others.append(f"[^{_PATTERN_CLASSES[kind]}]")
    if not is_set and inside == written:
        return written
    if not others:
        return f"[{found[1] or ''}{inside}]"
    either = "|".join([*others, f"[{inside}]"] if inside else others)
    return f"(?:(?!{either})(?s:.))" if found[1] else f"(?:{either})"
