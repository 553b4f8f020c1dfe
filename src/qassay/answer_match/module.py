"""answer_match: exact match and F1 of answers, by the rules of SQuAD 2.0 and others. The core does the work."""

import datasets

from ..core.module import QAMetric
from .about import CITATION
from .drop_in import score_answers_as
from .fields import answer_fields
from .scoring import AnswerMatchOptions, read_answer_batch, score_answers

_DESCRIPTION = """
How well answers match gold answers: exact match, token F1, precision, recall and containment, each the best over any
number of gold answers, in all and separately for questions with and without an answer. The default rules equal
the official SQuAD 2.0 script, to the last digit; other normalisers, units, ranked answers, DROP and HotpotQA are
options.
"""

_USAGE = """
Returns:
    A flat dict of floats (0 to 1) and counts. The configs "squad" and "squad_v2" have the keys and the scale (0 to 100)
    of the Hugging Face modules of these names.

Examples:
    >>> import evaluate
    >>> import qassay
    >>> metric = evaluate.load("./metrics/answer_match")  # in a clone
    >>> metric = qassay.load("answer_match")  # anywhere
    >>> scores = metric.compute(predictions=["in France", "Rome", ""], references=[["France"], ["Rome", "Roma"], []])
    >>> scores["exact_match"], round(scores["f1"], 4), scores["no_answer_f1"]
    (0.6666666666666666, 0.8889, 1.0)
    >>> metric = evaluate.load("./metrics/answer_match", "squad_v2")
    >>> rows = [{"id": "q1", "prediction_text": "in France", "no_answer_probability": 0.0}]
    >>> gold = [{"id": "q1", "answers": {"text": ["France"], "answer_start": [4]}}]
    >>> scores = metric.compute(predictions=rows, references=gold)
    >>> scores["exact"], scores["f1"], scores["total"]
    (0.0, 66.66666666666666, 1)
"""

_TEXT = datasets.Value("string")
_ROW = {"id": _TEXT, "prediction_text": _TEXT}
_GOLD = {"id": _TEXT, "answers": datasets.Sequence({"text": _TEXT, "answer_start": datasets.Value("int32")})}
_FEATURES = {
    "squad": {"predictions": _ROW, "references": _GOLD},
    "squad_v2": {"predictions": {**_ROW, "no_answer_probability": datasets.Value("float64")}, "references": _GOLD},
}


class AnswerMatch(QAMetric):
    texts = _DESCRIPTION, CITATION, _USAGE
    function, options_class = staticmethod(score_answers), AnswerMatchOptions
    fields = staticmethod(answer_fields)

    def _info(self):
        return self.card(
            ["https://rajpurkar.github.io/SQuAD-explorer/"],
            _FEATURES.get(self.config_name, {"predictions": _TEXT, "references": datasets.Sequence(_TEXT)}),
        )

    def read_batch(self, columns, options):
        return read_answer_batch(self.config_name, columns, options)

    def score(self, columns, options):
        return score_answers_as(self.config_name, columns, options)
