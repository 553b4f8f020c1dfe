"""retriever_reader: documents and answers of a question answering pipeline, judged apart. The core does the work."""

from datasets import Sequence, Value

from ..core.module import QAMetric
from .family import FAMILY
from .fields import pipeline_fields, rows_of_both

_TEXT, _OFFSET = Value("string"), Value("int64")
_ANSWERS = [{"text": _TEXT, "document_id": _TEXT, "start": _OFFSET, "end": _OFFSET}]
_OUTPUT = {"documents": Sequence(_TEXT), "answers": _ANSWERS}


class RetrieverReader(QAMetric):
    """Where a question answering pipeline fails: at finding the right document or at reading the answer in it. For the
    retriever recall (hit rate), mean average precision and mean reciprocal rank; for the reader the twelve measures of the
    PIAF project, accuracy, exact match and F1 of the first and of the best of the first k answers, in all and over the
    questions with an answer, by character offsets, words or characters; and no-answer accuracy. Takes rows, SQuAD-like gold
    answers, and the results of Haystack.

    Returns:
        A flat dict of floats (0 to 1; retriever_map can be more in the open domain) and counts.

    Examples:
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

    family = FAMILY
    fields = staticmethod(pipeline_fields)
    urls = ("https://github.com/etalab-ia/piaf-ml", "https://github.com/deepset-ai/haystack")
    layouts = ({"predictions": _OUTPUT, "references": {**_OUTPUT, "is_impossible": Value("bool")}},)

    def read_batch(self, columns, options):
        return super().read_batch(rows_of_both(columns), options)
