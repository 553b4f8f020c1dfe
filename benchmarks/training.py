"""ExtractiveQA against the post-processing of the transformers question answering example, on the same simulated logits.

The logits have peaks, as in a trained model; examples and features are in files of `datasets`. All texts, decisions for "no answer", odds
and best spans must be equal. qassay also runs with the scores of SQuAD 2.0, which the peer does not compute.
"""

import argparse
import contextlib
import io
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import datasets
import numpy as np
import pyarrow as pa

from qassay.training import ExtractiveQA

from . import inputs
from .measure import Table, Way, compare, faster, in_megabytes, in_process, in_seconds

PACKAGES = ("transformers", "datasets")
SCRIPT = ("transformers", "examples", "pytorch", "question-answering", "utils_qa.py")
N_BEST, LONGEST, LENGTH = 20, 30, 384
PEER, TEXTS, SCORES, ONCE = "transformers example", "qassay, texts", "qassay, texts and scores", "making ExtractiveQA"


def run(args: argparse.Namespace) -> Iterator[Table]:
    script = inputs.peer(args, *SCRIPT)
    questions = 11_873 if args.full else 60
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_data(folder, questions)
        for negative, title in ((True, 'with "no answer" (SQuAD 2.0)'), (False, "without (SQuAD 1.1)")):
            times = compare(title, ways(folder, script, negative), args.repeats)
            cells = [faster(times[PEER], times[way]) for way in (TEXTS, SCORES)]
            rows.append([title, in_seconds(times[PEER]), *cells])
        title = "making `ExtractiveQA` once, which reads and checks the features"
        rows.append([title, "", in_seconds(times[ONCE]), ""])
        alone, theirs, ours = (in_process(run_once, folder, script, who).megabytes for who in (None, PEER, TEXTS))
    theirs = theirs if script else float("nan")
    rows.append(["peak memory without the data", in_megabytes(theirs - alone), in_megabytes(ours - alone), ""])
    title = f"{questions:,} simulated questions, windows of {LENGTH} tokens"
    yield Table("training", [title, PEER, TEXTS, SCORES], rows)


def ways(folder: Path, script: Path | None, negative: bool) -> dict[str, Way]:
    examples, features, logits = read_data(folder)
    options = {"version_2_with_negative": negative, "n_best_size": N_BEST, "max_answer_length": LONGEST}
    made = ExtractiveQA(examples, features, **options)
    prediction = SimpleNamespace(predictions=logits, label_ids=None)
    found = {
        TEXTS: Way(lambda: made.answers(logits).texts, lambda texts: {"texts": dict(texts)}, 0),
        SCORES: Way(lambda: made(prediction), lambda _: {}),
        ONCE: Way(lambda: ExtractiveQA(examples, features, **options), lambda _: {}),
    }
    if script:
        peer = inputs.load_file(script)

        def call(**more: Any) -> dict[str, str]:
            with contextlib.redirect_stderr(io.StringIO()):  # its progress bar
                return dict(peer.postprocess_qa_predictions(examples, features, logits, **options, **more))

        found[PEER] = Way(call, lambda texts: {"texts": texts}, 0)
        call(output_dir=str(folder))
        check_files(made.answers(logits), folder, negative)
    return found


def check_files(answers: Any, folder: Path, negative: bool) -> None:
    """End if odds or best spans differ from those in the peer's files."""
    if negative and json.loads((folder / "null_odds.json").read_text("utf-8")) != answers.null_odds:
        raise SystemExit("the odds of no answer differ")
    nbest = answers.nbest()
    for key, rows in json.loads((folder / "nbest_predictions.json").read_text("utf-8")).items():
        spans = [[(row["text"], row["start_logit"], row["end_logit"]) for row in part] for part in (rows, nbest[key])]
        shares = [[row["probability"] for row in part] for part in (rows, nbest[key])]
        if spans[0] != spans[1] or not np.allclose(*shares, atol=1e-6):
            raise SystemExit(f"the n best of {key} differ")


def write_data(folder: Path, questions: int) -> None:
    """Simulated examples and features as data sets on disk, and logits with peaks."""
    rng = np.random.default_rng(0)
    words = ["".join(map(chr, rng.integers(97, 123, size))) for size in rng.integers(2, 12, 3000)]
    rows, examples = [], {"id": [], "context": [], "answers": []}
    asked = 24  # tokens before the context
    window = LENGTH - asked - 1
    for number in range(questions):
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
    logits = rng.normal(-4, 2, (2, n, LENGTH)).astype(np.float32)
    inside = np.zeros((n, LENGTH), bool)
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
    offsets = pa.ListArray.from_arrays(pa.array(np.arange(0, inside.size + 1, LENGTH, dtype=np.int32)), tokens)
    features = pa.table(
        {
            "offset_mapping": offsets,
            "example_id": [f"q{number}" for number, *_ in rows],
            "input_ids": pa.ListArray.from_arrays(offsets.offsets, pa.array(np.zeros(inside.size, np.int64))),
        }
    )
    datasets.disable_progress_bars()
    datasets.Dataset.from_dict(examples).save_to_disk(folder / "examples")
    datasets.Dataset(features).save_to_disk(folder / "features")
    np.save(folder / "logits.npy", logits)


def read_data(folder: Path) -> tuple[Any, Any, tuple[np.ndarray, ...]]:
    examples, features = (datasets.load_from_disk(str(folder / name)) for name in ("examples", "features"))
    return examples, features, tuple(np.load(folder / "logits.npy"))


def run_once(folder: Path, script: Path | None, who: str | None) -> None:
    examples, features, logits = read_data(folder)
    for column in (*examples.data.columns, *features.data.columns):  # pages read from the disk count as data
        for buffer in (buffer for chunk in column.chunks for buffer in chunk.buffers() if buffer):
            np.frombuffer(buffer, np.uint8)[::4096].sum()
    peer = inputs.load_file(script) if script else None
    if who == TEXTS:
        ExtractiveQA(examples, features, version_2_with_negative=True).answers(logits).texts  # noqa: B018
    elif who == PEER and peer:
        with contextlib.redirect_stderr(io.StringIO()):
            peer.postprocess_qa_predictions(examples, features, logits, version_2_with_negative=True)
