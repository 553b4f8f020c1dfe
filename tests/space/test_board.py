"""The Space of a leaderboard end to end: built from settings, served by a process of its own, used by programs and people."""

import contextlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')

import gradio as gr
from gradio_client import Client, handle_file

from qassay.cli import main
from qassay.leaderboards.hosting import HostedBoard
from qassay.leaderboards.settings import read_board_settings
from qassay.leaderboards.space import render_board_space
from qassay.spaces_app import board as board_app
from qassay.spaces_app.board import build_board_app, submit_function

from ..leaderboards.conftest import SECRET, organiser
from ..leaderboards.conftest import answers_of as _answers
from .conftest import expect, soon

pytestmark = pytest.mark.thorough

_HOSTILE = '<img src=x onerror="document.title=1">\u202e'


class Space(NamedTuple):
    """A leaderboard that is served: its address, its folder, the folder of what it hides, and its log."""

    url: str
    public: Path
    private: Path
    log: Path


def _organiser(folder: Path, **more: Any) -> Path:
    limits = {"user_per_day": 50, "attempts_per_hour": 1_000, "file_mb": 2}
    settings = {"title": "Numbers & people", "rules": f"Be kind. {_HOSTILE}", "by": [], "limits": limits}
    return organiser(folder, **settings, **more)


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    """The Space, as the Hub starts it."""
    top = tmp_path_factory.mktemp("board")
    assert main(["spaces", "build", str(top), "--leaderboard", str(_organiser(top / "organiser"))]) == 0
    public, private, log = top / "leaderboard", top / "leaderboard-private", top / "log.txt"
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "GRADIO_TEMP_DIR": str(top / "uploads"),
        "GRADIO_SERVER_NAME": "127.0.0.1",
    }
    with log.open("w") as file:
        process = subprocess.Popen([sys.executable, "app.py"], cwd=public, env=environment, stdout=file, stderr=file)
    try:
        end = time.monotonic() + 300
        while not (ready := re.search(r"ready at (http://\S+)", log.read_text())):
            assert process.poll() is None and time.monotonic() < end, log.read_text()
            time.sleep(0.1)
        yield Space(ready[1].rstrip("/"), public, private, log)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(200)


@pytest.fixture(scope="module")
def client(space):
    """A program that knows the Space."""
    return Client(space.url, verbose=False)


@pytest.fixture
def hand_in(client, tmp_path):
    """`hand_in(content, system, team, link)` submits as a program does, and gives the HTML that comes back."""

    def call(content: Any, system: str, team: str = "", link: str = "", name: str = "mine.json") -> str:
        path = tmp_path / name
        data = content if isinstance(content, (bytes, str)) else json.dumps(content)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        receipt, _ = client.predict(handle_file(path), system, team, link, api_name="/submit")
        return receipt

    return call


def _fetch(url: str, data: Any = None) -> tuple[int, str]:
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(url, body, {"content-type": "application/json"})
    with contextlib.closing(_open(request)) as answer:
        return answer.status, answer.read().decode("utf-8", "replace")


def _open(request: urllib.request.Request) -> Any:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        return opener.open(request, timeout=200)
    except urllib.error.HTTPError as error:
        return error


def _board(space) -> dict[str, Any]:
    return json.loads(_fetch(f"{space.url}/board.json")[1])


def test_what_is_pushed_holds_nothing_hidden_and_needs_nothing_else(space):
    # Not what running it has compiled, which holds the paths of its own files.
    files = [path for path in space.public.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert not any(SECRET.encode() in path.read_bytes() for path in files)
    assert not any(str(space.private.parent).encode() in path.read_bytes() for path in files)
    assert not (space.public / "qassay" / "samples").exists()
    assert "sdk: gradio\n" in (space.public / "README.md").read_text()
    assert "\nhf_oauth: true" not in (space.public / "README.md").read_text()
    assert SECRET in (space.private / "gold.json").read_text()
    code = "import qassay; print(qassay.__file__)"
    found = subprocess.run([sys.executable, "-c", code], cwd=space.public, capture_output=True, text=True, check=True)
    assert found.stdout.startswith(str(space.public))


def test_a_good_submission_is_on_the_board(space, hand_in):
    before = len(_board(space)["systems"])
    told = hand_in(_answers(20), "Fine one", "A team", "https://x.org/fine")
    assert "Fine one is on the leaderboard" in told and "exact_match: 0.5" in told
    board = _board(space)
    assert len(board["systems"]) == before + 1
    (own,) = [system for system in board["systems"] if system["name"] == "Fine one"]
    assert (own["team"], own["link"]) == ("A team", "https://x.org/fine")
    page = _fetch(f"{space.url}/board.html")[1]
    assert "Fine one" in page and SECRET not in page and "q00" not in page
    links = re.findall(r"<a [^>]*https://x.org/fine[^>]*>", page)
    template = json.loads(_fetch(f"{space.url}/template.json")[1])
    assert list(template) == list(_answers(0)) and set(template.values()) == {""}
    assert links and all('rel="noopener noreferrer nofollow" target="_blank"' in link for link in links)


_ROUTES = ("gradio_api/file=", "file=", "gradio_api/file/", "static/", "assets/", "gradio_api/stream/", "")


def test_no_route_leads_to_the_gold_answers_or_to_submissions(space, hand_in):
    """Each hidden file by each way to write its path, on one route after the other."""
    some, name = itertools.cycle(_ROUTES), "To be kept"
    hand_in(_answers(7), name)
    (row,) = [path for path in space.private.rglob("result.json") if name in path.read_text()]
    hidden = [space.private / "gold.json", space.private / "baselines" / "1.json", row, row.parent / "predictions.json"]
    hidden += [space.private / "store" / "salt", space.public / "app.py"]
    for path in hidden:
        relative = os.path.relpath(path, space.public)
        quoted = urllib.parse.quote(str(path))
        for place in (str(path), relative, f"./{relative}", quoted, urllib.parse.quote(relative, safe=""), path.name):
            status, body = _fetch(f"{space.url}/{next(some)}{place.replace(' ', '%20')}")
            assert status != 200 or (SECRET not in body and "nobody" not in body and "serve_board" not in body)
            assert SECRET not in body
        for given in ({"path": str(path), "meta": {"_type": "gradio.FileData"}}, {"path": str(path)}, str(path)):
            status, body = _fetch(f"{space.url}/gradio_api/call/submit", {"data": [given, "thief", "", ""]})
            if status == 200:
                status, body = _fetch(f"{space.url}/gradio_api/call/submit/{json.loads(body)['event_id']}")
                assert "event: error" in body
            assert SECRET not in body
    assert "thief" not in json.dumps(_board(space))
    for route in ("config", "gradio_api/info", "gradio_api/startup-events", "board.json", "board.html", ""):
        body = _fetch(f"{space.url}/{route}")[1]
        assert SECRET not in body and "leaderboard-private" not in body and "gold.json" not in body


def test_programs_have_one_function_and_the_log_no_word_of_visitors(space, hand_in):
    info = json.loads(_fetch(f"{space.url}/gradio_api/info")[1])
    assert list(info["named_endpoints"]) == ["/submit"]
    with pytest.raises(Exception, match="not predictions"):  # noqa: PT011
        hand_in({"mysterious": {"word": [1]}}, "x")
    assert "mysterious" not in space.log.read_text() and SECRET not in space.log.read_text()
    assert "Traceback" not in space.log.read_text()


def test_a_program_does_not_choose_its_address(space, tmp_path):
    (tmp_path / "mine.json").write_text(json.dumps(_answers(8)))
    for address in ("10.0.0.1", "10.0.0.2"):
        client = Client(space.url, verbose=False, headers={"X-Forwarded-For": address})
        client.predict(handle_file(tmp_path / "mine.json"), f"from {address}", "", "", api_name="/submit")
    rows = [json.loads(path.read_text()) for path in space.private.rglob("result.json")]
    assert len({row["user"] for row in rows if row["system"].startswith("from 10.0.0")}) == 1


def test_people_hand_in_and_see_the_board_change(space, visit, tmp_path):
    visitor = visit(375, url=space.url, dark=True)
    page, name = visitor.page, "by hand"
    (tmp_path / "mine.json").write_text(json.dumps(_answers(12)))
    visitor.open("Submit")
    with visitor.event():
        page.get_by_role("button", name="Submit", exact=True).click()  # no file yet
    page.get_by_text("choose the file of predictions first").wait_for()
    with visitor.event(starts=False):
        page.locator("#file input[type=file]").set_input_files(tmp_path / "mine.json")
    page.locator("#file .file-preview").get_by_text("mine").first.wait_for()
    page.get_by_label("Name of the system").fill(name)
    page.get_by_label("Team").fill("Handy")
    with visitor.event():
        page.get_by_role("button", name="Submit", exact=True).click()
    page.get_by_role("heading", name=f"{name} is on the leaderboard").wait_for()
    visitor.open("Board")
    page.frame_locator("iframe.board").get_by_text(name).first.wait_for()
    assert "allow-same-origin" not in page.locator("iframe.board").get_attribute("sandbox")
    visitor.open("About")
    expect(page).to_have_title("Numbers & people")
    assert "Xylographer" not in page.content()
    soon(lambda: page.evaluate("document.documentElement.scrollWidth") <= 375)
    assert visitor.violations() == []


def test_with_accounts_only_those_who_log_in_on_the_hub_hand_in(tmp_path, monkeypatch):
    settings = _organiser(tmp_path / "organiser", login="huggingface")
    board = HostedBoard(read_board_settings(settings), tmp_path / "organiser", tmp_path / "store")
    (tmp_path / "mine.json").write_text(json.dumps(_answers(12)))
    given = (str(tmp_path / "mine.json"), "mine", "", "")
    for in_hub, more in ((False, ()), (True, (None,))):
        with pytest.raises(gr.Error, match="log in"):
            submit_function(board, in_hub=in_hub)(*given, *more)
    profile = gr.OAuthProfile({"name": "Ann", "preferred_username": "ann", "profile": "", "picture": ""})
    submit_function(board, in_hub=True)(*given, profile)
    assert [row.user for row in board.store.rows()] == [board.store.user_key("ann")]
    public, private = render_board_space(settings, tmp_path / "out")
    assert "\nhf_oauth: true\n" in (public / "README.md").read_text() and private.stat().st_mode & 0o077 == 0
    assert (public / "requirements.txt").read_text().endswith("\nauthlib\nitsdangerous\n")
    monkeypatch.setattr(board_app, "is_on_hub", lambda: True)
    monkeypatch.setattr(board_app, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="authlib"):
        build_board_app(board)
    without = read_board_settings(_organiser(tmp_path / "task"))
    with pytest.raises(ValueError, match="login: none"):  # on the Hub users have no addresses
        build_board_app(HostedBoard(without, tmp_path / "task", tmp_path / "other"))
