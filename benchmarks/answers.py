"""answer_match against the Hugging Face module squad_v2 and its official script, on SQuAD 2.0 dev, distinct answers and a million rows."""

import argparse
import random
from collections.abc import Iterator, Sequence
from typing import Any

import qassay

from . import inputs
from .measure import Table, Way, compare, faster, in_megabytes, in_process, in_seconds

PACKAGES = ("evaluate", "datasets")
COPIES = 84  # of SQuAD dev: 997,332 questions
PEER, MODULE, SUMMARY = "Hugging Face squad_v2", "qassay squad_v2", "qassay.score(...).summary()"
KEYS = {"exact": "exact_match", "f1": "f1"}  # best_* of the peer depends on the order of equal probabilities

Rows = tuple[list[dict], list[dict]]


def run(args: argparse.Namespace) -> Iterator[Table]:
    squad = inputs.squad(args)
    distinct = distinct_rows(squad.contexts, 300_000 if args.full else 2000)
    rows = []
    for title, (predictions, references) in (
        ("SQuAD 2.0 dev", squad_rows(squad)),
        ("distinct questions", distinct),
    ):
        n = len(predictions)
        title = f"{title}, {n:,} questions" if title.startswith("SQuAD") else f"{n:,} {title}"
        times = compare(title, ways(args, predictions, references), args.repeats)
        rows.append([title, in_seconds(times[PEER]), *(faster(times[PEER], times[way]) for way in (MODULE, SUMMARY))])
    copies = COPIES if args.full else 10
    alone, theirs, ours = (in_process(compute, args, copies, who).megabytes for who in (None, PEER, MODULE))
    n = copies * len(squad.ids)
    for title, peer, mine in (
        (f"peak memory with {n:,} questions", theirs, ours),
        (f"the same without the {in_megabytes(alone)} of the rows", theirs - alone, ours - alone),
    ):
        rows.append([title, in_megabytes(peer), f"{in_megabytes(mine)}, **1/{peer / mine:.0f}**", ""])
    yield Table("answers", ["", "Hugging Face `squad_v2`", "qassay's `squad_v2` config", f"`{SUMMARY}`"], rows)


def ways(args: argparse.Namespace, predictions: list[dict], references: list[dict]) -> dict[str, Way]:
    module = qassay.load("answer_match", "squad_v2")
    found = {
        MODULE: Way(lambda: module.compute(predictions=predictions, references=references)),
        SUMMARY: Way(
            lambda: qassay.score("answer_match", predictions, references).summary(),
            lambda found: {key: 100 * found[measure] for key, measure in KEYS.items()},
            1e-9,
        ),
    }
    peer = inputs.hugging_face(args, "squad_v2")
    if peer is not None:
        script = inputs.load_file(inputs.peer(args, "evaluate", "metrics", "squad_v2", "compute_score.py"))
        data = [{"paragraphs": [{"qas": references}]}]
        texts = {row["id"]: row["prediction_text"] for row in predictions}
        found[PEER] = Way(lambda: peer.compute(predictions=predictions, references=references))
        found["official script, EM and F1 only"] = Way(
            lambda: script.get_raw_scores(data, texts),
            lambda columns: {key: 100 * mean(of.values()) for key, of in zip(KEYS, columns, strict=True)},
            1e-9,
        )
    return found


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def squad_rows(squad: inputs.Squad, copies: int = 1) -> Rows:
    """Predictions and references in the layout of the squad_v2 module."""
    predictions, references = [], []
    for copy in range(copies):
        for name, golds, answer in zip(squad.ids, squad.golds, squad.answers["bert"], strict=True):
            found = {key: [gold[key] for gold in golds] for key in ("text", "answer_start")}
            add(predictions, references, f"{copy}-{name}" if copy else name, answer, found)
    return predictions, references


def add(predictions: list[dict], references: list[dict], name: str, answer: str, golds: dict[str, Any]) -> None:
    predictions.append({"id": name, "prediction_text": answer, "no_answer_probability": 0.0})
    references.append({"id": name, "answers": golds})


def distinct_rows(contexts: list[list[str]], n: int) -> Rows:
    """Questions with answers cut out of contexts: hardly any text is repeated."""
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
        add(predictions, references, f"q{number}", answer, {"text": golds, "answer_start": [0] * len(golds)})
    return predictions, references


def compute(args: argparse.Namespace, copies: int, who: str | None) -> None:
    """Make the rows of many questions, and with a program compute once."""
    predictions, references = squad_rows(inputs.squad(args), copies)
    module = qassay.load("answer_match", "squad_v2") if who == MODULE else inputs.hugging_face(args, "squad_v2")
    if who and module is not None:
        module.compute(predictions=predictions, references=references)
