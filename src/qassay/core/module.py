"""The base class of the `evaluate` scripts: columns and options in, the numbers of a family out.

`evaluate.Metric` sends every row through an Arrow file and checks the type of row 0 only. `QAMetric` keeps the rows in
plain lists, leaves checks to the core, and writes files only with several processes (`num_process > 1`).
"""

import contextlib
import dataclasses
import inspect
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from textwrap import fill
from typing import Any, ClassVar

import datasets
import evaluate
import numpy as np
from datasets.utils.py_utils import temp_seed
from pyarrow import ArrowInvalid

from .columns import columns_of_frame, have_no_rows
from .family import Family
from .intake import Side, columns_of_batch, joined_batches, read_batch
from .options import Options, documented_entries, keyword_names
from .remarks import public  # for private methods: evaluate copies the code of public ones, without what wraps it
from .scores import Scores
from .selective import CONFIDENCES, by_prediction
from .text import list_normalizers

_BASE_OPTIONS = set(inspect.signature(evaluate.Metric.__init__).parameters) - {"self", "config_name", "kwargs"}
_BLOCK = datasets.Features({"block": datasets.Value("large_string")})
_SEED_LOCK = threading.RLock()  # the generator that `seed` sets is global
_RESULT_OPTIONS = dict([*inspect.signature(Scores.result).parameters.items()][1:])
_LOADING = """\
    >>> import evaluate
    >>> import qassay
    >>> metric = evaluate.load("./metrics/{0}")  # in a clone
    >>> metric = qassay.load("{0}")  # anywhere
"""


def _plain_result(value: Any) -> Any:
    """Convert numpy numbers and arrays to Python numbers and lists, at every level of a result."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, dict):
        return {key: _plain_result(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not set(map(type, value)) <= {float, int, str, bool, type(None)}:
        return [_plain_result(item) for item in value]
    return value


def _as_json(value: Any) -> Any:
    """Rows on their way to another process: a side as a dict, an array or groups as a list."""
    if isinstance(value, Side):
        return value.__getstate__()
    if getattr(value, "ndim", 1) == 2:
        raise TypeError("a matrix cannot go from one process to another: give lists")
    if hasattr(value, "listed") or hasattr(value, "tolist"):
        return value.listed() if hasattr(value, "listed") else value.tolist()
    kind = type(value).__name__
    raise TypeError(f"a {kind} cannot go from one process to another: use strings, numbers, lists, dicts")


def _check_process(num_process: Any, process_id: Any) -> None:
    """Refuse a `process_id` outside `num_process`."""
    for name, value, least in (("num_process", num_process, 1), ("process_id", process_id, 0)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
            raise ValueError(f"{name} must be an integer of at least {least}, got {value!r}")
    if process_id >= num_process:
        raise ValueError(
            f"process_id={process_id} is out of range: the processes of num_process={num_process} are 0 to "
            f"{num_process - 1}, each with a distinct id"
        )


def _signature(script: "type[QAMetric]") -> inspect.Signature:
    """The signature of `_compute`: self, the columns, and the options as keyword-only arguments."""
    plain, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    columns = dict(inspect.signature(script.function).parameters)
    del columns["options"]
    columns["predictions"] = inspect.Parameter("predictions", plain)
    options = {field.name: field.default for field in dataclasses.fields(script.options_class) if field.init}
    options |= dict.fromkeys(script.extras, False)
    options |= {name: parameter.default for name, parameter in _RESULT_OPTIONS.items()}
    return inspect.Signature(
        [inspect.Parameter("self", plain)]
        + [column.replace(kind=plain, annotation=column.empty) for column in columns.values()]
        + [inspect.Parameter(name, named, default=default) for name, default in options.items()]
    )


def _usage(script: "type[QAMetric]", results: str) -> str:
    """The help of a script: columns and options from the docstrings of the core, normalisers, results and examples."""
    columns = [entry for entry in documented_entries(script.function, "Args") if entry[0] != "options"]
    options = documented_entries(script.options_class, "Attributes")
    entries = [*columns, *options, *script.extras.items(), *documented_entries(Scores.result, "Args")]
    arguments = "".join(_wrapped(f"{names}: {meaning}", "        ") for names, meaning in entries)
    normalizers = ""
    if "normalizer" in keyword_names(script.options_class):
        normalizers = f"\nNormalisers:\n{_wrapped(', '.join(list_normalizers()), '    ')}"
    results, _, examples = results.partition("\n\nExamples:\n")
    return (
        f"\nArgs:\n{arguments}{normalizers}\n{results}\n\nExamples:\n{_LOADING.format(script.family.name)}{examples}\n"
    )


def _wrapped(text: str, indent: str) -> str:
    """A paragraph of the help: its first line 4 spaces in, the others by `indent`."""
    return fill(text, 115, initial_indent="    ", subsequent_indent=indent, break_on_hyphens=False) + "\n"


class QAMetric(evaluate.Metric):  # type: ignore[misc]  # evaluate has no types
    """Base of the evaluate modules. A module sets the attributes below, and overrides methods where it differs. Its docstring is
    its description, then the sections Returns and Examples, which use `metric`.

    The columns are the arguments of the family's function, arguments without a default are required, and `predictions`
    always; the options are the fields of the family's options, the arguments of `Scores.result`, and `extras`, given at load
    or per call. The core checks rows, and in a single call of `compute` also lengths and columns given as dicts; columns of
    `add` and `add_batch` may differ in length only where rows have ids.

    With one process, nothing is written to disk. Threads may share a module; a `compute` scores the rows added so far.
    With `num_process > 1`, each process keeps its rows until `compute`, which all processes must call equally often. A `seed` given at load seeds numpy's global generator during `compute`.

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
    function: ClassVar[Callable[..., Scores]]  # this and the next are the family's
    options_class: ClassVar[type[Options]]
    _description: ClassVar[str]
    _help: ClassVar[str]
    data: Any  # this and the next belong to evaluate
    writer: Any
    filelock: Any
    filelocks: Any
    file_paths: Any
    rendez_vous_lock: Any
    cache_file_name: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "family" in vars(cls):
            function, cls.options_class = cls.family.load()
            cls.function = staticmethod(function)

            def _compute(self: QAMetric, **given: Any) -> dict[str, Any]:
                return self._result(given)

            _compute.__signature__ = _signature(cls)  # type: ignore[attr-defined]
            cls._compute = _compute
            cls._description, mark, results = inspect.cleandoc(cls.__doc__ or "").partition("Returns:")
            cls._help = _usage(cls, mark + results)
            cls.__doc__ = f"\n{cls._description.strip()}\n{cls._help}"
        self_, *parameters = inspect.signature(cls._compute).parameters.values()
        columns = [parameter for parameter in parameters if parameter.kind is parameter.POSITIONAL_OR_KEYWORD]
        options = [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
        by_name = [column.replace(kind=column.KEYWORD_ONLY, default=None) for column in columns]
        cls._columns = [column.name for column in columns]
        cls._required = [column.name for column in columns if column.default is column.empty]
        cls._option_names = [option.name for option in options]
        cls._shown_signature = inspect.Signature([self_, *by_name, *options])

    def __init__(self, config_name: str | None = None, **kwargs: Any):
        self._batches: list[dict[str, Any]] = []
        self._lock = threading.RLock()  # of the rows
        self._rounds = 0  # calls of `compute` so far
        _check_process(kwargs.get("num_process", 1), kwargs.get("process_id", 0))
        kwargs |= {name: int(kwargs[name]) for name in ("num_process", "process_id") if name in kwargs}  # numpy's too
        self._has_seed = kwargs.get("seed") is not None
        super().__init__(config_name, **{name: kwargs[name] for name in kwargs if name in _BASE_OPTIONS})
        for name in kwargs:
            if name not in self._option_names and name not in _BASE_OPTIONS:
                raise TypeError(self._unknown(name, self._option_names))
        self._options = {name: kwargs[name] for name in self._option_names if name in kwargs}
        self.check_options(self._options)
        self.compute.__func__.__signature__ = self._signature_with_defaults()  # type: ignore[attr-defined]

    def _signature_with_defaults(self) -> inspect.Signature:
        """The signature of `compute` with the effective defaults: from load, the config and the options."""
        defaults = {**self.options_class.config_options(self.config_name), **self._options}
        parameters = self._shown_signature.parameters.items()
        return inspect.Signature(
            [shown.replace(default=defaults[name]) if name in defaults else shown for name, shown in parameters]
        )

    def _info(self) -> evaluate.MetricInfo:
        features = [datasets.Features(layout) for layout in self.layouts]
        shown, citation = features if len(features) > 1 else features[0], self.family.citation()
        return evaluate.MetricInfo(self._description, citation, shown, self._help, reference_urls=list(self.urls))

    def additions(self, scores: Scores, options: dict[str, Any]) -> dict[str, Any]:
        """What `extras` add to the result. The base adds nothing."""
        return {}

    def _result(self, given: dict[str, Any]) -> dict[str, Any]:
        columns, options, shown = (
            {name: given[name] for name in names if name in given}
            for names in (self._columns, keyword_names(self.options_class), _RESULT_OPTIONS)
        )
        scores = self.family.score_config(self.config_name, columns, options).require_several_groups()
        shown[CONFIDENCES] = by_prediction(shown.get(CONFIDENCES), columns.get("predictions"), scores.ids)
        return scores.result(**shown) | self.additions(scores, given)

    def adapt(self, columns: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
        """The columns of a batch in a layout that `fields` read."""
        return columns

    def check_options(self, options: dict[str, Any]) -> None:
        """Refuse invalid options and configs at load, before the user computes the results to score."""
        self.options_class.of_config(self.config_name, options)

    def read_batch(self, columns: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
        """The columns of a batch, read and checked as far as the options given at load, `options`, allow.

        Raises:
            TypeError, ValueError: no options that `compute` may add could score them.
        """
        return read_batch(self.fields(self.options_class.from_some(options)), self.adapt(columns, options))

    @property
    def features(self) -> datasets.Features | list[datasets.Features]:
        """The declared columns, and any other columns of the current run; evaluate.combine passes on columns named
        here.
        """
        several = isinstance(self.info.features, list)
        names = columns_of_batch(self._batches[0]) if self._batches else ()
        shown = [
            datasets.Features(dict.fromkeys(names, datasets.Value("null")) | declared)
            for declared in (self.info.features if several else [self.info.features])
        ]
        return shown if several else shown[0]

    def __len__(self) -> int:
        return sum(len(next(iter(batch.values()))) for batch in self._batches)

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:  # other threads may add rows meanwhile
            state = {**vars(self), "_batches": list(self._batches)}
        del state["_lock"]  # locks cannot be copied
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())

    def compute(
        self, *by_position: Any, predictions: Any = None, references: Any = None, **kwargs: Any
    ) -> dict[str, Any] | None:
        """Score the given columns and the rows added before, which are then dropped; None on processes other than 0. Columns
        that one process refuses are an error on process 0 too.
        """
        self._refuse_positional("compute", by_position)
        given = {"predictions": predictions, "references": references, **kwargs}
        if self.num_process > 1:
            self._rounds += 1
        with self._lock:
            kept, self._batches = self._batches, []
        several = self.num_process > 1
        try:
            columns, options = self._sort_out(given)
            if not several and not kept:
                if not columns:
                    raise ValueError(f"nothing to compute: give {', '.join(self._required)}, or add rows first")
                return self._run(self._required_columns(columns_of_frame(columns)), options)
            self._append(kept, self._read_batch(columns, options) if columns else {})
            texts = [json.dumps(batch, default=_as_json) for batch in kept] if several else []
        except Exception as error:
            if several:  # the other processes wait for this one
                with contextlib.suppress(Exception):
                    self._gather([json.dumps(f"process {self.process_id} refused its rows: {error}")])
            raise
        batches = kept
        if several:
            gathered = self._gather(texts or ["{}"])
            if gathered is None:
                return None
            batches = []
            for batch in map(json.loads, gathered):
                if isinstance(batch, str):  # a refusal
                    raise ValueError(batch)
                batch = {name: Side(**cells) if isinstance(cells, dict) else cells for name, cells in batch.items()}
                self._append(batches, batch, "processes differ in their columns: {} and {}")
            if not batches:
                raise ValueError("nothing to compute: no process has added rows")
        return self._run(joined_batches(batches), options)

    def add_batch(self, *by_position: Any, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add rows for a later `compute`, the same columns in every batch; a batch with a bad row adds nothing, and a batch
        without rows changes nothing.
        """
        self._refuse_positional("add_batch", by_position)
        columns, _ = self._sort_out({"predictions": predictions, "references": references, **kwargs}, options=())
        if not columns:
            raise ValueError(f"nothing to add: give {', '.join(self._required)}")
        batch = self._read_batch(columns, self._options)
        with self._lock:
            self._append(self._batches, batch)

    def add(self, *by_position: Any, prediction: Any = ..., reference: Any = ..., **kwargs: Any) -> None:
        """Add one row for a later `compute`: prediction (None if missing), reference, and other columns by name."""
        self._refuse_positional("add", by_position)
        row = {"predictions": prediction, "references": reference}
        row = {name: value for name, value in row.items() if value is not ...}
        for name in row.keys() & kwargs.keys():
            raise TypeError(f"{name} is given twice: as {name[:-1]} and as {name}")
        others = {name: None if value is None else [value] for name, value in kwargs.items()}
        self.add_batch(**{name: [value] for name, value in row.items()}, **others)

    def _refuse_positional(self, method: str, by_position: tuple[Any, ...]) -> None:
        """Refuse positional columns, which evaluate does not accept."""
        if by_position:
            names = ("prediction", "reference") if method == "add" else ("predictions", "references")
            example = ", ".join(f"{name}=..." for name in names)
            raise TypeError(f"{type(self).__name__}.{method} takes columns by name: {method}({example})")

    def _build_data_dir(self) -> str:
        if self.num_process > 1:
            return str(super()._build_data_dir())
        return os.path.join(
            self._data_dir_root, self.name, self.config_name
        )  # a single process never creates this folder

    def _unknown(self, name: str, names: Iterable[str]) -> str:
        taken = f"columns: {', '.join(self._columns)}; options: {', '.join(self._option_names) or 'none'}"
        return f"{type(self).__name__} does not take {name!r} here{self.options_class.pointed(name, names)}; {taken}"

    def _sort_out(
        self, given: dict[str, Any], options: Iterable[str] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Split the arguments of a call into columns and options, which override the options of load; a column of None
        is absent.
        """
        names = self._option_names if options is None else options
        for name, value in given.items():
            absent = value is None and name in ("predictions", "references")  # evaluate.combine sends both to everyone
            if name not in self._columns and name not in names and not absent:
                raise TypeError(self._unknown(name, [*self._columns, *names]))
        columns = {name: value for name, value in given.items() if name in self._columns and value is not None}
        for other, name in self.second_names.items():
            if other in columns and name not in columns:
                columns[name] = columns.pop(other)
        chosen = {**self._options, **{name: given[name] for name in names if name in given}}
        if isinstance(columns.get("predictions"), Mapping) and CONFIDENCES in chosen:  # which may be adapted to lists
            chosen[CONFIDENCES] = by_prediction(chosen[CONFIDENCES], columns["predictions"], ())
        return columns, chosen

    def _required_columns(self, columns: dict[str, Any]) -> dict[str, Any]:
        """The columns in the order of the function; a ValueError for missing ones."""
        missing = [name for name in self._required if columns.get(name) is None]
        if missing:
            raise ValueError(f"{', '.join(missing)} missing: {type(self).__name__} needs {', '.join(self._required)}")
        return {name: columns[name] for name in self._columns if columns.get(name) is not None}

    @public
    def _read_batch(self, columns: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
        """The columns of a batch, checked; {} where it has no rows."""
        if have_no_rows(columns.values()):
            return {}
        columns = {n: list(column) if isinstance(column, Iterator) else column for n, column in columns.items()}
        if have_no_rows(columns.values()):
            return {}
        return self.read_batch(self._required_columns(columns_of_frame(columns)), options)

    @staticmethod
    def _append(
        kept: list[dict[str, Any]],
        batch: dict[str, Any],
        problem: str = "this batch has the columns {1}; the rows added before have {0}",
    ) -> None:
        """Add a batch to the ones before, which must have the same columns."""
        names = [", ".join(columns_of_batch(one)) for one in (*kept[:1], batch)]
        if batch and kept and {*names[0].split(", ")} != {*names[1].split(", ")}:
            raise ValueError(problem.format(*names))
        if batch:
            kept.append(batch)

    @public
    def _run(self, columns: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
        with contextlib.ExitStack() as stack:
            if self._has_seed:
                stack.enter_context(_SEED_LOCK)
                stack.enter_context(temp_seed(self.seed))
            result: dict[str, Any] = _plain_result(self._compute(**columns, **options))
            return result

    def _gather(self, texts: list[str]) -> list[str] | None:
        """On process 0, the texts of all processes in order; None elsewhere. They are in the Arrow files of the base class."""
        self.selected_feature_format = _BLOCK
        experiment = self._module_info.experiment_id
        # A process that is one call ahead must not use the files of the previous call; no process is two calls ahead.
        self._module_info.experiment_id = f"{experiment}-{'odd' if self._rounds % 2 else 'even'}"
        try:
            self._init_writer()
            self.writer.write_batch({"block": texts})
            self._finalize()
            gathered = self.data["block"][:] if self.process_id == 0 else None
        except BaseException as error:
            if self.cache_file_name and not self.file_paths:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(self.cache_file_name)
            if isinstance(error, ValueError) and "lock" in str(error):
                raise ValueError(
                    f"process {self.process_id} got no answer from the other {self.num_process - 1} in {self.timeout} s "
                    f"({error}); every process must call compute, and all equally often, with one cache_dir that all of "
                    "them see and an experiment_id that no other run has; give a longer timeout if some are slow"
                ) from None
            if isinstance(error, ArrowInvalid):  # a file without its end
                raise ValueError(
                    f"process {self.process_id} cannot read the rows of another process, which ended before it had written "
                    "them; start all processes again"
                ) from error
            raise
        finally:
            self._let_go()
            self._module_info.experiment_id = experiment
        return gathered

    def _let_go(self) -> None:
        """Release files and locks, also after an error."""
        self.data = self.writer = None
        for lock, path in reversed(list(zip(self.filelocks or (), self.file_paths or ()))):
            os.remove(path)
            lock.release()
        for lock in filter(None, (self.filelock, self.rendez_vous_lock)):
            lock.release()
        self.filelocks = self.file_paths = self.filelock = self.rendez_vous_lock = self.cache_file_name = None
