"""The server around Gradio: limits its requests and the files of a call, and answers errors in sentences.

Import it after `qassay.space`, which sets variables that Gradio reads on import.
"""

import asyncio
import re
from typing import Any

import gradio as gr
from gradio_client.utils import is_file_obj_with_meta, traverse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse

from .faults import log_fault, shown_text
from .limits import STALL_SECONDS
from .uploads import Uploads

MAX_BODY = 1_000_000  # bytes
_SERVED = (
    re.compile(  # no other path of Gradio: some give out files, fetch addresses, skip the queue or free a slot of it
        r"/(config|gradio_api/(info|startup-events|queue/(join|data)|call/.+))?/?"
    )
)
_USAGE = (
    "there is one function, score, which takes gold (an uploaded file), systems (a list of uploaded files) and options "
    "(text; may be left out)"
)


class ServedBlocks(gr.Blocks):
    """Gradio Blocks that read only files uploaded to this server, and keep no values or files of a call.

    Plain Gradio fetches any address in a request in place of an uploaded file, and remembers values by session.
    """

    uploads: Uploads

    async def preprocess_data(self, block_fn, inputs, state, explicit_call=False):
        """As in Gradio, but refuses files that were not uploaded to this server."""
        if any(path not in self.uploads for path in _paths(inputs)):
            raise refusal(
                "a file of this call is not here: files are uploaded first, addresses are not fetched, and a file is deleted "
                "after one answer; upload it again"
            )
        try:
            return await super().preprocess_data(block_fn, inputs, None, explicit_call)
        except gr.Error:
            raise
        except Exception as error:  # its text quotes all values
            log_fault(str(block_fn.api_name), error)
            raise refusal(f"the values do not fit the arguments: {_USAGE}") from None

    async def postprocess_data(self, block_fn, predictions, state):
        """As in Gradio, but keeps nothing of the answer."""
        return await super().postprocess_data(block_fn, predictions, None)

    async def process_api(self, block_fn, inputs, *args, session_hash=None, **named):
        """As in Gradio, but deletes the files and the session of the call; every error is a gr.Error."""
        fn = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
        try:
            return await super().process_api(fn, inputs, *args, session_hash=session_hash, **named)
        except gr.Error as error:
            raise refusal(str(error.message)) from None
        except Exception as error:
            log_fault(str(fn.api_name), error)
            raise refusal(f"{type(error).__name__}: a fault of the server; try again") from None
        finally:
            self.uploads.remove(_paths(inputs))
            self.state_holder.session_data.pop(session_hash, None)
            self.state_holder.time_last_used.pop(session_hash, None)
            for paths in self.temp_file_sets:
                paths.clear()


def refusal(message: str) -> gr.Error:
    """An error with a sentence for the caller, which Gradio does not log."""
    return gr.Error(shown_text(message), print_exception=False)


def _paths(values: Any) -> list[str]:
    """The paths of the files in the values of a call."""
    paths: list[str] = []
    traverse(values, lambda file: paths.append(str(file["path"])), is_file_obj_with_meta)
    return paths


class Guard:
    """ASGI middleware that passes on to Gradio only the requests that a call needs.

    Bodies must be small and arrive in time. Failures are answered in words, and logged without their text.
    """

    def __init__(self, app: Any):
        self.app = app

    async def __call__(self, scope: dict, receive: Any, send: Any) -> None:
        """Pass the request on, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if not _SERVED.fullmatch(scope["path"]):
            await JSONResponse({"detail": "there is no such page"}, 404)(scope, receive, send)
            return
        size, is_whole, has_begun = 0, False, False

        async def limited() -> dict:
            nonlocal size, is_whole
            if is_whole:
                return await receive()  # waits until the client leaves
            try:
                message = await asyncio.wait_for(receive(), STALL_SECONDS)
            except (TimeoutError, asyncio.TimeoutError):  # noqa: UP041  one and the same from Python 3.11 on
                raise HTTPException(408, "the request stopped; send it again", {"connection": "close"}) from None
            size += len(message.get("body", b""))
            is_whole = not message.get("more_body", False)
            if size > MAX_BODY:
                words = f"a request of more than {MAX_BODY:,} bytes is not taken"
                raise HTTPException(413, words, {"connection": "close"})
            return message

        async def watched(message: dict) -> None:
            nonlocal has_begun
            has_begun = has_begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, limited, watched)
        except ClientDisconnect:
            pass  # the client has left
        except Exception as error:
            is_call = "/call/" in scope["path"]  # Gradio fails on unknown functions and arguments
            log_fault("a call" if is_call else "a request", error)
            if not has_begun:
                code, words = (422, _USAGE) if is_call else (500, "the request failed: a fault of the server")
                await JSONResponse({"detail": words}, code)(scope, receive, send)
