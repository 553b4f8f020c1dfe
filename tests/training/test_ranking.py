"""Ranking as an evaluator: with made-up models whose scores are known, and with tiny real ones (in test_examples.py)."""

import numpy as np
import pytest

import qassay

pytest.importorskip("sentence_transformers", reason='needs sentence_transformers: pip install -e ".[test-all]"')
pytestmark = pytest.mark.thorough

import torch  # noqa: E402
from sentence_transformers import CrossEncoder, SentenceTransformer  # noqa: E402
from sentence_transformers.base.evaluation import SequentialEvaluator  # noqa: E402
from sentence_transformers.cross_encoder.evaluation import CrossEncoderRerankingEvaluator  # noqa: E402
from sentence_transformers.evaluation import SentenceEvaluator  # noqa: E402
from sentence_transformers.util import dot_score  # noqa: E402

from qassay.training import Ranking  # noqa: E402
from qassay.training import ranking as ranking_file  # noqa: E402

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


@pytest.mark.parametrize("block", [3, 100])
def test_both_kinds_of_model_are_scored_as_their_scores_say(block, monkeypatch):
    monkeypatch.setattr(ranking_file, "_DOCUMENTS_AT_ONCE", block)
    monkeypatch.setattr(ranking_file, "_QUERIES_AT_ONCE", 2)
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


@pytest.mark.parametrize("block", [3, 100])
def test_searches_keep_the_best(block, monkeypatch):
    monkeypatch.setattr(ranking_file, "_DOCUMENTS_AT_ONCE", block)
    evaluator = Ranking(
        QUERIES, DOCUMENTS, QRELS, measures=["num_ret", "recall@10"], top_k=4, batch_size=4, confidence=None
    )
    found = evaluator(Encoder())
    assert found["num_ret"] == 12 and list(found) == ["num_ret", "recall@10"]
    values = sorted((sorted(scores.values())[-4] for scores in run_of().values()), reverse=True)
    kept = evaluator._search(Encoder())
    assert sorted((min(scores.values()) for scores in kept.values()), reverse=True) == values


def test_samples_are_scored_as_by_sentence_transformers():
    rng = np.random.default_rng(0)
    words = [f"{one} {two / 7:.3f}" for one in range(6) for two in range(6)]
    samples = []
    for _ in range(20):
        texts = rng.choice(words, 9, replace=False).tolist()
        samples.append(
            {"query": f"{rng.random():.3f} {rng.random():.3f}", "positive": texts[:2], "negative": texts[2:]}
        )
    peer = CrossEncoderRerankingEvaluator(samples, at_k=10)
    model = Pairs()
    model.model_card_data = type("Card", (), {"set_evaluation_metrics": lambda *_: None})()
    theirs = peer(model)
    evaluator = Ranking.from_samples(samples, name="dev")
    ours = evaluator(model)
    for name in ("map", "mrr@10", "ndcg@10"):
        assert ours[f"dev_{name}"] == pytest.approx(theirs[name])
    assert evaluator.primary_metric == "dev_ndcg@10"
    listed = [{"query": "1 1", "positive": "3 3", "documents": ["1 1", "2 2"]}]
    assert Ranking.from_samples(listed, measures=["mrr@10"])(Pairs())["mrr@10"] == 1.0
    found = Ranking.from_samples(
        [*listed, {"query": "1 1", "positive": "2 2", "documents": ["1 1", "2 2"]}],
        always_rerank_positives=False,
        measures=["mrr@10", "recall@10"],
    )(Pairs())
    assert (found["mrr@10"], found["recall@10"]) == (0.5, 0.5)
    with pytest.raises(ValueError, match=r"samples\[0\]"):
        Ranking.from_samples([{"query": "a", "positive": ["b"]}])


@pytest.mark.parametrize("always", [True, False])
@pytest.mark.parametrize("others", ["negative", "documents"])
@pytest.mark.parametrize("repeated", ["positive", "negative"])
def test_equal_texts_of_a_sample_stay_documents(repeated, others, always):
    """As in the evaluator of sentence-transformers, whose average precision differs where relevant documents tie."""
    rng = np.random.default_rng(1)
    words = [f"{one} {two / 7:.3f}" for one in range(6) for two in range(6)]
    samples = []
    for _ in range(20):
        texts = rng.choice(words, 7, replace=False).tolist()
        positive, rest = texts[:2], texts[2:]
        (positive if repeated == "positive" else rest).extend(texts[1:3][repeated == "negative"] for _ in range(2))
        ranked = rest if others == "negative" else [*rest[:3], *positive, *rest[3:]]
        samples.append({"query": f"{rng.random():.3f} {rng.random():.3f}", "positive": positive, others: ranked})
    model = Pairs()
    model.model_card_data = type("Card", (), {"set_evaluation_metrics": lambda *_: None})()
    theirs = CrossEncoderRerankingEvaluator(samples, at_k=10, always_rerank_positives=always)(model)
    names = ["mrr@10", "ndcg@10", *(["map"] if repeated == "negative" else [])]
    found = Ranking.from_samples(samples, measures=names, always_rerank_positives=always)(model)
    assert {name: found[name] for name in names} == pytest.approx({name: theirs[name] for name in names})


def test_queries_have_groups():
    arguments = {
        "queries": QUERIES,
        "documents": DOCUMENTS,
        "qrels": QRELS,
        "candidates": dict.fromkeys(QRELS, list(DOCUMENTS)),
    }
    evaluator = Ranking(**arguments, measures=["mrr"], groups={"q3": "a", "q1": "b", "q2": "a"})
    evaluator(Pairs())
    assert evaluator.scores.groups.listed() == ["b", "a", "a"]
    with pytest.raises(ValueError, match="'q2'"):
        Ranking(**arguments, groups={"q3": "a", "q1": "b"})


def test_lists_of_evaluators():
    candidates = {query: list(DOCUMENTS) for query in QRELS}
    evaluator = Ranking(QUERIES, DOCUMENTS, QRELS, candidates, measures=["map"], name="dev", n_resamples=10)
    assert evaluator.get_config_dict()["measures"] == ["map"] and evaluator.description == "Ranking"
    both = SequentialEvaluator(
        [evaluator, Ranking(QUERIES, DOCUMENTS, QRELS, candidates, measures=["map"], confidence=None)]
    )
    found = both(Pairs())
    assert found["dev_map"] == found["map"]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"documents": {"d3": 3}}, TypeError, r"documents\[0\] .id 'd3'"),
        ({"qrels": {"q9": ["d1"]}}, ValueError, "'q9'"),
        ({"queries": {"q1": None, "q2": "", "q3": ""}}, TypeError, r"queries\[0\] .id 'q1'"),
        ({"candidates": {"q1": ["d1"]}}, ValueError, "'q2'"),
        ({"candidates": {query: ["d1", "d77"] for query in QRELS}}, ValueError, "'d77' of query 'q1'"),
        ({"qrels": {"q1": ["d1"], "q2": {"d2": 1}}}, TypeError, r"references\[1\] .id 'q2'"),
        ({"measures": ["ndgc@10"]}, ValueError, "ndgc@10"),
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
    with pytest.raises(ValueError, match=r"pairs\[0\] has NaN"):
        evaluator(model)


def test_sentence_transformers_take_it_for_theirs():
    assert issubclass(Ranking, SentenceEvaluator)
    assert hasattr(SentenceTransformer, "encode_query") and not hasattr(CrossEncoder, "encode_query")
