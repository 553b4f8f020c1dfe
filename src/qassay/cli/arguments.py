"""The arguments of the command, and their help."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ..core.options import did_you_mean
from ..core.shown import visible_line
from ..core.version import __version__
from ..human import METHODS
from ..registry import FAMILIES, named_groups
from .errors import complain
from .streams import print_text, print_to_stderr

FORMATS = ("table", "json", "markdown", "latex", "csv", "html")
RESULT_FORMATS = (*FORMATS, "summary")  # of what is a result document
OFFICIAL_FORMATS = [form for family in FAMILIES.values() for form in family.about.formats]

_EXAMPLES = {
    "score": """examples:
  qassay score gold.json model.json
  qassay score gold.json small.json large.json --by question_word --format markdown
  qassay score answers.csv --columns predictions=my_answer references=gold --option normalizer=french
  qassay score rag.jsonl --metric retrieval_ranking --metric retriever_reader --metric answer_match
  qassay score qrels.txt bm25.run dense.run --measures ndcg@10 map recall@100
  qassay score qrels.txt bm25.run --format trec_eval --per-query
  qassay score labels.jsonl --metric label_metrics --option task=multi --columns predictions=guessed
  qassay score scores.csv --metric average_precision
  qassay score gold.json model=seed1.json,seed2.json,seed3.json --pass-at 1,3 --pass-hat 3
  qassay score gold.csv answers.csv --columns run_id=seed
""",
    "compare": """examples:
  qassay compare gold.json small.json large.json --report report.html
  qassay compare qrels.txt bm25.run dense.run fused.run --baseline bm25 --measures ndcg@10 map
  qassay compare small/samples_gsm8k.jsonl large/samples_gsm8k.jsonl
  qassay compare scores.csv --columns ids=id system=model --option lower_is_better=latency
  qassay compare gold.csv rules.csv tuned.csv --metric label_metrics --correction benjamini-hochberg
""",
    "check": """examples:
  qassay check new.json --baseline old.json --gold gold.json --measure f1 --margin 0.01
  qassay check new.json --baseline old.json --gold gold.json --measure f1=0.01 exact_match=0.02 --groups article
  qassay check dense.run --baseline bm25.run --gold qrels.txt --measure ndcg@10 --margin 0.02 --junit gate.xml
  qassay check new/samples_nq_open.jsonl --baseline old/samples_nq_open.jsonl --measure exact_match --margin 0.02

exit status: 0 not worse by any measure; 1 worse, or too few examples to exclude it; 2 bad input
""",
    "leaderboard": """examples:
  qassay leaderboard gold.json runs/ --output board.html
  qassay leaderboard gold.json alder.json birch.json cedar.json --measures f1 exact_match --by question_word
  qassay leaderboard gold.json runs/ --about about.yaml --questions count --output board.md
  qassay leaderboard qrels.txt bm25.run dense.run fused.run --measures ndcg@10 map
""",
    "calibrate": """examples:
  qassay calibrate gold.json model.json --next 100
  qassay calibrate gold.json model.json --labels labels.csv
  qassay calibrate gold.json model.json --labels labels.csv --measures exact_match f1 --next 50
  qassay calibrate gold.json model.json --labels votes.csv --label-columns ids=qid labels=right
  qassay calibrate gold.json small.json large.json --labels of_small.csv --labels of_large.csv
""",
    "plan": """examples:
  qassay plan --share 0.7 --width 0.1
  qassay plan --share 0.7 --difference 0.03 --correlation 0.6
  qassay plan --share 0.7 --width 0.05 --group-sizes 4 --group-correlation 0.2
  qassay plan gold.json model.json --measures f1 --width 0.04 --groups article
  qassay plan gold.json small.json large.json --difference 0.02 --output plan.html --format html
""",
    "agreement": """examples:
  qassay agreement labelled.csv
  qassay agreement votes.csv --columns references=gold references=gold_2 predictions=text labels=ok system=bot
  qassay agreement votes.csv --raters ann bob eve --judges model
  qassay agreement long.csv --raters --judges model --columns ids=item rater=annotator labels=grade
  qassay agreement rated.jsonl --right-from 4 --option model=cross-encoder/stsb-roberta-base --output agreement.html
""",
    "view": """examples:
  qassay compare gold.json small.json large.json --format json --output result.json
  qassay view result.json
  qassay view result.json --output page.html
""",
    "app": """examples:
  qassay app
  qassay app --port 8000 --open
  qassay app --model cross-encoder/stsb-roberta-large --model ./my_model
""",
}
_MANY: dict[str, Any] = {"nargs": "+", "action": "extend"}
_PERMUTATIONS: dict[str, Any] = {"type": int, "default": 10_000, "metavar": "10000"}
_REPORT = ".html (self-contained), .md, .tex, .csv or .json"
_RUNS = "NAME=FILE sets the name of the system; NAME=FILE,FILE,... gives several runs of one system"


class _Once(argparse._StoreAction):
    """Stores the value of an option, and refuses a second one; argparse would drop the first without a word."""

    was_given = False

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        if option_string and self.was_given:
            parser.error(f"{option_string} is given twice; give it once")
        self.was_given = True
        super().__call__(parser, namespace, values, option_string)


class _Parser(argparse.ArgumentParser):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.register("action", None, _Once)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, rest = self.parse_known_args(args, namespace)
        if rest:
            option = next((argument[2:].partition("=")[0] for argument in rest if argument.startswith("--")), "")
            commands = next(action for action in self._actions if isinstance(action, argparse._SubParsersAction))
            options = [name.lstrip("-") for name in commands.choices[found.command]._option_string_actions]
            hint = did_you_mean(option, options).replace("mean '", "mean '--")
            self.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
        return found

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print help as results are printed: argparse ignores a closed output."""
        if file is sys.stdout:
            print_text(message)
        else:
            for line in message.splitlines():
                print_to_stderr(line)

    def error(self, message: str) -> NoReturn:
        if "required: " in message and any(name in message for name in ("GOLD", "LABELS", "NEW")):
            message += "; files come first, since an option such as --by takes every value after it"
        complain(visible_line(f"{message}; see {self.prog} --help"))
        raise SystemExit(2)


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands; `command` in the parsed arguments is the name of the command."""
    parser = _Parser(prog="qassay", description="Metrics for question answering, with intervals.")
    parser.add_argument("--version", action="version", version=f"qassay {__version__}")
    parser.set_defaults(by=[], per_example=None)  # of commands without these
    commands = parser.add_subparsers(required=True, dest="command", metavar="COMMAND", parser_class=_Parser)
    for add_command in (
        _add_score, _add_compare, _add_check, _add_leaderboard, _add_calibrate, _add_agreement, _add_plan, _add_list, _add_explain,
        _add_view, _add_app, _add_spaces,
    ):  # fmt: skip
        add_command(commands)
    return parser


def _command(commands: Any, name: str, in_short: str, description: str) -> Any:
    """Add a command; returns the function that adds its arguments.

    Args:
        in_short: its line in the help of the parser.
        description: what its help begins with; line breaks are kept.
    """
    command = commands.add_parser(
        name,
        help=in_short,
        description=description,
        epilog=_EXAMPLES.get(name),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return command.add_argument


def _add_files(add: Any, predictions: str) -> None:
    """Add the gold file and the files of predictions; `predictions` is the help of the latter."""
    add("gold", metavar="GOLD",
        help="SQuAD, HotpotQA, DROP or BioASQ JSON, qrels of TREC, or a table (JSON rows, JSONL, "
        "CSV, TSV, Parquet, Arrow; a folder of such files, as Dataset.save_to_disk writes it; also .gz, .bz2, .xz, .zst), or a "
        'log of lm_eval or Inspect, which has gold answers and predictions; "-" is standard input')  # fmt: skip
    add("predictions", metavar="PREDICTIONS", nargs="*", help=predictions)


def _add_shared(add: Any, *names: str) -> None:
    """Add arguments that several commands share."""
    shared = dict(_shared())
    for name in names:
        flags = ("-m",) if name == "-m" else (name,)
        add(*flags, **shared[name])


def _shared() -> Iterator[tuple[str, dict[str, Any]]]:
    named_only = " or ".join(name for name, family in FAMILIES.items() if family.named_only)
    groups = ", ".join(f"{name} ({meaning})" for name, meaning in named_groups().items())
    yield "--metric", {"metavar": "NAME", "action": "append",
        "help": "the metric; may be repeated for several metrics, with a table each; default: by the kind of "
        f"gold file; tables of labels or scores need {named_only}; own_scores reads numbers per example that another tool made"}  # fmt: skip
    yield "--option", {"metavar": "KEY=VALUE", **_MANY, "default": [],
        "help": "options of the metric; `qassay explain` lists them"}  # fmt: skip
    yield "--preset", {"metavar": "NAME",
        "help": "the rules of a benchmark, such as search_r1 (`qassay list --presets`); --option overrides single rules"}  # fmt: skip
    yield "--columns", {"metavar": "ROLE=NAME", **_MANY, "default": [],
        "help": "columns of tables, such as references=gold_list ids=qid; several columns of gold answers: references=a "
        "references=b; several systems in one table: predictions=a predictions=b; several runs of a system: run_id=seed; of a table "
        "of numbers that another tool made: system=NAME; "
        "ids that are called differently in the files: ids=id ids=uid; 'separator=;' for several labels or gold answers in a "
        "cell (a;b)"}  # fmt: skip
    yield "--no-answer-probabilities", {"metavar": "FILE", **_MANY, "default": [],
        "help": "no-answer probabilities as {id: number}, one file per system, or SYSTEM=FILE"}  # fmt: skip
    yield "--confidences", {"metavar": "FILE", **_MANY, "default": [],
        "help": "how confident a system is in its answers: {id: number}, or a table with the columns id and confidence, one file "
        "per system, or SYSTEM=FILE; adds the area under the risk-coverage curve, the score of the most confident 80 %% and the "
        "coverage with a score of 0.9"}  # fmt: skip
    yield "--measures", {"metavar": "NAME", **_MANY,
        "help": 'measures to show, for rankings to compute (`qassay explain` lists them); "all" for all measures; default: the '
        "usual measures, with TREC qrels also all that trec_eval prints (official); cutoffs may be written ndcg_cut.5,10"}  # fmt: skip
    yield "-m", {"dest": "measures", "nargs": 1, "action": "extend", "metavar": "NAME",
        "help": "one measure, as in trec_eval: -m map -m ndcg_cut.5,10"}  # fmt: skip
    yield "--signature", {"metavar": "TEXT",
        "help": "score with the options of this signature; --option overrides single options"}  # fmt: skip
    yield "--percent", {"action": "store_true", "help": "show 0 to 100 instead of 0 to 1"}
    yield "--groups", {"metavar": "NAME",
        "help": "groups of examples that are not independent; intervals and tests treat a group as a unit: "
        f"{groups}; or a column of the gold file. Choose it by the claim: --groups article for claims about new articles, none "
        "for new questions about the same articles"}  # fmt: skip
    yield "--confidence", {"type": float, "default": 0.95, "metavar": "0.95",
        "help": "confidence level of the intervals, and of the tests of compare"}  # fmt: skip
    yield "--interval-method", {"choices": ("auto", "percentile"), "default": "auto",
        "help": "auto (default): for each kind of measure the method with the best coverage in simulations, named in the output; "
        "percentile: bootstrap percentiles for all measures, of systems with one run"}  # fmt: skip
    yield "--resamples", {"type": int, "default": 1000, "metavar": "1000", "help": "number of bootstrap resamples"}
    yield "--seed", {"type": int, "default": 0, "metavar": "0", "help": "random seed"}
    yield "--per-example", {"metavar": "FILE",
        "help": "write the scores of every example to a .csv or .jsonl file"}  # fmt: skip
    yield "--output", {"metavar": "FILE",
        "help": "write the output to this file, in the format of its extension (.html, .md, .tex, .csv, .json; .txt or none: a "
        'table); "-" is standard output'}  # fmt: skip


_SCORED = (
    "--metric", "--option", "--preset", "--columns", "--no-answer-probabilities", "--confidences", "--measures", "-m",
    "--signature", "--percent", "--groups", "--confidence", "--interval-method", "--resamples", "--seed", "--per-example",
    "--output",
)  # fmt: skip


def _add_by(add: Any, text: str, by_system: bool = True) -> None:
    """Add `--by`, whose help lists the slices of all metrics, each under the first metric that has it.

    Args:
        text: the help; {slices} is replaced by their names.
        by_system: whether to include slices that depend on the answers of a system.
    """
    seen: set[str] = set()
    parts: list[str] = []
    for family in FAMILIES.values():
        without = seen if by_system else seen.union(family.about.system_slices)
        names = [name for name in family.about.usual_slices if name not in without]
        seen.update(names)
        if names:
            parts.append(f"{f'of {family.name} also ' if parts else ''}{', '.join(names)}")
    add("--by", metavar="SLICE", default=[], help=text.format(slices="; ".join(parts)), **_MANY)


def _add_format(add: Any, formats: Sequence[str] = FORMATS, more: str = "") -> None:
    *others, last = formats[1:]
    names = f"{', '.join([*others, last])}{more}" if more else f"{', '.join(others)} or {last}"
    add(
        "--format",
        choices=[*formats, *(OFFICIAL_FORMATS if more else [])],
        help=f"output format: table (default), {names}",
    )


# --- commands ---------------------------------------------------------------------------------------------------------


def _add_score(commands: Any) -> None:
    add = _command(
        commands,
        "score",
        "score files of predictions against a gold file, or runs against judgements",
        "Score files of predictions against a gold file, or runs (rankings of documents) against judgements.\n"
        "Their kind is recognised by their content.",
    )
    _add_files(
        add,
        f"one file per system, with qrels one run per system, or one folder with a file for each; {_RUNS}, such as one per "
        "seed; omit it if GOLD is a table with both; several such tables are one system each",
    )
    _add_shared(add, *_SCORED)
    _add_by(add, "{slices}; or a column of the gold file")
    add("--no-intervals", action="store_true", help="print values without intervals")
    add("--pass-at", metavar="K", default=[], **_MANY,
        help="for systems with several runs: the probability that at least one of K answers is right (pass@k), for example 1,5")  # fmt: skip
    add("--pass-hat", metavar="K", default=[], **_MANY,
        help="for systems with several runs: the probability that all of K answers are right (pass^k), for example 2,4")  # fmt: skip
    add("--report", metavar="FILE",
        help=f"also write a report of the values: {_REPORT}; for a report of differences use qassay compare")  # fmt: skip
    names = [f"{form} ({family.name})" for family in FAMILIES.values() for form in family.about.formats]
    _add_format(add, RESULT_FORMATS, f", or for one system {' or '.join(names)}")
    add("-q", "--per-query", action="store_true", help="with --format trec_eval: also print the values of every query")


def _add_compare(commands: Any) -> None:
    add = _command(
        commands,
        "compare",
        "compare systems: differences with intervals, paired tests, slices, kinds of errors, a report",
        "Compare two or more systems on the same examples: is one better, where, and could it be chance?\n"
        "Files and most options are the same as for qassay score. A difference is the later system minus the earlier one.",
    )
    _add_files(
        add,
        f"one file per system, two or more; with qrels one run per system; {_RUNS}; omit it if GOLD is a table with a column of "
        "predictions for each system",
    )
    _add_shared(add, *_SCORED)
    _add_by(add, "slices of the examples: {slices}; or a column of the gold file", by_system=False)
    add("--test", metavar="NAME", default="permutation",
        help="the test: permutation (default; exact if feasible), bootstrap, t, wilcoxon, or mcnemar for right-or-wrong measures")  # fmt: skip
    add("--correction", metavar="NAME", default="holm",
        help="correction for multiple tests: holm (default), bonferroni, benjamini-hochberg, none")  # fmt: skip
    add("--permutations", **_PERMUTATIONS, help="number of permutations, or of resamples of the bootstrap test")
    add("--baseline", metavar="SYSTEM", help="compare the other systems with this one; default: compare every pair")
    add("--report", metavar="FILE", help=f"also write a report: {_REPORT}")
    _add_format(add, RESULT_FORMATS)


def _add_check(commands: Any) -> None:
    add = _command(
        commands,
        "check",
        "a gate for releases: is a new system worse than an old one by more than a margin?",
        "Is a new system worse than an old one by more than a margin, on the same examples? The paired interval\n"
        "of the difference decides; the exit status is the verdict.",
    )
    add("predictions", metavar="NEW", nargs=1,
        help="the file of the new system; FILE,FILE or NAME=FILE,FILE are several runs; NAME=FILE sets the name of the system")  # fmt: skip
    add(
        "--baseline",
        dest="old",
        metavar="OLD",
        required=True,
        help="the file of the old system, in the same form as NEW",
    )
    add("--gold", metavar="GOLD",
        help="gold answers, judgements or labels, as for qassay score; omit it if OLD and NEW contain them, as logs of harnesses "
        "do")  # fmt: skip
    add("--measure", "--measures", "-m", dest="measures", metavar="NAME[=MARGIN]", required=True, **_MANY,
        help="the deciding measure, such as f1; with several measures, each with a margin (f1=0.01 exact_match=0.02), the new "
        "system must pass all")  # fmt: skip
    add("--margin", type=float, metavar="0.01",
        help="how much worse the new system may be, in units of the measure, for measures without a margin; 0 requires "
        "proof that it is better")  # fmt: skip
    add("--common", action="store_true",
        help="judge by the examples that both systems answered; without it, systems that answered different examples are refused")  # fmt: skip
    add("--count-absent", action="store_true",
        help="judge by all examples: an absent answer counts as 0 instead of being refused")  # fmt: skip
    without = ("--measures", "-m", "--percent", "--interval-method", "--resamples", "--per-example", "--output")
    _add_shared(add, *(name for name in _SCORED if name not in without))
    add("--markdown", metavar="FILE", help="also write a comment for a pull request")
    add("--junit", metavar="FILE", help="also write JUnit XML, a test case for each measure")
    add("--format", choices=("table", "json"), default="table",
        help="output format: table (a line for each measure) or json")  # fmt: skip


def _add_leaderboard(commands: Any) -> None:
    add = _command(
        commands,
        "leaderboard",
        "rank 2 to 100 systems: ranks with intervals, systems that do not differ significantly, a page",
        "Rank 2 to 100 systems on the same examples: values and ranks with intervals, letters of systems that\n"
        "do not differ significantly, how often each is the best, p-values of all pairs, slices.\n"
        "Files and most options are the same as for qassay score.",
    )
    _add_files(
        add,
        f"one file per system, two or more, or one folder with a file (or a folder) for each; {_RUNS}; omit it if GOLD is a table "
        "with a column of predictions for each",
    )
    _add_shared(add, *_SCORED)
    _add_by(add, "slices of the examples: {slices}; or a column of the gold file", by_system=False)
    add("--about", metavar="FILE",
        help="YAML or JSON: title, description, measures, by, groups, questions, and systems: {key: {name, link, team, date, "
        "facts}}; options on the command line override it (docs/leaderboard.md)")  # fmt: skip
    add("--set", dest="sets", metavar=("NAME", "GOLD"), nargs="+", action="append", default=[],
        help="a further data set: its name, its gold file and its systems, which are matched by name; may be repeated. Values are "
        "then means over the data sets; GOLD may be NAME=GOLD")  # fmt: skip
    add("--questions", choices=("refuse", "common", "count"),
        help="if systems lack an answer to some examples: refuse them (default), rank by the common examples, or count an absent "
        "answer as 0")  # fmt: skip
    add("--permutations", **_PERMUTATIONS, help="number of permutations in the tests")
    _add_format(add, RESULT_FORMATS)


def _add_calibrate(commands: Any) -> None:
    add = _command(
        commands,
        "calibrate",
        "estimate what people would say about all answers, from human verdicts on some",
        "Estimate what people would say about all answers of a system, with an interval, from a measure of all answers\n"
        "and human verdicts on a random sample of them. Without --labels, --next prints which examples to label first.",
    )
    _add_files(
        add,
        "the file of the system, or two files for the difference of two systems; omit it if GOLD is a table with both",
    )
    add("--labels", metavar="FILE", action="append",
        help="human verdicts, 0 to 1 or true and false: a table with a column of ids and a column of labels, or {id: label}; "
        "for two systems --labels A.csv --labels B.csv")  # fmt: skip
    add("--label-columns", metavar="ROLE=NAME", default=[], **_MANY,
        help="the columns of the tables of labels, ids=NAME labels=NAME; default: their usual names")  # fmt: skip
    add("--method", choices=METHODS, default="ppi",
        help="ppi (default: PPI++, for any measure and random labels), or rogan_gladen (for judges that say right or wrong)")  # fmt: skip
    add("--lam", type=float, metavar="LAMBDA",
        help="for ppi: the weight of the measure, 1 for plain PPI, 0 for the labels alone; default: the weight with the smallest "
        "variance")  # fmt: skip
    add("--next", type=int, metavar="50", help="print the ids of this many random examples to label next")
    _add_shared(add, *(name for name in _SCORED if name not in ("--interval-method", "--resamples", "--per-example")))
    _add_format(add)


def _add_agreement(commands: Any) -> None:
    add = _command(
        commands,
        "agreement",
        "which measure to trust on your data: how well each one agrees with human labels",
        "Show how well each measure agrees with human labels of answers: AUC, accuracy at the best\n"
        "threshold (cross-fitted) and at 0.5, Pearson's correlation and the calibration error, with intervals; and with a\n"
        "column of systems, their means and their order by people and by each measure; by default, of all metrics that score\n"
        "texts. With --raters, show how well several people agree with each other (Cohen's kappa, Krippendorff's alpha), and\n"
        "with --judges, whether a judge agrees with them as well as a second person does.",
    )
    add("labelled", metavar="LABELS",
        help="a table (CSV, TSV, JSON rows, JSONL, Parquet, Arrow) with a row per answer: gold answers, answer and label, and "
        "optionally questions, system, groups and ids; a label is 1 or 0, yes or no, correct or incorrect, or a number; "
        '"-" is standard input')  # fmt: skip
    add("--raters", metavar="NAME", nargs="*", action="extend",
        help="columns, each with the labels of one person; or, without a name, for a table with a row per item and person, with columns "
        "for the id of the item, the rater and the label")  # fmt: skip
    add("--judges", metavar="NAME", default=[], help="columns or names of judges to compare with the raters", **_MANY)
    add("--scale", choices=("nominal", "ordinal", "interval"),
        help="scale of the labels; default: nominal for words and two labels, ordinal for other whole numbers, interval for the rest")  # fmt: skip
    add("--weights", choices=("none", "linear", "quadratic"),
        help="weights of disagreements in kappa; default: none for nominal, linear for ordinal, quadratic for interval labels")  # fmt: skip
    add("--margin", type=float, metavar="0.05",
        help="how far the kappa of a judge may be below that of a second person")  # fmt: skip
    add("--right-from", type=float, metavar="LABEL",
        help="the lowest label of a right answer; default: 0.5, for labels from 0 to 1")  # fmt: skip
    add("--columns", metavar="ROLE=NAME", default=[], **_MANY,
        help="labels, references (one or more), predictions, questions, system, groups or ids; 'separator=/' for several gold "
        "answers in a cell (a/b); with --raters ids, rater, labels or groups")  # fmt: skip
    _add_shared(add, *"--metric --option --measures --percent --confidence --seed --resamples --output".split())
    _add_format(add)


def _add_plan(commands: Any) -> None:
    add = _command(
        commands,
        "plan",
        "how many questions a test set needs",
        "Compute how many questions an interval of a given width needs, or a test that should detect a difference between two\n"
        "systems, from an expected share of right answers or from the answers of a pilot. Also shown: the effect of fewer and\n"
        "more questions.",
    )
    add("gold", metavar="GOLD", nargs="?", help="the gold answers of a pilot; omit it with --share")
    add("predictions", metavar="PREDICTIONS", nargs="*",
        help="the file of a system of the pilot, or two files for the difference of two systems")  # fmt: skip
    add("--share", type=float, metavar="0.7", help="without a pilot: the expected share of right answers")
    add("--width", type=float, metavar="0.1", help="the desired width of the interval of a value, from end to end")
    add(
        "--difference",
        type=float,
        metavar="0.03",
        help="the difference between two systems that a paired test should detect",
    )
    add("--correlation", type=float, default=0.5, metavar="0.5",
        help="correlation of the two systems over the questions; taken from a pilot of two systems")  # fmt: skip
    add("--group-sizes", type=float, default=[1.0], metavar="1", nargs="+",
        help="number of questions of each group, such as an article: one for all groups, or one for each")  # fmt: skip
    add("--group-correlation", type=float, default=0.1, metavar="0.1", help="correlation of two questions of a group")
    add("--runs", type=int, default=1, metavar="1", help="number of answers of a system to each question")
    add("--run-share", type=float, default=0.0, metavar="0",
        help="the share of the variance of an answer that is not shared by another answer to the same question")  # fmt: skip
    add(
        "--power",
        type=float,
        default=0.8,
        metavar="0.8",
        help="the probability with which the test should detect the difference",
    )
    _add_shared(add, *(name for name in _SCORED if name not in ("--interval-method", "--resamples", "--per-example")))
    _add_format(add)


def _add_list(commands: Any) -> None:
    add = _command(commands, "list", "list the metrics, or the presets", "List the metrics, or the presets.")
    add("--presets", action="store_true",
        help="list the benchmarks that a metric reproduces by name, each with its official script")  # fmt: skip


def _add_explain(commands: Any) -> None:
    in_short = "show the columns, options and measures of a metric, or explain a name"
    add = _command(
        commands, "explain", in_short, "Show the columns, options and measures of a metric, or explain a name."
    )
    add("name", metavar="NAME",
        help=f"a metric ({', '.join(sorted(FAMILIES))}), a measure, an option, a column, a method of intervals ('effective "
        "wilson'), a remark of a comparison (few_carry), or a name used elsewhere, such as em")  # fmt: skip


def _add_view(commands: Any) -> None:
    add = _command(
        commands,
        "view",
        "open a result, as --format json prints it, in a browser",
        "Open a result document, as --format json of score, compare and leaderboard prints it, in a browser. The page is\n"
        "served on this machine until the command is interrupted; it contacts no other machine.",
    )
    add("document", metavar="FILE.json", help="the result document; it may be compressed with gzip")
    add("--output", metavar="FILE.html", help="write the page to this file instead of opening it")
    add("--port", type=int, default=0, metavar="N", help="port to listen on; default: a free one")
    add("--no-browser", action="store_true", help="print the address without opening a browser")


def _add_app(commands: Any) -> None:
    add = _command(
        commands,
        "app",
        "start the page: upload files, score, inspect errors, compare, report",
        "Start the page on this machine, with sample data, and print its address. It does not contact any other machine.",
    )
    add("--host", metavar="ADDRESS",
        help="address to listen on: 127.0.0.1 for this machine only, 0.0.0.0 for all machines that can reach it; default: "
        "GRADIO_SERVER_NAME, else 127.0.0.1")  # fmt: skip
    add("--port", type=int, metavar="N",
        help="port to listen on; default: GRADIO_SERVER_PORT, else the first free port from 7860")  # fmt: skip
    add("--model", metavar="NAME_OR_FOLDER", default=[], dest="models", **_MANY,
        help="models that the page offers for semantic answer similarity in addition to the built-in scorer; a name is "
        "downloaded from the Hugging Face Hub on first use, a folder is on this machine")  # fmt: skip
    add("--open", action="store_true", help="open the page in a browser")


def _add_spaces(commands: Any) -> None:
    spaces = commands.add_parser(
        "spaces", help="build folders to push as Hugging Face Spaces: the metrics and the page"
    )
    actions = spaces.add_subparsers(required=True, metavar="ACTION", parser_class=_Parser)
    add = _command(
        actions,
        "build",
        "write them from the last commit of a clone",
        "Write the Space of each metric, and of the page, to OUT/NAME. OUT/qassay also holds the wheel of the package;\n"
        "the other Spaces install it from there.",
    )
    add("out", metavar="OUT", type=Path, help="the folder to write them to")
    add("names", metavar="NAME", nargs="*", help="metrics, or qassay for the page; default: all")
    add("--owner", metavar="OWNER", required=True, help="the user or organisation that will have the Spaces")
