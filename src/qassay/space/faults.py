"""Errors as sentences for visitors and programs, and as log entries without their texts."""

import csv
import errno
import logging
import traceback

from ..core.errors import is_expected
from ..core.shown import error_text, visible

_LONGEST = 2_000  # characters of a message
_LOG = logging.getLogger("qassay.space")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def sentence_of(error: Exception, where: str) -> str:
    """The sentence about an error that a visitor reads.

    A fault of qassay is logged by its type and the lines of code only, because its text may quote a visitor.

    Args:
        where: the name of what failed, for the log.
    """
    if isinstance(error, ImportError) or isinstance(error, (ValueError, TypeError)) and is_expected(error):
        return shown_text(error_text(error))
    if isinstance(error, (csv.Error, OverflowError)):
        return "the input cannot be read: a cell or a number in it is too long"
    if isinstance(error, RecursionError):
        return "the input is nested too deeply; flatten it"
    if isinstance(error, MemoryError):
        return "the input is too large for this server; score a part of it, or use the command line"
    if isinstance(error, OSError) and error.errno in _FULL:
        return "the disk of this server is full; try again later"
    log_fault(where, error)
    return f"{type(error).__name__}: a fault of qassay, not of the input"


def shown_text(message: str) -> str:
    """The readable start of a message, in characters that every encoding has."""
    return visible(message[:_LONGEST])


def log_fault(name: str, error: Exception) -> None:
    """Log the type of an error and the lines of code, without its text."""
    stack = "".join(traceback.format_tb(error.__traceback__))
    _LOG.error("%s failed: %s\n%s", name, type(error).__name__, stack)


def log_end(status: int | None) -> None:
    """Log that a scoring process ended without an answer, by its exit status; a negative one is a signal."""
    _LOG.error("a scoring process ended with exit status %s", status)
