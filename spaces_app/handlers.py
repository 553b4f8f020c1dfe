"""What all events of the page have in common: errors that people see, endpoints that only the page may call."""

import csv
import functools
import html
import logging
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import gradio as gr

PRIVATE = {"api_visibility": "private"}  # of every event of the page; programs have the functions of api.py
UNREADABLE = "The input could not be read"
_MAX_WORDS = 2_000
_LOG = logging.getLogger("karat.spaces_app")


class Tab(NamedTuple):
    """The part of a tab that changes when something new was scored.

    Attributes:
        outputs: components.
        refresh: an Analysis, or None -> a value or update for each of the outputs.
    """

    outputs: list[Any]
    refresh: Callable[[Any], Sequence[Any]]


def guarded(handler: Callable[..., Any]) -> Callable[..., Any]:
    """A handler whose errors reach the page: karat's own words for what the user can mend, a name for a fault.

    Toasts show HTML, and without this Gradio would say nothing and keep old numbers on the page.
    """
    return _guard(handler, toast)


def refusing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function for programs whose errors reach its callers in the same words, as plain text."""
    return _guard(function, _plain_error)


def _guard(handler: Callable[..., Any], told: Callable[[str, str], gr.Error]) -> Callable[..., Any]:
    @functools.wraps(handler)  # keeps the signature, which Gradio reads for types, Progress and SelectData
    def guard(*values, **named):
        try:
            return handler(*values, **named)
        except gr.Error:
            raise
        except (ValueError, TypeError, ImportError) as error:
            raise told(str(error), UNREADABLE) from error
        except (csv.Error, OverflowError) as error:  # cells and numbers of unlikely length
            raise told(f"the input cannot be read: {error}", UNREADABLE) from error
        except RecursionError as error:
            raise told("the input is nested too deeply; flatten it", UNREADABLE) from error
        except Exception as error:
            # The lines of code and the kind of error, without its text: that may quote a visitor.
            stack = "".join(traceback.format_tb(error.__traceback__))
            _LOG.error("%s failed: %s\n%s", handler.__name__, type(error).__name__, stack)
            raise told(f"{type(error).__name__}: a fault of karat, not of the input", "Something went wrong") from error

    return guard


def toast(message: str, title: str = UNREADABLE) -> gr.Error:
    """An error of the page, which shows HTML: every character of the user is escaped."""
    return gr.Error(html.escape(_shown(message)), title=title, duration=None, print_exception=False)


def _plain_error(message: str, title: str) -> gr.Error:
    return gr.Error(_shown(message), title=title, print_exception=False)


def _shown(message: str) -> str:
    """As much of a message as one reads, in characters that every encoding has."""
    return message[:_MAX_WORDS].encode("utf-8", "backslashreplace").decode("utf-8")
