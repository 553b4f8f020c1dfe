"""The command `qassay leaderboard`: many systems ranked on the same examples."""

import argparse
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..core.file_columns import STDIN
from ..core.shown import visible
from ..registry import FAMILIES, Family, get_family
from .commands import (
    OWN_FORMATS,
    RESULT_FORMATS,
    choose_format,
    command_of,
    intervals_of,
    look_of,
    note,
    scored_of,
    write_examples,
)
from .file_arguments import add_choices, add_command, add_files, slices_in_words
from .streams import tell

if TYPE_CHECKING:
    from ..files.score_files import Scored
    from ..leaderboards.about import AboutBoard

_EXAMPLES = """examples:
  qassay leaderboard gold.json runs/ --output board.html
  qassay leaderboard gold.json alder.json birch.json cedar.json --measures f1 exact_match --by question_word
  qassay leaderboard gold.json runs/ --about about.yaml --questions count --output board.md
  qassay leaderboard qrels.txt bm25.run dense.run fused.run --measures ndcg@10 map
  qassay leaderboard gold.json Alder=seed1.json,seed2.json Birch=birch.json
  qassay leaderboard 12B1_golden.json runs/ --format bioasq
"""


def add_leaderboard(commands) -> None:
    """Adds `qassay leaderboard` to the commands of the parser."""
    command = add_command(
        commands,
        "leaderboard",
        "rank 2 to 100 systems: ranks with intervals, systems that cannot be told apart, a page",
        "Rank 2 to 100 systems on the same examples: values and ranks with intervals, letters of systems that\n"
        "cannot be told apart, how often each is the best, p-values of all pairs, slices.\n"
        "Files and most options are the same as for qassay score.",
        _EXAMPLES,
    )
    add = command.add_argument
    add_files(
        add,
        "one file per system, two or more, or one folder with a file (or a folder) for each; NAME=FILE names the "
        "system; "
        "NAME=FILE,FILE,... gives several runs of one system; omit it if GOLD is a table with a column of predictions "
        "for each",
    )
    add_choices(add, by=f"slices of the examples: {slices_in_words(by_system=False)}; or a column of the gold file")
    add("--about", metavar="FILE",
        help="YAML or JSON: title, description, measures, by, groups, questions, and systems: {key: {name, link, team, date, "
        "facts}}; options on the command line override it (docs/leaderboard.md)")  # fmt: skip
    add("--questions", choices=("refuse", "common", "count"),
        help="if systems lack an answer to some examples: refuse them (default), rank by the common examples, or "
        "count an "
        "absent answer as 0")  # fmt: skip
    add("--permutations", type=int, default=10_000, metavar="10000", help="number of permutations in the tests")
    own = [f"{form} ({name})" for form, name in _official_formats().items()]
    add("--format", choices=[*RESULT_FORMATS, *OWN_FORMATS],
        help=f"output format: table (default), {', '.join(RESULT_FORMATS[1:])}; or the numbers of the official program: "
        f"{' or '.join(own)}, in every format that --output names")  # fmt: skip
    command.set_defaults(run=leaderboard)


def _official_formats() -> dict[str, str]:
    return {form: family.name for family in FAMILIES.values() for form in family.telling.official_numbers}


def leaderboard(arguments: argparse.Namespace) -> str:
    """The leaderboard of the systems."""
    from ..leaderboards.about import AboutBoard
    from ..leaderboards.build import build_board, options_of_board
    from ..results.document import board_document
    from ..results.examples import TEXT_BUDGET
    from ..results.page import in_form
    from ..stats.ranking import RankSettings

    official = arguments.format if arguments.format in OWN_FORMATS else None
    form = _form(arguments, official)
    about = _about(arguments)
    _refuse_policy(arguments)
    _take_folder(arguments)
    scored = _one_metric(_scored(arguments, options_of_board))
    if about is not None:
        try:
            about.require_systems(list(scored.systems))
        except ValueError as error:
            raise ValueError(f"{arguments.about}: {error}") from error
    board = build_board(
        scored,
        about,
        settings=RankSettings(intervals_of(arguments), arguments.permutations),
        measures=arguments.measures,
        by=arguments.by,
        questions=arguments.questions,
        more_remarks=_remarks_of_copies(scored, about),
    )
    numbers = _official(arguments, official, scored)  # scores again by the official format
    arguments.format = form
    note(arguments, [scored])
    write_examples(arguments, [scored])
    found = board_document(
        scored,
        board,
        about or AboutBoard(),
        official=numbers,
        percent=arguments.percent,
        command=command_of(arguments),
        text_budget=TEXT_BUDGET if form in ("json", "html") else 0,
    )
    return in_form(found, form, official=official or "", **look_of(arguments))


def _form(arguments: argparse.Namespace, official: str | None) -> str:
    """The form of what is printed; the arguments keep the official format, which decides how the systems are scored."""
    if official:
        arguments.format = None
    choose_format(arguments)
    form: str = arguments.format
    if arguments.percent and form in ("csv", "json"):
        raise ValueError(f"{form} has values from 0 to 1; omit --percent, or choose another format")
    arguments.format = official or form
    return form


def _about(arguments: argparse.Namespace) -> "AboutBoard | None":
    """What `--about` says; sets what the command line does not say."""
    from ..leaderboards.about import read_about_board

    about = read_about_board(arguments.about) if arguments.about is not None else None
    if about is not None:
        arguments.measures = arguments.measures or list(about.measures) or None
        arguments.by = arguments.by or list(about.by)
        arguments.groups = arguments.groups or about.groups or None
        arguments.questions = arguments.questions or about.questions
    arguments.questions = arguments.questions or "refuse"
    return about


def _refuse_policy(arguments: argparse.Namespace) -> None:
    if any(pair.partition("=")[0] == "missing" for pair in arguments.option):
        raise ValueError("--option missing=...: --questions says what counts where an answer is absent; give that")


def _take_folder(arguments: argparse.Namespace) -> None:
    """Put the systems of a folder into the arguments where one folder is given, and refuse too many."""
    from ..files.run_files import files_of_runs
    from ..leaderboards.folder import has_systems, systems_of_folder
    from ..stats.ranking import require_number

    arguments.systems = None
    if len(arguments.predictions) == 1 and has_systems(arguments.predictions[0]):
        (folder,) = arguments.predictions
        for option in ("output", "per_example"):
            path = getattr(arguments, option)
            if path and os.path.realpath(path).startswith(os.path.join(os.path.realpath(folder), "")):
                raise ValueError(
                    f"--{option.replace('_', '-')} {path}: this is in the folder of the systems; give another place"
                )
        others = {arguments.gold: "the gold file", **({arguments.about: "of --about"} if arguments.about else {})}
        found = systems_of_folder(folder, others)
        arguments.systems, arguments.predictions = found.names, found.paths
        for line in found.left_out:
            tell(f"qassay: note: {folder}: omitted: {visible(line)}")
    require_number(len(arguments.predictions), most_only=True)
    given = [files_of_runs(path) for path in arguments.predictions]
    if arguments.systems is None:
        _refuse_given_twice(given)


def _scored(arguments: argparse.Namespace, more: Callable[[Family], Mapping[str, Any]]) -> "list[Scored]":
    """The systems as `scored_of` scores them; a folder that is refused as a system is named."""
    from ..files.reading import FileError
    from ..files.run_files import files_of_runs

    try:
        return scored_of(arguments, more=more, require_ids=True)
    except FileError as error:
        given = [] if arguments.systems else [file for path in arguments.predictions for file in files_of_runs(path)[1]]
        is_folder = error.path in given and os.path.isdir(error.path)
        if not is_folder:
            raise
        told = f"{error.args[1]}; a folder of systems must be the only one given, and without a name"
        raise FileError(error.path, told) from error


def _remarks_of_copies(scored: "Scored", about: "AboutBoard | None") -> list[str]:
    """Which systems have the same predictions, by the names that readers see; warns of them."""
    from ..leaderboards.folder import same_files

    by_columns: dict[str, dict[str, list[str]]] = {}  # of one table several columns may be systems
    for key, system in scored.systems.items():
        name = about.name_of(key) if about else key
        paths = [run.path for run in system.runs.values()] or [system.path]
        by_columns.setdefault(repr((system.names, system.picked)), {})[name] = paths
    alike = [names for files in by_columns.values() for names in same_files(files)]
    told = [f"{visible(' and '.join(names))} have the same predictions" for names in alike]
    for line in told:
        tell(f"qassay: warning: {line}; is one of them a copy?")
    return told


def _refuse_given_twice(given: Iterable[tuple[str | None, list[str]]]) -> None:
    """Refuse a file that is given twice, unless names say that it is meant."""
    before: dict[str, str] = {}
    for path in (path for name, (path, *_) in given if name is None):
        real = os.path.realpath(path)
        if real in before:
            told = f"{path} is given twice" if before[real] == path else f"{before[real]} and {path} are the same file"
            raise ValueError(f"{told}; give it once")
        before[real] = path


def _one_metric(scored: "list[Scored]") -> "Scored":
    if len(scored) > 1:
        told = ", ".join(metric.family.name for metric in scored)
        raise ValueError(f"a leaderboard has one metric; got {len(scored)}: {told}; give --metric once")
    return scored[0]


def _official(arguments: argparse.Namespace, form: str | None, scored: "Scored") -> dict[str, dict[str, str]]:
    """System -> the numbers of the official program, by its own rules for absent answers."""
    from ..stats.systems import lacking_answers

    if not form:
        return {}
    several = [name for name, scores in scored.scores.items() if scores.n_runs > 1]
    if several:
        raise ValueError(f"--format {form} takes single runs; {several[0]} has several; give each run as a system")
    if lacking_answers(scored.scores):
        if STDIN in (arguments.gold, *arguments.predictions):
            raise ValueError(
                f"--format {form} reads files twice where answers are absent, and standard input (-) can be read only once; "
                "write it to a file"
            )
        (scored,) = scored_of(arguments)
    numbers = get_family(scored.family.name).telling.official_numbers[form]
    return {name: numbers(scores) for name, scores in scored.scores.items()}
