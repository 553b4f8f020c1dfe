"""answer_equivalence: would a person accept the answer? The core does the work."""

import datasets

from ..core.answers import read_answers, text_fields
from ..core.module import QAMetric
from .about import CITATION
from .scoring import (
    EquivalenceOptions,
    explain_answer,
    score_equivalence,
)

_DESCRIPTION = """
The calibrated probability that a person would accept an answer, given the question and its gold answers, and the share of
answers accepted: by a built-in scorer that needs neither network nor torch, by a cross-encoder, or by a judge of your own,
such as a language model; with kinds of errors, in all and separately for questions with and without an answer.
"""

_USAGE = """
Returns:
    A flat dict of floats (0 to 1) and counts: equivalence, accepted, estimated_acceptance, unsure, wrong_number, ...; with
    explain also reasons, a list of texts for each answer.

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

    def additions(self, scores, options):
        if not scores.options.explain:
            return {}
        given = {name: options.get(name) for name in ("predictions", "references", "ids", "questions")}
        columns = read_answers(given, text_fields(scores.options), scores.options)
        questions = columns.questions if scores.options.use_questions else [""] * len(columns.ids)
        rows = zip(columns.predictions, columns.references, questions, strict=True)
        return {"reasons": [[*map(str, explain_answer(*row))] for row in rows]}
