"""Writes files completely or not at all: a draft next to the target replaces it."""

import contextlib
import errno
import os
import shutil

ENDING = ".unfinished"  # of the name of a draft, which identifies what a killed process leaves


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a file that replaces an existing one when it is complete; text as UTF-8, with escapes for lone surrogates.

    A link stays and its target is replaced. A new file gets the permissions of the existing one. A pipe or a device, such
    as /dev/stdout, is written directly.

    Raises:
        OSError: the file cannot be written; an existing file is unchanged.
    """
    path = os.fspath(path)
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    try:
        if path in ("/dev/stdout", "/dev/stderr"):  # whose file, if they are redirected, has more than this output
            with open(os.dup(("/dev/stdout", "/dev/stderr").index(path) + 1), "wb") as file:
                file.write(data)
        elif path.startswith("/dev/fd/") or (os.path.exists(path) and not os.path.isfile(path)):
            with open(path, "ab") as file:
                file.write(data)
        else:
            _replace(os.path.realpath(path), data)
    except BrokenPipeError:  # the reader of a pipe has gone: not an error of the file
        raise
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from error


def _replace(target: str, data: bytes) -> None:
    folder, name = os.path.split(target)
    draft = os.path.join(folder, f"{name[:40]}.{os.urandom(4).hex()}{ENDING}")
    try:
        with open(draft, "xb") as file:
            if os.path.exists(target):
                if not os.access(target, os.W_OK):
                    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
                shutil.copymode(target, draft)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(draft)
        raise
