"""The `karat` command: score files, compare systems, list the metrics, explain one, open the page, render Spaces."""

import argparse
import dataclasses
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

from karat import __version__, list_metrics
from karat.cli_pages import add_app, add_spaces
from karat.families import FAMILIES, Family, get_family

if TYPE_CHECKING:
    from karat.scoring import Scored

_FORMATS = ("table", "json", "markdown", "latex", "csv")
_REPORTS = {".html": "html", ".htm": "html", ".md": "markdown", ".tex": "latex", ".csv": "csv", ".json": "json"}
_OWN_FORMATS = [form for family in FAMILIES.values() for form in family.formats]
_EXAMPLES = """examples:
  karat score gold.json model.json
  karat score gold.json small.json large.json --by question_word --format markdown
  karat score answers.csv --columns predictions=my_answer references=gold --option normalizer=french
  karat score gold.json model.json --metric all --option model=lite
  karat score qrels.txt bm25.run dense.run --measures ndcg@10 map recall@100
  karat score qrels.txt bm25.run --format trec_eval --per-query
  karat score gold.csv tuned.csv --metric label_metrics --by channel
  karat score labels.jsonl --metric label_metrics --option task=multi --columns predictions=guessed
  karat score scores.csv --metric average_precision
"""


_COMPARISONS = """examples:
  karat compare gold.json small.json large.json --report report.html
  karat compare gold.json small.json large.json --by question_word answer_type --test bootstrap
  karat compare qrels.txt bm25.run dense.run fused.run --baseline bm25 --measures ndcg@10 map
  karat compare gold.csv rules.csv tuned.csv --metric label_metrics --correction benjamini-hochberg
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        0; 2 after an error, with one line on stderr that names the file and the cure; 130 when interrupted; 141 when
        the reader of the output has gone.
    """
    try:
        arguments = _parser().parse_args(argv)
        arguments.argv = sys.argv[1:] if argv is None else list(argv)
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
    _add_compare(commands)
    command = commands.add_parser("list", help="the metrics there are")
    command.set_defaults(run=_list)
    command = commands.add_parser("explain", help="the columns, options and measures of a metric")
    command.add_argument("metric", metavar="METRIC", help="one of: " + ", ".join(list_metrics()))
    command.set_defaults(run=_explain)
    add_app(commands)
    add_spaces(commands)
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
    _add_files(add, "*", "one file per system, for qrels one run; none if GOLD is a table that holds both")
    _add_choices(
        add,
        by="question_word, answer_length, answer_type, gold_count, has_answer, error_kind; of rankings relevant_count, "
        "missing, no_relevant, tied; or a column of the gold file",
    )
    add("--no-intervals", action="store_true", help="values only")
    add("--format", choices=[*_FORMATS, *_OWN_FORMATS], default="table",
        help="table (default), json, markdown, latex, csv, or of one system trec_eval (rankings) or bioasq")  # fmt: skip
    add("-q", "--per-query", action="store_true", help="with --format trec_eval: the values of every query too")
    command.set_defaults(run=_score)


def _add_compare(commands) -> None:
    command = commands.add_parser(
        "compare",
        help="compare systems: differences with intervals, paired tests, slices, kinds of errors, a report",
        description="Compare two systems or more on the same examples: is one better, where, and can that be chance?\n"
        "Files and options are those of karat score. A difference is that of the later system minus the earlier one.",
        epilog=_COMPARISONS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = command.add_argument
    _add_files(add, "+", "one file per system, two or more; for qrels one run each")
    _add_choices(
        add,
        by="of the examples themselves: question_word, answer_length, answer_type, gold_count, has_answer; of rankings "
        "relevant_count, no_relevant; or a column of the gold file; a report without this has the usual ones",
    )
    add("--test", metavar="NAME", default="permutation",
        help="permutation (default; exact where it can be), bootstrap, t, wilcoxon, or mcnemar for measures of right and "
        "wrong")  # fmt: skip
    add("--correction", metavar="NAME", default="holm",
        help="for the number of tests: holm (default), bonferroni, benjamini-hochberg, none")  # fmt: skip
    add("--permutations", type=int, default=10_000, metavar="10000", help="of the permutation or bootstrap test")
    add("--baseline", metavar="SYSTEM", help="compare the others with this one; default: every pair")
    add("--texts", type=int, default=3, metavar="3",
        help="how many of the largest losses and gains to show with their texts (in a report 20 or more)")  # fmt: skip
    add("--report", metavar="FILE", help="also write a report: .html (self-contained), .md, .tex, .csv or .json")
    add("--format", choices=[*_FORMATS, "html"], default="table",
        help="of what is printed: table (default), json, markdown, latex, csv or html")  # fmt: skip
    command.set_defaults(run=_compare)


def _add_files(add, how_many: str, predictions: str) -> None:
    add(
        "gold",
        metavar="GOLD",
        help="SQuAD, HotpotQA, DROP or BioASQ JSON, qrels of TREC, sparse rows of labels (XMC), or a table (JSON rows, "
        "JSONL, CSV, TSV, Parquet; also .gz)",
    )
    add("predictions", metavar="PREDICTIONS", nargs=how_many, help=predictions)


def _add_choices(add, by: str) -> None:
    """What `score` and `compare` have in common."""
    add(
        "--metric",
        metavar="NAME",
        help='default: the metric of the kind of gold file; "all": every metric that scores such files, in one table; '
        "tables of labels or scores need label_metrics or average_precision",
    )
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
        help="of tables, such as references=gold_list ids=qid; also 'separator=;' for several labels in a cell (a;b)",
    )
    add("--no-answer-probabilities", metavar="FILE", nargs="+", action="extend", default=[],
        help="{id: number}, one file per system, or SYSTEM=FILE")  # fmt: skip
    add("--by", metavar="SLICE", nargs="+", action="extend", default=[], help=by)
    add("--measures", metavar="NAME", nargs="+", action="extend",
        help='what to show, of rankings what to compute (`karat explain` lists them); "all" for everything; by default '
        "the usual ones, for qrels of TREC with all that trec_eval prints (official); cut-offs also as in ndcg_cut.5,10")  # fmt: skip
    add("--signature", metavar="TEXT", help="score with the options that made these numbers; --option changes some")
    add("--percent", action="store_true", help="0 to 100 instead of 0 to 1")
    add("--level", type=float, default=0.95, metavar="0.95", help="of the intervals, and of the tests of compare")
    add("--resamples", type=int, default=1000, metavar="1000", help="of the bootstrap")
    add("--seed", type=int, default=0, metavar="0", help="of everything drawn")
    add("--per-example", metavar="FILE", help="write the scores of every example to a .parquet, .csv or .jsonl file")
    add("--output", metavar="FILE", help="write what is printed there instead")


def _score(arguments: argparse.Namespace) -> str:
    scored = _scored(arguments)
    text = _text_of(arguments, scored)
    _note(arguments, scored)
    _write_examples(arguments, scored)
    return text


def _compare(arguments: argparse.Namespace) -> str:
    from karat.core.differences import ComparisonSettings
    from karat.reports.comparison import build_comparison, usual_slices
    from karat.reports.comparison_text import render_comparison
    from karat.scoring import measures_by_metric

    if len(arguments.predictions) < 2:
        raise ValueError("a comparison needs two systems or more; give a file of predictions for each")
    ending = os.path.splitext(arguments.report or "")[1].lower()
    if arguments.report and ending not in _REPORTS:
        raise ValueError(f"--report {arguments.report}: the name must end with one of: {', '.join(_REPORTS)}")
    if arguments.report and not os.path.isdir(os.path.dirname(arguments.report) or "."):
        raise ValueError(
            f"--report {arguments.report}: there is no folder {os.path.dirname(arguments.report)}; make it first"
        )
    if arguments.texts < 0:
        raise ValueError(f"--texts must be a whole number of at least 0; got {arguments.texts}")
    usual = arguments.report and not arguments.by
    scored = _scored(arguments, ["error_kind", *(["relevant_count"] if usual else [])])
    settings = ComparisonSettings(
        arguments.test, arguments.correction, arguments.level, arguments.resamples, arguments.permutations,
        arguments.seed, arguments.baseline,
    )  # fmt: skip
    by = usual_slices(scored) if usual else arguments.by
    report = build_comparison(
        scored,
        by,
        measures_by_metric(scored, arguments.measures),
        settings,
        percent=arguments.percent,
        n_texts=max(20, arguments.texts),
        command=shlex.join(["karat", *arguments.argv]),
    )
    in_terminal = not arguments.output and sys.stdout.isatty()
    look = {"width": _width(in_terminal), "color": in_terminal and _may_color(), "n_texts": arguments.texts}
    asked = dataclasses.replace(report, slices={name: report.slices[name] for name in arguments.by})
    text = render_comparison(asked, arguments.format, **look)
    if arguments.report:
        _write(render_comparison(report, _REPORTS[ending], n_texts=max(20, arguments.texts)), arguments.report)
    _note(arguments, scored)
    _write_examples(arguments, scored)
    return text


def _scored(arguments: argparse.Namespace, also_by: Sequence[str] = ()) -> "list[Scored]":
    """Read and score what the command names, with each metric; sets `measures` and `by` of the arguments as lists.

    Args:
        also_by: slices that are wanted beside those of `--by`.
    """
    # Imported here: `karat list` needs none of this.
    from karat.catalog import options_by_metric, split_list
    from karat.files import ROLES
    from karat.scoring import check_example_file, read_gold_for, score_golds

    if arguments.per_example:
        check_example_file(arguments.per_example)
    names = _named_columns(arguments.columns, ROLES)
    metric, signed = arguments.metric, {}
    if arguments.signature is not None:
        metric, signed = _of_signature(arguments)
    golds = read_gold_for(metric, arguments.gold, names)
    for name in golds:
        _check_format(arguments, get_family(name))
    options = options_by_metric(golds, arguments.option)
    options = {name: {**signed, **given} for name, given in options.items()}
    if arguments.measures is not None:
        arguments.measures = [name for part in arguments.measures for name in split_list(part)]
        if any("measures" in given for given in options.values()):
            raise ValueError("--measures and --option measures=... say the same; give one of them")
    arguments.by = list(dict.fromkeys(name for part in arguments.by for name in part.split(",")))
    return score_golds(
        golds,
        arguments.predictions,
        names,
        options=options,
        measures=arguments.measures,
        by=[*arguments.by, *also_by],
        form=arguments.format,
        probabilities=arguments.no_answer_probabilities,
    )


def _of_signature(arguments: argparse.Namespace) -> tuple[str, dict]:
    """The metric and the options of a signature."""
    import karat

    options = karat.from_signature(arguments.signature)
    if arguments.metric not in (None, options.family):
        raise ValueError(f"--signature is of {options.family}, but --metric is {arguments.metric}; leave --metric out")
    return options.family, options.keywords()


def _note(arguments: argparse.Namespace, scored: "list[Scored]") -> None:
    """Tell on stderr what the format has no place for."""
    from karat.reports.values import remarks

    if arguments.format in _OWN_FORMATS or arguments.format == "csv":
        for line in dict.fromkeys(line for one in scored for line in remarks(one.scores)):
            print("karat: note:", line, file=sys.stderr)


def _write_examples(arguments: argparse.Namespace, scored: "list[Scored]") -> None:
    from karat.scoring import joined_examples, write_examples

    if arguments.per_example:
        write_examples(arguments.per_example, joined_examples(scored))


def _text_of(arguments: argparse.Namespace, scored: "list[Scored]") -> str:
    from karat.reports.values import build_report, merge_reports
    from karat.reports.values_text import render
    from karat.scoring import measures_by_metric, slice_labels

    first = scored[0]
    if arguments.format in _OWN_FORMATS:
        (system,) = first.systems.values()
        write = first.family.formats[arguments.format]
        return write(system.tag, system.scores, arguments.measures, arguments.per_query)
    shown = measures_by_metric(scored, arguments.measures)
    reports = []
    for one in scored:
        labels = {
            name: {system: slice_labels(one.gold, of, name) for system, of in one.scores.items()}
            for name in arguments.by
        }
        measures = shown[one.family.name]
        reports.append(
            build_report(
                one.scores,
                labels,
                ["all"] if arguments.measures is None and arguments.format == "json" else measures,
                percent=arguments.percent,
                level=None if arguments.no_intervals else arguments.level,
                n_resamples=arguments.resamples,
                seed=arguments.seed,
            )
        )
    in_terminal = not arguments.output and sys.stdout.isatty()
    merged = merge_reports(reports)
    return render(merged, arguments.format, width=_width(in_terminal), color=in_terminal and _may_color())


def _check_format(arguments: argparse.Namespace, family: Family) -> None:
    """Refuse what the format cannot show, before the work is done."""
    form = arguments.format
    if arguments.run is _compare:
        return
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
    if not path and sys.stdout is not None and sys.stdout.isatty():
        from karat.reports.values_text import terminal_safe

        text = terminal_safe(text)
    if path:
        from karat.core.writing import open_whole

        with open_whole(path, "w", encoding="utf-8", errors="backslashreplace") as file:
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
