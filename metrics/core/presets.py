"""Presets: the rules of a benchmark by name, as options that count where the user gives none."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any


@dataclasses.dataclass(frozen=True, eq=False)
class Preset:
    """The rules of a benchmark.

    Attributes:
        name: what users write.
        line: what the benchmark is, and how its rules differ from the family's, in a sentence.
        source: the official script: repository and path.
        options: option -> value, where the user gives none.
        measures: what a table shows when no measures are requested, the main ones first; (): the usual ones.
        columns: what the official script reads beside answers and gold answers, name -> what it is.
        differences: what is known to differ from the official script, from the paper, or from common harnesses.
        needs: the optional package that its rules need.
        compared: on how many rows the numbers were compared with the official script.
    """

    name: str
    line: str
    source: str
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    measures: tuple[str, ...] = ()
    columns: Mapping[str, str] = dataclasses.field(default_factory=dict)
    differences: str = ""
    needs: str = ""
    compared: int = 0


def listed_presets(presets: Iterable[Preset]) -> list[Preset]:
    """The presets as lists show them: presets that differ only after a colon are listed once, such as mkqa:LANG."""
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


def preset_configs(presets: Iterable[str]) -> dict[str, dict[str, str]]:
    """The configs of an evaluate module that are its presets: name -> its option."""
    return {name: {"preset": name} for name in presets}
