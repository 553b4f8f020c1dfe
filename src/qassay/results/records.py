"""Values, rankings, differences and remarks of the result document as plain data, in its scale of rates."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.scores import Scores
from ..stats.cautions import CAUTIONS
from ..stats.difference import ComparisonSettings, Difference
from ..stats.ranking import RankedSystem, Ranking
from ..stats.remarks import Remark
from ..stats.values import Cell, Cells
from .plain_data import finite

# Fields that are attributes of the same name.
_OF_RANKING = ("measure", "n", "n_groups", "confidence", "is_rate", "lower_is_better", "left_out", "test")
_OF_DIFFERENCE = (
    "measure", "first", "second", "n", "left_out", "test", "ranked", "better", "equal", "worse", "effect_size", "n_needed", "n_groups", "groups_needed",
)  # fmt: skip


def cell_record(cell: Cell, scale: int) -> dict[str, Any]:
    """A value with its interval."""
    factor = scale if cell.is_rate else 1
    low, high = (None, None) if cell.interval is None else (finite(end, factor) for end in cell.interval)
    groups = {"n_groups": cell.n_groups, "effective_groups": finite(cell.effective_groups)}
    return {
        "value": finite(cell.value, factor),
        "n": cell.n,
        "low": low,
        "high": high,
        "method": cell.method,
        "few": bool(cell.is_few),
        **({} if cell.n_groups is None else groups),
    }


def value_records(cells: Mapping[str, Cells], scale: int) -> dict[str, dict[str, Any]]:
    """System -> measure -> its value with its interval."""
    return {system: {name: cell_record(cell, scale) for name, cell in of.items()} for system, of in cells.items()}


def ranked_cell(row: RankedSystem, ranking: Ranking) -> Cell:
    """The value of a ranked system."""
    return Cell(row.value, row.interval, ranking.n, ranking.is_rate, ranking.n_groups)


def ranking_record(ranking: Ranking, scale: int) -> dict[str, Any]:
    """A ranking."""
    tied = {system.system for system in ranking.tied_with_best}
    rows = []
    for row in ranking.systems:
        cell = cell_record(ranked_cell(row, ranking), scale)
        rows.append(
            {
                "system": row.system,
                **{name: cell[name] for name in ("value", "low", "high", "method", "few")},
                "rank": row.rank,
                "rank_interval": list(row.rank_interval),
                "letters": row.letters,
                "best_share": finite(row.best_share),
                "tied_with_best": row.system in tied,
            }
        )
    return {
        **{name: getattr(ranking, name) for name in _OF_RANKING},
        "cautions": list(ranking.cautions),
        "systems": rows,
        "p_values": [[finite(p) for p in row] for row in ranking.p_values.tolist()],
    }


def difference_record(one: Difference, settings: ComparisonSettings, scale: int) -> dict[str, Any]:
    """A difference."""
    rounds, intervals = settings.n_permutations, settings.intervals
    least = one.p_corrected * (rounds + 1) < 1 + 1e-9 if one.ranked else one.is_least(rounds, intervals.n_resamples)
    factor = scale if one.is_rate else 1
    low, high = (finite(end, factor) for end in one.interval)
    return {
        **{name: getattr(one, name) for name in _OF_DIFFERENCE},
        "values": [finite(value, factor) for value in one.values],
        "intervals": [[finite(end, factor) for end in ends] for ends in one.intervals],
        "difference": finite(one.difference, factor),
        "low": low,
        "high": high,
        "method": one.interval.method,
        "p_value": finite(one.p_value),
        "p_corrected": finite(one.p_corrected),
        "at_most": bool(least),
        "significant": bool(one.is_significant(intervals.confidence)),
        "cautions": list(one.cautions),
        "few": bool(one.is_few),
    }


def remark(
    line: str,
    metric: str | None = None,
    systems: Mapping[str, Scores] = {},
    indices: Mapping[str, np.ndarray] = {},
) -> dict[str, Any]:
    """A remark: a "check" of the data of a system, a "caution" about numbers, or a "note".

    Args:
        line: the sentence; a `Remark` has the system, the slice and the count.
        metric: that it is about.
        systems: whose subsets have the examples that it counts.
        indices: system -> the example index of each row of its scores, -1 for an example that is not in the document.
    """
    about = line if isinstance(line, Remark) else Remark(line)
    examples = None
    if about.system is not None and about.code in systems[about.system].subsets:
        of_rows = indices[about.system][systems[about.system].subsets[about.code]]
        examples = of_rows[of_rows >= 0].tolist()
    return {
        "id": about.code or "note",
        "kind": "check" if about.system is not None else "caution" if about.code in CAUTIONS else "note",
        "text": str(line),
        "metric": metric,
        "system": about.system,
        "slice": about.of_slice,
        "count": about.size,
        "examples": examples,
    }
