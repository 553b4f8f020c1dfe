"""Fingerprints of gold data: the same for every layout, order and process, and different if the gold data differ."""

import pickle

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.answer_match.scoring import AnswerMatchOptions, score_answers
from qassay.core.gold_fingerprints import (
    GoldFingerprints,
    label_prints,
)

# Change these only if fingerprints must change: scores pickled before can then not be compared.
WRITTEN_DOWN = """
0x62ae196d3f714eb0 0xdc286711576f6f09 0x5abc9fe043c81cc8 0x60ca6804b1f4ca52 0xbb26c5a7290907a4 0xc61b46a709f5fb38
0x6e789e6aa1b965f4 0xd3ae85ddaef45fae
"""

FAST = settings(max_examples=100, deadline=None)
GOLDS = [["Rome", "Roma"], ["Bern"], [], [""]]
LONG = "long " * 200


def prints(metric, predictions, references, **more) -> dict[str, list[int]]:
    scores = qassay.score(metric, predictions, references, **more)
    return {name: part.tolist() for name, part in scores.gold.parts.items()}


def test_one_gold_answer_in_every_layout_has_one_fingerprint():
    answers, ids = ["a", "b", "", "d"], ["q1", "q2", "q3", "q4"]
    wanted = prints("answer_match", answers, GOLDS)
    assert len(set(wanted["gold answers"])) == 4
    rows = [{"id": i, "answers": {"text": golds, "answer_start": [0] * len(golds)}} for i, golds in zip(ids, GOLDS)]
    texts = [{"id": i, "answers": [{"text": text} for text in golds]} for i, golds in zip(ids, GOLDS)]
    predicted = [{"id": i, "prediction_text": text} for i, text in zip(ids, answers)]
    for predictions, references in (
        (answers, [[*golds[::-1], *golds] for golds in GOLDS]),
        (pa.array(answers), pa.array(GOLDS)),
        (dict(zip(ids, answers)), dict(zip(ids, GOLDS))),
        (predicted[::-1], rows),
        (predicted, texts),
    ):
        assert prints("answer_match", predictions, references) == wanted
        assert prints("semantic_answer_similarity", predictions, references, model="lite") == wanted
    assert prints("answer_match", [[text, "x", "y"] for text in answers], GOLDS, top_k=2) == wanted
    several = [[g] for g in ("Rome", "Bern")]
    assert prints("answer_match", ["a", "b"], several, preset="hotpotqa") == prints("answer_match", ["a", "b"], several)


def test_classes_are_compared_by_what_they_are():
    truth = ["dog", "cat", "dog"]
    first, second = (qassay.score("label_metrics", found, truth) for found in (["dog"] * 3, ["ant", "cat", "cow"]))
    assert first.columns["reference"].tolist() != second.columns["reference"].tolist()
    assert qassay.compare({"a": first, "b": second}).differences
    whole = prints("label_metrics", [0, 1, 1], [0, 1, 2])
    for references in (np.array([0, 1, 2], np.uint8), [0.0, 1.0, 2.0], pa.array([0, 1, 2])):
        found = references if isinstance(references, list) else references[:3]
        assert prints("label_metrics", found, references) == whole
    assert (
        prints("label_metrics", [0, 9, 9], [0, 1, 2])
        == whole
        == prints("label_metrics", [0, 1, 1], [0, 1, 2], labels=5)
    )
    assert (
        prints("label_metrics", [True], [True])
        == prints("label_metrics", [1], [1])
        != prints("label_metrics", ["1"], ["1"])
    )
    matrix = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 0]])
    sets = prints("label_metrics", matrix, matrix, task="multi")
    for lists in ([[0, 2], [], [1]], [{2, 0}, set(), {1}], [[2, 0, 0], [], [1]]):
        assert prints("label_metrics", lists, lists, task="multi") == sets
        assert prints("label_metrics", [[0, 1], [2], [0]], lists, task="ranked", k=(1,)) == sets
    scored = np.array([[0.5, 0.2, 0.3], [0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    assert prints("average_precision", scored, matrix) == sets


def test_classes_without_a_lasting_text_have_no_fingerprint():
    class Odd:
        pass

    assert label_prints(np.array([0]), [Odd()]) is None and label_prints(np.array([0]), [10**5000]) is None
    one, other = Odd(), Odd()
    systems = {name: qassay.score("label_metrics", [one], [truth]) for name, truth in (("a", one), ("b", other))}
    assert systems["a"].gold.parts == {} and pickle.loads(pickle.dumps(systems["a"].gold)).parts == {}
    assert systems["a"].gold.first_other(systems["b"].gold) is None
    mixed = label_prints(np.arange(4), [("a", 1), ("a", 2), ("b",), 2**70])
    assert len(set(mixed.tolist())) == 4


def test_each_part_of_the_gold_data_is_reported():
    def facts(*pairs):
        return [[list(pair) for pair in pairs]]

    def asked(answers, gold_facts):
        sides = {"predicted_details": facts(("A", 1)), "gold_details": gold_facts} if gold_facts else {}
        given = {side: {"supporting_facts": column} for side, column in sides.items()}
        return qassay.score("answer_match", ["x"], answers, preset="hotpotqa", **given)

    whole = asked([["x"]], facts(("A", 1), ("B", 2)))
    assert whole.gold.first_other(asked([["x"]], facts(("B", 2), ("A", 1), ("A", 1))).gold) is None
    assert whole.gold.first_other(asked([["x"]], facts(("A", 1))).gold) == ("supporting_facts", 0)
    assert whole.gold.first_other(asked([["y"]], facts(("A", 1), ("B", 2))).gold) == ("gold answers", 0)
    assert whole.gold.first_other(asked([["x"]], None).gold) is None  # answers alone can be compared
    rows = [{"id": "q", "type": "summary"}], [{"id": "q", "type": "factoid", "exact_answer": ["a"]}]
    kinds = [qassay.score("factoid_accuracy", {"q": ["a"]}, row).gold for row in rows]
    assert kinds[0].first_other(kinds[1]) == ("gold answers", 0) and set(kinds[0].parts) == {
        "question type",
        "gold answers",
    }
    listed = qassay.score("factoid_accuracy", [["a"]], [["a"]], question_type="list").gold
    assert listed.first_other(qassay.score("factoid_accuracy", [["a"]], [["a"]]).gold)[0] in listed.parts


@FAST
@given(
    st.lists(st.lists(st.sampled_from(["", "a", "b", "ab", "é", "\ud800", LONG, LONG + "x"]), max_size=5), max_size=6)
)
def test_fingerprints_are_equal_exactly_for_equal_sets(lists):
    found = GoldFingerprints.of_texts("x", lists).parts["x"].tolist()
    for one, mine in zip(lists, found, strict=True):
        for other, their in zip(lists, found, strict=True):
            assert (mine == their) == (set(one) == set(other))
    if lists:
        scores = score_answers(["a"] * len(lists), lists, options=AnswerMatchOptions(empty_gold="keep"))
        assert scores.gold.parts["gold answers"].tolist() == found


def fingerprints_written_down() -> list[str]:
    run, score = {"q": {"d1": 1.0}}, qassay.score
    found = [
        score("answer_match", ["a"], [["Rome", "Roma"]]),
        score("retrieval_ranking", run, {"q": {"d1": 1, "d2": 0}}),
        score("label_metrics", ["cat"], ["cat"]),
        score("label_metrics", [[3]], [[3, 5]], task="multi"),
        score("factoid_accuracy", [["a"]], [["a", "b"]]),
        score("average_precision", [0.5], [True]),
        score("average_precision", [None], [{"boxes": [[0, 0, 1, 1]]}], task="boxes"),
    ]
    return [hex(one.gold.parts[name][0]) for one in found for name in sorted(one.gold.parts)]


def test_fingerprints_are_the_same_in_every_process():
    """They do not depend on the hashes of this process, which differ from those of the one that wrote them down."""
    assert fingerprints_written_down() == WRITTEN_DOWN.split()


def test_texts_of_large_columns_are_not_kept():
    many = 5_000
    golds = [[f"gold {row}"] for row in range(many)]
    scores = qassay.score("answer_match", ["x"] * many, golds)
    assert len(pickle.dumps(scores.gold)) < 9 * many
    assert scores.gold.first_other(GoldFingerprints.of_texts("gold answers", golds)) is None
