"""Systems ranked by a measure: ranks with intervals, systems that cannot be told apart, and how often each is the best."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.intervals import Interval
from ..core.scores import Scores
from .letters import compact_letters


@dataclasses.dataclass(frozen=True)
class RankedSystem:
    """A system in a ranking.

    Attributes:
        value: of the measure, with its interval, over the examples that all systems have.
        rank: 1 for the best; systems of equal value have the same rank, and the next one skips as many.
        rank_interval: the first and the last rank that it may have.
        letters: systems with a common letter cannot be told apart.
        best_share: the share of resamples in which it is the best; several that are best in one share it.
    """

    system: str
    value: float
    interval: Interval
    rank: int
    rank_interval: tuple[int, int]
    letters: str
    best_share: float


@dataclasses.dataclass(frozen=True, eq=False)
class Ranking:
    """Systems by a measure, the best first.

    Attributes:
        n: how many examples the values rest on; n_groups: in how many groups these are, None without groups.
        p_values: of each pair of systems in this order, (k, k), two-sided, corrected for all pairs; NaN on the diagonal.
        level: of intervals, and 1 minus the level of the tests.
        is_rate, lower_is_better: as of a `Difference`.
    """

    measure: str
    systems: tuple[RankedSystem, ...]
    p_values: np.ndarray
    n: int
    level: float
    n_groups: int | None = None
    is_rate: bool = True
    lower_is_better: bool = False

    @property
    def names(self) -> list[str]:
        """The systems, the best first."""
        return [ranked.system for ranked in self.systems]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, strings and lists; a p-value of a system with itself is None."""
        rows = [[None if np.isnan(p) else float(p) for p in row] for row in self.p_values]
        own = {
            name: getattr(self, name) for name in ("measure", "n", "n_groups", "level", "is_rate", "lower_is_better")
        }
        systems = [
            {
                **dataclasses.asdict(ranked),
                "interval": list(ranked.interval),
                "rank_interval": list(ranked.rank_interval),
            }
            for ranked in self.systems
        ]
        return {**own, "systems": systems, "p_values": rows}


def rank_systems(
    systems: Mapping[str, Scores],
    measures: Sequence[str],
    *,
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    interval_method: str = "auto",
) -> dict[str, Ranking]:
    """Measure -> ranking, of systems with the same examples in the same order."""
    drawn = _drawn(systems, measures, n_resamples, seed)
    return {name: _ranking(systems, name, drawn[name], level, n_resamples, seed, interval_method) for name in measures}


def _drawn(
    systems: Mapping[str, Scores], measures: Sequence[str], n_resamples: int, seed: int
) -> dict[str, np.ndarray]:
    """Measure -> its values when the same examples are drawn again from all systems, (n_resamples, k)."""
    first = next(iter(systems.values()))
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(len(first), np.full(len(first), 1 / len(first)), n_resamples).astype(float)
    return {
        name: np.column_stack([own.measures[name].value(own.rows, weights) for own in systems.values()])
        for name in measures
    }


def _ranking(
    systems: Mapping[str, Scores],
    name: str,
    drawn: np.ndarray,
    level: float,
    n_resamples: int,
    seed: int,
    interval_method: str,
) -> Ranking:
    first = next(iter(systems.values()))
    measure = first.measures[name]
    sign = -1.0 if measure.lower_is_better else 1.0
    values = np.array([float(own[name]) for own in systems.values()])
    gaps = sign * (values[:, None] - values)
    gaps_drawn = sign * (drawn[:, :, None] - drawn[:, None, :])
    spreads = np.nan_to_num(gaps_drawn.std(axis=0, ddof=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = np.nan_to_num(abs(gaps) / spreads, posinf=0.0)
        largest = np.nan_to_num(abs(gaps_drawn - gaps) / spreads, posinf=0.0).max(axis=(1, 2))
    p_values = ((largest[:, None, None] >= observed).sum(axis=0) + 1) / (n_resamples + 1)
    np.fill_diagonal(p_values, np.nan)
    differ = p_values < 1 - level
    order = np.argsort(-sign * values, kind="stable")
    letters = compact_letters(differ[np.ix_(order, order)])
    best = sign * drawn == (sign * drawn).max(axis=1, keepdims=True)
    shares = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    names = list(systems)
    ranked = []
    for place, row in enumerate(order.tolist()):
        better, worse = int((differ[row] & (gaps[row] < 0)).sum()), int((differ[row] & (gaps[row] > 0)).sum())
        interval = systems[names[row]].interval(level, n_resamples, seed, [name], interval_method)[name]
        ranked.append(
            RankedSystem(
                names[row],
                float(values[row]),
                interval,
                1 + int((gaps[row] < 0).sum()),
                (1 + better, len(names) - worse),
                letters[place],
                float(shares[row]),
            )
        )
    return Ranking(
        name,
        tuple(ranked),
        p_values[np.ix_(order, order)],
        measure.count(first.rows),
        level,
        None if first.groups is None else len(first.groups.labels),
        measure.is_rate,
        measure.lower_is_better,
    )
