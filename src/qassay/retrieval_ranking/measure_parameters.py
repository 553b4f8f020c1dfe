"""The parameters of ranking measures: validation, reading from text and writing as text."""

import math
import re
from typing import Any

import numpy as np

from ..core.options import did_you_mean
from ..core.shown import option_text, shown
from .gains import level_gains

AP_DENOMINATORS = ("num_relevant", "min_mn", "num_retrieved_relevant", "min_k_relevant", "fixed:N")
GAINS = ("linear", "exp2")
_HIGHEST_LEVEL = 1e300  # of relevance


def check_gain(gain: Any) -> str:
    """The option `gain` as text: "linear", "exp2", or level:gain pairs of a dict such as {1: 3, 2: 7}.

    Raises:
        ValueError: another name, or gains that are negative or decrease with the level.

    Example:
        >>> check_gain({2: 7, 1: 3.5})
        '1:3.5;2:7'
    """
    if isinstance(gain, str) and ":" not in gain:
        if gain not in GAINS:
            raise ValueError(
                f"{option_text('gain', gain)} is unknown{did_you_mean(gain, GAINS)}; it is linear, exp2 or "
                "{level: gain}"
            )
        return gain
    try:
        pairs = level_gains(gain) if isinstance(gain, str) else gain.items()
        pairs = sorted((float(level), float(worth)) for level, worth in pairs)
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise ValueError(f"gain must be 'linear', 'exp2' or a dict {{level: gain}}, got {shown(gain)}") from None
    worths = [worth for _, worth in pairs]
    usable = all(math.isfinite(level) and 0 <= worth < math.inf and (level >= 0 or not worth) for level, worth in pairs)
    if not worths or not usable or sorted(worths) != worths:
        raise ValueError(
            "gains must be finite, at least 0, must not fall while the level rises, and are 0 below level 0; "
            f"got {shown(gain)}"
        )
    return ";".join(f"{parameter_text(level)}:{parameter_text(worth)}" for level, worth in pairs)


def check_denominator(value: Any) -> str:
    """The option `ap_denominator`: one of `AP_DENOMINATORS`, "fixed:10" or an integer for the last one."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15:
        value = f"fixed:{value}"
    if isinstance(value, str) and value.isdigit():
        value = f"fixed:{value}"
    fixed = isinstance(value, str) and re.fullmatch(r"fixed:0*[1-9]\d{0,14}", value)
    if not fixed and not (isinstance(value, str) and value in AP_DENOMINATORS[:-1]):
        raise ValueError(
            f"denominator {shown(value)} is unknown{did_you_mean(value, AP_DENOMINATORS)}; "
            f"it is one of: {', '.join(AP_DENOMINATORS)}"
        )
    return value


def check_level(value: Any) -> int | float:
    """A relevance level: a finite number of at least 0 (levels below 0 count as unjudged), integers as int."""
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not real or not 0 <= value <= _HIGHEST_LEVEL:
        raise ValueError(f"the relevance level must be a finite number of at least 0, got {shown(value)}")
    return _plain_number(value)


def _plain_number(value: float) -> int | float:
    return int(value) if value == int(value) else float(value)


def read_parameter(key: str, value: str, text: str) -> Any:
    """The value of a parameter in the name of a measure; `text` is the whole name, for messages."""
    if key == "denominator":
        return check_denominator(value)
    if key == "gain":
        return check_gain(value)
    if key == "judged_only":
        truth = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(value.lower())
        if truth is None:
            raise ValueError(f"measure {text!r}: judged_only is true or false, got {value!r}")
        return truth
    number = read_number(key, value, text)
    if key == "rel" and number < 0:
        raise ValueError(f"measure {text!r}: rel must be at least 0 (what is below 0 counts as unjudged), got {value}")
    low, high = {"p": (0, 1), "mult": (0, math.inf), "max": (0, 1000)}.get(key, (-math.inf, math.inf))
    if not low < number < high:
        raise ValueError(f"measure {text!r}: {key} must be between {low:g} and {high:g}, both excluded, got {value}")
    return number


def read_number(key: str, value: str, text: str) -> int | float:
    """A number in the name of a measure; `text` is the whole name, for messages."""
    try:
        return _plain_number(float(value))
    except (ValueError, OverflowError):
        raise ValueError(f"measure {text!r}: {key} must be a number, got {value!r}") from None


def parameter_text(value: Any) -> str:
    """A parameter as it appears in the name of a measure."""
    return (
        str(value).lower()
        if isinstance(value, bool)
        else repr(value).removesuffix(".0")
        if isinstance(value, float)
        else str(value)
    )
