"""Broken files of every kind, read by the command line, and checks of the results.

A file of a sample is changed, then `qassay score` or `qassay compare` reads it, in this process. Failures are: an exit status other than 0
with output or 2 with one line on stderr; a line that names no file or contains words of Python or Arrow; an exception.
"""

import bz2
import contextlib
import dataclasses
import gzip
import io
import json
import lzma
import random
import re
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow

from qassay.cli import main as qassay
from qassay.cli.errors import WRITTEN

from .file_samples import Sample

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_NUMBERS = (
    b"9" * 400, b"9" * 5000, b"1e999", b"-1e999", b"NaN", b"-Infinity", b"nan", b"inf", b"-1", b"-7.5", b"0", b"1e308",
    b"9223372036854775808", b"4294967296", b"2147483647", b"1_000", b"0x10", b"1e-400", b"", b"\xef\xbc\x91",
)  # fmt: skip
_PACKERS: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: gzip.compress(data, 1),
    bz2.compress,
    lambda data: lzma.compress(data, preset=0),
    lambda data: pyarrow.compress(data, "zstd", asbytes=True),
)
_VALUES = (
    None, True, False, [], {}, [[]], json.loads("[" * 50 + "]" * 50), [None], {"a": None}, "", "x", "\ud800", "\0", 0, -1, 0.5,
    10**30, 10**400, float("nan"), float("inf"), [1, "a"], {"text": ["x"]}, [{"text": "x"}], {"text": [1]}, [{"text": None}],
    "NaN", "é" * 50,
)  # fmt: skip
# Words that only Python, numpy or Arrow use.
_RAW = re.compile(
    r"Traceback|NoneType|object is not|has no attribute|not subscriptable|unhashable|could not convert|invalid literal|"
    r"codec can't|Expecting |Extra data|list ind|must be real|not supported between|unexpected keyword|dict_keys|<class|"
    r"[Pp]yarrow|numpy|(?<!or )Arrow(?! file)|ufunc|broadcast|too (?:big|large) to convert|integer string conversion|cannot convert|"
    r"unsupported operand|positional argument|field larger|Invalid:|Error\b|could not be|slice ind|this is a defect|"
    r"Could not|Failed|Unexpected|CSV parse|keyword|zero-size|infs or NaNs|C long|range object|math domain|iterable"
)


class Failure(NamedTuple):
    """The failure of a call, and the text that shows it."""

    problem: str
    text: str


# --- changes ----------------------------------------------------------------------------------------------------------


def changed(draw: random.Random, data: bytes) -> bytes:
    """A changed file; sometimes several changes, or packed and then cut."""
    for change in draw.choices(_CHANGES, k=draw.choice([1, 1, 1, 2, 3])):
        data = change(draw, data)
    if draw.random() < 0.1:
        data = draw.choice(_PACKERS)(data)
        data = _cut(draw, data) if draw.random() < 0.5 else data
    return data


def _splice(draw: random.Random, data: bytes) -> bytes:
    """A part is deleted, doubled, damaged or replaced by a few bytes that mean something."""
    start = draw.randrange(len(data) + 1)
    end = start + draw.choice([1, 1, 5, 50, 256, len(data)])
    part = data[start:end]
    few = bytes(draw.choice([0, 9, 10, 13, 34, 44, 58, 255]) for _ in range(draw.choice([1, 1, 3])))
    return data[:start] + draw.choice([b"", part * 2, draw.randbytes(len(part)), few]) + data[end:]


def _cut(draw: random.Random, data: bytes) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _encode(draw: random.Random, data: bytes) -> bytes:
    name = draw.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1", "utf-7", "cp037"])
    return data.decode("utf-8", "replace").encode(name, "replace")


def _numbers(draw: random.Random, data: bytes) -> bytes:
    found = list(_NUMBER.finditer(data))
    for match in sorted(draw.sample(found, min(len(found), draw.choice([1, 1, 2, 5]))), key=lambda m: -m.start()):
        data = data[: match.start()] + draw.choice(_NUMBERS) + data[match.end() :]
    return data


def _nothing(draw: random.Random, data: bytes) -> bytes:
    return draw.choice([b"", b"\xef\xbb\xbf", b"\n\n", b"\0", b"{}", b"[]", b"null", b"[" * 10**5])


def _json(draw: random.Random, data: bytes) -> bytes:
    """Replace, delete, rename or double a value, a key or an item of a JSON file, or of one of its lines."""
    for lines in ([data], data.split(b"\n")):
        row = draw.randrange(len(lines))
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(lines[row])
            break
    else:
        return data
    parts = _containers(value)
    if not parts:
        return json.dumps(draw.choice(_VALUES)).encode()
    part = draw.choice(parts)
    key = draw.choice(list(part) if isinstance(part, dict) else range(len(part)))
    what = draw.choice(["value", "value", "value", "delete", "rename", "again", "number"])
    if what == "value":
        part[key] = draw.choice(_VALUES)
    elif what == "delete":
        del part[key]
    elif what == "number":
        part[key] = "!number!"
    elif isinstance(part, list):
        part.append(part[key])
    elif what == "rename":
        part[draw.choice(["x", "id", "answer", "", "data", "query", "label"])] = part.pop(key)
    else:
        part[f"!again!{key}"] = draw.choice([part[key], *_VALUES])
    text = json.dumps(value, ensure_ascii=draw.random() < 0.5).replace("!again!", "")
    text = text.replace('"!number!"', draw.choice(_NUMBERS).decode())
    lines[row] = text.encode("utf-8", "surrogatepass")
    return b"\n".join(lines)


def _containers(value: Any) -> list:
    """The nonempty lists and objects in a JSON value, including the value itself."""
    if not isinstance(value, (list, dict)) or not value:
        return []
    return [
        value,
        *(found for part in (value.values() if isinstance(value, dict) else value) for found in _containers(part)),
    ]


_CHANGES = (_splice, _splice, _splice, _cut, _encode, _numbers, _numbers, _json, _json, _json, _nothing)


# --- calls ------------------------------------------------------------------------------------------------------------


def call(arguments: list[str]) -> tuple[int, str, str]:
    """Exit status, output and errors of a call of the command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("always")
        try:
            code = qassay(arguments)
        except SystemExit as stop:
            code = stop.code
    return code, out.getvalue(), err.getvalue()


def check(sample: Sample, folder: Path, command: str = "score") -> str | Failure:
    """Call the command with the files of a sample; "scored" or "refused" if it behaves properly, otherwise a failure."""
    try:
        code, out, err = call(sample.arguments(folder, command))
    except Exception as error:
        return Failure(f"{type(error).__name__}", traceback.format_exc())
    passed = ("qassay: note: ", "qassay: warning: ", WRITTEN)
    told = [line for line in err.splitlines() if not line.startswith(passed)]
    if code == 0:
        if not out.strip():
            return Failure("no output", err)
        return Failure("words on stderr", err) if told else "scored"
    if code != 2 or out:
        return Failure(f"exit status {code}", f"{out}\n{err}")
    if len(told) != 1 or not told[0].startswith("qassay: error: "):
        return Failure("not one line", err)
    err = told[0]
    # Two files that do not match are named like systems, without folder and ending.
    if not any(str(folder / name) in err or f"{Path(name).stem} and " in err for name in sample.files):
        return Failure("no file named", err)
    for name in sample.files:
        err = err.replace(str(folder / name), "FILE").replace(Path(name).stem, "FILE")
    found = _RAW.search(err)
    if found:
        return Failure(f"raw words: {found[0]}", err)
    return Failure("a long line", err) if len(err) > 1000 else "refused"


def try_file(kind: str, sample: Sample, number: int, folder: Path) -> tuple[str, str | Failure]:
    """Change a file of a sample and score or compare it: what was called, and "scored", "refused" or a failure."""
    draw = random.Random(f"{kind} 20 {number}")
    name = draw.choice(list(sample.files))
    sample = dataclasses.replace(sample, files={**sample.files, name: changed(draw, sample.files[name])})
    for one, data in sample.files.items():
        (folder / one).write_bytes(data)
    systems = len(sample.files) - 1 - sample.probabilities
    command = "compare" if systems > 1 and draw.random() < 0.3 else "score"
    return f"{command} with another {name}", check(sample, folder, command)
