"""Layouts: the format that a reward requires of a text."""

import dataclasses
import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..core.options import did_you_mean
from ..core.patterns import PatternError, check_pattern, matches_all
from ..core.shown import describe, shown
from ..core.text import function_name

_ASSISTANT = "<|im_start|>assistant"
_TAGS = re.compile(r"(</?(?:think|search|information|answer)>)")
_THINK, _ANSWER = "<think></think>", "<answer></answer>"
_SEARCHES = f"(?:<search></search><information></information>{_THINK})*"


def _in_order(pattern: str, text: str) -> bool:
    """Whether a text consists only of tagged parts, in an order that matches the pattern of tags."""
    pieces = _TAGS.split(text)
    tags, between = "".join(pieces[1::2]), pieces[::4]
    return re.fullmatch(pattern, tags) is not None and not any(piece.strip() for piece in between)


def _after_prompt(pattern: str, text: str) -> bool:
    _, marker, written = text.partition(_ASSISTANT)
    return bool(marker) and _in_order(pattern, written)


#: Name -> whether a text keeps a layout; "answer" asks the extraction. Read only.
LAYOUTS: Mapping[str, Callable[[str], bool] | None] = {
    "answer": None,
    "think_answer": functools.partial(_in_order, _THINK + _ANSWER),
    "search": functools.partial(_in_order, _THINK + _SEARCHES + _ANSWER),
    "search_after_prompt": functools.partial(_after_prompt, _THINK + _SEARCHES + _ANSWER),
}


@dataclasses.dataclass(frozen=True)
class Layout:
    """A check of how far a text keeps a layout.

    Attributes:
        name: what signatures print: "search", "regex:...", "custom:my_function".
        function: from a text to True, False or a number from 0 to 1; None: whether an answer is found.
    """

    name: str
    function: Callable[[str], Any] | None


ANSWER_LAYOUT = Layout("answer", LAYOUTS["answer"])


def find_layout(spec: Any) -> Layout:
    """The layout for a name or a function; a Layout is returned unchanged.

    Raises:
        ValueError: unknown name, or an invalid pattern. TypeError: an object of another type.
    """
    if isinstance(spec, Layout):
        return spec
    if callable(spec):
        return Layout(f"custom:{function_name(spec)}", spec)
    if not isinstance(spec, str):
        raise TypeError(f"option layout is a name or a function, got {describe(spec)}")
    return _named_layout(str(spec))


@functools.lru_cache(256)
def _named_layout(spec: str) -> Layout:
    if spec in LAYOUTS:
        return Layout(spec, LAYOUTS[spec])
    kind, _, pattern = spec.partition("regex:")
    if kind or not pattern:
        valid = ", ".join((*LAYOUTS, "regex:PATTERN"))
        raise ValueError(f"unknown layout {shown(spec)}{did_you_mean(spec, LAYOUTS)}; valid: {valid}; or a function")
    try:
        check_pattern(pattern)
    except PatternError as error:
        raise ValueError(f"layout {shown(spec)} is not a regular expression: {error}") from None
    return Layout(spec, functools.partial(matches_all, pattern))
