"""Uploads take bounded room, for a bounded time, whatever becomes of the server."""

import os
import time

import pytest

gr = pytest.importorskip("gradio", reason='gradio is not installed; run pip install -e ".[test]"')

from karat import page, page_server
from karat.page_server import make_room, own_folder, save_file, sweep, work_folder

LONG_AGO = time.time() - page.KEEP_SECONDS - page.SWEEP_SECONDS - 60


@pytest.fixture
def uploads(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "up"))
    monkeypatch.setattr(page_server, "_LEAST_ROOM", 0)
    monkeypatch.setattr(page_server, "MAX_KEPT", 100)
    return tmp_path / "up"


def put(path, size, age=0):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    for one in (path, path.parent):
        os.utime(one, (time.time() - age, time.time() - age))
    return str(path)


def test_the_oldest_files_make_room(uploads):
    old, middle, new = (put(uploads / name / "a.json", 40, age) for name, age in (("0", 300), ("1", 200), ("2", 100)))
    known = {old, middle, new}
    assert make_room(0, [known]) and known == {middle, new}
    assert not os.path.exists(old) and not (uploads / "0").exists() and os.path.exists(middle)
    assert make_room(20) and os.path.exists(middle)
    assert make_room(60) and not os.path.exists(middle) and os.path.exists(new)
    assert make_room(100) and not os.path.exists(new)
    assert not make_room(101)


def test_files_of_running_calls_and_arriving_ones_stay(uploads, monkeypatch):
    read, other = put(uploads / "0" / "a.json", 30, 300), put(uploads / "1" / "work_1.json", 10, 200)
    arriving = put(uploads / "tmpabc", 10, 10)
    monkeypatch.setitem(page_server._in_use, os.path.realpath(read), 1)
    with work_folder() as folder:
        used = put(uploads / folder / "gold", 30, 300)
        assert make_room(30) and not os.path.exists(other)
        assert not make_room(31), "nothing can go"
        assert all(map(os.path.exists, (read, arriving, used)))
    os.utime(arriving, (LONG_AGO, LONG_AGO))
    assert make_room(70) and os.path.exists(read) and not os.path.exists(arriving), "a broken upload"


def test_a_refusal_deletes_nothing(uploads):
    old = put(uploads / "0" / "a.json", 40, 300)
    assert not make_room(101) and os.path.exists(old)


def test_empty_files_take_room_too(uploads, monkeypatch):
    monkeypatch.setattr(page_server, "_LEAST_ROOM", 10)
    for place in range(11):
        put(uploads / str(place) / "a.json", 0, 300 - place)
    assert make_room(0) and len(list(uploads.rglob("*.json"))) == 10


def test_downloads_make_room(uploads):
    old = put(uploads / "0" / "a.json", 90, 300)
    assert os.path.exists(save_file("report.html", b"x" * 20)) and not os.path.exists(old)


def test_what_killed_servers_left_is_swept_and_nothing_else(tmp_path):
    left = put(tmp_path / "karat_page_dead" / "0" / "a.json", 1, time.time() - LONG_AGO)
    os.utime(tmp_path / "karat_page_dead", (LONG_AGO, LONG_AGO))
    stays = [
        put(tmp_path / "gradio" / "a.json", 1, time.time() - LONG_AGO),
        put(tmp_path / "karat_pages.json", 1, time.time() - LONG_AGO),
        put(tmp_path / "karat_page_running" / "0" / "a.json", 1),
        put(tmp_path / "others" / "a.json", 1, time.time() - LONG_AGO),
    ]
    for name in ("karat_page_running", "others"):
        os.utime(tmp_path / name, (LONG_AGO, LONG_AGO))
    (tmp_path / "karat_page_link").symlink_to(tmp_path / "others")
    (tmp_path / "karat_page_new").mkdir()
    sweep(tmp_path)
    assert not os.path.exists(left) and not (tmp_path / "karat_page_dead").exists()
    assert all(map(os.path.exists, stays)) and (tmp_path / "karat_page_new").exists()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no owners of folders")
def test_folders_of_others_are_not_swept(tmp_path, monkeypatch):
    left = put(tmp_path / "karat_page_dead" / "a.json", 1, time.time() - LONG_AGO)
    monkeypatch.setattr(os, "getuid", lambda: -1)
    sweep(tmp_path)
    assert os.path.exists(left)


@pytest.mark.parametrize("before", [True, False])
def test_each_server_has_a_folder_of_its_own_and_takes_it_along(tmp_path, monkeypatch, before):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.delenv("GRADIO_TEMP_DIR", raising=False)
    if before:
        monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    with own_folder() as one, own_folder() as other:
        assert os.environ["GRADIO_TEMP_DIR"] == other != one
        assert os.path.dirname(one) == str(tmp_path)
        with open(save_file("a.csv", b"x")) as file:
            assert file.name.startswith(other)
    assert list(tmp_path.iterdir()) == [] and os.environ.get("GRADIO_TEMP_DIR") == (str(tmp_path) if before else None)
