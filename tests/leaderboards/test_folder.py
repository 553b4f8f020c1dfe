"""The systems of a folder: what is one, what is not and is told, and faults one by one."""

import os

import pytest

import qassay
from qassay.files import FileError
from qassay.files.folders import systems_of_folder


def folder_of(tmp_path, *names):
    for name in names:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'{{"{name}": "x"}}\n', "utf-8")
    return str(tmp_path)


def test_each_file_is_a_system_in_the_order_of_their_numbers(tmp_path):
    names, paths = zip(
        *systems_of_folder(folder_of(tmp_path, "run10.json", "run9.json", "run1.gz", "plain", "a.b.csv"))
    )
    assert names == ("a.b", "plain", "run1", "run9", "run10") and paths[2].endswith("/run1.gz")


def test_what_is_not_a_system_is_reported(tmp_path):
    others = (
        ".DS_Store", "#a.json#", "A.JSON.ORIG", "LICENSE", "README.md", "Thumbs.db", "__MACOSX/a.json", "__pycache__/a.json",
        "a.json.bak", "a.json.swp", "about.yaml", "a~", "b.json.x1.unfinished", "gold.json",
    )  # fmt: skip
    folder = folder_of(tmp_path, "a.json", "bak.json", "birch=2/out.csv", "birch=2/README", *others)
    os.symlink("nowhere", tmp_path / "link")
    with pytest.warns(UserWarning, match="omitted: ") as told:
        found = systems_of_folder(folder, str(tmp_path / "gold.json"))
    assert [name for name, _ in found] == ["a", "bak", "birch=2"] and found[2][1].endswith("birch=2/out.csv")
    omitted = str(told[0].message).partition("omitted: ")[2].split(", ")
    assert sorted(omitted) == sorted([*(name.partition("/")[0] for name in others), "README", "link"])


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (("README.md", ".x"), "no file of predictions; it has: .x, README.md"),
        (("a/x.json", "a/y.json"), "2 files: x.json"),
    ],
)
def test_faults(tmp_path, names, told):
    with pytest.raises(FileError) as error:
        systems_of_folder(folder_of(tmp_path, *names))
    assert told in str(error.value) and str(error.value).startswith(str(tmp_path))


def test_two_files_of_one_name_are_refused(tmp_path):
    (tmp_path / "gold.json").write_text('{"a": ["x"]}')
    folder = folder_of(tmp_path / "runs", "a.json", "a.csv")
    with pytest.raises(ValueError, match="two systems are called a"):
        qassay.score_files(tmp_path / "gold.json", folder)


def test_one_name_like_a_log_among_systems(tmp_path):
    (tmp_path / "gold.json").write_text('{"q": ["x"]}')
    for name in ("a.json", "dense_predictions.json", "config.yaml"):
        (tmp_path / "runs").mkdir(exist_ok=True)
        (tmp_path / "runs" / name).write_text('{"q": "x"}')
    with pytest.warns(UserWarning, match="omitted: config.yaml"):
        found = qassay.score_files(tmp_path / "gold.json", tmp_path / "runs")
    assert {name: of["f1"] for name, of in found.items()} == {"a": 1, "dense_predictions": 1}
