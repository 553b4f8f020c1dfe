"""The Space, served once by this process, and a browser that reports every fault."""

import contextlib
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

_FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)  # fmt: skip
_PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 60.0  # how long anything may take, on a busy machine too, before it is a failure


class Served(NamedTuple):
    """A page that this process serves: its address without a slash at the end, and its folder of uploads."""

    url: str
    uploads: Path


@pytest.fixture
def put(tmp_path) -> Callable[..., Any]:
    """A function of a name and content (text, bytes or a JSON value) -> an upload in a folder of its own."""
    from qassay.space.uploads import SYSTEM, read_upload

    def call(name: str, content: Any, slot: str = SYSTEM, metric: str | None = None) -> Any:
        folder = tmp_path / f"upload{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        data = content if isinstance(content, (bytes, str)) else json.dumps(content)
        (folder / name).write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        return read_upload(str(folder / name), name, slot, metric)

    return call


@pytest.fixture(scope="session")
def served(tmp_path_factory) -> Iterator[Served]:
    """The Space, as `qassay app` and the Hub start it."""
    pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')
    from qassay.space import launch, worker

    ready, listening = threading.Event(), launch.listen("127.0.0.1")
    with pytest.MonkeyPatch.context() as patch, contextlib.ExitStack() as stack:
        patch.setenv("GRADIO_TEMP_DIR", str(tmp_path_factory.mktemp("uploads")))
        worker.start()
        from qassay.space.app import build
        from qassay.space.upload_folder import own_folder

        folder = stack.enter_context(own_folder())
        thread = threading.Thread(target=launch.run_server, args=(build(), listening, ready.set), daemon=True)
        thread.start()
        assert ready.wait(SECONDS)
        yield Served(f"http://127.0.0.1:{listening.getsockname()[1]}", Path(folder))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium or Chrome of this machine; of a module, because a running Playwright occupies the thread's event loop."""
    program = os.environ.get("CHROME_PATH") or next(filter(None, map(shutil.which, _PROGRAMS)), None)
    missing = None if program else "there is no Chromium or Chrome here; install one or set CHROME_PATH"
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        missing = 'playwright is not installed; run pip install -e ".[test-all]"'
    if missing:
        # Where the browser is required, its absence must not look like success.
        (pytest.fail if os.environ.get("REQUIRE_BROWSER") == "1" else pytest.skip)(missing)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=list(_FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser, served) -> Iterator[Callable[..., Any]]:
    """`visit(address="", width=1280)` opens the page in a browser of its own.

    At the end nothing may have gone wrong in any of them: no request to another machine, no fault of a script.
    """
    contexts, faults = [], []

    def open_page(address: str = "", width: int = 1280, *, dark: bool = False, context: Any = None) -> Any:
        if context is None:
            scheme = "dark" if dark else "light"
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            context.set_default_timeout(1_000 * SECONDS)
            context.on("weberror", lambda error: faults.append(str(error.error)))
            context.on("request", lambda request: is_known(request.url) or faults.append(request.url))
            contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type == "error" and "axe" not in message.text
                and "inline style" not in message.text and faults.append(message.text))  # fmt: skip
        page.goto(f"{served.url}/{address}")
        page.get_by_role("tab").first.wait_for()
        return page

    def is_known(url: str) -> bool:
        return url.startswith((f"{served.url}/", "data:", "blob:", "file:"))

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []
