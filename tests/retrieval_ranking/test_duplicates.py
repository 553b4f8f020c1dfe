"""The same document twice in a ranking, or in the judgements: chunks of one document."""

import math

import numpy as np
import pytest

import qassay
from qassay.core.examples import Examples
from qassay.files import read_gold, read_predictions
from qassay.registry import get_family

from .as_tables import as_table

CHUNKS = {"q": [("x", 0.1), ("y", 0.8), ("x", 0.95), ("z", 0.85)]}
GOLD = {"q": {"z": 1}}


def once(run, rule):
    """The run with each document once, by definition."""
    kept = {query: {} for query in run}
    for query, ranking in run.items():
        for document, score in ranking:
            there = kept[query].get(document, score)
            kept[query][document] = there if rule == "first" else max(there, score)
    return kept


def random_run(seed):
    draw = np.random.default_rng(seed)
    return {
        f"q{number}": [(f"d{draw.integers(6)}", draw.integers(8) / 2) for _ in range(draw.integers(1, 9))]
        for number in range(6)
    }


@pytest.mark.parametrize("form", [dict, as_table], ids=["lists", "table"])
@pytest.mark.parametrize("rule", ["first", "best"])
def test_the_scores_match_the_run_with_each_document_once(rule, form):
    for seed, ties in enumerate(["trec", "worst", "expected", "stable"] * 2):
        run = random_run(seed)
        qrels = {query: {f"d{number}": (seed + number) % 3 for number in range(6)} for query in run}
        summary = qassay.score("retrieval_ranking", form(run), qrels, duplicates=rule, ties=ties).summary()
        left_out = sum(map(len, run.values())) - sum(map(len, once(run, rule).values()))
        assert summary.pop("duplicates") == left_out
        assert summary == qassay.score("retrieval_ranking", once(run, rule), qrels, ties=ties).summary()


def test_of_two_judgements_of_a_document_the_first_or_the_highest_counts():
    qrels = {"query": ["q", "q"], "document": ["z", "z"], "relevance": [1, 3]}
    for rule, gain in (("first", 1.0), ("best", 3.0)):
        assert (
            qassay.score("retrieval_ranking", {"q": ["z"]}, qrels, measures=["dcg@1"], duplicates=rule)["dcg@1"] == gain
        )


@pytest.mark.parametrize("rule, shown", [("first", ["z", "y", "x"]), ("best", ["x", "z", "y"])])
def test_the_documents_that_are_shown_are_those_that_count(rule, shown, tmp_path):
    (tmp_path / "qrels.txt").write_text("q 0 z 1\nq 0 w 0\n")
    lines = [f"q Q0 {name} {rank} {score} run\n" for rank, (name, score) in enumerate(CHUNKS["q"], 1)]
    (tmp_path / "system.run").write_text("".join(lines))
    gold = read_gold(tmp_path / "qrels.txt").with_options({"duplicates": rule})
    predictions = read_predictions(tmp_path / "system.run", gold)
    scores = qassay.score("retrieval_ranking", **gold.columns, **predictions.columns, **gold.options)
    examples = Examples(gold, predictions.columns, scores)
    (documents,) = get_family("retrieval_ranking").about.documents(examples, 5)
    assert [document.name for document in documents] == shown
    assert scores.summary(["mrr"])["mrr"] == 1 / (shown.index("z") + 1)


def test_a_score_that_is_not_a_number_is_refused_by_name():
    for scores in ([0.5, "high"], [0.5, math.nan]):
        with pytest.raises((TypeError, ValueError), match="'x' of query 'q'"):
            qassay.score("retrieval_ranking", {"q": list(zip("xx", scores, strict=True))}, GOLD, duplicates="best")
