"""semantic_answer_similarity: how close answers are in meaning to gold answers (SAS). The core does the work."""

from datasets import Sequence, Value

from ..core.answers import similarity_fields
from ..core.module import QAMetric
from .family import FAMILY


class SemanticAnswerSimilarity(QAMetric):
    """How close answers are in meaning to gold answers: the score of a cross-encoder (SAS, Risch et al. 2021), the cosine of a
    bi-encoder, or the built-in lite scorer that needs neither network nor torch; each the best over any number of gold
    answers, from 0 to 1, with the share of answers above a threshold, and in all and separately for questions with and
    without an answer.

    Returns:
        A flat dict of floats (0 to 1) and counts: sas, sas_accuracy@0.5, has_answer_sas, no_answer_sas, ...

    Examples:
        >>> answers, golds = ["30 percent", "Rome"], [["thirty percent"], ["Rome", "Roma"]]
        >>> scores = metric.compute(predictions=answers, references=golds, model="lite")
        >>> 0.75 < scores["sas"] < 1, scores["total"]
        (True, 2)
    """

    family = FAMILY
    fields = staticmethod(similarity_fields)
    urls = ("https://aclanthology.org/2021.mrqa-1.15",)
    layouts = ({"predictions": Value("string"), "references": Sequence(Value("string"))},)
