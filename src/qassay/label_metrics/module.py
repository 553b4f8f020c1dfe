"""label_metrics: one label, sets of labels and rankings of labels against the true ones. The core does the work."""

from datasets import Sequence, Value

from ..core.label_columns import ROW_FIELDS
from ..core.module import QAMetric
from .family import FAMILY
from .scoring import confusion_matrix

_NUMBER, _TEXT = Value("int64"), Value("string")


class LabelMetrics(QAMetric):
    """How well predicted labels agree with the true ones. One label per row: accuracy, error rate, balanced accuracy, and
    precision, recall and F1 of each class and micro, macro and weighted. Sets of labels: exact match, Hamming loss, and
    precision, recall, F1 and Jaccard micro, macro, weighted and per row. Rankings of labels: P@k, R@k, nDCG@k and MRR.

    Returns:
        A flat dict of floats (0 to 1) and counts.

    Examples:
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

    family = FAMILY
    fields = staticmethod(lambda options: ROW_FIELDS)
    urls = ("https://scikit-learn.org/stable/modules/model_evaluation.html",)
    layouts = (
        {"predictions": _NUMBER, "references": _NUMBER},
        {"predictions": _TEXT, "references": _TEXT},
        {"predictions": Sequence(_NUMBER), "references": Sequence(_NUMBER)},
        {"predictions": Sequence(_TEXT), "references": Sequence(_TEXT)},
    )
    extras = {
        "confusion": 'adds confusion_matrix, {"labels": [...], "counts": [[...]]} (true classes are rows), of one label per row.',
    }

    def additions(self, scores, options):
        if not options.get("confusion"):
            return {}
        labels, counts = confusion_matrix(scores)
        return {"confusion_matrix": {"labels": labels, "counts": counts}}
