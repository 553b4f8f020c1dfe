"""Messages keep their hints wherever they go, and every surface words them; nothing else of a message changes."""

import ast
import copy
import pickle
import re
from pathlib import Path

import pytest

import qassay
from qassay.core import hints
from qassay.core.hints import Hint, Message, with_file_names, worded
from qassay.core.options import check_choice
from qassay.files.reading import FileError
from qassay.registry import FAMILIES, get_family

PACKAGE = Path(qassay.__file__).parent


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
            Message("or use the option ", Hint("values", "missing", "zero", "skip")),
            "or use the option missing='zero' or 'skip'",
            "or use the option missing=zero or skip",
            "or use the option missing='zero' or 'skip'",
        ),
        (
            Message("say which, for example ", Hint("column", "ids", "qid")),
            "say which, for example --columns ids=qid",
            "say which, for example ids under Options",
            "say which, for example columns: ids=qid",
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
            Message("other thresholds by ", Hint("any option", "thresholds")),
            "other thresholds by --option thresholds=...",
            "other thresholds by the option thresholds",
            "other thresholds by the option thresholds",
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


def test_a_value_is_shown_with_quotes_where_it_needs_them():
    with pytest.raises(ValueError) as caught:
        check_choice("missing", "zap", ("zero", "skip"))
    assert str(caught.value) == "option missing='zap' is unknown; it is one of: 'zero', 'skip'"
    assert worded(caught.value, "page") == "option missing=zap is unknown; it is one of: 'zero', 'skip'"
    with pytest.raises(ValueError) as caught:
        check_choice("missing", "a b", ("zero", "skip"))
    assert worded(caught.value, "page").startswith("option missing='a b' is unknown")


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
        lambda message: message + "",
        lambda message: ValueError(str(ValueError(message))),
        lambda message: Message("row 3: ", ValueError(message)),
        lambda message: FileError("g", "row 3: ", message),
        lambda message: pickle.loads(pickle.dumps(FileError("g", message))),
        lambda message: pickle.loads(pickle.dumps(ValueError(message))),
        copy.deepcopy,
        lambda message: FileError("g", "x" * 2000, message),
    ],
)
def test_hints_are_kept(carried):
    message = carried(Message("say which ", Hint("with column", "ids", "NAME"), "; or not"))
    assert str(message).endswith("say which with --columns ids=NAME; or not"[: len(str(message))])
    assert "say which under Options, ids" in worded(message, "page")


def test_of_a_hint_that_is_cut_pages_show_nothing():
    message = Message("say which ", Hint("with column", "ids", "NAME"), "; or not")
    assert message[:20] == "say which with --col" and message[5] == "h" and message[::-1] == str.__str__(message)[::-1]
    assert worded(message[:20], "page") == "say which " and worded(message[20:], "page") == "; or not"


def test_errors_of_the_system_say_the_file_and_no_number():
    error = OSError(28, "No space left on device", "/up/1/g")
    assert worded(error, "page", {"/up/1/g": "gold.json"}) == "gold.json: no space left on device"
    assert worded(OSError("nothing more"), "page") == "nothing more"


def test_a_file_error_tells_its_path():
    error = pickle.loads(pickle.dumps(FileError("a.json", "no such ", "file")))
    assert error.path == "a.json" and str(error) == "a.json: no such file"


def _sources(words):
    """Path in the package and tree of the files with these words that may make messages for a page."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name, text = path.relative_to(PACKAGE).as_posix(), path.read_text("utf-8")
        if name != "core/hints.py" and not name.startswith(("cli/", "training/", "cluster/")) and words.search(text):
            yield name, ast.parse(text)


def _documentation(tree):
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


_FLAG = re.compile(r"(?<![\w(-])--(option|columns|metric|measures|no-answer|per-|by|format)|qassay (score|compare)")


def test_no_text_of_qassay_contains_a_flag_of_the_command_line():
    """All of them are hints, so that each surface has its own words."""
    flagged = [
        (name, node.value)
        for name, tree in _sources(
            re.compile(r"""--[a-z]|qassay (score|compare|["'])""")
        )  # a text may go on in the next line
        for documentation in [_documentation(tree)]
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation
        if _FLAG.search(node.value)
    ]
    assert not flagged


def test_all_hints_have_a_known_kind_and_are_outside_of_f_strings():
    calls = [
        (name, node, part)
        for name, tree in _sources(re.compile("Hint"))
        for part in ast.walk(tree)
        if isinstance(part, ast.Call)
        for node in [part.func]
        if isinstance(node, ast.Name) and node.id == "Hint"
    ]
    assert len(calls) > 50
    for name, _, call in calls:
        kind, *values = call.args
        assert isinstance(kind, ast.Constant) and kind.value in hints._WORDINGS, (name, call.lineno)
        if not any(isinstance(value, ast.Starred) for value in values):
            hint = Hint(kind.value, *["x"] * len(values))
            assert all("{" not in hint.words(surface) for surface in ("command", "page", "metric page", "program"))
    for name, tree in _sources(re.compile("Hint|Message")):
        inside = [node for text in ast.walk(tree) if isinstance(text, ast.FormattedValue) for node in ast.walk(text)]
        assert not [node for node in inside if isinstance(node, ast.Name) and node.id in ("Hint", "Message")], name


def test_no_words_of_a_page_have_a_flag():
    for kind in hints._WORDINGS:
        hint = Hint(kind, "x", "'y'")
        assert "--" in hint.words("command") or kind in (
            "file",
            "piece",
            "values",
            "given",
            "one run",
            "gold first",
            "usage",
            "slices",
        )
        for surface in ("page", "metric page", "program"):
            assert "--" not in hint.words(surface) and "qassay score" not in hint.words(surface)


@pytest.mark.parametrize("metric", list(FAMILIES))
def test_meanings_and_remarks_are_free_of_flags(metric):
    """Every page and file shows them as they are."""
    family = get_family(metric)
    remarks = family.telling.note_words(family.load()[1]()).values()
    assert not [words for words in [*remarks, *dict(family.measures()).values()] if "--" in words]
