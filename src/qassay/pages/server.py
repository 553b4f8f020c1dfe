"""The server of a page: requests and sessions.

Import it after `qassay.space`, which sets variables that gradio reads on import.
"""

import asyncio
import contextlib
import datetime
import inspect
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import gradio as gr
from gradio.blocks import BlocksConfig
from gradio.utils import get_upload_folder
from gradio_client.utils import is_file_obj_with_meta, is_http_url_like, traverse
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse

from .faults import UNREADABLE, WRONG, log_fault, shown_words, toast
from .limits import MAX_FILE, MAX_SESSIONS, STATE_SECONDS
from .upload_folder import NO_ROOM, UPLOAD_SECONDS, files_in_use, take_room

MAX_BODY = 30_000_000  # bytes of any other request, such as pasted texts
MAX_UPLOAD = 6 * MAX_FILE  # bytes of a request that uploads one or more files
STALL_SECONDS = 10  # seconds without data from a client
_UPLOAD = "/gradio_api/upload"
_CALL = re.compile(r".*/gradio_api/call/(?:v2/)?([^/]+)/?")


class ServedBlocks(gr.Blocks):
    """Blocks that never contact another machine for a visitor, and drop the sessions of visitors who left.

    Plain Gradio fetches any address in a request in place of an uploaded file.
    """

    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        self.default_config.__class__ = _PageConfig

    def launch(self, *args, **named):
        """As in Gradio, but without its check that fails if a busy machine does not serve the page within three seconds."""
        return super().launch(*args, **{"_frontend": False, **named})

    async def preprocess_data(self, block_fn, inputs, state, explicit_call=False):
        """As in Gradio, but refuses files that were not uploaded to this server."""
        check_count(block_fn, inputs)
        traverse(inputs, _check_uploaded, is_file_obj_with_meta)
        try:
            return await super().preprocess_data(block_fn, inputs, state, explicit_call)
        except gr.Error as error:  # it may quote a value
            raise toast(str(error.message)) from None
        except Exception as error:  # noqa: BLE001  its text quotes all values
            log_fault(str(block_fn.api_name), error)
            raise toast("the values do not fit the boxes or arguments that they are for; reload the page") from None

    async def process_api(self, block_fn, inputs, *args, **named):
        """As in Gradio, after dropping the sessions of visitors who left; files of the call are not deleted meanwhile.

        Every error is a gr.Error, so that Gradio logs nothing.
        """
        self.forget_old_sessions()
        files = _paths(inputs)
        try:
            with files_in_use(files):
                return await super().process_api(block_fn, inputs, *args, **named)
        except gr.Error as error:
            error.print_exception = False
            raise
        except Exception as error:  # noqa: BLE001  handlers tell their own faults
            fn = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
            log_fault(str(fn.api_name), error)
            raise toast(f"{type(error).__name__}: the request failed; reload the page", WRONG) from None

    def forget_old_sessions(self) -> None:
        """Drop old sessions; Gradio drops only the values of a session's states, not the contents of its components."""
        oldest = datetime.datetime.now() - datetime.timedelta(seconds=STATE_SECONDS)
        for session, used in list(self.state_holder.time_last_used.items()):
            if used < oldest:
                self.forget(session)

    def forget(self, session: str) -> None:
        """Drop everything stored of a session."""
        self.state_holder.session_data.pop(session, None)
        self.state_holder.time_last_used.pop(session, None)


class _PageConfig(BlocksConfig):
    """The components of a page; every session has a copy."""

    def __copy__(self):
        """Describe the components once; Gradio describes them again for each session, and programs have a session per call."""
        new = super().__copy__()
        new.__class__ = _SessionConfig
        new.described = self.__dict__.setdefault("described", {})
        return new


class _SessionConfig(BlocksConfig):
    """The components of the page for one session, which may have changed some."""

    described: dict[int, dict[str, Any]]

    def config_for_block(self, _id, rendered_ids, block, renderable=None):
        """As in Gradio, but an unchanged component is described once for all sessions.

        A session writes its values into its copies of the descriptions.
        """
        if renderable is not None or block is not self.root_block.blocks.get(_id):
            return super().config_for_block(_id, rendered_ids, block, renderable)
        if _id not in self.described:
            self.described[_id] = super().config_for_block(_id, rendered_ids, block)
        found = self.described[_id]
        return {**found, "props": {**found["props"]}}


def check_count(block_fn: Any, values: list) -> None:
    """Refuse too few values, or too many from programs, for a function, with a gr.Error that names its arguments."""
    names = arguments(block_fn)
    missing = names[len(values) :]
    if not missing and (len(values) <= len(names) or block_fn.api_visibility == "private"):
        return
    problem = (
        f"values are missing: {', '.join(missing)}" if missing else f"{len(values) - len(names)} values are too many"
    )
    words = f"{problem}; {function_words(block_fn)}"
    raise gr.Error(shown_words(words), title=UNREADABLE, print_exception=False)


def arguments(block_fn: Any) -> list[str]:
    """The names of the arguments of a function of the API, or of the boxes of an event."""
    if block_fn.api_visibility == "private":
        return [str(getattr(block, "label", None) or "a value") for block in block_fn.inputs]
    return list(inspect.signature(block_fn.fn).parameters)


def function_words(block_fn: Any) -> str:
    """The arguments of a function in words."""
    if block_fn.api_visibility == "private":
        return "reload the page"
    parameters = inspect.signature(block_fn.fn).parameters.items()
    named = [f"{name} (needed)" if parameter.default is parameter.empty else name for name, parameter in parameters]
    return f"{block_fn.api_name} takes: {', '.join(named) or 'nothing'}"


def _paths(values: Any) -> list[str]:
    """The files in the values of a call."""
    paths: list[str] = []
    traverse(values, lambda file: paths.append(os.path.realpath(file["path"])) or file, is_file_obj_with_meta)  # type: ignore[func-returns-value]
    return paths


def _check_uploaded(file: dict) -> dict:
    path = file["path"]
    if is_http_url_like(path):
        raise gr.Error("a file must be uploaded; addresses are not fetched", print_exception=False)
    folder = os.path.realpath(get_upload_folder())
    if os.path.commonpath([folder, os.path.realpath(path)]) != folder:
        raise gr.Error("this file was not uploaded; upload it first", print_exception=False)
    if not os.path.exists(path):
        raise gr.Error("an uploaded file is gone: old ones are deleted; upload it again", print_exception=False)
    return file


# --- requests ---------------------------------------------------------------------------------------------------------


class LimitedBody:
    """ASGI middleware that refuses large requests, before and while they are read."""

    def __init__(self, app: Any, max_body: int = MAX_BODY, max_upload: int = MAX_UPLOAD):
        self.app, self.max_body, self.max_upload = app, max_body, max_upload

    async def __call__(self, scope: dict, receive: Any, send: Any) -> None:
        """Pass the request on, or answer 413."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self.max_upload if scope["path"].rstrip("/").endswith(_UPLOAD) else self.max_body
        words = f"a request of more than {limit:,} bytes is not taken"
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared) > limit:
            await _refuse(413, words)(scope, receive, send)
        elif scope["path"].rstrip("/").endswith(_UPLOAD):
            await self._upload(scope, _counted(receive, limit, words), send)
        else:
            await self.app(scope, _counted(receive, limit, words), send)

    async def _upload(self, scope: dict, receive: Any, send: Any) -> None:
        """Pass an upload on while data arrive and there is room; the files of a refused upload are deleted.

        The declared size is ignored: room is taken only for data that have arrived.
        """
        remembered = scope["app"].get_blocks().temp_file_sets
        end = time.monotonic() + UPLOAD_SECONDS
        is_whole, refusal = False, None

        def refuse(code: int, words: str) -> MultiPartException:
            nonlocal refusal
            refusal = _refuse(code, words)
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
            if not take_room(len(message.get("body", b"")), is_whole, remembered):
                raise refuse(413, NO_ROOM)
            return message

        async def answer(message: dict) -> None:
            if not refusal:
                await send(message)

        await self.app(scope, taken, answer)
        if refusal:
            await refusal(scope, receive, send)


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

    def __init__(self, app: Any):
        self.app = app

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
            code, words = _refusal(scope, error)
            if code == 500:
                log_fault("a request", error)
            if not has_begun:
                await JSONResponse({"detail": shown_words(words)}, code)(scope, receive, send)


def _refusal(scope: dict, error: Exception) -> tuple[int, str]:
    """The status and the words for a request that Gradio failed on."""
    call = _CALL.fullmatch(scope["path"])
    if not call:
        return 500, "the request failed: a fault of the server, or a request that it does not know"
    functions = {fn.api_name: fn for fn in scope["app"].get_blocks().fns.values() if fn.api_visibility != "private"}
    if call[1] not in functions:
        there = ", ".join(name for name, fn in functions.items() if fn.api_visibility == "public")
        return 404, f"there is no function {call[1]!r}; available: {there or 'none on this page'}"
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
    return f"{problem}; {function_words(block_fn)}"


@contextlib.contextmanager
def stopping_when_told() -> Iterator[None]:
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


# --- the launch --------------------------------------------------------------------------------------------------


def launch_options() -> dict[str, Any]:
    """Keyword arguments of a safe, bounded, offline launch."""
    return {
        "max_file_size": MAX_FILE,
        "show_error": False,
        "ssr_mode": False,
        "run_history": False,
        "enable_monitoring": False,
        "share": False,
        "state_session_capacity": MAX_SESSIONS,
        "app_kwargs": {"middleware": [Middleware(PlainErrors), Middleware(LimitedBody)]},
    }
