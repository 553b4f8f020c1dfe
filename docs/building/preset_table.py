"""Writes the table of all presets into docs/presets.md: `python docs/building/preset_table.py`."""

import re
from pathlib import Path

from qassay.core.presets import Preset, listed_presets
from qassay.registry import FAMILIES

PAGE = Path(__file__).resolve().parents[1] / "presets.md"
_HEAD = "| preset | metric | official script | sets |"


def with_table(page: str) -> str:
    """The page with the current table of the presets of all metrics."""
    lines = [_HEAD, "|---|---|---|---|"]
    for family in FAMILIES.values():
        for preset in listed_presets(family.load()[1].presets.values()):
            cells = f"`{preset.name}`", f"`{family.name}`", preset.source, what_it_sets(preset)
            lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    table = "\n".join(lines) + "\n"
    return re.sub(rf"{re.escape(_HEAD)}\n(?:\|.*\n)*", lambda _: table, page)


def what_it_sets(preset: Preset) -> str:
    """The options that a preset sets, as keyword arguments."""
    if preset.rules is not None:
        return "rules of its own"
    options = ", ".join(f"{name}={value!r}" for name, value in preset.options.items()).replace("'", '"')
    if preset.name.endswith(":LANG"):
        options = re.sub(rf"{preset.name.removesuffix('LANG')}\w+", preset.name, options)
    return f"`{options}`" if options else "nothing: the default rules"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
