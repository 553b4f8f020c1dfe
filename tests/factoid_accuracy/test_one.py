"""What the short way of one question leaves to `score_entities`; its numbers are in tests/contract/test_short_ways.py."""

import pytest

from qassay.factoid_accuracy.one import one_question
from qassay.factoid_accuracy.scoring import FactoidOptions


@pytest.mark.parametrize(
    ("answer", "gold", "kind"),
    [
        (None, ["a"], None),
        ("a", ["a"], None),
        ("", ["a"], None),
        ([1], ["a"], None),
        ([["a", 1]], ["a"], None),
        ([[["a"]]], ["a"], None),
        (["a"], None, None),
        (["a"], "", None),
        (["a"], [], None),
        (["a"], [[]], None),
        (["a"], "a", "list"),
        (["a"], ["a"], "summary"),
        (["a"], ["a"], "Factoid"),
        ("yes", "perhaps", "yesno"),
        ("yes", ["yes"], "yesno"),
        (["yes"], "yes", "yesno"),
        (None, "yes", "yesno"),
    ],
    ids=repr,
)
def test_unusual_input_is_for_the_long_way(answer, gold, kind):
    assert one_question(FactoidOptions())(answer, gold, question_types=kind) is None


@pytest.mark.parametrize(("answer", "gold"), [(None, ["a"]), ("a", ["a"]), ([1], ["a"]), (["a"], [1]), (["a"], [])])
def test_unusual_documents_are_for_the_long_way(answer, gold):
    assert one_question(FactoidOptions(phase="A"))(answer, gold) is None


def test_layouts_of_version_2_are_for_the_long_way():
    assert one_question(FactoidOptions(version=2)) is None
