"""The measures of ranx and ir_measures on runs without ties, which they need."""

import random

import pytest

from qassay import score

pytestmark = pytest.mark.thorough

DRAW = random.Random(5)
RUN = {f"q{n}": {f"d{m}": DRAW.random() for m in DRAW.sample(range(60), 25)} for n in range(30)}
QRELS = {f"q{n}": {f"d{m}": DRAW.randint(0, 3) for m in DRAW.sample(range(60), 20)} for n in range(30)}
MEASURES = {"ndcg@10": "nDCG@10", "map": "AP", "mrr": "RR"}  # name -> that of ir_measures


def values(run, qrels):
    return score("retrieval_ranking", run, qrels, measures=list(MEASURES)).summary(list(MEASURES))


def test_ranx(ranx):
    run, qrels = ranx.Run(RUN), ranx.Qrels(QRELS)
    theirs = ranx.evaluate(qrels, run, list(MEASURES))
    assert values(run.to_dict(), qrels.to_dict()) == pytest.approx(theirs, abs=1e-12)


def test_ir_measures():
    ir_measures = pytest.importorskip("ir_measures", reason='needs ir_measures: pip install -e ".[bench]"')
    measures = {name: ir_measures.parse_measure(text) for name, text in MEASURES.items()}
    found = ir_measures.calc_aggregate(list(measures.values()), QRELS, RUN)
    assert values(RUN, QRELS) == pytest.approx({name: found[of] for name, of in measures.items()}, abs=1e-12)
