"""Reads option values from texts: NAME=VALUE of the command line, and key:value of signatures."""

import ast
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any

_BETWEEN_COMMAS = re.compile(r"(?:[^,(]|\([^()]*\)|\()*")
_NUMBER = re.compile(r"\d+(\.\d+)?")
_CUT_OFF = re.compile(rf"(?!\d)(.*?[.@_]){_NUMBER.pattern}")
_TRUTHS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
# Type -> what a text must be, and its value.
_READERS: dict[Any, tuple[str, Callable[[str], Any]]] = {
    bool: ("yes or no", lambda text: _TRUTHS[text.lower()]),
    int: ("an integer", int),
    float: ("a number", lambda text: int(text) if text.isdecimal() else float(text)),
}


def value_of_text(kind: Any, text: str, items: Sequence[str]) -> Any:
    """The value of a text by the type of an option; a text of another type, such as the name of a model, is itself.

    Args:
        items: the items of the text, for a type that is a tuple.

    Raises:
        ValueError: a text that is not of the type. The message is what it must be, such as "an integer".
    """
    for one in typing.get_args(kind) if typing.get_origin(kind) in (typing.Union, types.UnionType) else (kind,):
        if typing.get_origin(one) is tuple:
            item = typing.get_args(one)[0]
            try:
                return tuple(value_of_text(item, part, ()) for part in items)
            except ValueError:
                raise ValueError("numbers separated by commas, as in 1,3,5 or 0.5,0.8") from None
        if one in _READERS:
            needed, read = _READERS[one]
            try:
                return read(text)
            except (KeyError, ValueError):
                raise ValueError(needed) from None
    return text


def number_or_text(text: str) -> int | float | str:
    """A text as a number if it is one, else the text without quotes."""
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def takes_numbers_and_texts(annotation: Any) -> bool:
    """Whether a type takes both; then numeric texts are quoted in a signature."""
    return {str, float} <= set(typing.get_args(annotation))


def value_of_option(name: str, text: str, annotation: Any) -> Any:
    """The value of an option that a user wrote as NAME=VALUE.

    Raises:
        ValueError: the text is not of the type of the option; the message says what it must be.
    """
    if takes_numbers_and_texts(annotation):  # the text may be a name: the option itself decides
        return text
    if type(None) in typing.get_args(annotation) and text.lower() == "none":
        return None
    try:
        value = value_of_text(annotation, text, split_list(text))
        if value is text and text.startswith("{"):
            return _read_dict(text)
    except ValueError as error:
        raise ValueError(f"option {name} needs {error}; got {text!r}") from None
    return value


def _read_dict(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise ValueError("a dict such as {1: 0.5, 2: 1}") from None


def list_of_option(text: str) -> Any:
    """A list of names, or of integers if all parts are integers; a single integer is a number, and "none" is None."""
    parts = split_list(text)
    if parts == ["none"]:
        return None
    if all(re.fullmatch(r"-?\d+", part) for part in parts):
        return int(text) if len(parts) == 1 else [int(part) for part in parts]
    return parts


def split_list(text: str) -> list[str]:
    """Split at commas outside brackets; a bare number is another cutoff of the preceding name.

    Example:
        >>> split_list("map(rel=2)@100, ndcg(gain=exp2,judged_only=yes)@10, mrr")
        ['map(rel=2)@100', 'ndcg(gain=exp2,judged_only=yes)@10', 'mrr']
        >>> split_list("P.5,10,ndcg@3,5"), split_list("1,3")
        (['P.5', 'P.10', 'ndcg@3', 'ndcg@5'], ['1', '3'])
    """
    parts: list[str] = []
    at = 0
    while at <= len(text):
        part = _BETWEEN_COMMAS.match(text, at)[0]  # type: ignore[index]  # any text fits
        at += len(part) + 1
        part = part.strip()
        cut = parts and _NUMBER.fullmatch(part) and _CUT_OFF.fullmatch(parts[-1])
        parts.append(cut[1] + part if cut else part)
    return parts


def texts_of_pairs(pairs: Iterable[str]) -> dict[str, str]:
    """Name -> text of options written as NAME=VALUE; a ValueError for a pair without a value, and for two values of one option."""
    texts: dict[str, str] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals:
            raise ValueError(f"option {pair!r} has no value; write key=value")
        if texts.setdefault(name, text) != text:
            raise ValueError(f"the option {name} is given twice, as {texts[name]} and as {text}; give one of them")
    return texts
