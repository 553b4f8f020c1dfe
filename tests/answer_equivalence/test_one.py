"""Scorers of one answer by judges, and names of measures; the short way is in tests/contract/test_short_ways.py."""

import qassay
from qassay.answer_equivalence.one import one_equivalence


def test_a_judge_has_no_short_way_and_is_not_asked_for_the_names_of_measures():
    asked = []
    scorer = qassay.scorer("answer_equivalence", model=lambda *row: asked.append(row) or 1.0)
    assert one_equivalence(scorer.options) is None
    assert scorer.names == ("equivalence", "accepted", "unsure") and not asked
    assert scorer("Rome", ["Paris"], questions="where?")["accepted"] == 1.0 and len(asked) == 1


def test_names_of_measures_with_questions():
    names = [qassay.scorer("answer_equivalence", use_questions=use).names for use in (None, False, True)]
    assert names == [("equivalence", "accepted", "unsure")] * 3
