"""Tables of right and wrong answers: every example counted once, McNemar's p, nothing for graded measures."""

import numpy as np
import pytest

import qassay
from qassay.registry import get_family
from qassay.reports.page_right_wrong import right_wrong_section
from qassay.reports.right_wrong import RightWrong, right_wrong_tables
from qassay.scoring import Scored, System


def scored(first, second, golds, metric="answer_match"):
    systems = {
        name: System(qassay.score(metric, answers, golds), name, {}) for name, answers in (("a", first), ("b", second))
    }
    return Scored(get_family(metric), None, systems)


def test_every_example_is_counted_once():
    from scipy.stats import binomtest

    golds = {f"q{place}": ["yes"] for place in range(10)}
    right = {"a": {0, 1, 2, 3}, "b": {3, 4, 5, 6, 7, 8}}
    answers = [{name: "yes" if int(name[1:]) in right[system] else "no" for name in golds} for system in "ab"]
    (table,) = right_wrong_tables(scored(*answers, golds), ("a", "b"), ["exact_match"])
    assert table[:7] == ("exact_match", "a", "b", 1, 3, 5, 1)
    assert table.n == 10 and table.p_value == pytest.approx(binomtest(3, 8).pvalue)
    (turned,) = right_wrong_tables(scored(*answers, golds), ("b", "a"), ["exact_match"])
    assert (turned.only_first, turned.only_second, turned.p_value) == (5, 3, table.p_value)


def test_how_much_was_judged_is_not_right_or_wrong():
    golds = {f"q{place}": {"d1": 1} for place in range(4)}
    ranked = [
        {name: {f"d{place % 3}": 2.0, "x": 1.0} for place, name in enumerate(golds)},
        {name: {"d1": 1.0} for name in golds},
    ]
    systems = {
        name: System(
            qassay.score("retrieval_ranking", own, golds, measures=["ndcg@5", "unjudged@1", "judged@1"]), name, {}
        )
        for name, own in zip("ab", ranked, strict=True)
    }
    found = Scored(get_family("retrieval_ranking"), None, systems)
    assert all(not table.measure.startswith(("judged", "unjudged")) for table in right_wrong_tables(found, ("a", "b")))


def test_graded_measures_have_none():
    found = scored({"q": "the big cat"}, {"q": "dog"}, {"q": ["cat"]})
    assert right_wrong_tables(found, ("a", "b"), ["f1"]) == []
    assert [table.measure for table in right_wrong_tables(found, ("a", "b"))] == ["exact_match"]


def test_measures_of_sets_have_none():
    found = scored(["x", "y", "x"], ["x", "x", "x"], ["x", "y", "y"], "label_metrics")
    tables = right_wrong_tables(found, ("a", "b"), ["accuracy", "macro_f1", "error_rate"])
    assert [(table.measure, table.both, table.only_first) for table in tables] == [("accuracy", 1, 1)]


def test_without_examples_apart_p_is_one():
    found = scored({"q": "cat"}, {"q": "cat"}, {"q": ["cat"]})
    (table,) = right_wrong_tables(found, ("a", "b"), ["exact_match"])
    assert table.p_value == 1.0 and np.isfinite(table.p_value)


def test_names_are_escaped():
    html = right_wrong_section([RightWrong("<b>", "<script>", "x", 1, 2, 30, 4)])
    assert "<script>" not in html and "&lt;script&gt;" in html and "p &lt; 0.0001" in html and "n = 37" in html
    assert right_wrong_section([]) == ""
