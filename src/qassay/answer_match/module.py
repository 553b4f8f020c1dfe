"""answer_match: exact match and F1 of answers, by the rules of SQuAD 2.0 and others. The core does the work."""

from datasets import Sequence, Value

from ..core.module import QAMetric
from .family import FAMILY
from .fields import answer_fields
from .scoring import DROP_IN, read_answer_batch

_TEXT = Value("string")
_ROW = {"id": _TEXT, "prediction_text": _TEXT}
_GOLD = {"id": _TEXT, "answers": Sequence({"text": _TEXT, "answer_start": Value("int32")})}


class AnswerMatch(QAMetric):
    """How well answers match gold answers: exact match, token F1, precision, recall and containment, each the best over any
    number of gold answers, in all and separately for questions with and without an answer. The default rules equal
    the official SQuAD 2.0 script, to the last digit; other normalisers, units, ranked answers, DROP and HotpotQA are
    options.

    Returns:
        A flat dict of floats (0 to 1) and counts. The configs "squad" and "squad_v2" have the keys and the scale (0 to 100)
        of the Hugging Face modules of these names.

    Examples:
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

    family = FAMILY
    fields = staticmethod(answer_fields)
    urls = ("https://rajpurkar.github.io/SQuAD-explorer/",)

    @property
    def layouts(self):
        if self.config_name not in DROP_IN:
            return ({"predictions": _TEXT, "references": Sequence(_TEXT)},)
        doubts = {"no_answer_probability": Value("float64")} if self.config_name == "squad_v2" else {}
        return ({"predictions": {**_ROW, **doubts}, "references": _GOLD},)

    def read_batch(self, columns, options):
        return read_answer_batch(self.config_name, columns, options)
