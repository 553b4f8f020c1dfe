"""Scores files, and one table in memory: from these to the Scores of several systems."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.columns import have_no_rows
from ..core.file_columns import Gold
from ..core.ids import OR_DUPLICATES
from ..core.options import keyword_names
from ..core.remarks import public, remark
from ..core.scores import Scores
from ..core.shown import columns_text, describe, shown
from ..registry import Family, MetricName, find_preset, get_family, sorted_options
from ..stats.runs import with_several_runs
from .content import IN_MEMORY, Content, Table, read_content
from .formats import formats_of
from .gold_and_predictions import read_golds, read_predictions
from .number_tables import NumberTable, are_numbers, open_number_tables
from .numbers_by_id import PROBABILITIES, Numbers, files_by_system, with_confidences, with_probabilities
from .reading import FileError
from .roles import RUN_ROLE, all_roles, column_names
from .same_gold import has_same_gold, require_same_runs
from .scored import Scored, System, join_runs
from .slicing import with_groups
from .systems import OpenedFiles, Paths, SystemFile, files_of_argument, given_systems, split_runs, system_files
from .tables import Names, each_column, prepared, table_of_data

# Columns of scoring functions that come from the gold file: messages about them name it.
_GOLD_COLUMNS = {
    "references", "weights", "groups", "questions", "relevances", "question_types", "gold_details"
}  # fmt: skip


def open_files(
    metric: str | Sequence[str] | None,
    gold: str | Content,
    paths: Paths,
    names: Names,
    *,
    slices: Sequence[Any] = (),
    measures: Sequence[str] | None = None,
    with_gold: bool = False,
) -> OpenedFiles:
    """Read the gold file for each metric, and find the file of predictions of each system and run; tables of numbers are
    all systems.

    Args:
        metric: one metric or several; None for the metric of the kind of file.
        gold: the gold file; `NAME=FILE` names it as a system.
        paths: as for `given_systems`.
        names: role -> column of tables, as from `column_names`.
        slices: slices and groups that the caller will request later; paths into objects of the gold file among them, such as
            `meta.source`, become columns.
        measures: of tables of numbers, the columns that count.
        with_gold: a gold file with predictions is a system too beside files of predictions with the same gold answers.
    """
    if are_numbers(metric, names):
        tables: Paths = {None: gold, **paths} if isinstance(paths, Mapping) else [gold, *paths]
        return open_number_tables({"": tables}, names, measures, slices)[""]
    called, (first, *more) = files_of_argument(gold)
    if more:
        raise ValueError(f"{gold}: the gold data are in one file; give one, and files of predictions after it")
    by_path = {f"by {name}": name for name in slices if isinstance(name, str)}
    gold = prepared(read_content(first), {**names, **by_path})[0]
    runs = split_runs(gold, names, may_be_one=bool(paths))
    given = given_systems(paths, names, gold)
    of_rows = {role: column for role, column in names.items() if role != RUN_ROLE}
    golds = read_golds(metric, next(iter(runs.values())), of_rows)
    contents = [
        run for _, of in given for content in of for run in split_runs(content, names, may_be_one=True).values()
    ]
    if _is_system(gold.path, golds, contents, of_rows, with_gold):
        given.insert(0, (called, [gold]))
    elif called is not None and called not in [name for name, _ in given]:
        raise ValueError(f"{called}={gold.path} is the gold file, not a system; omit {called}=")
    if not given:
        name, of_first = next(iter(golds.items()))
        role = next((form.prediction_role for form in formats_of(name) if form.is_table), "predictions")
        or_column = f"; or, where a column of this table holds them, say which with {columns_text(role, 'NAME')}"
        message = f"this has gold data of {name} only; give predictions too{or_column if of_first.names else ''}"
        raise FileError(gold.path, message)
    files = system_files(given, names)
    for of_metric in golds.values():
        require_same_runs(of_metric, files, slices)
    return OpenedFiles(golds, files)


def _is_system(
    path: str, golds: Mapping[str, Gold], contents: Sequence[Content], names: Names, with_gold: bool
) -> bool:
    """Whether the gold file is a system too: if it contains predictions and is given alone, or, `with_gold`, with another
    table that has the same gold answers and its own predictions.
    """
    reads = list({gold.metric: gold for gold in golds.values()}.values())
    if not contents:
        return any(read.may_hold_predictions for read in reads)
    are_alike = [has_same_gold(content, read, names) for content in contents for read in reads]
    is_given = os.path.realpath(path) in [os.path.realpath(content.path) for content in contents]
    return with_gold and not is_given and any(are_alike) and any(read.is_self_contained for read in reads)


def score_opened(
    opened: OpenedFiles,
    *,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    measures: Sequence[str] | None = None,
    by: Sequence[str] = (),
    form: str = "table",
    probabilities: Numbers = (),
    groups: Any = None,
    confidences: Numbers = (),
) -> list[Scored]:
    """Score files of predictions with each metric that reads their gold file.

    Args:
        opened: the result of `open_files`, or of `open_number_tables`.
        options: metric -> options that override its gold file's.
        measures: names of measures, for metrics that compute only requested measures; None: the usual measures.
        by: slices that the caller will request later.
        form: the output format that the caller will use later.
        probabilities: files of no-answer probabilities, for the metrics that take them.
        groups: which examples intervals draw and tests swap together, as in `score_files`.
        confidences: files of confidences; they add measures of selective answering.
    """
    golds, files = opened
    needed = [*by, groups] if isinstance(groups, str) else by
    taking = [name for name in golds if PROBABILITIES in get_family(name).columns]
    if probabilities and not taking:
        raise ValueError(f"{', '.join(golds)} does not use no-answer probabilities; omit {PROBABILITIES}")
    labels = [file.name for file in files]
    unanswered = files_by_system(PROBABILITIES, probabilities, labels)
    sure = files_by_system("confidences", confidences, labels)
    scored = []
    for name, gold in golds.items():
        family = get_family(name)
        gold = gold.with_options((options or {}).get(name, {}))
        requested = measures
        if measures is not None and len(golds) > 1:  # a name may belong to another metric
            requested = [name for name in measures if family.about.may_have(name)] or None
        gold = gold.with_options(family.measure_options(requested, needed, gold, form))
        try:
            made = family.load()[1].from_keywords(**gold.options)  # first, because a wrong option is no fault of a file
        except ValueError as error:
            raise ValueError(str(error) if len(golds) == 1 else f"{name}: {error}") from error
        family.prepare(made)
        systems: dict[str, dict[str, System]] = {}  # by run
        for file in files:
            numbers = unanswered.get(file.name) if name in taking else None
            system = _scored_file(family, gold, file, made, numbers)
            if file.name in sure:
                system = system._replace(scores=with_confidences(system.scores, sure[file.name]))
            if groups is not None:
                system = system._replace(scores=with_groups(gold, system.scores, groups))
            systems.setdefault(file.system, {})[file.run] = system
        found = {name: join_runs(name, by_run) for name, by_run in systems.items()}
        scored.append(Scored(family, gold, found))
        if line := family.remark_of_gold(gold):
            remark(line)
    return scored


def _scored_file(family: Family, gold: Gold, file: SystemFile, options: Any, numbers: Content | None) -> System:
    """The scores of a file of predictions.

    Args:
        numbers: the file of its no-answer probabilities.
    """
    value = file.file.value
    predictions = (
        value.predictions() if isinstance(value, NumberTable) else read_predictions(file.file, gold, file.names)
    )
    path, columns = predictions.path, dict(predictions.columns)
    if numbers is not None:
        columns["predictions"] = with_probabilities(columns["predictions"], numbers)
    for of_file, name in ((gold.path, "references"), (path, "predictions")):
        if have_no_rows([{**gold.columns, **columns}.get(name)]):
            raise FileError(of_file, "this file has no rows; is it the right file?")
    try:
        scores = family.load()[0](**family.columns_of_files(gold, columns), options=options)
    except UnicodeDecodeError:  # Parquet files, whose texts are read last
        raise FileError(path, "there are bytes in a column of text that are not UTF-8; write it again") from None
    except (ValueError, TypeError) as error:
        message = f"run {file.run}: {error}" if file.run else str(error)
        about = (getattr(error, "column", None) or "").partition(" ")[0].partition("[")[0].partition(".")[0]
        at_fault = gold.path if about in _GOLD_COLUMNS and not isinstance(value, NumberTable) else path
        at_fault = numbers.path if numbers is not None and about == PROBABILITIES else at_fault
        column = gold.names.get("references")
        if column and at_fault == gold.path and message.startswith("references["):
            message = f"column {' or '.join(each_column([column]))}: " + message
        if not file.run and message.endswith(OR_DUPLICATES):
            message += (
                f"; or, if the rows belong to several runs, name their column with {columns_text(RUN_ROLE, 'NAME')}"
            )
        raise FileError(at_fault, message) from error
    return System(scores, predictions.tag or file.name, columns, path, {**file.names, **predictions.names})


# --- score_files ------------------------------------------------------------------------------------------------------


@public
def score_files(
    gold: str | Path,
    systems: Mapping[str, str | Path | Sequence[str | Path]] | Sequence[str | Path] | str | Path | None = None,
    metric: MetricName | Sequence[MetricName] | None = None,
    *,
    columns: Mapping[str, Any] | None = None,
    measures: Sequence[str] | str | None = None,
    no_answer_probabilities: Mapping[str, str | Path] | Sequence[str | Path] | None = None,
    groups: Any = None,
    confidences: Mapping[str, str | Path] | Sequence[str | Path] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Score files as the command line does; the kind of a file is recognised by its content.

    Args:
        gold: a file of gold answers, judgements or true labels, or a table that holds predictions too; a folder of files
            of one kind, as `Dataset.save_to_disk` writes it; "-" for standard input. Files may be compressed.
        systems: name -> file of its predictions, or a list of files, which are named after the files, or a folder with a file
            for each system; None if the gold file contains the predictions.
            Several files of one name are runs of that system, `{"model": ["seed1.json", "seed2.json"]}`: one `qassay.Runs`.
        metric: None for the metric of the preset, or of the kind of file. A list of names scores the file by each of them,
            such as a table with retrieved documents, gold documents, answers and gold answers.
        columns: of tables, role -> column, such as `{"references": "gold", "ids": "qid"}`. Several columns of gold
            answers are joined into one list; of several columns of predictions each is a system; of several columns of ids, or
            of queries and documents, each file has one. `{"run_id": "seed"}`: the column that names the run of each row.
        measures: names of measures, or one name; they must exist. For rankings, only these are computed. None for the
            usual measures.
        no_answer_probabilities: name of a system -> file of `{id: number}`, or of a table with the columns id and
            no_answer_probability; or a list with one file for each system.
        groups: which examples belong together, so that intervals draw them and paired tests swap them as one: a column of
            the gold file, a slice, or one of "article" (title), "paragraph" (context) and, of BioASQ, "documents"; or one
            label per example, as in `Scores.with_groups`. None: every example by itself.
        confidences: as no_answer_probabilities, with the column confidence. They add measures of selective answering, such
            as the area under the risk-coverage curve; see `Scores.with_confidences`.
        options: options of the metric, by name; with several metrics, each option goes to every metric that has it (a
            preset to those that define it, the options of a model to semantic_answer_similarity where it is one of them).

    Returns:
        System -> its Scores; for a list of metrics, metric -> system -> its Scores. Names of systems come from `systems`,
        or from the files, or from the columns if a table has several systems.

    Raises:
        ValueError: a file that cannot be read or scored (FileError, naming the file and what to do), unknown metric, role or
            groups, or a system without predictions. TypeError: an option that none of the metrics has, or something other
            than files.

    Warns:
        UserWarning: the runs of a system did not answer the same questions.

    Example:
        >>> import qassay, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "answers.csv")
        >>> _ = open(path, "w").write("prediction,gold\\nin France,France\\nRome,Rome\\n")
        >>> qassay.score_files(path)["answers"].summary(["exact_match"])
        {'exact_match': 0.5}
    """
    if not isinstance(gold, (str, Path)):
        message = f"gold must be the path of one file; got {describe(gold)}"
        raise TypeError(f"{message}; a table in memory is scored by qassay.score(METRIC, table), one metric at a time")
    if metric is not None and not isinstance(metric, (str, list, tuple)) or metric in ([], ()):
        raise TypeError(f"metric must be the name of a metric, or a list of names; got {describe(metric)}")
    measures = [measures] if isinstance(measures, str) else measures
    paths = _paths("systems", [systems] if isinstance(systems, (str, Path)) else systems)
    names = column_names(columns or {})
    metrics: str | Sequence[str] | None = metric
    if metric is None and options.get("preset") is not None:
        metrics, _ = find_preset(options["preset"])
    given = open_files(metrics, str(gold), paths, names, slices=[groups], measures=measures)
    scored = score_opened(
        given,
        options=sorted_options(given.golds, options),
        measures=measures,
        probabilities=_paths("no_answer_probabilities", no_answer_probabilities),
        groups=groups,
        confidences=_paths("confidences", confidences),
    )
    for of, requested in zip(scored, measures_by_metric(scored, measures).values(), strict=True):
        if requested is not None and "all" not in requested:
            next(iter(of.scores.values())).summary(requested)  # refuses an unknown measure
    remark_on_runs(scored)
    if metric is None or isinstance(metric, str):
        return scored[0].scores
    return {of.family.name: of.scores for of in scored}


def _paths(argument: str, files: Any) -> dict[str, Any] | list[Any]:
    """Paths of files as texts, by name or in a list; several runs have a list of paths."""
    if isinstance(files, Mapping):
        return {name: [*map(str, of)] if isinstance(of, (list, tuple)) else str(of) for name, of in files.items()}
    if not isinstance(files, (list, tuple, type(None))) or not all(
        isinstance(file, (str, Path)) for file in files or ()
    ):
        message = f'{argument} must be a dict name -> file, such as {{"model": path}}, or a list of files'
        raise TypeError(f"{message}; got {describe(files)}")
    return list(map(str, files or ()))


def measures_by_metric(scored: Sequence[Scored], names: Sequence[str] | None) -> dict[str, Sequence[str] | None]:
    """Metric -> the requested measures to show (None: the usual measures); a name may belong to another metric only."""
    by_metric: dict[str, Sequence[str] | None] = {}
    for metric in scored:
        elsewhere = {
            name for other in scored if other is not metric for of in other.scores.values() for name in of.measures
        }
        first = next(iter(metric.scores.values()))
        about = metric.family.about
        requested = names if names is None or len(scored) == 1 else [name for name in names if about.may_have(name)]
        measures = about.shown_measures(requested, first)
        if measures is not None:
            measures = [name for name in measures if name in first.measures or name not in elsewhere]
        by_metric[metric.family.name] = measures
    return by_metric


def remark_on_runs(scored: Sequence[Scored]) -> None:
    """Issue a remark on each system whose runs did not answer the same questions."""
    for of in scored:
        for name, scores in with_several_runs(of.scores).items():
            for line in scores.question_remarks():
                remark(f"{name}: {line}")


# --- one table in memory ----------------------------------------------------------------------------------------------


def lone_table(family: Family, data: Any, columns: Any) -> Table | None:
    """The only argument of a metric as a table that includes gold data; None if it is not such a table.

    Args:
        columns: role -> column, for columns without a usual name; None if no column is named.
    """
    table = table_of_data(data)
    if table is None or columns is not None:
        return table
    return table if family.requires_gold or any(form.has_both(table) for form in formats_of(family.name)) else None


def score_table(family: Family, table: Table, columns: Any, options: Mapping[str, Any]) -> Scores:
    """Score a table that contains predictions and gold data.

    Args:
        columns: role -> column; None for the usual names. The column of the role "groups", which is never guessed,
            has the group of each example.
        options: options of the family.

    Raises:
        ValueError: no column, or several, that could have a role; several systems. TypeError: an option that the family
            does not have.
    """
    if columns is not None and not isinstance(columns, Mapping):
        raise TypeError(f"columns must be a dict role -> column, such as {{'references': 'gold'}}; got {columns!r}")
    options_class = family.load()[1]
    for name in {*all_roles(), "groups"} & options.keys() - {*keyword_names(options_class)}:
        column = shown(options[name]) if isinstance(options[name], str) else "..."
        raise TypeError(
            f"{family.name} has no option {name!r}; name a column of the table by columns={{{name!r}: {column}}}"
        )
    options_class.check_names(options)
    groups = (columns or {}).get("groups")
    names = column_names({role: of for role, of in (columns or {}).items() if role != "groups"})
    if groups is not None:
        if not isinstance(groups, str):
            raise ValueError(f"columns: the role groups needs the name of a column; got {describe(groups)}")
        names = {**names, "groups": groups}
    given = open_files(family.name, Content(IN_MEMORY, table), [], names, slices=[groups])
    systems = given.systems
    if len(systems) != 1:
        roles = [role for file in given.files[:1] for role, column in file.names.items() if column == systems[0]]
        each = "".join(f"; score each with columns={{{role!r}: {systems[0]!r}}}, ..." for role in roles[:1])
        raise ValueError(f"{IN_MEMORY} has predictions of {len(systems)} systems, but one is scored{each}")
    (scored,) = score_opened(given, options={family.name: options}, groups=groups)
    remark_on_runs([scored])
    (scores,) = scored.scores.values()
    return scores
