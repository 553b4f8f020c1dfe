"""The Space as visitors see it: served once, with a browser that reports every error."""

import contextlib
import html
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

TABS = ("Score", "Errors", "Slices", "No answer", "Compare", "Report")
# What axe-core finds in Gradio's own parts, rule -> where: a link of the footer and its picture say the same words; the
# button of a slot that takes several files holds their picker.
GRADIOS_OWN = {"image-redundant-alt": "footer", "nested-interactive": "[aria-label='common.upload']"}
# Without these, and without any name that can be looked up, Chromium itself asks other machines.
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
# The first is the same browser without windows, which takes a fraction of the time to open a page.
_PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 120.0  # how long anything may take, on a busy machine too, before it is a failure

# Gradio opens a stream that nothing closes where the answer to a second event comes before its number: such a stream is
# left over, and the page says by its answers whether it waits.
_LEFT_OVER_SECONDS = 0.3
_COUNTS_ANSWERS = """(() => {
    const joined = new Set(), answered = new Set(), fetched = window.fetch;
    window.hasAllAnswers = () => [...joined].every(event => answered.has(event));
    window.fetch = async (...asked) => {
        const response = await fetched(...asked), place = new URL(asked[0].url ?? asked[0], location).pathname;
        if (place.endsWith('/queue/join')) response.clone().json().then(told => joined.add(told.event_id));
        if (place.endsWith('/queue/data')) (async () => {
            let text = '';
            const reader = response.clone().body.pipeThrough(new TextDecoderStream()).getReader();
            for (let part = await reader.read(); !part.done; part = await reader.read()) {
                const lines = (text + part.value).split('\\n');
                text = lines.pop();
                for (const line of lines.filter(line => line.startsWith('data: '))) {
                    const told = JSON.parse(line.slice(6));
                    if (told.msg === 'process_completed') answered.add(told.event_id);
                }
            }
        })().catch(() => {});
        return response;
    };
})()"""
# Two frames one after the other in which nothing of the page changes; toasts and progress may always change it.
_SETTLES = """() => new Promise(done => {
    let left = 2;
    const end = performance.now() + 1000, watch = new MutationObserver(() => { left = 2; });
    const next = () => left-- > 0 && performance.now() < end ? requestAnimationFrame(next) : (watch.disconnect(), done());
    watch.observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
    requestAnimationFrame(next);
})"""
# Of the events with these numbers: those that come after them, and whether a change of what they set starts more.
_FOLLOWING = """numbers => gradio_config.dependencies
    .filter(event => numbers.includes(event.trigger_after)).map(event => event.id)"""
_SETS_HEARD_STATES = """numbers => gradio_config.dependencies.some(event => event.targets.some(([id, kind]) =>
    kind === 'change' && gradio_config.dependencies.some(
        other => numbers.includes(other.id) && other.outputs.includes(id))))"""


def expect(shown: Any) -> Any:
    """Playwright's `expect`, which waits as long as anything may take; where it is not installed, `browser` skips the test."""
    from playwright import sync_api

    sync_api.expect.set_options(timeout=1_000 * SECONDS)
    return sync_api.expect(shown)


def shows(part: Any, *words: str | re.Pattern) -> None:
    """Assert that a part of a page soon shows all of these words, where a reader sees them."""
    for text in words:
        expect(part).to_contain_text(text, use_inner_text=True)


def words(page: str) -> str:
    """What a reader sees of HTML, but for its charts."""
    page = re.sub(r"</?(bdi|wbr|code|a)\b[^>]*>", "", re.sub("<svg.*?</svg>", " ", page, flags=re.DOTALL))
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def soon(get: Callable[[], Any], wanted: Any = True) -> None:
    """Assert that `get()`, which asks the page, becomes what is wanted: a page may show what a click brings after the click has
    ended. For `page.url`, which learns of changes only while something else waits for the page, use `expect(page).to_have_url`.
    """
    end = time.monotonic() + SECONDS
    while (found := get()) != wanted and time.monotonic() < end:
        time.sleep(0.02)
    assert found == wanted


class Server(NamedTuple):
    """A page that is served by this process.

    Attributes:
        url: without a slash at the end.
        demo: its Gradio Blocks.
        uploads: the folder of uploads and downloads.
    """

    url: str
    demo: Any
    uploads: Path


@pytest.fixture
def analysis_of(tmp_path) -> Callable[..., Any]:
    """`analysis_of(gold, systems, probabilities, settings, **more)` scores values of JSON, or texts of CSV files.

    Of systems and probabilities, the name of the system -> the content of its file; files are shown as the systems.
    """
    from qassay.space.analysis import Inputs, analyze

    def call(gold: Any, systems: Any = (), probabilities: Any = (), settings: Any = None, **more: Any) -> Any:
        shown = {}

        def put(name: str, content: Any) -> str:
            path = tmp_path / f"{len(shown)}.{'csv' if isinstance(content, str) else 'json'}"
            text = content if isinstance(content, str) else json.dumps(content)
            path.write_text(text, "utf-8", "backslashreplace")
            shown[str(path)] = name
            return str(path)

        files = [{name: put(name, of) for name, of in dict(many).items()} for many in (systems, probabilities)]
        return analyze(Inputs("Title", put("gold", gold), *files, **{"shown_files": shown, **more}), settings)

    return call


@pytest.fixture
def put(tmp_path) -> Callable[..., Any]:
    """A function of a name and content (text, bytes or a JSON value) -> an upload in a folder of its own, as on the server."""
    from qassay.pages.uploads import SYSTEM, read_upload

    def call(name: str, content: Any, slot: str = SYSTEM, metric: str | None = None) -> Any:
        folder = tmp_path / f"upload{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        data = content if isinstance(content, (bytes, str)) else json.dumps(content)
        (folder / name).write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
        return read_upload(str(folder / name), name, slot, metric)

    return call


@pytest.fixture(scope="session")
def serve(tmp_path_factory) -> Iterator[Callable[..., Server]]:
    """`serve(build)` serves Blocks on a free port until the tests end; all share a folder of uploads."""
    uploads, servers = tmp_path_factory.mktemp("uploads"), []

    def launch(build: Callable[[], tuple[Any, dict[str, Any]]]) -> Server:
        demo, options = build()
        demo.launch(prevent_thread_lock=True, server_name="127.0.0.1", **{"quiet": True, **options})
        servers.append(Server(demo.local_url.rstrip("/"), demo, uploads))
        return servers[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(uploads))
        yield launch
        for server in servers:
            server.demo.server.force_exit = True  # waits for no stream that a page left open
            server.demo.close(verbose=False)


@pytest.fixture(scope="session")
def app_server(serve) -> Server:
    """The Space, as `qassay app` and the Hub start it."""
    from qassay.space.app import build

    return serve(build)


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
def visit(browser, request) -> Iterator[Callable[..., "Visit"]]:
    """`visit(width=1280, dark=False, url=None)` opens a page in a browser of its own; the Space where no url is given.

    At the end nothing may have gone wrong in any of them: no request to another machine, no fault of a script.
    """
    visits = []

    def open_page(width: int = 1280, *, dark: bool = False, url: str | None = None) -> Visit:
        visits.append(Visit(browser, url or request.getfixturevalue("app_server").url, width, dark))
        return visits[-1]

    yield open_page
    for one in visits:
        one.context.close()
    assert [(one.strangers, one.faults) for one in visits] == [([], [])] * len(visits)


class Visit:
    """One visitor: a page in a browser context of its own.

    Attributes:
        page: Playwright's.
        context: of the page.
        strangers: requests to other places than the page's own.
        faults: errors of scripts, and those that the console shows.
        tabs: the names of all tabs, in order.
    """

    tabs = TABS

    def __init__(self, browser: Any, url: str, width: int, dark: bool) -> None:
        self.url, self.strangers, self.faults = url, [], []
        self._started, self._waiting, self._answered_at = [], set(), None
        self.context = browser.new_context(viewport={"width": width, "height": 900}, accept_downloads=True)
        self.context.set_default_timeout(1_000 * SECONDS)
        self.context.add_init_script(_COUNTS_ANSWERS)
        self.context.on("request", self._asked)
        self.context.on("requestfinished", self._answered)
        self.context.on("requestfailed", self._answered)
        self.context.on("weberror", lambda error: self.faults.append(str(error.error)))
        self.context.on("console", self._said)
        self.page = self.context.new_page()
        self.page.on("websocket", lambda socket: self.strangers.append(socket.url))
        self.page.goto(f"{url}/?__theme={'dark' if dark else 'light'}")
        self.page.get_by_role("heading", level=1).first.wait_for()
        self.page.locator("body > * .loading").first.wait_for(state="hidden")  # what Gradio shows before the page
        loads = "() => gradio_config.dependencies.some(event => event.targets.some(target => target[1] === 'load'))"
        with self.event(before=0, starts=self.page.evaluate(loads)):
            pass

    @contextlib.contextmanager
    def event(self, *, fails: bool = False, starts: bool = True, before: int | None = None) -> Iterator[None]:
        """Do something, and wait until the server has answered it and all events that follow from it.

        The page may show the answer later still: what is asserted of it waits, by `expect` or `soon`.

        Args:
            fails: whether an error comes back, after which the events that need success do not follow.
            starts: whether something is sent to the server for certain.
            before: how many events had been sent before; None: up to now.
        """
        before = len(self._started) if before is None else before
        yield
        end = time.monotonic() + SECONDS
        while not self._quiet(before, fails, starts):
            open_requests = [request.url for request in self._waiting]
            assert time.monotonic() < end, f"no end of events {self._started[before:]}; open: {open_requests}"
            self.page.wait_for_timeout(20)

    def _quiet(self, before: int, fails: bool, starts: bool) -> bool:
        seen = list(self._started)
        started = seen[before:]
        if self._awaits_answers() or (starts and not started):
            return False
        if started and not fails and any(event not in started for event in self.page.evaluate(_FOLLOWING, started)):
            return False
        # Shows what came, and gives the events of what has changed by it their time to start.
        self.page.evaluate(_SETTLES)
        if self.page.evaluate(_SETS_HEARD_STATES, started):
            self.page.wait_for_timeout(150)
        return not self._awaits_answers() and seen == self._started

    def _awaits_answers(self) -> bool:
        """Whether a request is open, but for a stream that is left over."""
        is_left_over = (
            self._waiting
            and all(urlsplit(request.url).path.endswith("/queue/data") for request in self._waiting)
            and self.page.evaluate("() => hasAllAnswers()")
        )
        if not is_left_over:
            self._answered_at = None
            return bool(self._waiting)
        self._answered_at = self._answered_at or time.monotonic()
        return time.monotonic() < self._answered_at + _LEFT_OVER_SECONDS

    def _asked(self, request: Any) -> None:
        place = urlsplit(request.url)
        if place.scheme not in ("data", "blob", "file") and not request.url.startswith(f"{self.url}/"):
            self.strangers.append(request.url)
        if place.path.endswith("/queue/join"):
            self._started.append(request.post_data_json["fn_index"])
        if place.path.endswith(("/queue/join", "/queue/data", "/upload")):
            self._waiting.add(request)

    def _answered(self, request: Any) -> None:
        self._waiting.discard(request)

    def _said(self, message: Any) -> None:
        if message.type == "error":
            self.faults.append(message.text)

    @property
    def panel(self) -> Any:
        """What the open tab shows."""
        return self.page.locator("[role=tabpanel]:visible").first

    def open(self, name: str) -> Any:
        """Open a tab, on a phone from the menu, and give what it shows when it is all there."""
        menu = self.page.locator(".overflow-menu").first
        tab = self.page.get_by_role("tab", name=name, exact=True)
        if not tab.count():
            menu.get_by_role("button", name="More tabs").click()
            tab = menu.locator(".overflow-dropdown").get_by_role("button", name=name, exact=True)
        elif tab.get_attribute("aria-selected") == "true":
            return self.panel
        asks = self.page.evaluate(
            """name => gradio_config.dependencies.some(event => event.backend_fn && event.targets.some(([id, kind]) => kind === 'select' &&
                gradio_config.components.some(part => part.id === id && part.props.label === name)))""",
            name,
        )
        with self.event(starts=asks):
            tab.click()
        expect(self.page.get_by_role("tab", name=name, exact=True)).to_have_attribute("aria-selected", "true")
        return self.panel

    def sample(self, label: str) -> None:
        """Load a sample by its button, from the tab Score."""
        self.open("Score")
        with self.event():
            self.panel.get_by_role("button", name=label, exact=True).click()

    def open_form(self) -> None:
        """Open the form of the tab Score, which is folded where numbers are shown."""
        form = self.open("Score").locator("#form > button")
        if not self.panel.locator("#score").is_visible():
            form.click()
            self.panel.locator("#score").wait_for()

    def upload(self, slot: str, *paths: Path) -> None:
        """Give files to a slot of the tab Score, by its id, and wait until the page has looked at them."""
        self.open_form()
        with self.event():
            self.page.locator(f"#{slot} input[type=file]").set_input_files(list(paths))

    def score(self) -> None:
        """Press Score, and wait until all tabs show what came of it."""
        self.open_form()
        with self.event():
            self.panel.get_by_role("button", name="Score", exact=True).click()
        expect(self.page.locator("#form > button")).not_to_have_text("Scoring")

    def violations(self) -> list[str]:
        """What axe-core finds wrong with the page as it is, without Gradio's own."""
        from axe_playwright_python.base import AXE_FILE_PATH

        # What fades in has less contrast meanwhile.
        fading = "document.getAnimations().filter(one => one instanceof CSSTransition).map(one => one.finished)"
        self.page.evaluate(f"() => Promise.allSettled({fading})")
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE_FILE_PATH.read_text("utf-8"))
        return self.page.evaluate(
            """async own => (await axe.run({resultTypes: ['violations']})).violations.flatMap(rule => rule.nodes
                .filter(node => !(rule.id in own && document.querySelector(node.target[0]).closest(own[rule.id])))
                .map(node => `${rule.id}: ${node.target}: ${node.failureSummary}`.slice(0, 400)))""",
            GRADIOS_OWN,
        )

    def too_wide(self, *widths: int) -> list[str]:
        """In windows of these widths: by how much the page is wider, and the first parts of it that are."""
        found = []
        for width in widths:
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.evaluate(_SETTLES)
            found += self.page.evaluate(
                """() => {
                    const more = document.scrollingElement.scrollWidth - innerWidth;
                    const wide = [...document.body.querySelectorAll('*')].filter(
                        part => more > 0 && part.getBoundingClientRect().right > innerWidth);
                    return more > 0 ? [`${innerWidth} + ${more}: ${wide.slice(-3).map(part => part.outerHTML.slice(0, 200))}`]
                        : [];
                }"""
            )
        return found
