"""From uploads, pasted text and samples to checked files, each with its role."""

import dataclasses
import difflib
import functools
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

from ..files.kinds import all_files
from ..files.roles import RUN_ROLE, names_by_system
from ..files.tables import SYSTEM_ROLES, Names, each_column
from ..labelling import offered_groups
from ..pages.limits import ELSEWHERE, MAX_ROWS, InputError, check_count
from ..pages.uploads import GOLD, PROBABILITIES, SYSTEM, Upload
from ..registry import FAMILIES
from ..repeated_runs.run_files import run_files
from ..scoring import read_gold_for
from ..system_files import distinct_names, names_of_systems, system_files, system_names
from .analysis import ALL, Analysis, Inputs, analyze, metrics_of
from .page_words import box_label, on_page
from .samples import FOLDER, SAMPLES

MAX_SYSTEMS = 6  # each has a colour
MAX_ROWS_TOGETHER = 4 * MAX_ROWS  # of all systems or runs
MAX_RUNS = 20  # files of predictions, where several are runs of one system
HOW_RUNS = "tick that and give each file the name of its system under Options, Names"
_LONGEST_NAME = 60  # characters of the name of a system


class NotedInputs(NamedTuple):
    """Inputs ready to be analysed, and what was put right, in words."""

    inputs: Inputs
    notes: list[str]


def sample_inputs(name: str) -> Inputs:
    """The files of a sample."""
    sample = SAMPLES[name]
    return Inputs(
        f"Sample: {sample.label}",
        str(FOLDER / sample.gold),
        {system: str(FOLDER / path) for system, path in sample.systems.items()},
        {system: str(FOLDER / path) for system, path in sample.probabilities.items()},
        sample.metric,
        sample.options,
        sample.columns,
        shown_files={
            str(FOLDER / path): f"samples/{path}"
            for path in (sample.gold, *sample.systems.values(), *sample.probabilities.values())
        },
        sample=name,
    )


def sample_with(
    name: str, metric: str | None, options: Sequence[str], measures: Sequence[str] | None, groups: str = ""
) -> NotedInputs:
    """The files of a sample with the choices of a visitor, which come before its own."""
    inputs = sample_inputs(name)
    named = {pair.partition("=")[0] for pair in options}
    own = [pair for pair in inputs.options if pair.partition("=")[0] not in named] if metric is None else []
    title = f"{inputs.title}, with your options" if metric or options or measures or groups else inputs.title
    changed = inputs._replace(
        title=title, metric=metric or inputs.metric, options=(*own, *options), measures=measures, groups=groups
    )
    return NotedInputs(changed, [])


@functools.cache
def sample_analysis(name: str) -> Analysis:
    """A sample, scored once: nothing in it changes, so that all visitors see the same."""
    return analyze(sample_inputs(name))


def is_shared(analysis: Analysis) -> bool:
    """Whether all visitors share it: a sample as it is offered."""
    return bool(analysis.inputs.sample) and sample_analysis(analysis.inputs.sample) is analysis


def find_inputs(
    uploads: Sequence[Upload],
    *,
    metric: str | None = None,
    names: str = "",
    columns: Names | None = None,
    options: Sequence[str] = (),
    measures: Sequence[str] | None = None,
    groups: str = "",
    are_runs: bool = False,
) -> NotedInputs:
    """Give each file its role, by its content.

    Args:
        uploads: as `read_upload` gives them.
        metric: None for the metric of the kind of file, "all", or a name.
        names: of the systems, one per line in the order of their files; "" for the names of the files.
        columns: role -> column of tables.
        options, measures, groups: as in `Inputs`.
        are_runs: whether several files of predictions are runs of one system: all of them, or the files with the same name in `names`.

    Raises:
        InputError: files that do not go together; the message says what is missing or too much.
    """
    columns = {role: column for role, column in (columns or {}).items() if column}
    gold, systems, probabilities, notes = assign_roles(uploads, columns)
    metric = _metric_of(metric, gold, systems)
    by_table = len(names_by_system(columns))
    named = {upload.path: upload.name for upload in uploads}
    shown_files = dict(zip(named, distinct_names(named.values(), _numbered_file), strict=True))
    own = systems or [gold]
    is_compared = bool(systems and gold.columns and gold.serves(SYSTEM))
    if is_compared and _is_a_system_too(gold, systems, metric, columns, shown_files):
        own = [gold, *systems]
        is_what = "one of the runs" if are_runs else "a system"
        notes.append(f"{shown_files[gold.path]} is {is_what} too: it has predictions beside its gold answers")
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
    inputs = Inputs(
        ", ".join(dict.fromkeys(shown_files[upload.path] for upload in (gold, *own))),
        gold.path,
        paths,
        probability_paths,
        metric,
        tuple(options),
        columns,
        measures,
        shown_files,
        {upload.path: upload.content for upload in uploads},
        _to_save(uploads, shown_files),
        is_compared=is_compared,
        groups=groups,
        runs=runs,
    )
    return NotedInputs(inputs, notes)


def offered_by(uploads: Sequence[Upload], metric: str | None, columns: Names) -> list[str]:
    """The groups that the gold file among uploads tells, also before there is a system; [] where none can be read."""
    alone = [upload for upload in uploads if not upload.serves(PROBABILITIES)]
    try:
        if len(alone) == 1 and alone[0].slot == GOLD:
            gold, systems = _with_named_columns(alone[0], columns), []
        else:
            gold, systems, _, _ = assign_roles(uploads, columns)
        given = run_files(gold.content, [upload.content for upload in systems], columns)
        golds = read_gold_for(metrics_of(_metric_of(metric, gold, systems)), given.gold, given.names)
    except (ValueError, TypeError):
        return []
    return list(dict.fromkeys(name for of, read in golds.items() for name in offered_groups(read, FAMILIES[of])))


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
    if not systems and not gold.kind.may_hold_both:
        raise InputError(f"{gold.name} is the gold file ({gold.kind.text}); add the predictions of at least one system")
    if gold.slot != GOLD and (systems or only_gold):
        notes.append(f"{gold.name} is taken as the gold file: it is {gold.kind.text}")
    notes += [
        f"{upload.name} is taken as predictions: it is {upload.kind.text}"
        for upload in systems
        if upload.slot != SYSTEM
    ]
    return gold, systems, probabilities, notes


def name_systems(files: Sequence[str], names: str = "", columns: Names | None = None) -> list[str]:
    """What the systems are called: by their files, by the columns of a table with several, or as the visitor says.

    Args:
        files: their names.
        names: one per line; "" for none.
        columns: role -> column of tables.

    Example:
        >>> name_systems(["large.json", "small.json"]), name_systems(["a.json", "b.json"], "BERT\\nT5")
        (['large', 'small'], ['BERT', 'T5'])
    """
    usual = names_of_systems(files, columns or {})
    asked = _asked_names(names, len(usual))
    if not asked:
        return distinct_names(clean_name(name) or "system" for name in usual)
    if len(asked) != len(usual):
        raise InputError(f"names: {len(asked)} for {len(usual)} systems; give one per line, in the order of the files")
    if "" in asked:
        raise InputError(f"names: line {asked.index('') + 1} has nothing that can be shown; give another name")
    twice = next((name for place, name in enumerate(asked) if name in asked[:place]), None)
    if twice is not None:
        raise InputError(
            f"names: {twice!r} is given twice; each system needs a distinct name, unless the files are repeated runs: "
            "then tick that"
        )
    return asked


def name_systems_of_runs(files: Sequence[str], names: str = "") -> list[str]:
    """What the system of each file is called: as the visitor says, or by what the names of all files begin with.

    Args:
        files: their names.
        names: one for all files, or one for each, per line or separated by commas; files of one name are runs of one system.
            "" for none.

    Example:
        >>> name_systems_of_runs(["large_seed1.json", "large_seed2.json"])
        ['large', 'large']
        >>> name_systems_of_runs(["a1.json", "a2.json", "b.json"], "A\\nA\\nB")
        ['A', 'A', 'B']
    """
    asked = _asked_names(names, len(files)) or [_common_name(files)]
    if len(asked) == 1:
        if "," in asked[0]:
            raise InputError(
                f"names: {asked[0]!r} is {asked[0].count(',') + 1} names for {len(files)} files; give one per line in the "
                "order of the files, or one name without commas for all"
            )
        asked *= len(files)
    if len(asked) != len(files):
        raise InputError(
            f"names: {len(asked)} for {len(files)} files; give one for all, or one per line in the order of the files: "
            "files of one name are runs of one system"
        )
    wrong = next((name for name in asked if not name or "=" in name), None)
    if wrong is not None:
        raise InputError(f"names: a system with several runs cannot be called {wrong!r}; give a name without =")
    if len(set(asked)) == len(asked):
        raise InputError(
            "runs: no two files of predictions are runs of one system; give a file for each run, and systems with several "
            f"runs the same name on several lines of Names; or say under Options, “{box_label(RUN_ROLE)}”, which column holds the run"
        )
    return asked


def _asked_names(names: str, n: int) -> list[str]:
    """The names that a visitor gives: one per line, or n on one line separated by commas; [] for none."""
    lines = [line for line in names.splitlines() if line.strip()]
    if len(lines) == 1 and lines[0].count(",") == n - 1:
        lines = lines[0].split(",")
    return [clean_name(line) for line in lines]


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


def _metric_of(metric: str | None, gold: Upload, systems: Sequence[Upload]) -> str | None:
    """The metric to score with, where the files decide: outputs of a pipeline are scored as such, and only answers have
    more than one metric.
    """
    kinds = [upload.kind.metric for upload in systems]
    if metric is None:
        return next((kind for kind in kinds if kind in FAMILIES and FAMILIES[kind].reading.known_by_predictions), None)
    readers = [family.name for family in FAMILIES.values() if family.reading.kinds == gold.kind.metric]
    return None if metric == ALL and len(readers) < 2 else metric


def _common_name(files: Sequence[str]) -> str:
    """What the names of files begin with, without the word for a run at its end; "system" for nothing."""
    stems = system_names(files)
    common = os.path.commonprefix(stems)
    if any(stem[len(common) :][:1].isdigit() for stem in stems):
        common = common.rstrip("0123456789")  # of the numbers of the runs
    return clean_name(re.sub(r"[\W_]*(run|seed|sample|trial)?[\W_]*$", "", common, flags=re.IGNORECASE)) or "system"


def _check_number(systems: int, files: int = 0) -> None:
    """Refuse too many systems; `files` that are not said to be runs may be runs all the same."""
    if systems > MAX_SYSTEMS:
        runs = f"; if the files are repeated runs, {HOW_RUNS}" if files > 1 else ""
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
        given = run_files(gold.content, [upload.content for upload in systems], columns)
        golds = read_gold_for(metrics_of(metric), given.gold, given.names)
        files = system_files(golds, given.gold, given.paths, given.names, given.systems)
    except ValueError as error:
        raise InputError(on_page(error, shown_files)) from error
    return any(file.path == gold.path for file in files) and all(upload.path != gold.path for upload in systems)


def _with_named_columns(upload: Upload, columns: Names) -> Upload:
    """A table whose columns the visitor named also serves as what these say."""
    here = {role for role, named in columns.items() if set(each_column([named])) <= set(upload.columns)}
    serves = set(upload.kind.serves)
    for files in all_files().values():
        serves |= {GOLD} if here & {files.gold_role, *files.compared.values()} else set()
        serves |= {SYSTEM} if here & {files.prediction_role, *SYSTEM_ROLES} else set()
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
        return "say what its columns are under Options, “Columns with names that are not known”"
    return (
        "give a gold file (SQuAD, HotpotQA, DROP, BioASQ, qrels, a table) or predictions ({id: text}, a run, a table)"
    )


def _numbered_file(name: str, number: int) -> str:
    """The name of a file with a number before its ending."""
    path = PurePath(name)
    return f"{path.stem} ({number}){path.suffix}"


def _to_save(uploads: Sequence[Upload], shown_files: Mapping[str, str]) -> dict[str, str]:
    """Shown name -> what to save under it, of what is not a file of that name yet."""
    saved = {}
    for upload in uploads:
        name = shown_files[upload.path]
        if upload.pasted:
            saved[name] = upload.pasted
        elif name != upload.name:
            saved[name] = f"the other file called {upload.name}"
    return saved


def _likeness(stem: str, system: str) -> float:
    """How much a file name resembles the name of a system, 0 to 1; more than 1 where it begins with it."""
    stem, system = stem.lower(), system.lower()
    return 1 + len(system) if stem.startswith(system) else difflib.SequenceMatcher(None, stem, system).ratio()
