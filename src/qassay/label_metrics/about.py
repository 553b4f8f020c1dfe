"""What tables, documents and pages need to know of label_metrics, and how to cite it."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..core.about import SYSTEM_SLICES, About, Cells, ErrorKinds, Texts
from ..core.examples import Examples, said

if TYPE_CHECKING:
    from ..core.scores import Scores

CITATION = """
@article{pedregosa2011scikit,
    title = "Scikit-learn: Machine Learning in {P}ython",
    author = "Pedregosa, Fabian and Varoquaux, Ga{\\"e}l and Gramfort, Alexandre and Michel, Vincent and Thirion, Bertrand and Grisel,
      Olivier and others",
    journal = "Journal of Machine Learning Research",
    volume = "12",
    pages = "2825--2830",
    year = "2011",
}
"""
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


def label_error_kinds(scores: "Scores") -> list[str]:
    """The kind of error of each row of label_metrics.

    One label: "correct" or "wrong". Sets: "correct", "too many" (all true labels and others), "too few" (only true
    labels, not all), "partial" (some true labels and others) or "wrong" (others only). Rankings: "true label first",
    "found, not first" (after the first place), "not found", or "no true labels".
    """
    from ..core.slices import first_that_holds

    columns = scores.columns
    if "rr" in columns:
        reciprocal_ranks = columns["rr"]
        empty = scores.subsets["no_labels"]
        return first_that_holds(
            {
                "no true labels": empty,
                "true label first": reciprocal_ranks == 1,
                "found, not first": reciprocal_ranks > 0,
            },
            "not found",
        )
    if "correct" in columns:
        return first_that_holds({"correct": columns["correct"] == 1}, "wrong")
    right, wrong, lacking = (columns[name].lengths > 0 for name in ("tp", "fp", "fn"))
    return first_that_holds(
        {"correct": ~wrong & ~lacking, "too many": ~lacking, "too few": ~wrong, "partial": right},
        "wrong",
    )


_ERRORS = ErrorKinds(
    {
        "correct": "All labels are right.",
        "true label first": "The first label is right.",
        "found, not first": "A right label comes behind the first place.",
        "too many": "It has all true labels, and others.",
        "too few": "All labels are right, but some are missing.",
        "partial": "Some labels are right, some are wrong, and some are missing.",
        "wrong": "No label is right.",
        "not found": "No right label is in the ranking.",
        "no true labels": "There are no true labels.",
    },
    ("correct", "true label first", "no true labels"),
    label_error_kinds,
)


def _usual_measures(scores: "Scores") -> list[str]:
    """The best known measures of the task; all measures of rankings, and of each class if requested."""
    task = scores.options.task
    if task == "ranked":
        return [name for name, measure in scores.measures.items() if measure.has_interval]
    return [*_USUAL[task], *(name for name in scores.measures if name.endswith("]"))]


def _first_measures(scores: "Scores") -> list[str]:
    """Accuracy and macro F1; for sets exact match, micro and macro F1; for rankings P@k at the smallest and nDCG@k
    at the largest k.
    """
    task = scores.options.task
    if task == "ranked":
        first, last = scores.options.k[0], scores.options.k[-1]
        return [f"p@{first}", f"ndcg@{last}"]
    return list(_MAIN[task])


def _notes(options: Any) -> dict[str, str]:
    ranked = options.task == "ranked"
    return {
        "no_labels": "rows without true labels" + (": scored 0" if ranked else ""),
        "short": "rows with fewer ranked labels than the largest k: the missing places are misses",
        "repeated_labels": "duplicate labels in a row: counted once",
    }


def _texts(examples: Examples) -> Texts:
    """The true and the predicted labels; for rankings the first ones, up to the largest k."""
    scores, rows = examples.scores, examples.rows
    task, columns = scores.options.task, scores.columns
    if task == "ranked":
        references = examples.predictions.get("references", examples.gold.columns.get("references"))
        given, classes = examples.predictions["predictions"], scores.options.classes
        golds = [_ranked_labels(references, row, classes, true=True) for row in examples.gold_rows]
        answers = [_ranked_labels(given, row, classes) for row in examples.gold_rows]
        return golds, [said(row, scores.options.k[-1]) for row in answers]
    if task == "single":
        names = scores.coded["reference"]
        true, predicted = ([[str(names[columns[name][row]])] for row in rows] for name in ("reference", "prediction"))
    else:
        names = scores.coded["tp"]
        hits, others, lacking = (columns[name].take(rows).tolist() for name in ("tp", "fp", "fn"))
        true, predicted = (
            [[str(names[number]) for number in sorted(a + b)] for a, b in zip(hits, more, strict=True)]
            for more in (lacking, others)
        )
    return true, list(map(said, predicted))


def _ranked_labels(column: Any, index: int, classes: Any, true: bool = False) -> list[str]:
    """The labels of one row, best first where they have scores; of a column as `score_labels` takes it.

    Args:
        true: these are true labels, which have numbers only in a matrix: 0 for labels that are not true.
    """
    row = column[index]
    if getattr(getattr(row, "dtype", None), "kind", "") == "f":
        row = dict(enumerate(row.tolist()))
    if not isinstance(row, Mapping):
        return list(map(str, [row] if isinstance(row, str) or not hasattr(row, "__iter__") else row))
    # Labels by number have the names of the option labels.
    names = classes.labels if classes is not None and all(isinstance(label, int) for label in row) else None
    best = sorted(row, key=lambda label: -row[label])
    best = [label for label in best if label != -1 and (row[label] or not true)]
    return [str(label if names is None else names[label]) for label in best]


def _cells(examples: Examples) -> Cells:
    """Lists of labels under the names that single labels have among the statistics."""
    if examples.scores.options.task == "single":
        return {}
    golds, answers = _texts(examples)
    return {"reference": golds, "prediction": answers}


def _class_values(scores: "Scores") -> dict[Any, Any]:
    from .scoring import class_scores

    return {} if scores.options.task == "ranked" else class_scores(scores)


ABOUT = About(
    meanings=_MEANINGS,
    groups=(
        *(f"{average}_" for average in _AVERAGES),
        *(f"{name}[" for name in (*_METRICS, "support")),
        *("r@", "ndcg@", "mrr"),
    ),
    system_slices=(*SYSTEM_SLICES, "short"),
    answers_are=("labels",),
    errors=_ERRORS,
    usual_measures=_usual_measures,
    first_measures=_first_measures,
    notes=_notes,
    texts=_texts,
    texts_in_scores=lambda options: options.task != "ranked",
    cells=_cells,
    class_values=_class_values,
)
