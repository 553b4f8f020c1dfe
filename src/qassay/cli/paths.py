"""Checks of the names of files, before a command begins its work."""

import argparse
import errno
import os
import tempfile
from typing import Any

from ..core.file_columns import STDIN

_TARGETS = ("report", "per_example", "output", "markdown", "junit")  # options that name files to write


def check_paths(arguments: argparse.Namespace) -> None:
    """Refuse files that follow an option with several values, and outputs that cannot be written or are also inputs."""
    for option in ("by", "measures", "columns", "option"):
        for value in getattr(arguments, option, None) or ():
            # A slice may have the name of a file without an ending.
            if os.path.splitext(value)[1] and os.path.isfile(value):
                raise ValueError(
                    f"--{option} takes every value after it, and took the file {value}; files come first: GOLD PREDICTIONS "
                    f"--{option} ..."
                )
    if getattr(arguments, "output", None) == STDIN:
        arguments.output = None  # "-" is standard output there
    taken = {os.path.realpath(path): "" for path in _files_read(arguments)}
    for name in _TARGETS:
        path, option = getattr(arguments, name, None), f"--{name.replace('_', '-')}"
        if path is None:
            continue
        _require_writable(option, path)
        other = taken.setdefault(os.path.realpath(path), option)
        if not other:
            raise ValueError(f"{option} {path}: this file is read by the command; give another name")
        if other != option:
            raise ValueError(f"{other} and {option} are the same file, {path}; give each a file")


def _files_read(arguments: argparse.Namespace) -> list[str]:
    """The existing files among the arguments that are no outputs."""
    values: list[Any] = [value for name, value in vars(arguments).items() if name not in ("argv", *_TARGETS)]
    found: list[str] = []
    while values:
        value = values.pop()
        if isinstance(value, list):
            values += value
        elif isinstance(value, str):  # FILE, NAME=FILE or NAME=FILE,FILE
            found += filter(os.path.isfile, (value, *value.rpartition("=")[2].split(",")))
    return found


def _require_writable(option: str, path: str) -> None:
    """Refuse the name of an output that cannot be written."""
    if path in ("", STDIN) or os.path.isdir(path) or path.endswith(os.sep):
        raise ValueError(f"{option} {path or 'has an empty name'}: give the name of a file")
    try:
        if not os.path.lexists(path):
            tempfile.TemporaryFile(dir=os.path.dirname(path) or ".").close()
        elif not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "no permission")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ValueError(f"{option} {path}: it cannot be written ({reason}); choose another path") from error
