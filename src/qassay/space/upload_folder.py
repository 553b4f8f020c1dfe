"""The folder of uploads: room for new files, deletion after the answer, a maximum age, and deletion at the end."""

import collections
import contextlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from gradio.utils import get_upload_folder

from .limits import KEEP_SECONDS, MAX_KEPT, SWEEP_SECONDS

UPLOAD_SECONDS = 600  # seconds of a request with files
NO_ROOM = "the server has no room for these files now, because others upload too; try again in a few minutes"
YOUNG_SECONDS = 120  # seconds that a file stays even if others need room
_LEAST_ROOM = 16_384  # bytes that a file counts at least: many empty files fill a disk too
_OWN = "qassay_page_"  # start of names of servers' folders
_STEP = 4_000_000  # bytes that arrive between two scans of the folder
# Gradio names a file by its content, so that two visitors with equal files share one path.
_awaited: collections.Counter[str] = collections.Counter()  # path -> uploads whose call is not answered
_in_use: collections.Counter[str] = collections.Counter()  # path -> running calls that read it
_room = 0  # bytes that may arrive before the next scan of the folder


@contextlib.contextmanager
def own_folder() -> Iterator[str]:
    """A folder of uploads for this server only, from before its page is built until it has stopped.

    It is deleted at the end, and so are folders of earlier servers that were killed. A folder counts as such if nothing
    in it has changed for longer than a server stores files, so folders of other running servers stay.
    """
    before = os.environ.get("GRADIO_TEMP_DIR")
    base = Path(before or tempfile.gettempdir())
    base.mkdir(parents=True, exist_ok=True)
    sweep(base)
    folder, stopped = tempfile.mkdtemp(prefix=_OWN, dir=base), threading.Event()
    os.environ["GRADIO_TEMP_DIR"] = folder

    def tidy() -> None:
        while not stopped.wait(SWEEP_SECONDS):
            with contextlib.suppress(OSError):
                os.utime(folder)
            delete_old(folder)
            sweep(base)

    threading.Thread(target=tidy, daemon=True, name="qassay tidy").start()
    try:
        yield folder
    finally:
        stopped.set()
        os.environ.pop("GRADIO_TEMP_DIR", None)
        if before is not None:
            os.environ["GRADIO_TEMP_DIR"] = before
        shutil.rmtree(folder, ignore_errors=True)


def sweep(base: Path) -> None:
    """Delete the folders of ended servers in a folder."""
    for folder in base.glob(f"{_OWN}*"):
        with contextlib.suppress(OSError):
            is_ours = not folder.is_symlink() and folder.is_dir()
            if hasattr(os, "getuid"):
                is_ours = is_ours and folder.stat().st_uid == os.getuid()
            if (
                is_ours
                and _age(folder) > KEEP_SECONDS + SWEEP_SECONDS
                and not any(age <= KEEP_SECONDS + SWEEP_SECONDS for _, _, age in _kept(folder))
            ):
                shutil.rmtree(folder, ignore_errors=True)


def delete_old(folder: str) -> None:
    """Delete files that nobody scored in time."""
    old = [path for path, _, age in _kept(folder) if age > KEEP_SECONDS and not _in_use[path]]
    for path in old:
        _awaited.pop(path, None)
    _delete(old)


def uploaded(paths: Iterable[str]) -> None:
    """Files have arrived, each of which one call will read."""
    _awaited.update(map(os.path.realpath, paths))


@contextlib.contextmanager
def files_of_call(paths: Iterable[str]) -> Iterator[None]:
    """Keep files while a call reads them, and delete them after it, unless another visitor has uploaded the same."""
    paths = list(map(os.path.realpath, paths))
    _in_use.update(paths)
    try:
        yield
    finally:
        for counts in (_in_use, _awaited):
            counts.subtract(paths)
            for path in {*paths}:
                if counts[path] <= 0:
                    del counts[path]
        _delete(path for path in {*paths} if not _in_use[path] and not _awaited[path])


def make_room(size: int) -> bool:
    """Delete the oldest files until a number of bytes fits into the folder of uploads; False if they do not fit.

    Files of running calls and young files stay, so mass uploads cannot delete the recent files of others.
    """
    kept = sorted(_kept(get_upload_folder()), key=lambda file: -file[2])
    free = MAX_KEPT - sum(room for _, room, _ in kept)
    gone = []
    for path, room, age in kept:
        if free >= size or age < YOUNG_SECONDS:
            break
        if not _in_use[path]:
            gone.append(path)
            free += room
    if free < size:
        return False
    _delete(gone)
    return True


def take_room(size: int, is_whole: bool) -> bool:
    """Whether there is room for bytes that have arrived; the folder is scanned once per `_STEP` bytes of all uploads.

    Args:
        size: number of bytes that have just arrived.
        is_whole: whether the request ends with it.
    """
    global _room
    size = max(size, _LEAST_ROOM if is_whole else 0)
    if size > _room:
        if not make_room(size + _STEP):
            return False
        _room = size + _STEP
    _room -= size
    return True


def _kept(folder: str | Path) -> Iterator[tuple[str, int, float]]:
    """Path, bytes and age in seconds of every file in a folder."""
    for inner, _, names in os.walk(os.path.realpath(folder)):
        for name in names:
            path = os.path.join(inner, name)
            with contextlib.suppress(OSError):
                status = os.lstat(path)
                yield path, max(status.st_size, _LEAST_ROOM), time.time() - status.st_mtime


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime


def _delete(paths: Iterable[str]) -> None:
    """Delete files and their empty folders; of the folder of uploads nothing else."""
    top = os.path.realpath(get_upload_folder())
    for path in list(paths):
        if os.path.commonpath([top, path]) != top:
            continue
        with contextlib.suppress(OSError):
            os.remove(path)
            if os.path.dirname(path) != top:
                os.rmdir(os.path.dirname(path))
