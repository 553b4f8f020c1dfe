"""Words of the command line become those of the page, or of functions; nothing else of a message changes."""

import ast
import re
from pathlib import Path

import pytest

import qassay
from qassay.registry import FAMILIES, get_family
from qassay.spaces_app.words import page_words, program_words, with_file_names

SEPARATOR, ASKED = "--columns 'separator=;'", "columns: separator=;"
MESSAGES = [
    "g: this looks like x, not a gold file; the gold file comes first: qassay score GOLD PREDICTIONS",
    "g: name its column with --columns references=NAME",
    "g: if it has documents, add --metric retrieval_ranking",
    "g: leave out --no-answer-probabilities",
    "g: give more with --option measures=map",
    "g: score answers only with --option task=answers",
    "g: this has judgements only; give a run too: qassay score QRELS RUN",
]


@pytest.mark.parametrize("words_of", [page_words, program_words])
@pytest.mark.parametrize("message", MESSAGES)
def test_messages_name_what_there_is(message, words_of):
    words = words_of(f"/up/1/{message}", {"/up/1/g": "gold.json"})
    assert words.startswith("gold.json: ")
    assert "--" not in words and "qassay score" not in words


@pytest.mark.parametrize(
    ("message", "on_the_page", "in_programs"),
    [
        (
            "to judge it by them use --option denominator=queries",
            "to judge it by them use the option denominator=queries",
            "to judge it by them use the option denominator=queries",
        ),
        (
            "give the option task='multi' or task='ranked'",
            "give the option task=multi or task=ranked",
            "give the option task='multi' or task='ranked'",
        ),
        (
            "or use the option missing='zero' or 'skip'",
            "or use the option missing=zero or skip",
            "or use the option missing='zero' or 'skip'",
        ),
        (
            "say which, for example --columns ids=qid",
            "say which, for example under Options, Columns: ids",
            "say which, for example columns: ids=qid",
        ),
        (
            f"write ['a'], or say what stands between labels, for example {SEPARATOR} (one label: --option task=single)",
            "write ['a'] (one label: the option task=single)",
            f"write ['a'], or say what stands between labels, for example {ASKED} (one label: the option task=single)",
        ),
        ("other thresholds by --option thresholds=...", "other thresholds by the option thresholds", None),
        ("row 3: 'it''s -- well, 5 --' is no number", "row 3: 'it''s -- well, 5 --' is no number", None),
    ],
)
def test_words(message, on_the_page, in_programs):
    assert page_words(message) == on_the_page
    assert program_words(message) == (in_programs or on_the_page)


def test_a_path_that_begins_with_another_one_keeps_its_own_name():
    assert with_file_names("/up/a.json and /up/a", {"/up/a": "one", "/up/a.json": "two"}) == "two and one"


def test_no_flag_of_the_command_line_is_left_in_any_text_of_qassay_that_a_page_can_show():
    """All texts with a flag in the files that make messages: readers, the core, the families."""
    folder = Path(qassay.__file__).parent
    texts = [
        node.value
        for part in ("core", "files", "families")
        for path in (folder / part).glob("*.py")
        for tree in [ast.parse(path.read_text("utf-8"))]
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr | ast.Constant)
        for node in (node.values if isinstance(node, ast.JoinedStr) else [node])
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value
    ]
    flagged = [text for text in texts if re.search(r"(?<![\w-])--(option|columns|metric|measures|no-answer)", text)]
    assert len(flagged) > 10
    for text in flagged:
        whole = re.sub(r"(--(?:columns|metric|option)) ?$", r"\1 name=VALUE", text)
        assert "--" not in page_words(re.sub(r"--metric name=", "--metric ", whole)), text


@pytest.mark.parametrize("metric", list(FAMILIES))
def test_meanings_and_remarks_are_free_of_flags(metric):
    """Every page and file shows them as they are."""
    family = get_family(metric)
    remarks = family.note_words(family.load()[1]()).values()
    assert not [words for words in [*remarks, *dict(family.measures()).values()] if "--" in words]
