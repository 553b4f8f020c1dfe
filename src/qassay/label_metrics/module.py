"""label_metrics: one label, sets of labels and rankings of labels against the true ones. The core does the work."""

import datasets

from ..core.label_columns import ROW_FIELDS
from ..core.module import QAMetric
from .about import CITATION
from .scoring import LabelOptions, confusion_matrix, score_labels

_DESCRIPTION = """
How well predicted labels agree with the true ones. One label per row: accuracy, error rate, balanced accuracy, and
precision, recall and F1 of each class and micro, macro and weighted. Sets of labels: exact match, Hamming loss, and
precision, recall, F1 and Jaccard micro, macro, weighted and per row. Rankings of labels, as in extreme multi-label
classification: P@k, R@k, nDCG@k, MRR, and PSP@k and PSnDCG@k with propensities.
"""

_USAGE = """
Returns:
    A flat dict of floats (0 to 1) and counts.

Examples:
    >>> import evaluate
    >>> import qassay
    >>> metric = evaluate.load("./metrics/label_metrics")  # in a clone
    >>> metric = qassay.load("label_metrics")  # anywhere
    >>> result = metric.compute(predictions=["cat", "dog", "dog"], references=["cat", "cat", "dog"])
    >>> round(result["accuracy"], 4), round(result["macro_f1"], 4), result["total"]
    (0.6667, 0.6667, 3)
    >>> result = metric.compute(predictions=[{"cat"}, {"cat", "dog"}], references=[{"cat"}, {"dog"}])
    >>> result["exact_match"], result["hamming_loss"], result["micro_f1"]
    (0.5, 0.25, 0.8)
    >>> result = metric.compute(predictions=[["b", "a", "c"]], references=[["a", "c"]], task="ranked", k=(1, 3))
    >>> result["p@1"], round(result["p@3"], 4), result["mrr"]
    (0.0, 0.6667, 0.5)
"""


class LabelMetrics(QAMetric):
    texts = _DESCRIPTION, CITATION, _USAGE
    function, options_class = staticmethod(score_labels), LabelOptions
    fields = staticmethod(lambda options: ROW_FIELDS)
    extras = {
        "confusion": 'adds confusion_matrix, {"labels": [...], "counts": [[...]]} (true classes are rows), of one label per row.',
    }

    def _info(self):
        whole, text = datasets.Value("int64"), datasets.Value("string")
        rows = [whole, text, datasets.Sequence(whole), datasets.Sequence(text)]
        alike = [{"predictions": row, "references": row} for row in rows]
        scored = {"indices": rows[2], "scores": datasets.Sequence(datasets.Value("float64"))}
        return self.card(
            [
                "https://scikit-learn.org/stable/modules/model_evaluation.html",
                "http://manikvarma.org/downloads/XC/XMLRepository.html",
            ],
            *alike[:2],
            {"predictions": scored, "references": rows[2]},
            *alike[2:],
        )

    def additions(self, scores, options):
        if not options.get("confusion"):
            return {}
        labels, counts = confusion_matrix(scores)
        return {"confusion_matrix": {"labels": labels, "counts": counts}}
