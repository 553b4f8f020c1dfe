"""What visitors and programs cannot do: reach other machines or files, see each other, stay in memory, stop the Space."""

import gzip
import json
import os
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')

import httpx

from qassay.space import uploads, worker
from qassay.space.limits import MAX_FILE, MAX_RESAMPLES
from qassay.space.samples import FOLDER

pytestmark = pytest.mark.thorough

SECRET = "zebra-secret-7431"
HANGS = 30  # seconds: on a busy machine, for what takes a few


@pytest.fixture
def http(served):
    with httpx.Client(base_url=f"{served.url}/gradio_api/", timeout=HANGS) as client:
        yield client


def call(http, data, name="score"):
    """What raw HTTP gives: the name of the last event and its data."""
    answer = http.post(f"call/{name}", json={"data": data})
    if answer.status_code != 200:
        return str(answer.status_code), answer.text
    lines = http.get(f"call/{name}/{answer.json()['event_id']}").text.splitlines()
    return lines[-3].removeprefix("event: "), lines[-2].removeprefix("data: ")


def file(path, **more):
    return {"path": str(path), "meta": {"_type": "gradio.FileData"}, **more}


def upload(http, name, content):
    (path,) = http.post("upload", files={"files": (name, content)}).raise_for_status().json()
    return path


def score(http, gold, predictions='{"q": "a"}', options=""):
    """The same with the contents of the files, which are uploaded first."""
    given = [("gold.json", gold), ("system.json", predictions)]
    gold_file, system = (file(upload(http, name, content.encode()), orig_name=name) for name, content in given)
    return call(http, [gold_file, [system], options])


def test_only_uploads_are_read(http, served, tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps({"q": [SECRET]}))
    link = Path(served.uploads.folder) / "link.json"
    link.symlink_to(secret)
    inside = upload(http, "answers.json", b'{"q": "a"}')
    outside = os.path.join(os.path.dirname(inside), "..", "..", "..", str(secret).lstrip("/"))
    for path in ("http://127.0.0.1:1/x", "https://example.com/x", secret, "/etc/passwd", outside, link, link.parent):
        end, words = call(http, [file(path), [], ""])
        assert end == "error" and "is not here" in words, path
        assert http.get(f"file={path}").status_code == 404, path
    for path in (inside, "https://example.com/x.png"):
        for route in ("file=", "file/", "proxy="):
            for method in ("GET", "HEAD"):
                assert http.request(method, route + path).status_code == 404, "nobody gets the uploads of others"
    for route in ("run/score", "api/score", "process_recording", "component_server", "deep_link"):
        assert http.post(route, json={"data": [None, [], ""]}).status_code == 404, "no call passes the queue"
    for other in ({"path": str(secret)}, str(secret), [str(secret)], {"path": inside, "meta": {"_type": "x"}}):
        end, words = call(http, [other, [file(inside)], ""])
        assert end == "error" and SECRET not in words
    link.unlink()


def test_no_option_reads_fetches_or_hangs(http, tmp_path):
    refused = ("model=org/name", f"model={tmp_path}", "trust_remote_code=yes", "revision=main", "extract=regex:(a+)+$")
    for option in (*refused, f"n_resamples={MAX_RESAMPLES + 1}"):
        end, words = score(http, '{"q": ["a"]}', options=f"metric=semantic_answer_similarity\n{option}")
        named = "regular expression" if option.startswith("extract") else option.partition("=")[0]
        assert end == "error" and named in words, option
    end, words = score(http, '{"q": ["a"]}', options="metric=label_metrics\nlabels=9\nextract=json:answer")
    assert end == "error" and "/tmp" not in words


def test_nothing_is_kept_after_the_answer(http, served):
    """Other tests may have left uploads that no call has asked for, as visitors who close the page do."""

    def kept():
        return {*Path(served.uploads.folder).rglob("*")}, served.uploads.held

    before = kept()
    assert score(http, '{"q": ["kept by nobody"]}')[0] == "complete"
    assert score(http, "[", "{")[0] == "error"
    assert http.post("upload", files={"files": ("big.json", b" " * (MAX_FILE + 1))}).status_code == 413
    assert kept() == before


def test_visitors_with_equal_files_do_not_take_each_others(http):
    gold, system = ([upload(http, name, content) for _ in "ab"] for name, content in (("g.json", b'{"q": ["a"]}'), ("s.json", b'{"q": "a"}')))  # fmt: skip
    for pair in zip(gold, system, strict=True):
        end, words = call(http, [file(pair[0]), [file(pair[1])], ""])
        assert end == "complete", words
    end, words = call(http, [file(gold[0]), [file(system[0])], ""])
    assert end == "error" and "upload it again" in words, "a file is for one call"
    with ThreadPoolExecutor(8) as pool:
        ends = list(pool.map(lambda _: score(http, '{"q": ["a"]}'), range(8)))
    assert [end for end, _ in ends] == ["complete"] * 8


def test_wrong_arguments_are_refused_by_name(http):
    for name, body, named in (
        ("v2/score", {"gold": 1, "golds": 2}, "gold (an uploaded file)"),
        ("v2/score", {}, "gold (an uploaded file)"),
        ("gone", {"data": []}, "one function, score"),
    ):
        answer = http.post(f"call/{name}", json=body)
        assert (answer.status_code, named in answer.json()["detail"]) == (422, True), answer.text
    for more, named in (([], "systems"), (["text", ""], "systems"), ([["text"], ""], "systems"), ([[], 7], "options")):
        end, words = call(http, [file(upload(http, "g.json", b'{"q": ["a"]}')), *more])
        assert end == "error" and named in words, (more, words)


def test_too_large_requests_are_refused(http):
    """By their declared size, and by what arrives: who keeps sending may see a closed connection in place of the answer."""
    answer = http.post("upload", files={"files": ("big.json", b" " * (MAX_FILE + 1))})
    assert answer.status_code == 413
    with pytest.raises((httpx.TransportError, httpx.HTTPStatusError), match=r"413|reset|closed|disconnected|[Bb]roken"):
        http.post("queue/join", content=b" " * 2_000_000).raise_for_status()
    with pytest.raises((httpx.TransportError, httpx.HTTPStatusError), match=r"413|reset|closed|disconnected|[Bb]roken"):
        http.post("queue/join", content=(b"x" * 100_000 for _ in range(500))).raise_for_status()
    assert score(http, '{"q": ["a"]}')[0] == "complete"


def test_a_document_is_fetched_once_and_only_with_its_key(served):
    with httpx.Client(base_url=served.url) as client:
        assert client.get("/document/guessed").status_code == 404
        answer = client.get("/sample/answers")
        assert answer.headers["content-encoding"] == "gzip" and answer.json()["kind"] == "compare"
        assert client.get("/sample/..%2Fanswers").status_code == 404
        assert client.head("/").status_code == 200
        policy = client.get("/").headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy


def test_who_stops_sending_is_cut_off(served, monkeypatch):
    from qassay.space import server

    host, _, port = served.url.removeprefix("http://").partition(":")
    for module, path in ((uploads, "upload"), (server, "queue/join")):
        monkeypatch.setattr(module, "STALL_SECONDS", 0.2)
        with socket.create_connection((host, int(port)), timeout=HANGS) as slow:
            kind = "multipart/form-data; boundary=x" if path == "upload" else "application/json"
            slow.sendall(
                f"POST /gradio_api/{path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\nContent-Length: 999\r\n\r\n--x".encode()
            )
            assert b" 408 " in slow.recv(100)


def test_uploads_without_room_are_refused_and_those_that_wait_stay(http, served, monkeypatch):
    waiting = upload(http, "g.json", b'{"q": ["a"]}')
    monkeypatch.setattr(uploads, "MAX_KEPT", served.uploads.held + 20_000)
    answer = http.post("upload", files={"files": ("s.json", b" " * 30_000)})
    assert answer.status_code == 413 and "no room" in answer.json()["detail"]
    end, words = call(http, [file(waiting), [file(upload(http, "s.json", b'{"q": "a"}'))], ""])
    assert end == "complete", words


def test_files_that_nobody_scores_leave(http, monkeypatch):
    monkeypatch.setattr(uploads, "KEEP_SECONDS", 0.1)
    path, end = Path(upload(http, "g.json", b"{}")), time.monotonic() + HANGS
    while path.exists() and time.monotonic() < end:
        http.get("info")
    assert not path.exists()


# --- processes --------------------------------------------------------------------------------------------------------

PAIR = [(str(FOLDER / f"answers/{name}.json"), f"{name}.json") for name in ("gold", "small_model")]


def test_a_call_has_a_limit_of_time():
    with pytest.raises(ValueError, match="0 seconds"):
        worker.score_in_process(PAIR[0], PAIR[1:], "", seconds=0.001)
    assert json.loads(gzip.decompress(worker.score_in_process(PAIR[0], PAIR[1:], "")))["kind"] == "score"


HUNGRY = """
import json, sys
from qassay.space import worker
worker.SCORE_MEMORY = 300_000_000
worker._limit_memory()
try:
    [list(range(1_000_000)) for _ in range(50)]
except MemoryError:
    print("refused")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")
def test_a_call_has_a_limit_of_memory():
    done = subprocess.run([sys.executable, "-c", HUNGRY], capture_output=True, text=True)
    assert done.stdout == "refused\n", done


def test_the_folder_of_uploads_leaves_with_the_server(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    with uploads.kept_uploads() as kept:
        (Path(kept.folder) / "f.json").write_text("{}")
    assert list(tmp_path.iterdir()) == [] and os.environ["GRADIO_TEMP_DIR"] == str(tmp_path)
