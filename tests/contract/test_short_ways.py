"""The fast paths of the families (`Family.one`) on random rows: equal to `qassay.score` to the last bit.

Those of rankings, entities, labels, nuggets and claims are in the golden numbers of scorers, that of answer_match in its room.
"""

import random

import pytest

import qassay

WORDS = (
    "the The a Paris, paris Lyon NFL National Football League U.S. 11 eleven not 2018 2019 in It was Marie Curie. ? ! "
    "Élysée 30 % $1.5 million XIV I don't know"
).split()


def text(rng):
    if rng.random() < 0.3:
        return rng.choice(("", "  ", "the", "The", "?!", "I don't know.", "Marie Curie", "\ud800"))
    return " ".join(rng.choices(WORDS, k=rng.randrange(1, 9)))


def answer(rng):
    return text(rng), [text(rng) for _ in range(rng.randrange(4))]


def answer_to_one_text(rng):
    return text(rng), text(rng)


def tagged_answer(rng):
    answered, gold = answer(rng)
    return (answered if rng.random() < 0.4 else f"so <answer>{answered}</answer>"), gold


def ranked_answers(rng):
    return [text(rng) for _ in range(rng.randrange(1, 6))], answer(rng)[1]


def own_nuggets(rng):
    return [{"assignment": "support", "importance": rng.choice(("vital", "okay"))} for _ in range(3)], None


def grade(rng):
    return rng.choice(("CORRECT", "B", "not attempted", {"grade": "a"})), rng.choice(("Rome", ["Rome", "Roma"]))


LITE = {"model": "lite"}


def questions(rng):
    return rng.choice(("", " ", "who was she?", "when was it?", "which city is " + text(rng)))


CASES = {  # family -> options and rows
    "semantic_answer_similarity": [
        *(({**LITE, **options}, answer) for options in ({}, {"raw": True, "thresholds": (0, 0.3)}, {"normalizer": "none"})),
        (LITE, answer_to_one_text),
        ({**LITE, "top_k": (1, 3), "thresholds": (0.5, 0.9)}, ranked_answers),
        *(({**LITE, "extract": "answer_tag", "unextracted": way}, tagged_answer) for way in ("zero", "empty", "whole")),
    ],
    "answer_equivalence": [
        ({"threshold": 0.8}, answer),
        *(({"use_questions": used}, answer) for used in (None, True, False)),
        *(({"threshold": 0, "extract": "answer_tag", "unextracted": way}, tagged_answer) for way in ("zero", "whole")),
    ],
    "claim_support": [({}, own_nuggets), ({"task": "grades"}, grade)],
}  # fmt: skip


@pytest.mark.parametrize("metric", CASES)
def test_fast_path_equals_columns(metric, rows_by_columns):
    for options, row in CASES[metric]:
        rng = random.Random(1)
        predictions, golds = map(list, zip(*(row(rng) for _ in range(12)), strict=True))
        columns = {"questions": [questions(rng) for _ in golds]} if "use_questions" in options else {}
        scorer = qassay.scorer(metric, **options)
        one = scorer._family.one(scorer.options)
        found = [
            one(prediction, gold, **{name: column[place] for name, column in columns.items()})
            for place, (prediction, gold) in enumerate(zip(predictions, golds, strict=True))
        ]
        sides = [predictions] if set(map(type, golds)) == {type(None)} else [predictions, golds]
        assert found == rows_by_columns(metric, options, *sides, **columns)
        assert {type(value) for row in found for value in row.values()} == {float}
