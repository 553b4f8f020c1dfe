"""Files that are written whole or not at all: a draft beside the target, which is moved into its place."""

import contextlib
import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

ENDING = ".unfinished"  # of a draft: what a killed process leaves behind is known by it
_LONGEST_NAME = 40  # characters of the target's name in the draft's name, which must not become too long
_MOST_LINKS = 40
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)  # a folder takes no new file
_NOT_MOVED = (*_REFUSED, errno.EBUSY, errno.EXDEV)  # a file that is mounted by itself, or in such a folder


class WriteError(OSError):
    """A file that cannot be written: its name, why, and what became of the file that was there."""

    def __init__(self, path: str, why: str, errno: int | None = None, *, is_unchanged: bool = False):
        super().__init__(errno, why, path)
        self.words = f"cannot write {path}: {why}"
        if is_unchanged:
            self.words += "; the file that was there is unchanged"

    def __str__(self) -> str:
        return self.words


@contextlib.contextmanager
def open_whole(path: str | os.PathLike[str], mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """Open a file for writing that takes the place of `path` when the block ends, and only if it ends without an error.

    The file lies in the folder of `path` until then, with a name that ends with `ENDING`; an error removes it. A link
    stays and its target is replaced, an existing file keeps its permissions, and what is not a regular file (a pipe,
    /dev/null, /dev/stdout) is written straight.

    An existing file that cannot be replaced (mounted by itself, as containers do, or in a folder that takes no new file)
    gets the finished content in place. Only then can a kill or a full disk leave an incomplete file.

    Args:
        mode, options: as in `open`, "w" or "wb".

    Raises:
        WriteError: the file cannot be written; an existing file is unchanged then, or the message says that it is
            incomplete.
    """
    with _draft(path) as draft:
        with draft.opened(mode, **options) as file:
            yield file
        draft.move()


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as UTF-8 as `open_whole` does; what UTF-8 cannot hold is escaped by backslashes."""
    with open_whole(path, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)


def append_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Add bytes to the end of a file that exists, in one write: other processes may add theirs at the same time.

    Raises:
        WriteError: the bytes cannot be written; the file is as it was then.
    """
    path = os.fspath(path)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        try:
            before, written = os.fstat(descriptor).st_size, 0
            try:
                while written < len(content):  # a disk that gets full takes a part, and says why at the next write
                    written += os.write(descriptor, content[written:])
                os.fsync(descriptor)
            except OSError:
                if os.fstat(descriptor).st_size == before + written:  # nobody else has written since
                    os.ftruncate(descriptor, before)
                raise
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _told(path, error, is_unchanged=not isinstance(error, FileNotFoundError)) from error


@contextlib.contextmanager
def folder_locked(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Let one process at a time go on with the files of a folder; without effect where a system cannot lock folders.

    A process leaves no lock, however it ends.
    """
    descriptor = None
    with contextlib.suppress(ImportError, OSError):
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def write_files(folder: str | os.PathLike[str], files: Mapping[str, bytes]) -> None:
    """Write files below a folder, path -> content, and make the folders they need; other files stay.

    The first is replaced when all are written: a disk that is too full for one leaves all as they were.
    """
    with contextlib.ExitStack() as stack:
        drafts = []
        for name, content in files.items():
            path = Path(folder) / name
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise WriteError(str(path), f"the folder {path.parent} cannot be made ({error.strerror})") from error
            drafts.append(stack.enter_context(_draft(path)))
            with drafts[-1].opened("wb") as file:
                file.write(content)
        for draft in drafts:
            draft.move()


class _Draft:
    """What is written instead of a file.

    Attributes:
        path: of the file, as the user calls it.
        target: the same without links.
        place: of the draft; None where the target is written straight.
        is_apart: whether the draft is in the folder of temporary files, as the target's folder takes none.
        there: the status of a file that exists.
    """

    def __init__(self, path: str):
        self.path, self.target = path, os.path.realpath(path)
        self.place: str | None = None
        self.is_apart = False
        self.there: os.stat_result | None = None
        self.descriptor = _descriptor_of(path)
        with contextlib.suppress(FileNotFoundError):
            self.there = os.stat(path)
        kind = stat.S_IFMT(self.there.st_mode) if self.there is not None else stat.S_IFREG
        if kind == stat.S_IFDIR:
            raise WriteError(path, "it is a folder; give the name of a file")
        if kind != stat.S_IFREG or self.descriptor is not None:
            return
        if self.there is not None:
            os.close(os.open(self.target, os.O_WRONLY))  # a file that is read-only stays so
        folder, name = os.path.split(self.target)
        self.place = os.path.join(folder, f"{name[:_LONGEST_NAME]}.{os.urandom(4).hex()}{ENDING}")

    @contextlib.contextmanager
    def opened(self, mode: str, **options: Any) -> Iterator[IO[Any]]:
        with self.in_words(), self._open(mode, options) as file:
            yield file
            file.flush()
            if self.place:
                os.fsync(file.fileno())

    def _open(self, mode: str, options: dict[str, Any]) -> IO[Any]:
        if self.descriptor is not None:
            return open(os.dup(self.descriptor), mode, **options)
        if self.place is None:
            return open(self.target, mode, **options)
        try:
            return self._open_draft(self.place, mode, options)
        except (FileNotFoundError, NotADirectoryError) as error:
            folder = os.path.dirname(self.path) or "."
            raise WriteError(self.path, f"there is no folder {folder}; make it first", error.errno) from error
        except OSError as error:
            if error.errno not in _REFUSED:
                raise
            if self.there is not None:
                with contextlib.suppress(OSError):
                    place = os.path.join(tempfile.gettempdir(), os.path.basename(self.place))
                    file = self._open_draft(place, mode, options)
                    self.place, self.is_apart = place, True
                    return file
            why = f"its folder takes no new file ({error.strerror}); choose another folder"
            raise WriteError(self.path, why, error.errno, is_unchanged=self.there is not None) from error

    def _open_draft(self, place: str, mode: str, options: dict[str, Any]) -> IO[Any]:
        # Nobody who may not read the old file may read the new one, even for a moment.
        bits = 0o666 if self.there is None else 0o600
        return open(place, mode.replace("w", "x"), opener=lambda path, flags: os.open(path, flags, bits), **options)

    def move(self) -> None:
        """The draft takes the place of the file, or its content replaces the file's if the file cannot be replaced."""
        if self.place is None:
            return
        with self.in_words():
            if self.is_apart or not self._replaced(self.place):
                self._overwrite(self.place)
                return
        self.place = None
        with contextlib.suppress(OSError):  # not every system lets a folder be written to the disk
            folder = os.open(os.path.dirname(self.target), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _replaced(self, place: str) -> bool:
        if self.there is not None:
            with contextlib.suppress(OSError, AttributeError):  # another user's file, where only root may give it back
                os.chown(place, self.there.st_uid, self.there.st_gid)
            with contextlib.suppress(OSError):  # a file system without permissions
                os.chmod(place, stat.S_IMODE(self.there.st_mode) & 0o777)
        try:
            os.replace(place, self.target)
        except OSError as error:
            if self.there is None or error.errno not in _NOT_MOVED:
                raise
            return False
        return True

    def _overwrite(self, place: str) -> None:
        with open(place, "rb") as draft:
            file = os.fdopen(os.open(self.target, os.O_WRONLY | getattr(os, "O_BINARY", 0)), "wb")
            try:
                with file:
                    shutil.copyfileobj(draft, file)
                    file.truncate()
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                raise WriteError(self.path, f"{error.strerror}; the file is incomplete now", error.errno) from error

    @contextlib.contextmanager
    def in_words(self) -> Iterator[None]:
        try:
            yield
        except (WriteError, BrokenPipeError):  # nobody reads a pipe any more: no fault of the file
            raise
        except OSError as error:
            raise _told(self.path, error, is_unchanged=bool(self.place and self.there)) from error


@contextlib.contextmanager
def _draft(path: str | os.PathLike[str]) -> Iterator[_Draft]:
    """The draft of a file, which is removed at the end if it was not moved."""
    path = os.fspath(path)
    try:
        draft = _Draft(path)
    except WriteError:
        raise
    except OSError as error:
        raise _told(path, error, is_unchanged=isinstance(error, PermissionError)) from error
    try:
        yield draft
    finally:
        if draft.place:
            with contextlib.suppress(OSError):
                os.remove(draft.place)


def _told(path: str, error: OSError, *, is_unchanged: bool) -> WriteError:
    return WriteError(path, error.strerror or str(error), error.errno, is_unchanged=is_unchanged)


def _descriptor_of(path: str) -> int | None:
    """The open file of this process that a path such as /dev/stdout or /dev/fd/3 names; None for others.

    What it was redirected to is another matter: `>> log` must not be replaced.
    """
    for _ in range(_MOST_LINKS):
        folder, name = os.path.realpath(os.path.dirname(path)), os.path.basename(path)
        if folder in ("/dev/fd", f"/proc/{os.getpid()}/fd") and name.isdigit():
            return int(name)
        path = os.path.join(folder, name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None
