"""Files are written whole or not at all: full disks, killed processes, links, permissions, pipes, folders."""

import errno
import os
import stat
import subprocess
import sys
import tempfile
import threading

import pytest

from qassay.core.writing import ENDING, WriteError, open_whole, write_files

MUCH = b"x" * 100_000


def write(path, content=b"new"):
    with open_whole(path) as file:
        file.write(content)


@pytest.mark.parametrize(("options", "old"), [({}, None), ({"mode": "w", "encoding": "utf-8"}, b"old")])
def test_a_full_disk_leaves_the_old_file_whole(tmp_path, full_disk, options, old):
    path = tmp_path / "a.txt"
    if old is not None:
        path.write_bytes(old)
    content = MUCH if not options else MUCH.decode()
    with full_disk(10_000), pytest.raises(WriteError) as caught, open_whole(path, **options) as file:
        file.write(content)
    kept = "" if old is None else "; the file that was there is unchanged"
    assert str(caught.value) == f"cannot write {path}: File too large{kept}"
    assert caught.value.errno is not None
    assert [one.read_bytes() for one in tmp_path.iterdir()] == ([] if old is None else [old])


def test_an_error_half_way_leaves_the_old_file_whole(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), open_whole(tmp_path / "a.txt") as file:
        file.write(MUCH)
        raise KeyboardInterrupt
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("a.txt", b"old")]


@pytest.mark.thorough
def test_a_killed_process_leaves_the_old_file_whole_and_a_draft_that_tells_its_name(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    program = (
        "import sys\nfrom qassay.core.writing import open_whole\nwith open_whole(sys.argv[1]) as file:\n"
        "    file.write(b'x' * 100_000)\n    file.flush()\n    print('half', flush=True)\n    sys.stdin.read()\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", program, path], **pipes) as child:
        assert child.stdout.readline() == "half\n"
        child.kill()
    left = [one.name for one in tmp_path.iterdir() if one != path]
    assert path.read_bytes() == b"old"
    assert len(left) == 1 and left[0].startswith("a.txt.") and left[0].endswith(ENDING)


def test_permissions_stay_and_new_files_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        (tmp_path / "old.txt").touch()
        (tmp_path / "old.txt").chmod(0o604)
        for name, bits in (("old.txt", 0o604), ("new.txt", 0o640)):
            write(tmp_path / name)
            assert stat.S_IMODE((tmp_path / name).stat().st_mode) == bits, name
    finally:
        os.umask(before)


def test_the_draft_of_a_secret_file_is_secret(tmp_path):
    path = tmp_path / "a.txt"
    path.touch(0o600)
    with open_whole(path) as file:
        assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "a.txt", tmp_path / "link.txt"
    link.symlink_to(os.path.join("far", "a.txt"))
    write(link)
    assert link.is_symlink() and target.read_bytes() == b"new" and not target.is_symlink()
    assert len(list(tmp_path.iterdir())) == 2 and len(list(target.parent.iterdir())) == 1


def test_special_files_are_written_directly(tmp_path):
    write("/dev/null", MUCH)
    os.mkfifo(tmp_path / "pipe")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write(tmp_path / "pipe", b"through")
    reader.join()
    ends = os.pipe()
    write(f"/dev/fd/{ends[1]}", b"substituted")
    os.close(ends[1])
    with os.fdopen(ends[0], "rb") as file:
        assert (found, file.read()) == ([b"through"], b"substituted")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode) and stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("folder", "it is a folder"),
        ("none/a.txt", "there is no folder .*/none"),
        ("file.txt/a.txt", "Not a directory"),
        ("n" * 300, "File name too long"),
        ("/dev/full", "No space left on device"),
    ],
)
def test_files_that_cannot_be_written_get_a_clear_error(tmp_path, name, message):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file.txt").write_bytes(b"old")
    with pytest.raises(WriteError, match=f"^cannot write {tmp_path / name}: {message}"):
        write(tmp_path / name)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file.txt", "folder"]


def refuse(monkeypatch, name, number, is_refused):
    """Let a function of os raise an error for some paths, as root is refused nothing and tests mount nothing."""
    real = getattr(os, name)

    def ask(path, *rest, **named):
        if is_refused(str(path)):
            raise OSError(number, os.strerror(number), path)
        return real(path, *rest, **named)

    monkeypatch.setattr(os, name, ask)


def test_no_folder_takes_a_draft(tmp_path, monkeypatch):
    refuse(monkeypatch, "open", errno.EACCES, lambda path: path.endswith(ENDING))
    with pytest.raises(WriteError, match="a.txt: its folder takes no new file .Permission denied."):
        write(tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())


@pytest.fixture(params=["EACCES", "EXDEV"])
def fixed(request, tmp_path, monkeypatch):
    """A writable file that cannot be replaced, in a folder that may take no new file, and the folder for drafts."""
    folder, drafts = tmp_path / "folder", tmp_path / "drafts"
    folder.mkdir(), drafts.mkdir()
    path = folder / "a.txt"
    path.write_bytes(b"a longer old content")
    path.chmod(0o604)
    number = getattr(errno, request.param)
    monkeypatch.setattr(tempfile, "tempdir", str(drafts))
    refuse(monkeypatch, "replace", number, lambda _: True)
    if request.param == "EACCES":
        refuse(monkeypatch, "open", number, lambda other: other.startswith(str(folder)) and other.endswith(ENDING))
    yield path
    assert [one.name for one in folder.iterdir()] == ["a.txt"] and not list(drafts.iterdir())
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


def test_a_file_that_cannot_be_replaced_is_written_in_place(fixed):
    place = fixed.stat().st_ino
    write(fixed)
    assert (fixed.read_bytes(), fixed.stat().st_ino) == (b"new", place)
    with open_whole(fixed, "w", encoding="utf-16") as file:
        file.write("text")
    assert fixed.read_text("utf-16") == "text"
    write_files(fixed.parent, {fixed.name: MUCH})
    assert fixed.read_bytes() == MUCH


def test_an_error_half_way_leaves_a_file_whole_that_cannot_be_replaced(fixed):
    with pytest.raises(ValueError, match="no number"), open_whole(fixed) as file:
        file.write(MUCH)
        raise ValueError("no number")
    assert fixed.read_bytes() == b"a longer old content"


def test_a_full_disk_in_place_is_reported(fixed, monkeypatch):
    def fill(draft, file):
        file.write(draft.read(2))
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("qassay.core.writing.shutil.copyfileobj", fill)
    with pytest.raises(WriteError, match="a.txt: No space left on device; the file is incomplete now$"):
        write(fixed)
    assert fixed.read_bytes() == b"nelonger old content"


def test_many_files_are_all_replaced_or_none(tmp_path, full_disk):
    (tmp_path / "a.txt").write_bytes(b"old")
    (tmp_path / "own.txt").write_bytes(b"own")
    files = {"a.txt": b"new", "deep/b.txt": b"b", "c.txt": MUCH}
    with full_disk(10_000), pytest.raises(WriteError, match="c.txt: File too large"):
        write_files(tmp_path, files)
    assert (tmp_path / "a.txt").read_bytes() == b"old" and len(list(tmp_path.rglob("*.*"))) == 2
    write_files(tmp_path, files)
    found = {one.relative_to(tmp_path).as_posix(): one.read_bytes() for one in tmp_path.rglob("*.*")}
    assert found == {**files, "own.txt": b"own"}


def test_a_file_in_place_of_a_folder_is_reported(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(WriteError, match="a/b.txt: the folder .*/a cannot be made .File exists.$"):
        write_files(tmp_path, {"a/b.txt": b"b"})
    assert (tmp_path / "a").read_bytes() == b"old"
