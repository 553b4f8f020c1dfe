"""Uploaded files: each has a separate path, and is deleted after the call that reads it."""

import asyncio
import contextlib
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import AsyncGenerator, Iterable, Iterator

from fastapi import HTTPException, Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect

from .limits import KEEP_SECONDS, MAX_FILE, MAX_FILES, MAX_KEPT, MAX_TOGETHER, STALL_SECONDS, UPLOAD_SECONDS
from .worker import file_name

MAX_REQUEST = MAX_TOGETHER + 1_000_000  # bytes, with the heads of the parts
_LEAST_ROOM = 16_384  # bytes that a file counts at least: many empty files fill a disk too


class Uploads:
    """Uploaded files that wait to be scored, in a folder for this server only.

    Attributes:
        held: bytes of all files, and of uploads in progress.
    """

    def __init__(self, folder: str):
        self.folder, self.held = folder, 0
        self._sizes: dict[str, int] = {}  # path -> bytes

    def __contains__(self, path: str) -> bool:
        return path in self._sizes

    async def receive(self, request: Request) -> list[str]:
        """Store the files of a request, and return their paths.

        Raises:
            HTTPException: too large or too slow, no room, or no files.
        """
        before = time.monotonic()
        arrived = 0

        async def body() -> AsyncGenerator[bytes, None]:
            nonlocal arrived
            has_more = True
            while has_more:
                seconds = min(STALL_SECONDS, before + UPLOAD_SECONDS - time.monotonic())
                try:
                    message = await asyncio.wait_for(request.receive(), seconds)
                except (TimeoutError, asyncio.TimeoutError):  # noqa: UP041  one and the same from Python 3.11 on
                    raise _refused(408, "the upload stopped or took too long; send it again") from None
                if message["type"] == "http.disconnect":
                    raise ClientDisconnect
                data, has_more = message.get("body", b""), message.get("more_body", False)
                arrived += len(data)
                self.held += len(data)
                if arrived > MAX_REQUEST:
                    raise _refused(413, f"a request of more than {MAX_REQUEST:,} bytes is not taken")
                if self.held > MAX_KEPT:
                    raise _refused(
                        413, "the server has no room for these files now, because others upload too; try again later"
                    )
                yield data

        try:
            form = await MultiPartParser(request.headers, body(), max_files=MAX_FILES, max_fields=9).parse()
        except (MultiPartException, KeyError) as error:
            raise _refused(400, f"the files of the request cannot be read: {error}") from None
        finally:
            self.held -= arrived
        paths = []
        try:
            for file in form.getlist("files"):
                if isinstance(file, str):
                    raise _refused(400, "files must be files")
                if (file.size or 0) > MAX_FILE:
                    raise _refused(413, f"{file.filename}: at most {MAX_FILE // 1_000_000} MB are taken")
                path = await asyncio.to_thread(self._store, file)
                self._sizes[path] = max(file.size or 0, _LEAST_ROOM)
                self.held += self._sizes[path]
                paths.append(path)
        except BaseException:
            self.remove(paths)
            raise
        finally:
            await form.close()
        asyncio.get_running_loop().call_later(KEEP_SECONDS, self.remove, paths)
        return paths

    def _store(self, file: UploadFile) -> str:
        folder = os.path.join(self.folder, secrets.token_hex(16))
        path = os.path.join(folder, file_name(file.filename or ""))
        os.mkdir(folder)
        try:
            with open(path, "xb") as stored:
                shutil.copyfileobj(file.file, stored)
        except OSError:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return path

    def remove(self, paths: Iterable[str]) -> None:
        """Delete files, if they are still here."""
        for path in paths:
            size = self._sizes.pop(path, None)
            if size is not None:
                self.held -= size
                shutil.rmtree(os.path.dirname(path), ignore_errors=True)


def _refused(code: int, message: str) -> HTTPException:
    """An error that closes the connection, so the rest of the request is not read."""
    return HTTPException(code, message, {"connection": "close"})


@contextlib.contextmanager
def kept_uploads() -> Iterator[Uploads]:
    """Uploads in a folder that is deleted at the end; Gradio stores its files there too."""
    before = os.environ.get("GRADIO_TEMP_DIR")
    if before is not None:
        os.makedirs(before, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="qassay_page_", dir=before, ignore_cleanup_errors=True) as folder:
        os.environ["GRADIO_TEMP_DIR"] = folder
        try:
            yield Uploads(os.path.realpath(folder))
        finally:
            os.environ.pop("GRADIO_TEMP_DIR")
            if before is not None:
                os.environ["GRADIO_TEMP_DIR"] = before
