"""JSON text as values: every key once, and errors that say where and what to do."""

import json
from typing import Any

_MOST_DIGITS = 4300  # Python's default limit for integers


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
    """The value of a JSON text.

    Raises:
        JsonError: no JSON, nested too deeply, a number of more than 4,300 digits, or an object with a duplicate key.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        reason = "it breaks off" if error.pos >= len(text.rstrip()) else error.msg[:1].lower() + error.msg[1:]
        raise JsonError(reason, f" in line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise JsonError("it is nested too deeply", is_complete=True, advice="flatten it") from None
    except JsonError:
        raise
    except ValueError:  # the limit of Python to the digits of an integer
        raise JsonError(f"an integer has more than {_MOST_DIGITS:,} digits", "", True) from None


def read_json_cell(text: str) -> Any:
    """The value of a short JSON text, such as a cell of a table.

    Raises:
        JsonError: an object with a duplicate key. ValueError, RecursionError: no JSON.
    """
    return _DECODER.decode(text)


def _once(pairs: list[tuple[str, Any]]) -> dict:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        seen: set[str] = set()
        key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        shown = key if len(key) <= 60 else f"{key[:57]}..."
        raise JsonError(f"duplicate key {shown!r} in one object", "", True, "give it once")
    return mapping


_DECODER = json.JSONDecoder(object_pairs_hook=_once)
