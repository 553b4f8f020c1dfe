"""What the benchmarks share: CPU time, memory, the check that programs agree, and tables."""

import math
import multiprocessing
import os
import platform
import re
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Way(NamedTuple):
    """A program that computes numbers.

    Attributes:
        call: what is timed.
        read: the result of `call` -> name -> number, array, or text; names that another way lacks are not compared.
        tolerance: the largest difference from the first way's numbers; 0 for equality.
    """

    call: Callable[[], Any]
    read: Callable[[Any], Mapping[str, Any]] = dict
    tolerance: float = 1e-12


class Times(dict):
    """Name -> seconds or megabytes; NaN for what was not measured, because it is not here."""

    def __missing__(self, name: str) -> float:
        return math.nan


def compare(title: str, ways: Mapping[str, Way], repeats: int) -> Times:
    """Median CPU seconds of programs that return the same numbers as the first; ends at the first difference."""
    outputs, times = timed({name: way.call for name, way in ways.items()}, repeats)
    found = {name: way.read(outputs[name]) for name, way in ways.items()}
    base = next(iter(ways))
    for name, numbers in found.items():
        for key in numbers.keys() & found[base].keys():
            one, other = numbers[key], found[base][key]
            if differ(one, other, ways[name].tolerance):
                sys.exit(f"{title}: {key} of {name} is {one!r}, of {base} {other!r}")
        if numbers and not numbers.keys() & found[base].keys():
            sys.exit(f"{title}: {name} has none of the numbers of {base}")
    head = [f"{title}", "CPU seconds", f"times {base}"]
    show(Table("", head, [[name, f"{each:.4g}", f"{each / times[base]:.1f}"] for name, each in times.items()]))
    return times


def differ(one: Any, other: Any, tolerance: float) -> bool:
    """Whether numbers or arrays differ by more than a tolerance, or values at all with a tolerance of 0."""
    if not tolerance or one is None or other is None:
        return bool(one != other)
    one, other = np.asarray(one, np.float64), np.asarray(other, np.float64)
    return one.shape != other.shape or not bool((abs(one - other) <= tolerance).all())


def timed(calls: Mapping[str, Callable[[], Any]], repeats: int) -> tuple[dict[str, Any], Times]:
    """The results of functions and their median CPU seconds; the functions alternate, and a first call does not count."""
    outputs = {name: call() for name, call in calls.items()}
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            start = cpu_seconds()
            call()
            seconds[name].append(cpu_seconds() - start)
    return outputs, Times({name: statistics.median(each) for name, each in seconds.items()})


def cpu_seconds() -> float:
    """CPU time so far of this process, its threads, and its finished child processes."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class Peak(NamedTuple):
    """What a function used in a process of its own: peak memory in MB, CPU seconds, and its result."""

    megabytes: float
    seconds: float
    result: Any


def in_process(call: Callable[..., Any], *args: Any) -> Peak:
    """Call a function of a module in a new process (Linux)."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_watched, (call, *args))


def _watched(call: Callable[..., Any], *args: Any) -> Peak:
    start = cpu_seconds()
    result = call(*args)
    # Not getrusage: its peak is the parent's if the parent was larger when this process started.
    peak = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    return Peak(int(peak[1]) / 1024, cpu_seconds() - start, result)


class Table(NamedTuple):
    """A table: its name on a page ("" if on none), names of columns, rows, and a line above and below."""

    name: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    below: str = ""

    def markdown(self) -> str:
        """Markdown; columns of numbers, except the first column, are aligned right."""
        columns = [*zip(*self.rows, strict=True)][1:]
        signs = ["---:" if all(re.match(r"$|[-−+*.\d]", cell) for cell in column) else "---" for column in columns]
        lines = [self.head, ["---", *signs], *self.rows]
        text = "\n".join("|" + "".join(f" {cell} |" if cell else " |" for cell in line) for line in lines)
        return text.replace("<", "&lt;")  # a page would hide a tag


def show(table: Table) -> None:
    parts = [f"### {table.title}" if table.title else "", table.markdown(), table.below]
    print("\n" + "\n\n".join(filter(None, parts)), flush=True)


ABSENT = "–"  # a cell of what was not measured


def faster(peer: float, ours: float, of_peer: bool = False) -> str:
    """Our time, or with `of_peer` the peer's time, and the ratio of the peer's time to ours."""
    return ABSENT if math.isnan(peer / ours) else f"{in_seconds(peer if of_peer else ours)}, {times_of(peer / ours)}"


def times_of(ratio: float) -> str:
    return ABSENT if math.isnan(ratio) else f"**{ratio:.1f}x**" if ratio < 9.95 else f"**{ratio:.0f}x**"


def in_seconds(seconds: float) -> str:
    return ABSENT if math.isnan(seconds) else f"{seconds:.3g} s" if seconds < 999.5 else f"{seconds:,.0f} s"


def in_megabytes(size: float) -> str:
    return ABSENT if math.isnan(size) else f"{size:,.0f} MB"


def conditions(packages: Iterable[str]) -> str:
    """Date, machine and versions of a measurement, for the line below a table of a page."""
    info = Path("/proc/cpuinfo")
    model = re.search(r"^model name\s*: (.+)$", info.read_text("utf-8"), re.MULTILINE) if info.is_file() else None
    machine = f"{os.cpu_count()} x {model[1] if model else platform.machine()}, {platform.system()},"
    versions = [f"{name} {_version(name)}" for name in ("qassay", "numpy", "pyarrow", *packages)]
    python = f"Python {platform.python_version()}"
    return f"{date.today().isoformat()} on {machine} with {', '.join([python, *versions])}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
