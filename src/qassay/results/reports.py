"""What Python shows of results, as a table or for a notebook, and the reports that it writes to files."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.remarks import public
from ..core.scores import Scores, Slices
from ..core.text_tables import TableReport
from ..core.writing import write_whole
from ..files.given_scores import scored_of, scored_with_texts
from ..human.agreement import LabelAgreement
from ..human.calibrate import Calibration
from ..human.raters import RaterAgreement
from ..human.tables import agreement_report, calibration_report, raters_report
from ..leaderboards.about import AboutBoard
from ..stats.compare import Comparison
from ..stats.leaderboard import Leaderboard
from ..stats.plan import Plan
from ..stats.remarks import Remark
from .document import DocumentSettings, board_document, comparison_document, document
from .plan_tables import plan_report
from .records import remark
from .text import form_of_file, render
from .writers import report_text

_NO_TEXTS = (
    "examples to read are omitted, because scores hold no texts: give report(..., predictions=..., references=...)"
)
_FEW_MEASURES = 8  # up to which all are shown
_MOST_RESAMPLED = 100_000  # examples; more have fewer resamples
_REPORTS: Mapping[type, Callable[[Any], TableReport]] = {
    Calibration: lambda found: calibration_report([found]),
    LabelAgreement: agreement_report,
    RaterAgreement: raters_report,
    Plan: plan_report,
}


def show(found: Any, form: str) -> str:
    """A result as "table" or "notebook".

    Args:
        found: Scores or Slices: their usual measures (of few, all) with intervals; a Comparison, a Leaderboard or a result
            of `_REPORTS`: all of it.
    """
    if type(found) in _REPORTS:
        return report_text(_REPORTS[type(found)](found), form).rstrip("\n")
    if isinstance(found, (Comparison, Leaderboard)):
        data = document_of(found)
    else:
        by = {found.name: found.labels} if isinstance(found, Slices) else None
        scores: Scores = found.scores if isinstance(found, Slices) else found
        few = ["all"] if len(scores.measures) <= _FEW_MEASURES else None
        n_resamples = 1000 if len(scores) <= _MOST_RESAMPLED else 100
        data = document({"value": scores}, measures=few, by=by, n_resamples=n_resamples)
    return render(data, form).rstrip("\n")


def document_of(found: Comparison | Leaderboard) -> dict[str, Any]:
    """The result document of a comparison or a leaderboard, without texts."""
    scored, settings = scored_of(found.systems)[0], DocumentSettings(is_whole=False)
    if isinstance(found, Comparison):
        return comparison_document(scored, found, settings)
    return board_document(scored, found, settings)


@public
def report(
    systems: "Scores | Mapping[str, Scores]",
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

    Args:
        systems: Scores, or name -> Scores of the same metric and options, as `qassay.score_files` returns them. If they
            have groups, intervals treat groups as units, and the report says how many there are.
        path: the file; its extension chooses the format: .html, .md, .tex, .csv or .json.
        by: slices: names of subsets or "error_kind", or slice -> one label per example of the first system, or slice ->
            {id: label}; or one column of labels, such as frame["topic"].
        measures: the measures to show; None for the usual measures, "all" for all.
        percent: rates as 0..100 instead of 0..1.
        confidence, n_resamples, seed, method: as in `Scores.interval`; confidence=None for no intervals.

    Raises:
        TypeError: something other than Scores. ValueError: another extension, an unknown measure or slice, or systems
            whose options differ. OSError: the file cannot be written.
    """
    if isinstance(systems, Comparison):
        raise TypeError("report() takes Scores; write a comparison with comparison.report(path)")
    form, shown = form_of_file(path), {"by": by, "measures": measures, "percent": percent}
    found = document(systems, **shown, confidence=confidence, n_resamples=n_resamples, seed=seed, method=method)
    write_whole(path, render(found, form))


def write_comparison(comparison: Comparison, path: "str | os.PathLike[str]", texts: Mapping[str, Any]) -> None:
    """Write a comparison as a report; `texts` are the predictions, references and questions of `Comparison.report`."""
    form = form_of_file(path)
    scored = scored_with_texts(comparison.systems, **texts)
    found = comparison_document(scored, comparison)
    first = next(iter(comparison.systems.values()))
    has_texts = texts["predictions"] is not None or scored.family.about.texts_in_scores(first.options)
    if form in ("json", "html") and not has_texts:
        found["remarks"].insert(0, remark(Remark(_NO_TEXTS, code="no_texts")))
    write_whole(path, render(found, form))


def write_leaderboard(
    board: Leaderboard, path: "str | os.PathLike[str]", title: str, description: str, percent: bool
) -> None:
    """Write a leaderboard as a report; arguments as in `Leaderboard.report`."""
    form = form_of_file(path)
    scored, _ = scored_of(board.systems)
    found = board_document(scored, board, DocumentSettings(percent=percent), AboutBoard(title, description))
    found["parts"][0]["notes"] = {name: dict(scores.notes) for name, scores in board.systems.items()}  # with zeros
    write_whole(path, render(found, form))
