"""What was counted is told in words that agree with the number, in all families."""

import pytest

from qassay.core.columns import counted
from qassay.registry import FAMILIES


def note_words(family):
    """The words of all notes of a family, under every choice of the options that change them."""
    _, options_class = family.load()
    choices = [{}, {"phase": "A", "version": 8}, {"duplicates": "last"}, {"task": "hotpotqa"}, {"task": "ranked"}]
    choices += [{"task": "boxes"}, {"denominator": "correct_retrievals"}]
    for options in choices:
        try:
            yield from family.note_words(options_class(**options)).values()
        except (TypeError, ValueError):  # not an option of this family
            continue


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_one_and_several_agree(family):
    words = set(note_words(family))
    assert words
    for text in words:
        noun, _, others = text.partition(" ")
        if noun.endswith("s"):
            assert counted(1, text).startswith(f"1 {noun[:-1]} ") and counted(2, text) == f"2 {text}"
            # A verb of the noun would need a form for each number.
            assert others.partition(" ")[0] in ("that", "with", "without", "under", "to")
            assert not others.startswith(("that rank", "that are", "that have"))
        else:
            assert counted(1, text) == f"1 {text}"


@pytest.mark.parametrize(
    "count, words, expected",
    [
        (1, "questions with no answer", "1 question with no answer"),
        (0, "questions", "0 questions"),
        (1, "queries", "1 query"),
        (1, "boxes", "1 box"),
        (1, "classes", "1 class"),
        (1, "unknown_tokens", "1 unknown_token"),
        (12345, "without a prediction", "12,345 without a prediction"),
    ],
)
def test_counted(count, words, expected):
    assert counted(count, words) == expected
