"""The `qassay` command: score files, compare systems, list the metrics, explain one, open the page, render Spaces."""

import argparse
import contextlib
import dataclasses
import os
import shlex
import shutil
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, TextIO

from .. import __version__, list_metrics
from ..registry import FAMILIES, Family, get_family
from .defects import is_out_of_memory, is_own, is_told
from .pages import add_app, add_spaces

if TYPE_CHECKING:
    from ..scoring import Scored

_FORMATS = ("table", "json", "markdown", "latex", "csv")
_REPORTS = {".html": "html", ".htm": "html", ".md": "markdown", ".tex": "latex", ".csv": "csv", ".json": "json"}
_NO_MEMORY = "there is not enough memory; score fewer examples at a time, or fewer measures"
_OWN_FORMATS = [form for family in FAMILIES.values() for form in family.formats]
_EXAMPLES = """examples:
  qassay score gold.json model.json
  qassay score gold.json small.json large.json --by question_word --format markdown
  qassay score answers.csv --columns predictions=my_answer references=gold --option normalizer=french
  qassay score gold.json model.json --metric all --option model=lite
  qassay score qrels.txt bm25.run dense.run --measures ndcg@10 map recall@100
  qassay score qrels.txt bm25.run --format trec_eval --per-query
  qassay score gold.csv tuned.csv --metric label_metrics --by channel
  qassay score labels.jsonl --metric label_metrics --option task=multi --columns predictions=guessed
  qassay score scores.csv --metric average_precision
"""


_COMPARISONS = """examples:
  qassay compare gold.json small.json large.json --report report.html
  qassay compare gold.json small.json large.json --by question_word answer_type --test bootstrap
  qassay compare qrels.txt bm25.run dense.run fused.run --baseline bm25 --measures ndcg@10 map
  qassay compare gold.csv rules.csv tuned.csv --metric label_metrics --correction benjamini-hochberg
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        0; 2 after an error, with one line on stderr that names the file and the cure; 70 after a defect of qassay itself,
        with one line to report (with the environment variable QASSAY_DEBUG=1 also the traceback); 130 when interrupted;
        141 when the reader of the output has gone.
    """
    _open_closed_streams()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_: _tell(f"qassay: warning: {' '.join(str(message).split())}")
            return _run(argv)
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:
        code = 141
    except RecursionError as error:
        code = _fail("the input is nested too deeply; flatten it", error)
    except MemoryError as error:
        code = _fail(_NO_MEMORY, error)
    except OSError as error:
        code = _fail(_in_words(error), error)
    except (ValueError, TypeError) as error:
        code = _fail(str(error), error) if is_told(error) else _fail_by_defect(error)
    except ImportError as error:
        code = _fail(str(error), error)
    except Exception as error:  # noqa: BLE001  whatever it is, people get one line to report
        if is_out_of_memory(error):
            code = _fail(f"{_NO_MEMORY}, or smaller batches (--option batch_size=8)", error)
        else:
            code = _fail_by_defect(error)
    finally:
        _flush_streams()
    return code


def _run(argv: Sequence[str] | None) -> int:
    arguments = _parser().parse_args(argv)
    arguments.argv = sys.argv[1:] if argv is None else list(argv)
    _check_targets(arguments)
    text = arguments.run(arguments)
    _write(text, getattr(arguments, "output", None))
    return 0


def _fail_by_defect(error: Exception) -> int:
    places = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__) if is_own(frame)]
    where = f" ({places[-1][0].f_globals['__name__']}, line {places[-1][1]})" if places else ""
    what = "".join(traceback.format_exception_only(error))
    _fail(f"this is a defect of qassay, please report it with the command and this line: {what.strip()}{where}", error)
    return 70


def _fail(message: str, error: BaseException) -> int:
    if os.environ.get("QASSAY_DEBUG", "0") not in ("", "0"):
        _tell("".join(traceback.format_exception(error)))
    _complain(message)
    return 2


def _in_words(error: OSError) -> str:
    """An error of the operating system without its number, with the name of the file."""
    if type(error).__str__ is not OSError.__str__ or error.strerror is None:
        return str(error)  # has words of its own
    reason = error.strerror[:1].lower() + error.strerror[1:]
    return f"{error.filename}: {reason}" if error.filename is not None else reason


# --- streams ----------------------------------------------------------------------------------------------------------


def _open_closed_streams() -> None:
    """Put /dev/null in the place of streams that were closed, so that no file that is opened later gets their number.

    Errors then go nowhere. Closed standard output stays None: that a result cannot be written must be told.
    """
    if sys.stdout is None or sys.stderr is None:
        while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(opened)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115  as long as the process


def _flush_streams() -> None:
    """Flush what is left; what cannot be written must not raise again when Python ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                taken = stream.fileno()
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, taken)
                os.close(nowhere)


def _tell(line: str) -> None:
    """Write a line to stderr, if anything can be written there; names in it cannot control a terminal."""
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr.isatty():
            from ..core.cells import visible

            line = visible(line)
        print(_as_encoded(line, sys.stderr), file=sys.stderr)


def _as_encoded(text: str, stream: TextIO) -> str:
    """Replace characters that the stream cannot encode with plain ones."""
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:  # an old terminal, or a lone surrogate in a label
        plain = text.translate({ord("–"): "-", ord("─"): "-", ord("…"): "~"})
        return plain.encode(encoding, "backslashreplace").decode(encoding)
    return text


def _print(text: str) -> None:
    """Write to stdout, in its encoding.

    Raises:
        BrokenPipeError: nobody reads any more. OSError: it cannot be written to.
    """
    if not text:
        return
    if sys.stdout is None:
        raise OSError(
            "standard output is closed, so the result cannot be written; write it to a file with --output FILE"
        )
    try:
        sys.stdout.write(_as_encoded(text, sys.stdout))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(f"standard output cannot be written to: {_in_words(error)}") from error


# --- the parser -------------------------------------------------------------------------------------------------------


class _Once(argparse.Action):
    """An option that takes one value: given again with another one it is refused, since only one could count."""

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

    def _print_message(self, message: str, file: TextIO | None = None) -> None:
        """As the results are printed; argparse would not tell that nothing can be written."""
        _print(message) if file is sys.stdout else _tell(message.rstrip("\n"))

    def error(self, message: str) -> NoReturn:
        _complain(f"{message}; see {self.prog} --help")
        raise SystemExit(2)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="qassay", description="Metrics for question answering, with intervals.")
    parser.add_argument("--version", action="version", version=f"qassay {__version__}")
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
    _add_files(
        add,
        "*",
        "one file per system, for qrels one run; none if GOLD is a table that holds both; "
        "of several tables that hold both each is a system",
    )
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
        "Files and options are those of qassay score. A difference is that of the later system minus the earlier one.",
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
        help="of the metric; `qassay explain` lists them",
    )
    add(
        "--columns",
        metavar="ROLE=NAME",
        nargs="+",
        action="extend",
        default=[],
        help="of tables, such as references=gold_list ids=qid; several columns of gold answers: references=a references=b; "
        "also 'separator=;' for several labels in a cell (a;b)",
    )
    add("--no-answer-probabilities", metavar="FILE", nargs="+", action="extend", default=[],
        help="{id: number}, one file per system, or SYSTEM=FILE")  # fmt: skip
    add("--by", metavar="SLICE", nargs="+", action="extend", default=[], help=by)
    add("--measures", metavar="NAME", nargs="+", action="extend",
        help='what to show, of rankings what to compute (`qassay explain` lists them); "all" for everything; by default '
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
    from ..comparison.difference import ComparisonSettings
    from ..reports.comparison import build_comparison, usual_slices
    from ..reports.comparison_text import render_comparison
    from ..scoring import measures_by_metric

    ending = os.path.splitext(arguments.report or "")[1].lower()
    if arguments.report and ending not in _REPORTS:
        raise ValueError(f"--report {arguments.report}: the name must end with one of: {', '.join(_REPORTS)}")
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
        command=shlex.join(["qassay", *arguments.argv]),
    )
    in_terminal = not arguments.output and _is_terminal()
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
    # Imported here: `qassay list` needs none of this.
    from ..files import ROLES
    from ..files.content import read_content
    from ..files.roles import column_names
    from ..scoring import check_example_file, read_gold_for, score_golds, system_files
    from .catalog import options_by_metric, split_list

    if arguments.per_example:
        check_example_file(arguments.per_example)
    names = column_names(_named_columns(arguments.columns, ROLES))
    _check_once(arguments.option)
    metric, signed = arguments.metric, {}
    if arguments.signature is not None:
        metric, signed = _of_signature(arguments)
    gold = read_content(arguments.gold)
    golds = read_gold_for(metric, gold, names)
    files = system_files(golds, gold, arguments.predictions, names)
    del gold  # as large as the file
    if arguments.run is _compare and len(files) < 2:
        raise ValueError("a comparison needs two systems or more; give a file of predictions for each")
    for name in golds:
        _check_format(arguments, get_family(name), len(files))
    options = options_by_metric(golds, arguments.option)
    options = {name: {**signed, **given} for name, given in options.items()}
    if arguments.measures is not None:
        arguments.measures = [name for part in arguments.measures for name in split_list(part)]
        if any("measures" in given for given in options.values()):
            raise ValueError("--measures and --option measures=... say the same; give one of them")
    arguments.by = list(dict.fromkeys(name for part in arguments.by for name in part.split(",")))
    return score_golds(
        golds,
        files,
        names,
        options=options,
        measures=arguments.measures,
        by=[*arguments.by, *also_by],
        form=arguments.format,
        probabilities=arguments.no_answer_probabilities,
    )


def _of_signature(arguments: argparse.Namespace) -> tuple[str, dict]:
    """The metric and the options of a signature."""
    from .. import from_signature

    options = from_signature(arguments.signature)
    if arguments.metric not in (None, options.family):
        raise ValueError(f"--signature is of {options.family}, but --metric is {arguments.metric}; leave --metric out")
    return options.family, options.keywords()


def _note(arguments: argparse.Namespace, scored: "list[Scored]") -> None:
    """Tell on stderr what the format has no place for."""
    from ..reports.values import remarks

    if arguments.format in _OWN_FORMATS or arguments.format == "csv":
        for line in dict.fromkeys(line for one in scored for line in remarks(one.scores)):
            _tell(f"qassay: note: {line}")


def _write_examples(arguments: argparse.Namespace, scored: "list[Scored]") -> None:
    from ..scoring import joined_examples, write_examples

    if arguments.per_example:
        write_examples(arguments.per_example, joined_examples(scored))


def _text_of(arguments: argparse.Namespace, scored: "list[Scored]") -> str:
    from ..reports.values import build_report, merge_reports
    from ..reports.values_text import render
    from ..scoring import measures_by_metric, slice_labels

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
    in_terminal = not arguments.output and _is_terminal()
    merged = merge_reports(reports)
    return render(merged, arguments.format, width=_width(in_terminal), color=in_terminal and _may_color())


def _check_format(arguments: argparse.Namespace, family: Family, n_systems: int) -> None:
    """Refuse what the format cannot show, before the work is done."""
    form = arguments.format
    if arguments.run is _compare:
        return
    if form not in (*_FORMATS, *family.formats):
        others = ", ".join(name for name, other in FAMILIES.items() if form in other.formats)
        raise ValueError(f"--format {form} is for {others}; {family.name} has: {', '.join(_FORMATS)}")
    if form in family.formats and n_systems > 1:
        raise ValueError(f"--format {form} is for one system; got {n_systems} files of predictions")
    if form in family.formats and arguments.by:
        raise ValueError(f"--format {form} has no slices; leave out --by, or choose another format")
    if form in family.formats and arguments.percent:
        raise ValueError(f"--format {form} has values from 0 to 1; leave out --percent, or choose another format")
    if arguments.per_query and form not in family.formats:
        raise ValueError("--per-query is for --format trec_eval; --per-example FILE writes the scores of every query")


def _check_once(pairs: Sequence[str]) -> None:
    """Refuse an option that is given twice with two values."""
    given: dict[str, str] = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        if given.setdefault(key, value) != value:
            raise ValueError(f"--option {key} is given twice: {given[key]} and {value}; give it once")


def _named_columns(pairs: Sequence[str], roles: Sequence[str]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for pair in pairs:
        role, _, name = pair.partition("=")
        if role not in roles or not name:
            raise ValueError(f"--columns {pair!r} must be ROLE=NAME with one of the roles: {', '.join(roles)}")
        names.setdefault(role, []).append(name)
    return names


def _list(arguments: argparse.Namespace) -> str:
    from .catalog import one_line

    wide = max(map(len, list_metrics()))
    return "".join(f"{name:<{wide}}  {one_line(name)}\n" for name in list_metrics())


def _explain(arguments: argparse.Namespace) -> str:
    from .catalog import describe_metric, description_text

    return description_text(describe_metric(arguments.metric), _width(True) or 80)


def _write(text: str, path: str | None) -> None:
    if not path and sys.stdout is not None and sys.stdout.isatty():
        from ..reports.values_text import terminal_safe

        text = terminal_safe(text)
    if path:
        from ..core.writing import open_whole

        with open_whole(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        return
    _print(text)


def _check_targets(arguments: argparse.Namespace) -> None:
    """Refuse files that cannot be written, or that are read, before the work is done."""
    read = [arguments.gold, *arguments.predictions] if hasattr(arguments, "gold") else []
    taken: dict[str, str] = {}
    for option in ("--report", "--per-example", "--output"):
        path = getattr(arguments, option[2:].replace("-", "_"), None)
        if path is None:
            continue
        if not path:
            raise ValueError(f"{option} has an empty name; give the name of a file")
        folder = os.path.dirname(path) or "."
        if "\0" in path:
            raise ValueError(f"{option} {path!r}: a name cannot hold a zero byte")
        if os.path.isdir(path):
            raise ValueError(f"{option} {path}: this is a folder; give the name of a file in it")
        if not os.path.isdir(folder):
            raise ValueError(f"{option} {path}: there is no folder {folder}; make it first")
        if not os.access(path if os.path.exists(path) else folder, os.W_OK):
            raise ValueError(f"{option} {path}: there is no permission to write here; choose another place")
        same = next((other for other in read if os.path.realpath(other) == os.path.realpath(path)), None)
        if same is not None and os.path.isfile(path):
            raise ValueError(f"{option} {path}: this file is read by the command; give another name")
        other = taken.setdefault(os.path.realpath(path), option)
        if other != option and (os.path.isfile(path) or not os.path.exists(path)):
            raise ValueError(f"{other} and {option} name the same file, {path}; give each its own")


def _complain(message: str) -> None:
    _tell(f"qassay: error: {' '.join(message.split())}")


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _width(in_terminal: bool) -> int | None:
    """The width to keep to; None where nobody's terminal is written to."""
    if in_terminal or os.environ.get("COLUMNS", "").isdigit():
        return shutil.get_terminal_size().columns
    return None


def _may_color() -> bool:
    return "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
