"""Ids of queries and documents as text: strings unchanged, integers as their digits."""

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.shown import LONGEST_NUMBER, describe, shown

_GIVE_IDS = "ids are strings, or integers that stand for their digits"


def id_texts(  # type: ignore[return]  # the loop finds the id of another type
    ids: Sequence[Any], name: str, where: Callable[[int], str] = lambda place: ""
) -> list[str]:
    """Ids as text: strings unchanged, integers as their digits.

    Args:
        where: what the message says after the place of a bad id.

    Raises:
        TypeError: an id of another type, or ids of both types.
    """
    kinds = set(map(type, ids))
    if kinds <= {str}:
        return ids if isinstance(ids, list) else list(ids)
    if all(issubclass(kind, str) for kind in kinds) or all(map(_is_int, kinds)):
        try:
            return list(map(str, ids))
        except ValueError:  # Python refuses to write longer numbers
            place = next(place for place, number in enumerate(ids) if abs(number) >= LONGEST_NUMBER)
            raise ValueError(f"{name}: an id{where(place)} is {shown(ids[place])}; give such ids as strings") from None
    first: Any = ids[0]
    for place, identifier in enumerate(ids):
        kind = type(identifier)
        if not (issubclass(kind, str) or _is_int(kind)):
            raise TypeError(f"{name}: an id{where(place)} is {describe(identifier)}; {_GIVE_IDS}")
        if issubclass(kind, str) != isinstance(first, str):
            raise TypeError(
                f"{name}: ids of mixed type, the first is {describe(first)} and another{where(place)} is "
                f"{describe(identifier)}; {_GIVE_IDS}, not both"
            )


def _is_int(kind: type) -> bool:
    return issubclass(kind, (int, np.integer)) and kind is not bool


def unique_texts(ids: Sequence, name: str) -> list[str]:
    """The same for ids that may not repeat."""
    texts = id_texts(ids, name)
    if len(set(texts)) != len(texts):
        row, identifier = first_repeated(texts)
        raise ValueError(
            f"{name} {shown(identifier)} is given twice, the second time in row {row}; give every query one row"
        )
    return texts


def first_repeated(items: Sequence) -> tuple[int, Any]:
    """The place and value of the first duplicate."""
    seen: set = set()
    return next((place, item) for place, item in enumerate(items) if item in seen or seen.add(item))  # type: ignore[func-returns-value]


def has_text_keys(ids: Mapping) -> bool:
    """Whether all keys of a dict are known to be strings without checking each; False if unknown.

    It only saves time: of a dict it says False of, the caller looks at every key. CPython 3.11 and later keep dicts of
    strings in a smaller layout, which their size tells; where probes find anything else, the answer is always False.
    """
    return not ids or (type(ids) is dict and sys.getsizeof(ids) in _TEXT_DICT_SIZES)


def _text_dict_sizes() -> frozenset[int]:
    """The sizes in memory of dicts of strings; none if a probe finds other sizes, or that others share them."""
    try:
        bare = sys.getsizeof({"a": 1}) - 8 - 16 * 5
        sizes = frozenset(bare + (1 << log) * (1 if log < 8 else 2) + 16 * ((2 << log) // 3) for log in range(3, 16))
        for count in (1, 5, 6, 11, 200, 3000):
            texts = list(map(str, range(count)))
            others = (range(count), [*texts[1:], 1], [1, *texts[1:]], [*texts[1:], np.str_("1.5")])
            if sys.getsizeof(dict.fromkeys(texts)) not in sizes or not sizes.isdisjoint(
                sys.getsizeof(dict.fromkeys(keys)) for keys in others
            ):
                return frozenset()
    except Exception:  # noqa: BLE001 - without sizes all works, only slower
        return frozenset()
    return sizes


_TEXT_DICT_SIZES = _text_dict_sizes()
