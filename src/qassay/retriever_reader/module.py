"""retriever_reader: documents and answers of a question answering pipeline, judged apart. The core does the work."""

import datasets

from ..core.module import QAMetric
from .about import CITATION
from .fields import pipeline_fields, rows_of_both
from .scoring import ReaderOptions, score_reading

_DESCRIPTION = """
Where a question answering pipeline fails: at finding the right document or at reading the answer in it. For the
retriever recall (hit rate), mean average precision and mean reciprocal rank; for the reader the twelve measures of the
PIAF project, accuracy, exact match and F1 of the first and of the best of the first k answers, in all and over the
questions with an answer, by character offsets, words or characters; and no-answer accuracy. Takes rows, SQuAD-like gold
answers, and the results of Haystack.
"""

_USAGE = """
Returns:
    A flat dict of floats (0 to 1; retriever_map can be more in the open domain) and counts.

Examples:
    >>> import evaluate
    >>> import qassay
    >>> metric = evaluate.load("./metrics/retriever_reader")  # in a clone
    >>> metric = qassay.load("retriever_reader")  # anywhere
    >>> pipeline = [
    ...     {"documents": ["d2", "d1"], "answers": [{"document_id": "d1", "start": 15, "end": 20}]},
    ...     {"documents": ["d3"], "answers": [None]},
    ... ]
    >>> gold = [
    ...     {"documents": ["d1"], "answers": [{"document_id": "d1", "start": 10, "end": 20}], "is_impossible": False},
    ...     {"documents": ["d3"], "answers": [], "is_impossible": True},
    ... ]
    >>> scores = metric.compute(predictions=pipeline, references=gold)
    >>> scores["retriever_mrr"], scores["reader_top1_em"], round(scores["reader_top1_f1_has_answer"], 4)
    (0.75, 0.5, 0.6667)
"""

_TEXT = datasets.Value("string")
_OFFSET = datasets.Value("int64")
_ANSWERS = [{"text": _TEXT, "document_id": _TEXT, "start": _OFFSET, "end": _OFFSET}]
_OUTPUT = {"documents": datasets.Sequence(_TEXT), "answers": _ANSWERS}


class RetrieverReader(QAMetric):
    texts = _DESCRIPTION, CITATION, _USAGE
    function, options_class = staticmethod(score_reading), ReaderOptions
    fields = staticmethod(pipeline_fields)

    def _info(self):
        return self.card(
            ["https://github.com/etalab-ia/piaf-ml", "https://github.com/deepset-ai/haystack"],
            {"predictions": _OUTPUT, "references": {**_OUTPUT, "is_impossible": datasets.Value("bool")}},
        )

    def adapt(self, columns, options):
        return rows_of_both(columns)
