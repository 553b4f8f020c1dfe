"""The adversarial table: the share of answers, written to mislead a scorer, that are judged as by a careful person.

    python benchmarks/equivalence_cases.py [--cases NAME] [--scorer MODULE ...] [--wrong] [--no-questions]

The cases are in benchmarks/misleading_answers/NAME.jsonl, one per line: kind, question, golds, answer, accept (what a careful
person says) and, for very long answers, a padding that is repeated until the answer has 50,000 characters. The rules
were written with "adversarial" (the default) and corrected with "adversarial_fresh"; no author of a rule has read
"adversarial_unseen". "other_languages" has six languages as kinds. Contains and exact match accept at 1; F1, the
similarity lite and each scorer accept from 0.5 on. A scorer is a module with a function
accept_probabilities(answers, golds, questions); the default is the built-in scorer of answer_equivalence. `--wrong`
lists the cases that each scorer misjudges. The exit status is 1 if a scorer misses the targets: 95 % of all cases, 85 %
of each kind.
"""

import argparse
import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import qassay

FOLDER = Path(__file__).resolve().parent / "misleading_answers"
CHARACTERS = 50_000  # of an answer with a padding
THRESHOLD = 0.5
OVERALL, PER_KIND = 0.95, 0.85  # targets: shares judged right
BUILT_IN = "qassay.answer_equivalence.lite"
CONSOLE = Console(width=140)


class Case(NamedTuple):
    """One answer to one question, and whether a careful person accepts it."""

    kind: str
    question: str
    golds: list[str]
    answer: str
    accept: bool


def adversarial_cases(name: str = "adversarial") -> list[Case]:
    """The cases of the table, with long answers expanded."""
    rows = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()]
    return [
        Case(
            row.get("language", row["kind"]),
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


def judgements(cases: list[Case], scorers: list[str], with_questions: bool = True) -> dict[str, np.ndarray]:
    """Scorer -> which cases it accepts, bool (n,)."""
    answers, golds = [case.answer for case in cases], [case.golds for case in cases]
    questions = [case.question for case in cases] if with_questions else None
    texts = qassay.score("answer_match", answers, golds).columns
    found = {
        "contains": texts["contains"] == 1,
        "exact match": texts["exact_match"] == 1,
        "F1": texts["f1"] >= THRESHOLD,
        "lite": qassay.score("semantic_answer_similarity", answers, golds, model="lite").columns["sas"] >= THRESHOLD,
    }
    for name in scorers:
        found[name] = importlib.import_module(name).accept_probabilities(answers, golds, questions) >= THRESHOLD
    return found


def shares_right(cases: list[Case], accepted: np.ndarray) -> dict[str, float]:
    """Kind -> share of its cases that are judged as people do; the last key is "all"."""
    right = accepted == np.array([case.accept for case in cases])
    kinds = np.array([case.kind for case in cases])
    return {kind: float(right[kinds == kind].mean()) for kind in dict.fromkeys(kinds.tolist())} | {
        "all": float(right.mean())
    }


def missed(shares: Mapping[str, float]) -> list[str]:
    """The kinds below their target, including "all"."""
    return [kind for kind, share in shares.items() if share < (OVERALL if kind == "all" else PER_KIND)]


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", metavar="NAME", default="adversarial", help="of the file; default: adversarial")
    parser.add_argument("--scorer", action="append", metavar="MODULE", help="with accept_probabilities; repeatable")
    parser.add_argument("--wrong", action="store_true", help="list the cases that a scorer misjudges")
    parser.add_argument("--no-questions", action="store_true", help="scorers read only the answers")
    args = parser.parse_args(words)
    scorers = args.scorer or [BUILT_IN]
    cases = adversarial_cases(args.cases)
    found = judgements(cases, scorers, not args.no_questions)
    shares = {name: shares_right(cases, accepted) for name, accepted in found.items()}
    show(cases, shares)
    if args.wrong:
        for name in scorers:
            show_wrong(name, cases, found[name])
    fails = {name: missed(shares[name]) for name in scorers}
    for name, kinds in fails.items():
        CONSOLE.print(f"{name}: " + (f"below the target in {', '.join(kinds)}" if kinds else "reaches every target"))
    if any(fails.values()):
        raise SystemExit(1)


def show(cases: list[Case], shares: Mapping[str, Mapping[str, float]]) -> None:
    table = Table(title=f"{len(cases)} adversarial cases: share judged as a careful person judges them")
    table.add_column("kind")
    for name in ("cases", "accepted", *shares):
        table.add_column("answer_equivalence" if name == BUILT_IN else name, justify="right", overflow="fold")
    for kind in next(iter(shares.values())):
        chosen = [case.accept for case in cases if kind in (case.kind, "all")]
        if kind == "all":
            table.add_section()
        cells = (f"{share[kind]:.3f}" for share in shares.values())
        table.add_row(kind.replace("_", " "), str(len(chosen)), str(sum(chosen)), *cells)
    CONSOLE.print(table)


def show_wrong(name: str, cases: list[Case], accepted: np.ndarray) -> None:
    table = Table(title=f"misjudged by {name}")
    for column in ("kind", "question", "golds", "answer", "people"):
        table.add_column(column, overflow="fold")
    for case, yes in zip(cases, accepted, strict=True):
        if yes != case.accept:
            verdict = "accept" if case.accept else "reject"
            table.add_row(case.kind, case.question, " / ".join(case.golds), case.answer[:120], verdict)
    CONSOLE.print(table)


if __name__ == "__main__":
    main()
