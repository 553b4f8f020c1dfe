"""Runs the commands: from parsed arguments to the printed text."""

import argparse
import errno
import os
import shlex
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.file_columns import STDIN
from ..registry import FAMILIES, Family, get_family, options_by_metric
from .arguments import OFFICIAL_FORMATS, RESULT_FORMATS
from .streams import print_to_stderr, terminal_width, width_of, write_output

if TYPE_CHECKING:
    from ..core.interval_settings import Intervals
    from ..files.scored import Scored

_WHOLE = {"json", "html", "summary"}  # forms that show more than is requested
_TARGETS = ("report", "per_example", "output", "markdown", "junit")  # options that name files to write


def score(arguments: argparse.Namespace) -> str:
    """The values of the systems; writes the report and the file of examples."""
    from ..results.text import form_of_file

    report = form_of_file(arguments.report, "--report") if arguments.report else ""
    choose_format(arguments)
    scored = scored_of(arguments, ["error_kind"] if "html" in (report, arguments.format) else [])
    text = _text_of(arguments, scored, arguments.format)
    if report:
        _write_report(arguments, text if report == arguments.format else _text_of(arguments, scored, report))
    note(arguments, scored)
    write_examples(arguments, scored)
    return text


def compare(arguments: argparse.Namespace) -> str:
    """The comparison of the systems; writes the report and the file of examples."""
    from ..results.document import DocumentSettings, compare_document
    from ..results.text import form_of_file, render
    from ..stats.difference import ComparisonSettings

    report = form_of_file(arguments.report, "--report") if arguments.report else ""
    choose_format(arguments)
    scored = scored_of(arguments, ["error_kind", *(["relevant_count"] if report else [])])
    forms = {arguments.format, report}
    shown = DocumentSettings(
        arguments.measures,
        by=arguments.by,
        is_whole=bool(forms & _WHOLE),
        percent=arguments.percent,
        group_name=arguments.groups or "",
        command=command_of(arguments),
    )
    settings = ComparisonSettings(
        arguments.test, arguments.correction, intervals_of(arguments), arguments.permutations, arguments.baseline
    )
    found = compare_document(scored, settings, shown)
    text = render(found, arguments.format, width=width_of(arguments))
    if report:
        _write_report(arguments, render(found, report))
    note(arguments, scored)
    write_examples(arguments, scored)
    return text


def calibrate(arguments: argparse.Namespace) -> str:
    """Measures of a system, or of two and their difference, corrected by human labels; or the examples to label first."""
    from ..core.options import check_whole
    from ..files.roles import named_columns
    from ..human.calibrate import at_random
    from ..human.calibrate import calibrate as calibrated
    from ..human.tables import calibration_report
    from ..results.writers import report_text

    choose_format(arguments)
    if arguments.next is not None:
        check_whole("--next", arguments.next, kind="")
    if arguments.labels is None and arguments.next is None:
        raise ValueError("--labels FILE is missing; --next K without it prints the ids of K examples to label first")
    scored = scored_of(arguments)
    systems, files = scored[0].scores, arguments.labels or ()
    if len(scored) > 1 or len(systems) > 2 or files and len(files) != len(systems):
        raise ValueError(
            "calibrate takes one metric, and one system with --labels FILE, or two with --labels FILE --labels FILE in their "
            f"order; got metrics: {len(scored)}, systems: {len(systems)}, files of labels: {len(files)}"
        )
    note(arguments, scored)
    if not files:
        (first, *_) = systems.values()
        return "".join(f"{identifier}\n" for identifier in at_random(first.ids, arguments.next, arguments.seed))
    found = []
    for names in [*([name] for name in systems), *([list(systems)] if len(systems) > 1 else [])]:
        of_names = calibrated(
            {name: systems[name] for name in names},
            {name: file for name, file in zip(systems, files, strict=True) if name in names},
            arguments.measures,
            method=arguments.method,
            lam=arguments.lam,
            confidence=arguments.confidence,
            columns=named_columns(arguments.label_columns, "--label-columns {!r} must be ROLE=NAME"),
        )
        found += list(of_names.values()) if isinstance(of_names, dict) else [of_names]
    report = calibration_report(found, systems, percent=arguments.percent, n_next=arguments.next, seed=arguments.seed)
    if arguments.format == "csv":
        for line in report.lines:
            if line not in report.data["remarks"]:  # which `note` has printed
                print_to_stderr(f"qassay: note: {line}")
    return report_text(report, arguments.format, width=width_of(arguments))


def agreement(arguments: argparse.Namespace) -> str:
    """The agreement of measures with the labels of a table of answers, or of raters with each other."""
    from ..core.option_texts import split_list
    from ..files.roles import named_columns
    from ..human.agreement import agreement as agreement_with_labels
    from ..human.raters import rater_agreement
    from ..human.tables import agreement_report, raters_report
    from ..registry import text_families
    from ..results.writers import report_text

    choose_format(arguments)
    names = ("scale", "weights", "margin", "right_from", "confidence")
    given = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    given["columns"] = named_columns(arguments.columns, "--columns {!r} must be ROLE=NAME")
    if arguments.measures is not None:
        given["measures"] = [name for part in arguments.measures for name in split_list(part)]
    if arguments.raters is not None or arguments.judges:
        for name in ("metric", "option", "measures", "right_from", "percent"):
            if (value := getattr(arguments, name)) is not None and value is not False and value != []:
                option = f"--{name.replace('_', '-')}"
                raise ValueError(f"{option} is for measures of answers; omit it, or omit --raters and --judges")
        raters, judges = arguments.raters or (), arguments.judges
        report = raters_report(rater_agreement(arguments.labelled, raters, judges=judges, **given))
    else:
        if arguments.percent and arguments.format in ("csv", "json"):
            raise ValueError("CSV and JSON of agreement have 0 to 1; omit --percent")
        metrics = arguments.metric or list(text_families())
        given |= {"seed": arguments.seed, "n_resamples": arguments.resamples}
        for of_metric in options_by_metric(metrics, arguments.option).values():
            given |= of_metric
        report = agreement_report(agreement_with_labels(arguments.labelled, metrics, **given), arguments.percent)
    return report_text(report, arguments.format, width=width_of(arguments))


def scored_of(
    arguments: argparse.Namespace,
    also_by: Sequence[str] = (),
    more: Callable[[Family], Mapping[str, Any]] | None = None,
) -> "list[Scored]":
    """Read and score what the command names, with each metric; sets `measures` and `by` of the arguments as lists.

    Args:
        also_by: slices in addition to `--by`.
        more: options of a metric; they override `--signature`, and `--option` overrides them.
    """
    return scored_sets({"": arguments}, also_by, more)[""]


def scored_sets(
    sets: Mapping[str, argparse.Namespace],
    also_by: Sequence[str] = (),
    more: Callable[[Family], Mapping[str, Any]] | None = None,
) -> "dict[str, list[Scored]]":
    """The same for several data sets: name -> what `scored_of` returns for its arguments, which differ in their files alone."""
    # Imported here: `qassay list` needs none of this.
    from ..files.number_tables import are_numbers, open_number_tables
    from ..files.score_files import open_files, score_opened

    first = next(iter(sets.values()))
    names, metrics, signed, pairs = _requested(first)
    for arguments in sets.values():
        _split_names(arguments)
    slices, tables = [*first.by, first.groups], {}
    if are_numbers(metrics, names):  # whose measures are those that all data sets have
        paths = {name: [arguments.gold, *arguments.predictions] for name, arguments in sets.items()}
        tables = open_number_tables(paths, names, first.measures, slices)
    found = {}
    for name, arguments in sets.items():
        given = tables.get(name) or open_files(
            metrics, arguments.gold, arguments.predictions, names, slices=slices, with_gold=True
        )
        options = {}
        for metric, of_metric in options_by_metric(given.golds, pairs).items():
            family = get_family(metric)
            _check_format(arguments, family, len(given.files))
            options[metric] = {**signed, **(more(family) if more and not tables else {}), **of_metric}
        found[name] = score_opened(
            given,
            options=options,
            measures=arguments.measures,
            by=[*arguments.by, *also_by],
            form=arguments.format,
            probabilities=arguments.no_answer_probabilities,
            groups=arguments.groups,
            confidences=arguments.confidences,
        )
    return found


def _requested(
    arguments: argparse.Namespace,
) -> tuple[Mapping[str, Any], list[str] | None, dict[str, Any], list[str]]:
    """The names of columns, the metrics, the options of a signature, and the given options as `name=value`."""
    from ..files.example_tables import check_example_file
    from ..files.roles import column_names, named_columns
    from ..registry import find_preset, require_preset

    if arguments.per_example:
        check_example_file(arguments.per_example)
    names = column_names(named_columns(arguments.columns, "--columns {!r} must be ROLE=NAME"))
    metrics: list[str] | None = arguments.metric
    signed: dict[str, Any] = {}
    if arguments.signature is not None:
        metrics, signed = _of_signature(arguments)
    pairs = list(arguments.option)
    if arguments.preset is not None:
        metrics = metrics or [find_preset(arguments.preset)[0]]
        require_preset(metrics, arguments.preset)
        pairs.insert(0, f"preset={arguments.preset}")
    if arguments.measures and any(pair.startswith("measures=") for pair in pairs):
        pairs.insert(0, f"measures={','.join(arguments.measures)}")  # refused if they differ
    return names, metrics, signed, pairs


def _split_names(arguments: argparse.Namespace) -> None:
    """The measures and the slices as lists of names."""
    from ..core.option_texts import split_list

    if arguments.measures is not None:
        arguments.measures = [name for part in arguments.measures for name in split_list(part)]
    arguments.by = list(dict.fromkeys(name for part in arguments.by for name in part.split(",")))


def _of_signature(arguments: argparse.Namespace) -> tuple[list[str], dict]:
    """The metric and the options of a signature."""
    from ..scoring import from_signature

    options = from_signature(arguments.signature)
    if arguments.metric not in (None, [options.family]):
        named = ", ".join(arguments.metric)
        raise ValueError(f"--signature belongs to {options.family}, but --metric is {named}; omit --metric")
    return [options.family], options.keywords()


def note(arguments: argparse.Namespace, scored: "list[Scored]") -> None:
    """Report on stderr what the output format cannot show."""
    from ..stats.remarks import note_lines

    if arguments.format in OFFICIAL_FORMATS or arguments.format == "csv":
        for line in dict.fromkeys(line for metric in scored for line in note_lines(metric.scores)):
            print_to_stderr(f"qassay: note: {line}")


def write_examples(arguments: argparse.Namespace, scored: "list[Scored]") -> None:
    """Write the file of `--per-example`."""
    from ..files.example_tables import joined_examples, write_examples

    if arguments.per_example:
        write_examples(arguments.per_example, joined_examples([metric.by_run() for metric in scored]))


def _write_report(arguments: argparse.Namespace, text: str) -> None:
    write_output(text, arguments.report)
    print_to_stderr(f"qassay: note: wrote {arguments.report}")


def intervals_of(arguments: argparse.Namespace) -> "Intervals":
    """The settings of intervals."""
    from ..core.interval_settings import Intervals, check_confidence

    confidence = check_confidence(arguments.confidence)
    method, no_intervals = (getattr(arguments, name, None) for name in ("interval_method", "no_intervals"))
    return Intervals(None if no_intervals else confidence, method or "auto", arguments.resamples, arguments.seed)


def choose_format(arguments: argparse.Namespace) -> None:
    """Set the format from the ending of `--output` if none is given; refuse a contradiction."""
    from ..results.text import FORMS

    output = arguments.output or ""
    ending = os.path.splitext(output)[1].lower()
    if ending == ".jsonl":
        raise ValueError(f"--output {output}: what is printed is text; --per-example FILE writes .jsonl files")
    form = FORMS.get(ending)
    if form and arguments.format not in (None, form):
        raise ValueError(
            f"--output {output} is for --format {form}, but --format is {arguments.format}; omit --format, or give another ending"
        )
    if form is None and arguments.format is None and ending not in ("", ".txt"):
        raise ValueError(
            f"--output {output}: the name must end with one of: {', '.join(FORMS)}, .txt; or give --format"
        )
    arguments.format = arguments.format or form or "table"


def _text_of(arguments: argparse.Namespace, scored: "list[Scored]", form: str) -> str:
    """The values of the systems in a format."""
    from ..results.document import DocumentSettings, score_document
    from ..results.text import render
    from ..stats.runs import OF_K

    first = scored[0]
    at_k = {name: _numbers(name, getattr(arguments, name)) for name in OF_K}
    if any(at_k.values()) and len(scored) > 1:
        raise ValueError("pass@k and pass^k need one metric; name it with --metric")
    if form in OFFICIAL_FORMATS:
        (system,) = first.systems.values()
        write = first.family.about.formats[form]
        return write(system.tag, system.scores, arguments.measures, arguments.per_query)
    settings = DocumentSettings(
        arguments.measures,
        every=form == "json",
        by=arguments.by,
        is_whole=form in _WHOLE,
        percent=arguments.percent,
        group_name=arguments.groups or "",
        command=command_of(arguments),
        at_k=at_k,
    )
    return render(score_document(scored, intervals_of(arguments), settings), form, width=width_of(arguments))


def _numbers(option: str, texts: Sequence[str]) -> list[int]:
    """The integers of texts that may separate them by commas."""
    parts = [part for text in texts for part in text.split(",")]
    if not all(part.strip().isdecimal() for part in parts):
        raise ValueError(f"--{option.replace('_', '-')} takes integers, such as 1,5; got {' '.join(texts)}")
    return list(map(int, parts))


def command_of(arguments: argparse.Namespace) -> str:
    """The command line that repeats the call."""
    return shlex.join(["qassay", *arguments.argv])


def _check_format(arguments: argparse.Namespace, family: Family, n_systems: int) -> None:
    """Refuse what the format cannot show, before anything is scored."""
    form = arguments.format
    if form not in (*RESULT_FORMATS, *family.about.formats):
        others = ", ".join(name for name, other in FAMILIES.items() if form in other.about.formats)
        raise ValueError(f"--format {form} is for {others}; {family.name} has: {', '.join(RESULT_FORMATS)}")
    if arguments.command != "score":
        return
    is_official = form in family.about.formats
    if is_official and n_systems > 1:
        raise ValueError(f"--format {form} is for one system; got {n_systems} files of predictions")
    for option, given in (("--by", arguments.by), ("--percent", arguments.percent)):
        if is_official and given:
            raise ValueError(
                f"--format {form} has neither slices nor per cent; omit {option}, or choose another format"
            )
    if arguments.per_query and not is_official:
        raise ValueError("--per-query is for --format trec_eval; --per-example FILE writes the scores of every query")


def list_all(arguments: argparse.Namespace) -> str:
    """A line for each metric, or some for each preset."""
    from ..catalog import one_line, presets_text

    if arguments.presets:
        return presets_text(terminal_width(True) or 80)
    wide = max(map(len, FAMILIES))
    return "".join(f"{name:<{wide}}  {one_line(name)}\n" for name in sorted(FAMILIES))


def explain(arguments: argparse.Namespace) -> str:
    """The columns, options and measures of a metric, or the meaning of another name."""
    from ..catalog import explanation

    return explanation(arguments.name, terminal_width(True) or 80)


def app(arguments: argparse.Namespace) -> str:
    """Serve the page until it is interrupted."""
    from ..space.launch import serve

    serve(arguments.host, arguments.port, arguments.models, arguments.open)
    return ""


def spaces(arguments: argparse.Namespace) -> str:
    """Write the folders of Spaces."""
    from ..space.build import build_spaces

    paths = build_spaces(arguments.out, arguments.owner, arguments.names)
    return "".join(f"{path}\n" for path in paths)


# --- checks before the work -------------------------------------------------------------------------------------------


def check_paths(arguments: argparse.Namespace) -> None:
    """Refuse files that follow an option with several values, and outputs that cannot be written or are also inputs."""
    for option in ("by", "measures", "columns", "option"):
        for value in getattr(arguments, option, None) or ():
            # A slice may have the name of a file without an ending.
            if os.path.splitext(value)[1] and os.path.isfile(value):
                raise ValueError(
                    f"--{option} takes every value after it, and took the file {value}; files come first: GOLD PREDICTIONS "
                    f"--{option} ..."
                )
    if getattr(arguments, "output", None) == STDIN:
        arguments.output = None  # "-" is standard output there
    taken = {os.path.realpath(path): "" for path in _files_read(arguments)}
    for name in _TARGETS:
        path, option = getattr(arguments, name, None), f"--{name.replace('_', '-')}"
        if path is None:
            continue
        _require_writable(option, path)
        other = taken.setdefault(os.path.realpath(path), option)
        if not other:
            raise ValueError(f"{option} {path}: this file is read by the command; give another name")
        if other != option:
            raise ValueError(f"{other} and {option} are the same file, {path}; give each a file")


def _files_read(arguments: argparse.Namespace) -> list[str]:
    """The existing files among the arguments that are no outputs."""
    values: list[Any] = [value for name, value in vars(arguments).items() if name not in ("argv", *_TARGETS)]
    found: list[str] = []
    while values:
        value = values.pop()
        if isinstance(value, list):
            values += value
        elif isinstance(value, str):  # FILE, NAME=FILE or NAME=FILE,FILE
            found += filter(os.path.isfile, (value, *value.rpartition("=")[2].split(",")))
    return found


def _require_writable(option: str, path: str) -> None:
    """Refuse the name of an output that cannot be written."""
    if path in ("", STDIN) or os.path.isdir(path) or path.endswith(os.sep):
        raise ValueError(f"{option} {path or 'has an empty name'}: give the name of a file")
    try:
        if not os.path.lexists(path):
            tempfile.TemporaryFile(dir=os.path.dirname(path) or ".").close()
        elif not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "no permission")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ValueError(f"{option} {path}: it cannot be written ({reason}); choose another path") from error
