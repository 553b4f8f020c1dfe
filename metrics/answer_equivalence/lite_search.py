"""Texts that have one of some parts or signs, sought in all texts at once."""

import re
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np

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
        ends = np.flatnonzero(self.signs[PAD:-PAD] == 0)
        if len(ends) >= len(self.texts):  # a text has `TEXT_END`
            ends = np.cumsum([len(text) + 1 for text in self.texts]) - 1
        return np.unique(np.searchsorted(ends, np.asarray(places, np.int64) - PAD, side="left")).tolist()

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

    def _places_of(self, parts: tuple[str, ...], any_case: bool) -> list[int]:
        is_key, rarest = _keys_of_parts(parts)
        found = np.flatnonzero(is_key.take(self._keys))
        key_found = self._keys[found]
        codes = self.codes.lower() if any_case else self.codes
        eight = np.ndarray(len(codes) - PAD, "<u8", codes, strides=(1,))  # codes from each place on, as one number
        places: list[int] = []
        for part, (offset, key, first, bits) in zip(parts, rarest, strict=True):
            at = found[key_found == key] - offset
            likely = at[(at >= 0) & (eight[at] & bits == first)].tolist()
            if len(part) > _FIRST_CODES:
                likely = [place for place in likely if codes.startswith(part.encode("latin-1", "replace"), place)]
            if not part.isascii() and not any_case:
                likely = [place for place in likely if self.joined.startswith(part, place - PAD)]
            places += likely
        return places

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


@cache
def _keys_of_parts(parts: tuple[str, ...]) -> tuple[np.ndarray, list[tuple[int, int, np.uint64, np.uint64]]]:
    """Which keys are of the rarest letters of a part, bool (2**15,); of each part where they are, their key, its first codes as
    a number, and the bits of this number."""
    rarest = []
    for part in parts:
        offset = max(range(len(part) - 2), key=lambda first: _rarity(part[first : first + 3]))
        codes = part.encode("latin-1", "replace")
        key = int(_keys_of_codes(np.frombuffer(codes, np.uint8))[offset])
        first = codes[:_FIRST_CODES]
        bits = (1 << 8 * len(first)) - 1
        rarest.append((offset, key, np.uint64(int.from_bytes(first, "little")), np.uint64(bits)))
    return np.isin(np.arange(1 << 15), [key for _, key, *_ in rarest]), rarest
