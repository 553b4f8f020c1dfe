"""Files are written whole or not at all: full disks, permissions, links, pipes."""

import errno
import os
import stat
import subprocess
import sys
import threading

import pytest

from qassay.core.writing import write_whole

MUCH = b"x" * 100_000


@pytest.mark.parametrize(("content", "old"), [(MUCH, None), (MUCH.decode(), b"old")])
def test_a_full_disk_leaves_the_old_file_whole(tmp_path, full_disk, content, old):
    path = tmp_path / "a.txt"
    if old is not None:
        path.write_bytes(old)
    with full_disk(10_000), pytest.raises(OSError, match="a.txt: File too large"):
        write_whole(path, content)
    assert [one.read_bytes() for one in tmp_path.iterdir()] == ([] if old is None else [old])


def interrupt(_):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("name", "replaced", "error"),
    [
        ("fsync", interrupt, KeyboardInterrupt),
        ("access", lambda path, mode: False, OSError),  # root may write everything
    ],
)
def test_an_interrupt_or_no_permission_leaves_the_old_file_whole(tmp_path, monkeypatch, name, replaced, error):
    monkeypatch.setattr(os, name, replaced)
    (tmp_path / "a.txt").write_bytes(b"old")
    with pytest.raises(error, match="a.txt: Permission denied" if error is OSError else None):
        write_whole(tmp_path / "a.txt", MUCH)
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("a.txt", b"old")]


def test_text_is_utf_8_with_escapes(tmp_path):
    write_whole(tmp_path / "a.txt", "é\r\n\ud800")
    assert (tmp_path / "a.txt").read_bytes() == "é\r\n\\ud800".encode()


def test_permissions_stay_and_new_files_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        (tmp_path / "old.txt").touch()
        (tmp_path / "old.txt").chmod(0o604)
        for name, bits in (("old.txt", 0o604), ("new.txt", 0o640)):
            write_whole(tmp_path / name, b"new")
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == bits, name
    finally:
        os.umask(before)


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "a.txt", tmp_path / "link.txt"
    link.symlink_to(os.path.join("far", "a.txt"))
    write_whole(link, b"new")
    assert link.is_symlink() and target.read_bytes() == b"new" and not target.is_symlink()
    assert len(list(tmp_path.iterdir())) == 2 and len(list(target.parent.iterdir())) == 1


def test_pipes_and_devices_are_written_directly(tmp_path):
    write_whole("/dev/null", MUCH)
    os.mkfifo(tmp_path / "pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_whole(tmp_path / "pipe", b"through")
    reader.join()
    ends = os.pipe()
    write_whole(f"/dev/fd/{ends[1]}", b"substituted")
    os.close(ends[1])
    with os.fdopen(ends[0], "rb") as file:
        assert (found, file.read()) == ([b"through"], b"substituted")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode) and stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_redirected_standard_output_keeps_what_it_has(tmp_path):
    program = "from qassay.core.writing import write_whole; write_whole('/dev/stdout', 'b\\n'); print('c')"
    with (tmp_path / "log").open("w") as log:
        log.write("a\n")
        log.flush()
        subprocess.run([sys.executable, "-c", program], stdout=log, check=True)
    assert (tmp_path / "log").read_text() == "a\nb\nc\n"


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("folder", errno.EISDIR),
        ("none/a.txt", errno.ENOENT),
        ("file.txt/a.txt", errno.ENOTDIR),
        ("n" * 300, errno.ENAMETOOLONG),
        ("/dev/full", errno.ENOSPC),
    ],
)
def test_files_that_cannot_be_written_get_a_clear_error(tmp_path, name, number):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.txt").write_bytes(b"old")
    with pytest.raises(OSError, match=f"{tmp_path / name}: {os.strerror(number)}"):
        write_whole(tmp_path / name, b"new")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file.txt", "folder"]
