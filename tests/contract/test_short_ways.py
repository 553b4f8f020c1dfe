"""The fast paths of the families (`Family.one`) on random rows: equal to `qassay.score` to the last bit."""

import random

import pytest

import qassay
from qassay.core.family import Family
from qassay.registry import FAMILIES

MANY_MEASURES = (
    "mrr@3", "map@5", "map(rel=2)@100", "map(denominator=min_mn)@4", "map(denominator=fixed:10)", "gm_map",
    "map(denominator=num_retrieved_relevant)@3", "map(denominator=min_k_relevant)@3", "ndcg", "ndcg@3",
    "ndcg(gain=exp2)@5", "dcg@4", "ideal_dcg@2", "p@5", "recall@3", "recall", "hit_rate@2", "f1@5", "rprec",
    "rprec(mult=0.4)", "relative_p@3", "set_p", "set_recall", "set_f", "set_map", "set_relative_p", "utility", "num_q",
    "num_ret", "num_rel", "num_rel_ret",
)  # fmt: skip
DOCUMENTS = [f"d{number}" for number in range(40)]
NAMES = ("Dog", "dog", "canine", "Cat", "the fox", "", "DOG ", "wolf")
WORDS = (
    "the The a Paris, paris Lyon NFL National Football League U.S. 11 eleven not 2018 2019 in It was Marie Curie. ? ! "
    "Élysée 30 % $1.5 million XIV I don't know"
).split()


def ranking(rng):
    """A ranking with ties of up to 30 documents, and judgements of some of them and of others."""
    documents = rng.sample(DOCUMENTS, rng.choice((0, 1, 3, 8, 30)))
    run = {name: rng.choice((rng.random(), float(rng.randrange(3)), rng.randrange(4))) for name in documents}
    return run, {name: rng.randrange(-1, 4) for name in rng.sample(DOCUMENTS, rng.choice((1, 3, 10, 20)))}


def ranked_list(rng):
    run, gold = ranking(rng)
    return list(run), gold


def relevant_documents(rng):
    run, gold = ranking(rng)
    return run, set(gold) if rng.random() < 0.5 else list(gold)


def long_list(rng):
    documents = [f"d{number}" for number in range(1500)]
    return rng.sample(documents, 1500), {name: rng.randrange(1, 4) for name in rng.sample(documents, 20)}


def entities(rng):
    """Entities of all layouts: bare names, lists of synonyms, and empty lists."""
    return [
        rng.choice(NAMES) if rng.random() < 0.5 else rng.choices(NAMES, k=rng.randrange(4))
        for _ in range(rng.randrange(9))
    ]


def question(rng):
    return entities(rng), "Dog" if rng.random() < 0.2 else ["dog", *entities(rng)]


def list_question(rng):
    return entities(rng), ["dog", *entities(rng)]


def yes_or_no(rng):
    return rng.choice(("yes", "No.", "Yes, no", "", "maybe")), rng.choice(("Yes", "no"))


def found_documents(rng):
    return rng.choices(DOCUMENTS, k=rng.randrange(20)), rng.choices(DOCUMENTS, k=rng.randrange(1, 20))


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


def long_answer(rng):
    return " ".join(rng.choices(WORDS, k=700)), [" ".join(rng.choices(WORDS, k=50)) for _ in range(2)]


def label(rng):
    return rng.choice("abc"), rng.choice("abc")


def label_sets(rng):
    kinds = (list, set, frozenset)
    return [rng.choice(kinds)(rng.choices("abcd", k=rng.randrange(1, 5))) for _ in range(2)]


def ranked_labels(rng):
    return rng.sample("abcdefghij", rng.randrange(1, 10)), rng.choices("abcdefghij", k=rng.randrange(1, 5))


def nuggets(rng):
    n = rng.randrange(5)
    words = ("support", "Partial Support", "not_support", True, None, 0.5)
    return rng.choices(words, k=n), rng.choices(("vital", "okay", {"importance": "vital", "text": "x"}), k=n)


def own_nuggets(rng):
    return [{"assignment": "support", "importance": rng.choice(("vital", "okay"))} for _ in range(3)], None


def grade(rng):
    return rng.choice(("CORRECT", "B", "not attempted", {"grade": "a"})), rng.choice(("Rome", ["Rome", "Roma"]))


def claims(rng):
    def verdicts(n):
        return rng.choices(("Entailment", "Neutral", "Contradiction", None), k=n)

    fields = {"answer2response": verdicts(3), "response2answer": verdicts(2)}
    if rng.random() < 0.5:
        fields |= {
            "retrieved2response": [verdicts(2) for _ in range(3)],
            "retrieved2answer": [verdicts(2) for _ in "ab"],
        }
    return fields, ["one", "two"]


LITE = {"model": "lite"}
CASES = {  # family -> options and rows
    "retrieval_ranking": [
        *(({**options, **measures}, ranking) for options in ({}, {"ties": "stable"}, {"depth": 4}, {"preset": "nlpcc"})
          for measures in ({}, {"measures": MANY_MEASURES})),
        ({"judged_only": True, "depth": 6}, ranked_list),
        ({"relevance_level": 2, "gain": "exp2", "measures": MANY_MEASURES}, ranked_list),
        ({"relevance_level": 0, "ap_denominator": "min_mn"}, relevant_documents),
        ({"measures": MANY_MEASURES}, relevant_documents),
        ({"measures": ("ndcg", "map")}, long_list),
    ],
    "factoid_accuracy": [
        *(({"question_type": kind, **options}, row)
          for kind, row in (("factoid", question), ("list", list_question), ("yesno", yes_or_no))
          for options in ({}, {"top_k": None, "missing": "skip"}, {"top_k": 1, "normalizer": "squad"}, {"version": 3})),
        *(({"phase": "A", "version": version}, found_documents) for version in (2, 5, 9)),
    ],
    "semantic_answer_similarity": [
        *(({**LITE, **options}, answer) for options in ({}, {"raw": True, "thresholds": (0, 0.3)}, {"normalizer": "none"})),
        (LITE, answer_to_one_text),
        (LITE, long_answer),
        ({**LITE, "top_k": (1, 3), "thresholds": (0.5, 0.9)}, ranked_answers),
        *(({**LITE, "extract": "answer_tag", "unextracted": way}, tagged_answer) for way in ("zero", "empty", "whole")),
    ],
    "answer_equivalence": [
        ({"threshold": 0.8}, answer),
        *(({"threshold": 0, "extract": "answer_tag", "unextracted": way}, tagged_answer) for way in ("zero", "whole")),
    ],
    "label_metrics": [
        *((options, label) for options in ({}, {"task": "single", "labels": ["a", "b", "c", "d"]})),
        *(({"task": "multi", **options}, label_sets) for options in ({}, {"labels": [*"abcdef"]})),
        *(({"task": "ranked", **options}, ranked_labels) for options in ({}, {"k": (2, 7, 20)})),
    ],
    "claim_support": [
        *((options, nuggets) for options in ({}, {"unjudged": "zero", "empty": "skip"})),
        ({}, own_nuggets),
        ({"task": "grades"}, grade),
        *(({"task": "claims", "empty": empty}, claims) for empty in ("official", "skip")),
    ],
}  # fmt: skip


@pytest.mark.parametrize("metric", CASES)
def test_fast_path_equals_columns(metric, rows_by_columns):
    for options, row in CASES[metric]:
        rng = random.Random(1)
        n = 4 if row in (long_list, long_answer) else 12
        predictions, golds = map(list, zip(*(row(rng) for _ in range(n)), strict=True))
        check(rows_by_columns, metric, options, predictions, golds)


def test_fast_path_with_questions_and_types(rows_by_columns):
    rng = random.Random(2)
    predictions, golds = map(list, zip(*(answer(rng) for _ in range(12)), strict=True))
    questions = [rng.choice(("", " ", "who was she?", "when was it?", "which city is " + text(rng))) for _ in golds]
    for options in ({}, {"use_questions": True}, {"use_questions": False}):
        check(rows_by_columns, "answer_equivalence", options, predictions, golds, questions=questions)
    rows = [row(rng) for row in (question, list_question, yes_or_no) for _ in range(5)]
    predictions, golds = map(list, zip(*rows, strict=True))
    types = sorted(["factoid", "list", "yesno"] * 5)
    check(rows_by_columns, "factoid_accuracy", {}, predictions, golds, question_types=types)


def check(rows_by_columns, metric, options, predictions, golds, **columns):
    """Check that the fast path is taken for every row and equals the result by columns."""
    scorer = qassay.scorer(metric, **options)
    one = scorer._family.one(scorer.options)
    found = [
        one(prediction, gold, **{name: column[row] for name, column in columns.items()})
        for row, (prediction, gold) in enumerate(zip(predictions, golds, strict=True))
    ]
    sides = [predictions] if set(map(type, golds)) == {type(None)} else [predictions, golds]
    rows = rows_by_columns(metric, options, *sides, **columns)
    names = scorer.names  # without what depends on the classes of other rows
    assert found == [{name: value for name, value in row.items() if name in names} for row in rows]
    assert {type(value) for row in found for value in row.values()} == {float}


def test_every_family_with_a_fast_path_is_tested():
    """tests/answer_match/test_one.py tests that of answer_match."""
    having = {name for name, family in FAMILIES.items() if type(family).one is not Family.one}
    assert having == {"answer_match", *CASES}
