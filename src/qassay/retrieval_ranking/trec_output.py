"""Writes scores of rankings in the layout of trec_eval, for scripts that read its output."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..core.measures import Rows
    from ..core.scores import Scores

_ASIDE = ("total", "missing", "no_relevant", "tied")  # omitted queries, which trec_eval does not count


def trec_eval_text(tag: str, scores: "Scores", names: Sequence[str] | None, per_query: bool) -> str:
    """What `trec_eval` prints: a line `name, topic, value` for each measure, in its names if it has one.

    Args:
        names: the requested measures, which the scores contain; None for the official ones, preceded by the tag of the
            run.
        per_query: print the lines of each query, sorted by id, before the summary.
    """
    from .measure_table import MEASURE_GROUPS

    by_id = _by_id(scores)
    values = _values(scores)
    titles = {name: _trec_name(name) for name in (*values, *scores.coded)}
    lines = []
    if per_query:
        single = {name: column.tolist() for name, column in scores.columns.items() if name in titles}
        for row in by_id:
            for name, column in single.items():
                value = column[row]
                if name in scores.coded:
                    value = f"'{''.join(scores.coded[name][code] for code in value)}'"
                elif isinstance(values[name], int):
                    value = int(value)
                lines.append(_line(titles[name], str(scores.ids[row]), value))
    if names is None or not MEASURE_GROUPS.keys().isdisjoint(names):
        lines.append(f"{'runid':<22}\tall\t{tag}\n")
    lines += [_line(titles[name], "all", value) for name, value in values.items()]
    return "".join(lines)


def _by_id(scores: "Scores") -> list[int]:
    return sorted(range(len(scores)), key=lambda row: str(scores.ids[row]))


def _values(scores: "Scores") -> dict[str, float | int]:
    """The values of all queries, summed in the order of their ids."""
    import numpy as np

    rows = scores.rows.take(np.array(_by_id(scores)))
    return {name: _added_up(measure, rows) for name, measure in scores.measures.items() if name not in _ASIDE}


def _added_up(measure: Any, rows: "Rows") -> float | int:
    """The value of a measure whose sums are added one by one in row order, with the rounding of a C program."""
    import numpy as np

    once = measure.value_once(rows)
    if isinstance(once, int):
        return once
    value = float(measure.value_of([np.cumsum(term)[-1] for term in measure.terms(rows)]))
    return once if math.isnan(value) else value


def _trec_name(name: str) -> str:
    from .measures import parse_measure

    if name.endswith(("_ties_worst", "_ties_best")):  # trec_eval has only one order
        return name
    return parse_measure(name).trec_name or name


def _line(title: str, topic: str, value: float | str) -> str:
    return f"{title:<22}\t{topic}\t{_number(value)}\n"


def _number(value: float | str) -> str:
    return f"{value:6.4f}" if isinstance(value, float) else str(value)
