"""Writes the tables of presets into docs/presets.md and the cards of the metrics: `python docs/building/preset_table.py`."""

import re
from pathlib import Path

from qassay.core.presets import Preset, listed_presets
from qassay.registry import FAMILIES, all_presets, get_family

PAGE = Path(__file__).resolve().parents[1] / "presets.md"
_HEAD = "| preset | metric | official script | sets |"


_CARD_HEAD = "| preset | benchmark and rules | official script | differences |"


def with_table(page: str) -> str:
    """The page with the current table of the presets of all metrics."""
    presets = [
        (f"`{preset.name}`", f"`{family.name}`", preset.source, what_it_sets(preset))
        for family in FAMILIES.values()
        for preset in listed_presets(family.load()[1].presets.values())
    ]
    return _replaced(page, _HEAD, presets)


def card_with_table(card: str, metric: str) -> str:
    """The card of a metric with the current table of its presets."""
    presets = [
        (f"`{preset.name}`", preset.line, preset.source, preset.differences or "none known")
        for preset in listed_presets(get_family(metric).load()[1].presets.values())
    ]
    return _replaced(card, _CARD_HEAD, presets)


def _replaced(page: str, head: str, rows: list[tuple]) -> str:
    lines = [head, "|" + "---|" * head.count(" | ") + "---|"]
    lines += [f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    table = "\n".join(lines) + "\n"
    return re.sub(rf"{re.escape(head)}\n(?:\|.*\n)*", lambda _: table, page)


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
    for metric in {metric for metric, _ in all_presets().values()}:
        path = PAGE.parents[1] / "metrics" / metric / "README.md"
        path.write_text(card_with_table(path.read_text("utf-8"), metric), "utf-8")
