"""Examples in docstrings give what they show: a case for each room, a folder or a module of the package."""

import doctest
import importlib
from pathlib import Path

import pytest

import qassay

# Rooms whose modules need a library that tests by default do without, and the library.
HEAVY = {"training": "sentence_transformers", "space": "gradio"}


def rooms_with_examples():
    """Room -> names of its modules with an example; the modules for evaluate are a separate room."""
    rooms = {}
    folder = Path(qassay.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        if ">>>" in path.read_text("utf-8") and parts[-1] != "__main__":
            name = ".".join(["qassay", *(part for part in parts if part != "__init__")])
            room = "modules" if parts[-1] == "module" else (*name.split(".")[1:], "qassay")[0]
            rooms.setdefault(room, []).append(name)
    return rooms


ROOMS = rooms_with_examples()
THOROUGH = {"qassay", "modules", *HEAVY}  # the first two load evaluate


@pytest.mark.parametrize(
    "room", [pytest.param(room, marks=pytest.mark.thorough if room in THOROUGH else ()) for room in sorted(ROOMS)]
)
def test_examples_give_what_they_show(room):
    if room in HEAVY:
        pytest.importorskip(HEAVY[room], reason=f'needs {HEAVY[room]}: pip install -e ".[test-all]"')
    found = {name: doctest.testmod(importlib.import_module(name)) for name in ROOMS[room]}
    assert {name: result.failed for name, result in found.items() if result.failed} == {}
    assert sum(result.attempted for result in found.values())
