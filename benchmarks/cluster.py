"""qassay.cluster on a Ray cluster on this machine against a stream: throughput, memory, growth with the number of rows.

Data are random with fixed seeds, in Parquet files. The first run checks 100,000 pairs against one machine: the numbers must be
equal. CPU seconds include all processes, the driver and Ray's own too; memory is the maximum of a worker without its mapped object
store, as counted by Linux. (`python -m benchmarks coverage --tables sums` simulates the coverage of the intervals of keep="sums".)
"""

import argparse
import logging
import os
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import ray
from ray.cluster_utils import Cluster

import qassay

from .measure import Table, in_megabytes

PACKAGES = ("ray",)
NODES, STORE = 2, 3000  # nodes of one processor each, MB of the object store of each
RESAMPLES = 1000
FILE_ROWS = 500_000
BATCH = 1 << 16  # rows of a stream
TICKS = os.sysconf("SC_CLK_TCK")


def run(args: argparse.Namespace) -> Iterator[Table]:
    nodes = start()
    some = (200_000, 10_000_000) if args.full else (2000, 20_000)
    rows, growth, checked = [], {}, 100_000 if args.full else 2000
    with tempfile.TemporaryDirectory() as folder:
        check(checked, Path(folder))
        for how, job in WAYS.items():
            files = [written(size, Path(folder)) for size in some]
            job(files[0])  # its workers start
            small, large = (watched(job, each) for each in files)
            growth[how] = (large.cpu - small.cpu) / (some[1] - some[0])
            for size, found, each in ((some[0], small, ""), (some[1], large, f"{growth[how] * 1e6:.1f} us")):
                cells = [f"{found.wall:.1f} s", f"{found.cpu:.1f} s", each]
                peak = in_megabytes(found.megabytes) if found.megabytes else ""
                rows.append([f"answer pairs, {how}", f"{size:,}", *cells, peak])
                print(*rows[-1], flush=True)
    yield Table("streams", ["", "rows", "wall", "CPU", "CPU of each further row", "peak of a worker"], rows)
    each = growth["cluster, sums"]
    row = ["answer pairs", f"{each * 1e9 / 3600:.1f} hours", f"{each * 1e9 / 1600:.1f} s"]
    yield Table("billion", ["a billion", "one core", "100 nodes of 16 cores"], [row])
    ray.shutdown()
    nodes.shutdown()


def in_stream(folder: str) -> None:
    """One process: batches of rows to a stream, and all intervals at the end."""
    stream = qassay.stream("answer_match")
    for path in sorted(Path(folder).iterdir()):
        for batch in pq.ParquetFile(path).iter_batches(BATCH):
            stream.add(predictions=batch["prediction"], references=batch["references"], ids=batch["id"])
    stream.interval(n_resamples=RESAMPLES)


def in_scores(folder: str) -> None:
    qassay.cluster.score(folder, concurrency=NODES).interval(n_resamples=RESAMPLES)


def in_sums(folder: str, **columns: str) -> Any:
    found = qassay.cluster.score(folder, keep="sums", concurrency=NODES, columns=columns)
    found.interval(n_resamples=RESAMPLES)
    return found


WAYS: dict[str, Callable[[str], Any]] = {
    "a stream": in_stream,
    "cluster, scores": in_scores,
    "cluster, sums": in_sums,
    "cluster, sums, in groups": lambda folder: in_sums(folder, groups="text"),
}


def check(n: int, folder: Path) -> None:
    """Check that a cluster has the same numbers as one machine."""
    found, table = in_sums(written(n, folder)), pairs(0, n)
    expected = qassay.score("answer_match", table["prediction"], table["references"], ids=table["id"])
    if found.summary() != expected.summary():
        sys.exit(f"{found.summary()} on the cluster, {expected.summary()} on one machine")


def start() -> Cluster:
    store = {"object_store_memory": STORE * 2**20, "include_dashboard": False}
    keep = {"idle_worker_killing_time_threshold_ms": 600_000, "num_workers_soft_limit": 2 * NODES}  # start workers once
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "_system_config": keep, **store})
    for _ in range(NODES - 1):
        nodes.add_node(num_cpus=1, **store)
    ray.init(address=nodes.address, logging_level="error", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    return nodes


def pairs(first: int, count: int) -> pa.Table:
    """Answers of one to four words with one or two gold answers, many with common words; texts have 20 words."""
    rng = np.random.default_rng(first)
    words = np.array([f"{a}{b}{c}" for a in "bdfghklmnprst" for b in "aeiou" for c in "lnrst"], object)
    phrases = np.array([" ".join(rng.choice(words, rng.integers(1, 5))) for _ in range(20_000)], object)
    ends = np.concatenate([[0], np.cumsum(1 + (np.arange(count) % 3 == 0))])
    golds = rng.integers(0, len(phrases), ends[-1])
    answer = np.where(rng.random(count) < 0.4, golds[ends[:-1]], rng.integers(0, len(phrases), count))
    return pa.table(
        {
            "id": np.arange(first, first + count),
            "text": [f"text {row // 20}" for row in range(first, first + count)],
            "prediction": pa.array(phrases[answer]),
            "references": pa.ListArray.from_arrays(pa.array(ends, pa.int32()), pa.array(phrases[golds])),
        }
    )


def written(count: int, folder: Path) -> str:
    """A folder of files with a number of rows, which are made once."""
    path = folder / str(count)
    if not path.exists():
        path.mkdir()
        for first in range(0, count, FILE_ROWS):
            pq.write_table(pairs(first, min(FILE_ROWS, count - first)), path / f"{first:012}.parquet")
    return str(path)


class Watched(NamedTuple):
    wall: float
    cpu: float
    megabytes: float


def watched(job: Callable[[str], Any], folder: str) -> Watched:
    """Time, CPU time of this process and its children, and the maximum memory of Ray's workers."""
    cpu, peak, done = dict[int, float](), [0.0], threading.Event()
    before = {pid: seconds for pid, (seconds, _, _) in processes().items()}

    def look() -> None:
        while not done.wait(0.25):
            for pid, (seconds, megabytes, is_worker) in processes().items():
                cpu[pid] = seconds - before.get(pid, 0.0)
                peak[0] = max(peak[0], megabytes if is_worker else 0.0)

    watcher = threading.Thread(target=look)
    watcher.start()
    begin = time.perf_counter()
    try:
        job(folder)
    finally:
        wall = time.perf_counter() - begin
        time.sleep(0.3)
        done.set()
        watcher.join()
    return Watched(wall, sum(cpu.values()), peak[0])


def processes() -> dict[int, tuple[float, float, bool]]:
    """CPU seconds, unshared MB, and whether it is a Ray worker, for this process and its descendants (Linux)."""
    found, parents = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_worker = (folder / "cmdline").read_bytes().startswith(b"ray::")
            times = (folder / "stat").read_text("ascii", "replace").rpartition(")")[2].split()
            memory = re.search(r"RssAnon:\s*(\d+) kB", (folder / "status").read_text("ascii", "replace"))
        except (OSError, ProcessLookupError):  # it has ended
            continue
        pid, seconds = int(folder.name), (int(times[11]) + int(times[12])) / TICKS
        parents[pid] = int(times[1])
        found[pid] = (seconds, int(memory[1]) / 1024 if memory else 0.0, is_worker)

    def is_ours(pid: int) -> bool:
        return pid == os.getpid() or pid in parents and is_ours(parents[pid])

    return {pid: use for pid, use in found.items() if is_ours(pid)}
