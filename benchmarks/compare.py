"""Compares qassay.compare with scipy on the same tests and values: CPU time, in one run.

    python benchmarks/compare.py [--data FOLDER] [--questions 11873] [--permutations 10000] [--repeats 3] [--page]

FOLDER holds SQuAD 2.0 dev (dev-v2.0.json) and the answers of two systems (predictions_bert.json,
predictions_bidaf_elmo.json); QASSAY_TEST_DATA is the folder above squad2. Without it the answers are simulated, as many as
`--questions`. With --page, the table comparisons of docs/benchmarks.md is replaced too. Times are CPU seconds of all
threads, medians; the programs alternate, and the first run of each does not count. Every comparison first checks that
p-values and intervals agree within the error of random draws (4.5 standard errors), and that t-tests match to 1e-9.
"""

import argparse
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from page_tables import Shown, add_page_option, check_page_option, in_seconds, put, times_of
from peers import add_squad_option, read_answers, read_squad
from rich.console import Console
from rich.table import Table
from scipy import stats
from timing import conditions, timed

import qassay
from qassay.core.scores import Scores
from qassay.stats.compare import Comparison

MEASURES = ["exact_match", "f1", "precision", "recall"]
RESAMPLES = 1000
AT_ONCE = 100  # draws of scipy per block
ERRORS = 4.5  # standard errors
CONSOLE = Console(width=120)


def main() -> None:
    args = arguments()
    print(conditions(("scipy",)))
    name, systems = squad(args.data) if args.data else ("invented answers", invented(args.questions))
    table = compare_answers(name, systems, args.permutations, args.repeats)
    if args.page:
        put(args.page, "comparisons", table, ("scipy",))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_squad_option(parser, "predictions_*.json of bert and bidaf_elmo")
    parser.add_argument("--questions", type=int, default=11_873, help="how many answers are simulated without --data")
    parser.add_argument("--permutations", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    add_page_option(parser)
    args = parser.parse_args()
    check_page_option(parser, args, "permutations")
    if args.page and args.data is None:
        parser.error("--page holds figures of real answers: give --data")
    if args.data is not None and not (args.data / "dev-v2.0.json").is_file():
        parser.error(f"{args.data} has no dev-v2.0.json; give another --data, or none")
    return args


def squad(data: Path) -> tuple[str, dict[str, Scores]]:
    """SQuAD 2.0 dev with the answers of BERT and of BiDAF with ELMo."""
    questions, _ = read_squad(data)
    golds = {question["id"]: [answer["text"] for answer in question["answers"]] for question in questions}
    answers = {name: read_answers(data, name) for name in ("bert", "bidaf_elmo")}
    return "SQuAD 2.0 dev", {name: qassay.score("answer_match", given, golds) for name, given in answers.items()}


def invented(n: int) -> dict[str, Scores]:
    """Answers of a few letters as words; the second system has slightly more right answers."""
    rng = np.random.default_rng(0)
    letters = np.array(list("bcdefghijk"))
    golds = [" ".join(rng.choice(letters, rng.integers(1, 6), replace=False)) for _ in range(n)]
    systems = {}
    for name, right in (("first", 0.6), ("second", 0.605)):
        answers = [
            gold if rng.random() < right else " ".join(rng.choice(letters, rng.integers(1, 6), replace=False))
            for gold in golds
        ]
        systems[name] = qassay.score("answer_match", answers, [[gold] for gold in golds])
    return systems


def compare_answers(name: str, systems: Mapping[str, Scores], permutations: int, repeats: int) -> Shown:
    """Check and time the comparison of two systems by the means of MEASURES; returns the table of the page."""
    first, second = ([scores.columns[measure] for measure in MEASURES] for scores in systems.values())

    def ours(test: str = "permutation") -> Comparison:
        draws = {"n_permutations": permutations, "n_resamples": RESAMPLES, "method": "percentile"}
        return qassay.compare(systems, MEASURES, test=test, **draws)

    def scipy_permutation() -> list[float]:
        return [
            stats.permutation_test(
                pair,
                lambda a, b, axis: (b - a).mean(axis=axis),
                permutation_type="samples",
                vectorized=True,
                n_resamples=permutations,
                batch=AT_ONCE,
                rng=np.random.default_rng(1),
            ).pvalue
            for pair in zip(first, second, strict=True)
        ]

    def scipy_bootstrap() -> list[tuple[float, float]]:
        found = [
            stats.bootstrap(
                pair,
                lambda a, b, axis: (b - a).mean(axis=axis),
                paired=True,
                vectorized=True,
                method="percentile",
                n_resamples=RESAMPLES,
                batch=AT_ONCE,
                rng=np.random.default_rng(1),
            ).confidence_interval
            for pair in zip(first, second, strict=True)
        ]
        return [(float(interval.low), float(interval.high)) for interval in found]

    mine, peer, both = (
        "qassay.compare: tests and intervals",
        "scipy permutation_test",
        "scipy permutation_test and bootstrap",
    )
    outputs, times = timed({mine: ours, peer: scipy_permutation, "scipy bootstrap, paired": scipy_bootstrap}, repeats)
    differences = outputs[mine].differences
    for one, theirs in zip(differences, outputs[peer], strict=True):
        check_p_values(one.measure, one.p_value, theirs, permutations)
    for one, theirs, a, b in zip(differences, outputs["scipy bootstrap, paired"], first, second, strict=True):
        check_intervals(one.measure, one.interval, theirs, float(np.std(b - a)) / math.sqrt(len(a)))
    for one, a, b in zip(ours("t").differences, first, second, strict=True):
        theirs = stats.ttest_rel(b, a).pvalue
        if not math.isclose(one.p_value, theirs, rel_tol=1e-9):
            raise SystemExit(f"{one.measure}: p of the t-test is {one.p_value!r}, {theirs!r} by scipy")
    times[both] = times[peer] + times["scipy bootstrap, paired"]
    n = len(first[0])
    show(f"{name}: {n:,} questions, {len(MEASURES)} measures, {permutations:,} permutations", mine, times)
    CONSOLE.print("p: " + ", ".join(f"{one.measure} {one.p_value:.2g} ({one.test})" for one in differences))
    one = next(iter(systems.values()))
    alone = timed({"": lambda: one.interval(n_resamples=RESAMPLES, names=MEASURES[:2])}, repeats)[1][""]
    CONSOLE.print(f"{RESAMPLES:,} bootstrap resamples of {' and '.join(MEASURES[:2])}: {alone:.3f} s of CPU")
    rows = [
        [f"intervals of EM and F1 of one system, {RESAMPLES:,} resamples", in_seconds(alone), "", ""],
        [
            f"two systems, {len(MEASURES)} measures, {permutations:,} permutations, all intervals",
            *map(in_seconds, (times[mine], times[both])),
            times_of(times[both] / times[mine]),
        ],
    ]
    head = [f"{name}, {n:,} questions", "qassay", "scipy, `permutation_test` and paired `bootstrap`", ""]
    return Shown("", head, rows)


def check_p_values(measure: str, mine: float, theirs: float, permutations: int) -> None:
    """Stop if two p-values differ by more than draws explain; one of their draws may be the observed difference."""
    p = min(max(mine, theirs, 1 / permutations), 1 - 1 / permutations)
    if abs(mine - theirs) > ERRORS * math.sqrt(2 * p * (1 - p) / permutations) + 1 / permutations:
        raise SystemExit(f"{measure}: p is {mine!r}, {theirs!r} there")


def check_intervals(
    measure: str, mine: tuple[float, float], theirs: tuple[float, float], standard_error: float
) -> None:
    """Stop if the ends of two bootstrap intervals differ by more than draws explain."""
    density = stats.norm.pdf(stats.norm.ppf(0.025))
    allowed = ERRORS * standard_error * math.sqrt(2 * 0.025 * 0.975 / RESAMPLES) / density
    if max(abs(a - b) for a, b in zip(mine, theirs, strict=True)) > allowed:
        raise SystemExit(f"{measure}: the interval is {mine!r}, {theirs!r} there")


def show(title: str, mine: str, times: Mapping[str, float]) -> None:
    table = Table("way", "CPU seconds", "times ours", title=title)
    for way, seconds in times.items():
        table.add_row(way, f"{seconds:.3f}", f"{seconds / times[mine]:.1f}")
    CONSOLE.print(table)


if __name__ == "__main__":
    main()
