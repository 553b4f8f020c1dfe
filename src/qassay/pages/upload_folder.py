"""The folder of uploads and downloads: room for new files, a maximum age of stored files, and deletion at the end."""

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

from .faults import WRONG, toast
from .limits import KEEP_SECONDS, MAX_KEPT, SWEEP_SECONDS

UPLOAD_SECONDS = 600  # seconds of a request with files
_LEAST_ROOM = 16_384  # bytes that a file counts at least: many empty files fill a disk too
NO_ROOM = "the server has no room for these files now, because others upload too; try again in a few minutes"
YOUNG_SECONDS = 120  # seconds that a file stays even if others need room
_OWN = "qassay_page_"  # start of names of servers' folders
_WORK = "work_"  # start of names of running calls' folders
_SAVED = "saved_"  # start of names of downloads' folders
_STEP = 4_000_000  # bytes that arrive between two scans of the folder
_in_use: collections.Counter[str] = collections.Counter()  # paths of files that running calls read
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
            _delete(path for path, _, age in _kept(folder) if age > KEEP_SECONDS)
            drop_empty_folders(Path(folder))
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


def drop_empty_folders(folder: Path) -> None:
    """Delete the empty folders in a folder; Gradio deletes only files."""
    for inner in folder.iterdir():
        with contextlib.suppress(OSError):  # a file, or not empty
            if _age(inner) > KEEP_SECONDS:
                inner.rmdir()


def make_room(size: int, remembered: Iterable[set[str]] = ()) -> bool:
    """Delete the oldest files until a number of bytes fits into the folder of uploads; False if they do not fit.

    Files of running calls and young files stay, so mass uploads cannot delete the recent files of others.

    Args:
        remembered: sets of paths in which Gradio remembers the files.
    """
    kept = sorted(_kept(get_upload_folder()), key=lambda file: -file[2])
    free = MAX_KEPT - sum(room for _, room, _ in kept)
    gone = []
    for path, room, age in kept:
        if free >= size or age < YOUNG_SECONDS:
            break
        if not _is_busy(path):
            gone.append(path)
            free += room
    if free < size:
        return False
    _delete(gone)
    for paths in remembered:
        paths.difference_update(gone)
    return True


def _is_busy(path: str) -> bool:
    """Whether a running call reads a file, or a running upload may be writing it."""
    top = Path(path).relative_to(get_upload_folder()).parts
    is_arriving = len(top) == 1 and top[0].startswith("tmp") and _age(Path(path)) < UPLOAD_SECONDS
    return is_arriving or top[0].startswith(_WORK) or os.path.realpath(path) in _in_use


def work_folder() -> tempfile.TemporaryDirectory:
    """A folder for the files of one call; they stay while the call runs."""
    os.makedirs(get_upload_folder(), exist_ok=True)
    return tempfile.TemporaryDirectory(prefix=_WORK, dir=get_upload_folder())


def _kept(folder: str | Path) -> Iterator[tuple[str, int, float]]:
    """Path, bytes and age in seconds of every file below a folder."""
    for inner, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(inner, name)
            with contextlib.suppress(OSError):
                status = os.lstat(path)
                yield path, max(status.st_size, _LEAST_ROOM), time.time() - status.st_mtime


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime


def _delete(paths: Iterable[str]) -> None:
    """Delete files and their empty folders, except folders that a running upload is about to use."""
    top = os.path.realpath(get_upload_folder())
    for path in paths:
        folder = Path(path).parent
        with contextlib.suppress(OSError):
            is_old = _age(folder) > 60
            os.remove(path)
            if is_old and os.path.realpath(folder) != top:
                folder.rmdir()


def take_room(size: int, is_whole: bool, remembered: Iterable[set[str]]) -> bool:
    """Whether there is room for bytes that have arrived; the folder is scanned once per `_STEP` bytes of all uploads.

    Args:
        size: number of bytes that have just arrived.
        is_whole: whether the request ends with it.
        remembered: as for `make_room`.
    """
    global _room
    size = max(size, _LEAST_ROOM if is_whole else 0)
    if size > _room:
        if not make_room(size + _STEP, remembered):
            return False
        _room = size + _STEP
    _room -= size
    return True


@contextlib.contextmanager
def files_in_use(paths: list[str]) -> Iterator[None]:
    """Keep files while a call reads them."""
    _in_use.update(paths)
    try:
        yield
    finally:
        _in_use.subtract(paths)
        for path in paths:
            if not _in_use[path]:
                del _in_use[path]


def save_file(name: str, data: bytes) -> str:
    """A new file with this name in a separate folder of gradio's temporary files; `own_folder` deletes both.

    Raises:
        gr.Error: the disk is full, or the files of the last minutes have twice the maximum size.
    """
    os.makedirs(get_upload_folder(), exist_ok=True)
    if not make_room(len(data)) and not make_room(len(data) - MAX_KEPT):
        raise toast(NO_ROOM, WRONG)
    saved = Path(tempfile.mkdtemp(dir=get_upload_folder(), prefix=_SAVED), name)
    try:
        saved.write_bytes(data)
    except OSError as error:  # the disk is full: nobody may get half of the file
        shutil.rmtree(saved.parent, ignore_errors=True)
        raise toast(f"cannot write {name}: {error.strerror}; try again later", WRONG) from error
    return str(saved)
