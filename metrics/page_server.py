"""The server under a page: what it takes from the network, what it remembers, what it says when something fails.

Copied beside `page.py` into the folders that `karat.spaces` renders, so that it needs gradio alone; imported after
`load_gradio` of that file, or after `karat.spaces_app`, which set what gradio reads when it is imported.
"""

import datetime
import html
import logging
import os
import tempfile
import traceback
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder
from gradio_client.utils import is_file_obj_with_meta, is_http_url_like, traverse
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse

from karat.page import MAX_FILE, STATE_SECONDS, cell_text

MAX_BODY = 30_000_000  # bytes of any other request: texts that are pasted, or that programs send
MAX_UPLOAD = 6 * MAX_FILE  # bytes of a request that uploads files, of which it may hold several
MAX_SESSIONS = 72  # sessions that are remembered: of visitors, and of those who wait; the oldest go first
UNREADABLE, WRONG = "The input could not be read", "Something went wrong"  # titles of errors
_UPLOAD = "/gradio_api/upload"
_MAX_WORDS = 2_000  # characters of a message
TOAST_SECONDS = 15
_LOG = logging.getLogger("karat.page")


class ServedBlocks(gr.Blocks):
    """Blocks that never ask another machine for a visitor, and forget what was shown to those who are gone.

    Gradio by itself fetches any address that a request gives in place of an uploaded file.
    """

    async def preprocess_data(self, block_fn, inputs, state, explicit_call=False):
        """As in Gradio, but files must have been uploaded to this server.

        Raises:
            gr.Error: a file that is an address, or not one of the uploads.
        """
        traverse(inputs, _check_uploaded, is_file_obj_with_meta)
        return await super().preprocess_data(block_fn, inputs, state, explicit_call)

    async def process_api(self, block_fn, inputs, *args, **named):
        """As in Gradio, after the sessions of those who are gone are forgotten."""
        self.forget_old_sessions()
        return await super().process_api(block_fn, inputs, *args, **named)

    def forget_old_sessions(self) -> None:
        """Gradio drops the values of a session's states alone, and keeps what its components showed."""
        oldest = datetime.datetime.now() - datetime.timedelta(seconds=STATE_SECONDS)
        for session, used in list(self.state_holder.time_last_used.items()):
            if used < oldest:
                self.forget(session)

    def forget(self, session: str) -> None:
        """All that is kept of a session."""
        self.state_holder.session_data.pop(session, None)
        self.state_holder.time_last_used.pop(session, None)


def _check_uploaded(file: dict) -> dict:
    path = file["path"]
    if is_http_url_like(path):
        raise gr.Error("a file must be uploaded; addresses are not fetched", print_exception=False)
    folder = os.path.realpath(get_upload_folder())
    if os.path.commonpath([folder, os.path.realpath(path)]) != folder:
        raise gr.Error("this file was not uploaded; upload it first", print_exception=False)
    return file


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
            await JSONResponse({"detail": words}, 413, {"connection": "close"})(scope, receive, send)
            return
        size = 0

        async def counted() -> dict:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size > limit:  # sent in chunks, without its size
                raise HTTPException(413, words)
            return message

        await self.app(scope, counted, send)


def launch_options() -> dict[str, Any]:
    """Keyword arguments of a launch that keep the server safe, bounded and offline."""
    return {
        "max_file_size": MAX_FILE,
        "show_error": False,
        "ssr_mode": False,
        "run_history": False,
        "enable_monitoring": False,
        "share": False,
        "state_session_capacity": MAX_SESSIONS,
        "app_kwargs": {"middleware": [Middleware(LimitedBody)]},
    }


def save_file(name: str, data: bytes) -> str:
    """A new file in gradio's folder of temporary files, where `delete_cache` finds it; a folder would stay behind.

    Raises:
        gr.Error: the disk takes no more.
    """
    os.makedirs(get_upload_folder(), exist_ok=True)
    path = Path(name)
    handle, saved = tempfile.mkstemp(dir=get_upload_folder(), prefix=f"{path.stem}_", suffix=path.suffix)
    try:
        with open(handle, "wb") as file:
            file.write(data)
    except OSError as error:  # of a full disk: nobody may get the half of it
        os.remove(saved)
        raise toast(f"cannot write {name}: {error.strerror}; try again later", WRONG) from error
    return saved


def toast(message: str, title: str = UNREADABLE) -> gr.Error:
    """An error of the page, which shows HTML: every character of the user is escaped. It goes by itself: toasts pile up."""
    return gr.Error(html.escape(shown_words(message)), title=title, duration=TOAST_SECONDS, print_exception=False)


def shown_words(message: str) -> str:
    """As much of a message as one reads, in characters that every encoding has."""
    return cell_text(message[:_MAX_WORDS])


def log_fault(name: str, error: Exception) -> None:
    """Log the kind of an error and the lines of code, without its text: that may quote a visitor."""
    stack = "".join(traceback.format_tb(error.__traceback__))
    _LOG.error("%s failed: %s\n%s", name, type(error).__name__, stack)
