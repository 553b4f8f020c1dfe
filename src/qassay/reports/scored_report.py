"""A report of scored systems without a comparison, in every format, and the format of a file by its name."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ..scoring import Scored
from .values import scored_report
from .values_text import render

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


def render_scored(
    scored: Sequence[Scored],
    form: str,
    *,
    by: Sequence[str] = (),
    measures: Mapping[str, Sequence[str] | None] | None = None,
    **settings: Any,
) -> str:
    """The values of one or several systems as a report.

    Args:
        scored: one or more metrics of the same systems and examples.
        form: of `render`: "table", "markdown", "latex" or "csv".
        by: names of slices.
        measures: metric -> measures to show; None: the usual measures.
        settings: intervals and percent of `build_report`.

    Raises:
        ValueError: as `build_report`; no such slice.
    """
    shown = {metric.family.name: (measures or {}).get(metric.family.name) for metric in scored}
    return render(scored_report(scored, by, shown, **settings), form)
