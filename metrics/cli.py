"""The `karat` command: score files, list the metrics, explain one."""

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from karat import __version__, list_metrics
from karat.families import FAMILIES, Family, family_of, get_family

if TYPE_CHECKING:
    from karat.core.scores import Scores

_FORMATS = ("table", "json", "markdown", "latex", "csv")
_OWN_FORMATS = [form for family in FAMILIES.values() for form in family.formats]
_EXAMPLES = """examples:
  karat score gold.json model.json
  karat score gold.json small.json large.json --by question_word --format markdown
  karat score answers.csv --columns predictions=my_answer references=gold --option normalizer=french
  karat score qrels.txt bm25.run dense.run --measures ndcg@10 map recall@100
  karat score qrels.txt bm25.run --format trec_eval --per-query
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        0; 2 after an error, with one line on stderr that names the file and the cure; 130 when interrupted; 141 when
        the reader of the output has gone.
    """
    try:
        arguments = _parser().parse_args(argv)
        text = arguments.run(arguments)
        _write(text, getattr(arguments, "output", None))
        return 0
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Nobody reads any more; what is still in the buffer must not raise again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (ValueError, TypeError, OSError, ImportError) as error:
        _complain(str(error))
        return 2


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        _complain(f"{message}; see {self.prog} --help")
        raise SystemExit(2)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="karat", description="Metrics for question answering, with intervals.")
    parser.add_argument("--version", action="version", version=f"karat {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=_Parser)
    _add_score(commands)
    command = commands.add_parser("list", help="the metrics there are")
    command.set_defaults(run=_list)
    command = commands.add_parser("explain", help="the columns, options and measures of a metric")
    command.add_argument("metric", metavar="METRIC", help="one of: " + ", ".join(list_metrics()))
    command.set_defaults(run=_explain)
    return parser


def _add_score(commands) -> None:
    command = commands.add_parser(
        "score",
        help="score files of predictions against a gold file, or runs against judgements",
        description="Score files of predictions against a gold file, or runs (rankings of documents) against judgements.\n"
        "Their kind is told from their content.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = command.add_argument
    add(
        "gold",
        metavar="GOLD",
        help="SQuAD, HotpotQA, DROP or BioASQ JSON, qrels of TREC, or a table (JSON rows, JSONL, CSV, TSV, Parquet; also .gz)",
    )
    add(
        "predictions",
        metavar="PREDICTIONS",
        nargs="*",
        help="one file per system, for qrels one run; none if GOLD is a table that holds both",
    )
    add("--metric", metavar="NAME", help="default: the metric of the kind of file")
    add(
        "--option",
        metavar="KEY=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="of the metric; `karat explain` lists them",
    )
    add(
        "--columns",
        metavar="ROLE=NAME",
        nargs="+",
        action="extend",
        default=[],
        help="of tables, such as references=gold_list ids=qid",
    )
    add("--no-answer-probabilities", metavar="FILE", nargs="+", action="extend", default=[],
        help="{id: number}, one file per system, or SYSTEM=FILE")  # fmt: skip
    add("--by", metavar="SLICE", nargs="+", action="extend", default=[],
        help="question_word, answer_length, gold_count, has_answer; of rankings relevant_count, missing, no_relevant, "
        "tied; or a column of the gold file")  # fmt: skip
    add("--measures", metavar="NAME", nargs="+", action="extend",
        help='what to show, of rankings what to compute (`karat explain` lists them); "all" for everything; by default '
        "the usual ones, for qrels of TREC with all that trec_eval prints (official); cut-offs also as in ndcg_cut.5,10")  # fmt: skip
    add("--percent", action="store_true", help="0 to 100 instead of 0 to 1")
    add("--level", type=float, default=0.95, metavar="0.95", help="of the bootstrap intervals")
    add("--resamples", type=int, default=1000, metavar="1000", help="of the bootstrap")
    add("--seed", type=int, default=0, metavar="0", help="of the bootstrap")
    add("--no-intervals", action="store_true", help="values only")
    add("--per-example", metavar="FILE", help="write the scores of every example to a .parquet, .csv or .jsonl file")
    add("--format", choices=[*_FORMATS, *_OWN_FORMATS], default="table",
        help="table (default), json, markdown, latex, csv, or of one system trec_eval (rankings) or bioasq")  # fmt: skip
    add("-q", "--per-query", action="store_true", help="with --format trec_eval: the values of every query too")
    add("--output", metavar="FILE", help="write the report there instead of printing it")
    command.set_defaults(run=_score)


def _score(arguments: argparse.Namespace) -> str:
    # Imported here: `karat list` needs none of this.
    from karat.catalog import parse_options, split_list
    from karat.files import ROLES, read_gold
    from karat.reporting import remarks
    from karat.scoring import check_example_file, score_systems, slice_labels, write_examples

    if arguments.per_example:
        check_example_file(arguments.per_example)
    names = _named_columns(arguments.columns, ROLES)
    gold = read_gold(arguments.gold, names, metric=arguments.metric)
    metric = arguments.metric or gold.metric
    family = get_family(metric)
    _check_format(arguments, family)
    options = parse_options(metric, arguments.option)
    if arguments.measures is not None:
        arguments.measures = [name for part in arguments.measures for name in split_list(part)]
        if "measures" in options:
            raise ValueError("--measures and --option measures=... say the same; give one of them")
    by = list(dict.fromkeys(name for part in arguments.by for name in part.split(",")))
    gold = gold.with_options(options)
    gold = gold.with_options(family.measure_options(arguments.measures, by, gold, arguments.format))
    systems = score_systems(metric, gold, arguments.predictions, names, arguments.no_answer_probabilities)
    scores = {name: system.scores for name, system in systems.items()}
    if arguments.format in family.formats:
        (system,) = systems.values()
        text = family.formats[arguments.format](system.tag, system.scores, arguments.measures, arguments.per_query)
    else:
        labels = {name: {system: slice_labels(gold, of, name) for system, of in scores.items()} for name in by}
        text = _report(arguments, scores, labels)
    if arguments.format in (*family.formats, "csv"):  # these have no place for notes
        for line in remarks(scores):
            print("karat: note:", line, file=sys.stderr)
    if arguments.per_example:
        write_examples(arguments.per_example, gold, scores)
    return text


def _report(
    arguments: argparse.Namespace, systems: "dict[str, Scores]", labels: dict[str, dict[str, list[str]]]
) -> str:
    from karat.rendering import render
    from karat.reporting import build_report

    first = next(iter(systems.values()))
    measures = family_of(first).shown_measures(arguments.measures, first)
    if arguments.measures is None and arguments.format == "json":
        measures = ["all"]
    report = build_report(
        systems,
        labels,
        measures,
        percent=arguments.percent,
        level=None if arguments.no_intervals else arguments.level,
        n_resamples=arguments.resamples,
        seed=arguments.seed,
    )
    in_terminal = not arguments.output and sys.stdout.isatty()
    return render(report, arguments.format, width=_width(in_terminal), color=in_terminal and _may_color())


def _check_format(arguments: argparse.Namespace, family: Family) -> None:
    """Refuse what the format cannot show, before the work is done."""
    form = arguments.format
    if form not in (*_FORMATS, *family.formats):
        others = ", ".join(name for name, other in FAMILIES.items() if form in other.formats)
        raise ValueError(f"--format {form} is for {others}; {family.name} has: {', '.join(_FORMATS)}")
    if form in family.formats and len(arguments.predictions) > 1:
        raise ValueError(f"--format {form} is for one system; got {len(arguments.predictions)} files of predictions")
    if form in family.formats and arguments.by:
        raise ValueError(f"--format {form} has no slices; leave out --by, or choose another format")
    if form in family.formats and arguments.percent:
        raise ValueError(f"--format {form} has values from 0 to 1; leave out --percent, or choose another format")
    if arguments.per_query and form not in family.formats:
        raise ValueError("--per-query is for --format trec_eval; --per-example FILE writes the scores of every query")


def _named_columns(pairs: Sequence[str], roles: Sequence[str]) -> dict[str, str]:
    names = {}
    for pair in pairs:
        role, _, name = pair.partition("=")
        if role not in roles or not name:
            raise ValueError(f"--columns {pair!r} must be ROLE=NAME with one of the roles: {', '.join(roles)}")
        names[role] = name
    return names


def _list(arguments: argparse.Namespace) -> str:
    from karat.catalog import one_line

    wide = max(map(len, list_metrics()))
    return "".join(f"{name:<{wide}}  {one_line(name)}\n" for name in list_metrics())


def _explain(arguments: argparse.Namespace) -> str:
    from karat.catalog import describe_metric, description_text

    return description_text(describe_metric(arguments.metric), _width(True) or 80)


def _write(text: str, path: str | None) -> None:
    if path:
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        return
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:  # an old terminal, or a lone surrogate in a label
        plain = text.translate({ord("–"): "-", ord("─"): "-", ord("…"): "~"})
        text = plain.encode(encoding, "backslashreplace").decode(encoding)
    sys.stdout.write(text)
    sys.stdout.flush()


def _complain(message: str) -> None:
    print("karat: error:", " ".join(message.split()), file=sys.stderr)


def _width(in_terminal: bool) -> int | None:
    """The width to keep to; None where nobody's terminal is written to."""
    if in_terminal or os.environ.get("COLUMNS", "").isdigit():
        return shutil.get_terminal_size().columns
    return None


def _may_color() -> bool:
    return "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
