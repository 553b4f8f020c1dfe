"""The systems of a folder: what is one, what is not and is told, and faults one by one."""

import os

import pytest

from qassay.files import FileError
from qassay.files.folders import systems_of_folder


def folder_of(tmp_path, *names):
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name}\n", "utf-8")
    return str(tmp_path)


def test_each_file_is_a_system_in_the_order_of_their_numbers(tmp_path):
    found = systems_of_folder(folder_of(tmp_path, "run10.json", "run9.json", "run1.trec.gz", "plain", "a.b.csv"))
    assert found.names == ["a.b", "plain", "run1", "run9", "run10"]
    assert found.paths[2].endswith("/run1.trec.gz") and found.left_out == []


def test_what_is_not_a_system_is_reported(tmp_path):
    backups = ("a~", "a.json.bak", "A.JSON.ORIG", "#a.json#", "a.json.swp")
    others = ("README.md", "LICENSE", "Thumbs.db", "__pycache__/a.json", "__MACOSX/a.json")
    names = ("a.json", "bak.json", ".DS_Store", "b.json.x1.unfinished", "gold.json", *backups, *others)
    found = systems_of_folder(folder_of(tmp_path, *names), {str(tmp_path / "gold.json"): "the gold file"})
    assert found.names == ["a", "bak"]
    told = {f"{name} (a backup)" for name in backups}
    told |= {f"{name.partition('/')[0]} (not predictions)" for name in others}
    told |= {".DS_Store (hidden)", "b.json.x1.unfinished (unfinished)", "gold.json (the gold file)"}
    assert set(found.left_out) == told


def test_a_system_may_have_a_folder_of_its_own(tmp_path):
    found = systems_of_folder(folder_of(tmp_path, "alder/predictions.json", "birch=2/out.csv", "birch=2/README"))
    assert found.names == ["alder", "birch=2"] and found.left_out == ["birch=2/README (not predictions)"]
    assert [path.rpartition("/")[2] for path in found.paths] == ["predictions.json", "out.csv"]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("README.md", ".x"), "no file of predictions; omitted: .x (hidden), README.md"),
        (("a.json", "a.csv"), "a.csv and a.json"),
        (("\u00e9.json", "e\u0301.json"), r"'e\u0301.json' and '\xe9.json'"),
        (("a/x.json", "a/y.json"), "2 files"),
    ],
)
def test_faults(tmp_path, names, told):
    with pytest.raises(FileError) as error:
        systems_of_folder(folder_of(tmp_path, *names))
    assert told in str(error.value) and str(error.value).startswith(str(tmp_path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_not_a_file_is_not_waited_for(tmp_path):
    folder = folder_of(tmp_path, "a.json")
    for make, told in (
        (lambda path: os.mkfifo(path), "b.json"),
        (lambda path: os.symlink("nowhere", path), "b.json.*'nowhere'"),
        (lambda path: os.symlink("b.json", path), "b.json.*'b.json'"),
    ):
        make(tmp_path / "b.json")
        with pytest.raises(FileError, match=told):
            systems_of_folder(folder)
        (tmp_path / "b.json").unlink()
