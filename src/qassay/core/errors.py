"""Kinds of errors, and the column that an error is about."""

from collections.abc import Mapping
from typing import Any


class NothingToScore(ValueError):
    """The options omit every example.

    Args:
        message: what to do.
        counts: of the omitted examples, by reason, as `Scores.notes` has them.
    """

    def __init__(self, message: str, counts: Mapping[str, int]):
        super().__init__(message, counts)
        self.counts = counts

    def __str__(self) -> str:
        return str(self.args[0])


class NoRows(ValueError):
    """All columns are without rows."""


class NoWeight(ValueError):
    """Every example has the weight 0."""


class NoGoldAnswer(ValueError):
    """A question has no gold answer, so no answer can be right."""


def blamed(error: Exception, column: str | None) -> Exception:
    """Mark an error with the column that it is about (None: several or none), unless it is already marked."""
    if not hasattr(error, "column"):
        setattr(error, "column", column)  # noqa: B010 (no error has such an attribute)
    return error


class about:
    """Mark errors raised in a block with the column that they are about; inner blocks take precedence."""

    def __init__(self, column: str | None):
        self.column = column

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, (TypeError, ValueError)):
            blamed(error, self.column)


def column_to_blame(error: BaseException | None) -> str | None:
    """The column that an error is about; None if unknown or if there are several."""
    return getattr(error, "column", None)


def import_pandas(asking: str) -> Any:
    """Import pandas; if it is not installed, the ImportError names the feature that needs it."""
    try:
        import pandas
    except ModuleNotFoundError as error:
        raise ImportError(f"{asking} needs {error.name}: run `pip install pandas`") from error
    return pandas


def import_yaml(asking: str) -> Any:
    """Import yaml; if PyYAML is not installed, the ImportError names the feature that needs it."""
    try:
        import yaml
    except ModuleNotFoundError as error:
        raise ImportError(f'{asking} needs PyYAML: run `pip install "qassay[hub]"`') from error
    return yaml
