"""`qassay view`: a result document as a page, in a file or served."""

import http.client
import threading
from pathlib import Path

import pytest

from qassay.cli.view import server_of

RESULT = Path(__file__).parents[1] / "viewer" / "result-1.json"


def test_the_page_of_a_document_is_written(run, tmp_path):
    run("view", RESULT, "--output", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert text.startswith("<!DOCTYPE html>") and "large_model" in text


def test_what_is_no_document_is_refused(fail, put):
    path = put("r.html", RESULT.read_text("utf-8"))
    for words, *arguments in (
        ("x.json: this is not a result document", put("x.json", {"a": 1})),
        ("gone.json", "gone.json"),
        ("--port", RESULT, "--port", "70000"),
        ("read by the command", path, "--output", path),
    ):
        assert words in fail("view", *arguments)


@pytest.mark.parametrize(
    ("method", "path", "host", "status"),
    [
        ("GET", "/", None, 200),
        ("HEAD", "/?a=b", None, 200),
        ("GET", "/etc", None, 404),
        ("GET", "/", "evil.example", 404),  # an address of another name that leads here
    ],
)
def test_the_server_gives_one_page_to_this_machine(method, path, host, status):
    with server_of("<p>page \udcff</p>") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            client = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=20)
            client.request(method, path, headers={"Host": host} if host else {})
            answer = client.getresponse()
            assert answer.status == status
            assert (b"<p>page" in answer.read()) == (method == "GET" and status == 200)
            client.close()
        finally:
            server.shutdown()
