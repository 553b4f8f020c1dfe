"""label_metrics: one label, sets of labels and rankings of labels against the true ones. The core does the work."""

import datasets
import evaluate

from .shim import LabelOptions, QAMetric, as_array, confusion_matrix, dicts_as_lists, score_labels

_DESCRIPTION = """
How well predicted labels agree with the true ones. One label per row: accuracy, error rate, balanced accuracy, and
precision, recall and F1 of each class and micro, macro and weighted. Sets of labels: exact match, Hamming loss, and
precision, recall, F1 and Jaccard micro, macro, weighted and per row. Rankings of labels, as in extreme multi-label
classification: P@k, R@k, nDCG@k, MRR, and PSP@k and PSnDCG@k with propensities.
"""

_CITATION = """
@inproceedings{jain2016extreme,
    title = "Extreme Multi-label Loss Functions for Recommendation, Tagging, Ranking {\\&} Other Missing Label
      Applications",
    author = "Jain, Himanshu and Prabhu, Yashoteja and Varma, Manik",
    booktitle = "Proceedings of the 22nd ACM SIGKDD International Conference on Knowledge Discovery and Data Mining",
    year = "2016",
    pages = "935--944",
}
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: a label per row, a string or a whole number; or a list or set of labels per row; or, ranked, a list of
        labels, best first, a dict {label: score}, or {"indices": [...], "scores": [...]}. Also an indicator matrix, a
        sparse matrix of scipy, an array of label numbers, best first, or a matrix of scores; or a dict from id to row.
    references: the true label of each row, or a list or set of them; also an indicator or sparse matrix; or a dict
        from id to row.
    ids, weights: optional columns, one entry per row.
    task: "single", "multi", "ranked", or "auto" where the rows tell.
    labels: the classes, in order, or how many there are (0, 1, 2, ...).
    layout: "indicator" if lists (of rankings, those of the references) are rows of 0 and 1.
    zero_division: what 0 / 0 is: 0.0, 1.0, or nan.
    per_class: adds the measures of each class, as f1[cat].
    k: ranks at which rankings are cut, such as (1, 3, 5).
    label_counts: how often each label stands in the training data, for psp@k and psndcg@k.
    n_train: rows of the training data.
    dataset: "wikipedia" or "amazon", whose A and B.
    A, B: constants of the propensities.
    inverse_propensities: what each label counts, instead of label_counts.
    confusion: adds confusion_matrix, {"labels": [...], "counts": [[...]]} (true classes are rows), of one label per row.
    per_example: adds the table of rows.
    level: adds the ends of bootstrap intervals of that level, as <key>_low and <key>_high.
    n_resamples, bootstrap_seed: of those intervals.
    signature: adds the text of all options that change a number.
    counts: adds how many examples each measure rests on, a dict by key; a measure of none is 0.0.

Returns:
    A flat dict of floats (0 to 1) and counts.

Examples:
    >>> metric = evaluate.load("./metrics/label_metrics")
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

_ONE = (datasets.Value("int64"), datasets.Value("string"))
_SCORED = {
    "indices": datasets.Sequence(datasets.Value("int64")),
    "scores": datasets.Sequence(datasets.Value("float64")),
}


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class LabelMetrics(QAMetric):
    optional = ("ids", "weights")
    core_checks = True
    matrices = True

    def _info(self):
        if self.config_name != "default":
            raise ValueError(f"label_metrics has no config {self.config_name!r}; leave it out")
        lists = [datasets.Sequence(label) for label in _ONE]
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=[
                *(datasets.Features({"predictions": label, "references": label}) for label in _ONE),
                datasets.Features({"predictions": _SCORED, "references": lists[0]}),
                *(datasets.Features({"predictions": labels, "references": labels}) for labels in lists),
            ],
            reference_urls=[
                "https://scikit-learn.org/stable/modules/model_evaluation.html",
                "http://manikvarma.org/downloads/XC/XMLRepository.html",
            ],
        )

    def check_options(self, options):
        LabelOptions.from_some(options)

    def adapt(self, columns, options):
        return dicts_as_lists({name: as_array(column) for name, column in columns.items()})

    def _compute(
        self,
        predictions,
        references,
        ids=None,
        weights=None,
        *,
        task="auto",
        labels=None,
        layout="auto",
        zero_division=0.0,
        per_class=False,
        k=(1, 3, 5),
        label_counts=None,
        n_train=None,
        dataset=None,
        A=0.55,
        B=1.5,
        inverse_propensities=None,
        confusion=False,
        per_example=False,
        level=None,
        n_resamples=1000,
        bootstrap_seed=0,
        signature=False,
        counts=False,
    ):
        options = LabelOptions.from_some(
            {
                "task": task,
                "labels": labels,
                "layout": layout,
                "zero_division": zero_division,
                "per_class": per_class,
                "k": k,
                "label_counts": label_counts,
                "n_train": n_train,
                "dataset": dataset,
                "A": A,
                "B": B,
                "inverse_propensities": inverse_propensities,
            }
        )
        scores = score_labels(predictions, references, ids, weights, options=options)
        result = scores.result(per_example, level, n_resamples, bootstrap_seed, signature, counts)
        if confusion:
            classes, counts = confusion_matrix(scores)
            result["confusion_matrix"] = {"labels": classes, "counts": counts}
        return result
