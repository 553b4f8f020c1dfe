"""retrieval_ranking against pytrec_eval, ir_measures, ranx and the trec_eval program, from memory, from files and from a cold start.

All compute MRR@10, MAP, nDCG@10, recall@1000 and P@10 of each query. With pytrec_eval each query must agree to 1e-12, with the
program to the four decimals that it prints. ir_measures and ranx order ties in other ways: with them each query of small data without
ties must agree to 1e-9, and of the large data the means. pytrec_eval and trec_eval have no cutoff for recip_rank; MRR@10 follows
from it, because 1/rank >= 1/10 says whether the rank is within 10.
"""

import argparse
import functools
import importlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

import qassay

from . import inputs
from .measure import Table, Times, Way, compare, faster, in_megabytes, in_process, in_seconds, timed
from .ranking_data import (
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

PACKAGES = ("pytrec-eval-terrier", "ir-measures", "ranx")
# qassay's name -> pytrec_eval's, the trec_eval program's for -m, ranx's.
MEASURES = {
    "mrr@10": ("recip_rank", "recip_rank", "mrr@10"),
    "map": ("map", "map", "map"),
    "ndcg@10": ("ndcg_cut_10", "ndcg_cut.10", "ndcg@10"),
    "recall@1000": ("recall_1000", "recall.1000", "recall@1000"),
    "p@10": ("P_10", "P.10", "precision@10"),
}
FROM_DICTS, FROM_ARROW, UNSORTED = "qassay, dict of dicts", "qassay, Arrow columns", "qassay, Arrow columns, not sorted"
IN_PROCESS, COMMAND, COMMAND_Q = "qassay.files and qassay.score", "qassay score", "qassay score -q"
PROGRAM, PROGRAM_Q, PARSER = "trec_eval", "trec_eval -q", "pytrec_eval.parse_run and evaluate"

Values = Mapping[str, Mapping[str, float]]  # measure -> query -> value


def run(args: argparse.Namespace) -> Iterator[Table]:
    peers = {name: module for name in PEERS if (module := inputs.installed(name))}
    for small in (without_ties(msmarco_like(100)), without_ties(pooled(50))):
        compare(small.title, {FROM_DICTS: ours(small.run, small.qrels)} | of_peers(small, peers, 1e-9), 1)
    sparse, dense = (msmarco_like(6980), pooled(250)) if args.full else (msmarco_like(100), pooled(12))
    large, pools = (compare(case.title, ours_and_peers(case, peers), args.repeats) for case in (sparse, dense))
    others = []
    for case in (with_shuffled_dicts(sparse), with_long_ids(sparse, 20)):
        ways = {FROM_DICTS: ours(case.run, case.qrels)}
        ways |= of_peers(case, {name: peers[name] for name in peers if name == "pytrec_eval"})
        others.append(compare(case.title, ways, args.repeats))
    sparse = Case(sparse.name, sparse.run_columns, sparse.qrels_columns)  # without the dicts
    with tempfile.TemporaryDirectory() as folder:
        files = from_files(sparse, Path(folder), peers, args)
        peaks = memory(sparse, Path(folder), peers)
        toy = cold(peers, args.repeats)
    yield page_table(sparse, dense, large, pools, others, files, peaks, toy)


def page_table(
    sparse: Case,
    dense: Case,
    large: Times,
    pools: Times,
    others: Sequence[Times],
    files: Times,
    peaks: Times,
    toy: Times,
) -> Table:
    def row(title: str, times: Times, mine: str, peers: Sequence[str] = (), program: str | None = None) -> list[str]:
        cells = [faster(times[peer], times[mine], of_peer=True) for peer in peers] + [""] * (3 - len(peers))
        last = faster(times[program], times[mine], of_peer=True) if program else ""
        return [title, in_seconds(times[mine]), *cells, last]

    n, few, everyone, one = sparse.queries, dense.queries, [*PEERS], ["pytrec_eval"]
    return Table(
        "rankings",
        ["", "qassay", "pytrec_eval", "ir_measures", "ranx", "trec_eval"],
        [
            row(f"{n:,} queries x 1,000 documents, dicts in the order of the scores", large, FROM_DICTS, everyone),
            row("the same, dicts in any order", others[0], FROM_DICTS, one),
            row("the same, sorted, ids of 20 characters instead of 8", others[1], FROM_DICTS, one),
            row("the same, Arrow columns, sorted; the others from dicts", large, FROM_ARROW, everyone),
            row("the same, Arrow columns, not sorted", large, UNSORTED, one),
            row(f"{few:,} queries x 1,000, 300 judged each, dicts", pools, FROM_DICTS, everyone),
            row("the same, Arrow columns, sorted", pools, FROM_ARROW, everyone),
            row(f"{n:,} x 1,000 as TREC files, each query, in Python", files, IN_PROCESS, [PARSER], PROGRAM_Q),
            row("the same, the command as a process, the means", files, COMMAND, [], PROGRAM),
            row("the same, the command as a process, each query (`-q`)", files, COMMAND_Q, [], PROGRAM_Q),
            [
                f"peak memory, {n:,} x 1,000: Arrow columns in qassay, dicts in the others",
                *(in_megabytes(peaks[who]) for who in (FROM_ARROW, *PEERS)),
                "",
            ],
            ["a toy example from a cold start", *(in_seconds(toy[who]) for who in ("qassay.score", *PEERS)), ""],
        ],
    )


# From memory


def ours(run: Any, qrels: Any) -> Way:
    return Way(lambda: qassay.score("retrieval_ranking", run, qrels, measures=list(MEASURES)), of_scores)


def ours_and_peers(case: Case, peers: Mapping[str, Any]) -> dict[str, Way]:
    shuffled = shuffled_in_queries(case.run_columns)
    return {
        FROM_DICTS: ours(case.run, case.qrels),
        FROM_ARROW: ours(case.run_columns, case.qrels_columns),
        UNSORTED: ours(shuffled, case.qrels_columns),
        **of_peers(case, peers),
    }


def of_peers(case: Case, peers: Mapping[str, Any], each_query: float | None = None) -> dict[str, Way]:
    """The ways of peers; those that order ties in other ways are compared by means, without a tolerance of each query."""
    return {name: PEERS[name](module, case.run, case.qrels, each_query) for name, module in peers.items()}


def of_scores(scores: qassay.Scores) -> dict[str, Any]:
    return numbers({name: dict(zip(scores.ids, scores.columns[name].tolist(), strict=True)) for name in MEASURES})


def numbers(values: Values) -> dict[str, Any]:
    """Of each measure the values of all queries, in the order of their ids, and the mean."""
    rows = {name: np.array([of[query] for query in sorted(of)]) for name, of in values.items()}
    return {**rows, **{f"mean {name}": float(row.mean()) for name, row in rows.items()}}


def means(values: Values) -> dict[str, Any]:
    return {name: value for name, value in numbers(values).items() if name.startswith("mean")}


def pytrec_way(pytrec_eval: Any, run: Run, qrels: Qrels, _: float | None = None) -> Way:
    names = {names[0] for names in MEASURES.values()}

    def cut() -> dict[str, dict[str, float]]:
        found = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
        for values in found.values():
            if values["recip_rank"] < 1 / 10:
                values["recip_rank"] = 0.0
        return found

    def read(found: Values) -> dict[str, Any]:
        return numbers({name: {q: of[theirs] for q, of in found.items()} for name, (theirs, *_) in MEASURES.items()})

    return Way(cut, read)


def ir_measures_way(ir_measures: Any, run: Run, qrels: Qrels, each_query: float | None = None) -> Way:
    from ir_measures import AP, RR, P, R, nDCG

    names = {RR @ 10: "mrr@10", AP: "map", nDCG @ 10: "ndcg@10", R @ 1000: "recall@1000", P @ 10: "p@10"}

    def read(metrics: Sequence[Any]) -> dict[str, Any]:
        found: dict[str, dict[str, float]] = {}
        for metric in metrics:
            found.setdefault(names[metric.measure], {})[metric.query_id] = metric.value
        return numbers(found) if each_query else means(found)

    return Way(lambda: list(ir_measures.iter_calc(list(names), qrels, run)), read, each_query or 2e-3)


def ranx_way(ranx: Any, run: Run, qrels: Qrels, each_query: float | None = None) -> Way:
    names = {theirs: name for name, (_, _, theirs) in MEASURES.items()}

    def call() -> Values:
        converted = ranx.Run(run)
        ranx.evaluate(ranx.Qrels(qrels), converted, list(names))
        return converted.scores

    def read(scores: Values) -> dict[str, Any]:
        found = {names[theirs]: values for theirs, values in scores.items()}
        return numbers(found) if each_query else means(found)

    return Way(call, read, each_query or 2e-3)


PEERS: dict[str, Callable[..., Way]] = {"pytrec_eval": pytrec_way, "ir_measures": ir_measures_way, "ranx": ranx_way}


# From files


def from_files(case: Case, folder: Path, peers: Mapping[str, Any], args: argparse.Namespace) -> Times:
    run, qrels = write_trec(case, folder)
    command = [sys.executable, "-m", "qassay", "score", qrels, run, "--no-intervals", "--format", "trec_eval"]
    command += ["--measures", *MEASURES]
    ways = {
        IN_PROCESS: Way(lambda: score_files(run, qrels), of_scores),
        COMMAND: printing(command),
        COMMAND_Q: printing([*command, "-q"]),
    }
    if "pytrec_eval" in peers:
        read = pytrec_way(peers["pytrec_eval"], {}, {}).read
        ways[PARSER] = Way(lambda: pytrec_files(peers["pytrec_eval"], run, qrels), read)
    if program := inputs.peer(args, "trec_eval", "trec_eval"):
        names = [word for _, name, _ in MEASURES.values() for word in ("-m", name)]
        ways[PROGRAM] = printing([program, "-c", *names, qrels, run])
        ways[PROGRAM_Q] = printing([program, "-c", "-q", *names, qrels, run])
    return compare(f"a TREC run file of {run.stat().st_size / 1e6:.0f} MB", ways, args.repeats)


def printing(command: list[Any]) -> Way:
    """A process that prints in the layout of trec_eval, with four decimals."""
    return Way(lambda: subprocess.run(command, check=True, capture_output=True, text=True).stdout, printed, 5.1e-5)


def printed(text: str) -> dict[str, Any]:
    names = {name.replace(".", "_"): measure for measure, (_, name, _) in MEASURES.items()} | {"mrr@10": "mrr@10"}
    values: dict[str, dict[str, float]] = {}
    found = {}
    for name, query, number in (line.split() for line in text.splitlines()):
        value = float(number)
        if query != "all":
            cut = name == "recip_rank" and value < 1 / 10
            values.setdefault(names[name], {})[query] = 0.0 if cut else value
        elif name != "recip_rank":  # the program has no mean of MRR@10
            found[f"mean {names[name]}"] = value
    return {name: row for name, row in numbers(values).items() if not name.startswith("mean")} | found


def write_trec(case: Case, folder: Path) -> tuple[Path, Path]:
    rows, judged = case.run_columns, case.qrels_columns

    def constant(text: str, of: pa.Table) -> pa.Array:
        return pa.repeat(text, len(of))

    rank = np.arange(len(rows)) % DEPTH + 1
    run = [rows["query"], constant("Q0", rows), rows["document"], rank, rows["score"], constant("run", rows)]
    qrels = [judged["query"], constant("0", judged), judged["document"], judged["relevance"]]
    plain = csv.WriteOptions(include_header=False, delimiter=" ", quoting_style="none")
    for path, columns in ((folder / "run.txt", run), (folder / "qrels.txt", qrels)):
        csv.write_csv(pa.table({str(place): column for place, column in enumerate(columns)}), path, plain)
    return folder / "run.txt", folder / "qrels.txt"


def score_files(run: Path, qrels: Path) -> qassay.Scores:
    from qassay.files import read_gold, read_predictions

    gold = read_gold(qrels)
    predictions = read_predictions(run, gold)
    return qassay.score(gold.metric, **gold.columns, **predictions.columns, **gold.options, measures=list(MEASURES))


def pytrec_files(pytrec_eval: Any, run: Path, qrels: Path) -> Values:
    with open(run, encoding="utf-8") as rows, open(qrels, encoding="utf-8") as judged:
        return pytrec_way(pytrec_eval, pytrec_eval.parse_run(rows), pytrec_eval.parse_qrel(judged)).call()


# Memory, and a cold start


def memory(case: Case, folder: Path, peers: Mapping[str, Any]) -> Times:
    """Peak memory of processes that read the columns from a file, convert them for their program, and score once."""
    for name, columns in (("run", case.run_columns), ("qrels", case.qrels_columns)):
        with pa.OSFile(str(folder / f"{name}.arrow"), "wb") as sink, pa.ipc.new_file(sink, columns.schema) as writer:
            writer.write_table(columns, max_chunksize=100_000)
    return Times({who: in_process(score_arrow, who, folder).megabytes for who in (FROM_ARROW, *peers)})


def score_arrow(who: str, folder: Path) -> None:
    files = [pa.ipc.open_file(pa.OSFile(str(folder / f"{name}.arrow"))) for name in ("run", "qrels")]
    if who == FROM_ARROW:
        ours(*(file.read_all() for file in files)).call()
        return
    # In batches, so that columns and dicts are not in memory together.
    run, qrels = (nested(map(file.get_batch, range(file.num_record_batches))) for file in files)
    PEERS[who](importlib.import_module(who), run, qrels).call()


def cold(peers: Mapping[str, Any], repeats: int) -> Times:
    """Processes that score two documents; the caches of Python and numba are warm."""
    run, qrels = "{'q1': {'a': 2.0, 'b': 1.0}}", "{'q1': {'a': 1}}"
    programs = {
        "qassay.score": f"import qassay; qassay.score('retrieval_ranking', {run}, {qrels})",
        "pytrec_eval": f"import pytrec_eval; pytrec_eval.RelevanceEvaluator({qrels}, {{'map'}}).evaluate({run})",
        "ir_measures": f"import ir_measures as ir; list(ir.iter_calc([ir.AP], {qrels}, {run}))",
        "ranx": f"import ranx; ranx.evaluate(ranx.Qrels({qrels}), ranx.Run({run}), 'map')",
    }
    quiet = functools.partial(subprocess.run, check=True, stdout=subprocess.DEVNULL)
    calls = {
        name: functools.partial(quiet, [sys.executable, "-c", text])
        for name, text in programs.items()
        if name not in PEERS or name in peers
    }
    return timed(calls, repeats)[1]
