"""Files in which people write fields and values: YAML or JSON."""

import json
import os
from typing import Any

from .errors import import_yaml
from .shown import shown


def read_fields(
    path: "str | os.PathLike[str]", example: str, advice: str = "name a file that is there"
) -> dict[str, Any]:
    """The fields of a file: JSON where its name ends with .json, else YAML.

    Args:
        example: a line of such a file, for messages.
        advice: what to do where there is no such file.

    Raises:
        ValueError: no such file, a file that cannot be read, a field that is given twice, or something else than fields.
        ImportError: a YAML file where PyYAML is not installed.
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
    if not isinstance(tree, dict):
        raise ValueError(f"{name}: the file must hold fields and values, such as '{example}'")
    return tree


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
    """Refuse a name that is given twice, since only one could count."""
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise ValueError(f"{shown(twice)} is given twice; give it once")
