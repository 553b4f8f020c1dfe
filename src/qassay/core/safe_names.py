"""Names of measures without "@", brackets and so on, for trackers that refuse them."""

import re
from collections.abc import Mapping
from typing import TypeVar

_Value = TypeVar("_Value")
_WORDS = {"@": "_at_", "^": "_hat_", "(": "_with_", "=": "_is_", "[": "_of_", ")": "", "]": ""}


def safe_name(name: str) -> str:
    """The name of a measure with only letters, digits, "_", "-", "." and spaces, as MLflow and others require.

    "@" becomes "_at_", "^" "_hat_", "(" "_with_", "=" "_is_" and "[" "_of_"; a closing bracket is dropped. Any other
    character is written as its code: "_x2f_" is "/".

    Example:
        >>> [safe_name(name) for name in ("f1", "ndcg@10", "map(rel=2)@100", "f1[cat]", "f1[yes/no]")]
        ['f1', 'ndcg_at_10', 'map_with_rel_is_2_at_100', 'f1_of_cat', 'f1_of_yes_x2f_no']
    """
    return re.sub(r"[^\w. -]", lambda sign: _WORDS.get(sign[0], f"_x{ord(sign[0]):x}_"), name)


def with_safe_names(numbers: Mapping[str, _Value]) -> dict[str, _Value]:
    """Numbers by the safe names of their measures.

    Raises:
        ValueError: two measures have the same safe name.
    """
    safe: dict[str, _Value] = {}
    for name, value in numbers.items():
        if safe_name(name) in safe:
            raise ValueError(f"two measures have the safe name {safe_name(name)!r}; rename a class, or omit safe_names")
        safe[safe_name(name)] = value
    return safe
