"""The commands `qassay calibrate` and `qassay agreement`: values corrected by people's labels, and who agrees with them."""

import argparse
from typing import Any

from ..core.option_texts import split_list
from ..core.options import check_whole
from ..core.text_tables import TableReport
from ..files.reading import FileError
from ..files.roles import named_columns
from ..human.agreement import agreement as agreement_with_labels
from ..human.calibrate import at_random
from ..human.calibrate import calibrate as calibrated
from ..human.raters import rater_agreement
from ..human.tables import agreement_report, calibration_report, raters_report
from ..registry import options_by_metric, text_families
from ..results.writers import report_text
from .inputs import choose_format, note, scored_of
from .streams import print_to_stderr, width_of

# Options of the agreement of measures with labels, and their usual values; the agreement of raters has no use for them.
_OF_MEASURES: dict[str, Any] = {
    "metric": None, "option": [], "measures": None, "right_from": None, "percent": False, "seed": 0, "resamples": 1000,
}  # fmt: skip


def calibrate(arguments: argparse.Namespace) -> str:
    """Measures of a system, or of two and their difference, corrected by human labels; or the examples to label first."""
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
    labels, found = dict(zip(systems, files, strict=True)), []
    for names in [*([name] for name in systems), *([list(systems)] if len(systems) > 1 else [])]:
        try:
            of_names = calibrated(
                {name: systems[name] for name in names},
                {name: labels[name] for name in names},
                arguments.measures,
                method=arguments.method,
                lam=arguments.lam,
                confidence=arguments.confidence,
                columns=named_columns(arguments.label_columns, "--label-columns {!r} must be ROLE=NAME"),
            )
        except FileError as error:  # of a file of labels, whose columns another option names here
            raise FileError(error.path, str(error.args[1]).replace("columns=", "label_columns=")) from error
        found += list(of_names.values()) if isinstance(of_names, dict) else [of_names]
    report = calibration_report(found, systems, percent=arguments.percent, n_next=arguments.next, seed=arguments.seed)
    if arguments.format == "csv":
        for line in report.lines:
            if line not in report.data["remarks"]:  # which `note` has printed
                print_to_stderr(f"qassay: note: {line}")
    return report_text(report, arguments.format, width=width_of(arguments))


def agreement(arguments: argparse.Namespace) -> str:
    """The agreement of measures with the labels of a table of answers, or of raters with each other."""
    choose_format(arguments)
    of_people = arguments.raters is not None or bool(arguments.judges)
    report = _of_raters(arguments) if of_people else _of_measures(arguments)
    return report_text(report, arguments.format, width=width_of(arguments))


def _of_raters(arguments: argparse.Namespace) -> TableReport:
    for name, usual in _OF_MEASURES.items():
        if getattr(arguments, name) != usual:
            option = f"--{name.replace('_', '-')}"
            raise ValueError(f"{option} is for measures of answers; omit it, or omit --raters and --judges")
    given = _given(arguments, "scale", "weights", "margin")
    raters = arguments.raters or ()
    return raters_report(rater_agreement(arguments.labelled, raters, judges=arguments.judges, **given))


def _of_measures(arguments: argparse.Namespace) -> TableReport:
    if arguments.percent and arguments.format in ("csv", "json"):
        raise ValueError("CSV and JSON of agreement have 0 to 1; omit --percent")
    metrics = arguments.metric or list(text_families())
    given = _given(arguments, "scale", "weights", "margin", "right_from", "seed")
    if arguments.measures is not None:
        given["measures"] = [name for part in arguments.measures for name in split_list(part)]
    for of_metric in options_by_metric(metrics, arguments.option).values():
        given |= of_metric
    found = agreement_with_labels(arguments.labelled, metrics, n_resamples=arguments.resamples, **given)
    return agreement_report(found, arguments.percent)


def _given(arguments: argparse.Namespace, *names: str) -> dict[str, Any]:
    """The columns, the confidence level, and those of the named options that are given."""
    given = {name: value for name in names if (value := getattr(arguments, name)) is not None}
    columns = named_columns(arguments.columns, "--columns {!r} must be ROLE=NAME")
    return {**given, "columns": columns, "confidence": arguments.confidence}
