"""The bytes of a file: plain or gzipped, from a folder or a pipe, read at once or block by block."""

import codecs
import contextlib
import dataclasses
import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from .reading import FileError

_GZIP = b"\x1f\x8b"
_MARKS = {  # UTF-32 before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_ZEROS = {
    (False, True, True, True, False, True, True, True): "UTF-32LE",
    (True, True, True, False, True, True, True, False): "UTF-32BE",
    (False, True, False, True): "UTF-16LE",
    (True, False, True, False): "UTF-16BE",
}


@dataclasses.dataclass(frozen=True)
class Source:
    """A file that can be opened again and again.

    Attributes:
        path: of the file.
        form: "plain", "gzip", or "memory" for a pipe, which can be read only once.
        data: of a pipe, what it gave, decompressed.
    """

    path: str
    form: str
    data: bytes = b""

    def open(self) -> BinaryIO:
        """The decompressed bytes from the start."""
        if self.form == "memory":
            return io.BytesIO(self.data)
        return cast(BinaryIO, gzip.open(self.path, "rb")) if self.form == "gzip" else open(self.path, "rb")

    def read(self, size: int = -1) -> bytes:
        """The first `size` bytes; all of them without a size.

        Raises:
            FileError: it cannot be read.
        """
        with reading(self.path), self.open() as file:
            return file.read(size)


def find_source(path: str | Path) -> Source:
    """The source of a path.

    Raises:
        FileError: no such file, or one that cannot be read.
    """
    path = str(path)
    if "\0" in path:
        raise FileError(path, "cannot be read: there is a zero byte in its name")
    with reading(path), open(path, "rb") as file:
        if not file.seekable():
            data = file.read()
            return Source(path, "memory", gzip.decompress(data) if data.startswith(_GZIP) else data)
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # it may have no end
            raise FileError(path, "this is a device; give a file or a pipe")
        return Source(path, "gzip" if file.read(len(_GZIP)) == _GZIP else "plain")


@contextlib.contextmanager
def reading(path: str) -> Iterator[None]:
    """Turn what can go wrong while a file is read into a `FileError`."""
    try:
        yield
    except FileError:
        raise
    except FileNotFoundError:
        raise FileError(path, "no such file") from None
    except IsADirectoryError:
        raise FileError(path, "this is a folder; give a file in it") from None
    except EOFError:
        raise FileError(path, "this gzip file is broken: its end is missing; make it again") from None
    except (zlib.error, gzip.BadGzipFile):
        raise FileError(path, "this gzip file is broken: its data are damaged; make it again") from None
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or 'the system gives no reason'}") from None


def decode(path: str, data: bytes) -> str:
    """Bytes as text.

    Raises:
        FileError: they are not UTF-8.
    """
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None) or _without_mark(data)
    if encoding:
        raise FileError(path, f"this file is {encoding}; convert it, for example with iconv -f {encoding} -t UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _not_utf_8(path, data[error.start], line) from None


def _without_mark(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a byte order mark, which has zero bytes beside its first two characters of ASCII."""
    zeros = [byte == 0 for byte in data[:8]]
    return _ZEROS.get(tuple(zeros)) or _ZEROS.get(tuple(zeros[:4]))


def decode_cell(path: str, cell: bytes, line: int) -> str:
    """A part of that line as text.

    Raises:
        FileError: it is not UTF-8.
    """
    try:
        return cell.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf_8(path, cell[error.start], line) from None


def _not_utf_8(path: str, byte: int, line: int) -> FileError:
    return FileError(
        path,
        f"this file is not text in UTF-8 (byte {byte:#04x} in line {line}); convert it, for example with iconv -t UTF-8",
    )
