"""own_scores: numbers per example that another tool made, such as BERTScore, ragas or a judge, as measures."""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..core.columns import check_lengths, is_missing, to_list
from ..core.errors import InputError, about
from ..core.gold_fingerprints import GoldFingerprints
from ..core.intake import WEIGHTS, Cells, numbers
from ..core.measures import Count, Mean, Measure
from ..core.options import Options, option
from ..core.scores import Scores
from ..core.shown import describe, shown

UNSCORED = "unscored"  # the subset of the examples that lack a number


@dataclasses.dataclass(frozen=True)
class OwnOptions(Options):
    """The options of own_scores.

    Attributes:
        lower_is_better: measures of which a lower value is better, such as ("loss", "latency").
        unbounded: measures whose values may be outside 0 to 1. Measures with such a value are added; all others have the
            bounds 0 and 1.
        missing: an example without a value of a measure (None, NaN or an empty cell) is refused ("error"), omitted from
            this measure and counted ("skip"), or scores 0 ("zero"), which is refused where lower is better.
    """

    family: ClassVar[str] = "own_scores"

    lower_is_better: tuple[str, ...] = option((), "lower")
    unbounded: tuple[str, ...] = dataclasses.field(
        default=(), metadata={"key": "unbounded", "advice": "give all of them the same option unbounded"}
    )
    missing: str = option("error", "missing", choices=("error", "skip", "zero"))

    def _settle(self) -> None:
        for name in ("lower_is_better", "unbounded"):
            value = getattr(self, name)
            names = [value] if isinstance(value, str) else value
            if not isinstance(names, (list, tuple, set, frozenset)) or not all(isinstance(of, str) for of in names):
                raise ValueError(f"option {name} must be a list of names of measures; got {describe(value)}")
            self._set(**{name: tuple(sorted(set(names)))})


def score_given(
    measures: Any,
    ids: Any = None,
    weights: Any = None,
    questions: Any = None,
    references: Any = None,
    outside: Any = (),
    *,
    options: OwnOptions | None = None,
) -> Scores:
    """Turn numbers per example, which another tool made, into Scores.

    Args:
        measures: name -> a list of numbers, one for each of n examples, in their order. True and False are 1 and 0.
        ids: n distinct ids; None: examples are matched by their order.
        weights: n weights, finite and at least 0.
        questions, references: n questions and gold answers; systems are compared only where these are the same.
        outside: measures of which another system has a value outside 0 to 1, so that all systems have the same bounds.

    Returns:
        Scores: each measure is the weighted mean of its numbers.

    Raises:
        InputError: columns of different length, a cell that is not a finite number, or a missing one if `missing` is "error".
            ValueError: an option lists an unknown measure.
    """
    options = options or OwnOptions()
    if not isinstance(measures, Mapping) or not measures:
        raise InputError("measures", f"measures must be a dict of columns; got {describe(measures)}")
    given = {name: to_list(column, name) for name, column in measures.items()}
    listed = range(len(next(iter(given.values())))) if ids is None else to_list(ids, "ids")
    check_lengths(ids=listed, **given)
    columns: dict[str, np.ndarray] = {}
    unscored = np.zeros(len(listed), bool)
    for name, column in given.items():
        absent = np.array([is_missing(cell) for cell in column], bool)
        there = Cells([0.0 if is_missing(cell) else cell for cell in column], name, listed)
        if absent.any() and (refusal := _refusal_of_missing(name, options)):
            raise there.refusal(
                int(np.argmax(absent)),
                f"has no value ({absent.sum()} of {len(listed)} have none){refusal[0]}",
                refusal[1],
            )
        with about(name):
            columns[name] = np.where(absent & (options.missing == "skip"), np.nan, numbers(there))
        unscored |= absent
    for name in ("lower_is_better", "unbounded"):
        other = next((one for one in getattr(options, name) if one not in columns), None)
        if other is not None:
            raise ValueError(f"option {name} lists {shown(other)}, but the measures are: {', '.join(columns)}")
    found = [name for name, column in columns.items() if ((column < 0) | (column > 1)).any()]
    options = dataclasses.replace(options, unbounded=(*options.unbounded, *outside, *found))
    made: dict[str, Measure] = {
        name: Mean(name, is_rate=name not in options.unbounded, lower_is_better=name in options.lower_is_better)
        for name in columns
    }
    gold: GoldFingerprints | None = None
    for what, cells in (("questions", questions), ("gold answers", references)):
        if cells is not None:
            part = GoldFingerprints.of_texts(what, [[] if cell is None else [str(cell)] for cell in cells])
            gold = part if gold is None else gold | part
    counts_absent = options.missing != "error"
    if counts_absent and UNSCORED in columns:
        problem = f"{UNSCORED} is the count of examples without a number, so no measure can have this name"
        raise InputError(UNSCORED, problem, "rename the measure")
    return Scores(
        ids=listed,
        columns=columns,
        subsets={UNSCORED: unscored} if counts_absent else {},
        measures={**made, UNSCORED: Count(UNSCORED)} if counts_absent else made,
        options=options,
        weights=None if weights is None else WEIGHTS.kind.check(Cells(to_list(weights, "weights"), "weights", listed)),
        gold=gold,
    )


def _refusal_of_missing(name: str, options: OwnOptions) -> tuple[str, str] | None:
    """The problem and the remedy of a measure that lacks a number; None if the options allow it."""
    if options.missing == "error":
        return "", "missing=skip omits them from this measure and counts them, missing=zero scores 0"
    if options.missing == "zero" and name in options.lower_is_better:
        return ", and 0 would be the best since lower is better", "give missing=skip, or fill in a value"
    return None
