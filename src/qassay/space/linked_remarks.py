"""The remarks on what was scored, as HTML: what they count, and the ids that they name, lead to the examples on the tab Errors."""

from typing import Any

from ..reports.chart_parts import escaped
from ..reports.html_parts import go
from ..reports.values import Note, notes_in_words
from ..stats.runs import Runs
from .address import EVERY, View
from .analysis import Analysis
from .errors_address import lists_just
from .page_hrefs import ErrorsHrefs


def counted_examples(analysis: Analysis, system: str, count: int, words: str = "", part: str = "") -> str:
    """A count of examples of a system and the words for them, as a link where the tab Errors lists just these.

    Args:
        part: a slice and its label; "" for all examples.
    """
    view = View("errors", system=analysis.first_run(system), kind=EVERY, slice=part)
    href = view.href() if count and lists_just(analysis, view, count) else ""
    return go(f"{count:,}{words and f' {escaped(words)}'}", href)


def remarks_html(analysis: Analysis) -> list[str]:
    """The remarks of the report, each as HTML without a full stop."""
    notes = {note.line: note for note in notes_in_words(analysis.main.scores)}
    return [_remark(analysis, remark, notes.get(remark)) for remark in analysis.report.remarks]


def _remark(analysis: Analysis, remark: Any, note: Note | None) -> str:
    if note is None:
        return escaped(remark)
    counted, colon, consequence = note.words.partition(": ")
    href = ErrorsHrefs(analysis).note(note.system, note.name, note.count)
    by_run = _by_run(analysis, note)
    return f"{escaped(note.where)}{go(escaped(counted), href)}{escaped(colon + consequence)}{by_run and f' ({by_run})'}"


def _by_run(analysis: Analysis, note: Note) -> str:
    """How much each run counts, and the first ids; "" for a system without several runs, or where these are the same."""
    scores, hrefs = analysis.scores(note.system), ErrorsHrefs(analysis)
    if not isinstance(scores, Runs):
        return ""
    counts = scores.run_counts(note.name)

    def link(run: str, identifier: Any, text: str) -> str:
        system = f"{note.system} ({run})"
        if identifier is None:
            return go(escaped(text), hrefs.note(system, note.name, counts[run]))
        view = View("errors", system=system, kind=EVERY, example=str(identifier))
        return go(escaped(text), view.href() if lists_just(analysis, view) else "")

    return scores.by_run_text(note.name, link)
