"""qassay.cluster on a Ray cluster of this machine: throughput, memory, growth, and what a large cluster would take.

    python benchmarks/scale.py [--pairs 10000000] [--rows 50000000] [--nodes 2] [--resamples 1000]

Data are random, of fixed seeds, in Parquet files of a temporary folder; a tenth of each size runs too, for the growth.
Both results come back as sums with intervals (keep="sums"). The first run checks 100,000 pairs and 100,000 rows against
one machine: the numbers must be identical. CPU seconds are those of all Ray workers, memory is the largest of a worker
without what it maps of the object store, as Linux counts them.
"""

import argparse
import logging
import os
import re
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # one node, one processor

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import ray
from ray.cluster_utils import Cluster
from rich.console import Console
from rich.table import Table

import qassay

FILE_ROWS = 500_000
PARTITION_ROWS = 1_000_000  # of rankings that a worker has at a time
DEPTH = 1000  # documents per query
JUDGED = 20
CHECKED = 100_000
GIGABITS = 10  # of the network of the cluster that is spoken of
CONSOLE = Console(width=120)
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    args = arguments()
    nodes = start(args.nodes, args.store)
    table = Table("", "rows", "wall", "CPU", "rows/s", "us of CPU per row", "peak of a worker", title="keep='sums'")
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, make, job, size in (
            ("answer pairs", pairs, score_pairs, args.pairs),
            ("rows of rankings", rankings, score_rankings, args.rows),
        ):
            check(name, make, job, Path(folder))
            for count in (size // 10, size):
                files = written(make, count, Path(folder) / f"{name}-{count}".replace(" ", "-"))
                found = watched(lambda job=job, files=files: job(files, args.resamples))
                measured[name, count] = found
                micro = found.cpu / count * 1e6
                cells = (f"{found.wall:.1f} s", f"{found.cpu:.1f} s", f"{count / found.wall:,.0f}", f"{micro:.2f}")
                table.add_row(name, f"{count:,}", *cells, f"{found.megabytes:,.0f} MB")
    CONSOLE.print(table)
    CONSOLE.print(outlook(measured, args))
    ray.shutdown()
    nodes.shutdown()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10_000_000)
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--nodes", type=int, default=2, help="of one processor each")
    parser.add_argument("--store", type=int, default=3000, help="megabytes of the object store of each node")
    parser.add_argument("--resamples", type=int, default=1000)
    return parser.parse_args()


def start(count: int, megabytes: int) -> Cluster:
    store = {"object_store_memory": megabytes * 2**20, "include_dashboard": False}
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **store})
    for _ in range(count - 1):
        nodes.add_node(num_cpus=1, **store)
    ray.init(address=nodes.address, logging_level="error", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    return nodes


def pairs(first: int, count: int) -> pa.Table:
    """Answers of one to four words, and one or two gold answers each, of which many share words."""
    rng = np.random.default_rng(first)
    words = np.array([f"{a}{b}{c}" for a in "bdfghklmnprst" for b in "aeiou" for c in "lnrst"], object)
    phrases = np.array([" ".join(rng.choice(words, rng.integers(1, 5))) for _ in range(20_000)], object)
    ends = np.concatenate([[0], np.cumsum(1 + (np.arange(count) % 3 == 0))])
    golds = rng.integers(0, len(phrases), ends[-1])
    answer = np.where(rng.random(count) < 0.4, golds[ends[:-1]], rng.integers(0, len(phrases), count))
    return pa.table(
        {
            "id": np.arange(first, first + count),
            "prediction": pa.array(phrases[answer]),
            "references": pa.ListArray.from_arrays(pa.array(ends, pa.int32()), pa.array(phrases[golds])),
        }
    )


def rankings(first: int, count: int) -> pa.Table:
    """A run of some queries in any order of rows, 1,000 documents each, ids of text."""
    rng = np.random.default_rng(first)
    order = rng.permutation(count)
    query = pa.array((first + order) // DEPTH).cast(pa.string())
    document = pa.array(order % DEPTH * 7919 + 10_000_000).cast(pa.string())
    return pa.table({"qid": query, "docid": document, "score": rng.random(count)})


def judgements(count: int) -> pa.Table:
    queries = np.repeat(np.arange(count // DEPTH), JUDGED)
    places = np.random.default_rng(7).integers(0, DEPTH // JUDGED, len(queries))
    places = places + np.tile(np.arange(JUDGED), count // DEPTH) * (DEPTH // JUDGED)
    document = pa.array(places * 7919 + 10_000_000).cast(pa.string())
    return pa.table({"qid": pa.array(queries).cast(pa.string()), "docid": document, "relevance": places % 3})


def written(make, count: int, folder: Path) -> tuple[str, int]:
    """A folder of files with so many rows."""
    folder.mkdir()
    for first in range(0, count, FILE_ROWS):
        pq.write_table(make(first, min(FILE_ROWS, count - first)), folder / f"{first:012}.parquet")
    return str(folder), count


def score_pairs(files: tuple[str, int], resamples: int):
    return qassay.cluster.score(files[0], keep="sums", n_resamples=resamples)


def score_rankings(files: tuple[str, int], resamples: int):
    settings = {"qrels": judgements(files[1]), "measures": ["mrr@10", "map", "ndcg@10", "recall@100"]}
    partitions = max(4, files[1] // PARTITION_ROWS)
    return qassay.cluster.score(
        files[0], "retrieval_ranking", keep="sums", n_resamples=resamples, partitions=partitions, **settings
    )


def check(name: str, make, job, folder: Path) -> None:
    """The numbers of a cluster are those of one machine."""
    found = job(written(make, CHECKED, folder / f"check-{name}".replace(" ", "-")), 0)
    table = make(0, CHECKED)
    if make is pairs:
        expected = qassay.score("answer_match", table["prediction"], table["references"], ids=table["id"])
    else:
        measures = ["mrr@10", "map", "ndcg@10", "recall@100"]
        expected = qassay.score("retrieval_ranking", table, judgements(CHECKED), measures=measures)
    if found.summary() != expected.summary():
        raise SystemExit(f"{name}: {found.summary()} on the cluster, {expected.summary()} on one machine")


class Watched(NamedTuple):
    wall: float
    cpu: float
    megabytes: float


def watched(job) -> Watched:
    """Time, CPU time and the largest memory of Ray's workers while a job runs."""
    before, cpu, peak, done = workers(), {}, [0.0], threading.Event()

    def look() -> None:
        while not done.wait(0.25):
            for pid, (seconds, megabytes) in workers().items():
                cpu[pid] = seconds - before.get(pid, (0.0, 0.0))[0]
                peak[0] = max(peak[0], megabytes)

    watcher = threading.Thread(target=look)
    watcher.start()
    begin = time.perf_counter()
    try:
        job()
    finally:
        wall = time.perf_counter() - begin
        time.sleep(0.3)
        done.set()
        watcher.join()
    return Watched(wall, sum(cpu.values()), peak[0])


def workers() -> dict[int, tuple[float, float]]:
    """CPU seconds and megabytes of their own of each worker of Ray (Linux)."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if not (folder / "cmdline").read_bytes().startswith(b"ray::"):
                continue
            times = (folder / "stat").read_text("ascii", "replace").rpartition(")")[2].split()
            memory = re.search(r"RssAnon:\s*(\d+) kB", (folder / "status").read_text("ascii", "replace"))
        except (OSError, ProcessLookupError):  # it has ended
            continue
        found[int(folder.name)] = ((int(times[11]) + int(times[12])) / TICKS, int(memory[1]) / 1024 if memory else 0.0)
    return found


def outlook(measured: dict, args: argparse.Namespace) -> str:
    """What a billion rows would take on a large cluster, from what was measured here."""
    parts = []
    for name, size in (("answer pairs", args.pairs), ("rows of rankings", args.rows)):
        found, small = measured[name, size], measured[name, size // 10]
        each = (found.cpu - small.cpu) / (size - size // 10)  # without what it takes to start the workers
        parts.append(
            f"{name}: each further row takes {each * 1e6:.2f} us of CPU; 10 times the rows take "
            f"{found.cpu / small.cpu:.1f} times the CPU and {found.megabytes / small.megabytes:.1f} times the memory of a "
            f"worker. A billion take {each * 1e9 / 3600:.1f} hours of one such processor, {each * 1e9 / 1600:.0f} s on 100 "
            "nodes of 16."
        )
    row = rankings(0, FILE_ROWS).nbytes / FILE_ROWS
    seconds = row * 1e9 / (100 * GIGABITS / 8 * 1e9)
    parts.append(
        f"The shuffle moves {row:.0f} bytes per row of a ranking, {row:.0f} GB for a billion: {row / 100 * 1000:.0f} MB "
        f"to and from each of 100 nodes, {seconds:.1f} s at {GIGABITS} Gbit/s if the network were all. The memory of a "
        "worker follows the size of a block or partition; what reaches the caller does not grow with the rows, but for 8 "
        "bytes per id, to compare up to 33 million. Measured are the times and bytes here; that 100 nodes share the work "
        "evenly, and what Ray itself needs to run so many tasks, is not."
    )
    return "\n".join(parts)


if __name__ == "__main__":
    main()
