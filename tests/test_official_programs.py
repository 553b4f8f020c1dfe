"""Random rows through trec_eval and the BioASQ program: every number is equal. QASSAY_PROGRAMS is the folder that has them.

trec_eval is built by `make`; BioASQEvaluation.jar lies beside its folder lib and is run by Java. The programs of presets take random rows by
`python -m benchmarks goldens --programs FOLDER --check 2000`.
"""

import contextlib
import io
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import qassay
from qassay.cli import main as qassay_command

pytestmark = pytest.mark.thorough

ROWS = 2000
Pairs = Iterator[tuple[str, Any, Any]]  # what is compared, the number of the program, ours
SEEDS = given(st.integers(0, 2**32).map(Random))
FEW = settings(max_examples=5, database=None)


def program(name: str) -> Path:
    """The file of a program; the test is skipped without it."""
    folder = os.environ.get("QASSAY_PROGRAMS")
    found = next((path for path in sorted(Path(folder).rglob(name)) if path.is_file()), None) if folder else None
    if found is None:
        pytest.skip(f"{name} is not here; set QASSAY_PROGRAMS to a folder that has it")
    return found


def rankings(random: Random, queries: int) -> tuple[dict, dict]:
    """Judgements and a run, with ties, documents without judgements, and gaps."""
    documents = [f"d{number}" for number in range(30)]
    qrels = {
        f"q{query:04d}": {
            one: random.choice((-1, 0, 0, 1, 1, 2, 3)) for one in random.sample(documents, random.randint(1, 15))
        }
        for query in range(queries)
    }
    for judged in qrels.values():
        judged[random.choice(documents)] = random.choice((0, 1))
    run = {
        query: {
            one: random.choice((0.5, 1.5, 2.0, random.random()))
            for one in random.sample(documents, random.randint(1, 25))
        }
        for query in qrels
        if random.random() < 0.95
    }
    return qrels, run


def trec_eval(path: Path, random: Random, rows: int) -> Pairs:
    qrels, run = rankings(random, rows // 10)
    with tempfile.TemporaryDirectory() as folder:
        judged, found = Path(folder, "qrels"), Path(folder, "run")
        judged.write_text("".join(f"{q} 0 {d} {n}\n" for q, of in qrels.items() for d, n in of.items()), "utf-8")
        found.write_text("".join(f"{q} Q0 {d} 0 {n!r} r\n" for q, of in run.items() for d, n in of.items()), "utf-8")
        theirs = subprocess.run(
            [str(path), "-c", "-q", "-m", "all_trec", str(judged), str(found)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
            qassay_command(["score", str(judged), str(found), "--measures", "all_trec", "--format", "trec_eval", "-q"])
    ours = {tuple(line.split()[:2]): line.split()[2] for line in out.getvalue().splitlines()}
    ours = {line: value for line, value in ours.items() if line[0] != "rbp"}  # its range of gains is not initialised
    lines = (line.split() for line in theirs.splitlines())
    for name, query, value in lines:
        if (name, query) in ours:
            yield f"{name} {query}", value, ours[name, query]


def bioasq(path: Path, random: Random, rows: int) -> Pairs:
    names = ("dog", "canine", "cat", "Felis catus", "fox", "T-cell", "5", "elk")

    def some(most: int) -> list[str]:
        return random.sample(names, random.randint(1, most))

    gold, system = [], []
    for number in range(rows // 10):
        kind = random.choice(("factoid", "list", "yesno"))
        exact = {"factoid": lambda: [some(3)], "list": lambda: [some(2) for _ in range(random.randint(1, 4))]}
        answer = {"factoid": lambda: [[one] for one in some(6)], "list": lambda: [[one] for one in some(6)]}
        question = {"id": str(number), "type": kind}
        label = random.choice(("yes", "no"))
        gold.append({**question, "exact_answer": exact.get(kind, lambda label=label: label)()})
        system.append({**question, "exact_answer": answer.get(kind, lambda: random.choice(("yes", "no")))()})
    measures = ["yesno_accuracy", "strict_accuracy", "lenient_accuracy", "mrr", "list_precision", "list_recall", "list_f1",
                "yesno_macro_f1", "yesno_f1_yes", "yesno_f1_no"]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("gold.json", "system.json")]
        for file, questions in zip(files, (gold, system), strict=True):
            file.write_text(json.dumps({"questions": questions}), "utf-8")
        for version in (2, 3, 5, 8, 9):
            command = ["java", "-cp", str(path), "evaluation.EvaluatorTask1b", "-phaseB", "-e", str(version)]
            done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=True)
            theirs = [float(number) for number in done.stdout.split()]
            options = {"version": version, "top_k": None, "missing": "skip" if version == 9 else "zero"}
            ours = qassay.score("factoid_accuracy", {"questions": system}, {"questions": gold}, **options).summary(
                measures
            )
            known = [value or 0.0 for value in ours.values()]  # the program prints 0 for what has no question
            for measure, one, other in zip(measures, theirs, known, strict=True):
                yield f"{measure} of version {version}", one, other


@FEW
@SEEDS
def test_trec_eval(random):
    for where, theirs, ours in trec_eval(program("trec_eval"), random, ROWS):
        assert ours == theirs, where


@FEW
@SEEDS
def test_bioasq(random):
    for where, theirs, ours in bioasq(program("BioASQEvaluation.jar"), random, ROWS):
        assert ours == theirs, where
