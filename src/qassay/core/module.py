"""The base class of the `evaluate` scripts: columns and options in, the numbers of a family out.

`evaluate.Metric` sends every row through an Arrow file and checks the type of row 0 only. `QAMetric` keeps the rows in
plain lists and leaves checks to the core.
"""

import inspect
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from textwrap import fill
from typing import Any, ClassVar

import datasets
import evaluate

from .columns import columns_of_frame, have_no_rows
from .family import Family
from .intake import columns_of_batch, joined_batches, read_batch
from .options import Options, documented_entries, keyword_names, option_entries
from .remarks import public  # for private methods: evaluate copies the code of public ones, without what wraps it
from .scores import Scores
from .selective import CONFIDENCES

_BASE_OPTIONS = set(inspect.signature(evaluate.Metric.__init__).parameters) - {"self", "config_name", "kwargs"}
_RESULT_OPTIONS = [*inspect.signature(Scores.result).parameters][1:]
_LOCK = threading.Lock()  # of the rows of all modules: a module with its own lock could not be copied
_LOADING = """\
    >>> import evaluate
    >>> import qassay
    >>> metric = evaluate.load("./metrics/{0}")  # in a clone
    >>> metric = qassay.load("{0}")  # anywhere
"""


class QAMetric(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """Base of the evaluate modules. A module sets the attributes below, and overrides methods where it differs. Its docstring is
    its description, then the sections Returns and Examples, which use `metric`.

    The columns are the arguments of the family's function, arguments without a default are required, and `predictions`
    always; the options are the fields of the family's options, the arguments of `Scores.result`, and `extras`, given at load
    or per call. The core checks rows, and in a single call of `compute` also lengths and columns given as dicts; columns of
    `add` and `add_batch` may differ in length only where rows have ids.

    Nothing is written to disk. Threads may share a module; a `compute` scores the rows added so far.

    Errors: TypeError for names the metric does not know; ValueError for missing columns, columns of different lengths,
    and a `compute` without any rows.

    Attributes:
        family: the metric, whose scoring function and options have the docstrings of the help.
        fields: options -> the columns that the function reads; a module without them overrides `read_batch`.
        urls: addresses of the rules.
        layouts: the features of the columns, which are shown and not checked; of several layouts each.
        extras: options of the module alone, False when not given, each with its help; see `additions`.
        second_names: of columns -> the names that they have in batches.
    """

    family: ClassVar[Family]
    fields: ClassVar[Any]
    urls: ClassVar[tuple[str, ...]]
    layouts: ClassVar[tuple[Mapping[str, Any], ...]]
    extras: ClassVar[Mapping[str, str]] = {}
    second_names: ClassVar[Mapping[str, str]] = {}
    options_class: ClassVar[type[Options]]  # this and the next are of the family
    _columns: ClassVar[list[str]]
    _required: ClassVar[list[str]]
    _option_names: ClassVar[list[str]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "family" in vars(cls):
            function, cls.options_class = cls.family.load()
            columns = cls.family.columns
            cls._columns = [*columns]
            cls._required = [n for n, of in columns.items() if of.default is of.empty or n == "predictions"]
            cls._option_names = [*keyword_names(cls.options_class), *cls.extras, *_RESULT_OPTIONS]
            cls._description, _, results = inspect.cleandoc(cls.__doc__ or "").partition("Returns:")
            cls._help = _usage(cls, function, f"Returns:{results}")
            cls.__doc__ = f"\n{cls._description.strip()}\n{cls._help}"

    def __init__(self, config_name: str | None = None, **kwargs: Any):
        self._batches: list[dict[str, Any]] = []
        if kwargs.get("num_process", 1) != 1:
            raise ValueError(
                f"num_process={kwargs['num_process']} is not supported: gather the rows of all processes, as with "
                "gather_for_metrics of accelerate, and add them in one"
            )
        super().__init__(config_name, **{name: kwargs[name] for name in kwargs if name in _BASE_OPTIONS})
        for name in kwargs:
            if name not in self._option_names and name not in _BASE_OPTIONS:
                raise TypeError(self._unknown(name, self._option_names))
        self._options = {name: kwargs[name] for name in self._option_names if name in kwargs}
        # Invalid options and configs are refused before the user computes the results to score.
        self.options_class.of_config(self.config_name, self._options)

    def _info(self) -> evaluate.MetricInfo:
        features = [datasets.Features(layout) for layout in self.layouts]
        shown, citation = features if len(features) > 1 else features[0], self.family.citation()
        return evaluate.MetricInfo(self._description, citation, shown, self._help, reference_urls=list(self.urls))

    def _build_data_dir(self) -> str:
        return os.path.join(self._data_dir_root, self.name, self.config_name)  # which is never created

    def additions(self, scores: Scores, options: dict[str, Any]) -> dict[str, Any]:
        """What `extras` add to the result. The base adds nothing."""
        return {}

    def read_batch(self, columns: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
        """The columns of a batch, read and checked as far as the options given at load, `options`, allow.

        Raises:
            TypeError, ValueError: no options that `compute` may add could score them.
        """
        return read_batch(self.fields(self.options_class.from_some(options)), columns)

    def __len__(self) -> int:
        return sum(len(next(iter(batch.values()))) for batch in self._batches)

    def compute(
        self, *by_position: Any, predictions: Any = None, references: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Score the given columns and the rows added before, which are then dropped."""
        with _LOCK:
            batches, self._batches = self._batches, []
        columns, options = self._sort_out("compute", by_position, predictions, references, kwargs, self._option_names)
        if batches:
            self._append(batches, self._read_batch(columns, options) if columns else {})
            return self._compute(**joined_batches(batches), **options)
        if not columns:
            raise ValueError(f"nothing to compute: give {', '.join(self._required)}, or add rows first")
        return self._compute(**self._required_columns(columns_of_frame(columns)), **options)

    def add_batch(self, *by_position: Any, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add rows for a later `compute`, the same columns in every batch; a batch with a bad row adds nothing, and a batch
        without rows changes nothing.
        """
        columns, _ = self._sort_out("add_batch", by_position, predictions, references, kwargs, ())
        batch = self._read_batch(columns, self._options)
        with _LOCK:
            self._append(self._batches, batch)

    def add(self, *by_position: Any, prediction: Any = ..., reference: Any = ..., **kwargs: Any) -> None:
        """Add one row for a later `compute`: prediction (None if missing), reference, and other columns by name."""
        row = {"predictions": prediction, "references": reference}
        others = {name: None if value is None else [value] for name, value in kwargs.items()}
        self.add_batch(*by_position, **{name: [value] for name, value in row.items() if value is not ...}, **others)

    def _unknown(self, name: str, names: Iterable[str]) -> str:
        taken = f"columns: {', '.join(self._columns)}; options: {', '.join(self._option_names)}"
        return f"{type(self).__name__} does not take {name!r} here{self.options_class.pointed(name, names)}; {taken}"

    def _sort_out(
        self, method: str, by_position: Any, predictions: Any, references: Any, more: Mapping[str, Any], names: Any
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Split the arguments of a call into columns and options, which override the options of load; a column of None
        is absent.

        Args:
            names: of the options that the method takes.
        """
        if by_position:
            example = f"{method}(predictions=..., references=...)"
            raise TypeError(f"{type(self).__name__}.{method} takes columns by name: {example}")
        for name in more:
            if name not in self._columns and name not in names:
                raise TypeError(self._unknown(name, [*self._columns, *names]))
        given = {"predictions": predictions, "references": references, **more}
        columns = {name: given[name] for name in given if name in self._columns and given[name] is not None}
        for other, name in self.second_names.items():
            if other in columns and name not in columns:
                columns[name] = columns.pop(other)
        return columns, {**self._options, **{name: given[name] for name in names if name in given}}

    def _required_columns(self, columns: dict[str, Any]) -> dict[str, Any]:
        """The columns in the order of the function; a ValueError for missing ones."""
        missing = [name for name in self._required if columns.get(name) is None]
        if missing:
            raise ValueError(f"{', '.join(missing)} missing: {type(self).__name__} needs {', '.join(self._required)}")
        return {name: columns[name] for name in self._columns if columns.get(name) is not None}

    @public
    def _read_batch(self, columns: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
        """The columns of a batch, checked; {} where it has no rows."""
        columns = {n: list(column) if isinstance(column, Iterator) else column for n, column in columns.items()}
        if have_no_rows(columns.values()):
            return {}
        return self.read_batch(self._required_columns(columns_of_frame(columns)), options)

    @staticmethod
    def _append(batches: list[dict[str, Any]], batch: dict[str, Any]) -> None:
        """Add a batch, unless it is empty, to the ones before, which must have the same columns."""
        if not batch:
            return
        before, now = columns_of_batch(batches[0] if batches else batch), columns_of_batch(batch)
        if {*before} != {*now}:
            raise ValueError(
                f"this batch has the columns {', '.join(now)}; the rows added before have {', '.join(before)}"
            )
        batches.append(batch)

    @public
    def _compute(self, **given: Any) -> dict[str, Any]:
        columns, options, shown = (
            {name: given[name] for name in names if name in given}
            for names in (self._columns, keyword_names(self.options_class), _RESULT_OPTIONS)
        )
        scores = self.family.score_config(self.config_name, columns, options).require_several_groups()
        if not isinstance(shown.get(CONFIDENCES), (str, Mapping, type(None))) and not isinstance(scores.ids, range):
            raise ValueError(
                f"{CONFIDENCES} must be given by id, {{id: number}}, because the examples are matched by id"
            )
        return scores.result(**shown) | self.additions(scores, given)


def _usage(script: type[QAMetric], function: Callable[..., Any], results: str) -> str:
    """The help of a script: columns and options from the docstrings of the core, results and examples."""
    columns = [entry for entry in documented_entries(function, "Args") if entry[0] != "options"]
    options = [*option_entries(script.options_class), *script.extras.items()]
    entries = [*columns, *options, *documented_entries(Scores.result, "Args")]
    arguments = "\n".join(
        fill(f"    {names}: {meaning}", 115, subsequent_indent=" " * 8, break_on_hyphens=False)
        for names, meaning in entries
    )
    results, _, examples = results.partition("\n\nExamples:\n")
    return f"\nArgs:\n{arguments}\n\n{results}\n\nExamples:\n{_LOADING.format(script.family.name)}{examples}\n"
