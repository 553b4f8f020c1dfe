"""Kinds of errors of factoid, list and yes/no answers."""

import qassay
from qassay.factoid_accuracy.error_kinds import ENTITY_ERRORS, entity_error_kinds


def test_kinds_of_entities():
    rows = [
        ("factoid", ["dog", "cat"], ["dog"], "correct"),
        ("factoid", ["cat", "dog"], ["dog"], "correct later"),
        ("factoid", ["cat"], ["dog"], "wrong"),
        ("factoid", [], ["dog"], "gave no answer"),
        ("list", ["b", "a"], ["a", "b"], "correct"),
        ("list", ["a"], ["a", "b"], "partial"),
        ("list", ["c"], ["a", "b"], "wrong"),
        ("yesno", "yes", "yes", "correct"),
        ("yesno", "no", "yes", "wrong"),
        ("yesno", "maybe", "yes", "gave no answer"),
        ("summary", "text", "text", "not scored"),
    ]
    types, given, golds, kinds = map(list, zip(*rows, strict=True))
    assert entity_error_kinds(qassay.score("factoid_accuracy", given, golds, question_types=types)) == kinds
    assert set(kinds) == set(ENTITY_ERRORS.order) - {"no prediction"}
    missing = qassay.score("factoid_accuracy", {"a": ["x"]}, {"a": ["x"], "b": ["y"]})
    assert entity_error_kinds(missing) == ["correct", "no prediction"]
    given, golds = [["d", "e"], ["d", "x"], ["x"], []], [["d", "e"]] * 4
    documents = qassay.score("factoid_accuracy", given, golds, phase="A")
    assert entity_error_kinds(documents) == ["correct", "partial", "wrong", "gave no answer"]
