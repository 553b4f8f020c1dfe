"""claim_support: nugget recall, claims, citations and grades from given verdicts. The core does the work."""

from datasets import Sequence, Value

from ..core.module import QAMetric
from .family import FAMILY
from .fields import verdict_fields


class ClaimSupport(QAMetric):
    """Measures of given verdicts, whoever made them: nugget recall (AutoNuggetizer, TREC RAG), precision, recall and F1 of claims
    with faithfulness, hallucination and noise sensitivity (RAGChecker), citation recall and precision (ALCE), and grades of short
    answers (SimpleQA); equal to the official programs. A missing verdict is counted and never taken as a no.

    Returns:
        A flat dict of floats (0 to 1) and counts: strict_vital_score, all_score, ...; with task="claims" precision, recall, f1,
        faithfulness, hallucination, ...; with task="citations" citation_recall, citation_precision; with task="grades" correct,
        accuracy_given_attempted, f1, ...

    Examples:
        >>> scores = metric.compute(
        ...     predictions=[["support", "partial_support", "not_support"], ["support", "support"]],
        ...     references=[["vital", "vital", "okay"], ["vital", "okay"]],
        ... )
        >>> scores["strict_vital_score"], scores["vital_score"], scores["all_score"]
        (0.75, 0.875, 0.75)
        >>> scores = metric.compute(predictions=["CORRECT", "INCORRECT", "NOT_ATTEMPTED", "CORRECT"], task="grades")
        >>> scores["correct"], round(scores["accuracy_given_attempted"], 4), round(scores["f1"], 4)
        (0.5, 0.6667, 0.5714)
    """

    family = FAMILY
    fields = staticmethod(verdict_fields)
    urls = (
        "https://github.com/castorini/nuggetizer",
        "https://github.com/amazon-science/RAGChecker",
        "https://github.com/princeton-nlp/ALCE",
        "https://github.com/openai/simple-evals",
    )
    layouts = (dict.fromkeys(("predictions", "references"), Sequence(Value("string"))),)
