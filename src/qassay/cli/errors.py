"""Reports errors of the command: one line, and the exit status."""

import os
import re
import traceback

from .defects import is_own
from .streams import tell

_OPTION = re.compile(r"(?<![^\s(])(?![^\s{]+: )[a-z]\w*=[^\s=]")  # as in Python: task=multi, columns={"ids": "qid"}
_OWN_OPTION = re.compile(r"(?<![^\s(])--[a-z]")  # already as on the command line
HOW_TO_WRITE = (
    "(on the command line: --option name=value for an option of a metric, --columns role=NAME for a column, --name value "
    "for the rest)"
)


def fail_by_defect(error: Exception) -> int:
    """Report a defect of qassay in one line, with its place; returns the exit status."""
    places = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__) if is_own(frame)]
    where = f" ({places[-1][0].f_globals['__name__']}, line {places[-1][1]})" if places else ""
    what = "".join(traceback.format_exception_only(error))
    fail(f"this is a defect of qassay, please report it with the command and this line: {what.strip()}{where}", error)
    return 70


def fail(message: str, error: BaseException) -> int:
    """Print the error, on request with a traceback; returns the exit status."""
    if os.environ.get("QASSAY_DEBUG", "0") not in ("", "0"):
        for line in "".join(traceback.format_exception(error)).splitlines():
            tell(line)
    complain(message)
    return 2


def complain(message: str) -> None:
    """Write an error to stderr, on one line; where it names an option or a column, a second line says how these are written
    on the command line.
    """
    tell(f"qassay: error: {' '.join(message.split())}")
    if _OPTION.search(message) and not _OWN_OPTION.search(message):
        tell(HOW_TO_WRITE)
