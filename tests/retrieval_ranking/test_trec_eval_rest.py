"""What trec_eval 10 prints for its less known measures and options, on topics made here: golden numbers of its output.

`tests/data/trec_eval_rest.json` has the order of its measures, for each set of its
options the values of the topics in units of the last printed digit, and the averages as printed.
"""

import importlib
import json
from pathlib import Path

import pytest

from qassay import score
from qassay.retrieval_ranking.trec_output import trec_eval_text

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "trec_eval_rest.json").read_text("utf-8"))
with pytest.MonkeyPatch.context() as patch:  # the topics are those of the golden numbers
    patch.syspath_prepend(Path(__file__).parents[1] / "golden" / "cases")
    made = importlib.import_module("retrieval_ranking_trec_eval")


@pytest.fixture(scope="module")
def topics():
    return made.made_topics()


@pytest.mark.parametrize("arguments", made.OPTIONS)
def test_what_trec_eval_prints(topics, arguments):
    """Names, order, values of every topic and averages."""
    averages, by_topic = GOLDEN[arguments]["all"], dict(GOLDEN[arguments]["topics"])
    scores = score(
        "retrieval_ranking",
        *topics,
        measures=[name for name in GOLDEN["order"] if name in {**averages, **by_topic}],
        **{"missing": "zero", **made.OPTIONS[arguments]},
    )
    texts = by_topic.pop("relstring").split(" ")
    numbers = {name: [f"{value / 10**4:.4f}" for value in values] for name, values in by_topic.items()}
    values = {**numbers, "relstring": [f"'{text}'" for text in texts]}
    expected = [
        (name, topic, values[name][row])
        for row, topic in enumerate(scores.ids)
        for name in GOLDEN["order"]
        if name in values
    ]
    expected += [(name, "all", averages[name]) for name in GOLDEN["order"] if name in averages]
    printed = [tuple(line.split("\t")) for line in trec_eval_text("run", scores, [], True).splitlines()]
    assert [(name.strip(), topic, value) for name, topic, value in printed] == expected


def test_the_depth_matches_the_order_of_ties():
    run, qrels = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, {"q": {"a": 1}}
    found = {
        ties: score("retrieval_ranking", run, qrels, ties=ties, depth=2, measures=["num_rel_ret"])["num_rel_ret"]
        for ties in ("trec", "stable", "best", "worst")
    }
    assert found == {"trec": 0, "stable": 1, "best": 1, "worst": 0}


def test_relevance_as_text_in_parts_and_tables():
    """Lists of levels per query in tables, unchanged by batches and weights, without a value over all queries."""
    run, qrels = {"p": ["a", "b", "c"], "q": ["x"]}, {"p": {"a": 11, "c": -1}, "q": {"x": 2.5}, "r": {"y": 1}}
    scores = score("retrieval_ranking", run, qrels, measures=["relstring@2", "relstring", "map"])
    assert scores.per_example()["relstring"] == [[">", "-", "."], ["2"], []]
    assert scores.to_arrow().column("relstring@2").to_pylist() == [[">", "-"], ["2"], []]
    assert "relstring" not in scores.summary()
    parts = [score("retrieval_ranking", run, {q: qrels[q]}, measures=["relstring@2"]) for q in ("p", "q")]
    assert type(scores).concat(parts).per_example()["relstring@2"] == [[">", "-"], ["2"]]


def test_gains_of_very_different_queries_do_not_mix():
    """Each query is summed separately, so small gains of the second query keep their digits."""
    run, qrels = {"p": ["a"], "q": ["x", "y", "z"]}, {"p": {"a": 1e17}, "q": {"x": 0.1, "z": 0.2, "w": 0.3}}
    names = ["G", "ndcg_rel", "Rndcg"]
    both = score("retrieval_ranking", run, qrels, measures=names, gain="linear", relevance_level=0.1)
    alone = score("retrieval_ranking", {"q": run["q"]}, {"q": qrels["q"]}, measures=names, relevance_level=0.1)
    assert {name: column[1] for name, column in both.columns.items()} == {
        name: column[0] for name, column in alone.columns.items()
    }
