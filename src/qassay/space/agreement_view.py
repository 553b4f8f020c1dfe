"""Agreement with labels: how well each measure agrees with the labels of a table of answers, as a tab shows it."""

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from ..core.interval_settings import Intervals
from ..label_agreement.agree import Judged, families_of, judged_answers
from ..label_agreement.read_labelled import Labelled
from ..label_agreement.results import LabelAgreement
from ..pages.limits import ELSEWHERE, InputError, check_count, check_size
from ..pages.uploads import Upload, read_checked, upload_of
from ..reports.chart_parts import escaped
from ..reports.html_parts import code, table_html
from ..reports.label_agreement import (
    about_line,
    agreement_tables,
    finding_html,
    interval_line,
    render_agreement,
)
from .agreement_lists import AnswerLists
from .view_parts import section, wrapped

MOST_LABELLED = 20_000  # answers, which take a few seconds
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
        intervals=Intervals(choices.level),
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
    """The finding, the tables, the answers behind their numbers, and the remarks."""
    found, lists = judged.found, AnswerLists(judged)
    tables = agreement_tables(found, href=lists.href, system_href=lists.system_href)
    parts = [
        section(title, table_html(table, caption))
        for (title, caption), table in zip(_SECTIONS.items(), tables, strict=False)
    ]
    lines = [about_line(found), *found.remarks, interval_line(found)]
    told = "".join(f"<p>{escaped(line[0].upper() + line[1:])}.</p>" for line in lines)
    signatures = " ".join(map(code, dict.fromkeys(one.signature for one in found.measures)))
    first = finding_html(found, lists.href)
    return wrapped(
        f"<section>{first}</section>" if first else "",
        *parts,
        lists.html(),
        section("Basis", f'{told}<p class="faint">Signatures: {signatures}</p>'),
    )


def agreement_file(found: LabelAgreement, ending: str) -> bytes:
    """The content of one of `FILES`."""
    return render_agreement(found, FILES[ending][1]).encode("utf-8", "backslashreplace")
