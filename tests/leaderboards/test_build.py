"""The board of scored systems: which questions count, and who is refused."""

import pytest

import qassay
from qassay.core.file_columns import Gold
from qassay.core.interval_settings import Intervals
from qassay.files.scored import Scored, System
from qassay.leaderboards.build import build_board
from qassay.registry import get_family
from qassay.stats.absent import lacking_answers
from qassay.stats.difference import ComparisonSettings

GOLD = {f"q{place}": [f"answer {place}"] for place in range(1, 9)}
FAST = {"settings": ComparisonSettings(intervals=Intervals(n_resamples=50), n_permutations=50)}


def scored(**systems):
    """Systems, each by the ids of the questions that it answers right; others it answers wrong unless `None`."""
    found = {name: qassay.score("answer_match", given, gold) for name, (given, gold) in systems.items()}
    family = get_family("answer_match")
    gold = Gold("", "gold.json", {}, {}, None, {}, metric=family.name)
    return Scored(family, gold, {name: System(scores, name, {}) for name, scores in found.items()})


def right(*places, of=GOLD, without=()):
    given = {name: answers[0] if int(name[1:]) in places else "no" for name, answers in of.items()}
    return {name: text for name, text in given.items() if name not in without}, of


def test_absent_answers_count_as_wrong_or_leave_their_question_out():
    systems = scored(a=right(1, 2, 3, without=("q8",)), b=right(1, 2), c=right(1, without=("q2", "q8")))
    assert lacking_answers(systems.scores) == {"a": ["q8"], "c": ["q2", "q8"]}
    counted = build_board(systems, questions="count", measures=["exact_match"], **FAST)
    assert [of.value for of in counted.rankings["exact_match"].systems] == [3 / 8, 2 / 8, 1 / 8]
    assert not any(counted.unmatched.values())
    common = build_board(systems, questions="common", measures=["exact_match"], **FAST)
    assert [of.value for of in common.rankings["exact_match"].systems] == [2 / 6, 1 / 6, 1 / 6]
    assert common.unmatched == {"a": 1, "b": 2, "c": 0}
    assert "6 questions" in common.remarks[0]


def test_questions_that_only_one_gold_file_has_cannot_be_counted():
    fewer = {name: answers for name, answers in GOLD.items() if name != "q1"}
    systems = scored(a=right(1, 2), b=right(2, of=fewer))
    for questions in ("refuse", "count"):
        with pytest.raises(ValueError, match=r"b lacks 1 of 8 \('q1'\)"):
            build_board(systems, questions=questions, **FAST)
    common = build_board(systems, questions="common", **FAST)
    assert common.unmatched == {"a": 1, "b": 0} and common.rankings["f1"].n == 7
