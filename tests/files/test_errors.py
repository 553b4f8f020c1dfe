"""Errors of files: a path and a sentence, of which the middle may be omitted."""

import pickle

from qassay.files import FileError

GOLD = "/tmp/gradio/3f/gold.csv"


def test_the_middle_of_a_long_message_is_omitted():
    error = FileError(GOLD, f"{'x' * 300}{'y' * 10_000}")
    assert len(str(error)) < 800 and " ... " in str(error) and str(error).startswith(GOLD)


def test_errors_are_pickled():
    again = pickle.loads(pickle.dumps(FileError(GOLD, "row 3 has no id")))
    assert str(again) == f"{GOLD}: row 3 has no id" and again.path == GOLD
