"""`qassay app` and `qassay spaces build`: arguments and refusals. The page itself: tests/space."""

import os
import socket
import sys
import webbrowser

import pytest

from qassay.space import launch


class Demo:
    """A fake page that records its launch arguments and whether it was closed."""

    def __init__(self):
        self.launched, self.closed = None, False

    def launch(self, **options):
        self.launched = options
        return None, "http://127.0.0.1:7860/", None

    def close(self, verbose):
        self.closed = True


@pytest.fixture
def demo(monkeypatch):
    """A page that is interrupted as soon as it waits."""

    def interrupted():
        raise KeyboardInterrupt

    page = Demo()
    monkeypatch.setattr(launch, "_page", lambda: lambda sample: (page, {"quiet": True}))
    monkeypatch.setattr(launch, "_wait", interrupted)
    for name in (launch.MODELS_VARIABLE, "no_proxy", "NO_PROXY", "GRADIO_SERVER_NAME"):
        monkeypatch.setenv(name, "")
    return page


@pytest.fixture
def stop(capsys):
    from qassay.cli import main

    def call(*arguments):
        assert main(arguments) == 130
        return tuple(capsys.readouterr())

    return call


@pytest.mark.thorough
def test_the_page_is_for_this_machine_alone_and_ctrl_c_closes_it(demo, stop):
    assert stop("app") == ("qassay: ready at http://127.0.0.1:7860/ (Ctrl-C stops it)\n", "")
    assert demo.closed
    asked = {"server_name": "127.0.0.1", "server_port": None, "prevent_thread_lock": True, "quiet": True}
    assert demo.launched == asked
    assert os.environ[launch.MODELS_VARIABLE] == ""


@pytest.mark.thorough
def test_address_models_and_browser_are_passed_on(demo, stop, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(launch, "check_address", lambda host, port: None)
    stop("app", "--host", "0.0.0.0", "--port", "8123", "--model", "org/a", "./b", "--model", "c", "--open")
    assert (demo.launched["server_name"], demo.launched["server_port"]) == ("0.0.0.0", 8123)
    assert os.environ[launch.MODELS_VARIABLE] == "org/a,./b,c"
    assert opened == ["http://127.0.0.1:7860/"]


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
def test_bad_arguments_are_refused_before_gradio_is_loaded(demo, fail, arguments, message):
    assert message in fail("app", *arguments)
    assert demo.launched is None


def test_without_gradio_the_command_says_what_to_install(fail, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("qassay.space.app")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "gradio", None)
    assert 'the page needs gradio: run `pip install "qassay[app]"`' in fail("app")


@pytest.mark.thorough
def test_spaces_are_written_by_name(run, fail, tmp_path):
    printed = run("spaces", "build", tmp_path / "out", "label_metrics", "--owner", "acme")
    assert printed.splitlines() == [str(tmp_path / "out" / "label_metrics")]
    assert "no Space 'nosuch'" in fail("spaces", "build", tmp_path / "none", "nosuch", "--owner", "acme")
    assert "--owner" in fail("spaces", "build", tmp_path / "none") and "ACTION" in fail("spaces")
    assert not (tmp_path / "none").exists()
