"""Objects of ranx, ir_measures and ir_datasets: with classes that imitate theirs, and with theirs if they are
installed.
"""

import random
from collections import namedtuple

import pytest

from qassay import score

Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration", defaults=("0",))
ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
RUN = {"q1": {"d1": 0.9, "d2": 0.8, "d4": 0.7}, "q2": {"d5": 0.9, "d2": 0.5}}
QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d2": 1}}
MEASURES = ["ndcg@10", "map", "mrr"]


class Run:
    def __init__(self, run):
        self.run = run

    def to_dict(self):
        return self.run


class Qrels:
    def __init__(self, qrels):
        self.qrels = qrels

    def to_dict(self):
        return self.qrels


def tuples(kind, values):
    return [kind(query, document, value) for query, row in values.items() for document, value in row.items()]


def values(run, qrels):
    return score("retrieval_ranking", run, qrels, measures=MEASURES).summary(MEASURES)


FORMS = {
    "objects": lambda: (Run(RUN), Qrels(QRELS)),
    "tuples": lambda: (tuples(ScoredDoc, RUN), tuples(Qrel, QRELS)),
    "iterators": lambda: (iter(tuples(ScoredDoc, RUN)), iter(tuples(Qrel, QRELS))),
    "two kinds": lambda: (Run(RUN), tuples(Qrel, QRELS)),
}


@pytest.mark.parametrize("form", FORMS)
def test_they_are_read_as_dicts_are(form):
    assert values(*FORMS[form]()) == values(RUN, QRELS)


def test_judgements_in_the_place_of_the_run_are_refused():
    with pytest.raises(ValueError, match="predictions is a Qrels; .*run="):
        values(Qrels(QRELS), Run(RUN))
    with pytest.raises(ValueError, match="references is a Run"):
        values(RUN, Run(RUN))
    with pytest.raises(ValueError, match="predictions .*score"):
        values(tuples(Qrel, QRELS), tuples(ScoredDoc, RUN))


def test_tuples_of_two_kinds_are_refused():
    rows = [*tuples(ScoredDoc, RUN)[:2], Qrel("q2", "d2", 1)]
    with pytest.raises(ValueError, match=r"predictions\[2\] is a Qrel, unlike ScoredDoc"):
        values(rows, QRELS)


@pytest.fixture(scope="module")
def drawn():
    """A run without ties and judgements, of 30 queries."""
    draw = random.Random(5)
    run = {f"q{n}": {f"d{m}": draw.random() for m in draw.sample(range(60), 25)} for n in range(30)}
    qrels = {f"q{n}": {f"d{m}": draw.randint(0, 3) for m in draw.sample(range(60), 20)} for n in range(30)}
    return run, qrels


@pytest.mark.thorough
def test_ranx_itself(drawn, ranx):
    run, qrels = drawn
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), ["ndcg@10", "map", "mrr"])
    assert values(ranx.Run(run), ranx.Qrels(qrels)) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.thorough
def test_ir_measures_itself(drawn):
    ir_measures = pytest.importorskip("ir_measures", reason='needs ir_measures: pip install -e ".[bench]"')
    run, qrels = drawn
    docs, judged = tuples(ir_measures.ScoredDoc, run), tuples(ir_measures.Qrel, qrels)
    names = {"ndcg@10": "nDCG@10", "map": "AP", "mrr": "RR"}
    asked = {name: ir_measures.parse_measure(text) for name, text in names.items()}
    found = ir_measures.calc_aggregate(list(asked.values()), judged, docs)
    assert values(docs, judged) == pytest.approx({name: found[asked[name]] for name in names}, abs=1e-12)
