"""Broken files of every kind through the command line: each ends in a result, or in one clear line that names a file.

    python benchmarks/fuzz_files.py --files 3000 [--seed 0] [--kind trec] [--keep FOLDER]

A file of a sample is changed: bytes flipped, cut, doubled; lines swapped, doubled, deleted; columns swapped; other
encodings, byte order marks and line ends; numbers made huge, negative or NaN; JSON values replaced, keys renamed or
doubled; gzip and Parquet cut. Then `qassay score` or `qassay compare` reads it, in this process. It is a failure when the
exit status is neither 0 with output nor 2 with one line on stderr, when that line names no file or has words of Python
or Arrow in it, when an exception comes through, and when a call takes more than 5 seconds of CPU time.
"""

import argparse
import collections
import contextlib
import gzip
import io
import json
import random
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from fuzz_samples import Sample, samples

from qassay.cli import main as qassay

SECONDS = 5  # of CPU time that a call may take
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_NUMBERS = (
    b"9" * 400, b"9" * 5000, b"1e999", b"-1e999", b"NaN", b"-Infinity", b"nan", b"inf", b"-1", b"-7.5", b"0", b"1e308",
    b"9223372036854775808", b"4294967296", b"2147483647", b"1_000", b"0x10", b"1e-400", b"", b"\xef\xbc\x91",
)  # fmt: skip
_VALUES = (
    None, True, False, [], {}, [[]], [None], {"a": None}, "", "x", "\ud800", "\0", 0, -1, 0.5, 10**30, 10**400, float("nan"),
    float("inf"), [1, "a"], {"text": ["x"]}, [{"text": "x"}], {"text": [1]}, [{"text": None}], "NaN", "é" * 50,
)  # fmt: skip
# What only Python, numpy or Arrow would say.
_RAW = re.compile(
    r"Traceback|NoneType|object is not|has no attribute|not subscriptable|unhashable|could not convert|invalid literal|"
    r"codec can't|Expecting |Extra data|list ind|must be real|not supported between|unexpected keyword|dict_keys|<class|"
    r"[Pp]yarrow|numpy|Arrow|ufunc|broadcast|too (?:big|large) to convert|integer string conversion|cannot convert|"
    r"unsupported operand|positional argument|field larger|Invalid:|Error\b|could not be|slice ind|this is a defect|"
    r"Could not|Failed|Unexpected|CSV parse|keyword|zero-size|infs or NaNs|C long|range object|math domain|iterable"
)


class Failure(NamedTuple):
    """What went wrong with a call, and the text that shows it."""

    problem: str
    text: str


class TooSlow(BaseException):
    """A call takes more CPU time than it may."""


# --- mutations --------------------------------------------------------------------------------------------------------


def mutate(draw: random.Random, data: bytes) -> tuple[str, bytes]:
    """A changed file, and the name of what was changed; now and then by several changes, or gzipped."""
    names = []
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        name = draw.choice(list(_MUTATIONS))
        data = _MUTATIONS[name](draw, data)
        names.append(name)
    if draw.random() < 0.1:
        data = gzip.compress(data)
        names.append("gzip")
        if draw.random() < 0.5:
            name = draw.choice(["cut", "flip"])
            data = _MUTATIONS[name](draw, data)
            names.append(name)
    return "+".join(names), data


def _flip(draw: random.Random, data: bytes) -> bytes:
    changed = bytearray(data or b" ")
    for _ in range(draw.choice([1, 1, 3, 10])):
        changed[draw.randrange(len(changed))] = draw.choice([0, 9, 10, 13, 34, 44, 58, 255, draw.randrange(256)])
    return bytes(changed)


def _part(draw: random.Random, data: bytes) -> tuple[int, int]:
    start = draw.randrange(len(data) + 1)
    return start, min(len(data), start + draw.choice([1, 5, 50, len(data)]))


def _delete(draw: random.Random, data: bytes) -> bytes:
    start, end = _part(draw, data)
    return data[:start] + data[end:]


def _double(draw: random.Random, data: bytes) -> bytes:
    start, end = _part(draw, data)
    return data[:end] + data[start:]


def _lines(change: Callable[[random.Random, list[bytes]], None]) -> Callable[[random.Random, bytes], bytes]:
    def changed(draw: random.Random, data: bytes) -> bytes:
        lines = data.split(b"\n")
        change(draw, lines)
        return b"\n".join(lines)

    return changed


def _swap_lines(draw: random.Random, lines: list[bytes]) -> None:
    first, second = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]


def _swap_columns(draw: random.Random, data: bytes) -> bytes:
    separator = max([b"\t", b",", b" ", b":"], key=data.count)
    lines = data.split(b"\n")
    rows = range(len(lines)) if draw.random() < 0.5 else [draw.randrange(len(lines))]
    first, second = draw.randrange(6), draw.randrange(6)
    for row in rows:
        cells = lines[row].split(separator)
        if max(first, second) < len(cells):
            cells[first], cells[second] = cells[second], cells[first]
        lines[row] = separator.join(cells)
    return b"\n".join(lines)


def _encode(draw: random.Random, data: bytes) -> bytes:
    name = draw.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1", "utf-7", "cp037"])
    return data.decode("utf-8", "replace").encode(name, "replace")


def _number(draw: random.Random, data: bytes) -> bytes:
    found = list(_NUMBER.finditer(data))
    if not found:
        return data
    for match in sorted(draw.sample(found, min(len(found), draw.choice([1, 1, 2]))), key=lambda m: -m.start()):
        data = data[: match.start()] + draw.choice(_NUMBERS) + data[match.end() :]
    return data


def _json(draw: random.Random, data: bytes) -> bytes:
    """A value, a key or an item of a JSON file, or of one of its lines, is another."""
    lines, row = [data], 0
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        lines = data.split(b"\n")
        row = draw.randrange(len(lines))
        try:
            value = json.loads(lines[row])
        except (ValueError, RecursionError):
            return data
    parts = _containers(value)
    if not parts:
        return json.dumps(draw.choice(_VALUES)).encode()
    part = draw.choice(parts)
    key = draw.choice(list(part) if isinstance(part, dict) else range(len(part)))
    what = draw.choice(["value", "value", "value", "delete", "rename", "again", "nest", "number"])
    if what == "value":
        part[key] = draw.choice(_VALUES)
    elif what == "delete":
        del part[key]
    elif what == "number":
        part[key] = "!number!"
    elif what == "nest":
        part[key] = json.loads("[" * 50 + "]" * 50)
    elif isinstance(part, list):
        part.append(part[key])
    elif what == "rename":
        part[draw.choice(["x", "id", "answer", "", "\ud800", "data", "query", "label"])] = part.pop(key)
    else:
        part[f"!again!{key}"] = draw.choice([part[key], *_VALUES])
    text = json.dumps(value, ensure_ascii=draw.random() < 0.5).replace("!again!", "")
    text = text.replace('"!number!"', draw.choice(_NUMBERS).decode())
    lines[row] = text.encode("utf-8", "surrogatepass")
    return b"\n".join(lines)


def _containers(value: Any) -> list:
    """The lists and objects in a JSON value that are not empty, and the value itself."""
    found, waiting = [], [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, (list, dict)) and part:
            found.append(part)
            waiting += part.values() if isinstance(part, dict) else part
    return found


_MUTATIONS: dict[str, Callable[[random.Random, bytes], bytes]] = {
    "flip": _flip,
    "cut": lambda draw, data: data[: draw.randrange(len(data) + 1)],
    "delete": _delete,
    "double": _double,
    "swap lines": _lines(_swap_lines),
    "double a line": _lines(lambda draw, lines: lines.insert(0, draw.choice(lines))),
    "delete a line": _lines(lambda draw, lines: lines.pop(draw.randrange(len(lines)))),
    "swap columns": _swap_columns,
    "encode": _encode,
    "line ends": lambda draw, data: data.replace(b"\n", draw.choice([b"\r\n", b"\r", b"\n\n", b" \n", b""])),
    "byte order mark": lambda draw, data: (
        draw.choice([b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0"]) + data
    ),
    "number": _number,
    "many numbers": lambda draw, data: _number(draw, _number(draw, _number(draw, data))),
    "json": _json,
    "more json": lambda draw, data: _json(draw, _json(draw, data)),
    "nothing": lambda draw, data: draw.choice(
        [b"", b"\xef\xbb\xbf", b"\n\n", b"\0", b"{}", b"[]", b"null", b"[" * 100_000]
    ),
}


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


def check(sample: Sample, folder: Path, command: str = "score") -> Failure | None:
    """What is wrong with the call of a sample whose files are in a folder; None where it is as it should be."""
    previous = signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        code, out, err = call(sample.arguments(folder, command))
    except TooSlow:
        return Failure("slow", f"more than {SECONDS} s")
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return Failure(f"{type(error).__name__}", traceback.format_exc())
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
    notes = [line for line in err.splitlines() if not line.startswith("qassay: note: ")]
    if code == 0:
        if not out.strip():
            return Failure("no output", err)
        return Failure("words on stderr", err) if notes else None
    if code != 2 or out:
        return Failure(f"exit status {code}", f"{out}\n{err}")
    if len(err.splitlines()) != 1 or not err.startswith("qassay: error: "):
        return Failure("not one line", err)
    # Two files that do not go together are named as systems are, without their folder and ending.
    if not any(str(folder / name) in err or f"{Path(name).stem} and " in err for name in sample.files):
        return Failure("no file named", err)
    for name in sample.files:
        err = err.replace(str(folder / name), "FILE").replace(Path(name).stem, "FILE")
    found = _RAW.search(err)
    if found:
        return Failure(f"raw words: {found[0]}", err)
    return Failure("a long line", err) if len(err) > 1000 else None


def _stop(number: int, frame: Any) -> None:
    raise TooSlow


def mutated(sample: Sample, draw: random.Random) -> tuple[str, Sample]:
    """The sample with one of its files changed, and what was changed."""
    name = draw.choice(list(sample.files))
    changes, data = mutate(draw, sample.files[name])
    return f"{name}: {changes}", Sample({**sample.files, name: data}, sample.options, sample.probabilities)


def fuzz(kinds: dict[str, Sample], n_files: int, seed: int, folder: Path) -> list[tuple[str, Sample, Failure]]:
    """The failures among changed files: where they come from, the files, and what went wrong."""
    failures = []
    for number in range(n_files):
        draw = random.Random(f"{seed}/{number}")
        kind = list(kinds)[number % len(kinds)]
        what, sample = mutated(kinds[kind], draw)
        for name, data in sample.files.items():
            (folder / name).write_bytes(data)
        systems = len(sample.files) - 1 - sample.probabilities
        command = "compare" if systems > 1 and draw.random() < 0.3 else "score"
        failure = check(sample, folder, command)
        if failure:
            failures.append((f"{kind} {number} ({what}), {command}", sample, failure))
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=list(samples()), help="only this kind of files")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the files of each failure there")
    parser.add_argument("--show", type=int, default=20, help="how many failures to show")
    arguments = parser.parse_args()
    kinds = samples() if arguments.kind is None else {arguments.kind: samples()[arguments.kind]}
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        failures = fuzz(kinds, arguments.files, arguments.seed, Path(folder))
    for where, sample, failure in failures[: arguments.show]:
        print(f"--- {where}: {failure.problem}\n{failure.text[-2000:]}")
        if arguments.keep:
            kept = arguments.keep / re.sub(r"\W+", "_", where)
            kept.mkdir(parents=True, exist_ok=True)
            for name, data in sample.files.items():
                (kept / name).write_bytes(data)
    problems = collections.Counter(failure.problem for _, _, failure in failures)
    seconds = time.process_time() - start
    print(f"{arguments.files} files of {len(kinds)} kinds, {len(failures)} failures, {seconds:.0f} s of CPU time")
    for problem, count in problems.most_common():
        print(f"{count:6} {problem}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
