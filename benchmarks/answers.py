"""Compares answer_match with the Hugging Face squad_v2 module and its official script: CPU time and memory, in one run.

    python benchmarks/answers.py --evaluate CLONE [--data FOLDER] [--repeats 5] [--quick] [--page]
    python benchmarks/answers.py --small [--evaluate CLONE] [--page]

CLONE is a checkout of https://github.com/huggingface/evaluate (its metrics/squad_v2 is the peer); FOLDER holds SQuAD
2.0 dev (dev-v2.0.json) and a system's answers to it (predictions_bert.json). The environment variables
QASSAY_EVALUATE_CLONE and QASSAY_TEST_DATA (the folder above squad2) are the defaults. Times are median CPU seconds; the
programs alternate. Every comparison first checks that all programs return the same numbers; best_* of the peer is
omitted, because it depends on the order of rows with equal probabilities.

With --small: the time for 1, 8, 64 and 512 examples with `qassay.scorer`, `qassay.score(...).summary()`, a plain script
and, if CLONE is given, Hugging Face's module squad, on the cases of small_cases.py.

With --page: also replaces the table answers or few-answers of docs/benchmarks.md.
"""

import argparse
import importlib.util
import json
import math
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from page_tables import Measured, Shown, add_page_option, check_page_option, faster, in_seconds, put
from peers import add_evaluate_option, add_squad_option, check_squad_option, read_answers, read_squad
from rich.console import Console
from rich.table import Table
from small_cases import SMALL_CASES, SmallCase, plain_squad
from timing import conditions, peak_megabytes, timed

import qassay
from qassay.core.scorer import Scorer

COPIES = 84  # of SQuAD dev: 997,332 questions
SMALL_SIZES = (1, 8, 64, 512)
SMALL_TITLE = "CPU microseconds for n examples, medians"
PEER = "Hugging Face squad_v2, compute"
MODULE = "qassay squad_v2, compute"
SUMMARY = "qassay.score(...).summary()"
PACKAGES = ("evaluate", "datasets")


def main() -> None:
    args = arguments()
    if args.small:
        small(args)
        return
    if args.peak:
        print(json.dumps(peak_memory(args.peak, args)))
        return
    print(conditions(PACKAGES))
    found = {"SQuAD 2.0 dev, 11,873 questions": compare("SQuAD 2.0 dev x BERT", squad_rows(args.data), args)}
    if not args.quick:
        title = "300,000 distinct questions"
        found[title] = compare(title, distinct_rows(args.data, 300_000), args)
        peaks = memory(args)
    if args.page:
        put(args.page, "answers", page_table(found, peaks), PACKAGES)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_evaluate_option(parser)
    add_squad_option(parser)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="SQuAD dev only")
    parser.add_argument("--small", action="store_true", help="one example, and 8, 64 and 512")
    parser.add_argument("--peak", choices=("qassay", "evaluate", "nothing"), help=argparse.SUPPRESS)
    add_page_option(parser)
    args = parser.parse_args()
    check_page_option(parser, args, "quick")
    if args.small:
        return args
    if args.evaluate is None or not (Path(args.evaluate) / "metrics" / "squad_v2" / "squad_v2.py").is_file():
        parser.error("give --evaluate, a checkout of https://github.com/huggingface/evaluate")
    check_squad_option(parser, args.data)
    args.peer = Path(args.evaluate) / "metrics" / "squad_v2"
    return args


Rows = tuple[list[dict], list[dict]]


def squad_rows(data: Path, copies: int = 1) -> Rows:
    """Predictions and references in the layout of the squad_v2 module."""
    questions, answers = read_squad(data)[0], read_answers(data)
    golds = [
        {"text": [a["text"] for a in q["answers"]], "answer_start": [a["answer_start"] for a in q["answers"]]}
        for q in questions
    ]
    predictions, references = [], []
    for copy in range(copies):
        for question, gold in zip(questions, golds, strict=True):
            identifier = f"{copy}-{question['id']}" if copy else question["id"]
            predictions.append(
                {"id": identifier, "prediction_text": answers[question["id"]], "no_answer_probability": 0.0}
            )
            references.append({"id": identifier, "answers": gold})
    return predictions, references


def distinct_rows(data: Path, n: int) -> Rows:
    """Questions with answers cut out of the contexts of SQuAD dev: hardly any text is repeated."""
    contexts = [context.split(" ") for context in read_squad(data)[1]]
    rng = random.Random(0)
    predictions, references = [], []
    for number in range(n):
        words = rng.choice(contexts)
        length = min(1 + int(rng.expovariate(0.4)), 20)
        start = rng.randrange(max(1, len(words) - length))
        golds = []
        for _ in range(rng.choice((0, 1, 3, 3, 5))):
            first, size = max(0, start + rng.choice((0, 0, 0, 1, -1))), max(1, length + rng.choice((0, 0, 0, 1, -1, 3)))
            golds.append(" ".join(words[first : first + size]))
        answer = "" if rng.random() < 0.2 else " ".join(words[start : start + length])
        predictions.append({"id": f"q{number}", "prediction_text": answer, "no_answer_probability": 0.0})
        references.append({"id": f"q{number}", "answers": {"text": golds, "answer_start": [0] * len(golds)}})
    return predictions, references


def compare(title: str, rows: Rows, args: argparse.Namespace) -> dict[str, float]:
    """The CPU seconds of each program, after checking that all return the same numbers."""
    import evaluate

    predictions, references = rows
    theirs, ours = evaluate.load(str(args.peer)), qassay.load("answer_match", "squad_v2")
    script = official_script(args.peer)
    data_set = [{"paragraphs": [{"qas": references}]}]
    answers = {row["id"]: row["prediction_text"] for row in predictions}
    ways = {
        PEER: lambda: theirs.compute(predictions=predictions, references=references),
        "official script, EM and F1 only": lambda: script.get_raw_scores(data_set, answers),
        MODULE: lambda: ours.compute(predictions=predictions, references=references),
        SUMMARY: lambda: qassay.score("answer_match", predictions, references).summary(),
    }
    outputs, seconds = timed(ways, args.repeats)
    mine, other = outputs[MODULE], outputs[PEER]
    exact, f1 = outputs["official script, EM and F1 only"]
    summary = outputs[SUMMARY]
    for measure, key, official in (("exact_match", "exact", exact), ("f1", "f1", f1)):
        percents = 100 * sum(official.values()) / len(official), 100 * summary[measure]
        if not max(abs(percent - mine[key]) for percent in percents) <= 1e-9:
            raise SystemExit(f"{title}: {key} is {mine[key]!r}, {percents[0]!r} there, {percents[1]!r} by qassay.score")
    for key, value in other.items():
        if mine[key] != value:
            raise SystemExit(f"{title}: {key} is {mine[key]!r} here and {value!r} there")
    table = Table(title, "CPU s", "times faster", title="answer_match, CPU seconds, medians")
    for name, each in seconds.items():
        table.add_row(name, f"{each:.3f}", f"{seconds[PEER] / each:.1f}x")
    Console().print(table)
    return seconds


def page_table(found: dict[str, dict[str, float]], peaks: dict[str, float]) -> Shown:
    """The table answers of the page, from the seconds of each set of rows and the peaks of memory in MB."""
    rows = [
        [title, in_seconds(seconds[PEER]), *(faster(seconds[way], seconds[PEER]) for way in (MODULE, SUMMARY))]
        for title, seconds in found.items()
    ]
    alone, theirs, ours = (peaks[who] for who in ("nothing", "evaluate", "qassay"))
    for title, peer, mine in (
        ("peak memory with 997,332 questions", theirs, ours),
        (f"the same without the {alone:,.0f} MB of the rows", theirs - alone, ours - alone),
    ):
        rows.append([title, f"{peer:,.0f} MB", f"{mine:,.0f} MB, **1/{peer / mine:.0f}**", ""])
    return Shown("", ["", "Hugging Face `squad_v2`", "qassay's `squad_v2` config", f"`{SUMMARY}`"], rows)


def small(args: argparse.Namespace) -> None:
    """The time for one and for several examples, in CPU microseconds."""
    print(conditions(PACKAGES))
    squad = Path(args.evaluate) / "metrics" / "squad"
    table = Table(
        "", "n", "scorer", "one example", "score().summary()", "reward", "plain script", "HF squad", title=SMALL_TITLE
    )
    on_page = []
    for name, case in SMALL_CASES.items():
        scorer = qassay.scorer(case.metric, **case.options)
        for n in SMALL_SIZES:
            ways = small_ways(case, scorer, n, squad if (squad / "squad.py").is_file() else None)
            seconds = seconds_of(ways, args.repeats)
            micros = {way: f"{1e6 * each:,.0f}" for way, each in seconds.items()}
            others = [micros.get(way, "") for way in ("score", "reward", "plain", "squad")]
            table.add_row(name, str(n), micros["scorer"], f"{1e6 * seconds['scorer'] / n:.1f}", *others)
            if n == 1 or name == "answers":
                peer = Measured(micros)["squad"] if args.page and name == "answers" else ""
                on_page.append([name, str(n), peer, *(micros.get(way, "") for way in ("plain", "score", "scorer"))])
    Console(width=120).print(table)
    if args.page:
        head = ["", "examples", "Hugging Face `squad`", "plain script", f"`{SUMMARY}`", "`qassay.scorer(...)`"]
        put(args.page, "few-answers", Shown("", head, on_page), PACKAGES)


def small_ways(case: SmallCase, scorer: Scorer, n: int, squad: Path | None) -> dict[str, Callable]:
    """The functions that score n examples of a case, after checking that they return the same numbers."""
    predictions, golds = case.rows(n)
    further = {} if case.column is None else {case.column[0]: [case.column[1]] * n}
    ways: dict[str, Callable] = {
        "scorer": lambda: scorer.many(predictions, golds, **further),
        "score": lambda: qassay.score(case.metric, predictions, golds, **further, **case.options).summary(),
    }
    rows, summary = ways["scorer"](), ways["score"]()
    for measure in rows[0]:
        mean = math.fsum(row[measure] for row in rows) / n
        if not math.isclose(mean, summary[measure], rel_tol=1e-12):
            raise SystemExit(f"{case.metric}: {measure} is {mean!r} one by one and {summary[measure]!r} together")
    if case.reward is not None:
        reward = qassay.reward(**case.reward)
        ways["reward"] = lambda: reward(completions=predictions, golds=golds)
        if ways["reward"]() != [row[reward.measure] for row in rows]:
            raise SystemExit(f"{reward!r} is not the measure of the scorer")
    if case.plain is not None:
        ways["plain"] = lambda: case.plain(predictions, golds)
        for measure, value in ways["plain"]().items():
            if not math.isclose(value, summary[measure], rel_tol=1e-12):
                raise SystemExit(f"{case.metric}: {measure} is {summary[measure]!r}, {value!r} by the plain script")
        if squad is not None and case.plain is plain_squad:
            ways["squad"] = squad_module(squad, predictions, golds)
    return ways


def squad_module(folder: Path, answers: list[str], golds: list[list[str]]) -> Callable:
    """The module squad of Hugging Face on these answers, in its layout."""
    import evaluate

    module = evaluate.load(str(folder))
    predictions = [{"id": str(row), "prediction_text": answer} for row, answer in enumerate(answers)]
    references = [
        {"id": str(row), "answers": {"text": texts, "answer_start": [0] * len(texts)}}
        for row, texts in enumerate(golds)
    ]
    return lambda: module.compute(predictions=predictions, references=references)


def seconds_of(ways: dict[str, Callable], repeats: int) -> dict[str, float]:
    """CPU seconds of each function, medians over rounds of calls that take some milliseconds."""
    calls = {}
    for name, way in ways.items():
        way()
        start = time.process_time()
        way()
        calls[name] = max(1, int(0.02 / max(time.process_time() - start, 1e-6)))

    def several(name: str) -> Callable:
        return lambda: [ways[name]() for _ in range(calls[name])] and None

    _, times = timed({name: several(name) for name in ways}, repeats)
    return {name: seconds / calls[name] for name, seconds in times.items()}


def official_script(peer: Path):
    spec = importlib.util.spec_from_file_location("squad_v2_script", peer / "compute_score.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def memory(args: argparse.Namespace) -> dict[str, float]:
    """Peak MB with only the rows, and after one compute of each."""
    command = [sys.executable, __file__, "--evaluate", str(args.evaluate), "--data", str(args.data), "--peak"]
    found = {who: json.loads(subprocess.check_output([*command, who])) for who in ("nothing", "evaluate", "qassay")}
    peaks = {who: peak["peak"] for who, peak in found.items()}
    rows_alone = found.pop("nothing")["peak"]
    table = Table("997,332 questions, one compute", "peak MB", "above the rows themselves, MB", "CPU s")
    table.add_row("the rows, before any compute", f"{rows_alone:.0f}", "", "")
    for who, peak in found.items():
        name = {"evaluate": "Hugging Face squad_v2", "qassay": "qassay squad_v2"}[who]
        table.add_row(name, f"{peak['peak']:.0f}", f"{peak['peak'] - rows_alone:.0f}", f"{peak['seconds']:.1f}")
    Console().print(table)
    return peaks


def peak_memory(who: str, args: argparse.Namespace) -> dict[str, float]:
    """Peak memory of this process in MB (Linux), with the rows of a million questions and one compute on them."""
    predictions, references = squad_rows(args.data, COPIES)
    import evaluate

    metric = qassay.load("answer_match", "squad_v2") if who == "qassay" else evaluate.load(str(args.peer))
    start = time.process_time()
    if who != "nothing":
        metric.compute(predictions=predictions, references=references)
    return {"peak": peak_megabytes(), "seconds": time.process_time() - start}


if __name__ == "__main__":
    main()
