"""The command `qassay view`: a result document in a browser, or as a page in a file."""

import argparse
import contextlib
import http.server
import webbrowser

from .file_arguments import add_command
from .streams import tell

_EXAMPLES = """examples:
  qassay compare gold.json small.json large.json --format json --output result.json
  qassay view result.json
  qassay view result.json --output page.html
"""


def add_view(commands) -> None:
    """Adds `qassay view` to the commands of the parser."""
    command = add_command(
        commands,
        "view",
        "open a result, as --format json prints it, in a browser",
        "Open a result document, as --format json of score, compare and leaderboard prints it, in a browser. The page is\n"
        "served on this machine until the command is interrupted; it contacts no other machine.",
        _EXAMPLES,
    )
    add = command.add_argument
    add("document", metavar="FILE.json", help="the result document; it may be compressed with gzip")
    add("--output", metavar="FILE.html", help="write the page to this file instead of opening it")
    add("--port", type=int, default=0, metavar="N", help="port to listen on; default: a free one")
    add("--no-browser", action="store_true", help="print the address without opening a browser")
    command.set_defaults(run=view)


def view(arguments: argparse.Namespace) -> str:
    """The page of a result document as text for `--output`; else serves it until it is interrupted."""
    from ..results.page import page
    from ..results.read import read_document

    if not 0 <= arguments.port <= 65_535:
        raise ValueError(f"--port must be 0 to 65535; got {arguments.port}")
    text = page(read_document(arguments.document))
    if arguments.output:
        return text
    with server_of(text, arguments.port) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        tell(f"qassay: note: {arguments.document} is at {address}; Ctrl+C ends it")
        if not arguments.no_browser:
            webbrowser.open(address)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
    return ""


def server_of(page: str, port: int = 0) -> http.server.ThreadingHTTPServer:
    """A server of one page on this machine, which answers GET and HEAD of / alone."""
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
