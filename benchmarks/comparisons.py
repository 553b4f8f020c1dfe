"""qassay.compare and intervals against scipy's permutation_test and bootstrap, on two systems' answers to SQuAD 2.0 dev.

p-values and intervals must agree within the error of random draws (4.5 standard errors), t-tests to 1e-9.
"""

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import stats

import qassay

from . import inputs
from .measure import Table, in_seconds, timed, times_of

PACKAGES = ("scipy",)
MEASURES = ["exact_match", "f1", "precision", "recall"]
RESAMPLES = 1000
ERRORS = 4.5  # standard errors


def run(args: argparse.Namespace) -> Iterator[Table]:
    squad = inputs.squad(args, ("bert", "bidaf_elmo"))
    systems = {name: qassay.score("answer_match", texts, squad.gold_texts) for name, texts in squad.answers.items()}
    permutations = 10_000 if args.full else 1000
    columns = [[scores.columns[measure] for measure in MEASURES] for scores in systems.values()]
    pairs = list(zip(*columns, strict=True))

    def compared(test: str = "permutation") -> Any:
        draws = {"n_permutations": permutations, "n_resamples": RESAMPLES, "method": "percentile"}
        return qassay.compare(systems, MEASURES, test=test, **draws).differences

    def scipys(function: Callable[..., Any], **options: Any) -> Callable[[], list[Any]]:
        def call() -> list[Any]:
            settings = {"vectorized": True, "batch": 100, "rng": np.random.default_rng(1), **options}
            return [function(pair, lambda a, b, axis: (b - a).mean(axis=axis), **settings) for pair in pairs]

        return call

    calls = {
        "qassay.compare": compared,
        "permutation_test": scipys(stats.permutation_test, permutation_type="samples", n_resamples=permutations),
        "bootstrap": scipys(stats.bootstrap, paired=True, method="percentile", n_resamples=RESAMPLES),
        "one system": lambda: systems["bert"].interval(n_resamples=RESAMPLES, names=MEASURES[:2]),
    }
    found, times = timed(calls, args.repeats)
    rows = zip(
        found["qassay.compare"], compared("t"), found["permutation_test"], found["bootstrap"], pairs, strict=True
    )
    for ours, t, permuted, resampled, (a, b) in rows:
        check_p_value(ours.measure, ours.p_value, permuted.pvalue, permutations)
        check_interval(
            ours.measure, ours.interval, resampled.confidence_interval, float(np.std(b - a)) / math.sqrt(len(a))
        )
        if not math.isclose(t.p_value, stats.ttest_rel(b, a).pvalue, rel_tol=1e-9):
            sys.exit(f"{t.measure}: p of the t-test is {t.p_value!r}, {stats.ttest_rel(b, a).pvalue!r} by scipy")
    both = times["permutation_test"] + times["bootstrap"]
    head = [
        f"SQuAD 2.0 dev, {len(squad.ids):,} questions",
        "qassay",
        "scipy, `permutation_test` and paired `bootstrap`",
        "",
    ]
    title = f"two systems, {len(MEASURES)} measures, {permutations:,} permutations, all intervals"
    ours = times["qassay.compare"]
    yield Table(
        "comparisons",
        head,
        [
            [f"intervals of EM and F1 of one system, {RESAMPLES:,} resamples", in_seconds(times["one system"]), "", ""],
            [title, in_seconds(ours), in_seconds(both), times_of(both / ours)],
        ],
    )


def check_p_value(measure: str, mine: float, theirs: float, permutations: int) -> None:
    """End if two p-values differ by more than draws explain; one of their draws may be the observed difference."""
    p = min(max(mine, theirs, 1 / permutations), 1 - 1 / permutations)
    if abs(mine - theirs) > ERRORS * math.sqrt(2 * p * (1 - p) / permutations) + 1 / permutations:
        sys.exit(f"{measure}: p is {mine!r}, {theirs!r} by scipy")


def check_interval(measure: str, mine: tuple[float, float], theirs: Any, standard_error: float) -> None:
    """End if the bounds of two bootstrap intervals differ by more than draws explain."""
    density = stats.norm.pdf(stats.norm.ppf(0.025))
    allowed = ERRORS * standard_error * math.sqrt(2 * 0.025 * 0.975 / RESAMPLES) / density
    if max(abs(a - b) for a, b in zip(mine, theirs, strict=True)) > allowed:
        sys.exit(f"{measure}: the interval is {mine!r}, {theirs!r} by scipy")
