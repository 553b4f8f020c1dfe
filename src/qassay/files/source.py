"""The bytes of a file: plain or compressed, of a path, a pipe or standard input, read at once or block by block."""

import codecs
import contextlib
import dataclasses
import functools
import gzip
import importlib
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..core.file_columns import STDIN
from .reading import FileError

_PACKED = {  # form -> how its bytes begin
    "gzip": re.compile(rb"\x1f\x8b"),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\0"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),
}
_LONGEST_MARK = 10  # bytes
_BUFFER = 1 << 17
_BLOCK = 1 << 24
_MUCH, _MANY_TIMES = 1 << 30, 100  # bytes of a packed file, and times its size, that together are refused
_OFFICE = "this is a file of an office program, such as an Excel workbook; save it as CSV in UTF-8"
_NO_DATA = {  # how its bytes begin -> what it is and what to do
    rb"PK\x03\x04(?s:.*)(?:\[Content_Types\]\.xml|xl/workbook|mimetypeapplication/vnd\.oasis)": _OFFICE,
    rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": _OFFICE,
    rb"%PDF-": "this is a PDF; give its data as CSV or JSON",
    rb"(?i:(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b)": "this is a web page (HTML); download the file of data itself",
}


@dataclasses.dataclass(frozen=True)
class Source:
    """A file that can be opened again and again.

    Attributes:
        path: of the file; "-" for standard input.
        form: "plain", "gzip", "bzip2", "xz", "zstd", or "memory" for a pipe, which can be read only once.
        data: of a pipe, what it gave, decompressed.
    """

    path: str
    form: str
    data: bytes = b""

    def open(self) -> BinaryIO:
        """The decompressed bytes from the start."""
        if self.form == "memory":
            return io.BytesIO(self.data)
        return open(self.path, "rb") if self.form == "plain" else _unpacked(self.path, self.form, self.path)

    def read(self, size: int = -1) -> bytes:
        """The first `size` bytes; all of them without a size.

        Raises:
            FileError: it cannot be read.
        """
        with reading(self.path), self.open() as file:
            return file.read(size)


def find_source(path: str | Path) -> Source:
    """The source of a path, or of standard input for "-".

    Raises:
        FileError: no such file, or one that cannot be read.
    """
    path = str(path)
    if "\0" in path:
        raise FileError(path, "cannot be read: there is a zero byte in its name")
    with reading(path):
        if path == STDIN:
            return _in_memory(path, getattr(sys.stdin, "buffer", io.BytesIO()))  # closed, it gives nothing
        with open(path, "rb") as file:
            if not file.seekable():
                return _in_memory(path, file)
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # it may have no end
                raise FileError(path, "this is a device; give a file or a pipe")
            return Source(path, _form_of(file.read(_LONGEST_MARK)))


def _in_memory(path: str, file: BinaryIO) -> Source:
    data = file.read()
    form = _form_of(data)
    if form != "plain":
        with _unpacked(path, form, io.BytesIO(data)) as unpacked:
            data = unpacked.read()
    return Source(path, "memory", data)


def _form_of(head: bytes) -> str:
    return next((form for form, mark in _PACKED.items() if mark.match(head)), "plain")


def _unpacked(path: str, form: str, file: Any) -> BinaryIO:
    """The decompressed bytes of a file, a path or a file object; of a file in several parts, the bytes of all parts."""
    size = len(file.getbuffer()) if isinstance(file, io.BytesIO) else os.path.getsize(file)
    raw = _Unpacked(path, form, functools.partial(_decompressor, path, form, file), size)
    return cast(BinaryIO, io.BufferedReader(raw, _BUFFER))


def _decompressor(path: str, form: str, file: Any) -> Any:
    if form == "gzip":
        return gzip.open(file, "rb")
    if form == "zstd":
        import pyarrow as pa

        return pa.input_stream(file, compression="zstd")
    name = {"bzip2": "bz2", "xz": "lzma"}[form]
    try:
        return importlib.import_module(name).open(file, "rb")
    except ModuleNotFoundError:
        raise FileError(path, f"this {form} file needs {name}, which this Python lacks; unpack it") from None


class _Unpacked(io.RawIOBase):
    """The bytes of a decompressor, whose errors become a `FileError`; it can be read again from the start.

    Args:
        size: of the packed file.
    """

    def __init__(self, path: str, form: str, opened: Callable[[], Any], size: int):
        self._path, self._form, self._opened, self._size = path, form, opened, size
        self._file, self._at = opened(), 0

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if offset or whence == io.SEEK_END:
            raise io.UnsupportedOperation("seek")
        if whence == io.SEEK_SET and self._at:
            self._file.close()
            self._file, self._at = self._opened(), 0
        return self._at

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._read(len(buffer))
        buffer[: len(part)] = part
        return len(part)

    def readall(self) -> bytes:
        return b"".join(iter(functools.partial(self._read, _BLOCK), b""))

    def _read(self, size: int) -> bytes:
        try:
            part = self._file.read(size)
        except MemoryError:
            raise
        except Exception as error:  # each decompressor has its own
            if isinstance(error, OSError) and error.errno is not None:  # of the disk
                raise
            is_cut = isinstance(error, EOFError) or "Truncated" in str(error)
            why = "its end is missing" if is_cut else "its data are damaged"
            raise FileError(self._path, f"this {self._form} file is broken: {why}; make it again") from None

        self._at += len(part)
        check_growth(self._path, f"{self._form} file", self._at, self._size)
        return part

    def close(self) -> None:
        self._file.close()
        super().close()


def grows_much(unpacked: int, packed: int) -> bool:
    """Whether a packed file unpacks to far more than data do, which could fill the memory; sizes in bytes."""
    return unpacked > _MUCH and unpacked > _MANY_TIMES * packed


def check_growth(
    path: str, what: str, unpacked: int, packed: int, advice: str = "unpack it yourself and give what is in it"
) -> None:
    """Refuse a packed file that `grows_much`.

    Args:
        what: what it is, for the message.
        advice: how to score it all the same.

    Raises:
        FileError: with the advice.
    """
    if grows_much(unpacked, packed):
        message = f"this {what} unpacks to more than {_MUCH / 2**30:g} GiB and {_MANY_TIMES} times its size"
        raise FileError(path, f"{message}; if it is meant to, {advice}")


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
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or 'the system gives no reason'}") from None


def message_on_other_content(head: bytes) -> str:
    """What a file is that no reader takes, and what to do, by how it begins; "" for any other file.

    Example:
        >>> message_on_other_content(b"<!DOCTYPE html><html>")
        'this is a web page (HTML); download the file of data itself'
    """
    return next((message for begins, message in _NO_DATA.items() if re.match(begins, head)), "")


def encoding_of(data: bytes) -> str | None:
    """UTF-16, by the first bytes of a text; None for any other text."""
    return "UTF-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None


def decode(path: str, data: bytes) -> str:
    """Bytes as text.

    Raises:
        FileError: they are not UTF-8.
    """
    encoding = encoding_of(data)
    if encoding:
        raise FileError(path, f"this file is {encoding}; convert it, for example with iconv -f {encoding} -t UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _not_utf_8(path, data[error.start], line) from None


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
        f"this file is not text in UTF-8 (byte {byte:#04x} in line {line}); convert it, for example with iconv -f LATIN1 -t UTF-8",
    )
