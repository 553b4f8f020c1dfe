"""Ranking as an evaluator: with made-up models whose scores are known, and with tiny real ones (in test_examples.py)."""

import numpy as np
import pytest

import qassay

pytest.importorskip("sentence_transformers", reason='needs sentence_transformers: pip install -e ".[test-all]"')
pytestmark = pytest.mark.thorough

import torch  # noqa: E402
from sentence_transformers import CrossEncoder, SentenceTransformer  # noqa: E402
from sentence_transformers.base.evaluation import SequentialEvaluator  # noqa: E402
from sentence_transformers.evaluation import SentenceEvaluator  # noqa: E402
from sentence_transformers.util import dot_score  # noqa: E402

from qassay.training import Ranking  # noqa: E402

QUERIES = {"q1": "1 0", "q2": "0 1", "q3": "1 1", "unjudged": "5 5"}
DOCUMENTS = {f"d{number}": f"{number % 4} {number % 3}" for number in range(10)}
QRELS = {"q1": {"d3": 2, "d7": 1}, "q2": {"d2": 1, "d5": 1, "d6": 0}, "q3": {"d1": 1, "nowhere": 1}}


class Encoder:
    """Embeds a text as the numbers it holds; similarity is their product."""

    def __init__(self):
        self.texts = 0

    def encode_query(self, texts, **options):
        assert options["convert_to_tensor"] and options["batch_size"] == 4
        return torch.tensor([[float(word) for word in text.split()] for text in texts])

    def encode_document(self, texts, **options):
        self.texts += len(texts)
        return self.encode_query(texts, **options)

    def similarity(self, queries, documents):
        return queries @ documents.T


class SparseEncoder(Encoder):
    """The same with sparse tensors, as a SparseEncoder gives them."""

    def encode_query(self, texts, **options):
        return super().encode_query(texts, **options).to_sparse()

    def similarity(self, queries, documents):
        assert queries.is_sparse and documents.is_sparse
        return dot_score(queries, documents)


class Pairs:
    """The same scores, pair by pair."""

    def predict(self, pairs, **options):
        numbers = [[np.array(text.split(), float) for text in pair] for pair in pairs]
        return np.array([query @ document for query, document in numbers], np.float32)


def run_of(queries=("q1", "q2", "q3")):
    found = Pairs()
    return {q: {d: float(found.predict([(QUERIES[q], DOCUMENTS[d])])[0]) for d in DOCUMENTS} for q in queries}


def test_both_kinds_of_model_are_scored_as_their_scores_say():
    measures = ["ndcg@10", "mrr@10", "map", "recall@3"]
    listed = {query: [document for document, level in found.items() if level] for query, found in QRELS.items()}
    direct = qassay.score("retrieval_ranking", run_of(), QRELS, measures=measures)
    expected = direct.result(confidence=0.95)
    expected = {name: expected[name] for name in [*measures, *(f"{m}{e}" for m in measures for e in ("_low", "_high"))]}
    encoder = Encoder()
    found = Ranking(QUERIES, DOCUMENTS, QRELS, measures=measures, batch_size=4)(encoder)
    assert found == expected and encoder.texts == len(DOCUMENTS)
    candidates = {query: list(DOCUMENTS) for query in QRELS}
    evaluator = Ranking(QUERIES, DOCUMENTS, QRELS, candidates, measures=measures, batch_size=4)
    assert evaluator(Encoder()) == evaluator(Pairs()) == evaluator(SparseEncoder()) == expected
    assert Ranking(QUERIES, DOCUMENTS, QRELS, measures=measures, batch_size=4)(SparseEncoder()) == expected
    assert list(evaluator.scores.ids) == ["q1", "q2", "q3"]
    found = Ranking(QUERIES, DOCUMENTS, listed, measures=["map"], batch_size=4, confidence=None)(Encoder())
    assert found == {"map": expected["map"]}


def test_lists_of_evaluators_with_groups():
    candidates, groups = {query: list(DOCUMENTS) for query in QRELS}, {"q3": "a", "q1": "b", "q2": "a"}
    evaluator = Ranking(QUERIES, DOCUMENTS, QRELS, candidates, measures=["map"], name="dev", groups=groups)
    assert evaluator.get_config_dict()["measures"] == ["map"] and evaluator.description == "Ranking"
    plain = Ranking(QUERIES, DOCUMENTS, QRELS, candidates, measures=["map"], confidence=None)
    found = SequentialEvaluator([evaluator, plain])(Pairs())
    assert found["dev_map"] == found["map"] and evaluator.scores.groups.listed() == ["b", "a", "a"]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"documents": {"d3": 3}}, ValueError, r"documents\[0\] .id 'd3'"),
        ({"qrels": {"q9": ["d1"]}}, ValueError, "'q9'"),
        ({"queries": {"q1": None, "q2": "", "q3": ""}}, ValueError, r"queries\[0\] .id 'q1'"),
        ({"candidates": {"q1": ["d1"]}}, ValueError, "'q2'"),
        ({"groups": {"q3": "a", "q1": "b"}}, ValueError, "'q2'"),
        ({"candidates": {query: ["d1", "d77"] for query in QRELS}}, ValueError, "'d77' of query 'q1'"),
        ({"qrels": {"q1": ["d1"], "q2": {"d2": 1}}}, ValueError, r"references\[1\] .id 'q2'"),
        ({"measures": ["ndgc@10"]}, ValueError, "ndgc@10"),
        ({"documents": {}}, TypeError, "documents must be a dict by id that is not empty"),
        ({"qrels": {"q1": ["d77"]}}, ValueError, "not one document of qrels is among documents"),
    ],
)
def test_bad_arguments(changes, error, message):
    with pytest.raises(error, match=message):
        Ranking(**{"queries": QUERIES, "documents": DOCUMENTS, "qrels": QRELS, **changes})


def test_models_that_do_not_fit():
    evaluator = Ranking(QUERIES, DOCUMENTS, QRELS, batch_size=4)
    with pytest.raises(ValueError, match="candidates"):
        evaluator(Pairs())
    with pytest.raises(TypeError, match="int"):
        evaluator(3)
    evaluator = Ranking(QUERIES, DOCUMENTS, QRELS, {query: ["d1"] for query in QRELS})
    model = Pairs()
    model.predict = lambda pairs, **_: np.zeros((len(pairs), 3))
    with pytest.raises(ValueError, match="3 scores"):
        evaluator(model)
    model.predict = lambda pairs, **_: np.full(len(pairs), np.nan)
    with pytest.raises(ValueError, match=r"queries\[0\] has NaN"):
        evaluator(model)
    # What tells the kinds of models apart, and makes it an evaluator.
    assert hasattr(SentenceTransformer, "encode_query") and not hasattr(CrossEncoder, "encode_query")
    assert issubclass(Ranking, SentenceEvaluator)
