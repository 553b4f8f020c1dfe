"""What systems lack or have too much, such as missing predictions, in words."""

import dataclasses
from collections.abc import Mapping

from ..core.columns import counted
from ..core.scores import Scores
from ..registry import family_of
from .runs import Runs


@dataclasses.dataclass(frozen=True)
class Note:
    """What a system lacks, or has too much.

    Attributes:
        system, name: of the system and of the note.
        count: how many.
        where, words, runs: the parts of its line: the system if there are several, the count in words, and the count by run.
    """

    system: str
    name: str
    count: int
    where: str
    words: str
    runs: str

    @property
    def line(self) -> str:
        """The note as a remark."""
        return f"{self.where}{self.words}{self.runs}"


def notes_of_systems(systems: Mapping[str, Scores]) -> list[Note]:
    """The notes of all systems; a single system is not named."""
    found = []
    for system, scores in systems.items():
        about = family_of(scores).about
        words, where = about.note_words(scores.options), f"{system}: " if len(systems) > 1 else ""
        found += [
            Note(system, name, count, where, counted(count, words.get(name, name)), _of_runs(scores, name))
            for name, count in about.notes_of(scores).items()
        ]
    return found


def note_lines(systems: Mapping[str, Scores]) -> list[str]:
    """The notes in words, a line per system and count, and one on weights."""
    weights = next((scores.weights for scores in systems.values() if scores.weights is not None), None)
    lines = [] if weights is None else [f"each example counts by its weight, {weights.min():g} to {weights.max():g}"]
    return [*lines, *(note.line for note in notes_of_systems(systems))]


def _of_runs(scores: Scores, name: str) -> str:
    """The runs and examples of a count if they differ among runs; "" otherwise."""
    by_run = scores.by_run_text(name) if isinstance(scores, Runs) else ""
    return f" ({by_run})" if by_run else ""
