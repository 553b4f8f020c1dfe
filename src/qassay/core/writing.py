"""Writes files completely or not at all: a draft next to the target is moved into its place."""

import contextlib
import errno
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

ENDING = ".unfinished"  # extension of a draft, which identifies the leftovers of killed processes
_LONGEST_NAME = 40  # characters of the target's name to use in the draft's name, to limit its length
_MOST_LINKS = 40
_REFUSED = (errno.EACCES, errno.EPERM, errno.EROFS)  # the folder does not accept new files
_NOT_MOVED = (*_REFUSED, errno.EBUSY, errno.EXDEV)  # a file that is a mount point, or is in such a folder


class WriteError(OSError):
    """A file that cannot be written: its name, the reason, and the state of an existing file."""

    def __init__(self, path: str, why: str, errno: int | None = None, *, is_unchanged: bool = False):
        super().__init__(errno, why, path)
        self.words = f"cannot write {path}: {why}"
        if is_unchanged:
            self.words += "; the file that was there is unchanged"

    def __str__(self) -> str:
        return self.words


@contextlib.contextmanager
def open_whole(path: str | os.PathLike[str], mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """Open a file for writing that replaces `path` when the block ends without an error.

    Until then the file is in the folder of `path`, with a name that ends with `ENDING`; an error removes it. A link
    stays and its target is replaced, an existing file keeps its permissions, and anything but a regular file (a pipe,
    /dev/null, /dev/stdout) is written directly.

    An existing file that cannot be replaced (a mount point, as in containers, or in a folder that does not accept new
    files) gets the finished content in place. Only in this case can a kill or a full disk leave an incomplete file.

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
    """Write a text as UTF-8 with `open_whole`; characters that UTF-8 cannot represent are escaped with backslashes."""
    with open_whole(path, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)


def append_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Append bytes to an existing file in one write: other processes may append at the same time.

    Raises:
        WriteError: the bytes cannot be written; the file is unchanged.
    """
    path = os.fspath(path)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0))
        try:
            before, written = os.fstat(descriptor).st_size, 0
            try:
                while written < len(content):  # a full disk accepts a part, and reports the error at the next write
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
    """Let one process at a time use the files of a folder; no effect if the system cannot lock folders.

    No lock remains after a process, however it ends.
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

    The first is replaced after all are written: if the disk is full, all files stay unchanged.
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
    """A draft of a file.

    Attributes:
        path: the path of the file, as given by the user.
        target: the path without links.
        place: the path of the draft; None if the target is written directly.
        is_apart: whether the draft is in the folder for temporary files, because the target's folder does not accept
            it.
        there: the status of an existing file.
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
            os.close(os.open(self.target, os.O_WRONLY))  # a read-only file is not replaced
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
        # The new file is never readable by anyone who may not read the old one.
        bits = 0o666 if self.there is None else 0o600
        return open(place, mode.replace("w", "x"), opener=lambda path, flags: os.open(path, flags, bits), **options)

    def move(self) -> None:
        """Replace the file with the draft, or the content of the file if it cannot be replaced."""
        if self.place is None:
            return
        with self.in_words():
            if self.is_apart or not self._replaced(self.place):
                self._overwrite(self.place)
                return
        self.place = None
        with contextlib.suppress(OSError):  # not every system can sync a folder to disk
            folder = os.open(os.path.dirname(self.target), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)

    def _replaced(self, place: str) -> bool:
        if self.there is not None:
            with contextlib.suppress(
                OSError, AttributeError
            ):  # the file of another user, whose owner only root can restore
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
        except (WriteError, BrokenPipeError):  # the reader of a pipe has gone: not an error of the file
            raise
        except OSError as error:
            raise _told(self.path, error, is_unchanged=bool(self.place and self.there)) from error


@contextlib.contextmanager
def _draft(path: str | os.PathLike[str]) -> Iterator[_Draft]:
    """The draft of a file; removed at the end unless it was moved."""
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
    """The file descriptor that a path such as /dev/stdout or /dev/fd/3 names; None for other paths.

    The target of a redirection must not be replaced, as in `>> log`.
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
