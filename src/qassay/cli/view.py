"""The command `qassay view`: a result document in a browser, or as a page in a file."""

import argparse
import contextlib
import http.server
import webbrowser

from ..results.page import page
from ..results.read import read_document
from .streams import print_to_stderr


def view(arguments: argparse.Namespace) -> str:
    """Return the page of a result document for `--output`; without it, serve the page until interrupted."""
    port = arguments.port or 0
    if not 0 <= port <= 65_535:
        raise ValueError(f"--port must be 0 to 65535; got {port}")
    text = page(read_document(arguments.document))
    if arguments.output:
        return text
    with server_of(text, port) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        print_to_stderr(f"qassay: note: {arguments.document} is at {address}; Ctrl+C ends it")
        if not arguments.no_browser:
            webbrowser.open(address)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    return ""


def server_of(page: str, port: int = 0) -> http.server.ThreadingHTTPServer:
    """A local server of one page; it answers only GET and HEAD of /."""
    content = page.encode("utf-8", "backslashreplace")

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            named = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
            if self.path.partition("?")[0] != "/" or named not in ("127.0.0.1", "localhost"):
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        do_HEAD = do_GET

        def log_message(self, format: str, *args: object) -> None:
            """Requests are not logged."""

    return http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
