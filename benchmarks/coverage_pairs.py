"""Tables of `coverage` on the interval and the test of a difference of two systems in small samples.

- pairs: right-or-wrong measures; the exact coverage and mean width over every number of gains and losses, for 121 pairs of their
  shares from .005 to .4, of Tango's interval and of effective Wilson, which other measures have.
- skew and held_out: changes whose mean is 0; how often the interval contains 0, and how often the test finds a difference, without
  and with the corrections for skewness (Hall, 1992) and for a tail that the sample lacks (rule of three), for values from 0 to 1. The limits of the
  corrections (`SKEWED` and `TAIL` of `qassay.stats.spreads`) were chosen by the table skew, `RARE` by the power of samples of 100; held_out has other kinds of changes.
- power: what the corrections cost.
"""

import argparse
import math
from collections.abc import Callable, Iterable, Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
from scipy.special import gammaln

import qassay
from qassay.core.intervals import PER_CARRIER, Spread
from qassay.stats.paired_tests import PairedOutcome
from qassay.stats.spreads import Changes, DifferenceSpread, difference_interval, small_sample_test

from .measure import Table

LEVEL = 0.95
MOST = 200  # examples; larger samples are no small ones
SHARES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4)
DEVIATIONS = (0.05, 0.1, 0.2, 0.35)
DISTANCE = 2.8  # standard errors, which a test finds in 4 of 5 samples
FLIPS = 1000
MEASURE = qassay.score("answer_match", ["yes"], [["yes"]]).measures["f1"]
Run = Callable[..., Iterable[Any]]  # map, in one or several processes
Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]  # changes with the mean 0


def mixed(rng: np.random.Generator, shape: tuple[int, int], share: float, rare: object, usual: object) -> np.ndarray:
    return np.where(rng.random(shape) < share, rare, usual)


def gained_or_lost(gained: float, gain: tuple[float, float], loss: tuple[float, float]) -> Draw:
    """Gains of a share of the examples and losses of as many as cancel them, with these beta distributions."""
    lost = gained * (gain[0] / sum(gain)) / (loss[0] / sum(loss))

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
        at, gains, losses = rng.random(shape), rng.beta(*gain, shape), rng.beta(*loss, shape)
        return np.where(at < gained, gains, np.where(at < gained + lost, -losses, 0.0))

    return draw


def noise_and_losses(deviation: float) -> Draw:
    return lambda rng, shape: mixed(rng, shape, 0.05, -0.9, 0.9 / 19 + rng.normal(0, deviation, shape))


def lognormal_at_most_1(rng: np.random.Generator, shape: tuple[int, int], scale: float = 0.15) -> np.ndarray:
    limit, normal = -math.log(scale), NormalDist()
    mean = scale * math.exp(0.5) * normal.cdf(limit - 1) + 1 - normal.cdf(limit)
    return np.minimum(1, scale * rng.lognormal(0, 1, shape)) - mean


def pareto(rng: np.random.Generator, shape: tuple[int, int], least: float = 0.02, power: float = 1.5) -> np.ndarray:
    share = 1 - least**power
    mean = power / (power - 1) * least**power * (least ** (1 - power) - 1) / share
    return least * (1 - share * rng.random(shape)) ** (-1 / power) - mean


CHOSEN_BY: dict[str, Draw] = {
    "normal, deviation .2": lambda rng, shape: rng.normal(0, 0.2, shape),
    "lognormal, sigma .5": lambda rng, shape: 0.1 * (rng.lognormal(0, 0.5, shape) - math.exp(0.125)),
    "lognormal, sigma 1": lambda rng, shape: 0.05 * (rng.lognormal(0, 1, shape) - math.exp(0.5)),
    "exponential": lambda rng, shape: rng.exponential(0.1, shape) - 0.1,
    "exponential for 30 %": lambda rng, shape: mixed(rng, shape, 0.3, rng.exponential(0.15, shape), 0.0) - 0.045,
    "exponential for 10 %": lambda rng, shape: mixed(rng, shape, 0.1, rng.exponential(0.3, shape), 0.0) - 0.03,
    "F1: .2 gained by 80 %, .8 lost": lambda rng, shape: mixed(rng, shape, 0.2, -0.8, 0.2),
    "F1: 0 to .2 gained by 90 %, .9 lost": lambda rng, shape: mixed(
        rng, shape, 0.1, -0.9, rng.integers(0, 11, shape) / 50
    ),
    "F1: 0 to .08 gained by 95 %, .6 to 1 lost": lambda rng, shape: mixed(
        rng, shape, 0.05, -rng.uniform(0.6, 1, shape), rng.uniform(0, 1.6 / 19, shape)
    ),
    "noise of .04, .9 lost by 5 %": noise_and_losses(0.04),
}
HELD_OUT: dict[str, Draw] = {
    "gamma, shape .5": lambda rng, shape: 0.1 * (rng.gamma(0.5, 1, shape) - 0.5),
    "gamma, shape .25": lambda rng, shape: 0.3 * (rng.gamma(0.25, 1, shape) - 0.25),
    "Weibull, shape .7": lambda rng, shape: 0.15 * (rng.weibull(0.7, shape) - math.gamma(1 + 1 / 0.7)),
    "Pareto from .02 to 1": pareto,
    "lognormal up to 1": lognormal_at_most_1,
    "beta(1, 9)": lambda rng, shape: rng.beta(1, 9, shape) - 0.1,
    "24 % gain beta(2, 6), 6 % lose all": gained_or_lost(0.24, (2, 6), (1e6, 1)),
    "50 % gain beta(2, 14), 8 % lose beta(7, 2)": gained_or_lost(0.5, (2, 14), (7, 2)),
    "90 % gain beta(2, 30), 7 % lose beta(8, 2)": gained_or_lost(0.9, (2, 30), (8, 2)),
    "noise of .02, .9 lost by 5 %": noise_and_losses(0.02),
    "noise of .1, .9 lost by 5 %": noise_and_losses(0.1),
}


def share_ends(gains: np.ndarray, losses: np.ndarray, n: int, is_share: bool) -> tuple[np.ndarray, np.ndarray]:
    """The interval of qassay for each number of gains and losses; is_share False: as if it were not right or wrong."""
    ends = []
    for gained, lost in zip(gains.tolist(), losses.tolist(), strict=True):
        mean = (gained - lost) / n
        changes, counts = np.array([1 - mean, -1 - mean, -mean]), np.array([gained, lost, n - gained - lost])
        spread = spread_of(counts @ changes**2, counts @ changes**4, n)
        whole = Changes(-1.0, 1.0, gained, lost) if is_share else None
        ends.append(
            tuple(difference_interval(MEASURE, mean, DifferenceSpread(spread, n, gained + lost, 0, whole), LEVEL))
        )
    low, high = np.array(ends).T
    return low, high


def spread_of(squares: float, fourths: float, n: int) -> Spread:
    """The spread of a mean of n changes, from the sums of their squared and fourth deviations, as `jackknife_spread`."""
    carriers = squares**2 / fourths if fourths > 0 else math.inf
    return Spread(squares / (n - 1) / n, n, max(1.0, min(n - 1, PER_CARRIER * carriers)))


def pairs_table(args: argparse.Namespace, run: Run) -> Table:
    rows = [row for rows in run(rows_of_shares, sizes_of(args)) for row in rows]
    head = ["n", "interval", "least", "mean", "mean, few differ", "most above", "width", "width, few differ"]
    below = (
        "Exact, per cent. Few differ: gains and losses below .1 in sum. Most above: the largest share of intervals that are "
        "above the true difference, as when a worse system passes `qassay check`."
    )
    return Table("", head, rows, "Differences of shares", below)


def rows_of_shares(n: int) -> list[list[str]]:
    gains, losses = (index.ravel() for index in np.indices((n + 1, n + 1)))
    gains, losses = gains[gains + losses <= n], losses[gains + losses <= n]
    ways = gammaln(n + 1) - gammaln(gains + 1) - gammaln(losses + 1) - gammaln(n - gains - losses + 1)
    each = [(gain, loss) for gain in SHARES for loss in SHARES]
    logs = [np.log([gain, loss, 1 - gain - loss]) for gain, loss in each]
    chances = np.exp([ways + gains * a + losses * b + (n - gains - losses) * c for a, b, c in logs])
    truth = np.array([gain - loss for gain, loss in each])[:, None]
    few = np.array([gain + loss < 0.1 for gain, loss in each])
    rows = []
    for name, is_share in {"Tango": True, "effective Wilson": False}.items():
        low, high = share_ends(gains, losses, n, is_share)
        held = (chances * ((low - 1e-12 <= truth) & (truth <= high + 1e-12))).sum(axis=1)
        above, width = (chances * (low > truth + 1e-12)).sum(axis=1), chances @ (high - low)
        shown = [held.min(), held.mean(), held[few].mean(), above.max(), width.mean(), width[few].mean()]
        rows.append([str(n), name, *map(percent, shown)])
    return rows


def skew_table(args: argparse.Namespace, run: Run) -> Table:
    return changes_table("Skewed changes by which the limits were chosen", CHOSEN_BY, args, run)


def held_out_table(args: argparse.Namespace, run: Run) -> Table:
    return changes_table("Skewed changes held out", HELD_OUT, args, run)


def changes_table(title: str, names: Iterable[str], args: argparse.Namespace, run: Run) -> Table:
    jobs = [(name, n, args.samples, args.seed) for name in names for n in sizes_of(args)]
    found = run(results_of_changes, *zip(*jobs, strict=True))
    rows = [[name, str(n), *map(percent, shares)] for (name, n, *_), shares in zip(jobs, found, strict=True)]
    head = ["changes", "n", "coverage without", "coverage", "type I without", "type I", "by the rule of three"]
    error = 100 * math.sqrt(LEVEL * (1 - LEVEL) / args.samples)
    below = (
        f"{args.samples:,} samples: the standard error of 95 and of 5 is {error:.1f}. By the rule of three: samples that the "
        "permutation test calls different and this rule does not."
    )
    return Table("", head, rows, title, below)


def results_of_changes(name: str, n: int, samples: int, seed: int) -> list[float]:
    draws = CHOSEN_BY if name in CHOSEN_BY else HELD_OUT
    rng = np.random.default_rng((seed, n, list(draws).index(name)))
    return results(draws[name](rng, (samples, n)), rng)


def power_table(args: argparse.Namespace, run: Run) -> Table:
    jobs = [(deviation, n, args.samples, args.seed) for deviation in DEVIATIONS for n in sizes_of(args)]
    rows = [
        [f"{deviation:g}", str(n), f"{DISTANCE * deviation / math.sqrt(n):.3f}", *map(percent, found)]
        for (deviation, n, *_), found in zip(jobs, run(powers, *zip(*jobs, strict=True)), strict=True)
    ]
    below = f"Normal changes whose mean is {DISTANCE} standard errors: how often the test finds it, per cent."
    return Table("", ["deviation", "n", "difference", "power without", "power"], rows, "Power", below)


def powers(deviation: float, n: int, samples: int, seed: int) -> list[float]:
    rng = np.random.default_rng((seed, n, DEVIATIONS.index(deviation)))
    changes = rng.normal(DISTANCE * deviation / math.sqrt(n), deviation, (samples, n))
    return results(np.clip(changes, -1, 1), rng)[2:4]


def sizes_of(args: argparse.Namespace) -> Sequence[int]:
    return [n for n in args.sizes if n <= MOST]


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def results(changes: np.ndarray, rng: np.random.Generator) -> list[float]:
    """The coverage of 0 and the share of p below .05, each without and with the corrections; and of samples whose p is above
    it by the rule of three only.
    """
    n = changes.shape[1]
    signs = rng.integers(0, 2, (FLIPS, n)) * 2.0 - 1
    reached = abs(changes @ signs.T) >= abs(changes.sum(axis=1, keepdims=True)) - 1e-9
    p_values = (reached.sum(axis=1) + 1) / (FLIPS + 1)
    found = np.zeros(5)
    for values, p_value in zip(changes, p_values.tolist(), strict=True):
        mean = float(values.mean())
        deviations = values - mean
        square = float((deviations**2).mean())
        skew = float((deviations**3).mean()) / square**1.5 / math.sqrt(n) if square > 1e-20 else 0.0
        spread = spread_of(square * n, float((deviations**4).sum()), n)
        plain = DifferenceSpread(spread, n, int((values != 0).sum()), skew)
        corrected = plain._replace(changes=Changes.of(values, np.array([0.0]), np.array([1.0]), MEASURE))
        (low, high), (lower, upper) = (difference_interval(MEASURE, mean, one, LEVEL) for one in (plain, corrected))
        tested = small_sample_test(PairedOutcome(p_value, "permutation"), MEASURE, mean, corrected)
        is_found = p_value < 1 - LEVEL, tested.p_value < 1 - LEVEL
        refused = is_found[0] and not is_found[1] and tested.test == "rule of three"
        found += [low <= 0 <= high, lower <= 0 <= upper, *is_found, refused]
    return (found / len(changes)).tolist()
