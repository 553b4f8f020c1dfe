"""Fuzzing by one command: random calls of every family and changed files of every kind, in several processes.

    python benchmarks/fuzz.py --calls 100000 --files 10000 --workers 2 [--seed 0] [--state FILE] [--defects FILE]

Each case ends in a right result, one clear error, or a defect, which is shown with the shortest call or file that has
it. With --state a stopped run continues. `--family NAME --first N --calls 1` repeats one call, `--kind NAME --first N
--files 1` one file. A fixed defect becomes a line of tests/fuzz/test_calls.py or tests/files/test_found_by_fuzz.py.
fuzz_calls.py and fuzz_files.py define right results and clear errors.
"""

import argparse
import contextlib
import json
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import fuzz_calls
import fuzz_files
from call_cases import MAKERS, Call
from fuzz_samples import samples
from hostile_calls import hostile_values

CASES_AT_ONCE = 250
LONGEST = 60.0  # CPU seconds for one call with all its checks
MOST_MEMORY = 3 << 30  # bytes; a call that needs more is a defect
_ENDS = {"defined": "right by definition", "scored": "right by invariants", "refused": "clear errors"}


class Chunk(NamedTuple):
    """Some cases of one family of calls, or of one kind of files.

    Attributes:
        sort: "calls" or "files".
        name: of the family or kind.
        first, count: the numbers of the cases.
    """

    sort: str
    name: str
    seed: int
    first: int
    count: int

    def text(self) -> str:
        return json.dumps(self)


class Found(NamedTuple):
    """The result of a chunk: how its cases ended, the defects as texts, the CPU seconds."""

    ends: dict[str, int]
    defects: list[str]
    seconds: float


class Endless(BaseException):
    """A call took too long."""


# --- in a worker ------------------------------------------------------------------------------------------------------


def prepare() -> None:
    """Limit the memory of a worker, and import modules, so that calls do not include these imports."""
    with contextlib.suppress(ImportError):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))


def try_chunk(chunk: Chunk) -> Found:
    """Try the cases of a chunk; imports are not counted."""
    fuzz_calls.module_of(chunk.name) if chunk.sort == "calls" else samples()
    start = time.process_time()
    ends, defects = (_try_calls if chunk.sort == "calls" else _try_files)(chunk)
    return Found(dict(ends), defects, time.process_time() - start)


def _try_calls(chunk: Chunk) -> tuple[Counter, list[str]]:
    ends: Counter = Counter()
    defects = []
    fuzz_calls.module_of(chunk.name)
    values = hostile_values()
    for number in range(chunk.first, chunk.first + chunk.count):
        random, shown = f"{chunk.name} {chunk.seed} {number}", []
        try:
            with _ending(LONGEST):
                ends[fuzz_calls.try_call(chunk.name, Random(random), values, shown)] += 1
        except (Exception, Endless) as defect:  # noqa: BLE001 - of the checks too
            ends["defects"] += 1
            where = f"--family {chunk.name} --seed {chunk.seed} --first {number} --calls 1"
            defects.append(f"{where}\n    {defect!r:.1000}\n    {shortest(shown[0]) if shown else ''}")
    return ends, defects


def shortest(call: Call) -> Call:
    """The call without options and rows that its defect does not need; unchanged if the defect is random."""

    def problem(one: Call) -> str | None:
        try:
            fuzz_calls.outcome(lambda: fuzz_calls.score(one))
            if isinstance(one.columns.get("references"), list):
                fuzz_calls.check_definition(one)
        except fuzz_calls.Defect as defect:
            return str(defect).partition(":")[0]
        except Exception as error:  # noqa: BLE001 - a smaller call may fail in other ways
            return type(error).__name__
        return None

    wanted = problem(call)
    shrinks = wanted is not None
    while shrinks:
        shrinks = False
        for other in _smaller(call):
            if problem(other) == wanted:
                call, shrinks = other, True
                break
    return call


def _smaller(call: Call) -> Iterator[Call]:
    for name in call.options:
        yield Call(call.family, call.columns, {one: call.options[one] for one in call.options if one != name})
    for name in call.columns:
        if name not in ("predictions", "references"):
            yield Call(call.family, {one: call.columns[one] for one in call.columns if one != name}, dict(call.options))
    rows = call.columns.get("references")
    for row in range(len(rows) if isinstance(rows, list) else 0):
        if len(rows) > 1 and all(isinstance(column, list) for column in call.columns.values()):
            columns = {name: column[:row] + column[row + 1 :] for name, column in call.columns.items()}
            yield Call(call.family, columns, call.options)


@contextlib.contextmanager
def _ending(seconds: float) -> Iterator[None]:
    """Stop a call that takes more CPU time than this."""

    def stop(number: int, frame: Any) -> None:
        raise Endless(f"not ended after {seconds:g} s")

    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def _try_files(chunk: Chunk) -> tuple[Counter, list[str]]:
    ends: Counter = Counter()
    defects = []
    sample = samples()[chunk.name]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(chunk.first, chunk.first + chunk.count):
            try:
                what, changed, end = fuzz_files.try_file(chunk.name, sample, chunk.seed, number, Path(folder))
            except Exception:  # noqa: BLE001 - of the checks themselves
                what, changed, end = "?", sample, fuzz_files.Failure("a check fails", traceback.format_exc())
            if isinstance(end, str):
                ends[end] += 1
                continue
            ends["defects"] += 1
            where = f"--kind {chunk.name} --seed {chunk.seed} --first {number} --files 1"
            files = {name: data for name, data in changed.files.items() if data != sample.files[name]}
            defects.append(f"{where}\n    {what}: {end.problem}\n    {end.text[-1500:]}\n    {files!r:.1500}")
    return ends, defects


# --- the command ------------------------------------------------------------------------------------------------------


def chunks(given: argparse.Namespace) -> list[Chunk]:
    """All chunks, families and kinds in turn, so that a stopped run has tried some of each."""
    found = []
    for sort, names, total in (
        ("calls", given.family or ([] if given.kind else list(MAKERS)), given.calls),
        ("files", given.kind or ([] if given.family else list(samples())), given.files),
    ):
        each = -(-total // len(names)) if sort == "files" and names and not given.kind else total
        for name in names:
            for first in range(given.first, given.first + each, CASES_AT_ONCE):
                count = min(CASES_AT_ONCE, given.first + each - first)
                found.append(Chunk(sort, name, given.seed, first, count))
    return sorted(found, key=lambda chunk: chunk.first)


def try_all(waiting: list[Chunk], workers: int) -> Iterator[tuple[Chunk, Found]]:
    """Each chunk with its result, in order of completion; a chunk that kills its process is divided to find the case."""
    while waiting:
        broken = []
        with ProcessPoolExecutor(workers, get_context("spawn"), prepare) as pool:
            running = {pool.submit(try_chunk, chunk): chunk for chunk in waiting}
            for ended in as_completed(running):
                try:
                    yield running[ended], ended.result()
                except BrokenProcessPool:
                    broken.append(running[ended])
        # All waiting chunks fail together with the faulty chunk: each runs alone, and the faulty chunk in halves.
        waiting = []
        for chunk in broken:
            if len(broken) > 1 or chunk.count > 1:
                for part in [chunk] if len(broken) > 1 else _halves(chunk):
                    yield from try_all([part], 1)
            else:
                where = f"{chunk.sort} {chunk.name} --seed {chunk.seed} --first {chunk.first}"
                yield chunk, Found({"defects": 1}, [f"{where}\n    the process died"], 0.0)


def _halves(chunk: Chunk) -> list[Chunk]:
    half = chunk.count // 2
    return [chunk._replace(count=half), chunk._replace(first=chunk.first + half, count=chunk.count - half)]


def main(arguments: list[str] | None = None) -> int:
    """The command; its exit status is 1 if there are defects."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=100_000, help="of each family (100000)")
    parser.add_argument("--files", type=int, default=10_000, help="of all kinds together (10000)")
    parser.add_argument("--family", choices=sorted(MAKERS), action="append", help="only calls of this one")
    parser.add_argument("--kind", choices=sorted(samples()), action="append", help="only files of this kind")
    parser.add_argument("--seed", type=int, default=0, help="of all cases")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case of each family and kind")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    parser.add_argument("--state", type=Path, help="a file that says what was tried, and that a later run goes on with")
    parser.add_argument("--defects", type=Path, help="a file that gets the defects; they are shown anyway")
    given = parser.parse_args(arguments)
    done: dict[Chunk, Found] = {}
    if given.state and given.state.exists():
        for line in given.state.read_text("utf-8").splitlines():
            chunk, found = json.loads(line)
            done[Chunk(*chunk)] = Found(*found)
    wanted = chunks(given)
    totals: dict[tuple[str, str], Counter] = {(chunk.sort, chunk.name): Counter() for chunk in wanted}
    left = Counter((chunk.sort, chunk.name) for chunk in wanted)

    def add(chunk: Chunk, found: Found) -> None:
        key = (chunk.sort, chunk.name)
        totals[key].update(found.ends)
        totals[key]["cases"] += chunk.count
        totals[key]["seconds"] += found.seconds
        left[key] -= 1
        if not left[key]:
            print(_line(chunk.sort, chunk.name, totals[key]), flush=True)

    for chunk in wanted:
        if chunk in done:
            add(chunk, done[chunk])
    waiting = [chunk for chunk in wanted if chunk not in done]
    for chunk, found in try_all(waiting, given.workers):
        for defect in found.defects:
            print(defect, flush=True)
            if given.defects:
                with given.defects.open("a", encoding="utf-8", errors="backslashreplace") as file:
                    file.write(f"{defect}\n")
        if given.state:
            with given.state.open("a", encoding="utf-8") as file:
                file.write(json.dumps([chunk, found]) + "\n")
        add(chunk, found)
    for sort in ("calls", "files"):
        every = sum((total for (one, _), total in totals.items() if one == sort), Counter())
        if every:
            print(_line(sort, "all", every))
    return int(any(total["defects"] for total in totals.values()))


def _line(sort: str, name: str, total: Counter) -> str:
    ends = ", ".join(f"{total[end]:,} {words}" for end, words in _ENDS.items() if sort == "calls" or end != "defined")
    speed = total["cases"] / max(total["seconds"], 1e-9)
    return f"{name}: {total['cases']:,} {sort}, {ends}, {total['defects']:,} defects ({speed:.0f} a second of the processor)"


if __name__ == "__main__":
    sys.exit(main())
