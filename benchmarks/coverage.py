"""Coverage of every interval, type I error and power of every paired test, by simulation.

Examples are simulated, the metrics score them (coverage_data.py), and samples of these examples, or of groups of them, go to
`Scores.interval` and `qassay.compare`. Coverage is the share of samples whose interval contains the value of all examples; it should be
--confidence. The coverage of shares is exact: it sums over every number of right answers. Tables of tests have the share of samples in
which two equal systems are called different (type I error, 1 - level if the test holds), and in which a better system is found (power).
The line below a table has the standard error of the simulation. The table of the gate (`qassay check`) has the share of samples in which a
new system passes, the table sums the coverage of the intervals of keep="sums", and coverage_pairs.py describes pairs, skew, held_out and
power (docs/error_bars_simulations.md, docs/repeated_runs.md, docs/check.md).
"""

import argparse
import dataclasses
import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from scipy.stats import binom

import qassay
from qassay.cluster import PartialSums, sums
from qassay.core.interval_settings import INTERVAL_METHODS, Intervals
from qassay.stats.margin import judge_margins
from qassay.stats.paired_tests import REPLACED_BY

from .coverage_data import KINDS, Population, population
from .coverage_pairs import Run, held_out_table, pairs_table, percent, power_table, skew_table
from .coverage_ranks import rank_cells, rank_results
from .measure import Table

SHARES = np.arange(2, 99) / 100
MEANS = ("f1 .6", "f1 .9", "f1 .97", "sas", "rr", "ndcg", "reader", "micro", "macro", "skewed", "seldom", "ap")
COMPARED = ("share .8", "share .95", "f1 .6", "f1 .9", "macro")
COMPARED_GROUPS = "f1 .6"
CORRELATIONS = (0.0, 0.3, 0.9)  # of the examples of a group
TESTS = ("permutation", "bootstrap", "t", "wilcoxon", "mcnemar")
PERMUTATIONS = 1000
PERCENTILES_OF = 4
GATED_GROUPS = ("share .8", "f1 .6")
FAR = 1.5  # margins; a system that is worse by so many should almost never pass
RANK_HEAD = [
    *("measure", "truth", "systems", "n", "any false", "a pair"),
    *("ranks hold", "of the worst", "width", "best", "too sure"),
]
RUN_SIZES = (50, 200)
N_RUNS = (2, 3, 5, 10)
RUN_DEVIATIONS = (0.0, 0.2, 0.5)  # standard deviation of the log-odds of a right answer, over runs
QUESTION_DEVIATION = 1.5  # standard deviation of the log-odds over questions


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--samples", type=int, default=300, help="how many samples are drawn for each number")
    parser.add_argument("--sizes", type=int, nargs="+", default=[20, 50, 200, 2000], help="examples of a sample")
    parser.add_argument("--groups", type=int, nargs="+", default=[10, 35, 100], help="groups of a sample")
    parser.add_argument("--gate-sizes", type=int, nargs="+", default=[20, 50, 200, 1000], help="examples for the gate")
    parser.add_argument("--confidence", type=float, default=0.95)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count())


def run(args: argparse.Namespace) -> Iterator[Table]:
    with ProcessPoolExecutor(args.workers) as pool:
        for name in args.tables:
            yield TABLES[name](args, pool.map if args.workers > 1 else map)


class Cell(NamedTuple):
    """One number of a table: a population, the size of a sample and the number of samples."""

    kind: str
    n: int
    samples: int
    level: float
    seed: int
    icc: float | None = None
    uneven: bool = False

    @property
    def population(self) -> Population:
        return _population(self.kind, self.icc, self.uneven)

    def draws(self, *systems: str) -> Iterable[dict[str, Any]]:
        """The samples, each as system -> Scores."""
        rng = np.random.default_rng((self.seed, self.n, list(KINDS).index(self.kind)))
        return (self.population.draw(rng, self.n, systems) for _ in range(self.samples))


@lru_cache(maxsize=2)  # the cells of a population are consecutive
def _population(kind: str, icc: float | None, uneven: bool) -> Population:
    return population(KINDS[kind], icc, uneven)


# --- simulated --------------------------------------------------------------------------------------------------------


def share_coverage(n: int, level: float, method: str) -> np.ndarray:
    """The exact coverage of the interval of a share of n examples for each of SHARES."""
    right = np.arange(n + 1)
    examples = qassay.score("answer_match", ["yes"] * n + ["no"] * n, [["yes"]] * 2 * n)
    examples = dataclasses.replace(examples, measures={"exact_match": examples.measures["exact_match"]})
    ends = np.array(
        [
            examples.take(np.arange(n - k, 2 * n - k)).interval(confidence=level, method=method)["exact_match"]
            for k in right
        ]
    )
    low, high = ends[:, 0, None], ends[:, 1, None]
    holds = (low <= SHARES) & (SHARES <= high)
    return (binom.pmf(right[:, None], n, SHARES) * holds).sum(axis=0)


def mean_coverage(cell: Cell, methods: Sequence[str] = INTERVAL_METHODS) -> dict[str, float]:
    """Interval method -> share of samples whose interval contains the value of the population.

    Only every fourth sample is resampled for percentiles, the slowest method.
    """
    value, measure = cell.population.value("first"), cell.population.measure
    held: dict[str, list[bool]] = {method: [] for method in methods}
    for number, sample in enumerate(cell.draws("first")):
        for method in methods:
            if method != "percentile" or number % PERCENTILES_OF == 0:
                low, high = sample["first"].interval(confidence=cell.level, seed=number, method=method)[measure]
                held[method].append(low - 1e-12 <= value <= high + 1e-12)
    return {method: float(np.mean(of_samples)) for method, of_samples in held.items()}


def difference_coverage(cell: Cell) -> dict[str, float]:
    """Second system -> share of samples whose interval of the difference contains the difference of the population."""
    measure, held = cell.population.measure, {}
    for second in ("like", "better"):
        value = cell.population.value(second) - cell.population.value("first")
        held[second] = 0
        for number, sample in enumerate(cell.draws("first", second)):
            compared = qassay.compare(sample, [measure], confidence=cell.level, n_permutations=1, seed=number)
            low, high = compared.differences[0].interval
            held[second] += low - 1e-12 <= value <= high + 1e-12
    return {second: count / cell.samples for second, count in held.items()}


def run_coverage(n: int, n_runs: int, deviation: float, samples: int, level: float, seed: int) -> tuple[float, float]:
    """The coverage of the interval of a share over runs, and half its mean width.

    The log-odds of a right answer are 0 on average, so the share of all answers of all runs is one half.
    """
    rng = np.random.default_rng((seed, n, n_runs, round(100 * deviation)))
    both = qassay.score("answer_match", ["yes"] * n + ["no"] * n, [["yes"]] * 2 * n)
    both = dataclasses.replace(both, measures={"exact_match": both.measures["exact_match"]})
    one = both.take(np.arange(n))
    ends = []
    for number in range(samples):
        odds = rng.normal(0, QUESTION_DEVIATION, (n, 1)) + rng.normal(0, deviation, (1, n_runs))
        right = rng.random((n, n_runs)) < 1 / (1 + np.exp(-odds))
        runs = qassay.runs([dataclasses.replace(one, columns={"exact_match": of.astype(np.float64)}) for of in right.T])
        ends.append(tuple(runs.interval(confidence=level, seed=number)["exact_match"]))
    low, high = np.array(ends).T
    return float(np.mean((low <= 0.5) & (0.5 <= high))), float(np.mean(high - low)) / 2


def test_results(cell: Cell, tests: Sequence[str] = TESTS) -> dict[str, tuple[float, float]]:
    """Test -> share of samples in which it calls systems different: for equal systems, and for a better system.

    A test is omitted if another test replaced it in a sample; McNemar's test, for example, needs right-or-wrong answers.
    """
    found = {}
    for test in tests:
        alike, better = share_called_different(cell, test, "like"), share_called_different(cell, test, "better")
        if alike is not None and better is not None:
            found[test] = (alike, better)
    return found


def share_called_different(cell: Cell, test: str, second: str) -> float | None:
    """The share of samples in which a test calls a second system different; None if another test replaced it."""
    settings = {"test": test, "confidence": cell.level, "n_permutations": PERMUTATIONS, "n_resamples": 2}
    compared = [
        qassay.compare(sample, [cell.population.measure], **settings, seed=number).differences[0]
        for number, sample in enumerate(cell.draws("first", second))
    ]
    if not all(difference.test.endswith(test) or difference.test in REPLACED_BY for difference in compared):
        return None
    return float(np.mean([difference.is_significant(cell.level) for difference in compared]))


def gate_passes(cell: Cell) -> tuple[float, float, float]:
    """The share of samples in which a new system passes the gate: worse by the margin, by `FAR` margins, and equal.

    The margin is the difference of the systems "better" and "first" in the population.
    """
    measure, value = cell.population.measure, cell.population.value
    margin = value("better") - value("first")
    counts = np.zeros(3, np.int64)
    for sample in cell.draws("first", "better", "like"):
        worse, alike = (
            judge_margins(
                {"old": sample[old], "new": sample[new]}, [(measure, margin)], Intervals(cell.level), common=True
            )[0]
            for old, new in (("better", "first"), ("first", "like"))
        )
        far = dataclasses.replace(worse, margin=margin / FAR)
        counts += [worse.is_not_worse, far.is_not_worse, alike.is_not_worse]
    at_margin, beyond, power = (counts / cell.samples).tolist()
    return at_margin, beyond, power


def sums_coverage(n: int, in_groups: bool, bits: int, samples: int) -> dict[str, float]:
    """Measure -> the coverage of 95 % intervals of 2**bits buckets, with new answers in each sample.

    Answers are drawn from 5,000 scored pairs, whose means are the truth, singly or in groups of 1 to 20 with similar
    scores; names differ in each sample. With fewer buckets than groups, groups share buckets.
    """
    pool = _scored_pairs()
    names, rng = ("exact_match", "f1"), np.random.default_rng(1)
    truth, measures = pool.summary(names), {name: pool.measures[name] for name in names}
    held = dict.fromkeys(names, 0)
    with mock.patch.object(sums, "BUCKET_BITS", bits):
        for number in range(samples):
            rows = rng.integers(0, len(pool), n)
            if in_groups:  # half of the examples of a group have the score of its first example
                group = np.repeat(np.arange(n), rng.integers(1, 21, n))
                rows = np.where(rng.random(len(group)) < 0.5, rows[group], rng.integers(0, len(pool), len(group)))
            columns = {name: pool.columns[name][rows] for name in names}
            ids = range(number * len(rows), number * len(rows) + len(rows))
            drawn = qassay.Scores(ids=ids, columns=columns, measures=measures, options=pool.options)
            if in_groups:
                drawn = drawn.with_groups([f"{number} {of}" for of in group.tolist()])
            for name, (low, high) in PartialSums.of(drawn).interval().items():
                held[name] += low <= truth[name] <= high
    return {name: count / samples for name, count in held.items()}


@lru_cache(maxsize=1)
def _scored_pairs() -> qassay.Scores:
    """5,000 answers of one to four words, 40 % of them right, with one or two gold answers."""
    rng = np.random.default_rng(0)
    words = np.array([f"{a}{b}{c}" for a in "bdfghklmnprst" for b in "aeiou" for c in "lnrst"], object)
    phrases = [" ".join(rng.choice(words, rng.integers(1, 5))) for _ in range(20_000)]
    golds = [[phrases[one] for one in rng.integers(0, len(phrases), 1 + (row % 3 == 0))] for row in range(5000)]
    others = rng.integers(0, len(phrases), len(golds))
    answers = [own[0] if rng.random() < 0.4 else phrases[other] for own, other in zip(golds, others, strict=True)]
    return qassay.score("answer_match", answers, golds)


# --- tables -----------------------------------------------------------------------------------------------------------


def shares_table(args: argparse.Namespace, run: Run) -> Table:
    jobs = [(n, args.confidence, method) for n in args.sizes for method in INTERVAL_METHODS]
    rows = [
        [str(n), method, percent(held.min()), percent(held.max()), percent(held.mean())]
        for (n, _, method), held in zip(jobs, run(share_coverage, *zip(*jobs, strict=True)), strict=True)
    ]
    below = "Exact, for shares of .02, .03, ... .98."
    return Table("", ["n", "method", "least", "most", "mean"], rows, "Shares", below)


def intervals_table(args: argparse.Namespace, run: Run) -> Table:
    rows = [([KINDS[kind].title], [cell_of(args, kind, n) for n in args.sizes]) for kind in MEANS]
    below = f"Default / percentile, the latter for every fourth sample. {error_of(args)}"
    return grid("Intervals", ["measure", *(f"n = {n:,}" for n in args.sizes)], rows, run, mean_coverage, below)


def groups_table(args: argparse.Namespace, run: Run) -> Table:
    rows = [
        (
            [KINDS[kind].title, "uneven" if uneven else "even", f"{icc:g}"],
            [cell_of(args, kind, n, icc, uneven) for n in args.groups],
        )
        for kind in COMPARED
        for uneven in (False, True)
        for icc in CORRELATIONS
    ]
    head = ["measure", "sizes", "correlation", *(f"{n} groups" for n in args.groups)]
    below = (
        "Default / percentile (every fourth sample), both with groups. "
        f"Even: 1 to 10 examples; uneven: 1 to 60. {error_of(args)}"
    )
    return grid("Intervals with groups", head, rows, run, mean_coverage, below)


def differences_table(args: argparse.Namespace, run: Run) -> Table:
    rows = [([KINDS[kind].title], [cell_of(args, kind, n) for n in args.sizes]) for kind in (*COMPARED, "seldom")]
    head = ["measure", *(f"n = {n:,}" for n in args.sizes)]
    below = f"Systems that are alike / a better one. {error_of(args)}"
    return grid("Intervals of differences", head, rows, run, difference_coverage, below)


def grid(
    title: str, head: list[str], rows: list[tuple[list[str], list[Cell]]], run: Run, simulate: Callable, below: str
) -> Table:
    """A row per kind of examples, with a column per size."""
    results = iter(run(simulate, [cell for _, cells in rows for cell in cells]))
    texts = [[*labels, *(" / ".join(map(percent, next(results).values())) for _ in cells)] for labels, cells in rows]
    return Table("", head, texts, title, below)


def cells_and_results(
    args: argparse.Namespace, run: Run, simulate: Callable, sizes: list[int], grouped: Sequence[str]
) -> Iterator[tuple[Cell, str, Any]]:
    """Cells with and without groups, their size in words, and their results."""
    cells = [cell_of(args, kind, n) for kind in COMPARED for n in sizes]
    for kind in grouped:
        cells += [cell_of(args, kind, n, 0.3, uneven) for uneven in (False, True) for n in args.groups]
    for cell, found in zip(cells, run(simulate, cells), strict=True):
        groups = "" if cell.icc is None else f" {'uneven' if cell.uneven else 'even'} groups"
        yield cell, f"{cell.n:,}{groups}", found


def tests_table(args: argparse.Namespace, run: Run) -> Table:
    rows = []
    for cell, n, tests in cells_and_results(args, run, test_results, args.sizes, ["f1 .6"]):
        texts = [" / ".join(map(percent, tests[test])) if test in tests else "–" for test in TESTS]
        rows.append([KINDS[cell.kind].title, n, *texts])
    below = f"Type I error / power; the correlation in groups is 0.3. {error_of(args, is_error=True)}"
    return Table("", ["measure", "n", *TESTS], rows, "Paired tests", below)


def runs_table(args: argparse.Namespace, run: Run) -> Table:
    sizes = [(n, n_runs) for n in RUN_SIZES for n_runs in N_RUNS]
    settings = (args.samples, args.confidence, args.seed)
    jobs = [(n, n_runs, deviation, *settings) for n, n_runs in sizes for deviation in RUN_DEVIATIONS]
    results = iter(run(run_coverage, *zip(*jobs, strict=True)))
    rows = []
    for n, n_runs in sizes:
        cells = [next(results) for _ in RUN_DEVIATIONS]
        rows.append([str(n), str(n_runs), *(f"{percent(held)} (±{100 * width:.0f})" for held, width in cells)])
    head = ["questions", "runs", *(f"{deviation:g}" for deviation in RUN_DEVIATIONS)]
    below = f"In brackets half the mean width in points. {error_of(args)}"
    return Table("", head, rows, "Several runs", below)


def gate_table(args: argparse.Namespace, run: Run) -> Table:
    rows = []
    for cell, n, passes in cells_and_results(args, run, gate_passes, args.gate_sizes, GATED_GROUPS):
        kind = KINDS[cell.kind]
        rows.append([kind.title, n, f"{kind.better - kind.strength:.2g}", *map(percent, passes)])
    error = 100 * math.sqrt((1 - args.confidence) / 2 * (1 + args.confidence) / 2 / args.samples)
    nominal = 50 * (1 - args.confidence)
    below = f"{args.samples:,} samples: the standard error of {nominal:.4g} is {error:.2f}; the correlation in groups is 0.3."
    head = ["measure", "n", "margin", "worse by the margin", f"by {FAR:g} margins", "equally good"]
    return Table("", head, rows, "The gate: how often a new system passes", below)


def ranks_table(args: argparse.Namespace, run: Run) -> Table:
    cells = rank_cells(args.samples, args.confidence, args.seed, args.groups)
    rows = []
    for cell, found in zip(cells, run(rank_results, cells), strict=True):
        pair = "–" if math.isnan(found.pair_wrong) else f"{100 * found.pair_wrong:.2f}"
        ranks = [percent(found.covered), percent(found.least), f"{found.width:.1f}"]
        n = f"{cell.n:,}{' groups' if cell.in_groups else ''}"
        last = [f"{found.best:.2f}", percent(found.sure)]
        rows.append([cell.kind, cell.truth, str(cell.k), n, percent(found.any_wrong), pair, *ranks, *last])
    below = f"{error_of(args)} With 50 systems there are a third as many samples."
    return Table("", RANK_HEAD, rows, "Ranks", below)


def sums_table(args: argparse.Namespace, run: Run) -> Table:
    jobs = [(n, False, 14, args.samples) for n in (500, 5000, 50_000)]
    jobs += [(n, True, bits, args.samples) for n, bits in ((35, 14), (35, 5), (400, 14), (400, 8), (1600, 8))]
    rows = [
        [
            f"{n:,} {'groups' if in_groups else 'examples'}",
            f"{1 << bits:,}",
            *(f"{100 * share:.1f} %" for share in held.values()),
        ]
        for (n, in_groups, bits, _), held in zip(jobs, run(sums_coverage, *zip(*jobs, strict=True)), strict=True)
    ]
    return Table("", ["", "buckets", "exact match", "F1"], rows, 'Intervals of keep="sums"', error_of(args))


TABLES: dict[str, Callable[[argparse.Namespace, Run], Table]] = {
    "shares": shares_table,
    "intervals": intervals_table,
    "groups": groups_table,
    "differences": differences_table,
    "tests": tests_table,
    "pairs": pairs_table,
    "skew": skew_table,
    "held_out": held_out_table,
    "power": power_table,
    "runs": runs_table,
    "gate": gate_table,
    "ranks": ranks_table,
    "sums": sums_table,
}


def cell_of(args: argparse.Namespace, kind: str, n: int, icc: float | None = None, uneven: bool = False) -> Cell:
    return Cell(kind, n, args.samples, args.confidence, args.seed, icc, uneven)


def error_of(args: argparse.Namespace, is_error: bool = False) -> str:
    error = 100 * math.sqrt(args.confidence * (1 - args.confidence) / args.samples)
    nominal = 1 - args.confidence if is_error else args.confidence
    return f"{args.samples:,} samples: the standard error of {100 * nominal:.4g} is {error:.1f}."
