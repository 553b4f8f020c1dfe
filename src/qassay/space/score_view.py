"""What was scored, as HTML: values, checks of the data, kinds of errors."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ..reports.chart_parts import escaped
from ..reports.charts import stacked_bars
from ..reports.comparison import count_kinds
from ..reports.html_parts import figure, isolated
from ..reports.interval_width import examples_for_width, interval_half_width
from .analysis import Analysis
from .linked_remarks import counted_examples, remarks_html
from .page_hrefs import ErrorsHrefs
from .runs_view import runs_html
from .values_view import values_table
from .view_parts import columns, section, wrapped

_BESIDE = 3  # systems whose values leave room for the checks beside them
_LACKING = ("missing", "skipped", "unmatched", "duplicates")  # notes on what the files do not have in common


def score_html(analysis: Analysis) -> str:
    """The tab of an analysis."""
    values = section("Values", f'<div class="values-table">{values_table(analysis)}</div>')
    kinds = section("Where it goes wrong", _kinds(analysis))
    checks = section("Checks of the data", _checks(analysis)) + section(
        "How certain these values are", _sizes(analysis)
    )
    first = (
        kinds + values + checks if len(analysis.systems) > _BESIDE else columns(values, f"<div>{kinds}{checks}</div>")
    )
    return wrapped(first, runs_html(analysis))


def files_html(lines: Sequence[str], notes: Sequence[str] = ()) -> str:
    """What the files are, a line each, and what was put right."""
    items = [f"<li>{escaped(line)}</li>" for line in lines]
    items += [f'<li class="note">{escaped(note)}.</li>' for note in notes]
    return wrapped(f'<div role="status"><ul class="files">{"".join(items)}</ul></div>') if items else ""


def problem_html(message: str) -> str:
    """What the visitor can fix, "" for nothing."""
    return (
        wrapped(f'<p class="problem" role="alert"><strong>Not scored:</strong> {escaped(message)}</p>')
        if message
        else ""
    )


def interval_width_in_words(
    measure: str, n: int, half_width: float, examples_name: str, scale: int, n_groups: int | None = None
) -> str:
    """How well a value is known, and how many examples, or groups, would tell it to one in a hundred, as a sentence."""
    target, digits = (1.0, 1) if scale == 100 else (0.01, 3)
    number, name = (n, examples_name) if n_groups is None else (n_groups, f"groups of {examples_name} like these")
    needed = examples_for_width(number, half_width, target)
    of_groups = "" if n_groups is None else f" in {n_groups:,} groups"
    statement = f"With n = {n:,}{of_groups}, {measure} is known to ±{half_width:.{digits}f}"
    if needed is None:
        return f"{statement}: examples that are all alike do not show how certain that is."
    if needed == number:
        return f"{statement}."
    return f"{statement}; for ±{target:g} you need about {needed:,} {name}."


def _checks(analysis: Analysis) -> str:
    """What fits together and what does not, in words."""
    name = analysis.examples_name
    good, words = [], []
    for system, scores in analysis.main.scores.items():
        notes = analysis.report.notes.get(system, {})
        n = len(scores)
        if not any(notes.get(note) for note in _LACKING):
            every = counted_examples(analysis, system, n, name)
            good.append(
                f"{isolated(system)}: nothing is missing. All {every} have a prediction; none is unknown or duplicate."
            )
        else:
            missing = notes.get("missing", 0)
            matched = counted_examples(analysis, system, n - missing, part="missing:no" if missing else "")
            words.append(f"{isolated(system)}: {matched} of {n:,} {name} have a prediction.")
        empty = _count_empty(scores.subsets)
        if empty:
            count = counted_examples(analysis, system, empty, part="abstained:yes")
            words.append(f"{isolated(system)}: {count} of {n:,} answers are empty, or withheld.")
    items = [f'<li class="fine"><span aria-hidden="true">✓ </span>{line}</li>' for line in good]
    items += [f"<li>{line}</li>" for line in words]
    items += [f"<li>{remark}.</li>" for remark in remarks_html(analysis)]
    return f'<ul class="checks">{"".join(items)}</ul>'


def _count_empty(subsets: Mapping[str, np.ndarray]) -> int:
    """Answers that say nothing, without missing ones."""
    if "abstained" not in subsets:
        return 0
    return int((subsets["abstained"] & ~subsets.get("missing", False)).sum())


def _sizes(analysis: Analysis) -> str:
    report, items = analysis.report, []
    for measure in analysis.main_measures:
        of_one_run = [cells for system, cells in report.systems.items() if system not in report.n_runs]
        cells = [cells[measure] for cells in of_one_run if measure in cells]
        cells = [cell for cell in cells if cell.interval and cell.is_rate and all(map(math.isfinite, cell.interval))]
        if cells:
            widest = max(cells, key=lambda cell: interval_half_width(*cell.interval))
            width = interval_half_width(*widest.interval)
            told = interval_width_in_words(
                measure, widest.n, width, analysis.examples_name, report.scale, widest.n_groups
            )
            items.append(f"<li>{escaped(told)}</li>")
    if not items:
        return ""
    number = "the number of groups" if analysis.inputs.groups else "n"
    several = ", of the system known least" if len(report.systems) > 1 else ""
    note = f"Half the width of the {100 * report.intervals.confidence:g} % interval{several}. It shrinks with the square root of {number}."
    return f'<ul class="checks">{"".join(items)}</ul><p class="faint">{note}</p>'


def _kinds(analysis: Analysis) -> str:
    analysis = analysis.by_run
    if analysis.error_kinds is None:
        return ""
    counts = count_kinds(analysis.error_kinds, analysis.telling.errors.order)
    if not any(counts.values()):
        return ""
    hrefs = ErrorsHrefs(analysis)
    metric = analysis.main.family.name
    chart = stacked_bars(counts, title="Kinds of errors", href=lambda system, kind: hrefs.kind(metric, system, kind))
    return figure(f"Kinds of errors: share of {analysis.examples_name}", chart)
