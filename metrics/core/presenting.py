"""How scores and comparisons reach what shows them: reports, tables and charts, loaded when one is requested."""

import importlib
from typing import Any


def presenter(name: str) -> Any:
    """The module of that name that shows scores and comparisons.

    Raises:
        ImportError: it is not there, as in a rendered Space, which has the code that scores only.
    """
    try:
        return importlib.import_module(f"qassay.reports.{name}")
    except ModuleNotFoundError as error:
        raise ImportError(f"reports and charts need {error.name}: install the package qassay") from error
