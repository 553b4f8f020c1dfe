"""The figures of docs/people_and_judges.md that come from EVOUNA (Wang et al. 2023, "Evaluating Open-QA Evaluation").

    python -m benchmarks evouna FILE [--table OUTPUT.csv] [--labels 200] [--draws 150]

FILE is evouna_nq.json, made from EVOUNA/NQ.json of the repository wangcunxiang/QA-Eval. With --table, the judged answers become a table for
`qassay agreement`, a row per answer. Without it, the measures sas (lite) and f1 of each system are calibrated by verdicts drawn at random:
the mean verdict of all answers, the interval of sas without labels, the number of labels that would give an interval as narrow as the
calibrated one (mean over the draws), and the share of draws whose interval contains the mean verdict. A question that occurs twice is two
examples.
"""

import argparse
import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import qassay
from qassay.core.writing import write_whole

from .measure import Table
from .verdicts import SYSTEMS, Rows, read_rows, some_of

MEASURES = {"sas": ("semantic_answer_similarity", {"model": "lite"}), "f1": ("answer_match", {})}
COLUMNS = ("question", "gold_answers", "answer", "label", "system")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path)
    parser.add_argument("--table", type=Path, metavar="OUTPUT.csv", help="write a row per answer, and nothing else")
    parser.add_argument("--labels", type=int, default=200, help="labels of a draw")
    parser.add_argument("--draws", type=int, default=150)


def run(args: argparse.Namespace) -> Iterator[Table]:
    rows = read_rows(args.file)
    if args.table:
        write_whole(args.table, table_text(rows))
        print(f"{args.table}: {len(rows.answers):,} answers to {len(set(rows.questions)):,} questions")
        return
    heads = ["system", "answers", "mean verdict", "`sas` by itself"]
    heads += [f"{args.labels} labels and `{name}` are worth" for name in MEASURES]
    heads += [f"intervals of `{name}` that hold" for name in MEASURES]
    parts = ((name, some_of(rows, rows.systems == name)) for name in SYSTEMS)
    yield Table("", heads, [[name, *system_row(part, args.labels, args.draws)] for name, part in parts])


def table_text(rows: Rows) -> str:
    """The judged answers as CSV."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for question, golds, answer, accepted, system in zip(*rows, strict=True):
        writer.writerow([question, json.dumps(golds, ensure_ascii=False), answer, int(accepted), system])
    return text.getvalue()


def system_row(rows: Rows, n_labels: int, n_draws: int) -> list[str]:
    """The cells of one system."""
    people = float(rows.accepted.mean())
    worth, held, alone = [], [], ""
    for name, (metric, options) in MEASURES.items():
        scores = qassay.score(metric, rows.answers, rows.golds, **options)
        alone = alone or " to ".join(f"{end:.3f}" for end in scores.interval(names=[name])[name])
        found = [calibrated(scores, name, rows.accepted, n_labels, draw) for draw in range(n_draws)]
        worth.append(f"{np.mean([one.worth for one in found]):.0f}")
        held.append(f"{np.mean([one.interval[0] <= people <= one.interval[1] for one in found]):.3f}")
    return [f"{len(rows.answers):,}", f"{people:.3f}", alone, *worth, *held]


def calibrated(scores: qassay.Scores, name: str, accepted: np.ndarray, n_labels: int, seed: int) -> Any:
    """A measure calibrated by the verdicts of answers drawn at random, the same for every measure."""
    chosen = set(np.random.default_rng(seed).choice(len(accepted), n_labels, replace=False).tolist())
    labels = [float(verdict) if place in chosen else None for place, verdict in enumerate(accepted)]
    return qassay.calibrate(scores, labels, name)
