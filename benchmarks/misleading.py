"""Answers that mislead a scorer: the share that each scorer judges as a careful person does.

The cases are in misleading_answers/*.jsonl, one per line: kind, question, golds, answer, accept (what a careful person says) and, for very
long answers, a padding that is repeated until the answer has 50,000 characters. known_failures.jsonl has variations of failures of other
scorers. A hash divides each set: one half may be looked at and is shown by kind (--wrong lists its misjudged cases); of the other half only
accuracy and AUC are shown, so that nobody writes a feature for a case of it. Contains and exact match accept at 1; F1, similarity's lite
and the scorer from 0.5 on. Blank answers, which no scorer judges, are left out.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import qassay
from qassay.answer_equivalence.lite import accept_probabilities

from .measure import Table

FOLDER = Path(__file__).resolve().parent / "misleading_answers"
FILES = ("adversarial", "adversarial_fresh", "adversarial_unseen", "other_languages")
CHARACTERS = 50_000  # of an answer with a padding
THRESHOLD = 0.5


class Case(NamedTuple):
    """One answer to one question, and whether a careful person accepts it."""

    kind: str
    question: str
    golds: list[str]
    answer: str
    accept: bool


def read_cases(name: str) -> list[Case]:
    """The cases of a file that a scorer judges; the mark {padding} of a long answer is replaced by copies of its padding."""
    cases = []
    for row in map(json.loads, (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()):
        padding, answer = row.get("padding", ""), row["answer"]
        if padding:
            answer = answer.replace("{padding}", padding * (CHARACTERS // len(padding)))
        cases.append(Case(row.get("language", row.get("kind")), row["question"], row["golds"], answer, row["accept"]))
    return [case for case in cases if case.golds and case.answer.strip()]


def half_of(text: str) -> int:
    """Which half a case is in: 0, which may be looked at, or 1, which is only measured."""
    return hashlib.sha256(text.encode()).digest()[0] % 2


def scores_of(cases: list[Case]) -> dict[str, np.ndarray]:
    """Scorer -> its scores of the cases, (n,)."""
    answers, golds = [case.answer for case in cases], [case.golds for case in cases]
    texts = qassay.score("answer_match", answers, golds).columns
    return {
        "contains": texts["contains"] * 1.0,
        "exact match": texts["exact_match"] * 1.0,
        "F1": texts["f1"],
        "lite": qassay.score("semantic_answer_similarity", answers, golds, model="lite").columns["sas"],
        "answer_equivalence": accept_probabilities(answers, golds, [case.question for case in cases]),
    }


def auc(scores: np.ndarray, right: np.ndarray) -> float:
    """The share of pairs of a right and a wrong answer in which the right one scores higher, ties half."""
    higher = scores[right][:, None] - scores[~right]
    return float(((higher > 0) + 0.5 * (higher == 0)).mean())


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--wrong", action="store_true", help="list the misjudged cases of the first half")


def run(args: argparse.Namespace) -> Iterator[Table]:
    made = [case for name in FILES for case in read_cases(name)]
    failures = read_cases("known_failures")
    yield table("misleading answers", made, [half_of(case.question) for case in made], args)
    halves = [half_of(f"{case.question}{case.golds}{case.answer}") for case in failures]
    yield table("variations of known failures", failures, halves, args)


def table(title: str, cases: list[Case], halves: list[int], args: argparse.Namespace) -> Table:
    scores = scores_of(cases)
    right, kinds = np.array([case.accept for case in cases]), np.array([case.kind for case in cases])
    judged = {name: (values >= THRESHOLD) == right for name, values in scores.items()}
    half = np.array(halves)
    rows = []

    def add(name: str, kept: np.ndarray) -> None:
        shares = (f"{values[kept].mean():.3f}" for values in judged.values())
        rows.append([name.replace("_", " "), str(kept.sum()), str(right[kept].sum()), *shares])

    for kind in dict.fromkeys(kinds[half == 0].tolist()):
        add(kind, (kinds == kind) & (half == 0))
    for number, name in enumerate(("first half", "second half")):
        add(name, half == number)
        rows.append(
            ["AUC", "", "", *(f"{auc(of[half == number], right[half == number]):.3f}" for of in scores.values())]
        )
    if args.wrong:
        for row in np.flatnonzero((half == 0) & ~judged["answer_equivalence"]).tolist():
            case, value = cases[row], scores["answer_equivalence"][row]
            verdict = "accept" if case.accept else "reject"
            print(f"{value:.2f} {verdict} {case.kind} | {case.question} | {case.golds} | {case.answer[:200]!r}")
    return Table("", ["kind", "cases", "accepted", *scores], rows, f"{title}: share judged as a careful person would")
