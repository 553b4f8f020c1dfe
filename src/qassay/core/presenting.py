"""How results show and write themselves: by modules of `qassay.results`, which core does not import before they are needed."""

import importlib
from typing import Any

_PACKAGE = __name__.partition(".")[0]


def presenter(name: str) -> Any:
    """The module of `qassay.results` with this name."""
    return importlib.import_module(f"{_PACKAGE}.results.{name}")


class Shown:
    """Base of results that print as a table."""

    def __str__(self) -> str:
        """The main numbers as the plain tables that the command line prints."""
        return str(presenter("reports").show(self, "table"))

    def _repr_html_(self) -> str:
        """The same tables for notebooks."""
        return str(presenter("reports").show(self, "notebook"))
