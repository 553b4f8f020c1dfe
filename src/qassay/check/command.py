"""The command `qassay check`, a gate for releases: is a new system at most a margin worse than an old one?"""

import argparse
import os
import re
from collections.abc import Sequence

from ..cli.inputs import command_of, scored_of
from ..cli.streams import print_to_stderr, write_output
from ..core.interval_settings import Intervals, check_confidence
from ..core.option_texts import split_list
from ..files.reading import FileError
from ..files.systems import files_of_argument
from ..leaderboards.build import options_of_board, require_gold_of_all
from .gate import gate_json, gate_junit, gate_lines, gate_markdown, judge_gate

_FAILED = 1


def check(arguments: argparse.Namespace) -> str:
    """The verdict on a new system; writes the Markdown and JUnit files, and sets the exit status."""
    margins = [_with_margin(part, arguments.margin) for parts in arguments.measures for part in split_list(parts)]
    arguments.measures = [name for name, _ in margins]
    (new,) = arguments.predictions
    arguments.predictions = [_named(arguments.old, "baseline"), _named(new, "new")]
    _refuse_same_file(arguments.predictions)
    has_gold = arguments.gold is not None
    if not has_gold:
        arguments.gold = files_of_argument(arguments.old)[1][0]
    try:
        scored = scored_of(arguments, more=options_of_board if arguments.count_absent else None)
    except FileError as error:
        if has_gold or error.path != arguments.gold:
            raise
        raise FileError(error.path, f"{error.args[1]}; give the file of the gold answers with --gold") from error
    if len(scored) > 1 or len(scored[0].systems) != 2:
        names = ", ".join(scored[0].systems)
        raise ValueError(
            "check takes one metric and two systems, the baseline and the new one; got "
            f"{len(scored)} metrics and {len(scored[0].systems)} systems ({names}); name the metric by --metric, and of tables the "
            "column by --columns predictions=NAME"
        )
    if not arguments.common:
        require_gold_of_all(scored[0], "give a file that has them all with --gold, or --common")
    report = judge_gate(
        scored[0],
        margins,
        Intervals(check_confidence(arguments.confidence), seed=arguments.seed),
        common=arguments.common,
        count_absent=arguments.count_absent,
        command=command_of(arguments),
    )
    if arguments.markdown:
        write_output(gate_markdown(report), arguments.markdown)
    if arguments.junit:
        write_output(gate_junit(report), arguments.junit)
    for line in report.remarks if arguments.format == "table" else ():
        print_to_stderr(f"qassay: note: {line}")
    arguments.status = 0 if report.passes else _FAILED
    return gate_json(report) if arguments.format == "json" else gate_lines(report)


def _with_margin(text: str, usual: float | None) -> tuple[str, float]:
    """The measure and the margin in NAME=MARGIN; NAME alone has the usual margin."""
    name, sign, margin = text.rpartition("=")
    if not sign or re.search(r"[\])]", margin):  # "=" in brackets belongs to the name: map(rel=2)@100
        if usual is None:
            raise ValueError(f"{text} has no margin: give --margin 0.01, or --measure {text}=0.01")
        return text, usual
    if not name:
        raise ValueError(f"--measure {text}: the name of a measure is missing before =; give one, such as f1{text}")
    try:
        return name, float(margin)
    except ValueError:
        raise ValueError(f"--measure {text}: a margin is a number of at least 0, such as {name}=0.01") from None


def _named(path: str, name: str) -> str:
    """The argument of a system; several files without a name get `name`."""
    return f"{name}={path}" if "," in path and "=" not in path and not os.path.exists(path) else path


def _refuse_same_file(systems: Sequence[str]) -> None:
    """Refuse one file for both systems: it would always pass."""
    old, new = ({os.path.realpath(file): file for file in files_of_argument(system)[1]} for system in systems)
    both = next((file for path, file in new.items() if path in old), None)
    if both is not None:
        raise ValueError(f"{both} is a file of the baseline and of the new system; give two different files")
