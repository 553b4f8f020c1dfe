"""The bytes of a file: plain or gzipped, from a folder or a pipe, read at once or block by block."""

import contextlib
import dataclasses
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from karat.files.inputs import FileError

_GZIP = b"\x1f\x8b"


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
        return gzip.open(self.path, "rb") if self.form == "gzip" else open(self.path, "rb")

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
    with reading(path), open(path, "rb") as file:
        if not file.seekable():
            data = file.read()
            return Source(path, "memory", gzip.decompress(data) if data.startswith(_GZIP) else data)
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
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileError(path, f"this gzip file is broken ({error}); make it again") from None
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        raise FileError(path, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None


def decode(path: str, data: bytes) -> str:
    """Bytes as text.

    Raises:
        FileError: they are not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        encoding = "UTF-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "not text in UTF-8"
        raise _wrong_encoding(path, encoding, data[error.start], line) from None


def decode_cell(path: str, cell: bytes, line: int) -> str:
    """A part of that line as text.

    Raises:
        FileError: it is not UTF-8.
    """
    try:
        return cell.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _wrong_encoding(path, "not text in UTF-8", cell[error.start], line) from None


def _wrong_encoding(path: str, encoding: str, byte: int, line: int) -> FileError:
    return FileError(
        path,
        f"this file is {encoding} (byte {byte:#04x} in line {line}); convert it, for example with iconv -t UTF-8",
    )
