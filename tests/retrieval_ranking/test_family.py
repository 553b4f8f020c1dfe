"""What the command line knows about retrieval_ranking: implied measures, slices, kinds of errors, examples as texts."""

import qassay
from qassay.core.file_columns import Gold
from qassay.registry import get_family

FAMILY = get_family("retrieval_ranking")
QRELS = {f"q{n}": {f"d{i}": 1 for i in range(n)} | {"x": 0} for n in (0, 1, 2, 3, 5, 6, 11)}
RUN = {query: {"d0": 2.0, "x": 1.0} for query in QRELS}


def gold(kind, **options):
    return Gold("gold", kind, {}, options, list(QRELS), {})


def test_measures_follow_the_kind_of_file_unless_named():
    implied = FAMILY.measure_options(None, [], gold("trec_qrels"), "table")["measures"]
    assert {"ndcg@10", "gm_map", "p@1000", "iprec@0.1"} <= set(implied)
    assert FAMILY.measure_options(None, [], gold("table"), "table") == {}
    assert FAMILY.measure_options(None, [], gold("table"), "trec_eval")["measures"][:2] == ("num_q", "num_ret")
    assert FAMILY.measure_options(["map", "p@5"], [], gold("trec_qrels"), "table") == {"measures": ("map", "p@5")}
    assert FAMILY.measure_options(["all"], [], gold("table"), "table")["measures"][-1] == "unjudged@20"
    by_count = FAMILY.measure_options(["map"], ["relevant_count"], gold("trec_qrels"), "table")
    assert by_count == {"measures": ("map", "num_rel")}
    for options in ({"measures": ("map",)}, {"preset": "nlpcc"}):
        assert FAMILY.measure_options(None, [], gold("trec_qrels", **options), "table") == {}


def test_relevant_count():
    scores = qassay.score("retrieval_ranking", RUN, QRELS)
    labels = FAMILY.about.slices(gold("table"), scores)["relevant_count"]()
    assert labels == ["0", "1", "2", "3-5", "3-5", "6-10", "11+"]


def test_kinds_of_errors():
    long = {f"x{place:02}": 99.0 - place for place in range(20)}
    rows = [
        ("relevant first", {"a": 2.0, "b": 1.0}, {"a": 1}),
        ("found, not first", {"b": 2.0, "a": 1.0}, {"a": 1}),  # although b is not judged
        ("found, not first", long, {"x09": 1, "x00": 0}),
        ("found late", long, {"x10": 1, "x00": 0}),
        ("unjudged top", long, {"x10": 1}),
        ("unjudged top", {"b": 2.0}, {"a": 1}),
        ("not found", {"b": 2.0}, {"a": 1, "b": 0}),
        ("not found", {}, {"a": 1}),  # no document at rank 1
        ("not in the run", None, {"a": 1}),
        ("no relevant", {"b": 2.0}, {"a": 0}),
        ("no relevant", None, {"a": 0}),
    ]
    run = {str(place): found for place, (_, found, _) in enumerate(rows) if found is not None}
    qrels = {str(place): judged for place, (*_, judged) in enumerate(rows)}
    scores = qassay.score("retrieval_ranking", run, qrels, measures=["map", "mrr", "unjudged@1"])
    errors = FAMILY.about.errors
    assert errors.of(scores) == [kind for kind, *_ in rows] and set(errors.of(scores)) == set(errors.order)
    for options in (
        {},
        {"measures": ["mrr@10", "unjudged@1"]},
        {"measures": ["mrr", "unjudged@1"], "ties": "expected"},
    ):
        assert errors.of(qassay.score("retrieval_ranking", run, qrels, **options)) is None


def test_examples_as_texts(examples_of):
    qrels, run = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"d": 1}}, {"q1": {"a": 0.1, "c": 0.5}, "q3": {"x": 1.0}}
    kinds, texts = examples_of(qrels, run)
    assert kinds == ["found, not first", "not in the run"] and texts == [
        (None, ["b", "a"], ["c", "a"]),
        (None, ["d"], []),
    ]
    assert examples_of(qrels, run, rows=[1], relevance_level=2)[1] == [(None, [], [])]
    lists = examples_of({"q1": ["a"], "q2": ["d"]}, {"q1": ["c", "a"], "q2": ["d"]}, "retrieval_ranking")
    assert lists[1] == [(None, ["a"], ["c", "a"]), (None, ["d"], ["d"])]
    by_place = examples_of([["a"], ["d"]], [["c", "a"], ["d"]], "retrieval_ranking")
    assert by_place[1] == lists[1]
    both = "query_id,document,score,relevance,question\n1,a,.5,0,Why?\n1,b,.4,1,Why?\n2,c,.1,1,How?\n"
    assert examples_of(both)[1] == [("Why?", ["b"], ["a", "b"]), ("How?", ["c"], ["c"])]
    alone = "query_id,score,label\n1,.5,0\n1,.4,1\n2,.1,1\n"
    assert examples_of(alone, None, "retrieval_ranking")[1] == [(None, ["1"], ["0", "1"]), (None, ["0"], ["0"])]
