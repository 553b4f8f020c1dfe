"""The scripts of benchmarks/ as modules."""

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"


@pytest.fixture(scope="session")
def load_script() -> Callable[[str], ModuleType]:
    """Imports a script by its name, with its neighbours within reach as when Python runs it."""

    def load(name: str) -> ModuleType:
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(BENCHMARKS)
            return importlib.import_module(name)

    return load
