"""Agreement of scores with human judgements of answers: exact match, F1, lite and models, on CSV files of pairs.

    python benchmarks/agreement.py PAIRS.csv [MORE.csv ...] [--gold answer1] [--prediction answer2] [--label label]
        [--model ID_OR_FOLDER ...] [--published [COLUMN ...]] [--num-threads N]

A row of a file is a gold answer, a prediction, and a human label for the pair, a number that is larger for better
pairs. Rows without a label are omitted and counted. Other numeric columns count as scores published with the file;
`--published` selects some or none. Columns without a name, and "Unnamed: 0", are row numbers.

The table has Pearson's r, Spearman's rho and Kendall's tau-b of each scorer with the labels: over all pairs, and over
pairs without and with a common token (F1 of SQuAD's script = 0 or not). State all three: ties at 0 flatter F1 overall.

Models score as in Risch et al. (2021): each pair by the model alone, in the order (prediction, gold), raw=True. lite
scores with its rules for equal and empty answers, as for users.

For your own labels (AUC, accuracy, calibration, intervals) use `qassay agreement`.
"""

import argparse
import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from similarity_data import (
    Pairs,
    agreement,
    lexical_scores,
    published_scores,
    read_pairs,
    splits,
)

import qassay

IN_SAMPLE = (
    "lite was distilled from the column sas of NQ-open's pairs, nq_open_pairs.csv; nq_open_pairs_relabelled.csv "
    "has most of them too. On these files its rows are in sample and not to be quoted. Cross-validated "
    "figures: python benchmarks/train_text_pairs.py FOLDER --tables similarity"
)


def main() -> None:
    args = arguments()
    for path in args.files:
        try:
            pairs = read_pairs(path, args.gold, args.prediction, args.label)
            published, no_scores = published_scores(pairs, args.published)
            ours, models = lexical_scores(pairs), model_scores(pairs, args.model)
        except (OSError, ValueError, ImportError, csv.Error) as error:
            raise SystemExit(f"{path}: {error.strerror if isinstance(error, FileNotFoundError) else error}") from error
        show(path.name, pairs, [ours, models, published])
        if pairs.unlabelled:
            print(f"Rows without a label, omitted: {pairs.unlabelled:,}.")
        if no_scores:
            print(f"No column of scores, as not every row holds a number: {', '.join(no_scores)}.")
        print(f"{IN_SAMPLE}\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="PAIRS.csv")
    parser.add_argument("--gold", default="answer1", help="column of the gold answers")
    parser.add_argument("--prediction", default="answer2", help="column of the predictions")
    parser.add_argument("--label", default="label", help="column of the labels")
    parser.add_argument("--model", nargs="+", action="extend", default=[], help="ids or folders of models")
    parser.add_argument("--published", nargs="*", metavar="COLUMN", help="columns of scores; default: all of numbers")
    return parser.parse_args()


def model_scores(pairs: Pairs, models: Iterable[str] = ()) -> dict[str, np.ndarray]:
    """Scores of lite and of models."""
    ways: dict[str, dict[str, Any]] = {"lite": {"model": "lite"}}
    ways |= {name: {"model": name, "raw": True} for name in models}
    golds = [[gold] for gold in pairs.golds]
    return {
        name: qassay.score("semantic_answer_similarity", pairs.predictions, golds, **options).columns["sas"]
        for name, options in ways.items()
    }


def show(title: str, pairs: Pairs, groups: Iterable[Mapping[str, np.ndarray]]) -> None:
    parts = splits(pairs)
    table = Table(
        title=f"{title}: agreement with the labels, r / rho / tau", caption="-: undefined, as all are the same"
    )
    table.add_column("", overflow="fold")
    for name, chosen in parts.items():
        table.add_column(f"{name} ({chosen.sum():,})", justify="right", no_wrap=True)
    for group, kind in zip(groups, ("", "", "published "), strict=True):
        for name, scores in group.items():
            cells = (agreement(scores[chosen], pairs.labels[chosen]) for chosen in parts.values())
            table.add_row(kind + name, *(" / ".join(f"{x:.3f}" for x in cell) if cell else "-" for cell in cells))
        table.add_section()
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
