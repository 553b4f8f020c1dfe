"""Compares retrieval_ranking with pytrec_eval, ir_measures, ranx and the trec_eval program: CPU time and memory, in one
run.

    python benchmarks/ranking.py [--trec-eval PROGRAM] [--repeats 5] [--quick] [--page]

PROGRAM is built from https://github.com/usnistgov/trec_eval ; its default is the environment variable QASSAY_TREC_EVAL.
State its compiler options with its times: `make` with its Makefile does not optimise, and -O3 in CFLAGS is faster. The
peers in Python (`pip install -e ".[bench]"`) take part if they are installed.

Times are CPU seconds of all threads and child processes, medians; the programs alternate, and the first run of each
(imports, numba's compilation) does not count. All start from the same judgements and run, and end with MRR@10, MAP,
nDCG@10, recall@1000 and P@10 of each query (commands also with only the means). These numbers are compared before a
time is printed, and the tables say how: for each query to 1e-12 with pytrec_eval, and to the four decimals that
trec_eval prints. ir_measures and ranx order ties differently: they are compared for each query of small cases without
ties to 1e-9, and by means of the large cases.

pytrec_eval and trec_eval have no cut-off for recip_rank. MRR@10 follows from it, because 1/rank >= 1/10 says whether
the rank is within 10; this takes almost no time. With --page, the table rankings of docs/benchmarks.md
is replaced too; this needs all peers.
"""

import argparse
import dataclasses
import functools
import importlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from page_tables import Measured, Shown, add_page_option, check_page_option, faster, in_seconds, put
from peers import installed
from pyarrow import csv
from ranking_data import (
    DEPTH,
    Case,
    Qrels,
    Run,
    msmarco_like,
    nested,
    pooled,
    shuffled_in_queries,
    with_long_ids,
    with_shuffled_dicts,
    without_ties,
)
from rich.console import Console
from rich.table import Table
from timing import conditions, cpu_seconds, peak_megabytes, timed

import qassay

# qassay's name -> pytrec_eval's, the trec_eval program's for -m, ranx's.
MEASURES = {
    "mrr@10": ("recip_rank", "recip_rank", "mrr@10"),
    "map": ("map", "map", "map"),
    "ndcg@10": ("ndcg_cut_10", "ndcg_cut.10", "ndcg@10"),
    "recall@1000": ("recall_1000", "recall.1000", "recall@1000"),
    "p@10": ("P_10", "P.10", "precision@10"),
}

FROM_DICTS = "qassay, dict of dicts"
FROM_ARROW = "qassay, Arrow columns"
PYTREC = "pytrec_eval, MRR@10 from recip_rank"
RANX = "ranx, conversion and evaluation"
IN_PROCESS = "qassay.files and qassay.score"
COMMAND = "qassay score, the means"
COMMAND_Q = "qassay score --format trec_eval -q"
PROGRAM = "trec_eval, the C program, the means"
PROGRAM_Q = "trec_eval -q, the C program"
PARSER = "pytrec_eval.parse_run and evaluate"

# How the numbers of a program are checked.
EACH_QUERY = "each query to 1e-12"
MEANS = "means to 0.002, small cases to 1e-9"
PRINTED = "what it prints, to 4 decimals"
REPORTED = "means to 1e-12"

PACKAGES = ("pytrec-eval-terrier", "ir-measures", "ranx")
CONSOLE = Console(width=140)

PerQuery = Mapping[str, Mapping[str, float]]  # measure -> query -> value


@dataclasses.dataclass(frozen=True)
class Way:
    """One program, or one call, that computes the numbers."""

    call: Callable[[], Any]
    read: Callable[[Any], PerQuery]  # of what `call` returns
    check: str = EACH_QUERY


def main() -> None:
    args = arguments()
    if args.peak:
        who, folder = args.peak
        print(json.dumps({"peak": memory_of(who, Path(folder)), "seconds": cpu_seconds()}))
        return
    print(conditions(PACKAGES))
    peers = {name: module for name in PEERS if (module := installed(name))}
    shrink = 20 if args.quick else 1
    for small in (without_ties(msmarco_like(100)), without_ties(pooled(50))):
        agree_for_each_query(small, peers)
    sparse, dense = msmarco_like(6980 // shrink), pooled(250 // shrink)
    large, pools = (faster_in_memory(case, peers, args.repeats) for case in (sparse, dense))
    sparse = Case(sparse.name, sparse.run_columns, sparse.qrels_columns)  # without the dicts
    changes = (with_shuffled_dicts, functools.partial(with_long_ids, size=20))
    others = [other_dicts(change(sparse), peers, args.repeats) for change in changes]
    with tempfile.TemporaryDirectory() as folder:
        files = from_files(sparse, Path(folder), peers, args)
        peaks = memory(sparse, Path(folder), peers)
        toy = cold(Path(folder), peers, args.repeats)
    if args.page:
        put(args.page, "rankings", page_table(large, pools, others, files, peaks, toy), PACKAGES)


def page_table(large: dict, pools: dict, others: list[dict], files: dict, peaks: dict, toy: dict) -> Shown:
    """The table rankings of the page: times of each program for each data set, and peaks of memory in MB."""
    large, pools, files, peaks, toy = map(Measured, (large, pools, files, peaks, toy))
    shuffled, long_ids = map(Measured, others)
    arrow, unsorted, ir = FROM_ARROW, f"{FROM_ARROW}, not sorted", "ir_measures, RR@10"

    def row(title: str, times: Measured, mine: str, peers: Sequence[str], program: str | None = None) -> list[str]:
        cells = [faster(times[mine], times[peer], of_peer=True) for peer in peers] + [""] * (3 - len(peers))
        last = faster(times[mine], times[program], of_peer=True) if program else ""
        return [title, in_seconds(times[mine]), *cells, last]

    return Shown(
        "",
        ["", "qassay", "pytrec_eval", "ir_measures", "ranx", "trec_eval"],
        [
            row(
                "6,980 queries x 1,000 documents, dicts in the order of the scores",
                large,
                FROM_DICTS,
                (PYTREC, ir, RANX),
            ),
            row("the same, dicts in any order", shuffled, FROM_DICTS, [PYTREC]),
            row("the same, sorted, ids of 20 characters instead of 8", long_ids, FROM_DICTS, [PYTREC]),
            row("the same, Arrow columns, sorted; the others from dicts", large, arrow, (PYTREC, ir, RANX)),
            row("the same, Arrow columns, not sorted", large, unsorted, [PYTREC]),
            row("250 queries x 1,000, 300 judged each, dicts", pools, FROM_DICTS, (PYTREC, ir, RANX)),
            row("the same, Arrow columns, sorted", pools, arrow, (PYTREC, ir, RANX)),
            row("6,980 x 1,000 as TREC files, each query, in Python", files, IN_PROCESS, [PARSER], PROGRAM_Q),
            row("the same, the command as a process, the means", files, COMMAND, [], PROGRAM),
            row("the same, the command as a process, each query (`-q`)", files, COMMAND_Q, [], PROGRAM_Q),
            [
                "peak memory, 6,980 x 1,000: Arrow columns in qassay, dicts in the others",
                *(f"{peaks[who]:,.0f} MB" for who in (arrow, *PEERS)),
                "",
            ],
            ["a toy example from a cold start", *(in_seconds(toy[who]) for who in ("qassay.score", *PEERS)), ""],
        ],
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trec-eval", metavar="PROGRAM", default=os.environ.get("QASSAY_TREC_EVAL"))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the data")
    parser.add_argument("--peak", nargs=2, help=argparse.SUPPRESS)
    add_page_option(parser)
    args = parser.parse_args()
    check_page_option(parser, args, "quick")
    if args.trec_eval and not os.access(args.trec_eval, os.X_OK):
        parser.error(f"--trec-eval {args.trec_eval}: there is no such program")
    # ranx has its lowest CPU time with one thread: more threads wait for each other.
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    return args


# From memory


def faster_in_memory(case: Case, peers: Mapping[str, Any], repeats: int) -> dict[str, float]:
    ways = qassay_ways(case)
    for name, module in peers.items():
        ways |= PEERS[name](module, case.run, case.qrels)
    _, times = agreeing(case.title, ways, repeats)
    show(f"{case.title}; CPU seconds, medians", times, (FROM_DICTS, FROM_ARROW), ways)
    return times


def other_dicts(case: Case, peers: Mapping[str, Any], repeats: int) -> dict[str, float]:
    """Compare with pytrec_eval only, for dicts with slower lookups."""
    ways = {FROM_DICTS: Way(lambda: ours(case.run, case.qrels), read_ours)}
    if "pytrec_eval" in peers:
        ways[PYTREC] = pytrec_ways(peers["pytrec_eval"], case.run, case.qrels)[PYTREC]
    _, times = agreeing(case.title, ways, repeats)
    show(f"{case.title}; CPU seconds, medians", times, (FROM_DICTS,), ways)
    return times


def agree_for_each_query(case: Case, peers: Mapping[str, Any]) -> None:
    """Compare each query with the peers on cases without ties."""
    expected = read_ours(ours(case.run, case.qrels))
    for name, module in peers.items():
        for title, way in PEERS[name](module, case.run, case.qrels).items():
            compare(f"{case.name}: {title}", way.read(way.call()), expected, 1e-9)


def ours(run: Any, qrels: Any) -> qassay.Scores:
    return qassay.score("retrieval_ranking", run, qrels, measures=list(MEASURES))


def qassay_ways(case: Case) -> dict[str, Way]:
    shuffled = shuffled_in_queries(case.run_columns)
    return {
        FROM_DICTS: Way(lambda: ours(case.run, case.qrels), read_ours),
        FROM_ARROW: Way(lambda: ours(case.run_columns, case.qrels_columns), read_ours),
        f"{FROM_ARROW}, not sorted": Way(lambda: ours(shuffled, case.qrels_columns), read_ours),
    }


def read_ours(scores: qassay.Scores) -> PerQuery:
    return {name: dict(zip(scores.ids, scores.columns[name].tolist(), strict=True)) for name in MEASURES}


def pytrec_ways(pytrec_eval, run: Run, qrels: Qrels) -> dict[str, Way]:
    names = {names[0] for names in MEASURES.values()}

    def cut() -> dict[str, dict[str, float]]:
        found = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
        for values in found.values():
            if values["recip_rank"] < 1 / 10:
                values["recip_rank"] = 0.0
        return found

    return {PYTREC: Way(cut, read_pytrec)}


def read_pytrec(found: PerQuery) -> PerQuery:
    return {
        name: {query: values[theirs] for query, values in found.items()} for name, (theirs, _, _) in MEASURES.items()
    }


def ir_measures_ways(ir_measures, run: Run, qrels: Qrels) -> dict[str, Way]:
    from ir_measures import AP, RR, P, R, nDCG

    names = {RR @ 10: "mrr@10", AP: "map", nDCG @ 10: "ndcg@10", R @ 1000: "recall@1000", P @ 10: "p@10"}

    def read(metrics) -> PerQuery:
        found: dict[str, dict[str, float]] = {}
        for metric in metrics:
            found.setdefault(names[metric.measure], {})[metric.query_id] = metric.value
        return found

    return {"ir_measures, RR@10": Way(lambda: list(ir_measures.iter_calc(list(names), qrels, run)), read, MEANS)}


def ranx_ways(ranx, run: Run, qrels: Qrels) -> dict[str, Way]:
    names = {theirs: name for name, (_, _, theirs) in MEASURES.items()}

    def call() -> PerQuery:
        converted = ranx.Run(run)
        ranx.evaluate(ranx.Qrels(qrels), converted, list(names))
        return converted.scores

    return {RANX: Way(call, lambda scores: {names[theirs]: values for theirs, values in scores.items()}, MEANS)}


# Memory is measured with the first call of each program.
PEERS = {"pytrec_eval": pytrec_ways, "ir_measures": ir_measures_ways, "ranx": ranx_ways}


def agreeing(title: str, ways: Mapping[str, Way], repeats: int) -> tuple[dict[str, PerQuery], dict[str, float]]:
    """The numbers and the times of programs that agree; otherwise exit with the first difference."""
    outputs, times = timed({name: way.call for name, way in ways.items()}, repeats)
    found = {name: way.read(outputs[name]) for name, way in ways.items()}
    expected = found[next(iter(ways))]
    for name, way in ways.items():
        compare(f"{title}: {name}", found[name], expected, 2e-3 if way.check == MEANS else 1e-12, way.check == MEANS)
    return found, times


def compare(title: str, found: PerQuery, expected: PerQuery, tolerance: float, means: bool = False) -> None:
    """Exit if a number of a query, or the mean of a measure, differs from qassay's."""
    for measure, values in found.items():
        theirs, mine = values, expected[measure]
        if theirs.keys() != mine.keys():
            raise SystemExit(f"{title}: {measure} has other queries")
        if means:
            theirs, mine = {"all": mean(theirs)}, {"all": mean(mine)}
        for query, value in theirs.items():
            if not abs(value - mine[query]) <= tolerance:
                raise SystemExit(f"{title}: {measure} of query {query} is {value!r}, in qassay {mine[query]!r}")


def mean(values: Mapping[str, float]) -> float:
    return sum(values.values()) / len(values)


# From files


def from_files(case: Case, folder: Path, peers: Mapping[str, Any], args: argparse.Namespace) -> dict[str, float]:
    run, qrels = write_trec(case, folder)
    json_out = folder / "means.json"
    qassay_score = [sys.executable, "-m", "qassay", "score", qrels, run, "--no-intervals", "--measures", *MEASURES]
    ways = {IN_PROCESS: Way(lambda: score_files(run, qrels), read_ours)}
    ways[COMMAND] = process([*qassay_score, "--format", "json", "--output", json_out], REPORTED)
    printing = {COMMAND_Q: [*qassay_score, "--format", "trec_eval", "-q"]}
    if "pytrec_eval" in peers:
        ways[PARSER] = Way(lambda: pytrec_files(peers["pytrec_eval"], run, qrels), read_pytrec)
    if args.trec_eval:
        program = [args.trec_eval, "-c", *(word for _, name, _ in MEASURES.values() for word in ("-m", name))]
        printing |= {PROGRAM: [*program, qrels, run], PROGRAM_Q: [*program, "-q", qrels, run]}
    else:
        print("without the trec_eval program: give --trec-eval PROGRAM")
    ways |= {name: process(command, PRINTED) for name, command in printing.items()}
    title = f"A TREC run file of {run.stat().st_size / 1e6:.0f} MB"
    found, times = agreeing(title, ways, args.repeats)
    expected = found[IN_PROCESS]
    check_command(title, json.loads(json_out.read_text("utf-8")), expected)
    for name, command in printing.items():
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        check_printed(f"{title}: {name}", text, expected, per_query="-q" in command)
    show(f"{title} to numbers, CPU seconds, medians", times, (IN_PROCESS, COMMAND, COMMAND_Q), ways)
    return times


def process(command: list, check: str) -> Way:
    """A process as a program; its numbers are checked once from its output."""
    quiet = functools.partial(subprocess.run, command, check=True, stdout=subprocess.DEVNULL)
    return Way(quiet, lambda _: {}, check)


def write_trec(case: Case, folder: Path) -> tuple[Path, Path]:
    rows, judged = case.run_columns, case.qrels_columns
    rank = np.arange(len(rows)) % DEPTH + 1
    run = [rows["query"], constant("Q0", rows), rows["document"], rank, rows["score"], constant("run", rows)]
    qrels = [judged["query"], constant("0", judged), judged["document"], judged["relevance"]]
    plain = csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
    for path, columns in ((folder / "run.txt", run), (folder / "qrels.txt", qrels)):
        csv.write_csv(pa.table({str(place): column for place, column in enumerate(columns)}), path, plain)
    return folder / "run.txt", folder / "qrels.txt"


def constant(text: str, rows: pa.Table) -> pa.Array:
    return pa.repeat(text, len(rows))


def score_files(run: Path, qrels: Path) -> qassay.Scores:
    from qassay.files import read_gold, read_predictions

    gold = read_gold(qrels)
    predictions = read_predictions(run, gold)
    return qassay.score(gold.metric, **gold.columns, **predictions.columns, **gold.options, measures=list(MEASURES))


def pytrec_files(pytrec_eval, run: Path, qrels: Path) -> dict[str, dict[str, float]]:
    with open(run, encoding="utf-8") as rows, open(qrels, encoding="utf-8") as judged:
        ways = pytrec_ways(pytrec_eval, pytrec_eval.parse_run(rows), pytrec_eval.parse_qrel(judged))
    return ways[PYTREC].call()


def check_command(title: str, report: Mapping[str, Any], expected: PerQuery) -> None:
    (cells,) = report["parts"][0]["values"].values()
    for measure in MEASURES:
        value = cells[measure]["value"]
        if not abs(value - mean(expected[measure])) <= 1e-12:
            raise SystemExit(f"{title}: {measure} of the command is {value!r}, not the mean")


def check_printed(title: str, text: str, expected: PerQuery, per_query: bool) -> None:
    """The output in the layout of trec_eval, with four decimals; the program has no mean of MRR@10."""
    known = {name.replace(".", "_"): measure for measure, (_, name, _) in MEASURES.items()} | {"mrr@10": "mrr@10"}
    lines = [line.split() for line in text.splitlines()]
    queries = len(expected["map"])
    if len(lines) != len(MEASURES) * (1 + queries * per_query):
        raise SystemExit(f"{title}: {len(lines)} lines for {queries} queries")
    for name, query, printed in lines:
        value, values = float(printed), expected[known[name]]
        if name == "recip_rank" and value < 1 / 10:
            value = 0.0
        found = mean(values) if query == "all" else values[query]
        if not abs(found - value) <= 5.1e-5 and (name, query) != ("recip_rank", "all"):
            raise SystemExit(f"{title}: {known[name]} of query {query} is {value}, in qassay {found!r}")


# Memory


def memory(case: Case, folder: Path, peers: Mapping[str, Any]) -> dict[str, float]:
    """Peak memory of processes that read the columns from a file, convert them for their program, and score once."""
    for name, columns in (("run", case.run_columns), ("qrels", case.qrels_columns)):
        with pa.OSFile(str(folder / f"{name}.arrow"), "wb") as sink, pa.ipc.new_file(sink, columns.schema) as writer:
            writer.write_table(columns, max_chunksize=100_000)
    command = [sys.executable, __file__, "--peak"]
    table = Table(f"{case.name}, one process each", "peak MB", "CPU s", title="Memory")
    peaks = {}
    for who in ("columns", FROM_ARROW, "dicts", FROM_DICTS, *(name for name in PEERS if name in peers)):
        found = json.loads(subprocess.check_output([*command, who, folder]))
        name = {"columns": "the Arrow columns alone", "dicts": "the dicts alone"}.get(who, who)
        table.add_row(name, f"{found['peak']:.0f}", f"{found['seconds']:.1f}")
        peaks[who] = found["peak"]
    CONSOLE.print(table)
    return peaks


def memory_of(who: str, folder: Path) -> float:
    """The peak of this process in MB."""
    if who in ("columns", FROM_ARROW):
        run, qrels = (
            pa.ipc.open_file(pa.OSFile(str(folder / name))).read_all() for name in ("run.arrow", "qrels.arrow")
        )
        if who == FROM_ARROW:
            ours(run, qrels)
        return peak_megabytes()
    run, qrels = (nested(batches(folder / name)) for name in ("run.arrow", "qrels.arrow"))
    if who == FROM_DICTS:
        ours(run, qrels)
    elif who != "dicts":
        next(iter(PEERS[who](importlib.import_module(who), run, qrels).values())).call()
    return peak_megabytes()


def batches(path: Path):
    """The columns in batches, so that columns and dicts are not in memory together."""
    with pa.ipc.open_file(pa.OSFile(str(path))) as file:
        for number in range(file.num_record_batches):
            yield file.get_batch(number)


# Cold


def cold(folder: Path, peers: Mapping[str, Any], repeats: int) -> dict[str, float]:
    """Processes that score two documents; the caches of Python and numba are warm."""
    (folder / "toy_qrels.txt").write_text("q1 0 a 1\n", "utf-8")
    (folder / "toy_run.txt").write_text("q1 Q0 a 1 2.0 toy\nq1 Q0 b 2 1.0 toy\n", "utf-8")
    run, qrels = "{'q1': {'a': 2.0, 'b': 1.0}}", "{'q1': {'a': 1}}"
    programs = {
        "qassay.score": f"import qassay; qassay.score('retrieval_ranking', {run}, {qrels})",
        "pytrec_eval": f"import pytrec_eval; pytrec_eval.RelevanceEvaluator({qrels}, {{'map'}}).evaluate({run})",
        "ir_measures": f"import ir_measures as ir; list(ir.iter_calc([ir.AP], {qrels}, {run}))",
        "ranx": f"import ranx; ranx.evaluate(ranx.Qrels({qrels}), ranx.Run({run}), 'map')",
    }
    commands = {"import numpy alone": [sys.executable, "-c", "import numpy"]}
    commands |= {
        name: [sys.executable, "-c", text] for name, text in programs.items() if name not in PEERS or name in peers
    }
    toy = [folder / "toy_qrels.txt", folder / "toy_run.txt"]
    commands["qassay score, the command"] = [sys.executable, "-m", "qassay", "score", *toy]
    quiet = functools.partial(subprocess.run, check=True, stdout=subprocess.DEVNULL)
    _, times = timed({name: functools.partial(quiet, command) for name, command in commands.items()}, repeats)
    show("A new process, toy input, CPU seconds, medians", times, (), {})
    return times


# Tables


def show(title: str, times: Mapping[str, float], bases: tuple[str, ...], ways: Mapping[str, Way]) -> None:
    checked = ["numbers checked"] if ways else []
    table = Table("", "CPU s", *(f"times {name}" for name in bases), *checked, title=title)
    for name, seconds in times.items():
        how = [ways[name].check] if ways else []
        table.add_row(name, f"{seconds:.3f}", *(f"{seconds / times[base]:.1f}" for base in bases), *how)
    CONSOLE.print(table)


if __name__ == "__main__":
    main()
