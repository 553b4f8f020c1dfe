"""What all events of the page have in common: errors that people see, endpoints that only the page may call."""

import functools
import html
import logging
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import gradio as gr

PRIVATE = {"api_visibility": "private"}  # of every event of the page; programs have the functions of api.py
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

    @functools.wraps(handler)  # keeps the signature, which Gradio reads for Progress and SelectData
    def guard(*values, **named):
        try:
            return handler(*values, **named)
        except gr.Error:
            raise
        except (ValueError, TypeError, ImportError) as error:
            raise toast(str(error)) from error
        except RecursionError as error:
            raise toast("the input is nested too deeply; flatten it") from error
        except Exception as error:
            _LOG.exception("a handler of the page failed")
            raise toast(
                f"{type(error).__name__}: a fault of karat, not of the input", "Something went wrong"
            ) from error

    return guard


def toast(message: str, title: str = "The input could not be read") -> gr.Error:
    """An error of the page, which shows HTML: every character of the user is escaped."""
    shown = message[:2_000].encode("utf-8", "backslashreplace").decode("utf-8")
    return gr.Error(html.escape(shown), title=title, duration=None, print_exception=False)
