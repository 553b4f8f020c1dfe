"""Makes the package of a family callable as its scoring function: `qassay.answer_match(predictions, references)`."""

import importlib
import inspect
import sys
from textwrap import fill
from types import ModuleType
from typing import Any

from .options import documented_entries, keyword_names


class _FamilyPackage(ModuleType):
    """A package that scores when called; its signature and help come from the columns and options."""

    def __call__(self, *columns: Any, **options: Any) -> Any:
        return _family(self.__name__).score(*columns, **options)

    @property
    def __signature__(self) -> inspect.Signature:
        function, options_class = _family(self.__name__).load()
        columns = [column for column in inspect.signature(function).parameters.values() if column.name != "options"]
        fields = {field.name: field for field in options_class.__dataclass_fields__.values()}
        named = inspect.Parameter.KEYWORD_ONLY
        options = [
            inspect.Parameter(name, named, default=fields[name].default) for name in keyword_names(options_class)
        ]
        return inspect.Signature([column.replace(annotation=column.empty) for column in columns] + options)

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        function, options_class = _family(self.__name__).load()
        columns = [entry for entry in documented_entries(function, "Args") if entry[0] != "options"]
        entries = [*columns, *documented_entries(options_class, "Attributes")]
        arguments = [
            fill(f"{n}: {meaning}", 100, initial_indent=" " * 4, subsequent_indent=" " * 8) for n, meaning in entries
        ]
        called = fill(f"{self.__name__}{self.__signature__}", 100, subsequent_indent=" " * 4)
        return "\n".join(["Columns in, Scores out: what `qassay.score` does.", "", called, "", "Args:", *arguments, ""])


def make_callable(package: str) -> None:
    """Make the package of a family callable; used in its `__init__.py`."""
    sys.modules[package].__class__ = _FamilyPackage


def _family(package: str) -> Any:
    return importlib.import_module(f"{package}.family").FAMILY
