"""The pages, charts and tables of results, which are made outside core and loaded on request.

Results show and write themselves (`Scores.report`, `plot`, output in notebooks), but core knows no page: the package
says at its door where its presenters are.
"""

import importlib
from typing import Any

package = ""  # the package of the presenters


def presenter(name: str) -> Any:
    """The module of presenters with this name."""
    return importlib.import_module(f"{package}.{name}")
