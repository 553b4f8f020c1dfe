"""JSON text as values: every key once, and errors in words of our own."""

import functools
import json
import re
from typing import Any

_MOST_DIGITS = 4300  # Python's default limit for integers, regardless of its setting
_LONG_NUMBER = re.compile(rf'(?<![\w.+"-])-?\d{{{_MOST_DIGITS + 1},}}(?![\d.eE])')
_REASONS = {  # of the parser of Python -> what is wrong
    "Expecting value": "a value is missing or misspelt",
    "Expecting ',' delimiter": "a comma or a closing bracket is missing",
    "Expecting ':' delimiter": "a colon is missing after a key",
    "Expecting property name enclosed in double quotes": 'a key in double quotes (") is missing',
    "Unterminated string starting at": 'a text has no closing quote (") where it ends; it begins',
    "Invalid control character at": "a text holds a line break, a tab or another control character",
    "Extra data": "there is more text after the value",
}


class JsonError(ValueError):
    """Text that is not JSON, or that cannot be read without loss.

    Attributes:
        reason: what is wrong with it, without the place.
        is_complete: the text is JSON, but has something that cannot be read.
        advice: what to do.
    """

    def __init__(self, reason: str, index: str = "", is_complete: bool = False, advice: str = "export it again"):
        super().__init__(reason + index)
        self.reason, self.is_complete, self.advice = reason, is_complete, advice


def read_json(text: str) -> Any:
    """The value of a JSON text; quick for many short texts, because without an error only the parser runs.

    Raises:
        JsonError: no JSON, nested too deeply, a number of more than 4,300 digits, or an object with a duplicate key.
    """
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _explained(text)


def _explained(text: str) -> Any:
    """The error of a text that is not JSON."""
    repeats: list[tuple[dict, str]] = []
    try:
        value = json.loads(text, object_pairs_hook=functools.partial(_object, repeats))
    except json.JSONDecodeError as error:
        reason = next((words for beginning, words in _REASONS.items() if error.msg.startswith(beginning)), None)
        if reason is None:
            reason = "a backslash is followed by something unknown" if "escape" in error.msg else "it breaks off"
        raise JsonError(reason, f" in line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise JsonError("it is nested too deeply", is_complete=True, advice="flatten it") from None
    except ValueError:  # the limit of Python to the digits of an integer
        long_number = _LONG_NUMBER.search(text)
        index = f" in line {text.count(chr(10), 0, long_number.start()) + 1}" if long_number else ""
        raise JsonError(f"an integer has more than {_MOST_DIGITS:,} digits", index, True) from None
    if repeats:
        mapping, key = repeats[0]
        raise JsonError(f"duplicate key {key!r} in one object{_place(value, mapping)}", "", True, "give it once")
    return value


def read_json_cell(text: str) -> Any:
    """The value of a short JSON text, such as a cell of a table: quicker than `read_json` for many of them.

    Raises:
        JsonError: an object with a duplicate key. ValueError, RecursionError: no JSON.
    """
    return _DECODER.decode(text)


def _once(pairs: list[tuple[str, Any]]) -> dict:
    repeats: list[tuple[dict, str]] = []
    mapping = _object(repeats, pairs)
    if repeats:
        raise JsonError(f"duplicate key {repeats[0][1]!r} in one object", "", True, "give it once")
    return mapping


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def _object(repeats: list[tuple[dict, str]], pairs: list[tuple[str, Any]]) -> dict:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        seen: set[str] = set()
        key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        repeats.append((mapping, key if len(key) <= 60 else f"{key[:57]}..."))
    return mapping


def _place(value: Any, requested: dict) -> str:
    """Where an object is, by the keys and indices that lead there; "" for the value itself."""
    parts: list[tuple[str, Any]] = [("", value)]
    while parts:
        path, part_value = parts.pop()
        if part_value is requested:
            return f", at {path}" if path else ""
        if isinstance(part_value, dict):
            parts += [(f"{path}[{key!r}]", part) for key, part in part_value.items()]
        elif isinstance(part_value, list):
            parts += [(f"{path}[{index}]", part) for index, part in enumerate(part_value)]
    return ""
