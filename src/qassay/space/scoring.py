"""From the files of a call to its result document. Runs in a process of its own; see worker.py."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from ..catalog import options_by_metric, split_list
from ..core.interval_settings import Intervals
from ..core.remarks import collected
from ..files.reading import with_file_names
from ..files.roles import RUN_ROLE, names_by_system
from ..files.score_files import OpenedFiles, Scored, column_remarks, open_files, score_golds
from ..files.system_files import SystemFile, names_of_systems, path_of, system_names
from ..files.tables import each_column
from ..results.document import compare_document, score_document
from ..results.remarks import remark
from ..stats.difference import ComparisonSettings
from ..stats.runs import with_several_runs
from .choices import Choices, read_choices
from .inputs import Inputs, find_inputs, read_uploads
from .limits import InputError, check_amount

_USUAL_K = (1, 2, 3, 5, 10)  # of pass@k and majority@k
_ENDINGS = (ValueError, TypeError, ImportError, OSError)


def document_of(files: Sequence[tuple[str, str, str]], options: str = "") -> dict[str, Any]:
    """The result document of files: of two or more systems that can be compared a comparison, else their values.

    Args:
        files: path, name and slot of each.
        options: as for `read_choices`.

    Raises:
        ValueError: input that cannot be scored; files are named as their owner knows them.
    """
    choices = read_choices(options)
    inputs = find_inputs(read_uploads(files, choices), choices)
    try:
        with collected() as warned:
            scored = score_inputs(inputs, choices)
        lines = [*inputs.notes, *column_remarks(scored), *warned]
        found = _document(scored, inputs, choices)
    except InputError:
        raise
    except _ENDINGS as error:
        raise ValueError(with_file_names(error, inputs.shown_files)) from error
    notes = [remark(with_file_names(line, inputs.shown_files), "input", "note") for line in dict.fromkeys(lines)]
    known = {one["text"] for one in found["remarks"]}
    found["remarks"] += [one for one in notes if one["text"] not in known]
    found["gold"] = inputs.shown(inputs.gold)
    for system in found["systems"]:
        system["file"] = inputs.shown(inputs.systems[system["name"]])
    return found


def _document(scored: list[Scored], inputs: Inputs, choices: Choices) -> dict[str, Any]:
    settings = ComparisonSettings(intervals=choices.intervals)
    given: dict[str, Any] = {"by": choices.by, "measures": choices.measures, "group_name": choices.groups}
    why = ""
    if len(scored[0].systems) > 1:
        try:
            return compare_document(scored, settings, command=_command("compare", inputs, choices), **given)
        except ValueError as error:
            why = f"not compared: {with_file_names(error, inputs.shown_files)}"
    at_k: dict[str, Any] = _at_k(scored)
    command = _command("score", inputs, choices, at_k)
    found = score_document(scored, settings, every=True, command=command, **given, **at_k)
    found["remarks"] += [remark(why, "not_compared", "note")] if why else []
    return found


def score_inputs(inputs: Inputs, choices: Choices) -> list[Scored]:
    """Score files by the chosen metric, or by that of the kind of file.

    Raises:
        ValueError: input that cannot be scored; its message may hold paths.
    """
    given = _open_files(inputs, choices)
    probabilities: dict[str, Any] = {system: inputs.contents[path] for system, path in inputs.probabilities.items()}
    return score_golds(
        given.golds,
        _called(given.files, inputs),
        options=options_by_metric(given.golds, choices.options),
        measures=None if choices.measures is None else [name for one in choices.measures for name in split_list(one)],
        by=(*choices.by, "error_kind", "relevant_count"),  # rankings compute what these slices need
        probabilities=probabilities,
        check=check_amount,
        groups=choices.groups or None,
    )


def _open_files(inputs: Inputs, choices: Choices) -> OpenedFiles:
    """The files of each run, opened; a gold file that is the only system is one with a column of runs, or has one run."""
    columns, contents = choices.columns, inputs.contents
    systems = list(inputs.systems)[:: len(names_by_system(columns))]
    opened = [
        [contents[path] for path in inputs.runs[name]] if name in inputs.runs else contents[inputs.systems[name]]
        for name in systems
    ]
    is_alone = RUN_ROLE in columns and {*inputs.systems.values()} == {inputs.gold}
    named: tuple[Any, Any] = ([], None) if is_alone else (opened, systems)
    gold = contents[inputs.gold]
    return open_files(inputs.metric, gold, named[0], columns, named[1], is_compared=inputs.is_compared)


def _called(files: Sequence[SystemFile], inputs: Inputs) -> list[SystemFile]:
    """The files of systems, called as the visitor says; files of runs are called as they are shown."""
    known = dict.fromkeys(file.run_of[0] if file.run_of else file.name for file in files)
    names = dict(zip(known, inputs.systems, strict=True))
    shown = {
        path: run
        for paths in inputs.runs.values()
        for path, run in zip(paths, system_names(list(map(inputs.shown, paths))), strict=True)
    }
    called = []
    for file in files:
        if file.run_of is None:
            called.append(file._replace(name=names[file.name]))
            continue
        system, run = names[file.run_of[0]], shown.get(path_of(file.file), file.run_of[1])
        called.append(file._replace(name=f"{system} ({run})", run_of=(system, run)))
    return called


def _at_k(scored: Sequence[Scored]) -> dict[str, Any]:
    """The numbers k of pass@k and majority@k; {} where there are none."""
    several = with_several_runs(scored[0].scores).values()
    if not several:
        return {}
    try:
        for scores in several:
            scores.pass_at(1)
    except ValueError:  # no measure of right and wrong
        return {}
    most = min(scores.n_runs for scores in several)
    numbers = [k for k in _USUAL_K if k < most] + [most]
    return {"pass_at": numbers, "majority_at": numbers}


# --- the command that makes the document again ------------------------------------------------------------------------


def _command(name: str, inputs: Inputs, choices: Choices, at_k: Mapping[str, Sequence[int]] | None = None) -> str:
    several = len(names_by_system(choices.columns))
    systems = list(inputs.systems.items())[::several]
    shown = [inputs.shown(path) for _, path in systems]
    called = dict(zip(inputs.systems, names_of_systems(shown, choices.columns), strict=True))
    files = [
        f"{system}={','.join(map(inputs.shown, inputs.runs[system]))}"
        if system in inputs.runs
        else file
        if several > 1 or called[system] == system
        else f"{system}={file}"
        for (system, _), file in zip(systems, shown, strict=True)
    ]
    alone = {*inputs.systems.values()} == {inputs.gold}
    columns = [f"{role}={column}" for role, of in choices.columns.items() for column in each_column([of])]
    probabilities = [f"{system}={inputs.shown(path)}" for system, path in inputs.probabilities.items()]
    intervals, usual = choices.intervals, Intervals()
    flags: dict[str, Sequence[Any]] = {
        "--metric": [inputs.metric] if inputs.metric else [],
        "--measures": choices.measures or [],
        "--by": choices.by,
        "--option": choices.options,
        "--columns": columns,
        "--no-answer-probabilities": probabilities,
        "--groups": [choices.groups] if choices.groups else [],
        **{f"--{one.replace('_', '-')}": [",".join(map(str, of))] for one, of in (at_k or {}).items()},
        "--confidence": [f"{intervals.confidence:g}"] if intervals.confidence != usual.confidence else [],
        "--resamples": [intervals.n_resamples] if intervals.n_resamples != usual.n_resamples else [],
        "--interval-method": [intervals.method] if intervals.method != usual.method else [],
        "--seed": [intervals.seed] if intervals.seed else [],
        "--report": ["report.html"],
    }
    parts = ["qassay", name, inputs.shown(inputs.gold), *([] if alone else files)]
    return shlex.join([*parts, *(str(part) for flag, of in flags.items() if of for part in (flag, *of))])
