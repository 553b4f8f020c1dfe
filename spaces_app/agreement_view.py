"""Agreement with labels: how well each measure agrees with the labels of a table of answers, as a tab shows it."""

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from qassay.label_agreement.agree import Judged, families_of, judged_answers
from qassay.label_agreement.measures import ACCEPTED_FROM, REJECTS_ALL
from qassay.label_agreement.read_labelled import Labelled
from qassay.label_agreement.results import LabelAgreement, MeasureAgreement
from qassay.pages.limits import ELSEWHERE, InputError, check_count, check_size
from qassay.pages.uploads import Upload, read_checked, upload_of
from qassay.reports.chart_parts import escaped
from qassay.reports.comparison import counted
from qassay.reports.html_parts import WORDY, code, fold, heads, isolated, row, scroll_table, table_html
from qassay.reports.label_agreement import (
    about_line,
    agreement_tables,
    finding_html,
    interval_line,
    render_agreement,
)
from qassay.reports.values_text import figure_text
from qassay.spaces_app.view_parts import cut, section, wrapped

MOST_LABELLED = 20_000  # answers, which take a few seconds
MOST_DIFFERENT = 20  # answers of a list
_MOST_SYSTEMS = 100
FILES = {  # ending of the name of a download -> what it is, and its form
    ".html": ("Web page (HTML)", "html"),
    ".md": ("Markdown", "markdown"),
    ".tex": ("LaTeX", "latex"),
    ".csv": ("CSV", "csv"),
    ".json": ("JSON", "json"),
}

_SECTIONS = {  # title -> caption of each table
    "Agreement with the labels": "Intervals below the values; AUC: 0.5 is chance; ECE: the calibration error, 0 is best",
    "Systems": "Mean value and rank of each system, by people and by each measure",
    "Order of the systems": "Whether a measure ranks the systems as people do",
}


class AgreementChoices(NamedTuple):
    """What a visitor chose.

    Attributes:
        metrics, measures: by name; () for all.
        columns: role -> column, or columns of references.
        right_from: the label from which on an answer is right; None: 0.5.
        level: of the intervals.
    """

    metrics: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    columns: Mapping[str, str | tuple[str, ...]] = {}
    right_from: float | None = None
    level: float = 0.95


@dataclasses.dataclass(frozen=True, eq=False)
class JudgedTable:
    """A table of a visitor, as it is kept for a reload.

    Attributes:
        name: of the file.
        judged: what is shown of it.
    """

    name: str
    judged: Judged

    @property
    def rows(self) -> int:
        """How much it is: its answers."""
        return len(self.judged.labelled.answers)


def metrics_of_texts() -> list[str]:
    """The metrics whose measures can agree with labels."""
    return [family.name for family in families_of(None)]


def read_labelled_file(path: str, name: str) -> Upload:
    """An uploaded table of labelled answers, which messages call by its name.

    Raises:
        InputError, ValueError: as `read_upload`.
    """
    return upload_of(dataclasses.replace(read_checked(path, name), path=name), name, "labelled")


def judged_file(path: str, name: str, choices: AgreementChoices) -> Judged:
    """How well the measures agree with the labels of a file, and the answers of the file.

    Raises:
        InputError: too many answers or systems. ValueError, TypeError: as `qassay.agreement`.
    """
    return judged_answers(
        read_labelled_file(path, name).content,
        choices.metrics or None,
        measures=choices.measures or None,
        columns=choices.columns,
        right_from=choices.right_from,
        level=choices.level,
        check=_check_amount,
    )


def _check_amount(labelled: Labelled) -> None:
    """Refuse more than a page should be kept busy with."""
    check_count("labels", len(labelled.answers), MOST_LABELLED, "labelled answers")
    check_size("references", labelled.golds)
    systems = len(set(labelled.systems or ()))
    if systems > _MOST_SYSTEMS:
        raise InputError(f"{systems:,} systems are too many; at most {_MOST_SYSTEMS} ({ELSEWHERE})")


def found_html(judged: Judged) -> str:
    """The finding, the tables, the answers that people and each measure judge differently, and the remarks."""
    found, lists = judged.found, _lists(judged)

    def href(one: MeasureAgreement, figure: str) -> str:
        figures = ("accuracy", "best_threshold") if figure == "measure" else (figure,)
        return next((f"#{lists[one.measure, own].name}" for own in figures if (one.measure, own) in lists), "")

    tables = agreement_tables(found, href=href)
    parts = [
        section(title, table_html(table, caption))
        for (title, caption), table in zip(_SECTIONS.items(), tables, strict=False)
    ]
    lines = [about_line(found), *found.remarks, interval_line(found)]
    told = "".join(f"<p>{escaped(line[0].upper() + line[1:])}.</p>" for line in lines)
    signatures = " ".join(map(code, dict.fromkeys(one.signature for one in found.measures)))
    first = finding_html(found, href)
    different = {of.name: _answers(judged, of) for of in lists.values()}
    reading = "“Accepted”: the value is at least the threshold. The answers whose value is furthest from the threshold come first."
    return wrapped(
        f"<section>{first}</section>" if first else "",
        *parts,
        section("Where measures and people disagree", "".join(different.values()), reading),
        section("Basis", f'{told}<p class="faint">Signatures: {signatures}</p>'),
    )


class _List(NamedTuple):
    """The answers that people and a measure judge differently: its anchor, and their places in the table, by the first threshold;
    by the others they are the same.
    """

    name: str
    measure: str
    thresholds: tuple[float, ...]
    places: np.ndarray


def _lists(judged: Judged) -> dict[tuple[str, str], _List]:
    """Measure and the figure of its threshold -> the list; no empty ones, and one list where both would be equal."""
    lists: dict[tuple[str, str], _List] = {}
    for number, one in enumerate(judged.found.measures):
        for figure, threshold in (("accuracy", ACCEPTED_FROM), ("best_threshold", one.best_threshold)):
            if one.auc is None or threshold is None:
                continue
            places = judged.unlike(one.measure, threshold)
            first = lists.get((one.measure, "accuracy"))
            if first is not None and {*first.places.tolist()} == {*places.tolist()}:
                both = first._replace(thresholds=tuple(dict.fromkeys((*first.thresholds, threshold))))
                lists |= {(one.measure, own): both for own in ("accuracy", figure)}
            elif len(places):
                lists[one.measure, figure] = _List(f"agreement-{number}-{figure}", one.measure, (threshold,), places)
    return lists


def _answers(judged: Judged, of: _List) -> str:
    """A list, folded under its counts."""
    labelled, labels = judged.labelled, judged.labels
    values, right = judged.values[of.measure], int((labels.right[of.places] == 1).sum())
    n = int((~np.isnan(values)).sum())
    rows = []
    for place in of.places[:MOST_DIFFERENT].tolist():
        asked = "" if labelled.questions is None else labelled.questions[place]
        cells = [" / ".join(labelled.golds[place]), labelled.answers[place] or ""]
        system = (
            "" if labelled.systems is None else f'<span class="sub">{isolated(cut(labelled.systems[place]))}</span>'
        )
        texts = "".join(
            f"<td{WORDY}>{isolated(cut(cell))}{more}</td>" for cell, more in zip(cells, ("", system), strict=True)
        )
        numbers = (f"{labels.labels[place]:g}", figure_text(float(values[place])))
        rows.append(row(isolated(cut(asked)), texts, *(f"<td>{number}</td>" for number in numbers)))
    words = "".join(f'<th scope="col"{WORDY}>{name}</th>' for name in ("Gold", "Answer"))
    above = heads("Question") + words + heads("Label", escaped(of.measure))
    named = " or ".join(
        "if it rejects every answer" if one == REJECTS_ALL else f"threshold {figure_text(one)}" for one in of.thresholds
    )
    first = f", the first {MOST_DIFFERENT} below" if len(of.places) > MOST_DIFFERENT else ""
    summary = (
        f"{isolated(of.measure)}, {named}: {len(of.places):,} of {counted(n, 'answers')}{first} (right but not accepted: "
        f"{right:,}, wrong but accepted: {len(of.places) - right:,})"
    )
    caption = f"Answers that people and {escaped(of.measure)} judge differently"
    return f'<div id="{of.name}">{fold(summary, scroll_table(caption, above, rows))}</div>'


def agreement_file(found: LabelAgreement, ending: str) -> bytes:
    """The content of one of `FILES`."""
    return render_agreement(found, FILES[ending][1]).encode("utf-8", "backslashreplace")
