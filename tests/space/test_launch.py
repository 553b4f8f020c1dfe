"""The page as users start it: `qassay app`, and the rendered demo. It asks no other machine, stops quietly and takes uploads along."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')

import httpx

import qassay

pytestmark = pytest.mark.thorough

LOOPBACK = {"localhost", "127.0.0.1", "0.0.0.0", "::1"}

# Python runs this file before any other code: whom a process asks stands in a file.
WATCH = """
import os
import sys


def note(event, values):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo"):
        address = values[0] if event == "socket.getaddrinfo" else values[1]
        host = address[0] if isinstance(address, tuple) else address
        with open(os.environ["ASKED"], "a") as file:
            print(host.decode() if isinstance(host, bytes) else host, file=file)


sys.addaudithook(note)
"""


class Served:
    """A page that another process serves."""

    def __init__(self, process, asked, send_event):
        self.process, self.asked, self.send_event = process, asked, send_event
        self.ready = process.stdout.readline()
        address = re.search(r"ready at (\S+)/", self.ready)
        assert address, process.communicate()
        self.client = httpx.Client(base_url=address[1], timeout=200, trust_env=False)

    def call(self, name, *values):
        """What a program gets, as text."""
        event = self.client.post(f"/gradio_api/call/{name}", json={"data": values}).json()["event_id"]
        return self.client.get(f"/gradio_api/call/{name}/{event}").text

    def first_sample(self):
        """What the page shows when a browser opens it: the event must end well."""
        events = self.client.get("/config").json()["dependencies"]
        (event,) = (event for event in events if "load" in [trigger for _, trigger in event["targets"]])
        message = self.send_event(self.client, event["id"], [None, ""])
        assert message["success"], message
        return json.dumps(message["output"]["data"])

    def upload(self, content):
        """The path of a file that a visitor uploads."""
        answer = self.client.post("/gradio_api/upload", files={"files": ("file.json", content)})
        (path,) = answer.raise_for_status().json()
        return Path(path)

    def stop(self, how):
        self.process.send_signal(how)
        return *self.process.communicate(timeout=200), self.process.returncode

    def strangers(self):
        return {line for line in self.asked.read_text().splitlines() if line not in LOOPBACK}


@pytest.fixture
def served(send_event, tmp_path):
    """`with served(command, folder, interrupt, **variables) as page:` serves a page, whose files are in `tmp_path`.

    `interrupt` is what SIGINT does to it, which a process otherwise has from who starts the tests.
    """

    @contextmanager
    def call(command, folder, interrupt=signal.SIG_DFL, **variables):
        gone = ("GRADIO", "QASSAY", "PYTHON", "HF_")
        env = {name: value for name, value in os.environ.items() if not name.startswith(gone)}
        paths = {"GRADIO_TEMP_DIR": tmp_path / "temp", "HF_HOME": tmp_path / "home", "ASKED": tmp_path / "asked"}
        env |= {name: str(path) for name, path in paths.items()}
        env |= {"PYTHONDONTWRITEBYTECODE": "1", **variables}
        env["PYTHONPATH"] = os.pathsep.join([env["PYTHONPATH"], str(Path(qassay.__file__).parents[1])])
        paths["ASKED"].touch()
        process = subprocess.Popen(
            command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, interrupt),
        )  # fmt: skip
        try:
            page = Served(process, paths["ASKED"], send_event)
            with page.client:
                yield page
        finally:
            process.kill()
            process.communicate()

    return call


def test_qassay_app_shows_the_sample_asks_nobody_and_stops_quietly(served, tmp_path):
    """Also as a background job, which SIGINT does not reach."""
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    # A proxy is another machine too: nobody listens at this address.
    variables = {"PYTHONPATH": str(tmp_path), "HTTP_PROXY": "http://192.0.2.1:9", "http_proxy": "http://192.0.2.1:9"}
    command = [sys.executable, "-m", "qassay", "app"]
    with served(command, tmp_path, signal.SIG_IGN, **variables) as page:
        assert "small_model" in page.first_sample()
        uploaded, system = page.upload(b'{"q": ["a"]}'), page.upload(b'{"q": "a"}')
        gold, answers, address = (
            {"path": str(path), "meta": {"_type": "gradio.FileData"}}
            for path in (uploaded, system, "http://example.com/gold.json")
        )
        assert '"f1": [1' in page.call("score", gold, [answers], "measures=f1")
        refused = page.call("score", address, [address], "")
        assert "event: error" in refused and "addresses are not fetched" in refused
        out, err, code = page.stop(signal.SIGTERM)  # as `docker stop` does
    assert page.ready == f"qassay: ready at {page.client.base_url}/ (Ctrl-C stops it)\n"
    assert (out, err, code) == ("", "", 130)
    assert not uploaded.exists() and list((tmp_path / "temp").rglob("*.*")) == []
    assert page.strangers() == set()


def test_the_app_of_the_space_shows_the_sample(served, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    folder = Path(__file__).resolve().parents[2] / "spaces_app"
    with served([sys.executable, "app.py"], folder, PYTHONPATH=str(tmp_path)) as page:
        shown = page.first_sample()
        assert "small_model" in shown and "48.4" in shown, "the exact match of the small model in percent"
        _, err, code = page.stop(signal.SIGINT)
    assert (err, code) == ("", 130)
    assert page.strangers() == set()
