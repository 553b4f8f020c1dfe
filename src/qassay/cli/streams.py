"""Writes to standard output, standard error and files, whatever encoding and state they have."""

import argparse
import contextlib
import os
import shutil
import sys
from typing import TextIO

from ..core.shown import error_text, visible, visible_line


def flush_streams() -> None:
    """Flush the streams; text that cannot be written must not raise again when Python exits."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                taken = stream.fileno()
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, taken)
                os.close(nowhere)


def print_to_stderr(line: str) -> None:
    """Write a line to stderr if possible; control characters in it are shown, not executed."""
    with contextlib.suppress(OSError, ValueError):
        print(_as_encoded(visible_line(line), sys.stderr), file=sys.stderr)


def _as_encoded(text: str, stream: TextIO) -> str:
    """Replace characters that the stream cannot encode with plain ones."""
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:  # an old terminal, or a lone surrogate in a label
        plain = text.translate({ord("–"): "-", ord("─"): "-", ord("…"): "~"})
        return plain.encode(encoding, "backslashreplace").decode(encoding)
    return text


def print_text(text: str) -> None:
    """Write to stdout, in its encoding.

    Raises:
        BrokenPipeError: the reader has gone. OSError: it cannot be written to.
    """
    if not text:
        return
    try:
        sys.stdout.write(_as_encoded(text, sys.stdout))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(f"standard output cannot be written to: {error_text(error)}") from error


def write_output(text: str, path: str | None) -> None:
    """Write to a file, or to stdout."""
    if not path and sys.stdout.isatty():
        text = visible(text)
    if path:
        from ..core.writing import write_whole

        write_whole(path, text)
        return
    print_text(text)


def width_of(arguments: argparse.Namespace) -> int | None:
    """The largest width of the output; None if it is written to a file or a pipe."""
    return terminal_width(not arguments.output and sys.stdout.isatty())


def terminal_width(in_terminal: bool) -> int | None:
    """The width of the terminal, or COLUMNS; None if the output is not a terminal."""
    if in_terminal or os.environ.get("COLUMNS", "").isdigit():
        return shutil.get_terminal_size().columns
    return None
