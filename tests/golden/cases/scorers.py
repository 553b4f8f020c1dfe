"""qassay.scorer of every metric: one example at a time, several at once, and the columns, which must be equal."""

from collections.abc import Iterator
from typing import Any

from _examples import EXAMPLES

import qassay


def cases() -> Iterator[tuple[str, Any]]:
    for name, (metric, columns, options) in EXAMPLES.items():
        try:
            scorer = qassay.scorer(metric, **options)
            scorer.names
        except ValueError:  # boxes and curves have no measure of one example
            yield name, "none of one example"
            continue
        predictions, golds = rows(columns)
        found = [scorer(*pair) for pair in zip(predictions, golds, strict=True)]
        yield f"{name}/one", by_measure(found)
        yield f"{name}/names", list(scorer.names)
        many = scorer.many(predictions, golds)
        yield f"{name}/many", "as one" if many == found else by_measure(many)
        yield f"{name}/columns", "as one" if agree(found, name) else "not as one"


def rows(columns: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
    """Predictions and gold data by row; a gold column that a metric does not take is None."""
    lists = [list(column.values()) if isinstance(column, dict) else list(column) for column in columns]
    return lists[0], lists[1] if len(lists) > 1 else [None] * len(lists[0])


def by_measure(found: list[dict[str, float]]) -> dict[str, list[float | None]]:
    """Measure -> its value by example; None where it does not apply."""
    names = dict.fromkeys(name for row in found for name in row)
    return {name: [row.get(name) for row in found] for name in names}


def agree(found: list[dict[str, float]], name: str) -> bool:
    """Whether the values of single examples are those of the columns of qassay.score, where it has such a column."""
    metric, columns, options = EXAMPLES[name]
    table = qassay.score(metric, *columns, **options).per_example()
    kept = [row for row in found if row]
    if any(len(table[measure]) != len(kept) for measure in kept[0] if measure in table):
        return False
    return all(
        abs(row[measure] - table[measure][place]) < 1e-12
        for place, row in enumerate(kept)
        for measure in row
        if measure in table
    )
