"""Kinds of errors of rankings."""

import pytest

import qassay
from qassay.retrieval_ranking.error_kinds import RANKING_ERRORS, ranking_error_kinds

LONG = {f"x{place:02}": 99.0 - place for place in range(20)}


@pytest.mark.parametrize(
    "kind, run, judged",
    [
        ("relevant first", {"a": 2.0, "b": 1.0}, {"a": 1}),
        ("found, not first", {"b": 2.0, "a": 1.0}, {"a": 1, "b": 0}),
        ("found, not first", {"b": 2.0, "a": 1.0}, {"a": 1}),  # although b is not judged
        ("found, not first", LONG, {"x09": 1, "x00": 0}),
        ("found late", LONG, {"x10": 1, "x00": 0}),
        ("unjudged top", LONG, {"x10": 1}),
        ("unjudged top", {"b": 2.0}, {"a": 1}),
        ("not found", {"b": 2.0}, {"a": 1, "b": 0}),
        ("not found", {}, {"a": 1}),  # no document at rank 1
        ("not in the run", None, {"a": 1}),
        ("no relevant", {"b": 2.0}, {"a": 0}),
        ("no relevant", None, {"a": 0}),
    ],
)
def test_kinds_of_rankings(kind, run, judged):
    runs = {"other": {"a": 1.0}, **({} if run is None else {"q": run})}
    qrels = {"q": judged, "other": {"a": 1}}
    scores = qassay.score("retrieval_ranking", runs, qrels, measures=["map", "mrr", "unjudged@1"])
    assert ranking_error_kinds(scores) == [kind, "relevant first"] and kind in RANKING_ERRORS.order


def test_rankings_without_what_tells_the_kind_have_none():
    for options in (
        {},
        {"measures": ["mrr@10", "unjudged@1"]},
        {"measures": ["mrr", "unjudged@1"], "ties": "expected"},
    ):
        assert ranking_error_kinds(qassay.score("retrieval_ranking", {"q": ["a"]}, {"q": ["a"]}, **options)) is None
