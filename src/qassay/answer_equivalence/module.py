"""answer_equivalence: would a person accept the answer? The core does the work."""

from datasets import Sequence, Value

from ..core.answers import text_fields
from ..core.module import QAMetric
from .family import FAMILY


class AnswerEquivalence(QAMetric):
    """The calibrated probability that a person would accept an answer, given the question and its gold answers, and the share of
    answers accepted: by a built-in scorer that needs neither network nor torch, by a cross-encoder, or by your judge,
    such as a language model; with kinds of errors, in all and separately for questions with and without an answer.

    Returns:
        A flat dict of floats (0 to 1) and counts: equivalence, accepted, estimated_acceptance, unsure, wrong_number, ...

    Examples:
        >>> scores = metric.compute(
        ...     predictions=["The capital is Paris.", "Lyon"],
        ...     references=[["Paris"], ["Paris"]],
        ...     questions=["What is the capital of France?"] * 2,
        ... )
        >>> scores["accepted"], scores["total"]
        (0.5, 2)
    """

    family = FAMILY
    fields = staticmethod(text_fields)
    urls = ("https://arxiv.org/abs/2305.12421",)
    layouts = ({"predictions": Value("string"), "references": Sequence(Value("string"))},)
