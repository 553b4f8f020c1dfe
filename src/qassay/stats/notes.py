"""Remarks as text with their subject as attributes, and the remarks on missing or surplus input of systems."""

from collections.abc import Mapping
from typing import Any

from ..core.columns import counted
from ..core.scores import Scores
from ..registry import family_of
from .runs import Runs


class Remark(str):
    """The text of a remark, with its subject as attributes.

    Attributes:
        code: the name of the note, or one of `cautions.CAUTIONS`; "" for other remarks.
        of_slice: the slice that the remark is about, or None.
        system: the system that lacks something or has too much; size: the number of examples or predictions.
    """

    code: str = ""
    of_slice: str | None = None
    system: str | None = None
    size: int | None = None

    def __new__(cls, text: str, **about: Any) -> "Remark":
        made = super().__new__(cls, text)
        made.__dict__.update(about)
        return made


def note_lines(systems: Mapping[str, Scores], titles: Mapping[str, str] = {}) -> list[str]:
    """The remarks on weights and on the notes of each system, such as missing predictions; a single system is not named.

    Args:
        titles: system -> its displayed name, where it differs.
    """
    weights = next((scores.weights for scores in systems.values() if scores.weights is not None), None)
    lines = [] if weights is None else [f"each example counts by its weight, {weights.min():g} to {weights.max():g}"]
    for system, scores in systems.items():
        about = family_of(scores).about
        words, where = about.note_words(scores.options), f"{titles.get(system, system)}: " if len(systems) > 1 else ""
        for name, count in about.notes_of(scores).items():
            by_run = scores.by_run_text(name) if isinstance(scores, Runs) else ""
            text = f"{where}{counted(count, words.get(name, name))}{f' ({by_run})' if by_run else ''}"
            lines.append(Remark(text, code=name, system=system, size=count))
    return lines
