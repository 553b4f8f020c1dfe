"""Values, rankings, differences and remarks of the result document as plain data."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.scores import Scores
from ..stats.difference import ComparisonSettings, Difference
from ..stats.notes import Remark
from ..stats.ranking import RankedSystem, Ranking
from ..stats.values import Cell
from .numbers import finite

_NO_CELL = {"value": None, "n": None, "low": None, "high": None, "method": None, "few": False}
_PAIR = ("measure", "first", "second")


def cell_record(cell: Cell) -> dict[str, Any]:
    """A value with its interval."""
    low, high = (None, None) if cell.interval is None else map(finite, cell.interval)
    groups = {"n_groups": cell.n_groups, "effective_groups": finite(cell.effective_groups)}
    return {
        "value": finite(cell.value),
        "n": cell.n,
        "low": low,
        "high": high,
        "method": cell.method,
        "few": bool(cell.is_few),
        **({} if cell.n_groups is None else groups),
    }


def cell_columns(records: Sequence[Mapping[str, Any] | None]) -> dict[str, list[Any]]:
    """Values by label as columns; None: no value."""
    in_groups = any(record is not None and "n_groups" in record for record in records)
    names = [*_NO_CELL, *(["n_groups"] if in_groups else [])]
    return {name: [(_NO_CELL if record is None else record).get(name) for record in records] for name in names}


def ranked_cell(row: RankedSystem, ranking: Ranking, scale: int) -> dict[str, Any]:
    """The value of a ranked system."""
    factor = scale if ranking.is_rate else 1
    interval = row.interval.times(factor) if factor != 1 else row.interval
    return cell_record(Cell(factor * row.value, interval, ranking.n, ranking.is_rate, ranking.n_groups))


def ranking_record(ranking: Ranking, scale: int = 1) -> dict[str, Any]:
    """A ranking."""
    tied = {system.system for system in ranking.tied_with_best}
    rows = []
    for row in ranking.systems:
        cell = ranked_cell(row, ranking, scale)
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
        "measure": ranking.measure,
        "n": ranking.n,
        "n_groups": ranking.n_groups,
        "confidence": ranking.confidence,
        "is_rate": ranking.is_rate,
        "lower_is_better": ranking.lower_is_better,
        "left_out": ranking.left_out,
        "test": ranking.test,
        "cautions": list(ranking.cautions),
        "systems": rows,
        "p_values": [[finite(p) for p in row] for row in ranking.p_values.tolist()],
    }


def difference_record(one: Difference, settings: ComparisonSettings) -> dict[str, Any]:
    """A difference."""
    rounds, intervals = settings.n_permutations, settings.intervals
    least = one.p_adjusted * (rounds + 1) < 1 + 1e-9 if one.ranked else one.is_least(rounds, intervals.n_resamples)
    low, high = map(finite, one.interval)
    return {
        "measure": one.measure,
        "first": one.first,
        "second": one.second,
        "n": one.n,
        "left_out": one.left_out,
        "values": list(map(finite, one.values)),
        "intervals": [list(map(finite, ends)) for ends in one.intervals],
        "difference": finite(one.difference),
        "low": low,
        "high": high,
        "method": one.interval.method,
        "p": finite(one.p_value),
        "p_corrected": finite(one.p_adjusted),
        "at_most": bool(least),
        "significant": bool(one.is_significant(0.95 if intervals.confidence is None else intervals.confidence)),
        "test": one.test,
        "ranked": one.ranked,
        "better": one.wins,
        "equal": one.ties,
        "worse": one.losses,
        "effect_size": one.effect_size,
        "n_needed": one.n_needed,
        "n_groups": one.n_groups,
        "groups_needed": one.groups_needed,
        "cautions": list(one.cautions),
        "few": bool(one.is_few),
    }


def difference_columns(
    labels: Sequence[str], by_label: Mapping[str, Sequence[Difference]], settings: ComparisonSettings
) -> list[dict[str, Any]]:
    """Differences by label, as columns for each measure and pair of systems."""
    found: dict[tuple[str, str, str], dict[str, dict[str, Any]]] = {}
    for label, differences in by_label.items():
        for one in differences:
            found.setdefault((one.measure, one.first, one.second), {})[label] = difference_record(one, settings)
    columns = []
    for pair, records in found.items():
        of_labels = [records.get(label, {}) for label in labels]
        names = [name for name in next(iter(records.values())) if name not in _PAIR]
        columns.append(
            {**dict(zip(_PAIR, pair, strict=True)), **{name: [one.get(name) for one in of_labels] for name in names}}
        )
    return columns


# --- remarks ----------------------------------------------------------------------------------------------------------


def remark(
    text: str,
    identifier: str,
    kind: str,
    *,
    metric: str | None = None,
    system: str | None = None,
    slicing: str | None = None,
    count: int | None = None,
    examples: list[int] | None = None,
) -> dict[str, Any]:
    """A remark of a kind: a "check" of the data, a "caution" about numbers, or a "note"."""
    return {
        "id": identifier,
        "kind": kind,
        "text": str(text),
        "metric": metric,
        "system": system,
        "slice": slicing,
        "count": count,
        "examples": examples,
    }


def remarks_of(
    lines: Iterable[str], systems: Mapping[str, Scores], places: Mapping[str, np.ndarray], metric: str
) -> Iterator[dict[str, Any]]:
    """Remarks with the ids of what they are about, in the given order.

    Args:
        lines: remarks in words, of which some are `Remark`.
        places: system -> the example index of each of its rows.
    """
    for line in lines:
        about = line if isinstance(line, Remark) else Remark(line)
        system, kind, rows = about.system, "caution" if about.code else "note", None
        if system is not None:
            members = systems[system].subsets.get(about.code)
            kind, rows = "check", None if members is None else places[system][members].tolist()
        yield remark(
            line,
            about.code or "note",
            kind,
            metric=metric,
            system=system,
            slicing=about.of_slice,
            count=about.size,
            examples=rows,
        )


def input_remarks(systems: Mapping[str, Scores], metric: str) -> Iterator[dict[str, Any]]:
    """What the calls that made the scores remarked on their input."""
    for system, scores in systems.items():
        for line in dict.fromkeys(scores.remarks):
            yield remark(line, "input", "check", metric=metric, system=system)
