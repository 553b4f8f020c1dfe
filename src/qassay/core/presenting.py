"""How results show and write themselves: by modules outside core, which the package names and which load on request."""

import importlib
from typing import Any

package = ""  # the package of the presenters


def presenter(name: str) -> Any:
    """The module of presenters with this name."""
    return importlib.import_module(f"{package}.{name}")
