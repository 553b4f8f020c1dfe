"""Reads result documents from files, and checks that their columns fit together."""

import gzip
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from .document import FORMAT

_FIELDS = ("kind", "version", "scale", "systems", "parts", "remarks", "texts")
_MAKE = "give what `qassay score`, `compare` or `leaderboard` prints with --format json"

_OF_LABELS = ("titles", "repeats", "values", "comparisons", "ranks")  # columns of a slicing with an item per label


def read_document(path: "str | os.PathLike[str]") -> dict[str, Any]:
    """The result document of a file, which may be compressed with gzip.

    Raises:
        ValueError: not a result document, a document of a later version, or columns of different lengths. OSError: the file
            cannot be read.
    """
    name = os.fspath(path)
    with open(name, "rb") as file:
        content = file.read()
    try:
        found = json.loads((gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode("utf-8"))
    except (ValueError, EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{name}: this is not JSON ({error}); {_MAKE}") from error
    try:
        return check_document(found)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def check_document(document: Any) -> dict[str, Any]:
    """The document itself, whose format, fields and lengths of columns are checked; the schema says more.

    Raises:
        ValueError: naming the field that does not fit.
    """
    form = document.get("format") if isinstance(document, dict) else None
    name, _, version = FORMAT.partition("/")
    if not isinstance(form, str) or not form.startswith(f"{name}/"):
        raise ValueError(f"this is not a result document; {_MAKE}")
    if form != FORMAT:
        raise ValueError(f"this is a result document of version {form.partition('/')[2]}, and this qassay reads {version}; "
                         "update qassay")  # fmt: skip
    for name in _FIELDS:
        if name not in document or name == "parts" and not document[name]:
            raise ValueError(f"the result document has no {name}; make it again")
    for number, part in enumerate(document["parts"]):
        try:
            wrong = [f".{field} has {n} items and must have {of}" for field, n, of in _columns(part) if n != of]
        except KeyError as error:
            wrong = [f" has no field {error}"]
        except (TypeError, AttributeError) as error:
            wrong = [f" has a field of another type ({error})"]
        if wrong:
            raise ValueError(f"parts[{number}]{wrong[0]}; make the document again")
    return document


def _columns(part: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    """Each column of a part, its number of items, and the number that it must have."""
    examples = part["examples"]
    n = len(examples["ids"])
    yield from ((where, size, n) for where, size in _lists("examples", examples))
    for slicing in part["slices"]:
        where, of_labels = f"slices.{slicing['name']}", {name: slicing[name] for name in _OF_LABELS}
        yield from ((column, size, n) for column, size in _lists(where, {"codes": slicing["codes"]}))
        yield from ((column, size, len(slicing["labels"])) for column, size in _lists(where, of_labels))
    for curve in part["curves"]:
        points = {name: curve[name] for name in ("y", "n", "answered") if name in curve}
        yield from ((column, size, len(curve["x"])) for column, size in _lists(f"curves.{curve['name']}", points))


def _lists(where: str, tree: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """The lists in nested objects with their lengths; contexts and reasons are no columns."""
    for name, value in tree.items():
        if isinstance(value, list) and name != "contexts":
            yield f"{where}.{name}", len(value)
        elif isinstance(value, Mapping) and name != "reasons":
            yield from _lists(f"{where}.{name}", value)
