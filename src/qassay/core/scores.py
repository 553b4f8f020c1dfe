"""Scores: per-example statistics of a metric family, and every number computed from them.

Every number is a measure (see `measures.py`) of these statistics: its value, its interval, its value in a slice, and
its value for joined parts.
"""

import dataclasses
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .columns import is_hashable, is_nan, to_list
from .errors import InputError
from .example_table import arrow_table, example_table, pandas_table
from .gold_fingerprints import GoldFingerprints
from .groups import Groups, require_several_groups, to_groups
from .ids import Positions, first_of_each, values_by_id
from .interval_settings import INTERVAL_METHODS, Intervals, check_confidence
from .intervals import Interval, RunSpread, intervals_of
from .measures import BUCKET_SIZES, Measure, Rows, join_positions
from .options import check_choice, did_you_mean
from .presenting import Shown, presenter
from .ragged import are_equal, join_rows, typed_column
from .safe_names import with_safe_names
from .score_parts import check_joins, sorted_values
from .selective import with_confidences
from .shown import describe, keys_of, shown

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_MOST_LISTED = 100  # measures in a message; each label has several
_NUMBER, _CODE, _MARK = np.dtype(np.float64), np.dtype(np.int64), np.dtype(bool)


@dataclasses.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Scores(Shown):
    """The result of every metric: one row of statistics per example.

    Attributes:
        ids: n unique ids (str or int); a `range` if none were given.
        columns: name -> array, float64 (n,), NaN where the column does not apply to the example; or a `Ragged` of n lists of
            numbers, such as the classes of an example. Other number types are converted; only class numbers, which are
            `coded`, are int64.
        subsets: name -> bool (n,).
        measures: name -> Measure, in the order of `summary()`.
        options: the frozen options that made the columns; their text is the signature.
        notes: counts that belong to no example, such as ids without a gold answer.
        weights: float64 (n,), the weight of each example; None: all weights are 1.
        coded: column -> the values that its integers refer to, such as classes; `per_example()` shows these instead.
        gold: fingerprints of the gold data of each example, with which a comparison checks that systems have the same
            gold data; None: unknown.
        groups: the group of each example, such as its article; intervals and tests draw whole groups. None: examples are
            independent.
        remarks: the remarks on the input, which were also issued as warnings; `==` and the signature do not depend on
            them.

    Example:
        >>> import qassay
        >>> scores = qassay.score("answer_match", ["in France", "Rome"], [["France"], ["Rome", "Roma"]])
        >>> scores.summary(["exact_match", "f1", "total"])
        {'exact_match': 0.5, 'f1': 0.8333333333333333, 'total': 2}
        >>> scores.columns["f1"].tolist()
        [0.6666666666666666, 1.0]
    """

    ids: Sequence[Any]
    columns: Mapping[str, Any]
    subsets: Mapping[str, np.ndarray] = dataclasses.field(default_factory=dict)
    measures: Mapping[str, Measure]
    options: Any  # an instance of the family's class of options
    notes: Mapping[str, int] = dataclasses.field(default_factory=dict)
    weights: np.ndarray | None = None
    coded: Mapping[str, Sequence[Any]] = dataclasses.field(default_factory=dict)
    gold: GoldFingerprints | None = None
    groups: Groups | None = None
    remarks: tuple[str, ...] = ()

    n_runs = 1  # how often a system answered each example; more than 1 in `qassay.Runs`

    def __post_init__(self) -> None:
        if not isinstance(self.ids, range):
            first_of_each(self.ids, "ids", None)
        columns = {
            n: typed_column("column", n, v, _CODE if n in self.coded else _NUMBER) for n, v in self.columns.items()
        }
        object.__setattr__(self, "columns", columns)  # callers cannot modify the scores
        object.__setattr__(self, "subsets", {n: typed_column("subset", n, v, _MARK) for n, v in self.subsets.items()})
        if self.weights is not None:
            object.__setattr__(self, "weights", typed_column("column", "weight", self.weights, _NUMBER))
        n = len(self.ids)
        fields = {"gold": self.gold, "groups": self.groups}
        for kind, values in (("column", self.columns), ("subset", self.subsets), ("field", fields)):
            for name, value in values.items():
                if value is not None and len(value) != n:
                    raise ValueError(f"{kind} {name!r} has {len(value)} rows, but there are {n} ids")
        taken = ["id", "weight", "group", *self.columns, *self.subsets]
        for names, what in ((taken, "columns and subsets"), ([*self.measures, *self.notes], "measures and notes")):
            if len(set(names)) < len(names):
                twice = [name for name, count in Counter(names).items() if count > 1]
                raise ValueError(f"duplicate name {twice[0]!r} among the {what}; rename one of them")

    def with_groups(self, labels: Any) -> "Scores":
        """The same examples with groups, such as the questions about one article; intervals and tests draw whole groups.

        Args:
            labels: one string or number per example, in order; or by id, as a dict or a pandas series indexed by id;
                None: no groups.

        Raises:
            ValueError: a wrong number of labels, an empty label, an id without a label, or a single group. TypeError: a
                label of a wrong type.

        Example:
            >>> import qassay
            >>> scores = qassay.score("answer_match", ["a", "b", "c", "d"], [["a"], ["x"], ["c"], ["d"]])
            >>> scores.with_groups(["Rome", "Rome", "Oslo", "Bern"]).groups.labels
            ('Bern', 'Oslo', 'Rome')
        """
        return dataclasses.replace(self, groups=to_groups(labels, self.ids)).require_several_groups()

    def with_confidences(
        self,
        confidences: Any,
        measure: str | None = None,
        *,
        coverages: Iterable[float] = (0.8,),
        accuracies: Iterable[float] = (0.9,),
    ) -> "Scores":
        """The same scores with measures of selective answering: how good the most confident answers are.

        For exact_match these are `aurc(exact_match)`, the area under the risk-coverage curve (lower is better: the
        mean of the risks of the first 1, 2, ... n answers by falling confidence, Geifman, Uziel and El-Yaniv, 2019),
        `selective(exact_match)@0.8`, the mean over the 80 % of answers with the highest confidence, and
        `coverage(exact_match)@0.9`, the largest share of answers above a threshold of the confidence with a mean of at
        least 0.9. Answers with equal confidence contribute the mean over all their orders. All have intervals and can be
        compared.

        Args:
            confidences: a finite number for each example, higher for more certain answers, in the order of the examples
                or by id; None for a missing prediction, which ranks last. Or "no_answer_probability": 1 minus that
                column of the
                scores.
            measure: the measure of a good answer, a mean over all examples. None: the first measure.
            coverages, accuracies: numbers above 0, up to 1.

        Raises:
            ValueError, TypeError: an example without a number, a measure that is not a mean, a share outside 0 to 1, or
                confidences other than the present ones.

        Example:
            >>> import qassay
            >>> scores = qassay.score("answer_match", ["a", "b", "c", "d"], [["a"], ["x"], ["c"], ["d"]])
            >>> sure = scores.with_confidences([0.9, 0.2, 0.6, 0.5])
            >>> sure.summary(["aurc(exact_match)", "selective(exact_match)@0.8", "coverage(exact_match)@0.9"])
            {'aurc(exact_match)': 0.0625, 'selective(exact_match)@0.8': 0.75, 'coverage(exact_match)@0.9': 0.75}
        """
        scores: Scores = with_confidences(self, confidences, measure, coverages, accuracies)
        return scores

    def only(self, names: Iterable[str] | str) -> "Scores":
        """The same scores with these measures only, in this order.

        Raises:
            ValueError: an unknown measure.

        Example:
            >>> import qassay
            >>> scores = qassay.score("answer_match", ["Rome"], [["Rome"]])
            >>> dict(scores.only(["em", "F1"]))
            {'exact_match': 1.0, 'f1': 1.0}
        """
        return dataclasses.replace(self, measures={name: self.measures[name] for name in self.measure_names(names)})

    def with_remarks(self, remarks: Iterable[str]) -> "Scores":
        """The same scores with further remarks on the input."""
        return dataclasses.replace(self, remarks=(*self.remarks, *remarks))

    def require_several_groups(self) -> "Scores":
        """The scores unchanged; a ValueError if all examples are in one group, because no variance can be estimated."""
        if self.groups is not None:
            labels = self.groups.labels
            require_several_groups(len(labels), len(self), shown(labels[0]) if labels else "")
        return self

    def __repr__(self) -> str:
        shown = list(self.measures)[:3]
        numbers = ", ".join(
            f"{name}={'none' if value is None else f'{value:.4g}'}" for name, value in self.summary(shown).items()
        )
        return f"<Scores of {self.n_examples} examples: {numbers}; {self.signature()}>"

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def are_buckets(self) -> bool:
        """Whether a row is a bucket of examples, as in `PartialSums`."""
        return any(measure.of_buckets for measure in self.measures.values())

    @property
    def rows_are_examples(self) -> bool:
        """Whether a row is one example with one answer, not a bucket or several runs."""
        return not self.are_buckets

    @property
    def n_examples(self) -> int:
        """The number of examples: n, or more if rows are buckets."""
        return int(self.columns[BUCKET_SIZES].sum()) if self.are_buckets else len(self)

    def __getitem__(self, name: str) -> float | int | None:
        """The value of a measure, as in `summary()`: `scores["f1"]`.

        Raises:
            KeyError: unknown measure; the message suggests similar names and lists the valid ones.
        """
        try:
            (value,) = self.summary([name]).values()
        except ValueError as error:
            raise KeyError(str(error)) from None
        return value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Itself as one object: an array of several Scores holds these, not the names of their measures."""
        array = np.empty((), object)
        array[()] = self
        return array

    def __contains__(self, name: object) -> bool:
        """Whether there is a measure with this name."""
        return isinstance(name, str) and name in self.measures

    def keys(self) -> Iterable[str]:
        """The names of the measures, so that `dict(scores)` is their values."""
        return self.measures.keys()

    def __iter__(self) -> Iterator[str]:
        """The names of the measures; `len` is the number of examples."""
        return iter(self.measures)

    def __eq__(self, other: object) -> bool:
        """The same examples, in any order, with the same statistics, measures, options and notes.

        Examples with other gold answers are different, even with the same statistics; unknown gold data are equal to
        any.
        """
        if not isinstance(other, Scores):
            return NotImplemented
        if (
            len(self) != len(other)
            or (self.options, dict(self.measures), dict(self.notes))
            != (other.options, dict(other.measures), dict(other.notes))
            or (self.columns.keys(), self.subsets.keys()) != (other.columns.keys(), other.subsets.keys())
        ):
            return False
        row_of = {identifier: row for row, identifier in enumerate(other.ids)}
        try:
            order = np.array([row_of[identifier] for identifier in self.ids], np.int64)
        except KeyError:
            return False
        mine, others = self.rows, other.rows.take(order)
        if self.gold is not None and other.gold is not None and self.gold.first_other(other.gold.take(order)):
            return False
        if self.groups != (None if other.groups is None else other.groups.take(order)):
            return False
        pairs = [(mine.weights, others.weights), *((mask, others.subsets[name]) for name, mask in mine.subsets.items())]
        pairs += [(column, others.columns[name]) for name, column in mine.columns.items()]
        return all(are_equal(*pair) for pair in pairs)

    __hash__ = None  # type: ignore[assignment]

    @property
    def rows(self) -> Rows:
        """The input of measures: the columns, the subsets and a weight for each example."""
        return Rows(self.columns, self.subsets, np.ones(len(self)) if self.weights is None else self.weights)

    @property
    def about_examples(self) -> dict[str, Any]:
        """The arguments for other Scores of the same examples."""
        return {name: getattr(self, name) for name in ("ids", "options", "weights", "gold", "groups")}

    def signature(self, short: bool = False) -> str:
        """The options that made these numbers, with the version: `answer_match|norm:squad|unit:token|refs:max|v:0.1.0`.

        `qassay.from_signature` reads it back; `short` omits the defaults: `answer_match|v:0.1.0`. The first word is the
        metric: the documentation describes its measures at `measures/METRIC/MEASURE/`.
        """
        return str(self.options.signature(short))

    def summary(self, names: Iterable[str] | None = None, safe_names: bool = False) -> dict[str, float | int | None]:
        """The value of each measure, then the notes: a flat dict of Python floats and ints, and None.

        Args:
            names: only these measures, in this order.
            safe_names: use names from `safe_name`: `ndcg_at_10` for `ndcg@10`.

        A measure that applies to no example, or only to examples of weight 0, is None; the drop-in config "squad_v2" of
        answer_match omits it instead, unless it is named. Counts are 0.
        """
        rows = self.rows
        values = {name: self.measures[name].known_value(rows) for name in self._named(names)}
        values = {**values, **self.notes} if names is None else values
        return with_safe_names(values) if safe_names else values

    def counts(self) -> dict[str, int]:
        """The number of examples behind each measure."""
        rows = self.rows
        return {name: self.measures[name].count(rows) for name in self._named(None)}

    def interval(
        self,
        names: Iterable[str] | None = None,
        *,
        confidence: float = 0.95,
        n_resamples: int = 1000,
        seed: int = 0,
        method: str = "auto",
    ) -> dict[str, Interval]:
        """Confidence intervals of each measure that has one, for other samples of such examples or groups.

        Args:
            names: only these measures.
            confidence: the level of the intervals, between 0 and 1, exclusive.
            n_resamples: the number of bootstrap resamples, for the method "percentile" and for measures that are not
                functions of sums.
            seed: the same seed gives the same interval, regardless of the order of rows.
            method: "auto", which simulations chose for the kind of measure (see `Interval.method`), or "percentile" of
                the bootstrap (Efron and Tibshirani, 1993) for all; refused for several runs.

        Returns:
            Measure -> Interval, a pair (low, high) of floats with its `method`. A measure that applies to no example has
            (None, None).
        """
        return self.intervals_by(Intervals(check_confidence(confidence), method, n_resamples, seed), names)

    def intervals_by(self, settings: Intervals, names: Iterable[str] | None = None) -> dict[str, Interval]:
        """`interval` with its settings as one object."""
        measures = {name: self.measures[name] for name in self._named(names)}
        measures = {name: measure for name, measure in measures.items() if measure.has_interval}
        of_runs = self.spread_of_runs(measures, settings) if settings.method == "auto" else {}
        return intervals_of(measures, self.measures, self.rows, self.groups, settings, of_runs)

    def spread_of_runs(self, measures: Mapping[str, Measure], settings: Intervals) -> Mapping[str, RunSpread]:
        """The variation of each measure between the runs of the system; {} for a single run."""
        return {}

    def result(
        self,
        *,
        per_example: bool = False,
        confidence: float | None = None,
        n_resamples: int = 1000,
        bootstrap_seed: int = 0,
        signature: bool = False,
        counts: bool = False,
        safe_names: bool = False,
        interval_method: str = "auto",
        confidences: Any = None,
    ) -> dict[str, Any]:
        """The result of the evaluate modules: the summary as flat Python numbers, and more on request.

        Args:
            per_example: adds `per_example`, the scores of each example, a dict of lists.
            confidence: adds the ends of intervals at this level, as `<measure>_low` and `<measure>_high`, for measures
                that have intervals.
            n_resamples, bootstrap_seed, interval_method: `n_resamples`, `seed` and `method` of `Scores.interval`.
            signature: adds `signature`, the text of all options that change a number.
            counts: adds `counts`, the number of examples behind each measure, as a dict; a measure without examples is
                None.
            safe_names: names of measures without "@", brackets and "=", which MLflow refuses: `ndcg_at_10`.
            confidences: the confidence of the system in each prediction, by id or in order; adds measures of selective
                answering, such as `aurc(exact_match)`; see `Scores.with_confidences`.
        """
        check_choice("interval_method", interval_method, INTERVAL_METHODS)
        intervals = Intervals(confidence, interval_method, n_resamples, bootstrap_seed)
        requested = {"per_example": per_example, "signature": signature, "counts": counts, "safe_names": safe_names}
        for name, value in requested.items():
            check_choice(name, value, (False, True))
        scores = self if confidences is None else self.with_confidences(confidences)
        result: dict[str, Any] = scores.summary()
        if confidence is not None:
            for name, ends in scores.intervals_by(intervals).items():
                if ends.method != "none":
                    result[f"{name}_low"], result[f"{name}_high"] = ends
        result = with_safe_names(result) if safe_names else result
        if per_example:
            table = scores.per_example().items()
            result["per_example"] = {key: of if isinstance(of, list) else of.tolist() for key, of in table}
        if signature:
            result["signature"] = self.signature()
        if counts:
            result["counts"] = with_safe_names(scores.counts()) if safe_names else scores.counts()
        return result

    def report(self, path: "str | os.PathLike[str]", **settings: Any) -> None:
        """Write a report: .html (self-contained), .md, .tex, .csv or .json, by the extension.

        The page shows values with intervals, slices, kinds of errors and the distribution of examples.

        Args:
            path: of the file.
            settings: by, measures, percent, confidence, n_resamples, seed and method of `qassay.report`.

        Raises:
            ValueError: another extension, or an unknown measure or slice. OSError: the file cannot be written.

        Example:
            >>> import os, qassay, tempfile
            >>> path = os.path.join(tempfile.mkdtemp(), "report.md")
            >>> qassay.score("answer_match", ["in Rome"], [["Rome"]]).report(path, confidence=None)
            >>> print(open(path).read().splitlines()[2])
            | exact_match | 1 | 0.0000 |
        """
        presenter("reports").report(self, path, **settings)

    def plot(self, kind: str | None = None, measures: Sequence[str] | str | None = None, *, label: Any = None) -> Any:
        """A chart that notebooks show and `.save("x.svg")` writes.

        Args:
            kind: "values" (the default: rates with their intervals), or the name of a curve that the result document of
                these scores has: "threshold", "reliability", "precision_recall", "risk_coverage", "over_k",
                "first_rank" or "classes".
            measures: the measures to draw; None: the usual measures. Other charts than "values" draw the first.
            label: the class of a precision-recall curve; None for the first.

        Raises:
            ValueError: a kind that these scores do not have (the message lists the valid kinds), or an unknown measure.
        """
        return presenter("plots").plot_scores(self, kind, measures, label)

    def per_example(self) -> dict[str, Any]:
        """The table of examples: `id`, the columns (lists if they are `coded`), the subsets (bool) and, if given,
        `weight` and `group`; arrays are read-only.
        """
        return example_table(self)

    def to_arrow(self) -> "pa.Table":
        """`per_example()` as a pyarrow.Table, whose types do not depend on the statistics.

        Ids are int64 or string; ids of mixed types, and integers beyond 64 bits, become strings.

        Raises:
            ValueError: an id or a label contains a lone surrogate, which Arrow cannot store.
        """
        return arrow_table(self)

    def to_pandas(self) -> "pd.DataFrame":
        """`per_example()` as a pandas.DataFrame with the ids as its index; an ImportError without pandas."""
        return pandas_table(self)

    def subset(self, which: Any) -> "Scores":
        """The examples of a named subset, or of a boolean mask (n,), also by id as in `by`; the counts of its notes are
        0.
        """
        if isinstance(which, str):
            if which not in self.subsets:
                raise ValueError(
                    f"no subset {shown(which)}{did_you_mean(which, self.subsets)}; available: {', '.join(self.subsets) or 'none'}"
                )
            which = self.subsets[which]
        if isinstance(which, Mapping) or hasattr(which, "index"):
            which = values_by_id(which, self.ids, "the mask")
        mask = _as_array(which, "a mask")
        if mask.dtype != bool or mask.shape != (len(self),):
            raise ValueError(
                f"a mask needs {len(self)} booleans, one per example; got {mask.dtype} of shape {mask.shape}"
            )
        return self._take(np.flatnonzero(mask))

    def by(self, values: Any) -> "Slices":
        """One Scores per distinct value of a column with one value per example, in the order of the values.

        Args:
            values: in the order of the examples; or by id, as a dict or a pandas series indexed by id. NaN counts as
                None.

        Returns:
            Value -> Scores, a dict that prints as a table. The counts of their notes are 0.

        Raises:
            ValueError: a wrong number of values, an id without a value, or a series with an ambiguous index. TypeError:
                a value that cannot be a dict key.
        """
        if isinstance(values, str):
            raise InputError(
                "slices", f"slices must be a column; got the text {shown(values)}", f"give by(table[{values!r}])"
            )
        name = str(getattr(values, "name", None) or "slice")
        values = values_by_id(values, self.ids, "slices")
        if len(values) != len(self):
            raise ValueError(f"slices need one value per example: got {len(values)} values for {len(self)} examples")
        rows_of: dict[Any, list[int]] = {}
        for row, value in enumerate(values):
            if not is_hashable(value):
                raise TypeError(f"slices[{row}] must be a string, a number or None, got {describe(value)}")
            rows_of.setdefault(None if is_nan(value) else value, []).append(row)
        rows = self.rows
        parts = {value: self._take(np.array(rows_of[value]), rows) for value in sorted_values(rows_of)}
        return Slices(parts, self, name, values)

    @staticmethod
    def concat(parts: Iterable["Scores"]) -> "Scores":
        """Join Scores of different examples made with the same options, as from batches, processes or machines.

        Positional ids are renumbered; given ids must be unique.

        Raises:
            ValueError: no parts, different options, measures or columns, or a duplicate id.
        """
        parts = to_list(parts, "parts")
        if not parts:
            raise ValueError("nothing to join: give at least one Scores")
        first: Scores = parts[0]
        for number, part in enumerate(parts):
            if not isinstance(part, Scores):
                raise TypeError(f"part {number} must be a Scores, as qassay.score returns it; got {describe(part)}")
            if part.n_runs > 1:
                raise ValueError(
                    f"part {number} has several runs; join the parts of each run, then put the runs together"
                )
        for number, part in enumerate(parts[1:], 1):
            check_joins(first, part, f"part {number}")
        if all(isinstance(part.ids, range) for part in parts):
            ids: Sequence[Any] = range(sum(map(len, parts)))
        else:
            ids = [identifier for part in parts for identifier in part.ids]
        positions = {measure.position for measure in first.measures.values()}
        has_weights = any(part.weights is not None for part in parts)
        return type(first)(
            ids=ids,
            columns={
                name: (join_positions if name in positions else join_rows)([part.columns[name] for part in parts])
                for name in first.columns
            },
            subsets={name: np.concatenate([part.subsets[name] for part in parts]) for name in first.subsets},
            measures=first.measures,
            options=first.options,
            notes={
                name: sum(p.notes.get(name, 0) for p in parts)
                for name in dict.fromkeys(n for p in parts for n in p.notes)
            },
            weights=np.concatenate([part.rows.weights for part in parts]) if has_weights else None,
            coded=first.coded,
            gold=GoldFingerprints.concat([part.gold for part in parts]),
            groups=None if first.groups is None else Groups.concat([part.groups for part in parts]),
        )

    def _named(self, names: Iterable[str] | None) -> Iterable[str]:
        """Names of measures as a list; None: all, but not empty ones that a summary omits."""
        if names is not None:
            return self.measure_names(names)
        omitted = {name for name, mask in self.subsets.items() if not mask.any()}
        return [name for name, of in self.measures.items() if not (of.omit_empty and of.subset in omitted)]

    def measure_names(self, names: Iterable[str] | str) -> list[str]:
        """The names of measures as in `measures`, each once: "em" is exact_match, and for rankings "P.5,10" is p@5 and
        p@10.

        Raises:
            ValueError: unknown measure (the message says what to write, or lists the valid names). TypeError: not
                names.
        """
        try:
            names = [names] if isinstance(names, str) else list(names)
        except (TypeError, OverflowError, MemoryError):
            raise TypeError(f"names must be a list of names of measures, got {describe(names)}") from None
        found: dict[str, None] = {}
        for name in names:
            known = [name] if not isinstance(name, str) or name in self.measures else self.options.measure_names(name)
            if isinstance(name, str) and not all(one in self.measures for one in known):
                known = [one for one in self.measures if one.lower() == name.lower()][:1] or known
            if any(not is_hashable(one) or one not in self.measures for one in known):
                there = keys_of(self.measures, _MOST_LISTED)
                raise ValueError(
                    f"no measure {shown(name)}{self.options.pointed(name, self.measures)}; available: {there}"
                )
            found.update(dict.fromkeys(known))
        return list(found)

    def take(self, rows: Any) -> "Scores":
        """The examples in these rows, counted from 0, in this order; the counts of its notes are 0."""
        rows = _as_array(rows, "take")
        if rows.ndim != 1 or len(rows) and rows.dtype.kind not in "iu":
            raise ValueError(f"take needs a list of rows, got {rows.dtype} of shape {rows.shape}; subset takes masks")
        wrong = np.flatnonzero((rows < 0) | (rows >= len(self)))
        if len(wrong):
            raise ValueError(f"there is no row {rows[wrong[0]]} among {len(self)} examples; rows count from 0")
        return self._take(rows.astype(np.int64))

    def _take(self, order: np.ndarray, rows: Rows | None = None) -> "Scores":
        rows = (rows or self.rows).take(order)
        taken = (self.ids[row] for row in order)
        ids: Sequence[Any] = Positions(taken) if isinstance(self.ids, (range, Positions)) else list(taken)
        if not ids and len(self) and isinstance(self.ids[0], int):
            ids = range(0)  # which shows that ids are integers
        weights = None if self.weights is None else rows.weights
        return dataclasses.replace(
            self,
            ids=ids,
            columns=rows.columns,
            subsets=rows.subsets,
            notes=dict.fromkeys(self.notes, 0),
            weights=weights,
            gold=None if self.gold is None else self.gold.take(order),
            groups=None if self.groups is None else self.groups.take(order),
        )


def _as_array(values: Any, name: str) -> np.ndarray:
    try:
        return np.asarray(values)
    except Exception:  # noqa: BLE001 - each library has its own errors
        raise TypeError(f"{name} must be a list or an array, got {describe(values)}") from None


class Slices(dict[Any, Scores], Shown):
    """Value -> Scores of the examples with this value, as `Scores.by` returns it; it prints as a table.

    Attributes:
        scores: of all examples.
        name: of the slicing, such as the name of a series.
        labels: one value per example.
    """

    def __init__(self, parts: Mapping[Any, Scores], scores: Scores, name: str, labels: Sequence[Any]):
        super().__init__(parts)
        self.scores, self.name, self.labels = scores, name, labels
