"""The short way of one question gives what `score_entities` gives, to the last bit."""

import random

import pytest

from qassay.factoid_accuracy.one import one_question
from qassay.factoid_accuracy.scoring import FactoidOptions, score_entities

NAMES = ("Dog", "dog", "canine", "Cat", "the fox", "", "DOG ", "wolf")


def entities(rng, least):
    """Entities of all layouts: bare names, lists of synonyms, and empty lists."""
    made = [
        rng.choice(NAMES) if rng.random() < 0.5 else rng.choices(NAMES, k=rng.randrange(4))
        for _ in range(rng.randrange(least, 9))
    ]
    return made if least == 0 or any(entity != [] for entity in made) else ["dog", *made]


def rows(rng, kind, n):
    for _ in range(n):
        if kind == "yesno":
            yield rng.choice(("yes", "No.", "Yes, no", "", "maybe")), rng.choice(("Yes", "no"))
        elif kind == "factoid" and rng.random() < 0.2:
            yield entities(rng, 0), "Dog"
        else:
            yield entities(rng, 0), entities(rng, 1)


def means(scores):
    """The measures of each question that are means and apply to it."""
    measures = {name: measure for name, measure in scores.measures.items() if measure.is_mean}
    columns = {name: measure.by_example(scores.rows).tolist() for name, measure in measures.items()}
    cells = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [{name: value for name, value in row.items() if value == value} for row in cells]


@pytest.mark.parametrize("kind", ["factoid", "list", "yesno"])
@pytest.mark.parametrize(
    "options",
    [{}, {"top_k": None, "missing": "skip"}, {"top_k": 1, "normalizer": "squad"}, {"version": 3}],
    ids=str,
)
def test_short_way_equals_long_way(kind, options):
    answers, golds = zip(*rows(random.Random(2), kind, 150), strict=True)
    chosen = FactoidOptions(**options)
    one = one_question(chosen)
    long = means(score_entities(answers, golds, question_types=[kind] * 150, options=chosen))
    assert [one(answer, gold, question_types=kind) for answer, gold in zip(answers, golds, strict=True)] == long
    own_type = one_question(FactoidOptions(**options, question_type=kind))
    assert [own_type(answer, gold) for answer, gold in zip(answers, golds, strict=True)] == long


@pytest.mark.parametrize("version", [2, 5, 9])
def test_short_way_of_documents(version):
    rng, pool = random.Random(3), [f"d{number}" for number in range(30)]
    answers = [rng.choices(pool, k=rng.randrange(20)) for _ in range(60)]
    golds = [rng.choices(pool, k=rng.randrange(1, 20)) for _ in range(60)]
    chosen = FactoidOptions(phase="A", version=version)
    one = one_question(chosen)
    short = [one(answer, gold) for answer, gold in zip(answers, golds, strict=True)]
    assert short == means(score_entities(answers, golds, options=chosen))


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
