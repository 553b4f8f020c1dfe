"""What a report finds: right and wrong answers of two systems, ranks of the first relevant document, outlying slices."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import qassay
from qassay.core.interval_settings import Intervals
from qassay.files.score_files import Scored, System
from qassay.registry import get_family
from qassay.reports.first_relevant import count_ranks, first_relevant_ranks
from qassay.reports.outlier_slices import outlier_slices
from qassay.reports.right_wrong import right_wrong_tables


def pair(first, second, golds, metric="answer_match", **options):
    scores = (qassay.score(metric, answers, golds, **options) for answers in (first, second))
    return Scored(get_family(metric), None, {name: System(of, name, {}) for name, of in zip("ab", scores, strict=True)})


# --- right and wrong ----------------------------------------------------------------------------------------------------


def test_every_example_is_counted_once():
    golds = {f"q{place}": ["yes"] for place in range(10)}
    right = {"a": {0, 1, 2, 3}, "b": {3, 4, 5, 6, 7, 8}}
    answers = [{name: "yes" if int(name[1:]) in right[system] else "no" for name in golds} for system in "ab"]
    table, *_ = right_wrong_tables(pair(*answers, golds), ("a", "b"))
    assert table[:7] == ("exact_match", "a", "b", 1, 3, 5, 1)
    assert table.n == 10
    turned, *_ = right_wrong_tables(pair(*answers, golds), ("b", "a"))
    assert (turned.only_first, turned.only_second) == (5, 3)


def test_only_measures_of_right_or_wrong_have_a_table():
    graded = pair({"q": "the big cat"}, {"q": "dog"}, {"q": ["cat"]})
    assert [table.measure for table in right_wrong_tables(graded, ("a", "b"))] == ["exact_match"]
    sets = pair(["x", "y", "x"], ["x", "x", "x"], ["x", "y", "y"], "label_metrics")
    tables = right_wrong_tables(sets, ("a", "b"))
    assert [(table.measure, table.both, table.only_first) for table in tables] == [("accuracy", 1, 1)]


# --- the first relevant document ----------------------------------------------------------------------------------------


def ranks_of(places, depth):
    qrels = {f"q{i}": {f"d{place or 9999:04}": 1} for i, place in enumerate(places)}
    run = {query: {f"d{rank:04}": float(-rank) for rank in range(1, depth + 1)} for query in qrels}
    return first_relevant_ranks(qassay.score("retrieval_ranking", run, qrels, measures=("mrr",)))


@given(st.lists(st.one_of(st.none(), st.integers(1, 30)), min_size=1, max_size=5))
def test_ranks_are_those_in_the_run(places):
    ranks = ranks_of(places, 30)
    assert ranks.tolist() == [math.inf if place is None else place for place in places]
    assert sum(count_ranks(ranks).values()) == len(places)


def test_late_ranks_are_exact_and_queries_without_a_relevant_document_have_none():
    assert ranks_of([2999, 1777, 9998], 3000).tolist() == [2999, 1777, math.inf]
    qrels, run = {"a": {"d": 1}, "b": {"d": 0}}, {"a": {"d": 1.0}, "b": {"d": 1.0}}
    ranks = first_relevant_ranks(qassay.score("retrieval_ranking", run, qrels))
    assert ranks[0] == 1 and np.isnan(ranks[1])
    found = count_ranks([1, 2, 3, 4, 5, 6, 10, 11, 20, 21, 5000, math.inf, math.inf, math.nan])
    assert found == {"1": 1, "2": 1, "3": 1, "4-5": 2, "6-10": 2, "11-20": 2, "later": 2, "not found": 2}


def test_scores_without_ranks_are_refused():
    qrels, run = {"a": {"d": 1}}, {"a": {"d": 1.0}}
    for options in ({"measures": ("map",)}, {"measures": ("mrr",), "ties": "expected"}):
        with pytest.raises(ValueError, match="mrr|mean reciprocal"):
            first_relevant_ranks(qassay.score("retrieval_ranking", run, qrels, **options))


# --- outlying slices ----------------------------------------------------------------------------------------------------


def scored(*shares):
    """Scores with exact match 1 or 0: for each (right, wrong), that many examples."""
    right = [one for good, bad in shares for one in [True] * good + [False] * bad]
    return qassay.score("answer_match", ["a" if one else "b" for one in right], [["a"]] * len(right))


TWO = ["one"] * 100 + ["two"] * 100


def test_outlying_slices_are_found_on_both_sides():
    scores = scored((80, 20), (10, 90), (45, 55))
    found = outlier_slices(scores, ["easy"] * 100 + ["hard"] * 100 + ["as all"] * 100, "exact_match")
    assert [(one.label, one.value, one.n, one.is_better) for one in found] == [
        ("easy", 0.8, 100, True),
        ("hard", 0.1, 100, False),
    ]
    assert all(one.interval[0] < one.value < one.interval[1] for one in found)
    assert all((one.interval[0] > 0.45) == one.is_better for one in found)


def test_the_level_is_corrected_for_the_number_of_slices():
    first = outlier_slices(scored((60, 40), (36, 64)), TWO, "exact_match")
    assert [one.label for one in first] == ["one", "two"]
    more = [f"more {number:02}" for number in range(20) for _ in range(100)]  # twenty slices more, each like all
    assert outlier_slices(scored((60, 40), (36, 64), *[(48, 52)] * 20), [*TWO, *more], "exact_match") == []
    narrow = outlier_slices(scored((60, 40), (36, 64)), TWO, "exact_match", Intervals(0.5))
    assert narrow[0].interval[0] > first[0].interval[0] and narrow[0].interval[1] < first[0].interval[1]


def test_small_slices_and_slices_without_an_error_may_be_chance():
    labels = ["many"] * 100 + ["few"] * 29
    assert "few" not in [one.label for one in outlier_slices(scored((100, 29)), labels, "exact_match")]
    found = outlier_slices(scored((100, 29)), labels, "exact_match", fewest=29)
    assert [one.label for one in found if not one.is_better] == ["few"]
    labels = ["all right"] * 35 + ["other"] * 365
    for method in ("auto", "percentile"):
        assert (
            outlier_slices(scored((375, 25)), labels, "exact_match", settings=Intervals(method=method)) == []
        )  # 0.94 ** 35 is 0.11
        found = outlier_slices(scored((35, 365)), labels, "exact_match", settings=Intervals(method=method))
        assert [one.label for one in found] == ["all right", "other"]


def test_outliers_by_examples_may_not_be_outliers_by_groups():
    scores = scored((70, 30), (40, 60))
    assert len(outlier_slices(scores, TWO, "exact_match")) == 2
    assert outlier_slices(scores.with_groups([row // 34 for row in range(200)]), TWO, "exact_match") == []


def test_lower_may_be_better():
    scores = qassay.score("label_metrics", ["x", "y"] * 40, ["x"] * 80)
    for measure, better in (("error_rate", False), ("accuracy", True)):
        found = outlier_slices(scores, ["a", "b"] * 40, measure)
        values = [(one.label, one.value == better, one.is_better) for one in found]
        assert values == [("a", True, True), ("b", False, False)]


def test_unknown_measures_and_too_few_labels_are_refused():
    with pytest.raises(ValueError, match="'f'"):
        outlier_slices(scored((3, 0)), ["a"] * 3, "f")
    with pytest.raises(ValueError, match="one value per example"):
        outlier_slices(scored((3, 0)), ["a"], "f1")
    assert outlier_slices(scored((40, 0)), ["a"] * 40, "total") == []
