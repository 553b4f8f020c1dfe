"""What programs give the functions of the Space, described for MCP: files uploaded or as texts, settings as texts."""

import contextlib
import functools
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gradio as gr

from ..files.reading import to_number, with_file_names
from ..files.roles import named_columns, names_by_system
from ..pages.limits import MAX_OPTIONS, check_length
from ..pages.upload_folder import work_folder
from ..pages.uploads import read_upload
from ..system_files import names_of_systems
from .analysis import Inputs, Settings
from .choices import Choices, chosen_columns, read_choices
from .inputs import check_runs

_SURROGATE = re.compile("[\ud800-\udfff]")

# MCP describes an argument by one line of the docstring, which `explained_by` writes.
_ARGUMENTS = {
    "metric": "a name from list_metrics; omit it for the default metric of the gold file.",
    "options": "options of the metric, key=value, one per line; explain lists them.",
    "measures": "names of measures separated by commas; omit it for the usual measures, all for every measure.",
    "columns": "columns of tables, role=name, one per line, such as references=gold_list; gold answers may have several columns.",
    "groups": "groups of questions in intervals and tests: article, paragraph, documents, or a column of gold.",
    "interval_method": "auto, the method for each kind of measure, or percentile, for bootstrap percentiles.",
    "first_name": "name of the first system.",
    "second_name": "name of the second system.",
    "test": "permutation, bootstrap, t, wilcoxon, or mcnemar for right-or-wrong measures.",
    "correction": "correction for the number of tests: holm, bonferroni, benjamini-hochberg or none.",
    "pass_at": "numbers k separated by commas, for pass@k: at least one of k answers is right; omit it for none.",
    "majority_at": "numbers k separated by commas, for majority@k: more than half of k answers are right.",
    "label_columns": "columns of labels, role=name, one per line, such as ids=qid and labels=right, if their names do not show their roles.",
    "metrics": "names separated by commas; omit it for all metrics that score texts.",
    "right_from": "the lowest label of a right answer, a number; omit it for 0.5, with labels from 0 to 1.",
    "method": "ppi, for any measure, or rogan_gladen, for a judge that says right or wrong.",
    "lam": "for ppi: the weight of the measure as a number, 1 for plain PPI, 0 for labels alone; omit it for the best weight.",
    "width": "width of an interval, 0 to 1: also return how many labels it needs; 0 for none.",
    "to_next": "number of random examples to label next, whose ids are returned, 0 to 1000.",
    "texts": "number of the largest losses and gains to return with their texts, 0 to 100.",
}


class UploadedFile(NamedTuple):
    """An uploaded file in place of a text."""

    path: str
    name: str


def explained_by(**meanings: str) -> Callable[[Callable], Callable]:
    """Puts the arguments into a docstring: with the meanings given here, or with the meanings of all functions."""

    def explained(function: Callable) -> Callable:
        told = {**_ARGUMENTS, **meanings}
        lines = "\n".join(f"    {name}: {told[name]}" for name in inspect.signature(function).parameters)
        summary, _, returned = (inspect.getdoc(function) or "").partition("\n\nReturns:")  # "" under python -OO
        function.__doc__ = f"{summary}\n\nArgs:\n{lines}\n\nReturns:{returned}"
        return function

    return explained


def with_files(function: Callable, *names: str) -> Callable[[Callable], Callable]:
    """Makes a function of the same arguments, but uploaded files in place of some texts; keeps name and docstring."""
    signature = inspect.signature(function)

    def kind_of(one: inspect.Parameter) -> dict[str, Any]:
        if one.annotation == list[str]:
            return {"annotation": list[gr.FileData]}
        is_needed = one.default is inspect.Parameter.empty
        return {"annotation": gr.FileData} if is_needed else {"annotation": gr.FileData | None, "default": None}

    parameters = [one.replace(**kind_of(one)) if one.name in names else one for one in signature.parameters.values()]

    def of_files(described: Callable) -> Callable:
        def call(*values: Any, **named: Any) -> dict:
            given = signature.bind(*values, **named).arguments
            return function(**given | {name: _uploads(name, given[name]) for name in names if name in given})

        functools.update_wrapper(call, described)
        del call.__wrapped__
        call.__signature__ = signature.replace(parameters=parameters)
        call.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": dict}
        return call

    return of_files


@contextlib.contextmanager
def as_files(given: Mapping[str, Any]) -> Iterator[dict[str, UploadedFile]]:
    """What was given, by role, as files for as long as they are needed; nothing for an empty text."""
    with work_folder() as folder:
        files = {}
        for role, text in given.items():
            if isinstance(text, UploadedFile):
                files[role] = text
                continue
            if not isinstance(text, str):
                raise TypeError(f"{role} must be the text of a file, got {type(text).__name__}")
            if text.strip():
                path = Path(folder) / role
                path.write_text(text, "utf-8", "surrogatepass", newline="")
                files[role] = UploadedFile(str(path), role)
        yield files


def _uploads(role: str, given: Any) -> Any:
    """An upload, or a list of them."""
    if isinstance(given, list):
        return [_uploaded(f"{role} {number}", file) for number, file in enumerate(given, 1)]
    return _uploaded(role, given)


def _uploaded(role: str, file: Any) -> UploadedFile | str:
    """An upload, "" for none; the server has seen to it that it is one."""
    if not file:
        return ""
    if not (isinstance(file, dict) and file.get("meta") == {"_type": "gradio.FileData"}):
        raise TypeError(f"{role} must be an uploaded file; with gradio_client, give handle_file(path)")
    return UploadedFile(file["path"], str(file.get("orig_name") or role))


@contextlib.contextmanager
def in_words_of_programs(files: dict) -> Iterator[None]:
    """Messages for the command line as messages for callers of a function: names of arguments, no paths."""
    try:
        yield
    except (ValueError, TypeError, ImportError) as error:
        raise ValueError(with_file_names(error, dict(files.values()))) from error


def choices_of(
    metric: str, options: str, measures: str, columns: str, level: Any, groups: str, interval_method: str, **tests: str
) -> Choices:
    """What was chosen, after the types of all arguments are checked."""
    texts = {"metric": metric, "options": options, "measures": measures, "columns": columns, "groups": groups}
    check_texts(**texts, interval_method=interval_method, **tests)
    check_level(level)
    return read_choices(metric or None, options, measures, level, groups=groups, interval_method=interval_method)


def check_level(level: Any) -> None:
    """Refuse a level that is not a number."""
    if isinstance(level, bool) or not isinstance(level, (int, float)):
        raise TypeError(f"level must be a number between 0 and 1, got {type(level).__name__}")


def check_texts(**settings: str) -> None:
    """Refuse settings that are not texts, or too long."""
    for name, text in settings.items():
        if not isinstance(text, str):
            raise TypeError(f"{name} must be text, got {type(text).__name__}")
        check_length(name, text, MAX_OPTIONS)


def inputs_of(files: dict, systems: Mapping[str, Sequence[str]], choices: Choices, columns: str) -> Inputs:
    """What to score, checked as the page checks it.

    Args:
        systems: name of a system -> roles of the files of its runs.
    """
    if "gold" not in files:
        raise ValueError("gold is empty; give a gold file")
    uploads = {role: read_upload(path, name, role, choices.metric) for role, (path, name) in files.items()}
    names = chosen_columns(columns_of_lines("columns", columns))
    for roles in systems.values():
        missing = [role for role in roles if role not in files]
        if missing and (len(roles) > 1 or not uploads["gold"].kind.may_hold_both):
            raise ValueError(f"{missing[0]} is empty; give the predictions of the system")
    shown_files = dict(files.values())
    by_system = {name: [files.get(role, files["gold"])[0] for role in roles] for name, roles in systems.items()}
    runs = {name: paths for name, paths in by_system.items() if len(paths) > 1}
    for name in runs:
        check_runs([uploads[role] for role in systems[name] if role in uploads], names, shown_files)
    paths = {name: (of or [files["gold"][0]])[0] for name, of in by_system.items()}
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
        shown_files,
        {upload.path: upload.content for upload in uploads.values()},
        groups=choices.groups,
        runs=runs,
    )


def as_asked(choices: Choices) -> Settings:
    """The settings of numbers from 0 to 1, without pass@k, which nobody asked for."""
    return choices.settings._replace(percent=False, pass_at=(), majority_at=())


def integers(name: str, text: str) -> tuple[int, ...]:
    """Integers separated by commas; () for an empty text."""
    check_texts(**{name: text})
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if not all(re.fullmatch(r"\d{1,6}", part) for part in parts):
        raise ValueError(f"{name} takes integers separated by commas, such as 1,5; got {text!r}")
    return tuple(map(int, parts))


def as_number(name: str, value: Any) -> float:
    """A number, also as text."""
    with contextlib.suppress(ValueError):
        if isinstance(value, str):
            return to_number(value)
        if not isinstance(value, bool) and isinstance(value, (int, float)):
            return float(value)
    raise ValueError(f"{name} must be a number, got {value!r}")


def columns_of_lines(argument: str, text: str, roles: Sequence[str] | None = None) -> dict[str, Any]:
    """Role -> columns, of lines role=name."""
    lines = [re.sub(r"\s*=\s*", "=", line.strip(), count=1) for line in filter(str.strip, text.splitlines())]
    return named_columns(lines, f"{argument}: {{!r}} must be role=name", of_files=False, roles=roles)


def plain_json(text: str, **more: Any) -> dict:
    """A report as JSON that every client reads: without lone surrogates."""
    text = json.dumps({**json.loads(text), **more}, ensure_ascii=False)
    tree = json.loads(_SURROGATE.sub(lambda match: rf"\\u{ord(match[0]):04x}", text))
    tree.pop("command", None)
    return tree
