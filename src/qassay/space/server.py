"""The server under the page: what a request may hold, and how errors reach whom.

Import it after `qassay.space`, which sets variables that Gradio reads on import.
"""

import asyncio
import contextlib
import inspect
import json
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder
from gradio_client.utils import is_file_obj_with_meta, is_http_url_like, traverse
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse

from .faults import log_fault, shown_text
from .limits import MAX_TOGETHER
from .upload_folder import NO_ROOM, UPLOAD_SECONDS, files_of_call, take_room, uploaded

MAX_BODY = 1_000_000  # bytes of any other request
MAX_UPLOAD = MAX_TOGETHER + MAX_BODY  # bytes of a request that uploads one or more files
STALL_SECONDS = 10  # seconds without data from a client
_UPLOAD = "/gradio_api/upload"
_SERVED = re.compile(  # no other path of Gradio: some give out files, fetch addresses or pass the queue
    r"/(shell|config|sample/[^/]+|document/[^/]+|gradio_api/(upload|info|cancel|reset|startup-events|queue/(join|data)"
    r"|heartbeat/[^/]+|call/.+))?/?"
)
_CALL = re.compile(r".*/gradio_api/call/(?:v2/)?([^/]+)/?")


class ServedBlocks(gr.Blocks):
    """Blocks that never contact another machine for a visitor, and keep nothing of a call: no values, no files.

    Plain Gradio fetches any address in a request in place of an uploaded file, and remembers values by session.
    """

    async def preprocess_data(self, block_fn, inputs, state, explicit_call=False):
        """As in Gradio, but refuses files that were not uploaded to this server."""
        check_count(block_fn, inputs)
        traverse(inputs, _check_uploaded, is_file_obj_with_meta)
        try:
            return await super().preprocess_data(block_fn, inputs, None, explicit_call)
        except gr.Error:
            raise
        except Exception as error:  # its text quotes all values
            log_fault(str(block_fn.api_name), error)
            raise refusal(f"the values do not fit the arguments; {function_text(block_fn)}") from None

    async def postprocess_data(self, block_fn, predictions, state):
        """As in Gradio, but nothing of the answer is kept."""
        return await super().postprocess_data(block_fn, predictions, None)

    async def process_api(self, block_fn, inputs, *args, session_hash=None, **named):
        """As in Gradio, after which the files of the call and its session are gone; every error is a gr.Error."""
        fn = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
        try:
            with files_of_call(_paths(inputs)):
                return await super().process_api(fn, inputs, *args, session_hash=session_hash, **named)
        except gr.Error as error:
            raise refusal(str(error.message)) from None
        except Exception as error:
            log_fault(str(fn.api_name), error)
            raise refusal(f"{type(error).__name__}: a fault of the server; try again") from None
        finally:
            self.state_holder.session_data.pop(session_hash, None)
            self.state_holder.time_last_used.pop(session_hash, None)
            for paths in self.temp_file_sets:
                paths.clear()


def refusal(message: str) -> gr.Error:
    """An error whose sentence reaches the caller; Gradio logs nothing."""
    return gr.Error(shown_text(message), print_exception=False)


def check_count(block_fn: Any, values: list) -> None:
    """Refuse too few or too many values for a function, with a gr.Error that names its arguments."""
    names = list(inspect.signature(block_fn.fn).parameters)
    missing = names[len(values) :]
    if missing or len(values) > len(names):
        problem = (
            f"values are missing: {', '.join(missing)}"
            if missing
            else f"{len(values) - len(names)} values are too many"
        )
        raise refusal(f"{problem}; {function_text(block_fn)}")


def function_text(block_fn: Any) -> str:
    """The arguments of a function in a sentence."""
    parameters = inspect.signature(block_fn.fn).parameters.items()
    named = [f"{name} (needed)" if parameter.default is parameter.empty else name for name, parameter in parameters]
    return f"{block_fn.api_name} takes: {', '.join(named) or 'nothing'}"


def _paths(values: Any) -> list[str]:
    """The files in the values of a call."""
    paths: list[str] = []
    traverse(values, lambda file: paths.append(str(file["path"])) or file, is_file_obj_with_meta)  # type: ignore[func-returns-value]
    return paths


def _check_uploaded(file: dict) -> dict:
    path = file["path"]
    if is_http_url_like(path):
        raise refusal("a file must be uploaded; addresses are not fetched")
    folder = os.path.realpath(get_upload_folder())
    if os.path.commonpath([folder, os.path.realpath(path)]) != folder:
        raise refusal("this file was not uploaded; upload it first")
    if not os.path.isfile(path):
        raise refusal(
            "an uploaded file is gone: files are deleted after one answer, or where the server needs the room; upload it again"
        )
    return file


# --- requests ---------------------------------------------------------------------------------------------------------


class LimitedBody:
    """ASGI middleware that refuses unserved paths and large requests, before and while they are read, and counts uploads."""

    def __init__(self, app: Any, max_body: int = MAX_BODY, max_upload: int = MAX_UPLOAD):
        self.app, self.max_body, self.max_upload = app, max_body, max_upload

    async def __call__(self, scope: dict, receive: Any, send: Any) -> None:
        """Pass the request on, or answer 404 or 413."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if not _SERVED.fullmatch(scope["path"]):
            await _refuse(404, "there is no such page")(scope, receive, send)
            return
        is_upload = scope["path"].rstrip("/").endswith(_UPLOAD)
        limit = self.max_upload if is_upload else self.max_body
        words = f"a request of more than {limit:,} bytes is not taken"
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > limit:
            await _refuse(413, words)(scope, receive, send)
        elif is_upload:
            await self._upload(scope, _counted(receive, limit, words), send)
        else:
            await self.app(scope, _counted(receive, limit, words), send)

    async def _upload(self, scope: dict, receive: Any, send: Any) -> None:
        """Pass an upload on while data arrive and there is room; the files of a refused upload are deleted.

        The declared size is ignored: room is taken only for data that have arrived.
        """
        end = time.monotonic() + UPLOAD_SECONDS
        is_whole, refused, body = False, None, b""

        def refuse(code: int, words: str) -> MultiPartException:
            nonlocal refused
            refused = _refuse(code, words)
            return MultiPartException(words)  # on this error, Gradio deletes the written files

        async def taken() -> dict:
            nonlocal is_whole
            if is_whole:
                return await receive()
            try:
                message = await asyncio.wait_for(receive(), min(STALL_SECONDS, end - time.monotonic()))
            except (TimeoutError, asyncio.TimeoutError):  # noqa: UP041  one and the same from Python 3.11 on
                raise refuse(408, "the upload stopped or took too long; send it again") from None
            except HTTPException as error:
                raise refuse(error.status_code, error.detail) from None
            if message["type"] == "http.disconnect":
                raise refuse(400, "the upload was cut off")
            is_whole = not message.get("more_body", False)
            if not take_room(len(message.get("body", b"")), is_whole):
                raise refuse(413, NO_ROOM)
            return message

        async def answer(message: dict) -> None:
            nonlocal body
            body += message.get("body", b"")
            if not refused:
                await send(message)

        await self.app(scope, taken, answer)
        if refused:
            await refused(scope, receive, send)
            return
        with contextlib.suppress(ValueError):
            paths = json.loads(body)
            uploaded(paths if isinstance(paths, list) else [])


def _refuse(code: int, words: str) -> JSONResponse:
    """A response after which the rest of the request is not read."""
    return JSONResponse({"detail": words}, code, {"connection": "close"})


def _counted(receive: Any, limit: int, words: str) -> Any:
    """A `receive` that stops at a limit of bytes, because a chunked request does not declare its size."""
    size = 0

    async def counted() -> dict:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > limit:
            raise HTTPException(413, words)
        return message

    return counted


class PlainErrors:
    """ASGI middleware: a failure before a function is called gets an answer in words, and is logged without its text."""

    def __init__(self, app: Any, blocks: gr.Blocks):
        self.app, self.blocks = app, blocks

    async def __call__(self, scope: dict, receive: Any, send: Any) -> None:
        """Pass the request on; if it fails, answer with the reason."""
        has_begun = False

        async def watched(message: dict) -> None:
            nonlocal has_begun
            has_begun = has_begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except ClientDisconnect:
            pass  # the client has left
        except Exception as error:
            if scope["type"] != "http":
                raise
            code, words = _refusal(self.blocks, scope, error)
            if code == 500:
                log_fault("a request", error)
            if not has_begun:
                await JSONResponse({"detail": shown_text(words)}, code)(scope, receive, send)


def _refusal(blocks: gr.Blocks, scope: dict, error: Exception) -> tuple[int, str]:
    """The status and the words for a request that Gradio failed on."""
    call = _CALL.fullmatch(scope["path"])
    if not call:
        return 500, "the request failed: a fault of the server, or a request that it does not know"
    functions = {fn.api_name: fn for fn in blocks.fns.values()}
    if call[1] not in functions:
        there = ", ".join(str(name) for name, fn in functions.items() if fn.api_visibility == "public")
        return 404, f"there is no function {call[1]!r}; available: {there}"
    if not isinstance(error, TypeError):
        return 500, f"{call[1]} failed: {type(error).__name__}, a fault of the server"
    return 422, call_words(str(error), functions[call[1]]) or f"{call[1]}: the arguments cannot be read"


def call_words(message: str, block_fn: Any) -> str | None:
    """A message of Gradio on unknown or missing arguments, with the valid names; None for other messages."""
    unknown = re.search(r"Parameter `(.*)` is not", message, re.DOTALL)
    missing = re.search(r"No value provided for required argument: (\w+)", message)
    if not (unknown or missing):
        return None
    problem = (
        f"there is no argument {unknown[1][:100]!r}" if unknown else f"the argument {missing[1]} is missing"  # type: ignore[index]
    )
    return f"{problem}; {function_text(block_fn)}"


@contextlib.contextmanager
def stopping_on_signals() -> Iterator[None]:
    """SIGTERM, as sent by `docker stop`, stops the server as Ctrl-C does; a second SIGTERM stops it at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _: Any) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
