"""Measures qassay.cluster on a Ray cluster on this machine, compared with a stream: throughput, memory, growth.

    python benchmarks/scale.py [--pairs 10000000] [--rows 50000000] [--nodes 2] [--resamples 1000] [--page]
    python benchmarks/scale.py --coverage      # coverage of the intervals of keep="sums", by simulation; needs no Ray

Data are random with fixed seeds, in Parquet files of a temporary folder. Runs with 200,000 pairs, and with a tenth of
the rows of rankings, measure the growth. The first run checks 100,000 pairs and 100,000 rows against one machine: the
numbers must be identical. CPU seconds include all processes, the driver and Ray's own too; memory is the maximum of a
worker without its mapped object store, as counted by Linux. With --page, the tables streams and billion of
docs/benchmarks.md are replaced too.
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
from unittest import mock

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # one node, one processor

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import ray
from page_tables import Shown, add_page_option, check_page_option, put
from ray.cluster_utils import Cluster
from rich.console import Console
from rich.table import Table
from timing import conditions

import qassay
from qassay.cluster import PartialSums, sums

FILE_ROWS = 500_000
FEW_PAIRS = 200_000
DEPTH = 1000  # documents per query
JUDGED = 20
CHECKED = 100_000
BATCH = 1 << 16  # rows of a stream
CONSOLE = Console(width=120)
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    args = arguments()
    if args.coverage:
        CONSOLE.print(coverage(args.runs))
        return
    print(conditions(("ray",)))
    nodes = start(args.nodes, args.store)
    table = Table("", "how", "rows", "wall", "CPU", "us of CPU per row", "each further row", "peak of a worker")
    measured: dict[tuple[str, str, int], Watched] = {}
    with tempfile.TemporaryDirectory() as folder:
        plans = [("answer pairs", pairs, how, (FEW_PAIRS, args.pairs)) for how in PAIRS if how in args.how]
        plans += [("rows of rankings", rankings, RANKINGS, (args.rows // 10, args.rows))] if args.rows else []
        check("answer pairs", pairs, in_sums, Path(folder))
        if args.rows:
            check("rows of rankings", rankings, score_rankings, Path(folder))
        for name, make, how, sizes in plans:
            job = score_rankings if how == RANKINGS else PAIRS[how]
            for count in dict.fromkeys(sizes):
                files = written(make, count, Path(folder) / f"{name}-{count}".replace(" ", "-"))
                if count == sizes[0]:
                    job(files, args.resamples)  # its workers start
                found = watched(lambda job=job, files=files: job(files, args.resamples))
                measured[name, how, count] = found
                further = ""
                if count > sizes[0]:  # without the start of workers
                    each = (found.cpu - measured[name, how, sizes[0]].cpu) / (count - sizes[0])
                    further = f"{each * 1e6:.2f} us"
                cells = (f"{found.wall:.1f} s", f"{found.cpu:.1f} s", f"{found.cpu / count * 1e6:.2f}", further)
                table.add_row(name, how, f"{count:,}", *cells, f"{found.megabytes:,.0f} MB")
                CONSOLE.print(f"{name}, {how}, {count:,}: {found.wall:.1f} s, {found.cpu:.1f} s of CPU")
    CONSOLE.print(table)
    if args.page:
        put(args.page, "streams", page_table(measured), ("ray",))
        put(args.page, "billion", billion_table(measured, args), ("ray",))
    ray.shutdown()
    nodes.shutdown()


def in_stream(files: tuple[str, int], resamples: int):
    """One process: batches of rows to a stream, and all intervals at the end."""
    stream = qassay.stream("answer_match")
    for path in sorted(Path(files[0]).iterdir()):
        for batch in pq.ParquetFile(path).iter_batches(BATCH):
            stream.add(predictions=batch["prediction"], references=batch["references"], ids=batch["id"])
    return stream.interval(n_resamples=resamples)


def in_scores(files: tuple[str, int], resamples: int):
    return qassay.cluster.score(files[0], concurrency=len(ray.nodes())).interval(n_resamples=resamples)


def in_sums(files: tuple[str, int], resamples: int, **columns: str):
    found = qassay.cluster.score(files[0], keep="sums", concurrency=len(ray.nodes()), columns=columns)
    found.interval(n_resamples=resamples)
    return found


PAIRS = {
    "a stream": in_stream,
    "cluster, scores": in_scores,
    "cluster, sums": in_sums,
    "cluster, sums, in groups": lambda files, resamples: in_sums(files, resamples, groups="text"),
}
RANKINGS = "cluster, sums, shuffled"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=10_000_000)
    parser.add_argument("--rows", type=int, default=50_000_000, help="of rankings; 0 for none")
    parser.add_argument("--nodes", type=int, default=2, help="of one processor each")
    parser.add_argument("--store", type=int, default=3000, help="megabytes of the object store of each node")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--how", nargs="+", default=list(PAIRS), choices=list(PAIRS), help="of answer pairs")
    parser.add_argument("--coverage", action="store_true", help="of intervals, by simulation")
    parser.add_argument("--runs", type=int, default=2000, help="of a simulation")
    add_page_option(parser)
    args = parser.parse_args()
    check_page_option(parser, args, "pairs", "rows", "nodes", "store", "resamples", "how", "coverage")
    return args


def coverage(runs: int) -> Table:
    """The coverage of 95 % intervals of buckets, for exact match and F1, with new answers in each sample.

    Answers are drawn from 5,000 scored pairs, whose means are the truth, singly or in groups of 1 to 20 with similar
    scores; names differ in each sample. With fewer buckets than groups, groups share buckets.
    """
    pool = qassay.score("answer_match", *(pairs(0, 5000)[name].to_pylist() for name in ("prediction", "references")))
    names, rng = ("exact_match", "f1"), np.random.default_rng(1)
    truth, measures = pool.summary(names), {name: pool.measures[name] for name in ("exact_match", "f1")}
    table = Table(
        "what", "buckets", "runs", *names, title="share of 95 % intervals of keep='sums' that hold the true value"
    )
    plans = [(f"{n:,} examples", n, False, 14) for n in (500, 5000, 50_000)]
    plans += [(f"{n:,} groups", n, True, bits) for n, bits in ((35, 14), (35, 5), (400, 14), (400, 8), (1600, 8))]
    for what, n, in_groups, bits in plans:
        held = dict.fromkeys(names, 0)
        with mock.patch.object(sums, "BUCKET_BITS", bits):
            for run in range(runs):
                rows = rng.integers(0, 5000, n)
                if in_groups:  # half of the examples of a group have the score of its first example
                    group = np.repeat(np.arange(n), rng.integers(1, 21, n))
                    rows = np.where(rng.random(len(group)) < 0.5, rows[group], rng.integers(0, 5000, len(group)))
                columns = {name: pool.columns[name][rows] for name in names}
                ids = range(run * len(rows), run * len(rows) + len(rows))
                drawn = qassay.Scores(ids=ids, columns=columns, measures=measures, options=pool.options)
                if in_groups:
                    drawn = drawn.with_groups([f"{run} {number}" for number in group.tolist()])
                for name, (low, high) in PartialSums.of(drawn).interval().items():
                    held[name] += low <= truth[name] <= high
        table.add_row(what, f"{1 << bits:,}", f"{runs:,}", *(f"{held[name] / runs:.1%}" for name in names))
    return table


def start(count: int, megabytes: int) -> Cluster:
    store = {"object_store_memory": megabytes * 2**20, "include_dashboard": False}
    keep = {"idle_worker_killing_time_threshold_ms": 600_000, "num_workers_soft_limit": 2 * count}  # start workers once
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "_system_config": keep, **store})
    for _ in range(count - 1):
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


def rankings(first: int, count: int) -> pa.Table:
    """A run of some queries with 1,000 documents each, rows in random order, ids as text."""
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
    """A folder of files with a number of rows."""
    if folder.exists():
        return str(folder), count
    folder.mkdir()
    for first in range(0, count, FILE_ROWS):
        pq.write_table(make(first, min(FILE_ROWS, count - first)), folder / f"{first:012}.parquet")
    return str(folder), count


def score_rankings(files: tuple[str, int], resamples: int):
    settings = {"qrels": judgements(files[1]), "measures": ["mrr@10", "map", "ndcg@10", "recall@100"]}
    return qassay.cluster.score(files[0], "retrieval_ranking", keep="sums", **settings)


def check(name: str, make, job, folder: Path) -> None:
    """Check that a cluster has the same numbers as one machine."""
    found = job(written(make, CHECKED, folder / f"check-{name}".replace(" ", "-")), 9)
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
        job()
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

    return {pid: told for pid, told in found.items() if is_ours(pid)}


def page_table(measured: dict[tuple[str, str, int], Watched]) -> Shown:
    """The table streams of the page."""
    rows, smaller = [], {}
    for (name, how, count), found in measured.items():
        before = smaller.setdefault((name, how), (count, found.cpu))
        each = f"{(found.cpu - before[1]) / (count - before[0]) * 1e6:.1f} us" if count > before[0] else ""
        peak = f"{found.megabytes:,.0f} MB" if found.megabytes else ""
        rows.append([f"{name}, {how}", f"{count:,}", f"{found.wall:.1f} s", f"{found.cpu:.1f} s", each, peak])
    return Shown("", ["", "rows", "wall", "CPU", "CPU of each further row", "peak of a worker"], rows)


def billion_table(measured: dict[tuple[str, str, int], Watched], args: argparse.Namespace) -> Shown:
    """The table billion of the page: a billion rows, extrapolated from the CPU time of each further row."""
    rows, moved = [], rankings(0, FILE_ROWS).nbytes / FILE_ROWS * 1e9 / 100 / 1e6
    for name, how, small, size in growths(args):
        each = (measured[name, how, size].cpu - measured[name, how, small].cpu) / (size - small)
        shuffled = f"{moved:,.0f} MB" if how == RANKINGS else ""
        rows.append([name, f"{each * 1e9 / 3600:.1f} hours", f"{each * 1e9 / 1600:.1f} s", shuffled])
    return Shown("", ["a billion", "one core", "100 nodes of 16 cores", "to and from each node"], rows)


def growths(args: argparse.Namespace) -> tuple[tuple[str, str, int, int], ...]:
    """Name, method, and the two numbers of rows whose CPU times give the time of each further row."""
    return (
        ("answer pairs", "cluster, sums", FEW_PAIRS, args.pairs),
        ("rows of rankings", RANKINGS, args.rows // 10, args.rows),
    )


if __name__ == "__main__":
    main()
