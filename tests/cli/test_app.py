"""`qassay app` and `qassay spaces build`: arguments and refusals. The page itself: tests/space."""

import os
import socket
import sys
import webbrowser
from types import SimpleNamespace

import pytest

from qassay.space import launch


@pytest.fixture
def served(monkeypatch):
    """What the page is built and served with; it is interrupted at once."""
    seen = {}

    def serve(app, listening, tell):
        seen["address"] = listening.getsockname()
        tell()
        raise KeyboardInterrupt

    app = SimpleNamespace(build=lambda uploads, metric: seen.setdefault("metric", metric))
    monkeypatch.setitem(sys.modules, "qassay.space.app", app)
    monkeypatch.setattr(launch, "start", lambda: None)
    monkeypatch.setattr(launch, "run_server", serve)
    for name in (launch.MODELS_VARIABLE, "GRADIO_SERVER_NAME", "GRADIO_SERVER_PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(launch.MODELS_VARIABLE, "")
    return seen


@pytest.fixture
def stop(capsys):
    from qassay.cli import main

    def call(*arguments):
        assert main(arguments) == 130
        return tuple(capsys.readouterr())

    return call


@pytest.mark.thorough
def test_the_page_is_for_this_machine_alone_unless_an_address_is_given(served, stop, monkeypatch):
    out, err = stop("app")  # Ctrl-C closes it
    host, port = served["address"]
    assert (out, err) == (f"qassay: ready at http://127.0.0.1:{port}/ (Ctrl-C stops it)\n", "")
    assert host == "127.0.0.1" and port >= 7860 and served["metric"] == ""
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    stop("app", "--host", "0.0.0.0", "--port", str(port), "--model", "org/a", "./b", "--model", "c", "--open")
    assert served["address"] == ("0.0.0.0", port)
    assert os.environ[launch.MODELS_VARIABLE] == "org/a,./b,c"
    assert opened == [f"http://127.0.0.1:{port}/"]


def test_a_busy_port_is_named(fail):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert f"port {port} is in use" in fail("app", "--port", port)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port", "0"], "port 0"),
        (["--port", "x"], "argument --port"),
        (["--host", "192.0.2.1", "--port", "8123"], "192.0.2.1"),
        (["--model", "a,b"], "--model 'a,b'"),
    ],
)
def test_bad_arguments_are_refused_before_gradio_is_loaded(served, fail, arguments, message):
    assert message in fail("app", *arguments)
    assert served == {}


def test_without_gradio_the_command_says_what_to_install(fail, monkeypatch):
    monkeypatch.setitem(sys.modules, "gradio", None)
    assert 'the page needs gradio: run `pip install "qassay[app]"`' in fail("app")


@pytest.mark.thorough
def test_spaces_are_written_by_name(run, fail, tmp_path):
    printed = run("spaces", "build", tmp_path / "out", "label_metrics", "--owner", "acme")
    assert printed.splitlines() == [str(tmp_path / "out" / "label_metrics")]
    assert "no Space 'nosuch'" in fail("spaces", "build", tmp_path / "none", "nosuch", "--owner", "acme")
    assert "--owner" in fail("spaces", "build", tmp_path / "none") and "ACTION" in fail("spaces")
    assert not (tmp_path / "none").exists()
