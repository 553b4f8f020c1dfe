"""JSON text as values: every key once, and errors that say where and what to do."""

import json
from typing import Any

_MOST_DIGITS = 4300  # Python's default limit for integers


class JsonError(ValueError):
    """Text that is not JSON, or that cannot be read without loss.

    Attributes:
        reason: what is wrong, without the line.
        is_complete: the text is JSON, but has something that cannot be read.
        advice: what to do.
    """

    def __init__(self, reason: str, advice: str = "", where: str = ""):
        super().__init__(reason + where)
        self.reason, self.is_complete, self.advice = reason, bool(advice), advice or "export it again"


def read_json(text: str) -> Any:
    """The value of a JSON text.

    Raises:
        JsonError: no JSON, nested too deeply, a number of more than 4,300 digits, or an object with a duplicate key.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        reason = "it breaks off" if error.pos >= len(text.rstrip()) else error.msg[:1].lower() + error.msg[1:]
        raise JsonError(reason, where=f" in line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise JsonError("it is nested too deeply", "flatten it") from None
    except JsonError:
        raise
    except ValueError:  # the limit of Python to the digits of an integer
        raise JsonError(f"an integer has more than {_MOST_DIGITS:,} digits", "write it as a text") from None


def _once(pairs: list[tuple[str, Any]]) -> dict:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        keys = [key for key, _ in pairs]
        key = next(key for key in keys if keys.count(key) > 1)
        raise JsonError(f"duplicate key {key if len(key) <= 60 else f'{key[:57]}...'!r} in one object", "give it once")
    return mapping


_DECODER = json.JSONDecoder(object_pairs_hook=_once)
