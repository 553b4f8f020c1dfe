"""What the command line knows about factoid_accuracy: the official line, kinds of errors, examples as texts."""

import pytest

import qassay
from qassay.core.file_columns import Gold
from qassay.factoid_accuracy.about import bioasq_text
from qassay.registry import get_family

FAMILY = get_family("factoid_accuracy")


def test_the_line_of_the_official_program():
    golds, types = [["a"], ["a", "b"], "yes", []], ["factoid", "list", "yesno", "summary"]
    scores = qassay.score("factoid_accuracy", golds, golds, question_types=types)
    assert bioasq_text("tag", scores, None, False) == "1.0 1.0 1.0 1.0 1.0 1.0 1.0 0.5 1.0 0.0\n"
    wrong = [["x"]] * 2999 + [["a"]]
    scores = qassay.score("factoid_accuracy", wrong, [["a"]] * 3000)
    assert bioasq_text("tag", scores, None, False).split()[1] == "3.333333333333333E-4"
    rare = qassay.score("factoid_accuracy", [["a"], ["x"]], [["a"], ["a"]], weights=[1, 9999])
    assert bioasq_text("tag", rare, None, False).split()[1] == "1.0E-4"
    documents = qassay.score("factoid_accuracy", [["x"]], [["d"]], phase="A")
    assert bioasq_text("tag", documents, None, False).split()[:4] == ["0.0"] * 4
    assert bioasq_text("tag", documents, None, False).split()[4].endswith("E-6")  # exp(ln(0.00001)), a little below

    for names, per_query, option in ((["mrr"], False, "omit measures"), (None, True, "omit per_query")):
        with pytest.raises(ValueError, match=option):
            bioasq_text("tag", scores, names, per_query)


def test_kinds_of_errors():
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
    errors = FAMILY.about.errors
    assert errors.of(qassay.score("factoid_accuracy", given, golds, question_types=types)) == kinds
    assert set(kinds) == set(errors.order) - {"no prediction"}
    missing = qassay.score("factoid_accuracy", {"a": ["x"]}, {"a": ["x"], "b": ["y"]})
    assert errors.of(missing) == ["correct", "no prediction"]
    given, golds = [["d", "e"], ["d", "x"], ["x"], []], [["d", "e"]] * 4
    documents = qassay.score("factoid_accuracy", given, golds, phase="A")
    assert errors.of(documents) == ["correct", "partial", "wrong", "gave no answer"]


@pytest.mark.parametrize(
    "form, given, expected",
    [
        ("bioasq", {}, {"top_k": None, "missing": "skip"}),
        ("bioasq", {"version": 8}, {"top_k": None}),
        ("bioasq", {"top_k": 3, "missing": "zero"}, {}),
        ("bioasq", {"top_k": 3}, {"missing": "skip"}),
        ("bioasq", {"phase": "a"}, {}),
        ("table", {}, {}),
    ],
)
def test_rules_of_the_official_line(form, given, expected):
    gold = Gold("gold.json", "bioasq", {}, given, None, {})
    assert FAMILY.measure_options(None, [], gold, form) == expected


def questions(*rows):
    return {"questions": [{"id": str(place), **row} for place, row in enumerate(rows)]}


def test_examples_as_texts(examples_of):
    gold = questions(
        {"type": "factoid", "body": "Who barks?", "exact_answer": ["dog", "canine"], "documents": ["d1", "d2"]},
        {"type": "factoid", "body": "Who mews?", "exact_answer": [["cat"]], "documents": ["d1"]},
        {"type": "list", "body": "Who else?", "exact_answer": [["owl", "strix"], ["fox"]], "documents": ["d3"]},
        {"type": "yesno", "body": "Is it?", "exact_answer": "yes", "documents": ["d4"]},
        {"type": "summary", "body": "Why?", "ideal_answer": "so", "documents": ["d5"]},
    )
    system = questions(
        {"exact_answer": [["cat"], ["dog"], ["ox"]], "documents": ["d2", "d9"]},
        {"exact_answer": "cat", "documents": []},
        {"exact_answer": [["strix"], ["hen"]]},
        {"exact_answer": "Yes."},
    )
    kinds, texts = examples_of(gold, system, top_k=2)
    assert kinds == ["correct later", "gave no answer", "partial", "correct", "not scored"]
    assert texts == [
        ("Who barks?", ["dog", "canine"], ["cat", "dog"]),
        ("Who mews?", ["cat"], ["cat"]),  # a bare text is not an answer to the official program
        ("Who else?", ["owl (strix)", "fox"], ["strix", "hen"]),
        ("Is it?", ["yes"], ["Yes."]),
        ("Why?", [], []),
    ]
    kinds, texts = examples_of(gold, system, phase="A", missing="zero")
    assert kinds == ["partial", *["gave no answer"] * 3, "no prediction"]
    assert texts[0] == ("Who barks?", ["d1", "d2"], ["d2", "d9"]) and texts[2] == ("Who else?", ["d3"], [])
