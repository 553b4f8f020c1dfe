"""From parsed arguments to scored systems, and what commands that score have in common."""

import argparse
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.interval_settings import Intervals, check_confidence
from ..core.option_texts import split_list
from ..files.example_tables import check_example_file, joined_examples
from ..files.example_tables import write_examples as write_example_file
from ..files.number_tables import are_numbers, open_number_tables
from ..files.roles import column_names, named_columns
from ..files.score_files import open_files, score_opened
from ..files.scored import Scored
from ..registry import FAMILIES, Family, find_preset, get_family, options_by_metric, require_preset
from ..results.text import FORMS
from ..scoring import from_signature
from ..stats.remarks import note_lines
from .arguments import OFFICIAL_FORMATS, RESULT_FORMATS
from .streams import print_to_stderr

OptionsOf = Callable[[Family], Mapping[str, Any]]


def scored_of(
    arguments: argparse.Namespace, also_by: Sequence[str] = (), more: OptionsOf | None = None
) -> list[Scored]:
    """Read and score what the command names, with each metric; sets `measures` and `by` of the arguments as lists.

    Args:
        also_by: slices in addition to `--by`.
        more: options of a metric; they override `--signature`, and `--option` overrides them.
    """
    return scored_sets({"": arguments}, also_by, more)[""]


def scored_sets(
    sets: Mapping[str, argparse.Namespace], also_by: Sequence[str] = (), more: OptionsOf | None = None
) -> dict[str, list[Scored]]:
    """The same for several data sets: name -> what `scored_of` returns for its arguments, which differ in their files alone."""
    first = next(iter(sets.values()))
    names, metrics, signed, pairs = _requested(first)
    for arguments in sets.values():
        if arguments.measures is not None:
            arguments.measures = [name for part in arguments.measures for name in split_list(part)]
        arguments.by = list(dict.fromkeys(name for part in arguments.by for name in part.split(",")))
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


def _requested(arguments: argparse.Namespace) -> tuple[Mapping[str, Any], list[str] | None, dict[str, Any], list[str]]:
    """The names of columns, the metrics, the options of a signature, and the given options as `name=value`."""
    if arguments.per_example:
        check_example_file(arguments.per_example)
    names = column_names(named_columns(arguments.columns, "--columns {!r} must be ROLE=NAME"))
    metrics: list[str] | None = arguments.metric
    signed: dict[str, Any] = {}
    if arguments.signature is not None:
        options = from_signature(arguments.signature)
        if metrics not in (None, [options.family]):
            named = ", ".join(metrics or ())
            raise ValueError(f"--signature belongs to {options.family}, but --metric is {named}; omit --metric")
        metrics, signed = [options.family], options.keywords()
    pairs = list(arguments.option)
    if arguments.preset is not None:
        metrics = metrics or [find_preset(arguments.preset)[0]]
        require_preset(metrics, arguments.preset)
        pairs.insert(0, f"preset={arguments.preset}")
    if arguments.measures and any(pair.startswith("measures=") for pair in pairs):
        pairs.insert(0, f"measures={','.join(arguments.measures)}")  # refused if they differ
    return names, metrics, signed, pairs


def _check_format(arguments: argparse.Namespace, family: Family, n_systems: int) -> None:
    """Refuse what the format cannot show, before anything is scored."""
    form = arguments.format
    if form in family.about.formats:
        if n_systems > 1:
            raise ValueError(f"--format {form} is for one system; got {n_systems} files of predictions")
        for option, given in (("--by", arguments.by), ("--percent", arguments.percent)):
            if given:
                raise ValueError(
                    f"--format {form} has neither slices nor per cent; omit {option}, or choose another format"
                )
    elif form in OFFICIAL_FORMATS:
        others = ", ".join(name for name, other in FAMILIES.items() if form in other.about.formats)
        raise ValueError(f"--format {form} is for {others}; {family.name} has: {', '.join(RESULT_FORMATS)}")
    elif getattr(arguments, "per_query", False):
        raise ValueError("--per-query is for --format trec_eval; --per-example FILE writes the scores of every query")


def choose_format(arguments: argparse.Namespace) -> None:
    """Set the format from the ending of `--output` if none is given; refuse a contradiction."""
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


def intervals_of(arguments: argparse.Namespace) -> Intervals:
    """The settings of intervals."""
    confidence = None if getattr(arguments, "no_intervals", False) else check_confidence(arguments.confidence)
    return Intervals(confidence, arguments.interval_method, arguments.resamples, arguments.seed)


def command_of(arguments: argparse.Namespace) -> str:
    """The command line that repeats the call."""
    return shlex.join(["qassay", *arguments.argv])


def note(arguments: argparse.Namespace, scored: Sequence[Scored]) -> None:
    """Report on stderr what the output format cannot show."""
    if arguments.format in OFFICIAL_FORMATS or arguments.format == "csv":
        for line in dict.fromkeys(line for metric in scored for line in note_lines(metric.scores)):
            print_to_stderr(f"qassay: note: {line}")


def write_examples(arguments: argparse.Namespace, scored: Sequence[Scored]) -> None:
    """Write the file of `--per-example`."""
    if arguments.per_example:
        write_example_file(arguments.per_example, joined_examples([metric.by_run() for metric in scored]))
