"""The arguments of the command and their help: a table of options, and a table of commands with the options that each takes."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

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


class _Command(NamedTuple):
    """A command.

    Attributes:
        in_short: its line in the help of the parser.
        description: what its help begins with; line breaks are kept.
        options: what it takes, by the names in `_options`.
        formats: of its output.
        examples: what its help ends with.
    """

    in_short: str
    description: str
    options: str
    formats: Sequence[str] = ()
    examples: str = ""


_SETTINGS = "--metric --option --preset --columns --no-answer-probabilities --confidences --signature --groups --confidence --seed"
_MEASURES = "--measures -m --percent --output"
_DRAWS = "--interval-method --resamples --per-example"
_COMMANDS = {
    "score": _Command(
        "score files of predictions against a gold file, or runs against judgements",
        "Score files of predictions against a gold file, or runs (rankings of documents) against judgements.\n"
        "Their kind is recognised by their content.",
        f"GOLD PREDICTIONS {_SETTINGS} {_MEASURES} {_DRAWS} --by --no-intervals --pass-at --pass-hat --report --per-query",
        (*RESULT_FORMATS, *OFFICIAL_FORMATS),
        """
  qassay score gold.json small.json large.json --by question_word --format markdown
  qassay score answers.csv --columns predictions=my_answer references=gold --option normalizer=french
  qassay score rag.jsonl --metric retrieval_ranking --metric retriever_reader --metric answer_match
  qassay score qrels.txt bm25.run dense.run --measures ndcg@10 map recall@100
  qassay score qrels.txt bm25.run --format trec_eval --per-query
  qassay score labels.jsonl --metric label_metrics --option task=multi --columns predictions=guessed
  qassay score gold.json model=seed1.json,seed2.json,seed3.json --pass-at 1,3 --pass-hat 3
""",
    ),
    "compare": _Command(
        "compare systems: differences with intervals, paired tests, slices, kinds of errors, a report",
        "Compare two or more systems on the same examples: is one better, where, and could it be chance?\n"
        "Files and most options are the same as for qassay score. A difference is the later system minus the earlier one.",
        f"GOLD PREDICTIONS {_SETTINGS} {_MEASURES} {_DRAWS} --by --test --correction --permutations --baseline --report",
        RESULT_FORMATS,
        """
  qassay compare gold.json small.json large.json --report report.html
  qassay compare qrels.txt bm25.run dense.run fused.run --baseline bm25 --measures ndcg@10 map
  qassay compare scores.csv --columns ids=id system=model --option lower_is_better=latency
""",
    ),
    "check": _Command(
        "a gate for releases: is a new system worse than an old one by more than a margin?",
        "Is a new system worse than an old one by more than a margin, on the same examples? The paired interval\n"
        "of the difference decides; the exit status is the verdict.",
        f"NEW --old --gold --measure --margin --common --count-absent {_SETTINGS} --markdown --junit",
        ("table", "json"),
        """
  qassay check new.json --baseline old.json --gold gold.json --measure f1=0.01 exact_match=0.02 --groups article
  qassay check dense.run --baseline bm25.run --gold qrels.txt --measure ndcg@10 --margin 0.02 --junit gate.xml

exit status: 0 not worse by any measure; 1 worse, or too few examples to exclude it; 2 bad input
""",
    ),
    "leaderboard": _Command(
        "rank 2 to 100 systems: ranks with intervals, systems that do not differ significantly, a page",
        "Rank 2 to 100 systems on the same examples: values and ranks with intervals, letters of systems that\n"
        "do not differ significantly, how often each is the best, p-values of all pairs, slices.\n"
        "Files and most options are the same as for qassay score.",
        f"GOLD PREDICTIONS {_SETTINGS} {_MEASURES} {_DRAWS} --by --about --set --questions --permutations",
        RESULT_FORMATS,
        """
  qassay leaderboard gold.json runs/ --output board.html
  qassay leaderboard gold.json runs/ --about about.yaml --questions count --output board.md
  qassay leaderboard qrels.txt bm25.run dense.run fused.run --measures ndcg@10 map
""",
    ),
    "calibrate": _Command(
        "estimate what people would say about all answers, from human verdicts on some",
        "Estimate what people would say about all answers of a system, with an interval, from a measure of all answers\n"
        "and human verdicts on a random sample of them. Without --labels, --next prints which examples to label first.",
        f"GOLD FEW --labels --label-columns --method --lam --next {_SETTINGS} {_MEASURES}",
        FORMATS,
        """
  qassay calibrate gold.json model.json --next 100
  qassay calibrate gold.json model.json --labels labels.csv --measures exact_match f1
  qassay calibrate gold.json small.json large.json --labels of_small.csv --labels of_large.csv
""",
    ),
    "agreement": _Command(
        "which measure to trust on your data: how well each one agrees with human labels",
        "Show how well each measure agrees with human labels of answers: AUC, accuracy at the best\n"
        "threshold (cross-fitted) and at 0.5, Pearson's correlation and the calibration error, with intervals; and with a\n"
        "column of systems, their means and their order by people and by each measure; by default, of all metrics that score\n"
        "texts. With --raters, show how well several people agree with each other (Cohen's kappa, Krippendorff's alpha), and\n"
        "with --judges, whether a judge agrees with them as well as a second person does.",
        "LABELS --raters --judges --scale --weights --rater-margin --right-from --columns-of-labels --metric --option "
        "--measures --percent --confidence --seed --resamples --output",
        FORMATS,
        """
  qassay agreement votes.csv --columns references=gold references=gold_2 predictions=text labels=ok system=bot
  qassay agreement rated.jsonl --right-from 4 --option model=cross-encoder/stsb-roberta-base --output agreement.html
  qassay agreement votes.csv --raters ann bob eve --judges model
  qassay agreement long.csv --raters --judges model --columns ids=item rater=annotator labels=grade
""",
    ),
    "plan": _Command(
        "how many questions a test set needs",
        "Compute how many questions an interval of a given width needs, or a test that should detect a difference between two\n"
        "systems, from an expected share of right answers or from the answers of a pilot. Also shown: the effect of fewer and\n"
        "more questions.",
        "PILOT FEW --share --width --difference --correlation --group-sizes --group-correlation --runs --run-share --power "
        f"{_SETTINGS} {_MEASURES}",
        FORMATS,
        """
  qassay plan --share 0.7 --width 0.1
  qassay plan --share 0.7 --difference 0.03 --correlation 0.6
  qassay plan gold.json model.json --measures f1 --width 0.04 --groups article
""",
    ),
    "list": _Command("list the metrics, or the presets", "List the metrics, or the presets.", "--presets"),
    "explain": _Command(
        "show the columns, options and measures of a metric, or explain a name",
        "Show the columns, options and measures of a metric, or explain a name.",
        "NAME",
    ),
    "view": _Command(
        "open a result, as --format json prints it, in a browser",
        "Open a result document, as --format json of score, compare and leaderboard prints it, in a browser. The page is\n"
        "served on this machine until the command is interrupted; it contacts no other machine.",
        "DOCUMENT --page --port --no-browser",
    ),
    "app": _Command(
        "start the page: upload files, score, inspect errors, compare, report",
        "Start the page on this machine, with sample data, and print its address. It does not contact any other machine.",
        "--host --port --model --open",
    ),
    "spaces build": _Command(
        "build folders to push as Hugging Face Spaces: the metrics and the page",
        "Write the Space of each metric, and of the page, to OUT/NAME. OUT/qassay also holds the wheel of the package;\n"
        "the other Spaces install it from there.",
        "OUT SPACES --owner",
    ),
}


def _one(metavar: str | tuple[str, ...], text: str, **more: Any) -> dict[str, Any]:
    """An option, or an argument, with a value."""
    return {"metavar": metavar, "help": text, **more}


def _several(metavar: str, text: str, **more: Any) -> dict[str, Any]:
    """An option with several values, also when it is repeated; [] without it."""
    return {"metavar": metavar, "help": text, "nargs": "+", "action": "extend", "default": [], **more}


def _number(default: float, text: str, **more: Any) -> dict[str, Any]:
    """An option with a number, which is whole if the default is."""
    return {"metavar": str(default), "help": text, "default": default, "type": type(default), **more}


def _choice(choices: Sequence[str], text: str, default: str | None = None) -> dict[str, Any]:
    return {"choices": choices, "help": text, "default": default}


def _flag(text: str) -> dict[str, Any]:
    return {"action": "store_true", "help": text}


def _options() -> dict[str, dict[str, Any]]:
    """What commands take, by name; `flags` are its spellings, where the name here is not the only one."""
    named_only = " or ".join(name for name, family in FAMILIES.items() if family.named_only)
    groups = ", ".join(f"{name} ({meaning})" for name, meaning in named_groups().items())
    of_systems = {name for family in FAMILIES.values() for name in family.about.system_slices}
    slices = dict.fromkeys(name for family in FAMILIES.values() for name in family.about.usual_slices)
    of_examples = ", ".join(name for name in slices if name not in of_systems)
    # fmt: off
    return {
        # --- files
        "GOLD": _one("GOLD", "SQuAD, HotpotQA, DROP or BioASQ JSON, qrels of TREC, or a table (JSON rows, JSONL, CSV, TSV, Parquet, "
            "Arrow; a folder of such files, as Dataset.save_to_disk writes it; also .gz, .bz2, .xz, .zst), or a log of "
            'lm_eval or Inspect, which has gold answers and predictions; "-" is standard input', flags=["gold"]),
        "PREDICTIONS": _one("PREDICTIONS", "one file per system, with qrels one run per system, or one folder with a file for each; "
            "NAME=FILE sets the name of the system; NAME=FILE,FILE,... gives several runs of one system, such as one "
            "per seed; omit it if GOLD is a table with both; several such tables are one system each",
            flags=["predictions"], nargs="*"),
        "FEW": _one("PREDICTIONS", "the file of a system, or two files for the difference of two systems; omit it if GOLD is a table "
            "with both", flags=["predictions"], nargs="*"),
        "NEW": _one("NEW", "the file of the new system; FILE,FILE or NAME=FILE,FILE are several runs; NAME=FILE sets the name of the "
            "system", flags=["predictions"], nargs=1),
        "PILOT": _one("GOLD", "the gold answers of a pilot; omit it with --share", flags=["gold"], nargs="?"),
        "LABELS": _one("LABELS", "a table (CSV, TSV, JSON rows, JSONL, Parquet, Arrow) with a row per answer: gold answers, answer "
            "and label, and optionally questions, system, groups and ids; a label is 1 or 0, yes or no, correct or "
            'incorrect, or a number; "-" is standard input', flags=["labelled"]),
        "--old": _one("OLD", "the file of the old system, in the same form as NEW", flags=["--baseline"], dest="old", required=True),
        "--gold": _one("GOLD", "gold answers, judgements or labels, as for qassay score; omit it if OLD and NEW contain them, as logs "
            "of harnesses do"),
        # --- what is scored, and how
        "--metric": _one("NAME", "the metric; may be repeated for several metrics, with a table each; default: by the kind of gold "
            f"file; tables of labels or scores need {named_only}; own_scores reads numbers per example that another "
            "tool made", action="append"),
        "--option": _several("KEY=VALUE", "options of the metric; `qassay explain` lists them"),
        "--preset": _one("NAME", "the rules of a benchmark, such as search_r1 (`qassay list --presets`); --option overrides single rules"),
        "--signature": _one("TEXT", "score with the options of this signature; --option overrides single options"),
        "--columns": _several("ROLE=NAME", "columns of tables, such as references=gold_list ids=qid; several columns of gold answers: "
            "references=a references=b; several systems in one table: predictions=a predictions=b; several runs of "
            "a system: run_id=seed; of a table of numbers that another tool made: system=NAME; ids that are called "
            "differently in the files: ids=id ids=uid; 'separator=;' for several labels or gold answers in a cell "
            "(a;b)"),
        "--no-answer-probabilities": _several("FILE", "no-answer probabilities as {id: number}, one file per system, or SYSTEM=FILE"),
        "--confidences": _several("FILE", "how confident a system is in its answers: {id: number}, or a table with the columns id and "
            "confidence, one file per system, or SYSTEM=FILE; adds the area under the risk-coverage curve, the "
            "score of the most confident 80 %% and the coverage with a score of 0.9"),
        "--measures": _several("NAME", 'measures to show, for rankings to compute (`qassay explain` lists them); "all" for all '
            "measures; default: the usual measures, with TREC qrels also all that trec_eval prints (official); "
            "cutoffs may be written ndcg_cut.5,10", default=None),
        "-m": _one("NAME", "one measure, as in trec_eval: -m map -m ndcg_cut.5,10", dest="measures", nargs=1, action="extend"),
        "--by": _several("SLICE", f"slices: {of_examples}; or a column of the gold file; score also takes those of what a system "
            f"answers: {', '.join(name for name in slices if name in of_systems)}"),
        "--groups": _one("NAME", "groups of examples that are not independent; intervals and tests treat a group as a unit: "
            f"{groups}; or a column of the gold file. Choose it by the claim: --groups article for claims about new "
            "articles, none for new questions about the same articles"),
        "--pass-at": _several("K", "for systems with several runs: the probability that at least one of K answers is right (pass@k), "
            "for example 1,5"),
        "--pass-hat": _several("K", "for systems with several runs: the probability that all of K answers are right (pass^k), for "
            "example 2,4"),
        # --- intervals and tests
        "--no-intervals": _flag("print values without intervals"),
        "--confidence": _number(0.95, "confidence level of the intervals, and of the tests of compare"),
        "--interval-method": _choice(("auto", "percentile"), "auto (default): for each kind of measure the method with the best "
            "coverage in simulations, named in the output; percentile: bootstrap percentiles for all "
            "measures, of systems with one run", "auto"),
        "--resamples": _number(1000, "number of bootstrap resamples"),
        "--seed": _number(0, "random seed"),
        "--test": _one("NAME", "the test: permutation (default; exact if feasible), bootstrap, t, wilcoxon, or mcnemar for "
            "right-or-wrong measures", default="permutation"),
        "--correction": _one("NAME", "correction for multiple tests: holm (default), bonferroni, benjamini-hochberg, none",
            default="holm"),
        "--permutations": _number(10_000, "number of permutations, or of resamples of the bootstrap test"),
        "--baseline": _one("SYSTEM", "compare the other systems with this one; default: compare every pair"),
        # --- output
        "--percent": _flag("show 0 to 100 instead of 0 to 1"),
        "--report": _one("FILE", "also write a report: .html (self-contained), .md, .tex, .csv or .json"),
        "--per-example": _one("FILE", "write the scores of every example to a .csv or .jsonl file"),
        "--per-query": _flag("with --format trec_eval: also print the values of every query") | {"flags": ["-q", "--per-query"]},
        "--output": _one("FILE", "write the output to this file, in the format of its extension (.html, .md, .tex, .csv, .json; .txt "
            'or none: a table); "-" is standard output'),
        # --- check
        "--measure": _several("NAME[=MARGIN]", "the deciding measure, such as f1; with several measures, each with a margin (f1=0.01 "
            "exact_match=0.02), the new system must pass all", flags=["--measure", "--measures", "-m"],
            dest="measures", required=True),
        "--margin": _one("0.01", "how much worse the new system may be, in units of the measure, for measures without a margin; 0 "
            "requires proof that it is better", type=float),
        "--common": _flag("judge by the examples that both systems answered; without it, systems that answered different examples "
            "are refused"),
        "--count-absent": _flag("judge by all examples: an absent answer counts as 0 instead of being refused"),
        "--markdown": _one("FILE", "also write a comment for a pull request"),
        "--junit": _one("FILE", "also write JUnit XML, a test case for each measure"),
        # --- leaderboard
        "--about": _one("FILE", "YAML or JSON: title, description, measures, by, groups, questions, and systems: {key: {name, link, "
            "team, date, facts}}; options on the command line override it (docs/leaderboard.md)"),
        "--set": _one(("NAME", "GOLD"), "a further data set: its name, its gold file and its systems, which are matched by name; may "
            "be repeated. Values are then means over the data sets; GOLD may be NAME=GOLD", dest="sets", nargs="+",
            action="append", default=[]),
        "--questions": _choice(("refuse", "common", "count"), "if systems lack an answer to some examples: refuse them (default), "
            "rank by the common examples, or count an absent answer as 0"),
        # --- calibrate and agreement
        "--labels": _one("FILE", "human verdicts, 0 to 1 or true and false: a table with a column of ids and a column of labels, or "
            "{id: label}; for two systems --labels A.csv --labels B.csv", action="append"),
        "--label-columns": _several("ROLE=NAME", "the columns of the tables of labels, ids=NAME labels=NAME; default: their usual names"),
        "--method": _choice(METHODS, "ppi (default: PPI++, for any measure and random labels), or rogan_gladen (for judges that say "
            "right or wrong)", "ppi"),
        "--lam": _one("LAMBDA", "for ppi: the weight of the measure, 1 for plain PPI, 0 for the labels alone; default: the weight with "
            "the smallest variance", type=float),
        "--next": _one("50", "print the ids of this many random examples to label next", type=int),
        "--raters": _one("NAME", "columns, each with the labels of one person; or, without a name, for a table with a row per item and "
            "person, with columns for the id of the item, the rater and the label", nargs="*", action="extend"),
        "--judges": _several("NAME", "columns or names of judges to compare with the raters"),
        "--scale": _choice(("nominal", "ordinal", "interval"), "scale of the labels; default: nominal for words and two labels, "
            "ordinal for other whole numbers, interval for the rest"),
        "--weights": _choice(("none", "linear", "quadratic"), "weights of disagreements in kappa; default: none for nominal, linear "
            "for ordinal, quadratic for interval labels"),
        "--rater-margin": _one("0.05", "how far the kappa of a judge may be below that of a second person", flags=["--margin"],
            type=float),
        "--right-from": _one("LABEL", "the lowest label of a right answer; default: 0.5, for labels from 0 to 1", type=float),
        "--columns-of-labels": _several("ROLE=NAME", "labels, references (one or more), predictions, questions, system, groups or ids; "
            "'separator=/' for several gold answers in a cell (a/b); with --raters ids, rater, labels or "
            "groups", flags=["--columns"]),
        # --- plan
        "--share": _one("0.7", "without a pilot: the expected share of right answers", type=float),
        "--width": _one("0.1", "the desired width of the interval of a value, from end to end", type=float),
        "--difference": _one("0.03", "the difference between two systems that a paired test should detect", type=float),
        "--correlation": _number(0.5, "correlation of the two systems over the questions; taken from a pilot of two systems"),
        "--group-sizes": _one("1", "number of questions of each group, such as an article: one for all groups, or one for each",
            type=float, default=[1.0], nargs="+"),
        "--group-correlation": _number(0.1, "correlation of two questions of a group"),
        "--runs": _number(1, "number of answers of a system to each question"),
        "--run-share": _number(0.0, "the share of the variance of an answer that is not shared by another answer to the same question", metavar="0"),
        "--power": _number(0.8, "the probability with which the test should detect the difference"),
        # --- list, explain, view, app, spaces
        "--presets": _flag("list the benchmarks that a metric reproduces by name, each with its official script"),
        "NAME": _one("NAME", f"a metric ({', '.join(sorted(FAMILIES))}), a measure, an option, a column, a method of intervals "
            "('effective wilson'), a remark of a comparison (few_carry), or a name used elsewhere, such as em", flags=["name"]),
        "DOCUMENT": _one("FILE.json", "the result document; it may be compressed with gzip", flags=["document"]),
        "--page": _one("FILE.html", "write the page to this file instead of opening it", flags=["--output"]),
        "--no-browser": _flag("print the address without opening a browser"),
        "--host": _one("ADDRESS", "address to listen on: 127.0.0.1 for this machine only, 0.0.0.0 for all machines that can reach it; "
            "default: GRADIO_SERVER_NAME, else 127.0.0.1"),
        "--port": _one("N", "port to listen on; default: a free one, of app GRADIO_SERVER_PORT or else the first free one from 7860", type=int),
        "--model": _several("NAME_OR_FOLDER", "models that the page offers for semantic answer similarity in addition to the built-in "
            "scorer; a name is downloaded from the Hugging Face Hub on first use, a folder is on this machine",
            dest="models"),
        "--open": _flag("open the page in a browser"),
        "OUT": _one("OUT", "the folder to write them to", flags=["out"], type=Path),
        "SPACES": _one("NAME", "metrics, or qassay for the page; default: all", flags=["names"], nargs="*"),
        "--owner": _one("OWNER", "the user or organisation that will have the Spaces", required=True),
    }
    # fmt: on


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
    options = _options()
    for name, command in _COMMANDS.items():
        first, _, action = name.partition(" ")
        where = commands
        if action:
            group = commands.add_parser(first, help=command.in_short)
            where = group.add_subparsers(required=True, metavar="ACTION", parser_class=_Parser)
        added = where.add_parser(
            action or first,
            help=command.in_short,
            description=command.description,
            epilog=f"examples:{command.examples}" if command.examples else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        for option in command.options.split():
            settings = dict(options[option])
            added.add_argument(*settings.pop("flags", [option]), **settings)
        if command.formats:
            default = None if "--output" in command.options else "table"  # else the name of the output decides
            added.add_argument("--format", choices=command.formats, default=default, help=_format_help(command.formats))
    return parser


def _format_help(formats: Sequence[str]) -> str:
    of_metrics = {form: family.name for family in FAMILIES.values() for form in family.about.formats}
    names = [f"{form} (for one system of {of_metrics[form]})" if form in of_metrics else form for form in formats]
    return f"output format: {', '.join(['table (default)', *names[1:]])}"
