"""answer_equivalence: would a person accept the answer? The core does the work."""

import datasets

from ..core.answers import text_fields
from ..core.module import QAMetric
from .about import CITATION
from .scoring import EquivalenceOptions, score_equivalence

_DESCRIPTION = """
The calibrated probability that a person would accept an answer, given the question and its gold answers, and the share of
answers accepted: by a built-in scorer that needs neither network nor torch, by a cross-encoder, or by a judge of your own,
such as a language model; with kinds of errors, in all and separately for questions with and without an answer.
"""

_USAGE = """
Returns:
    A flat dict of floats (0 to 1) and counts: equivalence, accepted, estimated_acceptance, unsure, wrong_number, ...

Examples:
    >>> import evaluate
    >>> import qassay
    >>> metric = evaluate.load("./metrics/answer_equivalence")  # in a clone
    >>> metric = qassay.load("answer_equivalence")  # anywhere
    >>> scores = metric.compute(
    ...     predictions=["The capital is Paris.", "Lyon"],
    ...     references=[["Paris"], ["Paris"]],
    ...     questions=["What is the capital of France?"] * 2,
    ... )
    >>> scores["accepted"], scores["total"]
    (0.5, 2)
"""


class AnswerEquivalence(QAMetric):
    texts = _DESCRIPTION, CITATION, _USAGE
    function, options_class = staticmethod(score_equivalence), EquivalenceOptions
    fields = staticmethod(text_fields)

    def _info(self):
        text = datasets.Value("string")
        return self.card(
            ["https://arxiv.org/abs/2305.12421"], {"predictions": text, "references": datasets.Sequence(text)}
        )
