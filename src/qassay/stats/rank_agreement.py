"""How alike two measures, or a judge and people, rank the same systems: Kendall's tau and the top-weighted tau_ap."""

import dataclasses
from collections.abc import Mapping

import numpy as np

from ..core.bootstrap import resampling_weights
from ..core.groups import Groups
from ..core.interval_settings import Intervals
from ..core.intervals import Interval, percentile_interval


@dataclasses.dataclass(frozen=True)
class RankAgreement:
    """How alike two values of each system rank the systems; a figure is None if it is undefined, as when all values are equal.

    Attributes:
        n_systems: the number of systems.
        tau: Kendall's tau-b; 1 for the same order, -1 for the reverse.
        tau_ap: the AP correlation: of the systems above each system by the second value, the share that is above it by the
            first value too, scaled to -1..1.
        intervals: "tau" and "tau_ap" -> the interval over questions.
    """

    n_systems: int
    tau: float | None
    tau_ap: float | None
    intervals: Mapping[str, Interval]


def kendall_tau(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Kendall's tau-b of s systems by two values, (..., s) each, over the last axis; NaN where all values are equal.

    Example:
        >>> kendall_tau(np.array([0.9, 0.5, 0.1, 0.1]), np.array([0.8, 0.9, 0.2, 0.1])).round(4).tolist()
        0.5477
    """
    signs = [np.sign(values[..., :, None] - values[..., None, :]) for values in (first, second)]
    sizes = [np.count_nonzero(of, axis=(-2, -1)) for of in signs]
    with np.errstate(invalid="ignore"):
        return np.asarray((signs[0] * signs[1]).sum((-2, -1)) / np.sqrt(sizes[0] * np.float64(sizes[1])))


def tau_ap(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The AP correlation of the ranking by `second` with the one by `first`, (..., s) each: errors at the top weigh more.

    Systems with equal values of `second` count as the average over their orders; pairs with equal values of `first` count half.

    Source: Yilmaz, Aslam and Robertson (2008), "A new rank correlation coefficient for information retrieval".

    Example:
        >>> orders = np.array([[3, 4, 2, 1], [4, 3, 1, 2]])  # one error each, at the top and at the end
        >>> tau_ap(np.array([[4, 3, 2, 1]] * 2), orders).round(4).tolist()
        [0.3333, 0.7778]
    """
    n = first.shape[-1]
    apart = [values[..., None, :] - values[..., :, None] for values in (first, second)]
    above = apart[1] > 0
    same_order = (above * (1 + np.sign(apart[0])) / 2).sum(-1)
    before, equal = above.sum(-1), (apart[1] == 0).sum(-1)
    total = np.zeros(first.shape)
    for index in range(n):  # among equal values
        position = before + index
        total += (index < equal) * (position > 0) * (same_order + index / 2) / np.maximum(position, 1)
    return np.asarray(2 * (total / equal).sum(-1) / (n - 1) - 1)


def rank_agreement(
    first: np.ndarray, second: np.ndarray, systems: np.ndarray, groups: Groups, settings: Intervals
) -> RankAgreement:
    """How alike the means of two columns rank systems.

    Args:
        first, second: a value per answer, (n,) each.
        systems: the index of the system of each answer, int64 (n,), from 0 on.
        groups: the answers that are drawn together, such as those to one question.
    """
    n_systems, n_groups = int(systems.max(initial=-1)) + 1, len(groups.labels)
    if n_systems < 2:
        return RankAgreement(n_systems, None, None, {})
    cells = groups.codes * n_systems + systems
    sums = np.column_stack(
        [np.bincount(cells, part, n_groups * n_systems).reshape(n_groups, -1) for part in (None, first, second)]
    )
    taus = {"tau": kendall_tau, "tau_ap": tau_ap}

    def figures(counts: np.ndarray) -> dict[str, np.ndarray]:
        sizes, *totals = np.split(counts @ sums, 3, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            means = [np.round(total / sizes, 12) for total in totals]  # removes effects of the order of sums
        return {name: np.where(np.isnan(np.sum(means, axis=(0, 2))), np.nan, tau(*means)) for name, tau in taus.items()}

    once = {name: float(values[0]) for name, values in figures(np.ones((1, n_groups))).items()}
    drawn = [
        figures(counts)
        for counts in resampling_weights(np.ones(n_groups, np.int64), settings.n_resamples, settings.seed)
    ]
    intervals = {
        name: _interval(np.concatenate([block[name] for block in drawn]), once[name], settings.confidence)
        for name in taus
    }
    defined = {name: None if np.isnan(value) else value for name, value in once.items()}
    return RankAgreement(n_systems, **defined, intervals=intervals)


def _interval(drawn: np.ndarray, value: float, confidence: float) -> Interval:
    """The interval of a rank correlation.

    Chance lowers a rank correlation, and resampling lowers it once more, but by too little: the upper end rises twice as far.
    """
    ends = percentile_interval(drawn, confidence)
    if np.isnan(value) or ends.low is None:
        return Interval(None, None, "none")
    raised = ends.high + 2 * max(0.0, value - float(np.nanmean(drawn)))
    return Interval(min(value, ends.low), max(value, min(1.0, raised)), "raised percentile")
