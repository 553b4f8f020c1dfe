"""Reads hand-written files of fields and values, YAML or JSON, and checks the types of values."""

import dataclasses
import json
import os
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, TypeVar

from .errors import import_yaml
from .options import did_you_mean
from .shown import describe, shown

_Made = TypeVar("_Made")


def read_fields(path: "str | os.PathLike[str]", example: str, advice: str = "name an existing file") -> dict[str, Any]:
    """Read the fields of a file: JSON if its name ends with .json, else YAML.

    Args:
        example: a line of such a file, for messages.
        advice: what to do if the file does not exist.

    Raises:
        ValueError: the file does not exist or cannot be read, a duplicate field, or content other than fields.
        ImportError: a YAML file, and PyYAML is not installed.
    """
    name = os.fspath(path)
    try:
        with open(name, encoding="utf-8-sig") as file:
            text = file.read()
    except FileNotFoundError as error:
        raise ValueError(f"{name}: there is no such file; {advice}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{name}: the file is not UTF-8 text") from error
    try:
        tree = _of_json(text) if name.lower().endswith(".json") else _of_yaml(text, name)
    except ValueError as error:
        raise ValueError(f"{name}: the file cannot be read: {' '.join(str(error).split())}") from error
    except RecursionError:
        raise ValueError(f"{name}: the file cannot be read: it is nested too deeply; flatten it") from None
    if not isinstance(tree, dict):
        raise ValueError(f"{name}: the file must contain fields and values, such as '{example}'")
    return tree


def made_of_fields(path: "str | os.PathLike[str]", example: str, make: Callable[[dict[str, Any]], _Made]) -> _Made:
    """Call `make` with the fields of a file; its errors name the file.

    Args:
        path, example: as in `read_fields`.

    Raises:
        ValueError, ImportError: as `read_fields` and `make`.
    """
    fields = read_fields(path, example)
    try:
        return make(fields)
    except ValueError as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from error


def _of_json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_fields_once)


def _fields_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _once([name for name, _ in pairs])
    return dict(pairs)


def _of_yaml(text: str, name: str) -> Any:
    yaml = import_yaml(f"{name}: YAML")

    class _Loader(yaml.SafeLoader):  # type: ignore[misc, name-defined]
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            _once([key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode) and key.value != "<<"])
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, _Loader)  # noqa: S506  a safe loader
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def _once(names: list[str]) -> None:
    """Refuse a duplicate field, since only one could count."""
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise ValueError(f"{shown(twice)} is given twice; give it once")


# --- values of fields; `what` names the field in messages ----------------------------------------------------------------


def check_fields(fields: Mapping[Any, Any], of: type, where: str = "") -> None:
    """Refuse a field that the dataclass `of` lacks; the message starts with `where`.

    Raises:
        ValueError: names the unknown field, a similar one, and all fields of the dataclass.
    """
    names = [field.name for field in dataclasses.fields(of)]
    for name in fields:
        if name not in names:
            raise ValueError(
                f"{where}unknown field {shown(name)}{did_you_mean(name, names)}; the fields are: {', '.join(names)}"
            )


def field_text(value: Any, what: str) -> str:
    """A text, number or date as text, stripped; "" for None.

    Raises:
        ValueError: another value.
    """
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool) or not isinstance(value, (str, int, float, type(None))):
        raise ValueError(f"{what} must be text; got {describe(value)}; put it into quotes")
    return "" if value is None else str(value).strip()


def field_names(value: Any, what: str) -> tuple[str, ...]:
    """A list of distinct names, or a single name; () for None.

    Raises:
        ValueError: a value of another type, or an empty name.
    """
    names = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"{what} must be a list of names, such as [f1, exact_match]; got {describe(value)}")
    return tuple(dict.fromkeys(names))


def field_table(value: Any, what: str) -> dict[str, Any]:
    """A mapping of fields to values, with names as text; {} for None.

    Raises:
        ValueError: another value.
    """
    if value is not None and not isinstance(value, Mapping):
        raise ValueError(f"{what} must contain fields and values; got {describe(value)}")
    return {str(name): own for name, own in (value or {}).items()}
