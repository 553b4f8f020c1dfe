"""Many systems on the same examples: how they rank by each measure, in all and in slices."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.align import align_scores, require_comparable
from ..core.scores import Scores
from .ranking import Ranking, rank_systems
from .same_columns import with_same_columns


@dataclasses.dataclass(frozen=True, repr=False)
class Leaderboard:
    """What `qassay.leaderboard` returns.

    Attributes:
        systems: name -> Scores of the examples that all systems have, in one order.
        rankings: measure -> Ranking, over all these examples; systems are sorted by the first measure.
        slices: slice -> label -> measure -> Ranking.
        unmatched: system -> how many of its examples another system lacks; they are left out.
        remarks: what else a reader must know, in words.
        level, n_resamples, seed, interval_method: as they were asked for.
    """

    systems: Mapping[str, Scores]
    rankings: dict[str, Ranking]
    slices: dict[str, dict[str, dict[str, Ranking]]]
    unmatched: dict[str, int]
    remarks: list[str]
    level: float
    n_resamples: int
    seed: int
    interval_method: str = "auto"

    @property
    def names(self) -> list[str]:
        """The systems, the best by the first measure first."""
        return next(iter(self.rankings.values())).names

    @property
    def measures(self) -> list[str]:
        return list(self.rankings)

    def signature(self) -> str:
        """The options of all systems."""
        return next(iter(self.systems.values())).signature()

    def to_dict(self) -> dict[str, Any]:
        """Everything but the scores, as plain numbers, strings, lists and dicts."""
        return {
            "systems": self.names,
            "n": next(iter(self.systems.values())).n_examples,
            "signature": self.signature(),
            **{name: getattr(self, name) for name in ("level", "n_resamples", "seed", "interval_method")},
            "unmatched": dict(self.unmatched),
            "remarks": list(self.remarks),
            "rankings": {name: ranking.to_dict() for name, ranking in self.rankings.items()},
            "slices": {
                name: {
                    label: {measure: ranking.to_dict() for measure, ranking in own.items()}
                    for label, own in labels.items()
                }
                for name, labels in self.slices.items()
            },
        }


def rank_scores(
    systems: Mapping[str, Scores],
    measures: Sequence[str] | None = None,
    by: Any = None,
    *,
    groups: Any = None,
    common: bool = False,
    level: float = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    interval_method: str = "auto",
) -> Leaderboard:
    """Rank systems by their scores of the same examples; arguments as of `qassay.leaderboard`."""
    require_comparable(systems)
    aligned, unmatched = align_scores(systems)
    coded = with_same_columns(aligned)
    first = next(iter(coded.values()))
    names = list(measures or [name for name, measure in first.measures.items() if measure.has_interval])
    settings: dict[str, Any] = {
        "level": level,
        "n_resamples": n_resamples,
        "seed": seed,
        "interval_method": interval_method,
    }
    return Leaderboard(aligned, rank_systems(coded, names, **settings), {}, unmatched, [], **settings)
