"""Runs random rows through the official programs and this package: every number must be equal.

    python benchmarks/differential.py --programs FOLDER [--rows 2000] [--seed 0] [--only NAME]

FOLDER holds the programs as they are published, in folders of any name: those of the presets, by the names in
`preset_goldens`, trec_eval (made), and BioASQEvaluation.jar with its folder lib (run by Java). Missing programs are skipped
with a message. The programs of presets are imported, so use only files that you trust. What scikit-learn, pytrec_eval and
pycocotools compute is compared in tests/.
"""

import argparse
import contextlib
import copy
import io
import json
import math
import re
import string
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from preset_goldens import Golden, all_goldens, load_program
from preset_rows import columns_of

import qassay
from qassay.cli import main as qassay_command
from qassay.registry import find_preset

Pairs = Iterator[tuple[str, Any, Any]]  # what is compared, the number of the program, ours


def preset_pairs(name: str, golden: Golden, program: Any, rows: int, seed: int) -> Pairs:
    """The numbers of each row to the last bit; totals up to the order of additions, but for thresholds, which may tie."""
    columns = columns_of(golden.rows, seed, rows)
    if "no_answer_probabilities" in columns:  # the search of SQuAD 2.0 counts an answer without words as an answer
        columns["predictions"] = [text if not text or _has_words(text) else "Paris" for text in columns["predictions"]]
    scores = qassay.score(find_preset(name)[0], **copy.deepcopy(columns), preset=name)
    measures, totals = golden.official(program, copy.deepcopy(columns))
    for measure, values in measures.items():
        for row, (theirs, ours) in enumerate(zip(values, scores.columns[measure].tolist(), strict=True)):
            where = f"{measure} of {columns['predictions'][row]!a} and {columns['references'][row]!a}"
            yield where, theirs, None if math.isnan(ours) else ours
    for measure, (theirs, scale) in totals.items():
        if not measure.endswith("_threshold"):
            ours = scores[measure] * scale
            yield measure, theirs, theirs if math.isclose(ours, theirs, rel_tol=1e-12) else ours


def _has_words(text: str) -> bool:
    """Whether a text has words after SQuAD's normalisation."""
    kept = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return any(map(str.isalnum, re.sub(r"\b(a|an|the)\b", " ", kept)))


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


PROGRAMS: dict[str, tuple[str, Callable[[Path, Random, int], Pairs]]] = {
    "trec_eval": ("trec_eval", trec_eval),
    "bioasq": ("BioASQEvaluation.jar", bioasq),
}


def compared(name: str, programs: Path, rows: int, seed: int) -> Pairs | None:
    """The numbers of a preset or program; None if the folder does not have the program."""
    if name not in PROGRAMS:
        golden = all_goldens()[name]
        program = load_program(programs, golden.program)
        return None if program is None else preset_pairs(name, golden, program, rows, seed)
    file, function = PROGRAMS[name]
    path = next((path for path in sorted(programs.rglob(file)) if path.is_file()), None)
    return None if path is None else function(path, Random(f"{name} {seed}"), rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; its exit status is 1 if numbers differ."""
    names = [*all_goldens(), *PROGRAMS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, required=True, help="the folder of the programs")
    parser.add_argument("--rows", type=int, default=2000, help="rows for each (2000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"some of {', '.join(names)}")
    args = parser.parse_args(arguments)
    differs = False
    for name in args.only or names:
        pairs = compared(name, args.programs, args.rows, args.seed)
        if pairs is None:
            print(f"{name}: its program is not here, skipped")
            continue
        listed = list(pairs)
        unequal = [(where, theirs, ours) for where, theirs, ours in listed if theirs != ours]
        print(f"{name}: {len(listed):,} numbers, {len(unequal):,} differ", flush=True)
        for where, theirs, ours in unequal[:5]:
            print(f"    {where}: {theirs!r}, here {ours!r}")
        differs = differs or bool(unequal)
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
