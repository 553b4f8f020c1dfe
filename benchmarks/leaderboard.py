"""Measures time and memory of a leaderboard, from files to the page, and of the ranking alone.

    python benchmarks/leaderboard.py [--systems 50] [--questions 10000] [--measures exact_match f1 precision recall]
                                     [--only files ranking compare] [--output page.html]

Systems are simulated: each has its own share of right answers, is often partly right, and finds the same questions
hard as the others. "files" runs `qassay leaderboard` in a separate process with threads for two cores; "ranking" calls
`qassay.leaderboard` with scores in another process; "compare" calls `qassay.compare` for 10 and 20 systems. Each prints
wall and CPU seconds and peak memory.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from timing import cpu_seconds, peak_megabytes

COMPARED = (10, 20)
WORDS = ("river", "north", "1969", "king", "council", "of", "the", "second", "treaty", "oak")


def main() -> None:
    args = arguments()
    if args.run:
        print(json.dumps(measured(args)))
        return
    table = Table(
        "what", "systems", "wall s", "CPU s", "peak MB", title=f"{args.questions:,} questions, {args.measures}"
    )
    with tempfile.TemporaryDirectory() as folder:
        made(Path(folder), args.systems, args.questions)
        jobs = [("files", args.systems), ("ranking", args.systems), *(("compare", size) for size in COMPARED)]
        for what, size in jobs:
            if what in args.only:
                found = in_own_process(args, folder, what, size)
                table.add_row(what, str(size), *(f"{found[key]:.1f}" for key in ("wall", "cpu", "peak")))
    Console(width=100).print(table)


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=50)
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--measures", nargs="+", default=["exact_match", "f1", "precision", "recall"])
    parser.add_argument("--only", nargs="+", default=["files", "ranking", "compare"])
    parser.add_argument("--output", default="page.html", help="the ending chooses the form; written beside the data")
    parser.add_argument("--run", nargs=3, metavar=("WHAT", "SYSTEMS", "FOLDER"), help=argparse.SUPPRESS)
    return parser.parse_args(words)


def made(folder: Path, n_systems: int, n_questions: int, seed: int = 0) -> None:
    """Gold answers and the predictions of each system, as JSON files."""
    rng = np.random.default_rng(seed)
    golds = [" ".join(rng.choice(WORDS, 3)) for _ in range(n_questions)]
    ids = [f"q{row}" for row in range(n_questions)]
    rows = [{"id": name, "question": "", "answers": [gold]} for name, gold in zip(ids, golds, strict=True)]
    (folder / "gold.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    (folder / "systems").mkdir()
    hard = rng.normal(size=n_questions)
    for place in range(n_systems):
        quality = 0.5 * place / n_systems - hard + rng.normal(size=n_questions)
        answers = [
            gold if of > 0.3 else gold.partition(" ")[2] if of > -0.5 else "no answer"
            for gold, of in zip(golds, quality.tolist(), strict=True)
        ]
        path = folder / "systems" / f"system{place:03d}.json"
        path.write_text(json.dumps(dict(zip(ids, answers, strict=True))), "utf-8")


def in_own_process(args: argparse.Namespace, folder: str, what: str, size: int) -> dict[str, float]:
    words = ["--measures", *args.measures, "--output", args.output, "--run", what, str(size), folder]
    environment = {**os.environ, "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, __file__, *words], env=environment, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout.splitlines()[-1])


def measured(args: argparse.Namespace) -> dict[str, float]:
    what, size, folder = args.run[0], int(args.run[1]), Path(args.run[2])
    if what == "files":
        from qassay.cli import main as qassay_main

        output = str(folder / args.output)
        words = [str(folder / "gold.jsonl"), str(folder / "systems"), "--measures", *args.measures, "--output", output]
        start, cpu = time.perf_counter(), cpu_seconds()
        qassay_main(["leaderboard", *words])
        return {"wall": time.perf_counter() - start, "cpu": cpu_seconds() - cpu, "peak": peak_megabytes()}
    import qassay

    gold = folder / "gold.jsonl"
    systems = {path.stem: str(path) for path in sorted((folder / "systems").iterdir())[:size]}
    scores = qassay.score_files(str(gold), systems)
    before = peak_megabytes()
    start, cpu = time.perf_counter(), cpu_seconds()
    (qassay.leaderboard if what == "ranking" else qassay.compare)(scores, args.measures)
    spent = {"wall": time.perf_counter() - start, "cpu": cpu_seconds() - cpu, "peak": peak_megabytes()}
    print(f"before the {what}: {before:.0f} MB", file=sys.stderr)
    return spent


if __name__ == "__main__":
    main()
