"""The measures of examples by columns, for tests of `qassay.scorer` and of its fast path for few answers."""

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import qassay

_MOST_OF_SHORT_WAYS = ("qassay.core.matching.SHORT",)  # limits of rows, texts or pairs, above which columns are used


@contextlib.contextmanager
def without_short_ways() -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for place in _MOST_OF_SHORT_WAYS:
            stack.enter_context(patch(place, -1))
        yield


def rows_by_columns(metric: str, options: Any, *sides: Any, **columns: Any) -> list[dict[str, float]]:
    """The means of measures over examples scored one by one; measures that do not apply are absent."""
    with without_short_ways():
        scores = qassay.score(metric, *sides, **columns, **options)
    values = {
        name: measure.by_example(scores.rows).tolist()
        for name, measure in scores.measures.items()
        if measure.is_mean and measure.subset is None
    }
    return [
        {name: column[row] for name, column in values.items() if column[row] == column[row]}
        for row in range(len(scores))
    ]


def by_columns(metric: str, options: Any, *row: Any, **columns: Any) -> dict[str, float]:
    """The measures of one example: a prediction, its gold data, and a value of each further column; None: omitted."""
    further = {name: [value] for name, value in columns.items() if value is not None}
    return rows_by_columns(metric, options, *([value] for value in row), **further)[0]
