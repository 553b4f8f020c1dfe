"""The misleading table: the share of answers, written to mislead a scorer, that the built-in one judges as a careful person does.

    python benchmarks/equivalence_cases.py [--wrong] [--no-questions]

The cases are in benchmarks/misleading_answers/*.jsonl, one per line: kind, question, golds, answer, accept (what a careful person
says) and, for very long answers, a padding that is repeated until the answer has 50,000 characters. A hash of the question divides
them: one half may be looked at and is shown by kind (`--wrong` lists its misjudged cases); of the other half the script says only
accuracy and AUC, so that nobody writes a feature for a case of it. Contains and exact match accept at 1; F1, similarity's lite and
the scorer from 0.5 on. Blank answers, which no scorer judges, are left out.
"""

import argparse
import hashlib
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import qassay
from qassay.answer_equivalence.lite import accept_probabilities

FOLDER = Path(__file__).resolve().parent / "misleading_answers"
NAMES = ("adversarial", "adversarial_fresh", "adversarial_unseen", "other_languages")
CHARACTERS = 50_000  # of an answer with a padding
THRESHOLD = 0.5
CONSOLE = Console(width=140)


class Case(NamedTuple):
    """One answer to one question, and whether a careful person accepts it."""

    kind: str
    question: str
    golds: list[str]
    answer: str
    accept: bool


def misleading_cases() -> list[Case]:
    """The cases of all files that a scorer judges, with long answers expanded."""
    cases = [case for name in NAMES for case in read_cases(name)]
    return [case for case in cases if case.golds and case.answer.strip()]


def read_cases(name: str) -> list[Case]:
    """The cases of a file."""
    rows = map(json.loads, (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines())
    return [
        Case(
            row.get("language", row.get("kind")),
            row["question"],
            row["golds"],
            long_answer(row["answer"], row.get("padding", "")),
            row["accept"],
        )
        for row in rows
    ]


def long_answer(answer: str, padding: str) -> str:
    """The answer with its mark {padding} replaced by enough copies of the padding for CHARACTERS characters."""
    return answer.replace("{padding}", padding * (CHARACTERS // len(padding))) if padding else answer


def half_of(question: str) -> int:
    """Which half of the cases a question is in: 0, which may be looked at, or 1, which is only measured."""
    return hashlib.sha256(question.encode()).digest()[0] % 2


def scores_of(cases: list[Case], with_questions: bool = True) -> dict[str, np.ndarray]:
    """Scorer -> its scores of the cases, (n,)."""
    answers, golds = [case.answer for case in cases], [case.golds for case in cases]
    texts = qassay.score("answer_match", answers, golds).columns
    questions = [case.question for case in cases] if with_questions else None
    return {
        "contains": texts["contains"] * 1.0,
        "exact match": texts["exact_match"] * 1.0,
        "F1": texts["f1"],
        "lite": qassay.score("semantic_answer_similarity", answers, golds, model="lite").columns["sas"],
        "answer_equivalence": accept_probabilities(answers, golds, questions),
    }


def auc(scores: np.ndarray, right: np.ndarray) -> float:
    """The share of pairs of a right and a wrong answer in which the right one scores higher, ties half."""
    higher = scores[right][:, None] - scores[~right]
    return float(((higher > 0) + 0.5 * (higher == 0)).mean())


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wrong", action="store_true", help="list the misjudged cases of the first half")
    parser.add_argument("--no-questions", action="store_true", help="the scorer reads only the answers")
    args = parser.parse_args(words)
    cases = misleading_cases()
    scores = scores_of(cases, not args.no_questions)
    right, kinds = np.array([case.accept for case in cases]), np.array([case.kind for case in cases])
    half = np.array([half_of(case.question) for case in cases])
    judged = {name: (values >= THRESHOLD) == right for name, values in scores.items()}
    table = Table(title="misleading answers: share judged as a careful person judges them")
    table.add_column("kind")
    for name in ("cases", "accepted", *scores):
        table.add_column(name, justify="right", overflow="fold")
    for kind in dict.fromkeys(kinds[half == 0].tolist()):
        kept = (kinds == kind) & (half == 0)
        cells = (f"{values[kept].mean():.3f}" for values in judged.values())
        table.add_row(kind.replace("_", " "), str(kept.sum()), str(right[kept].sum()), *cells)
    for place, title in enumerate(("first half", "second half")):
        table.add_section()
        kept = half == place
        cells = (f"{values[kept].mean():.3f}" for values in judged.values())
        table.add_row(title, str(kept.sum()), str(right[kept].sum()), *cells)
        table.add_row("AUC", "", "", *(f"{auc(values[kept], right[kept]):.3f}" for values in scores.values()))
    CONSOLE.print(table)
    if args.wrong:
        chosen = (half == 0) & ~judged["answer_equivalence"]
        for place in np.flatnonzero(chosen).tolist():
            case = cases[place]
            verdict, value = "accept" if case.accept else "reject", scores["answer_equivalence"][place]
            print(
                f"{value:.2f} {verdict} {case.kind} | {case.question} | {' / '.join(case.golds)} | {case.answer[:200]!r}"
            )


if __name__ == "__main__":
    main()
