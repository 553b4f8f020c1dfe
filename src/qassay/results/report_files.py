"""Scores and comparisons as reports in files."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.columns import to_list
from ..core.file_columns import Gold
from ..core.ids import listed_by_id
from ..core.interval_settings import Intervals
from ..core.options import did_you_mean
from ..core.remarks import public
from ..core.scores import Scores
from ..core.shown import describe, shown
from ..core.writing import write_whole
from ..files.given_texts import scored_texts
from ..files.score_files import Scored, System
from ..leaderboards.about import AboutBoard
from ..registry import family_of
from ..stats.compare import Comparison
from ..stats.difference import ComparisonSettings
from ..stats.leaderboard import Leaderboard
from ..stats.runs import Runs
from .document import board_document, comparison_document, score_document
from .page import in_form
from .remarks import remark

FORMS = {".html": "html", ".htm": "html", ".md": "markdown", ".tex": "latex", ".csv": "csv", ".json": "json"}
_NO_TEXTS = (
    "examples to read are omitted, because scores hold no texts: give report(..., predictions=..., references=...)"
)


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


@public
def report(
    systems: Scores | Mapping[str, Scores],
    path: "str | os.PathLike[str]",
    *,
    by: Any = None,
    measures: Sequence[str] | str | None = None,
    percent: bool = False,
    confidence: float | None = 0.95,
    n_resamples: int = 1000,
    seed: int = 0,
    method: str = "auto",
) -> None:
    """Write the values of one or several systems as a report; `comparison.report(path)` writes a comparison.

    A page shows values with intervals, slices, kinds of errors and the distribution of examples. It is one file without
    external resources.

    Args:
        systems: Scores, or name -> Scores of the same metric and options, as `qassay.score_files` returns them. If they
            have groups, intervals treat groups as units, and the report says how many there are.
        path: the file; its extension chooses the format: .html, .md, .tex, .csv or .json.
        by: slices: names of subsets or "error_kind", or slice -> one label per example of the first system, or slice ->
            {id: label}.
        measures: the measures to show; None for the usual measures, "all" for all.
        percent: rates as 0..100 instead of 0..1.
        confidence, n_resamples, seed, method: as in `Scores.interval`; confidence=None for no intervals.

    Raises:
        TypeError: something other than Scores. ValueError: another extension, an unknown measure or slice, or systems
            whose options differ. OSError: the file cannot be written.
    """
    if isinstance(systems, Scores):
        systems = {"scores": systems}
    if isinstance(systems, Comparison):
        raise TypeError("a comparison writes its own report: comparison.report(path)")
    if (
        not isinstance(systems, Mapping)
        or not systems
        or not all(isinstance(scores, Scores) for scores in systems.values())
    ):
        raise TypeError(
            f'a report needs Scores, or a dict name -> Scores such as {{"A": a, "B": b}}; got {describe(systems)}'
        )
    form = form_of_file(path)
    first = next(iter(systems.values()))
    family = family_of(first)
    labels = _labels(by, first)
    same = all(list(scores.ids) == list(first.ids) for scores in systems.values())
    others = [name for name, scores in systems.items() if labels and set(scores.ids) - set(first.ids)]
    if others:
        raise ValueError(f"system {shown(others[0])} has examples that the first system, by which by= is read, lacks")
    # A subset needs no labels; labels are a detail of the "file", which is the first system.
    details = {name: values for name, values in labels.items() if values is not None}
    gold = Gold("", "", {}, {}, None if same else list(first.ids), details, metric=family.name)
    scored = [Scored(family, gold, {name: System(scores, name, {}) for name, scores in systems.items()})]
    found = score_document(
        scored,
        ComparisonSettings(intervals=Intervals(confidence, method, n_resamples, seed)),
        by=list(labels),
        measures=[measures] if isinstance(measures, str) else measures,
        percent=percent,
        usual=form in ("json", "html"),
    )
    _write(path, form, found)


def _write(path: "str | os.PathLike[str]", form: str, document: Mapping[str, Any], **look: Any) -> None:
    write_whole(path, in_form(document, form, **look))


def _labels(by: Any, first: Scores) -> dict[str, list[Any] | None]:
    """Slice -> a label per example of the first system, None for a subset."""
    if by is None:
        return {}
    if isinstance(by, Mapping):
        labels: dict[str, list[Any] | None] = {}
        for name, values in by.items():
            values = listed_by_id(values, first.ids, f"slice {shown(name)}")
            if len(values) != len(first):
                raise ValueError(f"slice {shown(name)} has {len(values)} labels for {len(first)} examples")
            labels[str(name)] = values
        return labels
    names = [by] if isinstance(by, str) else to_list(by, "by")
    offered = [*first.subsets, *(["error_kind"] if family_of(first).telling.errors.of(first) is not None else [])]
    for name in names:
        if name not in offered:
            near = did_you_mean(name, offered)
            raise ValueError(
                f"no slice {shown(name)}{near}; available: {', '.join(offered)}; or give labels of your own, "
                "by={name: one label per example}"
            )
    return dict.fromkeys(names)


def write_comparison(
    comparison: Comparison,
    path: "str | os.PathLike[str]",
    *,
    predictions: Mapping[str, Any] | None = None,
    references: Any = None,
    questions: Any = None,
    n_texts: int = 20,
) -> None:
    """Write a comparison as a report; arguments as in `Comparison.report`."""
    form = form_of_file(path)
    family = family_of(next(iter(comparison.systems.values())))
    gold, columns = scored_texts(family, comparison.systems, predictions, references, questions)
    systems = {
        name: _system(scores, name, (columns or {}).get(name, {})) for name, scores in comparison.systems.items()
    }
    first = next(iter(comparison.systems.values()))
    has_texts = columns is not None or family.telling.scores_tell_texts(first.options)
    found = comparison_document(Scored(family, gold, systems), comparison)
    if not has_texts:
        found["remarks"].insert(0, remark(_NO_TEXTS, "no_texts", "note"))
    _write(path, form, found, n_texts=n_texts)


def write_leaderboard(
    board: Leaderboard,
    path: "str | os.PathLike[str]",
    *,
    title: str = "",
    description: str = "",
    percent: bool = False,
) -> None:
    """Write a leaderboard as a report; arguments as in `Leaderboard.report`."""
    form = form_of_file(path)
    family = family_of(next(iter(board.systems.values())))
    gold = Gold("", "", {}, {}, None, {}, metric=family.name)
    systems = {name: System(scores, name, {}) for name, scores in board.systems.items()}
    found = board_document(Scored(family, gold, systems), board, AboutBoard(title, description), percent=percent)
    found["parts"][0]["notes"] = {name: dict(scores.notes) for name, scores in board.systems.items()}  # with zeros
    _write(path, form, found)


def _system(scores: Scores, name: str, columns: dict[str, dict[str, Any]]) -> System:
    """A system by the columns of its runs; a single run has the name ""."""
    runs = {run: System(scores, name, of_run) for run, of_run in columns.items()}
    (first,) = [*runs.values()][:1] or [System(scores, name, {})]
    return first._replace(runs=runs if isinstance(scores, Runs) else {})
