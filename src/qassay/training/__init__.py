"""`compute_metrics` for the Trainer of Hugging Face, and an evaluator for the trainers of sentence-transformers.

    ExtractiveQA(examples, features)        start and end logits to answers, as the question answering example does
    GenerativeQA(tokenizer, references)     generated tokens to answers, with `predict_with_generate`
    score_generations(trainer, rows)        generates and scores answers in each evaluation of a causal model
    Classification(), MultiLabel()          logits to labels
    Ranking(queries, documents, qrels)      for the CrossEncoder and SentenceTransformer trainers
    DataSets({"dev": hook, "test": hook})   several evaluation data sets
    LoopMetric("answer_match")              any metric in your loop or in Lightning: update, compute, reset

Importing this loads neither torch nor transformers; `Ranking` loads sentence-transformers on first use.
"""

import importlib
from typing import TYPE_CHECKING, Any

from .classification import Classification, MultiLabel
from .extractive import ExtractiveQA
from .generations import GenerationScorer, score_generations
from .generative import GenerativeQA
from .hook import DataSets
from .loop import LoopMetric

if TYPE_CHECKING:
    from .ranking import Ranking

__all__ = [
    "Classification",
    "DataSets",
    "ExtractiveQA",
    "GenerationScorer",
    "GenerativeQA",
    "LoopMetric",
    "MultiLabel",
    "Ranking",
    "score_generations",
]


def __getattr__(name: str) -> Any:
    if name == "Ranking":  # on first use: its base class is in sentence-transformers
        return importlib.import_module("qassay.training.ranking").Ranking
    raise AttributeError(f"module 'qassay.training' has no attribute {name!r}")
