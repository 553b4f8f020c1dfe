"""own_scores: numbers per example that another tool made, such as BERTScore, ragas or a judge, as measures."""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ..core.columns import counted, is_missing, is_real, to_list
from ..core.errors import InputError, NoRows, about
from ..core.ids import values_by_id
from ..core.intake import WEIGHTS, Cells, numbers
from ..core.measures import Count, Mean, Measure
from ..core.options import Options
from ..core.scores import Scores
from ..core.shown import describe, shown

UNSCORED = "unscored"  # the subset of the examples that lack a number


@dataclasses.dataclass(frozen=True)
class OwnOptions(Options):
    """The options of own_scores.

    Attributes:
        lower_is_better: measures of which a lower value is better, such as ("loss", "latency").
        unbounded: measures whose values may lie outside 0 to 1. Those with such a value are added, so that a measure has
            the bounds 0 and 1 only if all its values lie between.
        missing: an example without a value of a measure (None, NaN or an empty cell) is refused ("error"), omitted from
            this measure and counted ("skip"), or scores 0 ("zero"), which is refused where lower is better.
    """

    family: ClassVar[str] = "own_scores"
    main_columns: ClassVar[tuple[str, ...]] = ("measures",)

    lower_is_better: tuple[str, ...] = dataclasses.field(default=(), metadata={"key": "lower"})
    unbounded: tuple[str, ...] = dataclasses.field(
        default=(), metadata={"key": "unbounded", "advice": "give all of them the same option unbounded"}
    )
    missing: str = dataclasses.field(default="error", metadata={"key": "missing"})

    def __post_init__(self) -> None:
        self._plain_numbers()
        self._check_choices(("missing", ("error", "skip", "zero")))
        for name in ("lower_is_better", "unbounded"):
            value = getattr(self, name)
            names = [value] if isinstance(value, str) else value
            if not isinstance(names, (list, tuple, set, frozenset)) or not all(isinstance(of, str) for of in names):
                raise ValueError(f"option {name} must be a list of names of measures; got {describe(value)}")
            self._set(**{name: tuple(sorted(set(names)))})


def score_given(
    measures: Any, ids: Any = None, weights: Any = None, groups: Any = None, *, options: OwnOptions | None = None
) -> Scores:
    """Scores of numbers that are already there.

    Args:
        measures: name -> one number for each of n examples, in their order; or id -> number, with `ids` None from the
            first. True and False are 1 and 0. Plain texts and single numbers beside the columns, such as the hashcode of
            BERTScore, are not read.
        ids: n distinct ids; None: examples are matched by their order.
        weights: n weights, finite and at least 0.
        groups: one label per example, as in `Scores.with_groups`.

    Returns:
        Scores: each measure is the weighted mean of its numbers.

    Raises:
        InputError: columns of different length, a cell that is no finite number, a missing one unless `missing` says what it
            counts. ValueError: an option names a measure that is not there.
    """
    options = options or OwnOptions()
    if not isinstance(measures, Mapping):
        raise InputError(
            "measures",
            f'measures must be a dict of columns, such as {{"bertscore": [0.9, 0.8]}}; got {describe(measures)}',
        )
    given = {name: column for name, column in measures.items() if not isinstance(column, (str, int, float, type(None)))}
    if not given:
        by_id = next((f"{shown(name)}: {of}" for name, of in measures.items() if is_real(of)), None)
        form = f'{{"name": {{{by_id}, ...}}}} or {{"name": [one number per example]}}'
        raise InputError(
            "measures",
            "there is no column of numbers",
            'give {"name": [one number per example]}' if by_id is None else f"give {form}",
        )
    first = next(iter(given))
    chosen = ids is not None  # then numbers of other ids are left out
    if ids is None:
        _refuse_measures_by_id(given)
        ids = list(given[first]) if isinstance(given[first], Mapping) else None
    with about(first):
        listed = range(len(to_list(given[first], first))) if ids is None else to_list(ids, "ids")
    n = len(listed)
    if not n:
        raise NoRows("there are no examples; give at least one number for each measure")
    columns: dict[str, np.ndarray] = {}
    unscored = np.zeros(n, bool)
    for name, column in given.items():
        with about(name):
            cells = values_by_id(column, listed, name, others=chosen)
            if len(cells) != n:
                what = f"{n} ids" if ids is not None else f"{n} of {first}"
                raise InputError(name, f"{name} has {len(cells)} numbers for {what}", "give one for each example")
            absent = np.array([is_missing(cell) for cell in cells], bool)
            there = Cells(
                [0.0 if none else cell for cell, none in zip(cells, absent.tolist(), strict=True)], name, listed
            )
            if absent.any() and options.missing == "error":
                n_absent = f"has no value ({absent.sum()} of {n} have none)"
                advice = "missing=skip omits them from this measure and counts them, missing=zero scores 0"
                raise there.refusal(int(np.argmax(absent)), n_absent, advice)
            if absent.any() and options.missing == "zero" and name in options.lower_is_better:
                best = f"has no value ({absent.sum()} of {n} have none), and 0 would be the best since lower is better"
                raise there.refusal(int(np.argmax(absent)), best, "give missing=skip, or fill in a value")
            columns[name] = np.where(absent & (options.missing == "skip"), np.nan, numbers(there))
            unscored |= absent
    for option in ("lower_is_better", "unbounded"):
        other = next((name for name in getattr(options, option) if name not in columns), None)
        if other is not None:
            raise ValueError(f"option {option} names {shown(other)}, but the measures are: {', '.join(columns)}")
    outside = [name for name, column in columns.items() if ((column < 0) | (column > 1)).any()]
    options = dataclasses.replace(options, unbounded=(*options.unbounded, *outside))
    made: dict[str, Measure] = {
        name: Mean(name, is_rate=name not in options.unbounded, lower_is_better=name in options.lower_is_better)
        for name in columns
    }
    counts_absent = options.missing != "error"
    if weights is not None:
        weights = WEIGHTS.kind.check(Cells(values_by_id(weights, listed, "weights"), "weights", listed))
    scores = Scores(
        ids=listed,
        columns=columns,
        subsets={UNSCORED: unscored} if counts_absent else {},
        measures={**made, UNSCORED: Count(UNSCORED)} if counts_absent else made,
        options=options,
        weights=weights,
    )
    return scores if groups is None else scores.with_groups(groups)


def _refuse_measures_by_id(given: Mapping[Any, Any]) -> None:
    """Refuse id -> measure -> number, which has more ids than measures."""
    inner = list(dict.fromkeys(key for of in given.values() if isinstance(of, Mapping) for key in of))
    if all(isinstance(of, Mapping) for of in given.values()) and inner and (len(inner) == 1 or len(given) > len(inner)):
        first, name = next(iter(given)), inner[0]
        raise InputError(
            "measures",
            f"{shown(first)} has {counted(len(inner), 'numbers')}, such as {shown(name)}: this looks like id -> measure -> number",
            f"give measure -> id -> number, {{{shown(name)}: {{{shown(first)}: {given[first].get(name, '...')}, ...}}}}, or ids too",
        )
