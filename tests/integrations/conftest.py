"""The harnesses live in an environment of their own (extra `harnesses`): elsewhere their tests are skipped."""

import importlib
import os
from collections.abc import Callable
from types import ModuleType

import pytest

REQUIRED = bool(os.environ.get("REQUIRE_HARNESSES"))  # then a harness that is not installed is a failure


@pytest.fixture(scope="session")
def harness() -> Callable[[str], ModuleType]:
    """Imports a harness by its name, and skips the test where it is not installed."""

    def load(name: str) -> ModuleType:
        if REQUIRED:
            return importlib.import_module(name)
        return pytest.importorskip(name, reason=f"{name} is not installed; it is in the extra `harnesses`")

    return load
