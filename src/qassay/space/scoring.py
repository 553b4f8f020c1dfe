"""Makes the result document of a call from its files, as the command line does. Runs in a separate process; see worker.py."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.errors import is_expected
from ..core.interval_settings import Intervals
from ..core.remarks import collected
from ..files.content import Content, read_content
from ..files.folders import file_stem
from ..files.formats import PROBABILITIES, find_format
from ..files.roles import names_by_system
from ..files.score_files import OpenedFiles, open_files, score_opened
from ..files.scored import Scored
from ..files.tables import each_column
from ..registry import OWN_SCORES, options_by_metric
from ..results.document import DocumentSettings, compare_document, score_document
from ..results.records import remark
from ..stats.difference import ComparisonSettings
from ..stats.remarks import Remark
from ..stats.runs import OF_K, with_several_runs
from .choices import Choices, read_choices
from .limits import ELSEWHERE, MAX_RUNS, MAX_SYSTEMS

_USUAL_K = (1, 2, 3, 5, 10)  # of pass@k and pass^k


def document_of(gold: str, systems: Sequence[str], options: str = "") -> dict[str, Any]:
    """The result document of files: a comparison if there are several comparable systems, else their values.

    Args:
        gold: the file of gold data.
        systems: files of predictions, and of no-answer probabilities.
        options: as for `read_choices`.

    Raises:
        ValueError: input that cannot be scored.
    """
    choices = read_choices(options)
    with collected() as warned:
        content = read_content(gold)
        opened, probabilities = _opened(choices, content, [read_content(path) for path in systems])
        scored = score_opened(
            opened,
            options=options_by_metric(opened.golds, choices.options),
            measures=choices.measures,
            by=(*choices.by, "error_kind", "relevant_count"),  # rankings compute what these slices need
            probabilities=probabilities,
            groups=choices.groups or None,
        )
    found = _document(scored, choices, _arguments(choices, content.path, opened, probabilities))
    lines = [f"{file.path} is taken as the no-answer probabilities of {name}" for name, file in probabilities.items()]
    lines += warned
    known = {one["text"] for one in found["remarks"]}
    found["remarks"] += [remark(Remark(line, code="input")) for line in dict.fromkeys(lines) if line not in known]
    return found


def _opened(choices: Choices, gold: Content, contents: Sequence[Content]) -> tuple[OpenedFiles, dict[str, Content]]:
    """Open the files, with the names from the visitor; files with the same name are runs of one system.

    Returns:
        The files of the systems, and system -> the file of its no-answer probabilities.
    """
    predictions: list[Content] = []
    probabilities: list[Content] = []
    for content in contents:
        serves = find_format(content.value, choices.kinds).serves
        (probabilities if PROBABILITIES in serves else predictions).append(content)
    names = choices.names
    for name in names:
        if "=" in name:
            raise ValueError(
                f'names={",".join(names)}: {name!r} has a "=", which separates a name from its file in commands; leave it out'
            )
    files: Any = predictions
    are_runs = len(set(names)) < len(names) or len(names) == 1 < len(predictions)
    if are_runs:
        each = names * len(predictions) if len(names) == 1 else names
        if len(each) != len(predictions):
            raise ValueError(
                f"names={','.join(names)}: {len(names)} for {len(predictions)} files; give one for all, or one for each in the "
                "order of the files: files of one name are runs of one system"
            )
        of_name: dict[str, list[Content]] = {}
        for name, file in zip(each, predictions, strict=True):
            of_name.setdefault(name, []).append(file)
        files = of_name
    metrics = [choices.metric] if choices.metric else None
    slices, measures = [*choices.by, choices.groups], choices.measures
    opened = open_files(metrics, gold, files, choices.columns, slices=slices, measures=measures, with_gold=True)
    if len(opened.systems) > MAX_SYSTEMS or len(opened.files) > MAX_RUNS:
        raise ValueError(
            f"{len(opened.systems)} systems in {len(opened.files)} runs are too many; at most {MAX_SYSTEMS} with {MAX_RUNS} runs "
            f"are scored side by side ({ELSEWHERE}); if files are repeated runs of one system, give them one name: names=A,A,B"
        )
    if names and not are_runs:
        opened = _renamed(opened, names)
    return opened, _by_system(probabilities, [file.name for file in opened.files])


def _renamed(opened: OpenedFiles, names: Sequence[str]) -> OpenedFiles:
    if len(names) != len(opened.systems):
        raise ValueError(
            f"names={','.join(names)}: {len(names)} for {len(opened.systems)} systems ({', '.join(opened.systems)}); give one for "
            "each in this order"
        )
    name_of = dict(zip(opened.systems, names, strict=True))
    return opened._replace(files=[file._replace(system=name_of[file.system]) for file in opened.files])


def _by_system(files: Sequence[Content], systems: Sequence[str]) -> dict[str, Content]:
    """The file of no-answer probabilities of each system: its name begins with that of the system; else by order."""
    found: dict[str, Content] = {}
    for file in files:
        alike = [system for system in systems if file_stem(file.path).startswith(system)]
        found |= {max(alike, key=len): file} if alike else {}
    if len(found) == len(files):
        return found
    if len(files) == len(systems):
        return dict(zip(systems, files, strict=True))
    raise ValueError(
        f"{files[0].path}: it is not clear which system these no-answer probabilities belong to; begin the name of the file with "
        f"the name of the system ({', '.join(systems)}), or give one file for each system in their order"
    )


def _document(scored: list[Scored], choices: Choices, arguments: Sequence[str]) -> dict[str, Any]:
    """The document of scored systems; `arguments` are those of the command that makes it."""
    given: dict[str, Any] = {"by": choices.by, "measures": choices.measures, "group_name": choices.groups}
    why = ""
    if len(scored[0].systems) > 1:
        try:
            shown = DocumentSettings(command=shlex.join(["qassay", "compare", *arguments]), **given)
            return compare_document(scored, ComparisonSettings(intervals=choices.intervals), shown)
        except ValueError as error:
            if not is_expected(error):
                raise
            why = f"not compared: {error}"
    at_k = _at_k(scored)
    flags = [part for name, of in at_k.items() for part in (f"--{name.replace('_', '-')}", ",".join(map(str, of)))]
    command = shlex.join(["qassay", "score", *arguments, *flags])
    found = score_document(scored, choices.intervals, DocumentSettings(every=True, command=command, at_k=at_k, **given))
    found["remarks"] += [remark(Remark(why, code="not_compared"))] if why else []
    return found


def _at_k(scored: Sequence[Scored]) -> dict[str, Sequence[int]]:
    """The numbers k of pass@k and pass^k; {} where there are none."""
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
    return dict.fromkeys(OF_K, numbers)


def _arguments(choices: Choices, gold: str, opened: OpenedFiles, probabilities: Mapping[str, Content]) -> list[str]:
    """The files and options of the command that makes the same document."""
    paths: dict[str, dict[str, None]] = {}  # of each system, in order
    for file in opened.files:
        paths.setdefault(file.system, {})[file.file.path] = None
    is_named = bool(choices.names) and len(names_by_system(choices.columns)) == 1
    files = [f"{system}={','.join(of)}" if is_named else ",".join(of) for system, of in paths.items()]
    is_alone = all([*of] == [gold] for of in paths.values())
    intervals, usual = choices.intervals, Intervals()
    flags: dict[str, Sequence[Any]] = {
        "--metric": [choices.metric] if choices.metric else [],
        "--measures": choices.measures or [],
        "--by": choices.by,
        "--option": choices.options,
        "--columns": [f"{role}={column}" for role, of in choices.columns.items() for column in each_column([of])],
        "--no-answer-probabilities": [f"{system}={file.path}" for system, file in probabilities.items()],
        "--groups": [choices.groups] if choices.groups else [],
        "--confidence": [f"{intervals.confidence:g}"] if intervals.confidence != usual.confidence else [],
        "--resamples": [intervals.n_resamples] if intervals.n_resamples != usual.n_resamples else [],
        "--interval-method": [intervals.method] if intervals.method != usual.method else [],
        "--seed": [intervals.seed] if intervals.seed else [],
        "--report": ["report.html"],
    }
    golds = [] if OWN_SCORES in opened.golds else [gold]  # whose files are all systems
    return [
        *golds,
        *([] if golds and is_alone else dict.fromkeys(files)),
        *(str(part) for flag, of in flags.items() if of for part in (flag, *of)),
    ]
