"""Presets: the rules of a benchmark by name, as defaults of options."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any


@dataclasses.dataclass(frozen=True, eq=False)
class Preset:
    """The rules of a benchmark.

    Attributes:
        name: the name that users write.
        line: one sentence about the benchmark, and how its rules differ from the
            family's defaults.
        source: the official script: repository and path.
        options: option -> value, unless the user gives one.
        measures: the default measures of a table, main measures first; (): the usual measures.
        columns: what the official script reads besides answers and gold answers, name -> description.
        differences: known differences from the official script, the paper, or common harnesses.
        rules: scores the rows if options cannot express the rules; None: the scorer of the family.
    """

    name: str
    line: str
    source: str
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    measures: tuple[str, ...] = ()
    columns: Mapping[str, str] = dataclasses.field(default_factory=dict)
    differences: str = ""
    rules: Any = None


def listed_presets(presets: Iterable[Preset]) -> list[Preset]:
    """The presets for listings: presets that differ only after a colon are one entry, such as mkqa:LANG."""
    listed: dict[tuple[str, ...], Preset] = {}
    for preset in presets:
        stem, colon, _ = preset.name.partition(":")
        named = dataclasses.replace(preset, name=f"{stem}:LANG") if colon else preset
        key = (stem, preset.line, preset.source, preset.differences)
        listed[key] = preset if key not in listed else named
    return list(listed.values())


def presets_by_name(*presets: Preset) -> dict[str, Preset]:
    """A table of presets: name -> preset."""
    return {preset.name: preset for preset in presets}
