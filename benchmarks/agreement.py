"""Agreement of scores with human labels of pairs of answers: exact match, F1, lite, models, and scores published with the pairs.

    python -m benchmarks agreement PAIRS.csv [MORE.csv ...] [--model ID_OR_FOLDER ...]

A file has the columns answer1 (gold), answer2 (prediction) and label, a number that is larger for better pairs; other columns of numbers are
scores published with the file. The table has Pearson's r, Spearman's rho and Kendall's tau-b of each scorer with the labels: over all pairs,
and over pairs without and with a common token (F1 of SQuAD's script = 0 or not). State all three: ties at 0 flatter F1 overall.

Models score as in Risch et al. (2021): each pair by the model alone, in the order (prediction, gold), raw=True. lite scores with its rules
for equal and empty answers, as for users. For your own labels (AUC, accuracy, calibration, intervals) use `qassay agreement`.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import qassay

from .measure import Table
from .pairs import agreement, lexical_scores, read_pairs, splits

IN_SAMPLE = (
    "-: undefined, as all are the same. lite was distilled from the column sas of NQ-open's pairs, nq_open_pairs.csv; "
    "nq_open_pairs_relabelled.csv has most of them too. On these files its rows are in sample and not to be quoted. "
    "Cross-validated figures: python -m benchmarks lite_models --tables similarity"
)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="PAIRS.csv")
    parser.add_argument("--model", nargs="+", action="extend", default=[], help="ids or folders of models")


def run(args: argparse.Namespace) -> Iterator[Table]:
    for path in args.files:
        pairs = read_pairs(path)
        scores = lexical_scores(pairs)
        ways: dict[str, dict[str, Any]] = {"lite": {"model": "lite"}}
        ways |= {name: {"model": name, "raw": True} for name in args.model}
        for name, options in ways.items():
            golds = [[gold] for gold in pairs.golds]
            found = qassay.score("semantic_answer_similarity", pairs.predictions, golds, **options)
            scores[name] = found.columns["sas"]
        scores |= {f"published {name}": values for name, values in pairs.published.items()}
        parts, rows = splits(pairs), []
        for name, values in scores.items():
            cells = (agreement(values[chosen], pairs.labels[chosen]) for chosen in parts.values())
            rows.append([name, *(" / ".join(f"{x:.3f}" for x in cell) if cell else "-" for cell in cells)])
        head = ["r / rho / tau", *(f"{name} ({chosen.sum():,})" for name, chosen in parts.items())]
        yield Table("", head, rows, f"{path.name}: agreement with the labels", IN_SAMPLE)
