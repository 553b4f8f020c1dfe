"""docs/people_and_judges.md: the judge asks a server that speaks OpenAI's protocol, here one that knows a rule instead of a model."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from qassay.answer_equivalence import judges

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "people_and_judges.md").read_text("utf-8").partition("## A language model as the judge")[2]
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)[:2]


class Server(ThreadingHTTPServer):
    """Says Yes where the answer has a gold answer in it. `busy` calls are refused, `unreadable` answers get no verdict."""

    daemon_threads = True

    def __init__(self):
        self.received, self.headers, self.busy, self.unreadable = [], [], 0, ()
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), Handler)

    def reply(self, message):
        parts = [
            json.loads(message.split(f"{name}: ", 1)[1].split("\n")[0])
            for name in ("Question", "Gold answers", "Answer to judge")
        ]
        with self.lock:
            self.received.append(tuple(map(json.dumps, parts)))
            if self.busy:
                self.busy -= 1
                return None
        _, golds, answer = parts
        if answer in self.unreadable:
            return "As a language model I have no opinion."
        return " Yes." if any(gold.lower() in answer.lower() for gold in golds) else "no"


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.headers.append((self.path, self.headers["Authorization"], body["model"]))
        text = self.server.reply(body["messages"][0]["content"])
        found = json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()
        self.send_response(200 if text else 503)
        self.send_header("Content-Length", str(len(found)))
        self.end_headers()
        self.wfile.write(found)


@pytest.fixture
def server(monkeypatch, tmp_path):
    running = Server()
    threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
    for name, value in {
        "URL": f"http://127.0.0.1:{running.server_port}/v1",
        "MODEL": "rule-1",
        "KEY": "secret",
    }.items():
        monkeypatch.setenv(f"JUDGE_{name}", value)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(judges, "_LONGEST_WAIT", 0.0)
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.chdir(tmp_path)
    yield running
    running.shutdown()
    running.server_close()


def run(*blocks):
    names = {}
    for block in blocks:
        exec(compile(block, "docs/people_and_judges.md", "exec"), names)  # noqa: S102 - our own page
    return names


def test_the_judge_of_the_page(server):
    server.busy = 3
    names = run(*BLOCKS)
    scores, found = names["scores"], names["found"]
    assert len(server.received) == len(set(server.received)) + 3  # each distinct row once, and again what was refused
    assert set(server.headers) == {("/v1/chat/completions", "Bearer secret", "rule-1")}
    assert scores.summary(["failed"]) == {"failed": 0} and 0.5 < scores.summary(["accepted"])["accepted"] < 1
    assert scores.signature().startswith("answer_equivalence|model:rule-1|revision:prompt 1|question:yes|v:")
    assert 0.5 < found.auc <= 1 and 0.5 < found.accuracy <= 1
    calls = len(server.received)
    assert run(BLOCKS[0])["scores"] == scores and len(server.received) == calls  # a second run asks nothing


def test_a_reply_that_is_no_verdict_is_a_failure_and_asked_for_again(server):
    server.unreadable = {"nine"}
    with pytest.warns(
        UserWarning, match="the judge rule-1 gave no verdict on 1 of .*neither yes nor no: 'As a language"
    ):
        scores = run(BLOCKS[0])["scores"]
    assert scores.summary(["failed"]) == {"failed": 1}
    calls, server.unreadable = len(server.received), ()
    assert run(BLOCKS[0])["scores"].summary(["failed"]) == {"failed": 0} and len(server.received) == calls + 1
