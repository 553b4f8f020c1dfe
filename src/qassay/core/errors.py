"""Errors: input that cannot be scored, packages that are not installed, and which errors are raised by qassay itself."""

import importlib
import opcode
import types
from collections.abc import Mapping
from typing import Any

from .shown import shown

_PACKAGE = __name__.partition(".")[0]
_RAISE = opcode.opmap.get("RAISE_VARARGS")


class InputError(ValueError):
    r"""Input that cannot be scored: where, what was found there, and what to do.

    Args:
        column: the column, such as "predictions"; "" for several, None if the caller sets it.
        found: what is wrong; with a row, the words after its name.
        action: what to do.
        row: the row of the column.
        id: the id of the example in that row.

    Example:
        >>> str(InputError("predictions", "is None", 'give "" for no answer', 3, "q7"))
        'predictions[3] (id \'q7\') is None; give "" for no answer'
    """

    def __init__(self, column: str | None, found: str, action: str = "", row: int | None = None, id: Any = None):
        super().__init__(column, found, action, row, id)
        self.column, self.found, self.action, self.row, self.id = column, found, action, row, id

    def __str__(self) -> str:
        where = "" if self.row is None else f"{self.column}[{self.row}]{id_in_brackets(self.id)} "
        return f"{where}{self.found}{self.action and f'; {self.action}'}"


def id_in_brackets(identifier: Any) -> str:
    """The text " (id 'q1')"; "" for None."""
    return "" if identifier is None else f" (id {shown(identifier)})"


class about:
    """A block that reads a column: its errors become `InputError`s about that column, unless they have one."""

    def __init__(self, column: str):
        self.column = column

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, InputError):
            error.column = self.column if error.column is None else error.column
        elif isinstance(error, (TypeError, ValueError)) and not isinstance(error, UnicodeError):
            raise InputError(self.column, str(error)) from error


class NothingToScore(InputError):
    """The options omit every example; `counts`: of the omitted examples, by reason, as `Scores.notes` has them."""

    def __init__(self, counts: Mapping[str, int]):
        reasons = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        found = f"no example is left to score{reasons and f' ({reasons})'}"
        super().__init__(None, found, "check the predictions, and the options that omit examples, such as missing")
        self.args, self.counts = (counts,), counts


class NoRows(ValueError):
    """All columns are without rows."""


class NoWeight(InputError):
    """Every example has the weight 0."""

    def __init__(self) -> None:
        super().__init__("weights", "all weights are 0", "give at least one example a weight")
        self.args = ()


def import_optional(name: str, feature: str, install: str) -> Any:
    """Import a package that the base installation lacks; the ImportError says which feature needs it, and what to install."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ImportError(f"{feature} needs {error.name}: run `pip install {install}`") from error


def is_expected(error: BaseException) -> bool:
    """Whether a `raise` of qassay made an error, so that its message is for the user.

    An error of a function in C, such as `int("x")`, has no frame: its last frame is still qassay's. The instruction of
    that frame separates the two.

    Example:
        >>> try:
        ...     int("x")
        ... except ValueError as error:
        ...     is_expected(error)
        False
    """
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None or not is_of_package(step.tb_frame):
        return False
    code = step.tb_frame.f_code.co_code
    return _RAISE is None or not 0 <= step.tb_lasti < len(code) or code[step.tb_lasti] == _RAISE


def is_of_package(frame: types.FrameType) -> bool:
    """Whether a frame runs code of qassay."""
    return str(frame.f_globals.get("__name__")).partition(".")[0] == _PACKAGE
