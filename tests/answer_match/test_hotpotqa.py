"""HotpotQA's answer, supporting-fact and joint scores against their definition, forms of facts, and bad input."""

import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.core.text import get_normalizer
from qassay.files import read_gold, read_predictions

SQUAD = get_normalizer("squad")
MEASURES = ["exact_match", "f1", "precision", "recall"]
NAMES = [prefix + name for prefix in ("", "sp_", "joint_") for name in MEASURES]


def score_rows(predictions, references, predicted_facts, gold_facts):
    details = {
        "predicted_details": {"supporting_facts": predicted_facts},
        "gold_details": {"supporting_facts": gold_facts},
    }
    return qassay.score("answer_match", predictions, references, **details, preset="hotpotqa").columns


def row_scores(prediction, golds, predicted_facts=(), gold_facts=()):
    facts = predicted_facts if predicted_facts is None else list(predicted_facts)
    scores = score_rows([prediction], [golds], [facts], [list(gold_facts)])
    return {name: values.item() for name, values in scores.items()}


def block(scores, prefix=""):
    return tuple(scores[prefix + name] for name in MEASURES)


A0, B2 = ["A", 0], ["B", 2]


# --- the definition -----------------------------------------------------------------------------------------------


def harmonic(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else Fraction(0)


def answer_by_definition(prediction, gold):
    left, right = SQUAD(prediction), SQUAD(gold)
    same = sum((Counter(left.split()) & Counter(right.split())).values())
    if left != right and {left, right} & {"yes", "no", "noanswer"} or not same:
        return Fraction(left == right), Fraction(0), Fraction(0), Fraction(0)
    precision, recall = Fraction(same, len(left.split())), Fraction(same, len(right.split()))
    return Fraction(left == right), harmonic(precision, recall), precision, recall


def facts_by_definition(predicted, gold):
    predicted, gold = {tuple(fact) for fact in predicted}, {tuple(fact) for fact in gold}
    right = sum(fact in gold for fact in predicted)
    precision = Fraction(right, len(predicted)) if predicted else Fraction(0)
    recall = Fraction(right, len(gold)) if gold else Fraction(0)
    return Fraction(predicted == gold), harmonic(precision, recall), precision, recall


texts = st.lists(st.sampled_from(["yes", "No", "noanswer", "the", "red", "Red", "blue", "5", "."]), max_size=5).map(
    " ".join
)
NOTHING = (Fraction(0),) * 4


def by_definition(prediction, gold, predicted, true):
    answer = NOTHING if prediction is None else answer_by_definition(prediction, gold)
    support = NOTHING if predicted is None else facts_by_definition(predicted, true)
    precision, recall = answer[2] * support[2], answer[3] * support[3]
    joint = answer[0] * support[0], harmonic(precision, recall), precision, recall
    return [float(value) for value in (*answer, *support, *joint)]


@pytest.mark.parametrize("seed", range(10))
def test_files_as_the_official_script(save, seed):
    """Answers, facts or both missing, and ids that no question has: what is missing adds nothing to the sums."""
    draw = random.Random(seed)
    given = ["the", "", "yes", "no", "noanswer", "red", "The red fox.", "red red fox", "blue fox"]
    some_facts = [[], [A0], [A0, A0], [A0, B2], [["A", 1], B2]]
    ids = [f"i{number}" for number in range(12)]
    rows = [{"_id": key, "answer": draw.choice(given), "supporting_facts": draw.choice(some_facts)} for key in ids]
    answers = {key: draw.choice(given) for key in [*ids, "x1"] if draw.random() < 0.7}
    found = {key: draw.choice(some_facts) for key in [*ids, "x2"] if draw.random() < 0.7}
    table = [
        by_definition(answers.get(row["_id"]), row["answer"], found.get(row["_id"]), row["supporting_facts"])
        for row in rows
    ]
    gold = read_gold(save("g.json", rows))
    predictions = read_predictions(save("p.json", {"answer": answers, "sp": found}), gold)
    scores = qassay.score(gold.metric, **gold.columns, **predictions.columns, **gold.options)
    expected = dict(zip(NAMES, np.mean(table, axis=0), strict=True))
    assert scores.summary(NAMES) == pytest.approx(expected, rel=1e-12)
    assert scores.summary(["missing"])["missing"] == len({*ids} - {*answers})
    assert scores.notes["missing_facts"] == len({*ids} - {*found})
    assert scores.notes["unmatched"] == ("x1" in answers) + ("x2" in found)


@settings(deadline=None, max_examples=100)
@given(texts, st.lists(texts, min_size=1, max_size=4))
def test_several_golds_by_definition(prediction, golds):
    each = [answer_by_definition(prediction, gold) for gold in golds]
    expected = max(values[0] for values in each), *max(values[1:] for values in each)
    assert block(row_scores(prediction, golds)) == pytest.approx([float(value) for value in expected], rel=1e-12)


@pytest.mark.parametrize(
    "form",
    [
        [["A", 0], ["B", 2]],
        [("B", 2), ("A", np.int64(0))],
        {"title": ["A", "B"], "sent_id": [0, 2]},
        {"title": np.array(["A", "B"], dtype=object), "sent_id": np.array([0, 2])},
        [{"title": "A", "sent_id": 0}, {"title": "B", "sent_id": 2}],
    ],
)
def test_forms_of_the_facts(form):
    for predicted, gold in ((form, [A0, B2]), ([A0, B2], form), (form, form)):
        scores = score_rows(["x"], [["x"]], [predicted], [gold])
        assert {name: values.item() for name, values in scores.items()} == dict.fromkeys(NAMES, 1)


FACTS = r"details\['supporting_facts'\]"


@pytest.mark.parametrize(
    ("column", "value", "error", "place"),
    [
        ("references", [["x"], []], ValueError, r"references\[1\]"),
        ("gold_facts", [[A0], None], (TypeError, ValueError), rf"gold_{FACTS}\[1\]"),
        ("predicted_facts", [[A0], [A0, "B2"]], ValueError, rf"predicted_{FACTS}\[1\]\[1\]"),
        ("predicted_facts", [[A0], [["A", True]]], (TypeError, ValueError), rf"predicted_{FACTS}\[1\]\[0\]"),
        ("predicted_facts", [[A0], {"title": "A", "sent_id": 0}], (TypeError, ValueError), rf"predicted_{FACTS}\[1\]"),
        ("predicted_facts", [[A0], {"title": ["A"], "sent_id": []}], ValueError, rf"predicted_{FACTS}\[1\]"),
    ],
)
def test_bad_rows_are_named(column, value, error, place):
    facts = [[A0], [A0]]
    columns = {"predictions": ["x", "y"], "references": [["x"], ["y"]], "predicted_facts": facts, "gold_facts": facts}
    with pytest.raises(error, match=place):
        score_rows(**{**columns, column: value})
