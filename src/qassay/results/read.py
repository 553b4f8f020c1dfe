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
        text = (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode("utf-8")
        found = json.loads(text)
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
    room, _, version = FORMAT.partition("/")
    if not isinstance(form, str) or not form.startswith(f"{room}/"):
        raise ValueError(f"this is not a result document; {_MAKE}")
    if form != FORMAT:
        raise ValueError(f"this is a result document of version {form.partition('/')[2]}, and this qassay reads {version}; "
                         "update qassay")  # fmt: skip
    lacking = [name for name in _FIELDS if name not in document]
    if lacking:
        raise ValueError(f"the result document has no {lacking[0]}; make it again")
    if not isinstance(document["parts"], list) or not document["parts"]:
        raise ValueError("the result document has no parts; make it again")
    for number, part in enumerate(document["parts"]):
        try:
            sizes = [*_sizes(part)]
        except (KeyError, TypeError, AttributeError) as error:
            problem = (
                f"has no field {error}" if isinstance(error, KeyError) else f"has a field of another type ({error})"
            )
            raise ValueError(f"parts[{number}] {problem}; make the document again") from error
        for field, size, expected in sizes:
            if size != expected:
                raise ValueError(
                    f"parts[{number}].{field} has {size} items and must have {expected}; make the document again"
                )
    return document


def _sizes(part: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    """Field, its number of items, and the number that it must have."""
    examples = part["examples"]
    n = len(examples["ids"])
    for name in ("has_text", "question", "gold", "context"):
        if examples[name] is not None:
            yield f"examples.{name}", len(examples[name]), n
    for system, columns in examples["systems"].items():
        for name in ("answers", "kinds", "whole", "documents"):
            if columns.get(name) is not None:
                yield f"examples.systems.{system}.{name}", len(columns[name]), n
        for measure, values in columns["values"].items():
            yield f"examples.systems.{system}.values.{measure}", len(values), n
    for slicing in part["slices"]:
        where, labels = f"slices.{slicing['name']}", len(slicing["labels"])
        codes = slicing["codes"]
        for column in codes.values() if isinstance(codes, dict) else [codes]:
            yield f"{where}.codes", len(column), n
        for measures in slicing["values"].values():
            for measure, of in measures.items():
                for field, values in of.items():
                    yield f"{where}.values.{measure}.{field}", len(values), labels
        for one in slicing["comparisons"]:
            for field, values in one.items():
                if isinstance(values, list):
                    yield f"{where}.comparisons.{field}", len(values), labels
    for curve in part["curves"]:
        for field in ("y", "n", "answered"):
            if curve.get(field) is not None:
                yield f"curves.{curve['name']}.{field}", len(curve[field]), len(curve["x"])
