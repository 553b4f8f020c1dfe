"""Uploads use limited space for a limited time, even if the server is killed."""

import asyncio
import os
import time
import types

import pytest

pytest.importorskip("gradio", reason='needs gradio: pip install -e ".[test-all]"')

import gradio as gr

from qassay.pages import limits, upload_folder
from qassay.pages import server as page_server
from qassay.pages.upload_folder import make_room, save_file, sweep, work_folder

pytestmark = pytest.mark.thorough

LONG_AGO = time.time() - limits.KEEP_SECONDS - limits.SWEEP_SECONDS - 60


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "up"))
    monkeypatch.setattr(upload_folder, "_LEAST_ROOM", 0)
    monkeypatch.setattr(upload_folder, "MAX_KEPT", 100)
    return tmp_path / "up"


def put(path, size, age=0):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    for one in (path, path.parent):
        os.utime(one, (time.time() - age, time.time() - age))
    return str(path)


def test_files_of_running_calls_and_arriving_ones_stay(uploads, monkeypatch):
    read, other = put(uploads / "0" / "a.json", 30, 300), put(uploads / "1" / "work_1.json", 10, 200)
    arriving = put(uploads / "tmpabc", 10, 10)
    monkeypatch.setitem(upload_folder._in_use, os.path.realpath(read), 1)
    with work_folder() as folder:
        used = put(uploads / folder / "gold", 30, 300)
        assert make_room(30) and not os.path.exists(other)
        assert not make_room(31), "nothing can go"
        assert all(map(os.path.exists, (read, arriving, used)))
    os.utime(arriving, (LONG_AGO, LONG_AGO))
    assert make_room(70) and os.path.exists(read) and not os.path.exists(arriving), "a broken upload"


# --- uploads ----------------------------------------------------------------------------------------------------------


async def gradio_in_short(scope, receive, send):
    """Takes a request as Gradio takes uploads."""
    from starlette.formparsers import MultiPartException
    from starlette.responses import PlainTextResponse

    try:
        while (await receive())["more_body"]:
            pass
        answer = PlainTextResponse("taken")
    except MultiPartException as error:
        answer = PlainTextResponse(error.message, 400)
    await answer(scope, receive, send)


async def send_upload(parts, declared=None, limit=10**9, then_hangs=False):
    """The status and the body that answer an upload; its parts come at once."""
    messages = [{"type": "http.request", "body": b"x" * part, "more_body": True} for part in parts]
    answered = []

    async def receive():
        if not messages:
            await asyncio.Event().wait()
        await asyncio.sleep(0)
        return messages.pop(0)

    async def send(message):
        answered.append(message)

    if not then_hangs:
        messages[-1]["more_body"] = False
    app = types.SimpleNamespace(get_blocks=lambda: types.SimpleNamespace(temp_file_sets=[]))
    headers = [(b"content-length", b"%d" % declared)] if declared else []
    scope = {"type": "http", "path": "/gradio_api/upload", "headers": headers, "app": app}
    await page_server.LimitedBody(gradio_in_short, max_upload=limit)(scope, receive, send)
    return answered[0]["status"], b"".join(message.get("body", b"") for message in answered)


@pytest.fixture
def small(uploads, monkeypatch):
    """A folder of 100 bytes that is looked through at every part."""
    monkeypatch.setattr(upload_folder, "_STEP", 0)
    monkeypatch.setattr(upload_folder, "_room", 0)
    return uploads


@pytest.mark.parametrize("declared", [40, None])
def test_whoever_sends_nothing_gets_no_room(small, declared):
    files = [put(small / str(place) / "a.json", 9, 300 + place) for place in range(10)]

    async def attack():
        hanging = [asyncio.create_task(send_upload([], declared, limit=40, then_hangs=True)) for _ in range(4)]
        for _ in range(5):
            await asyncio.sleep(0)
        assert all(map(os.path.exists, files))
        found = await send_upload([10], declared=10)
        for one in hanging:
            one.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
        return found

    assert asyncio.run(attack()) == (200, b"taken")
    assert all(map(os.path.exists, files))


def test_room_is_made_as_bytes_arrive(small):
    older, old = put(small / "0" / "a.json", 45, 400), put(small / "1" / "a.json", 45, 300)
    assert asyncio.run(send_upload([10, 20])) == (200, b"taken")
    assert not os.path.exists(older) and os.path.exists(old)
    status, _ = asyncio.run(send_upload([30, 101]))
    assert status == 413 and os.path.exists(old)


def test_downloads_make_room_and_have_an_end(uploads):
    old = put(uploads / "0" / "a.json", 90, 300)
    assert os.path.exists(save_file("report.html", b"x" * 20)) and not os.path.exists(old)
    for size in (70, 100):
        save_file("report.html", b"x" * size)
    with pytest.raises(gr.Error, match="no room"):
        save_file("report.html", b"x" * 20)


def test_what_killed_servers_left_is_swept_and_nothing_else(tmp_path):
    left = put(tmp_path / "qassay_page_dead" / "0" / "a.json", 1, time.time() - LONG_AGO)
    os.utime(tmp_path / "qassay_page_dead", (LONG_AGO, LONG_AGO))
    stays = [
        put(tmp_path / "gradio" / "a.json", 1, time.time() - LONG_AGO),
        put(tmp_path / "qassay_pages.json", 1, time.time() - LONG_AGO),
        put(tmp_path / "qassay_page_running" / "0" / "a.json", 1),
        put(tmp_path / "others" / "a.json", 1, time.time() - LONG_AGO),
    ]
    for name in ("qassay_page_running", "others"):
        os.utime(tmp_path / name, (LONG_AGO, LONG_AGO))
    (tmp_path / "qassay_page_link").symlink_to(tmp_path / "others")
    (tmp_path / "qassay_page_new").mkdir()
    sweep(tmp_path)
    assert not os.path.exists(left) and not (tmp_path / "qassay_page_dead").exists()
    assert all(map(os.path.exists, stays)) and (tmp_path / "qassay_page_new").exists()
