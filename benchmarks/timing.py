"""CPU time, peak memory and the conditions of a measurement, for the scripts of this folder."""

import os
import platform
import re
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import date
from importlib import metadata
from pathlib import Path


def timed(ways: dict[str, Callable], repeats: int) -> tuple[dict, dict[str, float]]:
    """The result of each function and its median CPU time, after a warm-up run; the functions alternate."""
    outputs = {name: way() for name, way in ways.items()}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            start = cpu_seconds()
            way()
            seconds[name].append(cpu_seconds() - start)
    return outputs, {name: statistics.median(values) for name, values in seconds.items()}


def cpu_seconds() -> float:
    """CPU time so far of this process, its threads, and its finished child processes."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_megabytes() -> float:
    """Peak memory of this process so far (Linux)."""
    # Not getrusage: its peak is the parent's if the parent was larger when this process started.
    peak = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    return int(peak[1]) / 1024


def conditions(packages: Sequence[str] = ()) -> str:
    """Date, machine and versions of this run in words, for the line below a table in docs/benchmarks.md."""
    versions = [f"{name} {_version(name)}" for name in ("qassay", "numpy", "pyarrow", *packages)]
    machine = f"{os.cpu_count()} x {_processor()}, {platform.system()},"
    python = f"Python {platform.python_version()}"
    return f"{date.today().isoformat()} on {machine} with {', '.join([python, *versions])}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    """The name of the processor on Linux, otherwise its type."""
    info = Path("/proc/cpuinfo")
    named = re.search(r"^model name\s*: (.+)$", info.read_text("utf-8"), re.MULTILINE) if info.is_file() else None
    return named[1] if named else platform.machine()
