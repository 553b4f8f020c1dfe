"""Errors of the command: input that qassay refuses, too little memory, or a defect; each one line, and the exit status."""

import os
import re
import traceback

from ..core.errors import is_of_package
from ..core.options import keyword_names
from ..registry import FAMILIES
from .streams import print_to_stderr

WRITTEN = "(on the command line: "  # what the second line of an error begins with
_NAMED = re.compile(
    r"(?<![^\s(])([a-z]\w*)=(?=[^\s=])|^(n_\w+) "
)  # as Python writes them: task=multi, columns={"ids": "qid"}
_WRITTEN_OPTION = re.compile(r"(?<![^\s(])--[a-z]")  # already as on the command line
_FLAGS = {
    "columns": "--columns ROLE=NAME",
    "label_columns": "--label-columns ROLE=NAME",
    "n_resamples": "--resamples N",
    "n_permutations": "--permutations N",
    "method": "--interval-method NAME",
    "metric": "--metric NAME",
    "preset": "--preset NAME",
    "common": "--common",
    "count_absent": "--count-absent",
    **{
        name: f"--{name.replace('_', '-')} VALUE"
        for name in ("confidence", "seed", "groups", "measures", "right_from", "share")
    },
}
_NO_MEMORY = ("out of memory", "can't allocate memory")  # of a GPU, and of the processor


def fail_by_defect(error: Exception) -> int:
    """Report a defect of qassay in one line, with its module and line; returns the exit status."""
    places = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__) if is_of_package(frame)]
    where = f" ({places[-1][0].f_globals['__name__']}, line {places[-1][1]})" if places else ""
    what = "".join(traceback.format_exception_only(error))
    fail(f"this is a defect of qassay, please report it with the command and this line: {what.strip()}{where}", error)
    return 70


def fail(message: str, error: BaseException) -> int:
    """Print the error, on request with a traceback; returns the exit status."""
    if os.environ.get("QASSAY_DEBUG", "0") not in ("", "0"):
        for line in "".join(traceback.format_exception(error)).splitlines():
            print_to_stderr(line)
    complain(message)
    return 2


def complain(message: str) -> None:
    """Write an error to stderr, on one line; if it contains options as Python writes them, a second line shows how the
    command line writes them.
    """
    print_to_stderr(f"qassay: error: {' '.join(message.split())}")
    named = [] if _WRITTEN_OPTION.search(message) else [one or other for one, other in _NAMED.findall(message)]
    written = dict.fromkeys(_FLAGS.get(name) or _of_metric(name) for name in named)
    if any(written):
        print_to_stderr(f"{WRITTEN}{', '.join(filter(None, written))})")


def _of_metric(name: str) -> str:
    """An option of a metric as it is written; "" if no metric has it."""
    has_it = any(name in keyword_names(family.load()[1]) for family in FAMILIES.values())
    return f"--option {name}=VALUE" if has_it else ""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether a model ran out of memory; torch raises a RuntimeError with these words."""
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _NO_MEMORY)
