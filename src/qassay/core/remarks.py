"""Remarks of a public call on its input: collected while it runs, and issued once each as warnings where it was called."""

import contextlib
import functools
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

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

    A result that is a `Scores` keeps them as its `remarks`.
    """

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        if _OPEN.get() is not None:
            return function(*args, **kwargs)
        found: dict[str, None] = {}
        token = _OPEN.set(found)
        try:
            result = function(*args, **kwargs)
        finally:
            _OPEN.reset(token)
            if found:
                _issue(found)
        return result.with_remarks(tuple(found)) if found and hasattr(result, "with_remarks") else result

    return call


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
