"""Values, rankings, differences and remarks of the result document as plain data, in its scale of rates."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.scores import Scores
from ..stats.cautions import CAUTIONS
from ..stats.difference import ComparisonSettings, Difference
from ..stats.notes import Remark
from ..stats.ranking import RankedSystem, Ranking
from ..stats.values import Cell, Cells
from .plain_data import finite

_NO_CELL = {"value": None, "n": None, "low": None, "high": None, "method": None, "few": False}
_PAIR = ("measure", "first", "second")

# Fields that are attributes of the same name.
_OF_RANKING = ("measure", "n", "n_groups", "confidence", "is_rate", "lower_is_better", "left_out", "test")
_OF_DIFFERENCE = (*_PAIR, "n", "left_out", "test", "ranked", "effect_size", "n_needed", "n_groups", "groups_needed")


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


def cell_columns(cells: Sequence[Cells], measures: Iterable[str], scale: int) -> dict[str, dict[str, list[Any]]]:
    """Measure -> columns by label, from the values of each label."""
    found = {}
    for measure in measures:
        records = [cell_record(of[measure], scale) if measure in of else _NO_CELL for of in cells]
        names = [*_NO_CELL, *(["n_groups"] if any("n_groups" in record for record in records) else [])]
        found[measure] = {name: [record.get(name) for record in records] for name in names}
    return found


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
        "better": one.better,
        "equal": one.equal,
        "worse": one.worse,
        "cautions": list(one.cautions),
        "few": bool(one.is_few),
    }


def difference_columns(
    labels: Sequence[str], by_label: Mapping[str, Sequence[Difference]], settings: ComparisonSettings, scale: int
) -> list[dict[str, Any]]:
    """Differences by label, as columns for each measure and pair of systems."""
    found: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}
    for label, differences in by_label.items():
        for one in differences:
            record = difference_record(one, settings, scale)
            found.setdefault(tuple(record.pop(name) for name in _PAIR), {})[label] = record
    return [
        {
            **dict(zip(_PAIR, pair, strict=True)),
            **{name: [records.get(label, {}).get(name) for label in labels] for name in next(iter(records.values()))},
        }
        for pair, records in found.items()
    ]


def remark(
    line: str,
    metric: str | None = None,
    systems: Mapping[str, Scores] = {},
    places: Mapping[str, np.ndarray] = {},
) -> dict[str, Any]:
    """A remark: a "check" of the data of a system, a "caution" about numbers, or a "note".

    Args:
        line: in words; a `Remark` knows what it is about.
        metric: that it is about.
        systems: whose subsets have the examples that it counts.
        places: system -> the example index of each row of its scores, -1 for an example that is not in the document.
    """
    about = line if isinstance(line, Remark) else Remark(line)
    examples = None
    if about.system is not None and about.code in systems[about.system].subsets:
        of_rows = places[about.system][systems[about.system].subsets[about.code]]
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
