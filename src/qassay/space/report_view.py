"""The tab Report: files to keep, code that makes the numbers again, what the measures are, and how to cite."""

import dataclasses
import io
import platform
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..catalog import describe_metric, options_by_metric, split_list
from ..core.interval_settings import Intervals
from ..core.shown import csv_cell, write_csv
from ..core.version import __version__
from ..files.roles import names_by_system
from ..reports.chart_parts import escaped
from ..reports.comparison import ComparisonReport, usual_slices
from ..reports.example_tables import joined_examples
from ..reports.html_parts import code
from ..reports.interval_text import interval_text
from ..reports.one_page import best_pair, one_page
from ..reports.scored_report import FORMS
from ..reports.values import ValuesReport, scored_report
from ..results.document import compare_document, score_document, with_usual_slices
from ..results.page import document_text
from ..results.remarks import remark
from ..results.text import render
from ..scoring import Scored, measures_by_metric, takes_probabilities
from .analysis import Analysis, Inputs
from .comparisons import (
    CompareChoices,
    compare_command,
    comparison_by_all_slices,
    comparison_or_why,
    comparison_settings,
    file_arguments,
    setting_arguments,
)
from .findings import worst_slices
from .view_parts import section, wrapped

FILES = {  # ending of the name of a download -> what it is
    ".html": "The whole report (HTML)",
    "-one-page.html": "One page for a manager (HTML)",
    ".md": "Markdown",
    ".tex": "LaTeX",
    "-numbers.csv": "CSV of the numbers",
    "-examples.csv": "CSV of every example",
    ".json": "JSON",
}
ONE_PAGE = "-one-page.html"


# --- files ------------------------------------------------------------------------------------------------------------


def is_comparison(analysis: Analysis) -> bool:
    """Whether there is something to compare: two or more systems."""
    return len(analysis.systems) > 1


def _comparison(analysis: Analysis, choices: CompareChoices) -> tuple[ComparisonReport | None, str]:
    """The report of two or more systems; None for one, and where they cannot be compared, with the reason in words."""
    return comparison_or_why(analysis, choices) if is_comparison(analysis) else (None, "")


def values_report(analysis: Analysis) -> ValuesReport:
    """The values with the usual slices, computed once."""

    def make() -> ValuesReport:
        scored, settings = list(analysis.scored), analysis.settings
        shown = measures_by_metric(scored, analysis.inputs.measures)
        return scored_report(
            scored, usual_slices(scored), shown, percent=settings.percent, **analysis.draws, **analysis.drawn
        )

    return analysis.once("values_report", make)


def endings(analysis: Analysis, choices: CompareChoices) -> list[str]:
    """The available `FILES`: one page is of a comparison."""
    comparison, _ = _comparison(analysis, choices)
    has_one_page = comparison is not None and bool(comparison.differences)
    return [ending for ending in FILES if ending != ONE_PAGE or has_one_page]


def make_file(analysis: Analysis, choices: CompareChoices, ending: str) -> bytes:
    """The content of one of `endings`: of systems that cannot be compared, the values and why."""
    if ending == "-examples.csv":
        return _encoded(examples_csv(analysis))
    if ending == ONE_PAGE and ending in endings(analysis, choices):
        return _encoded(_one_page(analysis, choices))
    return _encoded(_rendered(analysis, choices, FORMS[f".{ending.rpartition('.')[2]}"]))


def _rendered(analysis: Analysis, choices: CompareChoices, form: str) -> str:
    comparison, why = _comparison(analysis, choices)
    found = _document(analysis, choices, why, comparison is not None)
    if form in ("json", "html"):
        return document_text(found, form)
    return render(with_usual_slices(found), form, n_texts=3)


def _document(analysis: Analysis, choices: CompareChoices, why: str, is_compared: bool) -> dict[str, Any]:
    """The result document, and in it why the systems are not compared."""

    def make() -> dict[str, Any]:
        settings = comparison_settings(analysis, choices)
        given: dict[str, Any] = {"percent": analysis.settings.percent, "group_name": analysis.inputs.groups}
        given |= {"measures": analysis.inputs.measures}
        if is_compared:
            return compare_document(
                list(analysis.scored), settings, command=compare_command(analysis, choices), **given
            )
        found = score_document(
            list(analysis.scored), settings, command=score_command(analysis), **given, **analysis.drawn
        )
        found["remarks"] += [remark(f"not compared: {why}", "not_compared", "note")] if why else []
        return found

    return analysis.latest("documents", choices, make, 1)


def _one_page(analysis: Analysis, choices: CompareChoices) -> str:
    """One page about the best two systems; first among its slices is the one that the answer names."""
    report = comparison_by_all_slices(analysis, choices)
    worst = worst_slices(analysis).get(best_pair(report)[0])
    return one_page(report, lead=(worst.slice, worst.label) if worst else None)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def examples_csv(analysis: Analysis) -> str:
    """Every example of every system and run: id, statistics, details, gold answers and what the system gave."""
    analysis = analysis.by_run
    table: dict[str, list] = dict(joined_examples(analysis.scored, with_answers=False))
    shown = [
        text for system in analysis.systems for text in analysis.texts(system, range(len(analysis.scores(system))))
    ]
    table.setdefault("gold_answers", [" | ".join(text.gold) for text in shown])
    table.setdefault("given_answers", [" | ".join(text.answers) for text in shown])
    file = io.StringIO(newline="")
    write_csv(file, (map(csv_cell, row) for row in [table, *zip(*table.values(), strict=True)]))
    return file.getvalue()


# --- code -------------------------------------------------------------------------------------------------------------


def gold_name(analysis: Analysis) -> str:
    """The gold file as people call it, without its folder."""
    return Path(analysis.inputs.shown(analysis.inputs.gold)).name


def score_command(analysis: Analysis) -> str:
    """The command line that gives the values."""
    measures = list(analysis.inputs.measures or [])
    return shlex.join(
        [
            *("qassay", "score", *file_arguments(analysis)),
            *(["--measures", *measures] if measures else []),
            *_drawn_arguments(analysis),
            *setting_arguments(analysis),
        ]
    )


def _drawn_arguments(analysis: Analysis) -> list[str]:
    return [
        part
        for name, numbers in analysis.drawn.items()
        if numbers
        for part in (f"--{name.replace('_', '-')}", ",".join(map(str, numbers)))
    ]


def command_lines(analysis: Analysis, choices: CompareChoices) -> str:
    """The commands that give the numbers of the page: the values, and of two or more systems the comparison."""
    choices = choices.fitting(analysis)
    comparison, why = _comparison(analysis, choices)
    lines = [*_save_notes(analysis), score_command(analysis)]
    if comparison:
        lines.append(compare_command(analysis, choices))
    return "\n".join([*lines, *_why_notes(why)])


def _save_notes(analysis: Analysis) -> list[str]:
    """Comments on what is not a file under its name yet."""
    return [_comment(f"Save as {shlex.quote(name)}: {what}.") for name, what in analysis.inputs.to_save.items()]


def _why_notes(why: str) -> list[str]:
    return [_comment(f"Not compared: {why}.")] if why else []


def _comment(text: str) -> str:
    """Text as a comment, in one line whatever it holds."""
    return "# " + "".join(character if character.isprintable() else " " for character in text)


def _named_columns(inputs: Inputs) -> dict[str, Any]:
    """Role -> column as `score_files` takes them, with the columns of each system of a table with several."""
    by_system = names_by_system(inputs.columns)
    if len(by_system) == 1:
        return dict(inputs.columns)
    shared = {role: names for role, names in inputs.columns.items() if all(of[role] == names for of in by_system)}
    places = range(len(inputs.systems))
    return shared | {
        system: {role: name for role, name in by_system[place % len(by_system)].items() if role not in shared}
        for system, place in zip(inputs.systems, places, strict=True)
    }


def python_code(analysis: Analysis, choices: CompareChoices) -> str:
    """A program that prints the numbers of the page (rates from 0 to 1), run where the files lie."""
    inputs, settings = analysis.inputs, analysis.settings
    files: dict[str, Any] = {system: inputs.shown(path) for system, path in inputs.systems.items()}
    files |= {system: list(map(inputs.shown, paths)) for system, paths in inputs.runs.items()}
    probabilities = {system: inputs.shown(path) for system, path in inputs.probabilities.items()}
    options = options_by_metric([scored.family.name for scored in analysis.scored], inputs.options)
    values = _by_metric(analysis, {system: list(cells) for system, cells in analysis.report.systems.items()})
    comparison, why = _comparison(analysis, choices.fitting(analysis))
    lines = [*_save_notes(analysis), "import qassay", *_why_notes(why)]
    for scored in analysis.scored:
        metric = scored.family.name
        given = {
            "metric": inputs.metric and metric,
            "columns": _named_columns(inputs),
            "groups": inputs.groups or None,
            "measures": inputs.measures and [n for part in inputs.measures for n in split_list(part)],
            "no_answer_probabilities": probabilities if takes_probabilities(metric) else None,
            **options[metric],
        }
        lines += [
            "",
            "systems = qassay.score_files(",
            f"    {inputs.shown(inputs.gold)!r},",
            *([f"    {files!r},"] if files else []),
            *(f"    {keyword}={value!r}," for keyword, value in given.items() if value not in (None, {}, [])),
            ")",
            f"measures = {values[metric]!r}",
            "for system, scores in systems.items():",
            "    there = [name for name in measures if name in scores.measures]",
            "    print(system, scores.summary(there))",
            f"    print(scores.interval(there, {_intervals_in_code(settings.intervals)}))",
            *_drawn_lines(analysis),
        ]
        if comparison:
            lines += _comparison_lines(analysis, scored, choices.fitting(analysis), comparison)
    return "\n".join(lines) + "\n"


def _drawn_lines(analysis: Analysis) -> list[str]:
    calls = [
        f"        print(scores.{name}({numbers!r}).summary())" for name, numbers in analysis.drawn.items() if numbers
    ]
    return ["    if isinstance(scores, qassay.Runs):", *calls] if calls else []


def _intervals_in_code(settings: Intervals) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in dataclasses.asdict(settings).items())


def _comparison_lines(
    analysis: Analysis, scored: Scored, choices: CompareChoices, comparison: ComparisonReport
) -> list[str]:
    settings = analysis.settings
    there = dict.fromkeys(difference.measure for difference in comparison.differences)
    given = {
        "baseline": choices.baseline,
        "test": choices.test,
        "correction": choices.correction,
        **dataclasses.asdict(settings.intervals),
        "n_permutations": settings.n_permutations,
    }
    return [
        "comparison = qassay.compare(",
        "    systems,",
        f"    {[name for name in there if all(name in scores.measures for scores in scored.scores.values())]!r},",
        *(f"    {keyword}={value!r}," for keyword, value in given.items() if value is not None),
        ")",
        "print(comparison)",
    ]


def _by_metric(analysis: Analysis, names: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Metric -> its measures that the page shows."""
    shown = dict.fromkeys(name for of_system in names.values() for name in of_system)
    return {
        scored.family.name: [name for name in shown if any(name in of.measures for of in scored.scores.values())]
        for scored in analysis.scored
    }


# --- words ------------------------------------------------------------------------------------------------------------


def signatures(analysis: Analysis) -> str:
    """One per metric, a line each."""
    return "\n".join(analysis.report.signatures.values())


def made(analysis: Analysis) -> str:
    """The settings of the numbers, and the versions of what computed them."""
    settings, inputs = analysis.settings, analysis.inputs
    items = [
        ("Files", ", ".join(code(inputs.shown(path)) for path in inputs.paths)),
        *(
            ("Metric", f"{code(scored.family.name)}; rules: {escaped(describe_metric(scored.family.name).source)}")
            for scored in analysis.scored
        ),
        ("Options", " ".join(map(code, inputs.options)) or "none given"),
        (
            "Intervals",
            f"{escaped(interval_text(analysis.report))}; {settings.intervals.n_resamples:,} resamples where the method draws",
        ),
        ("Rounds of a test", f"{settings.n_permutations:,} where it draws"),
        ("Seed", f"{settings.intervals.seed}"),
        ("Scale of rates", "0 to 100" if settings.percent else "0 to 1"),
        ("Versions", f"qassay {__version__}, numpy {np.__version__}, Python {platform.python_version()}"),
    ]
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in items)
    return wrapped(section("How it was made", f'<dl class="made">{listed}</dl>'))


def citation(analysis: Analysis) -> str:
    """How to cite qassay and the metrics, as BibTeX."""
    own = (
        "@software{qassay,\n"
        "    title = {qassay: metrics for question answering},\n"
        f"    version = {{{__version__}}},\n"
        "}"
    )
    return "\n\n".join([own, *dict.fromkeys(scored.family.citation() for scored in analysis.scored)])
