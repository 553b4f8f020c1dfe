"""From uploads to checked files, each with its role."""

import dataclasses
import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from ..files.content import Content
from ..files.formats import all_formats
from ..files.reading import with_file_names
from ..files.roles import RUN_ROLE, names_by_system
from ..files.score_files import open_files
from ..files.system_files import distinct_names, names_of_systems, system_names
from ..files.tables import SYSTEM_ROLES, Names, each_column
from ..registry import FAMILIES
from .choices import Choices
from .limits import (
    ELSEWHERE,
    MAX_ROWS_TOGETHER,
    MAX_RUNS,
    MAX_SYSTEMS,
    MAX_TOGETHER,
    InputError,
    check_count,
)
from .uploads import GOLD, PROBABILITIES, SYSTEM, Upload, read_upload

_LONGEST_NAME = 60  # characters of the name of a system


class Inputs(NamedTuple):
    """Checked files, each with its role.

    Attributes:
        gold: path of the gold file.
        systems: name -> path of its predictions. Where the columns name several systems of a table, all of a table come
            together, in the order of their columns.
        probabilities: name of a system -> path of its no-answer probabilities.
        runs: name of a system -> paths of the files of its runs, where it has several; `systems` has the first of them.
        metric: None for the metric of the kind of file, or a name.
        shown_files: path -> the name to use for it in texts and commands, where a path says nothing to its owner.
        contents: path -> what was read there, so that nothing is read twice.
        is_compared: whether the gold answers of all tables are known to be the same.
        notes: what was put right, a sentence each.
    """

    gold: str
    systems: Mapping[str, str]
    probabilities: Mapping[str, str]
    runs: Mapping[str, Sequence[str]]
    metric: str | None
    shown_files: Mapping[str, str]
    contents: Mapping[str, Content]
    is_compared: bool
    notes: Sequence[str]

    def shown(self, path: str) -> str:
        """The name of a file in texts and commands."""
        return self.shown_files.get(path, path)


def read_uploads(files: Sequence[tuple[str, str, str]], choices: Choices) -> list[Upload]:
    """Files of a visitor, each with its path, name and slot, after their number and size are checked."""
    if len(files) > 1 + 2 * MAX_RUNS:
        raise InputError(
            f"{len(files)} files are too many; at most a gold file and {MAX_RUNS} of predictions are scored"
        )
    size = sum(Path(path).stat().st_size for path, _, _ in files)
    if size > MAX_TOGETHER:
        raise InputError(f"{size / 1e6:,.0f} MB of files are too many; at most {MAX_TOGETHER / 1e6:,.0f} ({ELSEWHERE})")
    return [read_upload(path, name, slot, choices.kinds) for path, name, slot in files]


def find_inputs(uploads: Sequence[Upload], choices: Choices) -> Inputs:
    """Give each file its role, by its content.

    Args:
        uploads: as `read_upload` gives them.
        choices: several files with one name, or one name for several files, are runs of one system.

    Raises:
        InputError: files that do not go together; the message says what is missing or too much.
    """
    columns = choices.columns
    gold, systems, probabilities, notes = assign_roles(uploads, columns)
    metric = _metric_of(choices.metric, systems)
    by_table = len(names_by_system(columns))
    named = {upload.path: upload.name for upload in uploads}
    shown_files = dict(zip(named, distinct_names(named.values(), _numbered_file), strict=True))
    own = systems or [gold]
    names = [clean_name(name) for name in choices.names]
    is_compared = bool(systems and gold.columns and gold.serves(SYSTEM))
    if is_compared and _is_a_system_too(gold, systems, metric, columns, shown_files):
        own = [gold, *systems]
        notes.append(f"{shown_files[gold.path]} is a system too: it has predictions beside its gold answers")
    are_runs = len(set(names)) < len(names) or len(names) == 1 < len(systems)
    runs: dict[str, list[str]] = {}
    rows = by_table * sum(upload.count or 0 for upload in own)
    check_count(f"all {'runs' if are_runs else 'systems'} together", rows, MAX_ROWS_TOGETHER)
    if are_runs:
        check_runs(own, columns, shown_files)
        of_files = name_systems_of_runs([upload.name for upload in own], names)
        for system, upload in zip(of_files, own, strict=True):
            runs.setdefault(system, []).append(upload.path)
        _check_number(len(runs))
        paths = {system: files[0] for system, files in runs.items()}
        runs = {system: files for system, files in runs.items() if len(files) > 1}
        notes += [f"{len(files)} files are repeated runs of {system}" for system, files in runs.items()]
        called = names_of_runs(paths, runs, shown_files)
    else:
        _check_number(by_table * len(own), len(own))
        called = name_systems([upload.name for upload in own], names, columns)
        paths = dict(zip(called, [upload.path for upload in own for _ in range(by_table)], strict=True))
    probability_paths = match_probabilities(probabilities, called)
    notes += [
        f"{shown_files[path]} is taken as the no-answer probabilities of {name}"
        for name, path in probability_paths.items()
    ]
    return Inputs(
        gold.path,
        paths,
        probability_paths,
        runs,
        metric,
        shown_files,
        {upload.path: upload.content for upload in uploads},
        is_compared,
        notes,
    )


def assign_roles(uploads: Sequence[Upload], columns: Names) -> tuple[Upload, list[Upload], list[Upload], list[str]]:
    """The gold file, the systems, the files of probabilities, and notes on what stood in the wrong place.

    Args:
        columns: role -> column: names of them make a gold file or predictions of a table that does not tell.

    Raises:
        InputError: no gold file, two, no predictions, or a file that is neither.
    """
    uploads = [_with_named_columns(upload, columns) for upload in uploads]
    notes = []
    probabilities = [upload for upload in uploads if upload.serves(PROBABILITIES)]
    rest = [upload for upload in uploads if not upload.serves(PROBABILITIES)]
    for upload in rest:
        if not upload.kind.serves:
            raise InputError(f"{upload.name}: this looks like {upload.kind.text}; {_cure(upload)}")
    if not rest:
        raise InputError("there is nothing to score: give a gold file and the predictions of at least one system")
    only_gold = [upload for upload in rest if not upload.serves(SYSTEM)]
    if len(only_gold) > 1:
        two = " and ".join(upload.name for upload in only_gold[:2])
        raise InputError(f"{two} are both gold files; give one gold file, and predictions beside it")
    gold = _pick_gold(rest, only_gold)
    if gold is None:
        raise InputError(
            f"there is no gold file among {', '.join(upload.name for upload in rest)}; add the file with the gold "
            "answers, judgements or true labels"
        )
    systems = [upload for upload in rest if upload is not gold]
    if not systems and not (gold.kind.is_table and gold.kind.name != "text"):
        raise InputError(f"{gold.name} is the gold file ({gold.kind.text}); add the predictions of at least one system")
    if gold.slot != GOLD and (systems or only_gold):
        notes.append(f"{gold.name} is taken as the gold file: it is {gold.kind.text}")
    notes += [
        f"{upload.name} is taken as predictions: it is {upload.kind.text}"
        for upload in systems
        if upload.slot != SYSTEM
    ]
    return gold, systems, probabilities, notes


def name_systems(files: Sequence[str], names: Sequence[str] = (), columns: Names | None = None) -> list[str]:
    """What the systems are called: by their files, by the columns of a table with several, or as the visitor says.

    Args:
        files: their names.
        names: one for each system; () for none.
        columns: role -> column of tables.

    Example:
        >>> name_systems(["large.json", "small.json"]), name_systems(["a.json", "b.json"], ["BERT", "T5"])
        (['large', 'small'], ['BERT', 'T5'])
    """
    usual = names_of_systems(files, columns or {})
    if not names:
        return distinct_names(clean_name(name) or "system" for name in usual)
    if len(names) != len(usual):
        raise InputError(f"names: {len(names)} for {len(usual)} systems; give one for each, in the order of the files")
    if "" in names:
        raise InputError(f"names: number {names.index('') + 1} has nothing that can be shown; give another name")
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise InputError(f"names: {twice!r} is given twice; each system needs a distinct name")
    return list(names)


def name_systems_of_runs(files: Sequence[str], names: Sequence[str]) -> list[str]:
    """What the system of each file is called, where some are runs of one system.

    Args:
        files: their names.
        names: one for all files, or one for each.

    Example:
        >>> name_systems_of_runs(["a1.json", "a2.json", "b.json"], ["A", "A", "B"])
        ['A', 'A', 'B']
    """
    each = [*names] * len(files) if len(names) == 1 else [*names]
    if len(each) != len(files):
        raise InputError(
            f"names: {len(names)} for {len(files)} files; give one for all, or one for each in the order of the files: "
            "files of one name are runs of one system"
        )
    wrong = next((name for name in each if not name or "=" in name), None)
    if wrong is not None:
        raise InputError(f"names: a system with several runs cannot be called {wrong!r}; give a name without =")
    return each


def names_of_runs(
    systems: Mapping[str, str], runs: Mapping[str, Sequence[str]], shown_files: Mapping[str, str]
) -> list[str]:
    """What each file is called by its system and run, "model (seed1)", or by its system where that has one run."""
    called = []
    for system in systems:
        stems = system_names([shown_files[path] for path in runs.get(system, ())])
        called += [f"{system} ({stem})" for stem in stems] or [system]
    return called


def clean_name(name: str) -> str:
    """The name of a system in one line, at most 60 characters, without what cannot be printed.

    Example:
        >>> clean_name(" k=1,\\n\\x07 large ")
        'k=1, large'
    """
    printable = "".join(character if character.isprintable() else " " for character in name)
    return " ".join(printable.split())[:_LONGEST_NAME].strip()


def match_probabilities(files: Sequence[Upload], systems: Sequence[str]) -> dict[str, str]:
    """System -> path of its no-answer probabilities: by names that resemble each other, or else by order."""
    if not files:
        return {}
    by_name: dict[str, str] = {}
    for upload in files:
        (stem,) = system_names([upload.name])
        likest = max(systems, key=lambda system: _likeness(stem, system))
        if _likeness(stem, likest) >= 0.9 and likest not in by_name:
            by_name[likest] = upload.path
    if len(by_name) == len(files):
        return by_name
    if len(files) == len(systems):
        return {system: upload.path for system, upload in zip(systems, files, strict=True)}
    raise InputError(
        f"no-answer probabilities: it is not clear which system {files[0].name} belongs to; begin its name with the name "
        f"of the system ({', '.join(systems)}), or give one file for each system in their order"
    )


def check_runs(files: Sequence[Upload], columns: Names, shown_files: Mapping[str, str]) -> None:
    """Refuse too many runs, and what cannot be said of files of runs."""
    if len(files) > MAX_RUNS:
        raise InputError(f"{len(files)} files of runs are too many; at most {MAX_RUNS} are scored ({ELSEWHERE})")
    if RUN_ROLE in columns:
        raise InputError(
            "runs: the files are runs, and a column holds the run too; give one file with this column, or files without it"
        )
    if len(names_by_system(columns)) > 1:
        raise InputError(
            "runs: of files of runs one column holds the predictions; for several systems give a file for each run of each"
        )
    paths = [upload.path for upload in files]
    twice = next((path for place, path in enumerate(paths) if path in paths[:place]), None)
    if twice is not None:
        raise InputError(f"{shown_files[twice]} is given as two runs; give it once")


def _metric_of(metric: str | None, systems: Sequence[Upload]) -> str | None:
    """The metric to score with, where the files decide: outputs of a pipeline are scored as such."""
    if metric is not None:
        return metric
    kinds = [upload.kind.metric for upload in systems]
    return next((kind for kind in kinds if kind in FAMILIES and FAMILIES[kind].known_by_predictions), None)


def _check_number(systems: int, files: int = 0) -> None:
    """Refuse too many systems; `files` that are not said to be runs may be runs all the same."""
    if systems > MAX_SYSTEMS:
        runs = (
            "; if they are repeated runs, give files of one system the same name, as in names=A,A,B"
            if files > 1
            else ""
        )
        more = "qassay leaderboard ranks up to 100"
        raise InputError(
            f"{systems} systems are too many; at most {MAX_SYSTEMS} are scored side by side ({more}){runs}"
        )


def _is_a_system_too(
    gold: Upload,
    systems: Sequence[Upload],
    metric: str | None,
    columns: Names,
    shown_files: Mapping[str, str],
) -> bool:
    """Whether the gold file is a table with its own predictions, which the command line scores beside these systems."""
    try:
        contents = [upload.content for upload in systems]
        files = open_files(metric, gold.content, contents, columns, with_gold=True).files
    except ValueError as error:
        raise InputError(with_file_names(error, shown_files)) from error
    return any(file.path == gold.path for file in files) and all(upload.path != gold.path for upload in systems)


def _with_named_columns(upload: Upload, columns: Names) -> Upload:
    """A table whose columns the visitor named also serves as what these say."""
    here = {role for role, named in columns.items() if set(each_column([named])) <= set(upload.columns)}
    serves = set(upload.kind.serves)
    for form in all_formats():
        serves |= {GOLD} if form.is_table and here & {form.gold_role, *form.compared.values()} else set()
        serves |= {SYSTEM} if form.is_table and here & {form.prediction_role, *SYSTEM_ROLES} else set()
    if serves == upload.kind.serves:
        return upload
    return upload._replace(kind=dataclasses.replace(upload.kind, serves=frozenset(serves), is_table=True))


def _pick_gold(uploads: Sequence[Upload], only_gold: Sequence[Upload]) -> Upload | None:
    """The only file that can be nothing else; or the file in its slot; or the one left that can be it."""
    if only_gold:
        return only_gold[0]
    able = [upload for upload in uploads if upload.serves(GOLD)]
    in_slot = [upload for upload in able if upload.slot == GOLD]
    if in_slot:
        return in_slot[0]
    return able[0] if len(able) == 1 else None


def _cure(upload: Upload) -> str:
    if upload.columns:
        return "say what its columns are in the options, as in columns=predictions=answer"
    return (
        "give a gold file (SQuAD, HotpotQA, DROP, BioASQ, qrels, a table) or predictions ({id: text}, a run, a table)"
    )


def _numbered_file(name: str, number: int) -> str:
    """The name of a file with a number before its ending."""
    path = PurePath(name)
    return f"{path.stem} ({number}){path.suffix}"


def _likeness(stem: str, system: str) -> float:
    """How much a file name resembles the name of a system, 0 to 1; more than 1 where it begins with it."""
    stem, system = stem.lower(), system.lower()
    return 1 + len(system) if stem.startswith(system) else difflib.SequenceMatcher(None, stem, system).ratio()
