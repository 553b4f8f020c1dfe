"""Messages keep their hints wherever they go, and every surface words them; nothing else of a message changes."""

import pickle

import pytest

from qassay.core import hints
from qassay.core.hints import Hint, Message, with_file_names, worded
from qassay.files.reading import FileError


@pytest.mark.parametrize(
    ("message", "on_the_command_line", "on_the_page", "in_programs"),
    [
        (
            Message("to judge it by them use ", Hint("option", "denominator", "queries")),
            "to judge it by them use --option denominator=queries",
            "to judge it by them use the option denominator=queries",
            "to judge it by them use the option denominator=queries",
        ),
        (
            Message("give the option ", Hint("values", "task", "multi"), " or ", Hint("values", "task", "ranked")),
            "give the option task='multi' or task='ranked'",
            "give the option task=multi or task=ranked",
            "give the option task='multi' or task='ranked'",
        ),
        (
            Message("write ['a']", Hint("or separator", ";"), " (one label: ", Hint("option", "task", "single"), ")"),
            "write ['a'], or name the separator of labels, for example --columns 'separator=;' (one label: --option "
            "task=single)",
            "write ['a'] (one label: the option task=single)",
            "write ['a'], or name the separator of labels, for example columns: separator=; (one label: the option "
            "task=single)",
        ),
        (
            Message("it is a run; ", Hint("score with metric", "retriever_reader")),
            "it is a run; score it with --metric retriever_reader",
            "it is a run; choose the metric retriever_reader under Options",
            "it is a run; score it with metric retriever_reader",
        ),
        ("row 3: 'it''s -- well, 5 --' is not a number", *["row 3: 'it''s -- well, 5 --' is not a number"] * 3),
    ],
)
def test_words(message, on_the_command_line, on_the_page, in_programs):
    assert str(message) == worded(message, "command") == on_the_command_line
    assert worded(message, "page") == on_the_page
    assert worded(message, "program") == in_programs


def test_a_path_that_begins_with_another_one_keeps_its_own_name():
    message = Message(Hint("file", "/up/a.json"), " and ", Hint("file", "/up/a"))
    assert with_file_names(message, {"/up/a": "one", "/up/a.json": "two"}) == "two and one"


def test_a_path_in_a_text_of_the_user_is_not_mistaken_for_a_file():
    assert worded(FileError("g", "row 3: 'g' is not a number"), "page", {"g": "gold.json"}) == (
        "gold.json: row 3: 'g' is not a number"
    )


@pytest.mark.parametrize(
    "carried",
    [
        lambda message: "row 3: " + message,
        lambda message: Message("row 3: ", ValueError(message)),
        lambda message: FileError("g", "row 3: ", message),
        lambda message: pickle.loads(pickle.dumps(FileError("g", message))),
        lambda message: pickle.loads(pickle.dumps(ValueError(message))),
        lambda message: FileError("g", "x" * 2000, message),
    ],
)
def test_hints_are_kept(carried):
    message = carried(Message("say which ", Hint("with column", "ids", "NAME"), "; or not"))
    assert str(message).endswith("say which with --columns ids=NAME; or not"[: len(str(message))])
    assert "say which under Options, ids" in worded(message, "page")


def test_errors_of_the_system_say_the_file_and_no_number():
    error = OSError(28, "No space left on device", "/up/1/g")
    assert worded(error, "page", {"/up/1/g": "gold.json"}) == "gold.json: no space left on device"
    assert worded(OSError("nothing more"), "page") == "nothing more"


def test_no_words_of_a_page_or_program_have_a_flag():
    for kind in hints._WORDINGS:
        for surface in ("page", "metric page", "program"):
            words = Hint(kind, "x", "'y'").words(surface)
            assert "--" not in words and "qassay score" not in words and "{" not in words
