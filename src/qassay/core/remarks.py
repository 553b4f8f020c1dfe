"""Remarks of a public call on its input: collected while it runs, then issued once each as warnings at the caller."""

import contextlib
import functools
import inspect
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from .options import did_you_mean

_P = ParamSpec("_P")
_T = TypeVar("_T")
_PACKAGE = __name__.partition(".")[0]
_OPEN: ContextVar[dict[str, None] | None] = ContextVar("remarks of the open public call", default=None)


def remark(text: str) -> None:
    """Add a remark to the public call that is open; where none is, issue it as a warning at once."""
    found = _OPEN.get()
    if found is None:
        _issue([text])
    else:
        found[text] = None


def public(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """A public function that issues its remarks when it returns or raises, unless another public function called it.

    An unknown keyword is refused with the nearest argument.
    A `Scores` that it returns, or a dict of them, keeps them as `remarks`.
    """

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        if _OPEN.get() is not None:
            return function(*args, **kwargs)
        _refuse_unknown(function, kwargs)
        found: dict[str, None] = {}
        token = _OPEN.set(found)
        try:
            result = function(*args, **kwargs)
        except BaseException:
            _OPEN.reset(token)
            with contextlib.suppress(Warning):  # where warnings are errors, this error is the one to see
                _issue(found)
            raise
        _OPEN.reset(token)
        _issue(found)
        return _with_remarks(result, tuple(found)) if found else result

    return call


def _refuse_unknown(function: Callable[..., Any], given: Iterable[str]) -> None:
    parameters = _parameters(function)
    for name in () if any(of.kind is of.VAR_KEYWORD for of in parameters.values()) else given:
        if name not in parameters:
            there = f"{did_you_mean(name, parameters)}; it has: {', '.join(parameters)}"
            raise TypeError(f"{function.__name__}() has no argument {name!r}{there}")


@functools.cache
def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


def _with_remarks(result: Any, remarks: tuple[str, ...]) -> Any:
    """A result whose Scores keep the remarks, also as values of a dict."""
    if type(result) is dict:
        return {name: _with_remarks(value, remarks) for name, value in result.items()}
    return result.with_remarks(remarks) if hasattr(result, "with_remarks") else result


@contextlib.contextmanager
def collected() -> Iterator[dict[str, None]]:
    """Collects the remarks of a block, as the keys of a dict, without issuing them."""
    found: dict[str, None] = {}
    token = _OPEN.set(found)
    try:
        yield found
    finally:
        _OPEN.reset(token)


def _issue(texts: Iterable[str]) -> None:
    """Warn where the package was called."""
    frame, level = sys._getframe(), 1
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] == _PACKAGE:
        frame, level = frame.f_back, level + 1
    for text in texts:
        warnings.warn(text, stacklevel=level)
