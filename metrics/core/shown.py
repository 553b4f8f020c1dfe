"""Values as messages show them: on one line, cut where they are long, whatever they are."""

import math
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

LONGEST_NUMBER = 10**600  # the least limit that Python can be set to is 640 digits
_LONGEST_SHOWN = 60  # characters of a value
_MOST_KEYS = 20  # of a dict


def describe(value: Any) -> str:
    """The type of a value and, where it is short, the value: for error messages.

    Example:
        >>> describe(1.5), describe(None)
        ('float: 1.5', 'None')
    """
    return "None" if value is None else f"{type(value).__name__}: {_short(value, ascii)}"


def type_name(value: Any) -> str:
    """What kind of value this is, in a word for messages: "None" for None."""
    return "None" if value is None else type(value).__name__


def shown(value: Any) -> str:
    """A value as messages show it: on one line, and cut where it is long.

    Example:
        >>> shown("q1"), shown(10**400), shown(10**400 - 1), len(shown("x" * 1000))
        ("'q1'", 'a number of 401 digits', 'a number of 400 digits', 60)
    """
    return _short(value, repr)


def _short(value: Any, to_text: Callable[[Any], str]) -> str:
    if isinstance(value, int) and abs(value) >= 10**_LONGEST_SHOWN:  # Python refuses to write the longest ones
        digits = int(math.log10(abs(value))) + 1
        return f"a number of {digits - (abs(value) < 10 ** (digits - 1))} digits"  # log10 rounds 99...9 up
    try:
        text = to_text(value)
        text.encode()
    except Exception:  # noqa: BLE001 - a broken __repr__ of the user's own class must not hide the real message
        return "..."
    text = " ".join(text.split("\n"))
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def keys_of(row: Mapping, most: int = _MOST_KEYS) -> str:
    """The keys of a dict, at most so many, for messages.

    Example:
        >>> keys_of({"a": 1, "b": 2}), keys_of({})
        ('a, b', 'none')
    """
    keys = [key if isinstance(key, str) else shown(key) for key in islice(row, most + 1)]
    keys = [key if len(key) <= _LONGEST_SHOWN and key.isprintable() else shown(key) for key in keys]
    return ", ".join([*keys[:most], *["..."][: max(0, len(keys) - most)]]) or "none"
