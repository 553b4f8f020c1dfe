"""The arguments of the command, and their help."""

import argparse
import shlex
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from .. import __version__, list_metrics
from ..core.shown import visible_line
from ..human import LABEL_INTERVALS, METHODS
from ..registry import FAMILIES
from .commands import OWN_FORMATS, RESULT_FORMATS, agreement, calibrate, compare, explain, is_file_name, list_all, score
from .errors import complain
from .file_arguments import add_choices, add_command, add_files, add_format, slices_in_words
from .leaderboards import add_leaderboard
from .pages import add_app, add_spaces
from .streams import print_text, tell
from .view import add_view

_EXAMPLES = """examples:
  qassay score gold.json model.json
  qassay score gold.json small.json large.json --by question_word --format markdown
  qassay score answers.csv --columns predictions=my_answer references=gold --option normalizer=french
  qassay score table.csv --columns predictions=small predictions=large references=gold
  qassay score gold.csv model.csv --columns ids=id model.csv:ids=uid --report report.html
  qassay score gold.json model.json --metric answer_match --metric semantic_answer_similarity --option model=lite
  qassay score rag.jsonl --metric retrieval_ranking --metric retriever_reader --metric answer_match
  qassay score qrels.txt bm25.run dense.run --measures ndcg@10 map recall@100
  qassay score qrels.txt bm25.run --format trec_eval --per-query
  qassay score gold.csv tuned.csv --metric label_metrics --by channel
  qassay score labels.jsonl --metric label_metrics --option task=multi --columns predictions=guessed
  qassay score scores.csv --metric average_precision
  qassay score gold.json model=seed1.json,seed2.json,seed3.json --pass-at 1,3
  qassay score gold.csv answers.csv --columns run_id=seed
"""


_COMPARISONS = """examples:
  qassay compare gold.json small.json large.json --report report.html
  qassay compare gold.json small.json large.json --by question_word answer_type --test bootstrap
  qassay compare qrels.txt bm25.run dense.run fused.run --baseline bm25 --measures ndcg@10 map
  qassay compare small/samples_gsm8k.jsonl large/samples_gsm8k.jsonl
  qassay compare gold.csv rules.csv tuned.csv --metric label_metrics --correction benjamini-hochberg
"""


_CALIBRATIONS = """examples:
  qassay calibrate gold.json model.json --next 100
  qassay calibrate gold.json model.json --labels labels.csv
  qassay calibrate gold.json model.json --labels labels.csv --measures exact_match f1 --width 0.1 --next 50
  qassay calibrate gold.json model.json --labels votes.csv --columns votes.csv:ids=qid votes.csv:labels=right
  qassay calibrate gold.json model.json --labels labels.csv --measures exact_match --method rogan_gladen
  qassay calibrate gold.json small.json large.json --labels of_small.csv --labels of_large.csv
"""


_AGREEMENTS = """examples:
  qassay agreement labelled.csv
  qassay agreement labelled.csv --metric answer_match --measures exact_match f1 --format markdown
  qassay agreement votes.csv --columns references=gold references=gold_2 predictions=text labels=ok system=bot
  qassay agreement rated.jsonl --right-from 4 --model cross-encoder/stsb-roberta-base --output agreement.html
"""


class _Once(argparse.Action):
    """An option with a single value: a second, different value is refused."""

    def __call__(self, parser, namespace, values, option_string=None):
        given = vars(namespace).setdefault("_given", {})
        first = given.setdefault(self.dest, values)
        if option_string and first is not values and first != values:
            parser.error(f"{option_string} is given twice: {given[self.dest]} and {values}; give it once")
        setattr(namespace, self.dest, values)


class _Parser(argparse.ArgumentParser):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.register("action", None, _Once)

    def _parse_optional(self, arg_string):
        """No option begins with "-:": it is a column of standard input, as in -:ids=uid."""
        return None if arg_string.startswith("-:") else super()._parse_optional(arg_string)

    def parse_known_args(self, args=None, namespace=None):
        self._given = list(sys.argv[1:] if args is None else args)
        return super().parse_known_args(args, namespace)

    def parse_args(self, args=None, namespace=None):
        found, rest = self.parse_known_args(args, namespace)
        others = [argument for argument in rest if argument != "--"]
        if others and hasattr(found, "old") and not any(argument.startswith("-") for argument in others):
            self.error(f"check judges one new system; got {', '.join([*found.predictions, *others])}; give one NEW")
        if rest:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return found

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print like results; argparse would not report that nothing can be written."""
        if file is sys.stdout:
            print_text(message)
        else:
            for line in message.splitlines():
                tell(line)

    def error(self, message: str) -> NoReturn:
        needs_files = any(f"required: {name}" in message for name in ("GOLD", "LABELS", "NEW"))
        single = [name for name, action in self._option_string_actions.items() if action.nargs is None]
        complain(
            visible_line(
                needs_files
                and _taken_files_message(self.prog, self._given, single)
                or f"{message}; see {self.prog} --help"
            )
        )
        raise SystemExit(2)


def _taken_files_message(command: str, given: Sequence[str], single: Sequence[str]) -> str:
    """The message about files that an option has taken as its values; "" if there are none.

    Args:
        single: options that take one value, which may be a file.
    """
    option = ""
    taken: list[tuple[str, str]] = []
    others: list[tuple[str, str]] = []
    for argument in given:
        option = argument if argument.startswith("-") else option
        is_file = argument != option and option not in single and is_file_name(argument)
        (taken if is_file else others).append((option, argument))
    if not taken or not taken[0][0]:
        return ""
    first, path = taken[0]
    files, rest = (shlex.join(argument for _, argument in part) for part in (taken, others))
    return f"{first} takes every value after it, and took the file {path}; files come first: {command} {files} {rest}"


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands; each sets `run`, a function from the parsed arguments to the text to print."""
    from ..check.command import add_check  # which imports modules of the command line

    parser = _Parser(prog="qassay", description="Metrics for question answering, with intervals.")
    parser.add_argument("--version", action="version", version=f"qassay {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    _add_score(commands)
    _add_compare(commands)
    add_check(commands)
    add_leaderboard(commands)
    _add_calibrate(commands)
    _add_agreement(commands)
    command = commands.add_parser("list", help="list the metrics, or the presets")
    command.add_argument(
        "--presets",
        action="store_true",
        help="list the benchmarks that a metric reproduces by name, each with its official script",
    )
    command.set_defaults(run=list_all)
    command = commands.add_parser(
        "explain", help="show the columns, options and measures of a metric, or explain a name"
    )
    command.add_argument(
        "name",
        metavar="NAME",
        help=f"a metric ({', '.join(list_metrics())}), a measure, an option, a column, a method of "
        "intervals ('effective wilson'), a remark of a comparison (few_carry), or a name used elsewhere, such as em",
    )
    command.set_defaults(run=explain)
    add_view(commands)
    add_app(commands)
    add_spaces(commands)
    return parser


def _add_score(commands) -> None:
    command = add_command(
        commands,
        "score",
        "score files of predictions against a gold file, or runs against judgements",
        "Score files of predictions against a gold file, or runs (rankings of documents) against judgements.\n"
        "Their kind is recognised by their content.",
        _EXAMPLES,
    )
    add = command.add_argument
    add_files(
        add,
        "one file per system, with qrels one run per system; NAME=FILE names the system; NAME=FILE,FILE,... gives "
        "several "
        "runs of one system, such as one per seed; omit it if GOLD is a table with both; several such tables are one "
        "system each",
    )
    add_choices(
        add,
        by=f"{slices_in_words()}; or a column of the gold file",
    )
    add("--no-intervals", action="store_true", help="print values without intervals")
    add("--pass-at", metavar="K,K",
        help="for systems with several runs: the probability that at least one of K answers is right (pass@k), for "
        "example 1,5")  # fmt: skip
    add(
        "--majority-at",
        metavar="K,K",
        help="for systems with several runs: the probability that more than half of K answers are right, for example "
        "3,5",
    )
    add("--safe-names", action="store_true",
        help="with --format json or csv: names of measures without @, brackets and =, as MLflow needs them "
        "(ndcg_at_10)")  # fmt: skip
    own = [f"{form} ({family.name})" for family in FAMILIES.values() for form in family.telling.formats]
    add("--report", metavar="FILE",
        help="also write a report of the values: .html (self-contained), .md, .tex, .csv or .json; "
        "for a report of differences use qassay compare")  # fmt: skip
    add("--export", metavar="PLACE", action="append", default=[],
        help="also export the values of one system: a folder gets a record of Every Eval Ever with a file of the "
        "examples; "
        "a .yaml file gets evaluation results of the Hugging Face Hub for one measure. --about names the model "
        "and the data set")  # fmt: skip
    add("--about", metavar="FILE",
        help="for --export: a YAML or JSON file of facts about the result, such as model, dataset, date, organization "
        "and relationship (docs/exports.md)")  # fmt: skip
    add("--format", choices=[*RESULT_FORMATS, *OWN_FORMATS],
        help=f"output format: table (default), {', '.join(RESULT_FORMATS[1:])}, or for one system "
        f"{' or '.join(own)}")  # fmt: skip
    add("-q", "--per-query", action="store_true", help="with --format trec_eval: also print the values of every query")
    command.set_defaults(run=score)


def _add_compare(commands) -> None:
    command = add_command(
        commands,
        "compare",
        "compare systems: differences with intervals, paired tests, slices, kinds of errors, a report",
        "Compare two or more systems on the same examples: is one better, where, and can it be chance?\n"
        "Files and most options are the same as for qassay score. A difference is the later system minus the earlier one.",
        _COMPARISONS,
    )
    add = command.add_argument
    add_files(
        add,
        "one file per system, two or more; with qrels one run per system; NAME=FILE names the system; "
        "NAME=FILE,FILE,... "
        "gives several "
        "runs of one system; omit it if GOLD is a table with a column of predictions for each system",
    )
    add_choices(
        add,
        by=f"slices of the examples: {slices_in_words(by_system=False)}; or a column of the gold file; without it a "
        "report "
        "has the default slices",
    )
    add("--test", metavar="NAME", default="permutation",
        help="the test: permutation (default; exact if feasible), bootstrap, t, wilcoxon, or mcnemar for right-or-wrong "
        "measures")  # fmt: skip
    add("--correction", metavar="NAME", default="holm",
        help="correction for multiple tests: holm (default), bonferroni, benjamini-hochberg, none")  # fmt: skip
    add(
        "--permutations",
        type=int,
        default=10_000,
        metavar="10000",
        help="number of permutations, or of resamples of the bootstrap test",
    )
    add("--baseline", metavar="SYSTEM", help="compare the other systems with this one; default: compare every pair")
    add("--texts", type=int, default=3, metavar="3",
        help="how many of the largest losses and gains to show with their texts (a report shows 20 or "
        "more)")  # fmt: skip
    add("--report", metavar="FILE", help="also write a report: .html (self-contained), .md, .tex, .csv or .json")
    add_format(add, RESULT_FORMATS)
    command.set_defaults(run=compare)


def _add_calibrate(commands) -> None:
    command = add_command(
        commands,
        "calibrate",
        "estimate what people would say about all answers, from human verdicts on some",
        "Estimate what people would say about all answers of a system, with an interval, from a measure of all "
        "answers\n"
        "and human verdicts on a random sample of them. Without --labels, --next prints which examples to label first.",
        _CALIBRATIONS,
    )
    add = command.add_argument
    add_files(
        add,
        "the file of the system, or two files for the difference of two systems; omit it if GOLD is a table with both",
    )
    add("--labels", metavar="FILE", action="append",
        help="human verdicts, 0 to 1 or true and false: a table with a column of ids and a column of labels, or {id: "
        "label}; "
        "--columns FILE:ids=NAME FILE:labels=NAME names other columns; for two systems --labels A.csv --labels "
        "B.csv")  # fmt: skip
    add("--method", choices=METHODS, default="ppi",
        help="ppi (default: PPI++, for any measure and random labels), or rogan_gladen (for judges that say right "
        "or wrong)")  # fmt: skip
    add("--lam", type=float, metavar="LAMBDA",
        help="for ppi: the weight of the measure, 1 for plain PPI, 0 for the labels alone; default: the weight with "
        "the smallest variance")  # fmt: skip
    add("--interval-method", choices=LABEL_INTERVALS, default="auto",
        help="auto (default; also valid with few labels), or normal, as published")  # fmt: skip
    add("--width", type=float, metavar="0.05",
        help="print how many labels an interval of this total width needs; with --percent a percentage, such as "
        "5")  # fmt: skip
    add("--next", type=int, metavar="50", help="print the ids of this many random examples to label next")
    add_choices(add)
    add_format(add)
    command.set_defaults(run=calibrate, by=[], per_example=None)


def _add_agreement(commands) -> None:
    command = add_command(
        commands,
        "agreement",
        "which measure to trust on your data: how well each one agrees with human labels",
        "Show how well each measure agrees with human labels of answers: AUC, accuracy at the best\n"
        "threshold (cross-fitted) and at 0.5, Pearson's correlation and the calibration error, with intervals; and with a\n"
        "column of systems, their means and their order by people and by each measure.",
        _AGREEMENTS,
    )
    add = command.add_argument
    add("labelled", metavar="LABELS",
        help="a table (CSV, TSV, JSON rows, JSONL, Parquet, Arrow) with a row per answer: gold answers, answer and label, "
        "and optionally question, system, groups and ids; a label is 1 or 0, yes or no, correct or incorrect, or a "
        "number; "
        '"-" is standard input')  # fmt: skip
    add("--columns", metavar="ROLE=NAME", nargs="+", action="extend", default=[],
        help="labels, references (one or more), predictions, question, system, groups or ids; 'separator=/' for "
        "several "
        "gold answers in a cell (a/b)")  # fmt: skip
    add(
        "--metric",
        metavar="NAME",
        action="append",
        help="a metric to compare; give it several times for several; default: all metrics that score texts",
    )
    add("--measures", metavar="NAME", nargs="+", action="extend",
        help="measures to compare; default: all with a value from 0 to 1 for every answer")  # fmt: skip
    add("--model", metavar="NAME", default="lite",
        help="the model of the metric that loads one (similarity, if several do); lite (default) is built "
        "in")  # fmt: skip
    add("--option", metavar="KEY=VALUE", nargs="+", action="extend", default=[],
        help="an option, for every metric that has it")  # fmt: skip
    add("--right-from", type=float, metavar="LABEL",
        help="the lowest label of a right answer; default: 0.5, for labels from 0 to 1")  # fmt: skip
    add("--percent", action="store_true", help="show accuracies and means as 0 to 100 instead of 0 to 1 in tables")
    add("--confidence", type=float, default=0.95, metavar="0.95", help="confidence level of the intervals")
    add("--resamples", type=int, default=1000, metavar="1000", help="number of bootstrap resamples")
    add("--seed", type=int, default=0, metavar="0", help="random seed for the bootstrap and the folds")
    add("--output", metavar="FILE", help="write the output to this file, in the format of its extension")
    add_format(add)
    command.set_defaults(run=agreement)
