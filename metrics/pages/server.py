"""The server under a page: what it takes from the network, what it remembers, what it says when something fails.

Copied beside `page.py` into the folders that `qassay.pages.build` renders, so that it needs gradio alone; imported after
`load_gradio` of that file, or after `qassay.spaces_app`, which set what gradio reads when it is imported.
"""

import asyncio
import collections
import contextlib
import datetime
import html
import inspect
import logging
import os
import re
import shutil
import signal
import tempfile
import threading
import time
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder
from gradio_client.utils import is_file_obj_with_meta, is_http_url_like, traverse
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse

from qassay.pages.page import KEEP_SECONDS, MAX_FILE, MAX_KEPT, STATE_SECONDS, SWEEP_SECONDS, cell_text

MAX_BODY = 30_000_000  # bytes of any other request: texts that are pasted, or that programs send
MAX_UPLOAD = 6 * MAX_FILE  # bytes of a request that uploads files, of which it may hold several
MAX_SESSIONS = 72  # sessions that are remembered: of visitors, and of those who wait; the oldest go first
UNREADABLE, WRONG = "The input could not be read", "Something went wrong"  # titles of errors
UPLOAD_SECONDS = 600  # that a request with files may take
STALL_SECONDS = 10  # that it may send nothing
YOUNG_SECONDS = 120  # how long a file stays, whoever else needs the room
_UPLOAD = "/gradio_api/upload"
_CALL = re.compile(r".*/gradio_api/call/(?:v2/)?([^/]+)/?")
_OWN = "qassay_page_"  # how the folders of servers begin
_WORK = "work_"  # how folders of running calls begin
_STEP = 4_000_000  # bytes that arrive between two looks through the folder of uploads
_NO_ROOM = "the server has no room for these files now, because others upload too; try again in a few minutes"
_LEAST_ROOM = 16_384  # bytes that a file counts at least: many empty ones fill a disk too
_MAX_WORDS = 2_000  # characters of a message
TOAST_SECONDS = 15
_LOG = logging.getLogger("qassay.pages.page")
_in_use: collections.Counter[str] = collections.Counter()  # paths of files that running calls read
_room = 0  # bytes that may arrive before the folder of uploads is looked through again


class ServedBlocks(gr.Blocks):
    """Blocks that never ask another machine for a visitor, and forget what was shown to those who are gone.

    Gradio by itself fetches any address that a request gives in place of an uploaded file.
    """

    async def preprocess_data(self, block_fn, inputs, state, explicit_call=False):
        """As in Gradio, but files must have been uploaded to this server.

        Raises:
            gr.Error: a file that is an address, or not one of the uploads.
        """
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
        """As in Gradio, after the sessions of those who are gone are forgotten; files of the call are kept meanwhile.

        Raises:
            gr.Error: whatever goes wrong, so that Gradio logs nothing.
        """
        self.forget_old_sessions()
        files = _paths(inputs)
        _in_use.update(files)
        try:
            return await super().process_api(block_fn, inputs, *args, **named)
        except gr.Error as error:
            error.print_exception = False
            raise
        except Exception as error:  # noqa: BLE001  handlers tell their own faults
            fn = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
            log_fault(str(fn.api_name), error)
            raise toast(f"{type(error).__name__}: the request failed; reload the page", WRONG) from None
        finally:
            _in_use.subtract(files)
            for path in files:
                if not _in_use[path]:
                    del _in_use[path]

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


def check_count(block_fn: Any, values: list) -> None:
    """Refuse too few or, from programs, too many values for a function, and name its arguments.

    Raises:
        gr.Error: with them.
    """
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
    """The names of the values that a function takes: of a program's function, of an event those of its boxes."""
    if block_fn.api_visibility == "private":
        return [str(getattr(block, "label", None) or "a value") for block in block_fn.inputs]
    return list(inspect.signature(block_fn.fn).parameters)


def function_words(block_fn: Any) -> str:
    """The arguments of a function in words."""
    if block_fn.api_visibility == "private":
        return "reload the page"
    parameters = inspect.signature(block_fn.fn).parameters.values()
    named = [one.name if one.default is not one.empty else f"{one.name} (needed)" for one in parameters]
    return f"{block_fn.api_name} takes: {', '.join(named) or 'nothing'}"


def _paths(values: Any) -> list[str]:
    """The files in the values of a call."""
    found: list[str] = []
    traverse(values, lambda file: found.append(os.path.realpath(file["path"])) or file, is_file_obj_with_meta)
    return found


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
        """Pass an upload on while it goes on arriving and what has arrived finds room; of a refused one nothing stays.

        What it says of its size is not believed: who sends nothing gets no room.
        """
        known = scope["app"].get_blocks().temp_file_sets
        end = time.monotonic() + UPLOAD_SECONDS
        is_whole, refusal = False, None

        def refuse(code: int, words: str) -> MultiPartException:
            nonlocal refusal
            refusal = _refuse(code, words)
            return MultiPartException(words)  # where it meets one, Gradio deletes what it has written

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
            if not _take_room(max(len(message.get("body", b"")), _LEAST_ROOM if is_whole else 0), known):
                raise refuse(413, _NO_ROOM)
            return message

        async def answer(message: dict) -> None:
            if not refusal:
                await send(message)

        await self.app(scope, taken, answer)
        if refusal:
            await refusal(scope, receive, send)


def _refuse(code: int, words: str) -> JSONResponse:
    """An answer after which the rest of the request is not read."""
    return JSONResponse({"detail": words}, code, {"connection": "close"})


def _take_room(size: int, known: Iterable[set[str]]) -> bool:
    """Whether bytes that have arrived find room; the folder is looked through once in `_STEP` bytes of all uploads.

    Args:
        known: as for `make_room`.
    """
    global _room
    if size > _room:
        if not make_room(size + _STEP, known):
            return False
        _room = size + _STEP
    _room -= size
    return True


def _counted(receive: Any, limit: int, words: str) -> Any:
    """What gives the parts of a request, until they are too many: sent in chunks, it does not say its size."""
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
    """ASGI middleware: what fails before a function is called is answered in words, and logged without its text."""

    def __init__(self, app: Any):
        self.app = app

    async def __call__(self, scope: dict, receive: Any, send: Any) -> None:
        """Pass the request on; where it fails, answer what is wrong with it."""
        has_begun = False

        async def watched(message: dict) -> None:
            nonlocal has_begun
            has_begun = has_begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, watched)
        except ClientDisconnect:
            pass  # nobody listens
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
        return 404, f"there is no function {call[1]!r}; there are: {there or 'none on this page'}"
    if not isinstance(error, TypeError):
        return 500, f"{call[1]} failed: {type(error).__name__}, a fault of the server"
    return 422, call_words(str(error), functions[call[1]]) or f"{call[1]}: the arguments cannot be read"


def call_words(message: str, block_fn: Any) -> str | None:
    """What Gradio or MCP says of arguments that a function does not have or lacks, with those that there are.

    None for other messages.
    """
    unknown = re.search(r"Parameter `(.*)` is not", message, re.DOTALL)
    missing = re.search(r"No value provided for required argument: (\w+)|'(\w+)' is a required property", message)
    if not (unknown or missing):
        return None
    problem = (
        f"there is no argument {unknown[1][:100]!r}"
        if unknown
        else f"the argument {missing[1] or missing[2]} is missing"
    )
    return f"{problem}; {function_words(block_fn)}"


# --- files ------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def own_folder() -> Iterator[str]:
    """A folder of uploads for this server alone, from before its page is built until it has stopped.

    It is deleted in the end, and so are those of earlier servers that were killed: nobody has changed anything in them
    for longer than any server keeps a file, so that those of other running servers stay.
    """
    before = os.environ.get("GRADIO_TEMP_DIR")
    base = Path(before or tempfile.gettempdir())
    base.mkdir(parents=True, exist_ok=True)
    sweep(base)
    folder, stopped = tempfile.mkdtemp(prefix=_OWN, dir=base), threading.Event()
    os.environ["GRADIO_TEMP_DIR"] = folder

    def tidy() -> None:
        while not stopped.wait(SWEEP_SECONDS):
            with contextlib.suppress(OSError):
                os.utime(folder)
            _delete(path for path, _, age in _kept(folder) if age > KEEP_SECONDS)
            sweep(base)

    threading.Thread(target=tidy, daemon=True, name="qassay tidy").start()
    try:
        yield folder
    finally:
        stopped.set()
        os.environ.pop("GRADIO_TEMP_DIR", None)
        if before is not None:
            os.environ["GRADIO_TEMP_DIR"] = before
        shutil.rmtree(folder, ignore_errors=True)


def sweep(base: Path) -> None:
    """Delete what servers that are no more have left in a folder of folders."""
    for folder in base.glob(f"{_OWN}*"):
        with contextlib.suppress(OSError):
            is_ours = not folder.is_symlink() and folder.is_dir()
            if hasattr(os, "getuid"):
                is_ours = is_ours and folder.stat().st_uid == os.getuid()
            if (
                is_ours
                and _age(folder) > KEEP_SECONDS + SWEEP_SECONDS
                and not any(age <= KEEP_SECONDS + SWEEP_SECONDS for _, _, age in _kept(folder))
            ):
                shutil.rmtree(folder, ignore_errors=True)


def make_room(size: int, known: Iterable[set[str]] = ()) -> bool:
    """Delete the oldest files until so many bytes more fit into the folder of uploads; False where they do not.

    Files of running calls stay, and so do young ones: whoever uploads in masses cannot delete what others just gave.

    Args:
        known: sets of paths in which Gradio remembers the files.
    """
    kept = sorted(_kept(get_upload_folder()), key=lambda one: -one[2])
    free = MAX_KEPT - sum(room for _, room, _ in kept)
    gone = []
    for path, room, age in kept:
        if free >= size or age < YOUNG_SECONDS:
            break
        if not _is_busy(path):
            gone.append(path)
            free += room
    if free < size:
        return False
    _delete(gone)
    for paths in known:
        paths.difference_update(gone)
    return True


def _is_busy(path: str) -> bool:
    """Whether a running call reads a file, or a running upload may be writing it."""
    top = Path(path).relative_to(get_upload_folder()).parts
    is_arriving = len(top) == 1 and top[0].startswith("tmp") and _age(Path(path)) < UPLOAD_SECONDS
    return is_arriving or top[0].startswith(_WORK) or os.path.realpath(path) in _in_use


def work_folder() -> tempfile.TemporaryDirectory:
    """A folder for the files of one call, which stay while it runs."""
    os.makedirs(get_upload_folder(), exist_ok=True)
    return tempfile.TemporaryDirectory(prefix=_WORK, dir=get_upload_folder())


def _kept(folder: str | Path) -> Iterator[tuple[str, int, float]]:
    """Path, room and age in seconds of every file below a folder."""
    for inner, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(inner, name)
            with contextlib.suppress(OSError):
                found = os.lstat(path)
                yield path, max(found.st_size, _LEAST_ROOM), time.time() - found.st_mtime


def _age(path: Path) -> float:
    return time.time() - path.stat().st_mtime


def _delete(paths: Iterable[str]) -> None:
    """Delete files, and their folders when they are empty, unless something is about to come into them."""
    top = os.path.realpath(get_upload_folder())
    for path in paths:
        folder = Path(path).parent
        with contextlib.suppress(OSError):
            is_old = _age(folder) > 60
            os.remove(path)
            if is_old and os.path.realpath(folder) != top:
                folder.rmdir()


@contextlib.contextmanager
def stopping_when_told() -> Iterator[None]:
    """SIGTERM, as `docker stop` sends it, stops the server as Ctrl-C does; a second one at once."""
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


# --- the launch, and words --------------------------------------------------------------------------------------------


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
        "app_kwargs": {"middleware": [Middleware(PlainErrors), Middleware(LimitedBody)]},
    }


def save_file(name: str, data: bytes) -> str:
    """A new file in gradio's folder of temporary files, where `delete_cache` finds it; a folder would stay behind.

    Raises:
        gr.Error: the disk takes no more, or the files of the last minutes are twice as large as all may be.
    """
    os.makedirs(get_upload_folder(), exist_ok=True)
    if not make_room(len(data)) and not make_room(len(data) - MAX_KEPT):
        raise toast(_NO_ROOM, WRONG)
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
