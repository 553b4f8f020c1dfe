"""The base class of the `evaluate` scripts: columns in, checked row by row, handed to `_compute` as plain lists.

`evaluate.Metric` sends every row through an Arrow file and looks at the type of row 0 only. `QAMetric` keeps the rows
in plain lists, checks every one of them and writes files only where several processes have to meet (`num_process > 1`).
"""

import abc
import contextlib
import inspect
import json
import os
import threading
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import datasets
import evaluate
import numpy as np

from .columns import check_lengths, is_table, to_list
from .features import fit_features
from .options import did_you_mean

_BASE_OPTIONS = set(inspect.signature(evaluate.Metric.__init__).parameters) - {"self", "config_name", "kwargs"}
_BLOCK = datasets.Features({"block": datasets.Value("string")})
_BLOCK_ROWS = 10_000
_SEED_LOCK = threading.RLock()


def _listed(column: Any, name: str) -> Any:
    """A column as a list; dicts, strings and scalars stay as they are, for `adapt`."""
    is_column = isinstance(column, Iterable) or hasattr(column, "tolist") or hasattr(column, "to_pylist")
    if isinstance(column, (str, bytes, Mapping)) or not is_column or getattr(column, "ndim", 1) == 0:
        return column
    return to_list(column, name)


class MatrixRow:
    """A row of a matrix that `add_batch` took in, until `compute` has the whole again."""

    __slots__ = ("matrix", "number")

    def __init__(self, matrix: Any, number: int):
        self.matrix, self.number = matrix, number

    @property
    def layout(self) -> tuple[bool, str]:
        """What rows of one matrix have in common: whether it is sparse, and its kind of numbers."""
        return hasattr(self.matrix, "tocsr"), self.matrix.dtype.kind


def is_matrix(column: Any) -> bool:
    """Whether this is an array of two dimensions or a sparse matrix of scipy.

    >>> is_matrix(np.zeros((2, 3))), is_matrix(np.zeros(2))
    (True, False)
    """
    return hasattr(column, "dtype") and getattr(column, "ndim", 1) == 2


def _joined_matrix(rows: list, name: str) -> Any:
    """The rows of a column as one matrix, where they were added as matrices; otherwise as they are.

    Raises:
        TypeError: matrices and something else; ValueError: matrices of different widths.
    """
    first = next((row for row in rows if isinstance(row, MatrixRow)), None)
    if first is None:
        return rows
    for number, row in enumerate(rows):
        if not isinstance(row, MatrixRow) or row.layout != first.layout:
            raise TypeError(
                f"{name}[{number}] came in a batch of another layout than the others; give all batches one layout"
            )
        if row.matrix.shape[1] != first.matrix.shape[1]:
            raise ValueError(
                f"{name}[{number}] came in a matrix of {row.matrix.shape[1]} columns, others in one of "
                f"{first.matrix.shape[1]}; give all batches the same columns"
            )
    matrices = [row.matrix for row in rows if row.number == 0]
    if not hasattr(first.matrix, "tocsr"):
        return np.concatenate(matrices)
    from scipy.sparse import vstack

    return vstack(matrices, format="csr")


def _plain_result(value: Any) -> Any:
    """numpy numbers and arrays as Python numbers and lists, at every level of a result."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, dict):
        return {key: _plain_result(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not set(map(type, value)) <= {float, int, str, bool, type(None)}:
        return [_plain_result(item) for item in value]
    return value


def _plain_value(value: Any) -> Any:
    """What JSON does not know, in columns whose rows nobody has checked yet."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(
        f"a {type(value).__name__} cannot go from one process to another: use strings, numbers, lists, dicts"
    )


@contextlib.contextmanager
def _numpy_seed(seed: int):
    """numpy's global generator under `seed`. It belongs to the whole process, hence one thread at a time."""
    with _SEED_LOCK:
        state = np.random.get_state()
        np.random.seed(seed)
        try:
            yield
        finally:
            np.random.set_state(state)


def _check_process(num_process: Any, process_id: Any) -> None:
    """Refuse a process that there is not among `num_process`."""
    for name, value, least in (("num_process", num_process, 1), ("process_id", process_id, 0)):
        if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < least:
            raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
    if process_id >= num_process:
        raise ValueError(
            f"process_id={process_id} is out of range: the processes of num_process={num_process} are 0 to "
            f"{num_process - 1}, each with an id of its own"
        )


class QAMetric(evaluate.Metric, abc.ABC):
    """Base of the metric scripts. A subclass gives `_info`, `_compute` and, where needed, `optional` and `adapt`.

    Required columns are the features of `_info`: one `datasets.Features` or a list of alternatives, of which the first
    that fits all rows is taken. `optional` names the columns that may be left out: a mapping from name to feature, to
    a tuple of scalar features (rows of either type) or to None (only the length is checked); a bare tuple of names is a
    mapping to None. The parameters of `_compute` that are not columns are the options, given at load or per call.
    `core_checks = True` leaves the rows to the core of the metric, and in a single call of `compute` the lengths and
    columns given as dicts as well; what comes through `add` and `add_batch` must still be lists of one length, unless
    `batch_rows` and `lengths_may_differ` say otherwise. With `matrices = True` as well, arrays of two dimensions and sparse
    matrices reach the core as they are, and those of several batches as one.

    One process: nothing is written to disk, and `compute` with columns and nothing added before is safe in threads.
    `num_process > 1`: each process keeps its rows and hands them over inside `compute`, so all must call it, and all
    equally often. A `seed` given at load holds numpy's global generator while `_compute` runs.

    Errors: TypeError for rows of a wrong type (`predictions[1] must be str, got int: 1`) and for names the metric does
    not know; ValueError for missing columns, columns of different lengths, and a `compute` without any rows.

    >>> class Share(QAMetric):
    ...     optional = {"weights": datasets.Value("float64")}
    ...     def _info(self):
    ...         text = datasets.Value("string")
    ...         features = datasets.Features({"predictions": text, "references": text})
    ...         return evaluate.MetricInfo(description="Share of equal strings.", citation="", features=features)
    ...     def _compute(self, predictions, references, weights=None, *, lower=False):
    ...         fold = str.lower if lower else str
    ...         hits = [fold(p) == fold(r) for p, r in zip(predictions, references)]
    ...         return {"share": np.average(hits, weights=weights)}
    >>> Share().compute(predictions=["a", "B"], references=["a", "b"], weights=[3, 1])
    {'share': 0.75}
    >>> Share(lower=True).compute(predictions=["a", "B"], references=["a", "b"])
    {'share': 1.0}
    >>> Share().compute(predictions=["a", 1], references=["a", "b"])
    Traceback (most recent call last):
    TypeError: predictions[1] must be str, got int: 1
    """

    optional: ClassVar[Mapping[str, Any] | Iterable[str]] = {}
    core_checks: ClassVar[bool] = False
    matrices: ClassVar[bool] = False

    def __init__(self, config_name: str | None = None, **kwargs):
        self._rows: dict[str, list] = {}
        self._rounds = 0  # calls of `compute` so far
        _check_process(kwargs.get("num_process", 1), kwargs.get("process_id", 0))
        kwargs |= {name: int(kwargs[name]) for name in ("num_process", "process_id") if name in kwargs}  # numpy's too
        self._has_seed = kwargs.get("seed") is not None
        super().__init__(config_name, **{name: kwargs[name] for name in kwargs if name in _BASE_OPTIONS})
        parameters = inspect.signature(self._compute).parameters.values()
        if any(p.kind not in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) for p in parameters):
            raise TypeError(f"{type(self).__name__}._compute must name its options: no *args, **kwargs or '/'")
        defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        optional = self.optional if isinstance(self.optional, Mapping) else dict.fromkeys(self.optional)
        declared = self.info.features if isinstance(self.info.features, list) else [self.info.features]
        self._layouts = [
            {**features, **{n: optional[n] for n in optional if n not in features}} for features in declared
        ]
        self._open: list[dict] | None = None  # the layouts that the rows added so far leave open
        self._required = [name for name in declared[0] if name not in optional]
        self._option_names = [p.name for p in parameters if p.name not in self._layouts[0]]
        for layout in self._layouts:
            fit_features({name: [] for name in layout}, [layout])  # refuses features whose rows it could not check
            fits = layout.keys() == self._layouts[0].keys() and layout.keys() <= {p.name for p in parameters}
            if not fits or optional.keys() - defaults.keys():
                raise TypeError(
                    f"{type(self).__name__}: all alternatives need the same columns, and _compute a parameter for each, "
                    "with a default for the optional ones"
                )
        for name in kwargs:
            if name not in self._option_names and name not in _BASE_OPTIONS:
                raise TypeError(self._unknown(name, self._option_names))
        given = {**defaults, **kwargs}
        self._options = {name: given[name] for name in self._option_names if name in given}
        self.check_options(self._options)

    @abc.abstractmethod
    def _info(self) -> evaluate.MetricInfo:
        """Card texts and features of the metric."""

    @abc.abstractmethod
    def _compute(self, predictions, references) -> dict:
        """The scores; columns arrive as checked lists that belong to the caller and must not be changed."""

    def adapt(self, columns: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
        """Columns in a layout of their own (SQuAD rows, dicts of dicts) as the declared columns; here: as they are.

        Runs before the checks, once per batch. Values are lists, or dicts, strings and scalars as they were given; with
        `core_checks` whole tables too.
        """
        return columns

    def check_options(self, options: dict[str, Any]) -> None:
        """Refuse values of options at load, before the work whose results they would score; here: nothing."""

    def check(self, columns: dict[str, list], options: dict[str, Any]) -> None:
        """Refuse a batch before it is added, for a metric whose core checks the rows; here: nothing.

        `options` are those of the load; others may still come with `compute`.
        """

    def batch_rows(self, column: Any, name: str) -> list:
        """The rows of a column of a batch, for a metric whose columns may be tables; here: the items of a list.

        Raises:
            TypeError: what cannot be added row by row.
        """
        if self.matrices and is_matrix(column):
            # A copy: callers may fill the same array again for the next batch.
            column = column.copy() if hasattr(column, "tocsr") else np.array(column)
            return [MatrixRow(column, number) for number in range(column.shape[0])]
        return to_list(column, name)

    def lengths_may_differ(self, rows: dict[str, list]) -> bool:
        """Whether the rows of a batch say themselves which belong together, for a core that matches them; here: no."""
        return False

    def layouts(self, options: dict[str, Any]) -> list[dict[str, Any]]:
        """The alternatives a run is checked against: column -> feature, here as declared.

        A subclass may depend on the options, and leave a column to the checks of its core by None in place of a
        feature.
        """
        return [dict.fromkeys(self._layouts[0])] if self.core_checks else self._layouts

    @property
    def features(self) -> datasets.Features | list[datasets.Features]:
        """The required columns, and the optional ones of the run under way."""
        shown = []
        for layout in self._layouts:
            names = [name for name in layout if name in self._required or name in self._rows]
            single = {name: layout[name][0] if isinstance(layout[name], tuple) else layout[name] for name in names}
            shown.append(datasets.Features({name: single[name] or datasets.Value("null") for name in names}))
        return shown if isinstance(self.info.features, list) else shown[0]

    def __len__(self) -> int:
        return len(next(iter(self._rows.values()), ()))

    def compute(self, *, predictions=None, references=None, **kwargs) -> dict | None:
        """Scores of the given columns, together with the rows added before; the added rows are gone afterwards.

        Args:
            predictions, references, and the other columns of the metric: one entry per example, as a list, tuple,
                generator, numpy array, tensor, pandas or Arrow column.
            The options of the metric, by name. They win over those given at load.

        Returns:
            A dict of scores; None on the processes other than 0 when `num_process > 1`.
        """
        given = {"predictions": predictions, "references": references, **kwargs}
        if self.num_process > 1:
            self._rounds += 1
        if self.num_process == 1 and not self._rows:  # touches nothing of the instance: threads may share it
            columns, options = self._sort_out(given)
            if not columns:
                raise ValueError(f"nothing to compute: give {', '.join(self._required)}, or add rows first")
            rows = self._prepare(columns, options, self.core_checks)
            return self._run(fit_features(rows, self.layouts(options))[0], options)
        try:
            columns, options = self._sort_out(given)
            if columns:
                self._append(columns, options)
            rows, layouts = self._rows, self._open
            if self.num_process > 1:
                rows, layouts = self._gather(), self.layouts(options)
                if rows is None:
                    return None
                if not rows:
                    raise ValueError("nothing to compute: no process has added rows")
            # Batches were converted one by one: which alternative all rows have is known only now.
            columns = fit_features(rows, layouts)[0]
            return self._run({name: _joined_matrix(column, name) for name, column in columns.items()}, options)
        finally:
            self._rows, self._open = {}, None

    def add_batch(self, *, predictions=None, references=None, **kwargs) -> None:
        """Add rows for a later `compute`; a batch with a bad row adds nothing.

        Args:
            predictions, references, and the other columns of the metric: one entry per example, the same columns in
                every batch. Options belong to `compute` or to the load.
        """
        columns, _ = self._sort_out({"predictions": predictions, "references": references, **kwargs}, options=())
        if not columns:
            raise ValueError(f"nothing to add: give {', '.join(self._required)}")
        self._append(columns, self._options)

    def add(self, *, prediction=None, reference=None, **kwargs) -> None:
        """Add one row for a later `compute`.

        Args:
            prediction, reference, and the other columns of the metric by their own names: the entry of one example.
        """
        row = {"predictions": prediction, "references": reference}
        for name in row.keys() & kwargs.keys():
            if row[name] is not None:
                raise TypeError(f"{name} is given twice: as {name[:-1]} and as {name}")
        self.add_batch(**{name: None if value is None else [value] for name, value in {**row, **kwargs}.items()})

    def _build_data_dir(self) -> str:
        if self.num_process > 1:
            return super()._build_data_dir()
        return os.path.join(self._data_dir_root, self.name, self.config_name)  # one process never makes this folder

    def _unknown(self, name: str, names: Iterable[str]) -> str:
        taken = f"columns: {', '.join(self._layouts[0])}; options: {', '.join(self._option_names) or 'none'}"
        return f"{type(self).__name__} does not take {name!r} here{did_you_mean(name, names)}; {taken}"

    def _sort_out(self, given: dict[str, Any], options: Iterable[str] | None = None) -> tuple[dict, dict]:
        """Columns and options of a call, the options on top of those of the load; a column given as None is absent."""
        names = self._option_names if options is None else options
        for name, value in given.items():
            absent = value is None and name in ("predictions", "references")  # evaluate.combine sends both to everyone
            if name not in self._layouts[0] and name not in names and not absent:
                raise TypeError(self._unknown(name, [*self._layouts[0], *names]))
        columns = {name: value for name, value in given.items() if name in self._layouts[0] and value is not None}
        return columns, {**self._options, **{name: given[name] for name in names if name in given}}

    def _prepare(self, columns: dict[str, Any], options: dict[str, Any], free: bool = False) -> dict[str, list]:
        """Columns as lists of one length (as they are when `free`), in order; their rows are not looked at yet."""
        whole = {name for name, column in columns.items() if self.core_checks and self.is_whole(column)}
        columns = {name: column if name in whole else _listed(column, name) for name, column in columns.items()}
        columns = self.adapt(columns, options)
        for name in columns:
            if name not in self._layouts[0]:
                raise TypeError(f"adapt() of {type(self).__name__} returns {name!r}, which is not a column of it")
        rows = {name: columns[name] for name in self._layouts[0] if columns.get(name) is not None}
        missing = [name for name in self._required if name not in rows]
        if missing:
            raise ValueError(f"{', '.join(missing)} missing: {type(self).__name__} needs {', '.join(self._required)}")
        if not free:
            rows = {name: self.batch_rows(column, name) for name, column in rows.items()}
            if not self.lengths_may_differ(rows):
                check_lengths(**rows)
        return rows

    def is_whole(self, column: Any) -> bool:
        """Whether a column goes to the core as it is, and not as a list of rows: tables, and matrices where it takes them."""
        return is_table(column) or self.matrices and is_matrix(column)

    def _append(self, columns: dict[str, Any], options: dict[str, Any]) -> None:
        rows = self._prepare(columns, options)
        self.check(rows, options)
        rows, layouts = fit_features(rows, self.layouts(options) if self._open is None else self._open)
        if self._rows and rows.keys() != self._rows.keys():
            before, now = ", ".join(self._rows), ", ".join(rows)
            raise ValueError(f"this batch has the columns {now}; the rows added before have {before}")
        self._open = layouts
        for name, column in rows.items():
            self._rows.setdefault(name, []).extend(column)

    def _run(self, columns: dict[str, list], options: dict[str, Any]) -> dict:
        with _numpy_seed(self.seed) if self._has_seed else contextlib.nullcontext():
            return _plain_result(self._compute(**columns, **options))

    def _gather(self) -> dict[str, list] | None:
        """Rows of all processes in their order on process 0, None elsewhere: JSON in the Arrow files of the base.

        JSON keeps every checked value exactly, whichever alternative and optional columns a process happens to have.
        """
        starts = range(0, max(len(self), 1), _BLOCK_ROWS)
        blocks = [{name: rows[i : i + _BLOCK_ROWS] for name, rows in self._rows.items()} for i in starts]
        blocks = [json.dumps(block, default=_plain_value) for block in blocks]
        self.selected_feature_format = _BLOCK
        experiment = self._module_info.experiment_id
        # A process that is ahead by one call must not meet the files of the call before; none is ahead by two.
        self._module_info.experiment_id = f"{experiment}-{'odd' if self._rounds % 2 else 'even'}"
        try:
            self._init_writer()
            self.writer.write_batch({"block": blocks})
            self._finalize()
            blocks = [json.loads(block) for block in self.data["block"][:]] if self.process_id == 0 else []
        except BaseException as error:
            if self.cache_file_name and not self.file_paths:
                with contextlib.suppress(FileNotFoundError):
                    os.remove(self.cache_file_name)
            if isinstance(error, ValueError) and "lock" in str(error):
                raise ValueError(
                    f"process {self.process_id} waited {self.timeout} s for the other {self.num_process - 1} in vain "
                    f"({error}); every process must call compute, and all equally often, with one cache_dir that all of "
                    "them see and an experiment_id of their own; give a longer timeout where some are slow"
                ) from None
            raise
        finally:
            self._let_go()
            self._module_info.experiment_id = experiment
        gathered: dict[str, list] = {}
        for block in filter(None, blocks):
            if gathered and block.keys() != gathered.keys():
                raise ValueError(f"processes differ in their columns: {', '.join(gathered)} and {', '.join(block)}")
            for name, rows in block.items():
                gathered.setdefault(name, []).extend(rows)
        return gathered if self.process_id == 0 else None

    def _let_go(self) -> None:
        """Gives files and locks back, after an error too."""
        self.data = self.writer = None
        for lock, path in reversed(list(zip(self.filelocks or (), self.file_paths or ()))):
            os.remove(path)
            lock.release()
        for lock in filter(None, (self.filelock, self.rendez_vous_lock)):
            lock.release()
        self.filelocks = self.file_paths = self.filelock = self.rendez_vous_lock = self.cache_file_name = None
