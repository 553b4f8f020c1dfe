"""The systems of a folder: what is one, what is not and is told, and faults one by one."""

import os

import pytest

from qassay.files import FileError
from qassay.leaderboards.folder import has_systems, same_files, systems_of_folder


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


def test_an_empty_folder_is_not_a_system(tmp_path):
    (tmp_path / "logs").mkdir()
    found = systems_of_folder(folder_of(tmp_path, "a.json"))
    assert (found.names, found.left_out) == (["a"], ["logs (an empty folder)"])


def test_a_system_may_have_a_folder_of_its_own(tmp_path):
    found = systems_of_folder(folder_of(tmp_path, "alder/predictions.json", "birch=2/out.csv", "birch=2/README"))
    assert found.names == ["alder", "birch=2"] and found.left_out == ["birch=2/README (not predictions)"]
    assert [path.rpartition("/")[2] for path in found.paths] == ["predictions.json", "out.csv"]


def test_a_log_beside_results_is_the_file_of_its_system(tmp_path):
    names = ("samples_nq_open_2026-11-23T12-00-00.000000.jsonl", "results_2026-11-23T12-00-00.000000.json")
    folder = folder_of(tmp_path, *(f"alder/{name}" for name in names), "birch.json")
    found = systems_of_folder(folder)
    assert found.names == ["alder", "birch"] and found.paths[0].endswith(names[0])


def test_a_saved_dataset_is_one_table(tmp_path):
    folder = folder_of(tmp_path, "alder/state.json", "alder/data-00000-of-00001.arrow", "birch.json")
    assert has_systems(folder) and not has_systems(f"{folder}/alder") and not has_systems(f"{folder}/birch.json")
    assert systems_of_folder(folder).paths == [f"{folder}/alder", f"{folder}/birch.json"]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ((), "no file of predictions"),
        (("README.md", ".x"), "no file of predictions; omitted: .x (hidden), README.md"),
        (("a.json", "a.csv"), "a.csv and a.json"),
        (("\u00e9.json", "e\u0301.json"), r"'e\u0301.json' and '\xe9.json'"),
        (("Foo.json", "foo.json"), "Foo.json and foo.json"),
        (("a/x.json", "a/y.json"), "2 files"),
        (("a/.x",), "empty"),
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


def test_files_of_the_same_content_are_found(tmp_path):
    for name, text in {"a": "x", "b": "x", "c": "y", "d": "xy", "e": "x"}.items():
        (tmp_path / name).write_text(text)
    files = {name: [str(tmp_path / name)] for name in "abcd"} | {"e": [str(tmp_path / "e"), "-"]}
    assert same_files(files) == [["a", "b"]]
