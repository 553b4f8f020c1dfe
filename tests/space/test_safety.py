"""What visitors and programs cannot do: reach other machines or files, see each other, stay in memory, stop the Space."""

import contextlib
import csv
import dataclasses
import errno
import gc
import json
import os
import socket
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')

import gradio as gr
import httpx
from gradio_client import Client, handle_file

from qassay.pages import limits
from qassay.pages import server as page_server
from qassay.space import server
from qassay.space.handlers import guarded, refusing
from qassay.space.inputs import sample_analysis

pytestmark = pytest.mark.thorough

SECRET = "zebra-secret-7431"
HANGS = 200  # seconds: on a busy machine, for what takes a few


@pytest.fixture
def http(app_server):
    with httpx.Client(base_url=f"{app_server.url}/gradio_api/", timeout=HANGS) as client:
        yield client


def call(http, name, data):
    """What raw HTTP gives: the name of the last event and its data."""
    answer = http.post(f"call/{name}", json={"data": data})
    if answer.status_code != 200:
        return str(answer.status_code), answer.text
    lines = http.get(f"call/{name}/{answer.json()['event_id']}").text.splitlines()
    return lines[-3].removeprefix("event: "), lines[-2].removeprefix("data: ")


def file(path, **more):
    return {"path": str(path), "meta": {"_type": "gradio.FileData"}, **more}


def score_files(http, gold, *systems, options=""):
    return call(http, "score", [gold, list(systems), options])


def score(http, gold, predictions='{"q": "a"}', options=""):
    """The same with the contents of the files, which are uploaded first."""
    given = [("gold.json", gold), ("system.json", predictions)]
    files = [file(upload(http, name, content.encode()), orig_name=name) for name, content in given if content]
    return score_files(http, *files, options=options)


def logged(capfd, caplog):
    said = capfd.readouterr()
    return said.err + said.out + caplog.text


def upload(http, name, content):
    (path,) = http.post("upload", files={"files": (name, content)}).raise_for_status().json()
    return path


# --- other machines and files ------------------------------------------------------------------------------------------


def test_the_launch_is_private_bounded_and_offline(app_server):
    demo, config = app_server.demo, app_server.demo.config
    assert not demo.share and not demo.show_error and demo.max_file_size == limits.MAX_FILE
    assert not config["run_history"] and not config["analytics_enabled"] and not demo.enable_monitoring
    assert demo.delete_cache == (limits.SWEEP_SECONDS, limits.KEEP_SECONDS), "old uploads are deleted"
    assert demo.allowed_paths == [] and demo._queue.max_size == limits.QUEUE
    assert demo.state_holder.capacity == page_server.MAX_SESSIONS > limits.QUEUE
    assert limits.STATE_SECONDS in [getattr(block, "time_to_live", None) for block in demo.blocks.values()]
    functions = [fn for fn in demo.fns.values() if fn.fn is not None]
    assert sum(fn.api_visibility != "private" for fn in functions) == 1 and len(functions) > 15
    assert all(getattr(fn.fn, "is_guarded", False) and fn.concurrency_limit is not None for fn in functions)


def test_only_uploads_are_read(http, app_server, tmp_path):
    for address in ("http://127.0.0.1:1/x", "https://example.com/x", "http://[::1]/x"):
        end, words = score_files(http, file(address))
        assert end == "error" and "addresses" in words
    secret = tmp_path / "secret.json"
    secret.write_text(json.dumps({"q": [SECRET]}))
    link = app_server.uploads / "link.json"
    link.symlink_to(secret)
    inside = upload(http, "answers.json", b'{"q": "a"}')
    outside = os.path.join(os.path.dirname(inside), "..", "..", "..", str(secret).lstrip("/"))
    for path in (secret, "/etc/passwd", outside, link, app_server.uploads.parent):
        end, words = score_files(http, file(path), file(inside))
        assert end == "error" and "not uploaded" in words, path
        assert http.get(f"file={path}").status_code in (403, 404), path
    for other in ({"path": str(secret)}, str(secret), [str(secret)], {"path": inside, "meta": {"_type": "x"}}):
        end, words = score_files(http, other, file(inside))
        assert end == "error" and SECRET not in words
    link.unlink()
    refused = ("model=org/name", f"model={tmp_path}", "trust_remote_code=yes", "revision=main", "extract=regex:(a+)+$")
    for option in (*refused, f"label_counts={secret}", f"n_resamples={limits.MAX_RESAMPLES + 1}", "labels=1000001"):
        end, words = score(http, '{"q": ["a"]}', options=f"metric=semantic_answer_similarity\n{option}")
        named = "regular expression" if option.startswith("extract") else option.partition("=")[0]
        assert end == "error" and named in words and SECRET not in words, option
    os.remove(inside)
    assert score_files(http, file(inside))[0] == "error", "old ones are deleted"


# --- visitors apart ---------------------------------------------------------------------------------------------------


def test_programs_at_the_same_time_get_their_own_numbers(app_server, tmp_path):
    def ask(number):
        gold = {f"q{place}": [f"word{number}"] for place in range(20)}
        answers = {key: f"word{number}" if place < number else "no" for place, key in enumerate(gold)}
        client = Client(app_server.url, verbose=False, analytics_enabled=False, httpx_kwargs={"timeout": 120})
        paths = [tmp_path / f"{name}{number}.json" for name in ("gold", "answers")]
        for path, content in zip(paths, (gold, answers), strict=True):
            path.write_text(json.dumps(content))
        files = [handle_file(path) for path in paths]
        found = client.predict(files[0], files[1:], "measures=exact_match", api_name="/score")
        return found["parts"][0]["values"][f"answers{number}"]["exact_match"]["value"]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [number / 20 for number in range(8)]


def test_of_programs_nothing_is_kept_and_they_take_no_visitors_place(http, app_server):
    held = app_server.demo.state_holder.session_data
    before = set(held)
    for _ in range(3):
        assert score(http, json.dumps({"q": [SECRET]}))[0] == "complete" and score(http, SECRET, "")[0] == "error"
    assert set(held) == before
    assert SECRET not in str([block.value for block in app_server.demo.blocks.values() if hasattr(block, "value")])


@pytest.fixture
def keeps(app_server, monkeypatch):
    """`keeps(session, analysis)` is a visitor whose scores are kept, used after those before."""
    holder = app_server.demo.state_holder
    monkeypatch.setattr(holder, "session_data", type(holder.session_data)())
    monkeypatch.setattr(holder, "time_last_used", {})
    states = [block for block in app_server.demo.blocks.values() if isinstance(block, gr.State)]
    (scored,) = (one._id for one in states if one.time_to_live == limits.STATE_SECONDS and one.value is None)

    def keep(session, analysis):
        holder[session][scored] = analysis

    return keep


def test_the_scores_of_all_visitors_are_bounded_by_their_size(http, app_server, keeps, monkeypatch):
    first = sample_analysis("answers")
    assert first.rows == 128, "64 questions of each of two systems"
    holder = app_server.demo.state_holder
    monkeypatch.setattr(server, "MAX_ROWS_KEPT", 3 * first.rows)
    keeps("looks", first)
    gone = dataclasses.replace(first)
    for name, analysis in (("oldest", gone), ("older", dataclasses.replace(first)), ("sees the first", first),
                           ("last but one", dataclasses.replace(first)), ("last", dataclasses.replace(first))):  # fmt: skip
        keeps(name, analysis)
    gone = weakref.ref(gone)
    del analysis
    call(http, "score", [{}, [], ""])
    # Of the sizes of the rest, what all see first is counted once, and whoever has it alone loses nothing.
    assert list(holder.session_data) == ["looks", "sees the first", "last but one", "last"]
    assert set(holder.time_last_used) == set(holder.session_data)
    gc.collect()
    assert gone() is None, "something else holds it"


# --- bounds -----------------------------------------------------------------------------------------------------------


def test_large_files_and_requests_are_refused_by_the_server(http):
    content = b" " * (limits.MAX_FILE + 1)
    assert http.post("upload", files={"files": ("large.json", content)}).status_code == 413
    many = [("files", (f"{place}.json", content[:-2])) for place in range(7)]
    assert http.post("upload", files=many).status_code == 413
    large = b'{"data": ["' + b"x" * page_server.MAX_BODY + b'"]}'
    headers = {"content-type": "application/json"}
    assert http.post("call/score", content=large, headers=headers).status_code == 413
    chunks = (large[start : start + 1_000_000] for start in range(0, len(large), 1_000_000))
    assert http.post("call/score", content=chunks, headers=headers).status_code == 413


def test_the_queue_is_bounded(http, app_server, monkeypatch):
    """More calls than may wait are refused at once; those that wait are answered."""
    running, go = threading.Semaphore(0), threading.Event()
    monkeypatch.setattr(app_server.demo._queue, "max_size", 3)
    monkeypatch.setattr("qassay.space.api.score_inputs", lambda *_, **__: running.release() or go.wait(HANGS) and 1 / 0)
    gold, system = (file(upload(http, f"{n}.json", text)) for n, text in enumerate((b'{"q": ["a"]}', b'{"q": "a"}')))
    body = {"data": [gold, [system], ""]}
    answers = [http.post("call/score", json=body) for _ in range(limits.AT_ONCE)]
    assert all(running.acquire(timeout=HANGS) for _ in answers), "those that run leave the queue"
    answers += [http.post("call/score", json=body) for _ in range(5)]
    go.set()
    assert [answer.status_code for answer in answers] == [200] * (limits.AT_ONCE + 3) + [503] * 2
    for answer in answers[:-2]:
        assert "ZeroDivisionError" in http.get(f"call/score/{answer.json()['event_id']}").text


BOMBS = {
    "brackets": "[" * 100_000,
    "deep": "[" * 900 + "]" * 900,
    "long number": '{"q": ' + "9" * 100_000 + "}",
    "large numbers": '[{"id": 1e999, "answers": ["a"]}]',
    "a key many times": "{" + '"q": ["a"],' * 300_000 + '"q": ["a"]}',
    "columns": ",".join(f"c{place}" for place in range(100_000)) + "\n" + ",".join("1" * 100_000),
    "quotes": '"' * 200_000,
    "blanks": " " * 200_000 + "x" + " " * 200_000,
    "rows": "q 0 d 1\n" * 1_000_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_answered(http, name):
    end, words = score(http, BOMBS[name])
    assert end == "error" and len(words) < 5_000 and json.loads(words)["error"]
    assert "a fault of qassay" not in words


# --- faults -----------------------------------------------------------------------------------------------------------


ATTACK = '<img src=x onerror="alert(1)">'


def raising(error):
    def handler(value, progress=None):
        raise error

    return handler


def test_errors_of_input_are_quoted_escaped_on_the_page_alone_and_faults_are_named_without_their_words(caplog):
    for wrap, told in ((guarded, "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;"), (refusing, ATTACK)):
        with pytest.raises(gr.Error) as caught:
            wrap(raising(ValueError(ATTACK)))(1)
        assert caught.value.message == told and not caught.value.print_exception
        with pytest.raises(gr.Error) as caught:
            wrap(raising(KeyError(SECRET)))(1)
        assert "KeyError" in caught.value.message and SECRET not in caught.value.message
        own = gr.Error("mine")
        with pytest.raises(gr.Error) as caught:
            wrap(raising(own))(1)
        assert caught.value is own
    assert "KeyError" in caplog.text and SECRET not in caplog.text
    for error in (csv.Error("x"), OverflowError("x"), RecursionError("x"), OSError(errno.ENOSPC, "x"), MemoryError()):
        with pytest.raises(gr.Error) as caught:
            guarded(raising(error))(1)
        assert "a fault of qassay" not in caught.value.message, error
    with pytest.raises(gr.Error) as caught:
        guarded(raising(ValueError("\ud800" + "x" * 10_000)))(1)
    assert caught.value.message.startswith("\\ud800xxx") and len(caught.value.message) < 2_100


def test_the_log_has_no_answers_in_it(http, monkeypatch, send_event, app_server, capfd, caplog):
    """Neither mistakes of visitors, nor whatever callers send to any event, nor faults of ours; each failure has words."""
    score(http, SECRET, json.dumps({"q": SECRET}))
    dictionary, path = {SECRET: SECRET}, {"path": SECRET, "meta": {"_type": "gradio.FileData"}}
    for event in app_server.demo.fns:
        message = send_event(http, event, [SECRET, dictionary, path, None] * 10)
        assert message["success"] or message["output"]["error"], event
    for body in (json.dumps([SECRET]), SECRET, json.dumps({"data": SECRET}), json.dumps({"data": [SECRET + "\ud800"]})):
        for name in f"call/score call/v2/score call/{SECRET} run/predict run/score queue/join cancel".split():
            http.post(name, content=body, headers={"content-type": "application/json"})
    monkeypatch.setattr("qassay.space.api.score_inputs", lambda *_, **__: {}[SECRET])
    end, words = score(http, json.dumps({"q": [SECRET]}), json.dumps({"q": SECRET}))
    assert end == "error" and "KeyError" in words and SECRET not in words
    said = logged(capfd, caplog)
    assert SECRET not in said and "score failed: KeyError" in said


# --- uploads ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def stalled(app_server):
    """`with stalled(text) as caller:` an upload of which only the beginning, with a text, arrives."""

    @contextlib.contextmanager
    def call(text):
        host, port = app_server.url.removeprefix("http://").split(":")
        part = f'--b\r\nContent-Disposition: form-data; name="files"; filename="{text}"\r\n\r\n{text}'
        head = "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999"
        with socket.create_connection((host, int(port)), timeout=HANGS) as caller:
            caller.sendall(f"POST /gradio_api/upload HTTP/1.1\r\nHost: x\r\n{head}\r\n\r\n{part}".encode())
            yield caller

    return call


def test_an_upload_that_stops_is_answered_and_nothing_of_it_stays(app_server, stalled, monkeypatch):
    monkeypatch.setattr(page_server, "STALL_SECONDS", 0.1)
    before = set(app_server.uploads.iterdir())
    with stalled("a.json") as caller:
        said = caller.makefile("rb").read().decode()
    assert said.startswith("HTTP/1.1 408 ")
    assert set(app_server.uploads.iterdir()) == before
