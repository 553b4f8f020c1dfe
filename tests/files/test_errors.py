"""Errors of files: a path and a sentence, of which the middle may be omitted, and the names of uploads for paths."""

import pickle

from qassay.files import FileError
from qassay.files.reading import with_file_names

GOLD, SYSTEM = "/tmp/gradio/3f/gold.csv", "/tmp/gradio/9c/gold.csv.gz"
NAMES = {GOLD: "gold.csv", SYSTEM: "model.csv.gz", "": "pasted"}


def test_paths_are_replaced_wherever_they_stand():
    error = FileError(SYSTEM, f"this does not go with {GOLD}; rename {SYSTEM}")
    assert with_file_names(error, NAMES) == "model.csv.gz: this does not go with gold.csv; rename model.csv.gz"
    assert with_file_names(ValueError(f"a: {error}"), NAMES).count("/") == 0
    assert with_file_names(FileNotFoundError(2, "No such file", GOLD), NAMES) == "gold.csv: no such file"
    odd = {"/tmp/9c/a\nb.csv": "b.csv"}
    assert with_file_names(FileError("x", f"see {next(iter(odd))}"), odd) == "x: see b.csv"


def test_no_part_of_a_path_is_left_where_the_middle_is_omitted():
    for before in range(300, 400):
        error = FileError(SYSTEM, f"{'x' * before}{GOLD}{'y' * 10_000}")
        assert len(str(error)) < 800 and " ... " in str(error)
        assert "gradio" not in with_file_names(error, NAMES) and "/tmp" not in with_file_names(error, NAMES)


def test_errors_are_pickled():
    again = pickle.loads(pickle.dumps(FileError(GOLD, "row 3 has no id")))
    assert str(again) == f"{GOLD}: row 3 has no id" and again.path == GOLD
