"""The example scripts, which train tiny models, and `Ranking` with models whose scores are known."""

import contextlib
import importlib.util
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _inputs import ROOT

THOROUGH = ("torch", "transformers", "sentence_transformers")
TOLERANCE = 1e-4  # of training in single precision

SCRIPTS = {  # name -> script and its arguments
    "extractive": ("train_extractive", "--epochs", "2"),
    "generative": ("train_generative", "--epochs", "2"),
    "encoder": ("train_ranking", "--kind", "encoder", "--epochs", "1"),
    "cross-encoder": ("train_ranking", "--kind", "cross-encoder", "--epochs", "1"),
}
OF_TRAINER = ("_loss", "_runtime", "_per_second", "_preparation_time", "epoch")


def cases() -> Iterator[tuple[str, Any]]:
    os.environ["HF_HUB_OFFLINE"] = "1"
    yield from rankings()
    for name, (script, *arguments) in SCRIPTS.items():
        metrics = run(script, arguments)
        yield name, {key: value for key, value in metrics.items() if not key.endswith(OF_TRAINER)}


def run(script: str, arguments: list[str]) -> dict[str, float]:
    """The metrics of a script of examples/ that trains into a temporary folder."""
    spec = importlib.util.spec_from_file_location(script, ROOT / "examples" / f"{script}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        try:
            return dict(module.main(["--output", folder, *arguments]))
        finally:
            os.chdir(before)


# Ranking

QUERIES = {"q1": "1 0", "q2": "0 1", "q3": "1 1", "q4": "2 1", "unjudged": "5 5"}
DOCUMENTS = {f"d{number}": f"{number % 4} {number % 3}" for number in range(20)}
QRELS = {
    "q1": {"d3": 2, "d7": 1},
    "q2": {"d2": 1, "d5": 1, "d6": 0},
    "q3": {"d1": 1, "nowhere": 1},
    "q4": {"d11": 3, "d2": 1, "d0": 2},
}
CANDIDATES = {
    query: [f"d{number}" for number in range(query_number, 20, 2)] for query_number, query in enumerate(QRELS)
}
RANKING = {  # name -> arguments
    "default": {},
    "measures": {"measures": ["mrr", "p@3", "recall@5", "ndcg@5"], "confidence": None},
    "safe_names": {"safe_names": True, "name": "dev", "confidence": 0.8},
    "groups": {"groups": {"q1": "a", "q2": "b", "q3": "a", "q4": "c"}},
    "top_k": {"top_k": 4},
    "candidates": {"candidates": CANDIDATES},
    "ties": {"ties": "expected"},
}


def rankings() -> Iterator[tuple[str, Any]]:
    import numpy as np
    import torch

    from qassay.training import Ranking

    class Encoder:
        """Embeds a text as the numbers it holds; similarity is their product."""

        def encode_query(self, texts: list[str], **_: Any) -> Any:
            return torch.tensor([[float(word) for word in text.split()] for text in texts])

        encode_document = encode_query

        def similarity(self, queries: Any, documents: Any) -> Any:
            return queries @ documents.T

    class Pairs:
        """The same scores, pair by pair."""

        def predict(self, pairs: list[tuple[str, str]], **_: Any) -> Any:
            numbers = [[np.array(text.split(), float) for text in pair] for pair in pairs]
            return np.array([query @ document for query, document in numbers], np.float32)

    for name, given in RANKING.items():
        evaluator = Ranking(QUERIES, DOCUMENTS, QRELS, **given)
        yield f"Ranking/{name}", evaluator(Encoder())
        if "candidates" in given:
            yield f"Ranking/{name}, pairs", evaluator(Pairs())
