"""The bytes of a file: plain or compressed, of a path, a pipe or standard input, read at once or block by block."""

import bz2
import codecs
import contextlib
import dataclasses
import functools
import gzip
import io
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ..core.file_columns import STDIN
from .reading import FileError

BOM = codecs.BOM_UTF8


def _open_zstd(raw: Any) -> BinaryIO:
    import pyarrow as pa

    with pa.input_stream(raw, compression="zstd") as packed:
        return io.BytesIO(packed.read())


_PACKED: dict[str, tuple[re.Pattern[bytes], Any]] = {  # form -> how its bytes begin, and what opens a path or a file
    "gzip": (re.compile(rb"\x1f\x8b"), gzip.open),
    "bzip2": (re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"), bz2.open),
    "xz": (re.compile(rb"\xfd7zXZ\0"), lzma.open),
    "zstd": (re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"), _open_zstd),
}
_LONGEST_MARK = 10  # bytes
_BROKEN = (EOFError, zlib.error, lzma.LZMAError, OSError)  # what decompressors raise


@dataclasses.dataclass(frozen=True)
class Source:
    """A file that can be opened again and again.

    Attributes:
        path: of the file; "-" for standard input.
        form: "plain", "gzip", "bzip2", "xz" or "zstd".
        data: what a pipe gave, which can be read only once; None for a file.
    """

    path: str
    form: str = "plain"
    data: bytes | None = None

    @property
    def is_plain_file(self) -> bool:
        return self.form == "plain" and self.data is None

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The decompressed bytes from the start, which can be read, and once more from the start."""
        raw: Any = self.path if self.data is None else io.BytesIO(self.data)
        with file_errors(self.path, self.form):
            if self.form != "plain":
                opened = _PACKED[self.form][1](raw)
            else:
                opened = open(raw, "rb") if self.data is None else raw
            with opened as file:
                yield file

    def read(self, size: int = -1) -> bytes:
        """The first `size` bytes; all of them without a size."""
        with self.open() as file:
            return file.read(size)


def find_source(path: str | Path) -> Source:
    """The source of a path, or of standard input for "-"."""
    path = str(path)
    if "\0" in path:
        raise FileError(path, "cannot be read: there is a zero byte in its name")
    with file_errors(path):
        if path == STDIN:
            data = _read_once(getattr(sys.stdin, "buffer", io.BytesIO()))  # nothing, if it is closed
            return Source(path, _form_of(data), data)
        with open(path, "rb") as file:
            if not file.seekable():
                data = file.read()
                return Source(path, _form_of(data), data)
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # it may have no end
                raise FileError(path, "this is a device; give a file or a pipe")
            return Source(path, _form_of(file.read(_LONGEST_MARK)))


@functools.lru_cache(1)
def _read_once(stream: BinaryIO) -> bytes:
    """The bytes of standard input, which may be given several times."""
    return stream.read()


def _form_of(head: bytes) -> str:
    return next((form for form, (mark, _) in _PACKED.items() if mark.match(head)), "plain")


@contextlib.contextmanager
def file_errors(path: str, form: str = "plain") -> Iterator[None]:
    """Turn what can go wrong while a file of a form is read into a `FileError`."""
    try:
        yield
    except FileNotFoundError:
        raise FileError(path, "no such file") from None
    except _BROKEN as error:
        if form == "plain" or isinstance(error, OSError) and error.errno is not None:  # of the disk
            why = error.strerror if isinstance(error, OSError) else None
            raise FileError(path, f"cannot be read: {why or 'the system gives no reason'}") from None
        raise FileError(path, broken(form)) from None


def broken(form: str) -> str:
    """What is said of a broken file of a form, such as "gzip" or "Parquet"."""
    return f"this {form} file is broken: its end is missing or its data are damaged; make it again"


def decode(path: str, data: bytes, line: int | None = None) -> str:
    """Bytes as text: a part of that line, or a whole file, without the mark at its beginning."""
    if line is None and data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FileError(path, "this file is UTF-16; convert it, for example with iconv -f UTF-16 -t UTF-8")
    try:
        return (data.removeprefix(BOM) if line is None else data).decode("utf-8")
    except UnicodeDecodeError as error:
        byte, above = error.object[error.start], error.object.count(b"\n", 0, error.start)
        message = f"this file is not text in UTF-8 (byte {byte:#04x} in line {(line or 1) + above})"
        raise FileError(path, f"{message}; convert it, for example with iconv -f LATIN1 -t UTF-8") from None
