"""Gives scores and comparisons access to reports, tables and charts, which are loaded on request."""

import importlib
from typing import Any


def presenter(name: str) -> Any:
    """Import the presentation module with this name.

    Raises:
        ImportError: it is missing, as in a rendered Space, which contains only scoring code.
    """
    try:
        return importlib.import_module(f"qassay.reports.{name}")
    except ModuleNotFoundError as error:
        raise ImportError(f"reports and charts need {error.name}: install the package qassay") from error
