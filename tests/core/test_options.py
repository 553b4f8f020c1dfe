"""Options: their values, names and signature."""

import dataclasses

import numpy as np
import pytest

from qassay.core.options import Options, listed, number_or_text, to_ranks


def test_ranks():
    assert to_ranks([5, 1, 5]) == to_ranks((1, 5)) == to_ranks(np.array([1, 5])) == (1, 5)
    assert to_ranks(3) == to_ranks(np.int64(3)) == (3,)
    for bad in (0, True, "1", 1.0, [1, 0], np.array([0]), 10**20):
        with pytest.raises((TypeError, ValueError), match="option top_k must be an integer of at least 1"):
            to_ranks(bad)
    assert listed("k", [1, 3]) == (1, 3) and listed("k", 5) == (5,)
    with pytest.raises(ValueError, match="top_k needs at least one rank"):
        to_ranks([])


def test_numbers_and_texts():
    texts = {"7": 7, "-0.5": -0.5, "1e3": 1000.0, "'7'": "7", "'": "'", "''": "", "''7''": "'7'", "seven": "seven"}
    for text, value in texts.items():
        assert (number_or_text(text), type(number_or_text(text))) == (value, type(value))


@dataclasses.dataclass(frozen=True)
class Cooking(Options):
    """Options whose `heat` follows from `oven`, of which `spoons` is not in the signature."""

    family = "cooking"

    oven: bool = dataclasses.field(default=False, metadata={"key": "oven", "always": True})
    heat: int | None = dataclasses.field(default=None, metadata={"key": "heat"})
    dish: str = dataclasses.field(default="pan", init=False, metadata={"key": "dish"})
    size: int = 4
    portions: int = dataclasses.field(default=4, init=False, metadata={"key": "portions", "option": "size"})
    label: str | float | None = dataclasses.field(default=None, metadata={"key": "label"})
    spoons: int = dataclasses.field(default=1, compare=False)
    lot: str | None = dataclasses.field(default=None, init=False, metadata={"key": "lot", "pinned": True})

    def __post_init__(self):
        if self.oven and self.heat is None:
            self._set(heat=180)
        if self.heat and not self.oven:
            raise ValueError("heat needs the oven")
        self._set(portions=self.size, lot="7f" if self.size == 9 else None)


def signatures(**keywords):
    return [Cooking(**keywords).signature(short).partition("|v:")[0] for short in (False, True)]


def test_long_and_short_signatures():
    assert signatures() == ["cooking|oven:no", "cooking"]
    assert signatures(oven=True) == ["cooking|oven:yes|heat:180", "cooking|oven:yes"]
    assert signatures(oven=True, heat=200) == ["cooking|oven:yes|heat:200"] * 2
    assert signatures(size=2, spoons=3) == ["cooking|oven:no|portions:2", "cooking|portions:2"]
    assert signatures(size=9) == ["cooking|oven:no|portions:9|lot:7f", "cooking|portions:9|lot:7f"]
    assert signatures(label="a|b%,c")[1] == "cooking|label:a%7Cb%25,c"
    assert [signatures(label=label)[1] for label in (1, "1")] == ["cooking|label:1", "cooking|label:'1'"]


def test_keywords():
    assert Cooking().keywords() == {}
    assert Cooking(oven=True, heat=180, spoons=2).keywords() == {"oven": True, "spoons": 2}
    assert Cooking(**Cooking(oven=True, heat=9, size=3).keywords()) == Cooking(oven=True, heat=9, size=3)
