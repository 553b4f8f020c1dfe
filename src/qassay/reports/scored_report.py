"""A report of scored systems without a comparison, in every format, and the format of a file by its name."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.examples import Examples
from ..core.family_telling import Telling
from ..core.reasons import MOST_REASONS
from ..core.scores import Scores
from ..scoring import Scored
from .comparison import count_kinds
from .page_cards import JudgedExample, JudgedExamples
from .values import ValuesReport
from .values_page import Kinds, values_page

_MOST_JUDGED = 8  # examples of a system
FORMS = {".html": "html", ".htm": "html", ".md": "markdown", ".tex": "latex", ".csv": "csv", ".json": "json"}


def form_of_file(path: "str | os.PathLike[str]", what: str = "report") -> str:
    """The format of a report by the ending of its file: "html", "markdown", "latex", "csv" or "json".

    Args:
        what: the option that names the file, for the message.

    Raises:
        ValueError: another ending.

    Example:
        >>> form_of_file("report.html"), form_of_file("table.TEX")
        ('html', 'latex')
    """
    name = os.fspath(path)
    ending = os.path.splitext(name)[1].lower()
    if ending not in FORMS:
        raise ValueError(f"{what} {name}: the name must end with one of: {', '.join(FORMS)}")
    return FORMS[ending]


def scored_page(report: ValuesReport, scored: Sequence[Scored], *, gold: str = "", command: str = "") -> str:
    """The numbers of a report as a page, with kinds of errors and the distribution of values.

    If the metric gives reasons for scores, the page also shows the examples with the lowest scores.

    Args:
        report: of `scored`.
        gold: the name of the gold file; command: the command line that computes these numbers.
    """
    main = scored[0]
    names = {metric.family.telling.examples_name for metric in scored}
    return values_page(
        report,
        gold=gold,
        command=command,
        kinds=_kinds(scored),
        by_example=_by_example(main, report.scale),
        judged=_judged(main, report.scale),
        examples_name=names.pop() if len(names) == 1 else Telling.examples_name,
    )


def _kinds(scored: Sequence[Scored]) -> Kinds:
    """Metric -> system -> kind of error -> number of examples, for metrics with kinds of errors."""
    found = {}
    for metric in scored:
        errors = metric.family.telling.errors
        kinds = {system: errors.of(scores) for system, scores in metric.scores.items()}
        if None not in kinds.values():
            found[metric.family.name] = count_kinds(kinds, errors.order)  # type: ignore[arg-type]
    return found


def _by_example(scored: Scored, scale: int) -> dict[str, dict[str, Any]]:
    """Main measure -> system -> value of each example, for rates of single examples."""
    systems = scored.scores
    first = next(iter(systems.values()))
    found = {}
    main = [name for name in scored.family.telling.main_measures(first) if name in first.measures]
    for name in main or list(first.measures)[:1]:
        if all(name in scores.measures and scores.measures[name].is_rate for scores in systems.values()):
            values = {system: scores.measures[name].by_example(scores.rows) for system, scores in systems.items()}
            told = {system: scale * column for system, column in values.items() if column is not None}
            if len(told) == len(systems):
                found[name] = told
    return found


def _judged(scored: Scored, scale: int) -> JudgedExamples | None:
    """The lowest scores with reasons of each system by the first main measure; None if the metric gives no reasons."""
    if not scored.gold.columns:  # scores alone, which hold no texts
        return None
    first = next(iter(scored.scores.values()))
    measure = next(iter(scored.family.telling.main_measures(first)), "")
    by_system = {
        system: _judged_of_system(scored, system, scores, measure, scale)
        for system, scores in scored.scores.items()
        if measure in scores.measures and scores.n_runs == 1
    }
    if not any(by_system.values()):
        return None
    return JudgedExamples(measure, by_system, getattr(first.options, "normalizer", None))


def _judged_of_system(scored: Scored, system: str, scores: Scores, measure: str, scale: int) -> list[JudgedExample]:
    values = scores.measures[measure].by_example(scores.rows)
    if values is None:
        return []
    graded = np.flatnonzero((values > 0) & (values < 1))  # 0 and 1 mostly come from rules, such as for no answer
    rows = graded[np.argsort(values[graded], kind="stable")][:_MOST_JUDGED].tolist()
    telling = scored.family.telling
    examples = Examples(scored.gold, scored.systems[system].columns, scores, rows)
    reasons = telling.reasons(examples, MOST_REASONS)
    if not any(reasons):
        return []
    kinds = telling.errors.of(scores)
    texts = telling.example_texts(examples)
    return [
        JudgedExample(
            str(scores.ids[row]), text, scale * float(values[row]), None if kinds is None else kinds[row], moved
        )
        for row, text, moved in zip(rows, texts, reasons, strict=True)
        if moved
    ]
