"""factoid_accuracy: BioASQ's measures, worked by hand and against the official program."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.factoid_accuracy.scoring import FactoidOptions, score_entities

FACTOID = ("strict_accuracy", "lenient_accuracy", "mrr")
LIST = ("list_precision", "list_recall", "list_f1")
OFFICIAL = ("yesno_accuracy", *FACTOID, *LIST, "yesno_macro_f1", "yesno_f1_yes", "yesno_f1_no")
JAVA = (
    "yesno_acc factoid_strict factoid_lenient factoid_mrr list_prec list_rec list_f1 "
    "yesno_macro_f1 yesno_f1_yes yesno_f1_no"
)
CASES = Path(__file__).parents[1] / "data" / "bioasq_edge_cases.json"


def values(names, predictions, references, ids=None, question_types=None, weights=None, **options):
    scores = score_entities(predictions, references, ids, question_types, weights, options=FactoidOptions(**options))
    return tuple(scores.summary(names).values())


# --- factoid ----------------------------------------------------------------------------------------------------------

SEED = [
    ["cane", "z", "z", "z", "z"],
    ["z", "z", "z", "z", "z"],
    ["z", "z", "cipolla", "z", "z"],
    ["z", "melanzane", "z", "z", "z"],
    ["birra", "z", "z", "z", "z"],
    ["z", "z", "z", "calippo", "z"],
]
SEED_GOLD = ["cane", "gatto", "cipolla", "melanzane", "birra", "calippo"]


@pytest.mark.parametrize(
    "gold",
    [SEED_GOLD, [[name] for name in SEED_GOLD], [[[name]] for name in SEED_GOLD]],
    ids=["text", "flat", "nested"],
)
def test_the_italian_example(gold):
    assert values(FACTOID, SEED, gold) == (0.3333333333333333, 0.8333333333333334, 0.5138888888888888)


@pytest.mark.parametrize(
    "candidates, gold, expected",
    [
        ([["DOG"]], [["dog"]], (1, 1, 1)),
        (["canine"], [["dog"], ["canine"]], (1, 1, 1)),
        (["dog ", "dog.", "the dog"], [["dog"]], (0, 0, 0)),
        (["ΟΔΟΣ"], [["οδος"]], (1, 1, 1)),
        ([np.float64(5.5)], ["5.5"], (1, 1, 1)),
        (["a", "a", "dog"], ["dog"], (0, 1, 1 / 3)),
        ([[], ["dog"]], ["dog"], (1, 1, 1)),
        ([[""], ["dog"]], ["dog"], (0, 1, 1 / 2)),
        ([["x", "dog"]], ["dog"], (0, 0, 0)),
        ([], ["dog"], (0, 0, 0)),
        (list("abcde") + ["dog"], ["dog"], (0, 0, 0)),
    ],
)
def test_one_factoid_question(candidates, gold, expected):
    assert values(FACTOID, [candidates], [gold]) == expected


def test_gold_that_version_2_does_not_read_is_counted():
    golds, types = [["a"], [["a"]], ["a"], [["a"]], "yes", []], ["factoid"] * 2 + ["list"] * 2 + ["yesno", "summary"]
    for version, expected in ((2, {"unreadable_gold": 2}), (3, {})):
        scores = score_entities(golds, golds, question_types=types, options=FactoidOptions(version=version))
        assert scores.notes == {"unmatched": 0, "duplicates": 0, **expected}
        assert scores.summary(["mrr", "list_f1"]) == (
            {"mrr": 0.5, "list_f1": 0.5} if expected else {"mrr": 1, "list_f1": 1}
        )


# --- list, yes/no -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "items, gold, expected",
    [
        (["a", "x", "b"], ["a", "b", "c", "d"], (2 / 3, 1 / 2, 0.5714285714285715)),
        (["a", "a1", "b"], [["a", "A1"], ["b"]], (0.6666666666666666, 1, 0.8)),
        (["a", "a"], ["a", "b"], (0.5, 0.5, 0.5)),
        (["b", "a", "c"], [["b"], ["a", "b"], ["c", "a"]], (1, 1, 1)),
        (["b"], [["a", "b"], ["b", "c"]], (1, 1, 1)),  # an entity that is left is excused by a shared name
        ([], ["a"], (0, 0, 0)),
        ([["a", "b"]], ["b"], (0, 0, 0)),
    ],
)
def test_one_list_question(items, gold, expected):
    assert values(LIST, [items], [gold], question_type="list") == expected


# --- submissions ------------------------------------------------------------------------------------------------------

GOLD = {
    "questions": [
        {"id": "q1", "type": "factoid", "exact_answer": [["dog", "canine"]]},
        {"id": "q2", "type": "list", "exact_answer": [["oak"], ["elm", "Ulmus"]]},
        {"id": "q3", "type": "yesno", "exact_answer": "yes"},
        {"id": "q4", "type": "summary", "ideal_answer": ["It is so."]},
        {"id": "q5", "type": "factoid", "exact_answer": [["fox"]]},
    ]
}
SYSTEM = {
    "questions": [
        {"id": "q3", "type": "list", "exact_answer": "Yes."},
        {"id": "q2", "exact_answer": [["elm"]], "_type": "x"},
        {"id": "q1", "exact_answer": [["cat"], ["Canine"]]},
        {"id": "q1", "exact_answer": [["dog"]]},
        {"id": "q9", "exact_answer": None},
    ]
}
SUBMITTED = {
    "strict_accuracy": 0.0,
    "lenient_accuracy": 0.5,
    "mrr": 0.25,
    "list_precision": 1.0,
    "list_recall": 0.5,
    "list_f1": 2 / 3,
    "yesno_accuracy": 1.0,
    "yesno_f1_yes": 1.0,
    "yesno_f1_no": 0.0,
    "yesno_macro_f1": 0.5,
    "total": 5,
    "factoid_total": 2,
    "list_total": 1,
    "yesno_total": 1,
    "summary_total": 1,
    "missing": 1,
    "unanswered": 0,
    "unmatched": 1,
    "duplicates": 1,
}


def test_a_submission_is_one_call():
    scores = score_entities(SYSTEM, GOLD)
    assert scores.summary() == SUBMITTED
    assert score_entities(SYSTEM["questions"], GOLD["questions"]) == scores
    assert qassay.score("factoid_accuracy", SYSTEM, GOLD) == scores
    assert scores.columns["rr"].tolist()[::4] == [0.5, 0.0] and np.isnan(scores.columns["rr"][1:4]).all()
    assert scores.columns["list_f1"][1] == 2 / 3 and np.isnan(scores.columns["list_f1"][[0, 2, 3, 4]]).all()
    assert {name: mask.tolist() for name, mask in scores.subsets.items() if name in ("summary", "missing")} == {
        "summary": [False, False, False, True, False],
        "missing": [False, False, False, False, True],  # a summary needs no exact answer
    }
    assert scores.signature() == f"factoid_accuracy|version:9|k:5|norm:bioasq|missing:zero|v:{qassay.__version__}"


# --- phase A ----------------------------------------------------------------------------------------------------------

PHASE_A = ("precision", "recall", "f1", "map", "gmap")


@pytest.mark.parametrize("version, denominator", [(2, 12), (3, 10), (5, 10), (8, 10), (9, 10)])
def test_average_precision_of_twelve_gold_documents(version, denominator):
    gold = [f"d{number}" for number in range(12)]
    found = ["x", "d0", "y", "d1", *(f"z{number}" for number in range(8)), "d2", "d2", "x"]  # right at 2, 4 and 13
    precision_at_hits = 1 / 2 + 2 / 4 + 3 / 13
    expected = (3 / 13, 3 / 12, 2 * (3 / 13) * (3 / 12) / (3 / 13 + 3 / 12), precision_at_hits / denominator)
    result = values(PHASE_A, [found], [gold], phase="A", version=version)
    assert result == pytest.approx((*expected, expected[-1] + 0.00001), rel=1e-14)


def test_phase_a_can_exceed_1_and_gmap_takes_logarithms():
    documents = [f"d{number}" for number in range(20)]
    for version in (3, 5, 8, 9):
        assert values(["map"], [documents], [documents], phase="A", version=version) == (2,)
    found = values(["map", "gmap"], [["d1"], ["x"]], [["d1"], ["d1"]], phase="A")
    assert found == pytest.approx((0.5, math.sqrt(1.00001 * 0.00001)), rel=1e-14)


# --- the official program ---------------------------------------------------------------------------------------------


def official_options(version):
    return FactoidOptions(preset="bioasq") if version == 9 else FactoidOptions(version=version, top_k=None)


def test_official_scores_of_real_runs(bioasq):
    rows = json.loads((bioasq / "official_scores.json").read_text("utf-8"))["rows"]
    assert len(rows) == 24
    for row in rows:
        gold = "12B1_golden.json" if "batch_1" in row["file"] else "12B2_golden.json"
        system, gold = (json.loads((bioasq / name).read_text("utf-8")) for name in (row["file"], gold))
        found = score_entities(system, gold, options=official_options(row["e"])).summary(OFFICIAL)
        assert list(found.values()) == [row["java"][name] for name in JAVA.split()], (row["file"], row["e"])


# The program stops at flat lists from version 3 on, at gold without an answer, at absent questions before version 9, and
# at null or a list as an answer to a yes/no question.
ANSWERED = {"f_null": 0.0, "f_missing_question": 0.5, "f_flat_list": 1.0, "f_gold_flat": 1.0, "l_flat": 1.0}
REFUSED = {
    "y_list": r"predictions\[0\] \(id '1'\) answers a yes/no question with list",
    "f_gold_missing_exact": r"references\[0\] \(id '1'\) has no gold answer",
}


@pytest.mark.parametrize("version", [2, 3, 5, 8, 9])
def test_official_scores_of_small_cases(version):
    """47 synthetic cases, each with the output of the official program (evaluation.EvaluatorTask1b of
    https://github.com/BioASQ/Evaluation-Measures, -phaseB -e VERSION): ten numbers, or the exception it stopped with.
    """
    cases = json.loads(CASES.read_text("utf-8"))
    assert len(cases) == 47
    crashed = set()
    for name, case in cases.items():
        gold, system, expected = case["gold"], case["system"], case["outputs"][str(version)]
        refused = {**REFUSED, **({"f_null": "no example is left to score"} if version == 9 else {})}
        if name in refused and isinstance(expected, str):
            crashed.add(name)
            with pytest.raises((TypeError, ValueError), match=refused[name]):
                score_entities(system, gold, options=official_options(version))
            continue
        scores = score_entities(system, gold, options=official_options(version))
        found = [value or 0.0 for value in scores.summary(OFFICIAL).values()]  # the program prints 0 without a question
        if isinstance(expected, str):
            crashed.add(name)
            assert max(found) == (ANSWERED[name] if version > 2 else 0), name
        else:
            assert found == expected, name
    usual = {"f_null", "y_list", *({"f_missing_question", "f_gold_missing_exact"} if version < 9 else ())}
    assert crashed == usual | ({"f_flat_list", "f_gold_flat", "l_flat"} if version > 2 else set())


NAMES = st.sampled_from(["a", "A", "b", "c", "d", ""])
ENTITIES = st.lists(st.lists(NAMES, min_size=1, max_size=3), min_size=1, max_size=6)
SYSTEM_ENTITIES = st.lists(st.lists(NAMES, max_size=2), max_size=9)


def paired_off(items: list[list[str]], gold: list[list[str]]) -> tuple[float, float]:
    """Precision and recall of a list, by the literal rule: one search after the other."""
    left, pool, hits, lost = list(map(set, gold)), list(map(set, items)), 0, 0
    for item in items:
        index = next((index for index, names in enumerate(left) if names & set(item)), None)
        if index is not None:
            hits += 1
            del left[index]
    for entity in left:
        index = next((index for index, names in enumerate(pool) if names & entity), None)
        if index is None:
            lost += 1
        else:
            del pool[index]
    return hits / len(items) if items else 0.0, hits / (hits + lost) if hits else 0.0


@settings(max_examples=60, deadline=None)
@given(SYSTEM_ENTITIES, ENTITIES)
def test_lists_are_paired_off_as_the_rule_says(items, gold):
    items, gold = ([[name.lower() for name in names] for names in side] for side in (items, gold))
    found = values(LIST, [items], [gold], question_type="list", version=3)
    assert found[:2] == paired_off([item for item in items if item], gold)


def test_long_lists_are_paired_off():
    names = [f"e{number}" for number in range(1500)]
    assert values(LIST, [["x"] * 1500 + names[::-1]], [names], question_type="list")[:2] == (0.5, 1)


def test_weights_count_in_the_geometric_mean():
    found, gold = [["d1"], ["d2", "d9"], ["d8", "d3"]], [["d1"], ["d2", "d7"], ["d3"]]
    options = {"phase": "A", "weights": [1, 0, 3]}
    repeated = [0, 2, 2, 2]
    expected = qassay.score("factoid_accuracy", [found[i] for i in repeated], [gold[i] for i in repeated], phase="A")
    weighted = qassay.score("factoid_accuracy", found, gold, **options).summary()
    assert weighted["gmap"] == pytest.approx(expected.summary()["gmap"], rel=1e-12)
