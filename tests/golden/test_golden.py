"""Every number is what it was: see `run.py` in this folder, whose option --write writes them anew."""

import pytest

from . import run


@pytest.mark.parametrize(
    "name", [*run.names(False), *(pytest.param(name, marks=pytest.mark.thorough) for name in run.names(True))]
)
def test_numbers_are_golden(name):
    old = run.stored(name)
    new, tolerance = run.compute(name)
    lines = run.changes(old, new, tolerance)
    assert old and not lines, f"{len(lines)} keys changed:\n" + "\n".join(lines[: run.SHOWN])
