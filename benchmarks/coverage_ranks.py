"""Simulated systems for the rankings of coverage.py: the truth, and how often rankings find it."""

import dataclasses
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

import qassay
from qassay.core.interval_settings import Intervals
from qassay.core.scores import Scores
from qassay.stats.difference import ComparisonSettings
from qassay.stats.ranking import rank_systems
from qassay.stats.runs import with_same_columns

KINDS = ("exact match", "F1", "exact match of 3 runs", "macro precision", "macro recall")
TRUTHS = ("all equal", "two levels", "all different")
SIZES = (20, 50, 200, 1000)
_PARTS = np.array(
    [0.0, 0.4, 0.5, 2 / 3, 0.8]
)  # values of F1 below 1, and the closeness of a wrong answer from which each applies
_PARTS_FROM = np.array([0.0, 0.55, 0.65, 0.75, 0.9])
_ALIKE = 0.6  # correlation of the latent scores of two systems in an example
_ICC = 0.3  # of the examples of a group
_N_RUNS = 3
_OF_RUNS = (0.02, 0.48)  # shares of a system's own variance: of a run, and of an example in a run
_CLASSES = {"a": 0.54, "b": 0.4, "c": 0.06}  # labels of macro averages, and the share of each


class RankCell(NamedTuple):
    """One row of the simulation: kind of measure, truth, number of systems and of examples (or groups)."""

    kind: str
    truth: str
    k: int
    n: int
    in_groups: bool
    samples: int
    level: float
    seed: int
    n_permutations: int = 999


def rank_cells(samples: int, level: float, seed: int, groups: list[int]) -> list[RankCell]:
    """The rows of the table of rankings; rows of 50 systems have a third of the samples."""
    wanted = [("exact match", truth, 3, n) for truth in TRUTHS for n in SIZES]
    wanted += [("exact match", truth, 10, n) for truth in TRUTHS for n in SIZES[:3]]
    wanted += [("exact match", "all equal", 10, 1000)]
    wanted += [("F1", "all equal", k, n) for k in (3, 10) for n in SIZES[:3]]
    wanted += [("exact match", "all equal", 50, n) for n in SIZES[1:3]]
    wanted += [("exact match", truth, 50, 200) for truth in TRUTHS[1:]]
    wanted += [(kind, "all equal", 10, n) for kind in KINDS[2:] for n in SIZES[1:3]]
    wanted += [("macro precision", "two levels", 10, 200)]
    cells = [RankCell(*cell, False, samples if cell[2] < 50 else -(-samples // 3), level, seed) for cell in wanted]
    return cells + [RankCell("F1", "all equal", 10, n, True, samples, level, seed) for n in groups]


class RankResults(NamedTuple):
    """Shares of samples, or of systems in samples.

    Attributes:
        any_wrong: samples in which letters distinguish equal systems, or rank the worse of two systems as better.
        pair_wrong: pairs of equal systems that p-values distinguish.
        covered: systems whose rank interval contains all true ranks.
        least: the same for the system with the lowest share.
        width: the mean number of ranks in an interval.
        best: the mean share of resamples in which the truly best system is the best (the first of equal systems).
        sure: samples in which a system that is not the single best has a best share of 0.95 or more.
    """

    any_wrong: float
    pair_wrong: float
    covered: float
    least: float
    width: float
    best: float
    sure: float


def strengths_of(truth: str, k: int) -> np.ndarray:
    """The probability of a right answer of each system, (k,), best first."""
    if truth == "all equal":
        return np.full(k, 0.6)
    if truth == "two levels":
        return np.repeat([0.7, 0.6], [k - k // 2, k // 2])
    return np.linspace(0.75, 0.55, k)


def rank_results(cell: RankCell) -> RankResults:
    rng = np.random.default_rng((cell.seed, cell.n, cell.k, KINDS.index(cell.kind), TRUTHS.index(cell.truth)))
    strengths = strengths_of(cell.truth, cell.k)
    names = [f"s{place:03d}" for place in range(cell.k)]
    true_first = 1 + (strengths[:, None] < strengths - 1e-12).sum(axis=1)
    true_last = cell.k - (strengths[:, None] > strengths + 1e-12).sum(axis=1)
    equal = abs(strengths[:, None] - strengths) < 1e-12
    any_wrong, pair_wrong, covered, widths, best, sure = [], [], [], [], [], []
    for number in range(cell.samples):
        systems = _sample(rng, cell, strengths, names)
        intervals = Intervals(cell.level, n_resamples=200, seed=number)
        settings = ComparisonSettings(intervals=intervals, n_permutations=cell.n_permutations)
        ranking = rank_systems(systems, ["value"], settings)["value"]
        order = np.array([names.index(name) for name in ranking.names])
        differ = ranking.p_values < 1 - cell.level
        wrong = differ & equal[np.ix_(order, order)]
        turned = differ & np.triu(strengths[order][:, None] < strengths[order])
        any_wrong.append((wrong | turned).any())
        pairs = equal.sum() - cell.k
        pair_wrong.append(wrong.sum() / pairs if pairs else np.nan)
        low, high = np.array([of.rank_interval for of in ranking.systems]).T
        holds = np.empty(cell.k)
        holds[order] = (low <= true_first[order]) & (true_last[order] <= high)
        covered.append(holds)
        widths.append((high - low + 1).mean())
        shares = {of.system: of.best_share for of in ranking.systems}
        best.append(shares[names[0]])
        sure.append(
            max(shares[name] for name, first in zip(names, true_first) if first > 1 or true_last[0] > 1) >= 0.95
        )
    covered = np.mean(covered, axis=0)
    return RankResults(
        *(float(np.mean(of)) for of in (any_wrong, pair_wrong)),
        float(covered.mean()),
        float(covered.min()),
        *(float(np.mean(of)) for of in (widths, best, sure)),
    )


def _sample(rng: np.random.Generator, cell: RankCell, strengths: np.ndarray, names: list[str]) -> dict[str, Scores]:
    sizes = rng.integers(1, 11, cell.n) if cell.in_groups else np.ones(cell.n, np.int64)
    groups, n = np.repeat(np.arange(cell.n), sizes), int(sizes.sum())
    icc = _ICC if cell.in_groups else 0.0

    def noise(width: int) -> np.ndarray:
        of_groups = rng.standard_normal((cell.n, width))[groups]
        return np.sqrt(icc) * of_groups + np.sqrt(1 - icc) * rng.standard_normal((n, width))

    shared = np.sqrt(_ALIKE) * noise(1)
    if cell.kind == "exact match of 3 runs":
        of_run, of_example = _OF_RUNS
        answers = np.sqrt(1 - of_run - of_example) * noise(cell.k)
        runs = [
            answers + np.sqrt(of_run) * rng.standard_normal((1, cell.k)) + np.sqrt(of_example) * noise(cell.k)
            for _ in range(_N_RUNS)
        ]
        rights = [ndtr(shared + np.sqrt(1 - _ALIKE) * own) < strengths for own in runs]
        of_runs = [_with_values(right.astype(np.float64), names) for right in rights]
        return {name: qassay.runs([own[name] for own in of_runs]) for name in names}
    latent = ndtr(shared + np.sqrt(1 - _ALIKE) * noise(cell.k))
    if cell.kind.startswith("macro"):
        return _labelled(rng, latent < strengths, names, cell.kind.replace(" ", "_"))
    values = (latent < strengths).astype(np.float64)
    if cell.kind == "F1":
        missed = np.clip((1 - latent) / (1 - strengths), 0, 1)  # how close wrong answers are
        partial = _PARTS[np.searchsorted(_PARTS_FROM, missed, side="right") - 1]
        values = np.where(values > 0, 1.0, partial)
    systems = _with_values(values, names)
    if cell.in_groups:
        of_all = next(iter(systems.values())).with_groups(groups.tolist()).groups
        systems = {name: dataclasses.replace(own, groups=of_all) for name, own in systems.items()}
    return systems


def _with_values(values: np.ndarray, names: list[str]) -> dict[str, Scores]:
    """Systems whose measure "value" is the mean of their column of values, (n, systems)."""
    n = len(values)
    made = qassay.score("answer_match", ["yes"] * n, [["yes"]] * n)
    measure = dataclasses.replace(made.measures["f1"], column="value")
    plain = dataclasses.replace(made, measures={"value": measure}, subsets={}, notes={}, gold=None)
    return {name: dataclasses.replace(plain, columns={"value": own}) for name, own in zip(names, values.T, strict=True)}


def _labelled(rng: np.random.Generator, right: np.ndarray, names: list[str], measure: str) -> dict[str, Scores]:
    """Systems that label (n, systems) answers with random errors; "value" is the macro average `measure`."""
    classes, shares = np.array(list(_CLASSES)), list(_CLASSES.values())
    true = rng.choice(classes, len(right), p=shares)
    labels = np.where(right, true[:, None], rng.choice(classes, right.shape, p=shares))
    scored = {
        name: qassay.score("label_metrics", own.tolist(), true.tolist())
        for name, own in zip(names, labels.T, strict=True)
    }
    return with_same_columns(
        {name: dataclasses.replace(own, measures={"value": own.measures[measure]}) for name, own in scored.items()}
    )
