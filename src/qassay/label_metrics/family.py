"""The descriptor of label_metrics."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.examples import Examples, said
from ..core.family import Family
from ..core.family_telling import ErrorKinds, Sides, Telling

if TYPE_CHECKING:
    from ..core.scores import Scores

# Usual measures of the tasks single, multi and ranked; measures at other k and of classes are always usual.
_USUAL = {
    "single": ("accuracy", "balanced_accuracy", "macro_precision", "macro_recall", "macro_f1", "micro_f1", "weighted_f1"),
    "multi": (
        "exact_match", "hamming_loss", "micro_precision", "micro_recall", "micro_f1", "macro_f1", "weighted_f1",
        "samples_f1", "samples_jaccard",
    ),
}  # fmt: skip
_MAIN = {"single": ("accuracy", "macro_f1"), "multi": ("exact_match", "micro_f1", "macro_f1")}
_AVERAGES = {
    "micro": "of all classes counted together",
    "macro": "mean over the classes",
    "weighted": "mean over the classes, weighted by how often each is true",
    "samples": "mean over the rows",
}
_METRICS = {
    "precision": "share of the predicted labels that are true",
    "recall": "share of the true labels that are predicted",
    "f1": "harmonic mean of precision and recall",
    "jaccard": "share of the predicted or true labels that are both",
}
_RANKED = {
    "p@k": "rankings: true labels among the first k / k",
    "r@k": "rankings: true labels among the first k / all true labels",
    "ndcg@k": "rankings: true labels among the first k, each weighted by 1 / log2(rank + 1), / the maximum",
    "psp@k": "rankings: p@k with higher weights for rare labels / the maximum, as a ratio of means",
    "psndcg@k": "rankings: ndcg@k with higher weights for rare labels / the maximum, as a ratio of means",
}
_MEANINGS = {
    **{
        f"{average}_{name}": f"{text}, {over}" for average, over in _AVERAGES.items() for name, text in _METRICS.items()
    },
    **{f"{name}[class]": f"{meaning}, of one class; with per_class=yes" for name, meaning in _METRICS.items()},
    "support[class]": "how often the class is true; with per_class=yes",
    **{re.sub(r"\bk\b", k, name): re.sub(r"\bk\b", k, text) for name, text in _RANKED.items() for k in "135"},
    "accuracy": "share of rows whose label is right",
    "error_rate": "1 - accuracy",
    "balanced_accuracy": "mean recall of the classes that occur among the true labels",
    "exact_match": "sets: share of rows with exactly the true labels",
    "hamming_loss": "sets: share of wrong pairs of row and class",
    "mrr": "rankings: mean of 1 / rank of the first true label",
    "no_labels": "sets and rankings: rows without true labels",
    "short": "rankings: rows that rank fewer labels than the largest k",
}


class LabelTelling(Telling):
    """One label per row, sets, or rankings; the usual measures follow the task."""

    meanings = _MEANINGS
    groups = (
        *(f"{average}_" for average in _AVERAGES),
        *(f"{name}[" for name in (*_METRICS, "support")),
        *("r@", "ndcg@", "mrr", "psp@", "psndcg@"),
    )
    system_slices = (*Telling.system_slices, "short")
    answers_are = ("labels",)

    @property
    def errors(self) -> ErrorKinds:
        from .error_kinds import LABEL_ERRORS

        return LABEL_ERRORS

    def usual_measures(self, scores: "Scores") -> list[str]:
        """The best known measures of the task; all measures of rankings, and of each class if requested."""
        task = scores.options.task
        if task == "ranked":
            return [name for name, measure in scores.measures.items() if measure.has_interval]
        return [*_USUAL[task], *(name for name in scores.measures if name.endswith("]"))]

    def main_measures(self, scores: "Scores") -> list[str]:
        """Accuracy and macro F1; for sets exact match, micro and macro F1; for rankings P@k at the smallest and nDCG@k
        at the largest k.
        """
        task = scores.options.task
        if task == "ranked":
            first, last = scores.options.k[0], scores.options.k[-1]
            return [f"p@{first}", f"ndcg@{last}"]
        return list(_MAIN[task])

    def note_words(self, options: Any) -> Mapping[str, str]:
        ranked = options.task == "ranked"
        return {
            **super().note_words(options),
            "no_labels": "rows without true labels" + (": scored 0" if ranked else ""),
            "short": "rows with fewer ranked labels than the largest k: the missing places are misses",
            "repeated_labels": "duplicate labels in a row: counted once",
        }

    def sides(self, examples: Examples) -> Sides:
        """The true and the predicted labels; for rankings the first ones, up to the largest k."""
        scores, rows = examples.scores, examples.rows
        task, columns = scores.options.task, scores.columns
        if task == "ranked":
            references = examples.predictions.get("references", examples.gold.columns.get("references"))
            given, classes = examples.predictions["predictions"], scores.options.classes
            golds = [_ranked_labels(references, row, classes, true=True) for row in examples.places]
            answers = [_ranked_labels(given, row, classes) for row in examples.places]
            return golds, [said(row, scores.options.k[-1]) for row in answers]
        if task == "single":
            names = scores.coded["reference"]
            true, predicted = (
                [[str(names[columns[name][row]])] for row in rows] for name in ("reference", "prediction")
            )
        else:
            names = scores.coded["tp"]
            hits, others, lacking = (columns[name].take(rows).tolist() for name in ("tp", "fp", "fn"))
            true, predicted = (
                [[str(names[number]) for number in sorted(a + b)] for a, b in zip(hits, more, strict=True)]
                for more in (lacking, others)
            )
        return true, list(map(said, predicted))

    def scores_tell_texts(self, options: Any) -> bool:
        return bool(options.task != "ranked")

    def answer_cells(self, examples: Examples) -> dict[str, tuple[str, list]]:
        """Lists of labels under the names that single labels have among the statistics."""
        if examples.scores.options.task == "single":
            return {}
        cells = super().answer_cells(examples)
        return {"reference": cells["gold_answers"], "prediction": cells["prediction"]}

    def label_form(self, options: Any) -> str:
        return "set" if options.task == "multi" else options.task

    def class_values(self, scores: "Scores") -> dict[Any, Any]:
        from .scoring import class_scores

        return {} if scores.options.task == "ranked" else class_scores(scores)


class LabelMetricsFamily(Family):
    """Labels against the true ones."""

    name = "label_metrics"
    source = "scikit-learn; rankings of labels: the measures of extreme classification (Jain et al. 2016)"
    function = "score_labels"
    options = "LabelOptions"
    known_as = {
        "classification_report": "label_metrics with per_class=True",
        "macro_f1": "a measure of label_metrics",
        "micro_f1": "a measure of label_metrics",
        "psp": "the measure psp@k of label_metrics, with rankings of labels",
    }
    smallest = (
        ({"predictions": ["class"], "references": ["class"]}, {"task": "single", "per_class": True}),
        ({"predictions": [["class"]], "references": [["class"]]}, {"task": "multi", "per_class": True}),
        (
            {"predictions": [["class"]], "references": [["class"]]},
            {"task": "ranked", "label_counts": {"class": 1}, "n_train": 3},
        ),
    )
    scores_outputs = True
    named_only = True
    list_options = ("labels",)
    dict_options = file_options = ("label_counts", "inverse_propensities")
    telling = LabelTelling()

    def smallest_rows(self, options: Any) -> list[Mapping[str, Any]]:
        """With a class of the option labels if given."""
        label = "class" if options.labels is None else options.labels.labels[0]
        return [{"predictions": [row], "references": [row]} for row in (label, [label])]

    def score_blank(
        self, references: Sequence, ids: Sequence | None = None, groups: Any = None, *, options: Any
    ) -> "Scores":
        """As in the base, with a true label instead of an empty prediction, since labels cannot be empty."""
        function, _ = self.load()
        label = next((label for label in references if isinstance(label, str)), "")
        scores = function([label] * len(references), references, ids, groups=groups, options=options)
        return scores.require_several_groups()

    def measures(self) -> list[tuple[str, str]]:
        """Measures of one label per row, then of sets, of classes and of rankings."""
        return sorted(super().measures(), key=lambda entry: entry[0] == "total")


def _ranked_labels(column: Any, index: int, classes: Any, true: bool = False) -> list[str]:
    """The labels of one row, best first where they have scores; of a column as `score_labels` takes it.

    Args:
        true: these are true labels, which have numbers only in a matrix: 0 for labels that are not true.
    """
    if hasattr(column, "tocsr"):
        start, end = column.indptr[index : index + 2]
        row: Any = dict(zip(column.indices[start:end].tolist(), column.data[start:end].tolist(), strict=True))
    else:
        row = column[index]
    if getattr(getattr(row, "dtype", None), "kind", "") == "f":
        row = dict(enumerate(row.tolist()))
    if not isinstance(row, Mapping):
        return list(map(str, [row] if isinstance(row, str) or not hasattr(row, "__iter__") else row))
    scored = dict(zip(row["indices"], row["scores"], strict=True)) if row.keys() == {"indices", "scores"} else dict(row)
    # Labels by number have the names of the option labels.
    names = classes.labels if classes is not None and all(isinstance(label, int) for label in scored) else None
    best = sorted(scored, key=lambda label: -scored[label])
    best = [label for label in best if label != -1 and (scored[label] or not true)]
    return [str(label if names is None else names[label]) for label in best]


FAMILY = LabelMetricsFamily()
