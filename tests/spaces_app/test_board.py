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

from .conftest import expect, soon

SECRET = "Xylographer"
QUESTIONS = 30
_HOSTILE = '<img src=x onerror="document.title=1">\u202e'


class Space(NamedTuple):
    """A leaderboard that is served: its address, its folder, the folder of what it hides, and its log."""

    url: str
    public: Path
    private: Path
    log: Path


def _answers(right: int) -> dict[str, str]:
    return {f"q{place:02}": f"{SECRET} {place}" if place < right else "nobody" for place in range(QUESTIONS)}


def _organiser(folder: Path, **more: Any) -> Path:
    """The settings of a task in a folder, with its files."""
    folder.mkdir()
    questions = [
        {"id": name, "question": f"Who is {name}?", "answers": [{"text": f"{SECRET} {place}", "answer_start": 0}]}
        for place, name in enumerate(_answers(0))
    ]
    gold = {"version": "1.1", "data": [{"title": "T", "paragraphs": [{"context": "", "qas": questions}]}]}
    (folder / "answers.json").write_text(json.dumps(gold))
    (folder / "guess.json").write_text(json.dumps(_answers(5)))
    settings = {
        "title": "Numbers & people",
        "rules": f"Be kind. {_HOSTILE}",
        "gold": "answers.json",
        "measures": ["f1", "exact_match"],
        "baselines": {"guess": "guess.json"},
        "login": "none",
        "limits": {"user_per_day": 50, "attempts_per_hour": 1_000, "file_mb": 2},
        **more,
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    return folder / "settings.json"


@pytest.fixture(scope="module")
def space(tmp_path_factory):
    """The Space, as the Hub starts it."""
    pytest.importorskip("gradio", reason="gradio is not installed")
    from qassay.cli import main

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
    from gradio_client import Client

    return Client(space.url, verbose=False)


@pytest.fixture
def hand_in(client, tmp_path):
    """`hand_in(content, system, team, link)` submits as a program does, and gives the HTML that comes back."""
    from gradio_client import handle_file

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
    assert {path.name for path in space.public.iterdir()} >= {
        "app.py",
        "README.md",
        "requirements.txt",
        "settings.json",
    }
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
    assert "Fine one is on the leaderboard" in told and "exact_match: 0.6667" in told
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


@pytest.mark.parametrize(
    "content, system, link, words",
    [
        ({"q00": "a"}, "half", "", "29 of 30 examples have no prediction"),
        ({**_answers(3), "z": "a"}, "more", "", "1 prediction with an id that the gold data do not have"),
        ("[" * 100_000, "deep", "", "nested too deeply"),
        (b"PK\x03\x04bomb", "zip", "", "this is a zip file"),
        (b"PAR1" + b"\xff" * 100 + b"PAR1", "parquet", "", "broken or cut off"),
        (b'{"q00": "' + b"a" * 2_100_000 + b'"}', "large", "", "exceeds the maximum file size of 2000000 bytes"),
        (_answers(3), "guess", "", "is taken"),
        (_answers(3), "\u202e\n", "", "the name of the system is missing"),
        (_answers(3), "link", "javascript:alert(1)", "link must be an address"),
    ],
)
def test_a_submission_that_is_refused_leaves_the_board_as_it_was(space, hand_in, content, system, link, words):
    before, stored = _board(space), sorted(space.private.rglob("*"))
    with pytest.raises(Exception) as refused:  # noqa: PT011, B017  of the client
        hand_in(content, system, link=link)
    assert words in str(refused.value) and SECRET not in str(refused.value)
    assert _board(space) == before and sorted(space.private.rglob("*")) == stored


def test_names_from_outside_are_text_everywhere(space, hand_in):
    told = hand_in(_answers(9), _HOSTILE[:-1], '=HYPERLINK("http://x")')
    page = _fetch(f"{space.url}/board.html")[1]
    assert "<img" not in told and "<img" not in page and "\u202e" not in page


_ROUTES = ("gradio_api/file=", "file=", "gradio_api/file/", "static/", "assets/", "gradio_api/stream/", "")


@pytest.mark.parametrize("is_every", [False, pytest.param(True, marks=pytest.mark.thorough)], ids=["some", "every"])
def test_no_route_leads_to_the_gold_answers_or_to_submissions(space, hand_in, is_every):
    """Each hidden file by each way to write its path, on one route after the other, or each on every route."""
    some, name = itertools.cycle(_ROUTES), f"To be kept {is_every}"
    hand_in(_answers(7), name)
    (row,) = [path for path in space.private.rglob("result.json") if name in path.read_text()]
    hidden = [space.private / "gold.json", space.private / "baselines" / "1.json", row, row.parent / "predictions.json"]
    hidden += [space.private / "store" / "salt", space.public / "app.py"]
    for path in hidden:
        relative = os.path.relpath(path, space.public)
        quoted = urllib.parse.quote(str(path))
        for place in (str(path), relative, f"./{relative}", quoted, urllib.parse.quote(relative, safe=""), path.name):
            for route in _ROUTES if is_every else [next(some)]:
                status, body = _fetch(f"{space.url}/{route}{place.replace(' ', '%20')}")
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
    from gradio_client import Client, handle_file

    (tmp_path / "mine.json").write_text(json.dumps(_answers(8)))
    for address in ("10.0.0.1", "10.0.0.2"):
        client = Client(space.url, verbose=False, headers={"X-Forwarded-For": address})
        client.predict(handle_file(tmp_path / "mine.json"), f"from {address}", "", "", api_name="/submit")
    rows = [json.loads(path.read_text()) for path in space.private.rglob("result.json")]
    assert len({row["user"] for row in rows if row["system"].startswith("from 10.0.0")}) == 1


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.thorough), 375])
def test_people_hand_in_and_see_the_board_change(space, visit, tmp_path, width):
    visitor = visit(width, url=space.url)
    page, name = visitor.page, f"by hand {width}"
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
    soon(lambda: page.evaluate("document.documentElement.scrollWidth") <= width)


def test_with_accounts_only_those_who_log_in_on_the_hub_hand_in(tmp_path, gr):
    from qassay.leaderboards.hosting import HostedBoard
    from qassay.leaderboards.settings import read_board_settings
    from qassay.spaces_app.board import submit_function

    settings = read_board_settings(_organiser(tmp_path / "organiser", login="huggingface"))
    board = HostedBoard(settings, tmp_path / "organiser", tmp_path / "store")
    (tmp_path / "mine.json").write_text(json.dumps(_answers(12)))
    given = (str(tmp_path / "mine.json"), "mine", "", "")
    with pytest.raises(gr.Error, match="log in with Hugging Face accounts, which only works in a Space"):
        submit_function(board, in_hub=False)(*given)
    with pytest.raises(gr.Error, match="log in with your Hugging Face account first"):
        submit_function(board, in_hub=True)(*given, None)
    profile = gr.OAuthProfile({"name": "Ann", "preferred_username": "ann", "profile": "", "picture": ""})
    submit_function(board, in_hub=True)(*given, profile)
    assert [row.user for row in board.store.rows()] == [board.store.user_key("ann")]


def test_one_system_is_shown_before_there_are_ranks(tmp_path):
    from qassay.leaderboards.hosting import HostedBoard
    from qassay.leaderboards.settings import read_board_settings
    from qassay.spaces_app.board_view import board_page

    board = HostedBoard(read_board_settings(_organiser(tmp_path / "task")), tmp_path / "task", tmp_path / "store")
    (rows,) = re.findall(r"<tbody>(.*?)</tbody>", board_page(board), re.DOTALL)
    assert re.fullmatch(r'<tr><th scope="row">guess</th>(<td>0\.\d+ \(0\.\d+ to 0\.\d+\)</td>){2}</tr>', rows.strip())


def test_on_the_hub_users_have_no_addresses(tmp_path, gr, monkeypatch):
    from qassay.leaderboards.hosting import HostedBoard
    from qassay.leaderboards.settings import read_board_settings
    from qassay.spaces_app.board import build_board_app

    board = HostedBoard(read_board_settings(_organiser(tmp_path / "task")), tmp_path / "task", tmp_path / "store")
    monkeypatch.setenv("SYSTEM", "spaces")
    monkeypatch.setenv("SPACE_ID", "org/board")
    with pytest.raises(
        ValueError, match="login: none distinguishes users by their network address, .* set login: huggingface"
    ):
        build_board_app(board)


def test_a_space_with_accounts_says_so_in_its_card(tmp_path):
    from qassay.leaderboards.space import render_board_space

    public, private = render_board_space(_organiser(tmp_path / "organiser", login="huggingface"), tmp_path / "out")
    assert "\nhf_oauth: true\n" in (public / "README.md").read_text()
    assert (public / "requirements.txt").read_text().endswith("\nauthlib\nitsdangerous\n")
    assert private.stat().st_mode & 0o077 == 0


def test_a_space_with_accounts_names_the_packages_that_it_lacks(tmp_path, gr, monkeypatch):
    from qassay.leaderboards.hosting import HostedBoard
    from qassay.leaderboards.settings import read_board_settings
    from qassay.spaces_app import board as app

    settings = read_board_settings(_organiser(tmp_path / "organiser", login="huggingface"))
    monkeypatch.setattr(app, "is_on_hub", lambda: True)
    monkeypatch.setattr(app, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="huggingface needs authlib and itsdangerous; run: pip install authlib its"):
        app.build_board_app(HostedBoard(settings, tmp_path / "organiser", tmp_path / "store"))


@pytest.mark.parametrize(
    "changed, words",
    [
        ({"gold": "none.json"}, "gold: there is no file"),
        ({"baselines": {"a": "none.json"}}, "baselines, a: there is no file"),
        ({"baselines": {"a": "answers.json"}}, "baselines, a: answers.json: this looks like a SQuAD gold file"),
        ({"metric": "f7"}, "f7"),
        ({"limits": {"per_day": 0}}, "per_day must be an integer of at least 1"),
    ],
)
def test_settings_that_cannot_be_are_refused_before_anything_is_written(tmp_path, capsys, changed, words):
    from qassay.cli import main

    settings = _organiser(tmp_path / "organiser", **changed)
    assert main(["spaces", "build", str(tmp_path / "out"), "--leaderboard", str(settings)]) == 2
    assert words in capsys.readouterr().err and not (tmp_path / "out").exists()


@pytest.mark.parametrize("dark", [True, False])
def test_the_board_in_its_frame_has_the_theme_of_the_page(space, visit, dark):
    """Whatever the system of the reader has, which is light and then dark here."""
    page = visit(dark=dark, url=space.url).page

    def ground():
        frame = page.frame_locator("iframe.board").locator("body")
        return frame.evaluate("body => getComputedStyle(body).getPropertyValue('--ground')")

    for system in ("light", "dark"):
        page.emulate_media(color_scheme=system)
        other = (system == "dark") != dark
        expect(page.locator("iframe.board")).to_have_attribute(
            "src", re.compile(r"theme=\w+$" if other else r"frame=\d+$")
        )
        page.frame_locator("iframe.board").locator("table").first.wait_for()
        soon(ground, "#161a21" if dark else "#ffffff")
