"""The formats of files: each file of this folder defines one format, or a few that belong together, as `Format` values.

A new format is a new file here: the registry finds it. Files whose names begin with "_" hold what several formats share.
"""

import copy
import dataclasses
import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from ...core.errors import is_expected
from ...core.file_columns import Gold
from ...registry import DEFAULT, FAMILIES
from ..reading import FileError

# What files serve as.
GOLD, PREDICTIONS, PROBABILITIES = "gold", "predictions", "probabilities"
BOTH = frozenset([GOLD, PREDICTIONS])


@dataclasses.dataclass(eq=False)
class Format:
    """A format of files.

    Attributes:
        name, text: its name in the code, and in messages.
        metric: the metric that scores it.
        fits: the value of a file (a JSON value, `Table` or `Lines`) and the requested metric, or None -> whether it has
            this format.
        order: formats are tried from the lowest to the highest: lines below 10; formats known by their fields below
            30; what a metric takes where it is requested below 60; texts and lists by id, then what only looks like the
            metric; tables last.
        read_gold: (content, names) -> Gold, if it can be gold. A reader refuses a file with a ValueError, whose message `read`
            puts behind the path; that of a format that is no table may index freely.
        read_predictions: (content, gold, names) -> Predictions, if it can be these.
        describe: a value -> the text and what it serves as, if these depend on the value.
        serves: of GOLD, PREDICTIONS and PROBABILITIES; by default what it has a reader for.
        is_table: its columns can be named.
        roles: of columns that its tables have besides those of answers.
        gold_role, prediction_role: the roles whose columns make a table gold, or predictions.
        has_both: a table -> whether columns that only this metric has make it predictions and gold data.
    """

    name: str
    text: str
    metric: str
    fits: Callable[[Any, str | None], bool]
    order: int = 20
    read_gold: Callable[[Any, Mapping[str, Any]], Gold] | None = None
    read_predictions: Callable[[Any, Gold, Mapping[str, Any]], Any] | None = None
    describe: Callable[[Any], tuple[str, frozenset[str]]] | None = None
    serves: frozenset[str] = frozenset()
    is_table: bool = False
    roles: tuple[str, ...] = ()
    gold_role: str = "references"
    prediction_role: str = "predictions"
    has_both: Callable[[Any], bool] = lambda table: False

    def __post_init__(self) -> None:
        readers = {GOLD: self.read_gold, PREDICTIONS: self.read_predictions}
        self.serves = self.serves or frozenset(role for role, reader in readers.items() if reader)

    def read(self, role: str, content: Any, *others: Any) -> Any:
        """What the reader of a role returns for a file.

        Args:
            role: GOLD or PREDICTIONS.
            others: further arguments of the reader.

        Raises:
            FileError: what the reader refuses with a ValueError; also a part of the file that is missing or has another type,
                if the format is no table.
        """
        reader: Any = self.read_gold if role == GOLD else self.read_predictions
        try:
            return reader(content, *others)
        except FileError:
            raise
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            is_refusal = isinstance(error, ValueError) or self.is_table and isinstance(error, TypeError)
            if is_refusal and is_expected(error):
                raise FileError(content.path, str(error)) from error
            if is_refusal or self.is_table:
                raise
            message = "a part of it has another form; write it again"
            if isinstance(error, KeyError):
                message = (
                    f"{_where_lacking(content.value, error.args[0]) or 'a part of it'} lacks {error}; give it there"
                )
            raise FileError(content.path, f"this looks like {self.text}, but {message}") from error


def _where_lacking(value: Any, key: Any, path: str = "") -> str:
    """The first object of a list that lacks a key which others of the list have, such as data[0]['qas'][3]; "" for none."""
    parts = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ())
    rows = [(index, part) for index, part in parts if isinstance(part, dict) and isinstance(value, list)]
    lacking = [f"{path}[{index}]" for index, part in rows if key not in part]
    if 0 < len(lacking) < len(rows):
        return lacking[0]
    inner = (_where_lacking(part, key, f"{path}[{index!r}]" if path else str(index)) for index, part in parts)
    return next(filter(None, inner), "")


def lists_rows_with(value: Any, key: str, *fields: str) -> bool:
    """Whether a JSON value is an object with a list of objects under this key, all of which have these fields."""
    rows = value.get(key) if isinstance(value, dict) else None
    if not isinstance(rows, list) or not rows:
        return False
    return all(isinstance(row, dict) and row.keys() >= {*fields} for row in rows)


def find_format(value: Any, metric: str | None = None) -> Format:
    """The format of the value of a file: the first that fits; "unknown" if none does.

    Args:
        metric: the requested metric, which decides what tables and lists by id are; by default their columns do.
    """
    for form in all_formats():
        if form.fits(value, metric):
            if form.describe is None:
                return form
            described = copy.copy(form)  # not a new Format, which cannot serve as nothing
            described.text, described.serves = form.describe(value)
            return described
    return Format("unknown", _shape(value), DEFAULT, lambda value, metric: True)


@functools.cache
def modules() -> tuple[ModuleType, ...]:
    """The files of this folder that define formats or logs."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    return tuple(importlib.import_module(f"{__name__}.{name}") for name in names)


@functools.cache
def all_formats() -> tuple[Format, ...]:
    """All formats, in the order in which they are tried."""
    found = [value for module in modules() for value in vars(module).values() if isinstance(value, Format)]
    metrics = list(FAMILIES)
    return tuple(sorted(dict.fromkeys(found), key=lambda form: (form.order, metrics.index(form.metric))))


def formats_of(metric: str) -> list[Format]:
    """The formats that a metric scores; metrics may share them, as answer_match and semantic_answer_similarity do."""
    return [form for form in all_formats() if form.metric == FAMILIES[metric].files_of]


def roles_of_metric(metric: str) -> list[str]:
    """The roles of columns of this metric that not every metric has."""
    return list(dict.fromkeys(role for form in formats_of(metric) for role in form.roles))


def _shape(value: Any) -> str:
    """A description of a JSON value without a format, for messages."""
    names = {dict: "object", list: "list", str: "string", bool: "boolean", type(None): "null"}
    kind = names.get(type(value), "number")
    if not isinstance(value, (dict, list)):
        return f"a JSON {kind}"
    if not value:
        return f"an empty JSON {kind}"
    if isinstance(value, dict):
        return f"a JSON object with the keys {', '.join(map(str, list(value)[:5]))}{', ...' * (len(value) > 5)}"
    return f"a JSON list of {' and '.join(sorted({names.get(type(item), 'number') + 's' for item in value}))}"
