"""The web application: the page at "/", what the page fetches, and the functions of Gradio."""

import base64
import functools
import gzip
import json
import secrets
import threading
from pathlib import Path
from typing import Any

import gradio as gr
from fastapi import FastAPI, Request, Response
from starlette.middleware import Middleware

from ..core.presets import listed_presets
from ..registry import FAMILIES
from ..results import page as result_page
from .api import build_api
from .limits import AT_ONCE, MAX_FILE, MAX_FILES, MAX_SYSTEMS, MAX_TOGETHER, QUEUE
from .samples import FOLDER, SAMPLES, sample_of
from .server import Guard
from .uploads import Uploads
from .worker import score_in_process

FRONT = Path(__file__).parent / "front"
_SAMPLE_LOCK = threading.Lock()
_FETCH_SECONDS = 120  # how long a document is kept for its page
_SHELL = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="description" content="Scores question answering systems, and shows which is better and where the other fails">
<link rel="icon" href="@icon@"><title>qassay</title>
<style>@style@</style></head>
<body><div id="front" class="viewer front"><noscript>This page needs JavaScript. The command line does the same:
qassay compare GOLD PREDICTIONS PREDICTIONS.</noscript></div>
<div id="result" class="viewer"></div>
<script type="application/json" id="settings">@settings@</script>
<script type="module">@script@</script></body></html>
"""


class _Documents(dict[str, bytes]):
    """Compressed documents for pages to fetch, by key."""

    def keep(self, document: bytes) -> str:
        """Keep a document for two minutes, and return its key."""
        key = secrets.token_urlsafe(24)
        self[key] = document
        timer = threading.Timer(_FETCH_SECONDS, self.pop, (key, None))
        timer.daemon = True
        timer.start()
        return key


def build(uploads: Uploads, metric: str = "") -> FastAPI:
    """Build the web application.

    Args:
        uploads: holds what visitors upload.
        metric: the metric that is selected, and whose sample is shown first; "" for the metric of the files.
    """
    documents = _Documents()
    blocks = build_api(uploads, documents.keep)
    blocks.queue(max_size=QUEUE, default_concurrency_limit=AT_ONCE, api_open=False)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    text, policy = _page(metric, blocks)
    front, shell = gzip.compress(text.encode()), gzip.compress(result_page.shell().encode())

    @app.api_route("/", methods=["GET", "HEAD"])
    def index(request: Request) -> Response:
        return _answer(request, front, "text/html; charset=utf-8", policy)

    @app.get("/shell")
    def page_shell(request: Request) -> Response:
        return _answer(request, shell, "text/plain; charset=utf-8")

    @app.get("/sample/{name}")
    def sample(request: Request, name: str) -> Response:
        if name not in SAMPLES:
            return Response(f"there is no sample {name[:40]!r}", 404, media_type="text/plain")
        return _answer(request, _sample(name), "application/json")

    @app.get("/document/{key}")
    def document(request: Request, key: str) -> Response:
        found = documents.get(key)
        if found is None:
            return Response(
                "this result is gone: it is kept for two minutes; score again", 404, media_type="text/plain"
            )
        return _answer(request, found, "application/json")

    @app.post("/gradio_api/upload")  # before Gradio's own, which gives equal files one path
    async def upload(request: Request) -> list[str]:
        return await uploads.receive(request)

    return gr.mount_gradio_app(
        app, blocks, "/", show_error=False, ssr_mode=False, run_history=False,
        enable_monitoring=False, mcp_server=False, pwa=False, app_kwargs={"middleware": [Middleware(Guard)]},
    )  # fmt: skip


def _answer(request: Request, packed: bytes, kind: str, policy: str = "default-src 'none'") -> Response:
    """A response with compressed content, unpacked for clients that do not accept gzip."""
    takes = "gzip" in request.headers.get("accept-encoding", "")
    headers = {
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "vary": "accept-encoding",
    }
    content = packed if takes else gzip.decompress(packed)
    return Response(content, headers=headers | ({"content-encoding": "gzip"} if takes else {}), media_type=kind)


def _sample(name: str) -> bytes:
    """The document of a sample, which is scored when it is first requested."""
    with _SAMPLE_LOCK:
        return _scored_sample(name)


@functools.cache
def _scored_sample(name: str) -> bytes:
    sample = SAMPLES[name]
    gold, *systems = [(str(FOLDER / path), path.rpartition("/")[2]) for path in (sample.gold, *sample.systems)]
    return score_in_process(gold, systems, sample.options)


def _page(metric: str, blocks: gr.Blocks) -> tuple[str, str]:
    """The HTML of the front page, and its content security policy."""
    code = result_page.script("front.js", FRONT)
    looks = result_page.style() + (FRONT / "front.css").read_text("utf-8")
    icon = base64.b64encode((FRONT / "favicon.svg").read_bytes()).decode()
    parts = {
        "icon": f"data:image/svg+xml;base64,{icon}",
        "style": looks,
        "settings": json.dumps(_settings(metric, blocks)).replace("<", "\\u003c"),
        "script": code,
    }
    return result_page.filled(_SHELL, parts), result_page.content_policy(code, looks, "connect-src 'self'; ")


def _settings(metric: str, blocks: gr.Blocks) -> dict[str, Any]:
    """The metrics, presets, samples and limits of the page."""
    (number,) = (key for key, fn in blocks.fns.items() if fn.api_name == "page")
    presets = {
        family.name: [preset.name for preset in listed_presets(family.load()[1].presets.values())]
        for family in FAMILIES.values()
    }
    return {
        "fn_index": number,
        "metric": metric,
        "metrics": [*FAMILIES],
        "presets": presets,
        "samples": [[name, sample.title] for name, sample in SAMPLES.items()],
        "first": sample_of(metric) if metric else next(iter(SAMPLES)),
        "most_bytes": MAX_FILE,
        "most_together": MAX_TOGETHER,
        "most_files": MAX_FILES,
        "most_systems": MAX_SYSTEMS,
    }
