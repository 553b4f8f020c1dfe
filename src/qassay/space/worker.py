"""Scores each call in a separate process, with a limit of time and of memory.

The processes are forked from one that has imported everything and scored a sample, so a call has no startup cost. Each
works in a folder where the files have the names that their owner gave them, so messages, names of systems and the command
are those of the command line.
"""

import contextlib
import filecmp
import gzip
import multiprocessing
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import PurePath
from typing import Any

from ..files.systems import distinct_names
from .faults import log_end
from .limits import ELSEWHERE, SCORE_MEMORY, SCORE_SECONDS

_LONGEST_NAME = 50  # characters, of which each may take four bytes
_TOO_LARGE = f"the input is too large for this server ({ELSEWHERE}); score a part of it"
_context: Any = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")


def start() -> None:
    """Start to load the scoring code, in parallel with the start of the page."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # calls run in parallel
    if sys.platform != "win32":
        _context.set_forkserver_preload(["qassay.space.warm"])
        forkserver.ensure_running()


def score_in_process(
    gold: tuple[str, str], systems: Sequence[tuple[str, str]], options: str, seconds: float = SCORE_SECONDS
) -> bytes:
    """The result document of files as JSON, compressed by gzip.

    Args:
        gold, systems: path and name of each file.
        options: as for `document_of`.
        seconds: until the process is ended.

    Raises:
        ValueError: input that cannot be scored, in a sentence for the visitor without paths of the server.
    """
    with tempfile.TemporaryDirectory(dir=os.environ.get("GRADIO_TEMP_DIR"), ignore_cleanup_errors=True) as folder:
        names = _linked([gold, *systems], folder)
        here, there = _context.Pipe(duplex=False)
        process = _context.Process(target=_work, args=(there, folder, names, options, dict(os.environ)), daemon=True)
        process.start()
        there.close()
        try:
            if not here.poll(seconds):
                raise ValueError(
                    f"scoring took more than {seconds:,.0f} seconds ({ELSEWHERE}); score a part of the input"
                )
            is_scored, found = here.recv()
        except EOFError:  # the process was ended, most likely for its memory
            process.join()
            log_end(process.exitcode)
            raise ValueError(_TOO_LARGE) from None
        finally:
            process.kill()
            process.join()
            process.close()
            here.close()
    if not is_scored:
        raise ValueError(found)
    return found


def _linked(files: Sequence[tuple[str, str]], folder: str) -> list[str]:
    """Link files into a folder under their owner's names, and return these; a copy of the gold file is linked once."""
    (gold, name), *others = files
    gold_name = file_name(name)
    is_gold = [file_name(name) == gold_name and filecmp.cmp(path, gold, shallow=False) for path, name in others]
    shown = [file_name(name) for (_, name), same in zip(others, is_gold, strict=True) if not same]
    _, *distinct = distinct_names([gold_name, *shown], _numbered)
    names = [gold_name, *(gold_name if same else distinct.pop(0) for same in is_gold)]
    for name, (path, _) in dict(zip(names, files, strict=True)).items():
        target = os.path.join(folder, name)
        try:
            os.symlink(os.path.abspath(path), target)
        except OSError:  # Windows
            shutil.copyfile(path, target)
    return names


def file_name(name: str) -> str:
    """A safe name for a visitor's file: one line of at most 50 characters that no command takes as an option.

    Example:
        >>> file_name("../<b>\\n\\x07-x.json"), file_name(".."), file_name("-")
        ('<b> -x.json', 'file', '_')
    """
    printable = "".join(character if character.isprintable() else " " for character in name)
    last = " ".join(re.split(r"[/\\]", printable)[-1].split())
    if last in ("", ".", ".."):
        return "file"
    stem, ending = os.path.splitext(last)
    last = stem[: _LONGEST_NAME - len(ending[:20])] + ending[:20]
    return f"_{last[1:]}" if last.startswith("-") else last


def _numbered(name: str, number: int) -> str:
    """The name of a file with a number before its ending."""
    path = PurePath(name)
    return f"{path.stem} ({number}){path.suffix}"


def _work(answer: Connection, folder: str, names: list[str], options: str, variables: dict[str, str]) -> None:
    from ..results.page import data_text
    from .faults import sentence_of
    from .scoring import document_of

    os.environ.update(variables)
    os.chdir(folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends this process
    _limit_memory()
    answered: tuple[bool, bytes | str]
    try:
        answered = True, gzip.compress(data_text(document_of(names[0], names[1:], options)).encode(), 4)
    except Exception as error:  # noqa: BLE001  shown to the visitor, or logged
        answered = False, sentence_of(error, "score")
    with contextlib.suppress(BrokenPipeError):
        answer.send(answered)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = SCORE_MEMORY if most == resource.RLIM_INFINITY else min(SCORE_MEMORY, most)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, most))
