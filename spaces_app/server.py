"""The server under the page: what it takes from the network, whom it asks for nothing, what it remembers."""

import datetime
import importlib.util
import json
import os
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder
from gradio_client.utils import is_file_obj_with_meta, is_http_url_like, traverse
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import JSONResponse

from karat.page import MAX_FILE

MAX_BODY = 30_000_000  # bytes of any other request: texts that programs send
MAX_UPLOAD = 6 * MAX_FILE  # bytes of a request that uploads files, of which it may hold several
QUEUE = 32  # who may wait
AT_ONCE = 2  # how many of an event run at the same time
MAX_SESSIONS = 40  # whose scores are kept; of more visitors the oldest lose theirs
STATE_SECONDS = 3_600  # how long the scores of a visitor are kept after the last event
_UPLOAD = "/gradio_api/upload"


class ServedBlocks(gr.Blocks):
    """Blocks that never ask another machine for a visitor, and keep nothing of the calls of programs.

    Gradio by itself fetches any address that a request gives in place of an uploaded file, and remembers the values of
    every request by session, also those of programs, which come once.
    """

    async def preprocess_data(self, block_fn, inputs, state, explicit_call=False):
        """As in Gradio, but files must have been uploaded to this server, and programs have no state.

        Raises:
            gr.Error: a file that is an address, or not one of the uploads.
        """
        traverse(inputs, _check_uploaded, is_file_obj_with_meta)
        return await super().preprocess_data(block_fn, inputs, None if _is_api(block_fn) else state, explicit_call)

    async def postprocess_data(self, block_fn, predictions, state):
        """As in Gradio, but of the answers to programs nothing is kept."""
        return await super().postprocess_data(block_fn, predictions, None if _is_api(block_fn) else state)

    async def process_api(self, block_fn, inputs, *args, request=None, session_hash=None, **named):
        """As in Gradio; the session of a program ends with its call, so that it takes no visitor's place.

        Tools of MCP answer with text, for which Gradio takes Python's notation: it is JSON here.
        """
        fn = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
        self._forget_old_sessions()
        try:
            output = await super().process_api(
                block_fn, inputs, *args, request=request, session_hash=session_hash, **named
            )
        finally:
            if _is_api(fn) and session_hash is not None:
                self.state_holder.session_data.pop(session_hash, None)
                self.state_holder.time_last_used.pop(session_hash, None)
        if _is_api(fn) and getattr(request, "headers", {}).get("x-gradio-user") == "mcp":
            output["data"] = [json.dumps(value, ensure_ascii=False) for value in output["data"]]
        return output

    def _forget_old_sessions(self) -> None:
        """Gradio drops the scores of a session alone, and keeps what its components showed."""
        oldest = datetime.datetime.now() - datetime.timedelta(seconds=STATE_SECONDS)
        for session, used in list(self.state_holder.time_last_used.items()):
            if used < oldest:
                self.state_holder.session_data.pop(session, None)
                self.state_holder.time_last_used.pop(session, None)


def _is_api(block_fn: Any) -> bool:
    """Whether only programs call it: the page's own events are private."""
    return block_fn.api_visibility != "private"


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


def wants_mcp() -> bool:
    """Whether `GRADIO_MCP_SERVER` asks for the tools of MCP.

    Raises:
        ImportError: it does, and what they need is not installed, of which Gradio says nothing.
    """
    if os.environ.get("GRADIO_MCP_SERVER", "").lower() not in ("true", "1", "yes"):
        return False
    if importlib.util.find_spec("mcp") is None:
        raise ImportError(
            'GRADIO_MCP_SERVER needs an extra: run `pip install "gradio[mcp]"`, or leave the variable out'
        )
    return True


def launch_options() -> dict[str, Any]:
    """Keyword arguments of the launch that keep the server safe, bounded and offline."""
    return {
        "max_file_size": MAX_FILE,
        "show_error": False,
        "quiet": True,
        "ssr_mode": False,
        "run_history": False,
        "enable_monitoring": False,
        "share": False,
        "mcp_server": wants_mcp(),
        # Programs that wait have sessions too until they are answered.
        "state_session_capacity": MAX_SESSIONS + QUEUE,
        "app_kwargs": {"middleware": [Middleware(LimitedBody)]},
    }
