"""Scores one example at a time: a function of a prediction and its gold data, made once for the options of a metric."""

import functools
import inspect
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import NothingToScore
from .options import Options, did_you_mean
from .remarks import collected, public
from .shown import shown

if TYPE_CHECKING:
    from .family import Family
    from .measures import Measure
    from .scores import Scores

_OF_SEVERAL = {"ids", "weights", "groups"}  # columns that have no meaning for one example


class Scorer:
    """A metric with its options as a function of one example: `scorer(prediction, gold) -> {measure: value}`.

    It returns the measures that are means over examples (not their values in subsets, counts, or measures of all
    examples together, such as macro F1), with the names and the exact values of `qassay.score`. Measures that do not
    apply are absent, and so is hamming_loss unless an option lists the classes. Scorers can be pickled if their options
    can.

    Attributes:
        metric: its name.
        options: the frozen options.

    Example:
        >>> import qassay
        >>> one_query = qassay.scorer("retrieval_ranking", measures=["mrr", "p@1"])
        >>> one_query({"d1": 0.2, "d2": 0.7}, {"d1": 1}), one_query.names
        ({'mrr': 0.5, 'p@1': 0.0}, ('mrr', 'p@1'))
    """

    def __init__(self, family: "Family", options: Options):
        self.metric, self.options = family.name, options
        self._family, self._short = family, family.one(options)
        parameters = [] if self._short is None else [*inspect.signature(self._short).parameters]
        self._short_columns = {*parameters[2:]}

    def __call__(self, prediction: Any, gold: Any = None, **columns: Any) -> dict[str, float]:
        """The measures of one example.

        Args:
            prediction, gold: one row of the first two columns of `qassay.score`.
            columns: one row each of further columns, by their names, such as `questions="Who wrote it?"`; None: not given.

        Raises:
            TypeError, ValueError: as `qassay.score` raises for such a row, which it calls row 0; an unknown column; or
                options for which no measure is a mean over examples.
        """
        columns = {name: value for name, value in columns.items() if value is not None} if columns else columns
        found = self._fast(prediction, gold, columns)
        if found is None:
            (found,) = self._by_columns([prediction], [gold], {name: [value] for name, value in columns.items()})
        return found

    def many(self, predictions: Any, golds: Any, **columns: Any) -> list[dict[str, float]]:
        """The measures of several examples, such as the answers of a group, each as from a call.

        Args:
            predictions, golds, columns: lists, arrays or series with one item per example. They are matched by
                position; `qassay.score` matches dicts by id.

        Raises:
            TypeError: a column that is a dict, a set, a text or a whole table. ValueError: columns of different lengths.
                Both: as a call raises, with the number of the row.
        """
        from .columns import check_lengths, to_list  # which need numpy

        more = {name: column for name, column in columns.items() if column is not None}
        given = {"predictions": predictions, "golds": golds, **more}
        lists = {name: to_list(column, name) for name, column in given.items()}
        check_lengths(**lists)
        rows, *others = lists.values()
        if self._short is not None:
            examples = zip(rows, *others, strict=True)
            found = [self._fast(first, gold, dict(zip(more, values, strict=True))) for first, gold, *values in examples]
            if None not in found:
                return found  # type: ignore[return-value]
        return self._by_columns(rows, others[0], dict(zip(more, others[1:], strict=True))) if rows else []

    def _by_columns(
        self, predictions: list[Any], golds: list[Any], columns: Mapping[str, list[Any]]
    ) -> list[dict[str, float]]:
        """The measures of examples, scored by columns; {} for an example that the options omit."""
        try:
            scores = self._scores(predictions, golds, columns)
        except NothingToScore:
            return [{} for _ in predictions]
        if len(predictions) == 1:
            return _values(scores) or [{}]
        if isinstance(scores.ids, range) and len(scores) == len(predictions):
            return _values(scores)
        rows = zip(predictions, golds, *columns.values(), strict=True)  # some are omitted or have ids
        return [self(first, gold, **dict(zip(columns, values, strict=True))) for first, gold, *values in rows]

    def _fast(self, prediction: Any, gold: Any, columns: dict[str, Any]) -> dict[str, float] | None:
        """The measures of one example by the fast path; None if it does not apply or fails."""
        if self._short is None or columns and not columns.keys() <= self._short_columns:
            return None
        try:
            return self._short(prediction, gold, **columns)
        except Exception:  # unusual input or a failing user function: scoring by columns raises the right error
            return None

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """The measures that an example may have."""
        function, _ = self._family.load()
        names: dict[str, None] = {}
        errors: list[Exception] = []
        for columns in self._family.smallest_rows(self.options):
            with collected():  # remarks on these rows are not for the user
                try:
                    names.update(dict.fromkeys(_means(function(**columns, options=self.options))))
                except (TypeError, ValueError) as error:  # rows of other options
                    errors.append(error)
        if not names:
            raise errors[0]
        return tuple(names)

    @property
    def signature(self) -> str:
        """The text of the options, as from `Scores.signature()`."""
        return self.options.signature()

    def __repr__(self) -> str:
        return f"<Scorer {self.signature}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Scorer, (self._family, self.options)

    @public
    def _scores(
        self, predictions: Sequence[Any], golds: Sequence[Any], columns: Mapping[str, Sequence[Any]]
    ) -> "Scores":
        """The scores of rows, by columns."""
        function, _ = self._family.load()
        positional = [
            name for name, column in self._family.columns.items() if column.kind is column.POSITIONAL_OR_KEYWORD
        ]
        first, second, *further = (name for name in positional if name not in _OF_SEVERAL)
        for name in columns:
            if name not in further:
                raise TypeError(
                    f"{self.metric} has no column {name!r} of one example{did_you_mean(name, further)}; its further columns are: "
                    f"{', '.join(further) or 'none'}; options are given to qassay.scorer"
                )
        given = {first: predictions, second: golds}
        if not self._family.requires_gold and all(gold is None for gold in golds):
            del given[second]
        return function(**given, **columns, options=self.options)


def _means(scores: "Scores") -> "dict[str, Measure]":
    """The measures that are means over all examples and do not depend on the classes of other examples."""
    by_classes = scores.options.from_data() is not None
    means = {
        name: measure
        for name, measure in scores.measures.items()
        if measure.is_mean
        and measure.subset is None
        and not (by_classes and measure.recoded_columns(scores.columns, 1))
    }
    if not means:
        raise ValueError(
            f"{scores.options.family} with these options has no measure of one example; qassay.score scores several together"
        )
    return means


def _values(scores: "Scores") -> list[dict[str, float]]:
    """The measures of each example; measures that do not apply are absent."""
    rows = scores.rows
    columns = {name: measure.by_example(rows).tolist() for name, measure in _means(scores).items()}  # type: ignore[union-attr]
    return [
        {name: value for name, value in zip(columns, row, strict=True) if value == value}
        for row in zip(*columns.values(), strict=True)
    ]


def check_measures(names: Iterable[str], available: Iterable[str], metric: str, more: Iterable[str] = ()) -> None:
    """Refuse requested measures that a metric does not have for one example; a ValueError lists those it has.

    Args:
        more: other names that could be meant.
    """
    available = [*available]
    for name in names:
        if name not in available:
            near = did_you_mean(name, (*available, *more))
            raise ValueError(
                f"{metric} has no measure {shown(name)} of one example{near}; available: {', '.join(available)}"
            )
