"""semantic_answer_similarity: how close answers are in meaning to gold answers (SAS). The core does the work."""

import datasets

from ..core.answers import similarity_fields
from ..core.module import QAMetric
from .about import CITATION
from .scoring import SimilarityOptions, score_similarity

_DESCRIPTION = """
How close answers are in meaning to gold answers: the score of a cross-encoder (SAS, Risch et al. 2021), the cosine of a
bi-encoder, or the built-in lite scorer that needs neither network nor torch; each the best over any number of gold
answers, from 0 to 1, with the share of answers above a threshold, and in all and separately for questions with and
without an answer.
"""

_USAGE = """
Returns:
    A flat dict of floats (0 to 1) and counts: sas, sas_accuracy@0.5, has_answer_sas, no_answer_sas, ...

Examples:
    >>> import evaluate
    >>> import qassay
    >>> metric = evaluate.load("./metrics/semantic_answer_similarity", model="lite")  # in a clone
    >>> metric = qassay.load("semantic_answer_similarity", model="lite")  # anywhere
    >>> scores = metric.compute(predictions=["30 percent", "Rome"], references=[["thirty percent"], ["Rome", "Roma"]])
    >>> 0.75 < scores["sas"] < 1, scores["total"]
    (True, 2)
"""


class SemanticAnswerSimilarity(QAMetric):
    texts = _DESCRIPTION, CITATION, _USAGE
    function, options_class = staticmethod(score_similarity), SimilarityOptions
    fields = staticmethod(similarity_fields)

    def _info(self):
        text = datasets.Value("string")
        return self.card(
            ["https://aclanthology.org/2021.mrqa-1.15"], {"predictions": text, "references": datasets.Sequence(text)}
        )
