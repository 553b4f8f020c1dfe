"""Shared code of commands: adding them to the parser, and the arguments for files to score."""

import argparse
from collections.abc import Sequence

from ..registry import FAMILIES, named_groups
from .commands import FORMATS


def add_command(commands, name: str, in_short: str, description: str, examples: str) -> argparse.ArgumentParser:
    """Adds a command to the parser.

    Args:
        in_short: its line in the help of the parser.
        description, examples: what its own help begins and ends with, in lines as they are.
    """
    return commands.add_parser(
        name,
        help=in_short,
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_format(add, formats: Sequence[str] = FORMATS) -> None:
    """The format of what is printed, where a command has no own format."""
    *others, last = formats[1:]
    add("--format", choices=formats, help=f"output format: table (default), {', '.join(others)} or {last}")


def slices_in_words(by_system: bool = True) -> str:
    """The slices of all metrics in words, each at the first metric that has it.

    Args:
        by_system: also the slices by the answers of a system.
    """
    seen: set[str] = set()
    parts: list[str] = []
    for family in FAMILIES.values():
        unwanted = seen if by_system else seen.union(family.telling.system_slices)
        names = [name for name in family.telling.usual_slices if name not in unwanted]
        seen.update(names)
        if names:
            parts.append(f"{f'of {family.name} also ' if parts else ''}{', '.join(names)}")
    return "; ".join(parts)


def add_files(add, predictions: str) -> None:
    """The gold file and the files of predictions; `predictions` is the help of these."""
    add(
        "gold",
        metavar="GOLD",
        help="SQuAD, HotpotQA, DROP or BioASQ JSON, qrels of TREC, sparse rows of labels (XMC), or a table (JSON rows, "
        "JSONL, CSV, TSV, Parquet, Arrow; a folder of such files, as Dataset.save_to_disk writes it; also .gz, .bz2, .xz, "
        ".zst), or a log of lm_eval, Inspect or FlashRAG, which has gold answers and predictions; "
        '"-" is standard input',
    )
    add("predictions", metavar="PREDICTIONS", nargs="*", help=predictions)


def add_choices(add, by: str | None = None) -> None:
    """The common arguments of commands that score files.

    Args:
        by: the help of --by; None: the command has neither slices nor resamples nor files of examples.
    """
    add(
        "--metric",
        metavar="NAME",
        action="append",
        help="the metric; give it several times for several metrics, whose tables follow each other; default: by the kind of "
        "gold file; tables of labels or scores need "
        + " or ".join(name for name, family in FAMILIES.items() if family.named_only),
    )
    add(
        "--option",
        metavar="KEY=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="options of the metric; `qassay explain` lists them",
    )
    add(
        "--preset",
        metavar="NAME",
        help="the rules of a benchmark, such as search_r1 (`qassay list --presets`); --option overrides single rules",
    )
    add(
        "--columns",
        metavar="ROLE=NAME",
        nargs="+",
        action="extend",
        default=[],
        help="columns of tables, such as references=gold_list ids=qid; several columns of gold answers: references=a "
        "references=b; "
        "several systems in one table: predictions=a predictions=b; several runs of a system: run_id=seed; "
        "a column of one file: model.csv:ids=uid, gold:ids=id, -:ids=id; "
        "'separator=;' for several labels or gold answers in a cell (a;b)",
    )
    add("--no-answer-probabilities", metavar="FILE", nargs="+", action="extend", default=[],
        help="no-answer probabilities as {id: number}, one file per system, or SYSTEM=FILE")  # fmt: skip
    add("--confidences", metavar="FILE", nargs="+", action="extend", default=[],
        help="how confident a system is in its answers: {id: number}, or a table with the columns id and confidence, one "
        "file per "
        "system, or SYSTEM=FILE; adds the area under the risk-coverage curve, the score of the most confident 80 %% and the "
        "coverage with a score of 0.9")  # fmt: skip
    if by:
        add("--by", metavar="SLICE", nargs="+", action="extend", default=[], help=by)
    add("--measures", metavar="NAME", nargs="+", action="extend",
        help='measures to show, for rankings to compute (`qassay explain` lists them); "all" for all measures; '
        'default: '
        "the usual measures, with TREC qrels also all that trec_eval prints (official); cut-offs may be written "
        "ndcg_cut.5,10")  # fmt: skip
    add("-m", dest="measures", nargs=1, action="extend", metavar="NAME",
        help="one measure, as in trec_eval: -m map -m ndcg_cut.5,10")  # fmt: skip
    add(
        "--signature",
        metavar="TEXT",
        help="score with the options of this signature; --option overrides single options",
    )
    add("--percent", action="store_true", help="show 0 to 100 instead of 0 to 1")
    names = [f"{name} ({meaning})" for name, meaning in named_groups().items()]
    add("--groups", metavar="NAME",
        help="groups of examples that are not independent; intervals and tests treat a group as a unit: "
        f"{', '.join(names)}; or a column of the gold file. Choose it by the claim: --groups article for claims about "
        "new articles, none for new "
        "questions about the same articles")  # fmt: skip
    add(
        "--confidence",
        type=float,
        default=0.95,
        metavar="0.95",
        help="confidence level of the intervals, and of the tests of compare",
    )
    if by:
        add("--interval-method", choices=("auto", "percentile"), default="auto",
            help="auto (default): for each kind of measure the method with the best coverage in simulations, named in "
            "the output; "
            "percentile: bootstrap percentiles for all measures")  # fmt: skip
        add("--resamples", type=int, default=1000, metavar="1000", help="number of bootstrap resamples")
    add("--seed", type=int, default=0, metavar="0", help="random seed")
    if by:
        add(
            "--per-example", metavar="FILE", help="write the scores of every example to a .parquet, .csv or .jsonl file"
        )
    add(
        "--output",
        metavar="FILE",
        help="write the output to this file, in the format of its extension (.html, .md, .tex, .csv, .json; .txt or "
        'none: a table); "-" is standard output',
    )
