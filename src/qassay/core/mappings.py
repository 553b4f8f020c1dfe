"""Reads files of fields and values that users write, YAML or JSON."""

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import import_optional
from .options import did_you_mean
from .shown import shown


def read_mapping(path: "str | os.PathLike[str]") -> dict[str, Any]:
    """The fields of a file: JSON if its name ends with .json, else YAML.

    Raises:
        ValueError: the file cannot be read, or contains something other than fields. ImportError: a YAML file if PyYAML
            is not installed.
    """
    name = os.fspath(path)
    is_json = name.lower().endswith(".json")
    yaml = None if is_json else import_optional("yaml", f"{name}: YAML", '"qassay[hub]"')
    try:
        with open(name, encoding="utf-8-sig") as file:
            fields = json.load(file) if yaml is None else yaml.safe_load(file)
    except FileNotFoundError as error:
        raise ValueError(f"{name}: there is no such file") from error
    except (ValueError, RecursionError, *(() if yaml is None else (yaml.YAMLError,))) as error:
        raise ValueError(
            f"{name}: not a valid {'JSON' if is_json else 'YAML'} file: {' '.join(str(error).split())}"
        ) from error
    if not isinstance(fields, dict):
        raise ValueError(f"{name}: the file must contain fields and values, such as 'name: value'")
    return fields


def check_names(fields: Mapping[Any, Any], known: Iterable[str], where: str = "") -> None:
    """Refuse a field that is not among the known names; the message starts with `where`.

    Raises:
        ValueError: with the field, the nearest known name, and all known names.
    """
    known = list(known)
    for name in fields:
        if name not in known:
            raise ValueError(
                f"{where}unknown field {shown(name)}{did_you_mean(name, known)}; available: {', '.join(known)}"
            )
