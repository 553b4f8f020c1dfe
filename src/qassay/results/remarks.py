"""Remarks of the result document: checks of the data, cautions about numbers, and notes."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ..core.scores import Scores
from ..stats.cautions import caution_texts
from ..stats.notes import notes_of_systems
from ..stats.remarks import SliceRemark


def remark(
    text: str,
    identifier: str,
    kind: str,
    *,
    metric: str | None = None,
    system: str | None = None,
    slicing: str | None = None,
    count: int | None = None,
    examples: list[int] | None = None,
) -> dict[str, Any]:
    """One remark as plain data."""
    return {
        "id": identifier,
        "kind": kind,
        "text": str(text),
        "metric": metric,
        "system": system,
        "slice": slicing,
        "count": count,
        "examples": examples,
    }


def remarks_of(
    lines: Iterable[str],
    systems: Mapping[str, Scores],
    places: Mapping[str, np.ndarray],
    metric: str,
    level: float | None,
    *,
    with_input: bool = True,
) -> Iterator[dict[str, Any]]:
    """Remarks with the ids of what they are about, in the given order; then what the input was warned of.

    Args:
        lines: remarks in words, some of which are the notes of the systems.
        places: system -> the example index of each of its rows.
        with_input: also what the call that made the scores remarked on its input.
    """
    notes = {note.line: note for note in notes_of_systems(systems)}
    cautions = {text: code for code, text in caution_texts(0.95 if level is None else level).items()}
    for line in lines:
        note = notes.get(str(line))
        if note is not None:
            members = systems[note.system].subsets.get(note.name)
            rows = None if members is None else places[note.system][members].tolist()
            yield remark(line, note.name, "check", metric=metric, system=note.system, count=note.count, examples=rows)
            continue
        slicing = line.of_slice if isinstance(line, SliceRemark) else None
        plain = line.removeprefix(f"in {slicing}: ")
        code = next((code for text, code in cautions.items() if plain.startswith(text)), "")
        kind = "caution" if code else "note"
        yield remark(line, code or "note", kind, metric=metric, slicing=slicing)
    if with_input:
        yield from _of_input(systems, metric)


def _of_input(systems: Mapping[str, Scores], metric: str) -> Iterator[dict[str, Any]]:
    for system, scores in systems.items():
        for line in dict.fromkeys(scores.remarks):
            yield remark(line, "input", "check", metric=metric, system=system)
