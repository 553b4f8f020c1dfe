"""`qassay.leaderboard`: what it takes and refuses, slices, and names that are HTML."""

import numpy as np
import pytest

import qassay

from .some_scores import exact

FEW = {"n_resamples": 60, "n_permutations": 200}
IDS = [f"q{n}" for n in range(30)]
GOLD = {name: ["yes"] for name in IDS}


def system(right, ids=IDS):
    """A system that is right in the first `right` questions of `IDS`."""
    answers = {name: "yes" if IDS.index(name) < right else "no" for name in ids}
    return qassay.score("answer_match", answers, {name: GOLD[name] for name in ids})


@pytest.fixture(scope="module")
def three():
    return {"fair": system(20), "sharp": system(28), "blunt": system(3)}


def test_slices_are_rankings_of_their_examples(three):
    labels = ["early"] * 10 + ["late"] * 20
    board = qassay.leaderboard(three, ["exact_match"], {"part": labels}, **FEW)
    assert list(board.slices["part"]) == ["early", "late"]
    alone = {name: scores.take(np.arange(10, 30)) for name, scores in three.items()}
    late = board.slices["part"]["late"]["exact_match"]
    assert exact(late) == exact(qassay.leaderboard(alone, ["exact_match"], **FEW).rankings["exact_match"])
    assert [of.system for of in late.systems] == ["sharp", "fair", "blunt"]


def test_systems_with_different_questions_are_refused_or_cut_to_the_common_ones(three):
    systems = {**three, "late": system(20, IDS[3:]), "early": system(20, IDS[:-2])}
    with pytest.raises(
        ValueError, match="late lacks 3 of 30.*'q0', 'q1'.*early lacks 2 of 30.*'q28', 'q29'.*common=True"
    ):
        qassay.leaderboard(systems, **FEW)
    board = qassay.leaderboard(systems, "f1", common=True, **FEW)
    assert board.rankings["f1"].n == 25
    assert board.unmatched == {"fair": 5, "sharp": 5, "blunt": 5, "late": 2, "early": 3}


def test_what_it_refuses(three):
    for systems, given, message in (
        ({str(n): three["sharp"] for n in range(101)}, {}, "101"),
        (three, {"measures": "total"}, "total"),
        ({"a": system(2, IDS[:9]), "b": system(2, IDS[9:])}, {"common": True}, "no example"),
    ):
        with pytest.raises(ValueError, match=message):
            qassay.leaderboard(systems, **given)


def test_a_measure_of_no_example_is_refused_by_name_or_omitted():
    """no_answer_f1 if every question has an answer: its value is not 0.0."""
    systems = {name: qassay.score("answer_match", [name, "b", "b"], [["a"], ["b"], ["c"]]) for name in "ab"}
    assert "no_answer_f1" in systems["a"].measures
    fast = {"n_resamples": 20, "n_permutations": 20}
    with pytest.raises(ValueError, match="no_answer_f1"):
        qassay.leaderboard(systems, ["f1", "no_answer_f1"], **fast)
    board = qassay.leaderboard(systems, "all", **fast)
    assert "f1" in board.rankings and "no_answer_f1" not in board.rankings
    assert any("no_answer_f1" in line for line in board.remarks)
