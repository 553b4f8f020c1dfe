"""The Space, served once by this process, and its page in a browser that reports every fault."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

SECONDS = 60.0  # how long anything may take, on a busy machine too, before it is a failure


class Served(NamedTuple):
    """A page that this process serves: its address without a slash at the end, and its uploads."""

    url: str
    uploads: Any


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
        from qassay.space.uploads import kept_uploads

        uploads = stack.enter_context(kept_uploads())
        thread = threading.Thread(target=launch.run_server, args=(build(uploads), listening, ready.set), daemon=True)
        thread.start()
        assert ready.wait(SECONDS)
        yield Served(f"http://127.0.0.1:{listening.getsockname()[1]}", uploads)


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
