"""What programs can ask of the Space: typed functions by gradio_client, HTTP and MCP, all numbers as plain JSON."""

import contextlib
import dataclasses
import functools
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

import qassay
from qassay.catalog import describe_metric, one_line
from qassay.comparison.difference import ComparisonSettings
from qassay.core.hints import worded
from qassay.files.roles import named_columns, names_by_system
from qassay.files.tables import Names
from qassay.pages.limits import AT_ONCE, MAX_OPTIONS, check_length
from qassay.pages.upload_folder import work_folder
from qassay.pages.uploads import read_upload
from qassay.reports.comparison import build_comparison
from qassay.reports.comparison_text import render_comparison
from qassay.reports.values_text import render
from qassay.scoring import measures_by_metric
from qassay.spaces_app.analysis import Inputs, analyze, score_inputs
from qassay.spaces_app.choices import Choices, chosen_columns, read_choices
from qassay.spaces_app.handlers import refusing
from qassay.spaces_app.inputs import check_amount, clean_name
from qassay.system_files import names_of_systems

_SURROGATE = re.compile("[\ud800-\udfff]")
_MAX_TEXTS = 100
_AT_ONCE = {"concurrency_id": "qassay_api", "concurrency_limit": AT_ONCE}


# MCP describes an argument by one line of the docstring, which `_explained` writes.
_ARGUMENTS = {
    "metric": "a name that list_metrics gives; leave it out for the metric of the kind of gold file.",
    "options": "of the metric, key=value, one per line; explain lists them.",
    "measures": "names of measures with commas between; leave it out for the usual ones, all for every one.",
    "columns": "of tables, role=name, one per line, such as references=gold_list; gold answers may have several columns.",
    "groups": "by what questions belong together in intervals and tests: article, paragraph, documents, or a column of gold.",
    "interval_method": "auto, the method for each kind of measure, or percentile of the bootstrap.",
    "first_name": "what to call the first system.",
    "second_name": "what to call the second system.",
    "test": "permutation, bootstrap, t, wilcoxon, or mcnemar for measures of right and wrong.",
    "correction": "for the number of tests: holm, bonferroni, benjamini-hochberg or none.",
    "texts": "how many of the largest losses and gains to give with their texts, 0 to 100.",
}
_GOLD_FILE = "the gold file, of any kind that score takes, or Parquet."


class _Uploaded(NamedTuple):
    """An uploaded file in place of a text."""

    path: str
    name: str


def _explained(**meanings: str) -> Callable[[Callable], Callable]:
    """Puts the arguments into a docstring: with the meanings given here, or with those of all functions."""

    def explained(function: Callable) -> Callable:
        told = {**_ARGUMENTS, **meanings}
        lines = "\n".join(f"    {name}: {told[name]}" for name in inspect.signature(function).parameters)
        summary, _, returned = (inspect.getdoc(function) or "").partition("\n\nReturns:")  # "" under python -OO
        function.__doc__ = f"{summary}\n\nArgs:\n{lines}\n\nReturns:{returned}"
        return function

    return explained


def _with_files(function: Callable, *names: str) -> Callable[[Callable], Callable]:
    """Makes a function of the same arguments, but uploaded files in place of some texts; keeps name and docstring."""
    signature = inspect.signature(function)
    needed = {name: signature.parameters[name].default is inspect.Parameter.empty for name in names}
    kinds = {
        name: {"annotation": gr.FileData} if needed[name] else {"annotation": gr.FileData | None, "default": None}
        for name in names
    }
    parameters = [one.replace(**kinds.get(name, {})) for name, one in signature.parameters.items()]

    def with_files(described: Callable) -> Callable:
        def call(*values: Any, **named: Any) -> dict:
            given = signature.bind(*values, **named).arguments
            return function(**given | {name: _uploaded(name, given[name]) for name in names if name in given})

        functools.update_wrapper(call, described)
        del call.__wrapped__
        call.__signature__ = signature.replace(parameters=parameters)
        call.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": dict}
        return call

    return with_files


@_explained(
    gold='text of the gold file: SQuAD, HotpotQA, DROP or BioASQ JSON, {"id": ["answer"]}, TREC qrels, CSV, JSONL.',
    predictions='text of the file of predictions, as {"id": "answer"} or a TREC run; not where gold holds them too.',
    no_answer_probabilities='the text of a JSON object, {"id": probability that there is no answer}.',
    level="of the intervals, between 0 and 1.",
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
    with _files(given) as files, _in_words_of_programs(files):
        choices = _choices(metric, options, measures, columns, level, groups, interval_method)
        inputs = _inputs(files, {"predictions": "predictions"}, choices, columns)
        analysis = analyze(inputs, choices.settings._replace(percent=False), check_amount)
    return _plain(render(analysis.report, "json"), remarks=analysis.report.remarks)


@_explained(
    gold="the text of the gold file, as for score.",
    first="the text of the first system's file of predictions.",
    second="the text of the second system's file of predictions.",
    level="of the intervals and tests, between 0 and 1.",
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
    with _files({"gold": gold, "first": first, "second": second}) as files:
        names = {first_name: "first", second_name: "second"}
        _check_texts(first_name=first_name, second_name=second_name)
        if len(names) < 2 or not all(name and clean_name(name) == name for name in names):
            raise ValueError("first_name and second_name must be two short names, each in one line")
        if not isinstance(texts, int) or isinstance(texts, bool) or not 0 <= texts <= _MAX_TEXTS:
            raise ValueError(f"texts must be a whole number from 0 to {_MAX_TEXTS}")
        for role in names.values():
            if role not in files:
                raise ValueError(f"{role} is empty; give the predictions of both systems")
        with _in_words_of_programs(files):
            choices = _choices(
                metric, options, measures, columns, level, groups, interval_method, test=test, correction=correction
            )
            scored = score_inputs(_inputs(files, names, choices, columns), check_amount)
            shown = measures_by_metric(scored, choices.measures)
            numbers = choices.settings
            settings = ComparisonSettings(
                test, correction, numbers.level, numbers.n_resamples, numbers.n_permutations, numbers.seed,
                interval_method=numbers.interval_method,
            )  # fmt: skip
            report = build_comparison(scored, (), shown, settings, n_texts=texts, group_name=groups.strip())
    return _plain(render_comparison(report, "json"))


@_explained(
    gold=_GOLD_FILE,
    predictions="the file of predictions; leave it out where gold is a table that holds them too.",
    no_answer_probabilities='a JSON file, {"id": probability that there is no answer}.',
    level="of the intervals, between 0 and 1.",
)
@_with_files(score, "gold", "predictions", "no_answer_probabilities")
def score_files() -> dict:
    """Score uploaded files: as score, with files in place of their texts.

    Returns:
        As score.
    """


@_explained(
    gold=_GOLD_FILE,
    first="the first system's file of predictions.",
    second="the second system's file of predictions.",
    level="of the intervals and tests, between 0 and 1.",
)
@_with_files(compare, "gold", "first", "second")
def compare_files() -> dict:
    """Compare two systems by uploaded files: as compare, with files in place of their texts.

    Returns:
        As compare.
    """


def list_metrics() -> list[dict]:
    """List the metrics: the name of each, and in one line what it measures.

    Returns:
        One object per metric: name, about.
    """
    return [{"name": name, "about": one_line(name)} for name in qassay.list_metrics()]


def explain(metric: str) -> dict:
    """Explain a metric: the columns that it reads, its options with their defaults, its measures.

    Args:
        metric: a name that list_metrics gives.

    Returns:
        name, line (what it measures), columns, options, measures; each of these has name, default and meaning.
    """
    _check_texts(metric=metric)
    return dataclasses.asdict(describe_metric(metric))


def add_api(with_mcp: bool) -> None:
    """Add the functions to the Blocks that are being built.

    Args:
        with_mcp: every public function becomes a tool of MCP, for which a file is a path on this server: then those
            that take files do not stand in the list, and programs call them by name.
    """
    for function in (score, compare, list_metrics, explain):
        gr.api(refusing(function), api_name=function.__name__, **_AT_ONCE)
    visibility = "undocumented" if with_mcp else "public"
    for function in (score_files, compare_files):
        gr.api(refusing(function), api_name=function.__name__, api_visibility=visibility, **_AT_ONCE)


# --- what they have in common -----------------------------------------------------------------------------------------


@contextlib.contextmanager
def _files(given: Mapping[str, Any]) -> Iterator[dict[str, _Uploaded]]:
    """What was given, by role, as files for as long as they are needed; nothing for an empty text."""
    with work_folder() as folder:
        files = {}
        for role, text in given.items():
            if isinstance(text, _Uploaded):
                files[role] = text
                continue
            if not isinstance(text, str):
                raise TypeError(f"{role} must be the text of a file, got {type(text).__name__}")
            if text.strip():
                path = Path(folder) / role
                path.write_text(text, "utf-8", "surrogatepass", newline="")
                files[role] = _Uploaded(str(path), role)
        yield files


def _uploaded(role: str, file: Any) -> _Uploaded | str:
    """An upload, "" for none; the server has seen to it that it is one."""
    if not file:
        return ""
    if not (isinstance(file, dict) and file.get("meta") == {"_type": "gradio.FileData"}):
        raise TypeError(f"{role} must be an uploaded file; with gradio_client, give handle_file(path)")
    return _Uploaded(file["path"], str(file.get("orig_name") or role))


@contextlib.contextmanager
def _in_words_of_programs(files: dict) -> Iterator[None]:
    """Messages for the command line as messages for who calls a function: names of arguments, no paths."""
    try:
        yield
    except (ValueError, TypeError, ImportError) as error:
        raise ValueError(worded(error, "program", dict(files.values()))) from error


def _choices(
    metric: str, options: str, measures: str, columns: str, level: Any, groups: str, interval_method: str, **tests: str
) -> Choices:
    """What was chosen, after the types of all arguments are checked."""
    texts = {"metric": metric, "options": options, "measures": measures, "columns": columns, "groups": groups}
    _check_texts(**texts, interval_method=interval_method, **tests)
    if isinstance(level, bool) or not isinstance(level, (int, float)):
        raise TypeError(f"level must be a number between 0 and 1, got {type(level).__name__}")
    return read_choices(metric or None, options, measures, level, groups=groups, interval_method=interval_method)


def _check_texts(**settings: str) -> None:
    for name, text in settings.items():
        if not isinstance(text, str):
            raise TypeError(f"{name} must be text, got {type(text).__name__}")
        check_length(name, text, MAX_OPTIONS)


def _inputs(files: dict, systems: Mapping[str, str], choices: Choices, columns: str) -> Inputs:
    """What to score, checked as the page checks it.

    Args:
        systems: name of a system -> role of its file.
    """
    if "gold" not in files:
        raise ValueError("gold is empty; give a gold file")
    uploads = {role: read_upload(path, name, role, choices.metric) for role, (path, name) in files.items()}
    missing = [role for role in systems.values() if role not in files]
    if missing and not uploads["gold"].kind.may_hold_both:
        raise ValueError(f"{missing[0]} is empty; give the predictions of the system")
    paths = {name: files.get(role, files["gold"])[0] for name, role in systems.items()}
    names = _named_columns(columns)
    by_table = len(names_by_system(names))
    if by_table > 1:
        repeated = [path for path in paths.values() for _ in range(by_table)]
        paths = dict(zip(names_of_systems(list(paths), names), repeated, strict=True))
    no_answer_probabilities = files.get("no_answer_probabilities")
    return Inputs(
        files["gold"][1],
        files["gold"][0],
        paths,
        {name: no_answer_probabilities[0] for name in paths} if no_answer_probabilities else {},
        choices.metric,
        choices.options,
        names,
        choices.measures,
        dict(files.values()),
        {upload.path: upload.content for upload in uploads.values()},
        groups=choices.groups,
    )


def _named_columns(text: str) -> Names:
    lines = [re.sub(r"\s*=\s*", "=", line.strip(), count=1) for line in filter(str.strip, text.splitlines())]
    return chosen_columns(named_columns(lines, "columns: {!r} must be role=name", of_files=False))


def _plain(text: str, **more: Any) -> dict:
    """A report as JSON that every client reads: without lone surrogates."""
    text = json.dumps({**json.loads(text), **more}, ensure_ascii=False)
    tree = json.loads(_SURROGATE.sub(lambda match: rf"\\u{ord(match[0]):04x}", text))
    tree.pop("command", None)
    return tree
