"""What all events of the page have in common: errors that people see, endpoints that only the page may call."""

import contextlib
import csv
import errno
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import gradio as gr

from ..core.hints import worded
from ..pages.faults import UNREADABLE, WRONG, log_fault, shown_words, toast
from .address import View

PRIVATE = {"api_visibility": "private"}  # of every event of the page; programs have the function of api.py
# Of events that change the choices of dropdowns whose values they read. Gradio sends the event of a dropdown twice, the second
# time with the values of before, and would refuse the values that the answer to the first has removed from the choices. The
# handler gets what the browser sends, and has to check it.
UNCHECKED = {"preprocess": False, **PRIVATE}
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_MENDABLE = (ValueError, ImportError)  # qassay tells what is wrong with input by these


class Tab(NamedTuple):
    """The part of a tab that changes when something new was scored.

    Attributes:
        outputs: components.
        refresh: an Analysis, or None -> a value or update for each of the outputs.
        follow: an Analysis, and the View of a link -> a value or update for each of the outputs (`gr.skip()` for what the
            link does not change), and in words what of the view does not fit the analysis; None: links open the tab and no
            more.
    """

    outputs: list[Any]
    refresh: Callable[[Any], Sequence[Any]]
    follow: Callable[[Any, View], tuple[Sequence[Any], Sequence[str]]] | None = None


def guarded(handler: Callable[..., Any]) -> Callable[..., Any]:
    """A handler whose errors reach the page: qassay's own words for what the user can fix, a name for a fault.

    Toasts show HTML, and without this Gradio would say nothing and keep old numbers on the page.
    """
    return _guard(handler, toast, _MENDABLE)


def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function for programs whose errors reach its callers in the same words, as plain text; also wrong types."""
    return _guard(function, _plain_error, (*_MENDABLE, TypeError))


def words_of(error: Exception, where: str, mendable: tuple[type[Exception], ...] = _MENDABLE) -> tuple[str, str]:
    """What to tell of an error, and its title; a fault of ours is logged, by its kind and the lines of code alone: its
    text may quote a visitor.

    Args:
        where: the name of what failed, for the log.
        mendable: errors whose text is for the user; by default ValueError and ImportError.
    """
    if isinstance(error, mendable):
        return worded(error, "program"), UNREADABLE
    if isinstance(error, (csv.Error, OverflowError)):  # cells and numbers of unlikely length
        return "the input cannot be read: a cell or a number in it is too long", UNREADABLE
    if isinstance(error, RecursionError):
        return "the input is nested too deeply; flatten it", UNREADABLE
    if isinstance(error, MemoryError):
        return "the input is too large for this server; score a part of it, or use the command line", UNREADABLE
    if isinstance(error, OSError) and error.errno in _FULL:
        return "the disk of this server is full; try again later", WRONG
    log_fault(where, error)
    return f"{type(error).__name__}: a fault of qassay, not of the input", WRONG


def _guard(
    handler: Callable[..., Any],
    told: Callable[[str, str], gr.Error],
    mendable: tuple[type[Exception], ...],
) -> Callable[..., Any]:
    @contextlib.contextmanager
    def telling() -> Iterator[None]:
        try:
            yield
        except gr.Error:
            raise
        except Exception as error:
            raise told(*words_of(error, handler.__name__, mendable)) from error

    def run(*values, **named):
        with telling():
            return handler(*values, **named)

    def run_steps(*values, **named):
        with telling():
            yield from handler(*values, **named)

    # Keeps the signature, which Gradio reads for types, Progress and SelectData.
    guard = functools.wraps(handler)(run_steps if inspect.isgeneratorfunction(handler) else run)
    guard.is_guarded = True
    return guard


def _plain_error(message: str, title: str) -> gr.Error:
    return gr.Error(shown_words(message), title=title, print_exception=False)
