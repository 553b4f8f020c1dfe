"""The command `qassay leaderboard`: many systems ranked on the same examples."""

import argparse
from collections.abc import Mapping
from typing import Any

from ..files.folders import file_stem, has_systems, systems_of_folder
from ..files.given_scores import scored_of as scored_in_python
from ..files.reading import FileError
from ..files.scored import Scored
from ..files.systems import files_of_argument
from ..leaderboards.about import AboutBoard, read_about_board
from ..leaderboards.build import build_board, options_of_board, require_gold_of_all, same_questions
from ..registry import OWN_SCORES
from ..results.document import DocumentSettings, board_document
from ..results.text import render
from ..stats.difference import ComparisonSettings
from ..stats.leaderboard import leaderboard as rank
from ..stats.ranking import require_number
from .inputs import choose_format, command_of, intervals_of, note, scored_of, scored_sets, write_examples
from .streams import width_of


def leaderboard(arguments: argparse.Namespace) -> str:
    """The leaderboard of the systems."""
    choose_format(arguments)
    if arguments.percent and arguments.format in ("csv", "json"):
        raise ValueError(f"{arguments.format} has values from 0 to 1; omit --percent, or choose another format")
    if any(pair.partition("=")[0] == "missing" for pair in arguments.option):
        raise ValueError(
            "--option missing=... is not for leaderboards: --questions decides how an absent answer counts"
        )
    about = _about(arguments)
    if arguments.sets:
        return _of_sets(arguments)
    _check_number(arguments)
    scored = _one_metric(
        scored_of(arguments, ["error_kind"] if arguments.format == "html" else [], more=options_of_board)
    )
    _require_ids(scored, arguments.questions)
    if about is not None:
        try:
            about.require_systems(list(scored.systems))
        except ValueError as error:
            raise ValueError(f"{arguments.about}: {error}") from error
    board = build_board(
        scored,
        about,
        settings=ComparisonSettings(intervals=intervals_of(arguments), n_permutations=arguments.permutations),
        measures=arguments.measures,
        by=arguments.by,
        questions=arguments.questions,
    )
    note(arguments, [scored])
    write_examples(arguments, [scored])
    found = board_document(
        scored,
        board,
        DocumentSettings(
            percent=arguments.percent,
            command=command_of(arguments),
            is_whole=arguments.format in ("json", "html"),
        ),
        about or AboutBoard(),
    )
    return render(found, arguments.format, width=width_of(arguments))


def _of_sets(arguments: argparse.Namespace) -> str:
    """The leaderboard over several data sets."""
    for option, value in (("by", arguments.by), ("about", arguments.about), ("per-example", arguments.per_example)):
        if value:
            raise ValueError(f"--{option} is for one data set; omit it, or omit --set")
    called, (gold, *_) = files_of_argument(arguments.gold)
    first = [called or file_stem(gold), gold, *arguments.predictions]
    if arguments.metric == [OWN_SCORES] and arguments.predictions:  # the first file is a system, and NAME= its name
        first = [file_stem(gold), arguments.gold, *arguments.predictions]
    of_sets: dict[str, argparse.Namespace] = {}
    for name, *files in [first, *arguments.sets]:
        if not files:
            raise ValueError(
                f"--set {name} has no files; give --set NAME GOLD SYSTEMS, such as --set nq nq.json a.json b.json"
            )
        if name in of_sets:
            raise ValueError(f"two data sets are called {name}; give each a distinct name")
        of_set = argparse.Namespace(**{**vars(arguments), "gold": files[0], "predictions": files[1:]})
        _check_number(of_set)
        of_sets[name] = of_set
    found = {name: _one_metric(scored) for name, scored in scored_sets(of_sets, more=options_of_board).items()}
    measures = of_sets[name].measures  # those of --measures as a list, in each of them
    sets: dict[str, dict[str, Any]] = {}
    for name, scored in found.items():
        _require_ids(scored, arguments.questions)
        sets[name], _ = same_questions(scored.scores, arguments.questions, scored.family.about.examples_name)
    intervals = intervals_of(arguments)
    board = rank(
        sets,
        measures,
        confidence=intervals.confidence,
        n_resamples=intervals.n_resamples,
        n_permutations=arguments.permutations,
        seed=intervals.seed,
        method=intervals.method,
    )
    joined, _ = scored_in_python(board.systems)
    settings = DocumentSettings(percent=arguments.percent, command=command_of(arguments), is_whole=False)
    return render(board_document(joined, board, settings), arguments.format, width=width_of(arguments))


def _about(arguments: argparse.Namespace) -> AboutBoard | None:
    """The content of `--about`; fills in arguments that the command line does not set."""
    about = read_about_board(arguments.about) if arguments.about is not None else None
    if about is not None:
        arguments.measures = arguments.measures or list(about.measures) or None
        arguments.by = arguments.by or list(about.by)
        arguments.groups = arguments.groups or about.groups or None
        arguments.questions = arguments.questions or about.questions
    arguments.questions = arguments.questions or "refuse"
    return about


def _check_number(arguments: argparse.Namespace) -> None:
    """Refuse too many systems before they are read."""
    paths = arguments.predictions
    is_folder = len(paths) == 1 and has_systems(paths[0])
    require_number(len(systems_of_folder(paths[0], arguments.gold) if is_folder else paths), most_only=True)


def _require_ids(scored: Scored, questions: str) -> None:
    """Refuse predictions without ids if the examples have ids, since they could be matched only by position, and gold data
    of a system that lacks examples of another.
    """
    if questions != "common":
        require_gold_of_all(scored, "give a file that has them all first, or --questions common")
    gold = scored.gold
    for system in scored.by_run().systems.values():
        rows = system.columns.get("predictions")
        has_ids = not isinstance(rows, list) or any(isinstance(row, Mapping) for row in rows)
        if gold.ids is not None and system.path != gold.path and not has_ids:
            raise FileError(
                system.path,
                f"the predictions have no ids, but the examples of {gold.name} have; give the id with each, in a "
                'column id or with columns={"ids": "NAME"}',
            )


def _one_metric(scored: list[Scored]) -> Scored:
    if len(scored) > 1:
        names = ", ".join(metric.family.name for metric in scored)
        raise ValueError(f"a leaderboard has one metric; got {len(scored)}: {names}; give --metric once")
    return scored[0]
