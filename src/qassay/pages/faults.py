"""Messages of a page for failures, and their log entries."""

import html
import logging
import traceback

import gradio as gr

from ..core.shown import cell_text

UNREADABLE, WRONG = "The input could not be read", "Something went wrong"  # titles of errors
TOAST_SECONDS = 15
_MAX_WORDS = 2_000  # characters of a message
_LOG = logging.getLogger("qassay.pages")


def toast(message: str, title: str = UNREADABLE) -> gr.Error:
    """An error of the page, which shows HTML, so text of users is escaped. It closes itself, because toasts pile up."""
    return gr.Error(html.escape(shown_words(message)), title=title, duration=TOAST_SECONDS, print_exception=False)


def shown_words(message: str) -> str:
    """The readable start of a message, in characters that every encoding has."""
    return cell_text(message[:_MAX_WORDS])


def log_fault(name: str, error: Exception) -> None:
    """Log the type of an error and the lines of code, without its text, which may quote a visitor."""
    stack = "".join(traceback.format_tb(error.__traceback__))
    _LOG.error("%s failed: %s\n%s", name, type(error).__name__, stack)
