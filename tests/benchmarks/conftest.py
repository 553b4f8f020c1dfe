"""The scripts of benchmarks/ as modules."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

_TAKEN = ("coverage",)  # names of packages that the tests may have loaded
BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"


@pytest.fixture(scope="session")
def load_script() -> Callable[[str], ModuleType]:
    """Imports a script by its name, with its neighbours within reach as when Python runs it."""

    def load(name: str) -> ModuleType:
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(BENCHMARKS)
            if name not in _TAKEN:
                return importlib.import_module(name)
            spec = importlib.util.spec_from_file_location(f"benchmark_{name}", BENCHMARKS / f"{name}.py")
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
            return module

    return load
