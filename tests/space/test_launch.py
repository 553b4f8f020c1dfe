"""The page as users start it: it asks no other machine, stops quietly, and takes uploads along."""

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

ROOT = Path(__file__).resolve().parents[2]
LOOPBACK = {"localhost", "127.0.0.1", "0.0.0.0", "::1"}
# Python runs this file before any other code: whom a process asks stands in a file.
WATCH = """
import os
import sys


def note(event, values):
    if event in ("socket.connect", "socket.sendto", "socket.getaddrinfo"):
        address = values[0] if event == "socket.getaddrinfo" else values[1]
        host = address[0] if isinstance(address, tuple) else address
        if not str(host).startswith("/"):
            with open(os.environ["ASKED"], "a") as file:
                print(host.decode() if isinstance(host, bytes) else host, file=file)


sys.addaudithook(note)
"""


@contextmanager
def page(command, folder, tmp_path):
    """A page that another process serves: the process, and a client."""
    gone = ("GRADIO", "QASSAY", "PYTHON", "HF_")
    env = {name: value for name, value in os.environ.items() if not name.startswith(gone)}
    env |= {"GRADIO_TEMP_DIR": str(tmp_path / "temp"), "ASKED": str(tmp_path / "asked"), "PYTHONDONTWRITEBYTECODE": "1"}
    env |= {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(qassay.__file__).parents[1])])}
    env |= {"HTTP_PROXY": "http://192.0.2.1:9", "http_proxy": "http://192.0.2.1:9"}  # a proxy is another machine too
    (tmp_path / "sitecustomize.py").write_text(WATCH)
    (tmp_path / "asked").touch()
    process = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        ready = process.stdout.readline()
        address = re.search(r"^qassay: ready at (\S+)/ \(Ctrl-C stops it\)$", ready)
        assert address, process.communicate()
        with httpx.Client(base_url=address[1], timeout=60, trust_env=False) as client:
            yield process, client
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize(
    ("command", "folder", "metric"),
    [
        (["-m", "qassay", "app"], ROOT, "answer_match"),
        (["app.py"], ROOT / "spaces_app", "answer_match"),
        (["app.py"], ROOT / "metrics" / "label_metrics", "label_metrics"),
    ],
)
def test_the_page_shows_its_sample_asks_nobody_and_stops_quietly(tmp_path, command, folder, metric, how):
    with page([sys.executable, *command], folder, tmp_path) as (process, client):
        front = client.get("/").text
        first = re.search(r'"first": "(\w+)"', front)[1]
        assert client.get(f"/sample/{first}").json()["parts"][0]["metric"] == metric
        answer = client.post("/gradio_api/upload", files={"files": ("file.json", b"{}")})
        assert Path(answer.json()[0]).exists()
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
    assert (out, err) == ("", "") and process.returncode in (0, 130)
    assert list((tmp_path / "temp").rglob("*.*")) == []
    assert {*(tmp_path / "asked").read_text().split()} <= LOOPBACK
