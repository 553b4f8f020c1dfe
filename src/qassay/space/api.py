"""What programs can ask of the Space: typed functions by gradio_client, HTTP and MCP, all numbers as plain JSON."""

import dataclasses
import json

import gradio as gr

from ..calibration.calibrate import require_one_run
from ..calibration.labels import ROLES
from ..catalog import describe_metric, one_line, split_list
from ..comparison.difference import ComparisonSettings
from ..files.roles import RUN_ROLE
from ..label_agreement.read_labelled import ROLES as LABELLED_ROLES
from ..pages.limits import AT_ONCE, check_amount
from ..registry import FAMILIES
from ..reports.calibration import render_calibrations, told_of_systems
from ..reports.comparison import build_comparison
from ..reports.comparison_text import render_comparison
from ..reports.label_agreement import render_agreement
from ..reports.values_text import render
from ..scoring import measures_by_metric
from .agreement_view import AgreementChoices, judged_file
from .analysis import analyze, score_inputs
from .api_arguments import (
    as_asked,
    as_files,
    as_number,
    check_level,
    check_texts,
    choices_of,
    columns_of_lines,
    explained_by,
    in_words_of_programs,
    inputs_of,
    integers,
    plain_json,
    with_files,
)
from .handlers import refusing
from .inputs import clean_name
from .labels_view import LabelChoices, calibrated, read_labels
from .runs_view import expected_widths

_WIDTHS = ("now", "twice_the_runs", "twice_the_questions", "twice_both")
_MAX_TEXTS = 100
_AT_ONCE = {"concurrency_id": "qassay_api", "concurrency_limit": AT_ONCE}
_GOLD_FILE = "the gold file, of any kind that score takes, or Parquet."


@explained_by(
    gold='text of the gold file: SQuAD, HotpotQA, DROP or BioASQ JSON, {"id": ["answer"]}, TREC qrels, CSV, JSONL.',
    predictions='text of the file of predictions, as {"id": "answer"} or a TREC run; omit it if gold also contains the predictions.',
    no_answer_probabilities='the text of a JSON object, {"id": probability that there is no answer}.',
    level="confidence level of the intervals, between 0 and 1.",
)
def score(
    gold: str,
    predictions: str = "",
    metric: str = "",
    options: str = "",
    measures: str = "",
    columns: str = "",
    no_answer_probabilities: str = "",
    level: float = 0.95,
    groups: str = "",
    interval_method: str = "auto",
) -> dict:
    """Score the predictions of one system against gold data: every measure with its confidence interval and n.

    Returns:
        metric, signature, scale (of the rates: 1), interval, and by system its values, intervals, counts (n) and
        notes; remarks in words. What does not apply is null.
    """
    given = {"gold": gold, "predictions": predictions, "no_answer_probabilities": no_answer_probabilities}
    with as_files(given) as files, in_words_of_programs(files):
        choices = choices_of(metric, options, measures, columns, level, groups, interval_method)
        inputs = inputs_of(files, {"predictions": ["predictions"]}, choices, columns)
        analysis = analyze(inputs, as_asked(choices), check_amount)
    return plain_json(render(analysis.report, "json"), remarks=analysis.report.remarks)


@explained_by(
    gold="the text of the gold file, as for score.",
    first="the text of the first system's file of predictions.",
    second="the text of the second system's file of predictions.",
    level="confidence level of the intervals and tests, between 0 and 1.",
)
def compare(
    gold: str,
    first: str,
    second: str,
    first_name: str = "first",
    second_name: str = "second",
    metric: str = "",
    options: str = "",
    measures: str = "",
    columns: str = "",
    test: str = "permutation",
    correction: str = "holm",
    level: float = 0.95,
    texts: int = 3,
    groups: str = "",
    interval_method: str = "auto",
) -> dict:
    """Compare two systems on the same examples: differences with confidence intervals and p-values of paired tests.

    Returns:
        The values of both systems as score gives them; differences (the second minus the first) with interval, p and
        corrected p; disagreements with their texts; remarks in words. What does not apply is null.
    """
    with as_files({"gold": gold, "first": first, "second": second}) as files:
        names = _two_names(first_name, second_name)
        if not isinstance(texts, int) or isinstance(texts, bool) or not 0 <= texts <= _MAX_TEXTS:
            raise ValueError(f"texts must be an integer from 0 to {_MAX_TEXTS}")
        for (role,) in names.values():
            if role not in files:
                raise ValueError(f"{role} is empty; give the predictions of both systems")
        with in_words_of_programs(files):
            choices = choices_of(
                metric, options, measures, columns, level, groups, interval_method, test=test, correction=correction
            )
            scored = score_inputs(inputs_of(files, names, choices, columns), check_amount)
            shown, numbers = measures_by_metric(scored, choices.measures), choices.settings
            settings = ComparisonSettings(test, correction, numbers.intervals, numbers.n_permutations)
            report = build_comparison(scored, (), shown, settings, n_texts=texts, group_name=groups.strip())
    return plain_json(render_comparison(report, "json"))


def _two_names(first: str, second: str) -> dict[str, list[str]]:
    """Name of a system -> the argument with its predictions."""
    check_texts(first_name=first, second_name=second)
    if first == second or not all(name and clean_name(name) == name for name in (first, second)):
        raise ValueError("first_name and second_name must be two short names, each in one line")
    return {first: ["first"], second: ["second"]}


@explained_by(
    gold=_GOLD_FILE,
    predictions="the file of predictions; omit it if gold is a table that also contains them.",
    no_answer_probabilities='a JSON file, {"id": probability that there is no answer}.',
    level="confidence level of the intervals, between 0 and 1.",
)
@with_files(score, "gold", "predictions", "no_answer_probabilities")
def score_files() -> dict:
    """Score uploaded files: as score, with files in place of their texts.

    Returns:
        As score.
    """


@explained_by(
    gold=_GOLD_FILE,
    first="the first system's file of predictions.",
    second="the second system's file of predictions.",
    level="confidence level of the intervals and tests, between 0 and 1.",
)
@with_files(compare, "gold", "first", "second")
def compare_files() -> dict:
    """Compare two systems by uploaded files: as compare, with files in place of their texts.

    Returns:
        As compare.
    """


@explained_by(
    gold="the text of the gold file, as for score.",
    runs="the texts of the files of predictions, one for each run; or one table whose column of runs is named by run_id=NAME in columns.",
    level="confidence level of the intervals, between 0 and 1.",
)
def score_runs(
    gold: str,
    runs: list[str],
    metric: str = "",
    options: str = "",
    measures: str = "",
    columns: str = "",
    level: float = 0.95,
    groups: str = "",
    pass_at: str = "",
    majority_at: str = "",
) -> dict:
    """Score several runs of one system, such as one for each seed: means over runs with intervals over questions and runs.

    Returns:
        As score, and for the system how its runs differ (runs: deviation, lowest, highest, shares of the variance by
        question, run and noise), and expected_width: how wide intervals of these measures would be with twice the runs or
        questions.
    """
    numbers = {"pass_at": integers("pass_at", pass_at), "majority_at": integers("majority_at", majority_at)}
    if not isinstance(runs, list):
        raise TypeError(f"runs must be a list of the texts of files, got {type(runs).__name__}")
    roles = [f"run {number}" for number, _ in enumerate(runs, 1)]
    with as_files({"gold": gold, **dict(zip(roles, runs, strict=True))}) as files, in_words_of_programs(files):
        choices = choices_of(metric, options, measures, columns, level, groups, "auto")
        inputs = inputs_of(files, {"system": roles}, choices, columns)
        if not inputs.runs and RUN_ROLE not in inputs.columns:
            given = "one file" if len(runs) == 1 else f"{len(runs)} files"
            raise ValueError(f"runs needs two or more files, or the column of runs, columns run_id=NAME; got {given}")
        analysis = analyze(inputs, choices.settings._replace(percent=False, **numbers), check_amount)
        widths: dict[str, dict[str, dict[str, float]]] = {}
        shown = choices.measures and next(iter(analysis.report.runs.values()))
        for system, measure, _, of in expected_widths(analysis, shown or analysis.main_measures):
            widths.setdefault(system, {})[measure] = dict(zip(_WIDTHS, of, strict=True))
    return plain_json(render(analysis.report, "json"), remarks=analysis.report.remarks, expected_width=widths)


@explained_by(
    gold="the text of the gold file, as for score.",
    predictions="the text of the system's file of predictions; omit it if gold also contains the predictions.",
    labels="human verdicts on some answers, 0 to 1: the text of a CSV with columns id and label, or {id: label}; "
    "omit it to get the examples to label first.",
    other_predictions="the text of the predictions of a second system, for the difference of both.",
    other_labels="the labels of the answers of the second system.",
    interval_method="auto, also valid with few labels, or normal, as published.",
    level="confidence level of the intervals, between 0 and 1.",
)
def calibrate(
    gold: str,
    predictions: str = "",
    labels: str = "",
    other_predictions: str = "",
    other_labels: str = "",
    metric: str = "",
    options: str = "",
    measures: str = "",
    columns: str = "",
    label_columns: str = "",
    groups: str = "",
    method: str = "ppi",
    lam: str = "",
    interval_method: str = "auto",
    level: float = 0.95,
    width: float = 0.0,
    to_next: int = 0,
) -> dict:
    """Correct a measure by human verdicts on a random sample of the answers: what would people say about all of them?

    Returns:
        signature, scale, systems with what was counted (in words as remarks), measures (each with its value by itself,
        calibrated with interval, of the labels alone, and its agreement with the labels), labels_needed for the width,
        next (ids to label); without labels only next.
    """
    texts = {"predictions": predictions, "other_predictions": other_predictions}
    given_labels = {"labels": labels, "other_labels": other_labels}
    check_texts(label_columns=label_columns, method=method, lam=lam)
    if isinstance(to_next, bool) or not isinstance(to_next, int):
        raise TypeError(f"to_next must be an integer, got {type(to_next).__name__}")
    with as_files({"gold": gold, **texts, **given_labels}) as files, in_words_of_programs(files):
        if "other_labels" in files and "other_predictions" not in files:
            raise ValueError(
                "other_predictions is empty; give the answers that other_labels judge, or omit other_labels"
            )
        choices = choices_of(metric, options, measures, columns, level, groups, "auto")
        names = ["predictions", *(name for name in ("other_predictions",) if name in files)]
        scored_files = {role: file for role, file in files.items() if role not in given_labels}
        inputs = inputs_of(scored_files, {name: [name] for name in names}, choices, columns)
        analysis = analyze(inputs, as_asked(choices), check_amount)
        require_one_run(analysis.main.scores.values())
        chosen = LabelChoices(
            "predictions", "".join(names[1:]), choices.measures or (), method,
            as_number("lam", lam) if lam.strip() else None, interval_method, as_number("width", width) or None, to_next or None,
            columns_of_lines("label_columns", label_columns, ROLES),
        )  # fmt: skip
        labels_of = zip(texts, given_labels, strict=True)
        contents = {name: read_labels(*files[role]).content for name, role in labels_of if role in files}
        result = calibrated(analysis, chosen, contents)
    if not result.found:
        return plain_json(json.dumps(result.told))
    signature = next(iter(analysis.report.signatures.values()))
    more = {**told_of_systems({name: analysis.scores(name) for name in names}), **result.told}
    return plain_json(render_calibrations(result.found, "json", signature=signature, more=more))


@explained_by(
    gold=_GOLD_FILE,
    runs="the files of predictions, one for each run; or one table whose column of runs is named by run_id=NAME in columns.",
    level="confidence level of the intervals, between 0 and 1.",
)
@with_files(score_runs, "gold", "runs")
def score_runs_files() -> dict:
    """Score uploaded files of several runs: as score_runs, with files in place of their texts.

    Returns:
        As score_runs.
    """


@explained_by(
    gold=_GOLD_FILE,
    predictions="the file of predictions; omit it if gold is a table that also contains them.",
    labels="the file of human verdicts: a table with columns id and label, or {id: label}.",
    other_predictions="the predictions of a second system, for the difference of both.",
    other_labels="the labels of the answers of the second system.",
    interval_method="auto, also valid with few labels, or normal, as published.",
    level="confidence level of the intervals, between 0 and 1.",
)
@with_files(calibrate, "gold", "predictions", "labels", "other_predictions", "other_labels")
def calibrate_files() -> dict:
    """Calibrate by uploaded files: as calibrate, with files in place of their texts.

    Returns:
        As calibrate.
    """


@explained_by(
    labelled="the text of a table, CSV or JSONL, with a row for each answer: gold answers, answer and label (1 or 0, yes or no, or "
    "a number), and optionally question, system, groups and id.",
    measures="names of measures separated by commas; omit it for all measures with a value from 0 to 1 for every answer.",
    columns="role=name, one per line: labels, references, predictions, question, system, groups, ids; separator=/ divides "
    "several gold answers in a cell.",
    level="confidence level of the intervals, between 0 and 1.",
)
def agreement(
    labelled: str,
    metrics: str = "",
    measures: str = "",
    columns: str = "",
    right_from: str = "",
    level: float = 0.95,
) -> dict:
    """Tell how well each measure of answers agrees with labels that people gave these answers: which measure to trust.

    Returns:
        measures, each with auc, accuracy at 0.5, best_accuracy (cross-fitted), best_threshold, pearson and ece, their
        intervals, and how many pairs of systems it orders as people do; systems by name with the means of people and of
        the measures; n, right (the share that people call right), and remarks in words.
    """
    check_texts(metrics=metrics, measures=measures, columns=columns, right_from=right_from)
    check_level(level)
    with as_files({"labelled": labelled}) as files, in_words_of_programs(files):
        if not files:
            raise ValueError("labelled is empty; give a table of answers with labels")
        choices = AgreementChoices(
            tuple(filter(None, split_list(metrics))),
            tuple(filter(None, split_list(measures))),
            columns_of_lines("columns", columns, LABELLED_ROLES),
            as_number("right_from", right_from) if right_from.strip() else None,
            level,
        )
        found = judged_file(*files["labelled"], choices).found
    return plain_json(render_agreement(found, "json"))


@explained_by(
    labelled="the table of labelled answers, of any kind that agreement takes, or Parquet.",
    measures="names of measures separated by commas; omit it for all measures with a value from 0 to 1 for every answer.",
    columns="role=name, one per line, as for agreement.",
    level="confidence level of the intervals, between 0 and 1.",
)
@with_files(agreement, "labelled")
def agreement_files() -> dict:
    """Tell the agreement by an uploaded file: as agreement, with a file in place of its text.

    Returns:
        As agreement.
    """


def list_metrics() -> list[dict]:
    """List the metrics: the name of each, and in one line what it measures.

    Returns:
        One object per metric: name, about.
    """
    return [{"name": name, "about": one_line(name)} for name in sorted(FAMILIES)]


def explain(metric: str) -> dict:
    """Explain a metric: the columns that it reads, its options with their defaults, its measures.

    Args:
        metric: a name that list_metrics gives.

    Returns:
        name, line (what it measures), columns, options, measures; each of these has name, default and meaning.
    """
    check_texts(metric=metric)
    return dataclasses.asdict(describe_metric(metric))


def add_api(with_mcp: bool) -> None:
    """Add the functions to the Blocks that are being built.

    Args:
        with_mcp: every public function becomes a tool of MCP, for which a file is a path on this server: then functions
            that take files are not in the list, and programs call them by name.
    """
    for function in (score, compare, score_runs, calibrate, agreement, list_metrics, explain):
        gr.api(refusing(function), api_name=function.__name__, **_AT_ONCE)
    visibility = "undocumented" if with_mcp else "public"
    for function in (score_files, compare_files, score_runs_files, calibrate_files, agreement_files):
        gr.api(refusing(function), api_name=function.__name__, api_visibility=visibility, **_AT_ONCE)
