"""Compares ExtractiveQA with the post-processing of the transformers question answering example, on the same logits.

    python benchmarks/training.py --transformers CLONE [--questions 11873] [--length 384] [--repeats 3] [--page]

CLONE is a checkout of https://github.com/huggingface/transformers, whose examples/pytorch/question-answering/utils_qa.py
is the peer; its default is the environment variable QASSAY_TRANSFORMERS_CLONE. Questions, contexts and logits are
simulated; the logits have peaks, as in a trained model. Examples and features are in files of `datasets`. First all
texts, decisions for "no answer" and odds must be equal. Times are CPU seconds, medians; the programs alternate. qassay
also runs with the scores of SQuAD 2.0, which the peer does not compute. Peak memory is measured in a separate process
with the data and one run. With --page, the table training of docs/benchmarks.md is replaced too.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
from page_tables import Shown, add_page_option, check_page_option, faster, in_seconds, put
from rich.console import Console
from rich.table import Table
from timing import conditions, peak_megabytes, timed

from qassay.training import ExtractiveQA

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = Path("examples", "pytorch", "question-answering", "utils_qa.py")
N_BEST, LONGEST = 20, 30
PEER, TEXTS, SCORES = "transformers example, texts", "qassay, texts", "qassay, texts and scores"
ONCE = "qassay, making ExtractiveQA, once"
PACKAGES = ("transformers", "datasets")


def main() -> None:
    args = arguments()
    if args.peak:
        print(json.dumps(peak_memory(args)))
        return
    print(conditions(PACKAGES))
    with tempfile.TemporaryDirectory() as folder:
        args.folder = Path(folder)
        write_data(args)
        found = [compare(negative, args) for negative in (True, False)]
        peaks = memory(args)
    if args.page:
        put(args.page, "training", page_table(found, peaks, args), PACKAGES)


def page_table(found: list[dict[str, float]], peaks: dict[str, float], args: argparse.Namespace) -> Shown:
    """The table training of the page: seconds with and without "no answer", and peaks of memory above the data in MB."""
    rows = [
        [title, in_seconds(seconds[PEER]), *(faster(seconds[way], seconds[PEER]) for way in (TEXTS, SCORES))]
        for title, seconds in zip(('with "no answer" (SQuAD 2.0)', "without (SQuAD 1.1)"), found, strict=True)
    ]
    rows.append(["making `ExtractiveQA` once, which reads and checks the features", "", in_seconds(found[0][ONCE]), ""])
    memory = [f"{peaks[who]:,.0f} MB" for who in ("transformers", "qassay")]
    rows.append(["peak memory without the data", *memory, ""])
    title = f"{args.questions:,} simulated questions, windows of {args.length} tokens"
    return Shown("", [title, "transformers example", TEXTS, SCORES], rows)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    clone = os.environ.get("QASSAY_TRANSFORMERS_CLONE", ROOT.parent / "transformers")
    parser.add_argument("--transformers", type=Path, default=clone, help="checkout of huggingface/transformers")
    parser.add_argument("--questions", type=int, default=11_873)
    parser.add_argument("--length", type=int, default=384, help="tokens of a feature")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--peak", choices=("qassay", "transformers", "nothing"), help=argparse.SUPPRESS)
    add_page_option(parser)
    args = parser.parse_args()
    check_page_option(parser, args, "questions", "length")
    if not (Path(args.transformers) / SCRIPT).is_file():
        parser.error("give --transformers, a checkout of https://github.com/huggingface/transformers")
    return args


def write_data(args: argparse.Namespace) -> None:
    """Simulated examples and features as data sets on disk, and logits with peaks."""
    import datasets

    rng = np.random.default_rng(0)
    words = ["".join(map(chr, rng.integers(97, 123, size))) for size in rng.integers(2, 12, 3000)]
    rows, examples = [], {"id": [], "context": [], "answers": []}
    asked = 24  # tokens before the context
    window = args.length - asked - 1
    for number in range(args.questions):
        chosen = [words[word] for word in rng.integers(0, len(words), rng.integers(60, 400))]
        examples["id"].append(f"q{number}")
        examples["context"].append(" ".join(chosen))
        lengths = np.fromiter(map(len, chosen), np.int64, len(chosen))
        ends = np.cumsum(lengths + 1) - 1
        answer = rng.integers(0, len(chosen))
        gold = [] if number % 2 else [chosen[answer]]
        examples["answers"].append({"text": gold, "answer_start": [int(ends[answer] - lengths[answer])] * len(gold)})
        for start in range(0, max(1, len(chosen) - 128), window - 128):
            part = slice(start, start + window)
            rows.append((number, (ends - lengths)[part], ends[part], answer - start, bool(number % 2)))
    n = len(rows)
    logits = rng.normal(-4, 2, (2, n, args.length)).astype(np.float32)
    inside = np.zeros((n, args.length), bool)
    values = []
    for row, (_, starts, ends, answer, unanswerable) in enumerate(rows):
        inside[row, asked : asked + len(starts)] = True
        values.append(np.column_stack([starts, ends]).ravel())
        logits[:, row, 0] += 12 if unanswerable and rng.random() < 0.8 else 6
        if 0 <= answer < len(starts):
            for place in range(max(0, answer - 3), min(len(starts), answer + 4)):
                logits[:, row, asked + place] += 10 - 2 * abs(place - answer)
    bounds = np.zeros(inside.size + 1, np.int32)
    np.cumsum(2 * inside.ravel(), out=bounds[1:])
    tokens = pa.ListArray.from_arrays(
        pa.array(bounds), pa.array(np.concatenate(values)), mask=pa.array(~inside.ravel())
    )
    offsets = pa.ListArray.from_arrays(pa.array(np.arange(0, inside.size + 1, args.length, dtype=np.int32)), tokens)
    features = pa.table(
        {
            "offset_mapping": offsets,
            "example_id": [f"q{number}" for number, *_ in rows],
            "input_ids": pa.ListArray.from_arrays(offsets.offsets, pa.array(np.zeros(inside.size, np.int64))),
        }
    )
    datasets.disable_progress_bars()
    datasets.Dataset.from_dict(examples).save_to_disk(args.folder / "examples")
    datasets.Dataset(features).save_to_disk(args.folder / "features")
    np.save(args.folder / "logits.npy", logits)


def read_data(folder: Path):
    import datasets

    parts = [datasets.load_from_disk(str(folder / name)) for name in ("examples", "features")]
    return *parts, tuple(np.load(folder / "logits.npy"))


def example_script(clone: Path):
    spec = importlib.util.spec_from_file_location("utils_qa", clone / SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def compare(negative: bool, args: argparse.Namespace) -> dict[str, float]:
    examples, features, logits = read_data(args.folder)
    script = example_script(Path(args.transformers))
    options = {"version_2_with_negative": negative, "n_best_size": N_BEST, "max_answer_length": LONGEST}
    made = ExtractiveQA(examples, features, **options)
    prediction = SimpleNamespace(predictions=logits, label_ids=None)

    def theirs() -> dict[str, str]:
        with contextlib.redirect_stderr(io.StringIO()):  # its progress bar
            return dict(script.postprocess_qa_predictions(examples, features, logits, **options))

    ways = {
        PEER: theirs,
        TEXTS: lambda: made.answers(logits).texts,
        SCORES: lambda: made(prediction),
        ONCE: lambda: ExtractiveQA(examples, features, **options),
    }
    check_equal(script, made, theirs(), (examples, features, logits), options, args.folder)
    _, times = timed(ways, args.repeats)
    peer = times[PEER]
    title = f"{'SQuAD 2.0' if negative else 'SQuAD 1.1'}: {len(examples):,} questions, {len(features):,} features"
    table = Table(title, "CPU s", "times faster", "us a feature", title="Post-processing, CPU seconds, medians")
    for name, seconds in times.items():
        table.add_row(name, f"{seconds:.3f}", f"{peer / seconds:.1f}x", f"{seconds / len(features) * 1e6:.0f}")
    Console().print(table)
    return times


def check_equal(script, made: ExtractiveQA, texts: dict, data: tuple, options: dict, folder: Path) -> None:
    found = made.answers(data[2])
    differing = [key for key, text in texts.items() if found.texts[key] != text]
    if differing or len(found.texts) != len(texts):
        raise SystemExit(f"{len(differing)} texts differ, the first of {differing[:1]}")
    with contextlib.redirect_stderr(io.StringIO()):
        script.postprocess_qa_predictions(*data, **options, output_dir=str(folder))
    if options["version_2_with_negative"]:
        odds = json.loads((folder / "null_odds.json").read_text("utf-8"))
        if odds != found.null_odds:
            raise SystemExit("the odds of no answer differ")
    nbest, best = found.nbest(), json.loads((folder / "nbest_predictions.json").read_text("utf-8"))
    for key, rows in best.items():
        same = [(row["text"], row["start_logit"], row["end_logit"]) for row in rows] == [
            (row["text"], row["start_logit"], row["end_logit"]) for row in nbest[key]
        ]
        if not same or not np.allclose(
            *([row["probability"] for row in part] for part in (rows, nbest[key])), atol=1e-6
        ):
            raise SystemExit(f"the n best of {key} differ")
    without = sum(text == "" for text in texts.values())
    print(f"equal: {len(texts):,} texts ({without:,} of them no answer), their odds and their {N_BEST} best spans")


def memory(args: argparse.Namespace) -> dict[str, float]:
    """Peak MB of each program above the data and the imports."""
    command = [
        sys.executable,
        __file__,
        "--transformers",
        str(args.transformers),
        "--folder",
        str(args.folder),
        "--peak",
    ]
    found = {who: json.loads(subprocess.check_output([*command, who])) for who in ("nothing", "transformers", "qassay")}
    alone = found.pop("nothing")
    table = Table("one run", "peak MB", "above the data and the imports, MB")
    table.add_row("the data, before", f"{alone:.0f}", "")
    for who, peak in found.items():
        table.add_row(who, f"{peak:.0f}", f"{peak - alone:.0f}")
    Console().print(table)
    return {who: peak - alone for who, peak in found.items()}


def peak_memory(args: argparse.Namespace) -> float:
    examples, features, logits = read_data(args.folder)
    for column in (*examples.data.columns, *features.data.columns):  # pages read from the disk count as data
        for buffer in (buffer for chunk in column.chunks for buffer in chunk.buffers() if buffer):
            np.frombuffer(buffer, np.uint8)[::4096].sum()
    script = example_script(Path(args.transformers))
    if args.peak == "qassay":
        ExtractiveQA(examples, features, version_2_with_negative=True).answers(logits).texts  # noqa: B018
    elif args.peak == "transformers":
        with contextlib.redirect_stderr(io.StringIO()):
            script.postprocess_qa_predictions(examples, features, logits, version_2_with_negative=True)
    return peak_megabytes()


if __name__ == "__main__":
    main()
