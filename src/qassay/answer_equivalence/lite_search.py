"""Texts that have one of some parts or signs, sought in all texts at once."""

import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from ..core.ragged import ranges_from
from ..semantic_answer_similarity.lite_features import TEXT_END, characters_beyond_ascii

FEW_CHARACTERS = 4_096  # so many are searched for each part; of more, only the places that have a part's three letters
PAD = 8  # zeros around codes, so that each has neighbours
_FIRST_CODES = 8  # of a part are compared at once
_COMMON_FIRST = "etaonishrdlucmfgpwybvkjxqz"
# Letters beyond ASCII that are ASCII in another case, or that ASCII letters match where case is ignored.
_ODD_LETTERS = re.compile("[ßİıŉſǰẖ-ẚẞ\u212aﬀ-ﬆ]")


class JoinedTexts:
    """Texts one after another, `TEXT_END` between two of them."""

    def __init__(self, texts: Sequence[str]):
        self.texts = texts

    @cached_property
    def joined(self) -> str:
        return TEXT_END.join(self.texts)

    @cached_property
    def codes(self) -> bytes:
        """The code of each character, or of "?" beyond 255, between `PAD` zeros on either side."""
        return self.joined.encode("latin-1", "replace").join([bytes(PAD)] * 2)

    @cached_property
    def signs(self) -> np.ndarray:
        """`codes`, uint8: character i is at i + `PAD`."""
        return np.frombuffer(self.codes, np.uint8)

    @cached_property
    def _keys(self) -> np.ndarray:
        return _keys_of_codes(self.signs)

    def texts_at(self, places: Sequence[int] | np.ndarray) -> list[int]:
        """The texts that have one of some places in `signs`."""
        return np.unique(np.searchsorted(self._ends, np.asarray(places, np.int64) - PAD, side="left")).tolist()

    @cached_property
    def _ends(self) -> np.ndarray:
        ends = np.flatnonzero(self.signs[PAD:-PAD] == 0)
        if len(ends) >= len(self.texts):  # a text has `TEXT_END`
            return np.cumsum([len(text) + 1 for text in self.texts]) - 1
        return ends

    def texts_with(self, parts: tuple[str, ...], any_case: bool = False) -> list[int]:
        """The texts that have one of the parts, which have three characters or more.

        Args:
            any_case: the parts are lower case; capitals of ASCII count as well. Texts in which characters beyond ASCII could be
                those of a part are then among what is returned, whether they are or not.
        """
        if len(self.joined) <= FEW_CHARACTERS:
            texts = [*map(str.lower, self.texts)] if any_case else self.texts
            found = [place for place, text in enumerate(texts) if any(part in text for part in parts)]
        else:
            found = self.texts_at(self._places_of(parts, any_case))
        odd = self.texts_beyond_ascii(_ODD_LETTERS.match) if any_case else []
        return sorted({*found, *odd}) if odd else found

    def _places_of(self, parts: tuple[str, ...], any_case: bool) -> np.ndarray:
        sought = _sought(parts)
        found = np.flatnonzero(sought.is_key.take(self._keys))
        key_found = self._keys[found]
        first = np.searchsorted(sought.keys, key_found)
        counts = np.searchsorted(sought.keys, key_found, side="right") - first
        part = ranges_from(first, counts)
        places = np.repeat(found, counts) - sought.offsets[part]
        codes = self.codes.lower() if any_case else self.codes
        eight = np.ndarray(len(codes) - PAD, "<u8", codes, strides=(1,))  # codes from each place on, as one number
        likely = np.flatnonzero((places >= 0) & (eight[places] & sought.bits[part] == sought.first[part]))
        part, places = part[likely], places[likely]
        kept = np.ones(len(places), bool)
        for at in np.flatnonzero(sought.is_long[part]).tolist():
            text, place = sought.parts[part[at]], int(places[at])
            kept[at] = codes.startswith(text.encode("latin-1", "replace"), place) and (
                any_case or text.isascii() or self.joined.startswith(text, place - PAD)
            )
        return places[kept]

    def texts_beyond_ascii(self, is_wanted: Callable[[str], Any]) -> list[int]:
        """The texts that have a character beyond ASCII which is wanted."""
        others, characters = self._beyond_ascii
        wanted = [*filter(is_wanted, characters)]
        return [place for place in others if any(map(self.texts[place].__contains__, wanted))] if wanted else []

    @cached_property
    def _beyond_ascii(self) -> tuple[list[int], list[str]]:
        """The texts that are not ASCII, and their characters that are not."""
        others = [place for place, text in enumerate(self.texts) if not text.isascii()]
        return others, characters_beyond_ascii("".join(map(self.texts.__getitem__, others)))


def is_one_of(signs: np.ndarray, wanted: str) -> np.ndarray:
    """Which of many codes are of some characters: for few of these a comparison with each is faster than a table."""
    found = signs == ord(wanted[0])
    for sign in wanted[1:]:
        found |= signs == ord(sign)
    return found


def is_digit(signs: np.ndarray) -> np.ndarray:
    """Which codes are of digits of ASCII."""
    return signs - np.uint8(ord("0")) < 10


def _rarity(letters: str) -> int:
    return sum(_COMMON_FIRST.find(letter) for letter in letters.lower()) - 10 * letters.count(" ")


def _keys_of_codes(codes: np.ndarray) -> np.ndarray:
    """A number below 2**15 of each three codes in a row, from the last five bits of each."""
    bits = codes.astype(np.uint16) & 31
    return bits[:-2] | bits[1:-1] << 5 | bits[2:] << 10


class _Sought(NamedTuple):
    """Parts that are sought at once, in the order of their keys: the number of their rarest three letters.

    Attributes:
        is_key: bool (2**15,) which numbers of three letters are keys.
        offsets: where the rarest letters are in each part.
        first: the first `_FIRST_CODES` codes of each part as a number.
        bits: the bits of this number.
        is_long: whether more has to be compared.
    """

    parts: list[str]
    is_key: np.ndarray
    keys: np.ndarray
    offsets: np.ndarray
    first: np.ndarray
    bits: np.ndarray
    is_long: np.ndarray


@cache
def _sought(parts: tuple[str, ...]) -> _Sought:
    codes = [part.encode("latin-1", "replace") for part in parts]
    offsets = [max(range(len(part) - 2), key=lambda at: _rarity(part[at : at + 3])) for part in parts]
    keys = np.array([_keys_of_codes(np.frombuffer(own, np.uint8))[at] for own, at in zip(codes, offsets, strict=True)])
    heads = [own[:_FIRST_CODES] for own in codes]
    order = np.argsort(keys, kind="stable")
    return _Sought(
        [parts[place] for place in order.tolist()],
        np.isin(np.arange(1 << 15), keys),
        keys[order],
        np.array(offsets)[order],
        np.array([int.from_bytes(head, "little") for head in heads], np.uint64)[order],
        np.array([(1 << 8 * len(head)) - 1 for head in heads], np.uint64)[order],
        np.array([len(part) > _FIRST_CODES or not part.isascii() for part in parts])[order],
    )
