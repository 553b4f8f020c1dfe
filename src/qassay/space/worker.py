"""Scores each call in a process of its own, with a limit of time and of memory.

The processes are forked from one that has imported everything and scored a sample, so that a call costs no start.
"""

import contextlib
import gzip
import multiprocessing
import os
import signal
import sys
from collections.abc import Sequence
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from typing import Any

from .limits import ELSEWHERE, SCORE_MEMORY, SCORE_SECONDS, InputError

_TOO_LARGE = f"the input is too large for this server ({ELSEWHERE}); score a part of it"
_context: Any = multiprocessing.get_context("spawn" if sys.platform == "win32" else "forkserver")


def start() -> None:
    """Begin to load what scores, beside what else the start of the page does."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # calls run beside each other
    if sys.platform != "win32":
        _context.set_forkserver_preload(["qassay.space.warm"])
        forkserver.ensure_running()


def score_in_process(files: Sequence[tuple[str, str, str]], options: str, seconds: float = SCORE_SECONDS) -> bytes:
    """The result document of files as JSON, compressed by gzip.

    Args:
        files, options: as for `document_of`.
        seconds: until the process is ended.

    Raises:
        InputError: what is wrong, for the visitor, without paths of the server.
    """
    here, there = _context.Pipe(duplex=False)
    process = _context.Process(target=_work, args=(there, list(files), options, dict(os.environ)), daemon=True)
    process.start()
    there.close()
    try:
        if not here.poll(seconds):
            raise InputError(f"scoring took more than {seconds:,.0f} seconds ({ELSEWHERE}); score a part of the input")
        is_scored, found = here.recv()
    except EOFError:  # the process was ended, most likely for its memory
        raise InputError(_TOO_LARGE) from None
    finally:
        process.kill()
        process.join()
        process.close()
        here.close()
    if not is_scored:
        raise InputError(found)
    return found


def _work(answer: Connection, files: list[tuple[str, str, str]], options: str, variables: dict[str, str]) -> None:
    from ..results.page import data_text
    from .faults import sentence_of
    from .scoring import document_of

    os.environ.update(variables)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends this process
    _limit_memory()
    names = {path: name for path, name, _ in files}
    try:
        found = gzip.compress(data_text(document_of(files, options)).encode(), 4)
    except Exception as error:  # noqa: BLE001  told to the visitor, or logged
        with contextlib.suppress(BrokenPipeError):
            answer.send((False, sentence_of(error, "score", names)))
        return
    with contextlib.suppress(BrokenPipeError):
        answer.send((True, found))


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = SCORE_MEMORY if most == resource.RLIM_INFINITY else min(SCORE_MEMORY, most)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, most))
